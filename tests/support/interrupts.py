"""Ctrl-C at random moments of a command that starts Spark."""

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.support import processes
from tests.support.lakes import DAYS, lake_of
from tests.support.replay import landing
from windrow.pipelines.config import Config

# All of it each time: days that were published before an interrupt are not left out by the next one's command.
WORDS = ("backfill", "bikes_daily", "--from", str(DAYS[0]), "--to", str(DAYS[-1]), "--again")
# Before the command's own handler is there, Python's ends it: by the signal itself.
ENDED = (128 + signal.SIGINT, -signal.SIGINT)
# On a busy machine 0.1 s may not take Python to the command's first line: it can't import what runs modules, and ends.
PYTHON_STARTS = "Could not import runpy module"


class Interrupted(NamedTuple):
    """A command that got SIGINT `after_s` seconds after its start: how it ended, in what time, what it wrote."""

    after_s: float
    exit_code: int
    took_s: float
    left: tuple[str, ...]
    wrote: str

    @property
    def is_obeyed(self) -> bool:
        """Whether it ended for the signal, without a traceback, and left nothing running."""
        ended = self.exit_code in ENDED or (self.exit_code == 1 and self.wrote.startswith(PYTHON_STARTS))
        return ended and not self.left and not processes.has_traceback(self.wrote)


def started_in_s(config: Config) -> float:
    """How long the command takes until Spark works, in seconds: the JVM is there, and the first day is published."""
    published = config.lake / "bikes_daily"
    shutil.rmtree(published, ignore_errors=True)
    began = time.monotonic()
    command = _start(config)
    try:
        processes.wait_until(lambda: (published / "_delta_log").exists(), "the first published day")
        return time.monotonic() - began
    finally:
        processes.kill_all(command.pid)
        command.wait()


def interrupts(config: Config, times: int, until_s: float, seed: int) -> Iterator[Interrupted]:
    """Start the command and interrupt it after a random time, at most `until_s`, until that was done so often. Where it
    ended before its interrupt came, which is none then, the next ones come earlier."""
    moments, done = random.Random(seed), 0
    while done < times:
        after_s = moments.uniform(0, until_s)
        if (found := interrupted(config, after_s)) is None:
            until_s = after_s
        else:
            done += 1
            yield found


def interrupted(config: Config, after_s: float) -> Interrupted | None:
    """Start the command and send SIGINT to it and all that it started, as a terminal does; None if it had ended, or had
    published all its days and was only leaving."""
    command, before = _start(config), _commits(config)
    try:
        time.sleep(after_s)
        if command.poll() is not None:
            return None
        has_published = _commits(config) > before
        os.killpg(command.pid, signal.SIGINT)
        sent = time.monotonic()
        command.wait(timeout=processes.PATIENCE_S)
        if has_published and command.returncode == 0:
            return None
        took_s, left = time.monotonic() - sent, tuple(processes.members(command.pid).values())
        return Interrupted(after_s, command.returncode, took_s, left, _log(config).read_text())
    finally:
        processes.kill_all(command.pid)


def _log(config: Config) -> Path:
    return config.home / "interrupted.log"


def _commits(config: Config) -> int:
    """How often days were published: those of a command in one commit."""
    return len([*(config.lake / "bikes_daily" / "_delta_log").glob("*.json")])


def _start(config: Config) -> subprocess.Popen:
    return processes.start_python(config, "interrupted", "-m", "windrow.pipelines", *WORDS, WINDROW_ENGINE="spark")


REPORTED_EVERY = 20


def interrupt(place: Path, times: int, seed: int) -> int:
    """Interrupt that often, over a small lake in `place`; prints each interrupt after which the command went on, or
    something of it did, and returns how many these were."""
    config = lake_of(place, landing.trips())
    # The first start may be the machine's first: it reads all files from the disk, and compiles kernels.
    until_s = min(started_in_s(config) for _ in range(2))
    disobeyed, slowest_s = 0, 0.0
    for number, each in enumerate(interrupts(config, times, until_s, seed), 1):
        slowest_s = max(slowest_s, each.took_s)
        if number % REPORTED_EVERY == 0:
            print(f"{number} interrupts, {disobeyed} not obeyed", flush=True)
        if not each.is_obeyed:
            disobeyed += 1
            print(f"after {each.after_s:.2f} s: exit {each.exit_code}, left {each.left}\n{each.wrote}", flush=True)
    of = f"{times} interrupts in the first {until_s:.1f} s of a backfill with Spark, seed {seed}"
    print(f"{of}: {disobeyed} not obeyed; the slowest end took {slowest_s:.1f} s", flush=True)
    return disobeyed
