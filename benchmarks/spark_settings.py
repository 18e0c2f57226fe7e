"""Settings of Spark that benchmarks compare: without an import, since a measured process has to pay for each."""

SEGMENT_TREE = "spark.sql.window.segmentTree.enabled"
"""Whether a frame is asked of a tree over blocks of its key's rows; off by default."""
