from datetime import UTC, datetime

from pipelines.cli import _output
from pipelines.cli._options import AsJson
from pipelines.location import Location

EXAMPLES = ("windrow tables",)


def tables(as_json: AsJson = False) -> None:
    """List the tables of the lake: rows, files, size, newest version, how many can be read, and what they hold."""
    from pipelines import config
    from pipelines.delta.lake import Lake

    lake = Lake(config.load())
    found = [_describe(lake.folder(name), lake.existing_version(name)) for name in lake.names()]
    _output.show(found, as_json)
    if not found:
        _output.note(f"there is no table below {lake.config.lake} yet; begin with: windrow ingest STREAM")


def _describe(folder: Location, version: int) -> dict:
    from pipelines import storage
    from pipelines.delta.log import readable_count

    table = storage.delta_table(folder, version)
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
        "changed": datetime.fromtimestamp(changed_ms // 1000, UTC),
        "holds": table.metadata().description,
    }
