"""A query's tables beside its results: what a run leaves for the next day's, where windows depend on their key's other
events; and what each lateness would have made of its rows, the lateness curve (semantics §3)."""

from windrow.schemas.query import NOWCAST_FACTS, Aggregate, Query
from windrow.schemas.stream import Column, Stream
from windrow.schemas.tables import EMITTED_DATE, WINDOW_COLUMNS, WINDOW_NAMED, Table, key_columns, required
from windrow.schemas.validation import TIMES

CARRIED = "carried_state"


def state_name(query: str) -> str:
    """The table's name, by the query's."""
    return f"state_{query}"


def state_table(query: Query, stream: Stream) -> Table:
    """By day and key all that later days depend on; what the watermark has passed is not in it."""
    return Table(
        state_name(query.name),
        f"State that each run of {query.name} leaves for the run of the next day",
        (
            *key_columns(query, stream),
            required(
                CARRIED,
                "binary",
                "int64 words, the least byte first, as the kernel wrote them: what the state belongs to, the events "
                "that can share a window with later events, and the windows that can still change",
            ),
            required("logical_date", "date", "day of the run that left this state, UTC"),
            required("bucket", "int64", "bucket of silver that the key is in; 0 where a key is in several"),
        ),
        partition_by=("logical_date", "bucket"),
        sort_by=query.key,
    )


PANE_STATE, PANE_EVENTS = "pane_state", "pane_events"
FOLDED = {"count": "count", "sum": "sum", "mean": "sum", "min": "min", "max": "max"}
"""Aggregates whose recounts in panes can be put together, and the function of SQL that counts one."""
RECOUNTED_AS = {**dict.fromkeys(("int64", "bool", "timestamp", "date"), "int64"), "float64": "float64"}
"""Types of columns, and that of numbers by which the gate counts them again. Strings have none."""
PARTITION = ("arrival_date", "made_of", "holds")
NOTHING = "0"
"""What a partition of panes holds that has no rows."""


def panes_name(query: str) -> str:
    """The table's name, by the query's."""
    return f"panes_{query}"


def recounted_names(query: Query) -> dict[str, tuple[str, str, str]]:
    """By aggregate: the columns of its plain recount in a pane, of how many values that is, and of their magnitude."""
    return {
        name: (f"recounted_{place}", f"values_{place}", f"magnitude_{place}")
        for place, name in enumerate(query.aggregates)
    }


def why_not_folded(query: Query, stream: Stream) -> str | None:
    """Why what is counted again in panes of a query can't be put together; None where it can."""
    if type(query) is not Query:
        return "only those of plain queries are kept"
    if query.emit == "arrival":
        return "with emit 'arrival' a revision depends on each arrival"
    for name, each in query.aggregates.items():
        if each.function not in FOLDED or _recounted_as(each, stream) is None:
            return f"{name} can't be counted again by panes"
    return None


def _recounted_as(aggregate: Aggregate, stream: Stream) -> str | None:
    if aggregate.function == "count":
        return "int64"
    types = {column.name: column.type for column in stream.columns} | TIMES
    return RECOUNTED_AS.get(aggregate.values[0].expression.type_in(types) or "")


def panes_table(query: Query, stream: Stream) -> Table:
    """By arrival day, key and pane what later runs need of the day's events, of a query whose recount can be put
    together. It can be removed at any time: runs make it again."""
    recounted = []
    for name, (value, values, magnitude) in recounted_names(query).items():
        what = f"plain recount of {name}: of a sum or mean the sum, of an extreme that"
        recounted += [
            Column(value, _recounted_as(query.aggregates[name], stream) or "", f"{what}; null without values"),
            required(values, "int64", f"how many values the recount of {name} is of"),
            Column(magnitude, "float64", f"sum of the magnitudes of the values of {name}; null without any"),
        ]
    return Table(
        panes_name(query.name),
        f"States of the panes of {query.name} by arrival day, from which later runs go on",
        (
            *key_columns(query, stream),
            required("start", "timestamp", "start of the pane, UTC"),
            required(PANE_EVENTS, "int64", "events that arrived on the day and lie in the pane"),
            required(PANE_STATE, "binary", "int64 words, the least byte first, as the kernel combined these events"),
            *recounted,
            required("arrival_date", "date", "day of arrival, UTC"),
            required("made_of", "string", "digest of that day's silver, and of what is asked of it"),
            required("holds", "string", "digest of the rows"),
        ),
        partition_by=PARTITION,
        sort_by=(*query.key, "start"),
    )


def lateness_name(query: str) -> str:
    """The table's name, by the query's."""
    return f"lateness_{query}"


def lateness_table(query: str, several_windows: bool = False) -> Table:
    """By lateness, of several windows by their names too; made anew as a whole by each `windrow whatif`."""
    named = (WINDOW_NAMED,) if several_windows else ()
    return Table(
        lateness_name(query),
        f"How complete and how late the rows of {query} would have been with each lateness, over the given days",
        (
            required("query", "string", "name of the query"),
            *named,
            required("lateness_seconds", "float64", "how long the watermark stays behind the newest event start", "s"),
            required("windows", "int64", "windows that hold events; the same for every lateness"),
            required("complete_share", "float64", "share of the windows whose row on time had all of their events"),
            required(
                "on_time_share",
                "float64",
                "share of the events that were on time; an event counts once for each of its windows",
            ),
            required("late_events", "int64", "late events; an event counts once for each window that it is late for"),
            Column(
                "delay_mean_seconds",
                "float64",
                "mean time from a window's end to its row on time, of windows that passed; null without any",
                "s",
            ),
            Column(
                "delay_median_seconds",
                "float64",
                "median of the same time, on which gaps weigh less; null without any",
                "s",
            ),
            required("is_own", "bool", "whether it is the lateness of the query's definition"),
            required("is_recommended", "bool", "whether it is the least in whole seconds that makes enough complete"),
            required("complete_asked", "float64", "the share of complete windows that the recommendation is for"),
            required("first_arrival_day", "date", "the first arrival day whose events were looked at, UTC"),
            required("last_arrival_day", "date", "the last one, with which the stream is taken to end, UTC"),
        ),
        sort_by=(*(column.name for column in named), "lateness_seconds"),
    )


def nowcast_name(query: str) -> str:
    """The table's name, by the query's."""
    return f"{query}_nowcast"


def nowcast_table(query: Query, stream: Stream) -> Table:
    """By row of the query's table what its final values were expected to be, by what was known when its day began."""
    of_row = (*query.window_identity, "revision", "pane", "emitted_at")
    age, rests_on = NOWCAST_FACTS
    estimated = []
    for name in query.additive:
        of = "null without enough history"
        estimated += [
            Column(f"{name}_expected", "float64", f"expected final value of {name}; {of}"),
            Column(f"{name}_low", "float64", f"least final value of {name} in the 90 % interval; {of}"),
            Column(f"{name}_high", "float64", f"greatest final value of {name} in the 90 % interval; {of}"),
        ]
    return Table(
        nowcast_name(query.name),
        f"For each row of {query.name} the values that were expected to be final, with their 90 % intervals",
        (
            *key_columns(query, stream),
            *(column for column in WINDOW_COLUMNS if column.name in of_row),
            required(age, "float64", "emitted_at minus window_end; below zero for a row before the window's end", "s"),
            required(rests_on, "int64", "earlier rows of the same pane and about the same age that it rests on"),
            *estimated,
            EMITTED_DATE,
        ),
        partition_by=("emitted_date",),
        sort_by=(*query.window_identity, "revision"),
    )
