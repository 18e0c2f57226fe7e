"""The networked store: a Redis server. Its settings decide what a loss of power costs; see `appendonly` there."""

import contextlib
import uuid
from collections.abc import Callable, Mapping, Sequence

from windrow.kernels.stores import Key, Range, packed
from windrow.schemas.errors import NotSetUp, StorageFailed

try:
    import redis
except ImportError as missing:
    needed = "the package redis is not installed, which store='redis' needs"
    raise NotSetUp(needed, "pip install redis   # in a checkout: make setup") from missing

DEFAULT_URL = "redis://127.0.0.1:6379/0"
SECONDS = 20
"""For an answer of the server."""


class RedisStore:
    """Keys begin with the prefix. <prefix>owner names the window that opened it last; only that one may write."""

    def __init__(self, url: str, prefix: str, is_own: bool):
        self._url, self._prefix, self._is_own = url, prefix, is_own
        self._token = uuid.uuid4().hex.encode()
        self._owner = prefix.encode() + b":owner"
        try:
            self._server = redis.Redis.from_url(url, socket_timeout=SECONDS, socket_connect_timeout=SECONDS)
            self._server.set(self._owner, self._token)
        except (redis.RedisError, ValueError) as failure:
            raise StorageFailed(
                f"no Redis server answers at {url}: {failure}; start one (redis-server --port 6379), or give its url="
            ) from failure

    def read(self, keys: Sequence[Key]) -> list[bytes | None]:
        return self._asked(lambda: self._server.mget([self._name(*key) for key in keys]) if keys else [])

    def write(self, pages: Mapping[Key, bytes], removed: Sequence[Range]) -> None:
        self._asked(lambda: self._write(pages, removed))

    def _write(self, pages: Mapping[Key, bytes], removed: Sequence[Range]) -> None:
        """One MULTI … EXEC, which the server drops if another window opened the store before it arrives."""
        with self._server.pipeline(transaction=True) as transaction:
            transaction.watch(self._owner)
            if transaction.get(self._owner) != self._token:
                raise redis.WatchError("it was opened by another window since")
            transaction.multi()
            for key, value in pages.items():
                transaction.set(self._name(*key), value)
            for level, first, end in removed:
                transaction.unlink(*[self._name(level, position) for position in range(first, end)])
            transaction.execute()

    def sync(self) -> None:
        """Nothing to ask for: a server acknowledges a transaction when it has it, and saves it as it is set up to."""
        self._asked(self._server.ping)

    def close(self) -> None:
        if self._is_own:
            # A server that ended took the keys along, or keeps them where no reader will ask for them.
            with contextlib.suppress(redis.RedisError):
                for name in self._server.scan_iter(match=self._prefix + ":*", count=10_000):
                    self._server.unlink(name)
        self._server.close()

    def _name(self, level: int, position: int) -> bytes:
        return self._prefix.encode() + b":" + packed(level, position)

    def _asked(self, question: Callable):
        try:
            return question()
        except redis.RedisError as failure:
            raise StorageFailed(
                f"Redis at {self._url} failed for {self._prefix}: {failure}; fix that, then open the "
                "window again: it is as of its last flush"
            ) from failure


def open_at(path: str | None, url: str | None) -> RedisStore:
    """The keys with a prefix, by default one of their own that go when the window is closed."""
    return RedisStore(url or DEFAULT_URL, path or f"windrow-window-{uuid.uuid4().hex}", path is None)
