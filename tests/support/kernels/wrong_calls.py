"""Rounds over calls of whole columns: replays, answers after each event, heavy functions (wrong_hands.py)."""

from datetime import timedelta

import numpy as np

from tests.support.kernels.columns import columns_of
from tests.support.kernels.hands import damaged
from tests.support.kernels.wrong_hands import RIGHT, Hands, Wrong, round_of
from windrow.kernels.api import (
    AggregatePlan,
    CallLimits,
    EventColumns,
    KernelChoice,
    PassTicks,
    ReplayRules,
    ResultRows,
    WindowSpec,
    replay_keys,
)
from windrow.kernels.farm.given_windows import ComputeOptions, TuplesOfKeys, WindowsOfKeys, compute_windows
from windrow.kernels.farm.once import compute_once
from windrow.kernels.monoids import AggregateSpec
from windrow.kernels.per_event import KeyedEvents, answer_per_event
from windrow.schemas.windows import Session

SUM = AggregatePlan((AggregateSpec("count"), AggregateSpec("sum", 0)))
LAST = 10**6
SIZE = 10
KINDS = {kind: WindowSpec(kind, SIZE, 5) for kind in ("tumbling", "sliding", "spanning")}
SESSIONS = WindowSpec("session", 6, asked=Session(timedelta(microseconds=6)))


def events_of_keys(hands: Hands, first: int = 0) -> EventColumns:
    """Events that last, of two keys."""
    chance, keys = hands.rng.randrange, []
    for _ in range(2):
        arrivals = sorted(first + 40 + chance(20) for _ in range(chance(8)))
        starts = [chance(first, first + 40) for _ in arrivals]
        keys.append([(start, at, chance(9), start + chance(12)) for start, at in zip(starts, arrivals, strict=True)])
    columns = columns_of(*keys)
    return columns if columns.end_us is not None else columns._replace(end_us=columns.start_us)


def rows_of(found) -> list:
    return list(zip(*(each.tolist() for each in (found.key, found.window_start, *found.outputs)), strict=True))


@round_of("replays")
def replays(hands: Hands) -> None:
    kind = hands.rng.choice(list(KINDS))
    columns, ticks = events_of_keys(hands), PassTicks(np.array([40]), np.array([0]))
    given = *ticks, *columns[: 6 if kind == "spanning" else 5]

    def replayed(tick_us, newest_us, *events) -> ResultRows:
        rules = ReplayRules(0, 0, "final", complete_tick_us=LAST)
        return replay_keys(EventColumns(*events), KINDS[kind], SUM, PassTicks(tick_us, newest_us), rules)

    wanted = rows_of(replayed(*given))
    for _ in range(6):
        came, found = hands.call(replayed, *given)
        if came == RIGHT:
            hands.require(rows_of(found), wanted)
    _with_junk(hands, columns, ticks)


def _with_junk(hands: Hands, columns: EventColumns, ticks: PassTicks) -> None:
    """A parameter that is none: any error of ours, or any answer."""
    rng, junk = hands.rng, hands.junk
    for _ in range(4):
        window = rng.choice((*KINDS.values(), SESSIONS))
        window = window._replace(**{rng.choice(window._fields): junk()})
        rules = ReplayRules(0, 0, "final", complete_tick_us=LAST, limits=CallLimits(most_rows=1000))
        rules = rules._replace(**{rng.choice(rules._fields): junk()}) if rng.random() < 0.5 else rules
        spec = AggregateSpec("sum", 0)._replace(**{rng.choice(AggregateSpec._fields): junk()})
        plan = rng.choice((SUM, AggregatePlan((spec,)), junk()))
        kernel = rng.choice((None, KernelChoice("finger_tree"), KernelChoice(junk()), junk()))
        hands.plainly(replay_keys, columns, window, plan, ticks, rules, kernel)


@round_of("replays that go on")
def replays_that_go_on(hands: Hands) -> None:
    columns, later = events_of_keys(hands), events_of_keys(hands, 50)
    nothing = [np.zeros(0, np.int64)] * 2
    rules = ReplayRules(0, 0, "final", limits=CallLimits(most_rows=1000), carried=nothing)
    left = replay_keys(columns._replace(end_us=None), SESSIONS, SUM, PassTicks(np.array([60]), np.array([9])), rules)
    ticks = PassTicks(np.array([60, 95]), np.array([9, 80]))

    def go_on(words: list) -> tuple[bool, object]:
        return hands.plainly(
            replay_keys, later._replace(end_us=None), SESSIONS, SUM, ticks, rules._replace(carried=words)
        )

    wanted = go_on(list(left.carried))[1]
    for _ in range(6):
        at = hands.rng.randrange(2)
        words = list(left.carried)
        if len(words[at]):
            words[at] = damaged(hands.rng, words[at])
            took, found = go_on(words)
            if took and not np.array_equal(words[at], left.carried[at]) and len(words[at]):
                raise Wrong(f"damaged words were taken: {words[at]}")
        took, found = go_on(list(left.carried))
        hands.require(rows_of(found), rows_of(wanted))
        hands.plainly(replay_keys, later, SESSIONS, SUM, ticks, rules._replace(carried=hands.junk()))


@round_of("answers after each event")
def answers_after_each_event(hands: Hands) -> None:
    columns, specs = events_of_keys(hands), (AggregateSpec("count"), AggregateSpec("sum", 0))
    given = *columns[:2], *columns[3:5]
    wanted = answer_per_event(KeyedEvents(*given), SIZE, specs).outputs.tolist()
    for _ in range(6):
        came, found = hands.call(lambda *given: answer_per_event(KeyedEvents(*given), SIZE, specs), *given)
        if came == RIGHT:
            hands.require(found.outputs.tolist(), wanted)
    hands.plainly(answer_per_event, KeyedEvents(*given), hands.junk(), specs)
    hands.plainly(answer_per_event, KeyedEvents(*given), SIZE, specs, hands.junk())


@round_of("heavy functions")
def heavy_functions(hands: Hands) -> None:
    times, values = np.arange(12), np.array([[hands.rng.random() for _ in range(12)]])
    wanted = compute_once("median_deviation", times, values).outputs
    windows = WindowsOfKeys(np.zeros(3, np.int64), np.array([0, 4, 8]), np.array([4, 8, 12]), np.full(3, 100))
    tuples = TuplesOfKeys(np.array([0, 12]), times, times, np.full(12, -(1 << 61)), np.ones(12, bool), values)
    for _ in range(3):
        came, found = hands.call(lambda *given: compute_once("median_deviation", *given), times, values)
        if came == RIGHT:
            hands.require(found.outputs, wanted)
        came, found = hands.call(
            lambda *given: compute_windows(
                "median_deviation", {}, TuplesOfKeys(*given[:6]), WindowsOfKeys(*given[6:]), ComputeOptions(1)
            )[0],
            *tuples,
            *windows,
        )
        if came == RIGHT:
            hands.require(found.tuples.tolist(), [4, 4, 4])
    hands.plainly(compute_once, hands.junk(), times, values)
    hands.plainly(compute_once, "median_deviation", times, values, hands.junk())
