"""Sessions: runs of tuples, each less than a gap behind the one before (kernels/frames/rules/session.py). A session
ends a gap behind its last tuple, of gaps that a column says behind the one that reaches furthest, and passes with that,
whatever comes."""

from kernels.replay.by_context.state import CutWindow
from kernels.windows._dependent import CutKind


class SessionKind(CutKind):
    """Cut by times, and by a column only where that says how long gaps are."""

    def window(self, asked, rules, closing):
        if asked.column is not None:
            return CutWindow.make(rules=rules, ends_at_reach=1, passes_at_end=1)
        return CutWindow.make(rules=rules, tail=asked.gap_us, passes_at_end=1)


KIND = SessionKind()
