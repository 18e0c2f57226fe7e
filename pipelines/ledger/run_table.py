"""The table `runs`: what each step of a run read, wrote and counted, under which code, and how it ended.

    with runs.step(lake, run, "audit") as entry:
        progress = entry.stages.following(progress)
        entry.inputs[...] = ...

writes a `done`, `failed`, `refused` or `skipped` row at the end, with one more row for each stage of the flow map that
`progress` was called with; until then, and where it never gets there, the step is `running` or `cut off` (running.py).
Rows are only ever appended: nothing that the ledger once held is lost.
"""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from operator import itemgetter
from uuid import uuid4

import pyarrow.compute as pc

from windrow.pipelines import storage
from windrow.pipelines.delta import damage, day_files
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import lineage_events, running
from windrow.pipelines.ledger.code_hash import code_hash, definition_hash
from windrow.pipelines.ledger.entry import LedgerEntry, Run, Stages
from windrow.pipelines.ledger.lineage import RecordedStep
from windrow.pipelines.tables.stream_tables import AuditVersions
from windrow.processes import signals
from windrow.schemas.errors import StorageFailed, WindrowError
from windrow.schemas.ledger_tables import RUNS

_JSON_COLUMNS = ("inputs", "outputs", "counts")
# In the outputs of a stage: files of the validation results that it made.
VALIDATIONS = "validations"
_MOMENT = timedelta(milliseconds=1)  # Delta's log has no microseconds


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
    engine_page: str | None = None  # a ledger of before that column

    @property
    def replayed(self) -> tuple[str, date]:
        """The query and the day of a replay's step."""
        assert self.query is not None and self.logical_date is not None, "a step of an ingest replays nothing"
        return self.query, self.logical_date

    @property
    def versions(self) -> AuditVersions:
        """Those that an audit made, or that a publication published."""
        return AuditVersions(**(self.outputs if self.step == "audit" else self.inputs))


def new_run_id(of: str, day: date | None) -> str:
    """A run's name where the caller has none: names what and when, and is never used twice."""
    return f"{of}-{day or 'all'}-{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"


@dataclass
class Recording:
    """The steps of one process on their way into the ledger; `waiting` rows are written together, then the
    lineage of the `ended` steps is told."""

    lake: Lake
    waiting: list[dict] = field(default_factory=list)
    begun: list[running.Begun] = field(default_factory=list)
    ended: list[RecordedStep] = field(default_factory=list)

    @contextmanager
    def steps(self, of_runs: Sequence[Run], step: str) -> Iterator[dict[Run, LedgerEntry]]:
        """Record a step of each of some runs that go through it together, from its start to its end, however it ends;
        each has an equal part of the time. An error goes on to the caller, and is of all that have not ended."""
        stages, began = Stages(), time.monotonic()
        entries, shared = {run: LedgerEntry(stages) for run in of_runs}, {run: _shared(run, step) for run in of_runs}
        begins = LedgerEntry(state=running.RUNNING)
        row = _row(begins, None, 0.0)
        self.begun.append(running.begin(self.lake.config, [{**shared[run], **row} for run in of_runs]))
        try:
            begun = (RecordedStep(run, step, begins, of["at"], of["at"]) for run, of in shared.items())
            lineage_events.tell(self.lake, begun)
            yield entries
        except BaseException as raised:
            error = raised
            try:
                error = signals.asked() or damage.explained(self.lake, raised) or raised
            finally:  # also where the look for damage itself is stopped, or fails
                for entry in entries.values():
                    if not entry.ended:
                        entry.fail(error)
            if isinstance(error, WindrowError) and error is not raised:
                raise error from raised
            raise
        finally:
            now, seconds = datetime.now(UTC), (time.monotonic() - began) / len(entries)
            for run, entry in entries.items():
                rows = (*_stage_rows(entry, len(entries)), _row(entry, None, seconds))
                self.waiting += [{**shared[run], "at": now, **row} for row in rows]
                self.ended.append(RecordedStep(run, step, entry, shared[run]["at"], now))

    def write(self) -> None:
        """One commit: each costs, and so no step is half written. With it go the rows of steps that were cut off."""
        self.lake.ensure(RUNS)
        with running.collecting(self.lake.config) as cut_off:
            unknown = _not_ended_in(self.lake, [_of_text(row) for row in cut_off])
            self.lake.append(RUNS, _behind_the_newest(self.lake, [*unknown, *self.waiting]))
        for begun in self.begun:
            begun.forget()
        lineage_events.tell(self.lake, [*map(_recorded, unknown), *self.ended])


