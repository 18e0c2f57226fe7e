"""What the objects of both monoid trees share: slide policies, ranges, and the state in a store.

Slide policies (MTA §3.2, §4.1.3): after each event the longest prefix that a policy evicts goes, found by a search.

    policy: total − prefix ≥ 7, of sums      window  1 2 | 3 4 5 6        total 21
    tries 1 (20 left), 1 + 2 (18), then the node 3…6 (0 left: too much), 3 + 4 (11), 5 (6: too much): 1 … 4 go

A policy is a compiled function by address (kernels/objects/predicates.py). Where a page is missing the search stops as
it stands, and goes on from there once the page is here.
"""

from collections.abc import Callable, Mapping

from windrow.kernels.aggregators._dispatch import DONE, OUT_OF_ORDER
from windrow.kernels.aggregators._window import PointWindow
from windrow.kernels.aggregators.baselines._forest import (
    MISSING,
    Forest,
    Height,
    Update,
    copy_state,
)
from windrow.kernels.aggregators.baselines._forest.check import check_forest
from windrow.kernels.aggregators.baselines._forest.operations import ForestKernel
from windrow.kernels.aggregators.baselines._forest.search import complete, is_there
from windrow.kernels.aggregators.baselines._forest.stored import BUFFER, StoredForest, check_buffer
from windrow.kernels.objects.columns import Source
from windrow.kernels.objects.predicates import FAILED, Predicate
from windrow.kernels.runtime.fields import Address, Flag
from windrow.kernels.runtime.guarded import guarded_entry
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.runtime.one_at_a_time import in_turn
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.states import clear, merge
from windrow.kernels.stores import open_store
from windrow.schemas.errors import WrongParameter
from windrow.schemas.query import Aggregate


class Slide(Struct):
    """A policy, and where its search is.

    policy(total, prefix, parameters) → 1: the prefix goes; 0; FAILED
    total: state of the window; position: the updates before it go, and at `end + 1` the open entry too
    height: the next node to be tried begins at `position` there; below 0 nothing is left to be tried
    """

    policy: Operation(Address, Address, Address)
    parameters: Address
    is_under_way: Flag()
    total: Address
    position: Update
    height: Height


@guarded_entry
def insert_and_slide(kernel: ForestKernel, forest: Forest, slide: Slide, events, first, end):
    """Insert some rows, and have the policy asked after each. DONE, or what stopped it: OUT_OF_ORDER, FAILED; MISSING
    or FULL, after which it is called again, with the forest's next_row as `first`."""
    while first < end or slide.is_under_way:
        if not slide.is_under_way:
            status = kernel.insert_rows(forest, events, first, first + 1)
            if status != DONE:
                return status
            slide.total, slide.position, slide.height = kernel.query(forest), forest.first, 0
            slide.is_under_way = True
            clear(forest.plan, forest.prefix.state)
        status = _find_prefix(forest, slide)
        if status == DONE:
            status = kernel.evict_before(forest, slide.position)
        if status != DONE:
            return status
        slide.is_under_way = False
        first = forest.next_row
    return DONE


@inner
def _find_prefix(forest, slide):
    """Search for the longest prefix that goes, in a window that isn't empty: DONE, MISSING or FAILED. O(log m)."""
    not_inlined()
    while slide.height >= 0 and slide.position <= forest.end:
        is_open = slide.position == forest.end
        if not is_open and not is_there(forest, slide.height, slide.position >> slide.height):
            slide.height -= 1
            continue
        tried = forest.open
        if not is_open:
            tried = complete(forest, slide.height, slide.position >> slide.height)
        if tried.address == 0:
            return MISSING
        merge(forest.plan, forest.trial.state, forest.prefix.state, tried.state)
        answer = slide.policy(slide.total, forest.trial.state, slide.parameters)
        if answer == FAILED:
            return FAILED
        if answer:
            _take(forest, slide)
        else:
            slide.height = -1 if is_open else slide.height - 1
    return DONE


@inner
def _take(forest, slide):
    """The prefix that was tried goes, and a longer one is tried."""
    copy_state(forest, forest.prefix.state, forest.trial.state)
    if slide.position == forest.end:
        slide.position += 1
        return
    slide.position += 1 << slide.height
    if (slide.position >> slide.height) & 1 == 0:
        slide.height += 1


class MonoidWindow(PointWindow):
    """In order only. policy: evict?(total, prefix) → bool, of the outputs of the window and of a prefix at its old end,
    both as dicts: total["sum"], None for a null. After each event the longest prefix that it evicts goes. It must be
    monotone: if it evicts a prefix, it evicts every shorter one, else the search may stop early (MTA §4.1.3). Numba
    compiles it when the window is made: integers are int64, and all else that it reads keeps its value of then.

    store: None keeps all in memory. "lmdb" and "redis" keep all but O(log n) in a store, from which a window made with
        the same path, aggregates and types takes up again as of the last flush().
    path: folder of the embedded store, or the prefix of the keys in Redis; none: one of its own, gone with the window
    url: of the Redis server
    buffer: nodes per level that are held in memory for writing and at the head; 512 as in the paper. Smaller ones are
        for tests, so that small windows use the store; larger ones read and write in larger pieces.
    """

    TABLE = ForestKernel
    IN_ORDER_ONLY = True
    OPTIONS = ("policy", "store", "path", "url", "buffer")

    def __init__(
        self,
        window: None,
        aggregates: Mapping[str, Aggregate],
        column_types: Mapping[str, str] | None = None,
        policy: Callable | None = None,
        buffer: int = BUFFER,
        **options: str | None,
    ):
        check_buffer(buffer)
        page_nodes = 0 if options.get("store") is None else buffer // 4
        super().__init__(window, aggregates, column_types, page_nodes=page_nodes)
        self._policy = None
        if policy is not None:
            self._policy = Predicate("policy", policy, self._names, self._plan, self._outputs_at)
            self._slide = Slide.make(policy=self._policy.address, parameters=self._policy.parameters)
        # It is opened last, so that no refusal leaves it open.
        store = open_store(**options)
        self._stored = None if store is None else StoredForest(store, self._address, self._identity(buffer))

    @classmethod
    def option_words(cls, page_nodes: int = 0) -> tuple[int, int]:
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
        return self._served(operation, time)

    def _served(self, operation: str, *times: int, missing: int = MISSING) -> int:
        """Ask until no page is missing."""
        while (answer := self._ask(operation, *times)) == missing:
            self._stored.serve(MISSING)
        return answer

    def _range_state(self, low: int, high: int) -> int:
        return self._served("range_query", low, high, missing=0)

    def _check(self, s: int, plan) -> None:
        check_forest(s, plan, self._stored)
