"""How far Spark's jobs are, while they run: a thread asks Spark, so that whoever waits for a job can go on waiting."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pyspark import SparkContext

# A short job is over before anybody could read of it.
_EVERY_S = 2.0


@contextmanager
def reported(show: Callable[[str], None]) -> Iterator[None]:
    """Report what runs, again whenever it has gone on."""
    over = threading.Event()
    asking = threading.Thread(target=_ask, args=(show, over), daemon=True)
    asking.start()
    try:
        yield
    finally:
        over.set()
        asking.join()


def _ask(show: Callable[[str], None], over: threading.Event) -> None:
    last = None
    while not over.wait(_EVERY_S):
        now = _running()
        if now and now != last:
            show(now)
        last = now


def _running() -> str | None:
    """Tasks that are done, of those of the stages that run; None where none does."""
    context = SparkContext._active_spark_context
    if context is None or getattr(context, "_jsc", None) is None:  # there is no session, or only half of one
        return None
    try:
        tracker = context.statusTracker()
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    except Exception:  # the JVM has ended: whoever waits for it says so
        return None
    known = [stage for stage in stages if stage is not None]
    done, tasks = sum(stage.numCompletedTasks for stage in known), sum(stage.numTasks for stage in known)
    return f"Spark has done {done} of {tasks} tasks" if tasks else None
