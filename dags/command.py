"""The one way in which a DAG does anything: a task is a process of `.venv`'s `windrow`.

The day comes from the param `day` or else from `ds`, never from the data interval: the intervals of a manual
run, a scheduled run and a backfill of the same day differ.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from airflow.sdk import BaseOperator
from airflow.sdk.exceptions import AirflowException, AirflowFailException

WINDROW = Path(__file__).resolve().parent.parent / ".venv" / "bin" / "windrow"

# Wrong parameter, unknown name, bad events, a day outside the stream, a failed check: a retry fails again.
FAILS_FOR_GOOD = (2, 3, 4, 5, 8)
STAGE_STARTS, ERROR_STARTS = "== ", "error: "
# Airflow kills the task's own process 5 s after it asked it to end; the children must be gone by then.
GRACE_S = 3.0


class WindrowOperator(BaseOperator):
    """Runs `windrow <arguments> --day <day> --run-id <run>`, and shows its log with one section per stage."""

    template_fields = ("arguments",)

    def __init__(self, *, arguments: Iterable[str], **task):
        super().__init__(**task)
        self.arguments = list(arguments)
        self.process: subprocess.Popen | None = None

    def execute(self, context):
        command = [
            str(WINDROW),
            "--end-with-parent",
            *self.arguments,
            "--day",
            day_of(context),
            "--run-id",
            context["run_id"],
        ]
        self.log.info("$ %s", " ".join(command))
        try:
            self.process = _start(command)
        except OSError as missing:
            raise AirflowFailException(
                f"{WINDROW} does not start ({missing}); mend it with: make setup"
            ) from missing
        error = show(self.process.stdout, self.log.info)
        judge(self.process.wait(), error)

    def on_kill(self):
        """End the process with everything that it started: the JVM, and Spark's Python workers."""
        if self.process is not None:
            end_session(self.process.pid, GRACE_S)


def day_of(context) -> str:
    """The logical date as YYYY-MM-DD; AirflowFailException for a run that has neither `ds` nor the param."""
    day = context["params"].get("day") or context.get("ds")
    if not day:
        raise AirflowFailException(
            "this run has no logical date, so it has no day; trigger it with a logical date, or with the "
            'param "day", as in {"day": "2018-10-01"}'
        )
    return str(day)


def judge(exit_code: int, error: str) -> None:
    """Raise for a command that failed: AirflowFailException (no retry) for what a retry can't mend."""
    if exit_code == 0:
        return
    ended = f"was ended by {signal.Signals(-exit_code).name}" if exit_code < 0 else f"exited with {exit_code}"
    kind = AirflowFailException if exit_code in FAILS_FOR_GOOD else AirflowException
    raise kind(f"windrow {ended}: {error or 'see the log above'}")


def show(lines: Iterable[str], say: Callable[[str], None]) -> str:
    """Say the command's lines, each stage as a section that the log view folds; returns its error text."""
    error, in_section = [], False
    for line in map(str.rstrip, lines):
        starts, fails = line.startswith(STAGE_STARTS), line.startswith(ERROR_STARTS)
        if in_section and (starts or fails):
            say("::endgroup::")
        in_section = starts or in_section and not fails
        if fails or error:
            error.append(line.removeprefix(ERROR_STARTS))
        say(f"::group::{line.removeprefix(STAGE_STARTS)}" if starts else line)
    if in_section:
        say("::endgroup::")
    return "\n".join(error)


def end_session(leader: int, grace_s: float) -> None:
    """Ask all processes of the session to end, kill those that have not after `grace_s`.

    By session, not by process group: Spark's Python workers open a group of their own.
    """
    _signal_all(leader, signal.SIGTERM)
    deadline = time.monotonic() + grace_s
    while any(session_members(leader)) and time.monotonic() < deadline:
        time.sleep(0.05)
    _signal_all(leader, signal.SIGKILL)


def session_members(leader: int) -> Iterator[int]:
    """Process ids of the session, without zombies (Linux: from /proc)."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            # After the command's name, which may hold spaces: state, parent, group, session.
            state, _, _, session = Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(session) == leader and state != "Z":
            yield int(name)


def _start(command: list[str]) -> subprocess.Popen:
    # One pipe for both keeps the order of result and log; a session of its own can be ended as a whole.
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        bufsize=1,
        start_new_session=True,
    )


def _signal_all(leader: int, number: int) -> None:
    for member in list(session_members(leader)):
        try:
            os.kill(member, number)
        except ProcessLookupError:
            continue
