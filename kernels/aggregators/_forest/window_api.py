"""What the objects of both monoid trees share: slide policies, ranges, and the state in a store."""

from collections.abc import Callable, Mapping

from kernels.aggregators._answers import lower_all
from kernels.aggregators._columns import Source
from kernels.aggregators._dispatch import DONE, OUT_OF_ORDER
from kernels.aggregators._forest import MISSING, UNKNOWN_PLACE, Forest, search
from kernels.aggregators._forest.check import check_forest
from kernels.aggregators._forest.search import fold_between, open_is_in
from kernels.aggregators._forest.slide import Slide, insert_and_slide
from kernels.aggregators._forest.stored import BUFFER, StoredForest, check_buffer
from kernels.aggregators._predicates import Predicate
from kernels.aggregators._window import PointWindow
from kernels.runtime.guarded import guarded_entry
from kernels.runtime.memory import entry
from kernels.runtime.one_at_a_time import in_turn
from kernels.stores import open_store
from schemas.errors import WrongParameter
from schemas.query import Aggregate


@entry
def place_of(forest, time):
    """Place of the first update at or after a time; UNKNOWN_PLACE."""
    return search.find(Forest(forest), time)


@guarded_entry
def answer_between(forest: Forest, first, end, low, high, answers):
    """Answers of the updates in the places [first, end), and of the open entry if its time is in [low, high): DONE;
    MISSING."""
    found, state = fold_between(forest, first, end, open_is_in(forest, low, high))
    if not found:
        return MISSING
    lower_all(forest.plan, state, answers)
    return DONE


class MonoidWindow(PointWindow):
    """In order only. policy: evict?(total, prefix) → bool, of the outputs of the window and of a prefix at its old end,
    both as dicts: total["sum"], None for a null. After each event the longest prefix that it evicts goes. It must be
    monotone: who evicts a prefix evicts every shorter one, else the search may stop early (MTA §4.1.3). It is compiled
    by Numba when the window is made: integers are int64, and whatever else it reads counts as it is then.

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
        policy = options.pop("policy", None)
        buffer = check_buffer(options.pop("buffer", BUFFER))
        # It is opened first: a store that can't be opened must not leave a structure behind.
        store = open_store(**options)
        super().__init__(aggregates, column_types, page_nodes=buffer // 4 if store else 0)
        self._stored = StoredForest(store, self._address, self._identity(buffer)) if store else None
        self._policy = self._compiled(policy) if policy is not None else None
        if self._policy is not None:
            self._slide = Slide.make(policy=self._policy.address, parameters=self._policy.parameters)

    def _compiled(self, policy: Callable) -> Predicate:
        try:
            return Predicate("policy", policy, self._names, self._plan, self._outputs_at)
        except WrongParameter:
            if self._stored is not None:
                self.close()
            raise

    def _option_words(self, page_nodes: int) -> tuple[int, int]:
        return page_nodes, 0

    def _identity(self, buffer: int) -> dict:
        """What must be the same for a stored window to be taken up again."""
        return {
            "kernel": self.kernel_name(),
            "outputs": list(self._names),
            "columns": self._columns.types,
            "buffer": buffer,
            "aggregates": [
                [part if not isinstance(part, tuple) else [list(each) for each in part] for part in spec]
                for spec in self._plan.specs
            ],
            "state_words": self._plan.state_words,
        }

    @in_turn
    def flush(self) -> None:
        """Write everything to the store, at once: what another process finds there is the window of now."""
        self._need_store().flush()

    @in_turn
    def close(self) -> None:
        """Let go of the store, without a flush; the window can't be used afterwards."""
        self._need_store().close()

    def _need_store(self) -> StoredForest:
        if self._stored is None:
            raise WrongParameter("store", None, "'lmdb' or 'redis': a window in memory has nothing to be flushed to")
        return self._stored

    def _insert(self, source: Source, rows: int) -> int:
        """Insert the rows of a source, with what the store must do in between."""
        if self._policy is not None:
            self._slide.is_under_way = False  # forget a search that something else than a missing page ended
        status = self._insert_from(0, source, rows)
        while status not in (DONE, OUT_OF_ORDER):
            self._stored.serve(status)
            status = self._insert_from(Forest(self._address).next_row, source, rows)
        return status

    def _insert_from(self, row: int, source: Source, rows: int) -> int:
        if self._policy is None:
            return self._ask("insert_rows", source.address, row, rows)
        words = (self.dispatch().address, self._address, self._slide.address, source.address, row, rows)
        return self._policy.search(insert_and_slide, *words)

    def _evict(self, operation: str, time: int) -> int:
        return self._served(self._ask, operation, time)

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
        return self._served(answer_between, self._address, first, end, *between, self._answers)

    def _check(self, s: int, plan) -> None:
        check_forest(s, plan, self._stored)
