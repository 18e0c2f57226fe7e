"""What holds for every query: its stream exists, and its columns are the stream's."""

from importlib import import_module

import pytest

from schemas.query import EVENT_COLUMNS
from schemas.registry import module_of, queries, queries_of, stream


@pytest.mark.parametrize("name", queries())
def test_it_reads_columns_that_its_stream_has_says_what_it_is_for_and_is_found_by_its_stream(name):
    query = queries()[name]
    columns = {column.name for column in stream(query.stream).columns}
    filtered = {column for column, _, _ in query.where}
    assert {*query.read_columns, *filtered} <= columns | set(EVENT_COLUMNS)
    meaning = import_module(module_of(name)).__doc__
    assert meaning.strip() and "TODO" not in meaning
    assert (query.aggregates or query.function) and query in queries_of(query.stream)
