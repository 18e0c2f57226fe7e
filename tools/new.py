"""Writes a new definition and its test: `python -m tools.new KIND NAME`. All are new files.

What it writes can be imported, and its test fails until the right answer is written down.
"""

import keyword
import re
import sys
from argparse import ArgumentParser
from pathlib import Path
from string import Template

from schemas.errors import WindrowError, WrongParameter
from schemas.registry import stream
from schemas.validation import NUMBERS
from schemas.windows import every_kind

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = Path(__file__).resolve().parent / "templates"
_NAME = re.compile(r"[a-z][a-z0-9_]*")
IDENTITY = """What makes two records one and the same event, of which the later is refused as a duplicate?
  key,start  columns, and the times start, end, arrival: what tells events apart, whatever else the lines say:
             for files that overlap
  line       equal lines of the layout: for files that overlap, where no two events are written alike; a reading
             that a clock change repeats word for word is lost
  none       nothing: each line is an event; for files that never overlap
"""
# By kind of definition: where each of its new files goes, the test last, and the file's template. Below the folder of
# its kind a template lies where its file goes.
KINDS = {
    folder.name: {str(file.relative_to(folder).with_suffix("")): file for file in sorted(folder.rglob("*.txt"))}
    for folder in sorted(TEMPLATES.iterdir())
}


def write(kind: str, name: str, root: Path = ROOT, identity: str = "") -> list[Path]:
    """Write its files and return them, the test last; overwrites nothing. identity: of a stream. WrongParameter: a name
    or an identity that can't be used."""
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise WrongParameter("NAME", name, "lower-case letters, digits and _, such as boat_trips")
    words = {"name": name, "title": name.title().replace("_", "")}
    words["stream"] = _stream_of(name, root) if kind in ("query", "model") else name
    words["identity"] = _identity(identity) if kind == "stream" else ""
    words["column"] = _column_of(words["stream"]) if kind == "model" else ""
    files = {root / Template(path).substitute(words): template for path, template in KINDS[kind].items()}
    # Of a kind that the language has, and that isn't served yet, the class is there.
    if kind == "window" and name in {each.kind for each in every_kind()}:
        del files[root / "schemas" / "windows" / f"{name}.py"]
    for path in files:
        if path.exists() or path.with_suffix("").exists():
            raise WrongParameter("NAME", name, f"a new one: {path.relative_to(root)} exists")
    for path, template in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(Template(template.read_text()).substitute(words))
    return [*files]


def _identity(asked: str) -> str:
    """As a layout has it."""
    names = asked.split(",")
    if not all(map(_NAME.fullmatch, names)):
        raise WrongParameter(
            "IDENTITY", asked, f"such as IDENTITY=key,start or IDENTITY=line or IDENTITY=none\n{IDENTITY}"
        )
    quoted = ", ".join(f'"{each}"' for each in names)
    return {"line": quoted, "none": "None"}.get(asked, f"({quoted}{',' * (len(names) == 1)})")


def _stream_of(name: str, root: Path) -> str:
    """The stream that a query's name begins with."""
    known = sorted(path.stem for path in (root / "schemas/streams").glob("[a-z]*.py"))
    fits = [stream for stream in known if name.startswith(f"{stream}_")]
    if not fits:
        raise WrongParameter("NAME", name, f"one that begins with its stream's and `_`; streams: {', '.join(known)}")
    return max(fits, key=len)


def _column_of(stream_name: str) -> str:
    """The stream's first column of numbers that is no key, with a unit if there is one: else it may be an id."""
    found = stream(stream_name)
    numbers = [each for each in found.columns if each.type in NUMBERS and each.name not in found.key]
    return next((each.name for each in sorted(numbers, key=lambda each: each.unit is None)), "TODO")


def main() -> int:
    """The command line; the exit code is that of the error."""
    parser = ArgumentParser(prog="python -m tools.new", description="Write a new definition and its test.")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--identity", default="", help="of a stream: line, none, or columns and times, as key,start")
    chosen = parser.parse_args()
    try:
        if chosen.kind == "stream" and not chosen.identity and sys.stdin.isatty():
            chosen.identity = input(f"{IDENTITY}> ").replace(" ", "")
        written = write(chosen.kind, chosen.name, identity=chosen.identity)
    except WindrowError as wrong:
        print(wrong, file=sys.stderr)
        return wrong.exit_code
    for path in written:
        print(f"wrote {path.relative_to(ROOT)}")
    article = "an" if chosen.kind.startswith("a") else "a"
    print(f"next: docs/add-{article}-{chosen.kind}.md, then .venv/bin/python -m pytest {written[-1].relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
