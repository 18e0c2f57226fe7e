"""What one task of a replay does: gather whole keys, replay them in one call, keep the rows of the day.

Two ways to get whole keys in Spark: `by_bucket` takes bucket numbers and reads the buckets' files itself, so that
nothing is shuffled; `from_shuffle` takes the rows that Spark brought together by key. Window rows, late rows
and counts come out of one pass as three struct columns of one frame, of which each row fills one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from kernels.replay import CHOSEN
from pipelines.lake.arrays import TIME
from pipelines.replay.late_events import late_events
from pipelines.replay.look_back import LookBack
from pipelines.replay.replay_events import replay_events
from pipelines.replay.specifications import ServedQuery
from schemas.replay_limits import ReplayLimits

ORDER_COLUMNS = ("start", "end", "arrival", "path", "line", "reading")
KEYS_BY = {kernel: f"keys_by_{kernel}" for kernel in CHOSEN}
"""Kernel → name of the count of keys that it replayed."""
_COUNTED = ("events_read", "events_of_day", "rows", "late_rows", *KEYS_BY.values())
COUNTS = pa.schema([(name, pa.int64()) for name in _COUNTED])
# Big enough that Arrow's cost per batch vanishes, small enough that the JVM holds a few of them.
ROWS_PER_BATCH = 32_768


@dataclass(frozen=True)
class Work:
    """What every task of one run knows.

    files: paths by bucket; whole_buckets: a key is in one bucket only; limits: what each call of the kernel may cost
    """

    served: ServedQuery
    look_back: LookBack
    read_schema: pa.Schema
    result_schema: pa.Schema
    late_schema: pa.Schema
    files: dict[int, list[str]]
    whole_buckets: bool
    limits: ReplayLimits

    @property
    def out_schema(self) -> pa.Schema:
        """Three structs, of which each row fills one."""
        kinds = (("result", self.result_schema), ("late", self.late_schema), ("counts", COUNTS))
        return pa.schema([(kind, pa.struct(list(schema))) for kind, schema in kinds])


@dataclass(frozen=True)
class Made:
    """Rows of the day, late rows of the day, and a row of COUNTS."""

    result: pa.Table
    late: pa.Table
    counts: pa.Table


def by_bucket(work: Work, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Replay the buckets whose numbers arrive as the column `id`."""
    for batch in batches:
        for bucket in batch["id"].to_pylist():
            yield from _as_structs(work, make_of_files(work, work.files[bucket]))


def from_shuffle(work: Work, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Replay all keys of one partition; Arrow's batches cut keys and bursts, so they are gathered first."""
    yield from _as_structs(work, make(work, pa.Table.from_batches(batches, work.read_schema)))


def make_of_files(work: Work, files: list[str]) -> Made:
    """Replay the keys of some files, which hold them whole."""
    return make(work, _read(work, files))


def _read(work: Work, files: list[str]) -> pa.Table:
    """The rows of some files that the run may need."""
    # One thread: Spark gives each task one core.
    format_ = ds.ParquetFileFormat(read_options=ds.ParquetReadOptions(coerce_int96_timestamp_unit="us"))
    wanted = ds.field("start") >= _time(work.look_back.least_start_us)
    of_day = ds.field("arrival") >= _time(work.look_back.from_us)
    return ds.dataset(files, work.read_schema, format_).to_table(filter=wanted | of_day, use_threads=False)


def make(work: Work, events: pa.Table) -> Made:
    """Replay whole keys. The kernel's rows are those of the look-back; the day's are kept."""
    back, served = work.look_back, work.served
    kept, options = _that_make_rows(events, back), asdict(work.limits)
    replayed = replay_events(kept, served, back.ticks, back.last_tick_us, options=options)
    late = late_events(events, served, back.ticks)
    rows = _of_day(replayed.rows, "emitted_at", "emitted_date", work)
    late_rows = _of_day(late, "arrival", "arrival_date", work)
    counts = (
        len(events),
        len(_of_day(events, "arrival", "arrival_date", work)),
        len(rows),
        len(late_rows),
        *(replayed.kernels.get(kernel, 0) for kernel in KEYS_BY),
    )
    return Made(
        rows.select(work.result_schema.names).cast(work.result_schema),
        late_rows.select(work.late_schema.names).cast(work.late_schema),
        pa.table([[count] for count in counts], schema=COUNTS),
    )


def _as_structs(work: Work, made: Made) -> Iterator[pa.RecordBatch]:
    for kind in ("result", "late", "counts"):
        yield from _tagged(work, kind, getattr(made, kind))


def _that_make_rows(events: pa.Table, back: LookBack) -> pa.Table:
    # Late events reach further back than rows; the kernel is fed from the same first event whatever they are.
    if back.bound_us is None:
        return events
    return events.filter(pc.greater(events["start"], _time(back.bound_us)))


def _of_day(table: pa.Table, time_column: str, date_column: str, work: Work) -> pa.Table:
    back = work.look_back
    times = table[time_column]
    inside = pc.and_(pc.greater_equal(times, _time(back.from_us)), pc.less(times, _time(back.until_us)))
    kept = table.filter(inside)
    return kept.append_column(date_column, pa.repeat(pa.scalar(back.day), len(kept)))


def _tagged(work: Work, kind: str, table: pa.Table) -> Iterator[pa.RecordBatch]:
    schema = work.out_schema
    for batch in table.to_batches(max_chunksize=ROWS_PER_BATCH):
        filled = pa.StructArray.from_arrays(batch.columns, fields=list(batch.schema))
        columns = [filled if field.name == kind else pa.nulls(len(batch), field.type) for field in schema]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _time(us: int) -> pa.Scalar:
    return pa.scalar(us, TIME)
