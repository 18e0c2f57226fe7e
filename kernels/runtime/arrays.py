"""Memory of kernels as NumPy arrays, where it stands: for plain Python that reads or writes much of it at once. They
live no longer than the memory does."""

import ctypes
import math

import numpy as np

from windrow.kernels.runtime.fields import Array
from windrow.kernels.runtime.memory import WORD_BYTES
from windrow.kernels.runtime.struct import Struct


def words_of(address: int, *shape: int) -> np.ndarray:
    """So many words, as an int64 array of that shape, which is no copy. O(1)."""
    count = math.prod(shape)
    if count == 0:
        return np.zeros(shape, np.int64)
    return np.frombuffer((ctypes.c_int64 * count).from_address(address), np.int64).reshape(shape)


def records_of(struct: type[Struct], address: int, count: int) -> np.ndarray:
    """Structures that stand together, all of whose fields are words: records_of(…)["mask"]. No copy: O(fields)."""
    formats = [(np.int64, (field.count,)) if isinstance(field, Array) else np.int64 for field in struct.fields.values()]
    kind = np.dtype({"names": list(struct.fields), "formats": formats, "offsets": list(struct.offsets.values())})
    return words_of(address, count * struct.size_bytes // WORD_BYTES).view(kind)
