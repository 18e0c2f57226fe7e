"""The landing folder of a round: what lies there, what ever lay there, and what of it must count in the end."""

from random import Random

from tests.support import damages, landings
from tests.support.chaos.real_files import Pieces
from tests.support.lakes import tables_of
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest.files import known_files


class LandingFolder:
    """Changes at random, and knows what a lake that saw all that must hold."""

    def __init__(self, config: Config, pieces: Pieces, chance: Random):
        self.config, self.pieces, self.chance = config, pieces, chance
        self.contents: dict[str, bytes] = {}  # all that ever landed, by hash
        self.finished: dict[str, str] = {}  # the newest content of each path whose ingest ended, by hash
        self.forgetting: set[str] = set()
        for path, content in pieces.side_inputs.items():
            self.put(path, content)

    def change(self) -> str:
        """One change; says what it was."""
        events = [path for path in sorted(landings.landed(self.config)) if path not in self.pieces.side_inputs]
        change = self.chance.choice([self._land, self._land, self._replace, self._copy, self._rename, self._delete])
        return change(self.chance.choice(events)) if events and change != self._land else self._land("")

    def _land(self, _: str) -> str:
        return f"landed {self.put(*self.pieces.piece())}"

    def _replace(self, path: str) -> str:
        return f"replaced {self.put(path, self.pieces.piece()[1])}"

    def _copy(self, path: str) -> str:
        """Unpacked next to its packed file, or packed next to its unpacked one."""
        other = path.removesuffix(".gz") if path.endswith(".gz") else f"{path}.gz"
        return f"copied {path} to {self.put(other, landings.landed(self.config)[path])}"

    def _rename(self, path: str) -> str:
        content = landings.landed(self.config)[path]
        self._delete(path)
        return f"renamed {path} to {self.put(path.replace('.csv', '-renamed.csv'), content)}"

    def _delete(self, path: str) -> str:
        self.note()
        (self.config.landing / path).unlink()
        return f"deleted {path}"

    def put_back(self, path: str) -> None:
        """A file that vanished, as it was when an ingest of it ended."""
        self.put(path, self.contents[self.finished[path]])

    def put(self, path: str, content: bytes) -> str:
        """Land a file; returns its path."""
        self.note()
        landings.put(self.config, path, content)
        self.contents[landings.hash_of(content)] = content
        return path

    def note(self) -> None:
        """Look at what the lake has taken, before a file changes or a table is damaged. Of a damaged table nothing is
        learned, since no ingest can have ended since."""
        with damages.nothing_where_damaged(self.config):
            lake, files = Lake(self.config), tables_of(self.pieces.files.stream).files
            if lake.version(files.name) is None:
                return  # it was taken out, and with it what was forgotten
            rows = known_files(lake, files)
            # A row that was lost and made again from bronze names its content by its lines, not by what landed.
            taken = {path: row.content_hash for path, row in rows.items() if not row.is_intent}
            self.finished |= {path: digest for path, digest in taken.items() if digest in self.contents}
            for path in self.forgetting - rows.keys():
                self.finished.pop(path, None)
            self.forgetting = {path for path in self.forgetting & rows.keys() if rows[path].is_intent}

    def forget_ended(self, path: str, well: bool) -> None:
        """The path is to deliver nothing; killed, its files' rows say later which it was."""
        self.forgetting.add(path)
        if well:
            self.finished.pop(path, None)

    def vanished(self) -> list[str]:
        """Paths that were taken and are no longer there."""
        return sorted(self.finished.keys() - landings.landed(self.config).keys())

    def counting(self, known: set[str]) -> dict[str, bytes]:
        """What lies there, and what vanished after an ingest had taken it. Of the latter a copy had delivered nothing:
        it need not be among the `known` paths, where the table that had it was lost."""
        there = landings.landed(self.config)
        taken = {path: self.contents[digest] for path, digest in self.finished.items()} | there
        once = {content: path for path, content in taken.items() if path in known | there.keys()}
        return {path: content for path, content in taken.items() if path in known | there.keys() or content not in once}
