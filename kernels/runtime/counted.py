"""Words that were saved, read within their bounds: no count among them leads beyond their end, whatever it says."""

from windrow.kernels.runtime.memory import inner
from windrow.kernels.runtime.struct import words_at


@inner
def are_there(at, words, each):
    """Whether a count stands at an address, and so many things of `each` words behind it, within so many words."""
    return words > 0 and words_at(at)[0] >= 0 and words_at(at)[0] <= (words - 1) // each
