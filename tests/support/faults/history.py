"""A history, which follows from its seed: a small lake, two or three processes with a few operations each among which
faults fall, then the same operations without faults, and what the contract says of all that.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random
from unittest.mock import patch

from tests.support.faults.contract import Contract, require
from tests.support.faults.ingesting import require_ingested
from tests.support.faults.operations import Doing, Ingest, Look, Operation, Replay
from tests.support.faults.plain_delta import forget_what_was_made
from tests.support.faults.seams import current
from tests.support.faults.stand_ins import commit_of_another, simulated
from tests.support.faults.world import Broken, Process, Rates, World
from windrow.pipelines import storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table, running
from windrow.pipelines.ledger.entry import LedgerEntry, Run
from windrow.pipelines.ledger.stale import stale

DAYS = (date(2018, 6, 7), date(2018, 6, 8))
QUERIES = ("bikes_demand",)
MOST_TRIES = 3
ROUNDS = 4


class History:
    """Of a seed, over a copy of a lake."""

    def __init__(self, seed: int, template: Path, place: Path):
        self.seed = seed
        chance = Random(f"history {seed}")
        self.config = Config(place / "home", place / "landing", asked_engine="local")
        self.rates, self.is_left_over = _rates(chance), chance.random() < 0.3
        self.world = World(seed, Rates(), self.config.home)
        self.processes = [_operations(chance, f"p{number}") for number in range(chance.choice((2, 2, 2, 2, 3)))]
        if chance.random() < 0.3:
            self.processes.append([Doing(Look(chance.choice(QUERIES))) for _ in range(2)])
        self.world.on_foreign = commit_of_another
        _linked(template, place)
        self.contract = Contract(self.world, self.config, QUERIES)

    def run(self) -> None:
        """Broken, or an error of the code under test, where the contract is broken."""
        storage._opened.cache_clear()
        forget_what_was_made()
        current[:] = [self.world]
        opened = storage.read_only_table if self.seed % 8 == 0 else storage.delta_table
        try:
            with patch.multiple(storage, read_only_table=opened):
                if self.is_left_over:
                    self.world.run(("before", self._left_over))
                self.world.go_on_with(self.rates)
                self.world.run(*((f"p{number}", self._program(each)) for number, each in enumerate(self.processes)))
                self.world.go_on_with(Rates())
                self.world.replays.share_bad = 0.0
                self.world.run(("again", self._again))
        finally:
            current.clear()

    def _left_over(self, process: Process) -> None:
        """Steps that were cut off before."""
        run = Run("before", "bikes", QUERIES[0], DAYS[0])
        row = run_table._shared(run, "audit") | run_table._row(LedgerEntry(state=running.RUNNING), None, 0.0)
        running.begin(self.config, [row])

    def _program(self, asked: list[Doing]):
        def program(process: Process) -> None:
            for each in asked:
                for _ in range(MOST_TRIES):
                    each.attempt(process, self.config, self.contract)
                    if each.is_done or self.world.chance.random() < 0.6:
                        break

        return program

    def _again(self, process: Process) -> None:
        asked = [each for of_process in self.processes for each in of_process if not isinstance(each.of, Look)]
        for each in asked:
            # Half of the replays that did not end well are forgotten: what they left is stale, or nothing.
            if not each.is_done and (isinstance(each.of, Ingest) or self.world.chance.random() < 0.5):
                self._renamed(each)
                self._until_done(process, each)
        for number in range(ROUNDS):
            found = stale(Lake(self.config))
            if not found:
                break
            require(number < ROUNDS - 1, f"still stale: {found}")
            for run in found:
                self._until_done(process, Doing(Replay(run.query, (run.day,), "all", f"stale-{number}-{run.day}")))
        self.contract.ended()
        require_ingested(Lake(self.config), [each.of.path for each in asked if isinstance(each.of, Ingest)])

    def _renamed(self, doing: Doing) -> None:
        """Half of the commands are typed anew, without a name; a scheduler repeats a run under its own."""
        is_step = isinstance(doing.of, Replay) and doing.of.stage != "all"
        if not isinstance(doing.of, Look) and not is_step and self.world.chance.random() < 0.5:
            doing.of = replace(doing.of, run_id=f"again-{self.world.new_name()[:8]}")

    def _until_done(self, process: Process, doing: Doing) -> None:
        doing.attempt(process, self.config, self.contract)
        if not doing.is_done and isinstance(doing.of, Replay):  # a publication may lack the audit that it goes on from
            doing.of = Replay(doing.of.query, doing.of.days, "all", doing.of.run_id)
            doing.attempt(process, self.config, self.contract)
        require(doing.is_done, f"not done without faults: {doing}")

    def story(self) -> str:
        """For the reader of a failure."""
        return f"seed {self.seed}\n{self.world.story()}"


def _rates(chance: Random) -> Rates:
    faults = chance.choice((0.0, 0.002, 0.005, 0.01))
    kinds = [chance.random() < 0.5 for _ in range(4)]
    kill, error, again, foreign = (faults * each for each in kinds)
    return Rates(chance.choice((0.02, 0.1, 0.3)), kill, error, 10 * again, 10 * foreign)


def _operations(chance: Random, name: str) -> list[Doing]:
    return [
        Doing(each)
        for number in range(chance.choice((1, 1, 1, 1, 1, 2)))
        for each in _operation(chance, f"{name}-{number}")
    ]


def _operation(chance: Random, run_id: str) -> Iterator[Operation]:
    kind = chance.choice(("run", "run", "two steps", "ingest"))
    days = chance.choice(((DAYS[0],), (DAYS[0],), (DAYS[1],), DAYS))
    query = chance.choice(QUERIES)
    named = chance.choice((run_id, run_id, "shared"))
    if kind == "run":
        yield Replay(query, days, "all", named)
    elif kind == "ingest":
        yield Ingest(f"file-{run_id}", days[0], run_id)
    else:
        yield Replay(query, days, "audit", named)
        yield Replay(query, days, "publish", named)


def _linked(template: Path, place: Path) -> None:
    """A copy of a lake whose files are never changed where they lie."""
    for folder, _, files in os.walk(template):
        into = place / Path(folder).relative_to(template)
        into.mkdir(parents=True)
        for name in files:
            os.link(f"{folder}/{name}", into / name)


@contextmanager
def histories(root: Path) -> Iterator["Histories"]:
    """Histories of one process, below a folder."""
    made = Histories(root)
    with simulated():
        yield made


class Histories:
    """Runs histories; makes their template once."""

    def __init__(self, root: Path):
        self.root, self.template = root, root / "template"
        if not self.template.exists():
            _make_template(self.template)

    def run(self, seed: int) -> History:
        """AssertionError with the trace where the contract is broken."""
        place = self.root / f"{os.getpid()}"
        shutil.rmtree(place, ignore_errors=True)
        made = History(seed, self.template, place)
        try:
            made.run()
        except BaseException as error:
            raise Broken(f"{type(error).__name__}: {error}\n{made.story()}") from error
        return made


def _make_template(template: Path) -> None:
    from tests.support import trips
    from tests.support.lakes import ingest

    config = Config(template / "home", template / "landing", asked_engine="local")
    trips.write(config, "first", [trips.trip(f"{day} 12:00:00", 600) for day in DAYS])
    ingest(config, "bikes")
    for folder in ("locks", "tmp", "running", "expectations"):
        shutil.rmtree(config.home / folder, ignore_errors=True)
