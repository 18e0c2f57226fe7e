"""Several aggregates as one state: a plan (which monoids, where their words stand) and the operations on such
states.

Which monoid runs is decided while running, by a switch made from what is in kernels/monoids, not by a type: one
compiled kernel then serves every query. The price is a jump per aggregate and range of states; a kernel compiled per
combination of aggregates costs its user ten seconds and more at the first query of each combination.

A plan is a block of words: number of slots, words of a state, 1 if all are commutative, then per slot: code
    of the monoid,
byte offset of its words in a state, column (-1: none). Slot 0 counts events. Equal aggregates of a query
share a slot. Source blocks of `gather`: address of values, address of validity, rows.
"""

from typing import NamedTuple

import numpy as np

from kernels.memory import WORD_BYTES, inner, load, load_byte, not_inlined, store
from kernels.monoids import AggregateSpec, every_monoid, find_monoid, output_type

SLOTS, STATE_WORDS, COMMUTATIVE, FIRST_SLOT, SLOT_WORDS = 0, 1, 2, 3, 3
EVENTS = AggregateSpec("count")


class Plan(NamedTuple):
    """block: int64 words as above; outputs: slot of each aggregate; output_types: their types; specs: the
    aggregates."""

    block: np.ndarray
    outputs: np.ndarray
    output_types: tuple[str, ...]
    specs: tuple[AggregateSpec, ...]

    @property
    def state_words(self) -> int:
        return int(self.block[STATE_WORDS])


def make_plan(specs: tuple[AggregateSpec, ...]) -> Plan:
    """The plan of some aggregates, with the count of events in front. Raises as find_monoid."""
    slots = list(dict.fromkeys([EVENTS, *specs]))
    words, offset, commutative = [], 0, True
    for spec in slots:
        code, monoid = find_monoid(spec)
        words += [code, offset * WORD_BYTES, -1 if spec.column is None else spec.column]
        offset += monoid.words
        commutative = commutative and monoid.commutative
    block = np.array([len(slots), offset, int(commutative), *words], np.int64)
    outputs = np.array([slots.index(spec) for spec in specs], np.int64)
    return Plan(block, outputs, tuple(output_type(spec) for spec in specs), tuple(specs))


def _words(name: str, words: int) -> str:
    return "(" + "".join(f"load({name}, {word}), " for word in range(words)) + ")"


def _stores(target: str, words: int, indent: str) -> str:
    return "".join(f"{indent}store({target}, {word}, state[{word}])\n" for word in range(words))


def _clear_case(code, monoid):
    return f"            state = identity_{code}()\n" + _stores("target", monoid.words, " " * 12)


def _fold_case(code, monoid):
    return (f"            state = {_words('target', monoid.words)}\n"
            "            source = first + offset\n"
            "            for _ in range(states):\n"
            f"                state = combine_{code}(state, {_words('source', monoid.words)})\n"
            "                source += stride\n" + _stores("target", monoid.words, " " * 12))


def _merge_case(code, monoid):
    older, newer = _words("older + offset", monoid.words), _words("newer + offset", monoid.words)
    return f"            state = combine_{code}({older}, {newer})\n" + _stores(
        "target", monoid.words, " " * 12
    )


def _gather_case(code, monoid):
    return (
        f"            state = identity_{code}()\n"
        "            for row in range(first, end):\n"
        "                at = column * rows + row\n"
        "                if column < 0:\n"
        f"                    state = combine_{code}(state, lift_{code}(0))\n"
        "                elif load_byte(valid, at) == 1:\n"
        f"                    state = combine_{code}(state, lift_{code}(load(values, at)))\n"
        + _stores("target", monoid.words, " " * 12)
    )


def _lower_case(code, monoid):
    return f"            return lower_{code}({_words('target', monoid.words)})\n"


def _switch(case) -> str:
    """An if chain over the codes of all monoids; the last one needs no test."""
    monoids = [monoid for _, monoid in every_monoid()]
    text = ""
    for code, monoid in enumerate(monoids):
        word = "if" if code == 0 else "elif"
        test = "        else:\n" if code == len(monoids) - 1 else f"        {word} code == {code}:\n"
        text += test + case(code, monoid)
    return text


_LOOP = """    not_inlined()
    for slot in range(load(plan, 0)):
        code = load(plan, 3 * slot + 3)
        offset = load(plan, 3 * slot + 4)
        target = into + offset
"""
_COLUMN = """        column = load(plan, 3 * slot + 5)
        values, valid, rows = load(source, 0), load(source, 1), load(source, 2)
"""
_SOURCES = {
    "clear": "def clear(plan, into):\n" + _LOOP + _switch(_clear_case),
    "fold": "def fold(plan, into, first, stride, states):\n" + _LOOP + _switch(_fold_case),
    "merge": "def merge(plan, into, older, newer):\n" + _LOOP + _switch(_merge_case),
    "gather": "def gather(plan, into, source, first, end):\n" + _LOOP + _COLUMN + _switch(_gather_case),
    "lower": "def lower(code, target):\n    for _ in range(1):\n"
    + _switch(_lower_case)
    + "    return (0, True, False)\n",
}


def _compile() -> dict:
    scope = {"load": load, "store": store, "load_byte": load_byte, "not_inlined": not_inlined}
    compiled = {}  # several monoids share functions, and every function costs a tenth of a second
    for code, (_, monoid) in enumerate(every_monoid()):
        for part in ("identity", "lift", "combine", "lower"):
            function = getattr(monoid, part)
            scope[f"{part}_{code}"] = compiled.setdefault(function, inner(function))
    for name, source in _SOURCES.items():
        exec(source, scope)
        scope[name] = inner(scope[name])
    return scope


_compiled = _compile()

clear = _compiled["clear"]
"""clear(plan, into): the identity."""
fold = _compiled["fold"]
"""fold(plan, into, first, stride, states): into ⊗= the states at first, first + stride, …; stride in
bytes."""
merge = _compiled["merge"]
"""merge(plan, into, older, newer): into = older ⊗ newer; `into` may be one of them."""
gather = _compiled["gather"]
"""gather(plan, into, source, first, end): the state of the events [first, end), in that order, nulls left out."""
lower_slot = _compiled["lower"]
"""lower_slot(code, address) → (word, is_null, overflowed) of one slot's words."""


@inner
def lower(plan, state, slot):
    """(word, is_null, overflowed) of one slot of a state."""
    return lower_slot(load(plan, 3 * slot + 3), state + load(plan, 3 * slot + 4))


@inner
def events_of(state):
    """How many events a state covers: slot 0."""
    return load(state, 0)
