"""The few lines between a monoid's functions and memory that differ in how many words and arguments there are, as text:
a state as a tuple, the arguments of `lift` and `lower`, how a state takes in a row, and which rows have a value."""

from kernels.monoid import Monoid, Sketch

GLUED = ("read_state", "write_state", "lifted", "lowered", "take_row", "is_there")
_STATE = """def read_state(at):
    words = words_at(at)
    return ({read})


def write_state(at, state):
    words = words_at(at)
    {write}


def lifted(slot, columns, row):
    return lift({arguments})


def lowered(slot, state):
    return lower(read_state(state){parameters})


def take_row(slot, at, columns, row):
    write_state(at, combine(read_state(at), lifted(slot, columns, row)))
"""
_SKETCH = """def lowered(slot, state):
    return lower(state, slot.parameters.address)


def take_row(slot, at, columns, row):
    add(at, columns.values[row], slot.parameters.address)
"""
_IS_THERE = """

def is_there(columns, row):
    return {condition}
"""


def glue(monoid: Monoid | Sketch) -> str:
    """The source text of all that is glued; of lowered, take_row and is_there only for a sketch."""
    is_there = _IS_THERE.format(condition=_condition(monoid))
    return (_SKETCH if isinstance(monoid, Sketch) else _state_glue(monoid)) + is_there


def _state_glue(monoid: Monoid) -> str:
    words = range(monoid.words)
    return _STATE.format(
        read="".join(f"words[{word}], " for word in words),
        write="; ".join(f"words[{word}] = state[{word}]" for word in words),
        arguments=_lift_arguments(monoid),
        parameters="".join(f", {each}" for each in _parameters(monoid)),
    )


def _parameters(monoid: Monoid) -> list[str]:
    return [f"slot.parameters[{place}]" for place in range(len(monoid.parameters))]


def _lift_arguments(monoid: Monoid) -> str:
    arguments = ["columns.times[row]"] if monoid.takes_time else []
    if monoid.column_types == ("",):
        arguments.append("0")
    elif "" in monoid.column_types:
        arguments.append("columns.values[row] if columns.has_column else 0")
    else:
        arguments.append("columns.values[row]")
    arguments += ["columns.valid[row] == 1"] * monoid.takes_nulls
    arguments += ["columns.second_values[row]"] * bool(monoid.second_types)
    return ", ".join(arguments + _parameters(monoid) * monoid.lift_takes_parameters)


def _condition(monoid: Monoid | Sketch) -> str:
    """A row counts if none of its values is null; always, if there is no column or nulls are lifted."""
    if monoid.takes_nulls:
        return "True"
    every_event = "not columns.has_column or " if "" in monoid.column_types else ""
    second = " and columns.second_valid[row] == 1" if monoid.second_types else ""
    return f"{every_event}columns.valid[row] == 1{second}"
