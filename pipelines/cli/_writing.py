"""Writes a new definition and its test, of templates/: `windrow new`. All are new files.

What it writes can be imported, and its test fails until the right answer is written down.
"""

import keyword
import re
from pathlib import Path
from string import Template

from windrow.schemas.errors import WrongParameter
from windrow.schemas.registry import stream, stream_names
from windrow.schemas.validation import NUMBERS
from windrow.schemas.windows import every_kind

TEMPLATES = Path(__file__).resolve().parent / "templates"
_NAME = re.compile(r"[a-z][a-z0-9_]*")
IDENTITY = """When are two records the same event? The later one is then refused as a duplicate.
  key,start  when these columns are equal (start, end and arrival can be among them): for files that overlap
  line       when their lines are equal: for files that overlap, if two different events never have the same line.
             A reading that a clock change repeats word for word is lost
  none       never, each line is an event: for files that never overlap
"""
# By kind of definition its files, the test last, as they lie in a project, and the template of each.
KINDS = {
    folder.name: dict(
        sorted(
            ((str(file.relative_to(folder).with_suffix("")), file) for file in folder.rglob("*.txt")),
            key=lambda each: (each[0].startswith("tests/"), each),
        )
    )
    for folder in sorted(TEMPLATES.iterdir())
}
# Where they lie in a checkout of Windrow: there a new aggregate is one of Windrow's own.
IN_A_CHECKOUT = {
    "aggregates": "kernels/monoids",
    "functions": "kernels/farm/functions",
    "windows/query": "schemas/windows",
    "windows/kernel": "kernels/kinds",
    "windows/recount": "pipelines/gate/recount/kinds",
    **{folder: f"examples/{folder}" for folder in ("streams", "queries", "models", "policies", "features")},
}
TESTS_IN_A_CHECKOUT = {
    "stream": "schemas",
    "query": "semantics",
    "model": "semantics",
    "policy": "semantics",
    "features": "features",
}


def write(kind: str, name: str, root: Path, identity: str = "") -> list[Path]:
    """Write its files below a project's or a checkout's folder and return them, the test last; overwrites nothing.
    identity: of a stream. WrongParameter: a name or an identity that can't be used."""
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise WrongParameter("NAME", name, "lower-case letters, digits and _, such as boat_trips")
    words = {"name": name, "title": name.title().replace("_", "")}
    words["stream"] = _stream_of(name) if kind in ("query", "model", "features") else name
    words["identity"] = _identity(identity) if kind == "stream" else ""
    words["column"] = _column_of(words["stream"]) if kind == "model" else ""
    files = {root / Template(path).substitute(words): template for path, template in files_of(kind, root).items()}
    # Of a kind that the language has, and that isn't served yet, the class is there.
    if kind == "window" and name in {each.kind for each in every_kind()}:
        files = {path: template for path, template in files.items() if template.parent.name != "query"}
    for path in files:
        if path.exists() or path.with_suffix("").exists():
            raise WrongParameter("NAME", name, f"a new name: {path.relative_to(root)} exists")
    for path, template in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(Template(template.read_text()).substitute(words))
    return [*files]


def files_of(kind: str, root: Path) -> dict[str, Path]:
    """The files of a kind by their paths below a folder, with $name, and their templates."""
    if not (root / "pipelines" / "cli" / "templates").exists():
        return KINDS[kind]
    tests = f"tests/{TESTS_IN_A_CHECKOUT.get(kind, 'kernels')}"
    places = IN_A_CHECKOUT | {"tests": tests}
    return {f"{places[str(Path(path).parent)]}/{Path(path).name}": template for path, template in KINDS[kind].items()}


def _identity(asked: str) -> str:
    """As a layout has it."""
    names = asked.split(",")
    if not all(map(_NAME.fullmatch, names)):
        raise WrongParameter(
            "--identity", asked, f"such as --identity key,start or --identity line or --identity none\n{IDENTITY}"
        )
    quoted = ", ".join(f'"{each}"' for each in names)
    return {"line": quoted, "none": "None"}.get(asked, f"({quoted}{',' * (len(names) == 1)})")


def _stream_of(name: str) -> str:
    """The stream that a query's name begins with."""
    known = stream_names()
    fits = [stream for stream in known if name.startswith(f"{stream}_")]
    if not fits:
        raise WrongParameter(
            "NAME", name, f"a name that begins with a stream's name and `_`; streams: {', '.join(known)}"
        )
    return max(fits, key=len)


def _column_of(stream_name: str) -> str:
    """The stream's first column of numbers that is no key, with a unit if there is one: else it may be an id."""
    found = stream(stream_name)
    numbers = [each for each in found.columns if each.type in NUMBERS and each.name not in found.key]
    return next((each.name for each in sorted(numbers, key=lambda each: each.unit is None)), "TODO")
