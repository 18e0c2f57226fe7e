"""Records as words, to be kept between two runs: [records][number · words][number · words] …"""

from kernels.aggregators._dispatch import FOREVER
from kernels.runtime.counted import are_there
from kernels.runtime.memory import WORD_BYTES, inner, not_inlined
from kernels.runtime.struct import words_at
from kernels.spans._pages import FIRST_NUMBER, find_record, first_record_from, record_to_write
from kernels.states import copy_words


@inner
def save_pages(pages, into):
    """Words of all records, written unless `into` is 0. O(records)."""
    not_inlined()
    records, at, words = 0, 1, pages.record_bytes // WORD_BYTES
    number = first_record_from(pages, FIRST_NUMBER)
    while number != FOREVER:
        if into != 0:
            words_at(into)[at] = number
            copy_words(into + WORD_BYTES * (at + 1), find_record(pages, number), words)
        records, at = records + 1, at + 1 + words
        number = first_record_from(pages, number + 1)
    if into != 0:
        words_at(into)[0] = records
    return at


@inner
def load_pages(pages, source, there):
    """Pages that hold nothing get those that were saved. Whether they are what stands in so many words."""
    not_inlined()
    at, words = 1, pages.record_bytes // WORD_BYTES
    if not are_there(source, there, 1 + words) or 1 + words_at(source)[0] * (1 + words) != there:
        return False
    for _ in range(words_at(source)[0]):
        record = record_to_write(pages, words_at(source)[at])
        copy_words(record, source + WORD_BYTES * (at + 1), words)
        at += 1 + words
    return True
