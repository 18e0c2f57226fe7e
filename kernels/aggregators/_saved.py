"""What the objects of several kernels share about saved words: what they are of stands in front of them."""

from hashlib import blake2b

import numpy as np

from schemas.errors import BadInput


def description(*parts: object) -> int:
    """A word for what an object was made of."""
    return int.from_bytes(blake2b(repr(parts).encode(), digest_size=8).digest(), "big", signed=True)


def saved_words(words: np.ndarray, head: int) -> np.ndarray:
    """Contiguous int64, at least as many as stand in front of what was saved. BadInput for what can't be that."""
    words = np.ascontiguousarray(words)
    if words.dtype != np.int64 or words.ndim != 1 or len(words) < head:
        raise BadInput(f"these are no saved words: {words.ndim} dimensions of {words.dtype}; give what save returned")
    return words
