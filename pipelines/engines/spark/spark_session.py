"""The one Spark session of a process: classic and local, with Delta, quick to start.

Its start is what costs a small run most, so: Delta's JARs come from a folder (no resolver), classes from an archive
where `make setup` made one, and a process keeps its session. The archive fits only the class path that it was made
with: the JARs in sorted order.

The JVM is started so that no setting stands on its command line, which every user of the machine can read:

    this process   settings, in a file without a name, in memory   ──inherited──▶   spark-submit ──▶ JVM

There is only what a JVM is known by (processes/orphan_jvms.py). A file in a folder was no choice: a killed run would
leave a user's keys there.
"""

import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from socketserver import BaseServer
from typing import TYPE_CHECKING, Any

from windrow.pipelines.config import Config
from windrow.pipelines.delta.locks import full_disk_reported
from windrow.pipelines.engines.spark import executors
from windrow.pipelines.engines.spark.settings import MASTER, WITHOUT_JVM, is_one_machine
from windrow.pipelines.engines.spark.settings import settings as settings_of
from windrow.pipelines.location import KEYS, set_up
from windrow.processes import java, orphan_jvms, signals
from windrow.processes.orphan_jvms import LOCAL_FOLDER
from windrow.schemas.errors import NotSetUp, SparkEnded

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PATIENCE_S = 10.0
# A JVM that was killed hangs up before its process is over.
_DYING_S = 2.0
_NOT_TAKEN = "no Spark master answers there, or its spark.authenticate.secret is another"
_TAKEN = "start it, or give this machine its key (docs/operations.md#a-cluster-of-spark)"
_START = "unset WINDROW_JAVA_OPTIONS, then make doctor"
_kept: list["SparkSession"] = []  # the newest is the one in use, unless it was stopped
_pages: list[str | None] = []  # of each
# Where PySpark finds words for spark-submit.
_WORDS = "PYSPARK_SUBMIT_ARGS"
# What a key or a value of java.util.Properties can't have as it is.
_SPECIAL = re.compile(r"[\\\s:=#!]")


def session(config: Config) -> "SparkSession":
    """This process's session, started on first use (seconds) and kept. Raises NotSetUp without Delta's JARs or a JRE,
    or where a signal ended this process's JVM within a write."""
    from pyspark import SparkContext  # a second of imports that commands without Spark need not pay

    if _kept and not orphan_jvms.jvm_lives():
        raise NotSetUp("Spark's JVM was ended, as a write of it was interrupted", "a new Python process")
    if _kept and SparkContext._active_spark_context is _kept[-1].sparkContext:
        return _kept[-1]
    _require_java()
    settings = settings_of(config)
    _prepare_environment(settings)
    with full_disk_reported(config, "spark"):
        orphan_jvms.end_all(config.spark)
        folder = orphan_jvms.new_folder(config.spark)
        sent = _sent(settings, folder)
    asked = {**settings, **sent, orphan_jvms.LOCAL_FOLDER: str(folder)}
    _leave_lost_connections_unlogged()  # before the start: an interrupt may end the JVM while it answers that
    with _reported_start(config, settings[MASTER]), end_reported():
        _kept.append(_start(lambda: _started(asked)))
        context = _kept[-1].sparkContext
        conf = context.getConf()
        log = conf.get("spark.eventLog.dir") if conf.get("spark.eventLog.enabled") == "true" else None
        found = [context.uiWebUrl, f"{log}/{context.applicationId}" if log else None]
        _pages.append(", ".join(each for each in found if each) or None)
        if sent:
            executors.require_fit(_kept[-1])
    signals.raise_if_asked()
    return _kept[-1]


def _sent(settings: Mapping[str, str], folder: Path) -> dict[str, str]:
    """What the executors of a cluster need of this machine."""
    if is_one_machine(settings[MASTER]):
        return {}
    archives = [f"{executors.packed(folder)}#{executors.FOLDER}", settings.get(executors.ARCHIVES)]
    return {executors.ARCHIVES: ",".join(filter(None, archives))}


def _started(settings: Mapping[str, str]) -> "SparkSession":
    from pyspark.sql import SparkSession

    launch(settings)
    made = SparkSession.builder.config(map=dict(settings)).getOrCreate()
    for name in KEYS:  # executors have them already, and would get them with each task again
        made.sparkContext.environment.pop(name, None)
    return made


def _start(start: Callable[[], "SparkSession"]) -> "SparkSession":
    """In a thread of its own, while this one only waits. In the main thread Spark installs its own handler of SIGINT,
    which asks the JVM to cancel all jobs, on the connection that just waits for one, so that it never gets there; and
    our handler would raise within callbacks of Spark's and Py4J's start, where Python drops what is raised."""
    session: Future[SparkSession] = Future()
    starting = threading.Thread(target=_resolve, args=(session, start), daemon=True)
    starting.start()
    try:
        return session.result()
    except Exception:
        raise
    except BaseException:
        with signals.ignored():
            # End the JVM, which may not have been there yet a moment ago, until no thread waits for it.
            deadline = time.monotonic() + _PATIENCE_S
            while starting.is_alive() and time.monotonic() < deadline:
                orphan_jvms.end_mine()
                starting.join(0.05)
        raise


