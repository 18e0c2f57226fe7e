"""Great Expectations, imported once a process, without what no suite here asks for.

It imports SciPy and Altair for one expectation, which says how far a distribution is from another, and draws that: 0.9
of its 2.1 processor seconds. Both are empty while it is imported. An import after that gets them whole.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

_NEEDLESS = ("altair", "scipy.stats")


class _EmptyModule(ModuleType):
    """A module that seems to have every public name."""

    def __getattr__(self, name: str) -> "_EmptyModule":
        if name.startswith("__"):
            raise AttributeError(name)
        return self


@contextmanager
def _empty(names: tuple[str, ...]) -> Iterator[None]:
    """For what is imported meanwhile; a module that is there already stays."""
    empty = {name: _EmptyModule(name) for name in names if name not in sys.modules}
    sys.modules.update(empty)
    try:
        yield
    finally:
        for name in empty:
            del sys.modules[name]


# Read while it is imported: it must not send anything anywhere.
os.environ["GX_ANALYTICS_ENABLED"] = "False"
with _empty(_NEEDLESS):
    import great_expectations  # noqa: F401
