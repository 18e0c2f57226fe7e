"""Until there are more than `most` tuples, or they last `length_us` or longer: then all but the newest go, and it
begins anew."""

from collections.abc import Mapping

from windrow.schemas.query import agg
from windrow.schemas.windows.policy import EvictionPolicy


def out(total: Mapping, prefix: Mapping, most: int, length_us: int) -> bool:
    is_full = total["tuples"] > most or total["last"] - total["first"] >= length_us
    return is_full and prefix["tuples"] < total["tuples"]


POLICY = EvictionPolicy({"tuples": agg("count"), "first": agg("min", "start"), "last": agg("max", "start")}, out)