def _resolve(session: "Future[SparkSession]", start: Callable[[], "SparkSession"]) -> None:
    try:
        session.set_result(start())
    except BaseException as error:
        session.set_exception(error)


@contextmanager
def _reported_start(config: Config, master: str) -> Iterator[None]:
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkRuntimeError

    try:
        yield
    except Py4JJavaError as error:
        if is_one_machine(master) or "stopped SparkContext" not in str(error):
            raise
        raise NotSetUp(f"Spark's master {master} doesn't take this driver: {_NOT_TAKEN}", _TAKEN) from error
    except PySparkRuntimeError as error:
        if error.getCondition() != "JAVA_GATEWAY_EXITED":
            raise
        settings = f"master {master!r} and WINDROW_JAVA_OPTIONS {config.java_options!r}"
        raise NotSetUp(
            f"Spark's JVM ended as it started, with {settings}; what it printed stands above", _START
        ) from error


def _leave_lost_connections_unlogged() -> None:
    """Py4J logs tracebacks when the JVM hangs up, and PySpark's server of accumulators prints them; `end_reported` says
    what it is."""
    from pyspark import accumulators

    for name in ("", "py4j.java_gateway", "py4j.clientserver"):
        logging.getLogger(name).addFilter(_is_no_lost_connection)
    for server in (accumulators.AccumulatorTCPServer, accumulators.AccumulatorUnixServer):
        server.handle_error = _print_unless_lost  # type: ignore[assignment, method-assign]


def _print_unless_lost(server: BaseServer, *given: Any) -> None:
    if not isinstance(sys.exc_info()[1], (EOFError, OSError)):
        BaseServer.handle_error(server, *given)


def _is_no_lost_connection(record: logging.LogRecord) -> bool:
    from py4j.protocol import Py4JNetworkError

    return not (record.exc_info and isinstance(record.exc_info[1], (Py4JNetworkError, ConnectionError)))


@contextmanager
def end_reported() -> Iterator[None]:
    """SparkEnded for an error of which the cause is that the JVM is gone: Py4J says it in many ways."""
    from py4j.protocol import Py4JError

    try:
        yield
    except (Py4JError, OSError, EOFError) as error:
        code = _exit_code()
        if code is None:
            raise
        how = f"by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        raise SparkEnded(
            f"Spark's JVM ended while it worked ({how}): nothing was published, and what it left is made again. Run "
            "the same command again; if it ends again, the machine may have too little memory for it"
        ) from error


def _exit_code() -> int | None:
    """Of the JVM; None while it lives."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway  # there before the session is
    with suppress(subprocess.TimeoutExpired):
        return gateway.proc.wait(_DYING_S) if gateway else None
    return None


def pages() -> str | None:
    """Addresses of the session's page and of its event log; None where there is no session, or both are off. They are
    known from its start: at its end the JVM may be gone."""
    return _pages[-1] if _pages else None


def _require_java() -> None:
    # Spark's own launcher says only that its gateway has ended.
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java", path=os.path.join(home, "bin") if home else None) is None:
        where = f"in JAVA_HOME ({home})" if home else "on PATH"
        fix = set_up(f"{java.fix()}   # or {WITHOUT_JVM}")
        raise NotSetUp(f"there is no Java runtime {where}, and Spark needs one", fix)


def _prepare_environment(settings: Mapping[str, str]) -> None:
    # Spark takes `python3` of PATH for its workers by default; that one has no pyarrow.
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    if is_one_machine(settings[MASTER]):
        os.environ["PYSPARK_PYTHON"] = sys.executable
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    elif of_workers := settings.get("spark.pyspark.python"):
        os.environ["PYSPARK_PYTHON"] = of_workers  # what spark-submit makes of it


def launch(settings: Mapping[str, str]) -> None:
    """Start this process's JVM with these settings, where it has none yet."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is not None:
        return
    known_by = SparkConf(loadDefaults=False).set(LOCAL_FOLDER, settings[LOCAL_FOLDER])
    with _submitted(settings) as file:
        SparkContext._ensure_initialized(gateway=launch_gateway(known_by, {"pass_fds": (file,)}))


@contextmanager
def _submitted(settings: Mapping[str, str]) -> Iterator[int]:
    """A file that has the settings as java.util.Properties reads them, named to spark-submit; it goes with the last
    process that has it."""
    words = os.environ.get(_WORDS, "pyspark-shell")
    with open(os.memfd_create("settings"), "w", encoding="utf-8") as file:
        file.writelines(f"{_escaped(name)}={_escaped(value)}\n" for name, value in settings.items())
        file.flush()
        os.environ[_WORDS] = f"--properties-file /proc/self/fd/{file.fileno()} {words}"
        try:
            yield file.fileno()
        finally:
            os.environ[_WORDS] = words


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
