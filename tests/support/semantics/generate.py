"""Random streams and random questions about them, small and close to the boundaries where rules differ.

Times are whole grains around an anchor, sometimes a microsecond off; many are equal, so that there are bursts, ties and
late events at every lateness. The anchors of time zones are days on which their clocks change.
"""

from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

import pyarrow as pa
from hypothesis import strategies as st

from windrow.schemas.query import (
    Query,
    agg,
    count,
    delta,
    frame,
    month,
    policy,
    rolling,
    session,
    slide_by_tuple,
    sliding,
    spanning,
    tumbling,
    week,
)
from windrow.schemas.windows.regular import ATTRIBUTIONS

TIME = pa.timestamp("us", tz="UTC")
COLUMN_TYPES = {
    "hub": pa.string(),
    "dock": pa.int16(),
    "start": TIME,
    "end": TIME,
    "arrival": TIME,
    "seq": pa.int64(),
    "bikes": pa.int64(),
    "weight": pa.float64(),
    "rough": pa.float64(),
    "size": pa.float32(),
}
MICROSECOND, HOUR, DAY = timedelta(microseconds=1), timedelta(hours=1), timedelta(days=1)
GRAINS = (MICROSECOND, timedelta(seconds=1), timedelta(minutes=7), HOUR)
ZONES = {
    "America/New_York": (datetime(2024, 3, 10, 5, tzinfo=UTC), datetime(2018, 11, 4, 4, tzinfo=UTC)),
    "Australia/Lord_Howe": (datetime(2024, 4, 6, 13, tzinfo=UTC), datetime(2024, 10, 5, 13, 30, tzinfo=UTC)),
    "Asia/Kathmandu": (datetime(1985, 12, 31, 18, 30, tzinfo=UTC),),
    "Asia/Beirut": (datetime(2024, 3, 30, 22, tzinfo=UTC),),
    "America/Havana": (datetime(2024, 11, 3, 4, tzinfo=UTC),),
    "Pacific/Apia": (datetime(2011, 12, 30, 10, tzinfo=UTC),),
    "UTC": (datetime(2024, 2, 29, tzinfo=UTC),),
}
ANCHORS = (
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(2024, 3, 1, 12, tzinfo=UTC),
    datetime(1931, 7, 2, 3, 4, 5, 6, tzinfo=UTC),
)
DAY_SIZES = (DAY, 2 * DAY, 7 * DAY)
DAYS_FROM = (datetime(2000, 1, 1, 6), datetime(2030, 5, 5, 2, 30), datetime(2000, 1, 1, 23))
PART_SIZES = tuple(DAY / parts for parts in (2, 3, 4, 6, 24))
AGGREGATES = {
    "rows": agg("count"),
    "bikes_known": agg("count", "bikes"),
    "bikes_sum": agg("sum", "bikes"),
    "bikes_mean": agg("mean", "bikes"),
    "bikes_min": agg("min", "bikes"),
    "bikes_max": agg("max", "bikes"),
    "weight_sum": agg("sum", "weight"),
    "weight_mean": agg("mean", "weight"),
    "weight_max": agg("max", "weight"),
    "rough_sum": agg("sum", "rough"),
    "rough_mean": agg("mean", "rough"),
    "size_min": agg("min", "size"),
    "last_arrival": agg("max", "arrival"),
    "hubs": agg("count", "hub"),
    "hub_min": agg("min", "hub"),
    "hub_max": agg("max", "hub"),
}
ORDERED = {
    "first_bikes": agg("first", "bikes"),
    "last_weight": agg("last", "weight"),
    "last_hub": agg("last", "hub"),
    "run": agg("longest_run", "bikes"),
    "rate": agg("rate", "weight"),
    "hub_of_most": agg("argmax", "bikes", "hub"),
    "first_bikes_or_null": agg("first", "bikes", nulls=True),
    "last_weight_or_null": agg("last", "weight", nulls=True),
    "rows": agg("count"),
}
"""With some that don't commute, so that windows are made of events, not of panes."""
OF_SHARES = {name: each for name, each in AGGREGATES.items() if each.function in ("count", "sum", "mean")}
ROUGH = st.floats(-1e6, 1e6).map(lambda value: round(value, 6))
"""No sum of these loses a bit (kernels/monoids/_binned_sum.py)."""
WHERE = (
    ("hub", "==", "a"),
    ("hub", "!=", "a"),
    ("hub", "in", ("a", "é")),
    ("hub", "not_in", ("b",)),
    ("hub", "is_null", None),
    ("bikes", ">", 0),
    ("bikes", "<=", 2.5),
    ("weight", "not_null", None),
    ("dock", "<", 2),
    ("dock", ">=", 1),
)


