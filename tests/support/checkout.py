"""Pieces of the checkout in another folder, free to be edited."""

import shutil
from pathlib import Path

from tests.support.rules import ROOT

PACKAGE = ROOT / "windrow"
LINKED = sorted(each.name for each in PACKAGE.iterdir() if each.is_symlink())
"""The folders at the top that windrow/ has links to."""
EXAMPLES = ("examples", "windrow.toml")
"""The definitions, as a project has them."""


def copied(into: Path, *names: str) -> Path:
    """Copy files and folders of the checkout, without compiled code; returns the folder. With a folder of Windrow's a
    windrow/ comes along, whose other folders are the checkout's, with schemas/ the definitions."""
    for name in dict.fromkeys((*names, *(EXAMPLES if "schemas" in names else ()))):
        source, target = ROOT / name, into / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    if "windrow" not in names and {*names} & {*LINKED}:
        _package(into)
    return into


def _package(into: Path) -> None:
    shutil.rmtree(into / "windrow", ignore_errors=True)
    shutil.copytree(PACKAGE, into / "windrow", symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for name in LINKED:
        if not (into / name).exists():
            (into / "windrow" / name).unlink()
            (into / "windrow" / name).symlink_to(ROOT / name)
