"""Spark's JVM, started so that no setting stands on its command line, which every user of the machine can read.

    this process   settings, in a file without a name, in memory   ──inherited──▶   spark-submit ──▶ JVM

On the command line is only what a JVM is known by (processes/orphan_jvms.py). A file in a folder was no choice: a
killed run would leave a user's keys there.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from processes.orphan_jvms import LOCAL_FOLDER

# Where PySpark finds words for spark-submit.
_WORDS = "PYSPARK_SUBMIT_ARGS"
# What a key or a value of java.util.Properties can't have as it is.
_SPECIAL = re.compile(r"[\\\s:=#!]")


def launch(settings: Mapping[str, str]) -> None:
    """Start this process's JVM with these settings, where it has none yet."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is not None:
        return
    known_by = SparkConf(loadDefaults=False).set(LOCAL_FOLDER, settings[LOCAL_FOLDER])
    with _in_memory(settings) as file, _submitted(f"--properties-file /proc/self/fd/{file}"):
        SparkContext._ensure_initialized(gateway=launch_gateway(known_by, {"pass_fds": (file,)}))


@contextmanager
def _in_memory(settings: Mapping[str, str]) -> Iterator[int]:
    """A file that has the settings as java.util.Properties reads them; it goes with the last process that has it."""
    with open(os.memfd_create("settings"), "w", encoding="utf-8") as file:
        file.writelines(f"{_escaped(name)}={_escaped(value)}\n" for name, value in settings.items())
        file.flush()
        yield file.fileno()


@contextmanager
def _submitted(options: str) -> Iterator[None]:
    words = os.environ.get(_WORDS, "pyspark-shell")
    os.environ[_WORDS] = f"{options} {words}"
    try:
        yield
    finally:
        os.environ[_WORDS] = words


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
