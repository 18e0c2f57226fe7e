"""The public face of the replay: checks once, calls the compiled loop, names what went wrong."""

import numpy as np

from kernels.memory import lend
from kernels.monoids import find_monoid
from kernels.plan import Plan, make_plan
from kernels.replay import context
from kernels.replay.checks import check_columns, check_rules, check_ticks
from kernels.replay.choice import RANK_TREE, choose
from kernels.replay.emit import ROW_NULLS, ROW_OUTPUTS
from kernels.replay.loop import replay, take_rows
from kernels.replay.roster import Roster, make_roster
from kernels.replay.types import (
    AggregatePlan,
    EventColumns,
    KernelChoice,
    Labels,
    PassTicks,
    ReplayRules,
    ResultRows,
    WindowSpec,
)
from kernels.windows.make import make_window
from schemas.errors import AggregateFailed, WrongParameter

EMITS = ("final", "watermark", "arrival")
MOST_AGGREGATES = 63
LEAST_PATIENCE = 32
"""Windows in a row that ask the structure before a walk makes a front (walk.py); tests make do with none."""


def replay_keys(
    columns: EventColumns,
    window: WindowSpec,
    plan: AggregatePlan,
    ticks: PassTicks,
    rules: ReplayRules,
    kernel: KernelChoice | None = None,
) -> ResultRows:
    """Replay many keys through one window (semantics §1-§3) and return every row whose tick is reached.

    Too-late events change nothing here; telling them is the late table's work. Sort order, shapes and units:
    see types.py. Raises WrongParameter for a parameter that is not allowed, NotServed for a window, aggregate
    or kernel that is not served, BadInput for columns that break their contract (it names the event),
    AggregateFailed for a sum beyond int64. Time O(events · log d + rows · log panes) with d the number of
    panes that an event arrives behind, by the kernels that are chosen if none is named; releases the GIL.
    """
    check_rules(rules, EMITS)
    check_ticks(ticks)
    columns = check_columns(columns, len(columns.values), rules, window.kind == "spanning")
    if len(plan.aggregates) > MOST_AGGREGATES:
        raise WrongParameter("aggregates", len(plan.aggregates), f"at most {MOST_AGGREGATES} in one query")
    states = make_plan(tuple(plan.aggregates))
    _check_plan(states, len(columns.values))
    choice = kernel or KernelChoice(None)
    if choice.name != RANK_TREE:
        choice = choose(window, plan, choice.name, dict(choice.options))
    starts = columns.start_us
    extent = (int(starts.min()), int(starts.max())) if len(starts) else (0, -1)
    made = make_window(window, *extent)
    roster = make_roster(choice, columns, window, states)
    return _run(columns, made, states, _steps(ticks, rules), rules, roster)


def _check_plan(states: Plan, columns: int) -> None:
    for spec in states.specs:
        for column in (spec.column, spec.second):
            if column is not None and not 0 <= column < columns:
                raise WrongParameter(f"column of {spec.function}", column, f"0 to {columns - 1}, or None for count")


def _steps(ticks: PassTicks, rules: ReplayRules) -> tuple[np.ndarray, np.ndarray]:
    """Ticks and watermarks; the completing tick is the last step and takes the watermark to infinity."""
    step_ticks = np.array(ticks.tick_us, np.int64)
    marks = np.array(ticks.newest_start_us, np.int64) - rules.lateness_us
    if rules.complete_tick_us is None:
        return step_ticks, marks
    before = np.searchsorted(step_ticks, rules.complete_tick_us, "left")
    return np.append(step_ticks[:before], rules.complete_tick_us), np.append(marks[:before], context.FOREVER)


def _run(columns, window, states, steps, rules, roster) -> ResultRows:
    """Lay out the context block and call the compiled loop. Every array named here lives until the call returns."""
    events = [lend(columns.values), lend(columns.valid), columns.values.shape[1], lend(columns.start_us)]
    source = np.array(events, np.int64)
    words = {
        context.WINDOW: lend(window.words),
        context.PLAN: lend(states.block),
        context.OUTPUTS: lend(states.outputs),
        context.OUTPUT_COUNT: len(states.outputs),
        context.EMIT: EMITS.index(rules.emit),
        context.LATENESS: rules.lateness_us,
        context.ALLOWED: rules.allowed_us,
        context.STARTS: lend(columns.start_us),
        context.ENDS: 0 if columns.end_us is None else lend(columns.end_us),
        context.ARRIVALS: lend(columns.arrival_us),
        context.SOURCE: lend(source),
        context.STEP_TICKS: lend(steps[0]),
        context.STEP_MARKS: lend(steps[1]),
        context.STEPS: len(steps[0]),
        context.LEAST_PATIENCE: LEAST_PATIENCE,
        context.KERNELS: len(roster.names),
        context.RECORDS: lend(roster.records),
        context.KERNEL_OF_KEY: lend(roster.of_key),
        context.RANKS: lend(roster.ranked.ranks),
        context.ASCENDING: lend(roster.ranked.ascending),
    }
    block = np.zeros(context.CONTEXT_WORDS, np.int64)
    block[list(words)] = list(words.values())
    offsets = columns.key_offsets
    used = replay(lend(block), lend(offsets), len(offsets) - 1)
    words = ROW_OUTPUTS + len(states.outputs)
    rows = np.empty((words, used // words), np.int64)
    take_rows(lend(block), lend(rows), words)
    _raise_failure(block, states, columns.labels)
    return _result(rows, states, roster)


def _raise_failure(block: np.ndarray, states: Plan, labels: Labels) -> None:
    failed, start, end, key = (int(word) for word in block[context.FAILED:context.FAILED_KEY + 1])
    if failed:
        spec = states.specs[failed - 1]
        window = f"[{labels.time(start)}, {labels.time(end)})"
        where = f"{labels.column(spec.column)} for {labels.key(key)}, window {window}"
        raise AggregateFailed(spec.function, where, find_monoid(spec)[1].failure)


def _result(rows: np.ndarray, states: Plan, roster: Roster) -> ResultRows:
    """The rows' words, one array per word, as ResultRows."""
    outputs = rows[ROW_OUTPUTS:]
    null = (rows[ROW_NULLS] >> np.arange(len(outputs))[:, None] & 1).astype(np.bool_)
    return ResultRows(*rows[:ROW_NULLS], outputs, null, states.output_types, roster.counted())
