"""What is taken from PATH, else from Debian's packages where we may install them: a Java runtime that Spark accepts,
where JAVA_HOME goes before PATH, and a Redis server for the tests of the networked store. Nothing else of Windrow needs
Redis, so that without it the set-up goes on: those tests are then skipped.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from stack import commands
from stack.places import say
from windrow.schemas.errors import NotSetUp

OLDEST_JAVA = 17
JAVA, REDIS = f"openjdk-{OLDEST_JAVA}-jre-headless", "redis-server"


def find_java() -> str | None:
    """Path of the Java that Spark would take, if it is new enough: JAVA_HOME hides the one on PATH."""
    home = os.environ.get("JAVA_HOME")
    candidate = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    return candidate if candidate and java_major(java_version(candidate) or "") >= OLDEST_JAVA else None


def java_version(java: str | Path) -> str | None:
    """The full version text of a Java runtime, or None if it doesn't run."""
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stderr.strip() if done.returncode == 0 else None


def java_major(text: str) -> int:
    """17 for 'version "17.0.15"'; 8 for '"1.8.0_412"', the old way of counting; 0 without a number."""
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found.group(1)) if found else 0


def java_fix() -> str:
    """The command that brings a Java."""
    if os.environ.get("JAVA_HOME"):
        return f"unset JAVA_HOME   # what it names is missing or older than Java {OLDEST_JAVA}"
    return fix(JAVA)


def ensure_java() -> str:
    """Path of a Java, installed if there is none and we are root. NotSetUp with the one command to type."""
    if found := find_java():
        return found
    if os.environ.get("JAVA_HOME") or not may_install():
        raise NotSetUp(f"there is no Java {OLDEST_JAVA} or newer, which Spark needs", java_fix())
    install("java", JAVA)
    if found := find_java():
        return found
    raise NotSetUp(f"{JAVA} was installed, but there is still no Java {OLDEST_JAVA} on PATH", by_hand(JAVA))


def find_redis() -> str | None:
    """Path of the server."""
    return shutil.which(REDIS)


def ensure_redis() -> str | None:
    """Path of the server, installed if there is none and we are root; None, with the one command to type, if not."""
    if found := find_redis():
        return found
    if not may_install():
        say(f"  there is no redis-server; its tests will be skipped. To have them: {fix(REDIS)}")
        return None
    try:
        install("redis", REDIS)
    except NotSetUp as failure:
        say(f"  without it, its tests will be skipped: {failure}")
    return find_redis()


def fix(package: str) -> str:
    """The command that brings a package, for who isn't root."""
    return f"sudo sh -c '{by_hand(package)}'"


def by_hand(package: str) -> str:
    return f"apt-get update && apt-get install -y --no-install-recommends {package}"


def may_install() -> bool:
    """Whether we are root, on a Debian."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def install(name: str, package: str) -> None:
    """By apt-get. NotSetUp, with the command to type, where that fails."""
    say(f"  installing {package}")
    # RUNLEVEL: Debian would start the Redis server, and again at every boot; the tests start their own.
    quiet = {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    commands.run(name, ["sh", "-c", by_hand(package)], by_hand(package), quiet)
