"""docs/kernels.md: every kernel of point events, of events that last and of frames; what it promises, how it works.
docs/aggregates.md: every aggregate, what it takes and what it gives."""

import inspect
from importlib import import_module
from types import ModuleType

from windrow.kernels import aggregators, frames, spans
from windrow.kernels.aggregators._window import Card
from windrow.kernels.monoid import SECOND, SHARE, Parameter
from windrow.kernels.monoids import describe, every_monoid, functions
from windrow.pipelines.docs.markdown import bullets, joined, page
from windrow.pipelines.tables.query_tables import OF_ANY_COLUMN


def kernels_page() -> str:
    """Every kernel of point events, of events that last and of frames: what it promises, and how it works."""
    head = [field.replace("_", " ") for field in Card._fields]
    cards = {name: aggregators.window_class(name).CARD for name in aggregators.kernels()}
    rows = [["kernel", *head], *([f"`{name}`", *card] for name, card in cards.items())]
    return page("kernels", cards=rows, points=_parts_of(aggregators), spans=_parts_of(spans), frames=_parts_of(frames))


def _parts_of(family: ModuleType) -> str:
    made = {name: family.window_class(name) for name in family.kernels()}
    return joined(
        part
        for name, each in made.items()
        for part in (f"## {name}", f"```text\n{inspect.getdoc(import_module(each.__module__))}\n```", _options_of(each))
    )


def _options_of(made: type) -> str:
    options = ", ".join(f"`{option}`" for option in (*made.OPTIONS, "column_types"))
    return f"Options: {options}. {' '.join(inspect.getdoc(made).split())}"


def aggregates_page() -> str:
    """Every aggregate, what it takes and what it gives."""
    names = functions()
    rows = [["aggregate", "columns", "parameters", "gives"], *map(_aggregate, names)]
    return page("aggregates", aggregates=rows, descriptions=bullets(map(describe, names)))


def _aggregate(name: str) -> list[str]:
    monoids = [monoid for function, monoid in every_monoid() if function == name]
    columns = dict.fromkeys(each or "none" for monoid in monoids for each in monoid.column_types)
    by_shares = any(SHARE in monoid.second_types for monoid in monoids)
    monoids = [monoid for monoid in monoids if SHARE not in monoid.second_types]
    seconds = dict.fromkeys(each for monoid in monoids for each in monoid.second_types)
    parameters = {each.name: _parameter(each) for monoid in reversed(monoids) for each in monoid.parameters}
    gives = dict.fromkeys(
        {None: "the column's type", SECOND: "the second column's type"}.get(monoid.output_type, monoid.output_type)
        for monoid in monoids
    )
    second = f"; or with a second column: {', '.join(seconds)}" if seconds else ""
    prorated = "; float64 of prorated events" if by_shares else ""
    listed = "none, or any" if name in OF_ANY_COLUMN else ", ".join(columns)
    return [f"`{name}`", listed + second, "<br>".join(parameters.values()), ", ".join(gives) + prorated]


def _parameter(parameter: Parameter) -> str:
    if isinstance(parameter.default, bool):
        other = "" if parameter.least == parameter.most else f" or {not parameter.default}"
        return f"`{parameter.name}` {parameter.default}{other}"
    step = f", a multiple of {parameter.step}" if parameter.step else ""
    return (
        f"`{parameter.name}` {parameter.least:,} to {parameter.most:,}{step}; {parameter.default:,} unless given"
        if abs(parameter.most) < 1 << 62
        else f"`{parameter.name}` any; {parameter.default} unless given"
    )
