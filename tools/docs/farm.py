"""docs/farm.md: the farm, its functions and what these say of a window."""

from windrow.kernels.farm.content import FIRST_OWN, STATUSES
from windrow.kernels.farm.functions import describe, function, functions
from windrow.kernels.farm.functions._function import Parameter, Parameters
from windrow.kernels.farm.given_windows import MOST_RING
from windrow.pipelines.docs.markdown import bullets, page
from windrow.pipelines.report import dag_text
from windrow.schemas.registry import models


def farm_page() -> str:
    """What a farm is, for those who use one."""
    names = functions()
    asked = ([f"`{each.file}`", dag_text.describe(each), f"`{each.name}`"] for each in models().values())
    return page(
        "farm",
        functions=[["function", "columns", "parameters", "outputs"], *map(_function, names)],
        descriptions=bullets(f"`{name}`: {describe(name)}" for name in names),
        most_ring=f"{MOST_RING:,}",
        models=[["model", "asks", "table"], *asked],
        statuses=[["status", "says"], *([str(number), text] for number, text in enumerate(STATUSES))],
        first_own=FIRST_OWN,
    )


def _function(name: str) -> list[str]:
    made = function(name)
    defaults = tuple(value for each in made.parameters for value in _defaults(each))
    columns = [f"{each} (optional)" if each in made.optional else each for each in made.columns]
    outputs = ", ".join(f"`{each}`" for each in made.outputs(defaults))
    return [f"`{name}`", ", ".join(columns), "<br>".join(map(_parameter, made.parameters)), outputs]


def _defaults(parameter: Parameter | Parameters) -> tuple[float, ...]:
    return parameter.default if isinstance(parameter, Parameters) else (float(parameter.default),)


def _parameter(parameter: Parameter | Parameters) -> str:
    several = ", one or more" if isinstance(parameter, Parameters) else ""
    return f"{parameter.name} = {parameter.default}: from {parameter.least} to {parameter.most}{several}"
