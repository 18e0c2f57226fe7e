"""A replay on a Spark cluster of one worker and of two, each with one core."""

from pathlib import Path

from benchmarks.generated_sessions import DAY, Day, build
from benchmarks.pages import Figure, claim
from benchmarks.scale import copied
from tests.support import processes
from tests.support.spark_cluster import WORKERS, SparkCluster, cluster
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table
from windrow.schemas.queries.cdr_active import QUERY

LEAST = 1.8


def figure(home: Path, antennas: int) -> Figure:
    """The second replay of each cluster counts: at the first its workers compile."""
    small, large = (Config(home / name, home / "landing") for name in ("small", "large"))
    build(small, Day(20))
    build(large, Day(antennas))
    rows = []
    for count in (1, 2):
        with cluster(home / f"cluster-{count}", WORKERS[:count], cores=1) as workers:
            for number, made in enumerate((small, large)):
                config = copied(made, f"copy-{count}-{number}")
                _replay(config, workers)
        seconds = {row.stage: row.seconds for row in run_table.rows(Lake(config), stages=True) if row.stage}
        rows.append({"workers": count, **{f"{stage}, s": seconds[stage] for stage in ("replay", "gate", "publish")}})
        print(rows[-1], flush=True)
    times = rows[0]["replay, s"] / rows[1]["replay, s"]
    measured = (
        f"The stage replay of `windrow replay {QUERY.name}` over {Day(antennas).events:,} sessions of one day, wall "
        "seconds as the ledger has them. Each worker has one core; the driver shares the machine with them."
    )
    says = f"two workers replay {times:.2f} times as fast as one; at least {LEAST} are asked."
    return Figure("Spark workers", measured, rows, [claim(times >= LEAST, says)])


def _replay(config: Config, workers: SparkCluster) -> None:
    environment = processes.environment(config) | workers.variables | {"WINDROW_ENGINE": "spark"}
    words = ("-m", "windrow.pipelines", "replay", QUERY.name, "--day", DAY)
    processes.python(*words, env=environment, timeout=None).check_returncode()
