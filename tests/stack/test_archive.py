"""The class-data archive is used, not merely there: a JVM that can't use one says nothing and starts slowly."""

import os
import subprocess
import sys

import pytest

from stack import archive
from stack.places import REPOSITORY

START = """
from pipelines import config
from pipelines.engines.spark.spark_session import session
print(session(config.load()).range(3).count())
"""
FROM_ARCHIVE = "source: shared objects file (top)"


@pytest.mark.nightly
def test_the_pipelines_session_takes_its_classes_from_the_archive(set_up, tmp_path):
    assert archive.is_current()
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
    before = archive.key()
    if changed == "java":
        program = tmp_path / "bin" / "java"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\necho 'openjdk version \"21.0.1\"' >&2\n")
        program.chmod(0o755)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    else:
        monkeypatch.setattr("stack.jars.JARS", tmp_path)
    assert archive.key() != before
