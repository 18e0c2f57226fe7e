"""A world of a few processes of which one runs at a time: a thread each, that goes on only when the seed says so.

A process calls the world at each of its effects (`Process.call`). There the seed decides: it goes on; another one runs
for a while; the call fails before its effect, or a commit behind it; it was done, and the layer below asks again; or
the process is killed. Of a killed one no further call has an effect, and the kernel closes its files.
"""

import errno
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import IO, Any, TypeVar

from tests.support.faults.replays import Replays

T = TypeVar("T")
LOOK, READ, WRITE, COMMIT = "look", "read", "write", "commit"
"""Kinds of calls: those that fail never, that read, that write, and the entries of Delta's logs."""
_ERRORS = {
    READ: (errno.EIO, errno.EMFILE),
    WRITE: (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EACCES),
    COMMIT: (errno.ENOSPC, errno.EIO),
}
_TEXTS = {
    errno.EIO: "Input/output error",
    errno.EMFILE: "Too many open files",
    errno.ENOSPC: "No space left on device",
    errno.EDQUOT: "Disk quota exceeded",
    errno.EACCES: "Permission denied",
}
_TICK, _BEGINS = timedelta(milliseconds=1), datetime(2100, 1, 1, tzinfo=UTC)
MOST_CALLS = 60_000


class Killed(BaseException):
    """SIGKILL: no handler of the code under test may have an effect behind it."""


class Broken(AssertionError):
    """The contract is broken, or the history does not end."""


@dataclass
class Rates:
    """How often a call meets what, of calls that can."""

    switch: float = 0.0
    kill: float = 0.0
    error: float = 0.0
    again: float = 0.0
    foreign: float = 0.0


@dataclass(eq=False)
class Process:
    """One process of the world, from its start to its end. `inside`: it is in the effect of a call, which is one."""

    world: "World"
    name: str
    program: Callable[["Process"], object]
    inside: bool = False
    killed: bool = False
    waits: bool = False
    ended: bool = False
    files: list[IO[Any]] = field(default_factory=list)
    baton: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    broken: BaseException | None = None

    def begin(self) -> None:
        threading.Thread(target=self._live, daemon=True).start()

    def _live(self) -> None:
        self.baton.acquire()
        self.world.by_thread[threading.get_ident()] = self
        try:
            if self.world.broken is None:
                self.program(self)
        except BaseException as error:  # of the test, not of the code under test: operations.py has caught those
            self.world.broken = self.world.broken or error
        finally:
            del self.world.by_thread[threading.get_ident()]
            self.close_files()
            self.ended = True
            self.world.hand_over(self)

    def close_files(self) -> None:
        """As the kernel does when a process ends; locks go with them."""
        while self.files:
            self.files.pop().close()
        self.world.wake_all()

    def call(self, kind: str, name: str, place: object, effect: Callable[[], T]) -> T:
        """Do what a call does, or what the seed makes of it."""
        if self.killed:
            raise Killed
        if self.inside:
            return effect()
        return self.world.called(self, kind, name, place, effect)

    def wait(self) -> None:
        """Until another process has run; it looks for a lock."""
        if self.killed:
            raise Killed
        self.waits = True
        self.world.switch(self)


