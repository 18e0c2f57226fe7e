"""Windows of a policy: the events that it kept, up to the newest."""

from pipelines.gate.recount.kinds._dependent import DependentWindows
from pipelines.gate.recount.query_days import Recount
from schemas.windows import Policy


class PolicyWindows(DependentWindows[Policy]):
    """Every event is kept at first, whatever its values are."""

    def holds(self, recount: Recount, event: str) -> str:
        return "TRUE"


in_sql = PolicyWindows
