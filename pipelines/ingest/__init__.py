"""Ingest: landed files become bronze, silver, quarantine and pass ticks. It follows the files. No JVM.

Follow the data: `ingest.py` orders the stages; `landing.py` (`names.py`, `unread.py`) and `changes.py` find what to do;
`bronze.py` keeps lines (`lines.py`); `workers.py` has them parsed (`parse.py`) on all cores; `deduplicate.py` decides
which are events; `silver.py` writes them; `partitions.py` notes pass ticks (`pass_ticks.py`) and digests; `files.py`
knows each file; `limits.py` says what a stream doesn't put up with.
"""
