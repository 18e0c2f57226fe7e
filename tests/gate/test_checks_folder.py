"""One file is one check, or a kind of windows that is counted again: found by its name, and refused by it where there
is none. Checking needs no network and no JVM. And a query's `where`, as the gate asks DuckDB for it."""

import ast
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import ClassVar

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.gate.test_dependent_windows import NOT_BY_THEIR_ENDS
from tests.support.oracle.windows import windows_around
from tests.support.processes import python
from tests.support.small_lake import asked
from tests.support.small_windows import DEPENDENT, WINDOWS
from windrow.kernels import kinds as served
from windrow.pipelines.config import REPOSITORY
from windrow.pipelines.gate.checks import checks
from windrow.pipelines.gate.recount import expressions
from windrow.pipelines.gate.recount.kinds import in_sql, kinds
from windrow.pipelines.gate.recount.kinds._calendar import calendar_windows
from windrow.schemas.errors import NotRecounted
from windrow.schemas.expressions import of_triple
from windrow.schemas.query import EMITS, month, sliding, tumbling, week
from windrow.schemas.windows import Window, every_kind

FOLDER = Path(REPOSITORY, "pipelines", "gate", "checks")
OF = ("audit", "dependent", "files", "model", "silver")
FILES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")
CHECKS = [check for of in OF for check in checks(of)]
FOLDERS = ("windrow",)


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
        assert check.__doc__.endswith(".\n") and check.CHECKS in OF, check
        assert all(callable(getattr(check, function)) for function in functions), check


def test_the_plain_replay_imports_what_queries_are_and_itself():
    folder = Path(REPOSITORY, "pipelines", "gate", "recount", "plain")
    inside = {name for path in folder.rglob("*.py") for name in imported(path) if name.split(".")[0] in FOLDERS}
    allowed = ("windrow.pipelines.gate.recount.plain", "windrow.schemas")
    assert {name for name in inside if not name.startswith(allowed)} == set()
    assert inside


@pytest.mark.slow
def test_the_recount_uses_no_kernel():
    code = (
        "import sys, windrow.pipelines.gate.checks as c; c.checks('audit'); c.checks('model'); c.checks('silver'); "
        "from importlib import import_module; from pkgutil import walk_packages; "
        "from windrow.pipelines.gate import recount; "
        "[import_module(found.name) for found in walk_packages(recount.__path__, f'{recount.__name__}.')]; "
        "print([name for name in sys.modules if name.startswith(('windrow.kernels', 'pyspark', 'numba'))])"
    )
    assert python("-c", code).stdout == "[]\n"


@pytest.mark.slow
@pytest.mark.nightly
def test_great_expectations_talks_to_nobody(tmp_path):
    code = (
        "import socket; socket.socket.connect = socket.getaddrinfo = lambda *a, **k: print('CALLED', a)\n"
        "import sys; from pathlib import Path; import pandas as pd\n"
        "from windrow.pipelines.config import Config\n"
        "from windrow.pipelines.gate.validation import build, validated\n"
        "from windrow.pipelines.gate.validation_results import keep\n"
        "from windrow.schemas.expectations import NOT_NULL, Expectation\n"
        "config, frames = Config(Path(sys.argv[1]), Path(sys.argv[1])), [pd.DataFrame({'a': [1]})]\n"
        "asked = [Expectation('t', 'n', NOT_NULL, {'column': 'a'}, '', '')]\n"
        "found = validated(asked, frames, 0)\n"
        "keep(config, 'run', 't', 0, [], found)\n"
        "print(found['success'] and build(config).first_page.exists())"
    )
    ended = python("-c", code, tmp_path)
    assert (ended.stdout, ended.stderr) == ("True\n", "")


