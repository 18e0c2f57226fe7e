"""Panes whose states are kept from one replay to the next: what arrived long ago is combined once, and not again.

    kept     pane 0: 3 events   pane 10: 2 events   │ begins
    events                                          │ (13)  (21)  (8) …

Events of kept panes came before any window that has rows was passed, so that no row needs to know when. The key's clock
begins behind them: windows that were passed before are never looked at.
"""

from windrow.kernels.runtime.fields import Address, Microseconds, Place, Pointer
from windrow.kernels.runtime.memory import WORD_BYTES, inner, not_inlined
from windrow.kernels.runtime.struct import Struct


class KeptPanes(Struct):
    """Those of key k are from first_of_key[k] to before first_of_key[k + 1], each with where it starts; their states
    stand one behind the other, from `states` on; 0: none are kept."""

    first_of_key: Pointer(Place)
    starts: Pointer(Microseconds)
    states: Address


@inner
def insert_kept(r):
    """Those of the key at hand, before its first event. O(panes)."""
    not_inlined()
    kept, state_bytes = r.numbered.kept, WORD_BYTES * r.plan.state_words
    if kept.states == 0:
        return
    for place in range(kept.first_of_key[r.key], kept.first_of_key[r.key + 1]):
        r.kernel.insert(r.structure, kept.starts[place], kept.states + place * state_bytes, -1)
