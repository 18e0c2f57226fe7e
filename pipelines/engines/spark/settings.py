"""Spark's settings: the user's win, ours fill only what is not set.

The user's are those of spark-defaults.conf, of WINDROW_SPARK_CONF, which beats them, and WINDROW_SPARK_MASTER. Three
are lists that have ours and the user's; five have to be ours, since rows depend on them.
"""

import json
import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path

import pyspark

from windrow.kernels.runtime import cache
from windrow.pipelines.config import IMPORTED_FROM, SPARK_CONF, Config
from windrow.pipelines.engines.spark.archive import NAME
from windrow.pipelines.engines.spark.executors import FOLDER, PROJECT
from windrow.pipelines.engines.spark.jars import DELTA, S3
from windrow.pipelines.location import KEYS, PLACES, endpoint_url, region
from windrow.processes import modes
from windrow.schemas import project
from windrow.schemas.errors import NotSetUp, WrongParameter

MASTER = "spark.master"
WITHOUT_JVM = "WINDROW_ENGINE=local, which needs no JVM"
DEFAULT_MASTER = "local[2]"
_DAEMON = "windrow.pipelines.engines.spark.daemon"
_LOCAL = re.compile(r"local(?:\[(\d+|\*)(?:, *\d+)?\])?")
_AUTHENTICATE = "spark.authenticate"
_KEY = f"{_AUTHENTICATE}.secret"
_KEY_FIX = (
    f"the {_KEY} of its master and workers in the spark-defaults.conf of this machine (docs/operations.md"
    f'#a-cluster-of-spark); or {{"{_AUTHENTICATE}": "false"}} in WINDROW_SPARK_CONF where it has none'
)
# By setting what stands between ours and the user's.
_LISTS = {
    "spark.executorEnv.PYTHONPATH": os.pathsep,
    "spark.driver.extraClassPath": os.pathsep,
    "spark.driver.extraJavaOptions": " ",
    "spark.jars": ",",
    "spark.sql.extensions": ",",
}
_NEEDED = {
    "spark.submit.deployMode": "client",
    "spark.sql.session.timeZone": "UTC",
    # Statements of both engines quote names alike (engines/engine.py).
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    # The default, INT96, is nanoseconds to other readers: years before 1677 and after 2262 overflow there.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}
# The JVM's second compiler, which works much for code that runs long, begins at ten times its usual thresholds: of a
# session of seconds it took a quarter of all processor seconds, and ingest of 100,000 lines is no slower without it.
_JIT = (
    "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000 -XX:Tier4CompileThreshold=150000 "
    "-XX:Tier4BackEdgeThreshold=400000"
)
# As java.util.Properties reads them: a key, then white space, = or :, then the value.
_PROPERTY = re.compile(r"\s*([^\s=:]+)\s*[\s=:]\s*(.*?)\s*")


def settings(config: Config) -> dict[str, str]:
    """All that a session is started with, its master among them. WrongParameter for a setting with which rows would be
    others, NotSetUp without Delta's JARs."""
    users = _users_settings(config)
    for name, needed in _NEEDED.items():
        if users.get(name, needed).lower() != needed.lower():
            raise WrongParameter(name, users[name], f"{needed}, on which Windrow's rows depend; or leave it unset")
    master = users.get(MASTER, DEFAULT_MASTER)
    ours = {
        **_of_every_session(config),
        **(_of_one_machine(config) if is_one_machine(master) else _of_a_cluster(config, master, users)),
        **_of_storage(config),
        **_of_jars(config, master),
    }
    lists = {name: (between, (ours.get(name), users[name])) for name, between in _LISTS.items() if name in users}
    # An empty part of a class path would be the current folder.
    both = {name: between.join(filter(None, parts)) for name, (between, parts) in lists.items()}
    return {MASTER: master, **ours, **users, **both}


def is_one_machine(master: str) -> bool:
    """Whether driver and executors are one process."""
    return _LOCAL.fullmatch(master) is not None


def expected_slots(config: Config) -> int:
    """How many tasks run at once with these settings, where they say it; else as many as on two cores."""
    users = _users_settings(config)
    if of_machine := _LOCAL.fullmatch(users.get(MASTER, DEFAULT_MASTER)):
        cores = of_machine[1] or "1"
        return config.cores if cores == "*" else int(cores)
    for name in ("spark.default.parallelism", "spark.cores.max"):
        if name in users:
            return int(users[name])
    return int(users.get("spark.executor.instances", 2)) * int(users.get("spark.executor.cores", 1))


def expected_executors(config: Config) -> int:
    """How many executors there are with these settings, where they say it; else two, of which each has a worker."""
    users = _users_settings(config)
    return 1 if is_one_machine(users.get(MASTER, DEFAULT_MASTER)) else int(users.get("spark.executor.instances", 2))


def _users_settings(config: Config) -> dict[str, str]:
    home = os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent
    defaults = Path(os.environ.get("SPARK_CONF_DIR") or Path(home, "conf"), "spark-defaults.conf")
    master = {MASTER: config.spark_master} if config.spark_master else {}
    return {**_of_file(defaults), **_of_variable(config.spark_conf), **master}


def _of_variable(text: str) -> dict[str, str]:
    """WINDROW_SPARK_CONF: a JSON object, or the path of a file like spark-defaults.conf."""
    if not text:
        return {}
    if not text.startswith("{"):
        if not Path(text).is_file():
            raise _no_settings(text, "a JSON object, or the path of a file like spark-defaults.conf that exists")
        return _of_file(Path(text))
    try:
        found = json.loads(text)
    except ValueError as error:
        raise _no_settings(text, f"a JSON object; it is none: {error}") from error
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in found.items()}


