"""From the table that a caller has, such as a DataFrame, to one of Arrow."""

from typing import Protocol

import pyarrow as pa
import pyarrow.types as types

from schemas.errors import BadInput
from schemas.windows import require

TAKEN = (
    "a pyarrow.Table, a DataFrame of pandas or of Polars, or another table in memory with __arrow_c_stream__ "
    "(the Arrow PyCapsule interface)"
)


class ArrowStream(Protocol):
    """A table of any library that exports it by Arrow's PyCapsule interface: pyarrow, pandas, Polars, DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A PyCapsule of an ArrowArrayStream."""


def arrow_table(events: ArrowStream) -> pa.Table:
    """The same rows. pandas' NaN, NaT and None become null; what its index holds becomes columns, where it has a name.

    Raises WrongParameter for what is no table, BadInput for columns that Arrow has no type for.
    """
    require(hasattr(events, "__arrow_c_stream__"), "events", type(events).__name__, TAKEN)
    try:
        # pyarrow recognizes pandas' DataFrames, and takes all others by the interface.
        return _without_views_in_dictionaries(pa.table(events))
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise BadInput(
            f"events, of type {type(events).__name__}, can't be made a table of Arrow: "
            f"{'; '.join(map(str, error.args))}. Taken: {TAKEN}, whose columns hold one type each"
        ) from None


def _without_views_in_dictionaries(table: pa.Table) -> pa.Table:
    """Arrow doesn't decode what Polars makes of its categories: dictionaries of string views."""
    for place, field in enumerate(table.schema):
        if types.is_dictionary(field.type) and types.is_string_view(field.type.value_type):
            chunks = [
                pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(pa.large_string()))
                for chunk in table.column(place).chunks
            ]
            type_ = pa.dictionary(field.type.index_type, pa.large_string())
            table = table.set_column(place, field.name, pa.chunked_array(chunks, type_))
    return table
