"""The functions of kernels/runtime/memory.py as plain Python, every access checked: what runs with NUMBA_DISABLE_JIT=1.

get_word(address) → word; set_word(address, word)
get_byte(address) → 0…255; set_byte(address, 0…255)
get_float(address) → float64; set_float(address, float64)
resize(address, words) → address of a block with the same leading words (address 0: a new block);
release(address)
move(target, source, words): copy a stretch of words; the two may overlap
"""

import bisect
import ctypes
import operator
import struct
import weakref
from _thread import RLock

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


def _locate(address: int, size: int) -> tuple[np.ndarray, int]:
    """The block that holds [address, address + size), and the place in it."""
    at = int(address)
    with _one_at_a_time:
        for place in range(bisect.bisect_right(_starts, at) - 1, -1, -1):
            start = _starts[place]
            for block in _blocks[start]:
                if at + size <= start + block.size:
                    return block, at - start
    raise IndexError(f"{size} bytes at address {address} lie in no live block")


def address_of(array: np.ndarray) -> int:
    """Address of a contiguous array's memory, known to the checks while the array lives."""
    if array.size == 0:
        return 0
    # Not a view of the array: that would keep it alive for ever.
    raw = (ctypes.c_uint8 * array.nbytes).from_address(array.ctypes.data)
    address = _add(np.frombuffer(raw, dtype=np.uint8))
    weakref.finalize(array, _remove, address, array.nbytes)
    return address


def get_word(address):
    block, at = _locate(address, 8)
    return struct.unpack_from("<q", block, at)[0]


def set_word(address, value):
    block, at = _locate(address, 8)
    word = operator.index(value)
    if not -(1 << 63) <= word < 1 << 63:
        raise OverflowError(f"{value} does not fit a 64-bit word")
    struct.pack_into("<q", block, at, word)


def get_byte(address):
    block, at = _locate(address, 1)
    return int(block[at])


def set_byte(address, value):
    block, at = _locate(address, 1)
    block[at] = value


def get_float(address):
    block, at = _locate(address, 8)
    return struct.unpack_from("<d", block, at)[0]


def set_float(address, value):
    block, at = _locate(address, 8)
    struct.pack_into("<d", block, at, value)


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
        block, at = _locate(source, 8 * words)
        into, place = _locate(target, 8 * words)
        into[place : place + 8 * words] = block[at : at + 8 * words].copy()


def not_inlined():
    """Means something to the compiler only."""


inlined = not_inlined
