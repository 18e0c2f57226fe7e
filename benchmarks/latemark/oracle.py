"""The truth, plain and slow: one bid after the other, a list for each window. For a few hundred bids."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from statistics import median

from benchmarks.latemark.questions import AHEAD_AT_MOST, LatemarkQuestion, us
from windrow.schemas.query import Aggregate, Session, Sliding, Tumbling

Bid = dict
Row = tuple


def counted(bids: list[Bid]) -> list[Bid]:
    """In the order of their arrival: without wrong clocks, and each once."""
    found: dict[int, Bid] = {}
    for bid in bids:
        if bid["date_time"] - bid["arrival"] <= us(AHEAD_AT_MOST):
            found.setdefault(bid["id"], bid)
    return list(found.values())


def true_rows(bids: list[Bid], question: LatemarkQuestion) -> dict[Row, Row]:
    """By identity (key, window_start and window_end in µs) the values."""
    windows: dict[Row, list[Bid]] = defaultdict(list)
    of_keys: dict[Row, list[Bid]] = defaultdict(list)
    for bid in counted(bids):
        of_keys[tuple(bid[name] for name in question.query.key)].append(bid)
    for key, of_key in of_keys.items():
        for start, end, bid in _placed(of_key, question.query.window):
            windows[*key, start, end].append(bid)
    aggregates = question.query.aggregates.values()
    return {row: tuple(_value(held, each) for each in aggregates) for row, held in windows.items()}


def known_rows(bids: list[Bid], question: LatemarkQuestion, moment_us: int) -> dict[Row, Row]:
    """What had arrived by a moment says."""
    return true_rows([bid for bid in bids if bid["arrival"] <= moment_us], question)


def _placed(bids: list[Bid], window: object) -> Iterator[tuple[int, int, Bid]]:
    if isinstance(window, Session):
        yield from _sessions(sorted(bids, key=lambda bid: bid["date_time"]), us(window.gap))
        return
    assert isinstance(window, Tumbling | Sliding)
    size = us(window.size)
    slide = us(window.slide) if isinstance(window, Sliding) else size
    for bid in bids:
        start = bid["date_time"] // slide * slide
        while start > bid["date_time"] - size:
            yield start, start + size, bid
            start -= slide


def _sessions(bids: list[Bid], gap: int) -> Iterator[tuple[int, int, Bid]]:
    sessions: list[list[Bid]] = []
    for bid in bids:
        if not sessions or bid["date_time"] - sessions[-1][-1]["date_time"] >= gap:
            sessions.append([])
        sessions[-1].append(bid)
    for held in sessions:
        for bid in held:
            yield held[0]["date_time"], held[-1]["date_time"] + gap, bid


def _value(held: list[Bid], aggregate: Aggregate) -> object:
    of = aggregate.columns
    values = [bid[of[0]] for bid in held] if of else []
    if aggregate.function == "top_k":
        ranked = sorted(Counter(values).items(), key=lambda each: (-each[1], each[0]))
        k = dict(aggregate.parameters)["k"]
        return ranked[k - 1][0] if len(ranked) >= k else None
    if aggregate.function == "argmax":
        first = min(held, key=lambda bid: (-bid[of[0]], bid["date_time"], bid["arrival"], bid["id"]))
        return first[of[1]]
    if aggregate.function == "count":
        return len(held)
    return {"sum": sum, "max": max, "median": median}[aggregate.function](values)
