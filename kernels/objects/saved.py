"""What the objects of several kernels share about saved words.

[what they are of][digest of all that is behind, and of that][the kernel's own …]

Both are looked at before a kernel reads a word: a count that was damaged on a disk would lead it through all memory.
"""

from hashlib import blake2b

import numpy as np

from windrow.kernels.columns import refuse_masked
from windrow.schemas.errors import BadInput

SEAL_WORDS = 2


def description(*parts: object) -> int:
    """A word for what an object was made of."""
    return _digest(repr(parts).encode())


def sealed(of: int, words: np.ndarray) -> np.ndarray:
    """Words as they are saved; of: the description of what they are of. O(words)."""
    return np.concatenate((np.array([of, _digest(words.data, of)], np.int64), words))


def opened(saved: np.ndarray, of: int, others: str) -> np.ndarray:
    """The words that were sealed. BadInput for words of something else and for those that aren't as they were saved,
    `others` saying what they may be of and what to do. O(words)."""
    refuse_masked("words", saved)
    if not isinstance(saved, np.ndarray) or saved.dtype != np.int64 or saved.ndim != 1 or len(saved) < SEAL_WORDS:
        raise BadInput(f"these are no saved words: {str(saved)[:80]}; give what save returned, an array of int64")
    saved = np.ascontiguousarray(saved)
    if saved[0] != of or saved[1] != _digest(saved[SEAL_WORDS:].data, of):
        raise BadInput(others)
    return saved[SEAL_WORDS:]


def _digest(content: bytes | memoryview, of: int = 0) -> int:
    key = of.to_bytes(8, "big", signed=True)
    return int.from_bytes(blake2b(content, digest_size=8, key=key).digest(), "big", signed=True)
