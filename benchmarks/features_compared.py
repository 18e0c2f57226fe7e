"""Whether two ways made the same features."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from benchmarks.features_source import COLUMNS

CLOSE = 1e-9


def differing(ours: Path, theirs: Path, suffix: str = "", of_theirs: str = "") -> list[str]:
    """Features that differ for some label: sums and means of floats by more than CLOSE, others at all."""
    labels = [pq.read_table(each, columns=["label"])["label"].cast("int64").to_numpy() for each in (ours, theirs)]
    one, other = (np.argsort(each, kind="stable") for each in labels)
    assert np.array_equal(labels[0][one], labels[1][other]), "not the same labels"
    return [
        name for name in COLUMNS
        if not _same(_values(ours, name + suffix)[one], _values(theirs, name + of_theirs)[other], name)
    ]  # fmt: skip


def _values(path: Path, name: str) -> np.ndarray:
    # One column at once: tables of 10 million labels and 50 features take 4 GB each.
    return pq.read_table(path, columns=[name])[name].cast("float64").to_numpy()


def _same(one: np.ndarray, other: np.ndarray, name: str) -> bool:
    rounded = name.startswith(("mean", "sum_north"))
    return bool(np.allclose(one, other, rtol=CLOSE if rounded else 0, atol=0, equal_nan=True))
