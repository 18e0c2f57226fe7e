"""`windrow profile`: figures of an ingested stream. Nothing here makes a row."""
