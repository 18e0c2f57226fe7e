"""Strings as whole numbers, which are all that kernels see.

    coded     "b" "a" null "b"   ──▶   1 0 · 1, and ["a", "b"]     places among the different strings, in their order
    hashed    "b" "a" null "b"   ──▶   the same word for a string in every replay

A place keeps the order (by UTF-8 bytes), so that the least string is that of the least place; it means something within
one replay only, whose rows get their strings back from it. Where only equality counts, a hash does: what is made of it
depends on no other string, so that days, tasks and engines agree.
"""

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

STRING = "string"
HASH_BYTES = 8


def coded(column: pa.ChunkedArray) -> tuple[np.ndarray, pa.Array]:
    """(int64 places, whatever at a null; the different strings in order). O(rows + strings · log strings)."""
    encoded = column.combine_chunks().dictionary_encode()
    ascending = pc.sort_indices(encoded.dictionary)
    places = np.empty(len(ascending), np.int64)
    places[np.asarray(ascending)] = np.arange(len(ascending))
    return _taken(places, encoded), encoded.dictionary.take(ascending)


def hashed(column: pa.ChunkedArray) -> np.ndarray:
    """int64 words, whatever at a null: the first 8 bytes of BLAKE2b of the UTF-8 bytes. O(rows + strings)."""
    encoded = column.combine_chunks().dictionary_encode()
    digests = (hashlib.blake2b(each.as_buffer(), digest_size=HASH_BYTES).digest() for each in encoded.dictionary)
    return _taken(np.frombuffer(b"".join(digests), "<i8").astype(np.int64), encoded)


def _taken(words: np.ndarray, encoded: pa.DictionaryArray) -> np.ndarray:
    if not len(words):
        return np.zeros(len(encoded), np.int64)
    return words[np.asarray(pc.fill_null(encoded.indices, 0))]
