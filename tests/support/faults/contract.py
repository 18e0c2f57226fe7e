"""What must hold in a history at each commit, at each look of a reader, and at its end."""

from collections import Counter
from datetime import date
from pathlib import Path

import pyarrow.compute as pc

from tests.support.faults.plain_delta import PlainTable
from tests.support.faults.replays import Made
from tests.support.faults.stand_ins import LATE_MARK, MARK, marks_by_day
from tests.support.faults.world import Broken, Process, World
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table, running
from windrow.pipelines.runs.definitions import tables_of
from windrow.schemas.ledger_tables import RUNS, VERDICTS


def require(holds: object, what: str) -> None:
    """Broken where it doesn't hold."""
    if not holds:
        raise Broken(what)


class Contract:
    """Of one history. `published`: by table and day, the marks in the order in which they were published."""

    def __init__(self, world: World, config: Config, queries: tuple[str, ...]):
        self.world, self.config = world, config
        self.tables = {query: tables_of(query) for query in queries}
        self.of_name = {
            table.name: (query, table, mark)
            for query, of in self.tables.items()
            for table, mark in ((of.results, MARK), (of.late, LATE_MARK))
        }
        self.published: dict[tuple[str, date], list[int]] = {}
        world.on_commit = self.committed

    def committed(self, process: Process, entry: Path) -> None:
        """By a process that holds the table's lock, and its query's where readers see it; of passed rows."""
        folder = entry.parent.parent
        self._require_lock(process, folder.name.removesuffix(".new").lstrip("."))
        if folder.name in self.of_name:
            self._require_lock(process, f"{self.of_name[folder.name][0]}.publish")
            self._published(folder)

    def _require_lock(self, process: Process, name: str) -> None:
        place = f"{self.config.locks}/{name}.lock"
        held = any(str(file.name) == place and not file.closed for file in process.files)
        require(held, f"a commit without the lock {name!r}")

    def _published(self, folder: Path) -> None:
        query, table, mark = self.of_name[folder.name]
        for day, marks in marks_by_day(PlainTable(str(folder)).to_pyarrow_table(), table, mark).items():
            made = self.world.replays.made.get(marks[0])
            count = made and (made.rows if mark == MARK else made.late_rows)
            require(made and marks == [made.mark] * (count or 0), f"{folder.name} has of {day} rows of {marks}")
            order = self.published.setdefault((folder.name, day), [])
            if made and made.mark not in order[-1:]:
                if mark == MARK:
                    self._require_late(query, day, made)
                require(self._passed(made), f"{folder.name} has of {day} rows of {made}, which have not passed")
                before = [self.world.replays.made[each] for each in order]
                require(made.mark not in order, f"{folder.name} goes back on {day} to {made}")
                require(
                    all(each.snapshot <= made.snapshot for each in before),
                    f"{folder.name} goes back on {day} from {before} to {made}",
                )
                order.append(made.mark)

    def _require_late(self, query: str, day: date, made: Made) -> None:
        """A reader who sees results also finds the events that these could not count."""
        table = self.tables[query].late
        rows = PlainTable(str(self.config.lake / table.name)).to_pyarrow_table()
        found = marks_by_day(rows, table, LATE_MARK).get(day, [])
        require(
            found == [made.mark] * made.late_rows, f"results of {made} are published before its late events: {found}"
        )

    def _passed(self, made: Made) -> bool:
        """Whether a look of the gate at these rows has passed, and is in the ledger."""
        rows = PlainTable(str(self.config.lake / VERDICTS.name)).to_pyarrow_table()
        looked = pc.and_(pc.equal(rows["figure"], made.figure), pc.equal(rows["run_id"], made.run_id))
        passed = rows.filter(looked)["passed"].to_pylist()
        return made.is_good and bool(passed) and all(passed)

    def reads(self, config: Config, query: str) -> None:
        """What a reader sees: whole days; and beside results the late events of the same publication, or a later."""
        lake, of = Lake(config), self.tables[query]
        if lake.version(of.results.name) is None:
            return
        seen = marks_by_day(lake.read(of.results.name), of.results, MARK)
        late = marks_by_day(lake.read(of.late.name), of.late, LATE_MARK)
        for day, marks in seen.items():
            made = self.world.replays.made[marks[0]]
            require(marks == [made.mark] * made.rows, f"a reader sees of {day} {marks}")
            if made.late_rows:
                order, found = self.published.get((of.late.name, day), []), late.get(day, [])
                is_there = made.mark in order and (not found or order.index(found[0]) >= order.index(made.mark))
                without = found or any(not each.late_rows for each in self.world.replays.of_day(query, day))
                require(is_there and without, f"a reader sees of {day} results of {made}, and late events of {found}")

    def ended(self) -> None:
        """All that was asked for is done: nothing runs, nothing is lost or double, and each day is of one run."""
        lake = Lake(self.config)
        require(not any(each.lives for each in running.found(self.config)), "a step runs whose process has ended")
        if lake.version(RUNS.name) is not None:
            self._ledger(lake)
        for query, of in self.tables.items():
            held = [
                {} if lake.version(table.name) is None else marks_by_day(lake.read(table.name), table, mark)
                for table, mark in ((of.results, MARK), (of.late, LATE_MARK))
            ]
            for day in held[0].keys() | held[1].keys():
                self._day(lake, query, day, [each.get(day, []) for each in held])

    def _day(self, lake: Lake, query: str, day: date, marks: list[list[int]]) -> None:
        made = self.world.replays.whole(query, day, *marks)
        require(made, f"{query} has of {day} results of {marks[0]} and late events of {marks[1]}")
        published = run_table.published(lake, query).get(day)
        require(
            published and made and published.run_id == made.run_id,
            f"the ledger says that {published and published.run_id!r} published {query} of {day}, which is {made}",
        )

    def _ledger(self, lake: Lake) -> None:
        rows = lake.read(RUNS.name)
        require(not pc.any(pc.equal(rows["state"], running.RUNNING)).as_py(), "a step runs in the ledger")
        told = Counter(
            tuple(row[each] for each in ("run_id", "step", "stage", "query", "logical_date", "state", "at"))
            for row in rows.to_pylist()
        )
        double = [each for each, count in told.items() if count > 1]
        require(not double, f"twice in the ledger: {double}")
