"""Windrow as a wheel."""

import subprocess
import sys
from pathlib import Path

from stack import uv
from tests.support.rules import ROOT


def built(folder: Path) -> Path:
    """As `uv build --wheel` does, by the locked backend."""
    options = ["--wheel", "--no-build-isolation", "--offline", "--quiet", "--python", sys.executable]
    subprocess.run([uv.ensure(), "build", *options, "--out-dir", folder, ROOT], check=True, timeout=120)
    [wheel] = folder.glob("*.whl")
    return wheel
