"""Records by number, of which most may be missing: pages of neighbours, in order.

    number    64 … 95 │ 96 … 127 │ 3,200,000 …
    page         2    │    3     │   100,000       each with room for all of its 32 records, and a mark for each that
                                                   holds something; what isn't marked is never read

A gap of years costs nothing, and neighbours stand side by side, so that a run of them is one fold. A ring over the
numbers would be as long as the stretch from the oldest to the youngest, full or empty; in finger trees, as slices were
before, events of twelve slices took three times as long. Pages that were blank all over cost thin events more than
their windows did: an eighth of a replay went into blanking 32 records for the four that a page came to hold.
"""

from windrow.kernels.aggregators._dispatch import FOREVER
from windrow.kernels.bounds.grid import Grid
from windrow.kernels.runtime.address_list import AddressList, insert_address, release_addresses
from windrow.kernels.runtime.bisection import searches
from windrow.kernels.runtime.counted import are_there
from windrow.kernels.runtime.fields import Address, Bytes, Inline, Place, Ref, Tail, Word
from windrow.kernels.runtime.memory import WORD_BYTES, inner, not_inlined, release, resize, trailing_zeros
from windrow.kernels.runtime.struct import Struct, words_at
from windrow.kernels.spans._dispatch import KeySpans
from windrow.kernels.states import clear, copy_words, fold, merge

PAGE_BITS = 5
PAGE_RECORDS = 1 << PAGE_BITS
FIRST_NUMBER = -(1 << 62)
"""Below every number: times are within ±2**61 µs."""


class RecordPage(Struct):
    """Records number · 32 and the next 31. marks: bit i of record i, if it holds something."""

    number: Word
    marks: Word
    records: Tail(Word)


HEAD_BYTES = RecordPage.size_bytes


class Pages(AddressList):
    """Pages, ascending by number. blank: a record that holds nothing; found: the place of the page that was looked for
    last; spare: a list of pages to be used again, by their numbers."""

    record_bytes: Bytes
    blank: Address
    found: Place
    spare: Address


class PagedSpans(KeySpans):
    """What keeps a record for each slice or window that has events. Each kernel goes on with fields of its own."""

    window: Ref(Grid)
    pages: Inline(Pages)


@inner
def start_records(s, plan, window, states):
    """Each record has so many states. Of a structure whose memory is all zero."""
    s.plan, s.window, s.pages.record_bytes = plan, window, WORD_BYTES * states * plan.state_words
    s.pages.blank = resize(0, states * plan.state_words)
    for state in range(states):
        clear(plan, s.pages.blank + state * WORD_BYTES * plan.state_words)


@inner
def destroy(s: PagedSpans):
    pages = s.pages
    drop_all(pages)
    while pages.spare != 0:
        page = RecordPage(pages.spare)
        pages.spare = page.number
        release(page.address)
    release_addresses(pages)
    release(pages.blank)
    release(s.result)
    release(s.address)


def reset(s: PagedSpans):
    drop_all(s.pages)


def is_empty(s: PagedSpans):
    return s.pages.first == s.pages.end


def save(s: PagedSpans, into):
    """[records][number · words][number · words] …"""
    pages, number = s.pages, first_record_from(s.pages, FIRST_NUMBER)
    records, at, words = 0, 1, pages.record_bytes // WORD_BYTES
    while number != FOREVER:
        if into != 0:
            words_at(into)[at] = number
            copy_words(into + WORD_BYTES * (at + 1), find_record(pages, number), words)
        records, at = records + 1, at + 1 + words
        number = first_record_from(pages, number + 1)
    if into != 0:
        words_at(into)[0] = records
    return at


def load(s: PagedSpans, saved, there):
    at, words = 1, s.pages.record_bytes // WORD_BYTES
    if not are_there(saved, there, 1 + words) or 1 + words_at(saved)[0] * (1 + words) != there:
        return False
    for _ in range(words_at(saved)[0]):
        record = record_to_write(s.pages, words_at(saved)[at])
        copy_words(record, saved + WORD_BYTES * (at + 1), words)
        at += 1 + words
    return True


SHARED = (destroy, reset, is_empty, save, load)
"""Operations of all kernels with pages."""


@inner
def drop_all(pages):
    while pages.first < pages.end:
        _drop_first(pages)
    pages.first = pages.end = pages.found = 0


@inner
def _page_at(pages, place):
    return RecordPage(pages.order[place])


@inner
def _is_before(pages, place, number):
    return _page_at(pages, place).number < number


_first_page_from = searches("pages_of_records", _is_before).place_from


@inner
def _place_from(pages, number):
    """The place of the first page of that number or a greater one. O(log pages), O(1) for the one found last."""
    if not (pages.first <= pages.found < pages.end and _page_at(pages, pages.found).number == number):
        pages.found = _first_page_from(pages, pages.first, pages.end, number)
    return pages.found


