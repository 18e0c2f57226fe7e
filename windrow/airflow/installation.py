"""Which Windrow the tasks run, how long they may, and who gets mail about a task that failed or a run that takes too
long (by default no user): from the environment of Airflow, so that dags/ may lie anywhere.

| variable | meaning |
| --- | --- |
| `WINDROW_ALERT_CONNECTION` | an Airflow connection of type smtp, which has the sender too |
| `WINDROW_ALERT_TO` | who gets the mail |
| `WINDROW_ALERT_AFTER_SECONDS` | after how long a run that has not ended is late; without it no run is |

Not from Airflow's Variables: one that can't be read at the moment, since the server is busy, counts as not set, and a
task would write into another lake.
"""

import sys
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from airflow.sdk import AsyncCallback, DeadlineAlert, DeadlineReference

from windrow.schemas.errors import WrongParameter
from windrow.schemas.project import setting
from windrow.schemas.replay_limits import read_seconds

COMMAND, MOST_TASK_SECONDS, POOL = "WINDROW_COMMAND", "WINDROW_MOST_TASK_SECONDS", "WINDROW_POOL"
ALERT, ALERT_TO, ALERT_AFTER = "WINDROW_ALERT_CONNECTION", "WINDROW_ALERT_TO", "WINDROW_ALERT_AFTER_SECONDS"
FAILED = ("Windrow: {{ ti.task_id }} of {{ ti.dag_id }} failed", "{{ ti.run_id }}<pre>{{ exception | e }}</pre>")
LATE = ("Windrow: a run of {{ dag_run.dag_id }} is late", "{{ dag_run.dag_run_id }} has not ended yet")
_IN_A_CHECKOUT = Path(__file__).resolve().parents[2] / ".venv" / "bin" / "windrow"
_SIX_HOURS = 6 * 3600


def command(of_connection: Mapping[str, str]) -> str:
    """Path of `windrow`: as a connection has it or as set, else that of the checkout around this folder, else that next
    to this Python. WrongParameter where it is not whole."""
    around = _IN_A_CHECKOUT if _IN_A_CHECKOUT.exists() else Path(sys.executable).with_name("windrow")
    path = of_connection.get(COMMAND) or setting(COMMAND, str(around))
    if not Path(path).is_absolute():
        raise WrongParameter(COMMAND, path, "the whole path of windrow, or leave the variable unset")
    return path


def pool() -> str:
    """The pool of all tasks, whose slots bound how many of them, and with them how many JVMs, run at once."""
    return setting(POOL) or "default_pool"


def execution_timeout() -> timedelta:
    """After how long a task is ended. WrongParameter, shown as an import error, where the setting is no such number."""
    return timedelta(seconds=read_seconds(MOST_TASK_SECONDS, setting(MOST_TASK_SECONDS)) or _SIX_HOURS)


def alerts_of_tasks() -> dict[str, Any]:
    """Arguments of every task."""
    return {"on_failure_callback": _notifier()(**_mail(*FAILED))} if _is_alerted() else {}


def alerts_of_runs() -> dict[str, Any]:
    """Arguments of every DAG; WrongParameter, shown as an import error, where the time is none."""
    after_s = read_seconds(ALERT_AFTER, setting(ALERT_AFTER))
    if not (_is_alerted() and after_s):
        return {}
    mail = AsyncCallback(_notifier(), _mail(*LATE))
    return {"deadline": DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, timedelta(seconds=after_s), mail)}


def _is_alerted() -> bool:
    """WrongParameter for a connection without an address."""
    if setting(ALERT) and not setting(ALERT_TO):
        raise WrongParameter(ALERT_TO, setting(ALERT_TO), f"an address, since {ALERT} is set")
    return bool(setting(ALERT))


def _mail(subject: str, text: str) -> dict[str, Any]:
    return {"smtp_conn_id": setting(ALERT), "to": setting(ALERT_TO), "subject": subject, "html_content": text}


def _notifier() -> Any:
    from airflow.providers.smtp.notifications.smtp import SmtpNotifier  # parsing it takes time, and it may be missing

    return SmtpNotifier
