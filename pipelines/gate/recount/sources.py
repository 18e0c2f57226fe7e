"""The rows that a recount reads, each table at one fixed version, as temporary tables of integers.

read_events   of all windows of the query; where order counts, with their place in it
events     of the window, with the last time of theirs that counts, reach_us. Of these:
candidates that `where` lets through and that a window which the days can still change may hold
arrived    every accepted event of the days, whether or not `where` lets it through
keys       a number per key, so that a null key is a group like any other; paths: a number per path, in their order
audit      the run's rows; late_audit: its late rows
strings    a number per string that is compared, in their order
published  of windows that depend on their key's other events, the newest revision of earlier days
"""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

import pyarrow as pa

from windrow.pipelines.gate.recount import aggregates, expressions, in_order, kept, sql
from windrow.pipelines.gate.recount.kinds import in_sql
from windrow.pipelines.gate.recount.query_days import ALL_KEYS, KeyShare, Recount, value_name
from windrow.pipelines.gate.recount.tables import TableVersion, add_view
from windrow.pipelines.gate.recount.ticks import add_silences, staircase, watermark_before_us
from windrow.pipelines.tables.arrival_days import DAY_US, EPOCH_DATE, day_start_us
from windrow.schemas.query import WINDOW_NAME
from windrow.schemas.tables import bucket_of
from windrow.schemas.windows import DAY

# The oldest time that a literal of SQL can be compared with.
YEAR_ONE_US = day_start_us(date.min)
KEYS_AT_ONCE = 100_000  # as Python's objects
CHECKED = ("audit", "late_audit")
IDENTITY = ("path_number", "line", "reading")
ORDER = ("start_us", "arrival_us", *IDENTITY)


