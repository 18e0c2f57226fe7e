"""Run one step of a set-up: quiet when it works, its last lines and the next step when it doesn't. Needs no library."""

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from windrow.pipelines import config
from windrow.processes import marked, signals
from windrow.schemas.errors import NotSetUp

LINES_SHOWN = 15
Show = Callable[[str, int, int | None], None]
"""Is told what begins, how many parts of it are done, and how many there are."""


def silent(begins: str, done: int = 0, total: int | None = None) -> None:
    """Show nothing."""


def say(line: str) -> None:
    """Print one line of progress at once, also into a pipe."""
    print(line, flush=True)


def run(
    name: str,
    command: list[str],
    fix: str,
    extra: Mapping[str, str] | None = None,
    logs: Path | None = None,
    shown: bool = False,
) -> str:
    """Run `command`, its output going to <logs>/<name>.log, and where `shown` here too; returns that output.

    logs: a folder; else logs/ below that of what projects share (`config.made`).

    Raises NotSetUp with the log's last lines and `fix` when it fails. A signal ends it and its children.
    """
    log = (logs or config.made() / "logs") / f"{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    code = _run_logged(command, log, {**clean_environment(), **(extra or {})}, shown)
    if code != 0:
        raise NotSetUp(f"{name} failed with exit code {code}; the end of {log}:\n{last_lines(log)}\n", fix)
    return log.read_text(errors="replace")


def last_lines(log: Path) -> str:
    """The end of a log, indented, as an error shows it."""
    return "\n".join(f"    {line}" for line in log.read_text(errors="replace").splitlines()[-LINES_SHOWN:])


def clean_environment() -> dict[str, str]:
    """This process's environment without what would make a child behave otherwise here than elsewhere.

    Without byte code Airflow is compiled anew at each start (three times slower); SPARK_REMOTE breaks
    spark-submit; SPARK_HOME takes another Spark, PYTHONPATH and a virtual environment foreign packages.
    """
    dropped = {"PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    dropped |= {"SPARK_REMOTE", "SPARK_HOME", "SPARK_CONF_DIR"}
    return {name: value for name, value in os.environ.items() if name not in dropped}


def _run_logged(command: list[str], log: Path, environment: dict[str, str], shown: bool) -> int:
    mark = f"set-up {os.getpid()}"
    with open(log, "wb") as output:
        try:
            # A session of its own: Ctrl-C reaches only us, and we end the child with all that it started.
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if shown else output,
                stderr=subprocess.STDOUT,
                env={**environment, marked.MARK: mark},
                start_new_session=True,
            )
            for line in process.stdout or ():
                output.write(line)
                say(f"  {line.decode(errors='replace').rstrip()}")
            return process.wait()
        finally:
            with signals.ignored():
                marked.end(mark, grace_s=2.0)
