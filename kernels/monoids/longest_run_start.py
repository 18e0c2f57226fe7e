"""longest_run_start: the event time of the first value of the `longest_run`; if several runs are as long, of the first
of them. Null over no values."""

from windrow.kernels.monoids.longest_run import combine_starts, with_marks

MONOIDS = with_marks(combine_starts)
