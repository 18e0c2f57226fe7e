"""Feature sets, found as streams are; each file defines `FEATURES`, a FeatureSet."""

from windrow.schemas.project import beside

__path__ = beside(__path__, "features")
