"""Lines judged on all cores: this process judges a share of them, helpers the other shares.

                    ┌▶ judge 0, this process   lines 2, 4, 6, …  ─▶ 0.arrow
    bronze's files ─┤
                    └▶ judge 1, a helper       lines 1, 3, 5, …  ─▶ 1.arrow

Every judge reads all the lines and keeps each n-th: reading is thirty times as quick as judging, and the shares are
equal however the lines are spread over files. Judged rows wait on disk, so that memory doesn't grow with the lines.

Helpers are plain processes that get their share on stdin. A pool of processes was tried (loky): it sends lines through
pipes, of which sliced Arrow batches are sent whole each time (4.2 s instead of 1.7), and its workers outlive a killed
parent. Forking would be the quickest, but Arrow's and delta-rs's threads may hold locks at that moment.
"""

import gc
import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipelines.config import REPOSITORY
from pipelines.parse import LINE_COLUMNS, Judge, Judging

LINES_PER_BATCH = 5_000
LINES_PER_READ = 65_536
_HELPER = "from pipelines import judges; judges.help_out()"


@dataclass(frozen=True)
class Share:
    """What one judge does. bronze: Parquet files; paths: the landed files whose lines are judged; parent: process."""

    judging: Judging
    bronze: tuple[str, ...]
    paths: tuple[str, ...]
    folder: Path
    judges: int = 1
    judge: int = 0
    parent: int = 0

    def lines(self) -> Iterator[pa.RecordBatch]:
        """The lines of this share."""
        for place in self.bronze:
            with pq.ParquetFile(place) as file:
                for batch in file.iter_batches(LINES_PER_READ, columns=list(LINE_COLUMNS), use_threads=False):
                    yield from self._ours(batch)

    def _ours(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        line = batch["line"]
        turn = pc.subtract(line, pc.multiply(pc.divide(line, self.judges), self.judges))
        wanted = pc.and_(pc.equal(turn, self.judge), pc.is_in(batch["path"], pa.array(self.paths, pa.string())))
        ours = batch.filter(wanted)
        return (ours.slice(first, LINES_PER_BATCH) for first in range(0, len(ours), LINES_PER_BATCH))


def judge_all(share: Share, judges: int) -> None:
    """Judge the lines with that many judges, into one Arrow file each in the folder.

    `share`: what is to be judged, as if by one. Raises OSError for a file that can't be written, and RuntimeError with
    what a helper said.
    """
    shares = [replace(share, judges=judges, judge=judge, parent=os.getpid()) for judge in range(judges)]
    with _helpers(shares[1:]) as helpers:
        _judge(shares[0])
        for helper in helpers:
            said = helper.stderr.read().decode(errors="replace").strip()
            if helper.wait():
                raise RuntimeError(f"a process that judges lines ended with {helper.returncode}: {said}")


def help_out() -> None:
    """A helper's whole life: judge the share on stdin. Ends early if the parent does."""
    share = pickle.load(sys.stdin.buffer)
    _judge(share, lambda: os.getppid() == share.parent)


def write_judged(judging: Judging, lines: Iterable[pa.RecordBatch], place: Path) -> None:
    """Judge lines into one Arrow file, uncompressed, so that `read_judged` can map it."""
    judge = Judge(judging)
    with pa.ipc.new_file(place, judge.schema) as file, _without_search_for_cycles():
        for batch in lines:
            file.write(judge.judge(batch))


def _judge(share: Share, wanted=lambda: True) -> None:
    lines = (batch for batch in share.lines() if wanted() or sys.exit(1))
    write_judged(share.judging, lines, share.folder / f"{share.judge}.arrow")


def read_judged(places: Iterable[Path]) -> pa.Table:
    """Judged rows as they lie on disk: mapped, so that the system may take their memory back."""
    return pa.concat_tables(pa.ipc.open_file(pa.memory_map(str(place))).read_all() for place in places)


@contextmanager
def _without_search_for_cycles() -> Iterator[None]:
    # Judging makes millions of small tuples and no cycles; Python's search for some took a ninth of the time.
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def _helpers(shares: list[Share]) -> Iterator[list[subprocess.Popen]]:
    helpers = [_start(share) for share in shares]
    try:
        yield helpers
    finally:
        for helper in helpers:
            helper.kill()
            helper.wait()
            helper.stderr.close()


def _start(share: Share) -> subprocess.Popen:
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    helper = subprocess.Popen([sys.executable, "-c", _HELPER], env=environment, stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with suppress(BrokenPipeError):  # it ended already: its exit status will say why
        pickle.dump(share, helper.stdin)
    with suppress(BrokenPipeError):
        helper.stdin.close()
    return helper
