"""Pictures of figures: lines on logarithmic axes, and latencies sorted."""

from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib import pyplot, ticker
from matplotlib.figure import Figure
from PIL import Image

COLOURS = 64

# One colour and mark for a kernel in every picture.
LOOKS = {
    "finger_tree (4)": ("tab:blue", "o"), "finger_tree (8)": ("tab:cyan", "s"),
    "finger_tree_single (4)": ("tab:red", "v"), "finger_tree_single (8)": ("tab:orange", "^"),
    "two_stacks_lite": ("tab:green", "D"), "daba_lite": ("tab:purple", "P"),
    "amortized_monoid_tree": ("tab:brown", "X"), "monoid_tree": ("tab:olive", "*"), "recompute": ("black", "."),
    "amortized_monoid_tree, LMDB": ("tab:pink", "x"), "monoid_tree, LMDB": ("tab:gray", "1"),
}  # fmt: skip


class Panel(NamedTuple):
    """title; lines: name → (x, y); x_scale: "log", "linear", or "symlog" where x has 0; base: of x's powers."""

    title: str
    lines: dict[str, tuple[list, list]]
    x_label: str
    y_label: str
    x_scale: str = "log"
    y_scale: str = "log"
    base: int = 2


def draw(path: Path, panels: list[Panel], columns: int = 3) -> str:
    """Draw panels in rows of so many; returns the file's name."""
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    inches = (5.4 * columns + (1 if columns == 1 else 0), 4.2 * rows + 0.5)
    picture, axes = pyplot.subplots(rows, columns, figsize=inches, squeeze=False)
    for axis, panel in zip(axes.flat, panels, strict=False):
        _draw_panel(axis, panel)
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    known = {name: mark for axis in axes.flat for mark, name in zip(*axis.get_legend_handles_labels(), strict=True)}
    names_per_row = min(len(known), 4 if columns > 1 else 2)
    picture.legend(known.values(), known.keys(), loc="lower center", ncols=names_per_row, frameon=False)
    legend_inches = 0.15 + 0.25 * -(-len(known) // names_per_row)
    picture.tight_layout(rect=(0, legend_inches / picture.get_figheight(), 1, 1))
    save(picture, path)
    pyplot.close(picture)
    return path.name


def save(picture: Figure, path: Path) -> None:
    """As a PNG of few colours, a quarter of the bytes: a report embeds all pictures."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = BytesIO()
    picture.savefig(written, dpi=90)
    image = Image.open(written).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def _draw_panel(axis, panel: Panel) -> None:
    for name, (x, y) in panel.lines.items():
        colour, mark = LOOKS.get(name, (None, "."))
        axis.plot(x, y, color=colour, marker=mark if len(x) < 60 else None, markersize=5, linewidth=1.4, label=name)
    axis.set_title(panel.title)
    axis.set_xlabel(panel.x_label)
    axis.set_ylabel(panel.y_label)
    _scale_x(axis, panel)
    _scale_y(axis, panel)
    axis.grid(True, which="major", alpha=0.3)


def _scale_x(axis, panel: Panel) -> None:
    if panel.x_scale == "symlog":  # in powers of two, 0 to the left of 1
        axis.set_xscale("symlog", base=2, linthresh=1)
        shown = sorted({each for x, _ in panel.lines.values() for each in x})
        axis.set_xticks(shown, [f"$2^{{{each.bit_length() - 1}}}$" if each else "0" for each in shown])
    elif panel.x_scale == "log":
        axis.set_xscale("log", base=panel.base)
    elif all(isinstance(each, int) for x, _ in panel.lines.values() for each in x):
        axis.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))


def _scale_y(axis, panel: Panel) -> None:
    if panel.y_scale == "log":
        axis.set_yscale("log")
        axis.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if _decades(panel) < 3 else (1,)))
        axis.yaxis.set_major_formatter("{x:,g}")
        axis.yaxis.set_minor_formatter(ticker.NullFormatter())
    else:
        axis.set_ylim(bottom=0)


def _decades(panel: Panel) -> float:
    values = [each for _, y in panel.lines.values() for each in y]
    return float(np.log10(max(values) / max(min(values), 1e-9)))


def sorted_latencies(nanoseconds: np.ndarray, points: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """(1 / share of operations that took longer, µs): the tail spread out, so that p99.9 stands at 1,000."""
    ordered, count = np.sort(nanoseconds) / 1e3, len(nanoseconds)
    ranks = np.unique(np.minimum(count - np.geomspace(1, count, points).astype(np.int64), count - 1))
    return count / (count - ranks), ordered[ranks]
