"""The figures of FARM §6 with this project's farm, and its peers: `make bench-farm`. It writes docs/benchmarks/farm.md.

python -m benchmarks.farm [--folder docs/benchmarks] [--sizes small | normal]
"""

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import farm_models, farm_peers, farm_tuples
from benchmarks.pages import FOLDER, Figure, write
from windrow.pipelines.config import Config
from windrow.pipelines.engines.spark import spark_session as spark

HEAD = """# FARM: window farming

The experiments of §6 of the thesis on window farming (Lucattini: Parallel processing of sliding-window queries on
multicore architecture) with this project's farm, and then other ways to the same fits. The function is the paper's, a
polynomial through the window by Levenberg-Marquardt, in the paper's experiments of degree 8, next to other ways of
degree 2: of degree 2 a window of the experiments takes 0.06 ms, as long as taking the tuples of a slide, and no number
of workers would have anything to share. The paper had 16 cores for up to 13 workers, 100,000 tuples a second and 10
million tuples; here are two cores, a tenth of its tuples a second of event time, and a few seconds a run, with the
windows of the paper. Its machine took 500 ms for a window that takes less than 1 ms here, a tenth of the tuples
considered; so tuples come faster than their event time, at the pace that makes the ideal bandwidth what each figure
says.

Measured on:
"""
SIZES = {
    "small": (farm_models.Sizes(40, 0.2, 2, 1), farm_peers.PeerSizes({60: 3}, 1)),
    "normal": (farm_models.Sizes(), farm_peers.PeerSizes()),
}


def main(arguments: list[str] | None = None) -> Path:
    """The command line; returns the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--sizes", choices=tuple(SIZES), default="normal")
    parser.add_argument("--no-spark", action="store_true", help="leave Spark's way out")
    chosen = parser.parse_args(arguments)
    sizes, of_peers = SIZES[chosen.sizes]
    runs, ideal = farm_models.paced_runs(sizes)
    figures = [
        farm_models.bandwidth(chosen.folder, runs, ideal, sizes),
        farm_models.completion(chosen.folder, runs, sizes),
        farm_models.calculation(runs, sizes),
        farm_models.fragmentation(sizes),
        farm_models.scalability(sizes),
        farm_tuples.bandwidth(chosen.folder, sizes),
        farm_tuples.scalability(sizes),
        farm_tuples.chunk_sizes(sizes),
        _peers(of_peers, with_spark=not chosen.no_spark),
    ]
    return write(chosen.folder, "farm", HEAD, figures)


def _peers(sizes: farm_peers.PeerSizes, with_spark: bool) -> Figure:
    if not with_spark:
        return farm_peers.peers(sizes)
    with spark_session() as session:
        return farm_peers.peers(sizes, session)


@contextmanager
def spark_session() -> Iterator[Any]:
    """A session as Windrow's own."""
    with tempfile.TemporaryDirectory() as folder:
        session = spark.session(Config(Path(folder), Path(folder)))
        yield session
        session.stop()


if __name__ == "__main__":
    print(main())
