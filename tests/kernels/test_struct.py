"""Memory with named fields: the same names in compiled code and in plain Python, and no name that isn't there. A
function that is called by its address gets the words that it takes, or the call isn't made."""

import numpy as np
import pytest
from numba import config, njit
from numba.core.errors import TypingError

from tests.support.kernels.marks import COMPILED
from windrow.kernels.runtime.fields import (
    Array,
    Byte,
    Count,
    Flag,
    Float,
    Inline,
    Microseconds,
    Pointer,
    Ref,
    Tail,
    Word,
)
from windrow.kernels.runtime.memory import address_of, entry, inner, release
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import Struct, allocate, words_at
from windrow.kernels.runtime.tables import NOT_KEPT, compiled_table


class Span(Struct):
    """Two times."""

    low: Microseconds
    high: Microseconds


class Ring(Struct):
    """One of each kind of field."""

    used: Count
    is_full: Flag()
    load_factor: Float("share")
    extent: Inline(Span)
    limits: Array(Count, 3)
    spans: Tail(Inline(Span))


class Owner(Struct):
    """Fields that are addresses."""

    ring: Ref(Ring)
    times: Pointer(Microseconds)
    valid: Pointer(Byte("1: there"))


class LongerOwner(Owner):
    """What it has in common with Owner stands first."""

    count: Count


@inner
def _fill(owner, rows):
    ring = owner.ring
    for row in range(rows):
        ring.used += owner.valid[row]
        ring.limits[row % 3] = owner.times[row]
    ring.is_full = ring.used == rows
    ring.load_factor = ring.used / rows
    ring.extent.low, ring.extent.high = owner.times[0], owner.times[1:][rows - 2]
    ring.spans[1].low = 7
    owner.count = 5


@entry
def fill(owner, rows):
    _fill(LongerOwner(owner), rows)


@entry
def allocated_and_used():
    ring = allocate(Ring)
    ring.used += 3
    used, first_limit = ring.used, ring.limits[2]
    release(ring.address)
    return used + 100 * first_limit


@entry
def misnamed(owner):
    return Owner(owner).tims[0]


def filled(valid) -> tuple[LongerOwner, Ring, np.ndarray]:
    memory = np.zeros((Ring.size_bytes + 2 * Span.size_bytes) // 8, np.int64)
    ring = Ring(address_of(memory))
    times = np.array([10, 20, 30, 40])
    owner = LongerOwner.make(ring=ring, times=times, valid=np.array(valid))
    fill(owner.address, len(times))
    return owner, ring, memory


def test_compiled_code_and_plain_python_read_the_same_fields():
    owner, ring, memory = filled([True, True, False, True])
    assert (ring.used, ring.is_full, ring.load_factor) == (3, False, 0.75)
    assert (ring.extent.low, ring.extent.high) == (10, 40)
    assert [ring.limits[place] for place in range(3)] == [40, 20, 30]
    assert ring.spans[1].low == memory[-2] == 7
    assert (owner.count, owner.ring.address, owner.times[2]) == (5, ring.address, 30)
    owner, ring, memory = filled([True] * 4)
    assert ring.is_full


def test_fields_are_written_from_plain_python_too():
    _, ring, memory = filled([True] * 4)
    ring.used, ring.is_full, ring.load_factor, ring.limits[1], ring.extent.high = 9, False, 0.5, 8, 70
    assert (ring.used, ring.is_full, ring.load_factor, ring.limits[1], ring.extent.high) == (9, False, 0.5, 8, 70)


def test_a_new_structure_is_all_zero():
    assert allocated_and_used() == 3


@pytest.mark.parametrize("name", ["address", "offsets", "make"])
def test_a_field_may_not_be_named_as_what_every_structure_has(name):
    with pytest.raises(TypeError, match=f"Clashing has a field {name}"):
        type("Clashing", (Struct,), {"__annotations__": {name: Count}})


def test_a_name_that_is_no_field_is_refused_in_plain_python():
    owner = LongerOwner.make()
    with pytest.raises(AttributeError):
        print(owner.tims)
    with pytest.raises(AttributeError, match="LongerOwner has no field tims; it has ring, times, valid, count"):
        owner.tims = 3


def test_a_name_that_is_no_field_does_not_compile():
    with pytest.raises(AttributeError if config.DISABLE_JIT else TypingError, match="tims"):
        misnamed(LongerOwner.make().address)


def test_a_structure_inside_another_can_not_be_assigned():
    _, ring, memory = filled([True] * 4)
    with pytest.raises(AttributeError):
        ring.extent = Span(0)


def test_fields_stand_in_the_order_of_their_names_and_inherited_ones_first():
    assert LongerOwner.offsets == {"ring": 0, "times": 8, "valid": 16, "count": 24}
    assert Ring.offsets == {"used": 0, "is_full": 8, "load_factor": 16, "extent": 24, "limits": 40, "spans": 64}


def test_words_of_a_block_are_read_by_place():
    block = np.array([3, -4])
    words_at(address_of(block))[0] = 9
    assert (words_at(address_of(block))[1], block[0]) == (-4, 9)


class Shelf(Struct):
    books: Count


class Drawer(Struct):
    books: Count


class Library(Struct):
    take: Operation(Shelf, Word)


def take(shelf: Shelf, many):
    shelf.books -= many
    return shelf.books


@pytest.fixture(scope="module")
def library() -> Library:
    return compiled_table(Library, "library_of_a_test", {"take": take}, NOT_KEPT)


def test_an_operation_is_called_from_python_and_from_compiled_code(library):
    shelf = Shelf.make(books=10)
    assert library.take(shelf, 3) == 7

    @njit
    def lend_twice(library, shelf):
        Library(library).take(Shelf(shelf), 1)
        return Library(library).take(shelf, True)

    assert lend_twice(library.address, shelf.address) == shelf.books == 5


def test_another_number_of_words_is_refused(library):
    with pytest.raises(TypeError, match="takes 2 words, not 1"):
        library.take(Shelf.make())
    with pytest.raises(TypeError, match=r"Library\.take is called with 2 words; .* takes 1"):
        compiled_table(Library, "broken_library_of_a_test", {"take": lambda shelf: 0}, NOT_KEPT)


def test_a_function_over_another_structure_is_refused():
    def take_from(drawer: Drawer, many):
        return drawer.books - many

    with pytest.raises(TypeError, match=r"Library\.take is called with a .*Shelf.* takes a .*Drawer"):
        compiled_table(Library, "library_of_drawers", {"take": take_from}, NOT_KEPT)


@COMPILED
@pytest.mark.parametrize("made, words", [("Drawer(place)", "1"), ("Shelf(place)", "1.0"), ("Shelf(place)", "1, 2")])
def test_words_of_another_kind_are_not_compiled(library, made, words):
    scope = {"Library": Library, "Shelf": Shelf, "Drawer": Drawer}
    exec(f"def called(library, place): return Library(library).take({made}, {words})", scope)
    with pytest.raises(TypingError, match="can't be called with"):
        njit(scope["called"])(library.address, Shelf.make().address)