class Question(NamedTuple):
    """A stream and what is asked of it."""

    rows: list[dict]
    query: Query
    complete: bool
    idle_after: timedelta | None = None

    @property
    def table(self) -> pa.Table:
        """The stream as `replay_table` takes it."""
        return to_table(self.rows)


def to_table(rows: list[dict]) -> pa.Table:
    """Events as an Arrow table."""
    return pa.table({name: pa.array([row[name] for row in rows], type_) for name, type_ in COLUMN_TYPES.items()})


@st.composite
def questions(draw, kinds: tuple[str, ...] = ("tumbling", "sliding", "spanning", "rolling", "calendar")) -> Question:
    """A question whose stream lies around the boundaries of its windows."""
    kind = draw(st.sampled_from(kinds))
    grain = HOUR if kind == "calendar" else draw(st.sampled_from(GRAINS))
    zone = draw(st.sampled_from(tuple(ZONES))) if kind == "calendar" else None
    anchor = draw(st.sampled_from(ZONES[zone] if zone else ANCHORS))
    window = draw(_windows(kind, grain, zone, anchor))
    reach = 60 if kind == "calendar" else 14
    query = draw(_queries(window, grain))
    longest = 6 if kind == "spanning" else 2
    least = 12 if kind in CONTEXT_BOUND else draw(st.sampled_from((0, 5, 10, 10)))
    rows = draw(_streams(anchor, grain, reach, longest, least))
    return Question(rows, query, draw(st.booleans()), draw(_idle_after(grain)))


def _idle_after(grain: timedelta):
    """Mostly none; about as long as the silences of a stream of this grain, where it may be that short."""
    about = (grain, 2 * grain + MICROSECOND, 5 * grain) if grain >= timedelta(minutes=1) else (5 * HOUR,)
    return st.sampled_from((*[None] * 4, *about, DAY - timedelta(seconds=1)))


@st.composite
def _windows(draw, kind: str, grain: timedelta, zone: str | None, anchor: datetime):
    if kind == "calendar":
        origin = draw(st.sampled_from((None, date(2000, 1, 1), date(2030, 5, 5), *DAYS_FROM)))
        whole = draw(
            st.sampled_from((week(zone), month(1, None, zone), month(3, datetime(2024, 5, 1, 6), zone), *[None] * 5))
        )
        if whole is not None:
            return whole
        size, slide = draw(st.sampled_from(DAY_SIZES + PART_SIZES)), draw(st.sampled_from(DAY_SIZES + PART_SIZES))
        return sliding(size, slide, origin, zone) if draw(st.booleans()) else tumbling(size, origin, zone)
    size, slide = draw(st.integers(1, 8)) * grain, draw(st.integers(1, 8)) * grain
    origin = draw(st.sampled_from((None, anchor, anchor + 3 * grain + MICROSECOND)))
    longest = draw(st.integers(1, 8)) * grain
    if kind in CONTEXT_BOUND:
        return draw(CONTEXT_BOUND[kind](grain))
    return {
        "tumbling": tumbling(size, origin),
        "sliding": sliding(size, slide, origin),
        "rolling": rolling(size, draw(st.sampled_from(("right", "left")))),
        "spanning": spanning(size, slide, origin, longest, draw(st.sampled_from(ATTRIBUTIONS))),
    }[kind]


