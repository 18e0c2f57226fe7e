"""latemark: a benchmark of windows over late data that counts mistakes (README.md)."""
