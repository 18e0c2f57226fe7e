"""Work in shares of bounded size: what one task does at once."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from pipelines import storage
from pipelines.location import at

Item = TypeVar("Item", bound=Hashable)

# Less is not worth a task of its own.
LEAST_BYTES = 1 << 20


def limit_bytes(sizes: Iterable[int], slots: int, most_bytes: int) -> int:
    """How much a share had better have: at most so many bytes, and so few that there are as many shares as slots, where
    there is enough to do."""
    return min(most_bytes, max(LEAST_BYTES, -(-sum(sizes) // slots)))


def packed_within(sizes: Mapping[Item, int], limit: int) -> list[tuple[Item, ...]]:
    """Items in their order, in shares of at most so many bytes, or of one item. O(items)."""
    shares: list[list[Item]] = []
    filled = 0
    for item, size in sizes.items():
        if not shares or filled + size > limit:
            shares.append([])
            filled = 0
        shares[-1].append(item)
        filled += size
    return [tuple(share) for share in shares]


def packed(sizes: Mapping[Item, int], slots: int, most_bytes: int) -> list[tuple[Item, ...]]:
    """Items in shares for so many slots."""
    return packed_within(sizes, limit_bytes(sizes.values(), slots, most_bytes))


def file_sizes(paths: Sequence[str]) -> dict[str, int]:
    """Bytes by path."""
    return {path: storage.state(at(path)).file_bytes for path in paths}
