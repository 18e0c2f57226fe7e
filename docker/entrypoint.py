"""The entry point of both images: secrets become variables, then the command runs.

A secret is a file below /run/secrets, by the name of its variable (docker/compose.yaml), or such a variable already
(Kubernetes). A file whose name can't be a variable's stays one: what Spark reads itself. The password of Airflow's
login becomes the file that Airflow takes it from, which it opens for writing. `executor` is what Spark asks of an image
on Kubernetes: PySpark's package has the classes, but not the script of Spark's own image that starts them.
"""

import json
import os
import sys
from collections.abc import Mapping, MutableMapping
from pathlib import Path

SECRETS = Path("/run/secrets")
LOGIN, LOGIN_FILE = "AIRFLOW_LOGIN_PASSWORD", "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"
MAIN = "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend"
# Option of the executor, by the variable that has its value.
OPTIONS = {
    "SPARK_DRIVER_URL": "--driver-url",
    "SPARK_EXECUTOR_ID": "--executor-id",
    "SPARK_EXECUTOR_CORES": "--cores",
    "SPARK_APPLICATION_ID": "--app-id",
    "SPARK_EXECUTOR_POD_IP": "--hostname",
    "SPARK_RESOURCE_PROFILE_ID": "--resourceProfileId",
    "SPARK_EXECUTOR_POD_NAME": "--podName",
}
_JAVA_OPTION, _MEMORY = "SPARK_JAVA_OPT_", "SPARK_EXECUTOR_MEMORY"


def variables(folder: Path) -> dict[str, str]:
    """By name what each file of a variable holds."""
    found = (path for path in sorted(folder.glob("*")) if path.is_file() and path.name.isidentifier())
    return {path.name: path.read_text().strip() for path in found}


def write_login(found: MutableMapping[str, str]) -> None:
    """The file, where there is to be one; then no process has the variable any more."""
    password, file = found.pop(LOGIN, None), found.get(LOGIN_FILE)
    if password and file:
        Path(file).touch(mode=0o600)
        Path(file).write_text(json.dumps({"admin": password}))


def executor_command(given: Mapping[str, str], jars: Path) -> list[str]:
    """What Spark's own image makes of the variables that the driver gives it. jars: the folder of Spark's JARs. Ends
    the process, with the names, where some are missing."""
    if missing := [name for name in (*OPTIONS, _MEMORY) if name not in given]:
        sys.exit(f"an executor needs {', '.join(missing)}, which Spark's driver sets for its pods; start none by hand")
    numbered = sorted(
        (name for name in given if name.startswith(_JAVA_OPTION)), key=lambda name: int(name.removeprefix(_JAVA_OPTION))
    )
    memory = (f"-Xms{given[_MEMORY]}", f"-Xmx{given[_MEMORY]}")
    parts = (given.get("SPARK_CONF_DIR"), given.get("SPARK_CLASSPATH"), f"{jars}/*", os.getcwd())
    class_path = ":".join(filter(None, parts))
    options = [word for name, option in OPTIONS.items() for word in (option, given[name])]
    return ["java", *(given[name] for name in numbered), *memory, "-cp", class_path, MAIN, *options]


def spark_jars() -> Path:
    """Of the PySpark that was set up here."""
    [found] = Path(__file__).parents[1].glob(".venv/lib/python3.*/site-packages/pyspark/jars")
    return found


def main() -> None:
    """Become the command."""
    os.environ.update(variables(SECRETS))
    write_login(os.environ)
    command = executor_command(os.environ, spark_jars()) if sys.argv[1:] == ["executor"] else sys.argv[1:]
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
