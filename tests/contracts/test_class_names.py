"""A class's name has one meaning: no two classes share one, so that who meets a name needn't ask for its module."""

import ast
from collections import defaultdict
from pathlib import Path

from tests.contracts.test_layers import DOWNWARD, ROOT

SHARED = {
    "Window": "as a query asks for it, compiled, and as an object of Python: users import two of them",
    "Sizes": "how much an experiment of benchmarks/ measures: each says so for itself",
}


def places() -> dict[str, list[Path]]:
    """Where classes are defined, by name."""
    found = defaultdict(list)
    for path in (path for folder in DOWNWARD for path in sorted((ROOT / folder).rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(), str(path))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(path.relative_to(ROOT))
    return found


def test_a_class_name_has_one_meaning():
    assert {name: paths for name, paths in places().items() if len(paths) > 1 and name not in SHARED} == {}
