"""What the replay asks: which aggregates of a plan are order statistics, and their answers of all rows, from values as
ranks among the different values of their key.

key    a  a  a  b  b          values   3 7 │ 5
value  7  3  7  5  null       ranks    1 0 1  0
"""

from typing import NamedTuple

import numpy as np

from windrow.kernels.monoid import AggregateSpec, OrderStatistic
from windrow.kernels.monoids import find_monoid, output_type, parameter_values
from windrow.kernels.replay.late import FOREVER_US, Arrived
from windrow.kernels.replay.types import AggregatePlan, EventColumns, Labels, PassTicks, ReplayRules, ResultRows
from windrow.kernels.runtime.fields import LARGEST
from windrow.kernels.runtime.memory import address_of, as_word
from windrow.kernels.states.order_statistics import NO_KEY, MovingContent, statistic_table
from windrow.schemas.errors import AggregateFailed, TooManySeconds

ROWS_A_CALL = 1 << 14
"""Between two calls a replay can be ended."""


class KeyedTimes(NamedTuple):
    """int64[events] each, key by key in order of arrival: the event's key; windows that end behind `enters` and start
    by `leaves` hold it; when it arrived; is_late: whether the watermark had passed it."""

    key: np.ndarray
    enters: np.ndarray
    leaves: np.ndarray
    arrivals: np.ndarray
    is_late: np.ndarray


def order_codes(words: np.ndarray) -> np.ndarray:
    """Of floats by their bits, codes in their order (_order_code.value_code), in which −0.0 is 0.0."""
    bits = (words.view(np.float64) + 0.0).view(np.int64)
    return np.where(bits >= 0, bits, bits ^ LARGEST)


