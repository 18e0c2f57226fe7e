"""Tables of compiled operations of order statistics, each compiled alone, as monoids are (kernels/states/tables.py)."""

import functools

from numba.core.errors import NumbaError

from kernels.monoids import module_of, monoids_of
from kernels.order_statistics import content
from kernels.runtime.addresses import bound_to
from kernels.runtime.cache import AGGREGATES, folders_of
from kernels.runtime.found import not_compiled
from kernels.runtime.memory import inner
from kernels.runtime.struct import Struct
from kernels.runtime.tables import Operation, compiled_table

IN_ORDER = ("put", "take", "begin_key", "know", "reach", "leave", "answer_rows")
"""The functions of content.py that an aggregate has of its own: each calls those before it only."""


class StatisticOperations(Struct):
    """What can be asked: answer_rows(content, first, end) → −1, or a row that has no right answer."""

    answer_rows: Operation()


@functools.cache
def statistic_table(function: str, name: str) -> StatisticOperations:
    """The operations of one order statistic of a file. BrokenDefinition where they can't be compiled."""
    statistic = monoids_of(function)[name]
    parts = {"add": statistic.add, "remove": statistic.remove, "lowered": statistic.lower}
    names = {part: inner(bound_to(f"{name}.own", each, {})) for part, each in parts.items()}
    for each in IN_ORDER:
        names[each] = inner(bound_to(name, getattr(content, each), dict(names)))
    try:
        operations = {"answer_rows": names["answer_rows"]}
        return compiled_table(StatisticOperations, name, operations, folders_of(AGGREGATES, function))
    except NumbaError as error:
        raise not_compiled(module_of(function), str(error)) from error
