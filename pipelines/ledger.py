"""The ledger: what each step of a run read, wrote and counted, under which code, and how it ended.

    with ledger.step(config, run_id, "audit", stream.name, query.name, day) as entry:
        say = entry.following(progress)
        entry.inputs[...] = ...

writes a `running` row first, so that a killed step is seen, and a `done`, `failed` or `refused` row at the
end, with one more row for each stage of the flow map that `say` was told of. Rows are only ever appended:
nothing that the ledger once said is lost.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cache
from typing import NamedTuple
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc

from pipelines import flow, lake, stopping
from pipelines.arrow_schemas import arrow_schema
from pipelines.checks.verdict import Verdict
from pipelines.config import REPOSITORY, Config
from schemas.errors import GateFailed, IngestBehind, OutsideStream, StorageFailed
from schemas.registry import query_hash, replay_hash, stream_hash
from schemas.tables import RUNS, VERDICTS, Table

# Rules that said no: an operator has something to do. Any other error is a failure, which a retry may mend.
REFUSALS = (GateFailed, IngestBehind, OutsideStream)
_JSON_COLUMNS = ("inputs", "outputs", "counts")
_STAGES = frozenset(stage.name for stage in flow.STAGES)


class Run(NamedTuple):
    """Whose step it is. `query` and `day` are None for an ingest without a logical date."""

    run_id: str
    stream: str
    query: str | None = None
    day: date | None = None


@dataclass
class Entry:
    """What a step tells the ledger while it runs; plain JSON values only. `stages`: seconds by stage, without the time
    that the step has now been in `stage`."""

    inputs: dict = field(default_factory=dict)
    outputs: dict = field(default_factory=dict)
    counts: dict = field(default_factory=dict)
    kernel: str | None = None
    state: str = "done"
    message: str | None = None
    stages: dict[str, float] = field(default_factory=dict)
    stage: str | None = None
    stage_began: float = 0.0

    def refuse(self, message: str) -> None:
        """The step ends well, but without having done its work: say why."""
        self.state, self.message = "refused", message

    def following(self, progress: Callable[[str], None]) -> Callable[[str], None]:
        """`progress`, but a stage of the flow map that is said to begin is noted first."""
        def said(text: str) -> None:
            if text in _STAGES:
                self._begin(text)
            progress(text)
        return said

    def _begin(self, stage: str) -> None:
        # A step may come back to a stage: an ingest looks at the landing folder again when a file changed meanwhile.
        self.stages = self.stage_seconds()
        self.stages.setdefault(stage, 0.0)
        self.stage, self.stage_began = stage, time.monotonic()

    def stage_seconds(self) -> dict[str, float]:
        """Seconds by stage until now, in the order in which the step came to each for the first time."""
        if self.stage is None:
            return {}
        return {**self.stages, self.stage: self.stages[self.stage] + time.monotonic() - self.stage_began}


@dataclass(frozen=True)
class Recorded:
    """A row of the ledger, read back."""

    run_id: str
    step: str
    stage: str | None
    stream: str
    query: str | None
    logical_date: date | None
    state: str
    at: datetime
    seconds: float
    inputs: dict
    outputs: dict
    counts: dict
    code_hash: str
    definition_hash: str
    kernel: str | None
    message: str | None


def new_run_id(of: str, day: date | None) -> str:
    """A run's name where the caller has none: says what and when, and is never used twice."""
    return f"{of}-{day or 'all'}-{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"


@contextmanager
def step(
    config: Config, run_id: str, step: str, stream: str, query: str | None = None, day: date | None = None
) -> Iterator[Entry]:
    """Record a step from its start to its end, however it ends; an error goes on to the caller."""
    run, entry, began = Run(run_id, stream, query, day), Entry(), time.monotonic()
    _write(config, run, step, Entry(state="running"), 0.0)
    try:
        yield entry
    except BaseException as raised:
        error = stopping.asked() or raised
        entry.state = "refused" if isinstance(error, REFUSALS) else "failed"
        entry.message = f"{type(error).__name__}: {error}"[:4_000]
        with suppress(StorageFailed):  # a full disk must not hide the error; the step stays `running`
            _write(config, run, step, entry, time.monotonic() - began)
        raise
    _write(config, run, step, entry, time.monotonic() - began)


def _write(config: Config, run: Run, step: str, entry: Entry, seconds: float) -> None:
    """The step's row and those of its stages, in one commit: each commit costs, and so none is half told."""
    shared = {
        **_identity(run),
        "step": step,
        "at": datetime.now(UTC),
        "code_hash": code_hash(),
        "definition_hash": definition_hash(run.stream, run.query),
    }
    _append(config, RUNS, [{**shared, **row} for row in (*_stage_rows(entry), _row(entry, None, seconds))])


