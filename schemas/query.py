"""The query language: what a user writes in `queries/<name>.py`, and other tools build.

    Query(name="bikes_demand", stream="bikes", key=("start_station_id",),
          window=sliding(timedelta(days=1), timedelta(minutes=5)),
          aggregates={"trips": agg("count"), "longest_trip_s": agg("max", "trip_duration_s")},
          lateness=timedelta(hours=1), allowed_lateness=timedelta(days=1))

All window kinds can be written; one that no kernel serves yet is refused by name when a replay is asked for. A query
with several windows has `windows`, a dict of names, in place of `window`.
"""

import re
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from types import SimpleNamespace

from windrow.schemas.aggregate import Aggregate, AggregatedValue
from windrow.schemas.aggregate import agg as agg  # of the language: definitions import it from here
from windrow.schemas.expression_text import parse
from windrow.schemas.expressions import AllOf, Expression, of_triple
from windrow.schemas.promise import COMPLETE, FINAL_MOVES, Promise
from windrow.schemas.promise import promise as promise  # of the language too
from windrow.schemas.windows import (
    DAY,
    MICROSECOND,
    AggregateFrame,
    BoundaryFrame,
    Count,
    Delta,
    DeltaFrame,
    Month,
    Policy,
    Regular,
    Rolling,
    Session,
    SlideByTuple,
    Sliding,
    Spanning,
    ThresholdFrame,
    Tumbling,
    Week,
    Window,
    require,
    require_duration,
)

tumbling, sliding, rolling, spanning, session = Tumbling, Sliding, Rolling, Spanning, Session
month, week = Month, Week
count, delta, slide_by_tuple = Count, Delta, SlideByTuple
frame = SimpleNamespace(threshold=ThresholdFrame, delta=DeltaFrame, aggregate=AggregateFrame, boundary=BoundaryFrame)

EMITS = ("final", "watermark", "arrival")
OPERATORS = ("==", "!=", "<", "<=", ">", ">=", "in", "not_in", "is_null", "not_null")
_LISTS = (tuple, list, set, frozenset)
MOST_WINDOWS = 100
"""Of one query: each has rows, late rows and a recount of its own."""
WINDOW_COLUMNS = ("window_start", "window_end", "revision", "pane", "emitted_at", "events", "late_events")
WINDOW_NUMBER = "window_number"
"""One column more of context-bound windows (semantics §2)."""
WINDOW_NAME = "window_name"
"""One column more of queries with several windows."""
EVENT_COLUMNS = ("start", "end", "arrival", "seq")
ADDITIVE = ("count", "sum")
NOWCAST_BOUNDS = ("expected", "low", "high")
NOWCAST_FACTS = ("age_seconds", "history_rows")
CONDITIONS = "a condition such as \"user_type = 'member'\", or (column, operator, value) triples"
_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")


def policy(name: str, **parameters: object) -> Policy:
    """Windows of a slide policy, which is a file of policies/, with the policy's parameters."""
    return Policy(name, tuple(sorted(parameters.items())))


