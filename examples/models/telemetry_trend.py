"""Where each metric of a pod is heading: a parabola through the last hour of its readings, every minute."""

from datetime import timedelta

from windrow.schemas.model import Model, heavy
from windrow.schemas.query import sliding
from windrow.schemas.streams.telemetry import POD_METRICS

MODEL = Model(
    name="farm_telemetry_trend",
    stream="telemetry",
    key=("source", "metric"),
    window=sliding(timedelta(hours=1), timedelta(minutes=1)),
    # Readings come every minute, so a full window has 60; requests of pods are events of another kind.
    function=heavy("polynomial_fit", "value", degree=2),
    where=(("metric", "in", tuple(metric for metric, _ in POD_METRICS.values())),),
    # Pods are read within a second; of all else in the stream half arrives within 64 s.
    lateness=timedelta(minutes=2),
    allowed_lateness=timedelta(minutes=10),
)
