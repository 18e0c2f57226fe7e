"""Public calls of kernels with wrong types, sizes, orders, threads, copies and damaged words, a round after the other:

    python -m tests.support.kernels.wrong_hands CALLS SEED [ROUND …]

Each gives an error of ours, or the right answer. The process ends with 1 where one gives something else, having said
which; where it is ended, its last line says in what. A round makes an object, or a replay, of its own.
"""

import copy
import faulthandler
import pickle
import random
import sys
import threading
from collections.abc import Callable

from tests.support.kernels.hands import JUNK, NONE, OTHER, handed
from tests.support.kernels.plain import same
from windrow.schemas.errors import WindrowError

REFUSED, OF_OTHERS, RIGHT = "refused", "of others", "right"
ROUNDS: dict[str, Callable[["Hands"], None]] = {}


class Wrong(AssertionError):
    """A call that gave neither."""


class Hands:
    """What calls, and notes what it called."""

    def __init__(self, seed: str):
        self.rng, self.log = random.Random(seed), []

    def call(self, function: Callable, *arguments: object) -> tuple[str, object]:
        """(what came, the answer): REFUSED; OF_OTHERS: an answer to other values; RIGHT, if the answer is."""
        given = [handed(self.rng, each, 1 / len(arguments)) for each in arguments]
        names, kinds = [each.name for each in given], [each.kind for each in given]
        took, answer = self.plainly(function, *(each.value for each in given), hands=names)
        if took and NONE in kinds:
            raise Wrong(f"it took {names}")
        return (RIGHT if OTHER not in kinds else OF_OTHERS) if took else REFUSED, answer

    def plainly(self, function: Callable, *arguments: object, hands=(), **named: object) -> tuple[bool, object]:
        """The same with arguments as they are."""
        self.log.append(f"{getattr(function, '__name__', function)}{tuple(hands)}{sorted(named)}")
        try:
            answer = function(*arguments, **named)
        except WindrowError as error:
            if not str(error):
                raise Wrong("an error without a word") from error
            return False, error
        except Exception as error:
            raise Wrong(f"{type(error).__name__}, which is no error of ours: {error}") from error
        return True, answer

    def junk(self) -> object:
        return self.rng.choice(JUNK)

    def copies(self, made: object) -> None:
        """No copy of an object comes to be."""
        for way in (copy.copy, copy.deepcopy, pickle.dumps):
            if self.plainly(way, made)[0]:
                raise Wrong(f"{way.__name__} made another {type(made).__name__}")

    def in_threads(self, *works: Callable[[], None]) -> None:
        """All at once; what they raise that is no error of ours."""
        failed = []

        def run(work: Callable[[], None]) -> None:
            try:
                work()
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=run, args=(work,)) for work in works]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        for error in failed:
            raise Wrong(f"in a thread: {error!r}") from error

    def require(self, got: object, wanted: object) -> None:
        """The right answer."""
        if not same(got, wanted):
            raise Wrong(f"{got} where it is {wanted}")


def round_of(name: str) -> Callable:
    """Makes a function a round."""

    def known(function: Callable[[Hands], None]) -> Callable[[Hands], None]:
        ROUNDS[name] = function
        return function

    return known


def play(calls: int, seed: str, names: list[str]) -> None:
    """Rounds until so many calls were made. Raises Wrong."""
    made, number = 0, 0
    while made < calls:
        name = names[number % len(names)]
        hands = Hands(f"{seed} {name} {number}")
        print(f"{name} {number}", file=sys.stderr, flush=True)
        try:
            ROUNDS[name](hands)
        except Exception as error:
            raise Wrong(f"round {name} {number} of seed {seed}, behind {hands.log[-6:]}: {error}") from error
        made, number = made + len(hands.log), number + 1


def main() -> None:
    """As a program."""
    faulthandler.enable()
    from tests.support.kernels import wrong_calls, wrong_objects  # noqa: F401  rounds

    calls, seed, *names = sys.argv[1:]
    play(int(calls), seed, names or sorted(ROUNDS))


if __name__ == "__main__":
    from tests.support.kernels.wrong_hands import main as run  # not of __main__, where rounds aren't known

    run()
