"""Fixtures for pytest, there in every project without an import (the entry point `pytest11`)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


class TestLake:
    """A home and a landing folder of a test's own, of the project's definitions, by the engine without a JVM."""

    __test__ = False  # its name is no test's

    def __init__(self, folder: Path):
        self.home, self.landing = folder / "home", folder / "landing"
        self.variables: dict[str, str] = {}

    def land(self, path: str, text: str) -> None:
        """Write a file below the landing folder."""
        file = self.landing / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run(self, *words: str) -> list[dict]:
        """What a command prints as JSON: `lake.run("ingest", "boats")`. AssertionError with its messages where it
        fails."""
        places = {"WINDROW_HOME": str(self.home), "WINDROW_LANDING": str(self.landing), "WINDROW_ENGINE": "local"}
        command = [sys.executable, "-m", "windrow.pipelines", *words, "--json"]
        ended = subprocess.run(command, env=os.environ | places | self.variables, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout) if ended.stdout else []

    def rows(self, statement: str) -> list[dict]:
        """The answer to SQL, as `windrow query` gives it."""
        return self.run("query", statement)


@pytest.fixture
def windrow_lake(tmp_path: Path) -> TestLake:
    """An empty lake; `land` files, `run` commands, ask for `rows`."""
    made = TestLake(tmp_path / "windrow")
    made.landing.mkdir(parents=True)
    return made
