"""Ingest: brings every table of a stream up to the files of the landing folder. It follows the files, not a date.

    landing/ ─▶ files_ (intents) ─▶ bronze_ ─▶ files_ (intents of other files) ─▶ partitions_ (days taken out)
         ─▶ silver_ ─▶ quarantine_ ─▶ pass_ ─▶ partitions_ ─▶ files_ (what became of each file)

Each arrow is a commit that replaces whole files or whole arrival days. Files go that way in batches of bounded size,
each of which is whole in the end: killed half-way, the next ingest takes the rest.
A kill between any two commits is safe: whatever an ingest is about to change is marked first (a file by a row without a
definition, a day by a missing row), and the next ingest makes everything that is marked again. One ingest runs at a
time per stream.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from windrow.pipelines import flow
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines.engine import Engine
from windrow.pipelines.ingest import outcome, partitions
from windrow.pipelines.ingest.changes import Asked, Changes, find
from windrow.pipelines.ingest.deduplicate import Deduplicated, deduplicated
from windrow.pipelines.ingest.file_content import content_hash
from windrow.pipelines.ingest.files import INTENT, LINES_LOST, UNREADABLE, FileRow, write_files
from windrow.pipelines.ingest.lost_rows import mark_lost
from windrow.pipelines.ingest.outcome import Applied, IngestReport
from windrow.pipelines.ingest.parse import ParseRules, read_side_inputs
from windrow.pipelines.ingest.writes import choosers, write_bronze, write_quarantine, write_silver
from windrow.pipelines.tables.stream_tables import Snapshot, StreamTables
from windrow.schemas.errors import LandingFailed

Progress = Callable[[str], None]


def ingest(
    lake: Lake,
    engine: Engine,
    tables: StreamTables,
    progress: Progress | None = None,
    asked: Asked = Asked(),  # noqa: B008
) -> IngestReport:
    """Bring the stream's tables up to its landed files.

    `progress` gets the name of each stage of flow.py as it begins, and in between details that begin with that name.
    Raises LandingFailed (the folder can't be read), StorageFailed (no space), TableMismatch, NotSetUp.
    """
    this, began = _Ingest(lake, engine, tables, progress or (lambda text: None)), time.monotonic()
    with lake.ingest_locked(tables.stream.name):
        for table in tables.all:
            lake.ensure(table)
        before = Snapshot.taken(lake, tables)
        this.progress(flow.LAND.name)
        lost = mark_lost(lake, tables)
        messages = this.until_still(asked)
        snapshots = before, Snapshot.taken(lake, tables)
    seconds = time.monotonic() - began
    return outcome.report(tables.stream, this.applied, this.known, [*lost, *messages], snapshots, seconds)


@dataclass(frozen=True)
class _Ingest:
    """`applied`: the batches so far; `known`: the rows before them."""

    lake: Lake
    engine: Engine
    tables: StreamTables
    progress: Progress
    applied: list[Applied] = field(default_factory=list)
    known: dict[str, FileRow] = field(default_factory=dict)

    def until_still(self, asked: Asked) -> list[str]:
        """Apply the changes, batch by batch; files that change while they are read are left to the next ingest."""
        while True:
            changes = find(self.lake, self.engine, self.tables, datetime.now(UTC).date(), asked)
            self.known.update({**changes.known, **self.known})
            write_files(self.lake, self.tables.files, changes.remembered)
            changed = self._apply_all(changes)
            if not changed:
                why = "left out, it changed while it was read; the next ingest takes it"
                return [*changes.messages, *(f"{path}: {why}" for path in asked.leave_out)]
            asked = replace(asked, leave_out=asked.leave_out | changed)
            self.progress(flow.LAND.name)

    def _apply_all(self, changes: Changes) -> set[str]:
        """Apply each batch, and note it; returns the files by whose changing it ended early."""
        # Side inputs before anything is touched: one may be damaged.
        config, stream, now = self.lake.config, self.tables.stream, changes.definition
        side_inputs = read_side_inputs(config.landing, stream, now) if changes.touch_tables else {}
        # Where lines are lost, events stay as an earlier definition made them; pass ticks follow the one of now, which
        # may say otherwise when silence moves the watermark
        lost = [row for row in changes.known.values() if row.state == LINES_LOST]
        if not all(changes.definition.covers(row.definition) for row in lost):
            days = self.lake.partition_dates(self.tables.silver.name)
            partitions.forget(self.lake, self.tables.partitions, days)
        for batch in changes.batches(config.ingest_batch_bytes):
            try:
                self.applied.append(self._apply(batch, side_inputs))
            except LandingFailed:
                if changed := self._changed(batch):
                    return changed
                raise
            # The next batch's records compete with what this one left.
            changes.known.update({row.path: row for row in self.applied[-1].rows})
        return set()

    def _changed(self, batch: Changes) -> set[str]:
        """Landed files whose content is another than when it was found."""
        landed, root = batch.landed & batch.rows.keys(), self.lake.config.landing
        return {path for path in landed if content_hash(root, path) != batch.rows[path].content_hash}

    def _apply(self, changes: Changes, side_inputs: Mapping[str, object]) -> Applied:
        """Write every table, the files' final rows last."""
        found = self._make_events(changes, side_inputs) if changes.touch_tables else None
        self.progress(flow.TICKS.name)
        days = partitions.make(self.lake, self.engine, self.tables)
        rows = outcome.final_rows(changes, found)
        write_files(self.lake, self.tables.files, rows)
        return Applied(changes, found, days, rows)

    def _make_events(self, changes: Changes, side_inputs: Mapping[str, object]) -> Deduplicated:
        write_files(self.lake, self.tables.files, changes.intents.values())
        self.progress(flow.BRONZE.name)
        if landed := changes.landed & changes.rows.keys():
            self.progress(f"bronze: {len(landed)} file(s)")
        write_bronze(self.lake, self.engine, self.tables, changes)
        self.progress(flow.SILVER.name)
        self.progress("silver: parsing lines, finding duplicates")
        rules = self._rules(changes, side_inputs)
        with deduplicated(self.lake, self.engine, self.tables, rules, changes) as found:
            lake, tables, others = self.lake, self.tables, found.others_touched
            write_files(lake, tables.files, [replace(changes.known[path], definition=INTENT) for path in others])
            self._add_headers(found.rules, others)
            partitions.forget(lake, tables.partitions, found.days)
            if found.days:
                self.progress(f"silver: {len(found.days)} arrival day(s)")
                write_silver(lake, tables, found)
            known = [changes.known[path] for path in changes.rows if path in changes.known]
            had_rows = any(row.is_intent or row.quarantined or row.duplicates for row in known)
            gets_rows = bool(found.moves) or any({*by_reason} - {None} for by_reason in found.records.values())
            if had_rows or gets_rows or any(row.state == UNREADABLE for row in changes.rows.values()):
                self.progress("silver: quarantine")
                write_quarantine(lake, self.engine, tables, changes, found)
        return found

    def _rules(self, changes: Changes, side_inputs: Mapping[str, object]) -> ParseRules:
        """What the files' lines are parsed by. Layouts are chosen anew, from bronze, for files that are made again
        after a new definition."""
        again = [path for path in changes.delivering if path not in changes.landed]
        for path, chooser in choosers(self.lake, self.tables, again).items():
            layout = chooser.layout
            name, why = (layout.name, None) if layout else (None, chooser.why)
            changes.rows[path] = replace(changes.rows[path], layout=name, detail=why)
        layouts = {path: row.layout for path, row in (changes.known | changes.rows).items()}
        unknown = {path: changes.rows[path].detail for path in changes.delivering if layouts[path] is None}
        rules = ParseRules(self.tables.stream, changes.definition.hash, layouts, side_inputs, {}, unknown)
        self._add_headers(rules, changes.delivering)
        return rules

    def _add_headers(self, rules: ParseRules, paths: Iterable[str]) -> None:
        """The first lines, from bronze, of those files whose columns go by name."""
        by_name = [path for path in paths if rules.by_name(path)]
        rules.headers.update({path: each.first for path, each in choosers(self.lake, self.tables, by_name).items()})
