"""Windrow over a lake, as windrow_lake.py, by the engine `spark`."""

from pathlib import Path

from benchmarks.latemark.ways import windrow_lake

TITLE = "Windrow, a lake, engine `spark`"
NO_ANSWER: dict[str, str] = {}


def answer(question: str, folder: Path, into: Path) -> None:
    """The stages that the engine has are Spark's."""
    windrow_lake.answer(question, folder, into, "spark")
