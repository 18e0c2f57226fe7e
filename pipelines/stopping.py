"""A signal asks for the end: it raises `Stopped`, and interrupts DuckDB's queries until they end.

DuckDB 2.0 breaks its query off when a signal's handler raises, and makes a RuntimeError of what it raised; then it
waits for its workers. A worker that was about to start misses that and computes to its end: 4 of 12 queries hung so.
A second interrupt, half a second later, ended each of them.
"""

import signal
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    import duckdb

_AGAIN_S = 0.5
_connections: "WeakSet[duckdb.DuckDBPyConnection]" = WeakSet()
_asked: "list[Stopped]" = []


class Stopped(BaseException):
    """A signal asked for the end; not an Exception, so that nothing but the clean-up catches it."""

    def __init__(self, number: int):
        self.number = number
        super().__init__(f"stopped by {signal.Signals(number).name}")

    @property
    def exit_code(self) -> int:
        """As shells count: 130 for Ctrl-C, 143 for SIGTERM."""
        return 128 + self.number


def raise_on_signals() -> None:
    """From here on SIGINT, SIGTERM and SIGHUP raise Stopped."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)


def asked() -> Stopped | None:
    """What a signal raised, also where a library made another error of it; None as long as no signal came."""
    return _asked[0] if _asked else None


def interruptible(connection: "duckdb.DuckDBPyConnection") -> "duckdb.DuckDBPyConnection":
    """The connection, whose queries end when a signal comes."""
    _connections.add(connection)
    return connection


def _stop(number: int, _frame: object) -> None:
    _asked.append(Stopped(number))
    # Those of now: the clean-up may open others.
    threading.Thread(target=_interrupt, args=(WeakSet(_connections),), daemon=True).start()
    raise _asked[-1]


def _interrupt(connections: "WeakSet[duckdb.DuckDBPyConnection]") -> None:
    while connections:
        time.sleep(_AGAIN_S)
        for connection in connections:
            with suppress(Exception):  # closed meanwhile
                connection.interrupt()
