"""The page of Windrow's replay against Spark's own windows: `make bench-spark`. It writes docs/benchmarks/spark.md."""

from statistics import median

from benchmarks.against_spark import CASES, COPY, RANGE, TITLES, Comparison, MeasuredWindows, measure, processor_s
from benchmarks.pages import FOLDER, claim, table, verdict
from benchmarks.shapes import rises

TARGET = 10


def section(found: MeasuredWindows) -> str:
    """Of the page."""
    sizes = found.case.sizes
    costs = [
        {"way": TITLES[name], "processor, s": processor_s(rounds), "wall, s": median(each.wall_s for each in rounds)}
        for name, rounds in found.costs.items()
    ]
    ratios = [
        {"of Spark": TITLES[each.theirs], "next to": TITLES[each.ours], "times": each.ratio,
         "last rows that it lacks": each.missing, "rows that differ": each.differing}
        for each in found.comparisons
    ]  # fmt: skip
    taken = (
        f"{sizes.trips:,} trips of {sizes.stations} stations in {sizes.days} days; medians of {sizes.rounds} rounds."
    )
    parts = [table(costs), table(ratios), *_claims(found), found.corrected, _bound(found)]
    return "\n\n".join(filter(None, [f"## {found.case.title}", taken, *parts]))


def _bound(found: MeasuredWindows) -> str:
    """How many times better than `RANGE` Spark itself could be; nothing for a case without it."""
    if COPY not in found.costs:
        return ""
    times = processor_s(found.costs[RANGE]) / processor_s(found.costs[COPY])
    return (
        f"`RANGE` takes {times:.1f} times as long as the copy: windows that cost Spark nothing would be so many times "
        "better than it, and no more."
    )


def _claims(found: MeasuredWindows) -> list[str]:
    """Of each of ours next to Spark's best."""
    best = [_best(found, ours) for ours in found.case.ours]
    says = [
        (each.ratio >= TARGET,
         f"{TITLES[each.theirs]}, Spark's best, takes {each.ratio:.1f} times the processor seconds of "
         f"{TITLES[each.ours]}; at least {TARGET} are asked.")
        for each in best
    ]  # fmt: skip
    return ["\n".join(f"- {claim(*each)}" for each in says)]


def _best(found: MeasuredWindows, ours: str) -> Comparison:
    return min((each for each in found.comparisons if each.ours == ours), key=lambda each: each.ratio)


def growth(found: list[MeasuredWindows]) -> str:
    """A section of the page: how often Windrow's seconds Spark takes, as more rows are in a window."""
    rolling = [each for each in found if RANGE in each.costs]
    rows, best = [], []
    for each in rolling:
        sizes, ratios = each.case.sizes, {of.theirs: of.ratio for of in each.comparisons}
        rows_a_window = sizes.trips // sizes.stations // sizes.days
        rows.append({"rows a window": rows_a_window, **{TITLES[name]: ratio for name, ratio in ratios.items()}})
        best.append(min(ratios.values()))
    of_frames = [row[TITLES[RANGE]] for row in rows]
    says = f"`RANGE` frames: {_listed(of_frames)} times; expected: rises."
    of_best = f"Spark's best: {_listed(best)} times; expected: rises."
    verdicts = [verdict(rises(of_frames), says), verdict(rises(best), of_best)]
    return "\n\n".join([
        "## How it grows with the window", "How often Spark takes Windrow's processor seconds (FIBA 17).",
        table(rows), "\n".join(f"- {each}" for each in verdicts)])  # fmt: skip


def _listed(ratios: list[float]) -> str:
    return ", ".join(f"{each:.1f}" for each in ratios)


def page(found: list[MeasuredWindows], head: str) -> str:
    """The page's text."""
    return "\n\n".join([
        "# The same windows by Spark's own means", "<!-- Made by `make bench-spark`: run that again, don't edit. -->",
        head,
        "Spark's JVM compiles with the second compiler, at thresholds ten times its usual ones, as Windrow's sessions "
        "do. A stream lacks the windows that its watermark has not passed. Few trips fall into one pane of 5 minutes.",
        *map(section, found), growth(found), ""])  # fmt: skip


def main() -> None:
    """Measure, print and write the page."""
    found = [measure(case) for case in CASES]
    text = page([each for each, _ in found], found[0][1])
    (FOLDER / "spark.md").write_text(text)
    print(text)
    assert not any(each.differing for case, _ in found for each in case.comparisons), "rows differ"


if __name__ == "__main__":
    main()
