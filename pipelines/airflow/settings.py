"""Airflow's environment: every setting that Windrow needs, in one function.

Nothing is written into airflow.cfg, so that an Airflow home holds only what Airflow itself makes. Its own
database is SQLite in the home, or the PostgreSQL that WINDROW_AIRFLOW_DATABASE names.
"""

import os
import shutil
import sys
from pathlib import Path

from windrow.pipelines import config
from windrow.pipelines.airflow import PORT, USER, airflow_home, credentials, mark, password_file
from windrow.pipelines.config import IMPORTED_FROM
from windrow.pipelines.location import IN_A_CHECKOUT, Location, set_up
from windrow.pipelines.logged import clean_environment
from windrow.processes import java, marked
from windrow.schemas import project
from windrow.schemas.errors import NotSetUp, WrongParameter

DATABASE, FILE = "WINDROW_AIRFLOW_DATABASE", "airflow.db"
COMMAND = "WINDROW_AIRFLOW"
POOL = "windrow"
"""The pool of all tasks for which windrow.toml names no other. `windrow up` makes it if it is missing."""
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
    home: Path, port: int, landing: "Location | None" = None, dags: Path | None = None
) -> dict[str, str]:
    """The whole environment of Airflow's processes, and so of the tasks.

    `home` becomes WINDROW_HOME, but where that is a URI already; `landing` becomes WINDROW_LANDING (default: what this
    process has, if any); `dags`: the folder of DAGs (default: that of the project).
    Makes the home's secrets where they are missing or damaged. Of Airflow's own settings none comes from outside.
    """
    folder, dags = airflow_home(home).resolve(), dags or dags_folder()
    folder.mkdir(parents=True, exist_ok=True)
    outside = {name: value for name, value in clean_environment().items() if not name.startswith("AIRFLOW_")}
    return outside | _of_tasks(home, landing, dags) | _of_airflow(folder, port, dags) | {marked.MARK: mark(home)}


def tasks_at_once() -> int:
    """As many as there are cores: each may start a JVM, of 2 GiB and for seconds more than a core's work."""
    return max(2, os.cpu_count() or 2)


def password(home: Path) -> str:
    """The login's password."""
    return credentials.password(airflow_home(home))


def login(home: Path) -> str:
    """The login, as a line says it."""
    return credentials.login(USER, password(home), password_file(airflow_home(home)))


def airflow() -> str:
    """Airflow's own command: that of WINDROW_AIRFLOW, of a checkout's environment for it, next to this Python, or on
    PATH. NotSetUp where there is none."""
    wanted = project.setting(COMMAND)
    beside = Path(sys.executable).with_name("airflow")
    places: list[str | Path] = (
        [wanted] if wanted else [IMPORTED_FROM / ".venv-airflow" / "bin" / "airflow", beside, "airflow"]
    )
    if found := next(filter(None, (shutil.which(each) for each in places)), None):
        return str(Path(found).absolute())
    other = f"set {COMMAND}, or airflow in {project.FILE}, to the path of airflow in another environment"
    if wanted:
        raise NotSetUp(f"{wanted} is no program", other)
    raise NotSetUp("there is no Airflow here", set_up(f'pip install "windrow[airflow]"   # or {other}'))


def dags_folder() -> Path:
    """That of the project. NotSetUp outside of projects, and where the project has none."""
    folder = project.root()
    if folder and (folder / "dags").is_dir():
        return folder / "dags"
    if folder:
        raise NotSetUp(f"{folder} has no dags/", "windrow init FOLDER   # then copy FOLDER/dags")
    raise NotSetUp("this folder is in no project", "windrow init FOLDER")


def python() -> Path:
    """The Python of the commands that tasks run: of a checkout its environment's, which the set-up's Python is not."""
    of_checkout = IMPORTED_FROM / ".venv" / "bin" / "python"
    return of_checkout if IN_A_CHECKOUT and of_checkout.exists() else Path(sys.executable)


def _of_tasks(home: Path, landing: "Location | None", dags: Path) -> dict[str, str]:
    found, folder, own = java.find(), project.around(dags), python()
    settings = {
        "WINDROW_HOME": _lake(home),
        **({project.VARIABLE: str(folder)} if folder else {}),
        **({"PYTHONPATH": str(IMPORTED_FROM)} if IN_A_CHECKOUT else {}),
        "WINDROW_COMMAND": project.setting("WINDROW_COMMAND", str(own.with_name("windrow"))),
        "WINDROW_POOL": project.setting("WINDROW_POOL", POOL),
        # Without it Spark's workers take the first python3 on PATH, which has none of our packages.
        "PYSPARK_PYTHON": str(own),
        "WINDROW_JAVA_OPTIONS": project.setting("WINDROW_JAVA_OPTIONS", QUICK_JVM),
        "PATH": f"{Path(airflow()).parent}:{os.environ.get('PATH', os.defpath)}",
    }
    if landing is not None:
        settings["WINDROW_LANDING"] = str(landing.resolve() if isinstance(landing, Path) else landing)
    if found and not os.environ.get("JAVA_HOME"):
        settings["JAVA_HOME"] = str(Path(found).resolve().parent.parent)
    return settings


def _lake(home: Path) -> str:
    found = config.load()
    return str(found.home) if found.here.resolve() == home.resolve() else str(home.resolve())


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
    given = project.setting(DATABASE)
    url = given or f"sqlite:///{folder / FILE}?timeout={_WAIT_S}"
    if given is not None and (not url.startswith(POSTGRESQL) or url == POSTGRESQL):
        # Not the whole: it may hold a password.
        raise WrongParameter(DATABASE, f"{url.partition('://')[0]}…", _ALLOWED)
    return url


def fix_of_database() -> str:
    """What to do where Airflow can't prepare it."""
    return (
        f"start the server that {DATABASE} names, or correct it"
        if project.setting(DATABASE)
        else set_up("windrow doctor")
    )
