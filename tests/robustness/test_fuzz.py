"""Damaged files of all layouts, ingested together: every line accounted for, no traceback, no poisoned watermark, and
memory bounded. 80 files in `make test`; `make fuzz` takes 1,000, with another seed each time, which it prints.
"""

import codecs
import gzip
import os
import zlib
from collections import Counter, defaultdict
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support import fuzz, processes
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest import file_content, files
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas import registry
from windrow.schemas.parsing import belongs, has_header
from windrow.schemas.stream import COMMON_REFUSALS, KEPT_REFUSALS, Stream

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3_000)]
CASES, SEED = (int(os.environ.get(f"WINDROW_FUZZ_{name}", default)) for name, default in (("CASES", 80), ("SEED", 1)))
PYTHON_BYTES = 1_200 << 20  # of the driver or a worker: apart from its libraries, a few pieces of files at a time
PROGRAM = """
from windrow.pipelines import config
from windrow.schemas import registry
from tests.support.lakes import ingest
for name in registry.streams():
    for message in ingest(config.load(), name).messages:
        print(name, message)
"""


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory) -> tuple[Config, list[fuzz.Case], str, int]:
    """A lake of damaged files, the cases, what the ingests printed, and the most memory that one Python took.

    All ingests end well.
    """
    place = tmp_path_factory.mktemp("fuzz")
    config = Config(place / "home", place / "landing")
    config.home.mkdir()
    cases = fuzz.cases(fuzz.good_files(place / "scratch"), CASES, SEED)
    side_inputs = fuzz.side_inputs(place / "scratch")
    for path, content in [*((case.path, case.content) for case in cases), *side_inputs.items()]:
        write(config.landing / path, content, place)
    process = processes.start_program(config, "fuzz", PROGRAM)
    most = max(taken for command, taken in processes.most_bytes(process).items() if command.startswith("python"))
    output = (config.home / "fuzz.log").read_text()
    assert process.returncode == 0, output[-3_000:]
    return config, cases, output, most


