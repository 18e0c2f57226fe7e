"""The gate: checks a version of a day's rows, and publishes exactly that version."""
