"""What the rows of everyone else come to: an erasure must leave them as they are.

Silver, and the tables of queries whose key has all columns of the condition: there a row is of the person, or isn't.
"""

from collections.abc import Iterator
from typing import NamedTuple

from windrow.pipelines import storage
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.erasure.person import Person
from windrow.pipelines.ingest.partitions import NOT_DIGESTED
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas import registry
from windrow.schemas.tables import Table


class Fingerprint(NamedTuple):
    """How many rows, and the sum and exclusive or of their hashes: the same in any order."""

    rows: int
    added: str
    crossed: str


def fingerprints(lake: Lake, tables: StreamTables, person: Person) -> dict[str, Fingerprint]:
    """By table, of the rows that are not the person's. O(rows)."""
    found = {}
    with storage.open_database(lake.config.scratch, lake.config.lake) as database:
        for table in _tables(tables, person):
            if lake.version(table.name) is None:
                continue
            database.register("rows", lake.dataset(table.name))
            names = [column.name for column in table.columns if column.name not in NOT_DIGESTED]
            values = ", ".join(f'coalesce("{name}"::VARCHAR, chr(30))' for name in names)
            (row,) = database.execute(f"""
                SELECT count(*), coalesce(sum(hashed), 0)::VARCHAR, coalesce(bit_xor(hashed), 0)::VARCHAR
                FROM (SELECT md5_number_lower(concat_ws(chr(31), {values})) AS hashed FROM rows
                      WHERE ({person.condition}) IS NOT TRUE)""").fetchall()
            found[table.name] = Fingerprint(*row)
    return found


def _tables(tables: StreamTables, person: Person) -> Iterator[Table]:
    yield tables.silver
    for query in registry.queries_of(tables.stream.name):
        if {*person.values} <= {*query.key}:
            of_query = QueryTables.of(query)
            yield from (of_query.results, of_query.late)
