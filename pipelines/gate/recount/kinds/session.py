"""Sessions: all events from the first to the last, and none within a gap of these."""

from pipelines.gate.recount.kinds._dependent import DependentWindows
from pipelines.gate.recount.rows_held import Shape
from schemas.windows import Session


class SessionWindows(DependentWindows[Session]):
    """They end a gap behind their last event, and only ever join: one that still stands alone is not closed."""

    closing_events = "least"

    def __init__(self, window: Session):
        super().__init__(window)
        gap_us = window.gap_us
        self.shape = Shape(shared_first=False, shared_last=False, tail_us=gap_us, alone_us=gap_us)


in_sql = SessionWindows
