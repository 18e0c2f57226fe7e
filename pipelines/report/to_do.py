"""What needs attention, each with the command to type next: the first part of the overview."""

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime
from itertools import pairwise

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.features.stale import stale_features
from windrow.pipelines.ledger import promises
from windrow.pipelines.ledger.newest_steps import newest
from windrow.pipelines.ledger.run_table import StepRow
from windrow.pipelines.ledger.stale import FindStale
from windrow.pipelines.report.page import Remark
from windrow.pipelines.report.runs_and_gate import counted, not_ended_well
from windrow.pipelines.report.streams.page import is_ingested
from windrow.pipelines.report.words import days_in_words, without_controls
from windrow.pipelines.tables.arrival_days import ArrivalDays
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas import registry
from windrow.schemas.errors import WindrowError
from windrow.schemas.spelling import listing
from windrow.schemas.stream import Stream

_FILES_SHOWN, _NAMES_SHOWN = 5, 3
_HOLD_NO_EVENT = ("refused", "unreadable")
_LEAST_LANDINGS = 4
# The texts of an ingest's warnings, which stand behind each other in one message.
_BETWEEN_WARNINGS = re.compile(r"(?<=of the stream\)); ")
_LISTED = (": refused_files of the stream)", ": no_new_file_for of the stream)")


def to_do(lake: Lake, find_stale: FindStale) -> list[Remark]:
    """At least one sentence. O(ledger + arrival days + landed files)."""
    steps = newest(lake)
    ingested = [stream for stream in registry.streams().values() if _is_ingested(lake, stream)]
    found = [*_broken(), *(_first_commands() if not ingested else ()), *_wrong_steps(steps), *_stale(find_stale)]
    found += [*_stale_tables(lake), *_promises(lake)]
    found += [remark for stream in ingested for remark in _of_stream(lake, stream, steps)]
    good = (
        "Nothing: every definition loads, every step ended well, every promise is kept, no file was refused, no stream "
        "is silent, and every published day is there and up to date."
    )
    return found or [Remark(good, "good")]


def _is_ingested(lake: Lake, stream: Stream) -> bool:
    """False too of what can't be opened: the stream's own page says why."""
    try:
        return is_ingested(lake, stream)
    except WindrowError:
        return False


def _of_stream(lake: Lake, stream: Stream, steps: list[StepRow]) -> list[Remark]:
    try:
        return [*_refused_files(lake, stream), *_silence(lake, stream), *_missing_days(lake, stream, steps)]
    except WindrowError as damaged:
        return [Remark(str(damaged), "bad")]


def _broken() -> Iterator[Remark]:
    broken = registry.broken_streams() | registry.broken_queries() | registry.broken_feature_sets()
    texts = map(str, broken.values())
    yield from (Remark(text, "bad", "windrow check") for text in dict.fromkeys(texts))


def _first_commands() -> Iterator[Remark]:
    """The next three, of a lake that holds nothing yet."""
    names = list(registry.streams())
    stream = names[0] if len(names) == 1 else "STREAM"
    known = f" (streams: {listing(names, 8)})" if len(names) > 1 else ""
    days = "--from YYYY-MM-DD --to YYYY-MM-DD"
    new = "Describe a stream of yours:", "windrow new stream NAME --identity line"
    ingest = f"Put files into the landing folder, and ingest them{known}:", f"windrow ingest {stream}"
    replay = "Replay and publish the days that arrived:", f"windrow backfill --stream {stream} {days}"
    pages = "Make these pages again:", "windrow report"
    commands = (ingest, replay, pages) if names else (new, ingest, pages)
    for number, (text, command) in enumerate(commands, 1):
        yield Remark(f"{number}. {text}", command=command)


def _wrong_steps(steps: list[StepRow]) -> Iterator[Remark]:
    if wrong := not_ended_well(steps):
        text = f"Steps that did not end well: {counted(wrong)}. The page of runs says why."
        yield Remark(text, "bad", "windrow runs")
    newest = {row.stream: row for row in steps if row.step == "ingest"}
    for name, row in sorted(newest.items()):
        warnings = _BETWEEN_WARNINGS.split(row.message or "") if row.state == "done" else []
        for warning in filter(None, warnings):
            if not warning.endswith(_LISTED):  # these have entries of their own
                yield Remark(f"{name}: {warning}", "bad", f"windrow profile {name}")


