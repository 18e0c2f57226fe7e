"""A window's revisions, each with the events that it has more and less than the one before, the run that published it,
and whether it is what its events say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Any

from windrow.pipelines.delta.day_files import AskedValues
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate.recount.plain.ticks import Event
from windrow.pipelines.ledger.code_hash import changed_definitions, definition_hash
from windrow.pipelines.ledger.kept_definition import text_of
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.pipelines.why.asked import AskedWindow
from windrow.pipelines.why.held import HeldEvents, is_counted, starts_of
from windrow.pipelines.why.key_events import KeyEvents
from windrow.pipelines.why.published import Place, PublishingRun, late_rows, publishing_runs, revisions
from windrow.schemas import registry
from windrow.schemas.model import Model
from windrow.schemas.query import Query
from windrow.schemas.windows import MICROSECOND

_IN_PLACE = ("path", "line", "reading", "start", "end", "arrival")


@dataclass(frozen=True)
class EventChange:
    """An event that a revision has more than the one before, or less. late_by: the watermark before its tick less the
    window's end, below zero of an event on time; None before any watermark."""

    sign: str
    event: Event
    late_by: timedelta | None

    def row(self, columns: Sequence[str]) -> dict[str, Any]:
        """Where it stands and when, and these columns."""
        event = self.event.row
        times = {name: event[name] for name in _IN_PLACE}
        return {"change": self.sign, **times, "late_by": self.late_by, **{name: event[name] for name in columns}}


@dataclass(frozen=True)
class ExplainedRevision:
    """A row of the query's table; changes: since the revision before; held: all that it covers; run: None where the
    ledger knows none; wrong: what isn't as the events say; by: how that was found."""

    row: dict[str, Any]
    held: list[Event]
    changes: list[EventChange]
    run: PublishingRun | None
    wrong: list[str]
    by: HeldEvents

    @property
    def day(self) -> date:
        return self.row["emitted_at"].date()


@dataclass(frozen=True)
class ExplainedWindow:
    """revisions: oldest first; missed: rows of the late table."""

    place: Place
    revisions: list[ExplainedRevision]
    missed: list[dict[str, Any]]


@dataclass(frozen=True)
class Explanation:
    """What was asked; windows, of which several may have the asked start; remarks: what isn't known; opened: files of
    silver that were read."""

    asked: AskedWindow
    version: int
    windows: list[ExplainedWindow]
    remarks: list[str]
    opened: list[str]

    @property
    def adds_up(self) -> bool:
        """Whether every row is what its events say."""
        return not any(revision.wrong for window in self.windows for revision in window.revisions)

    @property
    def runs(self) -> dict[date, PublishingRun | None]:
        """By emitted day."""
        return {each.day: each.run for window in self.windows for each in window.revisions}

    @property
    def not_counted(self) -> list[str]:
        """Columns of the rows that aren't counted again."""
        found = [name for name, each in self.asked.query.aggregates.items() if not is_counted(each)]
        return found + (["the outputs of its function"] if isinstance(self.asked.query, Model) else [])

    @property
    def columns(self) -> list[str]:
        """What the query reads of an event."""
        return [name for name in self.asked.query.read_columns if name not in self.asked.query.key]


