"""Trips of unusual length per start station and New York calendar day, by the median absolute deviation."""

from datetime import timedelta

from windrow.schemas.model import Model, heavy
from windrow.schemas.query import tumbling

MODEL = Model(
    name="farm_bikes_anomalies",
    stream="bikes",
    key=("start_station_id",),
    window=tumbling(size=timedelta(days=1), zone="America/New_York"),
    function=heavy("median_deviation", "trip_duration_s", threshold=3.5),
    # As bikes_daily: a forgotten bike may come back a week later.
    lateness=timedelta(hours=2),
    allowed_lateness=timedelta(days=7),
)