def ranked(key: np.ndarray, keys: int, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(rank of each value, the different values of all keys, where those of each key begin)."""
    order = np.lexsort((codes, key))
    sorted_keys, sorted_codes = key[order], codes[order]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = (sorted_keys[1:] != sorted_keys[:-1]) | (sorted_codes[1:] != sorted_codes[:-1])
    first_value = np.searchsorted(sorted_keys[is_new], np.arange(keys + 1))
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.cumsum(is_new) - 1 - first_value[sorted_keys]
    return ranks, sorted_codes[is_new], first_value


class ReplayedEvents(NamedTuple):
    """Events with the watermark that they met, and the rows that the replay made of them."""

    columns: EventColumns
    ticks: PassTicks
    rules: ReplayRules
    rows: ResultRows


def is_order_statistic(spec: AggregateSpec) -> bool:
    """Whether an aggregate is asked of all values, not of states."""
    return isinstance(find_monoid(spec)[1], OrderStatistic)


def of_states(plan: AggregatePlan) -> AggregatePlan:
    """The plan's aggregates that states answer."""
    return AggregatePlan(tuple(spec for spec in plan.aggregates if not is_order_statistic(spec)))


def with_order_statistics(asked: ReplayedEvents, plan: AggregatePlan) -> ResultRows:
    """The rows, whose outputs are those of `of_states(plan)`, with all outputs of the plan. TooManySeconds.

    O((events + steps) log values + rows log values), steps being the events that differ between a row and the next.
    """
    if all(not is_order_statistic(spec) for spec in plan.aggregates):
        return asked.rows
    rows, from_states = asked.rows, iter(zip(asked.rows.outputs, asked.rows.null, strict=True))
    times, of_columns, found = _keyed_times(asked), {}, []
    for spec in plan.aggregates:
        if not is_order_statistic(spec):
            found.append(next(from_states))
            continue
        read = (spec.column, spec.column_type)
        if read not in of_columns:
            of_columns[read] = _content(asked, times, spec)
        found.append(_answers(asked, of_columns[read], spec))
    words, nulls = (np.array(each) for each in zip(*found, strict=True))
    types = tuple(map(output_type, plan.aggregates))
    return rows._replace(outputs=words, null=nulls.astype(np.bool_), output_types=types)


def _keyed_times(asked: ReplayedEvents) -> KeyedTimes:
    columns = asked.columns
    key = np.repeat(np.arange(len(columns.key_offsets) - 1), np.diff(columns.key_offsets))
    start_us, arrival_us = columns.start_us, columns.arrival_us
    last_us = start_us if columns.end_us is None else np.maximum(columns.end_us - 1, start_us)
    arrived = Arrived.of(key, start_us, last_us, arrival_us, asked.ticks, asked.rules)
    # A window that ended before the event came has missed it.
    enters_us = np.maximum(start_us, arrived.reached_us)
    return KeyedTimes(key, enters_us, last_us, arrival_us, (start_us < arrived.watermark_us).astype(np.int8))


def _answers(asked: ReplayedEvents, content: MovingContent, spec: AggregateSpec) -> tuple[np.ndarray, np.ndarray]:
    name, statistic = find_monoid(spec)
    rows, table = asked.rows, statistic_table(spec.function, name)
    words, nulls = np.zeros(len(rows.key), np.int64), np.zeros(len(rows.key), np.bool_)
    memory = np.zeros(statistic.memory_words * content.most_height + 1, np.int64)
    content.key, content.memory_words = NO_KEY, statistic.memory_words
    content.answers, content.nulls, content.held.memory = map(address_of, (words, nulls, memory))
    for place, value in enumerate(parameter_values(spec, statistic)):
        content.held.parameters[place] = as_word(value) if isinstance(value, float) else value
    for first in range(0, len(rows.key), ROWS_A_CALL):
        if asked.rules.limits.stop is not None and asked.rules.limits.stop[0]:
            raise TooManySeconds
        failed = table.answer_rows(content.address, first, min(first + ROWS_A_CALL, len(rows.key)))
        if failed >= 0:
            row = (rows.key, rows.window_start, rows.window_end, rows.emitted_at)
            raise failure_of(spec, asked.columns.labels, *(int(each[failed]) for each in row))
    return words, nulls


def failure_of(spec: AggregateSpec, labels: Labels, key: int, start: int, end: int, tick: int) -> AggregateFailed:
    where = f"{labels.column(spec.column)} for {labels.key(key)}, window [{labels.time(start)}, {labels.time(end)})"
    values = labels.values(spec.column, key, start, end, tick)
    return AggregateFailed(spec.function, where, find_monoid(spec)[1].failure + values)


def _content(asked: ReplayedEvents, times: KeyedTimes, spec: AggregateSpec) -> MovingContent:
    """The events that have a value in the column that an aggregate reads, ranked among the different values of their
    key, and the rows. O(events log events)."""
    columns, rows = asked.columns, asked.rows
    keys, words, valid = len(columns.key_offsets) - 1, columns.values[spec.column], columns.valid[spec.column]
    held = KeyedTimes(*(np.ascontiguousarray(each[valid]) for each in times))
    codes = order_codes(words[valid]) if spec.column_type == "float64" else words[valid]
    ranks, values, first_value = ranked(held.key, keys, codes)
    first_of_key = np.searchsorted(held.key, np.arange(keys + 1))
    return MovingContent.make(
        most_height=1 << max(0, int(np.diff(first_value).max(initial=1)) - 1).bit_length(),
        ranks=ranks,
        enters=held.enters,
        leaves=held.leaves,
        arrivals=held.arrivals,
        is_late=held.is_late,
        by_enter=np.lexsort((held.enters, held.key)),
        by_leave=np.lexsort((held.leaves, held.key)),
        by_arrival=np.lexsort((held.is_late, held.key)),
        first_of_key=first_of_key,
        first_late=first_of_key[:keys] + np.bincount(held.key[held.is_late == 0], minlength=keys),
        first_value=first_value,
        values=values,
        row_keys=rows.key,
        starts=rows.window_start,
        ends=rows.window_end,
        known_at=rows.emitted_at,
        on_time_until=_on_time_until(asked),
    )


def _on_time_until(asked: ReplayedEvents) -> np.ndarray:
    """By row the last arrival of events on time that counts. When a window's end has passed, all of these have come; so
    only rows from before that need a bound."""
    rows, rules = asked.rows, asked.rules
    if rules.emit != "arrival":
        return np.full(len(rows.key), FOREVER_US)
    ticks = np.append(asked.ticks.tick_us, FOREVER_US)
    marks = np.asarray(asked.ticks.newest_start_us, np.int64) - rules.lateness_us
    return np.minimum(rows.emitted_at, ticks[np.searchsorted(marks, rows.window_end, "left")])
