"""The one way in which a DAG does anything: a task is a process of `.venv`'s `windrow`.

The day comes from the param `day` or else from `ds`, never from the data interval: the intervals of a manual
run, a scheduled run and a backfill of the same day differ.
"""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from airflow.sdk import Asset, AssetAlias, BaseOperator, Context
from airflow.sdk.exceptions import AirflowException, AirflowFailException, AirflowSkipException, AirflowTaskTimeout

from windrow.airflow import connections, installation, lineage
from windrow.airflow.hook import WindrowHook
from windrow.pipelines.flow import REPORT, RUNS
from windrow.processes.children import end_session
from windrow.schemas import errors
from windrow.schemas.promise import FAIL, WARN

if TYPE_CHECKING:
    from airflow.providers.openlineage.extractors import OperatorLineage

    from windrow.pipelines.ledger.openlineage import StepLineage

# Exit codes of commands that had nothing to do, and of errors that a retry would meet again.
SKIPS = tuple(sorted({kind.exit_code for kind in errors.kinds() if kind.skipped}))
FAILS_FOR_GOOD = tuple(sorted({kind.exit_code for kind in errors.kinds() if not kind.retry_helps} - {*SKIPS}))
STAGE_STARTS, WARNING_STARTS, ERROR_STARTS, SKIP_STARTS = "== ", "warning: ", "error: ", "skipped: "
OF_A_BACKFILL = "backfill"
UNNOTED = "published_before_it_failed"
"""What a task published before it failed, by table: an XCom, which another try of the task removes."""
# Airflow kills the task's own process 5 s after it asked it to end; the children must be gone by then.
GRACE_S = 3.0


def asset(name: str) -> Asset:
    """A table of the lake, or the report of it, as Airflow knows it."""
    return Asset(name=name, uri="windrow://report" if name == REPORT else f"windrow://lake/{name}")


class WindrowOperator(BaseOperator):
    """Runs `windrow <arguments> --day <day> --run-id <run>`, and shows its log with one section per stage. of_a_day:
    whether its command takes these two options; publishes: whether it is skipped where it updated no table; conn_id: a
    connection of the type windrow (hook.py); on_broken_promise: called as Airflow's callbacks are, with a context whose
    `exception` says which promises what was published breaks.

    The events of its assets carry what the command reports of each table that it updated: day, rows, revisions, checks
    of the gate with their verdict, promises with theirs, version of the lake's table. Of a day it returns the same,
    which Airflow shows as its XCom. Of a task that fails Airflow makes no event: the XCom UNNOTED leaves them to the
    task behind it.
    """

    template_fields = ("arguments",)

    def __init__(
        self,
        *,
        arguments: Iterable[str],
        of_a_day: bool = True,
        publishes: bool = False,
        conn_id: str | None = None,
        on_broken_promise: Callable[[Any], Any] | None = None,
        **task: Any,
    ) -> None:
        super().__init__(**task)
        self.conn_id, self.on_broken_promise = conn_id, on_broken_promise
        self.arguments, self.of_a_day, self.publishes = list(arguments), of_a_day, publishes
        self.process: subprocess.Popen | None = None
        self.steps: list[StepLineage] = []

    def execute(self, context: Context) -> dict[str, dict] | None:
        with TemporaryDirectory(prefix="windrow-") as folder:
            asset_events = Path(folder) / "asset_events.json"
            try:
                settings = self.environment() | lineage.asked(Path(folder))
                self._run(self.command(context, asset_events, settings), settings)
            except AirflowSkipException:
                if not _read(asset_events):
                    raise  # else some of its days were published, and others by another run
            except AirflowException:
                if published := _read(asset_events):
                    context["ti"].xcom_push(UNNOTED, published)
                raise
            finally:
                self.steps = lineage.read(Path(folder))
            published = _read(asset_events)
            if self.publishes and not published:
                raise AirflowSkipException("there was nothing to publish")
            self.note(published, context)
            self._tell(published, context)
            return published if published and self.of_a_day else None

    def _tell(self, published: dict[str, dict], context: Context) -> None:
        broken = "\n".join(broken_promises(published))
        if broken and self.on_broken_promise:
            try:
                self.on_broken_promise({**context, "exception": broken})
            except Exception:  # as of Airflow's own callbacks: what was published is
                self.log.exception("on_broken_promise failed")

    def _run(self, command: list[str], settings: Mapping[str, str]) -> None:
        try:
            self.process = _start(command, settings, self.log.info)
            error = show(self.process.stdout or (), Log(self.log.info, self.log.warning, self.log.error))
            raise_unless_done(self.process.wait(), error)
        except AirflowTaskTimeout as late:
            self.on_kill()
            # Not retried: it would take as long again.
            raise AirflowFailException(
                f"Airflow ended windrow after {self.execution_timeout}, the most that a task may take. To give it more "
                f"time, set {installation.MOST_TASK_SECONDS} in Airflow's environment, in seconds"
            ) from late

    def environment(self) -> dict[str, str]:
        """What `windrow` is told by connections and by the project; what the environment says is inherited."""
        of_windrow = WindrowHook(self.conn_id).get_conn() if self.conn_id else {}
        return connections.environment() | of_windrow

    def note(self, asset_events: dict[str, dict], context: Context) -> None:
        """Put what is known of each table on its event."""
        note(self.outlets, asset_events, context)

    def get_openlineage_facets_on_complete(self, task_instance: Any) -> "OperatorLineage":
        """What the command read and wrote, however it ended: Airflow's provider of OpenLineage asks for it."""
        return lineage.of_steps(self.steps)

    def command(self, context: Context, asset_events: Path, settings: Mapping[str, str]) -> list[str]:
        """What is run. AirflowFailException for a run without a day, or a wrong setting."""
        try:
            windrow = installation.command(settings)
        except errors.WrongParameter as wrong:
            raise AirflowFailException(str(wrong)) from wrong
        of_run = ("--day", day_of(context), "--run-id", context["run_id"]) if self.of_a_day else ()
        # Of RUNS a command has nothing to say.
        of_assets = ("--asset-events", str(asset_events)) if {each.name for each in self.outlets} - {RUNS} else ()
        return [windrow, "--end-with-parent", *self.words(context), *of_run, *of_assets]

    def words(self, context: Context) -> list[str]:
        """Of the command line, but for what the run adds to each."""
        return self.arguments

    def on_kill(self) -> None:
        """End the process with everything that it started: the JVM, and Spark's Python workers."""
        if self.process is not None:
            end_session(self.process.pid, GRACE_S)


