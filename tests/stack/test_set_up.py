"""What the set-up brings is used, not merely there: only the JARs that were tested get onto Spark's class path; a JVM
that can't use a class-data archive says nothing and starts slowly; a cache of compiled kernels that another process
can't load would end every worker of Spark."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stack.places import MADE, PYTHON, REPOSITORY
from windrow.kernels import warm
from windrow.pipelines import compiled
from windrow.pipelines.engines.spark import archive, jars
from windrow.schemas.errors import NotSetUp

JARS = MADE / "jars"
STORAGE = "io/delta/delta-storage/4.4.0/delta-storage-4.4.0.jar"


@pytest.fixture
def fetched(tmp_path):
    """A folder as Maven Central has it."""
    folder = tmp_path / "central"
    for path in map(Path, jars.DELTA.expected()):
        (folder / path).parent.mkdir(parents=True)
        shutil.copyfile(JARS / path.name, folder / path)
    return folder


def test_the_installed_jars_are_the_listed_ones():
    assert len(jars.DELTA.expected()) == 7
    assert jars.problems(jars.DELTA, JARS) == []


def test_a_jar_with_another_digest_is_refused_and_not_placed(fetched, tmp_path):
    bad = fetched / STORAGE
    bad.write_bytes(bad.read_bytes() + b"\0")
    with pytest.raises(NotSetUp, match=r"delta-storage-4.4.0.jar has SHA-256 \w+, not c46735.*was not used"):
        jars.install(jars.DELTA, fetched.as_uri(), tmp_path / "jars")
    assert not (tmp_path / "jars" / "delta-storage-4.4.0.jar").exists()


def test_a_jar_that_can_not_be_fetched_is_named(fetched, tmp_path):
    (fetched / STORAGE).unlink()
    with pytest.raises(NotSetUp, match=r"delta-storage-4.4.0.jar was not fetched: .*; fix it with: make setup"):
        jars.install(jars.DELTA, fetched.as_uri(), tmp_path / "jars")


def test_every_problem_of_a_folder_is_listed(fetched, tmp_path):
    folder = tmp_path / "jars"
    jars.install(jars.DELTA, fetched.as_uri(), folder)
    (folder / "delta-storage-4.4.0.jar").unlink()
    (folder / "delta-kernel-api-4.4.0.jar").write_bytes(b"half a file")
    (folder / "foreign.jar").touch()
    assert jars.problems(jars.DELTA, folder) == [
        "delta-storage-4.4.0.jar is missing",
        "delta-kernel-api-4.4.0.jar has another SHA-256",
        "foreign.jar is not one of Delta's",
    ]


def test_installing_again_repairs_the_folder_and_leaves_good_files_untouched(fetched, tmp_path):
    folder = tmp_path / "jars"
    jars.install(jars.DELTA, fetched.as_uri(), folder)
    good, bad = folder / "delta-kernel-api-4.4.0.jar", folder / "delta-storage-4.4.0.jar"
    # The class-data archive is void when a JAR's time stamp changes.
    stamp = good.stat().st_mtime_ns
    bad.write_bytes(b"half a file")
    (folder / "foreign.jar").touch()
    jars.install(jars.DELTA, fetched.as_uri(), folder)
    assert jars.problems(jars.DELTA, folder) == []
    assert good.stat().st_mtime_ns == stamp


START = """
from windrow.pipelines import config
from windrow.pipelines.engines.spark.spark_session import session
print(session(config.load()).range(3).count())
"""
FROM_ARCHIVE = "source: shared objects file (top)"


@pytest.mark.nightly
def test_the_pipelines_session_takes_its_classes_from_the_archive(set_up, tmp_path):
    assert archive.is_current(JARS)
    log = tmp_path / "classes.log"
    environment = os.environ | {"WINDROW_HOME": str(tmp_path), "WINDROW_JAVA_OPTIONS": f"-Xlog:class+load:file={log}"}
    done = subprocess.run(
        [sys.executable, "-c", START], cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[-1] == "3"
    lines = log.read_text().splitlines()
    taken = sum(FROM_ARCHIVE in line for line in lines)
    assert taken > len(lines) / 2, f"only {taken} of {len(lines)} classes came from the archive"


@pytest.mark.parametrize("changed", ["java", "jars"])
def test_the_key_changes_with_java_and_with_the_class_path(changed, monkeypatch, tmp_path):
    folder, before = JARS, archive.key(JARS)
    if changed == "java":
        program = tmp_path / "bin" / "java"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\necho 'openjdk version \"21.0.1\"' >&2\n")
        program.chmod(0o755)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    else:
        folder = tmp_path
    assert archive.key(folder) != before


LOADED = """
from numba.core.event import install_recorder
from windrow.kernels import warm
from windrow.kernels.runtime import tables
with install_recorder("numba:compile") as compiled:
    for load in (warm.FIRST_ROUND | warm.SECOND_ROUND).values():
        load()
print([event.data["dispatcher"].py_func.__qualname__ for _, event in compiled.buffer])
print(sum(sum(fill.stats.cache_hits.values()) for fill in tables._fills))
"""


def test_another_process_loads_the_compiled_kernels_and_compiles_nothing(set_up):
    assert compiled.is_current()
    done = subprocess.run([PYTHON, "-c", LOADED], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    names, loaded = done.stdout.splitlines()
    assert (names, int(loaded) > 5) == ("[]", True), done.stdout + done.stderr


def test_every_part_of_the_kernels_is_compiled_in_its_round():
    for groups, parts in zip(compiled.ROUNDS, (warm.FIRST_ROUND, warm.SECOND_ROUND), strict=True):
        assert sorted(part for group in groups for part in group) == sorted(parts)
