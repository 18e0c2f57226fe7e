"""JARs that PySpark's wheel lacks: Delta's for every session, and those of S3 where a lake lies there.

Committed lists name each by its SHA-256 and its path in Maven Central. No resolver: most of what one brings
is in Spark already, and two copies on one class path would shadow each other. For other versions a list is made from
what `spark-submit --packages` resolves, without these.
"""

import hashlib
import os
import shutil
import urllib.request
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

from windrow.pipelines.location import set_up
from windrow.pipelines.logged import Show
from windrow.schemas.errors import NotSetUp

CENTRAL = "https://repo1.maven.org/maven2"
LIMIT_S = 60.0
HERE = Path(__file__).parent


@dataclass(frozen=True)
class JarSet:
    """Files that belong together, in one folder below that of all JARs (`Config.jars`)."""

    whose: str
    listed: Path
    below: str
    fix: str

    def folder(self, jars: Path) -> Path:
        return jars / self.below

    def expected(self) -> dict[str, str]:
        """SHA-256 by path in Maven Central, from the committed list."""
        pairs = (line.split() for line in self.listed.read_text().splitlines())
        return {path: digest for digest, path in pairs}


# Of io.delta:delta-spark_4.2_2.13:4.4.0.
DELTA = JarSet("Delta's", HERE / "jars.sha256", "", set_up("windrow setup --engine spark"))
# Of org.apache.hadoop:hadoop-aws:3.5.0, and of the modules of software.amazon.awssdk that it uses (s3, sts,
# s3-transfer-manager, apache-client, netty-nio-client): 13 MB, the SDK's bundle of all services is 660.
S3 = JarSet("S3's", HERE / "jars_of_s3.sha256", "s3", set_up("windrow setup --s3", "make setup-cluster"))


def problems(jars: JarSet, folder: Path) -> list[str]:
    """One line per JAR of the folder that is missing, wrong or foreign."""
    wanted = {Path(path).name: digest for path, digest in jars.expected().items()}
    found = {path.name: path for path in sorted(folder.glob("*.jar"))}
    missing = [f"{name} is missing" for name in wanted if name not in found]
    foreign = [f"{name} is not one of {jars.whose}" for name in found if name not in wanted]
    wrong = [f"{name} has another SHA-256" for name in found if name in wanted and sha256(found[name]) != wanted[name]]
    return missing + wrong + foreign


def class_path(folder: Path) -> str:
    """Delta's JARs in the one order that every process must use: the class-data archive is void under any other."""
    return ":".join(str(path) for path in sorted(folder.glob("*.jar")))


def ensure(jars: JarSet, all_jars: Path, show: Show) -> None:
    """Fetch what is missing. Raises NotSetUp when a file is not the one that was tested."""
    if problems(jars, jars.folder(all_jars)):
        show(f"fetching {jars.whose} JARs", 0, None)
        install(jars, CENTRAL, jars.folder(all_jars))


def install(jars: JarSet, source: str, folder: Path) -> None:
    """Fetch the listed JARs from below that address, each only if it isn't there as it should be.

    Raises NotSetUp for the first whose digest is another; nothing that fails the check reaches `folder`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {folder / Path(path).name: (f"{source}/{path}", digest) for path, digest in jars.expected().items()}
    for foreign in set(folder.glob("*.jar")) - wanted.keys():
        foreign.unlink()
    for target, (address, digest) in wanted.items():
        # An unchanged file keeps its time stamp, which the class-data archive checks.
        if not target.exists() or sha256(target) != digest:
            _fetch(jars, address, target, digest)


def sha256(path: Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(jars: JarSet, address: str, target: Path, digest: str) -> None:
    partial = target.with_suffix(f".{os.getpid()}.partial")
    try:
        with urllib.request.urlopen(address, timeout=LIMIT_S) as answer, open(partial, "wb") as file:
            shutil.copyfileobj(answer, file)
    except PermissionError:
        raise
    except (OSError, HTTPException) as failed:
        partial.unlink(missing_ok=True)
        raise NotSetUp(f"{address} was not fetched: {failed}", f"{jars.fix}   # once it can be reached") from failed
    if (found := sha256(partial)) != digest:
        partial.unlink()
        refused = f"{address} has SHA-256 {found}, not {digest} as in {jars.listed.name}"
        raise NotSetUp(f"{refused}: it is not the file that was tested, and was not used", f"{jars.fix}   # again")
    partial.rename(target)
