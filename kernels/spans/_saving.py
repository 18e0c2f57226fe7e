"""Records as words, to be kept between two runs: [records][number · words][number · words] …"""

from kernels.aggregators._dispatch import FOREVER
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
def load_pages(pages, source):
    """Pages that hold nothing get those that were saved."""
    not_inlined()
    at, words = 1, pages.record_bytes // WORD_BYTES
    for _ in range(words_at(source)[0]):
        record = record_to_write(pages, words_at(source)[at])
        copy_words(record, source + WORD_BYTES * (at + 1), words)
        at += 1 + words