def add_sources(whole: Recount, parts: Sequence[Recount], share: KeyShare) -> list[int]:
    """Read what the recounts of a share of some days need: O(events of the look-back). parts: of each window. Returns
    for each the time after which its events start."""
    silver, watermark_us = _add_views(whole, share), watermark_before_us(whole)
    # All where nothing had arrived before the days.
    lower_us = [
        sql.EVER_US if watermark_us is None else in_sql(part.query.window).first_start_us(part, watermark_us)
        for part in parts
    ]
    since_us = max(YEAR_ONE_US, min(lower_us) - sql.microseconds(whole.stream.ahead_at_most))
    since = min(whole.days[0], EPOCH_DATE + timedelta(days=since_us // DAY_US))
    from_day = kept.add_panes(whole, since)
    if from_day is not None:
        name_rows_of(whole, share, ["panes"])
    since = since if from_day is None else from_day
    add_view(whole.connection, "all_silver", silver, (since, whole.days[-1]))
    name_rows_of(whole, share.within_buckets, ["silver"])
    whole.connection.execute(f"CREATE TEMP TABLE ticks AS {staircase(whole, since)}")
    _add_read(whole, min(lower_us), has_panes=from_day is not None)
    _add_checked(whole, share)
    if not whole.query.context_free:
        _add_published(whole, share, since)
    return lower_us


def _add_views(recount: Recount, share: KeyShare) -> TableVersion:
    """Views of the days' rows and of the pass ticks up to them. Returns silver, of which more days are read later."""
    lake, tables, versions = recount.lake, recount.tables, recount.versions
    first, last = recount.days[0], recount.days[-1]
    every_bucket = TableVersion(lake, tables.source.silver, versions.silver)
    silver = every_bucket._replace(among=share.of_silver)
    passes = TableVersion(lake, tables.source.passes, versions.passes)
    add_view(recount.connection, "all_silver_of_days", silver, (first, last))
    if last == recount.stream.last_day:
        add_view(recount.connection, "last_day", every_bucket, (last, last))
    add_view(recount.connection, "passes", passes, (date.min, last))
    add_silences(recount)
    audit = TableVersion(lake, tables.audit, versions.audit)
    late_audit = TableVersion(lake, tables.late_audit, versions.late_audit)
    add_view(recount.connection, "all_audit_table", audit, (first, last))
    add_view(recount.connection, "all_late_table", late_audit, (first, last))
    name_rows_of(recount, share, ["audit_table", "late_table"])
    name_rows_of(recount, share.within_buckets, ["silver_of_days"])
    return silver


def _add_read(recount: Recount, lower_us: int, has_panes: bool) -> None:
    """`read_events`, and `keys` of all events, panes and rows: a row of a key that silver doesn't have must meet a
    count of 0. Events are read once, for all windows: to read those that arrived apart from the candidates took twice
    as long."""
    first, columns, after_us = sql.literal(recount.days[0]), _keys(recount), max(lower_us, YEAR_ONE_US)
    recount.connection.execute(f"""
        CREATE TEMP TABLE keys AS SELECT row_number() OVER () AS key_number, * FROM (
            SELECT {columns} TRUE FROM silver {f"UNION SELECT {columns} TRUE FROM panes" if has_panes else ""}
            UNION SELECT {columns} TRUE FROM audit_table
            UNION SELECT {columns} TRUE FROM late_table)""")
    recount.connection.execute("""
        CREATE TEMP TABLE paths AS SELECT row_number() OVER (ORDER BY path) AS path_number, path FROM (
            SELECT path FROM all_silver UNION SELECT path FROM all_late_table)""")
    ordered = aggregates.depends_on_order(recount.query)
    place = f", row_number() OVER (ORDER BY {', '.join(ORDER)}) AS {in_order.PLACE}" if ordered else ""
    before = f"""arrival_date < {first} AND s.start > {sql.at(after_us)}
                 AND {_where(recount)}"""
    recount.connection.execute(f"""
        CREATE TEMP {"TABLE" if recount.query.windows else "VIEW"} read_events AS
        SELECT k.key_number, e.* EXCLUDE ({columns} is_event) {place}
        FROM ({_read(recount, with_identity=True)} WHERE arrival_date >= {first}
              UNION ALL {_read(recount, with_identity=ordered)} WHERE {before}
              {f"UNION ALL BY NAME {kept.rows(recount.query, columns, after_us)}" if has_panes else ""}) e
        JOIN keys k ON {sql.same(recount.query.key, "e", "k")}""")


def _read(recount: Recount, with_identity: bool) -> str:
    """SQL: events of silver, of which only those with their identity need that columns more are read."""
    query = recount.query
    identity = "p.path_number, s.line, s.reading" if with_identity else "NULL, NULL, NULL"
    types = expressions.types_of(recount.connection, "silver")
    values = "".join(
        f", {expressions.aggregated(value, 's', types)} AS {value_name(query, value)}" for value in query.values
    )
    return f"""
        SELECT {_keys(recount)} TRUE AS is_event, s.start, s.end, epoch_us(s.start) AS start_us,
               epoch_us(s.end) AS end_us, epoch_us(s.arrival) AS arrival_us, s.arrival_date, {identity} {values},
               {_where(recount)} AS kept
        FROM silver s {"JOIN paths p ON s.path = p.path" if with_identity else ""}"""


def _where(recount: Recount) -> str:
    """SQL: whether an event `s` is counted."""
    return expressions.where(recount.query.condition, "s", expressions.types_of(recount.connection, "silver"))


def add_events(recount: Recount, lower_us: int) -> None:
    """What one window's recount needs: the events, and its rows among those of all."""
    windows, first = in_sql(recount.query.window), sql.literal(recount.days[0])
    after_us = max(lower_us, YEAR_ONE_US)
    recount.connection.execute(f"""
        CREATE TEMP TABLE events AS SELECT e.* EXCLUDE (start, "end") {windows.numbers("e")} FROM (
            SELECT r.*, {windows.reach_us("r")} AS reach_us, {windows.too_long("r")} AS too_long FROM read_events r) e
        WHERE arrival_date >= {first} OR (start_us > {after_us} AND NOT too_long)""")
    recount.connection.execute(f"""
        CREATE TEMP VIEW candidates AS SELECT * EXCLUDE (end_us, arrival_date, {", ".join(IDENTITY)}, too_long, kept)
        FROM events WHERE start_us > {after_us} AND kept AND NOT too_long""")
    recount.connection.execute(f"CREATE TEMP VIEW arrived AS FROM events WHERE arrival_date >= {first}")
    if recount.window_name is not None:
        of_window = f"{WINDOW_NAME} = {sql.literal(recount.window_name)}"
        for view in CHECKED:
            recount.connection.execute(
                f"CREATE TEMP VIEW {view} AS SELECT * EXCLUDE ({WINDOW_NAME}) FROM every_{view} WHERE {of_window}"
            )
    aggregates.add_strings(recount)


def _add_checked(recount: Recount, share: KeyShare) -> None:
    """`audit` and `late_audit`; of several windows those of all, as `every_audit` and `every_late_audit`."""
    connection, several = recount.connection, recount.query.windows is not None
    others = (*recount.window[3:], *recount.query.aggregates, *recount.query.name_column)
    values = "".join(f", a.{sql.name(column)}" for column in others)
    audit, late_audit = (f"every_{view}" if several else view for view in CHECKED)
    by_window = f"ORDER BY {WINDOW_NAME}" if several else ""
    connection.execute(f"""
        CREATE TEMP {"VIEW" if share == ALL_KEYS and not several else "TABLE"} {audit} AS
        SELECT k.key_number, epoch_us(a.window_start) AS window_start_us,
               epoch_us(a.window_end) AS window_end_us, a.revision, a.pane,
               epoch_us(a.emitted_at) AS emitted_at_us, a.emitted_date, a.events, a.late_events {values}
        FROM audit_table a JOIN keys k ON {sql.same(recount.query.key, "a", "k")} {by_window}""")
    named = "".join(f", l.{column}" for column in recount.query.name_column)
    connection.execute(f"""
        CREATE TEMP TABLE {late_audit} AS
        SELECT k.key_number, l.arrival_date, p.path_number, l.line, l.reading, epoch_us(l.start) AS start_us,
               epoch_us(l.end) AS end_us, epoch_us(l.arrival) AS arrival_us, l.reason,
               epoch_us(l.first_missed) AS first_missed_us, epoch_us(l.last_missed) AS last_missed_us,
               l.windows_missed, l.late_by AS late_by_us {named}
        FROM late_table l JOIN paths p USING (path)
        JOIN keys k ON {sql.same(recount.query.key, "l", "k")} {by_window}""")


def _add_published(recount: Recount, share: KeyShare, since: date) -> None:
    """Of days that were committed with this one, as they were made; of others as they were published."""
    columns = f"{_keys(recount)} window_start, window_end, window_number, revision, emitted_date"
    rows = " UNION ALL ".join(f"SELECT {columns} {rows}" for rows in _earlier(recount, since))
    recount.connection.execute(f"CREATE TEMP VIEW all_published_rows AS {rows}")
    name_rows_of(recount, share, ["published_rows"])
    window = ", ".join(recount.window)
    recount.connection.execute(f"""
        CREATE TEMP TABLE published AS SELECT {window}, max(revision) AS earlier FROM (
            SELECT k.key_number, epoch_us(p.window_start) AS window_start_us,
                   epoch_us(p.window_end) AS window_end_us, p.window_number, p.revision
            FROM published_rows p JOIN keys k ON {sql.same(recount.query.key, "p", "k")})
        GROUP BY ALL""")


def _earlier(recount: Recount, since: date) -> Iterator[str]:
    """SQL: rows of earlier days. What was published is of the version that came with what the first day went on from,
    or of the newest where that is gone."""
    yield "FROM all_audit_table WHERE FALSE"
    lake, connection, tables, last = recount.lake, recount.connection, recount.tables, recount.days[0] - DAY
    version, newest = recount.versions.published, lake.version(tables.results.name)
    if version is None or newest is None or lake.lacks_files(tables.results.name, version):
        version = newest
    if version is not None:
        results = TableVersion(lake, tables.results, version)
        add_view(connection, "all_results", results, (since, last))
        yield f"FROM all_results r WHERE (r.emitted_date IN ({sql.literals(recount.before)})) IS NOT TRUE"
    if recount.before:
        among = [("emitted_date", "in", [day.isoformat() for day in recount.before])]
        made = TableVersion(lake, tables.audit, recount.versions.audit, among)
        add_view(connection, "all_made_before", made, (since, last))
        yield "FROM all_made_before"


def _keys(recount: Recount) -> str:
    return "".join(f"{sql.name(column)}, " for column in recount.query.key)


def name_rows_of(recount: Recount, share: KeyShare, views: Sequence[str]) -> None:
    """Name as `views` the rows of the share's keys among those that are named with `all_` in front of that."""
    asked = ["TRUE"]
    if share.buckets:
        keys = f"keys_of_{views[0]}"  # views of an earlier call keep theirs
        recount.connection.register(keys, _keys_of_buckets(recount, share, views))
        asked.append(f"EXISTS (FROM {keys} k WHERE {sql.same(recount.stream.key, 'r', 'k')})")
    if share.parts > 1:
        listed = ", ".join(f"r.{sql.name(column)}" for column in recount.query.key)
        asked.append(f"hash({listed}) % {share.parts} = {share.part}")
    for view in views:
        recount.connection.execute(f"CREATE TEMP VIEW {view} AS FROM all_{view} r WHERE {' AND '.join(asked)}")


def _keys_of_buckets(recount: Recount, share: KeyShare, views: Sequence[str]) -> pa.Table:
    """Of the keys that the views have: SQL doesn't know how keys are put into buckets."""
    columns = ", ".join(map(sql.name, recount.stream.key))
    every = " UNION ".join(f"SELECT {columns} FROM all_{view}" for view in views)
    keys, ours = recount.connection.sql(every).to_arrow_reader(KEYS_AT_ONCE), []
    for batch in keys:
        buckets = (bucket_of(tuple(key.values()), recount.stream.buckets) for key in batch.to_pylist())
        ours.append(batch.filter(pa.array([bucket in share.buckets for bucket in buckets], pa.bool_())))
    return pa.Table.from_batches(ours, keys.schema)
