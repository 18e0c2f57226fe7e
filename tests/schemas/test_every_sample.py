"""Every generator of landing files: named as generated, the same bytes each time, in the layouts of the real ones."""

import subprocess
import sys
from datetime import date
from importlib import import_module
from pathlib import Path

import pytest

from schemas.parsing import belongs, has_header, no_events, read_line
from schemas.registry import stream
from schemas.stream import Place, Record
from tests.support.lines import choose_layout, lines_of, side_inputs

ROOT = Path(__file__).parents[2]
LAST_DAY = date(2018, 11, 5)
DAY_US = 86_400_000_000
# What the real files have too: each generator's lines are refused for these reasons.
REASONS = {
    "bikes": {"wrong column count", "unreadable"},
    "cdr": {"wrong column count", "unreadable"},
    "telemetry": {"no value", "too far ahead"},
}
SAMPLES = sorted(path.stem for path in (ROOT / "samples").glob("*.py") if path.stem not in ("__init__", "writing"))


def test_each_generator_has_its_reasons_here():
    assert set(SAMPLES) == set(REASONS)


@pytest.fixture(scope="module", params=SAMPLES)
def landing(request, tmp_path_factory) -> tuple[str, Path]:
    """A stream's name, and three days of its generated files."""
    into = tmp_path_factory.mktemp(request.param)
    import_module(f"samples.{request.param}").write(into, 3, LAST_DAY, 7, 1_000)
    return request.param, into


def readings(name: str, into: Path) -> list:
    """What all lines of all files say."""
    definition, found = stream(name), []
    side = side_inputs(definition, into)
    for path in sorted(into.rglob("*.gz")):
        below = path.relative_to(into).as_posix()
        if belongs(definition, below):
            lines = lines_of(path)
            layout = choose_layout(definition, below, lines[0])
            found += [
                each
                for number, line in enumerate(lines, 1)
                if number > 1 or not has_header(layout)
                for each in read_line(definition, layout, line, Place(below, number, side))
            ]
    return found


def test_files_are_named_as_generated_and_all_belong_to_the_stream(landing):
    name, into = landing
    paths = [path.relative_to(into).as_posix() for path in into.rglob("*") if path.is_file()]
    assert len(paths) > 3 and all("generated" in path for path in paths)
    assert all(belongs(stream(name), path) or no_events(stream(name), path) for path in paths)


def test_every_layout_of_the_stream_is_made(landing):
    name, into = landing
    files = [path for path in into.rglob("*.gz") if belongs(stream(name), path.relative_to(into).as_posix())]
    made = {choose_layout(stream(name), path.relative_to(into).as_posix(), lines_of(path)[0]).name for path in files}
    assert made == {layout.name for layout in stream(name).layouts}


@pytest.mark.slow
@pytest.mark.few(3)
def test_readings_have_the_dirt_of_the_real_ones_and_nothing_arrives_after_the_last_day(landing):
    found = readings(*landing)
    events = [each for each in found if isinstance(each, Record)]
    assert len(events) > 0.8 * len(found)
    assert {each.reason for each in found if not isinstance(each, Record)} == REASONS[landing[0]]
    end_us = ((LAST_DAY - date(1970, 1, 1)).days + 1) * DAY_US
    assert end_us - DAY_US < max(event.arrival_us for event in events) < end_us
    in_order = sorted(events, key=lambda event: event.arrival_us)
    assert any(later.start_us < earlier.start_us for earlier, later in zip(in_order, in_order[1:], strict=False))


@pytest.mark.parametrize("name", SAMPLES)
def test_the_same_arguments_give_the_same_bytes_and_another_seed_does_not(name, tmp_path):
    write = import_module(f"samples.{name}").write
    made = {into: write(tmp_path / into, 2, LAST_DAY, seed, 100) for into, seed in [("a", 1), ("b", 1), ("c", 2)]}
    first, again, other = ([path.read_bytes() for path in paths] for paths in made.values())
    assert first == again != other


@pytest.mark.slow
@pytest.mark.few(3)
@pytest.mark.parametrize("name", SAMPLES)
def test_the_command_says_what_it_made_and_refuses_no_days(name, tmp_path):
    command = [sys.executable, "-m", f"samples.{name}", "--into", tmp_path, "--days"]
    made = subprocess.run([*command, "2"], cwd=ROOT, capture_output=True, text=True)
    refused = subprocess.run([*command, "0"], cwd=ROOT, capture_output=True, text=True)
    assert (made.returncode, made.stderr) == (0, "")
    assert "generated files in" in made.stdout
    assert refused.returncode == 2
    assert "Traceback" not in refused.stderr
