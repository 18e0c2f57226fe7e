"""An S3 server (moto's) in a process of its own, as long as a test needs it, and the variables that name it."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.request import Request, urlopen

from tests.support import processes
from tests.support.processes import free_port

BUCKET = "bucket"
SECRET = "kept-by-this-test"
KEYS = {"AWS_ACCESS_KEY_ID": "of-this-test", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "us-east-1"}


@contextmanager
def server() -> Iterator[dict[str, str]]:
    """Start one, with an empty bucket; gives the variables by which it is reached."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            processes.wait_until(lambda: _made(url), "the S3 server answers")
            yield {**KEYS, "AWS_ENDPOINT_URL": url}
        finally:
            process.kill()


def _made(url: str) -> bool:
    try:
        with urlopen(Request(f"{url}/{BUCKET}", method="PUT"), timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False
