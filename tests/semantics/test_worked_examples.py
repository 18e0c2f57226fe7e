"""Each example of docs/semantics-examples.md: the oracle and the replay both give exactly its rows or late events."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.support.local import late_table, replay_table
from tests.support.oracle import oracle
from tests.support.semantics.queries import DAY, HOUR, MINUTE, ZERO, ask
from tests.support.semantics.spec_tables import at, events, rows_of, table
from windrow.schemas import query as of_queries
from windrow.schemas.query import Query

PAGE = Path(__file__).resolve().parents[2] / "docs/semantics-examples.md"
EXAMPLE = re.compile(
    r"\n`(window=.+)`\n\n((?:\|.*\n)+)\ngives (?:no (rows|late events)\.|the (rows|late events)\n\n((?:\|.*\n?)+))"
)
NO_CELLS = re.compile(r"^\|[ |-]+\|\n|^\| | \|$", re.MULTILINE)
"""What a table of Markdown has around those of `rows_of`."""
WORDS = vars(of_queries) | {"UTC": UTC, "MINUTE": MINUTE, "HOUR": HOUR, "DAY": DAY}
WORDS |= {each.__name__: each for each in (date, datetime, timedelta, timezone)}
SAID_BY = {"rows": (oracle.replay, replay_table), "late events": (oracle.late, late_table)}
COLUMNS = {"at": "emitted_at", "late": "late_events"}


def examples() -> Iterator:
    """(query, events, what comes out, its kind) of each, and of each of its alternatives."""
    for part in PAGE.read_text().split("\n### ")[1:]:
        caption, found = part.partition("\n")[0], EXAMPLE.findall(part)
        assert len(found) == part.count("\n`") > 0, f"an example of “{caption}” is written in another way"
        for asked, given, of_none, of_some, result in found:
            marks = [pytest.mark.slow] * ("=policy(" in asked)  # compiled for this query
            for query in spelt_out(asked):
                tables = [NO_CELLS.sub("", each) for each in (given, result or given.partition("\n")[0])]
                yield pytest.param(query, *tables, of_none or of_some, id=caption, marks=marks)


def spelt_out(asked: str) -> list[str]:
    """A query for each value of what is given as `this or that`."""
    either = re.search(r'["\w]+(?: or ["\w]+)+', asked)
    return [asked.replace(either[0], each) for each in either[0].split(" or ")] if either else [asked]


EXAMPLES = list(examples())


def test_the_page_has_its_examples():
    """Of none pytest would say that it skipped them."""
    assert len(EXAMPLES) > 120


@pytest.mark.parametrize(("asked", "given", "result", "kind"), EXAMPLES)
def test_the_oracle_and_the_replay_say_what_the_example_says(asked, given, result, kind):
    words = eval(f"dict({asked})", WORDS)
    of_replay = {name: words.pop(name) for name in ("complete", "idle_after") if name in words}
    query, rows = ask(allowed=words.pop("allowed_lateness", ZERO), **words), events(given)
    wanted = [_wanted(cells, kind, query) for cells in rows_of(result)]
    plainly, compiled = SAID_BY[kind]
    for found in (plainly(rows, query, **of_replay), compiled(table(rows), query, **of_replay).to_pylist()):
        assert [{name: row[name] for name in (wanted or [{}])[0]} for row in found] == wanted
        if kind == "rows":
            windows = Counter()
            for row in found:
                window = (row.get("key"), row["window_start"], row["window_end"], row.get("window_number"))
                assert row["revision"] == windows[window], "revisions count from 0"
                windows[window] += 1


def _wanted(cells: dict[str, str | None], kind: str, query: Query) -> dict:
    """A row by the columns' names; a window's cell is `from..to`, or u of a rolling one."""
    row = {COLUMNS.get(name, name): _value(name, cell) for name, cell in cells.items() if name not in ("window", "u")}
    if kind == "late events":
        return {"reason": "too late"} | row
    start, _, end = (cells.get("window") or "").partition("..")
    if start:
        return row | {"window_start": at(start), "window_end": at(end)}
    passes = at(cells["u"]) + timedelta(microseconds=1)
    return row | {"window_start": passes - query.window.size, "window_end": passes}


def _value(name: str, cell: str | None) -> object:
    if cell is None or name in ("key", "pane", "reason"):
        return cell
    if name in ("at", "first_missed", "last_missed"):
        return at(cell)
    return float(cell) if "." in cell else int(cell)
