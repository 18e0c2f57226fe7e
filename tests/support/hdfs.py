"""HDFS (a name node and a data node of Hadoop's mini cluster) in a process of its own, as long as a test needs it."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

from stack.places import MADE
from tests.support import processes
from tests.support.processes import free_port
from windrow.pipelines.engines.spark import jars
from windrow.pipelines.logged import silent
from windrow.processes import java

JARS = MADE / "jars"
_JARS = jars.JarSet(
    "HDFS's",
    Path(__file__).with_suffix(".sha256"),
    "hdfs",
    "make test-cluster",
)


@contextmanager
def server() -> Iterator[str]:
    """Start one, empty; gives its address."""
    jars.ensure(_JARS, JARS, silent)
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="windrow-hdfs-") as folder:
        details = Path(folder, "details.json")
        options = ["-format", "-nnport", str(port), "-writeDetails", str(details)]
        with _started(Path(folder), *options, "-D", f"hdfs.minidfs.basedir={folder}/data") as process:
            processes.wait_until(lambda: details.exists() or process.poll() is not None, "HDFS is up")
            assert process.poll() is None, Path(folder, "log").read_text()
            yield f"hdfs://127.0.0.1:{port}"


@contextmanager
def _started(folder: Path, *options: str) -> Iterator[subprocess.Popen]:
    class_path = f"{_JARS.folder(JARS)}/*:{Path(pyspark.__file__).parent}/jars/*"
    main = "org.apache.hadoop.test.MiniDFSClusterManager"
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(
            [java.find() or "java", "-Xmx512m", "-cp", class_path, main, *options],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