@dataclass(frozen=True)
class Query:
    """A question about one stream, with an answer for each key and window.

    `lateness`: how far the watermark stays behind the newest event start. `allowed_lateness`: how long after its end a
    window still takes late events. `where`: a condition in SQL (schemas/expression_text.py), or (column, operator,
    value) triples that an event must all fulfil; an event is counted for which it is true, and a comparison with null
    is not. `where` does not change the watermark, which all events of the stream move.
    `windows`: several windows by name, in place of `window`; each row says in `window_name` which it is of. These are
    of kinds whose windows follow from times alone, and either all or none of them prorate. `aggregates`, `lateness`
    and `allowed_lateness` must be given.
    `promises`: what users of its table may rely on, each made by `promise(…)`; runs check them.
    `nowcast`: how many days back the history goes that says what a row's final values will be (docs/nowcast.md).
    """

    name: str
    stream: str
    key: tuple[str, ...]
    # Those without a default are wanted: Python allows none behind `window`, which may be left out.
    window: Window = None  # type: ignore[assignment]
    aggregates: dict[str, Aggregate] = None  # type: ignore[assignment]
    lateness: timedelta = None  # type: ignore[assignment]
    allowed_lateness: timedelta = None  # type: ignore[assignment]
    emit: str = "watermark"
    where: str | tuple[tuple[str, str, object], ...] = ()
    windows: dict[str, Window] | None = None
    # Not shown: what is promised of rows changes none.
    promises: tuple[Promise, ...] = field(default=(), repr=False)
    nowcast: timedelta | None = None

    def __post_init__(self) -> None:
        require(_is_name(self.name), "name", self.name, "lower-case letters, digits and _")
        require(isinstance(self.stream, str), "stream", self.stream, "the name of a stream")
        named = isinstance(self.key, tuple) and all(isinstance(column, str) for column in self.key)
        distinct = named and len(set(self.key)) == len(self.key)
        require(distinct, "key", self.key, "a tuple of column names, each once; () for one group")
        self._check_windows()
        require(self.emit in EMITS, "emit", self.emit, " or ".join(map(repr, EMITS)))
        require_duration("lateness", self.lateness)
        require_duration("allowed_lateness", self.allowed_lateness)
        self._check_names()
        require(isinstance(self.where, str | tuple | list), "where", self.where, CONDITIONS)
        if isinstance(self.where, str):
            parse(self.where)
        else:
            for triple in self.where:
                _check_triple(triple)
        self._check_promises()
        if self.nowcast is not None:
            self._check_nowcast(self.nowcast)

    def _check_promises(self) -> None:
        made = isinstance(self.promises, tuple) and all(isinstance(each, Promise) for each in self.promises)
        require(made, "promises", self.promises, "a tuple of promise(…)")
        for each in self.promises:
            if each.kind == COMPLETE:
                allowed = "left out: these windows depend on their key's other events, and have no lateness curve"
                require(self.context_free, "complete", each.least, allowed)
            if each.kind == FINAL_MOVES:
                require(each.of in self.aggregates, "of", each.of, f"an aggregate: {', '.join(self.aggregates)}")
                allowed = f"left out: with emit {self.emit!r} no row is on time"
                require(self.emit == "watermark", FINAL_MOVES, each.most, allowed)

    def _check_windows(self) -> None:
        if self.windows is None:
            allowed = "a window such as tumbling(timedelta(days=1)), or windows={name: window, …} for several"
            require(isinstance(self.window, Window), "window", self.window, allowed)
            return
        require(self.window is None, "window", self.window, "left out where there are `windows`")
        named = isinstance(self.windows, dict) and 1 <= len(self.windows) <= MOST_WINDOWS
        require(named, "windows", self.windows, f"a dict of 1 to {MOST_WINDOWS} names and windows")
        for name, window in self.windows.items():
            require(_is_name(name), "windows", name, "a name of lower-case letters, digits and _")
            _check_one_of_several(name, window)
        several = len({window.counts_shares for window in self.windows.values()}) > 1
        allowed = "all prorated, or none: a prorated count is no whole number. Ask the others in a query of their own"
        require(not several, "windows", ", ".join(self.windows), allowed)

    def _check_names(self) -> None:
        require(isinstance(self.aggregates, dict), "aggregates", self.aggregates, "a dict of names and agg(…)")
        taken = set(self.key) | set(self.window_columns) | {"emitted_date"}
        for column in self.key:
            allowed = f"a column other than {', '.join(self.window_columns)}"
            require(column not in self.window_columns, "key", column, allowed)
        for name, aggregate in self.aggregates.items():
            require(isinstance(aggregate, Aggregate), f"aggregates[{name!r}]", aggregate, "agg(function, *columns)")
            require(
                _is_name(name) and name not in taken,
                "aggregates",
                name,
                "a new lower-case name that is neither a key nor a column of every window table",
            )

    def _check_nowcast(self, back: timedelta) -> None:
        others = [window.kind for window in self.every_window if not isinstance(window, Regular)]
        allowed = "left out: only windows that start every slide have one, such as tumbling or sliding ones"
        require(not others, "nowcast", f"one of {', '.join(others)} windows", allowed)
        require(self.emit != "final", "nowcast", "one of emit 'final'", "left out: such rows are final")
        require(bool(self.additive), "nowcast", "one without a count or a sum", "left out, or a query that has one")
        longest_us = max(window.longest_us for window in self.every_window if isinstance(window, Regular))
        least_us = sum(each // MICROSECOND for each in (self.allowed_lateness, self.lateness)) + longest_us
        holds = isinstance(back, timedelta) and back % DAY == timedelta(0) and back // MICROSECOND > least_us
        least_days = least_us // (DAY // MICROSECOND) + 1
        allowed = (
            f"whole days, at least {least_days:,}: more than lateness, allowed lateness and the longest window together"
        )
        require(holds, "nowcast", back, allowed)
        taken = {f"{each}_{bound}" for each in self.additive for bound in NOWCAST_BOUNDS} | {*NOWCAST_FACTS}
        for name in self.key:
            require(name not in taken, "key", name, "a column other than those of a nowcast, or no nowcast")

    @property
    def additive(self) -> tuple[str, ...]:
        """The aggregates that grow by what each event brings."""
        return tuple(name for name, each in self.aggregates.items() if each.function in ADDITIVE)

    @cached_property
    def values(self) -> tuple[AggregatedValue, ...]:
        """What the aggregates read of an event, in the order in which it is first named; and what cuts windows."""
        cutting = getattr(self.window, "column", None)
        found = [value for each in self.aggregates.values() for value in each.values]
        found += [] if cutting is None else [AggregatedValue.of_column(cutting)]
        for each in () if self.windows else self.window.reads.values():
            found += each.values
        return tuple(dict.fromkeys(found))

    @property
    def conditions(self) -> list[tuple[object, Expression]]:
        """What an event must all fulfil, as it was given and as expressions."""
        if isinstance(self.where, str):
            return [(self.where, parse(self.where))]
        return [(triple, of_triple(*triple)) for triple in self.where]

    @property
    def condition(self) -> AllOf:
        """`where`: which events are counted."""
        return AllOf(tuple(condition for _, condition in self.conditions))

    @property
    def parts(self) -> "dict[str | None, Query]":
        """By window name the queries of one window each that it stands for; by None itself, where it has one window."""
        return self._parts if self.windows else {None: self}

    @cached_property
    def _parts(self) -> "dict[str | None, Query]":
        """Made once: a run asks for each day."""
        windows = (self.windows or {}).items()
        return {name: replace(self, window=window, windows=None) for name, window in windows}

    @property
    def every_window(self) -> tuple[Window, ...]:
        """The one, or all in the order of their definition."""
        return (self.window,) if self.windows is None else tuple(self.windows.values())

    @property
    def context_free(self) -> bool:
        """Whether a day's windows follow from a look-back alone (semantics §2)."""
        return all(window.context_free for window in self.every_window)

    @property
    def name_column(self) -> tuple[str, ...]:
        """The column that says which of several windows a row is of, if there are several."""
        return () if self.windows is None else (WINDOW_NAME,)

    @property
    def window_columns(self) -> tuple[str, ...]:
        """The columns of its tables that are no keys and no aggregates."""
        start, end, *others = WINDOW_COLUMNS
        number = () if self.context_free else (WINDOW_NUMBER,)
        return (*self.name_column, start, end, *number, *others)

    @property
    def window_identity(self) -> tuple[str, ...]:
        """The columns that name one window of one key."""
        number = () if self.context_free else (WINDOW_NUMBER,)
        return (*self.key, *self.name_column, "window_start", "window_end", *number)

    @property
    def read_columns(self) -> tuple[str, ...]:
        """Key, aggregated and filtered columns: what a replay reads apart from the times."""
        read = (column for value in self.values for column in value.columns)
        named = dict.fromkeys((*self.key, *read, *self.condition.columns))
        return tuple(column for column in named if column not in EVENT_COLUMNS)


def _is_name(name: object) -> bool:
    return isinstance(name, str) and bool(_NAME.match(name))


def _check_one_of_several(name: str, window: Window) -> None:
    where = f"windows[{name!r}]"
    require(isinstance(window, Window), where, window, "a window such as tumbling(timedelta(days=1))")
    allowed = (
        "a window that follows from times alone, such as tumbling, sliding or rolling; ask this one in a query of "
    )
    follows = window.context_free and not window.cutting_columns
    require(follows, where, window.kind, f"{allowed}its own, by `window`")


def _check_triple(triple: tuple[str, str, object]) -> None:
    shaped = isinstance(triple, tuple) and len(triple) == 3 and isinstance(triple[0], str)
    require(shaped, "where", triple, CONDITIONS)
    _, operator, value = triple
    require(operator in OPERATORS, "where", operator, "one of " + " ".join(OPERATORS))
    if operator in ("in", "not_in"):
        require(isinstance(value, _LISTS), "where", value, f"a tuple of values for {operator}")
