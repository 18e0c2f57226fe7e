"""JARs that PySpark's wheel lacks: Delta's for every session, and those of S3 where a lake lies there.

Spark's own Ivy fetches them, so that no Maven is needed. Of what it resolves only the listed files are placed: the
others are in Spark already, and two copies on one class path would shadow each other.
"""

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import NotSetUp
from stack import commands
from stack.places import IVY, JARS, PYTHON, REPOSITORY, say

# One resolver: Ivy's defaults look into ~/.m2 first, and fail where that holds a POM without its JAR.
SETTINGS = """<ivysettings>
  <settings defaultResolver="central"/>
  <resolvers><ibiblio name="central" m2compatible="true"/></resolvers>
</ivysettings>
"""


@dataclass(frozen=True)
class JarSet:
    """Files that belong together, all below one folder."""

    whose: str
    packages: tuple[str, ...]
    left_out: tuple[str, ...]
    digests: Path
    folder: Path
    fix: str

    def expected(self) -> dict[str, str]:
        """SHA-256 by file name, from the committed list."""
        pairs = (line.split() for line in self.digests.read_text().splitlines())
        return {name: digest for digest, name in pairs}


DELTA = JarSet(
    "Delta's", ("io.delta:delta-spark_4.2_2.13:4.4.0",), (), REPOSITORY / "stack" / "jars.sha256", JARS, "make setup"
)
_SDK = "software.amazon.awssdk"
# The modules of Amazon's SDK that Hadoop's file system uses: 13 MB, its bundle of all services is 660.
S3 = JarSet(
    "S3's",
    (
        "org.apache.hadoop:hadoop-aws:3.5.0",
        *(f"{_SDK}:{module}:2.35.4" for module in ("s3", "s3-transfer-manager", "sts", "apache-client")),
        f"{_SDK}:netty-nio-client:2.35.4",
    ),
    (
        f"{_SDK}:bundle",
        "org.apache.hadoop:hadoop-common",
        "org.apache.hadoop:hadoop-client-api",
        "org.wildfly.openssl:wildfly-openssl",
    ),
    REPOSITORY / "stack" / "jars_of_s3.sha256",
    JARS / "s3",
    "make setup-cluster",
)


def problems(jars: JarSet, folder: Path | None = None) -> list[str]:
    """One line per JAR of `folder` (default: where they belong) that is missing, wrong or foreign."""
    wanted = jars.expected()
    found = {path.name: path for path in (folder or jars.folder).glob("*.jar")}
    missing = [f"{name} is missing" for name in wanted if name not in found]
    foreign = [f"{name} is not one of {jars.whose}" for name in sorted(found) if name not in wanted]
    wrong = [
        f"{name} has another SHA-256"
        for name, path in sorted(found.items())
        if name in wanted and sha256(path) != wanted[name]
    ]
    return missing + wrong + foreign


def class_path() -> str:
    """Delta's JARs in the one order that everybody must use: the class-data archive is void under any other."""
    return ":".join(str(path) for path in sorted(JARS.glob("*.jar")))


def ensure(jars: JarSet) -> None:
    """Fetch what is missing. Raises NotSetUp when a file is not the one that was tested."""
    if not problems(jars):
        return
    say(f"  fetching {jars.packages[0]}")
    _fetch(jars)
    install(jars, IVY / "jars", jars.folder)


def install(jars: JarSet, fetched: Path, folder: Path) -> None:
    """Copy the listed JARs from Ivy's folder (`<organisation>_<name>.jar`), each only if its digest fits.

    Raises NotSetUp for the first that doesn't; nothing that fails the check reaches `folder`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for foreign in set(folder.glob("*.jar")) - {folder / name for name in jars.expected()}:
        foreign.unlink()
    for name, digest in jars.expected().items():
        target = folder / name
        # An unchanged file keeps its time stamp, which the class-data archive checks.
        if not target.exists() or sha256(target) != digest:
            _place(jars, _resolved(jars, fetched, name), target, digest)


def sha256(path: Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _place(jars: JarSet, source: Path, target: Path, digest: str) -> None:
    if (found := sha256(source)) != digest:
        raise NotSetUp(
            f"{source} has SHA-256 {found}, not {digest} as in {jars.digests.name}: it is not the file "
            "that was tested, and was not used",
            _again(jars),
        )
    partial = target.with_suffix(".partial")
    shutil.copyfile(source, partial)
    partial.rename(target)


def _resolved(jars: JarSet, fetched: Path, name: str) -> Path:
    found = sorted(fetched.glob(f"*_{name}"))
    if not found:
        raise NotSetUp(f"Ivy brought no {name} into {fetched}", _again(jars))
    return found[0]


def _again(jars: JarSet) -> str:
    return f"rm -r {IVY} && {jars.fix}"


def _fetch(jars: JarSet) -> None:
    IVY.mkdir(parents=True, exist_ok=True)
    settings, job = IVY / "settings.xml", IVY / "nothing.py"
    settings.write_text(SETTINGS)
    job.write_text("")
    conf = {
        "spark.jars.ivySettings": settings,
        "spark.jars.ivy": IVY,
        "spark.driver.bindAddress": "127.0.0.1",
    }
    command = [
        str(PYTHON.parent / "spark-submit"),
        "--master",
        "local[1]",
        *(word for name, value in conf.items() for word in ("--conf", f"{name}={value}")),
        "--packages",
        ",".join(jars.packages),
        *(("--exclude-packages", ",".join(jars.left_out)) if jars.left_out else ()),
        str(job),
    ]
    commands.run(f"{jars.whose} jars", command, _again(jars), {"PYSPARK_PYTHON": str(PYTHON)})
