"""Rolling windows: number u is (u − size, u], as [u − size + 1 µs, u + 1 µs), for every event time u that the
key has seen.

u is in the windows u … u + size − 1. Which of them exist is known by the replay only.
"""


def block_words(size_us: int, slide_us: int, origin_us: int) -> tuple[int, int, int]:
    """Size, slide and origin of the block; slide and origin mean nothing here."""
    return size_us, 1, 0
