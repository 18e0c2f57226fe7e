"""Heartbeats in SQL (`schemas/idle.py`): written once more, so that what ingest and replay made of silences is found
again by other means."""

from datetime import date

from pipelines.gate.recount import sql
from pipelines.gate.recount.query_day import DAY_US


def between(points: str, every_us: int) -> str:
    """SQL: `tick_us` and `newest_us` of the heartbeats between neighbours of the relation `points` (point_us): arrival
    ticks, and where silence counts anew or ends."""
    return f"""
        SELECT since_us + beat * {every_us} AS tick_us, since_us + (beat - 1) * {every_us} AS newest_us
        FROM (SELECT since_us, unnest(range(1, (until_us - since_us - 1) // {every_us} + 1)) AS beat
              FROM (SELECT point_us AS since_us, lead(point_us) OVER (ORDER BY point_us) AS until_us FROM ({points}))
              WHERE until_us IS NOT NULL)"""


def of_day(silver: str, day: date, every_us: int) -> str:
    """SQL: those of a day behind its first arrival; `silver`: the day's events, FROM … WHERE …."""
    end_us = sql.day_start_us(day) + DAY_US
    return between(f"SELECT epoch_us(arrival) AS point_us {silver} UNION SELECT {end_us} {silver}", every_us)


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
