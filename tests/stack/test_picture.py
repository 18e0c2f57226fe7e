"""What the demo's picture shows of a query: the windows around those that lateness changed."""

from datetime import UTC, datetime, timedelta

import duckdb
import pytest

pytest.importorskip("matplotlib")

from stack.picture import LEAST_AROUND, QUERIES_OVER_TIME, around_what_came_late, draw_panel, pyplot, statement, title

BIKES = QUERIES_OVER_TIME[0]
BEGIN = datetime(2018, 11, 1, tzinfo=UTC)


def window(place: int, late: int) -> dict:
    end = BEGIN + timedelta(minutes=5 * place)
    return {"start_station_id": 7, "window_end": end.isoformat(), "known": 3, "late": late}


def windows(count: int, late: dict[int, int]) -> list[dict]:
    return [window(place, late.get(place, 0)) for place in range(count)]


class TestAroundWhatCameLate:
    def test_one_window_has_some_before_and_behind_it(self):
        shown = around_what_came_late(windows(1_000, {500: 2}))
        assert len(shown) == 2 * LEAST_AROUND + 1 and shown[LEAST_AROUND]["late"] == 2

    def test_long_stretch_has_a_quarter_of_its_length(self):
        assert len(around_what_came_late(windows(1_000, {300: 1, 700: 1}))) == 401 + 2 * 100

    def test_begins_with_the_rows(self):
        assert len(around_what_came_late(windows(100, {5: 1}))) == 5 + 1 + LEAST_AROUND

    def test_without_lateness_all_is_shown(self):
        assert len(around_what_came_late(windows(300, {}))) == 300

    def test_of_days_far_apart_those_with_most_are_shown(self):
        rows = [*windows(30, {3: 1}), *(window(100_000 + place, 2) for place in range(30))]
        assert around_what_came_late(rows) == rows[30:]


def test_key_with_most_late_events_is_asked_for_and_a_window_without_a_row_on_time_was_known():
    with duckdb.connect() as connection:
        connection.execute(f"""CREATE TABLE {BIKES.query}_final AS FROM (VALUES
            (7, TIMESTAMP '2018-11-01 00:05:00', 3, 1), (7, TIMESTAMP '2018-11-01 00:10:00', 4, 2),
            (8, TIMESTAMP '2018-11-01 00:05:00', 90, 0), (9, TIMESTAMP '2018-11-01 00:05:00', 2, 2)
        ) AS given(start_station_id, window_end, trips, late_events)""")
        found = connection.execute(statement(BIKES)).fetchall()
    assert [(key, known, late) for key, _, known, late in found] == [(7, 2, 1), (7, 2, 2)]


def test_title_says_the_key_and_how_many_windows_changed():
    shown = title(BIKES, windows(1_200, {3: 1, 4: 1}))
    assert shown == "bikes_demand, start_station_id 7: 2 of these 1,200 windows were not known in full on time"


def test_bar_of_a_window_stands_on_what_was_known():
    _, on = pyplot.subplots()
    draw_panel(on, BIKES, windows(3, {1: 2}))
    known, late = on.containers
    assert [bar.get_height() for bar in known] == [3, 3, 3]
    assert [(bar.get_y(), bar.get_height()) for bar in late] == [(3, 0), (3, 2), (3, 0)]
