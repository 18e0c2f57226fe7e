"""An Airflow connection of the type `windrow`: each key of its extra is a setting (docs/settings.md), its password the
URL of the server that has the locks."""

from airflow.sdk import BaseHook
from airflow.sdk.exceptions import AirflowFailException

from windrow.schemas import project
from windrow.schemas.spelling import did_you_mean


class WindrowHook(BaseHook):
    """Which home, engine, Spark and locks a task works with."""

    conn_name_attr, conn_type, hook_name = "conn_id", "windrow", "Windrow"
    default_conn_name = "windrow_default"

    def __init__(self, conn_id: str = default_conn_name) -> None:
        super().__init__()
        self.conn_id = conn_id

    def get_conn(self) -> dict[str, str]:
        """The settings as variables of a command's environment. AirflowFailException for a connection of another type,
        or a key that is no setting."""
        connection = self.get_connection(self.conn_id)
        if connection.conn_type != self.conn_type:
            raise AirflowFailException(
                f"connection {self.conn_id!r} is of type {connection.conn_type!r}; allowed: {self.conn_type}"
            )
        found = {key: value for key, value in connection.extra_dejson.items() if value not in (None, "")}
        for key in found:
            if key not in project.SETTINGS:
                known = f"{', '.join(project.SETTINGS)}{did_you_mean(key, project.SETTINGS)}"
                raise AirflowFailException(f"extra of connection {self.conn_id!r} has {key!r}; allowed: {known}")
        if connection.password:
            found["locks"] = connection.password
        return {f"WINDROW_{key.upper()}": project.as_text(value) for key, value in found.items()}
