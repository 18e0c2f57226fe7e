"""An Airflow connection of type aws, as the standard variables that every library of `windrow` takes: who reads and
writes the lake and the landing files on S3, and where its server is.

    WINDROW_STORAGE_CONNECTION=lake
    login: the key's id, password: the key, extra: {"region_name": "us-east-1", "endpoint_url": "http://s3:9000"}
"""

import os

from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowFailException

CONNECTION = "WINDROW_STORAGE_CONNECTION"
_FIELDS = {
    "region_name": "AWS_REGION",
    "endpoint_url": "AWS_ENDPOINT_URL",
    "aws_session_token": "AWS_SESSION_TOKEN",
}
# By which Airflow's own hooks get a key in another way; the libraries know of these by variables of their own.
_UNSERVED = ("role_arn", "profile_name", "assume_role_method")


def environment() -> dict[str, str]:
    """Of the connection that the variable names; nothing where it names none."""
    name = os.environ.get(CONNECTION)
    return of_connection(Connection.get(name)) if name else {}


def of_connection(connection: Connection) -> dict[str, str]:
    """AirflowFailException for a connection that is of another type, or gets its key in a way that isn't served."""
    extra = connection.extra_dejson
    if connection.conn_type != "aws":
        raise AirflowFailException(
            f"{CONNECTION} is {connection.conn_id!r}, a connection of type {connection.conn_type!r}; give it the name "
            "of one of type 'aws'"
        )
    if unserved := [field for field in _UNSERVED if extra.get(field)]:
        raise AirflowFailException(
            f"connection {connection.conn_id!r} has {', '.join(unserved)}; allowed: login and password, or neither, "
            f"and {', '.join(_FIELDS)}; for the rest set AWS_* variables in Airflow's environment"
        )
    keys = {"AWS_ACCESS_KEY_ID": connection.login, "AWS_SECRET_ACCESS_KEY": connection.password}
    found = keys | {variable: extra.get(field) for field, variable in _FIELDS.items()}
    return {variable: str(value) for variable, value in found.items() if value}
