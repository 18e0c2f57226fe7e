"""`windrow` as a user types it: in this process, since one of its own imports for seconds, or as one of its own."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from stack.places import WINDROW
from windrow.pipelines.cli import _app as command_line
from windrow.pipelines.config import Config


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    error: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def here(capsys) -> Callable[..., Ended]:
    """Run `windrow` with these words in this process, over the installation that the environment names."""

    def typed_here(*words: str) -> Ended:
        return Ended(command_line.run(list(words)), *capsys.readouterr())

    return typed_here


@pytest.fixture
def run(monkeypatch, here) -> Callable[..., Ended]:
    """Run `windrow` with these words over an installation."""

    def over(config: Config, *words: str) -> Ended:
        monkeypatch.setenv("WINDROW_HOME", str(config.home))
        monkeypatch.setenv("WINDROW_LANDING", str(config.landing))
        return here(*words)

    return over


def typed(*words: str, limit_s: float = 120, **environment: str) -> Ended:
    """Run `windrow` as a process of its own, with nothing but this environment."""
    done = subprocess.run([WINDROW, *words], env=environment, capture_output=True, text=True, timeout=limit_s)
    return Ended(done.returncode, done.stdout, done.stderr)
