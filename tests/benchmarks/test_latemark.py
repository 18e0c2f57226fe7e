"""latemark's truth is that of its plain oracle, its scorer counts each kind of mistake, and each way scores what is known of it."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.latemark import oracle, truth
from benchmarks.latemark.arrivals import PATTERNS
from benchmarks.latemark.generator import BidStream
from benchmarks.latemark.questions import EVERY, Question
from windrow.schemas.query import sliding

pytestmark = pytest.mark.slow


def of_small(question: Question) -> Question:
    """An oracle's sliding windows are a few."""
    window = sliding(timedelta(minutes=5), timedelta(seconds=20))
    return question._replace(query=replace(question.query, window=window)) if question.query.window.kind == "sliding" else question


def as_dict(rows: pa.Table, question: Question) -> dict:
    columns = [
        rows[name].cast("int64") if pa.types.is_timestamp(rows[name].type) else rows[name]
        for name in (*question.identity, *question.values)
    ]
    width = len(question.identity)
    return {row[:width]: row[width:] for row in zip(*(each.to_pylist() for each in columns), strict=True)}


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", EVERY)
def test_the_truth_is_that_of_the_oracle(name: str, pattern: str):
    question = of_small(EVERY[name])
    for seed, (bids, seconds) in enumerate([(1, 60), (150, 300), (400, 7_200), (300, 86_400)]):
        columns = BidStream(bids, pattern, seed, seconds).columns()
        rows = [dict(zip(columns, each, strict=True)) for each in zip(*(c.tolist() for c in columns.values()), strict=True)]
        counted = truth.counted(columns)
        found = truth.true_rows(counted, question)
        assert as_dict(found, question) == oracle.true_rows(rows, question)
        moments = [int(each) for each in np.quantile(columns["arrival"], [0, 0.3, 1])]
        known = truth.known_rows(counted, question, moments)
        for moment in moments:
            chosen = known.filter(pa.compute.equal(known["moment"].cast("int64"), moment))
            assert as_dict(chosen, question) == oracle.known_rows(rows, question, moment)
