"""Where the stack's parts are. The pipeline's own folders come from `windrow.pipelines.config`."""

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
UV = MADE / "uv"


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