def write(path: Path, content: bytes | None, outside: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if content is None:
        secret = outside / "outside.csv"
        secret.write_text("not for the lake\n")
        path.symlink_to(secret)
    else:
        path.write_bytes(content)


def of(cases: list[fuzz.Case], stream: Stream) -> list[str]:
    return [case.path for case in cases if belongs(stream, case.path)]


def files_of(config: Config, stream: Stream) -> dict[str, files.FileRow]:
    return files.known_files(Lake(config), StreamTables.of(stream).files)


def places(config: Config, table: str) -> Counter:
    found: Counter = Counter()
    for row in Lake(config).read(table).to_pylist():
        found[row["path"], row["line"]] += row.get("records", 1)
    return found


def test_every_file_is_in_the_table_of_files_or_left_out_with_a_message(fuzzed):
    config, cases, output, _ = fuzzed
    for stream in registry.streams().values():
        known = files_of(config, stream)
        for path in of(cases, stream):
            shown = path if path.isprintable() else ascii(path)
            assert (path in known) != (f"{stream.name} {shown}: left out" in output), path
        assert all(row.definition != files.INTENT for row in known.values())


def test_nothing_outside_the_landing_folder_is_read(fuzzed):
    config, cases, output, _ = fuzzed
    links = [case.path for case in cases if case.content is None and case.path.isprintable()]
    assert output.count("a link that leads out of the landing folder") == len(links) > 0
    for name in registry.streams():
        texts = Lake(config).read(f"bronze_{name}", columns=["text"])["text"].to_pylist()
        assert "not for the lake" not in texts


def test_every_line_is_accounted_for(fuzzed):
    config, _, _, _ = fuzzed
    for stream in registry.streams().values():
        counted = places(config, f"silver_{stream.name}") + places(config, f"quarantine_{stream.name}")
        held, known = records(config, stream), files_of(config, stream)
        headers = {layout.name for layout in stream.layouts if has_header(layout)}
        for path, row in known.items():
            assert row.readings == row.accepted + row.quarantined + row.duplicates, row
            if row.state in (files.ACCEPTED, files.REFUSED):
                firsts = [line for line, _ in held[path]]
                ends = [line + count for line, count in held[path]]
                assert [*firsts, lines_of(config.landing / path) + 1] == [1, *ends] and row.lines == len(firsts), row
                named = {*(firsts[1:] if row.layout in headers else firsts)}
                lines = {line for other, line in counted if other == path and line is not None}
                assert lines == named or lines < named and row.quarantined > KEPT_REFUSALS, row
                assert row.readings == sum(count for (other, _), count in counted.items() if other == path), row
            elif row.state == files.UNREADABLE:
                assert counted[path, None] == row.readings == 1, row


def records(config: Config, stream: Stream) -> dict[str, list[tuple[int, int]]]:
    """By path the first line and how many lines each row of bronze has."""
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for row in Lake(config).read(f"bronze_{stream.name}", columns=["path", "line", "text"]).to_pylist():
        found[row["path"]].append((row["line"], 1 + row["text"].count("\n")))
    return {path: sorted(rows) for path, rows in found.items()}


def lines_of(path: Path) -> int:
    """Lines of a file, counted without the pipeline."""
    content = path.read_bytes()
    if path.suffix == ".gz" and content:
        content = gzip.decompress(content)
    for mark, encoding in ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16")):
        if content.startswith(mark):
            content = content.decode(encoding).encode()
    return content.count(b"\n") + (not content.endswith(b"\n") and content != b"")


def test_unreadable_files_are_those_that_gzip_can_not_read_and_bombs(fuzzed):
    config, cases, _, _ = fuzzed
    bombs = {case.path for case in cases if case.damage == "bomb"}
    unreadable = 0
    for stream in registry.streams().values():
        for path, row in files_of(config, stream).items():
            assert file_content.content_hash(config.landing, path) == row.content_hash, path
            is_bad = path in bombs or not gzip_reads(config.landing / path)
            assert (row.state == files.UNREADABLE) == is_bad, path
            unreadable += is_bad
    assert unreadable > len(bombs) > 0


def gzip_reads(path: Path) -> bool:
    if path.suffix != ".gz":
        return True
    try:
        gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error):
        return False
    return True


def test_every_refusal_has_a_known_reason_and_says_why(fuzzed):
    config, _, _, _ = fuzzed
    reasons = set()
    for stream in registry.streams().values():
        rows = Lake(config).read(f"quarantine_{stream.name}", columns=["reason", "detail"]).to_pylist()
        assert all(row["detail"] or row["reason"] == "duplicate" for row in rows)
        assert {row["reason"] for row in rows} <= {*COMMON_REFUSALS, *stream.refusals}
        reasons |= {row["reason"] for row in rows}
    of_files = {"unreadable file", "unknown layout", "line too long", "NUL byte", "not UTF-8", "wrong column count"}
    of_records = {"unreadable", "out of range", "end before start", "too far ahead", "no value", "duplicate"}
    assert of_files | of_records <= reasons
    assert "no arrival" not in reasons  # the delays have landed


def test_the_watermark_is_never_further_ahead_of_the_arrivals_than_the_stream_allows(fuzzed):
    config, _, _, _ = fuzzed
    events = 0
    for stream in registry.streams().values():
        rows = Lake(config).read(f"silver_{stream.name}", columns=["start", "end", "arrival"]).to_pylist()
        events += len(rows)
        assert all(row["start"] <= row["end"] and row["start"] - row["arrival"] <= stream.ahead_at_most for row in rows)
        for step in Lake(config).read(f"pass_{stream.name}").to_pylist():
            assert step["newest_start"] - step["tick"] <= stream.ahead_at_most <= timedelta(minutes=1)
    assert events > CASES


def test_memory_is_bounded_and_nobody_sees_a_traceback(fuzzed):
    assert 0 < fuzzed[3] < PYTHON_BYTES and "Traceback" not in fuzzed[2]
