"""Which snapshot a run reads: the one that an ingest left, as the ledger has it."""

import json

from pipelines.lake.lake import Lake
from pipelines.lake.snapshot import Snapshot
from pipelines.lake.stream_tables import StreamTables
from schemas import registry
from schemas.errors import IngestBehind, NotSetUp
from schemas.ledger_tables import RUNS
from schemas.registry import replay_hash

KEY, SHAPE = "snapshot", "shape"
LEAVE_SNAPSHOTS = ["ingest", "forget"]


def outputs(snapshot: Snapshot) -> dict:
    """What the ledger keeps of an ingest that left this."""
    return {KEY: snapshot.as_json, SHAPE: shape(snapshot.stream)}


def shape(stream: str) -> str:
    """Changes whenever silver made before can't be read by the stream's definition any more."""
    return f"{replay_hash(stream)}-{registry.stream(stream).buckets}"


def of_run(lake: Lake, stream: str, run_id: str) -> Snapshot:
    """What the run's own ingest left; of a run without one, what the stream's newest ingest left.

    NotSetUp where there is none yet; IngestBehind where the stream has another shape now, or where a table was made
    again since. O(ingests).
    """
    row = _newest(lake, stream, run_id)
    return _readable(lake, stream, row) if row else newest(lake, stream)


def newest(lake: Lake, stream: str) -> Snapshot:
    """What the stream's newest ingest left; errors as `of_run`."""
    row = _newest(lake, stream, None)
    if row is None:
        raise NotSetUp(f"no ingest of {stream} has ended yet", f"windrow ingest {stream}")
    return _readable(lake, stream, row)


def lacks_newest(lake: Lake, tables: StreamTables) -> bool:
    """Whether the tables hold what no ingest of the ledger left: one runs, or was killed before it could write its row.
    O(ingests)."""
    row = _newest(lake, tables.stream.name, None)
    return row is not None and _name(tables.stream.name, row) != Snapshot.taken(lake, tables).name


def _readable(lake: Lake, stream: str, row: dict) -> Snapshot:
    if row["outputs"].get(SHAPE) != shape(stream):
        raise IngestBehind(
            f"silver_{stream} has other columns, keys, buckets or days than the definition of {stream} has now; "
            f"first run: windrow ingest {stream}"
        )
    snapshot = Snapshot.of_json(stream, row["outputs"][KEY])
    snapshot.require_tables(lake)
    silver = f"silver_{stream}"
    if lake.lacks_files(silver, snapshot.version(silver)):
        raise IngestBehind(
            f"version {snapshot.version(silver)} of {silver}, which the run's ingest left, was removed by windrow "
            f"maintain, as it is older than what that keeps; first run: windrow ingest {stream}"
        )
    return snapshot


def _newest(lake: Lake, stream: str, run_id: str | None) -> dict | None:
    """The row of the newest ingest (of one run, if named) that recorded a snapshot."""
    if lake.version(RUNS.name) is None:
        return None
    filters = [("stream", "=", stream), ("step", "in", LEAVE_SNAPSHOTS), ("state", "=", "done")]
    if run_id is not None:
        filters.append(("run_id", "=", run_id))
    rows = lake.read(RUNS.name, filters=filters, columns=["at", "stage", "outputs"]).to_pylist()
    ended = [{**row, "outputs": json.loads(row["outputs"])} for row in rows if row["stage"] is None]
    # By the names of what they left, not by when they ended: an ingest without news leaves what was there.
    return max((row for row in ended if KEY in row["outputs"]), key=lambda row: _order(stream, row), default=None)


def _order(stream: str, row: dict) -> tuple:
    return _name(stream, row), row["at"]


def _name(stream: str, row: dict) -> str:
    return Snapshot.of_json(stream, row["outputs"][KEY]).name
