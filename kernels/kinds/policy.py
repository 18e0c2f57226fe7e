"""Policy windows (MTA §3.2, §4.1.3): one a tuple, of those that the user's policy has left.

policy: all but the newest once there are more than 2        tuples  1  2  3  4        windows [1] [1 2] [3] [3 4]
"""

import inspect

import numpy as np

from windrow.kernels.frames._ordered import OrderedEntry
from windrow.kernels.kinds._dependent import TriggeredKind, tuple_window
from windrow.kernels.objects.kernel_object import RESULT_BYTES, lower_state, output_results, python_values
from windrow.kernels.objects.predicates import FAILED, Predicate
from windrow.kernels.replay.context import Replay
from windrow.kernels.replay.dependent.triggered import TupleWindow, move_tail, tail_entry, trigger
from windrow.kernels.replay.stop import REFUSED
from windrow.kernels.runtime.fields import Address
from windrow.kernels.runtime.memory import WORD_BYTES, address_of
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.tables import lazy_table
from windrow.kernels.states import clear, gather, merge
from windrow.kernels.states.state_plan import make_plan
from windrow.schemas.syntax import hash_of


class PolicyWindow(TupleWindow):
    """out(total, prefix, parameters) → 1: the prefix goes, 0, or FAILED; prefix, part: room for a state of what it
    reads."""

    out: Operation(Address, Address, Address)
    parameters: Address
    prefix: Address
    part: Address


def step(r: Replay, entry: OrderedEntry):
    """O(log tuples + those that go)."""
    window, walk, ranks = PolicyWindow(r.window.address), r.dependent.walk, r.events.ranks
    plan, oldest = window.looked_at, tail_entry(walk)
    if r.dependent.refused == FAILED:  # the question that failed is asked again, in plain Python
        return 0
    total = r.kernel.range_query(walk.policy_panes, ranks[oldest.row], ranks[entry.row] + 1)
    clear(plan, window.prefix)
    while walk.here.tail_row != entry.row:
        oldest = tail_entry(walk)
        gather(plan, window.part, r.events.columns, oldest.row, oldest.row + 1)
        merge(plan, window.prefix, window.prefix, window.part)
        answer = window.out(total, window.prefix, window.parameters)
        if answer == FAILED:
            r.dependent.refused, r.dependent.refused_row = FAILED, entry.row
            r.stop.asked = REFUSED
        if answer != 1:
            break
        move_tail(walk)
    if walk.here.tail_row == entry.row:
        return 0
    oldest = tail_entry(walk)
    trigger(walk.here, (oldest.time, entry.time + 1), oldest, entry)
    return 1


steps = lazy_table(TupleWindow, "policy_steps", step)


def _source_of(function) -> str:
    """A hash of what the code of a policy says, by which it is known that it was edited."""
    try:
        source = inspect.getsource(inspect.getmodule(function) or function)
    except (OSError, TypeError):  # one that no file has
        source = repr(function.__code__.co_code)
    return hash_of([("policy", source.encode())])


class CompiledPolicy:
    """A policy with values for its parameters, over columns of known places; it must live as long as its window."""

    def __init__(self, name: str, out, values: tuple, names: tuple[str, ...], specs):
        self._names, self.plan = names, make_plan(specs, counts_events=False)
        self._answers = np.zeros((self.plan.layout.slot_count, RESULT_BYTES // WORD_BYTES), np.int64)
        self.states = [np.zeros(self.plan.layout.state_words, np.int64) for _ in range(2)]

        def policy(total, prefix):
            return out(total, prefix, *values)

        self.predicate = Predicate(f"policy {name}", policy, names, self.plan, self._lowered)

    def _lowered(self, state: int) -> dict:
        """What the policy sees of the state at an address."""
        lower_state(self.plan.address, state, address_of(self._answers))
        values = python_values(self.plan, output_results(self.plan, self._answers))
        return dict(zip(self._names, values, strict=True))


class PolicyKind(TriggeredKind):
    """Windows that end with each tuple."""

    def source_digest(self, window):
        return _source_of(window.policy.out)

    def make(self, spec, extent):
        asked = spec.asked
        compiled = CompiledPolicy(asked.name, asked.policy.out, asked.values, tuple(asked.reads), spec.reads)
        prefix, part = map(address_of, compiled.states)
        asks = {"out": compiled.predicate.address, "parameters": compiled.predicate.parameters}
        made = tuple_window(PolicyWindow, steps(), looked_at=compiled.plan.layout, prefix=prefix, part=part, **asks)
        object.__setattr__(made, "_kept", [made._kept, compiled])
        return made

    def select(self, choice, columns, made, spec, plan):
        [_, compiled] = made._kept
        selection = super().select(choice, columns, made, spec, plan)
        return selection._replace(require_replayed=lambda status, row: compiled.predicate.require_answers())


KIND = PolicyKind()
