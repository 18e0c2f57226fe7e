"""SQL over the lake. Without a JVM DuckDB reads what delta-rs opens.

Every table of the lake is a view under its own name. A query's table has two more: `<query>_final`, the
newest revision of every window, and `<query>_as_of(t)`, what was known at `t` (semantics §3). Statements can
neither reach a file nor change the lake: the connection is in memory and has no access to the outside. For notebooks
and jobs a Spark session gets the same names:

    register_spark_views(lake, session)
    session.sql("SELECT * FROM bikes_demand_final")
    session.sql("SELECT * FROM bikes_demand_as_of(timestamp'2018-10-03 12:00')")
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
from deltalake.exceptions import DeltaError

from windrow.pipelines.delta import damage
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.storage import MEMORY
from windrow.processes import signals
from windrow.schemas.errors import BadStatement, StorageFailed, TableDamaged, UnknownName
from windrow.schemas.query import Query
from windrow.schemas.registry import VIEWS, broken_queries, queries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    # DuckDB must neither download an extension, nor read a Python variable as a table.
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "enable_external_access": "false",
    "TimeZone": "UTC",
}
QUESTIONS = ("SELECT", "EXPLAIN", "MULTI")  # DESCRIBE, SUMMARIZE and SHOW are kinds of SELECT; MULTI is PIVOT
_WORD = re.compile(r"\w+")
_UNREADABLE = "reading the stream registered as"  # how DuckDB passes on an error of delta-rs
# Names of columns that DuckDB takes for a word of its own, where they have no quotes.
_WORDS_OF_SQL = re.compile(r"(?<![\w.\"])(?:at|end)(?!\s+time\s+zone|[\w\"])", re.IGNORECASE)
_NO_SUCH_TABLE = re.compile(r"Table(?: Function)? with name \"?(\w+)\"? does not exist")


def run(lake: Lake, statement: str, most: int | None = None) -> pa.Table:
    """The statement's rows, the first `most` if that is given: no others are made that aren't needed for these. Only
    the tables that it names are opened; of none (SHOW TABLES), all are. Raises BadStatement, UnknownName for a table
    that isn't there, TableDamaged for one that can't be read, or StorageFailed where the user has no right to."""
    names = lake.names()
    words = {word.lower() for word in _WORD.findall(statement)}
    asked_for = [name for name in names if any(name + suffix in words for suffix in ("", *VIEWS))]
    with connect(lake, asked_for or names) as connection:
        try:
            _require_one_question(connection.extract_statements(statement))
            asked = connection.sql(statement)
            found = (asked if most is None else asked.limit(most)).to_arrow_table()
            return found.rename_columns(list(_distinct(asked.columns)))
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            raise explained(lake, error, names, statement) from error


def explained(lake: Lake, error: Exception, names: list[str], statement: str) -> Exception:
    """What to raise for an error of DuckDB, of Arrow or of the disk, by which a statement over these tables failed."""
    return _damage_behind(lake, error) or _refused(error, names, statement)


def connect(lake: Lake, names: list[str]) -> duckdb.DuckDBPyConnection:
    """A connection in memory with views of these tables."""
    # DuckDB makes this folder when a statement needs it, and takes it away: no other process may have it.
    scratch = f"{lake.config.scratch}-{os.getpid()}"
    memory = duckdb.connect(":memory:", config={"memory_limit": MEMORY, "temp_directory": scratch})
    connection = signals.interruptible(memory)
    for name in names:
        try:
            connection.register(name, lake.dataset(name))
        except (DeltaError, OSError) as error:
            raise _damage_behind(lake, error) or StorageFailed(
                f"table {name!r} below {lake.config.lake} can't be read: {error}; give the folder its rights back"
            ) from error
        if name in queries():
            add_revisions(connection, queries()[name])
    for setting, value in SETTINGS.items():
        connection.execute(f"SET {setting} = '{value}'")
    connection.execute("SET lock_configuration = true")
    return connection


def add_revisions(connection: duckdb.DuckDBPyConnection, query: Query) -> None:
    """`<query>_final` and `<query>_as_of(t)` over the query's table: O(rows · log rows of a window), one grouping."""
    newest = _newest(query, '"')
    connection.execute(f"CREATE VIEW {query.name}_final AS SELECT * FROM {query.name} {newest}")
    # The condition on the partition column follows from the other one: it spares reading the days after t.
    connection.execute(
        f"CREATE MACRO {query.name}_as_of(t) AS TABLE SELECT * FROM {query.name} "
        f"WHERE emitted_at <= t::TIMESTAMPTZ AND emitted_date <= (t::TIMESTAMPTZ)::DATE {newest}"
    )


