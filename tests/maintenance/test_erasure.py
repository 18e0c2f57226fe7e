"""A person's events leave every file of the lake, and rows of all others stay what they are; killed anywhere, the same
command ends it. No JVM."""

import json
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tests.support import meters, trips
from tests.support.lakes import copied, ingest, silent
from tests.support.landings import kill_after_commits
from tests.support.rules import blocks
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.erasure.erase import erase
from windrow.pipelines.ledger import openlineage
from windrow.pipelines.ledger.stale import stale
from windrow.pipelines.report import site
from windrow.pipelines.runs.backfill import backfill
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas import registry
from windrow.schemas.errors import BadInput, UnknownName, WrongParameter
from windrow.schemas.stream import Column, Layout, Record

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(2)]
GONE, OTHERS = "0123456789AB", ("Aa1", "Bb2", "Cc3")
WHERE = f"subscriber = '{GONE}'"
FIRST, DAYS = date(2015, 8, 2), 3
QUERIES = ("cdr_subscribers", "cdr_sessions", "cdr_active")
FOLDER = "cdr/generated-xdr/beijing"


def line(subscriber: str, cell: int, start: datetime, seconds: int) -> str:
    """A session in Chinese local time."""
    end = start + timedelta(seconds=seconds)
    times = f"{start:%F %T}.0,{end:%F %T}.0,{seconds}"
    return f"{subscriber},42000,{cell},3gnet,013468,10.0.0.1,10.0.0.2,{times},8,7,1,,,,80,200,,,"


def files(seed: int) -> dict[str, str]:
    """Three days of sessions, some of them late. The person's are among the newest, and so move the watermark; a line
    of a person can be broken, and one stands in two files."""
    random, found = Random(seed), {}
    twice = line(GONE, 3500, datetime(2015, 8, 3, 12), 60)
    for number in range(DAYS):
        began = datetime.combine(FIRST + timedelta(days=number), datetime.min.time(), None) + timedelta(hours=9)
        lines = [f"{who},broken" for who in (GONE, *OTHERS)] + [twice]
        for _ in range(60):
            start = began + timedelta(seconds=random.randrange(50_000))
            who = random.choice((GONE, GONE, *OTHERS))
            lines.append(line(who, random.choice((3500, 3501)), start, random.choice((0, 30, 600, 20_000))))
        lines.append(line(GONE, 3500, began + timedelta(seconds=51_000), 5))
        random.shuffle(lines)
        found[f"{FOLDER}/made-{number}.csv"] = "\n".join([*lines, ""])
    return found


def made(place: Path) -> Config:
    """A lake with all days of all queries published."""
    config = Config(place / "home", place / "landing")
    for path, content in files(1).items():
        trips.write_bytes(config, path, content.encode())
    ingest(config, "cdr")
    backfill(config, QUERIES, (FIRST, FIRST + timedelta(days=DAYS))).require()
    return config


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Config:
    """Never changed by a test."""
    return made(tmp_path_factory.mktemp("plain"))


@pytest.fixture
def config(plain, tmp_path) -> Config:
    return copied(plain, tmp_path)


@pytest.fixture
def with_duplicates(monkeypatch, tmp_path) -> Config:
    """Of a stream in which equal lines are one event, and silence moves the watermark."""
    stream = registry.stream("cdr")
    layouts = (replace(stream.layouts[0], identity="line"),)
    monkeypatch.setitem(registry.streams(), "cdr", replace(stream, layouts=layouts, idle_after=timedelta(minutes=20)))
    return made(tmp_path)


def rows(config: Config, name: str, of_person: bool) -> list[str]:
    table = Lake(config).read(name)
    if "subscriber" in table.column_names:
        is_gone = pc.fill_null(pc.equal(table["subscriber"], GONE), False)
        table = table.filter(is_gone if of_person else pc.invert(is_gone))
    return sorted(map(repr, table.to_pylist()))


def held(config: Config) -> dict[str, list[str]]:
    """The rows of others; of a table without persons, those of all."""
    return {
        name: rows(config, name, False) for name in ("silver_cdr", "pass_cdr", *QUERIES[:2], "cdr_subscribers_late")
    }


