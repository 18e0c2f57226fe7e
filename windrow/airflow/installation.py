"""Which Windrow the tasks run, and what windrow.toml and the environment say of tasks and DAGs: limits, and which
notifier or mail address learns of a task that failed, a run that takes too long or a promise that is broken (by default
none).

Not from Airflow's Variables: one that can't be read at the moment, since the server is busy, counts as not set, and a
task would write into another lake.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

from airflow.sdk import AsyncCallback, DeadlineAlert, DeadlineReference, SyncCallback

from windrow.schemas.dag_settings import DagSettings
from windrow.schemas.errors import WrongParameter
from windrow.schemas.project import setting
from windrow.schemas.promise import FRESH
from windrow.schemas.query import Query

COMMAND, MOST_TASK_SECONDS = "WINDROW_COMMAND", "WINDROW_MOST_TASK_SECONDS"
ALERT, ALERT_TO = "WINDROW_ALERT_CONNECTION", "WINDROW_ALERT_TO"
FAILED = ("Windrow: {{ ti.task_id }} of {{ ti.dag_id }} failed", "{{ ti.run_id }}<pre>{{ exception | e }}</pre>")
BROKEN = ("Windrow: {{ ti.task_id }} of {{ ti.dag_id }} breaks a promise", FAILED[1])
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


def of_tasks(said: DagSettings) -> dict[str, Any]:
    """Arguments of tasks. WrongParameter, shown as an import error, for a setting that is none."""
    retries, told = said["retries"], _told(said, *FAILED)
    return {
        "pool": said["pool"] or "default_pool",
        "retries": 2 if retries is None else retries,
        "execution_timeout": timedelta(seconds=said["most_task_seconds"] or _SIX_HOURS),
        **({"owner": said["owner"]} if said["owner"] else {}),
        **({"on_failure_callback": told, "on_broken_promise": _told(said, *BROKEN)} if told else {}),
    }


def of_runs(said: DagSettings, queries: Iterable[Query] = ()) -> dict[str, Any]:
    """Arguments of a DAG; as of_tasks otherwise. queries: of a DAG that runs a day of them. A run that has not ended
    when the first of these promises to be fresh, counted from the end of its day, is late too."""
    after_s, notifier = said["alert_after_seconds"], said["notifier"]
    fresh = (timedelta(seconds=each.most) for query in queries for each in query.promises if each.kind == FRESH)
    due = {DeadlineReference.DAGRUN_QUEUED_AT: timedelta(seconds=after_s)} if after_s else {}
    if first := min(fresh, default=None):
        due[DeadlineReference.DAGRUN_LOGICAL_DATE] = timedelta(days=1) + first  # the date is that of the day's begin
    if not (due and (notifier or _mails(said))):
        return {}
    # Ours is sent by the triggerer; a user's, which may wait without being awaited, has a process of its own.
    told = SyncCallback(imported(notifier)) if notifier else AsyncCallback(_mailer(), _mail(said, *LATE))
    return {"deadline": [DeadlineAlert(since, after, told) for since, after in due.items()]}


def imported(notifier: str) -> Callable[..., Any]:
    """The function or the class. WrongParameter where there is none of that name."""
    module, _, name = notifier.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (Exception, SystemExit) as error:  # a user's module may raise anything
        raise _no_notifier(notifier, f"{type(error).__name__}: {error}") from None
    if not callable(found):
        raise _no_notifier(notifier, "it can't be called")
    return found


def _no_notifier(notifier: str, why: str) -> WrongParameter:
    allowed = f"module:name of a function or a class of notifiers that Airflow can import ({why})"
    return WrongParameter("notifier", notifier, allowed)


def _told(said: DagSettings, subject: str, text: str) -> Callable[..., Any] | None:
    """What learns of something, as Airflow's callbacks do: by a context."""
    if notifier := said["notifier"]:
        found = imported(notifier)
        try:
            return found() if isinstance(found, type) else found
        except Exception as error:
            raise _no_notifier(notifier, f"{type(error).__name__}: {error}") from None
    return _mailer()(**_mail(said, subject, text)) if _mails(said) else None


def _mails(said: DagSettings) -> bool:
    """WrongParameter for a connection without an address."""
    if setting(ALERT) and not said["alert_to"]:
        raise WrongParameter(ALERT_TO, said["alert_to"], f"an address, since {ALERT} is set")
    return bool(setting(ALERT))


def _mail(said: DagSettings, subject: str, text: str) -> dict[str, Any]:
    return {"smtp_conn_id": setting(ALERT), "to": said["alert_to"], "subject": subject, "html_content": text}


def _mailer() -> Any:
    from airflow.providers.smtp.notifications.smtp import SmtpNotifier  # parsing it takes time, and it may be missing

    return SmtpNotifier
