"""Lines judged on all cores: this process judges some batches of them, helpers the others.

                    ┌▶ judge 0, this process   batches 0, 1, 3, …  ─▶ 0.arrow
    bronze's files ─┤
                    └▶ judge 1, a helper       batches 2, 4, 5, …  ─▶ 1.arrow

Every judge reads all the lines, in the same order, and judges the batches that it is the first to claim: reading is
thirty times as quick as judging, and no judge waits for one that started late or has a busy core. Judged rows wait on
disk, so that memory doesn't grow with the lines.

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
_HELPER = "from pipelines import judges; judges.help_out()"


@dataclass(frozen=True)
class Share:
    """What one judge does. bronze: Parquet files; paths: the landed files whose lines are judged; folder: where judged
    rows and claims go; parent: the process that waits for them."""

    judging: Judging
    bronze: tuple[str, ...]
    paths: tuple[str, ...]
    folder: Path
    judge: int = 0
    parent: int = 0
    lines_per_batch: int = LINES_PER_BATCH

    def lines(self) -> Iterator[pa.RecordBatch]:
        """Batches that no other judge has claimed."""
        paths = pa.array(self.paths, pa.string())
        for number, batch in enumerate(self._batches()):
            ours = batch.filter(pc.is_in(batch["path"], paths))
            if len(ours) and self._claims(number):
                yield ours

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for place in self.bronze:
            with pq.ParquetFile(place) as file:
                yield from file.iter_batches(self.lines_per_batch, columns=list(LINE_COLUMNS), use_threads=False)

    def _claims(self, number: int) -> bool:
        try:
            (self.folder / f"{number}.claimed").touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


def judge_all(share: Share, judges: int) -> None:
    """Judge the lines with that many judges, into one Arrow file each in the folder.

    `share`: what is to be judged, as if by one. Raises OSError for a file that can't be written, and RuntimeError with
    what a helper said.
    """
    shares = [replace(share, judge=judge, parent=os.getpid()) for judge in range(judges)]
    with _helpers(shares[1:]) as helpers:
        _judge(shares[0])
        for helper in helpers:
            said = helper.stderr.read().decode(errors="replace").strip()
            if helper.wait():
                why = said or "it was killed, perhaps for lack of memory"
                raise RuntimeError(f"a process that judges lines ended with {helper.returncode}: {why}")


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
    helpers: list[subprocess.Popen] = []
    try:
        helpers += [_started() for _ in shares]
        for helper, share in zip(helpers, shares, strict=True):
            _send(helper, share)
        yield helpers
    finally:
        for helper in helpers:
            helper.kill()
            helper.wait()
            helper.stderr.close()


def _started() -> subprocess.Popen:
    # -P: no module is taken from the current folder.
    return subprocess.Popen([sys.executable, "-P", "-c", _HELPER], env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
                            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def _send(helper: subprocess.Popen, share: Share) -> None:
    with suppress(BrokenPipeError):  # it ended already: its exit status will say why
        pickle.dump(share, helper.stdin)
    with suppress(BrokenPipeError):
        helper.stdin.close()
