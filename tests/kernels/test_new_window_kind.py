"""A window kind is one new file per layer: found by name, served from events to rows and late rows, and counted again
by the gate."""

import os
import shutil
import subprocess
import sys
from importlib import import_module
from math import isqrt
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from kernels import windows as kernel_windows
from pipelines.config import Config
from pipelines.gate.recount import kinds as recount_kinds
from schemas import windows as query_windows
from schemas.errors import NotRecounted, NotServed
from schemas.query import agg
from tests.support.local import late_table, replay_table
from tests.support.semantics.queries import MINUTE, ZERO, ask
from tests.support.small_lake import DAYS, asked, random_events, replayed_lake

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SCHEMA = '''"""Windows that grow: number i is [i², (i + 1)²) · scale µs; below zero they are mirrored."""

from dataclasses import dataclass
from typing import ClassVar

from schemas.windows import Window


@dataclass(frozen=True)
class Squares(Window):
    kind: ClassVar[str] = "squares"
    context_free: ClassVar[bool] = True
    size_us: ClassVar[int] = 1 << 32  # until the year 140,000
    scale_us: int = 2
'''
KERNEL = '''"""Windows that grow: number i is [i², (i + 1)²) · scale µs; below zero they are mirrored."""

from kernels.bounds import Bounds, KernelWindow, made_window, pane_around
from kernels.runtime.tables import lazy_table
from kernels.replay.regular import regular_placement
from kernels.replay.types import WindowSpec
from kernels.replay.window_kind import WindowKind
from kernels.runtime.fields import Microseconds
from kernels.runtime.memory import inner


@inner
def root(number):
    low, high = 0, 1 << 31
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle * middle <= number else (low, middle - 1)
    return low


class Scaled(KernelWindow):
    scale: Microseconds


def start(window: Scaled, number):
    return number * abs(number) * window.scale


def end(window: Scaled, number):
    return (number + 1) * abs(number + 1) * window.scale


def last_start_until(window: Scaled, time):
    scaled = time // window.scale
    return root(scaled) if scaled >= 0 else -1 - root(-scaled - 1)


def first_end_after(window: Scaled, time):
    scaled = time // window.scale
    return root(scaled) if scaled >= 0 else -1 - root(-scaled - 1)


forms = (start, end, first_end_after, last_start_until)
bounds = lazy_table(Bounds, "squares_bounds", *forms, find_pane=pane_around)


class SquaresKind(WindowKind):
    placement = staticmethod(regular_placement)

    def spec(self, window, starts_us=None):
        return WindowSpec("squares", 1, parameters=(window.scale_us,))

    def make(self, spec, extent):
        [scale] = spec.parameters
        return made_window(Scaled, bounds(), size=1 << 32, scale=scale)


KIND = SquaresKind()
'''
RECOUNT = '''"""The same windows in SQL."""

from datetime import timedelta

from pipelines.gate.recount.kinds._windows import ClosedForms


class SquaresInSql(ClosedForms):
    def longest(self):
        return timedelta(microseconds=1 << 32)

    def start(self, number):
        return f"2 * {number} * abs({number})"

    def end(self, number):
        return self.start(f"({number} + 1)")

    def first_end_after(self, time):
        root, scaled = "CAST(floor(sqrt({})) AS BIGINT)".format, f"floor_div({time}, 2)"
        return f"CASE WHEN {time} >= 0 THEN {root(f'abs({scaled})')} ELSE -1 - {root(f'abs({scaled} + 1)')} END"

    last_start_until = first_end_after


in_sql = SquaresInSql
'''
FOLDERS = {query_windows: SCHEMA, kernel_windows: KERNEL, recount_kinds: RECOUNT}


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write a kind's file into a folder in which kinds are also found."""

    def write(package) -> None:
        folder = tmp_path / package.__name__
        folder.mkdir()
        (folder / "squares.py").write_text(FOLDERS[package])
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
        monkeypatch.delitem(sys.modules, f"{package.__name__}.squares", raising=False)

    return write


def squares():
    """The windows, as a query asks for them."""
    return import_module("schemas.windows.squares").Squares()


def window_of(time: int) -> tuple[int, int]:
    time //= 2
    number = isqrt(time) if time >= 0 else -1 - isqrt(-time - 1)
    return 2 * number * abs(number), 2 * (number + 1) * abs(number + 1)


