"""The report of `windrow report` in Airflow: an entry of the menu, and a tab of each DAG that has its page."""

from typing import Any

from airflow.plugins_manager import AirflowPlugin

from windrow.airflow.operators import address
from windrow.pipelines.report.words import SERVED_AT


class ReportPlugin(AirflowPlugin):
    """By which Airflow finds the pages."""

    name = "windrow_report"
    external_views = [
        {"name": "Report", "href": address(), "destination": "nav", "url_route": "windrow-report"},
        {"name": "Report", "href": address("of/{DAG_ID}"), "destination": "dag", "url_route": "windrow-report-of-dag"},
    ]

    @property
    def fastapi_apps(self) -> list[dict[str, Any]]:
        """Made in the server alone: every task imports the plugins, and a server's modules take it a second."""
        from windrow.airflow.report_pages import app

        return [{"app": app, "url_prefix": SERVED_AT, "name": self.name}]
