"""What a nowcast means, written as plainly as possible: each row looks at all rows of the days before its own."""

import math
from datetime import date, datetime, timedelta

from windrow.schemas.query import Query

Row = dict
Pair = tuple[Row, Row]
"""An earlier row, and the last one of its window before the day."""
SECOND = timedelta(seconds=1)
LEAST_ROWS, ROWS_A_CELL, MOST_CELLS, PRIOR = 19, 100, 16, 4


def nowcasts(rows: list[Row], query: Query, day: date) -> list[Row]:
    """Of the rows that were emitted on the day, in their order; null where history doesn't suffice."""
    before = [row for row in rows if day - query.nowcast <= row["emitted_at"].date() < day]
    reached = [_reached(row, query) for row in before]
    newest = {}
    for row in sorted(before, key=lambda row: row["revision"]):
        newest[tuple(row[name] for name in query.window_identity)] = row
    history = []
    for row in before:
        if row["window_end"] + query.allowed_lateness <= max(reached):
            history.append((row, newest[tuple(row[name] for name in query.window_identity)]))
    usual = {name: [_usual(pair[0], history, name, query, pair) for pair in history] for name in query.additive}
    return [_of_row(row, history, usual, query) for row in rows if row["emitted_at"].date() == day]


def _reached(row: Row, query: Query):
    """A time that the watermark had reached when the row was emitted."""
    if row["pane"] != "early":
        return row["window_end"]
    longest = max(timedelta(microseconds=window.longest_event_us or 0) for window in query.every_window)
    return row["window_start"] - longest - query.lateness


def _of_row(row: Row, history: list[Pair], usual: dict[str, list[float]], query: Query) -> Row:
    ages = sorted(_age(earlier) for earlier, _ in history if _pane(earlier) == _pane(row))
    parts = min(max(len(ages) // ROWS_A_CELL, 1), MOST_CELLS)
    bounds = [ages[number * len(ages) // parts] for number in range(1, parts)] if ages else []
    cell = [
        place
        for place, (earlier, _) in enumerate(history)
        if _pane(earlier) == _pane(row) and _part(earlier, bounds) == _part(row, bounds)
    ]
    found = {"age_seconds": _age(row) / SECOND, "history_rows": len(cell)}
    for name in query.additive:
        growth = (None, None, None)
        if len(cell) >= LEAST_ROWS:
            now = row[name] or 0, _usual(row, history, name, query)
            growth = _growth(now, [(history[place], usual[name][place]) for place in cell], name)
        for bound, more in zip(("expected", "low", "high"), growth, strict=True):
            found[f"{name}_{bound}"] = None if more is None else (row[name] or 0) + more
    return found


def _growth(now: tuple[float, float], cell: list[tuple[Pair, float]], name: str) -> tuple[float, float, float]:
    """now, and each of the cell: its value and what is usual."""
    grown = [_more(pair, name) for pair, _ in cell]
    spread, falls = sum(map(abs, grown)) / len(grown), min(grown) < 0
    if not spread:
        return 0, 0, 0
    known = [(earlier[name] or 0, usual) for (earlier, _), usual in cell]
    b, c = _least_squares(known, grown, spread)

    def expected(value: float, usual: float) -> float:
        more = b * value + c * usual
        return more if falls else max(more, 0)

    def unit(more: float) -> float:
        return math.sqrt(abs(more) + spread)

    foretold = [expected(*each) for each in known]
    residuals = sorted((more - each) / unit(each) for more, each in zip(grown, foretold, strict=True))
    more = expected(*now)
    low, high = (more + _quantile(residuals, share) * unit(more) for share in (0.05, 0.95))
    return (more, low, high) if falls else (more, max(low, 0), max(high, 0))


def _quantile(ordered: list[float], share: float) -> float:
    """Of n values the k-th for the share k / (n + 1), and between them on a line."""
    place = min(max(share * (len(ordered) + 1), 1), len(ordered))
    lower, part = ordered[math.floor(place) - 1], place % 1
    return lower + part * (ordered[math.ceil(place) - 1] - lower)


def _usual(row: Row, history, name: str, query: Query, itself=None) -> float:
    """By how much rows like it have grown, itself left out."""
    usual = sum(_more(pair, name) for pair in history) / len(history)
    for like in (_pane, lambda each: (_pane(each), _key(each, query)),
                 lambda each: (_pane(each), _key(each, query), _hour(each["window_start"]))):  # fmt: skip
        of = [_more(pair, name) for pair in history if pair is not itself and like(pair[0]) == like(row)]
        usual = (sum(of) + PRIOR * usual) / (len(of) + PRIOR)
    return usual


def _hour(time: datetime) -> tuple:
    """Of a weekend, or of another day."""
    return time.weekday() >= 5, time.hour


def _least_squares(known, grown, spread) -> tuple[float, float]:
    """Weights b, c of b · value + c · usual, each row weighted by 1 / (|usual| + spread)."""
    weights = [1 / (abs(usual) + spread) for _, usual in known]
    vv = sum(w * v * v for w, (v, _) in zip(weights, known, strict=True))
    vu = sum(w * v * u for w, (v, u) in zip(weights, known, strict=True))
    uu = sum(w * u * u for w, (_, u) in zip(weights, known, strict=True))
    vd = sum(w * v * d for w, (v, _), d in zip(weights, known, grown, strict=True))
    ud = sum(w * u * d for w, (_, u), d in zip(weights, known, grown, strict=True))
    ridge = 1e-9 * (vv + uu)
    vv, uu = vv + ridge, uu + ridge
    determinant = vv * uu - vu * vu
    return (uu * vd - vu * ud) / determinant, (vv * ud - vu * vd) / determinant


def _more(pair, name: str) -> float:
    return (pair[1][name] or 0) - (pair[0][name] or 0)


def _pane(row: Row) -> tuple:
    return row.get("window_name"), row["pane"]


def _key(row: Row, query: Query) -> tuple:
    return tuple(row[name] for name in query.key)


def _age(row: Row) -> timedelta:
    return row["emitted_at"] - row["window_end"]


def _part(row: Row, bounds: list[timedelta]) -> int:
    return sum(bound <= _age(row) for bound in bounds)