def test_every_kind_that_is_served_is_counted_again_and_can_be_asked_for():
    assert list(kinds()) == list(served.kinds())
    assert set(kinds()) <= {kind.kind for kind in every_kind()}


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("kind", WINDOWS)
def test_laws_do_not_apply_to_rolling_windows_with_emit_arrival_only(kind, emit):
    query = asked(kind, emit)
    excepted = in_sql(query.window).exceptions(query)
    is_excepted = kind.startswith("rolling") and emit == "arrival"
    assert set(excepted) == ({"law_3_counts", "law_5_final_rows"} if is_excepted else set())
    assert set(excepted) <= {law.__name__.rpartition(".")[2] for law in checks("audit")}


def test_windows_that_can_not_be_counted_again_are_refused_with_those_that_can():
    @dataclass(frozen=True)
    class Fortnights(Window):
        kind: ClassVar[str] = "fortnights"

    with pytest.raises(NotRecounted, match="fortnights.*rolling, session, slide_by_tuple, sliding, spanning, tumbling"):
        in_sql(Fortnights())


@pytest.mark.parametrize("kind", DEPENDENT)
def test_what_is_not_counted_again_of_windows_that_depend_on_others_each_verdict_says(kind):
    limits = in_sql(DEPENDENT[kind]).limits
    assert set(limits) == {law.__name__.rpartition(".")[2] for law in checks("audit")}
    assert ("passed" in limits["law_4_revisions"]) == (kind in NOT_BY_THEIR_ENDS)


HOUR, DAY, HOUR_US = timedelta(hours=1), timedelta(days=1), 3_600_000_000
CALENDARS = {
    "months": lambda zone: month(zone=zone),
    "quarters from February at six": lambda zone: month(3, datetime(2024, 2, 1, 6), zone),
    "weeks": week,
    "days from six": lambda zone: tumbling(DAY, datetime(2024, 3, 1, 6), zone),
    "days from half past two": lambda zone: sliding(2 * DAY, DAY, datetime(2024, 3, 1, 2, 30), zone),
    "parts of days from six": lambda zone: sliding(8 * HOUR, 3 * HOUR, datetime(2024, 3, 1, 6), zone),
    "days of a date": lambda zone: sliding(6 * HOUR, 3 * DAY, date(2024, 3, 1), zone),
}


@pytest.mark.parametrize("kind", CALENDARS)
@given(
    zone=st.sampled_from(("America/New_York", "Australia/Lord_Howe", "Asia/Beirut", "Pacific/Apia")),
    # From 1970 to 2037, and the hours around the changes of 2024.
    time_us=st.one_of(st.integers(0, 590_000), st.integers(474_960, 483_000)).map(lambda hours: hours * HOUR_US),
    off_us=st.sampled_from((0, -1, 1, HOUR_US // 2)),
)
def test_the_gate_lists_the_windows_that_the_oracle_finds(kind, zone, time_us, off_us):
    window, at_us = CALENDARS[kind](zone), time_us + off_us
    listed = calendar_windows(window, at_us, at_us)
    assert [(start, end) for start, end in listed if start <= at_us < end] == windows_around(at_us, window)


VALUES = [None, 1, 2, 3]
HELD = {
    ("==", 2): [2],
    ("!=", 2): [1, 3],
    ("<", 2): [1],
    (">=", 2): [2, 3],
    ("in", (1, 3)): [1, 3],
    ("in", ()): [],
    ("not_in", (1,)): [2, 3],
    ("not_in", ()): [1, 2, 3],
    ("is_null", None): [None],
    ("not_null", None): [1, 2, 3],
}


@pytest.mark.parametrize("condition", HELD, ids=str)
def test_a_condition_holds_of_these_values_and_a_comparison_with_null_is_false(condition):
    asked = expressions.where(of_triple("value", *condition), "events", {"value": "int64"})
    with duckdb.connect() as database:
        database.execute("CREATE TABLE events AS SELECT unnest(?::BIGINT[]) AS value", [VALUES])
        held = database.execute(f"SELECT value FROM events WHERE {asked} ORDER BY value").fetchall()
    assert [value for (value,) in held] == HELD[condition]
