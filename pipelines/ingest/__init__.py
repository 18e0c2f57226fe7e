"""Ingest: landed files become bronze, silver, quarantine and pass ticks. It follows the files. No JVM.

Follow the data: `ingest.py` orders the stages; `landing.py` and `changes.py` find what to do, from what `files.py` has
of each file and `file_content.py` reads of it; `lines.py` finds lines, `parse.py` makes records of them, on all cores;
`deduplicate.py` decides which are events; `writes.py` writes all three; `partitions.py` notes pass ticks and digests;
 `outcome.py` says what became of each file, and what a stream doesn't put up with.
"""
