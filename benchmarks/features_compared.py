"""Whether two ways made the same features."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from benchmarks.features_source import COLUMNS

CLOSE = 1e-9


def differing(ours: Path, theirs: Path, suffix: str = "", of_theirs: str = "") -> list[str]:
    """Features that differ for some label: sums and means of floats by more than CLOSE, others at all."""
    one, other = (pq.read_table(each).sort_by("label") for each in (ours, theirs))
    assert one["label"].equals(other["label"].cast(one["label"].type)), "not the same labels"
    return [name for name in COLUMNS if not _same(_values(one[name + suffix]), _values(other[name + of_theirs]), name)]


def _values(column) -> np.ndarray:
    return column.cast("float64").to_numpy()


def _same(one: np.ndarray, other: np.ndarray, name: str) -> bool:
    rounded = name.startswith(("mean", "sum_north"))
    return bool(np.allclose(one, other, rtol=CLOSE if rounded else 0, atol=0, equal_nan=True))
