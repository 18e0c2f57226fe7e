"""What the objects of both monoid trees share: slide policies, ranges, and the state in a store."""

from collections.abc import Callable, Mapping

from kernels.aggregators import _doors
from kernels.aggregators._doors import DONE
from kernels.aggregators._forest import layout, search
from kernels.aggregators._forest.check import check_forest
from kernels.aggregators._forest.entries import fold_between, open_is_in
from kernels.aggregators._forest.stored import BUFFER, StoredForest, check_buffer
from kernels.aggregators._forest.words import (
    EVICT_SEARCHED,
    INSERT_ROWS,
    MISSING,
    NEXT_ROW,
    PLAN,
    TRIAL,
    UNKNOWN_PLACE,
)
from kernels.aggregators._window import Window, ask, lower_all
from kernels.columns import Source
from kernels.memory import entry, lend, load
from kernels.stores import open_store
from schemas.errors import WrongParameter
from schemas.query import Aggregate

BEGIN, KEEP, TAKE, AGAIN = range(4)
"""How a search goes on: from the start; the prefix proposed stays; it goes; the page that was missing is here."""


@entry
def place_of(s, time):
    return search.find(s, time)


@entry
def answer_between(s, first, end, low, high, answers):
    found, state = fold_between(s, first, end, open_is_in(s, low, high))
    if not found:
        return MISSING
    lower_all(load(s, PLAN), state, answers)
    return DONE


@entry
def next_row(s):
    return load(s, NEXT_ROW)


@entry
def search_on(s, step, answers):
    """DONE with the prefix to be judged in `answers`, NOTHING at the end, MISSING."""
    if step == BEGIN:
        search.begin_search(s)
    elif step != AGAIN:
        search.judge(s, step == TAKE)
    status = search.propose(s)
    if status == DONE:
        lower_all(load(s, PLAN), layout.scratch(s, TRIAL), answers)
    return status


class MonoidWindow(Window):
    """In order only. policy: evict?(total, prefix) → bool, of the outputs of the window and of a prefix at its old
    end; after each event the longest prefix that it evicts goes. It must be monotone: who evicts a prefix evicts every
    shorter one, else the search may stop early (MTA §4.1.3).

    store: None keeps all in memory. "lmdb" and "redis" keep all but O(log n) in a store, from which a window made with
        the same path, aggregates and types takes up again as of the last flush().
    path: folder of the embedded store, or the prefix of the keys in Redis; none: one of its own, gone with the window
    url: of the Redis server
    buffer: nodes per level that are held in memory for writing and at the head; 512 as in the paper. Smaller ones are
        for tests, so that small windows use the store; larger ones read and write in larger pieces.
    """

    IN_ORDER_ONLY = True
    OPTIONS = ("policy", "store", "path", "url", "buffer")

    def __init__(self, aggregates: Mapping[str, Aggregate], column_types: Mapping[str, str] | None = None, **options):
        self._policy: Callable | None = options.pop("policy", None)
        if self._policy is not None and not callable(self._policy):
            raise WrongParameter("policy", self._policy, "a function of two dicts (total, prefix) that returns a bool")
        buffer = check_buffer(options.pop("buffer", BUFFER))
        # It is opened first: a store that can't be opened must not leave a structure behind.
        store = open_store(**options)
        super().__init__(aggregates, column_types, page_nodes=buffer // 4 if store else 0)
        self._stored = StoredForest(store, self._address, self._plan, self._identity(buffer)) if store else None

    @classmethod
    def _create(cls, plan: int, page_nodes: int) -> int:
        return ask(cls.door(), 0, _doors.CREATE, plan, page_nodes, 0)

    def _identity(self, buffer: int) -> dict:
        """What must be the same for a stored window to be taken up again."""
        return {"kernel": self._name(), "outputs": list(self._names), "columns": self._columns.types, "buffer": buffer,
                "aggregates": [[part if not isinstance(part, tuple) else [list(each) for each in part] for part in spec]
                               for spec in self._plan.specs], "state_words": self._plan.state_words}

    def flush(self) -> None:
        """Write everything to the store, at once: what another process finds there is the window of now."""
        self._need_store().flush()

    def close(self) -> None:
        """Let go of the store, without a flush; the window can't be used afterwards."""
        self._need_store().close()

    def _need_store(self) -> StoredForest:
        if self._stored is None:
            raise WrongParameter("store", None, "'lmdb' or 'redis': a window in memory has nothing to be flushed to")
        return self._stored

    def _insert(self, source: Source, rows: int) -> int:
        """Insert the rows of a source; each on its own where a policy must be asked after each."""
        row, step = 0, 1 if self._policy else rows
        while row < rows:
            status = self._ask(INSERT_ROWS, source.address, row, min(rows, row + step))
            if status == _doors.OUT_OF_ORDER:
                return status
            if status != DONE:
                self._stored.serve(status)
            elif self._policy:
                self._enforce()
            row = next_row(self._address)
        return DONE

    def _evict(self, operation: int, time: int = 0) -> int:
        return self._served(self._ask, operation, time)

    def _enforce(self) -> None:
        """Evict the longest prefix that the policy evicts, by one search."""
        total, step = self.query(), BEGIN
        while self._propose(step) == DONE:
            step = TAKE if self._policy(total, self._lowered()) else KEEP
        self._evict(EVICT_SEARCHED)

    def _propose(self, step: int) -> int:
        status = search_on(self._address, step, lend(self._answers))
        return status if status != MISSING else self._served(search_on, self._address, AGAIN, lend(self._answers))

    def _served(self, function: Callable, *arguments, missing: int = MISSING) -> int:
        """Call until no page is missing."""
        answer = function(*arguments)
        while answer == missing:
            self._stored.serve(MISSING)
            answer = function(*arguments)
        return answer

    def _answer(self, between: tuple[int, int] | None) -> int:
        if between is None:
            return super()._answer(None)
        first, end = (self._served(place_of, self._address, time, missing=UNKNOWN_PLACE) for time in between)
        return self._served(answer_between, self._address, first, end, *between, lend(self._answers))

    def _check(self, s: int, plan) -> None:
        check_forest(s, plan, self._stored)
