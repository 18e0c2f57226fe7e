"""What every kernel stands on: memory with named fields, calls by address, and the cache of compiled code."""
