"""Puts the spec tables of tests/semantics into docs/semantics.md, between two marks: `python -m tools.spec_examples`.

The tests are read, not run: a table is a text in a call of `assert_replay` or `assert_late`, its caption the test's
name and docstring. Names that stand for a text or a part of a query are replaced by what they stand for.
"""

import ast
import copy
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SPECS = ROOT / "tests" / "semantics"
PAGE = ROOT / "docs" / "semantics.md"
BEGIN = "<!-- Made by `make docs` from tests/semantics: change the tests, not these examples. -->"
END = "<!-- The end of what `make docs` made. -->"
ASSERTIONS = {"assert_replay": "rows", "assert_rolling": "rows", "assert_late": "late events"}
# How `ask` of tests/support/semantics/queries.py names its parameters, and what a query names them.
POSITIONS = ("window", "emit", "lateness", "allowed")
OF_A_QUERY = {"allowed": "allowed_lateness"}
Names = dict[str, ast.expr]


@dataclass(frozen=True)
class Example:
    """One assertion of a spec test: a query, its events, and what comes out."""

    query: str
    events: str
    result: str
    kind: str


def renewed(page: str) -> str:
    """The page with the examples as the tests have them now."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{section()}\n\n{END}{after}"


def section() -> str:
    """All examples, a heading for each file of tests that has some."""
    return "\n\n".join(part for path in sorted(SPECS.glob("test_*.py")) for part in _of_file(path))


def _of_file(path: Path) -> list[str]:
    tree = ast.parse(path.read_text())
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    parts = [part for test in tests for part in _of_test(test, _assigned(tree.body))]
    title = re.sub(r" \(semantics §\d\)", "", (ast.get_docstring(tree) or path.stem).splitlines()[0])
    return [f"### {title.rstrip('.')}", *parts] if parts else []


def _of_test(test: ast.FunctionDef, names: Names) -> list[str]:
    examples = list(_examples(test, names | _varied(test) | _assigned(test.body)))
    return [_caption(test), *(_shown(example) for example in examples)] if examples else []


def _caption(test: ast.FunctionDef) -> str:
    sentence = test.name.removeprefix("test_").replace("_", " ").capitalize()
    return " ".join([f"**{sentence}.**", *(ast.get_docstring(test) or "").split()])


def _examples(test: ast.FunctionDef, names: Names) -> Iterator[Example]:
    for node in ast.walk(test):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ASSERTIONS:
            query, events, result, *complete = (_Spelt(names).visit(copy.deepcopy(each)) for each in node.args)
            of_replay = [("complete", each) for each in complete]
            of_replay += [(str(each.arg), _Spelt(names).visit(copy.deepcopy(each.value))) for each in node.keywords]
            yield Example(_query(query, of_replay), _text(events), _text(result), ASSERTIONS[node.func.id])


class _Spelt(ast.NodeTransformer):
    """Puts what a name stands for in its place."""

    def __init__(self, names: Names):
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        known = self.names.get(node.id)
        return node if known is None else self.visit(copy.deepcopy(known))


def _assigned(statements: list[ast.stmt]) -> Names:
    """What simple assignments, also of pairs, give to names."""
    names: Names = {}
    for statement in statements:
        if isinstance(statement, ast.Assign):
            [target] = statement.targets
            if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
                names |= {
                    ast.unparse(name): value for name, value in zip(target.elts, statement.value.elts, strict=True)
                }
            else:
                names[ast.unparse(target)] = statement.value
    return names


def _varied(test: ast.FunctionDef) -> Names:
    """Names that a loop or `parametrize` gives several values: all of them, joined by "or"."""
    loops = [node for node in ast.walk(test) if isinstance(node, ast.For)]
    pairs = [(ast.unparse(loop.target), loop.iter) for loop in loops]
    calls = [each for each in test.decorator_list if ast.unparse(each).startswith("pytest.mark.parametrize(")]
    pairs += [(ast.literal_eval(call.args[0]), call.args[1]) for call in calls if isinstance(call, ast.Call)]
    return {
        name: ast.Name(" or ".join(ast.unparse(each) for each in values.elts))
        for name, values in pairs
        if isinstance(values, ast.Tuple | ast.List)
    }


def _query(query: ast.expr, of_replay: list[tuple[str, ast.expr]]) -> str:
    """The parameters of the query, and of the replay, in a query's words."""
    assert isinstance(query, ast.Call), f"{ast.unparse(query)} is no call of ask"
    given = list(zip(POSITIONS, query.args, strict=False)) + [(each.arg, each.value) for each in query.keywords]
    given += of_replay
    words = [f"{OF_A_QUERY.get(name, name)}={ast.unparse(value)}" for name, value in given]
    return ", ".join(words).replace("'", '"')


def _text(node: ast.expr) -> str:
    assert isinstance(node, ast.Constant), f"{ast.unparse(node)} is no table that stands in the test"
    return inspect.cleandoc(node.value)


def _shown(example: Example) -> str:
    given = f"`{example.query}`\n\n{_table(example.events)}\n\n"
    if not example.result:
        return f"{given}gives no {example.kind}."
    return f"{given}gives the {example.kind}\n\n{_table(example.result)}"


def _table(text: str) -> str:
    """A table of a test as one of Markdown."""
    head, *body = [[cell.strip() for cell in line.split("|")] for line in text.splitlines()]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *body))


def main() -> int:
    """Write the page."""
    PAGE.write_text(renewed(PAGE.read_text()))
    print(f"made the examples of {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
