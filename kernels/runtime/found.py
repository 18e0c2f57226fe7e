"""What is found by looking: the files of a folder, what they say of themselves, and why one can't be compiled."""

import importlib
import pkgutil
import re
from collections.abc import Iterable

from schemas.errors import BrokenDefinition
from schemas.mistakes import file_of

IN_BOLD = re.compile(r"\x1b\[[0-9;]*m")
"""Numba writes so wherever colorama is installed."""


def names_in(path: Iterable[str]) -> list[str]:
    """Names of the modules in a package's folder, sorted; those with an underscore in front are shared."""
    return sorted(module.name for module in pkgutil.iter_modules(path) if not module.name.startswith("_"))


def first_paragraph(module: str) -> str:
    """Of the module's docstring, on one line."""
    docstring = importlib.import_module(module).__doc__ or ""
    return " ".join(docstring.split("\n\n")[0].split())


def not_compiled(module: str, text: str) -> BrokenDefinition:
    """Of Numba's pages of text what stands before the first line of the module's own file that it names."""
    file, text = file_of(module), IN_BOLD.sub("", text)
    found = re.search(rf'([^\n]*)\n\s*File "{re.escape(file)}", line (\d+)', text) or re.match("(.*)()", text)
    why, line = found.groups() if found else (text, "")
    return BrokenDefinition(file, int(line or 1), f"Numba can't compile it: {why.strip()}")
