"""The task that makes the pages of `windrow report`, and where this Airflow has them: dags/plugins/report.py."""

from airflow.sdk import Context
from airflow.sdk.configuration import conf
from airflow.sdk.execution_time.xcom import XCom

from dags.command import UNNOTED, WindrowOperator
from pipelines.report.words import FIRST_FILE, SERVED_AT


def address(file: str = FIRST_FILE) -> str:
    """Of a page, with Airflow's own address before it where that is known."""
    return f"{conf.get('api', 'base_url', fallback='').rstrip('/')}{SERVED_AT}/{file}"


class ReportOperator(WindrowOperator):
    """Also gives the address of the first page in this Airflow: a link to a file opens from none of its pages. And
    makes the events of what tasks before it published that failed: a teardown, it runs then too."""

    def note(self, asset_events: dict[str, dict], context: Context) -> None:
        """On the event of the asset, and in the log."""
        self.log.info("in this Airflow: %s", address())
        reported = {name: {**known, "address": address()} for name, known in asset_events.items()}
        super().note(reported | self._unnoted(context), context)

    def _unnoted(self, context: Context) -> dict[str, dict]:
        """Taken away, so that this task makes the events once, however often it is run."""
        task = context["ti"]
        found: dict[str, dict] = {}
        for name in sorted(self.upstream_task_ids):
            if published := task.xcom_pull(task_ids=name, key=UNNOTED):
                found |= published
                XCom.delete(UNNOTED, task_id=name, dag_id=task.dag_id, run_id=task.run_id)
        return found