def table_of(starts: list[int], arrivals: list[int]) -> pa.Table:
    times = pa.timestamp("us", "UTC")
    columns = {"start": starts, "end": starts, "arrival": arrivals}
    return pa.table(
        {name: pa.array(column, times) for name, column in columns.items()}
        | {"seq": range(len(starts)), "key": ["a"] * len(starts), "value": pa.array(starts, pa.int64())}
    )


@pytest.mark.slow
def test_a_kind_that_is_new_files_only_is_served_from_events_to_rows_and_late_rows(written):
    written(query_windows)
    with pytest.raises(NotServed, match="squares"):
        replay_table(table_of([1], [1]), ask(squares()))
    written(kernel_windows)
    chance = Random(5)
    starts = [chance.randrange(-3_000, 3_000) for _ in range(400)]
    events = table_of(starts, list(range(400)))
    found = replay_table(events, ask(squares(), "final", MINUTE), complete=True).to_pylist()
    wanted = {window: sum(each for each in starts if window_of(each) == window) for window in map(window_of, starts)}
    rows = [(us(row["window_start"]), us(row["window_end"]), row["total"]) for row in found]
    assert rows == [(*window, wanted[window]) for window in sorted(wanted)]

    late = late_table(events, ask(squares(), "final", ZERO)).to_pylist()
    newest = [max(starts[:place], default=-(1 << 60)) for place in range(400)]
    missed = [place for place, time in enumerate(starts) if window_of(time)[1] <= newest[place]]
    assert [row["seq"] for row in late] == missed
    assert [row["late_by"] for row in late] == [newest[place] - window_of(starts[place])[1] for place in missed]


@pytest.mark.slow
@pytest.mark.parametrize("emit", ["final", "watermark", "arrival"])
def test_the_gate_counts_the_rows_of_a_kind_that_is_new_files_only_again(written, tmp_path, emit):
    written(query_windows)
    written(kernel_windows)
    query = asked(window=squares(), emit=emit, aggregates={"n": agg("count"), "total": agg("sum", "whole")})
    made = replayed_lake(Config(tmp_path, tmp_path), query, random_events(seed=1))
    with pytest.raises(NotRecounted, match="squares.*rolling, session, slide_by_tuple, sliding"):
        made.failing(DAYS[1])
    written(recount_kinds)
    assert [made.failing(day) for day in DAYS] == [set()] * len(DAYS)
    made.rewrite(made.tables.audit, [{**row, "events": row["events"] + 1} for row in made.rows(made.tables.audit)])
    assert "law 3" in made.failing(DAYS[1])


def us(time) -> int:
    return round(time.timestamp() * 1_000_000)


@pytest.mark.nightly
@pytest.mark.takes(90)
def test_what_the_generator_writes_fails_until_it_is_written_in_plain_python(tmp_path):
    for folder in ("schemas", "tools", "kernels", "pipelines", "processes", "tests/support"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    made = run(tmp_path, "tools.new", "window", "long_nights")
    assert made.returncode == 0, made.stderr
    test = tmp_path / "tests/kernels/test_window_long_nights.py"
    assert "9 failed" in run(tmp_path, "pytest", "-q", str(test)).stdout

    plain = "first = time // window.size_us * window.size_us\n    return [(first, first + window.size_us)]"
    text = test.read_text()
    start = text.index("raise NotImplementedError")
    test.write_text(text[:start] + plain + text[text.index("\n", start) :])
    ran = run(tmp_path, "pytest", "-q", str(test))
    assert "9 passed" in ran.stdout, ran.stdout

    recount = tmp_path / "pipelines/gate/recount/kinds/long_nights.py"
    recount.write_text(recount.read_text().replace("({number} + 1)", "({number} + 2)"))
    assert "3 failed, 6 passed" in run(tmp_path, "pytest", "-q", str(test)).stdout


def run(tree: Path, *arguments: str) -> subprocess.CompletedProcess:
    """A Python module in a copy of the tree, without the JIT."""
    settings = os.environ | {"PYTHONPATH": str(tree), "NUMBA_DISABLE_JIT": "1"}
    return subprocess.run([sys.executable, "-m", *arguments], cwd=tree, env=settings, capture_output=True, text=True)
