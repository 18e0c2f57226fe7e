"""A stream's six tables, as ingest keeps them, and which of their versions belong together: those that an ingest left,
which runs read, and by which publications are ordered; and those that a run read and made."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from windrow.pipelines.delta.lake import Lake, TableState
from windrow.pipelines.delta.log import LOG
from windrow.schemas.erased import erased_name
from windrow.schemas.errors import TableDamaged
from windrow.schemas.stream import Stream
from windrow.schemas.tables import Table, ingest_tables

RUNS_READ = ("silver", "pass", "partitions")
PARTS = ("files", "bronze", "quarantine", *RUNS_READ)


class StreamTables(NamedTuple):
    """Definitions of the tables of one stream, made once per run."""

    stream: Stream
    files: Table
    bronze: Table
    silver: Table
    quarantine: Table
    passes: Table
    partitions: Table
    all: tuple[Table, ...]
    """In the order in which ingest writes them."""

    @classmethod
    def of(cls, stream: Stream) -> "StreamTables":
        """From the stream's definition."""
        made = ingest_tables(stream)
        return cls(stream, *made, made)

    @property
    def names(self) -> list[str]:
        """Of all, and of the table that an erasure makes."""
        return [*(table.name for table in self.all), erased_name(self.stream.name)]


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
        """Names of a stream's snapshots are, as texts, in the order in which ingests left them. An ingest that changes
        anything writes `files_<stream>` last; one that was moved away and made again is newer. While that stays, the
        other tables hold the same rows, also where they were made again. Maintenance alone makes no other snapshot."""
        files = self.tables[f"files_{self.stream}"]
        version = files.version if files.rows_version is None else files.rows_version
        return f"{files.made_ms:014d}-{version:07d}"

    def version(self, table: str) -> int:
        """The version of one table. O(1)."""
        return self.tables[table].version

    def shortened(self, now: Mapping[str, TableState]) -> list[TableDamaged]:
        """Which of these tables' logs have lost their newest entries since: what is left looks like an older table."""
        known = {name: self.tables[name] for name in now if name in self.tables}
        found = {
            name: f"ends at version {now[name].version}, and an ingest left version {left.version}"
            for name, left in known.items()
            if now[name].id == left.id and now[name].version < left.version
        }
        return [TableDamaged(name, f"{name}/{LOG}", what, f"windrow repair {name}") for name, what in found.items()]


@dataclass(frozen=True)
class AuditVersions:
    """Delta versions: of the audit tables that a run wrote, of silver and the pass ticks that it read. `snapshot`: the
    name of what it read, which orders publications; "" is older than any. `state`: of the state table, where the query
    has one, and `state_digest`, by which what it left there is compared; `published`: of the results, when what the run
    goes on from was published; `panes`: of the table of panes, where the run read those of arrival days before
    `panes_before` instead of their events."""

    audit: int
    late_audit: int
    silver: int
    passes: int
    snapshot: str = ""
    state: int | None = None
    state_digest: str | None = None
    published: int | None = None
    panes: int | None = None
    panes_before: str | None = None
