"""One replay with its gate, in a process of its own: seconds of each part of it as JSON, the last line that it prints.

python -m benchmarks.everyday_parts QUERY DAY
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import date

from windrow.pipelines import config
from windrow.pipelines.delta.file_commits import FileCommit
from windrow.pipelines.engines import engine_of
from windrow.pipelines.engines.spark import spark_session
from windrow.pipelines.gate import expectations
from windrow.pipelines.runs.replay import replay_day


class Parts:
    """Seconds of each part; what one part calls of another is the other's."""

    def __init__(self) -> None:
        self.spent_s: Counter[str] = Counter()
        self._inner_s: list[float] = []  # of each part that runs: what others took that it called

    def time(self, part: str, owner: object, name: str) -> None:
        """Every call of owner.name from now on."""
        function = getattr(owner, name)
        setattr(owner, name, lambda *given, **named: self._timed(part, function, *given, **named))

    def _timed(self, part: str, function: Callable, *given: object, **named: object) -> object:
        self._inner_s.append(0.0)
        began_s = time.monotonic()
        try:
            return function(*given, **named)
        finally:
            whole_s, inner_s = time.monotonic() - began_s, self._inner_s.pop()
            self.spent_s[part] += whole_s - inner_s
            if self._inner_s:
                self._inner_s[-1] += whole_s


def main(query: str, day: date) -> None:
    """Replay the day; prints."""
    loaded, parts = config.load(), Parts()
    # First of all: the engine of Spark imports it by its name.
    parts.time("Spark's session (its JVM)", spark_session, "session")
    engine = type(engine_of(loaded))
    for work in ("each", "each_group"):
        parts.time("work on shares", engine, work)
    parts.time("Delta's log, by delta-rs", FileCommit, "replace")
    parts.time("Great Expectations, where no task does it", expectations, "validate")
    replay_day(loaded, query, day)
    print(json.dumps(parts.spent_s))


if __name__ == "__main__":
    main(sys.argv[1], date.fromisoformat(sys.argv[2]))
