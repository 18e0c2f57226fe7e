"""The rows of a window at a version of its query's table; who published them, and what the gate found."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from deltalake.exceptions import DeltaError

from windrow.pipelines import storage
from windrow.pipelines.delta import log
from windrow.pipelines.delta.day_files import AskedValues, files_holding, places_of
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines.file_rows import RowsOfFiles, read_rows
from windrow.pipelines.ledger import run_table
from windrow.pipelines.ledger.kept_definition import ASKED, query_of
from windrow.pipelines.ledger.run_table import StepRow
from windrow.pipelines.why.asked import AskedWindow, condition, read_moment
from windrow.schemas.errors import WrongParameter
from windrow.schemas.ledger_tables import VERDICTS
from windrow.schemas.query import WINDOW_NAME, Query

NEAREST, _NEAR_FILES, _DAY_S = 6, 8, 86_400
Place = tuple[datetime, datetime, int]
"""Start, end and number of a window."""


def version_of(lake: Lake, table: str, option: str, text: str) -> int:
    """A version of a table by its number, or the newest at a time; of a day, at its end. WrongParameter for one that
    isn't there, NotSetUp without the table."""
    newest, times = lake.existing_version(table), log.commit_times(lake.folder(table))
    if text.isdecimal():
        version = int(text)
    else:
        moment = read_moment(option, text)
        end_s = moment.timestamp() + (_DAY_S if len(text.strip()) == len("2018-10-01") else 0)
        before = [version for version, at in times.items() if at < end_s]
        version = before[-1] if before else -1
    if not 0 <= version <= newest or lake.lacks_files(table, version):
        since = datetime.fromtimestamp(min(times.values()), UTC).isoformat(timespec="seconds")
        allowed = f"a version of {table} whose files are still there, {newest} at most, or a time from {since} on"
        raise WrongParameter(option, text, allowed)
    return version


def revisions(lake: Lake, asked: AskedWindow, version: int) -> dict[Place, list[dict]]:
    """The rows of the asked window; several where one start has several ends. WrongParameter where there are none: it
    names the windows that are nearest. O(files of the table + rows of the row groups that may hold some)."""
    of_key = {**asked.of_key, **({WINDOW_NAME: AskedValues(asked.name, asked.name)} if asked.query.windows else {})}
    times = {"window_start": AskedValues(asked.start, asked.start)}
    times |= {} if asked.end is None else {"window_end": AskedValues(asked.end, asked.end)}
    rows = _rows(lake, asked.query.name, files_holding(lake, asked.query.name, version, of_key | times), of_key | times)
    if not rows:
        raise _not_there(lake, asked, version, of_key)
    found: dict[Place, list[dict]] = {}
    for row in sorted(rows, key=lambda row: row["revision"]):
        place = (row["window_start"], row["window_end"], row.get("window_number", 0))
        found.setdefault(place, []).append(row)
    return dict(sorted(found.items()))


def _rows(
    lake: Lake, name: str, actions: pa.Table, bounds: Mapping[str, AskedValues], columns: Collection[str] = ()
) -> list[dict]:
    paths = places_of(lake, name, actions)
    if not paths:
        return []
    with storage.parquet(paths[0]) as file:
        schema = file.schema_arrow
    wanted = pa.schema([field for field in schema if not columns or field.name in {*columns, *bounds}])
    return read_rows(RowsOfFiles(paths, wanted, {}, condition(bounds, wanted))).to_pylist()


