"""A forest whose nodes are mostly in a store: the side that waits for the store (MTA §4.1.5).

    key (level, page) → page_nodes nodes as bytes            key (HEADER, 0) → everything else, written by flush

Full pages go to the store as they come up, in one transaction per FULL; that changes nothing of what the last
flush wrote, because nodes never change: a page that the flush wrote half full is later overwritten by itself, with more
nodes. Evicted pages are removed a few at a time, with what is written anyway, and never one that the last flush names.
So the store always holds the window of the last flush.
"""

import contextlib
import ctypes
import itertools
import json
import weakref
import zlib
from collections.abc import Iterator

import numpy as np

from windrow.kernels.aggregators.baselines._forest import (
    HEAD_SLOTS,
    HEADS,
    KEPT_NODES,
    LAST_KEPT,
    MAX_LEVELS,
    MISSING,
    NO_PAGE,
    SLOTS,
    Forest,
    Level,
    append_node,
)
from windrow.kernels.runtime.arrays import records_of
from windrow.kernels.runtime.guarded import guarded_entry
from windrow.kernels.runtime.memory import WORD_BYTES, resize
from windrow.kernels.stores import HEADER, Key, Range, Store
from windrow.schemas.errors import BadInput, StorageFailed, WrongParameter

BUFFER, LEAST_BUFFER, MOST_BUFFER = 512, 16, 1 << 20
REMOVED_AT_LEAST, REMOVED_PER_PAGE = 64, 4
"""So many evicted pages go with each write, plus so many per page written: the store shrinks to the window."""
MAGIC = b"windrow window 3\n"
KEPT_FIELDS = ("first", "end", "first_time", "has_open", "top", "depth")
"""Of the forest, in the header that a flush writes, alongside `spilled` of each level and the kept nodes."""
HEADER_KEY: Key = (HEADER, 0)


def check_buffer(buffer: object) -> None:
    """WrongParameter for a buffer that can't be cut into pages."""
    if type(buffer) is not int or not LEAST_BUFFER <= buffer <= MOST_BUFFER or buffer & (buffer - 1):
        raise WrongParameter("buffer", buffer, f"a power of two from {LEAST_BUFFER} to {MOST_BUFFER}")


