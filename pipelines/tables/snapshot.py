"""What an ingest left: the versions of a stream's tables, which runs read, and by which publications are ordered."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pipelines.delta.lake import Lake, TableState
from pipelines.delta.log_files import LOG
from pipelines.tables.stream_tables import StreamTables
from schemas.errors import IngestBehind, TableDamaged

RUNS_READ = ("silver", "pass", "partitions")
PARTS = ("files", "bronze", "quarantine", *RUNS_READ)


class Touched(NamedTuple):
    """The paths whose records an ingest made or took away, and the name of the snapshot that it found."""

    paths: Collection[str]
    since: str


@dataclass(frozen=True)
class Snapshot:
    """A stream's tables as one ingest left them, by name."""

    stream: str
    tables: Mapping[str, TableState]

    @classmethod
    def taken(cls, lake: Lake, tables: StreamTables) -> "Snapshot":
        """Of the newest versions. While no ingest runs, they belong together."""
        stream = tables.stream.name
        return cls(stream, {name: lake.state(name) for name in (f"{part}_{stream}" for part in PARTS)})

    @classmethod
    def of_json(cls, stream: str, values: dict[str, list]) -> "Snapshot":
        """From what `as_json` gave."""
        return cls(stream, {name: TableState(*state) for name, state in values.items()})

    @property
    def as_json(self) -> dict[str, list]:
        """Plain values: by table version, Delta's id, and when it was made."""
        return {name: list(state) for name, state in self.tables.items()}

    @property
    def name(self) -> str:
        """Names of a stream's snapshots are, as texts, in the order in which ingests left them.

        An ingest that changes anything writes `files_<stream>` last; one that was moved away and made again is newer.
        The other tables hold the same rows while that stays, also where they were moved away and made again. Versions
        of maintenance alone are no other snapshot.
        """
        files = self.tables[f"files_{self.stream}"]
        version = files.version if files.rows_version is None else files.rows_version
        return f"{files.made_ms:014d}-{version:07d}"

    def version(self, table: str) -> int:
        """The version of one table. O(1)."""
        return self.tables[table].version

    def require_tables(self, lake: Lake, command: str) -> None:
        """IngestBehind, with the command that ingests again, where a table was made again since, and counts its
        versions anew; TableDamaged where it has lost versions."""
        now = {name: lake.state(name) for name in (f"{part}_{self.stream}" for part in RUNS_READ)}
        again = [name for name, state in now.items() if state.id != self.tables[name].id]
        if again:
            raise IngestBehind(
                f"{again[0]} was made again after the ingest whose rows this run reads; first run: {command}"
            )
        for damaged in self.shortened(now):
            raise damaged

    def shortened(self, now: Mapping[str, TableState]) -> list[TableDamaged]:
        """Which of these tables' logs have lost their newest entries since: what is left looks like an older table."""
        known = {name: self.tables[name] for name in now if name in self.tables}
        return [
            TableDamaged(
                name,
                f"{name}/{LOG}",
                f"ends at version {now[name].version}, and an ingest left version {left.version}",
                f"windrow repair {name}",
            )
            for name, left in known.items()
            if now[name].id == left.id and now[name].version < left.version
        ]
