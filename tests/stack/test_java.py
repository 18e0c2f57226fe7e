"""A Java that Spark can't use is not taken for one."""

import pytest

from schemas.errors import NotSetUp
from stack import java


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "21" 2023-09-19', 21),
        ('java version "1.8.0_412"', 8),
        ("sh: java: not found", 0),
    ],
)
def test_the_major_version_is_read_in_both_ways_of_counting(text, expected):
    assert java.major(text) == expected


@pytest.fixture
def old_java(tmp_path, monkeypatch):
    """A JAVA_HOME whose Java says that it is of version 11."""
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    return program


def test_a_java_home_that_is_too_old_hides_a_good_java_on_path_as_it_does_for_spark(old_java):
    assert java.version(old_java) == 'openjdk version "11.0.2" 2019-01-15'
    assert java.find() is None


def test_nothing_is_installed_over_a_java_home_that_the_user_chose(old_java):
    with pytest.raises(NotSetUp, match="fix it with: unset JAVA_HOME"):
        java.ensure()


@pytest.mark.jvm
def test_without_a_java_home_the_one_on_path_is_found(monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    found = java.find()
    assert found is not None
    assert java.major(java.version(found)) >= java.OLDEST
