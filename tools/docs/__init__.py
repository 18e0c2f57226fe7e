"""Makes the pages of docs/ that say what the definitions say: `python -m tools.docs` (or `make docs`)."""
