"""Answers to SQL over the lake, as tables of pandas, Polars and Arrow."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import pandas
import pyarrow as pa
import pyarrow.types as types

from windrow.pipelines import config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.rows.arrays import plain_rows
from windrow.pipelines.sql import statements
from windrow.schemas.errors import BadStatement, NotSetUp, WindrowError
from windrow.schemas.windows import require

if TYPE_CHECKING:
    import polars

SHOWN = 10
T = TypeVar("T")


class Answer:
    """The rows that a statement gave, in memory. Any function that takes a table with `__arrow_c_stream__` takes an
    Answer: `replay_table`, `polars.DataFrame`, `pyarrow.table`.

    Raises BadStatement if pandas or Polars has no type for a column, NotSetUp if Polars isn't installed.
    """

    def __init__(self, rows: pa.Table):
        self._rows = rows

    def to_arrow(self) -> pa.Table:
        """The rows as a pyarrow.Table, without a copy."""
        return self._rows

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a DataFrame of pandas, with pyarrow's choice of types: integers with nulls become floats."""
        return _made("pandas", self._rows.to_pandas, ())

    def to_polars(self) -> "polars.DataFrame":
        """The rows as a DataFrame of Polars. Windrow doesn't install Polars."""
        try:
            import polars
        except ModuleNotFoundError:
            raise NotSetUp("Polars isn't installed", 'pip install "polars>=2.1,<3"') from None
        return _made("Polars", lambda: polars.DataFrame(self._rows), (polars.exceptions.PolarsError,))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._rows.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return self._rows.num_rows

    def __repr__(self) -> str:
        return f"{self._first_rows()}\n{self._size()}"

    def _repr_html_(self) -> str:
        return f"{self._first_rows().to_html(notebook=True)}<p>{self._size()}</p>"

    def _first_rows(self) -> pandas.DataFrame:
        return pandas.DataFrame(plain_rows(self._rows.slice(0, SHOWN)), columns=self._rows.column_names)

    def _size(self) -> str:
        more = f", the first {SHOWN} shown" if len(self) > SHOWN else ""
        return f"{len(self):,} {'row' if len(self) == 1 else 'rows'}{more}"


def sql(statement: str) -> Answer:
    """Answer one SQL statement that reads, in DuckDB's dialect, from the same tables as `windrow query`.

    `<query>` has every revision, `<query>_final` what turned out to be true, `<query>_as_of(t)` what was known at t.
    The setting WINDROW_HOME names the lake. Times are in UTC. Sums of integers are int64 if they fit into it. All rows
    of the answer must fit into memory. Raises BadStatement, UnknownName for a table that doesn't exist, TableDamaged
    for a table that can't be read, StorageFailed if the user has no right to read it.
    """
    require(isinstance(statement, str), "statement", statement, "SQL, as a text")
    try:
        return Answer(_whole_numbers(statements.run(Lake(config.load()), statement)))
    except WindrowError as error:
        # Without DuckDB's own traceback: the message has its words, and the mistake is in the statement.
        raise error from None


def _whole_numbers(rows: pa.Table) -> pa.Table:
    """DuckDB's sums of whole numbers have 128 bits, with which neither pandas nor a chart reckons."""
    for place, field in enumerate(rows.schema):
        if types.is_decimal(field.type) and field.type.scale == 0:
            try:
                rows = rows.set_column(place, field.name, rows.column(place).cast(pa.int64()))
            except pa.ArrowInvalid:
                continue
    return rows


def _made(library: str, make: Callable[[], T], raised: tuple[type[Exception], ...]) -> T:
    try:
        return make()
    except (pa.ArrowException, ValueError, OverflowError, *raised) as error:
        raise BadStatement(
            f"{library} has no type for a column of the answer: {error}. Cast the column in the statement, "
            "such as column::VARCHAR, or use to_arrow()"
        ) from None
