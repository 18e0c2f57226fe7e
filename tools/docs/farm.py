"""docs/farm.md: the farm, its functions and what these say of a window."""

from kernels.farm.content import FIRST_OWN, STATUSES
from kernels.farm.functions import describe, function, functions
from kernels.farm.functions._function import Parameter, Parameters
from kernels.farm.given_windows import MOST_RING
from pipelines.report import dag_text
from schemas.model import Model
from schemas.registry import models
from tools.docs.markdown import MADE, grid, page

PICTURE = """```
tuples ──▶ emitter ──descriptors──▶ workers ──▶ collector ──▶ results in window order
              ▲                        │
              └────────feedback────────┘
```"""
EXAMPLE = """```python
from datetime import timedelta

import numpy as np
from kernels import farm
from schemas.query import sliding

hour, minute = timedelta(hours=1), timedelta(minutes=1)
times_us = np.arange(0, 7_200_000_000, 1_000_000)  # two hours, a tuple a second
values = 20.0 + times_us / 3.6e9

with farm.make("agnostic", sliding(hour, minute), "polynomial_fit", workers=2) as fits:
    fits.insert(times_us, values)
    fits.finish()
    results, metrics = fits.take(), fits.metrics()

per_second = results.outputs[:, fits.output_names.index("c1")]
print(metrics.windows, "windows; rising by", round(per_second[60] * 3600, 6), "per hour")
```"""
PRINTED = "179 windows; rising by 1.0 per hour"


def farm_page() -> str:
    """What a farm is, for those who use one."""
    return page(
        [
            "# The farm: heavy functions over windows, on all cores",
            MADE,
            "An aggregate is put together from parts of a window. A heavy function needs all of the window's tuples: "
            "a fit, an exact quantile, a forecast. A farm computes one for every window, on as many threads as there "
            "are cores (FARM; `kernels/farm/`).",
            PICTURE,
            EXAMPLE,
            f"prints `{PRINTED}`. Windows are tumbling, sliding (of a time zone too, with `span_us=`, the least and "
            'greatest event time), count (of `order="event_time"`), delta or slide-by-tuple; each key has its own '
            "(`keys=`, and a key's number for each tuple). Tuples of a key come in order of event time.",
            grid(_MODELS),
            "Results are the same, to the last bit, whatever the model, the workers, the chunks and the timing; only "
            "`worker`, `stretches` and `calculation_ns` of a result differ.",
            "## Functions",
            grid([["function", "columns", "parameters", "outputs"], *(_function(name) for name in functions())]),
            "\n".join(f"- `{name}`: {describe(name)}" for name in functions()),
            "[How to add one](add-a-function.md).",
            "## In the pipeline",
            "A *model* asks a function of each window of a stream, late events and revisions included "
            "([add a model](add-a-model.md)). Each task of its replay has one farm, on all cores of its executor; on "
            "one machine one task at a time has all cores. What a task holds in memory: its share of the events, as "
            "any replay, 25 bytes a tuple and 8 for each column of the function; 128 bytes and the outputs of each of "
            f"{MOST_RING:,} windows that are at work; and the rows. `farm_runs` says how much that was.",
            grid([["model", "asks", "table"], *(_model(model) for model in models().values())]),
            "## What a window's status says",
            grid([["status", "says"], *([str(number), text] for number, text in enumerate(STATUSES))]),
            f"From {FIRST_OWN} on: a function's own. Outputs of a window that raised, took too long or was interrupted "
            "are null. Other windows go on. A function may take `seconds_a_window` (60 unless given); it asks for "
            "that itself, by `must_stop`, and one that doesn't ask ends the farm with a message. Whether a window "
            "takes too long depends on the machine; nothing else does.",
            "## Memory",
            "Buffers take `most_held_bytes` at most (1 GiB unless given): where a function is slower than the tuples "
            "come, taking them waits. With active workers half of it is for tuples on their way, half for the workers' "
            "own buffers, and each worker needs four blocks of 1,024 tuples, 64 KiB where tuples have one column. "
            "Tuples of the windows that are open must fit, or the farm ends with a message that says so. "
            "`ring` windows (4,096 unless given) are handed out and not collected, at most.",
        ]
    )


_MODELS = [
    ["model", "workers", "windows", "a tuple"],
    ["`agnostic`", "take the next window when they are idle", "every kind", "is kept once, for all"],
    [
        "`active`",
        "have every n-th window, and keep its tuples themselves",
        "tumbling, sliding, count",
        "is copied to each worker that has a window with it",
    ],
]


def _model(model: Model) -> list[str]:
    return [f"`{model.file}`", dag_text.describe(model), f"`{model.name}`"]


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
