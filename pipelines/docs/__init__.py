"""What definitions say, as pages: `windrow docs` of a project; `make docs` adds those of Windrow itself (tools/docs)."""
