"""A Java runtime that Spark accepts: JAVA_HOME, then PATH, then Debian's package where we may install it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from schemas.errors import NotSetUp
from stack import commands
from stack.places import say

OLDEST = 17
PACKAGE = "openjdk-17-jre-headless"
BY_HAND = f"apt-get update && apt-get install -y --no-install-recommends {PACKAGE}"


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


def find() -> str | None:
    """Path of the Java that Spark would take, if it is new enough: JAVA_HOME hides the one on PATH."""
    home = os.environ.get("JAVA_HOME")
    candidate = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if candidate is None or major(version(candidate) or "") < OLDEST:
        return None
    return candidate


def ensure() -> str:
    """Path of a Java, installed if there is none and we are root. NotSetUp with the one command to type."""
    return find() or _install()


def fix() -> str:
    """The command that brings a Java."""
    if os.environ.get("JAVA_HOME"):
        return "unset JAVA_HOME   # what it names is missing or older than Java 17"
    return f"sudo sh -c '{BY_HAND}'"


def _install() -> str:
    if os.environ.get("JAVA_HOME") or os.geteuid() != 0 or not shutil.which("apt-get"):
        raise NotSetUp(f"there is no Java {OLDEST} or newer, which Spark needs", fix())
    say(f"  installing {PACKAGE}")
    commands.run("java", ["sh", "-c", BY_HAND], BY_HAND, {"DEBIAN_FRONTEND": "noninteractive"})
    if found := find():
        return found
    raise NotSetUp(f"{PACKAGE} was installed, but there is still no Java {OLDEST} on PATH", BY_HAND)
