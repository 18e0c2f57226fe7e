"""A PostgreSQL server of Debian's package, in a temporary folder, as long as a test needs it."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.processes import free_port

INSTALL = "apt-get install -y --no-install-recommends postgresql"
# initdb and the server refuse to run as root; Debian's package makes this user.
_USER = "postgres"
_NAME, _PASSWORD = "airflow", "of-this-test-only"
_TRUST = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"


def programs(installed: Path = Path("/usr/lib/postgresql")) -> Path:
    """The folder of the newest server's programs. AssertionError with the command that installs one."""
    found = sorted(installed.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    assert found, f"there is no PostgreSQL server on this machine; these tests need one: {INSTALL}"
    return found[-1].parent


@contextmanager
def server() -> Iterator[str]:
    """Start one, with an empty database; gives its URL, and leaves nothing behind."""
    bin_folder, folder = programs(), Path(tempfile.mkdtemp(prefix="windrow-postgres-"))
    try:
        if os.geteuid() == 0:
            os.chown(folder, pwd.getpwnam(_USER).pw_uid, -1)
        data, port = folder / "data", free_port()
        _run(folder, bin_folder / "initdb", "--auth=trust", "--no-sync", f"--username={_NAME}", "-D", data)
        (data / "pg_hba.conf").write_text(_TRUST)
        options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        pg_ctl = (bin_folder / "pg_ctl", "-D", data)
        _run(folder, *pg_ctl, "-w", "-l", folder / "log", "-o", options, "start")
        try:
            sql = f"ALTER ROLE {_NAME} PASSWORD '{_PASSWORD}'"
            to_it = ("-h", folder, "-p", port, "-U", _NAME)
            _run(folder, bin_folder / "psql", *to_it, "-d", "postgres", "-c", sql)
            _run(folder, bin_folder / "createdb", *to_it, _NAME)
            yield f"postgresql+psycopg2://{_NAME}:{_PASSWORD}@127.0.0.1:{port}/{_NAME}"
        finally:
            _run(folder, *pg_ctl, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def _run(folder: Path, *words: object) -> None:
    done = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        user=_USER if os.geteuid() == 0 else None,
        stdin=subprocess.DEVNULL,
        # Not a pipe: the server would keep it open.
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    log = folder / "log"
    assert done.returncode == 0, f"{words} failed; {log.read_text() if log.exists() else 'the server has no log yet'}"
