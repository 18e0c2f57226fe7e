"""The local engine: this process and a few helpers, DuckDB, no JVM."""