@guarded_entry
def prepare_level(forest: Forest, height):
    level = forest.levels[height]
    if level.ring == 0:
        append_node(forest, height, 0)
    if level.slots == 0:
        level.slots = resize(0, SLOTS * forest.page_nodes * forest.node_bytes // WORD_BYTES)


class StoredForest:
    """What serves a forest's statuses."""

    def __init__(self, store: Store, address: int, identity: dict):
        self._store, self._forest, self._identity = store, Forest(address), identity
        self.close = weakref.finalize(self, store.close)
        self._levels = records_of(Level, self._forest.levels.address, MAX_LEVELS)
        self._nodes = self._forest.page_nodes
        self._page_bytes = self._nodes * self._forest.node_bytes
        self._kept_bytes = KEPT_NODES * self._forest.node_bytes
        self._heights = np.arange(MAX_LEVELS)
        self._search_slots = [itertools.cycle(range(HEAD_SLOTS, SLOTS)) for _ in range(MAX_LEVELS)]
        self._removed = np.zeros(MAX_LEVELS, np.int64)
        self._kept: np.ndarray | None = None
        self._restore()

    def serve(self, status: int) -> None:
        """Do what compiled code can't go on without."""
        if status == MISSING:
            self._bring()
        else:
            with self._all_or_nothing():
                pages = self._full_pages()
                self._store.write(pages, self._removable(len(pages)))

    def flush(self) -> None:
        """Everything into the store, in one transaction. O(levels) pages."""
        with self._all_or_nothing():
            pages = self._full_pages()
            pages |= {key: self._ring_page(*key) for key in self._ring_keys()}
            self._kept = self._head_pages()
            removed = self._removable(len(pages))
            pages[HEADER_KEY] = self._header()
            self._store.write(pages, removed)
        self._store.sync()

    @contextlib.contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """What the store refused to take is still in the rings, and counts as that."""
        spilled, removed, kept = self._levels["spilled"].copy(), self._removed.copy(), self._kept
        try:
            yield
        except BaseException:
            self._levels["spilled"], self._removed, self._kept = spilled, removed, kept
            raise

    def read_page(self, level: int, page: int) -> bytes:
        """A page, from the ring or the store; StorageFailed if it isn't there."""
        if page * self._nodes >= self._levels[level]["spilled"]:
            return self._ring_page(level, page)
        return self._read([(level, page)])[0]

    def _head_pages(self) -> np.ndarray:
        return (self._forest.first >> self._heights) // self._nodes

    def _full_pages(self) -> dict[Key, bytes]:
        """The pages that may leave the rings, no longer counted among theirs. What is evicted already is left out."""
        ends, spilled = ((self._forest.end + 1) >> self._heights) - 1, self._levels["spilled"]
        heads, pages = self._head_pages(), {}
        for level in np.flatnonzero(spilled + self._nodes + LAST_KEPT <= ends).tolist():
            while spilled[level] + self._nodes + LAST_KEPT <= ends[level]:
                page = int(spilled[level]) // self._nodes
                if level <= self._forest.top and page >= heads[level]:
                    pages[level, page] = self._ring_page(level, page)
                    if page < heads[level] + HEAD_SLOTS:
                        self._put_in_slot(level, page, page % HEAD_SLOTS, pages[level, page])
                spilled[level] += self._nodes
        return pages

    def _ring_page(self, level: int, page: int) -> bytes:
        return ctypes.string_at(self._place_in_ring(level, page), self._page_bytes)

    def _place_in_ring(self, level: int, page: int) -> int:
        at = self._levels[level]
        return int(at["ring"]) + ((page * self._nodes) & int(at["mask"])) * self._forest.node_bytes

    def _ring_keys(self) -> list[Key]:
        """Of the pages with nodes in the rings, of which any is in the window."""
        first, end, keys = self._forest.first, self._forest.end, []
        for level in range(self._forest.top + 1 if first < end else 0):
            from_node = max(int(self._levels[level]["spilled"]), first >> level)
            pages = range(from_node // self._nodes, -(-(end >> level) // self._nodes))
            keys += [(level, page) for page in pages]
        return keys

    def _removable(self, pages_written: int) -> list[Range]:
        """Some pages that neither the window nor the last flush needs."""
        limits = self._head_pages() if self._kept is None else self._kept
        room, ranges = REMOVED_AT_LEAST + REMOVED_PER_PAGE * pages_written, []
        for level in np.flatnonzero(self._removed < limits).tolist():
            first = int(self._removed[level])
            end = min(int(limits[level]), first + room)
            room -= end - first
            if end > first:
                ranges.append((level, first, end))
                self._removed[level] = end
        return ranges

    def _bring(self) -> None:
        level, page = self._forest.needed_level, self._forest.needed_page
        wanted = self._wanted_heads(page) if level == HEADS else {(level, page): next(self._search_slots[level])}
        for (level, page), data in zip(wanted, self._read(list(wanted)), strict=True):
            self._put_in_slot(level, page, wanted[level, page], data)

    def _wanted_heads(self, first: int) -> dict[Key, int]:
        """Pages that the head caches of a window from `first` on lack → their slots."""
        wanted = {}
        for level in range(self._forest.top + 1):
            at, head = self._levels[level], ((first >> level) + (level > 0)) // self._nodes  # as heads_here
            for page in range(head, min(head + HEAD_SLOTS, int(at["spilled"]) // self._nodes)):
                if at["pages"][page % HEAD_SLOTS] != page:
                    wanted[level, page] = page % HEAD_SLOTS
        return wanted

    def _put_in_slot(self, level: int, page: int, slot: int, data: bytes) -> None:
        at = self._levels[level]
        if at["slots"] == 0:
            prepare_level(self._forest.address, level)
        at["pages"][slot] = NO_PAGE  # an interrupt may come behind any line
        ctypes.memmove(int(at["slots"]) + slot * self._page_bytes, data, self._page_bytes)
        at["pages"][slot] = page

    def _read(self, keys: list[Key]) -> list[bytes]:
        pages = self._store.read(keys)
        for key, data in zip(keys, pages, strict=True):
            if data is None or len(data) != self._page_bytes:
                found = "isn't in the store" if data is None else f"has {len(data)} bytes, not {self._page_bytes}"
                raise StorageFailed(
                    f"page {key[1]} of level {key[0]} {found}: something else removed or changed it; "
                    "fill the window again, with an empty path"
                )
        return pages

    def _header(self) -> bytes:
        """All that isn't in pages, with what shows whether it fits and is whole."""
        fields = np.array([getattr(self._forest, name) for name in KEPT_FIELDS], np.int64)
        words = np.concatenate([fields, self._levels["spilled"], self._removed])
        nodes = ctypes.string_at(self._forest.open.address, self._kept_bytes)
        body = json.dumps(self._identity).encode() + b"\n" + words.tobytes() + nodes
        return MAGIC + zlib.crc32(body).to_bytes(4, "big") + body

    def _restore(self) -> None:
        """Take the window of the last flush up again, if there is one."""
        header = self._store.read([HEADER_KEY])[0]
        if header is None:
            return
        body = header[len(MAGIC) + 4 :]
        if header[: len(MAGIC)] != MAGIC or zlib.crc32(body).to_bytes(4, "big") != header[len(MAGIC) : len(MAGIC) + 4]:
            raise StorageFailed("the store holds no window of this version, or a damaged one; choose another path")
        identity, words = body.split(b"\n", 1)
        if json.loads(identity) != self._identity:
            raise BadInput(
                f"the store holds a window of {identity.decode()}, not of {json.dumps(self._identity)}; "
                "open it with the same arguments, or choose another path"
            )
        self._take_up(words)

    def _take_up(self, words: bytes) -> None:
        fixed = np.frombuffer(words[: -self._kept_bytes], np.int64)
        for name, value in zip(KEPT_FIELDS, fixed.tolist(), strict=False):
            setattr(self._forest, name, value)
        self._levels["spilled"], self._removed[:] = fixed[len(KEPT_FIELDS) :].reshape(2, MAX_LEVELS)
        self._kept = self._head_pages()
        ctypes.memmove(self._forest.open.address, words[-self._kept_bytes :], self._kept_bytes)
        keys = self._ring_keys()
        for (level, page), data in zip(keys, self._read(keys), strict=True):
            prepare_level(self._forest.address, level)
            ctypes.memmove(self._place_in_ring(level, page), data, self._page_bytes)
