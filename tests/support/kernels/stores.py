"""What the tests of the stores share: a Redis server of their own, and a window that is killed while it works."""

import contextlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from kernels.aggregators import make
from tests.support.kernels.machine import COMMUTATIVE, equal
from tests.support.kernels.monoid_trees import INT, PlainWindow

ROOT = Path(__file__).parents[3]
CHILD = """
import sys
from tests.support.kernels.stores import work
work(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4] or None, int(sys.argv[5]))
"""


@contextlib.contextmanager
def redis_server(folder: Path):
    """The url of a server on a free port, which ends with the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = shutil.which("redis-server")
    command = [
        program,
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--dir",
        str(folder),
        "--save",
        "",
        "--appendonly",
        "no",
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            _wait_for(port)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.send_signal(signal.SIGTERM)


def _wait_for(port: int) -> None:
    until = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)


def steps(seed: int):
    """(operation, arguments) without an end: the same for the same seed."""
    draw, now = random.Random(seed), 0
    while True:
        times = [now := now + draw.choice([0, 1, 1, 2]) for _ in range(draw.choice([1, 10, 90]))]
        yield "bulk_insert", (times, [draw.randint(-9, 9) for _ in times])
        yield "bulk_evict", (now - draw.choice([0, 40, 500, 900]),)


def opened(kernel: str, store: str, path: str, url: str | None):
    """A window of the store at a path; with the small buffer it has most nodes in the store."""
    options = {"url": url} if url else {}
    return make(kernel, COMMUTATIVE, column_types=INT, store=store, path=path, buffer=16, **options)


def work(kernel: str, store: str, path: str, url: str | None, seed: int) -> None:
    """What is killed: it says the number of each step that it is about to flush, and of each that is flushed."""
    window = opened(kernel, store, path, url)
    for number, (operation, arguments) in enumerate(steps(seed)):
        getattr(window, operation)(*arguments)
        if number % 5 == 4:
            print("flushing", number, flush=True)
            window.flush()
            print("flushed", number, flush=True)


def killed(kernel: str, store: str, path: str, url: str | None, seed: int) -> tuple[int, int]:
    """Kill a working process at a random moment; (last step surely flushed, last step that may have been)."""
    draw = random.Random(seed)
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, kernel, store, path, url or "", str(seed)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    lines = [child.stdout.readline()]
    time.sleep(draw.uniform(0, 0.4))
    child.kill()
    lines += child.communicate()[0].splitlines()
    assert child.returncode == -signal.SIGKILL
    numbers = {
        word: [int(line.split()[1]) for line in lines if line.split()[:1] == [word] and line.split()[1:]]
        for word in ("flushing", "flushed")
    }
    return max(numbers["flushed"], default=-1), max(numbers["flushing"], default=-1)


def is_as_of(window, number: int, seed: int) -> bool:
    """Whether a window is what all steps up to a number make."""
    plain = PlainWindow(COMMUTATIVE)
    for done, (operation, arguments) in enumerate(steps(seed)):
        if done > number:
            break
        getattr(plain, operation)(*arguments)
    ends = (window.oldest(), window.youngest(), len(window))
    return ends == (plain.oldest(), plain.youngest(), len(plain)) and equal(window.query(), plain.query())