def _promises(lake: Lake) -> Iterator[Remark]:
    """Those that the newest day's run of a query found broken."""
    for query in registry.queries().values():
        judged = promises.newest(lake, query)
        newest = max((row["logical_date"] for row in judged), default=None)
        broken = [row for row in judged if row["logical_date"] == newest and row["verdict"] != promises.KEPT]
        names = [f"{row['promise']} of {row['day']}" for row in broken]
        if names:
            text = f"{query.name}: the run of {newest} found promises broken: {listing(names, _NAMES_SHOWN)}."
            asked = f"SELECT * FROM promises WHERE query = '{query.name}' AND logical_date = DATE '{newest}'"
            yield Remark(text, "bad", f'windrow query "{asked}"')


def _stale_tables(lake: Lake) -> Iterator[Remark]:
    if found := [each.table for each in stale_features(lake)]:
        are = "is" if len(found) == 1 else "are"
        yield Remark(f"Features {listing(found, _NAMES_SHOWN)} {are} stale.", "bad", "windrow plan")


def _stale(find_stale: FindStale) -> Iterator[Remark]:
    if found := find_stale():
        text = f"{len(found):,} published days would come out differently now. The page of runs says why."
        yield Remark(text, "bad", "windrow plan")


def _refused_files(lake: Lake, stream: Stream) -> Iterator[Remark]:
    """Files of which no record was accepted."""
    filters = [("state", "in", list(_HOLD_NO_EVENT))]
    found = lake.read(StreamTables.of(stream).files.name, filters=filters, columns=["path", "state", "detail"])
    listed = found.sort_by("path").to_pylist()
    for row in listed[:_FILES_SHOWN]:
        text = f"{row['path']} ({row['state']}): {row['detail']}\nReplace the file, then run:"
        yield Remark(without_controls(text), "bad", f"windrow ingest {stream.name}")
    if len(listed) > _FILES_SHOWN:
        asked = f"SELECT path, detail FROM files_{stream.name} WHERE state IN {_HOLD_NO_EVENT}"
        more = f"{stream.name}: {len(listed) - _FILES_SHOWN:,} more files were not taken. To list them:"
        yield Remark(more, "bad", f'windrow query "{asked}"')


def _silence(lake: Lake, stream: Stream) -> Iterator[Remark]:
    files = lake.read(StreamTables.of(stream).files.name, columns=["landed_date"])
    landed, today = sorted(set(files.column("landed_date").to_pylist())), datetime.now(UTC).date()
    most = silent_after(stream, landed)
    if most is None or stream.newest_day < today or (days := (today - landed[-1]).days) <= most:
        return
    text = (
        f"{stream.name} fell silent: no file has landed since {landed[-1]}, for {days:,} days. It counts as silent "
        f"after {most:,}. When its files are in the landing folder, run:"
    )
    yield Remark(text, "bad", f"windrow ingest {stream.name}")


def silent_after(stream: Stream, landed: list[date]) -> int | None:
    """So many days without a file: what the stream's definition allows, else twice the longest pause between landing
    days, which are given rising. None where too few files landed to tell."""
    if stream.no_new_file_for is not None:
        return stream.no_new_file_for.most.days if landed else None
    if len(landed) < _LEAST_LANDINGS:
        return None
    return 2 * max((after - before).days for before, after in pairwise(landed))


def _missing_days(lake: Lake, stream: Stream, steps: list[StepRow]) -> Iterator[Remark]:
    """Queries that miss the same days share a sentence."""
    arrived, today = set(ArrivalDays.read(lake, f"partitions_{stream.name}").by_date), datetime.now(UTC).date()
    queries_of: dict[tuple[date, ...], list[str]] = defaultdict(list)
    for query in registry.queries_of(stream.name):
        if missing := days_not_published(query.name, arrived, steps, today):
            queries_of[tuple(missing)].append(query.name)
    for days, queries in queries_of.items():
        text = f"{listing(queries, _NAMES_SHOWN)}: events arrived, and nothing is published: {days_in_words(days)}."
        yield Remark(text, "bad", f"windrow backfill {' '.join(queries)} --from {days[0]} --to {days[-1]}")


def days_not_published(query: str, arrived: set[date], steps: list[StepRow], today: date) -> list[date]:
    """Days with events, from the query's first published day until yesterday, that no run has published, skipped or
    is publishing."""
    states = [(row.replayed[1], row.state) for row in steps if row.query == query and row.step == "publish"]
    first = min((day for day, state in states if state == "done"), default=today)
    ended = {day for day, state in states if state in ("done", "skipped", "running")}
    return sorted(day for day in arrived if first <= day < today and day not in ended)
