"""Policy windows: they slide by a predicate of the user's (MTA §4.1.3), one file of policies/."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from windrow.schemas import policies as folder
from windrow.schemas.errors import NotServed
from windrow.schemas.mistakes import load, names_in
from windrow.schemas.windows._window import Window, is_name, must, require

VALUES = (bool, int, float, str)
Pairs = tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class EvictionPolicy:
    """What a file of policies/ defines.

    reads: aggregates by name, as in a query: what `out` sees of tuples
    out(total, prefix, …parameters): whether a prefix of the window's oldest tuples goes; total and prefix are dicts of
        the aggregates, of all tuples and of those of the prefix, None for a null, times in µs. Numba compiles it. Once
        it says no of a prefix, it says no of every longer one: it is asked of one tuple, of two, and so on.
    """

    reads: Mapping[str, Any]
    out: Callable[..., bool]

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """What `out` takes behind total and prefix, by name."""
        _, _, *others = inspect.signature(self.out).parameters.values()
        return MappingProxyType({each.name: each for each in others})


def _are_parameters(pairs: object) -> bool:
    return isinstance(pairs, tuple) and all(map(_is_parameter, pairs))


def _is_parameter(pair: object) -> bool:
    return isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], VALUES)


@dataclass(frozen=True)
class Policy(Window):
    """A slide policy of the user's, by name and parameters. Each tuple gives one window: the tuples that the policy
    has not evicted."""

    name: Annotated[str, must(is_name, "the name of a slide policy")]
    parameters: Annotated[Pairs, must(_are_parameters, "pairs of a name and a number, text or truth value")] = ()
    kind: ClassVar[str] = "policy"

    @property
    def in_words(self) -> str:
        return f"the events that the policy '{self.name}' keeps, at each event"

    @property
    def policy(self) -> EvictionPolicy:
        """NotServed for a name without a file, BrokenDefinition for a file that can't be loaded."""
        known = policies()
        if self.name not in known:
            raise NotServed("policy", self.name, known)
        return load(f"windrow.schemas.policies.{self.name}", "POLICY", EvictionPolicy, _validate)

    @property
    def values(self) -> tuple[object, ...]:
        """Of the policy's parameters, in its order. WrongParameter for one that it hasn't got, or that is missing."""
        given, known = dict(self.parameters), self.policy.parameters
        for name in given:
            require(name in known, f"parameters of {self.name}", name, ", ".join(known) or "none")
        for name, parameter in known.items():
            is_there = name in given or parameter.default is not inspect.Parameter.empty
            require(is_there, f"parameters of {self.name}", None, f"a value for {name}")
        return tuple(given.get(name, parameter.default) for name, parameter in known.items())

    @property
    def defined_in(self) -> tuple[str, ...]:
        return (f"windrow.schemas.policies.{self.name}",)

    @property
    def reads(self) -> Mapping[str, Any]:
        return self.policy.reads


def policies() -> list[str]:
    """Names of the policies in the folder, sorted."""
    return names_in(folder.__path__)


def _validate(policy: EvictionPolicy) -> None:
    require(callable(policy.out), "out", policy.out, "a function of (total, prefix, …parameters)")
    require(len(inspect.signature(policy.out).parameters) >= 2, "out", policy.out, "a function of (total, prefix, …)")
    named = isinstance(policy.reads, Mapping) and policy.reads and all(isinstance(name, str) for name in policy.reads)
    require(bool(named), "reads", policy.reads, "a dict of names and agg(…), at least one")
