"""Heartbeats in SQL (`schemas/idle.py`): written once more, so that what ingest and replay made of silences is found
again by other means."""

from datetime import date

from pipelines.gate.recount import sql
from pipelines.gate.recount.query_days import DAY_US


def between(points: str, every_us: int, of: str = "") -> str:
    """SQL: `tick_us` and `newest_us` of the heartbeats between neighbours of the relation `points` (point_us): arrival
    ticks, and where silence counts anew or ends. of: a column of points, of which neighbours have the same, kept."""
    kept, parts = (f"{of}, ", f"PARTITION BY {of}") if of else ("", "")
    return f"""
        SELECT {kept} since_us + beat * {every_us} AS tick_us, since_us + (beat - 1) * {every_us} AS newest_us
        FROM (SELECT {kept} since_us, unnest(range(1, (until_us - since_us - 1) // {every_us} + 1)) AS beat
              FROM (SELECT {kept} point_us AS since_us, lead(point_us) OVER ({parts} ORDER BY point_us) AS until_us
                    FROM ({points}))
              WHERE until_us IS NOT NULL)"""


def of_days(silver: str, every_us: int) -> str:
    """SQL: those of days behind their first arrivals, with `arrival_date`; silver: the days' events, FROM … WHERE …."""
    end_us = f"{sql.begin_us('arrival_date')} + {DAY_US}"
    points = f"""
        SELECT arrival_date, epoch_us(arrival) AS point_us {silver} UNION SELECT arrival_date, {end_us} {silver}"""
    return between(points, every_us, "arrival_date")


def silences(passes: str, day: date, every_us: int) -> str:
    """SQL: of each day behind the first arrival day, up to `day`, when it began (since_us), and how many heartbeats
    (beats) it had before its first tick, or until its end."""
    return f"""
        WITH arrived AS (SELECT arrival_date, min(epoch_us(tick)) AS first_us FROM {passes} GROUP BY ALL),
        days AS (
            SELECT CAST(unnest(generate_series(min(arrival_date) + INTERVAL 1 DAY, TIMESTAMP {sql.literal(str(day))},
                                               INTERVAL 1 DAY)) AS DATE) AS arrival_date
            FROM arrived),
        begun AS (SELECT arrival_date, epoch_us(CAST(arrival_date AS TIMESTAMP)) AS since_us FROM days)
        SELECT arrival_date, since_us,
               (coalesce(first_us, since_us + {DAY_US}) - since_us - 1) // {every_us} AS beats
        FROM begun LEFT JOIN arrived USING (arrival_date)"""
