"""Runs the ```console blocks of the tutorial and of the how-to pages behind it, in one scratch folder, and puts what
each command prints behind it: `make tutorial`, `python -m tools.console`.

A command is a line that starts with `$ `. What a run can't repeat (seconds, names of runs, times of now) is written …;
progress is left out. A command that fails ends it, unless `(fails)` stands behind it as a comment.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = tuple(ROOT / "docs" / name for name in ("tutorial.md", "late-files.md", "failed-gate.md"))
BLOCK = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
# What the scratch folder has of the checkout: the folder's own `var` is new.
LINKED = (".venv",)
PROGRESS = re.compile(
    r"== |compiling \w+, once|(land|bronze|silver|ticks|check_silver|replay|gate|publish): |.* so far$"
)
VARYING = (
    (re.compile(r"^(seconds +)[\d.]+", re.MULTILINE), r"\1…"),
    (re.compile(r"-\d{8}T\d{6}-[0-9a-f]{8}"), "-…"),
    (re.compile(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}Z"), "…"),
)
MAY_FAIL = "# (fails)"


def renewed(pages: tuple[Path, ...] = PAGES) -> dict[Path, str]:
    """The pages with what their commands print now. CalledProcessError for a command that fails."""
    with tempfile.TemporaryDirectory() as folder:
        shell = Shell(Path(folder))
        return {page: BLOCK.sub(lambda found: shell.block(found[0]), page.read_text()) for page in pages}


class Shell:
    """A folder in which a user types commands, one after the other."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.settings = {name: value for name, value in os.environ.items() if not name.startswith("WINDROW_")}
        for name in LINKED:
            (folder / name).symlink_to(ROOT / name)

    def block(self, text: str) -> str:
        """A block with what each of its commands prints."""
        commands = [line for line in text.splitlines() if line.startswith("$ ")]
        return "".join(f"{line}\n{self.run(line.removeprefix('$ '))}" for line in commands)

    def run(self, command: str) -> str:
        """What it prints; an `export` sets what later commands see."""
        if command.startswith("export "):
            self.settings |= dict(word.split("=", 1) for word in shlex.split(command)[1:])
            return ""
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=self.settings, capture_output=True, text=True
        )
        if done.returncode and MAY_FAIL not in command:
            raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
        remarks = [line for line in done.stderr.splitlines(keepends=True) if not PROGRESS.match(line)]
        return settled("".join(remarks) + done.stdout)


def settled(printed: str) -> str:
    """A text without what varies, nor spaces at the ends of lines."""
    for pattern, shown in VARYING:
        printed = pattern.sub(shown, printed)
    return "".join(f"{line.rstrip()}\n" for line in printed.splitlines())


def main() -> int:
    """Write the pages."""
    for page, text in renewed().items():
        page.write_text(text)
        print(f"made {page.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
