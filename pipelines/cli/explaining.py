"""The command that explains a window's rows."""

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.pipelines import config
from windrow.pipelines.cli import _output
from windrow.pipelines.cli._options import AsJson, QueryName, examples
from windrow.schemas import registry
from windrow.schemas.errors import GateFailed
from windrow.schemas.spelling import in_words

if TYPE_CHECKING:
    from windrow.pipelines.why.difference import Difference
    from windrow.pipelines.why.explain import Explanation

commands = typer.Typer()


@commands.command(
    epilog=examples(
        "windrow why bikes_demand --key start_station_id=168 --window 2018-10-01T08:00",
        "windrow why bikes_demand --key start_station_id=168 --window 2018-10-01T08:00 --at 3 --and 5",
    )
)
def why(
    query: QueryName,
    window: Annotated[
        str,
        typer.Option(
            metavar="START[/END]", help="The window by its start, or by both of its times. Without an offset in UTC."
        ),
    ],
    key: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A column of the key, once for each. NAME alone: null."),
    ] = None,
    window_name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which window, of a query with several.", show_default=False)
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="VERSION",
            help="The rows of a version of the query's table, or of a time: 3, 2018-10-02, 2018-10-02T14:00. "
            "Default: the newest.",
        ),
    ] = None,
    compared: Annotated[
        str | None, typer.Option("--and", metavar="VERSION", help="Show what is different in this version, and why.")
    ] = None,
    rows: Annotated[int, typer.Option(min=0, help="How many events of each table to show. 0 shows all.")] = 50,
    as_json: AsJson = False,
) -> int:
    """Explain a window: its revisions, and the events that made each.

    For each revision: the events that came and left since the one before, with file, line, arrival and how late they
    were; the run that published it, its definition, code and verdicts; and whether the row is what its events say,
    counted again. With --and: the same for the difference of two versions.

    Only files that may hold rows of the key and the time are read."""
    from windrow.pipelines.delta.lake import Lake
    from windrow.pipelines.why.asked import AskedWindow, key_of
    from windrow.pipelines.why.difference import difference
    from windrow.pipelines.why.explain import explain
    from windrow.pipelines.why.listing import as_json as of_explanation
    from windrow.pipelines.why.listing import difference_json
    from windrow.pipelines.why.published import version_of

    if compared is not None and at is None:
        raise typer.BadParameter("--and compares with --at; give both")
    lake, of = Lake(config.load()), registry.query(query)
    asked = AskedWindow.of(of, key_of(of, key or []), window, window_name)
    first = None if at is None else version_of(lake, of.name, "--at", at)
    most = None if rows == 0 else rows
    if compared is None or first is None:
        found = explain(lake, asked, first)
        _output.show_json(of_explanation(found)) if as_json else _show(found, most)
        return _ended(found.adds_up)
    other = difference(lake, asked, first, version_of(lake, of.name, "--and", compared))
    _output.show_json(difference_json(other)) if as_json else _show_difference(other, most)
    return _ended(other.adds_up)


def _ended(adds_up: bool) -> int:
    return 0 if adds_up else GateFailed.exit_code


def _show(found: "Explanation", most: int | None) -> None:
    from windrow.pipelines.why.listing import change_rows, missed_rows, revision_rows, run_rows

    for window in found.windows:
        _output.heading(_named(found, window.place))
        _output.show(revision_rows(found, window), False)
        for each in window.revisions:
            _listed(f"revision {each.row['revision']}, events", change_rows(each, found.columns), most)
        _listed("missed this window", missed_rows(window, found.columns), most)
    _listed("published by", run_rows(found), None)
    for remark in found.remarks:
        _output.note(remark)
    _say_of(found)


def _named(found: "Explanation", place: tuple) -> str:
    from windrow.pipelines.why.published import in_text

    number = f", window_number={place[2]}" if place[2] else ""
    name = f", {found.asked.name}" if found.asked.name else ""
    return f"{found.asked.query.name}, {found.asked.in_words()}{name}, {in_text(place[0])}/{in_text(place[1])}{number}"


def _listed(title: str, rows: list[dict], most: int | None) -> None:
    if rows:
        _output.heading(f"{title}: {len(rows):,}" if most is not None else title)
        _output.show([_for_people(row) for row in rows[:most]], False)
        if most is not None and len(rows) > most:
            _output.note(f"only the first {most:,} are shown; --rows 0 shows all")


def _for_people(row: dict) -> dict:
    if "late_by" not in row:
        return row
    is_late = row["late_by"] is not None and row["late_by"] >= timedelta(0)
    return {**row, "late_by": in_words(row["late_by"]) if is_late else "on time"}


def _say_of(found: "Explanation") -> None:
    _warn_of(found, "")
    left_out = f"; not counted again: {', '.join(found.not_counted)}" if found.not_counted else ""
    if found.adds_up:
        _output.note(f"every revision is what its events say{left_out}")


def _warn_of(found: "Explanation", version: str) -> None:
    for each in (each for window in found.windows for each in window.revisions):
        for text in each.wrong:
            _output.warn(f"{version}revision {each.row['revision']} doesn't add up: {text}")


def _show_difference(found: "Difference", most: int | None) -> None:
    from windrow.pipelines.why.listing import reason_rows

    for window in found.windows:
        shown = found.second or found.first
        assert shown is not None, "one of the versions has the window"
        versions = " and ".join("none" if each is None else str(each.version) for each in (found.first, found.second))
        _output.heading(f"{_named(shown, window.place)}, versions {versions}")
        _output.show([vars(value) for value in window.values], False)
        for revision, text in window.rows.items():
            _output.note(f"revision {revision}: {text}")
        _listed("events of the difference", reason_rows(window, shown.columns), most)
    for name, (first, second) in found.definition.items():
        _output.note(f"definition, {name}: {first} → {second}")
    for each in (found.first, found.second):
        if each is not None:
            for remark in each.remarks:
                _output.note(f"version {each.version}: {remark}")
            _warn_of(each, f"version {each.version}, ")
    if found.adds_up:
        _output.note("the difference is what its events say")
    else:
        _output.warn("the difference doesn't add up")
