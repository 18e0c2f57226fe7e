"""How many rows of an answer are wrong, missing, too many, or known too early.

Of `known` the answer is a table of row versions. At each moment the newest version of each window is compared with
what the bids that had arrived by then say. Besides, each version is compared with what could be known at its own
`known_at`: it is too early if it counts more bids, or has a higher price, than had arrived.
"""

from pathlib import Path
from typing import NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.latemark.arrivals import Columns
from benchmarks.latemark.questions import LatemarkQuestion
from benchmarks.latemark.truth import counted, knowable, known_rows, true_rows
from windrow.pipelines.rows.arrays import TIME, times

RELATIVE = 1e-9
"""How far a float may be from the truth."""


class LatemarkScore(NamedTuple):
    """rows: of the truth; early: row versions, of which an answer has so many; none where it isn't asked."""

    rows: int
    wrong: int
    missing: int
    extra: int
    early: int | None = None
    versions: int = 0

    @property
    def mistakes(self) -> int:
        """All together."""
        return self.wrong + self.missing + self.extra + (self.early or 0)


def scored(columns: Columns, question: LatemarkQuestion, moments_us: list[int], answer: Path) -> LatemarkScore:
    """Of an answer's file, or folder of files. columns: the stream's, in the order of arrival."""
    bids, rows = counted(columns), _typed(pq.read_table(answer, columns=list(question.columns)))
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'UTC'; SET threads = 2")
        database.register("answer", rows)
        if not question.known:
            database.register("truth", true_rows(bids, question))
            return LatemarkScore(*_compared(database, question, question.identity))
        database.register("truth", known_rows(bids, question, moments_us))
        database.register("moments", pa.table({"moment": times(moments_us)}))
        database.execute(_at_moments(question))
        return LatemarkScore(
            *_compared(database, question, (*question.identity, "moment"), "known"), *_early(bids, question, rows)
        )


def _typed(rows: pa.Table) -> pa.Table:
    """Times as the truth has them; a time without a zone is in UTC."""
    zoned = [
        rows[field.name].cast(pa.timestamp("us")).cast(TIME) if pa.types.is_timestamp(field.type) else rows[field.name]
        for field in rows.schema
    ]
    return pa.table(dict(zip(rows.schema.names, zoned, strict=True)))


def _at_moments(question: LatemarkQuestion) -> str:
    identity, values = ", ".join(question.identity), ", ".join(question.values)
    same = " AND ".join(f"asked.{name} = versions.{name}" for name in question.identity)
    return f"""
    CREATE TEMP TABLE versions AS
        SELECT {identity}, known_at, {values} FROM (SELECT *, row_number() OVER () AS place FROM answer)
        QUALIFY row_number() OVER (PARTITION BY {identity}, known_at ORDER BY place DESC) = 1;
    CREATE TEMP VIEW known AS SELECT {", ".join(f"asked.{name}" for name in question.identity)}, asked.moment, {values}
        FROM (SELECT DISTINCT {identity}, moment FROM versions, moments) AS asked
        ASOF JOIN versions ON {same} AND asked.moment >= versions.known_at
    """


def _compared(
    database: duckdb.DuckDBPyConnection, question: LatemarkQuestion, identity: tuple[str, ...], answer: str = "answer"
) -> tuple[int, int, int, int]:
    """(rows of the truth, wrong, missing, extra)."""
    names, differs = ", ".join(identity), " OR ".join(_differs(name) for name in question.values)
    return database.execute(f"""
    WITH ours AS (SELECT *, count(*) OVER (PARTITION BY {names}) AS copies FROM {answer}),
         joined AS (SELECT count(*) FILTER ({differs}) AS wrong, count(*) AS met
                  FROM (SELECT DISTINCT ON ({names}) * FROM ours) AS ours JOIN truth USING ({names}))
    SELECT (SELECT count(*) FROM truth), wrong, (SELECT count(*) FROM truth) - met,
           (SELECT count(*) FROM ours) - met FROM joined
    """).fetchall()[0]


def _differs(name: str) -> str:
    ours, truth = f"ours.{name}", f"truth.{name}"
    return f"({ours} IS NULL) != ({truth} IS NULL) OR abs({ours} - {truth}) > {RELATIVE} * abs({truth})"


def _early(bids: Columns, question: LatemarkQuestion, rows: pa.Table) -> tuple[int, int]:
    count, top = knowable(bids, question, rows)
    values = [rows[name].to_numpy() for name in question.values]
    return int(((values[0] > count) | (values[1] > top)).sum()), len(rows)
