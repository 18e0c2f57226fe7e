"""Where compiled code is kept: a folder for the kernels, one for each aggregate and each heavy function of the farm,
named by what they are made from.

    var/numba/kernels-3f0a…/    all of kernels/ but monoids/ and farm/functions/: they are called by address only
    var/numba/sum-91bc…/        one aggregate, or one heavy function: its file, what that imports, and how states are
                                worked on

Numba compares the one file in which a function stands; an edit in a file that it imports would be missed, and the
answers wrong. So these folders are named by a hash of all files that went in: whichever module imports kernels
first, and whatever Numba's own settings are, since `keep` (kept.py) looks nowhere else. The one file of kernels/ that
reads files, stores apart, and it needs no library: the set-up's Python asks it too.

Within a folder Numba distinguishes processors by name and features: code is compiled again on a machine of another type
(docs/decisions/0013-compile-model.md).
"""

import ast
import functools
import hashlib
import os
import sys
from importlib.machinery import PathFinder
from importlib.resources import files
from importlib.util import resolve_name
from pathlib import Path

from windrow.schemas.project import setting
from windrow.schemas.syntax import hash_of

PACKAGE = __name__.removesuffix(".runtime.cache")
AGGREGATES = f"{PACKAGE}.monoids"
HEAVY_FUNCTIONS = f"{PACKAGE}.farm.functions"
APART = (AGGREGATES, HEAVY_FUNCTIONS)
"""Packages of which each file's compiled code has a folder of its own."""
STATES = ("runtime", "states")
"""Folders of which every aggregate's compiled code holds something."""
_STATES = tuple(f"{PACKAGE}.{folder}." for folder in STATES)
INSTALLED = {"site-packages", "dist-packages"}
DIGITS = 16


def parents() -> tuple[Path, ...]:
    """The folders of these folders: code is written to the first and looked for in each.

    WINDROW_NUMBA, else NUMBA_CACHE_DIR, else var/numba of a checkout or a folder of this user's caches. Where this
    user can't write to it, as in another user's checkout or in an image, numba/ of WINDROW_HOME comes first, or that
    folder of this user's caches.
    """
    root = Path(__file__).resolve().parents[2]
    given = setting("WINDROW_NUMBA") or os.environ.get("NUMBA_CACHE_DIR")
    users = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "windrow" / "numba"
    shared = Path(given).absolute() if given else users
    if not given and (root / "pyproject.toml").exists():
        shared = root / "var" / "numba"
    home = setting("WINDROW_HOME")
    in_folder = home and "://" not in home
    own = Path(home).expanduser().absolute() / "numba" if in_folder else users
    return (shared,) if own == shared or _can_be_written(shared) else (own, shared)


def _can_be_written(folder: Path) -> bool:
    """Whether this user can make files there, and the folder itself where it isn't there yet."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    return os.access(there, os.W_OK | os.X_OK)


def kernels_folders() -> tuple[Path, ...]:
    """The folder of all compiled code but that of the packages APART, below each parent."""
    return tuple(parent / f"kernels-{kernels_digest()}" for parent in parents())


def folders_of(package: str, function: str) -> tuple[Path, ...]:
    """The folder of the compiled code of one file of a package APART, below each parent."""
    return tuple(parent / f"{function}-{digest_of(package, function)}" for parent in parents())


def is_as_seen() -> bool:
    """Whether the sources are still those that this process began with. What it compiles is of the modules that it
    imported, which must not be kept under the name of others that were edited since. O(bytes of the sources)."""
    return all(not os.path.exists(path) or Path(path).read_bytes() == text for path, text in _seen.items())


@functools.cache
def digest_of(package: str, function: str) -> str:
    """What distinguishes definitions of an aggregate, or of a heavy function: a hash of all that its compiled code is
    made from. O(bytes of these files), once. SyntaxError for a file that isn't Python."""
    return _digest(_sources(package, function))


@functools.cache
def syntax_digest_of(package: str, function: str) -> str:
    """Of what the same sources say: what is saved of an aggregate outlives a comment, compiled code doesn't."""
    return hash_of(_sources(package, function))


def _sources(package: str, function: str) -> list[tuple[str, bytes]]:
    return [*_states(), *sorted(_imported(f"{package}.{function}", {}).items())]


@functools.cache
def kernels_digest() -> str:
    """What distinguishes versions of all else. O(bytes of kernels/), once."""
    apart = tuple(f"kernels/{package.removeprefix(f'{PACKAGE}.').replace('.', '/')}/" for package in APART)
    texts = _texts(files(PACKAGE))  # also those apart: all that there is was seen
    return _digest([text for text in texts if not text[0].startswith(apart)])


@functools.cache
def _states() -> list[tuple[str, bytes]]:
    return [text for folder in STATES for text in _texts(files(PACKAGE) / folder)]


_seen: dict[str, bytes] = {}  # the text of each source when this process first looked at it


def _digest(texts: list[tuple[str, bytes]]) -> str:
    digest = hashlib.sha256()
    for name, text in texts:
        digest.update(name.encode() + b"\0" + text + b"\0")
    return digest.hexdigest()[:DIGITS]


def _texts(folder, name: str = "") -> list[tuple[str, bytes]]:
    """(name, text) of every source file in a folder, which may lie in an archive."""
    name = f"{name}/{folder.name}" if name else folder.name
    found = []
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_dir():
            found += _texts(each, name)
        elif each.name.endswith(".py"):
            found.append((f"{name}/{each.name}", _seen.setdefault(str(each), each.read_bytes())))
    return found


def _imported(module: str, found: dict[str, bytes]) -> dict[str, bytes]:
    """Name and text of a module and of all that it imports, those of installed libraries and of STATES apart."""
    spec = _find(module)
    if module in found or spec is None or not _is_ours(module, spec.origin):
        return found
    found[module] = _seen.setdefault(spec.origin, spec.loader.get_data(spec.origin))
    package = module if spec.submodule_search_locations is not None else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(found[module])):
        for name in _names(node, package):
            _imported(name, found)
    return found


def _names(node: ast.AST, package: str) -> list[str]:
    """What may be modules among the names that a statement of a package's module imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = resolve_name("." * node.level + (node.module or ""), package) if node.level else node.module
    return [base, *(f"{base}.{alias.name}" for alias in node.names)]


def _find(module: str):
    """Where a module comes from, without importing anything; None for what is no module, such as a function of one."""
    package = module.rpartition(".")[0]
    if not package:
        return PathFinder.find_spec(module)
    known = sys.modules.get(package)
    folders = getattr(known, "__path__", None) if known else getattr(_find(package), "submodule_search_locations", None)
    return None if folders is None else PathFinder.find_spec(module, folders)


def _is_ours(module: str, origin: str | None) -> bool:
    package, _, inside = module.partition(".")
    if package == PACKAGE.partition(".")[0]:  # wherever it is installed; the package itself imports what is asked of it
        return inside != "" and not module.startswith(_STATES) and module not in APART
    if module.split(".")[0] in sys.stdlib_module_names or origin is None or not origin.endswith(".py"):
        return False
    return INSTALLED.isdisjoint(Path(origin).parts)


kernels_digest()  # now: before modules are imported that may be edited while this process runs
