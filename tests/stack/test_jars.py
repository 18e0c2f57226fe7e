"""Only the JARs that were tested get onto Spark's class path."""

import shutil
from pathlib import Path

import pytest

from schemas.errors import NotSetUp
from stack import jars
from stack.places import JARS

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
    assert jars.problems(jars.DELTA) == []


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
