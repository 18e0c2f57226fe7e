"""The features by Windrow in memory: a process of its own.

python -m benchmarks.features_by_windrow KNOWLEDGE FOLDER
"""

import sys
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.features_source import FEATURES
from windrow.pipelines.local import features_batches


def main(knowledge: str, folder: Path) -> None:
    """Of a Parquet file of events and one of labels, a file of features."""
    events, labels = (pq.read_table(folder / f"{name}.parquet") for name in ("events", "labels"))
    found = features_batches(events, labels, FEATURES, knowledge)
    written = folder / f"windrow_{knowledge}.parquet"
    with pq.ParquetWriter(written, found.schema, use_dictionary=False, compression="none") as file:
        for batch in found:
            file.write_batch(batch)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
