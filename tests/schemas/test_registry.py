"""Streams and queries are found by their files; a definition's hash changes with the files it rests on."""

from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from pathlib import Path

import pytest

from tests.support.checkout import copied
from windrow.schemas import registry
from windrow.schemas.errors import UnknownName, WrongParameter
from windrow.schemas.mistakes import file_of
from windrow.schemas.query import EVENT_COLUMNS
from windrow.schemas.registry import module_of, queries, queries_of, stream
from windrow.schemas.validation import LEAST_SILENCE, validate_stream


@pytest.fixture
def copy(tmp_path, monkeypatch) -> Path:
    """A copy of schemas/ and of the definitions that the hashes are made from."""
    copied(tmp_path, "schemas")
    monkeypatch.setattr(registry, "ROOT", tmp_path / "schemas")
    monkeypatch.setattr(registry, "source_of", lambda module: tmp_path / file_of(module))
    return tmp_path


def touch(file: Path) -> None:
    file.write_text(file.read_text() + "\nCHANGED = True\n")


SHARED = ("stream", "parsing", "fields", "json_lines", "local_time")
OF_STREAM = ["examples/streams/bikes.py", *(f"schemas/{each}.py" for each in SHARED)]
LANGUAGE = ("query", "expressions", "expression_text", "instants", "windows/regular")
OF_QUERY = ["examples/queries/bikes_daily.py", *(f"schemas/{each}.py" for each in LANGUAGE)]
OF_OTHERS = ["examples/queries/bikes_demand.py", "schemas/tables.py"]


@pytest.mark.parametrize("file", [*OF_STREAM, *OF_QUERY, *OF_OTHERS])
def test_a_definition_has_another_hash_when_a_file_that_gives_it_its_meaning_changes(copy, file):
    hashes = {"stream": registry.stream_hash("bikes"), "query": registry.query_hash("bikes_daily")}
    touch(copy / file)
    found = {"stream": registry.stream_hash("bikes"), "query": registry.query_hash("bikes_daily")}
    changed = {name for name in hashes if found[name] != hashes[name]}
    assert "stream" in changed if file in OF_STREAM else "query" in changed if file in OF_QUERY else not changed


def test_a_stream_keeps_its_hash_when_a_file_is_reworded_unless_it_says_why_lines_are_refused(copy):
    before, text = registry.stream_hash("bikes"), (copy / "schemas/fields.py").read_text()
    (copy / "schemas/fields.py").write_text(f"# Reworded.\n{text}")
    assert registry.stream_hash("bikes") == before
    assert "} is not a whole number" in text
    (copy / "schemas/fields.py").write_text(text.replace("} is not a whole number", "} is no whole number"))
    assert registry.stream_hash("bikes") != before


def test_a_replay_has_another_hash_when_silence_moves_the_watermark_otherwise(monkeypatch):
    hashes = set()
    for idle_after in (None, LEAST_SILENCE, 2 * LEAST_SILENCE):
        stream = replace(registry.streams()["bikes"], idle_after=idle_after)
        validate_stream(stream)
        monkeypatch.setitem(registry.streams(), "bikes", stream)
        hashes.add(registry.replay_hash("bikes"))
    assert len(hashes) == 3


def test_a_stream_without_heartbeats_has_the_hash_that_it_had_before_there_were_any():
    assert registry.replay_hash("cdr") == "e4cd0b9db24d94d4"


@pytest.mark.parametrize("wrong", [LEAST_SILENCE - timedelta(seconds=1), timedelta(days=1), 60])
def test_a_stream_whose_silence_is_none_is_refused_by_its_name(wrong):
    with pytest.raises(WrongParameter, match="idle_after is .*; allowed: a timedelta from 1 minute to less than 1 day"):
        validate_stream(replace(registry.streams()["bikes"], idle_after=wrong))


@pytest.mark.parametrize("find", [registry.stream, registry.query])
def test_an_unknown_name_is_answered_with_the_known_ones(find):
    with pytest.raises(UnknownName, match=r"no (stream|query) is named 'no such'; known: .*bikes"):
        find("no such")


@pytest.mark.parametrize("name", queries())
def test_it_reads_columns_that_its_stream_has_says_what_it_is_for_and_is_found_by_its_stream(name):
    query = queries()[name]
    columns = {column.name for column in stream(query.stream).columns}
    assert {*query.read_columns, *query.condition.columns} <= columns | set(EVENT_COLUMNS)
    meaning = import_module(module_of(name)).__doc__
    assert meaning.strip() and "TODO" not in meaning
    assert (query.aggregates or query.function) and query in queries_of(query.stream)
