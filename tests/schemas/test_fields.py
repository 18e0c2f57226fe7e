"""Fields are read strictly: what Python's int() and float() also let through is refused."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.fields import Choices, decimal_number, decimal_or_none, whole_number, whole_or_none


@settings(deadline=None)
@given(st.integers(-(10**29), 10**29))
def test_every_whole_number_is_read(number):
    assert whole_number(str(number)) == number


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_decimal_number_is_read_to_the_last_bit(number):
    assert decimal_number(repr(number)) == number


@pytest.mark.parametrize("text", ["", " 7", "7 ", "+7", "1_000", "٣", "7.0", "1e3", "nan", "0x7", "--7", "9" * 31])
def test_what_is_no_plain_whole_number_is_refused(text):
    with pytest.raises(ValueError, match="is not a whole number"):
        whole_number(text)


@pytest.mark.parametrize("text", ["", " 7.5", "1_0.5", "nan", "inf", "-Infinity", ".5", "0x1p3", "1e", "٣.٥"])
def test_what_is_no_plain_decimal_number_is_refused(text):
    with pytest.raises(ValueError, match="is not a decimal number"):
        decimal_number(text)


def test_an_empty_field_is_null_a_number_beyond_the_floats_infinite_and_a_refusal_short_with_what_is_allowed():
    assert [read(text) for read in (whole_or_none, decimal_or_none) for text in ("", "0")] == [None, 0, None, 0.0]
    assert math.isinf(decimal_number("1e999"))  # so that the range refuses it
    with pytest.raises(ValueError, match="'maybe' is none of 'yes', 'no'"):
        Choices({"yes": True, "no": False})["maybe"]
    with pytest.raises(ValueError, match=r"^'x{60}…' is not a whole number$"):
        whole_number("x" * 1_000)
