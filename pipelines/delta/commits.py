"""What a commit says of itself in Delta's log, and by that how its writer finds the version that it made.

The newest version is not always one's own: the lock of a table keeps out Windrow's writers, not those of other tools.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import uuid4

from deltalake import CommitProperties

from pipelines import storage
from pipelines.delta.log_files import entry
from pipelines.location import Location
from schemas.errors import StorageFailed

# How many commits of others may come between a commit and the look for it.
LOOKED_THROUGH = 100
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
            if _text(folder, version) == self.text:
                return version
        raise StorageFailed(
            f"the commit to {folder.name!r} is not among the newest {LOOKED_THROUGH} of its log: something else writes "
            "to the table all the time, or took the log away. Stop it, and run the same command again"
        )


def note_of(folder: Location, version: int) -> dict[str, str | None]:
    """What the commit that made a version says of its run; nothing where it wasn't one of ours."""
    return json.loads(_text(folder, version) or "{}")


def _text(folder: Location, version: int) -> str | None:
    """The words of the commit that made a version; None where it has none, or can't be read. Not by delta-rs's history:
    that lists commits since the table was opened too, and counts down from the version that was opened."""
    try:
        actions = [json.loads(line) for line in entry(folder, version).read_text().splitlines() if _INFO in line]
    except (OSError, ValueError):
        return None
    return next((each[_INFO].get(KEY) for each in actions if _INFO in each), None)
