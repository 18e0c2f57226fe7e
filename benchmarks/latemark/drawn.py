"""The pictures: throughput by question and way, and mistakes by pattern of arrivals and way."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib import pyplot

from benchmarks.latemark.measure import LatemarkRun
from benchmarks.pictures import save

NONE_HEIGHT = 0.35
"""Of a logarithmic axis, on which nothing has no place."""


def throughput(path: Path, runs: Mapping[str, Sequence[LatemarkRun]]) -> str:
    """Bars of bids a processor second, filled where the answer is right; returns the file's name."""
    picture, axes = pyplot.subplots(2, -(-len(runs) // 2), figsize=(13, 8), sharey=True, squeeze=False)
    for axis, (question, found) in zip(axes.flat, runs.items(), strict=False):
        answered = [each.a_second if each.score else 0 for each in found]
        right = [each.score is not None and not each.score.mistakes for each in found]
        bars = axis.barh([_plain(each.way.title) for each in found], answered, color=_colours(found), edgecolor="black")
        for bar, run, is_right in zip(bars, found, right, strict=True):
            bar.set_hatch(None if is_right or not run.score else "///")
            _write(axis, bar, run)
        axis.set(title=question, xscale="log", xlim=(300, 3e6), xlabel="bids a processor second")
    axes.flat[0].invert_yaxis()  # that of all
    picture.suptitle(
        "Throughput, Windrow's in orange; hatched where rows are wrong, missing, too many or known too early"
    )
    picture.tight_layout()
    save(picture, path)
    pyplot.close(picture)
    return path.name


def _plain(title: str) -> str:
    return title.replace("`", "")


def _colours(found: Sequence[LatemarkRun]) -> list[str]:
    return ["tab:orange" if each.way.name.startswith("windrow") else "tab:blue" for each in found]


def _write(axis, bar, run: LatemarkRun) -> None:
    said = f"{run.a_second:,.0f}" if run.score else run.why.partition(":")[0]
    axis.text(max(bar.get_width(), 300) * 1.1, bar.get_y() + bar.get_height() / 2, said, va="center", fontsize=8)


def mistakes(path: Path, runs: Mapping[str, Sequence[LatemarkRun]]) -> str:
    """A field for each way and pattern: mistakes, darker for more; returns the file's name."""
    titles = [_plain(each.way.title) for each in next(iter(runs.values()))]
    counts = np.array([[each.score.mistakes if each.score else 0 for each in found] for found in runs.values()]).T
    picture, axis = pyplot.subplots(figsize=(10, 0.5 * len(titles) + 1.6))
    axis.imshow(np.log10(counts + NONE_HEIGHT), cmap="Reds", aspect="auto", vmin=np.log10(NONE_HEIGHT))
    axis.set(xticks=range(len(runs)), xticklabels=list(runs), yticks=range(len(titles)), yticklabels=titles)
    for row, column in np.ndindex(*counts.shape):
        dark = counts[row, column] > np.sqrt(counts.max() + 1)
        axis.text(column, row, f"{counts[row, column]:,}", ha="center", va="center", color="white" if dark else "black")
    axis.set_title("Mistakes in what was known at 12 moments, by pattern of arrivals")
    picture.tight_layout()
    save(picture, path)
    pyplot.close(picture)
    return path.name
