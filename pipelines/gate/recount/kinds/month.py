"""Calendar months: windows of a calendar of months."""

from windrow.pipelines.gate.recount.kinds._calendar import CalendarWindows

in_sql = CalendarWindows
