"""One file is one check, found by looking; checking needs no network and no JVM."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.config import REPOSITORY
from pipelines.gate.checks import checks

FOLDER = Path(REPOSITORY, "pipelines", "gate", "checks")
OF = ("audit", "dependent", "files", "model", "silver")
FILES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")
CHECKS = [check for of in OF for check in checks(of)]
FOLDERS = ("kernels", "pipelines", "schemas")


def imported(path: Path) -> list[str]:
    """Modules that a file names in `from … import …`."""
    return [node.module or "" for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]


def test_every_file_of_the_folder_is_a_check_and_every_law_of_semantics_has_one():
    assert sorted(check.__name__.rpartition(".")[2] for check in CHECKS) == FILES
    assert {law for law in range(1, 6) for name in FILES if name.startswith(f"law_{law}_")} == {*range(1, 6)}


def test_a_check_has_a_name_of_its_own_its_law_and_what_it_checks():
    assert len({check.NAME for check in CHECKS} - {""}) == len(CHECKS)
    for check in CHECKS:
        functions = ("find", "verdict") if check.CHECKS in ("audit", "dependent", "model") else ("run",)
        assert check.LAW.endswith(".") and check.CHECKS in OF, check
        assert all(callable(getattr(check, function)) for function in functions), check


def test_the_plain_replay_imports_what_queries_are_and_itself():
    folder = Path(REPOSITORY, "pipelines", "gate", "recount", "plain")
    inside = {name for path in folder.rglob("*.py") for name in imported(path) if name.split(".")[0] in FOLDERS}
    assert {name for name in inside if not name.startswith(("pipelines.gate.recount.plain", "schemas"))} == set()
    assert inside


@pytest.mark.slow
def test_the_recount_uses_no_kernel():
    code = (
        "import sys, pipelines.gate.checks as c; c.checks('audit'); c.checks('model'); c.checks('silver'); "
        "from importlib import import_module; from pipelines.gate.recount import kinds; "
        "[import_module(f'{kinds.__name__}.{name}') for name in kinds.kinds()]; "
        "print([name for name in sys.modules if name.split('.')[0] in ('kernels', 'pyspark', 'numba')])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"


@pytest.mark.slow
@pytest.mark.nightly
def test_great_expectations_talks_to_nobody(tmp_path):
    code = (
        "import socket; socket.socket.connect = socket.getaddrinfo = lambda *a, **k: print('CALLED', a)\n"
        "import sys; from pathlib import Path; import pandas as pd\n"
        "from pipelines.config import Config\n"
        "from pipelines.gate.validation import build, validated\n"
        "from pipelines.gate.validation_results import keep\n"
        "from schemas.expectations import NOT_NULL, Expectation\n"
        "config, frames = Config(Path(sys.argv[1]), Path(sys.argv[1])), [pd.DataFrame({'a': [1]})]\n"
        "asked = [Expectation('t', 'n', NOT_NULL, {'column': 'a'}, '', '')]\n"
        "found = validated(asked, frames, 0, with_values=True)\n"
        "keep(config, 'run', 't', 0, [], found)\n"
        "print(found['success'] and build(config).first_page.exists())"
    )
    ended = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ("True\n", "")
