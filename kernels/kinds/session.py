"""Sessions: runs of tuples, each less than a gap behind the one before (kernels/frames/_kinds.py). A session
ends a gap behind its last tuple, of gaps that a column says behind the one that reaches furthest, and passes with that,
whatever comes."""

from windrow.kernels.kinds._dependent import CutKind


class SessionKind(CutKind):
    """Cut by times, and by a column only where that says how long gaps are."""

    def ends(self, asked):
        return {"passes_at_end": 1} | ({"tail": asked.gap_us} if asked.column is None else {"ends_at_reach": 1})


KIND = SessionKind()
