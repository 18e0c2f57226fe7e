"""Slide policies (MTA §3.2, §4.1.3): after each event the longest prefix that a policy evicts goes, found by a search.

    policy: total − prefix ≥ 7, of sums      window  1 2 | 3 4 5 6        total 21
    tries 1 (20 left), 1 + 2 (18), then the node 3…6 (0 left: too much), 3 + 4 (11), 5 (6: too much): 1 … 4 go

A policy is a compiled function by address (_predicates.py). Where a page is missing the search stops as it stands, and
goes on from there once the page is here.
"""

from kernels.aggregators._dispatch import DONE
from kernels.aggregators._forest import MISSING, Forest, Height, Update
from kernels.aggregators._forest.nodes import cleared, copy_state
from kernels.aggregators._forest.operations import ForestKernel
from kernels.aggregators._forest.search import complete, is_there
from kernels.aggregators._predicates import FAILED
from kernels.runtime.fields import Address, Flag
from kernels.runtime.guarded import guarded_entry
from kernels.runtime.memory import inner, not_inlined
from kernels.runtime.operations import Operation
from kernels.runtime.struct import Struct
from kernels.states import merge


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
    is_rising: Flag()


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
            slide.is_rising = slide.is_under_way = True
            cleared(forest, forest.prefix)
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
            _fall(slide)
            continue
        tried = forest.open
        if not is_open:
            tried = complete(forest, slide.height, slide.position >> slide.height, slide.is_rising)
        if tried.address == 0:
            return MISSING
        merge(forest.plan, forest.trial.state, forest.prefix.state, tried.state)
        answer = slide.policy(slide.total, forest.trial.state, slide.parameters)
        if answer == FAILED:
            return FAILED
        if answer:
            _take(forest, slide)
        else:
            _fall(slide)
            slide.height = -1 if is_open else slide.height
    return DONE


@inner
def _fall(slide):
    slide.is_rising = False
    slide.height -= 1


@inner
def _take(forest, slide):
    """The prefix that was tried goes, and a longer one is tried."""
    copy_state(forest, forest.prefix.state, forest.trial.state)
    if slide.position == forest.end:
        slide.position += 1
        return
    slide.position += 1 << slide.height
    if slide.is_rising and (slide.position >> slide.height) & 1 == 0:
        slide.height += 1
