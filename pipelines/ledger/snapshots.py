"""What ingests left, as the ledger has it: the snapshot that a run reads, and which landing files were taken out by
`windrow forget --leave-file`. Of these `files_<stream>` has a row each. Where that table was lost, nothing else in the
lake is left of them: their lines are in no table, and the file in the landing folder looks like a new one.
"""

import shlex
from collections.abc import Collection
from datetime import date

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table
from windrow.pipelines.ledger.entry import SNAPSHOT as KEY
from windrow.pipelines.ledger.run_table import StepRow
from windrow.pipelines.tables.arrival_days import ArrivalDays
from windrow.pipelines.tables.stream_tables import RUNS_READ, Snapshot
from windrow.schemas import registry
from windrow.schemas.errors import IngestBehind, NotSetUp, TableDamaged
from windrow.schemas.registry import replay_hash

SHAPE, LEFT_OUT = "shape", "left_out"
"""In a step's outputs. Of files that it took out: the hash of the content that it left out, by path."""
LEAVE_SNAPSHOTS = ["ingest", "forget"]


def outputs(snapshot: Snapshot) -> dict:
    """What the ledger keeps of an ingest that left this."""
    return {KEY: snapshot.as_json, SHAPE: shape(snapshot.stream)}


def shape(stream: str) -> str:
    """Changes whenever silver made before can't be read by the stream's definition any more."""
    return f"{replay_hash(stream)}-{registry.stream(stream).buckets}"


def of_run(lake: Lake, stream: str, run_id: str) -> Snapshot:
    """What the run's own ingest left; of a run without one, what the stream's newest ingest left. O(ingests).
    NotSetUp where there is none yet; IngestBehind where the stream has another shape now, where a table was made again
    since, or where maintenance has removed what that ingest left; TableDamaged where a table has lost versions."""
    row = _newest(lake, stream, run_id)
    # Only an ingest of the same name gives the run another snapshot than that.
    again = f"windrow ingest {stream} --run-id {shlex.quote(run_id)}"
    return _readable(lake, stream, row, again) if row else newest(lake, stream)


def newest(lake: Lake, stream: str) -> Snapshot:
    """What the stream's newest ingest left; errors as `of_run`."""
    row = _newest(lake, stream)
    if row is None:
        raise NotSetUp(f"no ingest of {stream} has ended yet", f"windrow ingest {stream}")
    return _readable(lake, stream, row, f"windrow ingest {stream}")


def shortened(lake: Lake, stream: str, names: Collection[str]) -> list[TableDamaged]:
    """Which of these tables of the stream have lost versions that its newest ingest left. O(ingests)."""
    if (row := _newest(lake, stream)) is None:
        return []
    now = {name: lake.state(name) for name in names if lake.version(name) is not None}
    return _left(row).shortened(now)


def is_behind(lake: Lake, stream: str) -> bool:
    """Whether a stream has other events now than its newest ingest in the ledger left, or may have them. O(ingests
    + arrival days)."""
    row = _newest(lake, stream)
    return row is not None and _other_days(lake, stream, row) != set()


def days_since_newest(lake: Lake, stream: str, now: str) -> set[date]:
    """Arrival days whose events are not those that the stream's newest ingest in the ledger left, all where that isn't
    known; none where the snapshot of that name is what it left. Ingests that were cut off, or that the gate refused,
    made the others. O(ingests + arrival days)."""
    row = _newest(lake, stream)
    if row is not None and _left(row).name == now:
        return set()
    others = _other_days(lake, stream, row)
    return {*ArrivalDays.read(lake, f"partitions_{stream}").by_date} if others is None else others


def _other_days(lake: Lake, stream: str, row: StepRow | None) -> set[date] | None:
    """None where that ingest has left nothing that can be read, which is not to have left no days."""
    partitions = f"partitions_{stream}"
    if lake.version(partitions) is None:
        return set()
    version = _left(row).version(partitions) if row else None
    if version is None or lake.lacks_files(partitions, version):
        return None
    return ArrivalDays.read(lake, partitions).differing(ArrivalDays.read(lake, partitions, version))


def left_out(lake: Lake, stream: str) -> dict[str, str]:
    """The hash of the content that is left out, by path, unless a later ingest took the path again. O(ingests)."""
    hashes: dict[str, str] = {}
    for step in _ingests(lake, stream):
        for path in step.inputs:
            hashes.pop(path, None)
        hashes |= step.outputs.get(LEFT_OUT, {})
    return hashes


def _readable(lake: Lake, stream: str, row: StepRow, again: str) -> Snapshot:
    if row.outputs.get(SHAPE) != shape(stream):
        raise IngestBehind(
            f"the columns, keys, buckets or days of silver_{stream} differ from the definition of {stream}; "
            f"first run: {again}"
        )
    snapshot, now = _left(row), {name: lake.state(name) for name in (f"{part}_{stream}" for part in RUNS_READ)}
    for name, state in now.items():
        if state.id != snapshot.tables[name].id:  # it counts its versions anew
            what = f"{name} was made again after the ingest whose rows this run reads"
            raise IngestBehind(f"{what}; first run: {again}")
    for damaged in snapshot.shortened(now):
        raise damaged
    for name in now:
        if lake.lacks_files(name, snapshot.version(name)):
            raise IngestBehind(
                f"version {snapshot.version(name)} of {name}, which the run's ingest wrote, is gone: it is older than "
                f"what windrow maintain or Delta's log keeps; first run: {again}"
            )
    return snapshot


def _newest(lake: Lake, stream: str, run_id: str | None = None) -> StepRow | None:
    """The row of the newest ingest (of one run, if named) that recorded a snapshot."""
    of_run = [] if run_id is None else [("run_id", "=", run_id)]
    ended = _ingests(lake, stream, ("state", "=", "done"), *of_run)
    # By the names of what they left, not by when they ended: an ingest without news leaves what was there.
    return max((row for row in ended if KEY in row.outputs), key=lambda row: (_left(row).name, row.at), default=None)


def _ingests(lake: Lake, stream: str, *filters: tuple) -> list[StepRow]:
    """Rows of its ingests, oldest first."""
    return run_table.rows(lake, [("stream", "=", stream), ("step", "in", LEAVE_SNAPSHOTS), *filters])


def _left(row: StepRow) -> Snapshot:
    return Snapshot.of_json(row.stream, row.outputs[KEY])
