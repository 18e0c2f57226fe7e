"""Advisory locks of a PostgreSQL server, for the processes of many machines.

A lock is a connection: the server lets go of it when that ends, with its process or its machine. So a writer asks
first whether the connection is there still (`require_held`).

    SELECT pg_try_advisory_lock(k)     k: 64 bits of SHA-256 of the lake's address and the lock's name
"""

import hashlib
import os
import re
import socket

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from windrow.pipelines.delta.locks.file_locks import Holder, this_command
from windrow.pipelines.delta.log import first_line
from windrow.schemas.errors import StorageFailed

_CONNECT_S = 10
# PostgreSQL keeps so many characters of a connection's name; a machine's name may be as long itself.
_MOST_NAME, _MOST_HOST = 63, 24
_NAME = re.compile(r"(\d+)@(\S+) (.*)", re.DOTALL)
# A machine that is gone says nothing: the server asks its connections after a silence, and after so many seconds more.
_KEEP_ALIVE = "-c tcp_keepalives_idle=20 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
_HOLDER = """
    SELECT application_name, to_char(backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'), mode LIKE '%%Share%%'
    FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND objsubid = 1
      AND (classid::bigint << 32 | objid::bigint) = %s AND pid <> pg_backend_pid()
    ORDER BY backend_start DESC LIMIT 1"""


class PostgresqlLock:
    """The lock of a name in a lake, alone or shared. StorageFailed where the server can't be reached."""

    def __init__(self, server: str, lake: str, name: str, shared: bool):
        self.server, self.name, self.shared = server, name, shared
        self.key = int.from_bytes(hashlib.sha256(f"{lake}\0{name}".encode()).digest()[:8], signed=True)
        self.connection = self._connected()

    def is_taken(self) -> bool:
        function = "pg_try_advisory_lock_shared" if self.shared else "pg_try_advisory_lock"
        row = self._row(f"SELECT {function}(%s)")
        return row is not None and row[0]

    def note_holder(self) -> None:
        """The server knows its connections."""

    def holder(self) -> Holder | None:
        found = self._row(_HOLDER)
        named = found and _NAME.fullmatch(found[0])
        return Holder(int(named[1]), named[3], found[1], found[2], named[2]) if found and named else None

    def require_held(self) -> None:
        """StorageFailed where the connection is gone, and the lock with it."""
        self._row("SELECT 1 + 0 * %s")

    def close(self) -> None:
        self.connection.close()

    def _connected(self) -> psycopg.Connection:
        name = f"{os.getpid()}@{socket.gethostname()[:_MOST_HOST]} {this_command()}"
        named = name.encode()[:_MOST_NAME].decode(errors="ignore")
        asked = make_conninfo(self.server, application_name=named, connect_timeout=_CONNECT_S, options=_KEEP_ALIVE)
        try:
            return psycopg.connect(asked, autocommit=True)
        except psycopg.Error as error:
            raise StorageFailed(
                f"the lock server ({self._where()}) can't be reached: {first_line(error)}. Nothing was written; start "
                "it, or let WINDROW_LOCKS name another, and run the same command again"
            ) from error

    def _row(self, question: str) -> tuple | None:
        try:
            return self.connection.execute(question, (self.key,)).fetchone()
        except psycopg.Error as error:
            raise StorageFailed(
                f"the lock {self.name!r} is lost: its server ({self._where()}) hung up: {first_line(error)}. What was "
                "about to be committed was not; run the same command again"
            ) from error

    def _where(self) -> str:
        asked = conninfo_to_dict(self.server)
        return f"{asked.get('host', 'local')}:{asked.get('port', 5432)}/{asked.get('dbname', '')}"
