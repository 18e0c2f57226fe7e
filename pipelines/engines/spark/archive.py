"""The class-data archive: what the JVM has parsed once, so that Spark's next start need not parse it again.

It is only a cache: a JVM that can't use it goes on without. It fits one Java and one class path, each file
with its size and time stamp, so its key holds all of them. 200 MB, made in about 40 s. Until its first answer a session
of Spark took 4.1 processor seconds with it and 8.0 without, 5.8 s and 9 to 15 on two shared cores.
"""

import hashlib
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from windrow.pipelines import location, logged
from windrow.pipelines.engines.spark import jars
from windrow.pipelines.logged import Show
from windrow.processes import java

NAME, KEY = "windrow.jsa", "windrow.key"
_JOB = Path(__file__).with_name("training.py")


def key(folder: Path) -> str:
    """What the archive depends on: Java, the class path in its order, and the job that loads the classes."""
    own = [Path(path) for path in jars.class_path(folder).split(":") if path]
    parts = [java.version(java.find() or "java") or "", jars.sha256(_JOB)]
    for path in own + sorted(_spark_jars()):
        status = path.stat()
        # Whole seconds, as the JVM compares them: the layers of an image keep no more.
        parts.append(f"{path} {status.st_size} {int(status.st_mtime)}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest() + "\n"


def _spark_jars() -> list[Path]:
    found = find_spec("pyspark")
    return [*Path(found.origin).with_name("jars").glob("*.jar")] if found and found.origin else []


def is_current(folder: Path) -> bool:
    """True when the archive was made with this Java and these JARs."""
    kept = folder / KEY
    return (folder / NAME).exists() and kept.exists() and kept.read_text() == key(folder)


def ensure(folder: Path, show: Show) -> None:
    """Make the archive in the folder of Delta's JARs if it is missing or out of date. Raises NotSetUp."""
    if is_current(folder):
        return
    show("making the class-data archive, once; about 40 s", 0, None)
    fresh = folder / f"{NAME}.fresh"
    fresh.unlink(missing_ok=True)
    scratch = tempfile.mkdtemp(prefix="training-", dir=folder.parent)
    try:
        command = [sys.executable, "-P", str(_JOB), jars.class_path(folder), str(fresh), scratch]
        logged.run("class-data archive", command, location.set_up("windrow setup"), {"PYSPARK_PYTHON": sys.executable})
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    # Renamed, not written in place: a running JVM has the old one mapped.
    fresh.replace(folder / NAME)
    (folder / KEY).write_text(key(folder))
