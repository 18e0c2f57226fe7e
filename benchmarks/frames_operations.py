"""FRAMES: what adding, scope, splitting, merging, content and eviction cost as tuples and frames grow."""

from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from benchmarks.frames_source import (
    DELAYED,
    KINDS_OF_FRAMES,
    DrivenRun,
    Meter,
    Sizes,
    meter_calls,
    per_cycle_ns,
    tuples,
)
from benchmarks.pages import Figure, claim, verdict
from benchmarks.pictures import Panel, draw
from windrow.kernels.frames._frames import METERED
from windrow.schemas.windows import DeltaFrame

BUFFERS: dict[str, dict] = {
    "multi_buffer": {},
    "single_buffer, eager": {"sorting": "eager"},
    "single_buffer, lazy": {"sorting": "lazy"},
}
OPERATIONS = METERED[1:]
OF_A_TUPLE = ("add", "scope", "split", "merge")
CHANGES = (1.0, 4.0, 16.0, 64.0)
STEPS = 20


class Costs(NamedTuple):
    """How many frames there were, and nanoseconds of each operation."""

    frames: int
    operations_ns: dict[str, float]

    @property
    def a_tuple_ns(self) -> float:
        """Of all that is done for a tuple."""
        return sum(self.operations_ns[each] for each in OF_A_TUPLE)

    def row(self) -> dict[str, str]:
        """Of a table."""
        return {"frames": f"{self.frames:,}"} | {each: f"{ns:,.0f}" for each, ns in self.operations_ns.items()}


def by_tuples(folder: Path, sizes: Sizes) -> Figure:
    """As tuples grow, and frames with them."""
    frame = KINDS_OF_FRAMES["delta"]
    for name in BUFFERS:
        _costs(name, frame, sizes.held[0], sizes)  # whatever is loaded when it is first used
    found = {(name, held): _costs(name, frame, held, sizes) for name in BUFFERS for held in sizes.held}
    rows = [{"kernel": name, "tuples": f"{held:,}"} | cost.row() for (name, held), cost in found.items()]
    lines = {name: (list(sizes.held), [found[name, held].a_tuple_ns for held in sizes.held]) for name in BUFFERS}
    growth = {name: line[-1] / line[0] for name, (_, line) in lines.items()}
    times = sizes.held[-1] / sizes.held[0]
    verdicts = [
        claim(
            growth["multi_buffer"] < 3,
            f"multi-buffer: {times:.0f} times the tuples take {growth['multi_buffer']:.1f} times as long a tuple.",
        )
    ]
    verdicts += [
        verdict(growth[name] > times / 4, f"{name}: {growth[name]:.0f} times as long.") for name in list(BUFFERS)[1:]
    ]
    measured = (
        f"Nanoseconds of each operation a tuple, of content a frame, of eviction a tuple that goes, by how many tuples "
        f"the buffer holds; {sizes.timed} tuples come one by one, {DELAYED:.0%} of them delayed; delta frames; median "
        f"of {sizes.rounds} rounds. A clock runs between operations and is counted in."
    )
    picture = draw(folder / "frames-operations.png", [Panel("a tuple", lines, "tuples held", "ns")])
    return Figure("Operations by tuples", measured, rows, verdicts, picture)


def by_frames(sizes: Sizes) -> Figure:
    """As frames become fewer and longer, among as many tuples."""
    held = sizes.held[-2]
    found = {change: _costs("multi_buffer", DeltaFrame("value", change), held, sizes) for change in CHANGES}
    rows = [{"change": f"{change:g}"} | cost.row() for change, cost in found.items()]
    a_tuple_ns = [cost.a_tuple_ns for cost in found.values()]
    slowest, quickest = max(a_tuple_ns), min(a_tuple_ns)
    says = f"between the fewest and the most frames a tuple takes at most {slowest / quickest:.1f} times as long."
    measured = f"The same of the multi-buffer with {held:,} tuples, by how far values go within a delta frame."
    return Figure("Operations by frames", measured, rows, [claim(slowest < 4 * quickest, says)])


def _costs(name: str, frame, held: int, sizes: Sizes) -> Costs:
    """Of each operation the median of some rounds: a round takes microseconds, so that any interruption would show."""
    rounds = [_costs_once(name, frame, held, sizes) for _ in range(sizes.rounds)]
    of = {each: median(cost.operations_ns[each] for cost in rounds) for each in OPERATIONS}
    return Costs(rounds[0].frames, of)


def _costs_once(name: str, frame, held: int, sizes: Sizes) -> Costs:
    given = tuples(held + sizes.timed, DELAYED)
    options = BUFFERS[name] | ({"capacity": len(given.values)} if BUFFERS[name] else {})
    run, meter = DrivenRun(name.split(",")[0], frame, given, **options), Meter.make()
    run.insert(0, held, burst=held)
    run.key_frames.meter, run.key_frames.meter_call = meter.address, meter_calls().begin
    run.insert(held, held + sizes.timed)
    addresses = run.made._addresses()
    asked = addresses[:: max(1, len(addresses) // sizes.timed)]
    for address in asked:
        run.made._ask("rows_of", int(address), 0)
    times = np.sort(given.times_us)
    for step in range(1, STEPS + 1):
        run.made.evict(int(times[held // 2 * step // STEPS]))
    units = dict.fromkeys(OF_A_TUPLE, sizes.timed) | {"content": len(asked), "evict": held // 2}
    spent = {each: meter.cycles[place] * per_cycle_ns() for place, each in enumerate(METERED)}
    return Costs(len(addresses), {each: spent[each] / units[each] for each in OPERATIONS})
