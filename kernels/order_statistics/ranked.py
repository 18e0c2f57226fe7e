"""Values as ranks among the different values of their key, and events in the orders in which windows meet them.

key    a  a  a  b  b          values   3 7 │ 5
value  7  3  7  5  null       ranks    1 0 1  0
"""

from typing import NamedTuple

import numpy as np

from kernels.monoids._order_code import SIGN_CLEARED


class KeyedTimes(NamedTuple):
    """int64[events] each, key by key in order of arrival: the event's key; windows that end behind `enters` and start
    by `leaves` hold it; when it arrived; is_late: whether the watermark had passed it."""

    key: np.ndarray
    enters: np.ndarray
    leaves: np.ndarray
    arrivals: np.ndarray
    is_late: np.ndarray

    def where(self, chosen: np.ndarray) -> "KeyedTimes":
        """Some of the events."""
        return KeyedTimes(*(np.ascontiguousarray(each[chosen]) for each in self))


class RankedColumn(NamedTuple):
    """The events that have a value in a column. ranks: of each; values: the different ones of the keys in order, of key
    k from first_value[k] on; the others as in MovingContent."""

    times: KeyedTimes
    ranks: np.ndarray
    values: np.ndarray
    first_value: np.ndarray
    first_of_key: np.ndarray
    first_late: np.ndarray
    by_enter: np.ndarray
    by_leave: np.ndarray
    by_arrival: np.ndarray

    @classmethod
    def of(cls, times: KeyedTimes, keys: int, words: np.ndarray, valid: np.ndarray, column_type: str) -> "RankedColumn":
        """words, valid: of the column. O(events log events)."""
        held = times.where(valid)
        codes = order_codes(words[valid]) if column_type == "float64" else words[valid]
        ranks, values, first_value = ranked(held.key, keys, codes)
        first_of_key = np.searchsorted(held.key, np.arange(keys + 1))
        on_time = np.bincount(held.key[held.is_late == 0], minlength=keys)
        orders = (np.lexsort((each, held.key)) for each in (held.enters, held.leaves, held.is_late))
        return cls(held, ranks, values, first_value, first_of_key, first_of_key[:keys] + on_time, *orders)


def order_codes(words: np.ndarray) -> np.ndarray:
    """Of floats by their bits, codes in their order (_order_code.value_code), in which −0.0 is 0.0."""
    bits = (words.view(np.float64) + 0.0).view(np.int64)
    return np.where(bits >= 0, bits, bits ^ SIGN_CLEARED)


def ranked(key: np.ndarray, keys: int, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(rank of each value, the different values of all keys, where those of each key begin)."""
    order = np.lexsort((codes, key))
    sorted_keys, sorted_codes = key[order], codes[order]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = (sorted_keys[1:] != sorted_keys[:-1]) | (sorted_codes[1:] != sorted_codes[:-1])
    first_value = np.searchsorted(sorted_keys[is_new], np.arange(keys + 1))
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.cumsum(is_new) - 1 - first_value[sorted_keys]
    return ranks, sorted_codes[is_new], first_value
