"""What a step of the ledger read and wrote, as the ledger has it: tables in which version, how many rows, of which
columns each column is made, and what the gate found on them."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from windrow.pipelines import storage
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger.entry import SNAPSHOT, TABLE, TABLES, VERSION, LedgerEntry, Run
from windrow.pipelines.ledger.openlineage import Check, ColumnLineage, Place, StepLineage, TableLineage
from windrow.pipelines.ledger.running import RUNNING
from windrow.pipelines.location import Location
from windrow.pipelines.tables.column_lineage import ColumnPlace, Sources, features_sources, sources
from windrow.schemas import registry
from windrow.schemas.expectations import audit_expectations, late_expectations, silver_expectations
from windrow.schemas.side_tables import nowcast_name, panes_name, state_name


class RecordedStep(NamedTuple):
    """A step that has begun, where its entry says so, or ended. began, at: UTC."""

    run: Run
    step: str
    entry: LedgerEntry
    began: datetime
    at: datetime


class TableUse(NamedTuple):
    """A version of a table that a step read or wrote; rows: how many of it."""

    table: str
    version: int | None = None
    rows: int | None = None


Uses = tuple[list[TableUse], list[TableUse]]
"""What was read, and what was written."""


def of_step(lake: Lake, recorded: RecordedStep) -> StepLineage:
    """O(columns of its tables), and their logs are read where they have changed."""
    run, step, entry, began, at = recorded
    of, day = run.query or run.stream, str(run.day) if run.day else None
    tags = {"kernel": entry.kernel} if entry.kernel else {}
    times = began.isoformat(), at.isoformat()
    found = StepLineage(str(lake.config.home), run.run_id, step, of, day, entry.state, entry.message, *times, tags)
    if entry.state == RUNNING:
        return found
    read, written = _uses(run, step, entry)
    checks = _checks(run, entry)
    # A verdict is of a table that is read: what a step has made and then checked is in both.
    versions = {use.table: use.version for use in written}
    read += [TableUse(table, versions.get(table)) for table in checks if table not in {use.table for use in read}]
    tables = [_table(lake, use, {}, checks.get(use.table, ())) for use in read]
    landed = _landed(lake, run, entry) if step in ("ingest", "forget") else []
    made = [_table(lake, use, _sources(lake, run, step, use.table)) for use in written]
    return StepLineage(**{**vars(found), "inputs": (*landed, *tables), "outputs": tuple(made)})


def place(location: Location) -> Place:
    """OpenLineage's namespace and name of a folder."""
    scheme, is_uri, rest = str(location).partition("://")
    if not is_uri:
        return "file", str(location)
    server, _, path = rest.partition("/")
    return f"{scheme}://{server}", path if scheme == "s3" else f"/{path}"


def _uses(run: Run, step: str, entry: LedgerEntry) -> Uses:
    """Nothing where the step ended before it was known."""
    if step == "publish":
        query, versions = run.query, entry.inputs
        read = [TableUse(f"{query}_{kind}", versions[kind]) for kind in ("audit", "late_audit") if kind in versions]
        written = [TableUse(table, entry.outputs[table], rows) for table, rows in entry.counts.items()]
        of = registry.queries().get(str(query))
        nowcast = [TableUse(nowcast_name(of.name))] if written and of is not None and of.nowcast else []
        return read, [*written, *nowcast]
    if step == "erase" or not entry.outputs:
        return [], []
    if step == "audit":
        return _of_audit(run, entry)
    if step == "features":
        read = [
            TableUse(f"silver_{run.stream}", rows=entry.counts["events_read"]),
            *map(TableUse, entry.inputs[TABLES]),
        ]
        return read, [TableUse(entry.inputs[TABLE], entry.outputs[VERSION], entry.counts["labels"])]
    rows = {f"silver_{run.stream}": entry.counts.get("accepted")}
    return [], [TableUse(table, state[0], rows.get(table)) for table, state in entry.outputs[SNAPSHOT].items()]


