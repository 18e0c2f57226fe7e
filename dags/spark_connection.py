"""An Airflow connection of type spark, as what `windrow` takes from its environment: where Spark runs, and its
settings.

    WINDROW_SPARK_CONNECTION=spark_cluster
    spark://spark-master:7077, extra: {"deploy-mode": "client", "conf": {"spark.executor.memory": "4g"}}
"""

import json
import os

from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowFailException

CONNECTION = "WINDROW_SPARK_CONNECTION"
# Fields of Airflow's own that are settings of Spark.
_FIELDS = {"queue": "spark.yarn.queue", "namespace": "spark.kubernetes.namespace"}


def environment() -> dict[str, str]:
    """Of the connection that the variable names; nothing where it names none."""
    name = os.environ.get(CONNECTION)
    return of_connection(Connection.get(name)) if name else {}


def of_connection(connection: Connection) -> dict[str, str]:
    """AirflowFailException for a connection that is of another type, or runs the driver on the cluster."""
    extra = connection.extra_dejson
    if connection.conn_type != "spark":
        raise AirflowFailException(
            f"{CONNECTION} is {connection.conn_id!r}, a connection of type {connection.conn_type!r}; give it the name "
            "of one of type 'spark'"
        )
    if (mode := extra.get("deploy-mode") or "client") != "client":
        name = f"connection {connection.conn_id!r}"
        raise AirflowFailException(f"{name} has deploy-mode {mode!r}; allowed: client, as the task is Spark's driver")
    conf = {setting: extra[field] for field, setting in _FIELDS.items() if extra.get(field)} | extra.get("conf", {})
    port = f":{connection.port}" if connection.port else ""
    master = {"WINDROW_SPARK_MASTER": f"{connection.host}{port}"} if connection.host else {}
    return master | {"WINDROW_SPARK_CONF": json.dumps(conf)}
