"""Spark in a stream, as spark_stream.py, with a watermark that waits as long as Windrow corrects: two days."""

from pathlib import Path

from benchmarks.latemark.questions import PATIENCE
from benchmarks.latemark.ways import spark_stream

TITLE = "Spark, a stream, watermark of 2 days"
IN_ORDER = "bids in order need no patience"
NO_ANSWER = spark_stream.NO_ANSWER | {"q7": IN_ORDER, "q11": IN_ORDER}


def answer(question: str, folder: Path, into: Path) -> None:
    """No bid is that late; the state of two days is kept."""
    spark_stream.answer(question, folder, into, PATIENCE)
