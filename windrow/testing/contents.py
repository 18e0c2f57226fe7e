"""Windows' contents made by hand, in stretches as a farm's buffers hold them."""

from collections.abc import Mapping, Sequence

import numpy as np

from windrow.kernels.farm.content import TupleStretch, WindowContent
from windrow.kernels.farm.functions import function, operations, parameter_values
from windrow.kernels.farm.once import Computed, status_text
from windrow.kernels.runtime.memory import address_of

UNTOUCHED = -7.25
"""Behind what a function may write to; it must be there afterwards."""


def compute_in_stretches(
    name: str,
    times_us: np.ndarray,
    values: np.ndarray,
    cuts: Sequence[int],
    parameters: Mapping[str, object] | None = None,
    stop: int = 0,
) -> Computed:
    """As `compute_once`; `cuts`: places within the tuples at which one stretch ends and the next begins; `stop`: the
    status with which the call must end."""
    given = np.array(parameter_values(name, parameters or {}), np.float64)
    made, times, columns = function(name), np.asarray(times_us, np.int64), np.asarray(values, np.float64)
    per_tuple, more = made.scratch(tuple(given))
    names = made.outputs(tuple(given))
    scratch, result = _room(per_tuple * len(times) + more), _room(len(names))
    ends = [0, *sorted(set(cuts)), len(times)]
    stretches, kept = _stretches([(times[a:b], columns[:, a:b]) for a, b in zip(ends, ends[1:], strict=False)])
    content = WindowContent.make(
        count=len(times),
        columns=len(columns),
        stretch_count=len(ends) - 1,
        stretches=stretches,
        start=int(times[0]),
        end=int(times[-1]) + 1,
        parameters=given,
        parameter_count=len(given),
        scratch=scratch,
        stop=np.array([stop], np.int64),
    )
    status = operations(name).compute(content.address, address_of(result))
    assert kept, "memory of the stretches lives until here"
    assert scratch[-1] == UNTOUCHED == result[-1], f"{name} writes behind its memory"
    return Computed(status_text(status), dict(zip(names, result[:-1].tolist(), strict=True)))


def _room(floats: int) -> np.ndarray:
    return np.array([np.nan] * floats + [UNTOUCHED])


def _stretches(pieces: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, list[np.ndarray]]:
    """A block of stretches, and what must live as long. Columns of each have room to spare behind them, of NaN."""
    block, kept = np.zeros(len(pieces) * TupleStretch.size_bytes // 8, np.int64), []
    for place, (times, columns) in enumerate(pieces):
        stretch, stride = TupleStretch(address_of(block) + place * TupleStretch.size_bytes), len(times) + place
        memory = np.full((len(columns), stride), np.nan)
        memory[:, : len(times)] = columns
        kept += [times.copy(), memory]
        stretch.count, stretch.stride = len(times), stride
        stretch.times, stretch.values = address_of(kept[-2]), address_of(memory)
    return block, kept
