"""Arrow schemas of tables as `schemas/tables.py` defines them."""

import pyarrow as pa

from schemas.stream import Column
from schemas.tables import Table

ARROW_TYPES = {
    "string": pa.string(), "int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_(),
    "timestamp": pa.timestamp("us", "UTC"), "date": pa.date32(), "binary": pa.binary(),
}  # fmt: skip


def arrow_schema(table: Table) -> pa.Schema:
    """The table's Arrow schema: types, nullability, and each column's comment as field metadata."""
    return pa.schema(
        [
            pa.field(column.name, ARROW_TYPES[column.type], column.nullable, {"comment": _comment(column)})
            for column in table.columns
        ]
    )


def _comment(column: Column) -> str:
    return f"{column.meaning} [{column.unit}]" if column.unit else column.meaning
