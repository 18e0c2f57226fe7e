"""Policy windows: they depend on earlier events, so days carry state; no kernel serves them yet."""

from dataclasses import dataclass
from typing import ClassVar

from schemas.windows._window import Window


@dataclass(frozen=True)
class Policy(Window):
    """A user-programmed slide policy (MTA §4.1.3), by name and parameters."""

    name: str
    parameters: tuple[tuple[str, object], ...] = ()
    kind: ClassVar[str] = "policy"
