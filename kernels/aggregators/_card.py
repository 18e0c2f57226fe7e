"""What each kernel promises, for docs/kernels.md: n entries, d younger than an event, m in a burst or an eviction."""

from typing import NamedTuple


class Card(NamedTuple):
    """Costs in time, amortised unless marked `worst case`; source: paper and section, or what it is."""

    order: str
    insert: str
    bulk_insert: str
    evict: str
    bulk_evict: str
    query: str
    range_query: str
    source: str
