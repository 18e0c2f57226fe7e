"""windrow tables."""

from pathlib import Path

from pipelines.cli import _output
from pipelines.cli._options import AsJson
from schemas.errors import StorageFailed


def tables(as_json: AsJson = False) -> None:
    """List the tables of the lake: rows, files, size, newest version, how many can be read, and what they hold."""
    from pipelines import config
    from pipelines.lake.lake import Lake

    lake = Lake(config.load())
    found = [_describe(lake.folder(name)) for name in lake.names()]
    _output.show(found, as_json)
    if not found:
        _output.note(f"there is no table below {lake.config.lake} yet; begin with: windrow ingest STREAM")


def _describe(folder: Path) -> dict:
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    from pipelines.lake.versions import readable_count

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
        "versions": readable_count(folder),
        "changed": _output.from_ms(changed_ms),
        "holds": table.metadata().description,
    }