def note(outlets: Iterable[Any], asset_events: dict[str, dict], context: Context) -> None:
    """Put what is known of each table on its event."""
    for outlet in outlets:
        if outlet.name not in asset_events:
            continue
        if isinstance(outlet, AssetAlias):
            context["outlet_events"][outlet].add(asset(outlet.name), extra=asset_events[outlet.name])
        else:
            context["outlet_events"][outlet].extra = asset_events[outlet.name]


def broken_promises(published: dict[str, dict]) -> Iterator[str]:
    """A line for each promise that a day is the first to break."""
    for table, event in published.items():
        for of_day in event.get("days", [event]):
            for each in of_day.get("promises", ()):
                if each["verdict"] in (WARN, FAIL):
                    measured = f"{each['measured']}, promised: {each['allowed']}"
                    yield f"{table} of {of_day['day']}: {each['promise']} of {each['day']}: {measured}"


def _read(asset_events: Path) -> dict[str, dict]:
    return json.loads(asset_events.read_text()) if asset_events.exists() else {}


def day_of(context: Context) -> str:
    """The logical date as YYYY-MM-DD; AirflowFailException for a run that has neither `ds` nor the param, and for one
    of a backfill with the param: each of its runs would do the same day, and none its own."""
    asked, run = context["params"].get("day"), context.get("dag_run")
    if asked and run is not None and run.run_type == OF_A_BACKFILL:
        raise AirflowFailException(
            f'this run is part of a backfill, so it has a day of its own, and it also has the param "day", {asked}. '
            'Start the backfill again over the days that you want, without "day" in its configuration'
        )
    day = asked or context.get("ds")
    if not day:
        raise AirflowFailException(
            "this run has no logical date, so it has no day; trigger it with a logical date, or with the "
            'param "day", as in {"day": "2018-10-01"}'
        )
    return str(day)


def raise_unless_done(exit_code: int, error: str) -> None:
    """Raise for a command that did not do its work: AirflowFailException (no retry) for what a retry can't fix,
    AirflowSkipException (no retry, and no event of an asset) for what another run does."""
    if exit_code == 0:
        return
    if exit_code in SKIPS:
        raise AirflowSkipException(error or "see the log above")
    ended = f"was ended by {signal.Signals(-exit_code).name}" if exit_code < 0 else f"exited with {exit_code}"
    kind = AirflowFailException if exit_code in FAILS_FOR_GOOD else AirflowException
    raise kind(f"windrow {ended}: {error or 'see the log above'}")


class Log(NamedTuple):
    """Where lines go: warnings and errors have levels of their own, by which the log view finds them."""

    info: Callable[[str], None]
    warning: Callable[[str], None]
    error: Callable[[str], None]


def show(lines: Iterable[str], log: Log) -> str:
    """Log the command's lines, each stage as a section that the log view folds; returns why it did not end well."""
    error: list[str] = []
    in_section, write = False, log.info
    for line in map(str.rstrip, lines):
        starts, fails = line.startswith(STAGE_STARTS), line.startswith((ERROR_STARTS, SKIP_STARTS))
        ends = fails or line.startswith(WARNING_STARTS)
        if in_section and (starts or ends):
            log.info("::endgroup::")
        in_section = starts or in_section and not ends
        if fails or error:
            error.append(line.removeprefix(ERROR_STARTS).removeprefix(SKIP_STARTS))
        if line.startswith(ERROR_STARTS):
            write = log.error
        shown = log.warning if line.startswith(WARNING_STARTS) else write
        shown(f"::group::{line.removeprefix(STAGE_STARTS)}" if starts else line)
    if in_section:
        log.info("::endgroup::")
    return "\n".join(error)


def _start(command: list[str], settings: Mapping[str, str], log: Callable[[str], None]) -> subprocess.Popen:
    log(f"$ {' '.join(command)}")
    # One pipe for both keeps the order of result and log; a session of its own can be ended as a whole.
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            bufsize=1,
            start_new_session=True,
            env={**os.environ, **settings},
        )
    except OSError as missing:
        raise AirflowFailException(
            f"{command[0]} does not start ({missing}); fix it with: make setup, or set {installation.COMMAND} "
            "in Airflow's environment to the path of windrow"
        ) from missing
