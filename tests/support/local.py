"""`replay_table` and `late_table` of clocks that differ as they like: an event may arrive before its start."""

from datetime import timedelta
from functools import partial

from windrow.pipelines import local

replay_table = partial(local.replay_table, ahead_at_most=timedelta.max)
late_table = partial(local.late_table, ahead_at_most=timedelta.max)