def _behind_the_newest(lake: Lake, rows: list[dict]) -> list[dict]:
    """Where the clock was ahead and was set back, rows are a moment later than the newest: what is written last is."""
    files = lake.add_actions(RUNS.name)
    newest = pc.max(files.column("max.at")).as_py() if len(files) else None
    if newest is None or newest < datetime.now(UTC) or not rows:
        return rows
    later = newest + _MOMENT - min(row["at"] for row in rows)
    return [{**row, "at": row["at"] + later} for row in rows]


@contextmanager
def recording(lake: Lake) -> Iterator[Recording]:
    """Steps that become rows of the ledger together, when the context ends, however that is."""
    made = Recording(lake)
    try:
        yield made
    except BaseException:
        with suppress(StorageFailed):  # a full disk must not hide the error; the steps come out as cut off
            made.write()
        raise
    made.write()


@contextmanager
def step(lake: Lake, run: Run, step: str) -> Iterator[LedgerEntry]:
    """A step that is recorded alone."""
    with recording(lake) as recorded, recorded.steps([run], step) as entries:
        yield entries[run]


def _shared(run: Run, step: str) -> dict:
    return {
        **run.identity,
        "step": step,
        "at": datetime.now(UTC),
        "code_hash": code_hash(),
        "definition_hash": definition_hash(run.stream, run.query),
    }


def _of_text(row: dict) -> dict:
    """A row as JSON holds it, as it began, of a step that was cut off."""
    day = row["logical_date"]
    return {
        **row,
        "at": datetime.fromisoformat(row["at"]),
        "logical_date": day and date.fromisoformat(day),
        "state": running.CUT_OFF,
        "message": "it was killed, or there was no room to write how it ended",
    }


def _recorded(row: dict) -> RecordedStep:
    """Of a step that was cut off."""
    run = Run(row["run_id"], row["stream"], row["query"], row["logical_date"])
    entry = LedgerEntry(state=row["state"], message=row["message"])
    return RecordedStep(run, row["step"], entry, row["at"], datetime.now(UTC))


def _not_ended_in(lake: Lake, begun: Sequence[dict]) -> list[dict]:
    """Of the steps of files that are left over those whose end the ledger hasn't: it has where the process was killed
    right after its commit."""
    columns, names = "run_id, step, query, logical_date", list({row["run_id"] for row in begun})
    asked = f'SELECT {columns}, max("at") AS "at" FROM runs WHERE list_contains($1, run_id) GROUP BY {columns}'
    ended = {_of_step(row): row["at"] for row in select(lake, asked, names)} if begun else {}
    return [row for row in begun if _of_step(row) not in ended or ended[_of_step(row)] < row["at"]]


def _of_step(row: dict) -> tuple:
    return row["run_id"], row["step"], row["query"], row["logical_date"]


def _stage_rows(entry: LedgerEntry, runs: int) -> Iterator[dict]:
    """Of a step that did not end well, the stage that it was in did not; the others that it came to did. runs: that
    shared the time."""
    for stage, seconds in entry.stages.until_now().items():
        if entry.failed_in and stage not in entry.came_to:
            continue
        of_stage = LedgerEntry()
        if stage == entry.failed_in:
            of_stage.state, of_stage.message = entry.state, entry.message
        if stage in entry.validations:
            of_stage.outputs = {VALIDATIONS: entry.validations[stage]}
        yield _row(of_stage, stage, seconds / runs)


def _row(entry: LedgerEntry, stage: str | None, seconds: float) -> dict:
    as_json = {name: json.dumps(getattr(entry, name), sort_keys=True) for name in _JSON_COLUMNS}
    plain = {name: getattr(entry, name) for name in ("state", "kernel", "message")}
    return {"stage": stage, "seconds": seconds, **as_json, **plain, "engine_page": entry.stages.page}


