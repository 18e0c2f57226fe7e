"""Which tables streams and queries have, and what an ingest and a run note of the versions they made."""
