"""What an administrator says of DAGs in windrow.toml:

    [streams.bikes]          of all DAGs of the stream
    [queries.bikes_demand]   of the query's task, which is its own in the DAGs of each day

A key that is in no table has the value of the same key at the top of the file, or of its variable.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from windrow.schemas import project
from windrow.schemas.errors import WrongParameter
from windrow.schemas.query import Query
from windrow.schemas.registry import query_names, stream_names
from windrow.schemas.replay_limits import read_seconds, require_seconds

STREAMS, QUERIES = project.TABLES
NO_SCHEDULE = "none"
# Airflow has columns of so many letters for tags; more tries are none.
MOST_LETTERS, MOST_RETRIES = 100, 1_000
_CRON, _PATH = re.compile(r"\S+( \S+){4}"), re.compile(r"[\w.]+:\w+")


def _text(name: str, value: Any, allowed: str = "", pattern: re.Pattern[str] | None = None) -> str:
    allowed = allowed or f"a text of at most {MOST_LETTERS} letters"
    if not isinstance(value, str) or len(value) > MOST_LETTERS or pattern and not pattern.fullmatch(value):
        raise WrongParameter(name, value, allowed)
    return value


def _texts(name: str, value: Any) -> list[str]:
    if not isinstance(value, list):
        raise WrongParameter(name, value, "a list of texts")
    return [_text(name, each, f"texts of at most {MOST_LETTERS} letters") for each in value]


def _count(name: str, value: Any) -> int:
    if isinstance(value, bool) or not str(value).isdecimal() or int(value) > MOST_RETRIES:
        raise WrongParameter(name, value, f"a whole number from 0 to {MOST_RETRIES:,}")
    return int(value)


def _seconds(name: str, value: Any) -> float | None:
    return read_seconds(name, value) if isinstance(value, str) else require_seconds(name, value)


def _path(name: str, value: Any) -> str:
    return _text(name, value, "module:name, of a function or of a class of notifiers", _PATH)


def _schedule(name: str, value: Any) -> str:
    allowed = f"a cron of five fields, in UTC, or {NO_SCHEDULE!r}"
    return value if value == NO_SCHEDULE else _text(name, value, allowed, _CRON)


# By key, what reads it: it raises WrongParameter by the name that it is given.
OF_TASKS: dict[str, Callable[[str, Any], Any]] = {
    "owner": _text,
    "pool": _text,
    "retries": _count,
    "most_task_seconds": _seconds,
    "notifier": _path,
    "alert_to": _text,
}
OF_RUNS: dict[str, Callable[[str, Any], Any]] = {
    "alert_after_seconds": _seconds,
    "schedule": _schedule,
    "tags": _texts,
}
KEYS = {STREAMS: OF_TASKS | OF_RUNS, QUERIES: OF_TASKS}
WHAT = {key: project.SETTINGS[key].removeprefix("of DAGs: ") for key in KEYS[STREAMS] if key in project.SETTINGS} | {
    "schedule": f"when a day is run: a cron of five fields in UTC, or {NO_SCHEDULE!r}; else at midnight",
    "tags": "tags of the DAGs, in a list, besides the stream's name",
}
"""What each key is, for docs/settings.md."""


@dataclass(frozen=True)
class DagSettings:
    """What is said of all DAGs; of a stream's, or of a query's task, by the nearest table that has the key."""

    tables: tuple[dict[str, Any], ...] = ()

    def __getitem__(self, key: str) -> Any:
        """None where nothing says it. WrongParameter for a variable, or a key at the top, that is no such value."""
        if table := next((each for each in self.tables if key in each), None):
            return table[key]
        variable = f"WINDROW_{key.upper()}"
        said = project.setting(variable) if key in project.SETTINGS else None
        return None if said is None else KEYS[STREAMS][key](variable, said)


def of_stream(name: str) -> DagSettings:
    """WrongParameter for a key or a value of its table that is none."""
    return DagSettings((_table(STREAMS, name),))


def of_query(query: Query) -> DagSettings:
    """As of_stream, of both tables."""
    return DagSettings((_table(QUERIES, query.name), _table(STREAMS, query.stream)))


def has_own_task(query: Query) -> bool:
    """Whether the query has a table."""
    return query.name in project.tables(QUERIES)


def wrong() -> Iterator[tuple[str, WrongParameter]]:
    """The tables that are wrong, each by its heading; also that of a stream or a query that there is not."""
    for kind, known in ((STREAMS, stream_names()), (QUERIES, query_names())):
        for name in project.tables(kind):
            try:
                if name not in known:
                    raise WrongParameter(f"table of [{kind}] in {project.FILE}", name, ", ".join(known), known)
                _table(kind, name)
            except WrongParameter as error:
                yield f"[{kind}.{name}]", error


def _table(kind: str, name: str) -> dict[str, Any]:
    found, keys = project.tables(kind).get(name, {}), KEYS[kind]
    if not isinstance(found, dict):
        raise WrongParameter(f"{name} of [{kind}]", found, f"a table, [{kind}.{name}]")
    for key in found:
        if key not in keys:
            raise WrongParameter(f"key of [{kind}.{name}] in {project.FILE}", key, ", ".join(keys), keys)
    return {key: keys[key](f"{key} of [{kind}.{name}]", value) for key, value in found.items()}
