"""The hops of a run, as who follows it through the code takes them.

A hop is a line from which the run goes on into another file of pipelines/, or into the definitions of tables, streams
and queries; however often it passes there, it counts once. Locks, what a commit says of its run, ledger and processes
guard the way and are not on it.
Into what happens to lines (parse.py), to events in memory, and within the recount and its laws, nobody need follow;
nor into how an engine moves rows, and files are written and named in commits.
"""

import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
COUNTED = ("pipelines/", "schemas/tables.py", "schemas/registry.py")
GUARDS = ("pipelines/ledger/", "pipelines/lake/locks.py", "pipelines/lake/commits.py", "pipelines/lake/compaction.py")
LOCKS = ("Lake.locked", "Lake.ingest_locked")
WITHIN = (
    "pipelines/engines/",
    "pipelines/lake/file_commits.py",
    "pipelines/lake/new_files.py",
    "pipelines/ingest/parse.py",
    "pipelines/replay/replay_events.py",
    "pipelines/replay/late_events.py",
    "pipelines/gate/expectations.py",
    "pipelines/gate/project.py",
    "pipelines/gate/checks/",
    "pipelines/gate/recount/",
)


class Function(NamedTuple):
    """A function of the repository; lambdas and comprehensions belong to the one that they stand in."""

    file: str
    name: str


class Hop(NamedTuple):
    """From a line of one function into another."""

    caller: Function
    line: int
    callee: Function


def hops_of(run: Callable[[], object]) -> tuple[list[Hop], list[Function]]:
    """The hops of a run, and the functions that it enters, each in the order of its first time. O(calls · depth)."""
    hops: dict[Hop, None] = {}
    entered: dict[Function, None] = {}

    def note(frame: FrameType, event: str, _argument: object) -> None:
        callee = _function(frame.f_code) if event == "call" else None
        if callee is None:
            return
        entered.setdefault(callee)
        callers = list(_callers(frame))
        if callers and _counts([function for function, _ in callers], callee):
            hops.setdefault(Hop(*callers[0], callee))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return list(hops), list(entered)


@cache
def _function(code: CodeType) -> Function | None:
    file = Path(code.co_filename)
    if not file.is_relative_to(ROOT) or code.co_name.startswith("<"):
        return None
    path = file.relative_to(ROOT).as_posix()
    return Function(path, code.co_qualname) if path.startswith(("pipelines/", "schemas/")) else None


def _callers(frame: FrameType) -> Iterator[tuple[Function, int]]:
    back = frame.f_back
    while back is not None:
        function = _function(back.f_code)
        if function is not None:
            yield function, back.f_lineno
        back = back.f_back


def _counts(callers: list[Function], callee: Function) -> bool:
    on_the_way = (callers[0].file, callee.file)
    return (
        callers[0].file != callee.file
        and all(file.startswith(COUNTED) for file in on_the_way)
        and not any(function.file.startswith(GUARDS) or function.name in LOCKS for function in (*callers, callee))
        and not any(function.file.startswith(WITHIN) for function in callers)
    )
