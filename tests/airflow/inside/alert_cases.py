"""Mail about failed tasks and late runs: none by default."""

import pytest

from dags import installation
from schemas.errors import WrongParameter


def test_nobody_is_told_anything_unless_it_is_asked_for(monkeypatch):
    monkeypatch.setenv(installation.ALERT_AFTER, "60")
    assert (installation.alerts_of_tasks(), installation.alerts_of_runs()) == ({}, {})


def test_a_connection_and_an_address_are_enough_for_failures_and_a_time_makes_runs_late(monkeypatch):
    monkeypatch.setenv(installation.ALERT, "mail")
    with pytest.raises(WrongParameter, match=installation.ALERT_TO):
        installation.alerts_of_tasks()
    monkeypatch.setenv(installation.ALERT_TO, "me@example.org")
    told = installation.alerts_of_tasks()["on_failure_callback"]
    assert (told.smtp_conn_id, told.to, installation.alerts_of_runs()) == ("mail", "me@example.org", {})
    monkeypatch.setenv(installation.ALERT_AFTER, "60")
    late = installation.alerts_of_runs()["deadline"]
    assert late.interval.total_seconds() == 60
    assert late.callback.path.endswith("SmtpNotifier") and late.callback.kwargs["smtp_conn_id"] == "mail"
