"""What a commit says of itself in Delta's log, and by that how its writer finds the version that it made.

The newest version is not always one's own: the lock of a table keeps out Windrow's writers, not those of other tools.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import uuid4

import pyarrow as pa
from deltalake import CommitProperties

from pipelines import storage
from pipelines.delta.log import actions
from pipelines.location import Location
from schemas.errors import StorageFailed

# How many commits of others may come between a commit and the look for it.
LOOKED_THROUGH = 100
# Opening one more costs whoever reads 1.3 ms: with 64 the ledger took 80 ms, not 8.
MOST_SMALL_FILES, SMALL_BYTES = 16, 4 << 20
# Under this name Spark and delta-rs write a commit's own words into the log alike.
KEY = "userMetadata"
_INFO = "commitInfo"


@dataclass(frozen=True)
class CommitNote:
    """The words of one commit: those of its run, and a name that no other commit has."""

    of_run: Mapping[str, str | None]
    name: str = field(default_factory=lambda: uuid4().hex)

    @property
    def text(self) -> str:
        """As it stands in the log: a JSON object."""
        return json.dumps({**self.of_run, "commit": self.name}, sort_keys=True)

    @property
    def properties(self) -> CommitProperties:
        """For delta-rs."""
        return CommitProperties(custom_metadata={KEY: self.text})

    def version(self, folder: Location) -> int:
        """The version that the commit made. O(1) where no other came after it."""
        newest = storage.delta_table(folder).version()
        for version in range(newest, max(newest - LOOKED_THROUGH, -1), -1):
            if words(folder, version) == self.text:
                return version
        raise StorageFailed(
            f"the commit to {folder.name!r} is not among the newest {LOOKED_THROUGH} of its log: something else writes "
            "to the table all the time, or took the log away. Stop it, and run the same command again"
        )


def words(folder: Location, version: int) -> str | None:
    """The words of the commit that made a version; None where it has none, or can't be read. Not by delta-rs's history:
    that lists commits since the table was opened too, and counts down from the version that was opened."""
    found = (action[_INFO] for action in actions(folder, version, _INFO) or () if _INFO in action)
    return next((info.get(KEY) for info in found), None)


def compact_if_scattered(folder: Location, note: CommitNote) -> None:
    """Put small files together once there are too many, in a commit of its own that changes no row: tables that get a
    small file with each commit stay cheap to read. The caller holds the table's lock. Measured: 10 to 30 ms."""
    table = storage.delta_table(folder)
    sizes = pa.table(table.get_add_actions(flatten=True)).column("size_bytes").to_pylist()
    if sum(size < SMALL_BYTES for size in sizes) > MOST_SMALL_FILES:
        table.optimize.compact(commit_properties=note.properties)
