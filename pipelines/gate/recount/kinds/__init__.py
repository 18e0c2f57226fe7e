"""Window kinds as the recount sees them: one file = one kind, found by looking in this folder by `window.kind`.

Each gives its windows in SQL as `in_sql(window)`: which there are, which events they hold and missed, and which laws
don't apply (_windows.py). Of kinds that depend on their key's other events the plain walk is enough (../plain/kinds/).
No kernel takes part. Names that start with an underscore are shared.
"""

from importlib import import_module

from windrow.pipelines.gate.recount.kinds._dependent import DependentWindows
from windrow.pipelines.gate.recount.kinds._windows import SqlWindows
from windrow.pipelines.gate.recount.plain import kinds as walks
from windrow.schemas.errors import NotRecounted
from windrow.schemas.project import beside
from windrow.schemas.windows import Window, kinds_below

__path__ = beside(__path__, "windows/recount")


def kinds() -> tuple[str, ...]:
    return tuple(sorted({*kinds_below(__path__, __name__), *walks.kinds()}))


def refuse_unrecounted(window: Window) -> None:
    """NotRecounted for a kind that has no file."""
    if window.kind not in kinds():
        raise NotRecounted(window.kind, kinds())


def in_sql(window: Window) -> SqlWindows:
    """The windows of a query in SQL. NotRecounted for a kind that has no file."""
    refuse_unrecounted(window)
    if window.kind in kinds_below(__path__, __name__):
        return import_module(f"{__name__}.{window.kind}").in_sql(window)
    return DependentWindows(window)
