"""Which records are one event, where lines repeat: identity by line, columns and times, and lines in their order."""

from dataclasses import replace
from datetime import datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import meters
from tests.support.edited import with_layout
from tests.support.engines import ENGINES
from tests.support.lakes import ingest
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest.parse import LINE_COLUMNS, Parser, ParseRules
from windrow.pipelines.runs.ingest_day import forget
from windrow.schemas.errors import WrongParameter
from windrow.schemas.parsing import identity_of
from windrow.schemas.stream import Record
from windrow.schemas.validation import validate_stream

THE_DAY = [*meters.readings("a", meters.MIDNIGHT, 50)]
A, B = "meters/a.csv", "meters/b.csv"


def events(config: Config) -> list[tuple[str, datetime, float]]:
    rows = Lake(config).read("silver_meters", columns=["meter", "start", "kwh"]).to_pylist()
    return sorted(tuple(row.values()) for row in rows)


@pytest.mark.slow
def test_equal_lines_of_a_repeated_hour_are_one_event_by_line_and_the_ingest_says_so(config, monkeypatch):
    meters.make_known(monkeypatch, with_layout(meters.STREAM, meters.BY_LINE))
    meters.land(config, A, THE_DAY)
    report = ingest(config, "meters")
    assert len(events(config)) == 48
    [message] = report.messages
    assert message.startswith("2 of 50 records (4.00%) repeat an earlier line") and 'identity="line"' in message


@pytest.mark.slow
@ENGINES
@pytest.mark.usefixtures("engine")
def test_the_order_of_lines_tells_a_repeated_hour_apart_also_of_what_was_a_duplicate(config, monkeypatch):
    """The second file brings the readings of the first again, and those of another meter in between."""
    meters.make_known(monkeypatch, meters.STREAM)
    others = [*meters.readings("b", meters.MIDNIGHT, 50, 0.5)]
    meters.land(config, B, [*THE_DAY[:40], *others])
    ingest(config, "meters")
    meters.land(config, A, [*THE_DAY, *others[:7]])
    report = ingest(config, "meters")
    assert events(config) == [*THE_DAY, *others]
    assert sum(kwh for meter, _, kwh in events(config) if meter == "a") == 12.5
    assert not report.messages, "no line was taken for another"
    forget(config, A, True, None, print)
    assert events(config) == [*THE_DAY[:40], *others]


@given(data=st.data())
def test_each_meters_readings_are_told_apart_however_the_lines_come_in_batches(data):
    counts = data.draw(st.lists(st.integers(4, 20), min_size=1, max_size=3))
    kwh = data.draw(st.sampled_from([0.25, 0.5]))
    made = [each for n, count in enumerate(counts) for each in meters.readings(str(n), meters.MIDNIGHT, count, kwh)]
    lines = [meters.HEADER, *(meters.line(*each) for each in made)]
    count = len(lines)
    table = pa.table([[A] * count, range(1, count + 1), lines, pa.nulls(count, pa.string())], names=LINE_COLUMNS)
    parser = Parser(ParseRules(meters.STREAM, "a definition", {A: "readings"}, {}))
    batches = table.to_batches(data.draw(st.integers(1, 9)))
    found = [row for batch in batches for parsed in parser.parse(batch) for row in parsed.to_pylist()]
    assert [(row["meter"], row["start"], row["kwh"]) for row in found] == made
    assert len({row["identity"] for row in found}) == len(made)


def test_an_identity_names_columns_and_times_and_one_of_nulls_is_none():
    def identity(names: tuple[str, ...], record: Record) -> str | None:
        layout = replace(meters.IN_ORDER, identity=names)
        return identity_of(with_layout(meters.STREAM, layout), layout, "", record)

    one, later = Record(0, 0, 9, ("a", 1.0)), Record(1, 1, 9, ("a", 1.0))
    longer, unknown = Record(0, 5, 9, ("a", 2.0)), Record(0, 0, 9, (None, 1.0))
    assert identity(("meter", "start"), one) == identity(("meter", "start"), longer)
    assert identity(("meter", "start"), one) != identity(("meter", "start"), later)
    assert identity(("meter", "end"), one) != identity(("meter", "end"), longer)
    assert identity(("meter", "arrival"), one) == identity(("meter", "arrival"), later)
    assert identity(("meter",), unknown) is None
    assert identity(("meter", "start"), unknown) not in (None, identity(("meter", "start"), one))


def test_an_identity_of_a_column_that_is_not_there_is_refused():
    with pytest.raises(WrongParameter, match=r"identity is 'begin'; allowed: a column of stream 'meters'.*start"):
        validate_stream(with_layout(meters.STREAM, replace(meters.IN_ORDER, identity=("begin",))))
