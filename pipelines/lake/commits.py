"""What a commit says of itself in Delta's log, and by that how its writer finds the version that it made.

The newest version is not always one's own: the lock of a table keeps out Windrow's writers, not those of other tools.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import uuid4

from deltalake import CommitProperties, DeltaTable

from pipelines import storage
from pipelines.location import Location
from schemas.errors import StorageFailed

# How many commits of others may come between a commit and the look for it.
LOOKED_THROUGH = 100
# Under this name Spark and delta-rs write a commit's own words into the log alike.
KEY = "userMetadata"


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
        table = storage.delta_table(folder)
        for depth in (1, LOOKED_THROUGH):
            found = self._among(table, depth)
            if found is not None:
                return found
        raise StorageFailed(
            f"the commit to {folder.name!r} is not among the newest {LOOKED_THROUGH} of its log: something else writes "
            "to the table all the time, or took the log away. Stop it, and run the same command again"
        )

    def _among(self, table: DeltaTable, newest: int) -> int | None:
        """The version of this commit, if it is among so many of the newest."""
        return next((each["version"] for each in table.history(newest) if each.get(KEY) == self.text), None)


def note_of(folder: Location, version: int) -> dict[str, str | None]:
    """What the commit that made a version says of its run; nothing where it wasn't one of ours."""
    table = storage.delta_table(folder)
    newer = table.version() - version
    found = next((each for each in table.history(newer + 1) if each["version"] == version), {})
    return json.loads(found.get(KEY, "{}"))
