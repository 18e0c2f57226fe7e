"""Lines that are one record, of random tables written by Python's own csv, however the content is cut into pieces."""

import csv
import io

from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.ingest.lines import LINE_LIMIT_BYTES, lines, records
from schemas.parsing import split
from tests.support.row_layouts import layout

ACROSS = layout(quoting="across lines", fields=3)
ROWS = st.lists(st.lists(st.text(alphabet='ab",\né', max_size=6), min_size=3, max_size=3), max_size=8)
STRAY = 'x,"y,z'  # with another of its kind it is no record


def cut(content: str, made, piece_bytes: int = 1 << 16) -> list[tuple[str, str | None]]:
    """Records and their damage."""
    raw = content.encode()
    parts = lines(raw[first : first + piece_bytes] for first in range(0, len(raw), piece_bytes))
    found = list(records(parts, made))
    assert all(part.texts for part in found)
    return [(text, part.damage and part.damage[i]) for part in found for i, text in enumerate(part.texts)]


@settings(deadline=None)
@given(ROWS, st.integers(1, 9), st.sampled_from(["across lines", "within lines"]))
def test_records_are_those_that_were_written_and_each_is_one_whether_it_is_taken_or_not(rows, piece_bytes, quoting):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    found = cut(out.getvalue(), layout(quoting=quoting, fields=3), piece_bytes)
    assert [split(ACROSS, text) for text, _ in found] == rows


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a,b,c", STRAY, '"a","b",c', "", "a\0,b,c", "one"]), max_size=12), st.integers(1, 9))
def test_a_stray_quote_harms_its_own_line_only(texts, piece_bytes):
    content = "".join(f"{text}\n" for text in texts)
    for made in (ACROSS, layout(fields=3), layout(), layout(quoting=None), None):
        found = cut(content, made, piece_bytes)
        assert [text.replace("\\x00", "\0") for text, _ in found] == texts
        assert [damage for _, damage in found] == ["NUL byte" if "\0" in text else None for text in texts]


def test_ragged_lines_go_on_only_where_the_layout_asks_for_it():
    content = '1,"a\nb"\n2,c,d\n'
    assert [text for text, _ in cut(content, layout())] == ['1,"a', 'b"', "2,c,d"]
    assert [text for text, _ in cut(content, layout(quoting="across lines"))] == ['1,"a\nb"', "2,c,d"]


def test_no_record_is_longer_than_a_line_may_be():
    half = LINE_LIMIT_BYTES // 2
    fits = f'1,2,"{"a" * half}\n{"b" * (half - 7)}"'
    assert [text for text, _ in cut(f"{fits}\n", ACROSS)] == [fits]
    too_long = f'1,2,"{"a" * half}\n{"b" * (half - 6)}"'
    assert [text for text, _ in cut(f"{too_long}\n", ACROSS)] == too_long.split("\n")
