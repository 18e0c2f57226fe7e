"""An answer after each event: the aggregate of a key's window of the last so-many microseconds, event by event; the
replay with a watermark is kernels/replay. `answer_each` takes Python's values, `answer_per_event` whole columns."""

from windrow.kernels.per_event.entry import Answers, KeyedEvents, answer_each, answer_per_event

__all__ = ["Answers", "KeyedEvents", "answer_each", "answer_per_event"]
