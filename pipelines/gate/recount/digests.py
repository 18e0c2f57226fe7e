"""What panes hold, as a digest by which the gate knows whether they are as they were made."""

from windrow.pipelines.gate.recount import sql
from windrow.pipelines.gate.recount.query_days import RecountDatabase
from windrow.schemas.side_tables import NOTHING, PARTITION


def holds(recount: RecountDatabase, relation: str) -> str:
    """SQL: a digest of rows of a relation, in any order; the columns of its partitions are no part of it."""
    types = {name: kind for name, kind in recount.types_of(relation).items() if name not in PARTITION}
    # Microseconds, since a time's text depends on a zone; U+001E distinguishes null from empty.
    values = (f"epoch_us({sql.name(name)})" if "TIME" in types[name] else sql.name(name) for name in sorted(types))
    texts = ", ".join(f"coalesce(CAST({value} AS VARCHAR), chr(30))" for value in values)
    return f"coalesce(to_hex(sum(md5_number_lower(concat_ws(chr(31), {texts})))), '{NOTHING}')"
