"""A Spark standalone cluster: a master and two workers, in processes and folders of their own that know of no checkout.

Each worker has a home, a work folder and a folder for temporary files as a machine of its own would. They share an
environment with Windrow's libraries and without Windrow.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark

from stack import images
from tests.support import processes
from tests.support.processes import free_port
from windrow.processes import java, proc

_LINKS_TO_CHECKOUT = ("_windrow.pth", "windrow-*.dist-info")
_MASTER, _WORKER = (f"org.apache.spark.deploy.{name}" for name in ("master.Master", "worker.Worker"))
_EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend"
WORKERS, CORES = ("worker-1", "worker-2"), 2


@dataclass(frozen=True)
class SparkCluster:
    """One that runs."""

    folder: Path
    port: int

    @property
    def conf(self) -> dict[str, str]:
        """Settings of a driver's session."""
        # No code may take the parallelism for the number of cores.
        return {
            "spark.executor.memory": "1g",
            "spark.driver.host": "127.0.0.1",
            "spark.default.parallelism": "7",
            "spark.authenticate.secret": self.key,
        }

    @property
    def key(self) -> str:
        """That master, workers and drivers have."""
        return re.search(r"secret (\S+)", (self.folder / "conf" / images.SPARK).read_text())[1]

    @property
    def variables(self) -> dict[str, str]:
        """By which a driver finds it."""
        return {
            "WINDROW_SPARK_MASTER": f"spark://127.0.0.1:{self.port}",
            "WINDROW_SPARK_CONF": json.dumps(self.conf),
            "PYSPARK_PYTHON": str(self.folder / "environment" / "bin" / "python"),
            "SPARK_LOCAL_IP": "127.0.0.1",
        }

    def home(self, worker: str) -> Path:
        """A worker's home folder."""
        return self.folder / worker / "home"

    def compiled(self, worker: str) -> set[str]:
        """The files of compiled code that a worker keeps, from its home."""
        home = self.home(worker)
        return {str(path.relative_to(home)) for path in (home / ".cache" / "windrow").rglob("*.nbc")}

    def started(self) -> int:
        """How many executors there were since the cluster's start."""
        return sum(1 for worker in WORKERS for _ in (self.folder / worker / "work").glob("app-*/*/stderr"))

    def executors(self) -> list[int]:
        """Process numbers of the executors that live."""
        homes = {f"HOME={self.home(worker)}".encode() for worker in WORKERS}
        of_workers = (pid for pid in proc.all_processes() if homes.intersection(proc.environment(pid)))
        return [pid for pid in of_workers if _EXECUTOR.encode() in proc.command_line(pid)]

    def kill_an_executor(self) -> None:
        """As a machine that is gone, in the middle of its tasks."""
        os.kill(self.executors()[0], signal.SIGKILL)


@contextmanager
def cluster(folder: Path, workers: Sequence[str] = WORKERS, cores: int = CORES) -> Iterator[SparkCluster]:
    """Start one below a folder. cores: of each worker."""
    _make_environment(folder / "environment")
    made, started = SparkCluster(folder, free_port()), []
    images.ensure_secrets(folder / "conf")
    try:
        started.append(_start(made, "master", _MASTER, "--host", "127.0.0.1", "--port", str(made.port)))
        processes.wait_until(lambda: "I have been elected leader" in _printed(made, "master"), "the master leads")
        for name in workers:
            options = ["--host", "127.0.0.1", "--cores", cores, "--memory", "2g", "--work-dir", folder / name / "work"]
            started.append(_start(made, name, _WORKER, *options, made.variables["WINDROW_SPARK_MASTER"]))
        for name in workers:
            processes.wait_until(lambda name=name: "registered with master" in _printed(made, name), f"{name} is known")
        yield made
    finally:
        for process in started:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _make_environment(folder: Path) -> None:
    """Python with our libraries (links to the same files), without our link to the checkout."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=120)
    packages = next(folder.glob("lib/python*/site-packages"))
    packages.rmdir()
    shutil.copytree(
        sysconfig.get_path("purelib"),
        packages,
        symlinks=True,
        copy_function=_linked,
        ignore=shutil.ignore_patterns(*_LINKS_TO_CHECKOUT),
    )


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # another disk
        shutil.copy2(source, target, follow_symlinks=False)


def _start(of: SparkCluster, name: str, main: str, *options: object) -> subprocess.Popen:
    folder = of.folder / name
    for part in ("home", "work", "tmp"):
        (folder / part).mkdir(parents=True)
    spark = next(of.folder.glob("environment/lib/python*/site-packages")) / Path(pyspark.__file__).parent.name
    settings = {
        "PATH": os.defpath,
        "HOME": str(folder / "home"),
        "JAVA_HOME": str(Path(java.find() or "").resolve().parent.parent),
        "SPARK_HOME": str(spark),
        "SPARK_LOCAL_DIRS": str(folder / "tmp"),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_CONF_DIR": str(of.folder / "conf"),
    }
    words = [str(word) for word in (spark / "bin" / "spark-class", main, "--webui-port", "0", *options)]
    with open(folder / "log", "w") as log:
        return subprocess.Popen(words, cwd=folder, env=settings, stdout=log, stderr=log, start_new_session=True)


def _printed(of: SparkCluster, name: str) -> str:
    return (of.folder / name / "log").read_text().replace("Successfully registered", "registered")
