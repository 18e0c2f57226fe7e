"""What the processes of a history do, as commands do it; and how each ends."""

from dataclasses import dataclass, field
from datetime import date

from tests.support.faults.contract import Contract
from tests.support.faults.ingesting import ingest
from tests.support.faults.world import Broken, Killed, Process
from windrow.pipelines.cli._errors import _of_the_machine
from windrow.pipelines.config import Config
from windrow.pipelines.delta import damage
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.runs.replay import replay
from windrow.schemas.errors import GateFailed, Superseded, WindrowError

DONE, SKIPPED, REFUSED, FAILED, KILLED = "done", "skipped", "refused", "failed", "killed"


@dataclass(frozen=True)
class Replay:
    """A run of a query's days, or one of its two steps; `run_id`: the scheduler's."""

    query: str
    days: tuple[date, ...]
    stage: str
    run_id: str

    def __str__(self) -> str:
        return f"{self.stage} {self.query} {', '.join(map(str, self.days))} as {self.run_id}"

    def do(self, config: Config, contract: Contract) -> None:
        """Raises the first failure of a day."""
        done = replay(config, {self.query: self.days}, self.stage, self.run_id)
        for each in done.failures:
            raise each.error


@dataclass(frozen=True)
class Look:
    """A reader who asks for a query's results, and then for the events that these could not count."""

    query: str

    def __str__(self) -> str:
        return f"reads {self.query}"

    def do(self, config: Config, contract: Contract) -> None:
        contract.reads(config, self.query)


@dataclass(frozen=True)
class Ingest:
    """An ingest of a file that has one event of a day."""

    path: str
    day: date
    run_id: str

    def __str__(self) -> str:
        return f"ingests {self.path} of {self.day} as {self.run_id}"

    def do(self, config: Config, contract: Contract) -> None:
        ingest(Lake(config).committing(run_id=self.run_id), self.path, self.day, self.run_id)


Operation = Replay | Ingest | Look


@dataclass
class Doing:
    """An operation and what became of it so far."""

    of: Operation
    ends: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.of}: {', '.join(self.ends) or 'not begun'}"

    @property
    def is_done(self) -> bool:
        return self.ends[-1:] in ([DONE], [SKIPPED])

    def attempt(self, process: Process, config: Config, contract: Contract) -> None:
        """Do it, as a process of its own. Broken for an error that a user could not read."""
        process.world.trace.append((process.name, "begins:", self.of, ""))
        end = self._end(config, contract)
        process.world.trace.append((process.name, "ended:", end, ""))
        process.killed = False
        process.close_files()
        self.ends.append(end.partition(":")[0])

    def _end(self, config: Config, contract: Contract) -> str:
        try:
            return self._told(config, contract)
        except Killed:
            return KILLED

    def _told(self, config: Config, contract: Contract) -> str:
        try:
            self.of.do(config, contract)
        except Broken:
            raise
        except Exception as error:
            return f"{_kind(config, error)}: {type(error).__name__}: {error}"
        return DONE


def _kind(config: Config, error: Exception) -> str:
    """Broken for an error of which a user would read that it is a defect."""
    explained = error if isinstance(error, WindrowError) else damage.explained(Lake(config), error)
    if explained is None and _of_the_machine(error) is None:
        raise error
    return SKIPPED if isinstance(error, Superseded) else REFUSED if isinstance(error, GateFailed) else FAILED
