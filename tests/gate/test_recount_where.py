"""A query's `where`, as the gate asks DuckDB for it: a comparison with null is false."""

import duckdb
import pytest

from pipelines.gate.recount import sql

VALUES = [None, 1, 2, 3]
HELD = {
    ("==", 2): [2],
    ("!=", 2): [1, 3],
    ("<", 2): [1],
    (">=", 2): [2, 3],
    ("in", (1, 3)): [1, 3],
    ("in", ()): [],
    ("not_in", (1,)): [2, 3],
    ("not_in", ()): [1, 2, 3],
    ("is_null", None): [None],
    ("not_null", None): [1, 2, 3],
}


@pytest.mark.parametrize("condition", HELD, ids=str)
def test_a_condition_holds_of_these_values(condition):
    asked = sql.where((("value", *condition),), "events")
    with duckdb.connect() as database:
        database.execute("CREATE TABLE events AS SELECT unnest(?::BIGINT[]) AS value", [VALUES])
        held = database.execute(f"SELECT value FROM events WHERE {asked} ORDER BY value").fetchall()
    assert [value for (value,) in held] == HELD[condition]
