"""A project: a folder with `windrow.toml`, found upwards from the current folder as git finds its own; WINDROW_PROJECT
names another. Its definitions are in one registry with ours and those of installed packages:

    streams/ queries/ models/ policies/ features/
                                            beside ours in schemas/
    aggregates/ functions/                  beside ours in kernels/monoids and kernels/farm/functions
    windows/query, kernel, recount/         the three files of a window kind

A module's name doesn't say who has it: `windrow.schemas.queries.demand` is the file `queries/demand.py` of whichever
has one, so that every process that works in the project imports it alike.
"""

import json
import os
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, overload

from windrow.schemas.errors import WrongParameter
from windrow.schemas.spelling import did_you_mean

FILE, VARIABLE = "windrow.toml", "WINDROW_PROJECT"
ENTRY_POINTS = "windrow.definitions"
"""The group by which an installed package names one of its packages as a folder of definitions."""
KINDS = ("streams", "queries", "models", "policies", "features", "aggregates", "functions", "windows")
CHECKOUT = Path(__file__).resolve().parent.parent
# Settings by their key in windrow.toml, which is the name of their variable without WINDROW_, in small letters.
FOLDERS = ("home", "landing", "jars", "numba")
TABLES = ("streams", "queries")
"""What else a windrow.toml has: tables of one stream or query each, which schemas/dag_settings.py reads."""
SETTINGS = {
    "home": "folder, or URI of S3 or HDFS, for all that Windrow writes. Default: var/ of the project",
    "landing": "folder where files of events land. Default: landing/ of the home",
    "definitions": "one folder of definitions, or several. Default: the folder of windrow.toml",
    "engine": "`spark` or `local`, which needs no JVM",
    "spark_master": "where Spark runs, such as local[8] or spark://HOST:7077",
    "spark_conf": "more settings of Spark: a table, or the path of a file such as spark-defaults.conf",
    "java_options": "more options of Spark's JVM",
    "jars": "the folder of Delta's JARs",
    "locks": "where locks are kept: `file`, or the URL of a PostgreSQL server",
    "numba": "the folder of compiled code",
    "task_mib": "how much a task reads, in MiB",
    "lines_per_worker": "how many lines the local engine needs to put one more core to work",
    "ingest_batch_mib": "how much content an ingest commits at once, in MiB. 0: each file alone",
    "most_rows": "how many rows a task of a replay may make",
    "most_seconds": "how many seconds a task of a replay may take",
    "most_wait_seconds": "how many seconds a process waits for a lock",
    "airflow": "of `windrow up`: the whole path of `airflow`, where that is in another environment",
    "airflow_database": "of `windrow up`: the URL of a PostgreSQL for Airflow; else SQLite in the home",
    "command": "of DAGs: the whole path of `windrow`",
    "pool": "of DAGs: the pool of all tasks",
    "owner": "of DAGs: the owner of the tasks",
    "retries": "of DAGs: how often a task that failed is tried again",
    "most_task_seconds": "of DAGs: the longest time for a task, in seconds; then Airflow ends it",
    "spark_connection": "of DAGs: the Airflow connection that says where Spark runs",
    "storage_connection": "of DAGs: the Airflow connection of the lake's S3",
    "alert_connection": "of DAGs: the Airflow connection, of type smtp, that sends mails",
    "alert_to": "of DAGs: the address that gets a mail when a task has failed for good",
    "alert_after_seconds": "of DAGs: the longest time for a run, in seconds, before it is reported as late",
    "notifier": "of DAGs: module:name of a function, or a class of notifiers, that is called in place of a mail",
}


def enter(file: Path) -> None:
    """Work in the project of a file, in every process that this one starts too, unless WINDROW_PROJECT names another;
    before any definition is loaded."""
    if (found := around(file)) and VARIABLE not in os.environ:
        os.environ[VARIABLE] = str(found)
    # Airflow parses in a fork of a process that has read windrow.toml before, maybe before an edit.
    for known in (root, _settings, _read, folders):
        known.cache_clear()


