"""What is taken from PATH, else from Debian's packages where we may install them: a Java runtime that Spark accepts,
where JAVA_HOME goes before PATH, and a Redis server for the tests of the networked store. Nothing else of Windrow needs
Redis, so that without it the set-up goes on: those tests are then skipped.
"""

import os
import shutil

from windrow.pipelines import logged
from windrow.pipelines.logged import say
from windrow.processes import java
from windrow.schemas.errors import NotSetUp

JAVA, REDIS = f"openjdk-{java.OLDEST}-jre-headless", "redis-server"


def java_fix() -> str:
    """The command that brings a Java."""
    return java.fix() if os.environ.get("JAVA_HOME") else fix(JAVA)


def ensure_java() -> str:
    """Path of a Java, installed if there is none and we are root. NotSetUp with the one command to type."""
    if found := java.find():
        return found
    if os.environ.get("JAVA_HOME") or not may_install():
        raise NotSetUp(f"there is no Java {java.OLDEST} or newer, which Spark needs", java_fix())
    install("java", JAVA)
    if found := java.find():
        return found
    raise NotSetUp(f"{JAVA} was installed, but there is still no Java {java.OLDEST} on PATH", by_hand(JAVA))


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
    logged.run(name, ["sh", "-c", by_hand(package)], by_hand(package), quiet)
