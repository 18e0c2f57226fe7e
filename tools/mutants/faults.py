"""Small faults of the kinds that people make. Each is one edit of one file; a sample of them measures the tests.

if count < 3:      comparison   if count > 3:
                   boundary     if count <= 3:
                   constant     if count < 4:
                   inverted     if not (count < 3):
total += step      arithmetic   total -= step
                   removed      pass
cut(low, high)     swapped      cut(high, low)
"""

import ast
import hashlib
import re
from collections import Counter
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

FOLDERS = ("kernels", "pipelines", "schemas", "examples", "windrow")
KINDS = ("comparison", "boundary", "arithmetic", "constant", "swapped", "removed", "inverted")
OPPOSITE = {"==": "!=", "!=": "==", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
OPPOSITE |= {"is": "is not", "is not": "is", "in": "not in", "not in": "in"}
NEIGHBOUR = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "//": "*", "%": "//", "<<": ">>", ">>": "<<", "&": "|", "|": "&"}
OPERATOR = re.compile(rb"not\s+in|is\s+not|==|!=|<<|>>|<=|>=|//|\*\*|[-+*/%&|^<>@]|\bis\b|\bin\b")


class Fault(NamedTuple):
    """An edit of the bytes start:end of a file into `new`. The bytes probe_start:probe_end are what is evaluated then;
    `function` is dotted, `number` counts equal edits of one function."""

    path: str
    function: str
    kind: str
    old: str
    new: str
    number: int
    line: int
    start: int
    end: int
    probe_start: int
    probe_end: int

    @property
    def name(self) -> str:
        """The same as long as this piece of the function is, wherever it stands."""
        parts = "\0".join((self.path, self.function, self.kind, self.old, self.new, str(self.number)))
        return hashlib.sha256(parts.encode()).hexdigest()[:10]

    @property
    def is_of_kernels(self) -> bool:
        return self.path.startswith("kernels/")

    @property
    def is_statement(self) -> bool:
        return self.kind == "removed"

    def applied(self, source: bytes) -> bytes:
        """The file with the fault."""
        return source[: self.start] + self.new.encode() + source[self.end :]


def sample(root: Path, count: int, seed: int) -> list[Fault]:
    """Of each folder as its share of the lines is, of each kind as many, by a hash of seed and name: an edit elsewhere
    leaves the choice as it is. O(sites)."""
    lines = {folder: sum(len(path.read_bytes().splitlines()) for path in _files(root, folder)) for folder in FOLDERS}
    wanted = {folder: max(2, round(count * lines[folder] / sum(lines.values()))) for folder in FOLDERS}
    return [fault for folder in FOLDERS for fault in _of_folder(root, folder, wanted[folder], seed)][:count]


def _of_folder(root: Path, folder: str, count: int, seed: int) -> list[Fault]:
    paths = ((path.relative_to(root).as_posix(), path.read_bytes()) for path in _files(root, folder))
    faults = [fault for path, source in paths for fault in faults_of(path, source)]
    faults.sort(key=lambda fault: hashlib.sha256(f"{seed} {fault.name}".encode()).digest())
    of_kind = [[fault for fault in faults if fault.kind == kind] for kind in KINDS]
    by_turns = [fault for turn in zip_longest(*of_kind) for fault in turn if fault]
    return by_turns[:count]


def _files(root: Path, folder: str) -> list[Path]:
    return sorted((root / folder).rglob("*.py"))


def faults_of(path: str, source: bytes) -> list[Fault]:
    """All faults that a file could have, in the order of its text."""
    found = _Sites(path, source)
    found.visit(ast.parse(source))
    return found.faults


