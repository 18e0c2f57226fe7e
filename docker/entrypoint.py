"""The entry point of both images: secrets become variables, then the command runs.

A secret is a file below /run/secrets, by the name of its variable (docker/compose.yaml), or such a variable already
(Kubernetes). A file whose name can't be a variable's stays one: what Spark reads itself. The password of Airflow's
login becomes the file that Airflow takes it from, which it opens for writing. `executor` is what Spark asks of an image
on Kubernetes.
"""

import json
import os
import sys
from collections.abc import MutableMapping
from pathlib import Path

SECRETS = Path("/run/secrets")
LOGIN, LOGIN_FILE = "AIRFLOW_LOGIN_PASSWORD", "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"
EXECUTOR = ("python3", str(Path(__file__).with_name("executor.py")))


def variables(folder: Path) -> dict[str, str]:
    """By name what each file of a variable holds."""
    found = (path for path in sorted(folder.glob("*")) if path.is_file() and path.name.isidentifier())
    return {path.name: path.read_text().strip() for path in found}


def write_login(found: MutableMapping[str, str]) -> None:
    """The file, where there is to be one; then nobody has the variable any more."""
    password, file = found.pop(LOGIN, None), found.get(LOGIN_FILE)
    if password and file:
        Path(file).touch(mode=0o600)
        Path(file).write_text(json.dumps({"admin": password}))


def main() -> None:
    """Become the command."""
    os.environ.update(variables(SECRETS))
    write_login(os.environ)
    command = EXECUTOR if sys.argv[1:] == ["executor"] else sys.argv[1:]
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
