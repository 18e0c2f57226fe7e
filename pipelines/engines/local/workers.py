"""Rows mapped on all cores, as lines are parsed: this process maps some batches of them, helpers the others.

           ┌▶ worker 0, this process   batches 0, 1, 3, …  ─▶ 0.arrow
    files ─┤
           └▶ worker 1, a helper       batches 2, 4, 5, …  ─▶ 1.arrow

Every worker reads all the rows, in the same order, and maps the batches that it is the first to claim: reading is
thirty times as quick as parsing, and no worker waits for one that started late or has a busy core. Mapped rows wait on
disk, so that memory doesn't grow with them.

Helpers are plain processes that find what is to be done in a file. A pool of processes was tried (loky): it sends
lines through pipes, of which sliced Arrow batches are sent whole each time (4.2 s instead of 1.7), and its workers
outlive a killed parent. Forking would be the quickest, but Arrow's and delta-rs's threads may hold locks just then.
"""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from pipelines.config import REPOSITORY
from pipelines.engines.file_rows import ROWS_PER_BATCH, MappedFiles, RowMap, batches_of, mapped
from schemas import cycles
from schemas.errors import WorkerLost

_HELPER = "from pipelines.engines.local import workers; workers.help_out()"


@dataclass(frozen=True)
class Mapping:
    """What workers do together. files: Parquet; folder: where mapped rows and claims go."""

    work: RowMap
    files: tuple[str, ...]
    folder: Path
    rows_per_batch: int = ROWS_PER_BATCH

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Batches that no other worker has claimed."""
        for number, batch in enumerate(batches_of(self.files, self.work, self.rows_per_batch)):
            chosen = self.work.chosen(batch)
            if len(chosen) and self._claims(number):
                yield chosen

    def _claims(self, number: int) -> bool:
        try:
            (self.folder / f"{number}.claimed").touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


def map_all(mapping: Mapping, workers: int) -> list[Path]:
    """Map the rows with that many workers, into one Arrow file each in the folder, and return these. Raises OSError for
    a file that can't be written, WorkerLost for a helper that was killed, and RuntimeError with what another wrote on
    stderr."""
    mapping.folder.mkdir(parents=True, exist_ok=True)
    with _helpers(mapping, range(1, workers)) as helpers:
        made = _map(mapping, 0)
        for helper in helpers:
            errors = helper.communicate()[1].decode(errors="replace").strip()
            if helper.returncode < 0:
                raise _lost(signal.Signals(-helper.returncode))
            if helper.returncode:
                raise RuntimeError(f"a process that maps rows ended with {helper.returncode}: {errors}")
    return [made.with_name(f"{worker}.arrow") for worker in range(workers)]


def _lost(by: signal.Signals) -> WorkerLost:
    return WorkerLost(
        f"a process of the local engine ended while it worked (by {by.name}): nothing was published, and what it left "
        "is made again. Run the same command again; if it ends again, the machine may have too little memory for it"
    )


def help_out() -> None:
    """A helper's whole life: as the worker of this number, map what the file says. Ends early if the parent does."""
    file, worker, parent = sys.argv[1:]
    mapping = pickle.loads(Path(file).read_bytes())
    _map(mapping, int(worker), lambda: os.getppid() == int(parent))


def write_mapped(work: RowMap, batches: Iterable[pa.RecordBatch], path: Path) -> None:
    """Map rows into one Arrow file, uncompressed, so that `read_mapped` can map it into memory."""
    # Parsing makes millions of small tuples: a ninth of the time went into looking for cycles of them.
    with pa.ipc.new_file(path, work.schema) as file, cycles.not_searched_for():
        for found in mapped(work, batches):
            file.write(found)


def _map(mapping: Mapping, worker: int, wanted: Callable[[], bool] = lambda: True) -> Path:
    batches = (batch for batch in mapping.batches() if wanted() or sys.exit(1))
    path = mapping.folder / f"{worker}.arrow"
    write_mapped(mapping.work, batches, path)
    return path


def read_mapped(files: MappedFiles) -> pa.Table:
    """Mapped rows as they lie on disk, so that the system may take their memory back."""
    tables = [pa.ipc.open_file(pa.memory_map(str(path))).read_all() for path in files.paths]
    return pa.concat_tables(tables) if tables else files.schema.empty_table()


@contextmanager
def _helpers(mapping: Mapping, workers: Sequence[int]) -> Iterator[list[subprocess.Popen[bytes]]]:
    file, helpers = mapping.folder / "mapping", []
    if workers:  # else nobody reads it, and what is defined without a name of its own, as by a lambda, has no pickle
        file.write_bytes(pickle.dumps(mapping))
    try:
        for worker in workers:
            # -P: no module is taken from the current folder.
            words = [sys.executable, "-P", "-c", _HELPER, str(file), str(worker), str(os.getpid())]
            env, nothing = os.environ | {"PYTHONPATH": str(REPOSITORY)}, subprocess.DEVNULL
            helpers.append(subprocess.Popen(words, env=env, stdin=nothing, stdout=nothing, stderr=subprocess.PIPE))
        yield helpers
    finally:
        for helper in helpers:
            with helper:  # waits, and closes its pipe
                helper.kill()
