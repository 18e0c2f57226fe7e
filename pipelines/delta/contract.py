"""What a Delta table on disk must be: made from `schemas/tables.py`, and compared with it."""

import pyarrow as pa
from deltalake import DeltaTable, Schema

from windrow.pipelines import storage
from windrow.pipelines.location import Location
from windrow.schemas.errors import TableMismatch
from windrow.schemas.registry import made_anew_by
from windrow.schemas.tables import Table

# Deletion vectors break delta-rs's way to pyarrow, so that DuckDB and Polars could not read the table. Logs are
# shortened by upkeep/maintain.py, which knows who needs what, not by the writer of a checkpoint. These come as often
# as Spark makes them: a commit opens its table several times, and with delta-rs's 100 it took twice as long.
PROPERTIES = {
    "delta.enableDeletionVectors": "false",
    "delta.enableExpiredLogCleanup": "false",
    "delta.checkpointInterval": "10",
}
# The protocol's first version whose writers check constraints: of a lower one delta-rs takes any row.
_CHECKED = {"delta.minWriterVersion": "3"}
# delta-rs rewrites a constraint's text where it is added later (`end` >= start becomes start <= end): tables that were
# made so have the text as defined alongside.
_CONSTRAINT, _DEFINED = "delta.constraints.", "windrow.constraints."


def create(folder: Location, table: Table, schema: pa.Schema) -> None:
    """Make the table in a folder that isn't there yet: in one commit, so that a kill leaves none without its
    constraints, which no writer would check; and alongside its place where that has folders, so that neither a kill
    nor a full disk leaves one with an empty log."""
    place = folder.with_name(f".{table.name}.new") if storage.has_folders(folder) else folder
    storage.remove_folder(place)
    constraints = {_CONSTRAINT + name: condition for name, condition in table.constraints}
    DeltaTable.create(
        str(place),
        schema,
        partition_by=list(table.partition_by),
        description=table.comment,
        configuration={**PROPERTIES, **(_CHECKED if constraints else {}), **constraints},
        raise_if_key_not_exists=False,
        storage_options=storage.delta_options(place),
    )
    if place != folder:
        storage.move(place, folder)


def require_same(found: DeltaTable, table: Table, schema: pa.Schema) -> None:
    """Raise TableMismatch with every difference."""
    if listed := differences(table, schema, found):
        raise TableMismatch(table.name, listed, made_anew_by(table.name))


def require(folder: Location, table: Table, schema: pa.Schema) -> None:
    """Raise TableMismatch with every difference; renew comments, and add columns to a table that grows."""
    found = storage.read_only_table(folder)
    present = {field.name for field in found.schema().fields}
    if table.grows and (lacking := [field for field in schema if field.nullable and field.name not in present]):
        storage.delta_table(folder).alter.add_columns(Schema.from_arrow(pa.schema(lacking)).fields)
        found = storage.read_only_table(folder)
    require_same(found, table, schema)
    written = {field.name: field.metadata.get("comment") for field in found.schema().fields}
    comments = {field.name: field.metadata[b"comment"].decode() for field in schema}
    if renewed := {name: comment for name, comment in comments.items() if written[name] != comment}:
        alter = storage.delta_table(folder).alter
        for name, comment in renewed.items():
            alter.set_column_metadata(name, {"comment": comment})


def differences(table: Table, schema: pa.Schema, found: DeltaTable) -> list[str]:
    """How the table on disk differs from its definition, apart from comments."""
    return [*_schema_differences(table, schema, found), *_constraint_differences(table, found)]


def _schema_differences(table: Table, schema: pa.Schema, found: DeltaTable) -> list[str]:
    present = {field.name: field for field in pa.schema(found.schema().to_arrow())}
    differences = [f"column {field.name} is missing ({field.type})" for field in schema if field.name not in present]
    differences += [f"column {name} is not in the definition" for name in present if name not in schema.names]
    for field in (field for field in schema if field.name in present):
        for what in ("type", "nullable"):
            defined, on_disk = getattr(field, what), getattr(present[field.name], what)
            if defined != on_disk:
                differences.append(f"column {field.name}: {what} is {on_disk}, defined as {defined}")
    partitions = tuple(found.metadata().partition_columns)
    if partitions != table.partition_by:
        differences.append(f"partitioned by {partitions}, defined as {table.partition_by}")
    return differences


def _constraint_differences(table: Table, found: DeltaTable) -> list[str]:
    configuration = found.metadata().configuration
    defined = dict(table.constraints)
    present = {
        key.removeprefix(_CONSTRAINT): configuration.get(_DEFINED + key.removeprefix(_CONSTRAINT), text)
        for key, text in configuration.items()
        if key.startswith(_CONSTRAINT)
    }
    return [
        f"constraint {name} is {present.get(name, 'absent')!r}, defined as {defined.get(name, 'absent')!r}"
        for name in sorted(defined.keys() | present.keys())
        if defined.get(name) != present.get(name)
    ]
