"""What every process of a command takes: peak memory and processor seconds of each, looked at ten times a second, of
large ones less often. A command that takes more memory or time than it may is ended: the machine is not its own.

Not what a parent knows of its children: Spark's Python workers are ended with the JVM, and no process waits for them.
"""

import math
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from benchmarks.processor import peak_mib, started_s
from windrow.pipelines.config import REPOSITORY
from windrow.processes import proc

EVERY_S, LOOKING = 0.1, 20
DRIVER, JVM, FORKING, WORKER, OTHER = "driver", "JVM", "what forks Python workers", "Python worker", "other"
_DAEMON = b"windrow.pipelines.engines.spark.daemon"


class Seen(NamedTuple):
    """A process, when it was last looked at."""

    role: str
    peak_mib: float
    processor_s: float


class Watched(NamedTuple):
    """A command that has ended. stopped: for what it took; together_mib: of all its processes at one moment, at most;
    what they share, once; started_s: processor seconds of what this process started meanwhile, as the system counts
    them."""

    stopped: bool
    wall_s: float
    together_mib: float
    processes: list[Seen]
    started_s: float

    @property
    def processor_s(self) -> float:
        """Of all processes. Neither count has too much: looks ten times a second miss the last moment of each process,
        and a parent doesn't know of Spark's Python workers."""
        return max(sum(each.processor_s for each in self.processes), self.started_s)

    def of(self, role: str) -> list[Seen]:
        """The processes of that role, the largest first."""
        return sorted((each for each in self.processes if each.role == role), key=lambda each: -each.peak_mib)


class Watch:
    """Looks at a process and all that it started, and that these started, also once their parents have ended."""

    def __init__(self, root: int) -> None:
        self.root, self.together_mib = root, 0.0
        self.seen: dict[int, Seen] = {}

    def look(self) -> set[int]:
        """Note what is there now, and say which processes these are."""
        parents = proc.parents()
        ours = self._ours(parents)
        for process in ours:
            # Its children are looked at themselves. It may end between two of these, peak_mib being the last.
            spent_s = proc.processor_s(process, with_ended_children=False)
            with suppress(OSError, LookupError):
                self.seen[process] = Seen(self._role(process, parents), peak_mib(process), spent_s)
        self.together_mib = max(self.together_mib, sum(map(_proportional_mib, ours)))
        return ours

    @property
    def processor_s(self) -> float:
        """Of all processes."""
        return sum(each.processor_s for each in self.seen.values())

    def _ours(self, parents: Mapping[int, int]) -> set[int]:
        found = {self.root, *self.seen} & parents.keys()
        while more := {process for process, parent in parents.items() if parent in found} - found:
            found |= more
        return found

    def _role(self, process: int, parents: Mapping[int, int]) -> str:
        words = proc.command_line(process)
        if process == self.root:
            return DRIVER
        if words[0].endswith(b"/java"):
            return JVM
        if _DAEMON not in words:
            return OTHER
        return WORKER if _DAEMON in proc.command_line(parents[process]) else FORKING


def watched(
    words: Sequence[str], environment: Mapping[str, str], most_mib: float = math.inf, most_s: float = math.inf
) -> Watched:
    """Run a command to its end, or until it takes more memory or more processor seconds than that. RuntimeError with
    what it printed where it fails."""
    with tempfile.TemporaryFile() as output:
        began_s, before_s = time.monotonic(), started_s()
        command = subprocess.Popen(words, env=environment, cwd=REPOSITORY, stdout=output, stderr=output)
        watch, stopped = Watch(command.pid), False
        while command.poll() is None:
            looked_s = time.monotonic()
            ours = watch.look()
            stopped = watch.together_mib > most_mib or watch.processor_s > most_s
            if stopped:
                proc.send(ours, signal.SIGKILL)  # a large copy under way would not let it end by itself
            # The system looks through all pages of a process: of one of gigabytes that takes a while itself.
            time.sleep(max(EVERY_S, LOOKING * (time.monotonic() - looked_s)))
        if command.returncode and not stopped:
            output.seek(0)
            raise RuntimeError(f"{words} ended with {command.returncode}: {output.read().decode()[-4_000:]}")
    wall_s, processes = time.monotonic() - began_s, list(watch.seen.values())
    return Watched(stopped, wall_s, watch.together_mib, processes, started_s() - before_s)


def _proportional_mib(process: int) -> float:
    with suppress(OSError):
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)
    return 0.0
