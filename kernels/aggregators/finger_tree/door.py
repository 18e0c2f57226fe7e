"""The finger tree behind one address, for its object and for the replay (kernels/aggregators/_doors.py)."""

from kernels.aggregators import _doors
from kernels.aggregators.finger_tree import bulk, evict, evict_one, insert, layout, nodes, pending, query, scan, search
from kernels.memory import inner
from kernels.native import door_of


def finger_tree_door(tree, operation, first, second, third):
    """The operations of _doors.py; CREATE's options: minimum arity, 1 to free at once."""
    if operation == _doors.INSERT:
        insert.insert(tree, first, second)
    elif operation == _doors.IS_EMPTY:
        return 1 if search.is_empty(tree) else 0
    elif operation == _doors.QUERY:
        return query.query(tree)
    elif operation == _doors.RANGE_QUERY:
        return query.range_query(tree, first, second)
    elif operation == _doors.APPEND_RANGE:
        query.append_range(tree, first, second, third)
    elif operation == _doors.BULK_EVICT:
        evict.bulk_evict(tree, first)
    elif operation == _doors.HOLD:
        pending.hold(tree, first, second)
    elif operation == _doors.INSERT_SORTED:
        bulk.insert_sorted(tree, first, second, third)
    elif operation == _doors.INSERT_BURST:
        insert.insert_burst(tree, first, second, third)
    else:
        return _seldom(tree, operation, first, second, third)
    return _doors.DONE


@inner
def _seldom(tree, operation, first, second, third):
    if operation == _doors.OLDEST:
        return _doors.FOREVER if search.is_empty(tree) else scan.oldest(tree)
    if operation == _doors.YOUNGEST:
        return -_doors.FOREVER if search.is_empty(tree) else search.youngest(tree)
    if operation == _doors.FIRST_FROM:
        found, time = scan.first_from(tree, first)
        return time if found else _doors.FOREVER
    if operation == _doors.EVICT:
        return _doors.DONE if evict_one.evict(tree, first) else _doors.NOTHING
    if operation == _doors.COUNT:
        return scan.count_entries(tree)
    if operation == _doors.COUNT_BETWEEN:
        return scan.count_between(tree, first, second)
    if operation == _doors.CREATE:
        return nodes.create(first, second, third)
    if operation == _doors.COPY_ENTRIES:
        scan.copy_entries(tree, first, second, third)
    elif operation == _doors.RESET:
        nodes.reset(tree)
    elif operation == _doors.DESTROY:
        layout.destroy(tree)
    return _doors.DONE


door = door_of(finger_tree_door)
