"""Delta's JARs, which the delta-spark wheel lacks.

Spark's own Ivy fetches them, so that no Maven is needed. Of the 33 files that it resolves all but the 7 in
jars.sha256 are in Spark already, and two copies on one class path would shadow each other.
"""

import hashlib
import shutil
from pathlib import Path

from schemas.errors import NotSetUp
from stack import commands
from stack.places import IVY, JARS, PYTHON, REPOSITORY, say

COORDINATE = "io.delta:delta-spark_4.2_2.13:4.4.0"
DIGESTS = REPOSITORY / "stack" / "jars.sha256"
FIX = "make setup"

# One resolver: Ivy's defaults look into ~/.m2 first, and fail where that holds a POM without its JAR.
SETTINGS = """<ivysettings>
  <settings defaultResolver="central"/>
  <resolvers><ibiblio name="central" m2compatible="true"/></resolvers>
</ivysettings>
"""


def expected() -> dict[str, str]:
    """SHA-256 by file name, from the committed list."""
    pairs = (line.split() for line in DIGESTS.read_text().splitlines())
    return {name: digest for digest, name in pairs}


def problems(folder: Path) -> list[str]:
    """One line per JAR of `folder` that is missing, wrong or foreign; empty when all is well."""
    wanted = expected()
    found = {path.name: path for path in folder.glob("*.jar")}
    missing = [f"{name} is missing" for name in wanted if name not in found]
    foreign = [f"{name} is not one of Delta's" for name in sorted(found) if name not in wanted]
    wrong = [
        f"{name} has another SHA-256"
        for name, path in sorted(found.items())
        if name in wanted and sha256(path) != wanted[name]
    ]
    return missing + wrong + foreign


def class_path() -> str:
    """The JARs in the one order that everybody must use: the class-data archive is void under any other."""
    return ":".join(str(path) for path in sorted(JARS.glob("*.jar")))


def ensure() -> None:
    """Fetch what is missing. Raises NotSetUp when a file is not the one that was tested."""
    if not problems(JARS):
        return
    say(f"  fetching {COORDINATE}")
    _fetch()
    install(IVY / "jars", JARS)


def install(fetched: Path, folder: Path) -> None:
    """Copy the listed JARs from Ivy's folder (`<organisation>_<name>.jar`), each only if its digest fits.

    Raises NotSetUp for the first that doesn't; nothing that fails the check reaches `folder`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for foreign in set(folder.glob("*.jar")) - {folder / name for name in expected()}:
        foreign.unlink()
    for name, digest in expected().items():
        target = folder / name
        # An unchanged file keeps its time stamp, which the class-data archive checks.
        if not target.exists() or sha256(target) != digest:
            _place(_resolved(fetched, name), target, digest)


def sha256(path: Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _place(source: Path, target: Path, digest: str) -> None:
    if (found := sha256(source)) != digest:
        raise NotSetUp(
            f"{source} has SHA-256 {found}, not {digest} as in {DIGESTS.name}: it is not the file "
            "that was tested, and was not used",
            f"rm -r {IVY} && {FIX}",
        )
    partial = target.with_suffix(".partial")
    shutil.copyfile(source, partial)
    partial.rename(target)


def _resolved(fetched: Path, name: str) -> Path:
    found = sorted(fetched.glob(f"*_{name}"))
    if not found:
        raise NotSetUp(f"Ivy brought no {name} into {fetched}", f"rm -r {IVY} && {FIX}")
    return found[0]


def _fetch() -> None:
    IVY.mkdir(parents=True, exist_ok=True)
    settings, job = IVY / "settings.xml", IVY / "nothing.py"
    settings.write_text(SETTINGS)
    job.write_text("")
    command = [
        str(PYTHON.parent / "spark-submit"),
        "--master",
        "local[1]",
        "--conf",
        f"spark.jars.ivySettings={settings}",
        "--conf",
        f"spark.jars.ivy={IVY}",
        "--conf",
        "spark.driver.bindAddress=127.0.0.1",
        "--packages",
        COORDINATE,
        str(job),
    ]
    commands.run("delta jars", command, f"rm -r {IVY} && {FIX}", {"PYSPARK_PYTHON": str(PYTHON)})
