"""ISO weeks: windows of a calendar."""

from windrow.pipelines.gate.recount.kinds._calendar import CalendarWindows

in_sql = CalendarWindows
