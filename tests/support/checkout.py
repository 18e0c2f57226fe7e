"""Pieces of the checkout in another folder, free to be edited."""

import shutil
from pathlib import Path

from tests.support.rules import ROOT


def copied(into: Path, *names: str) -> Path:
    """Copy files and folders of the checkout, without compiled code; returns the folder."""
    for name in names:
        source, target = ROOT / name, into / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    return into
