"""Whether a backfill's final rows are those that another way made of the same silver."""

from datetime import timedelta
from typing import NamedTuple

from windrow.pipelines import storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.sql.statements import add_revisions
from windrow.schemas.queries.bikes_demand import QUERY
from windrow.schemas.streams.bikes import STREAM
from windrow.schemas.tables import pass_table

KEY = ", ".join(QUERY.key)
COLUMNS = ", ".join((*QUERY.key, "window_start", "window_end", *QUERY.aggregates))
SLIDE, LATENESS = (f"INTERVAL {span // timedelta(seconds=1)} SECONDS" for span in (QUERY.window.slide, QUERY.lateness))
# Windows that a late event misses: there the other way counts one event more, or has a window that Windrow has not.
PREPARED = f"""
CREATE TABLE ours AS SELECT {COLUMNS} FROM {QUERY.name}_final;
CREATE TABLE theirs AS SELECT {COLUMNS} FROM made;
CREATE TABLE missed AS SELECT DISTINCT {KEY},
    unnest(generate_series(first_missed, last_missed, {SLIDE})) AS window_start
    FROM {QUERY.name}_late WHERE first_missed IS NOT NULL;
CREATE TABLE watermark AS SELECT max(newest_start) - {LATENESS} AS at FROM passes;
CREATE VIEW closed AS FROM theirs WHERE window_end <= (FROM watermark);
CREATE VIEW our_comparable AS FROM ours ANTI JOIN missed USING ({KEY}, window_start);
CREATE VIEW their_comparable AS FROM closed ANTI JOIN missed USING ({KEY}, window_start);
"""
COUNTED = """
SELECT (SELECT count(*) FROM our_comparable),
       (SELECT count(*) FROM theirs) - (SELECT count(*) FROM closed),
       (SELECT count(*) FROM closed) - (SELECT count(*) FROM their_comparable),
       (SELECT count(*) FROM ((FROM our_comparable EXCEPT ALL FROM their_comparable)
                    UNION ALL (FROM their_comparable EXCEPT ALL FROM our_comparable)))
"""


class RowsCompared(NamedTuple):
    """Final rows that are compared; windows that only the other way has, as the watermark has not passed them; those
    that a late event misses; and rows that differ though they mean the same."""

    compared: int
    still_open: int
    missed: int
    differing: int


def compared(ours: Config, theirs: Config, table: str) -> RowsCompared:
    """`ours` has published all days of the lake; `table` is the other way's."""
    tables = {QUERY.name: ours, f"{QUERY.name}_late": ours, pass_table(STREAM).name: ours, table: theirs}
    names = {pass_table(STREAM).name: "passes", table: "made"}
    with storage.open_database(ours.scratch, ours.lake) as database:
        for name, config in tables.items():
            database.register(names.get(name, name), Lake(config).dataset(name))
        add_revisions(database, QUERY)
        database.execute(PREPARED)
        return RowsCompared(*database.sql(COUNTED).fetchall()[0])
