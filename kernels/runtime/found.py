"""What is found by looking: the files of a folder, what they say of themselves, and why one can't be compiled."""

import importlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from windrow.schemas.errors import BrokenDefinition, NotServed
from windrow.schemas.mistakes import file_of, names_in

BASELINES = "baselines"
IN_BOLD = re.compile(r"\x1b\[[0-9;]*m")
"""Numba writes so wherever colorama is installed."""


def require_known(what: str, name: object, known: Sequence[str]) -> None:
    """NotServed for a name that isn't known, or is none."""
    if not isinstance(name, str) or name not in known:
        raise NotServed(what, name, tuple(known))


class KernelFolder:
    """Kernels, one file or folder each that defines `KERNEL`, the class of its object; loaded when asked for. Those
    that no replay takes unnamed stand in `baselines/`."""

    def __init__(self, package: str, path: Iterable[str]):
        self.package, (self.path,) = package, path
        self._classes: dict[str, Any] = {}

    def names(self) -> list[str]:
        """Of all kernels, sorted."""
        return sorted({*names_in([self.path]), *self._baselines()} - {BASELINES})

    def load(self, kernel: str) -> Any:
        """The class of a kernel's object. NotServed for an unknown one."""
        if not (isinstance(kernel, str) and kernel in self._classes):  # to look for it takes a third of a millisecond
            require_known("kernel", kernel, self.names())
            below = f".{BASELINES}" if kernel in self._baselines() else ""
            self._classes[kernel] = importlib.import_module(f"{self.package}{below}.{kernel}").KERNEL
        return self._classes[kernel]

    def make(self, kernel: str, aggregates: Mapping, window: object = None, **options: object) -> Any:
        """An object of a kernel of this folder: as `make` of kernels/api.py."""
        made = self.load(kernel)
        made.require(window, aggregates, options)
        return made(window, aggregates, **options)

    def _baselines(self) -> list[str]:
        return names_in([f"{self.path}/{BASELINES}"])


def first_paragraph(module: str) -> str:
    """Of the module's docstring, on one line."""
    docstring = importlib.import_module(module).__doc__ or ""
    return " ".join(docstring.split("\n\n")[0].split())


def not_compiled(module: str, text: str) -> BrokenDefinition:
    """Of Numba's pages of text what stands before the first line of the module's own file that it names, from the
    current folder on or whole."""
    file, text = file_of(module), IN_BOLD.sub("", text)
    named = rf'([^\n]*)\n\s*File "(?:[^"]*/)?{re.escape(file.rpartition("/")[2])}", line (\d+)'
    found = re.search(named, text) or re.match("(.*)()", text)
    why, line = found.groups() if found else (text, "")
    return BrokenDefinition(file, int(line or 1), f"Numba can't compile it: {why.strip()}")
