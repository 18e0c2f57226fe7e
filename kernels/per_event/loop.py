"""The one compiled call: all keys, each by the kernel that its events ask for."""

from kernels.aggregators.finger_tree.layout import Tree
from kernels.per_event.by_ranks import answer_by_ranks
from kernels.per_event.by_sorted_stacks import answer_by_sorted_stacks
from kernels.per_event.by_tree import answer_by_tree
from kernels.per_event.context import PerEvent, allocate_batch, release_batch
from kernels.per_event.in_order import answer_in_order
from kernels.ranks.disorder import BY_TREE, IN_ORDER
from kernels.ranks.levels import NODE, set_plan
from kernels.runtime.calls import call
from kernels.runtime.guarded import guarded_entry
from kernels.runtime.memory import inner, release
from kernels.runtime.struct import words_at

BY_SORTED_STACKS = 3  # in addition to the kinds of kernels/ranks/disorder.py
MIN_ARITY = 8


@guarded_entry
def answer_keys(run: PerEvent, offsets, keys):
    """Answer every event of every key, by the kernel that it was given. offsets: address of words, where keys begin."""
    offsets = words_at(offsets)
    _allocate(run)
    for key in range(keys):
        first, end, kernel = offsets[key], offsets[key + 1], run.kernel_of_key[key]
        if kernel == IN_ORDER:
            answer_in_order(run, first, end)
        elif kernel == BY_SORTED_STACKS:
            answer_by_sorted_stacks(run, first, end)
        elif kernel == BY_TREE:
            answer_by_tree(run, first, end)
        else:
            answer_by_ranks(run, first, end)
    _release(run)


@inner
def _allocate(run):
    allocate_batch(run, NODE)
    set_plan(run.levels, run.plan)
    run.tree = Tree(call(run.tree_kernel.create, run.plan, MIN_ARITY, 0))


@inner
def _release(run):
    call(run.tree_kernel.destroy, run.tree)
    release(run.levels.states)
    release_batch(run)
