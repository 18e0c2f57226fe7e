"""Windrow in Airflow: the DAGs of a project, which a file of its dags/ folder asks for.

    from windrow.airflow import dags

    globals().update(dags(__file__))

streams.py, maintenance.py, report_dag.py   the DAGs         command.py, operators.py   what their tasks run
tasks.py, installation.py                   what they share  hook.py, connections.py    where the lake lies, and Spark
report_plugin.py, run_day.py, report_pages.py   what Airflow's pages show of it
"""

from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windrow.schemas import project

if TYPE_CHECKING:
    from airflow.sdk import DAG


def dags(file: str, conn_id: str | None = None) -> "dict[str, DAG]":
    """The DAGs of all streams, and the lake's, by their ids; nothing reads a lake. A broken definition has none, nor a
    stream whose settings are wrong, and neither takes another down: `raise_broken` says what is wrong.

    file: the one that asks, below the project's folder
    conn_id: an Airflow connection of the type `windrow`, by which tasks find home, engine, Spark and locks; else what
        windrow.toml and the environment say. WrongParameter for a setting that is none
    """
    project.enter(Path(file))
    from windrow.airflow import maintenance, report_dag, streams
    from windrow.airflow.tasks import common

    shared = common(conn_id)
    return {dag.dag_id: dag for dag in (*streams.dags(conn_id), maintenance.dag(shared), report_dag.dag(shared))}


def raise_broken(file: str) -> None:
    """AirflowException for definitions that are broken, and settings of DAGs that are wrong: an import error of a file
    of its own, since Airflow drops, or pauses, all DAGs of a file that has one."""
    from airflow.sdk.exceptions import AirflowException

    project.enter(Path(file))
    from windrow.airflow import streams
    from windrow.schemas import dag_settings
    from windrow.schemas.registry import broken_queries, broken_streams

    wrong = (*(error for _, error in dag_settings.wrong()), *streams.wrong())
    if broken := dict.fromkeys(map(str, (*broken_streams().values(), *broken_queries().values(), *wrong))):
        # From None: its text has file and line, a traceback of ours would bury them.
        raise AirflowException("\n".join(broken)) from None


def get_provider_info() -> dict[str, Any]:
    """What Airflow's providers say of themselves (the entry point `apache_airflow_provider`)."""
    settings = {key: {"label": key, "description": what, "schema": {"type": ["string", "null"]}}
                for key, what in project.SETTINGS.items() if "of DAGs" not in what}  # fmt: skip
    windrow = {
        "connection-type": "windrow",
        "hook-class-name": "windrow.airflow.hook.WindrowHook",
        "hook-name": "Windrow",
        "conn-fields": settings,
        "ui-field-behaviour": {
            "hidden-fields": ["host", "port", "login", "schema"],
            "relabeling": {"password": "locks (the URL of a PostgreSQL)"},
        },
    }
    return {
        "package-name": "windrow",
        "name": "Windrow",
        "description": "Replays event streams as they arrived",
        "versions": [metadata.version("windrow")],
        "connection-types": [windrow],
    }
