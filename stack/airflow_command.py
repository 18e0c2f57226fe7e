"""`make airflow ARGS="..."`: Airflow's own command line, with the environment of this home's Airflow.

Without that environment `airflow` finds another database, no DAG, and another user's settings.
"""

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence

from pipelines import config
from schemas.errors import NotSetUp, WrongParameter
from stack import airflow, settings
from stack.components import AIRFLOW
from stack.places import make

ARGS = "ARGS"
EXAMPLE = 'make airflow ARGS="backfill create --help"'


def run(words: Sequence[str]) -> int:
    """Airflow's exit code. Raises NotSetUp where Airflow was never started over this home."""
    home = config.load()
    wanted = list(words) or _split(os.environ.get(ARGS, ""))
    if shutil.which(AIRFLOW) is None:
        raise NotSetUp(f"{AIRFLOW} is missing", "make setup")
    if found := airflow.running(home.here):
        environment = found.environment
    elif settings.airflow_home(home.here).is_dir():
        environment = settings.airflow_environment(home.here, airflow.PREFERRED_PORT, home.landing)
    else:
        raise NotSetUp(f"no Airflow was started over {home.here} yet", make("up"))
    return subprocess.run([AIRFLOW, *wanted], env=environment, check=False).returncode


def _split(text: str) -> list[str]:
    """As a shell does. WrongParameter for none, and for quotes that don't end."""
    try:
        words = shlex.split(text)
    except ValueError as wrong:
        raise WrongParameter(ARGS, text, f"words of Airflow's command line, with quotes that end ({wrong})") from wrong
    if not words:
        raise WrongParameter(ARGS, text, f"words of Airflow's command line, as in {EXAMPLE}")
    return words
