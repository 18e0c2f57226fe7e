"""`make airflow ARGS="..."`: Airflow's own command line, with the environment of this home's Airflow.

Without that environment `airflow` finds another database, no DAG, and another user's settings.
"""

import argparse
import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from datetime import date
from typing import Any

from pipelines import config
from schemas.errors import NotSetUp, WrongParameter
from stack import airflow, settings
from stack.components import AIRFLOW
from stack.places import make, say

ARGS = "ARGS"
# What becomes of days that have a run already: the words of Airflow's command and of its server.
REPROCESS = ("none", "failed", "completed")
EXAMPLE = 'make airflow ARGS="backfill create --help"'


def run(words: Sequence[str]) -> int:
    """Airflow's exit code. Raises NotSetUp where Airflow was never started over this home."""
    home = config.load()
    wanted = list(words) or _split(os.environ.get(ARGS, ""))
    if shutil.which(AIRFLOW) is None:
        raise NotSetUp(f"{AIRFLOW} is missing", "make setup")
    if found := airflow.running(home.here):
        if days := _days_of_backfill(wanted):
            say(f"backfill {found.client().backfill(**days)}: {found.address}/dags/{days['dag']}/backfills")
            return 0
        environment = found.environment
    elif settings.airflow_home(home.here).is_dir():
        environment = settings.airflow_environment(home.here, airflow.PREFERRED_PORT, home.landing)
    else:
        raise NotSetUp(f"no Airflow was started over {home.here} yet", make("up"))
    return subprocess.run([AIRFLOW, *wanted], env=environment, check=False).returncode


def _days_of_backfill(words: Sequence[str]) -> dict[str, Any] | None:
    """What `backfill create` asks for; None of other commands, and of options that only Airflow's own command has.

    The server is asked instead, again and again: Airflow's command writes to the database itself, and where a run that
    is active has locked its SQLite it ends at once, with some of the days begun.
    """
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False, allow_abbrev=False)
    parser.add_argument("--dag-id", "--dag", dest="dag")
    parser.add_argument("--from-date", type=date.fromisoformat, dest="first")
    parser.add_argument("--to-date", type=date.fromisoformat, dest="last")
    parser.add_argument("--run-backwards", action="store_true", dest="backwards")
    parser.add_argument("--reprocess-behavior", choices=REPROCESS, default=REPROCESS[0], dest="reprocess")
    try:
        asked, others = parser.parse_known_args(words[2:])
    except argparse.ArgumentError:
        return None
    is_whole = [*words[:2]] == ["backfill", "create"] and not others and asked.dag and asked.first and asked.last
    return vars(asked) if is_whole else None


def _split(text: str) -> list[str]:
    """As a shell does. WrongParameter for none, and for quotes that don't end."""
    try:
        words = shlex.split(text)
    except ValueError as wrong:
        raise WrongParameter(ARGS, text, f"words of Airflow's command line, with quotes that end ({wrong})") from wrong
    if not words:
        raise WrongParameter(ARGS, text, f"words of Airflow's command line, as in {EXAMPLE}")
    return words
