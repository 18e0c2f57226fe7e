"""A stream of buoys, in a file that Spark's workers can import too."""

from datetime import date, datetime, timedelta

from windrow.schemas.fields import decimal_number
from windrow.schemas.stream import Column, Layout, Place, Record, Stream


def parse_reading(fields: list[str], _: Place) -> list[Record]:
    buoy, *times, wave_height = fields
    taken_us, received_us = (int(datetime.fromisoformat(each).timestamp()) * 1_000_000 for each in times)
    return [Record(taken_us, taken_us, received_us, (buoy, decimal_number(wave_height)))]


BUOYS = Stream(
    name="buoys",
    title="heights of waves",
    source="this file",
    layouts=(
        Layout(
            name="readings",
            paths=("buoys/*.jsonl",),
            header=None,
            members=("buoy.id", "taken_at", "received_at", "wave_height_m"),
            parse=parse_reading,
            identity=None,
        ),
    ),
    columns=(Column("buoy", "string", "which"), Column("wave_height_m", "float64", "how high", "m", low=0, high=40)),
    key=("buoy",),
    buckets=2,
    ahead_at_most=timedelta(0),
    zone="UTC",
    clock_rule="UTC",
    first_day=date(2024, 1, 1),
)
