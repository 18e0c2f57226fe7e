"""Airflow's connections, as variables of the environment that name them choose them."""

import os

from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowFailException


def named_by(variable: str) -> Connection | None:
    """None where the variable names none."""
    name = os.environ.get(variable)
    return Connection.get(name) if name else None


def require_type(variable: str, connection: Connection, wanted: str) -> None:
    """AirflowFailException for a connection of another type."""
    if connection.conn_type != wanted:
        raise AirflowFailException(
            f"{variable} is {connection.conn_id!r}, a connection of type {connection.conn_type!r}; give it the name "
            f"of one of type {wanted!r}"
        )
