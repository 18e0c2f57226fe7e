"""Pages as words, to be kept between two runs: [pages][number · marks · records] …"""

from kernels.runtime.memory import WORD_BYTES, inner, not_inlined
from kernels.runtime.struct import words_at
from kernels.spans._pages import HEAD_BYTES, PAGE_RECORDS, RecordPage, add_page, page_at
from kernels.states import copy_words


@inner
def page_words(pages):
    """Of one page."""
    return (HEAD_BYTES + PAGE_RECORDS * pages.record_bytes) // WORD_BYTES


@inner
def save_pages(pages, into):
    """Words of all pages, written unless `into` is 0. O(records)."""
    not_inlined()
    count, words = pages.end - pages.first, page_words(pages)
    if into != 0:
        words_at(into)[0] = count
        for place in range(count):
            source = page_at(pages, pages.first + place).address
            copy_words(into + WORD_BYTES * (1 + place * words), source, words)
    return 1 + count * words


@inner
def load_pages(pages, source):
    """Pages that hold nothing get those that were saved."""
    not_inlined()
    words = page_words(pages)
    for place in range(words_at(source)[0]):
        saved = RecordPage(source + WORD_BYTES * (1 + place * words))
        copy_words(page_at(pages, add_page(pages, pages.end, saved.number)).address, saved.address, words)
