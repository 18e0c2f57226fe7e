"""Which Windrow the tasks run, and how long they may: from the environment of Airflow, so that dags/ may lie anywhere.

Not from Airflow's Variables: one that can't be read at the moment, since the server is busy, counts as not set, and a
task would write into another lake.
"""

import os
from datetime import timedelta
from pathlib import Path

from schemas.errors import WrongParameter
from schemas.replay_limits import read_seconds

COMMAND, MOST_TASK_SECONDS, POOL = "WINDROW_COMMAND", "WINDROW_MOST_TASK_SECONDS", "WINDROW_POOL"
_AROUND = Path(__file__).resolve().parent.parent / ".venv" / "bin" / "windrow"
_SIX_HOURS = 6 * 3600


def command() -> str:
    """Path of `windrow`: as set, else that of the checkout around this folder. WrongParameter where it is not whole."""
    path = os.environ.get(COMMAND, str(_AROUND))
    if not Path(path).is_absolute():
        raise WrongParameter(COMMAND, path, "the whole path of windrow, or leave the variable unset")
    return path


def pool() -> str:
    """The pool of all tasks, whose slots bound how many of them, and with them how many JVMs, run at once."""
    return os.environ.get(POOL) or "default_pool"


def execution_timeout() -> timedelta:
    """After how long a task is ended. WrongParameter, shown as an import error, where the setting is no such number."""
    return timedelta(seconds=read_seconds(MOST_TASK_SECONDS, os.environ.get(MOST_TASK_SECONDS)) or _SIX_HOURS)
