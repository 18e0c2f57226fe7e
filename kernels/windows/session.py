"""Sessions: runs of tuples, each less than a gap behind the one before (kernels/frames/rules/session.py). A session
ends a gap behind its last tuple, and passes with that, whatever comes."""

from kernels.replay.by_context.frames import CutWindow
from kernels.windows._cut import CutKind


class SessionKind(CutKind):
    """Cut by times, not by values."""

    def window(self, asked, rules, closing):
        return CutWindow.make(rules=rules, reach=asked.gap_us, passes_at_end=1)


KIND = SessionKind()
