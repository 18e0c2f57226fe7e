"""When the watermark passed what: the table `ticks (tick_us, newest_us)`, and P(E) as a join (semantics §1).

The staircase holds the ticks that raised the newest event start. P(E) is the first tick whose newest start is
at least E + lateness: `ASOF LEFT JOIN ticks ON E + lateness <= newest_us`. Heartbeats (schemas/validation.py) are
written once more, so that what ingest and replay made of silences is found again by other means.
"""

from datetime import date

from windrow.pipelines.gate.recount import sql
from windrow.pipelines.gate.recount.query_days import QueryConnection, Recount
from windrow.pipelines.tables.arrival_days import DAY_US


def add_silences(recount: Recount) -> None:
    """Make `silences`: of each day behind the first arrival day when it began (since_us), and how many heartbeats
    (beats) it had before its first tick, or until its end. None of a stream without heartbeats."""
    found = "SELECT CAST(NULL AS DATE), 0::BIGINT, 0::BIGINT LIMIT 0"
    if recount.stream.idle_after is not None:
        last = sql.literal(str(recount.days[-1]))
        found = f"""
            SELECT CAST(day AS DATE), epoch_us(day),
                   (coalesce(min(epoch_us(tick)), epoch_us(day) + {DAY_US}) - epoch_us(day) - 1) // {_every_us(recount)}
            FROM (SELECT unnest(generate_series(min(arrival_date) + INTERVAL 1 DAY, TIMESTAMP {last}, INTERVAL 1 DAY))
                         AS day FROM passes)
            LEFT JOIN passes ON arrival_date = CAST(day AS DATE) GROUP BY day"""
    recount.connection.execute(f"CREATE TEMP TABLE silences(arrival_date, since_us, beats) AS {found}")


def watermark_before_us(recount: Recount) -> int | None:
    """The watermark just before the first day; None where nothing had arrived."""
    newest_us = newest_before_us(recount, recount.days[0])
    return None if newest_us is None else newest_us - sql.microseconds(recount.query.lateness)


def newest_before_us(recount: Recount, day: date) -> int | None:
    """The newest start before a day; None where nothing had arrived."""
    (newest_us,) = recount.one(f"SELECT max(newest_us) FROM ({_before(recount, day)})")
    return newest_us


def staircase(recount: Recount, since: date) -> str:
    """SQL: tick_us and newest_us. Days before `since` become one step at the beginning of time."""
    since_, last, every_us, end = sql.literal(since), sql.literal(recount.days[-1]), _every_us(recount), ""
    if recount.days[-1] == recount.stream.last_day:
        # It takes the watermark to infinity: at its last tick, or its last microsecond.
        last_us = f"coalesce(max(epoch_us(arrival)), {recount.end_us - 1})"
        end = f"UNION ALL SELECT {last_us}, {sql.NEVER_US} FROM last_day"
    return f"""
        WITH raised AS (
            SELECT {sql.EVER_US} AS tick_us, max(newest_us) AS newest_us FROM ({_before(recount, since)})
            UNION ALL
            SELECT epoch_us(tick), epoch_us(newest_start)
            FROM passes WHERE arrival_date BETWEEN {since_} AND {last}
            UNION ALL
            SELECT since_us + beat * {every_us}, since_us + (beat - 1) * {every_us}
            FROM (SELECT *, unnest(range(1, beats + 1)) AS beat FROM silences WHERE arrival_date >= {since_})
            {end}),
        highest AS (SELECT tick_us, max(newest_us) OVER (ORDER BY tick_us) AS newest_us FROM raised)
        SELECT min(tick_us) AS tick_us, newest_us FROM highest
        WHERE newest_us IS NOT NULL GROUP BY newest_us"""


def _before(recount: Recount, day: date) -> str:
    """SQL: the newest starts before a day; of each silence its last heartbeat's."""
    before = f"arrival_date < {sql.literal(day)}"
    return f"""
        SELECT epoch_us(newest_start) AS newest_us FROM passes WHERE {before}
        UNION ALL
        SELECT since_us + (beats - 1) * {_every_us(recount)} FROM silences WHERE beats > 0 AND {before}"""


def _every_us(recount: Recount) -> int:
    idle_after = recount.stream.idle_after
    return 0 if idle_after is None else sql.microseconds(idle_after)


def with_passes(recount: Recount | QueryConnection, windows: str) -> str:
    """SQL: the windows of a relation with `reached_us` = P(end) and `closed_us` = P(end + allowed)."""
    lateness_us = sql.microseconds(recount.query.lateness)
    allowed_us = lateness_us + sql.microseconds(recount.query.allowed_lateness)
    return f"""
        SELECT w.*, coalesce(r.tick_us, {sql.NEVER_US}) AS reached_us,
               coalesce(c.tick_us, {sql.NEVER_US}) AS closed_us
        FROM {windows} w
        ASOF LEFT JOIN ticks r ON w.window_end_us + {lateness_us} <= r.newest_us
        ASOF LEFT JOIN ticks c ON w.window_end_us + {allowed_us} <= c.newest_us"""


def heartbeats_between(points: str, every_us: int, of: str = "") -> str:
    """SQL: `tick_us` and `newest_us` of the heartbeats between neighbours of the relation `points` (point_us): arrival
    ticks, and where silence counts anew or ends. of: a column of points, of which neighbours have the same, kept."""
    kept, parts = (f"{of}, ", f"PARTITION BY {of}") if of else ("", "")
    return f"""
        SELECT {kept} since_us + beat * {every_us} AS tick_us, since_us + (beat - 1) * {every_us} AS newest_us
        FROM (SELECT {kept} since_us, unnest(range(1, (until_us - since_us - 1) // {every_us} + 1)) AS beat
              FROM (SELECT {kept} point_us AS since_us, lead(point_us) OVER ({parts} ORDER BY point_us) AS until_us
                    FROM ({points}))
              WHERE until_us IS NOT NULL)"""
