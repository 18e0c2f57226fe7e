"""The source text of the operations on states, which kernels/operations.py compiles: one switch over all monoids each.

Each `_…` function gives what one monoid does in an operation, as statements that know `target` (its words in the state
written to), `slot`, `parameters`, `column`, `second` and the arguments; `sources` wraps them in the loop over a plan's
slots.
"""

from types import SimpleNamespace

from kernels.monoids import Monoid, Sketch, every_monoid
from kernels.plan_layout import CODE, COLUMN, FIRST_SLOT, OFFSET, PARAMETERS, SECOND_COLUMN, SLOT_WORDS, WORDS

VALUES, VALID, ROWS, TIMES = 0, 1, 2, 3
"""Words of a source block: address of values, address of validity, rows, address of event times."""
_PARTS = ("identity", "lift", "combine", "inverse", "clear", "add", "absorb", "lower")
_numbers = {}  # of the functions of all monoids


def _words(name: str, monoid: Monoid) -> str:
    return "(" + "".join(f"load({name}, {word}), " for word in range(monoid.words)) + ")"


def _stores(target: str, monoid: Monoid) -> str:
    return "\n".join(f"store({target}, {word}, state[{word}])" for word in range(monoid.words))


def _clear(monoid, names):
    if isinstance(monoid, Sketch):
        return f"{names.clear}(target, parameters)"
    return f"state = {names.identity}()\n{_stores('target', monoid)}"


def _fold(monoid, names):
    if isinstance(monoid, Sketch):
        return f"""
source = first + offset
for _ in range(states):
    {names.absorb}(target, source, parameters)
    source += stride"""
    return f"""
state = {_words('target', monoid)}
source = first + offset
for _ in range(states):
    state = {names.combine}(state, {_words('source', monoid)})
    source += stride
{_stores('target', monoid)}"""


def _merge(monoid, names):
    if isinstance(monoid, Sketch):  # it commutes, so it may take up either into the other
        return f"""
if target == newer + offset:
    {names.absorb}(target, older + offset, parameters)
else:
    copy_words(target, older + offset, load(slot, {WORDS}))
    {names.absorb}(target, newer + offset, parameters)"""
    older, newer = _words("older + offset", monoid), _words("newer + offset", monoid)
    return f"state = {names.combine}({older}, {newer})\n{_stores('target', monoid)}"


def _suffixes(monoid, names):
    place = "target + (states - 1 - back) * into_stride"
    if isinstance(monoid, Sketch):
        return f"""
for back in range(states):
    copy_words({place}, first + offset + (states - 1 - back) * stride, load(slot, {WORDS}))
    if back > 0:
        {names.absorb}({place}, {place} + into_stride, parameters)"""
    return f"""
state = {names.identity}()
for back in range(states):
    at = first + offset + (states - 1 - back) * stride
    state = {names.combine}({_words('at', monoid)}, state)
    at = {place}
    {_indented(_stores('at', monoid))}"""


def _prefixes(monoid, names):
    if isinstance(monoid, Sketch):
        return f"""
source, before = first + offset, start + offset
for _ in range(states):
    copy_words(target, source, load(slot, {WORDS}))
    {names.absorb}(target, before, parameters)
    before = target
    target += stride
    source += stride"""
    return f"""
source, before = first + offset, start + offset
state = {_words('before', monoid)}
for _ in range(states):
    state = {names.combine}(state, {_words('source', monoid)})
    {_indented(_stores('target', monoid))}
    target += stride
    source += stride"""


def _merge_each(monoid, names):
    if isinstance(monoid, Sketch):
        return f"""
for row in range(states):
    {names.absorb}(target, load(olders, row) + offset, parameters)
    target += stride"""
    return f"""
for row in range(states):
    older = load(olders, row) + offset
    state = {names.combine}({_words('older', monoid)}, {_words('target', monoid)})
    {_indented(_stores('target', monoid))}
    target += stride"""


def _spread(monoid, names):
    if isinstance(monoid, Sketch):
        return f"""
for row in range(states):
    {names.absorb}(load(targets, row) + offset, target, parameters)
    target += stride"""
    return f"""
for row in range(states):
    at = load(targets, row) + offset
    state = {names.combine}({_words('at', monoid)}, {_words('target', monoid)})
    {_indented(_stores('at', monoid))}
    target += stride"""


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")


def _lifted(monoid, names) -> str:
    """The expression of one row's lifted state."""
    arguments = ["load(times, row)"] if monoid.takes_time else []
    arguments += ["0" if monoid.column_types == ("",) else "load(values, at)"]
    arguments += ["load(values, second * rows + row)"] if monoid.second_types else []
    return f"{names.lift}({', '.join(arguments)})"


def _is_there(monoid) -> str:
    second = " and load_byte(valid, second * rows + row) == 1" if monoid.second_types else ""
    return f"load_byte(valid, at) == 1{second}"


def _gather(monoid, names):
    if isinstance(monoid, Sketch):
        return f"""
{names.clear}(target, parameters)
for row in range(first, end):
    at = column * rows + row
    if {_is_there(monoid)}:
        {names.add}(target, load(values, at), parameters)"""
    one = f"""
{_counts_events(monoid, f"state = {names.combine}(state, {names.lift}(0))")}if {_is_there(monoid)}:
    state = {names.combine}(state, {_lifted(monoid, names)})"""
    return f"""
state = {names.identity}()
for row in range(first, end):
    at = column * rows + row
    {_indented(one.strip())}
{_stores('target', monoid)}"""


