"""The task of many days: its run's params say which."""

from collections.abc import Sequence

from airflow.sdk import Context, Param

from dags.command import WindrowOperator
from schemas.query import Query


def params(queries: Sequence[Query]) -> dict[str, Param]:
    """What a run is asked for: days as YYYY-MM-DD, both included, or the stale ones."""
    names = [query.name for query in queries]
    day = {"type": ["null", "string"], "format": "date"}
    # examples: of an array Airflow's form offers these for choice.
    chosen = {"type": "array", "items": {"type": "string", "enum": names}, "examples": names, "minItems": 1}
    return {
        "from": Param(None, description="the first arrival day, UTC", **day),
        "to": Param(None, description="the last arrival day, included", **day),
        "queries": Param(names, description="which of them", **chosen),
        "backwards": Param(False, type="boolean", description="newest days first; the rows are the same"),
        "again": Param(False, type="boolean", description="also days that are published as they would be now"),
        "stale": Param(False, type="boolean", description="instead of a range every day that is stale"),
    }


class BackfillOperator(WindrowOperator):
    """What doesn't go together, such as a range and `stale`, is refused by `windrow` itself."""

    def words(self, context: Context) -> list[str]:
        """Of the command line."""
        asked = context["params"]
        days = [word for name in ("from", "to") if asked[name] for word in (f"--{name}", asked[name])]
        switches = [f"--{name}" for name in ("backwards", "again", "stale") if asked[name]]
        return [*self.arguments, *asked["queries"], *days, *switches]
