"""longest_run_end: the event time of the last value of longest_run, of the first one where several are as long. Null
over no values."""

from windrow.kernels.monoids.longest_run import combine_ends, with_marks

MONOIDS = with_marks(combine_ends)
