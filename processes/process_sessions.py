"""End all processes of a session.

By session, not by process group: Spark's Python workers open a group of their own.
"""

import signal
import time
from collections.abc import Iterator

from processes import proc


def end_session(leader: int, grace_s: float) -> None:
    """Ask all processes of the session to end, kill those that have not after `grace_s`."""
    proc.send(list(members(leader)), signal.SIGTERM)
    deadline = time.monotonic() + grace_s
    while any(members(leader)) and time.monotonic() < deadline:
        time.sleep(0.05)
    proc.send(list(members(leader)), signal.SIGKILL)


def members(leader: int) -> Iterator[int]:
    """Process ids of the session, without zombies."""
    for process in proc.all_processes():
        found = proc.status(process)
        if found is not None and found.session == leader and found.state != "Z":
            yield process
