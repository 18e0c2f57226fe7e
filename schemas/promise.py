"""What the users of a query's table may rely on, in the words of the query's file:

    promises=(
        promise(complete=0.995, within="1 h"),
        promise(final_moves_at_most=0.001, of="trips"),
        promise(fresh_within="2 h"),
        promise(rows_between=(100, 5_000), or_else="fail"),
    )

Each run checks them (pipelines/gate/promises.py). docs/promises.md says what is measured.
"""

from dataclasses import dataclass
from datetime import timedelta

from windrow.schemas.errors import WrongParameter
from windrow.schemas.spelling import in_words, read_length
from windrow.schemas.windows import require

COMPLETE, FINAL_MOVES, FRESH, ROWS = "complete", "final_moves_at_most", "fresh_within", "rows_between"
KINDS = (COMPLETE, FINAL_MOVES, FRESH, ROWS)
BELONGS_TO = {"within": COMPLETE, "of": FINAL_MOVES}
WARN, FAIL = "warn", "fail"
LONGEST = timedelta(days=30)
_NO_LENGTH = timedelta(0)
_LENGTH = f'a length above zero of at most {LONGEST.days} days, such as "1 h", "30 min" or a timedelta'
_SHARE = "a share from 0 to 1"


@dataclass(frozen=True)
class Promise:
    """One of a query, made by `promise`.

    kind: one of KINDS
    least, most: the measured figure lies between them, both included: a share of COMPLETE and FINAL_MOVES, seconds of
        FRESH, rows of ROWS
    within: of COMPLETE; of: the aggregate of FINAL_MOVES
    or_else: WARN, or FAIL, which keeps a run's rows from being published
    """

    kind: str
    least: float = 0
    most: float = float("inf")
    within: timedelta | None = None
    of: str | None = None
    or_else: str = WARN

    @property
    def name(self) -> str:
        """In words, without the limit."""
        found = {FINAL_MOVES: f"final {self.of}", FRESH: "fresh", ROWS: "rows"}
        return found[self.kind] if self.within is None else f"complete within {in_words(self.within)}"

    @property
    def allowed(self) -> str:
        """The limit, in words."""
        if self.kind == ROWS:
            return f"{self.least:,} to {self.most:,} rows"
        if self.kind == FRESH:
            return f"at most {in_words(timedelta(seconds=self.most))} old"
        return f"at least {self.least:g}" if self.kind == COMPLETE else f"moves by at most {self.most:g}"

    @property
    def unit(self) -> str | None:
        """Of the measured figure; None of a share."""
        return {FRESH: "s", ROWS: "rows"}.get(self.kind)

    def holds(self, measured: float) -> bool:
        """Whether it is kept."""
        return self.least <= measured <= self.most


def promise(
    *, within: str | timedelta | None = None, of: str | None = None, or_else: str = WARN, **limit: object
) -> Promise:
    """One promise of a query. limit: exactly one of these four, a length being a text such as "1 h" or a timedelta.

    complete=0.995, within="1 h": the least share of a day's events that have arrived so long after their windows' ends
    final_moves_at_most=0.001, of="trips": by which share a day's aggregate may move after its rows on time
    fresh_within="2 h": how old the newest row may be when a day ends
    rows_between=(100, 5_000): how many rows a day's run may publish, both included

    or_else: "warn", or "fail": the rows of a run that finds it broken are not published

    WrongParameter for none or several of the four, and for a limit that is none.
    """
    require(len(limit) == 1 and {*limit} <= {*KINDS}, "promise", ", ".join(limit), f"exactly one of {', '.join(KINDS)}")
    require(or_else in (WARN, FAIL), "or_else", or_else, f"{WARN!r} or {FAIL!r}")
    [(kind, value)] = limit.items()
    for name, given in (("within", within), ("of", of)):
        required = kind == BELONGS_TO[name]
        require(required or given is None, name, given, f"left out: it belongs to {BELONGS_TO[name]}")
    return Promise(kind, **_limits(kind, value, within, of), or_else=or_else)


def _limits(kind: str, limit: object, within: object, of: object) -> dict:
    if kind == ROWS:
        least, most = _rows(limit)
        return {"least": least, "most": most}
    if kind == FRESH:
        return {"most": _length(kind, limit).total_seconds()}
    is_share = isinstance(limit, int | float) and not isinstance(limit, bool) and 0 <= limit <= 1
    require(is_share, kind, limit, _SHARE)
    if kind == COMPLETE:
        return {"least": limit, "most": 1, "within": _length("within", within)}
    require(isinstance(of, str), "of", of, "the name of an aggregate of the query that gives a number")
    return {"most": limit, "of": of}


def _rows(limit: object) -> tuple[int, int]:
    is_pair = isinstance(limit, tuple | list) and len(limit) == 2
    whole = is_pair and all(isinstance(each, int) and not isinstance(each, bool) for each in limit)  # type: ignore
    if not whole or not 0 <= limit[0] <= limit[1]:  # type: ignore[index]
        raise WrongParameter(ROWS, limit, "two whole numbers from 0 on, the lesser first, such as (100, 5_000)")
    return limit[0], limit[1]  # type: ignore[index]


def _length(name: str, value: object) -> timedelta:
    found = read_length(value) if isinstance(value, str) else value
    if not isinstance(found, timedelta) or not _NO_LENGTH < found <= LONGEST:
        raise WrongParameter(name, value, _LENGTH)
    return found
