"""What is compared of published tables."""

from datetime import date, timedelta

import pytest

from tests.support.models import expected_rows
from tests.support.oracle import oracle
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.schemas.query import Query

PLACE = ("path", "line", "reading")


def rows(config: Config, table: str, without: tuple[str, ...] = ("emitted_date", "arrival_date")) -> list[dict]:
    """A table's rows in an order that depends on their values alone."""
    found = Lake(config).read(table).to_pylist()
    return _sorted([{name: value for name, value in row.items() if name not in without} for row in found])


def _sorted(found: list[dict]) -> list[dict]:
    return sorted(found, key=lambda row: tuple((value is None, value) for value in row.values()))


def published_rows(config: Config, query: str) -> tuple[list[dict], list[dict]]:
    """Results and late rows of a query."""
    return rows(config, query), rows(config, f"{query}_late")


def events_of_silver(config: Config, stream: str, filters: list[tuple] | None = None) -> list[dict]:
    """A stream's events in order of arrival, as the oracle takes them."""
    found = Lake(config).read(f"silver_{stream}", filters=filters).to_pylist()
    found.sort(key=lambda row: (row["arrival"], row["path"].encode(), row["line"], row["reading"]))
    return [{**row, "seq": seq} for seq, row in enumerate(found)]


def assert_equal(found: list[dict], expected: list[dict]) -> None:
    """The same rows; means within 1e-9 of the sum of magnitudes, all else to the last bit (semantics §4)."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one == {
            name: pytest.approx(value, rel=1e-9) if isinstance(value, float) else value for name, value in other.items()
        }


def assert_oracles(
    config: Config, query: Query, events: list[dict], days: list[date], idle_after: timedelta | None = None
) -> None:
    """The published tables hold the oracle's rows of these days, and the late events that arrived on them."""
    found, found_late = published_rows(config, query.name)
    assert found
    whole = expected_rows(events, query, idle_after=idle_after)
    expected = [row for row in whole if row["emitted_at"].date() in days]
    places = {row["seq"]: {name: row[name] for name in PLACE} for row in events}
    late = oracle.late(events, query, idle_after=idle_after)
    late = [{**row, **places[row["seq"]]} for row in late if row["arrival"].date() in days]
    assert_equal(found, _sorted([{name: row[name] for name in found[0]} for row in expected]))
    assert len(found_late) == len(late)
    assert_equal(found_late, _sorted([{name: row[name] for name in found_late[0]} for row in late if found_late]))
