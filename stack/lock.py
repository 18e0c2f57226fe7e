"""`make lock`: requirements/*.txt from pyproject.toml, with a hash for every file and no download address.

A `uv.lock` is not kept: it would write the address of this machine's registry into the repository.
"""

from stack import commands, uv
from stack.places import REPOSITORY, REQUIREMENTS, say

PROJECT = REPOSITORY / "pyproject.toml"
# What each file is made from: the project's own dependencies, or groups of pyproject.toml.
SOURCES = {
    "spark": (str(PROJECT), "--group", f"{PROJECT}:dev"),
    "airflow": ("--group", f"{PROJECT}:airflow"),
    "uv": ("--group", f"{PROJECT}:setup"),
}


def run() -> None:
    """Bring every requirement file up to date; versions move only where pyproject.toml asks for it."""
    for name, sources in SOURCES.items():
        target = REQUIREMENTS / f"{name}.txt"
        before = target.read_text() if target.exists() else ""
        commands.run(f"lock {name}", _command(name, sources), "correct the dependencies in pyproject.toml")
        outcome = "is as before" if target.read_text() == before else "was changed"
        say(f"{target.relative_to(REPOSITORY)} {outcome}")


def _command(name: str, sources: tuple[str, ...]) -> list[str]:
    options = ["--quiet", "--universal", "--generate-hashes", "--no-header", "--no-emit-index-url"]
    lowest = ["--python-version", "3.11"]
    output = ["--output-file", str(REQUIREMENTS / f"{name}.txt")]
    return [uv.ensure(), "pip", "compile", *options, *lowest, *sources, *output]
