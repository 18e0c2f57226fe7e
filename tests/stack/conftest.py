"""What the tests of the stack share."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stack import setting_up
from stack.places import REPOSITORY


@pytest.fixture(scope="session")
def set_up() -> None:
    """Everything as `make setup` leaves it, also after an edit of the kernels; costs a second when all is well."""
    setting_up.run()


def start_stack(home: Path, command: str, **how) -> subprocess.Popen:
    """Start a command of the stack over a home, as make does. how: as `subprocess.Popen` takes it."""
    words, environment = [sys.executable, "-m", "stack", command], os.environ | {"WINDROW_HOME": str(home)}
    return subprocess.Popen(words, cwd=REPOSITORY, env=environment, text=True, **how)


def run_stack(home: Path, command: str) -> tuple[int, str]:
    """Exit code of a command of the stack, and what it printed, remarks on stderr too, once it has ended."""
    with start_stack(home, command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        printed, _ = process.communicate()
        return process.returncode, printed
