"""A function that is called by its address gets the words that it takes, or the call isn't made."""

import pytest
from numba import config, njit
from numba.core.errors import TypingError

from kernels.runtime.fields import Count, Word
from kernels.runtime.operations import Operation
from kernels.runtime.struct import Struct
from kernels.runtime.tables import NOT_KEPT, compiled_table


class Shelf(Struct):
    books: Count


class Drawer(Struct):
    books: Count


class Library(Struct):
    lend: Operation(Shelf, Word)


def lend(shelf: Shelf, many):
    shelf.books -= many
    return shelf.books


@pytest.fixture(scope="module")
def library() -> Library:
    return compiled_table(Library, "library_of_a_test", {"lend": lend}, NOT_KEPT)


def test_an_operation_is_called_from_python_and_from_compiled_code(library):
    shelf = Shelf.make(books=10)
    assert library.lend(shelf, 3) == 7

    @njit
    def lend_twice(library, shelf):
        Library(library).lend(Shelf(shelf), 1)
        return Library(library).lend(shelf, True)

    assert lend_twice(library.address, shelf.address) == shelf.books == 5


def test_another_number_of_words_is_refused(library):
    with pytest.raises(TypeError, match="takes 2 words, not 1"):
        library.lend(Shelf.make())
    with pytest.raises(TypeError, match=r"Library\.lend is called with 2 words; .* takes 1"):
        compiled_table(Library, "broken_library_of_a_test", {"lend": lambda shelf: 0}, NOT_KEPT)


def test_a_function_over_another_structure_is_refused():
    def lend_from(drawer: Drawer, many):
        return drawer.books - many

    with pytest.raises(TypeError, match=r"Library\.lend is called with a .*Shelf.* takes a .*Drawer"):
        compiled_table(Library, "library_of_drawers", {"lend": lend_from}, NOT_KEPT)


@pytest.mark.skipif(config.DISABLE_JIT, reason="types are those of compiled code")
@pytest.mark.parametrize("made, words", [("Drawer(place)", "1"), ("Shelf(place)", "1.0"), ("Shelf(place)", "1, 2")])
def test_words_of_another_kind_are_not_compiled(library, made, words):
    scope = {"Library": Library, "Shelf": Shelf, "Drawer": Drawer}
    exec(f"def called(library, place): return Library(library).lend({made}, {words})", scope)
    with pytest.raises(TypingError, match="can't be called with"):
        njit(scope["called"])(library.address, Shelf.make().address)
