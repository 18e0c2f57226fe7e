"""Slide policies, found as streams are; each file defines `POLICY`, an EvictionPolicy."""

from windrow.schemas.project import beside

__path__ = beside(__path__, "policies")
