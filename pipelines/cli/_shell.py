"""`windrow sql`: statements typed one after the other, with a history and completion of tables, columns and words."""

import os
import readline
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.sql import statements
from windrow.schemas.errors import WindrowError

PROMPT, GOES_ON = "windrow> ", "    ...> "
WORDS = ("SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "DESCRIBE", "SUMMARIZE", "SHOW TABLES")
LENGTH_OF_HISTORY = 1_000


def run(lake: Lake, answer: Callable[[str], None]) -> int:
    """Until the input ends: each statement ends with `;`. An error is shown, and the next statement asked for. Returns
    the exit code of the last error of a file; 0 at a terminal."""
    is_terminal, code = sys.stdin.isatty(), 0
    with _history(is_terminal), _ctrl_c_raises():
        if is_terminal:
            readline.set_completer(Completer(lake))
            readline.parse_and_bind("tab: complete")
            print("End a statement with ;  Tab completes names, Ctrl-D ends the shell.  SHOW TABLES; lists the tables.")
        for statement in _statements(is_terminal):
            try:
                answer(statement)
            except WindrowError as error:
                print(f"error: {error}", file=sys.stderr)
                code = error.exit_code
            except KeyboardInterrupt:
                print("stopped", file=sys.stderr)
    return 0 if is_terminal else code


def _statements(is_terminal: bool) -> Iterator[str]:
    """What is typed up to each `;` at the end of a line; Ctrl-C begins anew."""
    lines: list[str] = []
    while True:
        try:
            lines.append(input((GOES_ON if lines else PROMPT) if is_terminal else ""))
        except KeyboardInterrupt:
            print()
            lines = []
            continue
        except EOFError:
            if text := "\n".join(lines).strip():
                yield text
            return
        text = "\n".join(lines).strip()
        if text.endswith(";"):
            lines = []
            if text := text.rstrip("; \n"):
                yield text


class Completer:
    """As readline asks it: the nth completion of a word, None behind the last."""

    def __init__(self, lake: Lake):
        self.lake = lake
        self.known: list[str] = []
        self.found: list[str] = []

    def __call__(self, word: str, number: int) -> str | None:
        if number == 0:
            self.known = self.known or [*WORDS, *self._names()]
            self.found = sorted({each for each in self.known if each.lower().startswith(word.lower())})
        return self.found[number] if number < len(self.found) else None

    def _names(self) -> Iterator[str]:
        """Tables, and the columns of those that can be read."""
        for table in statements.run(self.lake, "SHOW ALL TABLES").to_pylist():
            yield table["name"]
            yield from table["column_names"]


@contextmanager
def _history(is_terminal: bool) -> Iterator[None]:
    """Kept among the user's data, from one shell to the next."""
    file = Path(os.path.expanduser(os.environ.get("XDG_DATA_HOME") or "~/.local/share"), "windrow", "sql_history")
    if is_terminal:
        with suppress(OSError):
            readline.read_history_file(file)
    yield
    if is_terminal:
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            readline.set_history_length(LENGTH_OF_HISTORY)
            readline.write_history_file(file)


@contextmanager
def _ctrl_c_raises() -> Iterator[None]:
    """It ends what is typed or asked, and not the shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
