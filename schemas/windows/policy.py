"""Policy windows: they depend on earlier events, so days carry state; no kernel serves them yet."""

from dataclasses import dataclass
from typing import ClassVar

from schemas.windows._requirements import require
from schemas.windows._window import Window

VALUES = (bool, int, float, str)


@dataclass(frozen=True)
class Policy(Window):
    """A user-programmed slide policy (MTA §4.1.3), by name and parameters."""

    name: str
    parameters: tuple[tuple[str, object], ...] = ()
    kind: ClassVar[str] = "policy"

    def __post_init__(self) -> None:
        require(isinstance(self.name, str) and self.name != "", "name", self.name, "the name of a slide policy")
        pairs = isinstance(self.parameters, tuple) and all(_is_parameter(each) for each in self.parameters)
        require(pairs, "parameters", self.parameters, "pairs of a name and a number, text or truth value")


def _is_parameter(pair: object) -> bool:
    return isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], VALUES)