def _lift_one(monoid, names) -> str:
    """The statements that make the state of `row` at `target`."""
    if isinstance(monoid, Sketch):
        return f"""
at = column * rows + row
{names.clear}(target, parameters)
if {_is_there(monoid)}:
    {names.add}(target, load(values, at), parameters)""".strip()
    return f"""
at = column * rows + row
state = {names.identity}()
{_counts_events(monoid, f"state = {names.lift}(0)")}if {_is_there(monoid)}:
    state = {_lifted(monoid, names)}
{_stores('target', monoid)}""".strip()


def _lift_each(monoid, names):
    return f"""
for row in range(first, end):
    {_indented(_lift_one(monoid, names))}
    target += stride"""


def _lift_rows(monoid, names):
    return f"""
for place in range(states):
    row = load(chosen, place)
    if row >= 0:
        {_indented(_indented(_lift_one(monoid, names)))}
    else:
        {_indented(_indented(_clear(monoid, names)))}
    target += stride"""


def _counts_events(monoid, statement: str) -> str:
    """The branch of a monoid that needs no column, in front of the one with a column."""
    return f"if column < 0:\n    {statement}\nel" if "" in monoid.column_types else ""


def _subtract(monoid, names):
    if monoid.inverse is None:
        return "pass"  # no plan with such a slot is ever subtracted from
    return f"state = {names.inverse}({_words('target', monoid)}, {_words('older + offset', monoid)})\n" \
        + _stores("target", monoid)


def _lower(monoid, names):
    if isinstance(monoid, Sketch):
        return f"return {names.lower}(target, parameters)"
    extra = "".join(f", load(parameters, {place})" for place in range(len(monoid.parameters)))
    return f"return {names.lower}({_words('target', monoid)}{extra})"


def _lower_each(monoid, names):
    return f"""
for row in range(states):
    {_indented(_lower(monoid, names)).replace("return", "word, is_null, failed =")}
    store(words, row, word)
    store_byte(nulls, row, 1 if is_null else 0)
    if failed and wrong < 0:
        wrong = row
    target += stride"""


def _switch(case, indent: str) -> str:
    """An if chain over the codes of all monoids, which LLVM makes a jump table; the last one needs no test. Monoids
    that share functions share a case: every case costs compile time in every kernel."""
    codes = {}
    for code, (_, monoid) in enumerate(every_monoid()):
        codes.setdefault(case(monoid, names_of(monoid)).strip("\n"), []).append(code)
    text = ""
    for number, (body, served) in enumerate(codes.items()):
        test = " or ".join(f"code == {code}" for code in served)
        is_last = number == len(codes) - 1 and number > 0
        text += indent + ("else" if is_last else f"{'elif' if number else 'if'} {test}") + ":\n"
        text += "".join(f"{indent}    {line}\n" for line in body.split("\n"))
    return text


def names_of(monoid: Monoid | Sketch) -> SimpleNamespace:
    """What the functions of a monoid are called in generated code: one name for one function, whoever shares it."""
    functions = {part: getattr(monoid, part, None) for part in _PARTS}
    return SimpleNamespace(**{part: f"{part}_{_numbers.setdefault(function, len(_numbers))}"
                              for part, function in functions.items() if function is not None})


def _loop(name: str, arguments: str, case, prologue: str = "") -> str:
    return f"""def {name}(plan, into{arguments}):
    slot = plan + {8 * FIRST_SLOT}
{prologue}    for _ in range(load(plan, 0)):
        code = load(slot, {CODE})
        offset = load(slot, {OFFSET})
        column = load(slot, {COLUMN})
        second = load(slot, {SECOND_COLUMN})
        parameters = slot + {8 * PARAMETERS}
        target = into + offset
{_switch(case, ' ' * 8)}        slot += {8 * SLOT_WORDS}
"""


_ROWS = f"""    values, valid = load(source, {VALUES}), load(source, {VALID})
    rows, times = load(source, {ROWS}), load(source, {TIMES})
"""


def sources() -> dict[str, str]:
    """The operations, each under its name, in the order of their numbers."""
    lowered = f"def lower_slot(code, target, parameters):\n    for _ in range(1):\n{_switch(_lower, ' ' * 8)}" \
              "    return (0, True, False)\n"
    lowered_each = "def lower_each(code, target, parameters, stride, states, words, nulls):\n    wrong = -1\n" \
                   f"    for _ in range(1):\n{_switch(_lower_each, ' ' * 8)}    return wrong\n"
    return {
        "clear": _loop("clear", "", _clear),
        "fold": _loop("fold", ", first, stride, states", _fold),
        "merge": _loop("merge", ", older, newer", _merge),
        "suffixes": _loop("suffixes", ", into_stride, first, stride, states", _suffixes),
        "gather": _loop("gather", ", source, first, end", _gather, _ROWS),
        "lift_each": _loop("lift_each", ", stride, source, first, end", _lift_each, _ROWS),
        "lift_rows": _loop("lift_rows", ", stride, source, chosen, states", _lift_rows, _ROWS),
        "subtract": _loop("subtract", ", older", _subtract),
        "prefixes": _loop("prefixes", ", stride, first, states, start", _prefixes),
        "merge_each": _loop("merge_each", ", stride, olders, states", _merge_each),
        "spread": _loop("spread", ", stride, targets, states", _spread),
        "lower_each": lowered_each,
        "lower_slot": lowered,
    }
