"""The operators of three tasks. One does many days: its run's params say which. One makes the pages of `windrow
report`, which report_plugin.py shows in Airflow. One follows a task that failed."""

from collections.abc import Sequence

from airflow.sdk import BaseOperator, Context, Param
from airflow.sdk.configuration import conf
from airflow.sdk.execution_time.xcom import XCom

from windrow.airflow.command import UNNOTED, WindrowOperator, note
from windrow.pipelines.report.words import FIRST_FILE, SERVED_AT
from windrow.schemas.query import Query


def params(queries: Sequence[Query]) -> dict[str, Param]:
    """What a run is asked for: days as YYYY-MM-DD, both included, or the stale ones."""
    names = [query.name for query in queries]
    day = {"type": ["null", "string"], "format": "date"}
    # examples: of an array Airflow's form offers these for choice.
    chosen = {"type": "array", "items": {"type": "string", "enum": names}, "examples": names, "minItems": 1}
    return {
        "from": Param(None, description="the first arrival day, UTC", **day),
        "to": Param(None, description="the last arrival day, UTC, included", **day),
        "queries": Param(names, description="the queries to run", **chosen),
        "backwards": Param(False, type="boolean", description="newest days first; the rows are the same"),
        "again": Param(False, type="boolean", description="also days whose published rows are up to date"),
        "stale": Param(False, type="boolean", description="every stale day, instead of a range"),
    }


class BackfillOperator(WindrowOperator):
    """What doesn't go together, such as a range and `stale`, is refused by `windrow` itself."""

    def words(self, context: Context) -> list[str]:
        """Of the command line."""
        asked = context["params"]
        days = [word for name in ("from", "to") if asked[name] for word in (f"--{name}", asked[name])]
        switches = [f"--{name}" for name in ("backwards", "again", "stale") if asked[name]]
        return [*self.arguments, *asked["queries"], *days, *switches]


def address(file: str = FIRST_FILE) -> str:
    """Of a page, with Airflow's own address before it where that is known."""
    return f"{conf.get('api', 'base_url', fallback='').rstrip('/')}{SERVED_AT}/{file}"


class ReportOperator(WindrowOperator):
    """Also gives the address of the first page in this Airflow: a link to a file opens from none of its pages."""

    def note(self, asset_events: dict[str, dict], context: Context) -> None:
        """On the event of the asset, and in the log."""
        self.log.info("in this Airflow: %s", address())
        super().note({name: {**known, "address": address()} for name, known in asset_events.items()}, context)


class AfterFailureOperator(BaseOperator):
    """Makes the events of what the task before it published, of which Airflow makes none where it failed."""

    def execute(self, context: Context) -> None:
        """The XComs are taken away, so that the events are made once, however often this is run."""
        task = context["ti"]
        for name in sorted(self.upstream_task_ids):
            if published := task.xcom_pull(task_ids=name, key=UNNOTED):
                note(self.outlets, published, context)
                XCom.delete(UNNOTED, task_id=name, dag_id=task.dag_id, run_id=task.run_id)