def _not_there(lake: Lake, asked: AskedWindow, version: int, of_key: Mapping[str, AskedValues]) -> WrongParameter:
    """Looks into the files whose windows are nearest, not into all."""
    actions = files_holding(lake, asked.query.name, version, of_key)
    start = pa.scalar(asked.start, actions["min.window_start"].type) if len(actions) else None
    if start is not None:
        least, greatest = (actions[f"{end}.window_start"].cast(pa.int64()) for end in ("min", "max"))
        at = start.cast(pa.int64())
        away = pc.max_element_wise(pc.subtract(least, at), pc.subtract(at, greatest), 0)
        actions = actions.take(pc.sort_indices(away)[:_NEAR_FILES])
    rows = _rows(lake, asked.query.name, actions, of_key, ("window_start", "window_end"))
    windows = sorted({(row["window_start"], row["window_end"]) for row in rows})
    if not windows:
        allowed = f"a key of which version {version} of {asked.query.name} has rows"
        return WrongParameter("--key", asked.in_words() or "none", allowed)
    near = sorted(windows, key=lambda each: (abs(each[0] - asked.start), abs(each[1] - (asked.end or each[1]))))
    listed = ", ".join(f"{in_text(low)}/{in_text(high)}" for low, high in sorted(near[:NEAREST]))
    text = in_text(asked.start) + (f"/{in_text(asked.end)}" if asked.end else "")
    return WrongParameter("--window", text, f"a window that the key has in version {version}; the nearest are {listed}")


def in_text(time: datetime) -> str:
    """A time as --window takes it."""
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z")


class Verdicts(NamedTuple):
    """Of one version of audit rows: how many checks passed, and those that didn't."""

    checks: list[dict]

    @property
    def passed(self) -> int:
        return sum(each["passed"] for each in self.checks)


@dataclass(frozen=True)
class PublishingRun:
    """The publication of a day, the audit whose rows it published (None where the ledger has lost it), and what the
    gate found of these."""

    publish: StepRow
    audit: StepRow | None
    verdicts: Verdicts

    @property
    def definition(self) -> Query | None:
        """That by which it ran, as the ledger keeps it; None of runs of before it did."""
        text = self.audit.inputs.get(ASKED) if self.audit else None
        return None if text is None else query_of(text)


def publishing_runs(lake: Lake, query: str, days: Collection[date], version: int) -> dict[date, PublishingRun]:
    """By emitted day the run whose rows a version of the table has, of days of which the ledger knows."""
    asked = [("query", "=", query), ("logical_date", "in", sorted(days)), ("state", "=", "done")]
    steps = run_table.rows(lake, asked)
    made = datetime.fromtimestamp(lake.state(query).made_ms / 1000, UTC)
    audits = {(row.replayed, row.versions): row for row in steps if row.step == "audit"}
    verdicts = _verdicts(lake, query, days)
    found = {}
    for row in steps:
        if row.step == "publish" and row.at >= made and row.outputs.get(query, version) <= version:
            day, versions = row.replayed[1], row.versions
            tables = {f"{query}_audit": versions.audit, f"{query}_late_audit": versions.late_audit}
            of_run = [
                each
                for each in verdicts
                if (each["run_id"], each["logical_date"]) == (row.run_id, day)
                and tables.get(each["table_name"]) == each["table_version"]
            ]
            found[day] = PublishingRun(row, audits.get((row.replayed, versions)), Verdicts(of_run))
    return found


def _verdicts(lake: Lake, query: str, days: Collection[date]) -> list[dict]:
    if lake.version(VERDICTS.name) is None:
        return []
    filters = [("query", "=", query), ("logical_date", "in", sorted(days))]
    columns = ["run_id", "logical_date", "table_name", "table_version", "check_name", "passed", "figure", "allowed"]
    return lake.read(VERDICTS.name, filters=filters, columns=columns).to_pylist()


def late_rows(lake: Lake, asked: AskedWindow, starts: AskedValues, place: Place) -> list[dict]:
    """Rows of the late table of the key's events that start in these times and missed the window, as far as the table
    knows which they missed. O(files of the table + rows of the row groups that may hold some)."""
    name = f"{asked.query.name}_late"
    if lake.version(name) is None:
        return []
    bounds = {**asked.of_key, "start": starts}
    bounds |= {WINDOW_NAME: AskedValues(asked.name, asked.name)} if asked.query.windows else {}
    try:
        rows = _rows(lake, name, files_holding(lake, name, None, bounds), bounds)
    except DeltaError:
        return []
    missed = [
        row for row in rows if row["first_missed"] is None or row["first_missed"] <= place[0] <= row["last_missed"]
    ]
    return sorted(missed, key=lambda row: (row["arrival"], row["path"], row["line"], row["reading"]))