@dataclass
class _Explaining:
    lake: Lake
    asked: AskedWindow
    version: int
    runs: Mapping[date, PublishingRun] | None

    def explained(self) -> Explanation:
        windows = [self._window(place, rows) for place, rows in self._rows.items()]
        return Explanation(
            self.asked, self.version, windows, [*dict.fromkeys(self._remarks)], sorted(self._events.opened)
        )

    def __post_init__(self) -> None:
        self._rows = revisions(self.lake, self.asked, self.version)
        days = {row["emitted_at"].date() for rows in self._rows.values() for row in rows}
        name = self.asked.query.name
        self._runs = publishing_runs(self.lake, name, days, self.version) if self.runs is None else self.runs
        self._remarks: list[str] = []
        self._held_on: dict[tuple[Place, date], HeldEvents] = {}

    @cached_property
    def _events(self) -> KeyEvents:
        source = StreamTables.of(registry.stream(self.asked.query.stream))
        definitions = [self.asked.query, *filter(None, (run.definition for run in self._runs.values()))]
        columns = dict.fromkeys(name for each in definitions for name in each.read_columns)
        known = [name for name in columns if name in source.silver.column_names]
        every = tuple(dict.fromkeys((*known, *self.asked.query.key, *_IN_PLACE)))
        spans = [starts_of(self._part(each), [place[:2] for place in self._rows]) for each in definitions]
        widest = min(spans, key=lambda each: (each.low is not None, each.low))
        last = max(row["emitted_at"].date() for rows in self._rows.values() for row in rows)
        return KeyEvents(self.lake, source, self.asked.key, widest, last, every)

    def _part(self, definition: Query) -> Query:
        """Of the asked window; a definition that has none of that name says nothing of it."""
        return definition.parts.get(self.asked.name, self.asked.part)

    def _window(self, place: Place, rows: list[dict]) -> ExplainedWindow:
        found, before = list[ExplainedRevision](), dict[tuple, Event]()
        for row in rows:
            made = self._revision(place, row, before)
            before = {_identity(event): event for event in made.held}
            found.append(made)
        # Which windows an event missed is not known where they depend on it: then it lists those in its times.
        in_it = AskedValues(place[0], place[1] - MICROSECOND)
        starts = starts_of(self.asked.part, [place[:2]]) if self.asked.query.context_free else in_it
        missed = late_rows(self.lake, self.asked, starts, place)
        return ExplainedWindow(place, found, missed)

    def _revision(self, place: Place, row: dict, before: dict[tuple, Event]) -> ExplainedRevision:
        day = row["emitted_at"].date()
        run, by = self._runs.get(day), self._held(place, day)
        held = by.at(row["emitted_at"])
        now = {_identity(event): event for event in held}
        changes = [self._change("+", by, event) for each, event in now.items() if each not in before]
        changes += [self._change("−", by, event) for each, event in before.items() if each not in now]
        return ExplainedRevision(row, held, changes, run, by.differences(row, held), by)

    def _held(self, place: Place, day: date) -> HeldEvents:
        """By the definition and from the silver of the day's run."""
        if (place, day) not in self._held_on:
            run = self._runs.get(day)
            silver, remark = self._events.read_by(run)
            self._remarks += [] if remark is None else [f"{day}: {remark}"]
            part = self._part(self._definition(run))
            self._held_on[place, day] = HeldEvents(part, place, self._events.at(silver))
        return self._held_on[place, day]

    def _change(self, sign: str, by: HeldEvents, event: Event) -> EventChange:
        late_us = by.late_by_us(event)
        return EventChange(sign, event, None if late_us is None else late_us * MICROSECOND)

    def _definition(self, run: PublishingRun | None) -> Query:
        """That by which the run ran, as far as it is known."""
        query = self.asked.query
        if run is None or is_of_now(run, query):
            return query
        if run.definition is None:
            files = ", ".join(changed_definitions(query.stream, query.name, run.publish.definition_hash))
            what = "the ledger keeps no text of the definition of then"
            self._remarks.append(f"{run.publish.run_id}: {files} has changed since, and {what}; today's is taken")
            return query
        return run.definition


def is_of_now(run: PublishingRun, query: Query) -> bool:
    """Whether a run's definition is today's."""
    return run.publish.definition_hash == definition_hash(query.stream, query.name)


def explain(
    lake: Lake,
    asked: AskedWindow,
    version: int | None = None,
    runs: Mapping[date, PublishingRun] | None = None,
) -> Explanation:
    """The revisions of a window at a version of its query's table, by default the newest. runs: of its emitted days,
    where the ledger was read already. Raises WrongParameter where
    the key has no such window (it names the nearest), NotSetUp where the query has no table.
    O(files of the tables, by their log + rows of the row groups that may hold some of the key and the time)."""
    newest = lake.existing_version(asked.query.name)
    return _Explaining(lake, asked, newest if version is None else version, runs).explained()


def definition_text(run: PublishingRun, query: Query) -> str | None:
    """The text of the definition by which a run ran; None where it isn't kept."""
    if is_of_now(run, query):
        return text_of(query)
    return text_of(run.definition) if run.definition else None


def _identity(event: Event) -> tuple:
    """Also where another version of silver has another content at its place."""
    return (*(event.row[name] for name in _IN_PLACE), *map(repr, event.row.values()))
