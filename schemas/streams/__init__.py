"""Streams: one file = one stream, found by looking; each defines `STREAM`, a Stream. They are a project's and those of
installed packages (schemas/project.py); ours are in examples/."""

from windrow.schemas.project import beside

__path__ = beside(__path__, "streams")
