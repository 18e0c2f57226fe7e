"""longest_run_start: the event time of the first value of longest_run, of the first one where several are as long. Null
over no values."""

from windrow.kernels.monoids.longest_run import combine_starts, with_marks

MONOIDS = with_marks(combine_starts)
