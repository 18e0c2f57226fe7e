"""Airflow's environment: every setting that Windrow needs, in one function.

Nothing is written into airflow.cfg, so that an Airflow home holds only what Airflow itself makes. Its own
database is SQLite in the home, or the PostgreSQL that WINDROW_AIRFLOW_DATABASE names.
"""

import os
from pathlib import Path

from stack import commands, credentials, debian, places
from stack.places import AIRFLOW_ENVIRONMENT, PYTHON, REPOSITORY
from windrow.pipelines.airflow import PORT, USER, airflow_home, mark, password_file
from windrow.pipelines.location import Location
from windrow.processes import marked
from windrow.schemas.errors import WrongParameter
from windrow.schemas.project import setting

DATABASE, FILE = "WINDROW_AIRFLOW_DATABASE", "airflow.db"
POOL = "windrow"
"""Of all tasks of which windrow.toml names no other. `make up` makes it, where an Airflow has none of that name."""
POSTGRESQL = "postgresql+psycopg2://"
_ALLOWED = f"{POSTGRESQL}USER:PASSWORD@HOST:PORT/NAME, or leave the variable unset for SQLite"
# SQLite's own 5 s were too short: where a busy disk kept one commit waiting for 6 s, the scheduler ended.
_WAIT_S = 30
# Longer than the database may take: who asks again meanwhile finds its first request done, and fails.
_REQUEST_S = 2 * _WAIT_S
# A day's replay with its gate, in a fresh process, took 21 processor seconds without and 17 with these, an ingest of
# 340,000 lines 44 and 33; one of 2 million lines took 92 either way, of which the JVM's part then grows by 17 a million
# lines, not 11.
QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def airflow_environment(
    home: Path, port: int, landing: "Location | None" = None, dags: Path = REPOSITORY / "dags"
) -> dict[str, str]:
    """The whole environment of Airflow's processes, and so of the tasks.

    `home` becomes WINDROW_HOME, but where that is a URI already; `landing` becomes WINDROW_LANDING (default: what this
    process has, if any).
    Makes the home's secrets where they are missing or damaged. Of Airflow's own settings none comes from outside.
    """
    folder = airflow_home(home).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    outside = {name: value for name, value in commands.clean_environment().items() if not name.startswith("AIRFLOW_")}
    return outside | _of_tasks(home, landing) | _of_airflow(folder, port, dags) | {marked.MARK: mark(home)}


def tasks_at_once() -> int:
    """As many as there are cores: each may start a JVM, of 2 GiB and for seconds more than a core's work."""
    return max(2, os.cpu_count() or 2)


def password(home: Path) -> str:
    """The login's password."""
    return credentials.password(airflow_home(home))


def login(home: Path) -> str:
    """The login, as a line says it."""
    return places.login(USER, password(home), password_file(airflow_home(home)))


def _of_tasks(home: Path, landing: "Location | None") -> dict[str, str]:
    found = debian.find_java()
    settings = {
        "WINDROW_HOME": _lake(home),
        "WINDROW_POOL": setting("WINDROW_POOL", POOL),
        "PYTHONPATH": str(REPOSITORY),
        # Without it Spark's workers take the first python3 on PATH, which has none of our packages.
        "PYSPARK_PYTHON": str(PYTHON),
        "WINDROW_JAVA_OPTIONS": os.environ.get("WINDROW_JAVA_OPTIONS", QUICK_JVM),
        "PATH": f"{AIRFLOW_ENVIRONMENT / 'bin'}:{os.environ.get('PATH', os.defpath)}",
    }
    if landing is not None:
        settings["WINDROW_LANDING"] = str(landing.resolve() if isinstance(landing, Path) else landing)
    if found and not os.environ.get("JAVA_HOME"):
        settings["JAVA_HOME"] = str(Path(found).resolve().parent.parent)
    return settings


def _lake(home: Path) -> str:
    given = os.environ.get("WINDROW_HOME", "")
    return given if "://" in given else str(home.resolve())


def _of_airflow(folder: Path, port: int, dags: Path) -> dict[str, str]:
    address = f"http://127.0.0.1:{port}"
    credentials.password(folder)
    return {
        "AIRFLOW_HOME": str(folder),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": _database(folder),
        "AIRFLOW__WORKERS__EXECUTION_API_TIMEOUT": str(_REQUEST_S),
        "AIRFLOW__CORE__DAGS_FOLDER": str(dags),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__EXECUTOR": "LocalExecutor",
        "AIRFLOW__CORE__PARALLELISM": str(tasks_at_once()),
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"{address}/execution/",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": f"{USER}:admin",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(password_file(folder)),
        # Airflow sets the modes of its tasks' logs itself, whatever the umask (processes/modes.py).
        "AIRFLOW__LOGGING__FILE_TASK_HANDLER_NEW_FOLDER_PERMISSIONS": "0o750",
        "AIRFLOW__LOGGING__FILE_TASK_HANDLER_NEW_FILE_PERMISSIONS": "0o640",
        "AIRFLOW__API__HOST": "127.0.0.1",
        PORT: str(port),
        "AIRFLOW__API__BASE_URL": address,
        "AIRFLOW__API__WORKERS": "1",
        "AIRFLOW__API_AUTH__JWT_SECRET": credentials.jwt_secret(folder),
        "AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_STORAGE_PATH": str(folder / "bundles"),
        "AIRFLOW__DAG_PROCESSOR__PARSING_PROCESSES": "1",
        # The default of five minutes is a long time to wait for a file just written.
        "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "15",
        # Without it setproctitle overwrites the memory where /proc shows a process's environment: its mark.
        "SPT_NOENV": "1",
    }


def _database(folder: Path) -> str:
    """WrongParameter for another than SQLite and PostgreSQL."""
    url = os.environ.get(DATABASE, f"sqlite:///{folder / FILE}?timeout={_WAIT_S}")
    if DATABASE in os.environ and (not url.startswith(POSTGRESQL) or url == POSTGRESQL):
        # Not the whole: it may hold a password.
        raise WrongParameter(DATABASE, f"{url.partition('://')[0]}…", _ALLOWED)
    return url


def fix_of_database() -> str:
    """What to do where Airflow can't prepare it."""
    return f"start the server that {DATABASE} names, or correct it" if os.environ.get(DATABASE) else "make setup"