def _no_settings(text: str, allowed: str) -> WrongParameter:
    # Of what is no path nothing but its beginning: settings may be keys.
    return WrongParameter(SPARK_CONF, text if re.fullmatch(r"[\w./~-]+", text) else f"{text[:1]}…", allowed)


def _of_file(path: Path) -> dict[str, str]:
    lines = path.read_text().splitlines() if path.is_file() else []
    found = (_PROPERTY.fullmatch(line) for line in lines if line.strip() and not line.lstrip().startswith(("#", "!")))
    return {each[1]: each[2] for each in found if each}


def _of_every_session(config: Config) -> Mapping[str, str]:
    return {
        **_NEEDED,
        "spark.driver.extraClassPath": os.pathsep.join(_jars(config)),
        "spark.driver.extraJavaOptions": _java_options(config),
        "spark.app.name": "windrow",
        "spark.driver.memory": "2g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.warehouse.dir": str(config.spark / "warehouse"),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        _AUTHENTICATE: "true",
        # Hadoop, which writes for Spark, gives files 0644 whatever the process's umask.
        "spark.hadoop.fs.permissions.umask-mode": modes.umask_digits(),
        # The defaults (50 and 200) make every small read or shuffle that many tasks.
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.sql.shuffle.partitions": str(max(4, 2 * expected_slots(config))),
    }


def _of_one_machine(config: Config) -> Mapping[str, str]:
    """Driver and executors are one process, and see this one's folders."""
    return {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.extraClassPath": os.pathsep.join(_jars(config)),
        "spark.executorEnv.PYTHONPATH": str(IMPORTED_FROM),
        **({f"spark.executorEnv.{project.VARIABLE}": str(folder)} if (folder := project.root()) else {}),
        # Not the first, which a worker finds as this process did.
        "spark.executorEnv.WINDROW_NUMBA": str(cache.parents()[-1]),
        "spark.python.daemon.module": _DAEMON,
    }


