"""Commands of `windrow`, in processes of their own, which end by themselves or are ended."""

import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.support import processes
from windrow.pipelines.config import Config

ENDS, KILLED, LOST_ITS_JVM, INTERRUPTED = "ends", "killed", "lost its JVM", "interrupted"
FATES = (ENDS, ENDS, KILLED, KILLED, INTERRUPTED, LOST_ITS_JVM)
# What no user may read, whatever happens.
NEVER = "a defect of windrow"


@dataclass
class Ended:
    """A command that is over: its words, what became of it, its exit code and all that it wrote."""

    words: list[str]
    fate: str
    exit_code: int
    text: str

    def __str__(self) -> str:
        return f"windrow {' '.join(self.words)}: {self.fate}, exit {self.exit_code}"


@dataclass
class Terminal:
    """Where commands are typed. took_s: by a command's name the seconds it took so far, where it ended by itself."""

    config: Config
    environment: dict[str, str]
    chance: Random
    took_s: dict[str, float] = field(default_factory=dict)
    count: int = 0

    def start(self, words: list[str]) -> "Running":
        """Start a command as the leader of a session of its own."""
        self.count += 1
        name = f"command-{self.count}"
        process = processes.start_python(self.config, name, "-m", "windrow.pipelines", *words, **self.environment)
        return Running(self, words, process, self.config.home / f"{name}.log")

    def type(self, words: list[str]) -> Ended:
        """A command that no other process ends."""
        return self.start(words).meet(ENDS, 0.0)

    def usual_s(self, words: list[str]) -> float:
        """How long the command takes, as far as is known."""
        return self.took_s.get(words[0], 4.0)


@dataclass
class Running:
    """A command that runs."""

    terminal: Terminal
    words: list[str]
    process: subprocess.Popen
    log: Path
    began_s: float = field(default_factory=time.monotonic)

    def meet(self, fate: str, after_s: float) -> Ended:
        """Wait for the fate, so many seconds after the start at the earliest, and for the end."""
        if fate != ENDS:
            self._wait(self.began_s + after_s)
            fate = self._meet(fate)
        code = self.process.wait(timeout=processes.PATIENCE_S)
        left = processes.members(self.process.pid) if fate in (ENDS, INTERRUPTED) else {}
        assert not left, f"windrow {' '.join(self.words)} left {left}"
        if fate == ENDS:
            self.terminal.took_s[self.words[0]] = time.monotonic() - self.began_s
        processes.kill_all(self.process.pid)
        ended = Ended(self.words, fate, code, self.log.read_text(errors="replace"))
        assert NEVER not in ended.text and not processes.has_traceback(ended.text), f"{ended}\n{ended.text}"
        return ended

    def _wait(self, until_s: float) -> None:
        while time.monotonic() < until_s and self.process.poll() is None:
            processes.pause()

    def _meet(self, fate: str) -> str:
        """What it really meets: it may be over, or have no JVM."""
        if self.process.poll() is not None:
            return ENDS
        if fate == KILLED:
            processes.kill_all(self.process.pid)
        elif fate == INTERRUPTED:
            os.kill(self.process.pid, signal.SIGINT)
        elif "java" not in processes.members(self.process.pid).values():
            return ENDS
        else:
            processes.kill_jvm(self.process.pid)
        return fate
