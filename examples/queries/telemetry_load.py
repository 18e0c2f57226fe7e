"""Load of all that is measured: mean, maximum and number of measurements per source and metric, 5 minutes by 1."""

from datetime import timedelta

from windrow.schemas.query import Query, agg, sliding

QUERY = Query(
    name="telemetry_load",
    stream="telemetry",
    key=("source", "metric"),
    window=sliding(timedelta(minutes=5), timedelta(minutes=1)),
    aggregates={
        "value_mean": agg("mean", "value"),
        "value_max": agg("max", "value"),
        "readings": agg("count"),
    },
    # Half of the measured delays are above 64 s, one in a hundred is above 128 s.
    lateness=timedelta(seconds=90),
    allowed_lateness=timedelta(hours=1),
)
