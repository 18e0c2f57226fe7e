"""Airflow's own database: SQLite in the home, or the PostgreSQL that WINDROW_AIRFLOW_DATABASE names."""

import os
from pathlib import Path

from schemas.errors import WrongParameter

VARIABLE, FILE = "WINDROW_AIRFLOW_DATABASE", "airflow.db"
POSTGRESQL = "postgresql+psycopg2://"
_ALLOWED = f"{POSTGRESQL}USER:PASSWORD@HOST:PORT/NAME, or leave the variable unset for SQLite"
# SQLite's own 5 s were too short: where a busy disk kept one commit waiting for 6 s, the scheduler ended.
_WAIT_S = 30
# Longer than the database may take: who asks again meanwhile finds its first request done, and fails.
_REQUEST_S = 2 * _WAIT_S


def settings(folder: Path) -> dict[str, str]:
    """Airflow's settings for it, of an Airflow in that folder. WrongParameter for another database."""
    url = os.environ.get(VARIABLE, f"sqlite:///{folder / FILE}?timeout={_WAIT_S}")
    if VARIABLE in os.environ and (not url.startswith(POSTGRESQL) or url == POSTGRESQL):
        # Not the whole: it may hold a password.
        raise WrongParameter(VARIABLE, f"{url.partition('://')[0]}…", _ALLOWED)
    return {
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": url,
        "AIRFLOW__WORKERS__EXECUTION_API_TIMEOUT": str(_REQUEST_S),
    }


def fix() -> str:
    """What to do where Airflow can't prepare its database."""
    return f"start the server that {VARIABLE} names, or correct it" if os.environ.get(VARIABLE) else "make setup"
