"""Where things are: what a project's windrow.toml says, and the environment, which beats it (schemas/project.py)."""

import hashlib
import os
import re
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

from windrow.pipelines import location
from windrow.pipelines.location import HOME, Location
from windrow.schemas.errors import WrongParameter
from windrow.schemas.project import named, root, setting
from windrow.schemas.replay_limits import ReplayLimits

REPOSITORY = Path(__file__).resolve().parent.parent
"""The folder of kernels/, pipelines/ and schemas/: of the checkout, or windrow/ of an installed wheel."""
IMPORTED_FROM = REPOSITORY if location.IN_A_CHECKOUT else REPOSITORY.parent

NO_LIMITS = ReplayLimits()
ENGINES = ("spark", "local")
"""The first unless another is asked for."""
_MASTER = re.compile(r"local(\[(\d+|\*)(, *\d+)?\])?|local-cluster\[\d+, *\d+, *\d+\]|(spark|k8s)://\S+|yarn")
# Airflow's variables name a driver of SQLAlchemy's too. A password is not to be taken for a host, which messages name.
_LOCK_SERVER = re.compile(r"postgres(?:ql)?(?:\+\w+)?(://(?:(?:[^\s/@%]|%[0-9A-Fa-f]{2})*@)?[^\s/@]*(?:/[^\s@]*)?)")
_LOCKS_ALLOWED = (
    "file, or postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with %40, %2F and %25 for @, / and % in a password"
)
MIB = 1 << 20
# The largest settings, more than any disk holds: beyond, a setting says nothing.
MOST_MIB, MOST_LINES, MOST_WAIT_S = 1 << 30, 10**15, 10**9
MOST_WAIT = "WINDROW_MOST_WAIT_SECONDS"
SPARK_CONF, LOCKS = "WINDROW_SPARK_CONF", "WINDROW_LOCKS"
LANDING = "WINDROW_LANDING"
_LIMITS = ("WINDROW_MOST_ROWS", "WINDROW_MOST_SECONDS")
# In a home: the landing folder that `make up` was given last.
_KEPT = "landing_folder"


def _below_home(name: str) -> "cached_property[Location]":
    """A folder that every machine sees which works on the lake."""
    return cached_property(lambda config: config.home / name)


def _here_below(name: str) -> "cached_property[Path]":
    """A folder of what only this machine needs."""
    return cached_property(lambda config: config.here / name)


def _text(variable: str) -> "cached_property[str]":
    """A setting that is what it says; empty where it is unset."""
    return cached_property(lambda _: setting(variable, "").strip())


def _number(variable: str, default: int, least: int, most: int, unit: int = 1) -> "cached_property[int]":
    """A setting that is a whole number of units; WrongParameter for one that is none, or beyond its bounds."""

    def read(_: object) -> int:
        text = setting(variable)
        if text is None:
            return default * unit
        number = int(text) if re.fullmatch(r"[0-9]{1,18}", text.strip()) else -1
        if not least <= number <= most:
            allowed = f"a whole number from {least} to {most:,}, or leave the variable unset"
            raise WrongParameter(named(variable), text, allowed)
        return number * unit

    return cached_property(read)


