"""What the demo's picture shows of a query: the windows around those that lateness changed."""

import pytest

pytest.importorskip("matplotlib")

from stack.picture import LEAST_AROUND, QUERIES_OVER_TIME, around_what_differs, title


def windows(count: int, late: dict[int, int]) -> list[dict]:
    return [{"start_station_id": 7, "known": 3, "final": 3 + late.get(place, 0)} for place in range(count)]


class TestAroundWhatDiffers:
    def test_one_window_has_some_before_and_behind_it(self):
        shown = around_what_differs(windows(1_000, {500: 2}))
        assert len(shown) == 2 * LEAST_AROUND + 1 and shown[LEAST_AROUND]["final"] == 5

    def test_long_stretch_has_a_quarter_of_its_length(self):
        assert len(around_what_differs(windows(1_000, {300: 1, 700: 1}))) == 401 + 2 * 100

    def test_begins_and_ends_with_the_rows(self):
        assert len(around_what_differs(windows(10, {0: 1, 9: 1}))) == 10

    def test_without_lateness_all_is_shown(self):
        assert len(around_what_differs(windows(300, {}))) == 300


def test_title_says_the_key_and_how_many_windows_changed():
    shown = title(QUERIES_OVER_TIME[0], windows(1_200, {3: 1, 4: 1}))
    assert shown == "bikes_demand, start_station_id 7: 2 of these 1,200 windows were not known in full on time"