def _newest(query: Query, quote: str) -> str:
    """A clause by which the newest revision of every window is left, in the words of DuckDB and of Spark."""
    window = ", ".join(f"{quote}{column}{quote}" for column in query.window_identity)
    # A window that is no more has a last revision without events.
    existing = "" if query.context_free else " AND events > 0"
    return f"QUALIFY row_number() OVER (PARTITION BY {window} ORDER BY revision DESC) = 1{existing}"


def _distinct(names: list[str]) -> Iterator[str]:
    """Columns of one name would hide each other in every row that is a dict: a, a becomes a, a_2."""
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        yield f"{name}_{seen[name]}" if seen[name] > 1 else name


def _require_one_question(statements: list[duckdb.Statement]) -> None:
    kinds = [statement.type.name for statement in statements]
    if len(kinds) != 1 or kinds[0] not in QUESTIONS:
        raise BadStatement(
            f"{', '.join(kinds) or 'nothing'} was asked for; allowed: one statement that reads, such as "
            "SELECT, DESCRIBE, SUMMARIZE, SHOW TABLES or EXPLAIN"
        )


def _damage_behind(lake: Lake, error: Exception) -> TableDamaged | StorageFailed | None:
    """Not looked for where a statement is wrong: that is how most fail."""
    if isinstance(error, duckdb.Error) and _UNREADABLE not in str(error):
        return None
    return damage.explained(lake, error)


def _refused(error: Exception, names: list[str], statement: str) -> Exception:
    missing = _NO_SUCH_TABLE.search(str(error))
    if _UNREADABLE in str(error):
        return StorageFailed(
            f"{error}\nA file of the lake can't be read; was it deleted while the statement ran? Ask again"
        )
    if isinstance(error, duckdb.OutOfMemoryException):
        return BadStatement(f"it needs more memory than {MEMORY}; ask for fewer rows or columns, or smaller groups")
    if missing:
        # Without its definition a query's table has no views.
        query = re.sub("_(final|as_of)$", "", missing.group(1))
        return broken_queries().get(query) or UnknownName("table", missing.group(1), names)
    if isinstance(error, duckdb.ParserException) and (words := _WORDS_OF_SQL.findall(statement)):
        quoted = " and ".join(f'"{word}"' for word in sorted({*map(str.lower, words)}))
        return BadStatement(
            f"{error}\nat and end are words of SQL: where a column is meant, write {quoted}, with the quotes"
        )
    return BadStatement(f"{error}\nwindrow tables lists the tables; DESCRIBE a_table lists its columns")


def register_spark_views(lake: Lake, session: "SparkSession") -> None:
    """Temporary views of all tables, and for each query `<query>_final` and the function `<query>_as_of(t)`, as long as
    the session lives. A table made later needs another call; new rows of a table don't."""
    for name in lake.names():
        session.sql(f"CREATE OR REPLACE TEMPORARY VIEW {name} AS SELECT * FROM delta.`{lake.folder(name)}`")
        if name in queries():
            _add_revisions(session, queries()[name])


def _add_revisions(session: "SparkSession", query: Query) -> None:
    newest = _newest(query, "`")
    session.sql(f"CREATE OR REPLACE TEMPORARY VIEW {query.name}_final AS SELECT * FROM {query.name} {newest}")
    fields = session.table(query.name).schema.fields
    returned = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in fields)
    # The condition on the partition column follows from the other one: it spares reading the days after t.
    session.sql(
        f"CREATE OR REPLACE TEMPORARY FUNCTION {query.name}_as_of(t TIMESTAMP) RETURNS TABLE ({returned}) "
        f"RETURN SELECT * FROM {query.name} WHERE emitted_at <= t AND emitted_date <= to_date(t) {newest}"
    )
