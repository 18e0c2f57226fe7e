"""Airflow's own database: SQLite in the home, or the PostgreSQL that WINDROW_AIRFLOW_DATABASE names."""

import os

from schemas.errors import WrongParameter

VARIABLE = "WINDROW_AIRFLOW_DATABASE"
POSTGRESQL = "postgresql+psycopg2://"
_ALLOWED = f"{POSTGRESQL}USER:PASSWORD@HOST:PORT/NAME, or leave the variable unset for SQLite"


def settings() -> dict[str, str]:
    """Airflow's settings for it; none for SQLite, its default. WrongParameter for another database."""
    url = os.environ.get(VARIABLE)
    if url is None:
        return {}
    if not url.startswith(POSTGRESQL) or url == POSTGRESQL:
        # Not the whole: it may hold a password.
        raise WrongParameter(VARIABLE, f"{url.partition('://')[0]}…", _ALLOWED)
    return {"AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": url}


def fix() -> str:
    """What to do where Airflow can't prepare its database."""
    return f"start the server that {VARIABLE} names, or correct it" if os.environ.get(VARIABLE) else "make setup"
