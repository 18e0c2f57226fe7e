"""Commands that only read the lake."""

import webbrowser
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.pipelines import config, flow
from windrow.pipelines.cli import _output
from windrow.pipelines.cli._days import note_pending
from windrow.pipelines.cli._options import AsJson, AssetEvents, QueryName, day_option, examples, read_length
from windrow.pipelines.cli._progress import progress
from windrow.pipelines.location import Location
from windrow.pipelines.report.words import lateness_row, recommendation
from windrow.schemas import registry

if TYPE_CHECKING:
    from windrow.pipelines.delta.lake import Lake
    from windrow.pipelines.ledger.run_table import StepRow

commands = typer.Typer()


@commands.command(
    epilog=examples("windrow whatif bikes_demand", "windrow whatif bikes_demand --lateness 10min --complete 0.999")
)
def whatif(
    query: QueryName,
    first: Annotated[
        date | None, day_option("--from", help="First arrival day. Default: the first one ingested.")
    ] = None,
    last: Annotated[date | None, day_option("--to", help="Last arrival day. Default: the last one ingested.")] = None,
    complete: Annotated[
        float, typer.Option(min=0, max=1, help="The share of windows that must be complete on time.")
    ] = 0.99,
    lateness: Annotated[
        list[timedelta] | None,
        typer.Option(
            parser=read_length, metavar="LENGTH", help="Compare one more lateness, such as 90s, 10min, 2h or 1d."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what another lateness would have cost, and recommend one.

    One pass over the events shows for each lateness how complete the rows on time would have been, and how late they
    would have come. The events of the given days are taken as the whole stream. The answer is also kept as the table
    lateness_QUERY."""
    from windrow.pipelines.lateness.whatif import whatif as run

    with progress() as show:
        show(f"{query}: what each event needed")
        found = run(config.load(), query, (first, last), complete, lateness or ())
    of_windows = [[each.row(point) for point in each.points] for each in found]
    rows = [row for of_window in of_windows for row in of_window]
    _output.show(rows if as_json else [lateness_row(row) for row in rows], as_json)
    for of_window in [] if as_json else of_windows:
        _output.note(recommendation(of_window))


@commands.command(
    epilog=examples(
        'windrow query "SELECT * FROM bikes_demand_final ORDER BY trips DESC LIMIT 5"',
        "windrow query \"SELECT * FROM bikes_demand_as_of('2018-10-01 14:00:00Z')\"",
    )
)
def query(
    statement: Annotated[
        str, typer.Argument(metavar="SQL", help="One statement that only reads, in DuckDB's dialect.")
    ],
    rows: Annotated[int, typer.Option(min=0, help="How many rows to show. 0 shows all. --json prints all.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Answer one SQL statement about the lake's tables, <query>_final and <query>_as_of(t).

    Needs no JVM and changes nothing."""
    from windrow.pipelines.delta.lake import Lake

    _answer(Lake(config.load()), statement, rows, as_json)


@commands.command(epilog=examples("windrow sql"))
def sql(
    rows: Annotated[int, typer.Option(min=0, help="How many rows of each answer to show. 0 shows all.")] = 50,
    as_json: AsJson = False,
) -> int:
    """Open an SQL shell on the lake, with a history and Tab completion.

    The statements can also come from a file: windrow sql < questions.sql."""
    from windrow.pipelines.cli import _shell
    from windrow.pipelines.delta.lake import Lake

    lake = Lake(config.load())
    return _shell.run(lake, lambda statement: _answer(lake, statement, rows, as_json))


def _answer(lake: "Lake", statement: str, rows: int, as_json: bool) -> None:
    from windrow.pipelines.rows.arrays import plain_rows
    from windrow.pipelines.sql import statements

    limit = None if as_json or rows == 0 else rows
    # One more than is shown: whether there are more.
    found = statements.run(lake, statement, None if limit is None else limit + 1)
    _output.show(plain_rows(found.slice(0, limit)), as_json, found.column_names)
    if limit is not None and len(found) > limit:
        _output.note(f"only the first {limit:,} rows are shown; --rows 0 shows all")


@commands.command(epilog=examples("windrow tables"))
def tables(as_json: AsJson = False) -> None:
    """List the tables of the lake.

    For each table: rows, files, size, the newest version, how many versions can be read, and what the table holds."""
    from windrow.pipelines.delta.lake import Lake

    lake = Lake(config.load())
    found = [_describe(lake.folder(name), lake.existing_version(name)) for name in lake.names()]
    _output.show(found, as_json)
    if not found:
        _output.note(f"{lake.config.lake} has no tables yet; begin with: windrow ingest STREAM")


def _describe(folder: Location, version: int) -> dict:
    from windrow.pipelines import storage
    from windrow.pipelines.delta.log import readable_count

    table = storage.delta_table(folder, version)
    files = table.get_add_actions(flatten=True)
    sizes, counts = (files.column(column).to_pylist() for column in ("size_bytes", "num_records"))
    changed_ms = table.history(1)[0]["timestamp"]
    return {
        "table": folder.name,
        "rows": sum(counts),
        "files": len(sizes),
        "bytes": sum(sizes),
        "version": table.version(),
        "versions": readable_count(folder),
        "changed": datetime.fromtimestamp(changed_ms // 1000, UTC),
        "holds": table.metadata().description,
    }


@commands.command(epilog=examples("windrow runs --last 5", "windrow runs --stale"))
def runs(
    stale: Annotated[bool, typer.Option("--stale", help="Only published days whose rows would differ now.")] = False,
    stages: Annotated[bool, typer.Option("--stages", help="Also list the stages of each step.")] = False,
    last: Annotated[
        int | None, typer.Option(min=0, help="How many rows to show, the newest last. 0 shows all.", show_default="30")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the steps of the ledger, each with its newest state.

    With --stale: the published days to make again, and why."""
    from windrow.pipelines.delta.lake import Lake

    if stale and (stages or last is not None):
        raise typer.BadParameter("--stale lists all stale days, and no steps; leave out --stages and --last")
    lake = Lake(config.load())
    if stale:
        _show_stale(lake, as_json)
    else:
        _show_steps(lake, stages, 30 if last is None else last, as_json)


def _show_stale(lake: "Lake", as_json: bool) -> None:
    from windrow.pipelines.features.stale import stale_features
    from windrow.pipelines.ledger.stale import stale

    columns = ("query", "day", "run_id", "reasons")
    found = [{name: getattr(run, name) for name in columns} for run in stale(lake)]
    of_features = ((each.table, None, "", each.reasons) for each in stale_features(lake))
    found += [dict(zip(columns, each, strict=True)) for each in of_features]
    _output.show(found, as_json)
    hint = "to see what makes them again and what it costs: windrow plan; to do it: windrow plan --run"
    _output.note(hint if found else "no run is stale")
    for broken in registry.broken_streams().values():
        _output.note(str(broken))
    note_pending(lake, registry.streams().values(), "more runs may be stale after this")


def _show_steps(lake: "Lake", stages: bool, last: int, as_json: bool) -> None:
    from windrow.pipelines.ledger import newest_steps
    from windrow.pipelines.ledger.run_table import rows

    most = None if last == 0 or as_json else last
    found = rows(lake) if most is None else newest_steps.last(lake, most + 1)
    # The newest row of a step is its state. A backfill is one run of many days.
    by_step = {(row.run_id, row.step, row.query, row.logical_date): row for row in found}
    steps = sorted(by_step.values(), key=lambda row: row.at)
    listed = _with_stages(lake, steps) if stages else steps
    shown = listed if most is None else listed[-most:]
    _output.show([dict(vars(row)) if as_json else _brief(row, stages) for row in shown], as_json)
    if len(shown) < len(listed):
        _output.note("older rows are not shown; --last 0 shows all")
    if not steps:
        _output.note("nothing has run yet; begin with: windrow ingest STREAM")


def _with_stages(lake: "Lake", steps: "list[StepRow]") -> "list[StepRow]":
    """Each step after its stages. Of a step that was tried more than once, those of the newest try."""
    from windrow.pipelines.ledger.newest_steps import of_runs
    from windrow.pipelines.ledger.run_table import rows

    # The rows of a step's end were written together and have one time.
    ends = {(row.run_id, row.step, row.query, row.at) for row in steps}
    found = rows(lake, [of_runs({row.run_id for row in steps})], stages=True)
    return [row for row in found if (row.run_id, row.step, row.query, row.at) in ends]


def _brief(row: "StepRow", stages: bool) -> dict:
    # The counts that every step has under a name of its own, and the others that are not zero.
    left = dict(row.counts)
    events = left.pop("events_of_day", left.pop("accepted", None))
    late, rows = left.pop("late_rows", left.pop(f"{row.query}_late", None)), left.pop("rows", left.pop(row.query, None))
    others = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in left.items() if count)
    return {
        "at": row.at.replace(microsecond=0),
        "run": row.run_id,
        "step": row.step,
        **({"stage": row.stage} if stages else {}),
        "of": row.query or row.stream,
        "day": row.logical_date,
        "state": row.state,
        "seconds": round(row.seconds, 1),
        "events": events,
        "rows": rows,
        "late_rows": late,
        "other_counts": others or None,
        "message": row.message,
    }


@commands.command(
    epilog=examples("windrow contract bikes_demand", "windrow contract bikes_demand --into bikes_demand.odcs.yaml")
)
def contract(
    query: QueryName,
    into: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the contract to this file. Default: print it.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the contract of a query's table as YAML of the Open Data Contract Standard.

    It has the columns with units and meanings, the gate's checks, and what the query promises. It needs no data."""
    from windrow.pipelines.docs.data_contract import as_yaml, data_contract
    from windrow.pipelines.runs.definitions import tables_of

    if into is not None and not into.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {into.parent} for --into {into}; make it, or leave --into out")
    if into is not None and into.is_dir():
        raise typer.BadParameter(f"--into {into} is a folder; name a file in it, such as {into / query}.yaml")
    found = data_contract(tables_of(query), config.load().lake / query)
    if into is not None:
        into.write_text(f"{as_yaml(found)}\n", encoding="utf-8")
        _output.show_facts({"contract": into, "version": found["version"]}, as_json)
    elif as_json:
        _output.show_json(found)
    else:
        print(as_yaml(found))


@commands.command(epilog=examples("windrow report --open"))
def report(
    into: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder of the pages. Default: report/ of the home.", show_default=False),
    ] = None,
    in_browser: Annotated[bool, typer.Option("--open", help="Also open the first page in a browser.")] = False,
    with_data_docs: Annotated[
        bool, typer.Option("--data-docs/--no-data-docs", help="Also make the pages of Great Expectations' results.")
    ] = True,
    asset_events: AssetEvents = None,
    as_json: AsJson = False,
) -> None:
    """Make HTML pages about the lake: streams, queries, runs, lineage and benchmarks.

    Also makes the pages of Great Expectations' results (Data Docs). The pages need no server."""
    from windrow.pipelines.gate.validation_results import index
    from windrow.pipelines.report.site import build

    settings = config.load()
    with progress() as show:
        made = build(settings, into, show, with_data_docs=with_data_docs)
    link = made.first_page.as_uri()
    known = {"link": link, "pages": made.pages, "figures": made.figures, "pages_not_made": made.not_made}
    _output.write_asset_events(asset_events, {flow.REPORT: known})
    data_docs = index(settings)
    _output.show_facts(
        {**made._asdict(), "link": link, "data_docs": data_docs if data_docs.exists() else None}, as_json
    )
    if made.not_made:
        _output.note(f"pages that could not be made, and say why: {', '.join(made.not_made)}")
    if in_browser and not webbrowser.open(link):
        _output.note(f"no browser could be started here; open {link} yourself")
