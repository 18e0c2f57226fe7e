"""The checked memory refuses what the compiled one would not notice."""

import numpy as np
import pytest

from kernels import checked_memory as memory
from kernels.memory import as_float, as_word


def test_a_word_keeps_its_bits_and_its_place():
    block = memory.resize(0, 4)
    memory.store(block, 3, -(1 << 63))
    assert memory.load(block + 8, 2) == -(1 << 63)
    assert memory.load(memory.resize(block, 9), 3) == -(1 << 63)


def test_an_access_outside_every_block_is_an_error():
    block = memory.resize(0, 4)
    with pytest.raises(IndexError):
        memory.load(block, 4)
    with pytest.raises(IndexError):
        memory.store(block, -1, 0)
    memory.release(block)
    with pytest.raises(IndexError):
        memory.load(block, 0)


def test_releasing_twice_is_an_error():
    block = memory.resize(0, 1)
    memory.release(block)
    with pytest.raises(ValueError, match="twice"):
        memory.release(block)


def test_a_word_beyond_int64_is_an_error_where_compiled_code_would_wrap():
    with pytest.raises(OverflowError):
        memory.store(memory.resize(0, 1), 0, 1 << 63)


def test_lent_arrays_are_known_while_they_live():
    array = np.arange(3)
    address = memory.lend(array)
    assert memory.load(address, 2) == 2
    assert memory.load_byte(memory.lend(np.array([True, False, True])[1:].copy()), 1) == 1
    del array
    with pytest.raises(IndexError):
        memory.load(address, 2)


@pytest.mark.parametrize("value", [0.0, -0.0, 1.5, -1e300, float("inf")])
def test_floats_and_words_keep_their_bits(value):
    assert np.array([value]).view(np.int64)[0] == as_word(value)
    assert as_word(as_float(as_word(value))) == as_word(value)
