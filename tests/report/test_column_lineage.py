"""Which columns a column is made from, by the definitions of the examples."""

import pytest

from windrow.pipelines.tables.column_lineage import ColumnPlace, features_sources, sources, users
from windrow.schemas.registry import feature_set

DEMAND = [
    "start_station_id", "window_start", "events", "trips", "mean_trip_duration_s", "pane", "emitted_date",
]  # fmt: skip
FOUND = sources(
    {
        "bikes_demand": DEMAND,
        "bikes_in_use": ["window_start"],
        "telemetry_hot": ["window_end", "events"],
        "farm_bikes_anomalies": ["status"],
        "bikes_demand_late": ["arrival", "late_by"],
        "silver_bikes": ["trip_duration_s", "arrival_date", "path", "bucket"],
        "pass_bikes": ["newest_start"],
        "runs": ["run_id"],
    }
)


@pytest.mark.parametrize(
    ("column", "made_from"),
    [
        ("bikes_demand.start_station_id", ["silver_bikes.start_station_id"]),
        ("bikes_demand.window_start", ["silver_bikes.start"]),
        ("bikes_in_use.window_start", ["silver_bikes.start", "silver_bikes.end"]),
        ("bikes_demand.trips", ["silver_bikes.start"]),
        ("bikes_demand.mean_trip_duration_s", ["silver_bikes.trip_duration_s"]),
        ("bikes_demand.pane", ["silver_bikes.start", "silver_bikes.arrival"]),
        ("bikes_demand.emitted_date", ["bikes_demand.emitted_at"]),
        ("telemetry_hot.window_end", ["silver_telemetry.start", "silver_telemetry.value"]),
        ("telemetry_hot.events", ["silver_telemetry.start", "silver_telemetry.value", "silver_telemetry.metric"]),
        ("farm_bikes_anomalies.status", ["silver_bikes.trip_duration_s"]),
        ("bikes_demand_late.late_by", ["silver_bikes.start", "silver_bikes.arrival"]),
        ("silver_bikes.trip_duration_s", ["bronze_bikes.text"]),
        ("silver_bikes.arrival_date", ["silver_bikes.arrival"]),
        ("silver_bikes.path", ["bronze_bikes.path"]),
        ("pass_bikes.newest_start", ["silver_bikes.start"]),
    ],
)
def test_a_column_is_made_from(column, made_from):
    assert [*map(str, FOUND[ColumnPlace(*column.split("."))])] == made_from


def test_the_other_way_round_and_what_no_definition_makes():
    made = users(FOUND)[ColumnPlace("silver_bikes", "trip_duration_s")]
    assert [*map(str, made)] == ["bikes_demand.mean_trip_duration_s", "farm_bikes_anomalies.status"]
    assert ColumnPlace("runs", "run_id") not in FOUND


def test_a_feature_is_made_from_what_its_aggregate_or_its_query_reads_and_a_label_from_nothing_here():
    asked = ["asked_at", "trips_7d", "mean_trip_duration_s_1h_true", "demand_trips", "demand_age_s_true"]
    found = features_sources(feature_set("bikes_station"), "made", asked)
    assert {place.column: [*map(str, of)] for place, of in found.items()} == {
        "trips_7d": ["silver_bikes.start"],
        "mean_trip_duration_s_1h_true": ["silver_bikes.trip_duration_s"],
        "demand_trips": ["bikes_demand.trips"],
        "demand_age_s_true": ["bikes_demand.window_end"],
    }
