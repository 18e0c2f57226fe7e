"""Which records of an ingest are events, and what that does to those of files that did not change.

Of equal identities among the accepted the first by (arrival, path, line, reading) stays, over all days. So with the
changed files' records everything of other files that shares an identity with their old or their new content competes:
events of silver (they may lose their place) and quarantined duplicates (they may gain one). Only what identifies a
record competes, not whole rows.

The engine's relations decide, over parsed rows on disk, and spill there what doesn't fit into memory.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date

import pyarrow as pa

from windrow.pipelines import storage
from windrow.pipelines.delta import locks
from windrow.pipelines.delta.day_files import files_of
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines.engine import Engine, Relations
from windrow.pipelines.ingest.changes import Changes
from windrow.pipelines.ingest.parse import ParseRules, parse_lines
from windrow.pipelines.location import Location
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas.tables import Table

NEW, EVENT, DUPLICATE = "new", "event", "duplicate"  # what a competing record was before this ingest
PLACE = "path, line, reading"

# A record moves if it is not what it was: a new one that is a duplicate, an event that is one now, a duplicate that is
# the event now. Of a duplicate whose line is lost no event can be made. Few identities are contested, so that only
# theirs are sorted, and of what stood before only those at stake are kept on the way there.
_NEW = f"SELECT identity, arrival, {PLACE}, '{NEW}' AS was FROM parsed WHERE reason IS NULL AND identity IS NOT NULL"
_OLD = """
    SELECT identity FROM silver_before
    WHERE path IN (SELECT path FROM changed_before) AND identity IS NOT NULL"""
_STANDING = f"""
    SELECT identity, arrival, {PLACE}, was FROM (
        SELECT identity, arrival, {PLACE}, '{EVENT}' AS was FROM silver
        UNION ALL SELECT identity, arrival, {PLACE}, '{DUPLICATE}' AS was FROM quarantine
        WHERE reason = 'duplicate' AND text IS NOT NULL AND path NOT IN (SELECT path FROM behind))
    WHERE path NOT IN (SELECT path FROM changed)
      AND identity IN (SELECT identity FROM ({_NEW}) UNION ALL {_OLD})"""
_CONTESTED = f"SELECT identity FROM competing GROUP BY identity HAVING count(*) > 1 OR bool_or(was = '{DUPLICATE}')"
_MOVED = f"""
    SELECT identity, arrival, {PLACE}, was FROM (
        SELECT identity, arrival, {PLACE}, was,
               row_number() OVER (PARTITION BY identity ORDER BY arrival, {PLACE}) = 1 AS is_first
        FROM competing WHERE identity IN (SELECT identity FROM contested))
    WHERE is_first = (was = '{DUPLICATE}')"""
_TOUCHED_DAYS = f"""
    SELECT arrival_date FROM parsed ANTI JOIN (SELECT {PLACE} FROM moved WHERE was = '{NEW}') AS those USING ({PLACE})
    WHERE reason IS NULL
    UNION SELECT CAST(arrival AS DATE) FROM moved WHERE was <> '{NEW}'
    UNION SELECT arrival_date FROM silver_before WHERE path IN (SELECT path FROM changed_before)"""
_LINES_IN_ORDER = "SELECT path, line, text, damage FROM bronze_in_order WHERE path IN (SELECT path FROM in_order)"
_LINES_AGAIN = f"""
    SELECT DISTINCT path, line, text, CAST(NULL AS STRING) AS damage
    FROM quarantine SEMI JOIN (SELECT {PLACE} FROM moved WHERE was = '{DUPLICATE}') AS those USING ({PLACE})"""

_REASON, _REASON_AND_VALUE = "reason", "concat(reason, ': ', detail)"
_WHY_REFUSED = """
    SELECT path, min_by({}, line) FROM parsed
    WHERE path IN (SELECT path FROM refused_files) GROUP BY path"""


@dataclass(frozen=True)
class Deduplicated:
    """What became of the records.

    relations: `parsed` (every record of the changed files, as parse.py has them), `moved`
        (identity, arrival, path, line, reading, was), `changed` (paths), `changed_before` (those that were known), and
        silver and quarantine as they were; silver_before: silver's rows of `changed_before`, and others
    records: of the changed files, by path and reason; reason None: accepted, duplicates included
    moves: (path, was) -> records that moved
    days: arrival days of silver that change
    why_refused: reason and detail of the first record of each changed file of which none was accepted
    """

    relations: Relations
    rules: ParseRules
    records: dict[str, Counter[str | None]]
    moves: Counter[tuple[str, str]]
    days: tuple[date, ...]
    why_refused: dict[str, str]

    def moved(self, *was: str) -> list[str]:
        """Files with records that moved and were that before."""
        return sorted({path for path, before in self.moves if before in was})

    @property
    def others_touched(self) -> list[str]:
        """Files that did not change, of which an event lost its place or a duplicate gained one."""
        return self.moved(EVENT, DUPLICATE)

    def parse_again(self, lake: Lake, bronze: Table) -> None:
        """Name as `again` the records of lines of other files that hold a duplicate which is an event now, and of the
        lines before them where these say what they mean."""
        lines = _LINES_AGAIN
        if ordered := self.rules.line_by_line(self.others_touched):
            _name_in_order(lake, bronze, ordered, self.relations)
            lines += f" WHERE path NOT IN (SELECT path FROM in_order) UNION ALL {_LINES_IN_ORDER}"
        self.relations.map_rows("again", parse_lines(self.rules), lines)


@contextmanager
def deduplicated(
    lake: Lake, engine: Engine, tables: StreamTables, rules: ParseRules, changes: Changes
) -> Iterator[Deduplicated]:
    """Parse the changed files' lines and let them compete. `rules` has the layouts of all files.

    Silver and quarantine are read as they are at this moment, whatever is written meanwhile.
    """
    with _folder(lake, tables.stream.name) as folder, engine.relations(folder) as relations:
        ordered = rules.line_by_line(changes.delivering)
        paths = tuple({*changes.delivering} - {*ordered})
        lines = sum(changes.rows[path].lines for path in paths)
        days = sorted({str(changes.rows[path].landed_date) for path in changes.delivering})
        bronze = lake.files(tables.bronze.name, filters=[("landed_date", "in", days)]) if days else []
        relations.map_files("parsed_apart" if ordered else "parsed", parse_lines(rules, paths), bronze, lines)
        if ordered:
            _name_in_order(lake, tables.bronze, ordered, relations)
            relations.map_rows("parsed_in_order", parse_lines(rules), _LINES_IN_ORDER)
            relations.define("parsed", "SELECT * FROM parsed_apart UNION ALL SELECT * FROM parsed_in_order")
        any_before = _name_before(lake, tables, changes, relations)
        competing = _NEW
        if any_before:  # else to look for them would only build tables of the new identities
            relations.keep("standing_at_stake", _STANDING)
            competing += f" UNION ALL SELECT identity, arrival, {PLACE}, was FROM standing_at_stake"
        relations.define("competing", competing)
        relations.define("contested", _CONTESTED)
        relations.keep("moved", _MOVED)
        yield _decided(relations, rules)


@contextmanager
def _folder(lake: Lake, stream_name: str) -> Iterator[Location]:
    # One ingest of a stream runs at a time: what lies there is of one that was killed.
    ours = lake.config.ingests / stream_name
    with locks.full_disk_reported(lake.config, ours.name):
        storage.remove_folder(ours)
        storage.make_folder(ours)
        try:
            yield ours
        finally:
            storage.remove_folder(ours)


def _name_in_order(lake: Lake, bronze: Table, paths: Sequence[str], relations: Relations) -> None:
    _name_paths(relations, "in_order", paths)
    relations.add_files("bronze_in_order", lake, bronze, files_of(lake, bronze, paths=paths))


def _name_before(lake: Lake, tables: StreamTables, changes: Changes, relations: Relations) -> bool:
    """Whether silver holds any events."""
    # Of new files silver holds nothing: it needn't be searched for them.
    before = [path for path in changes.rows if path in changes.known]
    _name_paths(relations, "changed", changes.rows)
    _name_paths(relations, "changed_before", before)
    # What another definition parsed is made again by itself: the one of now might make another event of its lines.
    behind = [path for path, row in changes.known.items() if not changes.definition.covers(row.definition)]
    _name_paths(relations, "behind", behind)
    silver = files_of(lake, tables.silver)
    relations.add_files("silver_before", lake, tables.silver, files_of(lake, tables.silver, paths=before))
    relations.add_files("quarantine", lake, tables.quarantine, files_of(lake, tables.quarantine))
    relations.add_files("silver", lake, tables.silver, silver)
    return bool(silver)


def _name_paths(relations: Relations, view: str, paths: Iterable[str]) -> None:
    relations.add_rows(view, pa.table({"path": pa.array(paths, pa.string())}))


def _decided(relations: Relations, rules: ParseRules) -> Deduplicated:
    records: defaultdict[str, Counter[str | None]] = defaultdict(Counter)
    counted = "SELECT path, reason, CAST(sum(records) AS BIGINT) FROM parsed GROUP BY path, reason"
    for path, reason, count in relations.rows(counted):
        records[path][reason] = count
    moved = relations.rows("SELECT path, was, count(*) FROM moved GROUP BY path, was")
    moves = Counter({(path, was): count for path, was, count in moved})
    days = tuple(sorted(day for (day,) in relations.rows(_TOUCHED_DAYS)))
    why_refused = {}
    if refused := sorted(path for path, by_reason in records.items() if not by_reason[None]):
        _name_paths(relations, "refused_files", refused)
        shown = _REASON if rules.stream.personal else _REASON_AND_VALUE
        why_refused = dict(relations.rows(_WHY_REFUSED.format(shown)))
    return Deduplicated(relations, rules, records, moves, days, why_refused)
