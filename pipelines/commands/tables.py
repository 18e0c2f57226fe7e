"""windrow tables."""

from pathlib import Path

from pipelines.commands import _output
from pipelines.commands._options import AsJson
from schemas.errors import StorageFailed


def tables(as_json: AsJson = False):
    """List the tables of the lake: rows, files, size, newest version and what they hold."""
    from pipelines import config, sql

    settings = config.load()
    found = [_describe(settings.table(name)) for name in sql.table_names(settings)]
    _output.show(found, as_json)
    if not found:
        _output.say(f"there is no table below {settings.lake} yet; begin with: windrow ingest STREAM")


def _describe(folder: Path) -> dict:
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    try:
        table = DeltaTable(folder)
    except DeltaError as error:
        raise StorageFailed(f"the table in {folder} can't be read: {error}; move the folder away") from error
    files = table.get_add_actions(flatten=True)
    sizes, counts = (files.column(column).to_pylist() for column in ("size_bytes", "num_records"))
    changed_ms = table.history(1)[0]["timestamp"]
    return {
        "table": folder.name,
        "rows": sum(counts),
        "files": len(sizes),
        "bytes": sum(sizes),
        "version": table.version(),
        "changed": _output.from_ms(changed_ms),
        "holds": table.metadata().description,
    }
