"""The table `runs`: what each step of a run read, wrote and counted, under which code, and how it ended.

    with runs.step(lake, run, "audit") as entry:
        progress = entry.following(progress)
        entry.inputs[...] = ...

writes a `running` row first, so that a killed step is seen, and a `done`, `failed`, `refused` or `skipped` row at
the end, with one more row for each stage of the flow map that `progress` was called with. Rows are only ever appended:
nothing that the ledger once held is lost.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import uuid4

import pyarrow.compute as pc

from pipelines.lake.lake import Lake
from pipelines.ledger.code_hash import code_hash, definition_hash
from pipelines.ledger.entry import LedgerEntry, Run
from processes import signals
from schemas.errors import StorageFailed, WindrowError
from schemas.tables import RUNS

_JSON_COLUMNS = ("inputs", "outputs", "counts")
_PLAIN_COLUMNS = ("state", "kernel", "message")


@dataclass(frozen=True)
class StepRow:
    """A row of `runs`, read back."""

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

    @property
    def replayed(self) -> tuple[str, date]:
        """The query and the day of a replay's step."""
        assert self.query is not None and self.logical_date is not None, "a step of an ingest replays nothing"
        return self.query, self.logical_date


def new_run_id(of: str, day: date | None) -> str:
    """A run's name where the caller has none: names what and when, and is never used twice."""
    return f"{of}-{day or 'all'}-{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"


@contextmanager
def step(lake: Lake, run: Run, step: str) -> Iterator[LedgerEntry]:
    """Record a step from its start to its end, however it ends; an error goes on to the caller."""
    entry, began = LedgerEntry(), time.monotonic()
    _write(lake, run, step, LedgerEntry(state="running"), 0.0)
    try:
        yield entry
    except BaseException as raised:
        error = signals.asked() or raised
        entry.state = _state_after(error)
        entry.message = f"{type(error).__name__}: {error}"[:4_000]
        with suppress(StorageFailed):  # a full disk must not hide the error; the step stays `running`
            _write(lake, run, step, entry, time.monotonic() - began)
        raise
    _write(lake, run, step, entry, time.monotonic() - began)


def _state_after(error: BaseException) -> str:
    if not isinstance(error, WindrowError):
        return "failed"
    return "skipped" if error.skipped else "refused" if error.refused else "failed"


def _write(lake: Lake, run: Run, step: str, entry: LedgerEntry, seconds: float) -> None:
    """The step's row and those of its stages, in one commit: each commit costs, and so none is half written."""
    shared = {
        **run.identity,
        "step": step,
        "at": datetime.now(UTC),
        "code_hash": code_hash(),
        "definition_hash": definition_hash(run.stream, run.query),
    }
    rows = [{**shared, **row} for row in (*_stage_rows(entry), _row(entry, None, seconds))]
    lake.ensure(RUNS)
    lake.replace(RUNS, None, rows)


def _stage_rows(entry: LedgerEntry) -> list[dict]:
    """Of a step that did not end well, the stage that it was in did not; those before it did."""
    ends = {entry.stage: LedgerEntry(state=entry.state, message=entry.message)}
    return [_row(ends.get(stage, LedgerEntry()), stage, seconds) for stage, seconds in entry.stage_seconds().items()]


def _row(entry: LedgerEntry, stage: str | None, seconds: float) -> dict:
    as_json = {name: json.dumps(getattr(entry, name), sort_keys=True) for name in _JSON_COLUMNS}
    return {"stage": stage, "seconds": seconds, **as_json, **{name: getattr(entry, name) for name in _PLAIN_COLUMNS}}


def rows(lake: Lake, filters: list[tuple] | None = None, stages: bool = False) -> list[StepRow]:
    """Rows of the ledger, oldest first; `filters` as in `Lake.read`. `stages`: with those of stages, each before the
    row of its step's end; else only those of whole steps."""
    if lake.version(RUNS.name) is None:
        return []
    found = lake.read(RUNS.name, filters=filters)
    asked = found if stages else found.filter(pc.field("stage").is_null())
    # A stable sort: rows of one commit have one time, and stay in the order in which they were written.
    return [
        StepRow(**{**row, **{name: json.loads(row[name]) for name in _JSON_COLUMNS}})
        for row in asked.sort_by("at").to_pylist()
    ]


def latest(lake: Lake, query: str, day: date, step: str, run_id: str | None = None) -> StepRow | None:
    """The newest `done` row of a query's step for a day (of one run, if named); None if there is none."""
    filters = [("query", "=", query), ("logical_date", "=", day), ("step", "=", step), ("state", "=", "done")]
    if run_id is not None:
        filters.append(("run_id", "=", run_id))
    return max(rows(lake, filters), key=lambda row: row.at, default=None)
