"""Mail about a task that failed, or a run that takes too long: none unless Airflow's environment asks for it.

| variable | meaning |
| --- | --- |
| `WINDROW_ALERT_CONNECTION` | an Airflow connection of type smtp, which has the sender too |
| `WINDROW_ALERT_TO` | who gets the mail |
| `WINDROW_ALERT_AFTER_SECONDS` | after how long a run that has not ended is late; without it no run is |
"""

import os
from datetime import timedelta
from typing import Any

from airflow.sdk import AsyncCallback, DeadlineAlert, DeadlineReference

from schemas.errors import WrongParameter
from schemas.replay_limits import read_seconds

CONNECTION, TO, AFTER_SECONDS = "WINDROW_ALERT_CONNECTION", "WINDROW_ALERT_TO", "WINDROW_ALERT_AFTER_SECONDS"
FAILED = ("Windrow: {{ ti.task_id }} of {{ ti.dag_id }} failed", "{{ ti.run_id }}<pre>{{ exception | e }}</pre>")
LATE = ("Windrow: a run of {{ dag_run.dag_id }} is late", "{{ dag_run.dag_run_id }} has not ended yet")


def of_tasks() -> dict[str, Any]:
    """Arguments of every task."""
    return {"on_failure_callback": _notifier()(**_mail(*FAILED))} if _asked() else {}


def of_runs() -> dict[str, Any]:
    """Arguments of every DAG; WrongParameter, shown as an import error, where the time is none."""
    after_s = read_seconds(AFTER_SECONDS, os.environ.get(AFTER_SECONDS))
    if not (_asked() and after_s):
        return {}
    mail = AsyncCallback(_notifier(), _mail(*LATE))
    return {"deadline": DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, timedelta(seconds=after_s), mail)}


def _asked() -> bool:
    """WrongParameter for a connection without an address."""
    if os.environ.get(CONNECTION) and not os.environ.get(TO):
        raise WrongParameter(TO, os.environ.get(TO), f"an address, since {CONNECTION} is set")
    return bool(os.environ.get(CONNECTION))


def _mail(subject: str, text: str) -> dict[str, Any]:
    return {"smtp_conn_id": os.environ[CONNECTION], "to": os.environ[TO], "subject": subject, "html_content": text}


def _notifier() -> Any:
    from airflow.providers.smtp.notifications.smtp import SmtpNotifier  # parsing it takes time, and it may be missing

    return SmtpNotifier