@dataclass(frozen=True)
class Config:
    """Where one installation lies, and what its replays may cost. Everything that Windrow makes lies under `home`, but
    where that is no folder of this machine what only this one needs: that is below `here`. `asked_`: what beats the
    environment's; `asked_anew`: the tables that are made anew, in a place that no reader knows yet; `asked_panes`:
    whether panes of earlier days are read wherever they can be, or never; None where it goes by what they save;
    `is_trial`: whether it goes when something was tried out on it (pipelines/upkeep/trial.py): no lineage is told."""

    home: Location
    landing: Location
    limits: ReplayLimits = NO_LIMITS
    asked_engine: str | None = None
    asked_task_bytes: int | None = None
    asked_spark: Path | None = None
    asked_anew: frozenset[str] = frozenset()
    asked_panes: bool | None = None
    is_trial: bool = False

    lake = _below_home("lake")
    """The Delta tables: one folder per table."""
    running = _below_home("running")
    """The steps that run: one file per step (pipelines/ledger/running.py)."""
    damaged = _below_home("damaged")
    """What `windrow repair` took out of the lake."""
    anew = _below_home("anew")
    """The tables that `windrow rebuild` makes, until they take the place of those that readers have."""
    replaced = _below_home("replaced")
    """Those, as they were before."""
    trials = _below_home("trials")
    """Lakes on which something is tried out, while that lasts: one folder each (pipelines/upkeep/trial.py)."""

    locks = _here_below("locks")
    """The operating-system locks: one file per table, one per stream's ingest."""
    expectations = _here_below("expectations")
    """Validation results of Great Expectations, and their pages (pipelines/gate/validation_results.py)."""
    report = _here_below("report")
    """The pages of `windrow report` (pipelines/report/site.py)."""
    scratch = _here_below("tmp")
    """What databases in memory have no room for."""

    _task_bytes = _number("WINDROW_TASK_MIB", 64, least=1, most=MOST_MIB, unit=MIB)
    most_wait_s = _number(MOST_WAIT, 3_600, least=0, most=MOST_WAIT_S)
    """How long one waits for a lock before it is an error: by default an hour, less than an Airflow task has."""
    lines_per_worker = _number("WINDROW_LINES_PER_WORKER", 50_000, least=1, most=MOST_LINES)
    """How many lines keep one more core busy for long enough to be worth a process's start (half a second)."""
    ingest_batch_bytes = _number("WINDROW_INGEST_BATCH_MIB", 512, least=0, most=MOST_MIB, unit=MIB)
    """How much content, unpacked, an ingest takes before it commits what became of it; at 0 each file alone."""

    spark_conf = _text(SPARK_CONF)
    """More settings of Spark: a JSON object, or the path of a file like spark-defaults.conf."""
    java_options = _text("WINDROW_JAVA_OPTIONS")
    """More options for Spark's JVM; tests ask for the quick compiler, which starts faster and then runs slower."""

    def __getstate__(self) -> dict:
        """What is computed of it follows from the machine that it is on."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def here(self) -> Path:
        """Folder of what only this machine needs: the home, or one of its own for a home below a URI."""
        return _here(self.home)

    @cached_property
    def engine(self) -> str:
        """Which of pipelines/engines/ moves rows; WrongParameter for one that there is not."""
        name = self.asked_engine or setting("WINDROW_ENGINE", ENGINES[0])
        if name not in ENGINES:
            raise WrongParameter(
                "--engine" if self.asked_engine else named("WINDROW_ENGINE"), name, " or ".join(ENGINES)
            )
        return name

    @cached_property
    def ingests(self) -> Location:
        """Folder of parsed rows on their way to silver: one folder per stream, while an ingest of it runs. The tasks of
        an engine may be on several machines, those of the local one are here."""
        return (self.here if self.engine == "local" else self.home) / "ingests"

    @cached_property
    def lock_server(self) -> str | None:
        """PostgreSQL's URL of the server that has the lake's locks; None where the operating system has them."""
        text = setting(LOCKS, "file")
        url = _LOCK_SERVER.fullmatch(text)
        if text != "file" and url is None:
            # Not the whole: it may hold a password.
            raise WrongParameter(named(LOCKS), re.sub(r"(?s)\W.*", "…", text), _LOCKS_ALLOWED)
        return f"postgresql{url[1]}" if url else None

    @cached_property
    def spark(self) -> Path:
        """Folder of Spark's temporary files: one folder per session (processes/orphan_jvms.py)."""
        return self.asked_spark or self.here / "spark"

    @cached_property
    def jars(self) -> Path:
        """Folder of Delta's JARs and the class-data archive."""
        return Path(setting("WINDROW_JARS") or made() / "jars")

    @cached_property
    def spark_master(self) -> str | None:
        """Where Spark runs: its master's URL, None where Spark's own settings say; WrongParameter for what is none."""
        master = setting("WINDROW_SPARK_MASTER")
        if master is not None and not _MASTER.fullmatch(master):
            allowed = "local[2], local[*] or the like, spark://HOST:PORT, k8s://HOST:PORT, yarn, or leave it unset"
            raise WrongParameter(named("WINDROW_SPARK_MASTER"), master, allowed)
        return master

    @cached_property
    def task_bytes(self) -> int:
        """How much one task reads, as it lies on disk, where files are as small."""
        return self.asked_task_bytes or self._task_bytes

    @cached_property
    def cores(self) -> int:
        """How many of the machine's cores this process may use."""
        return len(os.sched_getaffinity(0))


def load(limits: ReplayLimits = NO_LIMITS, engine: str | None = None) -> Config:
    """Read WINDROW_HOME (default: var/ of the project, else as `made`), WINDROW_LANDING (default: what `keep_landing`
    kept for the home, else its landing/), and WINDROW_MOST_ROWS and WINDROW_MOST_SECONDS, where `limits` doesn't set
    them. `engine`: beats WINDROW_ENGINE."""
    folder = root()
    home = _location(HOME, folder / "var" if folder else made(), location.NOT_IN_HOMES)
    landing = _location(LANDING, kept_landing(home) or home / "landing")
    settings = ReplayLimits.read(*((name, setting(name)) for name in _LIMITS))
    both = ReplayLimits(limits.most_rows or settings.most_rows, limits.most_seconds or settings.most_seconds)
    return Config(home, landing, both, engine)


def keep_landing(home: Location, landing: Location) -> None:
    """Have every later command of this home take that landing folder, unless WINDROW_LANDING names another."""
    kept = _here(home) / _KEPT
    kept.parent.mkdir(parents=True, exist_ok=True)
    fresh = kept.with_name(f".{_KEPT}-{os.getpid()}")
    fresh.write_text(f"{landing}\n")
    os.replace(fresh, kept)


def kept_landing(home: Location) -> "Location | None":
    """None where none was kept. WrongParameter names the file that holds no location."""
    kept = _here(home) / _KEPT
    try:
        return location.parsed(kept.read_text().rstrip("\n"), str(kept))
    except FileNotFoundError:
        return None


def _here(home: Location) -> Path:
    if isinstance(home, Path):
        return home
    name = re.sub(r"\W+", "-", str(home))[-40:].strip("-")
    return made() / "homes" / f"{name}-{hashlib.sha256(str(home).encode()).hexdigest()[:8]}"


def made() -> Path:
    """Folder of what projects share, and of what is made outside of any: var/ of a checkout; else windrow/ where this
    user's programs keep their data."""
    if location.IN_A_CHECKOUT:
        return REPOSITORY / "var"
    return Path(os.path.expanduser(os.environ.get("XDG_DATA_HOME") or "~/.local/share"), "windrow")


def _location(variable: str, default: Location, forbidden: str = "") -> Location:
    value, name = setting(variable), named(variable)
    if value is None:
        return location.require_served(default, name, forbidden)
    if not value.strip():
        raise WrongParameter(name, value, f"{location.SERVED}; or leave the variable unset")
    place = location.parsed(value, name)
    if location.is_local(place):
        there = next(each for each in (place, *place.parents) if os.path.exists(each))
        if not os.path.isdir(there):
            raise WrongParameter(name, value, f"a folder, which need not exist yet; {there} is a file")
    return location.require_served(place, name, forbidden)
