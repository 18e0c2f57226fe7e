"""Clones of the checkout's newest commit, each set up by itself: a fault is put into one and taken out again."""

import itertools
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGKILL
from typing import NamedTuple

from stack.places import REPOSITORY, say
from tools.mutants.faults import Fault

GIT = ("git", "-c", "advice.detachedHead=false")
ENDED_BY_LIMIT = -1
_edits = itertools.count(1)


class Clone(NamedTuple):
    """A clone with environments of its own."""

    folder: Path

    @classmethod
    def ensure(cls, folder: Path, commit: str) -> "Clone":
        """Clone the commit and set it up, or bring an older clone to it. Minutes at first."""
        if not folder.exists():
            subprocess.run([*GIT, "clone", "--quiet", str(REPOSITORY), str(folder)], check=True)
        say(f"{folder.name}: setting up {commit}")
        for command in (["fetch", "--quiet"], ["checkout", "--quiet", "--force", commit]):
            subprocess.run([*GIT, *command], cwd=folder, check=True)
        clone = cls(folder)
        clone.clean()  # of what an ended measurement left
        subprocess.run(["make", "setup"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return clone

    def clean(self) -> None:
        """Take out faults and probes."""
        subprocess.run([*GIT, "checkout", "--quiet", "--force", "."], cwd=self.folder, check=True)
        subprocess.run([*GIT, "clean", "--quiet", "--force"], cwd=self.folder, check=True)

    @contextmanager
    def with_fault(self, fault: Fault) -> Iterator[None]:
        """Within, the tree has the fault. Its file's time moves by seconds: Python compares those of its bytecode."""
        path = self.folder / fault.path
        source = path.read_bytes()
        try:
            self._write(path, fault.applied(source))
            yield
        finally:
            self._write(path, source)

    def pytest(self, options: list[str], environment: dict[str, str], limit_s: float) -> tuple[int, str]:
        """The exit code, ENDED_BY_LIMIT behind the limit, and what was printed."""
        command = [str(self.folder / ".venv" / "bin" / "python"), "-m", "pytest", *options]
        with subprocess.Popen(
            command,
            cwd=self.folder,
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process:
            try:
                printed, _ = process.communicate(timeout=limit_s)
                return process.returncode, printed
            except subprocess.TimeoutExpired:
                return ENDED_BY_LIMIT, ""
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, SIGKILL)

    def _write(self, path: Path, content: bytes) -> None:
        path.write_bytes(content)
        moved = time.time() + 2 * next(_edits)
        os.utime(path, (moved, moved))
