"""Which tests execute the place of a fault: probes in a tree note it, in whatever process, while the tests run.

    if count < 3:        →   if (_hit(17), count < 3)[1]:
    total += step        →   _hit(18); total += step
    LIMIT = 3            →   _hit(19) first in each function of the file: its import is of no test alone; where it
                             has none, LIMIT = (_hit(19), 3)[1], passed before any test

coverage.py can't say it here: Spark's and Airflow's processes work for many tests, and tests kill many others.
"""

import ast
from collections import defaultdict
from pathlib import Path

from tools.mutants.faults import Fault

PROBE = "schemas/_probe.py"
IMPORT = b"from windrow.schemas._probe import hit as _hit\n"


def plant(tree: Path, faults: dict[int, Fault]) -> None:
    """Put the probes of numbered faults into a tree."""
    (tree / PROBE).write_bytes(Path(__file__).with_name("probe.py").read_bytes())
    of_path: dict[str, list[tuple[int, Fault]]] = defaultdict(list)
    for number, fault in faults.items():
        of_path[fault.path].append((number, fault))
    for path, numbered in of_path.items():
        source = (tree / path).read_bytes()
        (tree / path).write_bytes(_with_import(_with_probes(source, numbered)))


def _with_probes(source: bytes, numbered: list[tuple[int, Fault]]) -> bytes:
    inserted: list[tuple[int, int, int, bytes]] = []
    for number, fault in numbered:
        start, end = fault.probe_start, fault.probe_end
        if not fault.function and (starts := _function_starts(source)):
            inserted += [(place, 1, 0, b"_hit(%d)%s" % (number, then)) for place, then in starts]
        elif fault.is_statement:
            inserted.append((start, 1, start - end - 1, b"_hit(%d); " % number))
        else:  # of equal places the outer opens first and closes last
            inserted.append((start, 1, start - end, b"(_hit(%d), " % number))
            inserted.append((end, 0, -start, b")[1]"))
    for place, _, _, text in sorted(inserted, reverse=True):
        source = source[:place] + text + source[place:]
    return source


def _function_starts(source: bytes) -> list[tuple[int, bytes]]:
    """Where each function's first statement begins, and what stands between one in front of it and it."""
    lines = source.splitlines(keepends=True)
    starts = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            line = min(each.lineno for each in [first, *getattr(first, "decorator_list", [])])
            before = lines[line - 1][: first.col_offset]
            place = sum(map(len, lines[: line - 1])) + first.col_offset
            starts.append((place, b"; " if before.strip() else b"\n" + before))
    return starts


def _with_import(source: bytes) -> bytes:
    body = ast.parse(source).body
    docstring_or_future = [
        node
        for node in body[:2]
        if isinstance(node, ast.Expr) or isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]
    lines = source.splitlines(keepends=True)
    at = docstring_or_future[-1].end_lineno or 0 if docstring_or_future else 0
    return b"".join([*lines[:at], IMPORT, *lines[at:]])


def read_hits(folder: Path, faults: list[Fault]) -> dict[str, set[str]]:
    """Of each fault's name the tests that passed its probe; one that did so in a fixture stands for all of its file,
    as `file::*`. A file's import, before any test, is of all tests: `*`."""
    hits: dict[str, set[str]] = defaultdict(set)
    for line in (folder / "hits").read_text().splitlines():
        number, _, test = line.partition("\t")
        name, phase = test.rpartition(" ")[::2]
        if phase == "(setup)":
            name = f"{name.partition('::')[0]}::*"
        hits[faults[int(number)].name].add(name if "::" in name else "*")
    return hits
