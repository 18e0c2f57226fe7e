"""Queries, found as streams are; each file defines `QUERY`, a Query."""

from windrow.schemas.project import beside

__path__ = beside(__path__, "queries")
