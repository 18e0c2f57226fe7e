"""A signal asks for the end: it raises `Stopped`, and interrupts a database's queries until they end.

DuckDB 2.0 breaks its query off when a signal's handler raises, and makes a RuntimeError of what it raised; then it
waits for its workers. A worker that was about to start misses that and computes to its end: 4 of 12 queries hung so.
A second interrupt, half a second later, ended each of them. A library that reads a query's rows without Python, such
as delta-rs, lets no handler run at all: so a thread, which the signal itself wakes, interrupts.

A handler may run within a weak reference's callback or a `__del__`, of an import or of Py4J, say; there Python drops
what it raises: a backfill then went on to its end. So the same thread sends the signal again when Python reports a
dropped one. Code that catches all and goes on reports nothing: `raise_if_asked` asks, where work begins.
"""

import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol, TypeVar
from weakref import ref

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_AGAIN_S = 0.5
_LEAVES_S = 0.01  # in which the main thread leaves the callback, where it would drop the next one too


class Connection(Protocol):
    """To a database, such as one of DuckDB."""

    def interrupt(self) -> None:
        """Break off the query that runs."""


C = TypeVar("C", bound=Connection)
_connections: list[ref[Connection]] = []
_dropped = threading.Event()
_signals: list[int] = []  # not what they raised: its traceback would keep alive all that was at work


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
    """From here on SIGINT, SIGTERM and SIGHUP raise Stopped, so that `finally` blocks run."""
    signalled, woken = socket.socketpair()
    woken.setblocking(False)
    signal.set_wakeup_fd(woken.detach())
    threading.Thread(target=_insist_once_signalled, args=(signalled,), daemon=True).start()
    sys.unraisablehook = _note_dropped
    for number in SIGNALS:
        signal.signal(number, _stop)


def asked() -> Stopped | None:
    """What a signal raised, also where a library made another error of it; None as long as no signal came."""
    return Stopped(_signals[0]) if _signals else None


def raise_if_asked() -> None:
    """Stopped if a signal came, whatever became of what it raised."""
    if stopped := asked():
        raise stopped


def interruptible(connection: C) -> C:
    """The connection, whose queries end when a signal comes, also those that begin later: what cleans up must open a
    connection of its own. Queries of its cursors don't. Stopped where a signal came before it."""
    raise_if_asked()  # seen once: what the handler raised was dropped by an import, and the query that followed ran on
    _connections.append(ref(connection, _connections.remove))
    return connection


@contextmanager
def ignored() -> Iterator[None]:
    """Within, the same signals do nothing: an impatient second Ctrl-C must not cut the clean-up short."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in SIGNALS}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)


def _stop(number: int, _frame: object) -> None:
    _signals.append(number)
    raise Stopped(number)


def _note_dropped(unraisable: "sys.UnraisableHookArgs") -> None:
    if issubclass(unraisable.exc_type, Stopped):
        _dropped.set()
    else:
        sys.__unraisablehook__(unraisable)


def _insist_once_signalled(signalled: socket.socket) -> None:
    signalled.recv(1)
    open_now = list(_connections)
    while True:
        for connection in open_now:
            _interrupt(connection())
        if _dropped.wait(_AGAIN_S):
            _dropped.clear()
            time.sleep(_LEAVES_S)
            signal.pthread_kill(threading.main_thread().ident or 0, _signals[-1])


def _interrupt(connection: Connection | None) -> None:
    if connection is not None:
        with suppress(Exception):  # closed meanwhile
            connection.interrupt()
