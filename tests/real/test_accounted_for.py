"""docs/accounted-for.md, made by a real ingest, against every line of the real files parsed here, without Spark.

The sums are those of ../shared/data/README.md, or differ from it as noted next to them.
"""

from collections import Counter
from pathlib import Path

import pytest

from windrow.schemas.parsing import belongs, has_header, identity_of, read_line
from windrow.schemas.registry import stream, streams
from windrow.schemas.stream import Place, Record
from windrow.testing.lines import choose_layout, lines_of, side_inputs

ROOT = Path(__file__).resolve().parents[2]
REAL = ROOT.parent / "shared" / "data"
PAGE = ROOT / "docs" / "accounted-for.md"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not REAL.is_dir(), reason="the real files are not in ../shared/data"),
    pytest.mark.timeout(600),
]
SUMS = {
    "bikes": {"records": 167_707 + 327_474, "duplicates": 72},
    # The mangled file's 6,258 lines are refused one by one.
    "cdr": {"records": 90_392 + 123_023 + 6_258, "no date": 6_258},
    # 393 durations are negative; of the 245 rows that repeat one exactly, one is among them, and comes first.
    "phone_calls": {"records": 63_824, "negative duration": 393, "duplicates": 245 - 1},
    "call_center": {"records": 17_456},
    # 19 records a line of a pod, two a message; the pod with the broken clock has 1,209 lines; spans exported twice.
    "telemetry": {"records": 54_364 * 19 + 30_000 * 2 + 92_217 + 344_425, "too far ahead": 1_209 * 19,
                  "no value": 40_533, "duplicates": 863 + 3_296},
}  # fmt: skip


def on_the_page() -> dict[str, dict[str, dict[str, int]]]:
    """The page: stream, path, counts by name; what is 0 left out."""
    page, name, folder, names = {}, None, None, []
    for line in PAGE.read_text().splitlines():
        if line.startswith("## "):
            name = line.removeprefix("## ")
        elif line.startswith("`"):
            folder = line.strip("`")
        elif line.startswith("| file"):
            names = [cell.strip() for cell in line.strip("|").split("|")]
        elif line.startswith("| ") and not line.startswith(("| ---", "| **")):
            file, *cells = [cell.strip() for cell in line.strip("|").split("|")]
            counts = {each: int(cell.replace(",", "")) for each, cell in zip(names[1:], cells, strict=True)}
            page.setdefault(name, {})[f"{folder}/{file}"] = {each: count for each, count in counts.items() if count}
    return page


def counted(name: str) -> dict[str, dict[str, int]]:
    """The same, by parsing every line here."""
    definition, counts, copies = stream(name), {}, {}
    side = side_inputs(definition, REAL)
    for path in sorted(REAL.rglob("*.gz")):
        below = path.relative_to(REAL).as_posix()
        if belongs(definition, below):
            counts[below] = count(definition, path, Place(below, 0, side), copies)
    for places in copies.values():
        for _, path, _, _ in sorted(places)[1:]:
            counts[path].update({"accepted": -1, "duplicates": 1})
    return {path: {each: count for each, count in found.items() if count} for path, found in counts.items()}


def count(definition, path: Path, place: Place, copies: dict[str, list[tuple]]) -> Counter:
    lines, found = lines_of(path), Counter()
    layout = choose_layout(definition, place.path, lines[0])
    for number, line in enumerate(lines, 1):
        if number == 1 and has_header(layout):
            continue
        for position, each in enumerate(read_line(definition, layout, line, place._replace(line=number))):
            found.update({"records": 1, "accepted" if isinstance(each, Record) else each.reason: 1})
            identity = isinstance(each, Record) and identity_of(definition, layout, line, each, position)
            if identity:
                copies.setdefault(identity, []).append((each.arrival_us, place.path, number, position))
    return found


def test_the_page_has_every_stream():
    assert set(on_the_page()) == set(SUMS) == set(streams())


@pytest.mark.nightly
@pytest.mark.parametrize("name", SUMS)
def test_every_record_of_every_file_is_accounted_for(name):
    page, files = on_the_page()[name], counted(name)
    assert page == files
    for path, counts in files.items():
        assert counts["records"] == sum(counts.values()) - counts["records"], path
    total = sum(map(Counter, files.values()), Counter())
    assert {each: total[each] for each in SUMS[name]} == SUMS[name]
    assert set(total) - {"records", "accepted"} == set(SUMS[name]) - {"records"}
