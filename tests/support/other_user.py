"""Processes of a user who reads everything and writes only to folders of their own: root, as which tests may run,
ignores modes. The capability to read stands in for a checkout and an interpreter that others may read."""

import os
import shutil
from pathlib import Path

import pytest

NOBODY = 65_534
READS_ALL = "-all,+dac_read_search"


def as_other_user(*command: object) -> list[str]:
    """The command as that user; where tests are not root's, as their own. Skips the test where there is no setpriv."""
    words = [str(word) for word in command]
    if os.geteuid() != 0:
        return words
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv is not installed, and root ignores modes")
    user = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    return ["setpriv", *user, f"--inh-caps={READS_ALL}", f"--ambient-caps={READS_ALL}", *words]


def give(folder: Path) -> Path:
    """The folder, made if it isn't there, and all in it, as that user's own."""
    folder.mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
    return folder