_columns, _few = st.sampled_from(("bikes", "weight", "size")), st.integers(1, 5)
CONTEXT_BOUND = {
    "session": lambda grain: (
        st.builds(lambda gap: session(gap * grain), _few)
        | st.builds(session, st.just("bikes"), st.sampled_from((grain, max(MICROSECOND, grain / 3), 3 * grain)))
    ),
    "count": lambda grain: st.builds(count, _few, _few, st.sampled_from(("arrival", "event_time", "event_time"))),
    "delta": lambda grain: st.builds(
        delta, st.sampled_from(("bikes", "bikes", "size")), st.sampled_from((3, 6, 12)), st.sampled_from((0.25, 1, 2))
    ),
    "slide_by_tuple": lambda grain: st.builds(lambda size, step: slide_by_tuple(size * grain, step), _few, _few),
    "policy": lambda grain: st.builds(
        lambda most, length: policy("until", most=most, length_us=length * (grain // MICROSECOND)), _few, _few
    ),
    "frame.threshold": lambda grain: st.builds(
        lambda column, least, most, lasts: frame.threshold(column, least, most, lasts * grain),
        _columns,
        st.sampled_from((-2.25, 0, 0, 2)),
        st.sampled_from((1, 1, 1, 2)),
        st.sampled_from((0, 0, 0, 2)),
    ),
    "frame.delta": lambda grain: st.builds(frame.delta, _columns, st.sampled_from((0.5, 2, 4))),
    "frame.boundary": lambda grain: st.builds(frame.boundary, _columns, st.sampled_from((0.5, 3)), st.integers(0, 1)),
    "frame.aggregate": lambda grain: st.builds(
        frame.aggregate, st.sampled_from(("sum", "mean", "count", "max")), st.just("bikes"), st.sampled_from((1, 3, 9))
    ),
}
"""By kind, windows of about a grain."""


@st.composite
def _queries(draw, window, grain: timedelta) -> Query:
    waits = st.sampled_from((*[timedelta(0)] * 4, MICROSECOND, grain, 2 * grain, 5 * grain, timedelta.max))
    longer = [grains * grain for grains in (2, 5, 10, 20, 30)]
    allowances = st.sampled_from((*[timedelta(0)] * 3, MICROSECOND, *longer, timedelta.max))
    may_be_ordered = window.kind != "spanning"
    pool = draw(st.sampled_from((AGGREGATES, AGGREGATES, ORDERED))) if may_be_ordered else AGGREGATES
    pool = OF_SHARES if window.counts_shares else pool
    names = draw(
        st.lists(
            st.sampled_from(tuple(pool)), unique=True, min_size=2 if pool is ORDERED else draw(st.sampled_from((0, 4)))
        )
    )
    return Query(
        "random",
        "random",
        draw(st.sampled_from(((), ("hub",), ("hub", "dock"), ("dock",)))),
        window,
        {name: pool[name] for name in names},
        draw(waits),
        draw(allowances),
        draw(st.sampled_from(("final", "watermark", "arrival"))),
        tuple(draw(st.lists(st.sampled_from(WHERE), max_size=2))),
    )


@st.composite
def _streams(draw, anchor: datetime, grain: timedelta, reach: int, longest: int, least: int) -> list[dict]:
    """least: events; left alone, Hypothesis makes mostly short lists, in which no event is late."""
    jitter = st.sampled_from((0, 0, 0, 1, -1))
    grains = st.integers(-reach // 2, reach)
    starts = st.builds(lambda whole, us: anchor + whole * grain + us * MICROSECOND, grains, jitter)
    delays = st.one_of(st.integers(-2, 3), st.integers(0, 2 * reach)).map(lambda grains: grains * grain)
    rows = draw(
        st.lists(
            st.fixed_dictionaries(
                {
                    "hub": st.sampled_from(("a", "a", "b", "é", None)),
                    "dock": st.sampled_from((1, 1, 2, None)),
                    "start": starts,
                    "delay": delays,
                    "lasts": st.sampled_from(range(longest + 1)),
                    "bikes": st.none() | st.integers(-3, 9),
                    "weight": st.none() | st.integers(-(2**40), 2**40).map(float),
                    "rough": st.none() | ROUGH,
                    "size": st.none() | st.sampled_from((0.0, -0.0, 0.5, -2.25)),
                }
            ),
            min_size=least,
            max_size=18,
        )
    )
    order = draw(st.permutations(range(len(rows))))
    return [_event(row, seq, anchor, grain) for seq, row in zip(order, rows, strict=True)]


def _event(row: dict, seq: int, anchor: datetime, grain: timedelta) -> dict:
    """Arrivals are whole grains, so that many share a tick."""
    delay, lasts = row.pop("delay"), row.pop("lasts")
    arrival = anchor + (row["start"] + delay - anchor) // grain * grain
    return {**row, "end": row["start"] + lasts * grain, "arrival": arrival, "seq": seq}
