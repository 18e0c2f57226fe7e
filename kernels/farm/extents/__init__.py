"""Which tuples a window has, and when it is complete, for farms (FARM §2.2.3). Tuples come in order.

A kind of windows whose bounds depend on tuples that come later (forward-context aware) has a file of its name here, as
have windows of counted tuples: `served(window, columns)`. Kinds of kernels/windows/ whose events are points are served
by their closed forms, those of a new file too.
"""

import importlib

from kernels.farm.extents import _closed_forms
from kernels.farm.extents._served import ServedWindow
from kernels.runtime.found import names_in
from kernels.windows import kinds, window_kind
from schemas.errors import NotServed, WrongParameter
from schemas.windows import Window


def own_kinds() -> list[str]:
    """Kinds that have a file here."""
    return names_in(__path__)


def served_kinds() -> list[str]:
    """All kinds that farms serve, sorted."""
    by_closed_forms = [kind for kind in kinds() if _has_points_in_closed_form(kind)]
    return sorted([*own_kinds(), *by_closed_forms])


def _has_points_in_closed_form(kind: str) -> bool:
    found = window_kind(kind)
    return not (found.events_last or found.keeps_events or found.depends_on_others)


def served_window(window: Window, columns: tuple[str, ...], span_us: tuple[int, int] | None) -> ServedWindow:
    """Its extents, and what these need. columns: names of the value columns; span_us: least and greatest event time, of
    windows in a time zone. Raises NotServed, WrongParameter."""
    if window.kind in own_kinds():
        return importlib.import_module(f"{__name__}.{window.kind}").served(window, columns)
    if window.kind not in served_kinds():
        raise NotServed("window", window.kind, served_kinds())
    return _closed_forms.served(window, span_us)


def require_context_free(window: Window, served: ServedWindow) -> None:
    """WrongParameter for windows of which active workers can't know the tuples when these come."""
    if "window" not in served.fields:
        others = ", ".join(each for each in served_kinds() if each != window.kind)
        raise WrongParameter(
            "window",
            window.kind,
            f"one whose bounds are known when a tuple comes, with active workers; take one of {others}, or the model "
            "'agnostic'",
        )


__all__ = ["ServedWindow", "require_context_free", "served_kinds", "served_window"]
