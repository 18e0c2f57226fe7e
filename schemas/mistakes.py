"""Finds definitions, one file each, and loads them one by one. A file is other people's code and may raise anything:
whatever is wrong with it comes out as BrokenDefinition, with file and line, and what may have been meant, so that the
others go on."""

import ast
import builtins
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from traceback import walk_tb
from types import FrameType
from typing import TypeVar

from windrow.schemas.errors import BrokenDefinition, UnknownName, WindrowError, WrongParameter
from windrow.schemas.project import shown
from windrow.schemas.spelling import did_you_mean

E = TypeVar("E", bound=WindrowError)
T = TypeVar("T")
# Python's own messages, whose exceptions don't have the word apart.
_UNKNOWN = re.compile(r"(?:unexpected keyword argument|cannot import name) '(\w+)'")


def names_in(path: Iterable[str]) -> list[str]:
    """Names of the modules in a package's folder, sorted; those with an underscore in front are shared."""
    return sorted(module.name for module in pkgutil.iter_modules(path) if not module.name.startswith("_"))


def load(module: str, attribute: str, kind: type[T], validate: Callable[[T], object]) -> T:
    """What a module has under that name, of that kind and valid; else BrokenDefinition."""
    try:
        found = _found(module, attribute, kind)
        validate(found)
    except Exception as error:
        raise broken(module, error) from error
    return found


def _found(module: str, attribute: str, kind: type[T]) -> T:
    _require_one_file(module)
    names = vars(import_module(module))
    if attribute not in names:
        meant = did_you_mean(attribute, [name for name in names if name.isupper()])
        raise WrongParameter("the definition", attribute, f"{attribute} = {kind.__name__}(…), which isn't there{meant}")
    if not isinstance(names[attribute], kind):
        raise WrongParameter(attribute, names[attribute], f"a {kind.__name__}")
    return names[attribute]


def _require_one_file(module: str) -> None:
    package, _, name = module.rpartition(".")
    files = [file for folder in import_module(package).__path__ if (file := Path(folder, f"{name}.py")).exists()]
    if len(files) > 1:
        raise WrongParameter("name", name, f"a name of one file; these have it: {', '.join(map(shown, files))}")


def broken(module: str, error: Exception, doing: str = "") -> BrokenDefinition:
    """The error as one of a definition's module: with the line that is wrong, else the one that raised, else the first.
    `doing`: begins the message. O(length of the file)."""
    line, frame = _place(module, error)
    known = _known(error, frame) if frame else ()
    return BrokenDefinition(file_of(module), line, doing + _problem(error) + did_you_mean(_unknown_word(error), known))


def placed(module: str, error: E) -> E:
    """An error of the tree about what a definition's module says, with file and line in front of its text."""
    error.args = (f"{file_of(module)}:{_place(module, error)[0]}: {error}",)
    return error


def _place(module: str, error: Exception) -> tuple[int, FrameType | None]:
    """Line and, where the module's own code raised, its frame."""
    source = str(source_of(module))
    frames = [(frame, line) for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == source]
    frame, raised_at = frames[-1] if frames else (None, 1)
    if isinstance(error, SyntaxError) and error.filename == source and error.lineno:
        return error.lineno, frame
    return _line_of_value(error, source) or raised_at, frame


def file_of(module: str) -> str:
    """A module's file as people write it: from the project's folder, or that of our packages, on. Of a definition that
    a program has made, where it would be."""
    found = find_spec(module)
    return shown(Path(found.origin)) if found and found.origin else f"{module.replace('.', '/')}.py"


def source_of(module: str) -> Path:
    """Where a module's file is. ModuleNotFoundError where there is none."""
    found = find_spec(module)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(f"there is no module {module}", name=module)
    return Path(found.origin)


def _problem(error: Exception) -> str:
    if isinstance(error, BrokenDefinition):
        return f"it needs {error.file}, which is broken in line {error.line}: {error.problem}"
    if isinstance(error, WindrowError):
        return str(error)
    return f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}"


def _line_of_value(error: Exception, source: str) -> int | None:
    """The line of a refused value: of the word, within the argument of the parameter's name, or anywhere else."""
    if not isinstance(error, (WrongParameter, UnknownName, TypeError)):
        return None
    with open(source, "rb") as file:
        tree = ast.parse(file.read())
    parameter, value = _refused(error)
    name, _, within = parameter.partition("[")
    given = [node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == name]
    first = value[0] if isinstance(value, tuple) and value else value
    for word in filter(None, (first, within.strip("]'"))):
        for part in (*given, tree) if isinstance(word, str) else given:
            constants = [node for node in ast.walk(part) if isinstance(node, ast.Constant)]
            if lines := [each.lineno for each in constants if type(each.value) is type(word) and each.value == word]:
                return min(lines)
    return given[0].lineno if given else None


def _refused(error: WrongParameter | UnknownName | TypeError) -> tuple[str, object]:
    """Parameter and value; of an argument that there is not, its name and nothing."""
    if isinstance(error, WrongParameter):
        return error.parameter, error.value
    return (error.kind, error.name) if isinstance(error, UnknownName) else (_unknown_word(error), None)


def _unknown_word(error: Exception) -> str:
    if isinstance(error, (NameError, AttributeError)):
        return error.name or ""
    found = _UNKNOWN.search(str(error)) if isinstance(error, (TypeError, ImportError)) else None
    return found[1] if found else ""


def _known(error: Exception, frame: FrameType) -> Iterable[str]:
    """The names of which the unknown word may have been meant to be one."""
    if isinstance(error, NameError):
        return (*frame.f_locals, *frame.f_globals, *vars(builtins))
    if isinstance(error, AttributeError):
        return dir(error.obj)
    if isinstance(error, ImportError):
        return dir(sys.modules.get(error.name or ""))
    imported = frame.f_globals.values()  # dataclasses among them: their arguments
    return [name for value in imported for name in getattr(value, "__dataclass_fields__", ())]