def _of_audit(run: Run, entry: LedgerEntry) -> Uses:
    """By the names of AuditVersions: of a table that was not used there is none."""
    versions, counts, query = entry.outputs, entry.counts, str(run.query)
    read = (
        TableUse(f"silver_{run.stream}", versions["silver"], counts["events_read"]),
        TableUse(f"pass_{run.stream}", versions["passes"]),
        TableUse(panes_name(query), versions["panes"]),
        TableUse(query, versions["published"]),
    )
    written = (
        TableUse(f"{query}_audit", versions["audit"], counts["rows"]),
        TableUse(f"{query}_late_audit", versions["late_audit"], counts["late_rows"]),
        TableUse(state_name(query), versions["state"]),
    )
    return [use for use in read if use.version is not None], [use for use in written if use.version is not None]


def _table(lake: Lake, use: TableUse, made_from: Sources, checks: Iterable[Check] = ()) -> TableLineage:
    """A table that is made anew has the name that readers will know it by."""
    found = storage.read_only_table(lake.folder(use.table))
    columns = []
    for each in found.schema().fields:
        type_, meaning = str(getattr(each.type, "type", each.type)), (each.metadata or {}).get("comment", "")
        of_column = made_from.get(ColumnPlace(use.table, each.name), ())
        read = tuple((*place(lake.config.lake / of.table), of.column) for of in of_column)
        columns.append(ColumnLineage(each.name, type_, meaning, read))
    meaning = found.metadata().description or ""
    where = place(lake.config.lake / use.table)
    return TableLineage(where, meaning, use.version, use.rows, None, tuple(columns), tuple(checks))


def _sources(lake: Lake, run: Run, step: str, table: str) -> Sources:
    """Of a table that the step made; of a published one the rows that were checked."""
    columns = [each.name for each in storage.read_only_table(lake.folder(table)).schema().fields]
    if step == "publish" and table != nowcast_name(str(run.query)):
        return {ColumnPlace(table, each): [ColumnPlace(f"{table}_audit", each)] for each in columns}
    features = registry.feature_sets().get(run.query or "")
    return sources({table: columns}) if features is None else features_sources(features, table, columns)


def _landed(lake: Lake, run: Run, entry: LedgerEntry) -> list[TableLineage]:
    """The folders in which files land for a stream, with how many were taken."""
    patterns = [pattern for layout in registry.stream(run.stream).layouts for pattern in layout.paths]
    tops = Counter(path.partition("/")[0] for path in entry.inputs)
    folders = dict.fromkeys(pattern.partition("/")[0] for pattern in patterns if "/" in pattern)
    return [
        TableLineage(place(lake.config.landing / top), f"files of {run.stream}", files=tops[top]) for top in folders
    ]


def _checks(run: Run, entry: LedgerEntry) -> dict[str, list[Check]]:
    """By table; of a check that was made of several days, the first that failed."""
    columns, found = _checked_columns(run), dict[tuple[str, str], Check]()
    for each in sorted(entry.verdicts, key=lambda verdict: verdict.passed):
        name = each.table_name, each.check_name
        found.setdefault(
            name, Check(each.check_name, columns.get(name), each.passed, each.figure, each.allowed, each.offending)
        )
    tables = dict.fromkeys(table for table, _ in found)
    return {table: [check for (of, _), check in found.items() if of == table] for table in tables}


def _checked_columns(run: Run) -> dict[tuple[str, str], str]:
    """By table and check, of those that are of one column as it is."""
    stream, query = registry.stream(run.stream), registry.queries().get(run.query or "")
    day = run.day or stream.first_day
    of_query = (*audit_expectations(query, day), *late_expectations(query, day)) if query else ()
    asked = [each for each in (*silver_expectations(stream, day, 0), *of_query) if each.computed is None]
    return {(each.table, each.name): str(each.parameters["column"]) for each in asked if "column" in each.parameters}
