"""A small client of Airflow's REST API: as much as plans, the demo and the tests use."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

from windrow.pipelines.location import typed
from windrow.schemas.errors import AirflowRefused, NotSetUp

DONE = ("success", "failed")
POLL_S = 1.0
DOCTOR = typed("doctor")
# What Airflow answers where its database is locked: a backfill's own error, and any other's.
LOCKED = (503, 500)
# What it answers for what there is already: of a backfill for a moment after that, since it still knows one that did
# not begin.
CONFLICT = 409
PATIENCE_S, BEGUN_LIMIT_S = 300.0, 3600.0
# One request may wait for the database several times (settings.py).
REQUEST_LIMIT_S = 180.0
HEALTH_LIMIT_S = 20.0
# As the server names them; it is the server that can't reach the database.
_REPORTING = {
    "metadatabase": "api-server",
    "scheduler": "scheduler",
    "dag_processor": "dag-processor",
    "triggerer": "triggerer",
}


class Client:
    """Speaks to one Airflow as one user. All paths are relative to /api/v2."""

    def __init__(self, port: int, user: str, password: str):
        self.address = f"http://127.0.0.1:{port}"
        login = {"username": user, "password": password}
        self.token = _call("POST", f"{self.address}/auth/token", login)["access_token"]

    def call(self, method: str, path: str, body: dict | None = None) -> dict:
        """One request. Raises NotSetUp with Airflow's answer when it refuses."""
        return _call(method, f"{self.address}/api/v2{path}", body, self.token)

    def unpause(self, dag: str) -> None:
        """Let the scheduler run a DAG; one without catchup runs its last complete interval at once."""
        self.pause(dag, False)

    def pause(self, dag: str, paused: bool = True) -> None:
        """Have the scheduler start no run of a DAG."""
        self.call("PATCH", f"/dags/{dag}?update_mask=is_paused", {"is_paused": paused})

    def make_pool(self, name: str, slots: int) -> None:
        """A pool of that name, unless there is one: a user may have given it other slots."""
        body = {"name": name, "slots": slots, "description": "the tasks of Windrow"}

        def is_made() -> bool:
            return _none_where_locked(lambda: len(self.call("POST", "/pools", body))) is not None

        try:
            _wait(is_made, PATIENCE_S, lambda: f"Airflow's database stays locked: no pool {name!r}")
        except AirflowRefused as refused:
            if refused.status != CONFLICT:
                raise

    def trigger(self, dag: str, day: date | None, run: str, /, **params: object) -> str:
        """Start a manual run for a day, or of a DAG that takes none; returns the run's id."""
        body = {"dag_run_id": run, "logical_date": day and f"{day}T00:00:00Z", "conf": params}
        return self.call("POST", f"/dags/{dag}/dagRuns", body)["dag_run_id"]

    def backfill(self, dag: str, first: date, last: date, backwards: bool = False, reprocess: str = "none") -> int:
        """Start Airflow's own backfill over the days first..last; returns its id. One per DAG at a time.

        Where its SQLite is locked for a moment Airflow answers with an error, and has begun some of the days, in their
        order, or none: each day is a commit of its own. Runs that it was to do again it may have deleted, with their
        history: then new ones are made. Days that have begun are waited for, and only the others are asked for again:
        a day that was cancelled, or done meanwhile, would count more tries than asked for.
        """
        body = {"dag_id": dag, "run_backwards": backwards, "reprocess_behavior": reprocess, "max_active_runs": 2}
        days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
        asked, deadline = datetime.now(UTC), time.monotonic() + PATIENCE_S
        number = _none_where_locked(lambda: self._begin(body, days))
        while number is None:
            if time.monotonic() > deadline:
                locked = f"Airflow's database stays locked: no backfill of {dag!r} after {PATIENCE_S:.0f} s"
                raise NotSetUp(locked, DOCTOR)
            time.sleep(POLL_S)
            number = _none_where_locked(lambda: self._begin_others(body, days, asked), (*LOCKED, CONFLICT))
        return number

    def _begin(self, body: dict, days: list[date]) -> int:
        dates = {"from_date": f"{days[0]}T00:00:00Z", "to_date": f"{days[-1]}T00:00:00Z"}
        return self.call("POST", "/backfills", body | dates)["id"]

    def _begin_others(self, body: dict, days: list[date], asked: datetime) -> int:
        """Begin those that have not begun since they were asked for, after the end of those that have."""
        dag = body["dag_id"]
        for begun in self._active_backfills(dag):
            if _time(begun["created_at"]) >= asked and not self._days_since(dag, asked):
                self.call("PUT", f"/backfills/{begun['id']}/cancel")
        self.wait_for_backfills(dag, BEGUN_LIMIT_S)
        others = sorted({*days} - self._days_since(dag, asked))
        return self._begin(body, others) if others else self._backfills(dag)[-1]["id"]

    def _days_since(self, dag: str, asked: datetime) -> set[date]:
        runs = self.runs(dag, "backfill")
        return {_time(run["logical_date"]).date() for run in runs if _time(run["queued_at"]) >= asked}

    def wait_for_backfills(self, dag: str, limit_s: float) -> None:
        """Wait until Airflow calls all backfills of a DAG completed, some time after their runs are done."""
        _wait(lambda: not self._active_backfills(dag), limit_s, lambda: f"a backfill of {dag!r} is not completed")

    def _active_backfills(self, dag: str) -> list[dict]:
        return [backfill for backfill in self._backfills(dag) if backfill["completed_at"] is None]

    def _backfills(self, dag: str) -> list[dict]:
        return sorted(self.call("GET", f"/backfills?dag_id={dag}")["backfills"], key=lambda each: each["id"])

    def runs(self, dag: str, kind: str) -> list[dict]:
        """All runs of a DAG of one kind: scheduled, manual, backfill or asset_triggered."""
        found: list[dict] = []
        while True:
            page = self.call("GET", f"/dags/{dag}/dagRuns?run_type={kind}&limit=100&offset={len(found)}")
            found += page["dag_runs"]
            if not page["dag_runs"] or len(found) >= page["total_entries"]:
                return found

    def tasks(self, dag: str, run: str) -> list[dict]:
        """The task instances of a run."""
        return self.call("GET", f"/dags/{dag}/dagRuns/{run}/taskInstances?limit=100")["task_instances"]

    def wait_for_dag(self, dag: str, limit_s: float = 90.0) -> None:
        """Wait until the DAG processor has read a DAG. Raises NotSetUp with the files that can't be read."""

        def is_read() -> bool:
            return dag in (each["dag_id"] for each in self.call("GET", "/dags?limit=100&exclude_stale=true")["dags"])

        _wait(is_read, limit_s, lambda: f"Airflow has not read the DAG {dag!r}: {self._broken()}")

    def wait_for_runs(
        self,
        dag: str,
        kind: str,
        count: int,
        limit_s: float,
        progress: Callable[[list[dict]], None] = lambda runs: None,
    ) -> list[dict]:
        """Wait until at least `count` runs of a kind are done, failed ones too; returns them."""

        def done() -> bool:
            runs = self.runs(dag, kind)
            progress(runs)
            return len(runs) >= count and all(run["state"] in DONE for run in runs)

        _wait(done, limit_s, lambda: f"{kind} runs of {dag!r} were not done: {self._states(dag, kind)}")
        return self.runs(dag, kind)

    def _broken(self) -> str:
        errors = self.call("GET", "/importErrors")["import_errors"]
        return "; ".join(f"{error['filename']}: {error['stack_trace']}" for error in errors) or "no file names it"

    def _states(self, dag: str, kind: str) -> str:
        return ", ".join(f"{run['dag_run_id']} {run['state']}" for run in self.runs(dag, kind)) or "none began"


