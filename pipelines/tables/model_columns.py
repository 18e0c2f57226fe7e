"""The columns that a model's heavy function adds to the rows of its windows."""

from kernels.farm.content import STATUSES
from kernels.farm.functions import function, output_names, parameter_values
from schemas.errors import WrongParameter
from schemas.model import MODEL_COLUMNS, Model
from schemas.query import WINDOW_COLUMNS
from schemas.stream import Column
from schemas.tables import required

TUPLES, STATUS = MODEL_COLUMNS


def function_columns(model: Model) -> tuple[Column, ...]:
    """`tuples`, `status`, and the function's outputs. NotServed for a function that there is not, BrokenDefinition for
    a broken one, WrongParameter for its parameters, or an output whose name is taken."""
    call = model.function
    outputs = outputs_of(model)
    taken = {*model.key, *model.aggregates, *WINDOW_COLUMNS, *MODEL_COLUMNS, "emitted_date"}
    for name in outputs:
        if name in taken:
            raise WrongParameter(f"outputs of {call.function}", name, "a name that no other column of its table has")
    of = f"{call.function} of {', '.join(call.columns)}"
    return (
        required(TUPLES, "int64", f"events of the row that have a value in {', '.join(call.columns)}: what was given"),
        required(STATUS, "string", f"what {call.function} says: {', '.join(STATUSES)}, or a number of its own"),
        *(Column(name, "float64", f"{name} of {of}; null where it has none") for name in outputs),
    )


def outputs_of(model: Model) -> tuple[str, ...]:
    """Of the model's function with the model's parameters. Raises as function_columns."""
    call = model.function
    made = function(call.function)
    least, most = len(made.columns) - len(made.optional), len(made.columns)
    if not least <= len(call.columns) <= most:
        allowed = f"{least} to {most} columns" if least < most else f"{most} of them"
        raise WrongParameter(f"columns of {call.function}", call.columns, f"{allowed}, for {', '.join(made.columns)}")
    return output_names(call.function, parameter_values(call.function, call.named_parameters))
