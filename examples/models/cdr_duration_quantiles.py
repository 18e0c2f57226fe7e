"""How long sessions last at each antenna: exact quantiles of those that began in the last hour, every 5 minutes."""

from datetime import timedelta

from windrow.schemas.model import Model, heavy
from windrow.schemas.query import sliding

MODEL = Model(
    name="farm_cdr_duration_quantiles",
    stream="cdr",
    key=("location_area", "cell"),
    window=sliding(timedelta(hours=1), timedelta(minutes=5)),
    function=heavy("quantiles", "length_s", probabilities=(0.5, 0.95, 0.99)),
    # A session is known when it ends, and the long ones are those that the upper quantiles are about.
    lateness=timedelta(minutes=20),
    allowed_lateness=timedelta(days=1),
)
