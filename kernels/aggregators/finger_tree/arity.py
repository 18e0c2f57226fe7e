"""The option min_arity of finger trees, whoever makes one: inner nodes have min_arity to 2 · min_arity children."""

from schemas.errors import WrongParameter

USUAL_ARITY = 8
LEAST_ARITY, MOST_ARITY = 2, 1024


def check_arity(min_arity: int) -> None:
    """Raise WrongParameter for a min_arity that no tree can have."""
    if type(min_arity) is not int or not LEAST_ARITY <= min_arity <= MOST_ARITY:
        raise WrongParameter("min_arity", min_arity, f"an integer from {LEAST_ARITY} to {MOST_ARITY}")
