"""Tumbling windows: sliding windows that slide by their size."""

from windrow.pipelines.gate.recount.kinds import sliding

in_sql = sliding.in_sql
