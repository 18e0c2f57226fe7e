"""docs/python.md: what a program calls, from the docstrings. docs/commands.md: every command with its arguments and
options, as `--help` has them, and every exit code."""

import inspect
import re
from collections.abc import Callable
from typing import NamedTuple

import typer
from typer.core import TyperCommand

import windrow
from windrow.kernels import api, farm, per_event
from windrow.pipelines.cli import _app as command_line
from windrow.pipelines.docs.markdown import grid, joined, page
from windrow.schemas import fields, instants, local_time, model, query, stream, windows
from windrow.schemas.errors import kinds

# `pyarrow.lib.` of `pyarrow.lib.Table`; where a default that is a function happens to stand.
_LEFT_OUT = re.compile(r"(?:\w+\.)+(?=[A-Z])| at 0x\w+(?=>)")

# A type that is written as a text.
_QUOTED = re.compile(r"'([A-Z]\w*)'")


AFTER_EACH_EVENT = """
```python
from windrow.kernels.per_event import answer_each
from windrow.schemas.query import agg

keys, times = ["a", "b", "a", "a"], [0, 1, 7, 4]  # the last comes late, and counts
aggregates = {"total": agg("sum", "amount"), "events": agg("count")}
answers = answer_each(keys, times, {"amount": [1.0, 5.0, 2.0, 3.0]}, size_us=5, aggregates=aggregates)
assert answers == {"total": [1.0, 5.0, 2.0, 5.0], "events": [1, 1, 1, 2]}
```
"""


class Chapter(NamedTuple):
    """Names of one module that belong together, and Python that shows them."""

    title: str
    module: str
    names: tuple[Callable, ...]
    example: str = ""


def parts() -> tuple[Chapter, ...]:
    """The public names, by what they are for."""
    of_windows = tuple(sorted(windows.every_kind(), key=lambda kind: kind.kind))
    lines = (
        *(getattr(windrow.schemas.fields, name) for name in ("whole_number", "whole_or_none")),
        fields.Choices,
    )
    decimals = tuple(getattr(windrow.schemas.fields, name) for name in ("decimal_number", "decimal_or_none"))
    forms = (windrow.Answer.to_pandas, windrow.Answer.to_polars, windrow.Answer.to_arrow)
    of_replays = (api.EventColumns, api.WindowSpec, api.AggregatePlan, api.AggregateSpec, api.PassTicks)
    of_replays += (api.ReplayRules, api.KernelChoice, api.ResultRows, api.Labels, api.CallLimits, api.Zone)
    of_streams = (stream.Stream, stream.Layout, stream.Column, stream.SideInput, stream.Record, stream.Refusal)
    return (
        Chapter("Answers in SQL", "windrow", (windrow.sql, windrow.Answer, *forms)),
        Chapter(
            "A day's work", "windrow", (windrow.ingest, windrow.backfill, windrow.whatif, windrow.why, windrow.report)
        ),
        Chapter("Replays of a table in memory", "windrow", (windrow.replay_table, windrow.late_table)),
        Chapter(
            "Features at the moments of labels",
            "windrow",
            (windrow.features, windrow.features_table, windrow.features_batches, windrow.FeatureSet, windrow.latest),
        ),
        Chapter(
            "Queries",
            "windrow.schemas.query",
            (query.Query, query.agg, query.policy, query.promise),
        ),
        Chapter("Windows", "windrow.schemas.windows", of_windows),
        Chapter("Models", "windrow.schemas.model", (model.Model, model.heavy)),
        Chapter("Streams", "windrow.schemas.stream", (*of_streams, stream.Place, stream.packed_or_not)),
        Chapter("Fields of a line", "windrow.schemas.fields", (*lines, *decimals)),
        Chapter(
            "Times with an offset",
            "windrow.schemas.instants",
            (instants.read_time, instants.us_of_ns),
        ),
        Chapter(
            "Clocks",
            "windrow.schemas.local_time",
            (local_time.LocalClock, local_time.LocalClock.read),
        ),
        Chapter("Kernels", "windrow.kernels.api", (api.make, api.replay_keys, *of_replays)),
        Chapter(
            "Answers after each event", "windrow.kernels.per_event", (per_event.answer_each,), AFTER_EACH_EVENT.strip()
        ),
        Chapter("The farm", "windrow.kernels.farm", (farm.make,)),
    )


def python_page() -> str:
    """Every public name with its signature and docstring."""
    names = ", ".join(f"`{name}`" for name in windrow.__all__)
    return page("python", names=names, chapters=joined(text for part in parts() for text in _chapter(part)))


def _chapter(part: Chapter) -> tuple[str, ...]:
    return (f"## {part.title}", f"In `{part.module}`.", part.example, *map(_about, part.names))


def _about(named: Callable) -> str:
    text = inspect.getdoc(named) or ""
    return f"### {named.__qualname__}\n\n```text\n{named.__qualname__}{_signature(named)}\n\n{text}\n```"


def _signature(named: Callable) -> str:
    """Its parameters, types without their modules; none of a class that takes those of a type of Python's own."""
    if isinstance(named, type) and issubclass(named, dict):
        return ""
    signature = inspect.signature(named)
    signature = signature.replace(parameters=list(map(_shortened, signature.parameters.values())))
    return _QUOTED.sub(r"\1", _LEFT_OUT.sub("", str(signature)))


class _Made(str):
    """A default as it is written, in place of all its fields."""

    __repr__ = str.__str__


def _shortened(parameter: inspect.Parameter) -> inspect.Parameter:
    """Behind a type that is `Annotated` stand functions, which check the value."""
    type_, default = parameter.annotation, parameter.default
    if hasattr(default, "_fields") and any(map(callable, default)):
        parameter = parameter.replace(default=_Made(f"{type(default).__name__}()"))
    if inspect.isbuiltin(default):
        parameter = parameter.replace(default=_Made(f'"{default.__self__}".{default.__name__}'))
    return parameter.replace(annotation=type_.__origin__) if hasattr(type_, "__metadata__") else parameter


def commands_page() -> str:
    """Every command of `windrow`."""
    application = typer.main.get_command(command_line.app())
    commands = joined(_command(*each) for each in application.commands.items())
    codes = [["exit code", "error", "meaning"], ["1", "", "a defect of Windrow"], *_exit_codes(), ["130", "", "Ctrl-C"]]
    return page("commands", commands=commands, codes=codes)


def _command(name: str, command: TyperCommand) -> str:
    context = command.context_class(command, info_name=f"windrow {name}")
    usage = " ".join(command.collect_usage_pieces(context))
    found = (parameter.get_help_record(context) for parameter in command.get_params(context))
    rows = [[f"`{spelling}`", " ".join(meaning.split())] for spelling, meaning in filter(None, found)]
    parts = [f"## windrow {name}", inspect.cleandoc(command.help or ""), f"```text\nwindrow {name} {usage}\n```"]
    return joined([*parts, grid([["argument or option", "meaning"], *rows])])


def _exit_codes() -> list[list[str]]:
    found = sorted(kinds()[1:], key=lambda kind: kind.exit_code)
    return [[str(kind.exit_code), f"`{kind.__name__}`", " ".join((kind.__doc__ or "").split())] for kind in found]
