"""A round: events at random, then what the messages say, then the comparison with a lake that was built at once."""

import shutil
from collections import Counter
from contextlib import suppress
from datetime import date
from pathlib import Path
from random import Random

from tests.support import damages, landings
from tests.support.chaos.commands import ENDS, FATES, Ended, Running, Terminal
from tests.support.chaos.landing_folder import LandingFolder
from tests.support.chaos.reader import Reader
from tests.support.chaos.real_files import Pieces, RealFiles
from tests.support.lakes import ingest
from tests.support.replay.reading import rows
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest.files import DUPLICATE
from windrow.pipelines.ledger import run_table as ledger
from windrow.pipelines.runs.replay import replay_day
from windrow.schemas.errors import NothingArrived

EVENTS = 12
DAYS_ASKED = 4
SETTINGS = {"WINDROW_MOST_WAIT_SECONDS": "120", "WINDROW_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


class Round:
    """One lake, from its first file to the comparison. `story`: what happened, for the reader of a failure."""

    def __init__(self, place: Path, landing: Path, files: RealFiles, seed: str, spark: bool):
        self.chance, self.files, self.place = Random(seed), files, place
        self.config = Config(place / "home", place / "landing")
        self.config.home.mkdir(parents=True)
        self.folder = LandingFolder(self.config, Pieces(landing, files, self.chance), self.chance)
        forced = {"WINDROW_ENGINE": "spark" if spark else "local"}
        self.terminal = Terminal(self.config, SETTINGS | forced, self.chance)
        self.story: list[str] = []
        self.happened: Counter[str] = Counter()

    def run(self) -> None:
        """All of it. AssertionError where a row differs, or a message leads nowhere."""
        self.begin()
        for _ in range(EVENTS):
            self.chance.choice([self._land, self._one, self._one, self._two, self._damage])()
        Reader(self.terminal, self.folder).finish(self.files.stream)
        self.folder.note()  # a forget that was killed may have been ended
        self.compare()

    def begin(self) -> None:
        """The first file, and its ingest."""
        self._happens("landed", self.folder.change())
        self._happens("ended", str(self.terminal.type(["ingest", self.files.stream])))

    def _happens(self, what: str, story: str) -> None:
        self.happened[what] += 1
        self.story.append(story)

    def _land(self) -> None:
        self._happens("files changed", self.folder.change())

    def _one(self) -> None:
        self._meets(self._start())

    def _two(self) -> None:
        """Two at once, while files change."""
        first, second = self._start(), self._start()
        self._land()
        self._meets(first)
        self._meets(second)

    def _start(self) -> Running:
        return self.terminal.start(self._command())

    def _meets(self, running: Running) -> None:
        fate = self.chance.choice(FATES)
        ended = running.meet(fate, self.chance.uniform(0, 1.2 * self.terminal.usual_s(running.words)))
        self._happens(ended.fate, str(ended))
        self._note(ended)
        if ended.fate == ENDS and ended.exit_code != 0 and self.chance.random() < 0.5:
            ended = Reader(self.terminal, self.folder).until_it_works(ended.words)
            self._happens("messages followed", str(ended))
            self._note(ended)

    def _note(self, ended: Ended) -> None:
        if ended.words[0] == "forget":
            self.folder.forget_ended(ended.words[1], ended.exit_code == 0)
        self.folder.note()

    def _command(self) -> list[str]:
        stream, query = self.files.stream, self.chance.choice(self.files.queries)
        days, vanished = self._days(), self.folder.vanished()
        commands = [["ingest", stream], ["ingest", stream, "--verify-content"]]
        if days:
            first, last = sorted(self.chance.choices(days, k=2))
            commands += 3 * [["replay", query, "--day", str(self.chance.choice(days))]]
            backfill = ["backfill", query, "--from", str(first), "--to", str(last)]
            all_of_them = ["backfill", *self.files.queries, *backfill[2:]]
            commands += [backfill, all_of_them, ["backfill", *self.files.queries, "--stale"], ["maintain"]]
        if vanished:
            commands.append(["forget", self.chance.choice(vanished)])
        return self.chance.choice(commands)

    def _days(self) -> list[date]:
        """Some days that have events; none where that can't be seen."""
        with damages.nothing_where_damaged(self.config):
            return sorted(Lake(self.config).partition_dates(f"silver_{self.files.stream}"))[:DAYS_ASKED]
        return []

    def _damage(self) -> None:
        lake = Lake(self.config)
        table = self.chance.choice(lake.names())
        self.folder.note()
        with damages.nothing_where_damaged(self.config):
            kinds = (*damages.KINDS, damages.HINT) if lake.files(table) else damages.OF_A_LOG
            kind = self.chance.choice(kinds)
            damages.do(self.config, table, kind, seed=self.chance.randrange(1 << 30))
            self._happens("damages", f"{table}: {kind}")

    def compare(self) -> None:
        """With a lake of the files that count, built at once, and the same published days."""
        at_once = self._built_at_once()
        found, landed_at_once = (landings.held(config, self.files.stream) for config in (self.config, at_once))
        assert found == landed_at_once, "the stream's tables differ"
        for query, days in self._published_days().items():
            for day in days:
                with suppress(NothingArrived):  # a file that is gone had all events of the day; its rows are compared
                    replay_day(at_once, query, day)
            for table in (query, f"{query}_late") if days else ():
                without = ("emitted_date", "arrival_date", *landings.PLACES - {"source", "service"})
                # Where none of the days has events any more, no replay there has made the table.
                expected = rows(at_once, table, without) if table in Lake(at_once).names() else []
                assert rows(self.config, table, without) == expected, f"{table} differs"
            self.happened["days compared"] += len(days)

    def _built_at_once(self) -> Config:
        """Of copies of a file one counts, the first that came, and its name is the source of a reading. So the others
        land after an ingest here."""
        built = Config(self.place / "at once" / "home", self.place / "at once" / "landing", asked_engine="local")
        built.landing.mkdir(parents=True)  # also where nothing counts any more
        known = landings.file_rows(self.config, self.files.stream)
        counting = self.folder.counting({*known})
        copies = {path for path, row in known.items() if row.state == DUPLICATE} & counting.keys()
        for paths in (counting.keys() - copies, copies):
            for path in paths:
                landings.put(built, path, counting[path])
            ingest(built, self.files.stream)
        return built

    def _published_days(self) -> dict[str, list[date]]:
        """By query: those that the ledger has, and those of which there are rows."""
        lake = Lake(self.config)
        done = [row.replayed for row in ledger.rows(lake, [("step", "=", "publish"), ("state", "=", "done")])]
        tables = {query: (query, f"{query}_late") for query in self.files.queries}
        held = {query: set().union(*map(lake.partition_dates, both)) for query, both in tables.items()}
        return {query: sorted(days | {day for of, day in done if of == query}) for query, days in held.items()}

    def tidy(self) -> None:
        """Take the lakes away."""
        shutil.rmtree(self.place, ignore_errors=True)
