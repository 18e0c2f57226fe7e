"""The Java that Spark takes: JAVA_HOME's, else the one on PATH. Needs no library."""

import os
import re
import shutil
import subprocess
from pathlib import Path

OLDEST = 17


def find() -> str | None:
    """Path of the Java that Spark would take, if it is new enough: JAVA_HOME hides the one on PATH."""
    home = os.environ.get("JAVA_HOME")
    candidate = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    return candidate if candidate and major(version(candidate) or "") >= OLDEST else None


def version(java: str | Path) -> str | None:
    """The full version text of a Java runtime, or None if it doesn't run."""
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stderr.strip() if done.returncode == 0 else None


def major(text: str) -> int:
    """17 for 'version "17.0.15"'; 8 for '"1.8.0_412"', the old way of counting; 0 without a number."""
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found.group(1)) if found else 0


def fix() -> str:
    """The command that brings a Java."""
    if os.environ.get("JAVA_HOME"):
        return f"unset JAVA_HOME   # what it names is missing or older than Java {OLDEST}"
    return f"apt-get install -y openjdk-{OLDEST}-jre-headless   # or another Java {OLDEST} or newer; then JAVA_HOME"
