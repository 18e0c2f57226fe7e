"""Tumbling windows: sliding windows that slide by their size."""


def block_words(size_us: int, slide_us: int, origin_us: int) -> tuple[int, int, int]:
    """Size, slide and origin of the block."""
    return size_us, size_us, origin_us
