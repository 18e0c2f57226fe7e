"""Memory for plain Python, every access checked: what runs with NUMBA_DISABLE_JIT=1.

resize(address, words) → address of a block with the same leading words (address 0: a new block); release(address)
move(target, source, words): copy a stretch of words; the two may overlap
located(address, size) → the address, if so many bytes from there lie in one live block
"""

import bisect
import ctypes
import weakref
from _thread import RLock
from collections.abc import Callable
from contextlib import suppress

import numpy as np

_blocks: dict[int, list[np.ndarray]] = {}  # several at one address: an array, and slices of it that were asked for too
_starts: list[int] = []
_one_at_a_time = RLock()  # of the threads of a farm


def _add(array: np.ndarray) -> int:
    address = array.ctypes.data
    with _one_at_a_time:
        if address not in _blocks:
            bisect.insort(_starts, address)
        _blocks.setdefault(address, []).append(array.reshape(-1).view(np.uint8))
    return address


def _remove(address: int, size: int) -> None:
    with _one_at_a_time:
        blocks = _blocks[address]
        del blocks[[block.size for block in blocks].index(size)]
        if not blocks:
            del _blocks[address]
            _starts.remove(address)


def _lies_in_one(address: int, size: int) -> bool:
    for place in range(bisect.bisect_right(_starts, address) - 1, -1, -1):
        start = _starts[place]
        if any(address + size <= start + block.size for block in _blocks[start]):
            return True
    return False


def located(address: int, size: int) -> int:
    """IndexError for what lies in no block. O(blocks that begin before it); mostly O(log blocks)."""
    address, lies_in_one = int(address), None
    with _one_at_a_time:
        while lies_in_one is None:
            # Meanwhile an array or a kernel's object may be collected, and its blocks go.
            with suppress(IndexError, KeyError):
                lies_in_one = _lies_in_one(address, size)
    if lies_in_one:
        return address
    raise IndexError(f"{size} bytes at address {address} lie in no live block")


def looking_at(kind: type) -> Callable:
    """(address) → what of this kind of ctypes stands there."""
    return lambda address: kind.from_address(located(address, ctypes.sizeof(kind)))


def address_of(array: np.ndarray) -> int:
    """Address of a contiguous array's memory, known to the checks while the array lives."""
    if array.size == 0:
        return 0
    # Not a view of the array: that would keep it alive for ever.
    raw = (ctypes.c_uint8 * array.nbytes).from_address(array.ctypes.data)
    address = _add(np.frombuffer(raw, dtype=np.uint8))
    weakref.finalize(array, _remove, address, array.nbytes)
    return address


def resize(address, words):
    block = np.zeros(words, np.int64)
    if address:
        old = _blocks[address][0]
        length = min(old.size, block.nbytes)
        block.view(np.uint8)[:length] = old[:length]
        release(address)
    return _add(block)


def release(address):
    if address:
        if address not in _blocks:
            raise ValueError(f"block {address} is released twice")
        _remove(address, _blocks[address][0].size)


def move(target, source, words):
    if words > 0:
        ctypes.memmove(located(target, 8 * words), located(source, 8 * words), 8 * words)
