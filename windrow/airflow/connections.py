"""Airflow connections as what `windrow` takes from its environment.

| variable | connection | fields |
| --- | --- | --- |
| `WINDROW_SPARK_CONNECTION` | spark: where Spark runs, its settings | host, port, extra `deploy-mode` and `conf` |
| `WINDROW_STORAGE_CONNECTION` | aws: S3's address and key | login, password, extra `region_name` and `endpoint_url` |
"""

import json

from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowFailException

from windrow.schemas.project import setting

SPARK, STORAGE = "WINDROW_SPARK_CONNECTION", "WINDROW_STORAGE_CONNECTION"
# Fields of Airflow's own that are settings of Spark.
_SPARK_FIELDS = {"queue": "spark.yarn.queue", "namespace": "spark.kubernetes.namespace"}
# The standard variables, which every library of `windrow` takes.
_STORAGE_FIELDS = {
    "region_name": "AWS_REGION",
    "endpoint_url": "AWS_ENDPOINT_URL",
    "aws_session_token": "AWS_SESSION_TOKEN",
}
# By which Airflow's own hooks get a key in another way; the libraries know of these by variables of their own.
_UNSERVED = ("role_arn", "profile_name", "assume_role_method")


def environment() -> dict[str, str]:
    """Of the connections that the variables name; nothing of a variable that names none."""
    named = [(setting(variable), read) for variable, read in ((SPARK, of_spark), (STORAGE, of_storage))]
    found = (read(Connection.get(name)) for name, read in named if name)
    return {variable: value for each in found for variable, value in each.items()}


def of_spark(connection: Connection) -> dict[str, str]:
    """AirflowFailException for a connection that is of another type, or runs the driver on the cluster."""
    _require_type(connection, SPARK, "spark")
    extra = connection.extra_dejson
    if (mode := extra.get("deploy-mode") or "client") != "client":
        name = f"connection {connection.conn_id!r}"
        raise AirflowFailException(
            f"{name} has deploy-mode {mode!r}; allowed: client, since the task is Spark's driver"
        )
    fields = {setting: extra[field] for field, setting in _SPARK_FIELDS.items() if extra.get(field)}
    port = f":{connection.port}" if connection.port else ""
    master = {"WINDROW_SPARK_MASTER": f"{connection.host}{port}"} if connection.host else {}
    return master | {"WINDROW_SPARK_CONF": json.dumps(fields | extra.get("conf", {}))}


def of_storage(connection: Connection) -> dict[str, str]:
    """AirflowFailException for a connection that is of another type, or gets its key in a way that isn't served."""
    _require_type(connection, STORAGE, "aws")
    extra = connection.extra_dejson
    if unserved := [field for field in _UNSERVED if extra.get(field)]:
        raise AirflowFailException(
            f"connection {connection.conn_id!r} has {', '.join(unserved)}; allowed: login and password, or neither, "
            f"and {', '.join(_STORAGE_FIELDS)}; for the rest set AWS_* variables in Airflow's environment"
        )
    keys = {"AWS_ACCESS_KEY_ID": connection.login, "AWS_SECRET_ACCESS_KEY": connection.password}
    found = keys | {variable: extra.get(field) for field, variable in _STORAGE_FIELDS.items()}
    return {variable: str(value) for variable, value in found.items() if value}


def _require_type(connection: Connection, variable: str, asked: str) -> None:
    if connection.conn_type != asked:
        raise AirflowFailException(
            f"{variable} is {connection.conn_id!r}, a connection of type {connection.conn_type!r}; set it to a "
            f"connection of type {asked!r}"
        )
