"""Models, found as streams are; each file defines `MODEL`, a Model."""

from windrow.schemas.project import beside

__path__ = beside(__path__, "models")
