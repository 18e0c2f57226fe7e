"""An aggregate tried in plain Python, on values at the ends of their types: what is mistyped in its file shows here,
and not when a replay compiles it."""

from windrow.kernels.monoid import Monoid
from windrow.kernels.monoids import as_written, module_of
from windrow.kernels.runtime.fields import LARGEST, SMALLEST
from windrow.kernels.runtime.memory import as_word
from windrow.schemas.errors import WrongParameter
from windrow.schemas.mistakes import broken

INTEGERS = (0, 1, -1, 2, 3_037_000_500, LARGEST, SMALLEST)
FLOATS = tuple(map(as_word, (0.0, -0.0, 1.5, -2.5, 1e308, -1e308, 5e-324)))
WORDS = {"float64": FLOATS, "bool": (0, 1)}


def try_aggregate(function: str) -> None:
    """BrokenDefinition where the file can't be loaded, or a monoid's function raises or gives what it may not. A Sketch
    works on memory, and is only loaded."""
    for monoid in as_written(function):
        if isinstance(monoid, Monoid):
            try:
                _try(monoid)
            except Exception as error:
                raise broken(module_of(function), error) from error


def _try(monoid: Monoid) -> None:
    state = monoid.identity()
    _answer(monoid, state)
    in_lift = _defaults(monoid) * monoid.lift_takes_parameters
    for word in WORDS.get(monoid.column_types[0], INTEGERS):
        others = WORDS.get(monoid.second_types[0], INTEGERS)[-1:] if monoid.second_types else ()
        known = [True] * monoid.takes_nulls
        lifted = monoid.lift(*[0] * monoid.takes_time, word, *known, *others, *in_lift)
        for each in (lifted, state := monoid.combine(state, lifted)):
            _answer(monoid, each)


def _answer(monoid: Monoid, state: tuple) -> None:
    _require(len(state) == monoid.words, "words", len(state), f"{monoid.words} in a state, as the monoid says")
    lowered = monoid.lower(state, *_defaults(monoid))
    fits = isinstance(lowered, tuple) and len(lowered) == 3
    _require(fits, "lower", lowered, "(word, whether it is null, whether there is no right answer)")


def _defaults(monoid: Monoid) -> list[int]:
    return [as_word(each.default) if isinstance(each.default, float) else each.default for each in monoid.parameters]


def _require(holds: bool, parameter: str, value: object, allowed: str) -> None:
    if not holds:
        raise WrongParameter(parameter, value, allowed)