@inner
def find_record(pages, number):
    """Address of a record; 0 if it holds nothing."""
    place = _place_from(pages, number >> PAGE_BITS)
    if place == pages.end or _page_at(pages, place).number != number >> PAGE_BITS:
        return 0
    page = _page_at(pages, place)
    return _record_in(pages, page, number) if page.marks & _mark(number) else 0


@inner
def _record_in(pages, page, number):
    return page.records.address + pages.record_bytes * (number & (PAGE_RECORDS - 1))


@inner
def record_to_write(pages, number):
    """Address of a record, blank if it held nothing; from now on it holds something. O(log pages); where its page is
    missing amortised O(log pages) at the young end, elsewhere O(pages)."""
    page = _page_to_write(pages, number)
    if not page.marks & _mark(number):
        _begin_record(pages, page, number)
    return _record_in(pages, page, number)


@inner
def merge_into_record(pages, plan, number, offset, state):
    """record[offset] ⊗= a state, which is copied where the record held nothing. As record_to_write."""
    page = _page_to_write(pages, number)
    at = _record_in(pages, page, number) + offset
    if page.marks & _mark(number):
        merge(plan, at, at, state)
    else:
        _begin_record(pages, page, number)
        copy_words(at, state, plan.state_words)


@inner
def _page_to_write(pages, number):
    place = _place_from(pages, number >> PAGE_BITS)
    if place == pages.end or _page_at(pages, place).number != number >> PAGE_BITS:
        place = _add_page(pages, place, number >> PAGE_BITS)
    return _page_at(pages, place)


@inner
def _begin_record(pages, page, number):
    page.marks |= _mark(number)
    copy_words(_record_in(pages, page, number), pages.blank, pages.record_bytes // WORD_BYTES)


@inner
def _mark(number):
    return 1 << (number & (PAGE_RECORDS - 1))


@inner
def _add_page(pages, place, number):
    """A page that holds nothing at a place of the order, which may change. Returns the place."""
    not_inlined()
    page = RecordPage(pages.spare)
    if pages.spare == 0:
        page = RecordPage(resize(0, (HEAD_BYTES + PAGE_RECORDS * pages.record_bytes) // WORD_BYTES))
    else:
        pages.spare = page.number
    page.number, page.marks = number, 0
    place -= insert_address(pages, place, page.address)
    pages.found = place
    return place


@inner
def _drop_first(pages):
    page = _page_at(pages, pages.first)
    page.number, pages.spare = pages.spare, page.address
    pages.first += 1


@inner
def drop_before(pages, number):
    """No record below a number is left. O(pages dropped)."""
    while pages.first < pages.end and _page_at(pages, pages.first).number < number >> PAGE_BITS:
        _drop_first(pages)
    if pages.first == pages.end:
        pages.first = pages.end = pages.found = 0
        return
    page = _page_at(pages, pages.first)
    if page.number == number >> PAGE_BITS:
        page.marks &= -_mark(number)
        if page.marks == 0:
            _drop_first(pages)


@inner
def first_record_from(pages, number):
    """Number of the first record from that one on that holds something, FOREVER if there is none."""
    place = _place_from(pages, number >> PAGE_BITS)
    if place < pages.end and _page_at(pages, place).number == number >> PAGE_BITS:
        marks = _page_at(pages, place).marks >> (number & (PAGE_RECORDS - 1))
        if marks != 0:
            return number + trailing_zeros(marks)
        place += 1
    return first_in_pages(pages, place)


@inner
def first_in_pages(pages, place):
    """The same of the pages from a place on."""
    if place == pages.end:
        return FOREVER
    page = _page_at(pages, place)
    return (page.number << PAGE_BITS) + trailing_zeros(page.marks)


@inner
def last_record(pages):
    """Number of the last one; there is one."""
    page = _page_at(pages, pages.end - 1)
    record = PAGE_RECORDS - 1
    while page.marks >> record & 1 == 0:
        record -= 1
    return (page.number << PAGE_BITS) + record


@inner
def fold_records(pages, plan, into, offset, low, high):
    """into ⊗= the state `offset` bytes into each of the records low … high − 1 that hold something. O(high − low)."""
    place = _place_from(pages, low >> PAGE_BITS)
    while place < pages.end:
        page = _page_at(pages, place)
        begin = max(low, page.number << PAGE_BITS)
        count = min(high, (page.number + 1) << PAGE_BITS) - begin
        if count <= 0:
            return
        at = _record_in(pages, page, begin) + offset
        marks = page.marks >> (begin & (PAGE_RECORDS - 1)) & ((1 << count) - 1)
        while marks != 0:  # each run of marks by one fold
            behind = trailing_zeros(marks)
            marks, at = marks >> behind, at + behind * pages.record_bytes
            count = trailing_zeros(~marks)
            fold(plan, into, at, pages.record_bytes, count)
            marks, at = marks >> count, at + count * pages.record_bytes
        place += 1
