"""The task that makes the pages of `windrow report`, and where this Airflow has them: dags/plugins/report.py."""

from airflow.sdk import Context
from airflow.sdk.configuration import conf

from dags.command import WindrowOperator
from pipelines.report.file_names import FIRST_FILE, SERVED_AT


def address(file: str = FIRST_FILE) -> str:
    """Of a page, with Airflow's own address before it where that is known."""
    return f"{conf.get('api', 'base_url', fallback='').rstrip('/')}{SERVED_AT}/{file}"


class ReportOperator(WindrowOperator):
    """Also gives the address of the first page in this Airflow: a link to a file opens from none of its pages."""

    def note(self, asset_events: dict[str, dict], context: Context) -> None:
        """On the event of the asset, and in the log."""
        self.log.info("in this Airflow: %s", address())
        super().note({name: {**known, "address": address()} for name, known in asset_events.items()}, context)
