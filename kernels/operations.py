"""Operations on the states of a plan, made from what is in kernels/monoids: compiled once, alone, and called by
address.

Which monoid runs is decided while running, by a switch, not by a type: one compiled kernel then serves every query.
A kernel compiled per combination of aggregates costs its user ten seconds and more at the first query of each.

A source block names the events that states are made from: address of values, address of validity, rows, address of
event times (0 unless an aggregate takes them).
"""

import functools

import numpy as np
from numba import config

from kernels.memory import inner, load, load_byte, store, store_byte
from kernels.monoids import every_monoid
from kernels.native import address_of
from kernels.operation_sources import names_of, sources

OPERATIONS = tuple(sources())
LOWER = OPERATIONS.index("lower_slot")
# A C function returns one word: the value goes to an address, the flags come back.
_LOWER_INTO = """def lower_into(code, target, parameters, answer):
    word, is_null, failed = lower_slot(code, target, parameters)
    store(answer, 0, word)
    return (1 if is_null else 0) | (2 if failed else 0)
"""


@inner
def copy_words(target, source, words):
    """Copy a state, or several that stand together."""
    for word in range(words):
        store(target, word, load(source, word))


@functools.cache
def operations() -> list:
    """The operations as Python functions, by number."""
    scope = {"__name__": __name__, "load": load, "store": store, "load_byte": load_byte,
             "store_byte": store_byte, "copy_words": copy_words}
    compiled = {}  # several monoids share functions, and every function costs a tenth of a second
    for _, monoid in every_monoid():
        for part, name in vars(names_of(monoid)).items():
            function = getattr(monoid, part)
            scope[name] = compiled.setdefault(function, inner(function))
    for source in (*sources().values(), _LOWER_INTO):
        exec(compile(source, __file__, "exec"), scope)  # a file that exists, for Numba's disk cache
    if config.DISABLE_JIT:
        return [scope[name] for name in sources()]
    scope["lower_slot"] = inner(scope["lower_slot"])
    return [scope[name] for name in OPERATIONS[:LOWER]] + [scope["lower_into"]]


@functools.cache
def addresses() -> np.ndarray:
    """Where the operations are (kernels/native.py), by number."""
    return np.array([address_of(each, each.__name__.startswith("lower")) for each in operations()], np.int64)
