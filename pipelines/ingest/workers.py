"""Lines parsed on all cores: this process parses some batches of them, helpers the others.

                    ┌▶ worker 0, this process   batches 0, 1, 3, …  ─▶ 0.arrow
    bronze's files ─┤
                    └▶ worker 1, a helper       batches 2, 4, 5, …  ─▶ 1.arrow

Every worker reads all the lines, in the same order, and parses the batches that it is the first to claim: reading is
thirty times as quick as parsing, and no worker waits for one that started late or has a busy core. Parsed rows wait on
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
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipelines.config import REPOSITORY
from pipelines.ingest.parse import LINE_COLUMNS, Parser, ParseRules

LINES_PER_BATCH = 5_000
_HELPER = "from pipelines.ingest import workers; workers.help_out()"


@dataclass(frozen=True)
class Share:
    """What one worker does. bronze: Parquet files; paths: the landed files whose lines are parsed; folder: where parsed
    rows and claims go; parent: the process that waits for them."""

    rules: ParseRules
    bronze: tuple[str, ...]
    paths: tuple[str, ...]
    folder: Path
    worker: int = 0
    parent: int = 0
    lines_per_batch: int = LINES_PER_BATCH

    def lines(self) -> Iterator[pa.RecordBatch]:
        """Batches that no other worker has claimed."""
        paths = pa.array(self.paths, pa.string())
        for number, batch in enumerate(self._batches()):
            ours = batch.filter(pc.is_in(batch["path"], paths))
            if len(ours) and self._claims(number):
                yield ours

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for path in self.bronze:
            with pq.ParquetFile(path) as file:
                yield from file.iter_batches(self.lines_per_batch, columns=list(LINE_COLUMNS), use_threads=False)

    def _claims(self, number: int) -> bool:
        try:
            (self.folder / f"{number}.claimed").touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


def parse_all(share: Share, workers: int) -> None:
    """Parse the lines with that many workers, into one Arrow file each in the folder.

    `share`: what is to be parsed, as if by one. Raises OSError for a file that can't be written, and RuntimeError with
    what a helper wrote on stderr.
    """
    shares = [replace(share, worker=worker, parent=os.getpid()) for worker in range(workers)]
    with _helpers(shares[1:]) as helpers:
        _parse(shares[0])
        for helper in helpers:
            errors = _piped(helper.stderr).read().decode(errors="replace").strip()
            if helper.wait():
                why = errors or "it was killed, perhaps for lack of memory"
                raise RuntimeError(f"a process that parses lines ended with {helper.returncode}: {why}")


def help_out() -> None:
    """A helper's whole life: parse the share on stdin. Ends early if the parent does."""
    share = pickle.load(sys.stdin.buffer)
    _parse(share, lambda: os.getppid() == share.parent)


def write_parsed(rules: ParseRules, lines: Iterable[pa.RecordBatch], path: Path) -> None:
    """Parse lines into one Arrow file, uncompressed, so that `read_parsed` can map it."""
    parser = Parser(rules)
    with pa.ipc.new_file(path, parser.schema) as file, _without_search_for_cycles():
        for batch in lines:
            file.write(parser.parse(batch))


def _parse(share: Share, wanted: Callable[[], bool] = lambda: True) -> None:
    lines = (batch for batch in share.lines() if wanted() or sys.exit(1))
    write_parsed(share.rules, lines, share.folder / f"{share.worker}.arrow")


def read_parsed(paths: Iterable[Path]) -> pa.Table:
    """Parsed rows as they lie on disk: mapped, so that the system may take their memory back."""
    return pa.concat_tables(pa.ipc.open_file(pa.memory_map(str(path))).read_all() for path in paths)


@contextmanager
def _without_search_for_cycles() -> Iterator[None]:
    # Parsing makes millions of small tuples and no cycles; Python's search for some took a ninth of the time.
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def _helpers(shares: list[Share]) -> Iterator[list[subprocess.Popen[bytes]]]:
    helpers: list[subprocess.Popen[bytes]] = []
    try:
        helpers += [_started() for _ in shares]
        for helper, share in zip(helpers, shares, strict=True):
            _send(helper, share)
        yield helpers
    finally:
        for helper in helpers:
            helper.kill()
            helper.wait()
            _piped(helper.stderr).close()


def _started() -> subprocess.Popen[bytes]:
    # -P: no module is taken from the current folder.
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _HELPER],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def _send(helper: subprocess.Popen[bytes], share: Share) -> None:
    with suppress(BrokenPipeError):  # it ended already: its exit status will say why
        pickle.dump(share, _piped(helper.stdin))
    with suppress(BrokenPipeError):
        _piped(helper.stdin).close()


def _piped(end: IO[bytes] | None) -> IO[bytes]:
    assert end is not None, "a helper is started with pipes"
    return end
