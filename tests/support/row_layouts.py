"""Layouts of a stream whose records say what their layout's function got."""

from datetime import date, timedelta

from windrow.schemas.stream import Column, Layout, Record, Stream

DAY_US = 86_400_000_000
HEADER = (
    "ride_id,rideable_type,started_at,ended_at,start_station_name,start_station_id,end_station_name,end_station_id,"
    "start_lat,start_lng,end_lat,end_lng,member_casual"
)


def parse_fields(fields, _):
    """A record that says what its layout's function got."""
    return [Record(DAY_US, DAY_US, DAY_US, (repr(fields),))]


def layout(name: str = "rows", **said) -> Layout:
    return Layout(name, ("rows/*",), **{"header": None, "parse": parse_fields, "identity": "line"} | said)


def stream(*layouts: Layout) -> Stream:
    columns = (Column("fields", "string", "what the function got"),)
    times = {"ahead_at_most": timedelta(0), "zone": "UTC", "clock_rule": "-", "first_day": date(1970, 1, 1)}
    return Stream("rows", "Rows", "made", layouts, columns, ("fields",), 1, **times)