def healthy(port: int) -> bool:
    """True when tasks can report to the server: unlike the monitor's page this waits for its lazy start."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/execution/health", timeout=HEALTH_LIMIT_S) as answer:
            return answer.status == 200
    except OSError:
        return False


def silent(port: int) -> list[str]:
    """The components that have not reported lately, as the server knows; the server itself where it doesn't answer."""
    try:
        health = _call("GET", f"http://127.0.0.1:{port}/api/v2/monitor/health", limit_s=HEALTH_LIMIT_S)
    except (NotSetUp, OSError):
        return ["api-server"]
    return [name for part, name in _REPORTING.items() if (health.get(part) or {}).get("status") != "healthy"]


def _call(
    method: str, address: str, body: dict | None = None, token: str | None = None, limit_s: float = REQUEST_LIMIT_S
) -> dict:
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=limit_s) as answer:
            return json.loads(answer.read() or b"{}")
    except urllib.error.HTTPError as refused:
        text = refused.read().decode(errors="replace")[:2000]
        raise AirflowRefused(refused.code, f"{method} {address}", text) from None


def _none_where_locked(ask: Callable[[], int], statuses: tuple[int, ...] = LOCKED) -> int | None:
    try:
        return ask()
    except AirflowRefused as refused:
        if refused.status not in statuses:
            raise
        return None


def _time(text: str | None) -> datetime:
    """A time as Airflow writes it; before all others where there is none."""
    return datetime.fromisoformat(text) if text else datetime.min.replace(tzinfo=UTC)


def _wait(done: Callable[[], bool], limit_s: float, why: Callable[[], str]) -> None:
    deadline = time.monotonic() + limit_s
    while not done():
        if time.monotonic() > deadline:
            raise NotSetUp(f"{why()} (waited {limit_s:.0f} s)", DOCTOR)
        time.sleep(POLL_S)
