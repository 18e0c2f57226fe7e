"""Where the stack's parts are. The pipeline's own folders come from `windrow.pipelines.config`."""

import os
import shlex
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
REQUIREMENTS = REPOSITORY / "requirements"
SPARK_ENVIRONMENT = REPOSITORY / ".venv"
AIRFLOW_ENVIRONMENT = REPOSITORY / ".venv-airflow"
PYTHON = SPARK_ENVIRONMENT / "bin" / "python"
WINDROW = SPARK_ENVIRONMENT / "bin" / "windrow"

# Tools and JARs belong to the checkout, not to WINDROW_HOME: one installation serves many homes.
MADE = REPOSITORY / "var"
JARS = MADE / "jars"
ARCHIVE = JARS / "windrow.jsa"
UV = MADE / "uv"
LOGS = MADE / "logs"


def say(line: str) -> None:
    """Print one line of progress at once, also into a pipe."""
    print(line, flush=True)


def login(user: str, password: str, file: Path) -> str:
    """A login as a terminal is told it; elsewhere the output may be kept, as by CI, and only the file is named."""
    return f"{user} / {password if sys.stdout.isatty() and not os.environ.get('CI') else f'its password is in {file}'}"


def make(target: str, home: str | None = None) -> str:
    """A command of make as a user types it for a home, by default for that of this process."""
    of = home or shlex.quote(os.environ.get("WINDROW_HOME", ""))
    return f"make {target}" if of == "''" else f"make {target} WINDROW_HOME={of}"


def owner(path: Path) -> str:
    """Whose it is: the user's name, or number where it has none here."""
    try:
        return path.owner()
    except KeyError:
        return str(path.stat().st_uid)


def site_packages(environment: Path) -> Path:
    """The folder of an environment's packages."""
    found = sorted(environment.glob("lib/python3.*/site-packages"))
    if found:
        return found[-1]
    return environment / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
