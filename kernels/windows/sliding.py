"""Sliding windows: number i is [origin + i·slide, + size) for every integer i (FARM eq. 8 and its closed
form, 0-based)."""

from kernels.memory import inner


@inner
def start(number, slide, origin):
    return origin + number * slide


@inner
def first_end_after(time, size, slide, origin):
    """⌊(time − origin − size)/slide⌋ + 1."""
    return (time - origin - size) // slide + 1


@inner
def last_start_until(time, slide, origin):
    """⌊(time − origin)/slide⌋."""
    return (time - origin) // slide


def block_words(size_us: int, slide_us: int, origin_us: int) -> tuple[int, int, int]:
    """Size, slide and origin of the block."""
    return size_us, slide_us, origin_us
