"""Where things are: the reader of Windrow's environment variables."""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from schemas.errors import WrongParameter

REPOSITORY = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Config:
    """Folders of one installation. Everything that Windrow makes lies under `home`."""

    home: Path
    landing: Path

    @cached_property
    def lake(self) -> Path:
        """Folder of the Delta tables: one folder per table."""
        return self.home / "lake"

    @cached_property
    def locks(self) -> Path:
        """Folder of the operating-system locks: one file per table, one per stream's ingest."""
        return self.home / "locks"

    @cached_property
    def ingests(self) -> Path:
        """Folder of judged rows on their way to silver: one folder per stream, while an ingest of it runs."""
        return self.home / "ingests"

    @cached_property
    def scratch(self) -> Path:
        """Folder of what databases in memory have no room for."""
        return self.home / "tmp"

    @cached_property
    def spark(self) -> Path:
        """Folder of Spark's temporary files: one folder per session (orphans.py)."""
        return self.home / "spark"

    @cached_property
    def jars(self) -> Path:
        """Folder of Delta's JARs and the class-data archive."""
        return Path(os.environ.get("WINDROW_JARS") or REPOSITORY / "var" / "jars")

    @cached_property
    def spark_cores(self) -> str:
        """Spark's master URL."""
        return os.environ.get("WINDROW_SPARK_MASTER", "local[2]")

    @cached_property
    def spark_from_bytes(self) -> int:
        """From how much silver on a replay is worth Spark's start; below, it runs in its own process."""
        return int(os.environ.get("WINDROW_SPARK_FROM_MIB", "8")) << 20

    @cached_property
    def cores(self) -> int:
        """How many of the machine's cores this process may use."""
        return len(os.sched_getaffinity(0))

    @cached_property
    def lines_per_judge(self) -> int:
        """How many lines keep one more core busy for long enough to be worth a process's start (half a second)."""
        return int(os.environ.get("WINDROW_LINES_PER_JUDGE", "50000"))

    @cached_property
    def java_options(self) -> str:
        """More options for Spark's JVM; tests ask for the quick compiler, which starts faster and then runs slower."""
        return os.environ.get("WINDROW_JAVA_OPTIONS", "")

    def table(self, name: str) -> Path:
        """Folder of a table."""
        return self.lake / name


def load() -> Config:
    """Read WINDROW_HOME (default: var/ of the repository) and WINDROW_LANDING (default: landing/ of the home)."""
    home = _folder("WINDROW_HOME", REPOSITORY / "var")
    return Config(home, _folder("WINDROW_LANDING", home / "landing"))


def _folder(variable: str, default: Path) -> Path:
    value = os.environ.get(variable)
    if value is None:
        return default
    if not value.strip():
        raise WrongParameter(variable, value, "a folder's path, or leave the variable unset")
    return Path(value).expanduser().resolve()
