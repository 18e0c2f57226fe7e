"""A Spark executor on Kubernetes: the command that Spark's own image makes of the variables that the driver gives it.

PySpark's package has the classes, but not the script of Spark's image that starts them.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

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


def command(given: Mapping[str, str], jars: Path) -> list[str]:
    """Of the environment and the folder of Spark's JARs. Ends the process, with the names, where some are missing."""
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


if __name__ == "__main__":
    words = command(os.environ, spark_jars())
    os.execvp(words[0], words)
