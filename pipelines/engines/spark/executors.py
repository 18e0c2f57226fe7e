"""A cluster's executors: what is sent to them, and whether they can run it.

Windrow is sent as it is here, so that no worker runs other code than its driver; Python and the libraries have to be
there.

    driver    windrow.zip, as the wheel packs it  ──spark.archives──>  executor    ./windrow-sent/, on its PYTHONPATH
"""

import platform
import re
import sys
import zipfile
from contextlib import suppress
from importlib import metadata
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.pipelines.config import IMPORTED_FROM, REPOSITORY
from windrow.schemas import project
from windrow.schemas.errors import NotSetUp

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

PACKAGES = ("kernels", "pipelines", "processes", "schemas")
"""What the wheel has, apart from what only notebooks import."""
FOLDER, PROJECT = "windrow-sent", "project"
"""Where an executor unpacks them, in the folder that it runs in."""
ARCHIVES = "spark.archives"
# Of which another version may find other rows, or can't read what this one writes.
LIBRARIES = ("deltalake", "duckdb", "numba", "numpy", "pandas", "pyarrow", "pyspark")
_LACKS = re.compile(r"(?:No module named '(?P<module>[\w.]+)'|Cannot run program \"(?P<program>[^\"]+)\")")
_OTHER_PYTHON = re.compile(r"PYTHON_VERSION_MISMATCH\] (?P<what>[^\n]+)")


def packed(folder: Path) -> Path:
    """An archive of Windrow and of all definitions, in that folder."""
    archive = folder / f"{FOLDER}.zip"
    init = IMPORTED_FROM / "windrow" / "__init__.py"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packing:
        packing.writestr(f"{PROJECT}/{project.FILE}", "")
        for kind, definitions in product(project.KINDS, project.folders()):
            for path in sorted((definitions / kind).rglob("*.py")):
                packing.write(path, Path(PROJECT, path.relative_to(definitions)))
        packing.write(init, init.relative_to(IMPORTED_FROM))
        for path in sorted(each for package in PACKAGES for each in (REPOSITORY / package).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                packing.write(path, Path("windrow", path.relative_to(REPOSITORY)))
    return archive


def require_fit(session: "SparkSession") -> None:
    """NotSetUp, which says what to install where, unless the executors have this Python and these libraries."""
    _, ours = _host_and_versions()
    for host, versions in _found(session.sparkContext):
        if others := sorted(versions.items() - ours.items()):
            listed = ", ".join(f"{name} {version}, not {ours[name]}" for name, version in others)
            raise _unfit(f"on {host} there is {listed}")


def _found(context: "SparkContext") -> list[tuple[str, dict[str, str]]]:
    """Hosts of tasks, and the versions there; NotSetUp where one did not start since its machine lacks something."""
    slots = context.defaultParallelism
    try:
        return context.parallelize(range(slots), slots).map(_host_and_versions).collect()
    except Exception as error:
        text = str(error)
        if lack := _LACKS.search(text):
            what = f"the library {lack['module']}" if lack["module"] else f"the program {lack['program']}"
            raise _unfit(f"a worker lacks {what}") from error
        if other := _OTHER_PYTHON.search(text):
            raise _unfit(other["what"]) from error
        raise


def _host_and_versions(_: object = None) -> tuple[str, dict[str, str]]:
    versions = dict.fromkeys(LIBRARIES, "none")
    for name in LIBRARIES:
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return platform.node(), versions


def _unfit(why: str) -> NotSetUp:
    python = ".".join(map(str, sys.version_info[:2]))
    return NotSetUp(
        f"Spark's executors can't run Windrow: {why}",
        f"python{python} -m pip install -r requirements/spark.txt   # on every worker; then set PYSPARK_PYTHON here to "
        "the path of that Python there",
    )
