"""DuckDB, as backfills by event time are made: the final rows, each dated by its window's end.

It answers `known` alone, and shows what it costs to take a final row for what was known when its window ended.
"""

from pathlib import Path

from benchmarks.latemark.questions import KNOWN_SIZE, QUESTIONS, us
from benchmarks.latemark.ways.duckdb import COUNTED, HIGHEST, run, tumbling

TITLE = "DuckDB, rows dated by event time"
NO_ANSWER = {
    name: "its final rows are DuckDB's; this way only dates them"
    for name in (*QUESTIONS, "q7", "q11")
    if name != "known"
}
STATEMENT = f"SELECT *, window_end AS known_at FROM ({tumbling('source', us(KNOWN_SIZE), f'{COUNTED}, {HIGHEST}')})"


def answer(question: str, folder: Path, into: Path) -> None:
    """As if each bid had arrived when it was made."""
    run(STATEMENT, {}, folder, into)