def holding(config: Config, value: str = GONE) -> Iterator[str]:
    """Files below the home whose bytes, or whose rows, hold the value: another way than the search of the command."""
    for path in sorted(Path(config.home).rglob("*")):
        if path.is_file() and (value.encode() in path.read_bytes() or value in _told(path)):
            yield str(path.relative_to(config.home))


def _told(path: Path) -> str:
    return repr(pq.read_table(path, partitioning=None).to_pylist()) if path.suffix == ".parquet" else ""


@pytest.mark.parametrize("lake", ["config", "with_duplicates"])
def test_no_file_holds_the_person_and_the_rows_of_others_are_what_they_were(lake, request):
    config = request.getfixturevalue(lake)
    before, lines = held(config), {path: text.count(GONE) for path, text in files(1).items()}
    assert [*holding(config)]
    assert rows(config, "cdr_sessions", True)
    receipt = erase(config, WHERE, None, None, silent)
    assert [*holding(config)] == [] == receipt.found
    assert held(config) == before
    assert len(receipt.others) == 5
    assert all(same for _, same in receipt.others.values())
    assert receipt.lines == sum(lines.values())
    assert receipt.events == receipt.lines - DAYS - (DAYS - 1) * (lake == "with_duplicates")
    assert receipt.landing == lines
    assert {*receipt.days} == {*QUERIES}
    assert not stale(Lake(config))
    again = erase(config, WHERE, "cdr", None, silent)
    assert (again.lines, again.events, again.days, again.found) == (0, 0, {}, [])
    assert held(config) == before


def test_lineage_tells_of_it_without_the_person(config, monkeypatch):
    monkeypatch.setenv(openlineage.FILE, str(config.home / "steps"))
    erase(config, WHERE, None, None, silent)
    text = (config.home / "steps").read_text()
    told = [openlineage.event(openlineage.StepLineage.of_json(line)) for line in text.splitlines()]
    assert [each.job.name for each in (told[0], told[-1])] == ["cdr.forget", "cdr.erase"] and GONE not in text


def test_lines_that_were_erased_do_not_come_back_with_a_file(config):
    erase(config, WHERE, None, None, silent)
    (path, content), *_ = files(1).items()
    trips.write_bytes(config, path, (content + line("Aa1", 3500, datetime(2015, 8, 2, 20), 9) + "\n").encode())
    assert ingest(config, "cdr").accepted
    assert not [name for name in holding(config) if name.startswith("lake/")]
    trips.write_bytes(config, path.replace("made", "copy"), content.encode())
    ingest(config, "cdr")
    assert not [name for name in holding(config) if name.startswith("lake/")]
    before = [rows(config, name, False) for name in ("silver_cdr", "pass_cdr")]
    for table in StreamTables.of(registry.stream("cdr")).all:
        shutil.rmtree(Lake(config).folder(table.name))
    ingest(config, "cdr")
    assert [rows(config, name, False) for name in ("silver_cdr", "pass_cdr")] == before
    assert not [name for name in holding(config) if name.startswith("lake/")]


@pytest.mark.parametrize(
    "commits", [5, *(pytest.param(count, marks=pytest.mark.nightly) for count in (1, 2, 9, 14, 20, 30, 40))]
)
def test_killed_anywhere_the_same_command_ends_it(config, commits):
    before = held(config)
    [command] = blocks("docs/erasure.md", "sh")
    _, *words = shlex.split(command)
    assert WHERE in words
    while kill_after_commits(config, commits, *words):
        commits += 7
    assert [name for name in holding(config) if not name.endswith(".log")] == []
    assert held(config) == before


READINGS = Layout("two", ("two/*",), None, lambda fields, place: [two(each) for each in fields], None)
TWO = replace(
    meters.STREAM,
    name="two",
    layouts=(READINGS,),
    columns=(Column("who", "string", "a person", personal=True), Column("number", "int64", "a number", low=0, high=9)),
    key=("who",),
)


def two(text: str) -> Record:
    """A line has several persons' events."""
    at_us = 1_350_000_000_000_000
    return Record(at_us, at_us, at_us, (text, 1))


