"""Ways to make the same days: each must leave the same rows (semantics §4). One function, one way; it gets a lake in
which the days are empty, and fills them.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from random import Random

from windrow.pipelines import flow, storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines.engine import file_sizes
from windrow.pipelines.runs import definitions
from windrow.pipelines.runs.replay import replay, replay_day
from windrow.schemas import errors
from windrow.schemas.errors import raised_elsewhere

SEED = 1
AT_ONCE = 2
# So many tasks where there would be one.
PARTS = 7
Days = Sequence[date]


@dataclass(frozen=True)
class ReplayWay:
    """One way. in_any_order: whether it makes days before those that they may go on from; needs_files: whether it
    reads the landing folder, and not the lake's silver; needs_panes: whether it is another way only where panes of
    earlier days can be read."""

    name: str
    make: Callable[[Config, str, Days], None]
    in_any_order: bool = False
    needs_files: bool = False
    needs_panes: bool = False


def forwards(config: Config, query: str, days: Iterable[date]) -> None:
    """Oldest day first, one after the other, in this process."""
    for day in days:
        replay_day(config, query, day)


def _at_once(config: Config, query: str, days: Days) -> None:
    """In one batch."""
    replay(config, {query: days}).require()


def _in_random_batches(config: Config, query: str, days: Days) -> None:
    """In a random cut into batches, oldest days first."""
    chance = Random(SEED)
    cuts = sorted(chance.sample(range(1, len(days)), chance.randrange(len(days))))
    for first, end in pairwise([0, *cuts, len(days)]):
        _at_once(config, query, days[first:end])


def _backwards(config: Config, query: str, days: Days) -> None:
    forwards(config, query, reversed(days))


def _shuffled(config: Config, query: str, days: Days) -> None:
    forwards(config, query, Random(SEED).sample(days, len(days)))


def _two_at_a_time(config: Config, query: str, days: Days) -> None:
    """Each in a process of its own."""
    for first in range(0, len(days), AT_ONCE):
        with ExitStack() as begun:
            words = (("replay", query, "--day", str(day)) for day in days[first : first + AT_ONCE])
            for process in [begun.enter_context(_begun(config, each)) for each in words]:
                _require_done(process)


def _in_small_tasks(config: Config, query: str, days: Days) -> None:
    lake, silver = Lake(config), definitions.tables_of(query).source.silver.name
    files = [lake.files(silver, filters=[("arrival_date", "=", str(day))]) for day in days]
    most_bytes = max(sum(file_sizes(of_day).values()) for of_day in files)
    forwards(replace(config, asked_task_bytes=max(1, most_bytes // PARTS)), query, days)


def _from_events(config: Config, query: str, days: Days) -> None:
    forwards(replace(config, asked_panes=False), query, days)


def _from_panes(config: Config, query: str, days: Days) -> None:
    """Wherever they can be read; they are made by the runs that read them first."""
    forwards(replace(config, asked_panes=True), query, days)


def _one_killed(config: Config, query: str, days: Days) -> None:
    """The first, as it publishes; then all of them, that one again."""
    with _begun(config, ("replay", query, "--day", str(days[0]))) as process:
        assert process.stderr is not None
        line = ""
        for line in process.stderr:
            if line.startswith(f"== {flow.PUBLISH.name}"):
                break
        else:
            _require_done(process, line)
    forwards(config, query, days)


def _ingested_again(config: Config, query: str, days: Days) -> None:
    """From the landing folder, each file for itself."""
    source = definitions.tables_of(query).source
    for table in source.all:
        storage.remove_folder(Lake(config).folder(table.name))
    with _begun(config, ("ingest", source.stream.name), WINDROW_INGEST_BATCH_MIB="0") as process:
        _require_done(process)
    forwards(config, query, days)


WAYS = (
    ReplayWay("oldest day first", forwards),
    ReplayWay("all days in one batch", _at_once),
    ReplayWay("days in batches, cut at random", _in_random_batches),
    ReplayWay("newest day first", _backwards, in_any_order=True),
    ReplayWay("days in a random order", _shuffled, in_any_order=True),
    ReplayWay("two days at a time", _two_at_a_time, in_any_order=True),
    ReplayWay(f"in {PARTS} times as many tasks", _in_small_tasks),
    ReplayWay("from the events of all days, without panes", _from_events, needs_panes=True),
    ReplayWay("from panes of earlier days", _from_panes, needs_panes=True),
    ReplayWay("a run killed as it publishes, then repeated", _one_killed),
    ReplayWay("files ingested again, each for itself", _ingested_again, needs_files=True),
)
"""The first is what the others are compared with."""


@contextmanager
def _begun(config: Config, words: Sequence[str], **settings: str) -> Iterator[subprocess.Popen[str]]:
    """A command that works on that lake; it ends with the context, with all that it started."""
    places = {"WINDROW_HOME": str(config.home), "WINDROW_LANDING": str(config.landing), "WINDROW_ENGINE": config.engine}
    with subprocess.Popen(
        [sys.executable, "-m", "windrow.pipelines", "--end-with-parent", *words, "--json"],
        env=os.environ | places | settings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


def _require_done(process: subprocess.Popen[str], printed: str = "") -> None:
    """Wait for a command that has printed this; its error where it fails."""
    printed += process.communicate()[1]
    if process.returncode:
        error = json.loads(printed.splitlines()[-1])
        if error["kind"] not in {kind.__name__ for kind in errors.kinds()}:
            raise RuntimeError(error["error"])
        raise raised_elsewhere(error["kind"], error["error"])
