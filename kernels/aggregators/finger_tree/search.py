"""Finding a time in a node, and the ends of the tree."""

from kernels.aggregators.finger_tree.layout import Tree, inner_at, leaf_at
from kernels.runtime.memory import inner


@inner
def count_below(times, count, time):
    """How many of some ascending times are < time."""
    base = 0
    while count > 1:
        half = count >> 1
        base += half if times[base + half - 1] < time else 0
        count -= half
    return base + (1 if count == 1 and times[base] < time else 0)


@inner
def count_until(times, count, time):
    """How many of some ascending times are ≤ time."""
    base = 0
    while count > 1:
        half = count >> 1
        base += half if times[base + half - 1] <= time else 0
        count -= half
    return base + (1 if count == 1 and times[base] <= time else 0)


@inner
def child_slot(node, time):
    """Slot of the child whose range holds `time`."""
    return count_until(node.keys[1:], node.end - 1, time)


@inner
def slot_before(node, time):
    """Slot of the child that holds the youngest times below `time`; 0 if none does."""
    return count_below(node.keys[1:], node.end - 1, time)


@inner
def entry_slot(leaf, time):
    """Slot of the first entry at or after `time`."""
    return leaf.first + count_below(leaf.times[leaf.first :], leaf.end - leaf.first, time)


@inner
def cover_level(tree, time):
    """Lowest level whose right spine node covers `time` and everything younger."""
    level = 0
    while level < tree.height and time < _lower_bound(tree, level):
        level += 1
    return level


@inner
def _lower_bound(tree, level):
    name = tree.right[level]
    return leaf_at(tree, name).times[0] if level == 0 else inner_at(tree, name).keys[0]


@inner
def left_leaf(tree):
    return leaf_at(tree, tree.left[0])


@inner
def right_leaf(tree):
    return leaf_at(tree, tree.right[0])


@inner
def is_empty(tree: Tree):
    leaf = right_leaf(tree)
    return leaf.first == leaf.end


@inner
def youngest(tree):
    """Time of the youngest entry; the tree must not be empty. What is pending is older."""
    leaf = right_leaf(tree)
    return leaf.times[leaf.end - 1]
