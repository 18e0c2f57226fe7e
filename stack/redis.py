"""A Redis server for the tests of the networked store: from PATH, else Debian's package where we may install it.

Nothing else of Windrow needs it, so that without it the set-up goes on: those tests are then skipped.
"""

import os
import shutil

from schemas.errors import NotSetUp
from stack import commands
from stack.places import say

PACKAGE = "redis-server"
BY_HAND = f"apt-get update && apt-get install -y --no-install-recommends {PACKAGE}"


def find() -> str | None:
    """Path of the server."""
    return shutil.which("redis-server")


def fix() -> str:
    """The command that brings a server."""
    return f"sudo sh -c '{BY_HAND}'"


def ensure() -> str | None:
    """Path of the server, installed if there is none and we are root; None, with the one command to type, if not."""
    if found := find():
        return found
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        say(f"  there is no redis-server; its tests will be skipped. To have them: {fix()}")
        return None
    say(f"  installing {PACKAGE}")
    # Debian would start the server, and again at every boot: the tests start their own.
    try:
        commands.run("redis", ["sh", "-c", BY_HAND], BY_HAND, {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"})
    except NotSetUp as failure:
        say(f"  without it, its tests will be skipped: {failure}")
    return find()
