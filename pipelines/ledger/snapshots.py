"""Which snapshot a run reads: the one that an ingest left, as the ledger has it."""

import json
import shlex
from collections.abc import Collection
from datetime import date

from pipelines.delta.lake import Lake
from pipelines.tables.arrival_days import ArrivalDays
from pipelines.tables.snapshot import PARTS, RUNS_READ, Snapshot
from schemas import registry
from schemas.errors import IngestBehind, NotSetUp, TableDamaged
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

    NotSetUp where there is none yet; IngestBehind where the stream has another shape now, where a table was made again
    since, or where maintenance has removed what that ingest left; TableDamaged where a table has lost versions.
    O(ingests).
    """
    row = _newest(lake, stream, run_id)
    # Only an ingest of the same name gives the run another snapshot than that.
    again = f"windrow ingest {stream} --run-id {shlex.quote(run_id)}"
    return _readable(lake, stream, row, again) if row else newest(lake, stream)


def newest(lake: Lake, stream: str) -> Snapshot:
    """What the stream's newest ingest left; errors as `of_run`."""
    row = _newest(lake, stream, None)
    if row is None:
        raise NotSetUp(f"no ingest of {stream} has ended yet", f"windrow ingest {stream}")
    return _readable(lake, stream, row, f"windrow ingest {stream}")


def require_whole_logs(lake: Lake, stream: str) -> None:
    """TableDamaged where a table has lost versions that the stream's newest ingest left. O(ingests)."""
    for damaged in shortened(lake, stream, [f"{part}_{stream}" for part in PARTS]):
        raise damaged


def shortened(lake: Lake, stream: str, names: Collection[str]) -> list[TableDamaged]:
    """Which of these tables of the stream have lost versions that its newest ingest left. O(ingests)."""
    row = _newest(lake, stream, None)
    return Snapshot.of_json(stream, row["outputs"][KEY]).shortened(lake, names) if row else []


def is_behind(lake: Lake, stream: str) -> bool:
    """Whether the stream's tables have other events now than its newest ingest in the ledger left. O(ingests + arrival
    days)."""
    row, partitions = _newest(lake, stream, None), f"partitions_{stream}"
    if row is None or lake.version(partitions) is None:
        return False
    left = _left_days(lake, stream, row)
    return left is None or left.digests != ArrivalDays.read(lake, partitions).digests


def days_since_newest(lake: Lake, stream: str, now: str) -> set[date]:
    """Arrival days whose events are not those that the stream's newest ingest in the ledger left, all where nobody can
    know; none where the snapshot of that name is what it left. Ingests that were cut off, or that the gate refused,
    made the others. O(ingests + arrival days)."""
    row, partitions = _newest(lake, stream, None), f"partitions_{stream}"
    if lake.version(partitions) is None or (row is not None and _name(stream, row) == now):
        return set()
    days = ArrivalDays.read(lake, partitions).digests
    left = _left_days(lake, stream, row) if row else None
    if left is None:
        return {*days}
    return {day for day in days.keys() | left.digests.keys() if days.get(day) != left.digests.get(day)}


def _left_days(lake: Lake, stream: str, row: dict) -> ArrivalDays | None:
    """The arrival days as that ingest left them; None where these can't be read any more."""
    partitions = f"partitions_{stream}"
    version = Snapshot.of_json(stream, row["outputs"][KEY]).version(partitions)
    return None if lake.lacks_files(partitions, version) else ArrivalDays.read(lake, partitions, version)


def _readable(lake: Lake, stream: str, row: dict, again: str) -> Snapshot:
    if row["outputs"].get(SHAPE) != shape(stream):
        raise IngestBehind(
            f"silver_{stream} has other columns, keys, buckets or days than the definition of {stream} has now; "
            f"first run: {again}"
        )
    snapshot = Snapshot.of_json(stream, row["outputs"][KEY])
    snapshot.require_tables(lake, again)
    for name in (f"{part}_{stream}" for part in RUNS_READ):
        if lake.lacks_files(name, snapshot.version(name)):
            raise IngestBehind(
                f"version {snapshot.version(name)} of {name}, which the run's ingest left, is gone: it is older than "
                f"what windrow maintain keeps, or Delta's log; first run: {again}"
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