class _Sites(ast.NodeVisitor):
    """Left out: annotations, docstrings, what stands in an f-string (Python 3.11 doesn't say where), patterns."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path, self.source = path, source
        self.line_starts = [0, *(match.end() for match in re.finditer(rb"\n", source))]
        self.scope: list[str] = []
        self.faults: list[Fault] = []
        self.seen: Counter[tuple[str, ...]] = Counter()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self.scope.append(node.name)
        self.generic_visit(node)
        self.scope.pop()

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def generic_visit(self, node: ast.AST) -> None:
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self.visit(child)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        pass

    visit_Match = visit_JoinedStr

    def visit_If(self, node: ast.If | ast.While | ast.IfExp) -> None:
        if "TYPE_CHECKING" not in ast.dump(node.test) and "__main__" not in ast.dump(node.test):
            if not isinstance(node.test, ast.Constant):
                self._invert(node.test)
            self.generic_visit(node)

    visit_While = visit_IfExp = visit_If

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._invert(test)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1:
            self._operator(node, node.left, node.comparators[0], {"comparison": OPPOSITE, "boundary": NEIGHBOUR})
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if not any(_is_text(side) for side in (node.left, node.right)):
            self._operator(node, node.left, node.right, {"arithmetic": ARITHMETIC})
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._remove(node)
        if not _is_text(node.value):
            start, end = self._span(node.target)[1], self._span(node.value)[0]
            operator = OPERATOR.search(self.source, start, end)
            old = operator.group().decode() if operator else ""
            if operator and old in ARITHMETIC:
                span = (operator.start(), operator.end())
                self._add("arithmetic", node, span, ARITHMETIC[old], self._span(node.value))
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._add("constant", node, self._span(node), str(not node.value))
        elif isinstance(node.value, int | float):
            self._add("constant", node, self._span(node), str(node.value + 1))

    def visit_Call(self, node: ast.Call) -> None:
        plain = [each for each in node.args if not isinstance(each, ast.Starred)]
        for left, right in zip(plain, plain[1:], strict=False):
            (start, left_end), (right_start, end) = self._span(left), self._span(right)
            first, between, second = (
                self.source[low:high] for low, high in ((start, left_end), (left_end, right_start), (right_start, end))
            )
            if first != second and not isinstance(left, ast.GeneratorExp):
                self._add("swapped", node, (start, end), (second + between + first).decode())
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self._remove(node)
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise | ast.Break | ast.Continue) -> None:
        self._remove(node)
        self.generic_visit(node)

    visit_Break = visit_Continue = visit_Raise

    def visit_Assign(self, node: ast.Assign) -> None:
        if any(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
            self._remove(node)
        self.generic_visit(node)

    def _invert(self, test: ast.expr) -> None:
        text = ast.get_source_segment(self.source.decode(), test) or ""
        self._add("inverted", test, self._span(test), f"(not ({text}))")

    def _remove(self, node: ast.stmt) -> None:
        self._add("removed", node, self._span(node), "pass")

    def _operator(self, node: ast.expr, left: ast.expr, right: ast.expr, kinds: dict[str, dict[str, str]]) -> None:
        operator = OPERATOR.search(self.source, self._span(left)[1], self._span(right)[0])
        old = " ".join(operator.group().decode().split()) if operator else ""
        for kind, changes in kinds.items():
            if operator and old in changes:
                self._add(kind, node, (operator.start(), operator.end()), changes[old])

    def _add(
        self,
        kind: str,
        node: ast.expr | ast.stmt,
        span: tuple[int, int],
        new: str,
        probed: tuple[int, int] | None = None,
    ) -> None:
        old, function = self.source[span[0] : span[1]].decode(), ".".join(self.scope)
        evaluated = probed or self._span(node)
        context = self.source[evaluated[0] : evaluated[1]].decode()
        self.seen[function, kind, context, old, new] += 1
        number = self.seen[function, kind, context, old, new]
        self.faults.append(
            Fault(self.path, function, kind, f"{old} in {context}" if old != context else old, new, number,
                  node.lineno, *span, *evaluated)
        )  # fmt: skip

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        start = self.line_starts[node.lineno - 1] + node.col_offset
        return start, self.line_starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