@cache
def root() -> Path | None:
    """The project's folder; of a checkout where no other is found, that; else None. WrongParameter for a
    WINDROW_PROJECT without windrow.toml."""
    if given := os.environ.get(VARIABLE):
        folder = Path(given).expanduser().resolve()
        if not (folder / FILE).is_file():
            raise WrongParameter(VARIABLE, given, f"a folder that has {FILE}, as `windrow init FOLDER` makes it")
        return folder
    here = Path.cwd()
    return _first((here, *here.parents, CHECKOUT))


def around(file: Path) -> Path | None:
    """The folder of the project that a file or a folder lies in."""
    return _first(file.resolve().parents)


def _first(folders: Iterable[Path]) -> Path | None:
    return next((each for each in folders if (each / FILE).is_file()), None)


def named(variable: str) -> str:
    """A setting as the user wrote it: a variable, or a key of windrow.toml."""
    key = variable.removeprefix("WINDROW_").lower()
    return f"{key} of {FILE}" if variable not in os.environ and key in _settings() else variable


@overload
def setting(variable: str, default: str) -> str: ...
@overload
def setting(variable: str) -> str | None: ...
def setting(variable: str, default: str | None = None) -> str | None:
    """What a variable says, WINDROW_HOME for one; else windrow.toml; else the default."""
    return os.environ.get(variable, _settings().get(variable.removeprefix("WINDROW_").lower(), default))


@cache
def _settings() -> dict[str, str]:
    """Those of windrow.toml, as the variables have them: paths from the project's folder on."""
    folder = root()
    found = {} if folder is None else _read(folder)
    return {key: _placed(folder, key, value) for key, value in found.items() if folder and key not in TABLES}


def tables(kind: str) -> dict[str, Any]:
    """Those of a kind of TABLES, by the name of their stream or query, as windrow.toml has them."""
    folder = root()
    return {} if folder is None else _read(folder).get(kind, {})


@cache
def _read(folder: Path) -> dict[str, Any]:
    file = folder / FILE
    try:
        found = tomllib.loads(file.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WrongParameter(FILE, str(file), f"a file of TOML; this one is none: {error}") from None
    for key, value in found.items():
        if key not in (*SETTINGS, *TABLES):
            known = (*SETTINGS, *(f"[{kind}.NAME]" for kind in TABLES))
            raise WrongParameter(
                f"setting of {file}", key, f"{', '.join(known)}{did_you_mean(key, (*SETTINGS, *TABLES))}"
            )
        if key in TABLES and not isinstance(value, dict):
            raise WrongParameter(f"{key} of {file}", value, f"tables, [{key}.NAME]")
    return found


def _placed(folder: Path, key: str, value: object) -> str:
    if key in FOLDERS and isinstance(value, str) and "://" not in value:
        return str(folder / Path(value).expanduser())
    return as_text(value)


def as_text(value: object) -> str:
    """A setting as its variable has it."""
    return value if isinstance(value, str) else json.dumps(value)


def beside(path: Iterable[str], kind: str) -> list[str]:
    """The `__path__` of a package of definitions, given as Python made it, with the folders of that kind elsewhere:
    of installed packages and of the project."""
    elsewhere = [folder / kind for folder in folders()]
    return [*path, *(str(each) for each in elsewhere if each.is_dir())]


@cache
def folders() -> list[Path]:
    """Where definitions are apart from ours: of installed packages and of the project."""
    return [*_installed(), *_of_project()]


def _installed() -> list[Path]:
    found = sorted(entry_points(group=ENTRY_POINTS), key=lambda each: each.value)
    specs = (find_spec(each.value) for each in found)
    return [Path(place) for spec in specs if spec for place in spec.submodule_search_locations or ()]


def _of_project() -> list[Path]:
    folder = root()
    if folder is None:
        return []
    named = _read(folder).get("definitions", ".")
    return [folder / each for each in ([named] if isinstance(named, str) else named)]


def definitions_folder() -> Path | None:
    """Where new definitions go: the project's folder, and of a checkout of Windrow that; None outside of projects."""
    folder = root()
    return folder if folder is None or folder == CHECKOUT else _of_project()[0]


def shown(file: Path) -> str:
    """A file of definitions as people write it: from the project's folder, or that of our packages, on."""
    path = file.resolve()
    for folder in filter(None, (root(), CHECKOUT)):
        if path.is_relative_to(folder):
            return path.relative_to(folder).as_posix()
    return str(path)
