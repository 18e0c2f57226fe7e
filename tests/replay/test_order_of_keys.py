"""Events by key and arrival, whatever order they come in: sorted by (key, arrival, path, line, reading)."""

from random import Random

import pyarrow as pa
import pytest

from windrow.pipelines.replay.event_arrays import group
from windrow.pipelines.rows.arrays import TIME

SCHEMA = pa.schema(
    [("key", pa.string()), ("arrival", TIME), ("path", pa.string()), ("line", pa.int64()), ("reading", pa.int64())]
)
ORDER = ("key", "arrival", "path", "line", "reading")


def events(random: Random) -> list[dict]:
    """Few keys and times, so that many arrive together; no two are the same."""
    made = {
        (random.choice("abc"), random.randrange(6), random.choice("pq"), random.randrange(4), random.randrange(2))
        for _ in range(60)
    }
    return [dict(zip(ORDER, each, strict=True)) for each in made]


def in_files(rows: list[dict]) -> list[dict]:
    """As silver's files have them: those of a time after those of the one before, each sorted by key."""
    return sorted(rows, key=lambda row: (row["arrival"] // 3, *(row[name] for name in ORDER)))


def swapped(rows: list[dict], random: Random) -> list[dict]:
    """Two neighbours the other way round."""
    place = random.randrange(len(rows) - 1)
    return [*rows[:place], rows[place + 1], rows[place], *rows[place + 2 :]]


@pytest.mark.few(10)
@pytest.mark.parametrize("seed", range(40))
def test_a_keys_events_stand_together_in_order_of_arrival(seed):
    random = Random(seed)
    rows = in_files(events(random))
    given = (rows, swapped(rows, random), random.sample(rows, len(rows)))
    for each in given:
        found = group(pa.Table.from_pylist(each, SCHEMA), ("key",))
        expected = sorted(range(len(each)), key=lambda number: [each[number][name] for name in ORDER])
        assert found.order.tolist() == expected
        assert [each[number]["key"] for number in found.order[found.offsets[:-1]]] == found.keys["key"].to_pylist()
