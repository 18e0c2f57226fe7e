"""Fields are read strictly: what Python's int() and float() also let through is refused. Lines of JSON give the fields
that their layout names, as texts; whatever else a line holds is refused."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.schemas.fields import Choices, decimal_number, decimal_or_none, whole_number, whole_or_none
from windrow.schemas.json_lines import json_fields


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


TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner),
    max_leaves=8,
)


@pytest.mark.parametrize(("value", "field"), [
    ('"a\\n\\u00e9\\ud83d\\udeb2"', "a\né🚲"), ("12", "12"), ("-0.10", "-0.10"), ("1e400", "1e400"),
    ("123456789012345678901234567890", "123456789012345678901234567890"), ("true", "true"), ("false", "false"),
    ("null", ""),
])  # fmt: skip
def test_a_field_is_the_text_of_a_single_value_numbers_as_they_are_written(value, field):
    assert json_fields(f'{{"before": [1], "named": {value}}}', ("named",)) == [field]


@settings(deadline=None)
@given(st.dictionaries(TEXTS.filter(lambda name: "." not in name), TEXTS, min_size=1))
def test_every_text_comes_back_in_the_order_of_the_members(values):
    members = tuple(reversed(values))
    for ascii_only in (True, False):
        assert json_fields(json.dumps(values, ensure_ascii=ascii_only), members) == [values[name] for name in members]


def test_a_member_within_an_object_is_named_with_a_dot_and_a_file_s_mark_is_no_part_of_its_first_line():
    line = '\ufeff{"rider": {"card": {"id": 7}}, "no_rider": null, "a": 1}'
    members = ("rider.card.id", "rider.name", "no_rider.id", "nobody.id")
    assert json_fields(line, members) == ["7", "", "", ""]
    with pytest.raises(ValueError, match="a.id is not there: what should hold 'id' is a single value"):
        json_fields(line, ("a.id",))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "Expecting value"),
        ("{", "Expecting property name"),
        ('{"a": 1} {"a": 2}', "Extra data"),
        ("[1, 2]", "no JSON object, but a list"),
        ('"a"', "no JSON object, but a single value"),
        ("null", "no JSON object, but null"),
        ('{"a": [1]}', "a is a list; a field is a text"),
        ('{"a": {"b": 1}}', "a is an object; a field is a text"),
        ('{"a": NaN}', "NaN is no JSON number"),
        ('{"a": -Infinity}', "-Infinity is no JSON number"),
        ('{"b": 0, "a": 1, "a": 2}', "has the member 'a' twice"),
        ('{"a": "\\u0000"}', "a holds a NUL"),
        ('{"a": "\\ud800"}', "a holds a NUL or half"),
        ("[" * 100_000, "too deep in each other"),
    ],
    ids=lambda text: text[:20],
)
def test_what_gives_no_field_is_refused(line, why):
    with pytest.raises(ValueError, match=why):
        json_fields(line, ("a",))


@settings(deadline=None)
@given(VALUES)
def test_whatever_a_line_holds_it_gives_texts_that_a_table_holds_or_a_value_error(value):
    try:
        fields = json_fields(json.dumps(value), ("a", "a.b", "b.c"))
    except ValueError:
        return
    assert len(fields) == 3
    assert "\0" not in "".join(fields)
    "".join(fields).encode()
