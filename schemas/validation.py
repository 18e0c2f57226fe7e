"""What a stream says must fit together, and what a query says must fit its stream. What kernels and the gate serve is
known to them: pipelines/runs/definitions.py.

How long a stream may be silent before its watermark goes on without events is its `idle_after`. While nothing arrives,
it has a heartbeat at each whole `idle_after` of silence: at the arrival times s + k·idle_after, k = 1, 2, …, before the
next arrival. s is the last arrival tick or, if later, the day's beginning in UTC. A heartbeat at a moves the watermark
as an event with start a − idle_after would, and is no event. There is none before the stream's first event.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta

from windrow.schemas.errors import WrongParameter
from windrow.schemas.expressions import AllOf, ColumnValue, Expression, Types
from windrow.schemas.model import Model
from windrow.schemas.query import AggregatedValue, Query
from windrow.schemas.stream import ACROSS_LINES, BY_NAME, FAIL, IN_ORDER, WARN, WITHIN_LINES, Layout, Limit, Stream
from windrow.schemas.tables import quarantine_table, silver_table
from windrow.schemas.windows import DAY, require, require_zone

TYPES = ("string", "int64", "float64", "bool", "timestamp", "date")
NUMBERS = ("int64", "float64", "bool")
TIMES = dict.fromkeys(("start", "end", "arrival"), "timestamp")
LEAST_SILENCE = timedelta(minutes=1)
# A stream's DAG has its name, and its other DAGs have these behind it (pipelines/flow.py); the lake's have these names.
OF_OTHER_DAGS, OF_THE_LAKE = ("_in_order", "_backfill", "_stale"), ("maintenance", "windrow_report")


def validate_stream(stream: Stream) -> None:
    """WrongParameter for the first thing that doesn't fit."""
    is_free = stream.name not in OF_THE_LAKE and not stream.name.endswith(OF_OTHER_DAGS)
    others = f"not {' or '.join(OF_THE_LAKE)}, and none that ends with {', '.join(OF_OTHER_DAGS)}"
    require(is_free, "name", stream.name, f"a name that no other DAG has: {others}")
    for column in stream.columns:
        if column.type not in TYPES:
            raise WrongParameter(f"columns[{column.name!r}]", column.type, ", ".join(TYPES), TYPES)
    names, refused = [column.name for column in stream.columns], quarantine_table(stream).column_names
    for name, times in Counter(silver_table(stream).column_names).items():
        allowed = "each name once, and none that silver or quarantine has for every stream"
        require(times == 1 and not (name in names and name in refused), "columns", name, allowed)
    _require_columns("key", stream.key, names, stream)
    for layout in stream.layouts:
        if isinstance(layout.identity, tuple):
            _require_columns("identity", layout.identity, [*names, *TIMES], stream)
        _require_layout(layout)
    require(stream.buckets >= 1, "buckets", stream.buckets, "a whole number of at least 1")
    require_zone("zone", stream.zone)
    require_idle_after(stream.idle_after)
    ends_after = stream.last_day is None or stream.first_day <= stream.last_day
    require(ends_after, "last_day", stream.last_day, f"a day from first_day, {stream.first_day}, on")
    _require_limits(stream)


def _require_limits(stream: Stream) -> None:
    of_ended = "None, as the stream has ended" if stream.last_day else "Limit(whole days, such as timedelta(days=2))"
    for name, kind, is_right, allowed in (
        ("refused_share", (int, float), lambda most: 0 <= most <= 1, "Limit(a share from 0 to 1)"),
        ("refused_files", int, lambda most: most >= 0, "Limit(a whole number)"),
        ("no_new_file_for", timedelta, lambda most: most >= DAY and not most % DAY and not stream.last_day, of_ended),
    ):
        limit = getattr(stream, name)
        if limit is not None:
            right = isinstance(limit, Limit) and isinstance(limit.most, kind) and is_right(limit.most)
            require(
                right and limit.then in (WARN, FAIL), name, limit, f"{allowed}; with {WARN!r} or {FAIL!r} behind it"
            )


def _require_layout(layout: Layout) -> None:
    of = f"of {layout.name!r}"
    plain = layout.members is None or layout.header is None
    require(plain, f"header {of}", layout.header, "None, as its lines are JSON, which has no header")
    packed = [path for path in layout.paths if path.endswith(".parquet")]
    allowed = "paths of other files, or members: a row of Parquet is a line of JSON"
    require(not packed or layout.members is not None, f"paths {of}", packed, allowed)
    quotings = (WITHIN_LINES, ACROSS_LINES, None)
    require(layout.quoting in quotings, f"quoting {of}", layout.quoting, ", ".join(map(repr, quotings)))
    by_name = layout.columns == BY_NAME
    ways = f"{IN_ORDER!r}, or {BY_NAME!r} where there is a header"
    require(
        layout.columns == IN_ORDER or (by_name and layout.header is not None), f"columns {of}", layout.columns, ways
    )
    named = layout.members or (layout.header if by_name else None) or ()
    allowed = 'some of `members`, or of `header` with columns="by name"'
    require({*layout.optional} <= {*named}, f"optional {of}", layout.optional, allowed)


def validate_query(query: Query, stream: Stream) -> None:
    """WrongParameter for the first column that the stream doesn't have, or values of types that don't fit."""
    types = {column.name: column.type for column in stream.columns}
    _require_columns("key", query.key, types, stream)
    for name, aggregate in query.aggregates.items():
        _require_columns(f"aggregates[{name!r}]", aggregate.read_columns, types | TIMES, stream)
        for value in aggregate.values:
            require_value(f"aggregates[{name!r}]", value, types | TIMES)
    if isinstance(query, Model):
        _require_columns(query.function.function, query.function.columns, types, stream)
        for column in query.function.columns:
            what = f"a column of numbers ({', '.join(NUMBERS)}), not of type {types[column]}"
            require(types[column] in NUMBERS, query.function.function, column, what)
    for given, condition in query.conditions:
        _require_columns("where", condition.columns, types | TIMES, stream)
        require_condition("where", given, condition, types | TIMES)


def require_value(parameter: str, value: AggregatedValue, types: Types) -> str:
    """The type of what an aggregate reads. WrongParameter where its filter is no condition, or parts of it are of types
    that don't fit."""
    if value.where is not None:
        require_condition(parameter, value.where, value.condition, types)
    found = _type_of(parameter, value.value, value.expression, types)
    if found is None and not isinstance(value.expression, ColumnValue):
        raise WrongParameter(parameter, value.value, "an expression with a type, which NULL has not")
    return found or "null"


def require_condition(parameter: str, given: object, condition: Expression, types: Types) -> None:
    """WrongParameter for values of types that don't fit, and for what is neither true nor false."""
    _type_of(parameter, given, AllOf((condition,)), types)


def _type_of(parameter: str, given: object, expression: Expression, types: Types) -> str | None:
    try:
        return expression.type_in(types)
    except TypeError as unfit:
        raise WrongParameter(parameter, given, str(unfit)) from None


def _require_columns(parameter: str, columns: Iterable[str], known: Iterable[str], stream: Stream) -> None:
    for column in columns:
        if column not in known:
            raise WrongParameter(parameter, column, f"a column of stream {stream.name!r}: {', '.join(known)}", known)


def require_idle_after(value: object) -> None:
    """None, or from a minute to less than a day: each silent day then has a heartbeat, and 1,439 at most."""
    allowed = "a timedelta from 1 minute to less than 1 day, or None for a watermark that only events move"
    right = value is None or (isinstance(value, timedelta) and LEAST_SILENCE <= value < DAY)
    require(right, "idle_after", value, allowed)
