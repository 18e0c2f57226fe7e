"""Mail about failed tasks and late runs: none by default."""

import pytest

from dags import alerts
from schemas.errors import WrongParameter


def test_nobody_is_told_anything_unless_it_is_asked_for(monkeypatch):
    monkeypatch.setenv(alerts.AFTER_SECONDS, "60")
    assert (alerts.of_tasks(), alerts.of_runs()) == ({}, {})


def test_a_connection_and_an_address_are_enough_for_failures_and_a_time_makes_runs_late(monkeypatch):
    monkeypatch.setenv(alerts.CONNECTION, "mail")
    with pytest.raises(WrongParameter, match=alerts.TO):
        alerts.of_tasks()
    monkeypatch.setenv(alerts.TO, "me@example.org")
    told = alerts.of_tasks()["on_failure_callback"]
    assert (told.smtp_conn_id, told.to, alerts.of_runs()) == ("mail", "me@example.org", {})
    monkeypatch.setenv(alerts.AFTER_SECONDS, "60")
    late = alerts.of_runs()["deadline"]
    assert late.interval.total_seconds() == 60
    assert late.callback.path.endswith("SmtpNotifier") and late.callback.kwargs["smtp_conn_id"] == "mail"
