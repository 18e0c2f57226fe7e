"""The steps of the set-up in their order. Each looks first and does nothing when all is well."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from stack import archive, compiled, environments, jars, java, redis
from stack.places import MADE, say

Steps = tuple[tuple[str, Callable[[], object]], ...]
JAVA: Steps = (("a Java runtime", java.ensure),)
SPARK: Steps = (("the environment of Spark and the kernels", lambda: environments.ensure(environments.SPARK)),)
AIRFLOW: Steps = (("the environment of Airflow", lambda: environments.ensure(environments.AIRFLOW)),)
PREPARED: Steps = (
    ("Delta's JARs", lambda: jars.ensure(jars.DELTA)),
    ("the class-data archive", archive.ensure),
    ("the compiled kernels", compiled.ensure),
)
# What only a lake on S3 or a cluster needs.
OF_A_CLUSTER: Steps = (("S3's JARs", lambda: jars.ensure(jars.S3)),)
STEPS: Steps = (*JAVA, ("a Redis server, for tests", redis.ensure), *SPARK, *AIRFLOW, *PREPARED)
# What Spark's image holds, and what Airflow's has on top of that (docker/Dockerfile).
OF_SPARKS_IMAGE: Steps = (*JAVA, *SPARK, *PREPARED, *OF_A_CLUSTER)
OF_AIRFLOWS_IMAGE: Steps = AIRFLOW


def run(steps: Steps = STEPS) -> None:
    """Set everything up. Raises NotSetUp with the command that fixes what failed."""
    with _alone():
        for number, (name, step) in enumerate(steps, start=1):
            say(f"[{number}/{len(steps)}] {name}")
            step()


@contextmanager
def _alone() -> Iterator[None]:
    """One set-up at a time: two that install into one environment would break it."""
    MADE.mkdir(parents=True, exist_ok=True)
    with open(MADE / "setup.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
