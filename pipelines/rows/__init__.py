"""Rows in memory: as Arrow, NumPy, DuckDB and Python have them."""
