"""Which layout reads a file, and columns by name: random files, against what is plainly so."""

import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.row_layouts import HEADER, layout, stream
from windrow.schemas.errors import WrongParameter
from windrow.schemas.layouts import Chooser, of_file
from windrow.schemas.parsing import identity_of, read_line
from windrow.schemas.stream import BY_NAME, Layout, Record
from windrow.schemas.validation import validate_stream
from windrow.testing.lines import choose_layout

MEMBERS = ("key", "when.at", "when.zone", "value")
COLUMNS = ("a", "b", "c")
CELLS = st.text(alphabet='xyé", ', max_size=5)


def got(made: Layout, text: str) -> list[str]:
    [record] = read_line(stream(made), made, text)
    assert isinstance(record, Record), record
    return eval(record.values[0])


def line_of(cells, delimiter: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="").writerow(cells)
    return out.getvalue()


OBJECTS = st.fixed_dictionaries(
    {},
    optional={
        "key": st.none() | st.text(max_size=2),
        "when": st.none() | st.fixed_dictionaries({}, optional={"at": st.just("t"), "zone": st.none()}),
        "value": st.integers(),
        "Value": st.integers(),
    },
)


def lacks(objects: list[dict], member: str) -> bool:
    """Whether some object should have the member, and none has it."""
    outer, _, inner = member.rpartition(".")
    holders = [each[outer] for each in objects if outer in each] if outer else objects
    have = [inner in each for each in holders if each is not None]
    return not any(have) and (len(have) > 0 or len(holders) < len(objects))


@settings(deadline=None)
@given(st.lists(OBJECTS, min_size=1, max_size=5), st.sets(st.sampled_from(MEMBERS)), st.integers(1, 3))
def test_a_file_of_objects_fits_if_each_member_is_somewhere_or_optional(objects, optional, at_once):
    made = layout(members=MEMBERS, optional=tuple(optional))
    chooser = Chooser(stream(made), "rows/x")
    texts = [json.dumps(each) for each in objects]
    for first in range(0, len(texts), at_once):
        chooser.take(texts[first : first + at_once])
    missing = [member for member in MEMBERS if member not in optional and lacks(objects, member)]
    assert (chooser.layout is None) == bool(missing)
    assert all(repr(member) in chooser.why for member in missing) if missing else chooser.layout is made


def test_objects_go_to_the_first_layout_that_they_fit_and_damaged_lines_say_nothing():
    newer, older = layout("newer", members=("a", "start")), layout("older", members=("a",))
    both = stream(newer, older)
    assert choose_layout(both, "rows/x", '{"a": 1}', None, "no object", '{"a": 2, "start": null}') is newer
    assert choose_layout(both, "rows/x", None, '{"a": 1}') is older
    chooser = Chooser(stream(newer), "rows/x")
    chooser.take(['{"a": 1, "Start": 2}'])
    assert chooser.layout is None
    assert "has 'start', as layout 'newer' wants, which it may have as 'Start'; " in chooser.why


@settings(deadline=None)
@given(st.permutations([*COLUMNS, "more", "and more"]), st.integers(3, 5), st.sampled_from(",;\t"), st.data())
def test_columns_by_name_are_those_of_the_header_wherever_they_stand(names, width, delimiter, data):
    names = names[:width]
    made = layout(header=COLUMNS, columns=BY_NAME, optional=("c",), delimiter=delimiter)
    header = line_of(names, delimiter)
    fits = {"a", "b"} <= {*names}
    assert (choose_layout(stream(made), "rows/x", "\ufeff" + header) is made) == fits
    if not fits:
        return
    cells = dict(zip(names, data.draw(st.lists(CELLS, min_size=width, max_size=width)), strict=True))
    text = line_of(cells.values(), delimiter)
    of = of_file(made, header)
    assert got(of, text) == [cells.get(name, "") for name in COLUMNS]
    other = data.draw(st.permutations(names))
    moved = of_file(made, line_of(other, delimiter)), line_of([cells[name] for name in other], delimiter)
    record = Record(0, 0, 0, ("",))
    assert identity_of(stream(made), of, text, record) == identity_of(stream(made), *moved, record)
    [refused] = read_line(stream(made), of, text + delimiter)
    assert refused.reason in ("wrong column count", "unreadable")


@pytest.mark.parametrize(
    ("first_line", "why"),
    [
        (HEADER.upper(), "'RIDE_ID' where 'ride_id' is expected: another layout than 'trips'?"),
        (HEADER + " ", "'member_casual ' where 'member_casual' is expected: another layout than 'trips'?"),
        (HEADER + ",extra", "one more field, 'extra': another layout than 'trips', or columns=\"by name\"?"),
        (f"started_at,{HEADER.replace('started_at,', '')}", "'started_at' where 'ride_id' is expected"),
        (HEADER.rpartition(",")[0], "nothing where 'member_casual' is expected"),
        ("sep=,", "'sep=' where 'ride_id' is expected"),
        ('"ride_id', "nothing where 'ride_id' is expected"),
    ],
)
def test_a_header_that_differs_is_named_with_what_is_expected(first_line, why):
    trips = layout("trips", header=tuple(HEADER.split(",")))
    other = layout("spans", header=("trace", "span"))
    chooser = Chooser(stream(trips, other), "rows/x")
    chooser.take([first_line])
    assert chooser.layout is None and why in chooser.why


def test_a_column_by_name_that_is_missing_or_there_twice_is_named():
    made = layout(header=COLUMNS, columns=BY_NAME)
    for header, why in (("a,b,d", "lacks 'c', as"), ("b,d", "lacks 'a' and 1 more"), ("a,b,c,c", "has 'c' 2 times")):
        chooser = Chooser(stream(made), "rows/x")
        chooser.take([header])
        assert chooser.layout is None and f"the first line {why}" in chooser.why


def test_a_file_of_another_name_is_told_so_where_layouts_have_no_header():
    assert choose_layout(stream(layout()), "others/x", "a") is None
    assert "no layout of the stream is for files of that name" in Chooser(stream(layout()), "others/x").why


def test_a_quote_is_text_where_the_layout_says_so():
    line = '"{""id"":7}?q=1,"a,b"'
    assert got(layout(quoting=None), line) == line.split(",")
    [refused] = read_line(stream(layout()), layout(), 'http://x,"{"id":7}')
    assert refused.reason == "unreadable" and "quoting=None reads a quote as text" in refused.detail


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"quoting": "double"}, "quoting of 'rows' is 'double'; allowed: 'within lines', 'across lines', None"),
        (
            {"columns": BY_NAME},
            "columns of 'rows' is 'by name'; allowed: 'in order', or 'by name' where there is a header",
        ),
        (
            {"header": ("a",), "optional": ("a",)},
            "optional of 'rows' is ('a',); allowed: some of `members`, or of `header`",
        ),
        ({"members": ("a",), "optional": ("b",)}, "optional of 'rows' is ('b',); allowed: some of `members`"),
    ],
)
def test_what_a_layout_can_not_say_is_refused(said, message):
    with pytest.raises(WrongParameter) as refused:
        validate_stream(stream(layout(**said)))
    assert message in str(refused.value)
