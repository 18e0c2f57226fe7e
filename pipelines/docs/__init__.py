"""What definitions say, as pages: `windrow docs` of a project; `make docs` adds Windrow's own (tools/docs)."""
