"""What holds for every query: its stream exists, and its columns are the stream's."""

from importlib import import_module

import pytest

from schemas.query import EVENT_COLUMNS
from schemas.registry import module_of, queries, queries_of, stream

QUERIES = [pytest.param(query, id=name) for name, query in queries().items()]


@pytest.mark.parametrize("query", QUERIES)
def test_it_reads_columns_that_its_stream_has(query):
    columns = {column.name for column in stream(query.stream).columns}
    filtered = {column for column, _, _ in query.where}
    assert {*query.read_columns, *filtered} <= columns | set(EVENT_COLUMNS)


@pytest.mark.parametrize("query", QUERIES)
def test_it_says_what_it_is_for(query):
    module = import_module(module_of(query.name))
    assert module.__doc__.strip()
    assert "TODO" not in module.__doc__


@pytest.mark.parametrize("query", QUERIES)
def test_it_has_an_aggregate_or_a_function_and_is_found_by_its_stream(query):
    assert query.aggregates or query.function
    assert query in queries_of(query.stream)
