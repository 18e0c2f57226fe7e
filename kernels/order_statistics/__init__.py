"""Exact answers that need all values of a window: medians, quantiles, modes, numbers of different values.

No state of a few words has them, so that they are no monoids (kernels/monoid.py: OrderStatistic). They come after the
replay, which has found which rows there are: from one row to the next only the events that differ are put in or taken
out, each O(log values), in whatever order they arrived.

Follow the data: `kernels/replay/order_statistics.py` asks, and gives each value its rank among those of its key;
`content.py` moves from row to row; the file of the aggregate says what is kept of the values and what is answered.
"""
