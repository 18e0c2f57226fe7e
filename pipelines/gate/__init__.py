"""The gate: checks a version of a day's rows, and publishes exactly that version."""

import os

# Read while Great Expectations is imported, by whichever file first: it must not send anything anywhere.
os.environ["GX_ANALYTICS_ENABLED"] = "False"