class World:
    """One history. `trace`: every call, for the reader of a failure."""

    def __init__(self, seed: int, rates: Rates, home: Path):
        self.chance, self.home = Random(seed), str(home)
        self.go_on_with(rates)
        self.clock = _BEGINS
        self.processes: list[Process] = []
        self.by_thread: dict[int, Process] = {}
        self.trace: list[tuple[str, str, object, str]] = []
        self.calls = self.names = self.faults = 0
        self.broken: BaseException | None = None
        self.finished = threading.Semaphore(0)
        self.on_commit: Callable[[Process, Path], None] = lambda process, place: None
        self.replays = Replays(self.chance, 0.1)
        self.on_foreign: Callable[[Path], None] = lambda place: None

    def go_on_with(self, rates: Rates) -> None:
        """From here on calls meet faults that often."""
        self.rates, self.most = rates, rates.kill + rates.error + rates.again + rates.foreign

    def run(self, *processes: tuple[str, Callable[[Process], object]]) -> None:
        """Run programs, which take turns, to their ends. Raises what broke."""
        self.processes = [Process(self, *each) for each in processes]
        for each in self.processes:
            each.begin()
        self.chance.choice(self.processes).baton.release()
        self.finished.acquire()
        if self.broken is not None:
            raise self.broken

    def called(self, process: Process, kind: str, name: str, place: object, effect: Callable[[], T]) -> T:
        self.calls += 1
        if self.calls > MOST_CALLS:
            raise Broken(f"the history does not end: {name} {place}")
        if self.rates.switch and self.chance.random() < self.rates.switch:
            self.switch(process)
            if process.killed:
                raise Killed
        fate = self._fate(kind, place) if kind is not LOOK else ""
        self.trace.append((process.name, name, place, fate))
        if fate:
            self._before(process, fate)
        process.inside = True
        try:
            found = effect()
            if kind is COMMIT:
                self.on_commit(process, Path(str(place)))
            if fate == "another program commits":
                self.on_foreign(Path(str(place)))
        finally:
            process.inside = False
        if fate:
            self._behind(process, fate)
        return found

    def _fate(self, kind: str, place: object) -> str:
        if kind is LOOK or (drawn := self.chance.random()) >= self.most:
            return ""
        rates = self.rates
        for rate, fates in (
            (rates.kill, ("killed before", "killed behind")),
            (rates.error, tuple(f"fails: {_TEXTS[each]}" for each in _ERRORS[kind])),
            (rates.again, ("fails behind its effect", "is asked again") if kind is COMMIT else ()),
            (rates.foreign, ("another program commits",) if kind is COMMIT and "_audit/" in str(place) else ()),
        ):
            if drawn < rate:
                self.faults += bool(fates)
                return self.chance.choice(fates) if fates else ""
            drawn -= rate
        return ""

    def _before(self, process: Process, fate: str) -> None:
        if fate == "killed before":
            process.killed = True
            raise Killed
        if fate.startswith("fails: "):
            (number,) = (each for each, text in _TEXTS.items() if fate.endswith(text))
            raise OSError(number, _TEXTS[number])

    def _behind(self, process: Process, fate: str) -> None:
        if fate == "killed behind":
            process.killed = True
            raise Killed
        if fate == "fails behind its effect":
            raise OSError(errno.EIO, _TEXTS[errno.EIO])
        if fate == "is asked again":
            raise FileExistsError(errno.EEXIST, "File exists")

    def switch(self, process: Process) -> None:
        """Let another process run, until one hands over to this."""
        others = [each for each in self.processes if not each.ended and not each.waits and each is not process]
        if not others:
            if process.waits and not self._wakes(process):
                raise Broken("each process waits for a lock that another one holds")
            return
        self.chance.choice(others).baton.release()
        process.baton.acquire()
        if self.broken is not None:
            process.killed = True
            raise Killed

    def _wakes(self, process: Process) -> bool:
        self.clock += timedelta(seconds=1)
        others = [each for each in self.processes if not each.ended and each is not process]
        return self.broken is not None or not others and bool(self.clock < _BEGINS + timedelta(days=1))

    def hand_over(self, ended: Process) -> None:
        """A process has ended: another runs, or the history has ended too."""
        left = [each for each in self.processes if not each.ended]
        if left:
            ready = [each for each in left if not each.waits] or left
            self.chance.choice(ready).baton.release()
        else:
            self.finished.release()

    def wake_all(self) -> None:
        """A lock may be free."""
        for each in self.processes:
            each.waits = False

    def now(self) -> datetime:
        """Never the same twice."""
        self.clock += _TICK
        return self.clock

    def new_name(self) -> str:
        """32 hexadecimal digits, in no order."""
        return f"{self.chance.getrandbits(128):032x}"

    def story(self) -> str:
        """The trace in lines."""
        places = [(who, what, str(place).removeprefix(f"{self.home}/"), fate) for who, what, place, fate in self.trace]
        return "\n".join(f"{who}: {what} {place}{fate and ' → ' + fate}" for who, what, place, fate in places)
