"""Strings as whole numbers: table `strings`, (string, place), in order of their UTF-8 bytes.

The recount works on NumPy's numbers. A place is compared as its string is, so that the least string has the least one.
"""

from pipelines.gate.recount import aggregates, sql
from pipelines.gate.recount.query_days import QueryDays, value_name


def add_strings(recount: QueryDays) -> None:
    """Of all events and rows whose strings are compared: O(strings log strings)."""
    compared = aggregates.compared_columns(recount.query)
    events, rows = (aggregates.types_of(recount, relation) for relation in ("candidates", "audit"))
    values = [value_name(recount.query, column) for column in compared]
    found = [f"SELECT {name} AS string FROM candidates" for name in values if events[name] == aggregates.TEXT]
    results = aggregates.recounted(recount.query)
    found += [f"SELECT {sql.name(name)} FROM audit" for name in results if rows[name] == aggregates.TEXT]
    if found:
        recount.connection.execute(f"""
            CREATE TEMP TABLE strings AS
            SELECT string, row_number() OVER (ORDER BY string) AS place
            FROM ({" UNION ".join(found)}) WHERE string IS NOT NULL""")
