"""The class-data archive: what the JVM has parsed once, so that Spark's next start need not parse it again.

It is only a cache: a JVM that can't use it goes on without. It fits one Java and one class path, each file
with its size and time stamp, so its key holds all of them. 200 MB, made in about 40 s. Until its first answer a session
of Spark took 4.1 processor seconds with it and 8.0 without, 5.8 s and 9 to 15 on two shared cores.
"""

import hashlib
import shutil
import tempfile
from pathlib import Path

from stack import commands, debian, jars
from stack.places import ARCHIVE, PYTHON, REPOSITORY, SPARK_ENVIRONMENT, say, site_packages

KEY = ARCHIVE.with_suffix(".key")


def key() -> str:
    """What the archive depends on: Java, the class path in its order, and the job that loads the classes."""
    own = [Path(path) for path in jars.class_path().split(":") if path]
    spark = sorted((site_packages(SPARK_ENVIRONMENT) / "pyspark" / "jars").glob("*.jar"))
    parts = [debian.java_version(debian.find_java() or "java") or "", jars.sha256(REPOSITORY / "stack" / "training.py")]
    for path in own + spark:
        status = path.stat()
        # Whole seconds, as the JVM compares them: the layers of an image keep no more.
        parts.append(f"{path} {status.st_size} {int(status.st_mtime)}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest() + "\n"


def is_current() -> bool:
    """True when the archive was made with this Java and these JARs."""
    return ARCHIVE.exists() and KEY.exists() and KEY.read_text() == key()


def ensure() -> None:
    """Make the archive if it is missing or out of date. Raises NotSetUp."""
    if is_current():
        return
    say("  making the class-data archive (about 40 s, once)")
    fresh = ARCHIVE.with_suffix(".fresh")
    fresh.unlink(missing_ok=True)
    folder = tempfile.mkdtemp(prefix="training-", dir=jars.JARS.parent)
    try:
        _train(fresh, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    # Renamed, not written in place: a running JVM has the old one mapped.
    fresh.replace(ARCHIVE)
    KEY.write_text(key())


def _train(archive: Path, folder: str) -> None:
    job = str(REPOSITORY / "stack" / "training.py")
    command = [str(PYTHON), job, jars.class_path(), str(archive), folder]
    commands.run("class-data archive", command, "make setup", {"PYSPARK_PYTHON": str(PYTHON)})
