"""A window of a session or a frame: what cuts its tuples, and where it ends behind them.

tail      first ── last ───▶ end        a gap behind the last tuple, of frames a microsecond
reach     first ── last · · ▶ end       as far as one of its tuples reaches, the last or an earlier one
"""

from kernels.frames._rules import FrameRules
from kernels.runtime.fields import Flag, Microseconds, Ref
from kernels.runtime.memory import inner
from kernels.windows._window import Window


class CutWindow(Window):
    """rules: what cuts tuples. tail: from the time of a frame's last tuple to its end; ends_at_reach: it ends at its
    reach instead. passes_at_end: whether the watermark passes that end, whatever comes; else it must reach the tuple
    that closed the frame."""

    rules: Ref(FrameRules)
    tail: Microseconds
    ends_at_reach: Flag()
    passes_at_end: Flag()


@inner
def end_of(window, frame):
    """First time behind a frame's window."""
    return frame.reach if window.ends_at_reach else frame.last + window.tail
