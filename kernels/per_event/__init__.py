"""An answer after each event: the aggregate of a key's window of the last so-many microseconds, event by event.

    from kernels.per_event import KeyedEvents, answer_per_event

    answers = answer_per_event(events, 86_400_000_000, (AggregateSpec("sum", 0, "float64"), AggregateSpec("max", 0)))

What a stream processor without a watermark would say as each event arrives; `kernels.replay` is the replay with one.
"""

from kernels.per_event.entry import Answers, KeyedEvents, answer_per_event

__all__ = ["Answers", "KeyedEvents", "answer_per_event"]