def _of_a_cluster(config: Config, master: str, users: Mapping[str, str]) -> Mapping[str, str]:
    """Driver and executors share no folder, and maybe no host: JARs and Windrow itself are sent to them (executors.py),
    and what they say to each other is encrypted."""
    # By which Hadoop and the libraries find S3 there. Kubernetes shows variables to all who may see a pod: there the
    # keys come from a secret of its own (docs/kubernetes.md).
    keys = () if master.startswith("k8s:") else KEYS
    of_s3 = (*PLACES, *keys) if _is_on_s3(config) else ()
    return {
        "spark.executorEnv.PYTHONPATH": FOLDER,
        f"spark.executorEnv.{project.VARIABLE}": f"{FOLDER}/{PROJECT}",
        "spark.executorEnv.WINDROW_ENGINE": "spark",
        "spark.python.daemon.module": _DAEMON,
        **authentication(master, users),
        **{f"spark.executorEnv.{name}": os.environ[name] for name in of_s3 if name in os.environ},
    }


def authentication(master: str, users: Mapping[str, str]) -> dict[str, str]:
    """Settings by which a driver is known on its cluster, and by which no other process reads what they say. Without a
    key any process of any user that finds a driver's port may ask it, and end it. NotSetUp where no setting of the
    user's says the key of a standalone cluster.

    local, yarn, k8s   Spark makes a key for each session
    local-cluster      so does Windrow, as Spark doesn't
    spark://           the one that its master and workers have too, of their spark-defaults.conf
    """
    if users.get(_AUTHENTICATE, "true").lower() != "true":
        return {}
    if _KEY not in users and master.startswith("spark:"):
        raise NotSetUp(f"Spark's master {master} asks for a key, and no setting says it", _KEY_FIX)
    key = {_KEY: secrets.token_hex()} if master.startswith("local-cluster") else {}
    # Without a fallback to what is not encrypted, where the other side asks for it.
    return {"spark.network.crypto.enabled": "true", "spark.network.crypto.saslFallback": "false", **key}


def _of_jars(config: Config, master: str) -> Mapping[str, str]:
    """Those that Spark sends; Delta's are on the class path of this machine already."""
    jars = [] if is_one_machine(master) else _jars(config)
    if _is_on_s3(config):
        folder = S3.folder(config.jars)
        jars += _jars_in(folder, f"the lake is below {config.home}, and S3's JARs are not in {folder}", S3.fix)
    return {"spark.jars": ",".join(jars)} if jars else {}


def _is_on_s3(config: Config) -> bool:
    return any(str(place).startswith("s3:") for place in (config.home, config.landing))


def _of_storage(config: Config) -> Mapping[str, str]:
    """Hadoop's file system for S3, in the words of the standard variables; it takes keys from these itself, in the
    JVM that has them."""
    if not _is_on_s3(config):
        return {}
    endpoint = endpoint_url()
    asked = {"endpoint": endpoint, "endpoint.region": region(), "path.style.access": "true" if endpoint else None}
    return {
        "spark.hadoop.fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",
        **{f"spark.hadoop.fs.s3a.{name}": value for name, value in asked.items() if value},
    }


def _jars(config: Config) -> list[str]:
    return _jars_in(config.jars, f"Delta's JARs are not in {config.jars}", f"{DELTA.fix}   # or {WITHOUT_JVM}")


def _jars_in(folder: Path, lacking: str, fix: str) -> list[str]:
    if jars := sorted(str(jar) for jar in folder.glob("*.jar")):
        return jars
    raise NotSetUp(lacking, fix)


def _java_options(config: Config) -> str:
    options = [f"-Dlog4j2.configurationFile=file:{Path(__file__).with_name('log4j2.properties')}"]
    archive = config.jars / NAME
    if archive.exists():
        options.append(f"-XX:SharedArchiveFile={archive} -Xshare:auto -Xlog:disable -Xlog:all=error:stderr")
    return " ".join([*options, _JIT, config.java_options]).strip()