def test_a_line_that_others_are_in_too_is_refused(tmp_path, monkeypatch):
    meters.make_known(monkeypatch, TWO)
    config = Config(tmp_path / "home", tmp_path / "landing")
    for first in ("Ann,Bob", "Bob,Ann"):
        trips.write_bytes(config, "two/a", f"{first}\nAnn,Ann\nBob\n".encode())
        ingest(config, "two")
        with pytest.raises(BadInput, match="line 1 of two/a also holds events of others"):
            erase(config, "who = 'Ann'", None, None, silent)
    assert erase(config, "who = 'Zoe'", None, None, silent).lines == 0
    trips.write_bytes(config, "two/a", b"Ann,Ann\nBob\n")
    ingest(config, "two")
    found = erase(config, "who = 'Ann'", None, None, silent)
    assert (found.lines, found.events, found.found) == (1, 2, [])
    assert Lake(config).read("silver_two")["who"].to_pylist() == ["Bob"]


def in_json(name: str) -> list[str]:
    """Lines with an event, and broken ones, in the two ways in which JSON may write a name."""
    whole = [json.dumps({"who": name}, ensure_ascii=each) for each in (True, False)]
    return whole if name == "Ren Two" else [*whole, *(line[:-1] for line in whole)]


def test_a_value_is_found_as_lines_write_it_but_not_within_a_value_of_others(tmp_path, monkeypatch):
    layout = Layout("two", ("two/*",), None, lambda fields, _: [two(fields[0])], None, members=("who",))
    meters.make_known(monkeypatch, replace(TWO, layouts=(layout,)))
    config = Config(tmp_path / "home", tmp_path / "landing")
    names = ["Ren", "René", "Ren Two", "Müller", 'Say "Hi"', "Back\\slash", "O'Brien"]
    trips.write_bytes(config, "two/a", "".join(f"{each}\n" for name in names for each in in_json(name)).encode())
    ingest(config, "two")
    for gone in ("Ren", "Müller", 'Say "Hi"', "Back\\slash", "O'Brien"):
        where = "who = '{}'".format(gone.replace("'", "''"))
        names.remove(gone)
        receipt = erase(config, where, None, None, silent)
        assert (receipt.lines, receipt.events, receipt.found) == (4, 2, [])
        left = [text for text in Lake(config).read("bronze_two")["text"].to_pylist() if text]
        assert sorted(left) == sorted(each for name in names for each in in_json(name))
    (config.report / "x").mkdir(parents=True)
    (config.report / "x/old.json").write_text(in_json("Müller")[0])
    assert [each.file for each in erase(config, "who = 'Müller'", None, None, silent).found] == ["report/x/old.json"]


@pytest.mark.parametrize(
    ("where", "stream", "error", "says"),
    [
        ("subscriber > 'a'", None, WrongParameter, "COLUMN = VALUE"),
        ("subscriber = NULL", None, WrongParameter, "text or a number"),
        ("subscriber = 7", None, WrongParameter, "subscriber"),
        ("cell = 7", "cdr", WrongParameter, "a personal column of stream 'cdr': subscriber"),
        ("cell = 7", None, WrongParameter, "cdr: subscriber"),
        ("subscriber = 'a'", "nowhere", UnknownName, "nowhere"),
    ],
)
def test_what_is_no_person_is_refused(config, where, stream, error, says):
    with pytest.raises(error, match=says):
        erase(config, where, stream, None, silent)


def test_pages_and_messages_show_no_person(config):
    trips.write_bytes(config, f"{FOLDER}/refused.csv", f"{GONE},broken\n{GONE}\n".encode())
    report = ingest(config, "cdr")
    site.build(config, config.report, silent)
    shown = [path.read_text() for path in config.report.rglob("*") if path.suffix in (".html", ".js", ".json")]
    assert [text for text in shown if "cdr_sessions" in text]
    assert [text for text in report.messages if "refused.csv" in text and "wrong column count" in text]
    for value in (GONE, *OTHERS):
        assert not [text for text in (*shown, *report.messages) if value in text]