def rows(lake: Lake, filters: Sequence[tuple] = (), stages: bool = False) -> list[StepRow]:
    """Rows of the ledger, oldest first, and of steps that have not ended; `filters`: (column, "=" or "in", value).
    `stages`: with those of stages, each before the row of its step's end; else only those of whole steps."""
    begun = running.found(lake.config)  # before the ledger: a step that ends meanwhile is in both, and not in none
    asked = [f'"{column}" = ?' if sign == "=" else f"{column} IN (SELECT unnest(?))" for column, sign, _ in filters]
    where = " AND ".join([*asked, *(() if stages else ("stage IS NULL",))]) or "TRUE"
    # Rows of one commit have one time, and stay in the order in which they were written.
    recorded = f'SELECT * EXCLUDE file_row_number FROM runs WHERE {where} ORDER BY "at", file_row_number'
    found = select(lake, recorded, *(value for _, _, value in filters))
    every = sorted((*found, *_not_ended(lake, begun, filters)), key=itemgetter("at"))
    # One JSON text a column: one a value took 150 ms for 5,840 rows, and this takes 110.
    values = [json.loads(f"[{','.join(row[name] for row in every)}]") for name in _JSON_COLUMNS]
    parsed = (dict(zip(_JSON_COLUMNS, of_row, strict=True)) for of_row in zip(*values, strict=True))
    return [StepRow(**row | of_row) for row, of_row in zip(every, parsed, strict=True)]


def select(lake: Lake, statement: str, *values: object) -> list[dict]:
    """What a SELECT finds in the view `runs`: the rows that have been written. Nothing where there are none.

    DuckDB skips the large texts of rows that it leaves out. delta-rs reads them first: of 600,000 rows to find 20,000
    took it twice to five times as long."""
    if lake.version(RUNS.name) is None or not (files := lake.files(RUNS.name)):
        return []
    parquet = day_files.parquet(RUNS, files, "file_row_number = TRUE")
    with storage.open_database(lake.config.scratch, lake.config.lake) as database:
        database.execute(f"CREATE TEMP VIEW runs AS SELECT * FROM {parquet}")
        return database.sql(statement, params=[*values]).to_arrow_table().to_pylist()


def _not_ended(lake: Lake, begun: list[running.Found], filters: Sequence[tuple]) -> Iterator[dict]:
    """Steps that run, and those that were cut off and that no later step has written into the ledger yet."""
    for file in begun:
        rows = [_of_text(row) for row in file.rows]
        asked = [row for row in rows if _is_asked(row, filters)]
        if file.lives:
            yield from ({**row, "state": running.RUNNING, "message": None} for row in asked)
        else:
            yield from _not_ended_in(lake, asked)


def _is_asked(row: dict, filters: Sequence[tuple]) -> bool:
    return all(row[column] in (value if sign == "in" else (value,)) for column, sign, value in filters)


def latest(lake: Lake, query: str, day: date, step: str, run_id: str | None = None) -> StepRow | None:
    """The newest `done` row of a query's step for a day (of one run, if named); None if there is none."""
    filters = [("query", "=", query), ("logical_date", "=", day), ("step", "=", step), ("state", "=", "done")]
    if run_id is not None:
        filters.append(("run_id", "=", run_id))
    return max(rows(lake, filters), key=lambda row: row.at, default=None)


def published(lake: Lake, query: str) -> dict[date, StepRow]:
    """The newest publication of each day of a query that has ended well."""
    asked = [("query", "=", query), ("step", "=", "publish"), ("state", "=", "done")]
    return {row.replayed[1]: row for row in rows(lake, asked)}


def audits(lake: Lake) -> list[tuple[StepRow, datetime | None]]:
    """The newest audit of each query and day, but of those that run; and when its rows were published or superseded,
    None where neither was, be it that their gate failed. O(the ledger's rows of audits and publications)."""
    made = rows(lake, [("step", "=", "audit")])
    audited = {row.replayed for row in made if row.state == running.RUNNING}
    newest = {row.replayed: row for row in made if row.state == "done" and row.replayed not in audited}
    publications = rows(lake, [("step", "=", "publish")])  # a skipped one: another run publishes
    ended = {(row.replayed, row.versions): row.at for row in publications if row.state in ("done", "skipped")}
    return [(row, ended.get((day, row.versions))) for day, row in newest.items()]
