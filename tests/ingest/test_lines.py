"""A file's bytes become lines as received, whatever is wrong with them, however they are cut into pieces."""

import csv
import gzip
import hashlib
import io
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import trips
from tests.support.row_layouts import layout
from windrow.pipelines.ingest import file_content
from windrow.pipelines.ingest.lines import KEPT_CHARACTERS, LINE_LIMIT_BYTES, lines, records
from windrow.pipelines.ingest.packings import UnpackedFile, Unreadable
from windrow.schemas.parsing import split


def read(content: bytes, piece_bytes: int = 1 << 20) -> list[tuple[str, str | None]]:
    pieces = [content[start : start + piece_bytes] for start in range(0, len(content), piece_bytes)]
    parts = [(part.texts, part.damage or [None] * len(part.texts)) for part in lines(pieces)]
    return [pair for part in parts for pair in zip(*part, strict=True)]


@pytest.mark.parametrize(
    "content, expected",
    [
        (b"", []),
        (b"a", [("a", None)]),
        (b"a\n", [("a", None)]),
        (b"a\r\nb\r\n", [("a", None), ("b", None)]),
        (b"a\n\nb", [("a", None), ("", None), ("b", None)]),
        (b"a\rb\n", [("a\rb", None)]),
        ("a\u2028b\x0cc\n".encode(), [("a\u2028b\x0cc", None)]),
        (b"a\0b\nc\n", [("a\\x00b", "NUL byte"), ("c", None)]),
        (b"caf\xe9\nok\n", [("caf\\xe9", "not UTF-8"), ("ok", None)]),
    ],
)
def test_only_line_feeds_end_lines_and_damage_is_marked(content, expected):
    assert read(content) == expected


@pytest.mark.slow
@given(st.lists(st.binary(max_size=20), max_size=8), st.integers(1, 9))
def test_the_pieces_that_a_file_is_read_in_do_not_matter(parts, piece_bytes):
    content = b"\n".join(parts)
    assert read(content, piece_bytes) == read(content)


def test_a_line_at_the_limit_is_kept_and_one_beyond_it_is_not():
    at_limit, beyond = b"x" * LINE_LIMIT_BYTES, b"y" * (LINE_LIMIT_BYTES + 1)
    (kept, fine), (cut, reason), after = read(at_limit + b"\n" + beyond + b"\nz\n", 100_000)
    assert (len(kept), fine, after) == (LINE_LIMIT_BYTES, None, ("z", None))
    assert (cut, reason) == ("y" * KEPT_CHARACTERS, "line too long")


def test_what_is_carried_of_an_endless_line_is_bounded():
    pieces = (b"x" * 1_000_000 for _ in range(300))
    assert [(len(part.texts[0]), part.damage) for part in lines(pieces)] == [(KEPT_CHARACTERS, ["line too long"])]


def test_the_digest_is_of_the_content_unpacked(tmp_path):
    (tmp_path / "f.csv.gz").write_bytes(gzip.compress(b"a\nb\n"))
    unpacked = UnpackedFile(tmp_path / "f.csv.gz")
    assert b"".join(unpacked) == b"a\nb\n"
    assert (unpacked.sha256.hexdigest(), unpacked.bytes) == (hashlib.sha256(b"a\nb\n").hexdigest(), 4)


@pytest.mark.parametrize("packed", [
    gzip.compress(b"a\n" * 9_000)[:-9], gzip.compress(b"a")[:5], gzip.compress(b"a\n") + b"rubbish", b"no gzip at all",
], ids=["no end", "half a header", "rubbish after its end", "not gzip"])  # fmt: skip
def test_a_damaged_gzip_is_noticed_and_known_by_its_bytes_on_disk(tmp_path, packed):
    (tmp_path / "f.csv.gz").write_bytes(packed)
    with pytest.raises(Unreadable):
        list(UnpackedFile(tmp_path / "f.csv.gz"))
    known = (hashlib.sha256(packed).hexdigest(), len(packed))
    row = file_content.inspect(tmp_path, trips.BIKES, trips.TODAY, "f.csv.gz")
    assert (row.content_hash, row.content_bytes) == known
    assert file_content.content_hash(tmp_path, "f.csv.gz") == row.content_hash


def test_a_file_that_unpacks_to_a_hundred_times_its_size_is_unreadable_and_one_with_a_dull_half_is_not(tmp_path):
    dull = gzip.compress(b"0,0,0,0\n" * (1 << 17), mtime=0) * 110  # 110 MiB
    bomb, half = tmp_path / "bomb.gz", tmp_path / "half.gz"
    bomb.write_bytes(dull)
    half.write_bytes(dull + gzip.compress(random.Random(1).randbytes(3 << 20), mtime=0))
    with pytest.raises(Unreadable, match="100 times its size"):
        list(UnpackedFile(bomb))
    assert sum(map(len, UnpackedFile(half))) == 113 << 20


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
