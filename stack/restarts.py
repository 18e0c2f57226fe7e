"""Which components were started again after they had died, and which of them not any more.

A component that dies at once, such as one whose database is gone, would be started for ever: after MOST starts within
WITHIN_S it stays dead until `make up`. Kept in a file, so that the next watcher, `make doctor` and `make up` know it.
"""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from stack import settings

MOST, WITHIN_S = 3, 600.0
LIMIT = f"{MOST} times within {WITHIN_S / 60:.0f} minutes"


@dataclass
class Restarts:
    """By component the times, in seconds since 1970, at which it was started again; and those that were given up."""

    starts: dict[str, list[float]] = field(default_factory=dict)
    given_up: list[str] = field(default_factory=list)

    def may_start(self, name: str, now_s: float) -> bool:
        """Whether it may be started again; notes that it was, or that it was given up."""
        recent = [start for start in self.starts.get(name, []) if now_s - start < WITHIN_S]
        if name in self.given_up:
            return False
        if len(recent) >= MOST:
            self.given_up.append(name)
            return False
        self.starts[name] = [*recent, now_s]
        return True


def read(home: Path) -> Restarts:
    """What is known of this home; nothing where the file is missing or damaged: then counting begins anew."""
    try:
        kept = json.loads(_file(home).read_text())
        return Restarts({name: [float(start) for start in starts] for name, starts in kept["starts"].items()},
                        [str(name) for name in kept["given_up"]])  # fmt: skip
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return Restarts()


def write(home: Path, restarts: Restarts) -> None:
    """Replace the file in one step."""
    fresh = _file(home).with_suffix(".fresh")
    fresh.write_text(json.dumps(vars(restarts)))
    os.replace(fresh, _file(home))


def forget(home: Path) -> None:
    """Count anew, and try again what was given up."""
    _file(home).unlink(missing_ok=True)


def _file(home: Path) -> Path:
    return settings.airflow_home(home) / "restarts.json"
