"""Sliding windows: number i is [origin + i·slide, + size); with a time zone, those of its calendar."""

from datetime import datetime, timedelta

from windrow.pipelines.gate.recount import sql
from windrow.pipelines.gate.recount.kinds._calendar import CalendarWindows
from windrow.pipelines.gate.recount.kinds._windows import ClosedForms, SqlWindows
from windrow.schemas.windows import Regular


class SlidingWindows(ClosedForms[Regular]):
    """Also tumbling windows, which slide by their size, and spanning ones, which differ in what they hold."""

    def __init__(self, window: Regular):
        super().__init__(window)
        origin = window.origin if isinstance(window.origin, datetime) else sql.EPOCH
        self.size_us, self.slide_us = sql.microseconds(window.size), sql.microseconds(window.slide)
        self.origin_us = sql.microseconds(origin - sql.EPOCH)

    def longest(self) -> timedelta:
        return self.window.size

    def start(self, number: str) -> str:
        return f"{self.origin_us} + {number} * {self.slide_us}"

    def end(self, number: str) -> str:
        return f"{self.start(number)} + {self.size_us}"

    def first_end_after(self, time: str) -> str:
        return f"floor_div({time} - {self.origin_us + self.size_us}, {self.slide_us}) + 1"

    def last_start_until(self, time: str) -> str:
        return f"floor_div({time} - {self.origin_us}, {self.slide_us})"


def in_sql(window: Regular) -> SqlWindows:
    return SlidingWindows(window) if window.zone is None else CalendarWindows(window)
