"""FARM, figures 35 to 37: slide-by-tuple windows, which only agnostic workers have."""

from pathlib import Path
from statistics import median

from benchmarks.farm_models import ENOUGH, HOW_SCALED, Sizes, scaled
from benchmarks.farm_source import Configuration, paced, unpaced
from benchmarks.pages import Figure, verdict
from benchmarks.pictures import Panel, draw

SLIDES = (10_000, 7_500, 5_000, 3_000)
CHUNKS = (313, 200, 152, 100, 50)
OF_TWO = 0.8
"""The pace: the ideal bandwidth of windows by 7,500 tuples is so much of what two workers do."""


def configurations() -> list[Configuration]:
    """The paper's four."""
    return [Configuration(5000, slide, by_tuple=True) for slide in SLIDES]


def bandwidth(folder: Path, sizes: Sizes) -> Figure:
    """Figure 35: all at one rate of tuples, so that those who slide by fewer tuples have more windows."""
    asked = {each.slide: each for each in configurations()}
    two = median(unpaced("agnostic", asked[7_500], 2, sizes.windows // 2).bandwidth for _ in range(3))
    tuples_a_second = OF_TWO * two * asked[7_500].slide_tuples
    rows, verdicts, lines = [], [], {}
    for each in asked.values():
        ideal = tuples_a_second / each.slide_tuples
        workers = list(range(1, sizes.workers + 1))
        found = [paced("agnostic", each, n, ideal, sizes.seconds).bandwidth for n in workers]
        row = {"windows": each.name, "ideal": f"{ideal:,.0f}"}
        rows.append(row | {f"{n} workers": f"{of_n:,.0f}" for n, of_n in zip(workers, found, strict=True)})
        share, is_reached = max(found) / ideal, ideal <= two
        verdicts.append(
            verdict(
                (share >= ENOUGH) == is_reached,
                f"{each.name}: {share:.0%} of an ideal of {ideal / two:.1f} × two workers.",
            )
        )
        lines[each.name] = (workers, found)
    measured = (
        "Windows per second by agnostic workers, where tuples come at one pace, at which the second kind of windows "
        f"asks for {OF_TWO:.0%} of what two workers do; ideal is the pace ÷ the slide (FARM eq. 19)."
    )
    panel = Panel("at one rate of tuples", lines, "workers", "windows per second", "linear", "linear")
    name = draw(folder / "farm-slide-by-tuple.png", [panel])
    return Figure("Bandwidth of slide-by-tuple windows (FARM 35)", measured, rows, verdicts, name)


def scalability(sizes: Sizes) -> Figure:
    """Figure 36."""
    rows, verdicts = [], []
    for each in configurations():
        rounds = scaled("agnostic", each, sizes)
        rows.append({"windows": each.name} | rounds.row())
        verdicts.append(rounds.verdict(each.name))
    measured = HOW_SCALED.format(rounds=sizes.rounds)
    return Figure("Scalability of slide-by-tuple windows (FARM 36)", measured, rows, verdicts)


def chunk_sizes(sizes: Sizes) -> Figure:
    """Figure 37."""
    asked = Configuration(5000, 5000, by_tuple=True)
    found = {
        chunk: unpaced("agnostic", asked, 1, max(20, sizes.windows // 4), chunk=max(1, chunk // 10)) for chunk in CHUNKS
    }
    rows = [
        {
            "tuples a chunk": f"{max(1, chunk // 10)}",
            "chunks a window": f"{each.fragmentation:,.0f}",
            "calculation": f"{1e3 * each.calculation_s:.3f} ms",
        }
        for chunk, each in found.items()
    ]
    times = found[CHUNKS[-1]].calculation_s / found[CHUNKS[0]].calculation_s
    measured = (
        "Mean time in the function per window of 5,000 ms by 5,000 tuples, one worker, by how many tuples a chunk "
        "has: a tenth of the paper's, as its windows have."
    )
    return Figure(
        "Chunks of slide-by-tuple windows (FARM 37)",
        measured,
        rows,
        [
            verdict(
                times > 1, f"the smallest chunks take {times:.2f} times as long as the largest; smaller ones cost more."
            )
        ],
    )