def _stage_rows(entry: Entry) -> list[dict]:
    """Of a step that did not end well, the stage that it was in did not; those before it did."""
    ends = {entry.stage: Entry(state=entry.state, message=entry.message)}
    return [_row(ends.get(stage, Entry()), stage, seconds) for stage, seconds in entry.stage_seconds().items()]


def _row(entry: Entry, stage: str | None, seconds: float) -> dict:
    said = {name: json.dumps(getattr(entry, name), sort_keys=True) for name in _JSON_COLUMNS}
    told = {name: getattr(entry, name) for name in ("state", "kernel", "message")}
    return {"stage": stage, "seconds": seconds, **said, **told}


def _identity(run: Run) -> dict:
    return {"run_id": run.run_id, "stream": run.stream, "query": run.query, "logical_date": run.day}


def _append(config: Config, table: Table, rows: list[dict]) -> None:
    lake.ensure(config, table)
    lake.replace(config, table, None, pa.Table.from_pylist(rows, arrow_schema(table)))


def write_verdicts(config: Config, run: Run, verdicts: Iterable[Verdict]) -> None:
    """Append what the gate said about one run. Without verdicts nothing is written."""
    judged_at = datetime.now(UTC)
    rows = [{**_identity(run), **vars(verdict), "at": judged_at} for verdict in verdicts]
    if rows:
        _append(config, VERDICTS, rows)


def verdicts_on(config: Config, table: str, day: date, columns: list[str] | None = None) -> pa.Table:
    """What the gate said of a table and a day since the table was made: one made anew counts from version 0 again."""
    if lake.version(config, VERDICTS.name) is None:
        return arrow_schema(VERDICTS).empty_table()
    lake.ensure(config, VERDICTS)  # a table of another definition is told as that
    made = lake.created_at(config, table)
    filters = [("table_name", "=", table), ("logical_date", "=", day), ("at", ">=", made)]
    return lake.read(config, VERDICTS.name, filters=filters, columns=columns)


def newest_judged_version(config: Config, table: str, day: date) -> int | None:
    """The newest version of a table that the gate has judged for a day, whatever it said; None: none."""
    rows = verdicts_on(config, table, day, ["table_version"])
    return max(rows["table_version"].to_pylist(), default=None)


def rows(config: Config, filters: list[tuple] | None = None, stages: bool = False) -> list[Recorded]:
    """Rows of the ledger, oldest first; `filters` as in `lake.read`. `stages`: with those of stages, each before the
    row of its step's end; else only those of whole steps."""
    if lake.version(config, RUNS.name) is None:
        return []
    found = lake.read(config, RUNS.name, filters=filters)
    asked = found if stages else found.filter(pc.field("stage").is_null())
    # A stable sort: rows of one commit have one time, and stay in the order in which they were written.
    return [Recorded(**{**row, **{name: json.loads(row[name]) for name in _JSON_COLUMNS}})
            for row in asked.sort_by("at").to_pylist()]


def latest(config: Config, query: str, day: date, step: str, run_id: str | None = None) -> Recorded | None:
    """The newest `done` row of a query's step for a day (of one run, if named); None if there is none."""
    filters = [("query", "=", query), ("logical_date", "=", day), ("step", "=", step), ("state", "=", "done")]
    if run_id is not None:
        filters.append(("run_id", "=", run_id))
    return max(rows(config, filters), key=lambda row: row.at, default=None)


# Streams and queries are definitions, hashed apart: a new query must not make the runs of the others stale. The rest
# only starts runs or shows rows.
_NOT_IN_CODE_HASH = (
    "schemas/streams/", "schemas/queries/", "pipelines/commands/", "pipelines/__main__.py", "pipelines/docs.py",
    "pipelines/flow_text.py", "pipelines/orphans.py", "pipelines/profile.py", "pipelines/spark_views.py",
    "pipelines/sql.py")


@cache
def code_hash() -> str:
    """Hash of the code below kernels/, pipelines/ and schemas/ that rows can depend on."""
    digest = hashlib.sha256()
    files = [path for folder in ("kernels", "pipelines", "schemas") for path in (REPOSITORY / folder).rglob("*.py")]
    for path in sorted(files):
        name = path.relative_to(REPOSITORY).as_posix()
        if not name.startswith(_NOT_IN_CODE_HASH):
            digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def definition_hash(stream: str, query: str | None) -> str:
    """Hash of the stream's definition; for a query's step, of what a replay takes from it, and of the query's."""
    return stream_hash(stream) if query is None else f"{replay_hash(stream)}-{query_hash(query)}"
