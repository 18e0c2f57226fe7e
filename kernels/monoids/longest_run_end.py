"""longest_run_end: the event time of the last value of the `longest_run`; if several runs are as long, of the first of
them. Null over no values."""

from windrow.kernels.monoids.longest_run import combine_ends, with_marks

MONOIDS = with_marks(combine_ends)
