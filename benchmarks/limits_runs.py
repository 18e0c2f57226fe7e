"""A ledger of 100,000 runs: what `windrow runs`, `plan` and `report` take over it.

A lake of generated trips, one day of whose queries is replayed for real. Then each of these runs is written again for
other days, several times a day, as the ledger has them after an upkeep: a few hundred runs a file. These days have no
rows, so that what is measured is the ledger.
"""

import json
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from benchmarks.pages import Figure, claim
from benchmarks.processor import spent
from tests.support import processes
from windrow.pipelines import flow
from windrow.pipelines.config import Config
from windrow.pipelines.delta.day_files import NO_ROWS
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger.stale import DIGESTS
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas import registry
from windrow.schemas.ledger_tables import RUNS
from windrow.schemas.query import Query

STREAM, DAY, AGAIN = "bikes", date(2018, 11, 4), 10
DAYS_PER_COMMIT = 10
MOST_S = 2.0
COMMANDS = (("runs",), ("plan",), ("report",))


def figure(home: Path, runs: int) -> Figure:
    """Each command once, in a fresh process, after one that was not measured."""
    config = Config(home / "home", home / "landing")
    build(config, runs)
    rows = []
    for command in COMMANDS:
        _windrow(config, *command)
        took = spent(lambda command=command: _windrow(config, *command))
        rows.append(
            {"command": f"windrow {' '.join(command)}", "wall, s": took.wall_s, "processor, s": took.processor_s}
        )
        print(rows[-1], flush=True)
    ledger = Lake(config).dataset(RUNS.name)
    measured = (
        f"A ledger of {runs:,} replayed days with their publications, {ledger.count_rows():,} rows; whole commands."
    )
    verdicts = [
        claim(row["wall, s"] <= MOST_S, f"`{row['command']}` takes {row['wall, s']:.1f} s; at most {MOST_S} are asked.")
        for row in rows
    ]
    return Figure("A long ledger", measured, rows, verdicts)


def build(config: Config, runs: int) -> None:
    """The lake, and its ledger of about that many runs."""
    words = ["--into", config.landing, "--days", "3", "--last-day", DAY, "--seed", "1"]
    _python(config, "-m", "windrow.samples.bikes", *words)
    _windrow(config, "ingest", STREAM)
    lake, queries = Lake(config), flow.scheduled_queries(registry.stream(STREAM))
    _windrow(config, "backfill", *(query.name for query in queries), "--from", DAY, "--to", DAY)
    days = [DAY - timedelta(days=back) for back in range(1, 1 + runs // (AGAIN * len(queries)))]
    made = lake.read(RUNS.name).to_pylist()
    for first in range(0, len(days), DAYS_PER_COMMIT):
        some = days[first : first + DAYS_PER_COMMIT]
        lake.append(RUNS, [row for query in queries for row in _again(query, made, some)])


def _again(query: Query, made: list[dict], days: list[date]) -> Iterator[dict]:
    """A query's rows for other days, some hours apart."""
    rows = [row for row in made if (row["query"], row["logical_date"]) == (query.name, DAY)]
    tables = QueryTables.of(query)
    names = (tables.results.name, tables.late.name)
    digests = dict.fromkeys(names, NO_ROWS.digest)
    published = {
        "counts": json.dumps(dict.fromkeys(names, NO_ROWS.rows)),
        "outputs": json.dumps(dict.fromkeys(names, 1) | {DIGESTS: digests}),
    }
    for day in days:
        for number in range(AGAIN):
            of_run = {"logical_date": day, "run_id": f"{query.name}-{day}-{number}"}
            for row in rows:
                at = row["at"] - (DAY - day) - timedelta(hours=AGAIN - number)
                ended = published if row["step"] == "publish" and row["stage"] is None else {}
                yield row | of_run | ended | {"at": at}


def _python(config: Config, *words: object) -> None:
    environment = processes.environment(config) | {"WINDROW_ENGINE": "local"}
    processes.python(*words, env=environment, timeout=None).check_returncode()


def _windrow(config: Config, *words: object) -> None:
    _python(config, "-m", "windrow.pipelines", *words)
