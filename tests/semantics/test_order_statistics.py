"""Exact medians, quantiles, modes and numbers of different values: what the oracle finds by sorting each window."""

import math
from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given, settings

from tests.semantics.test_against_oracle import check_rows
from tests.semantics.test_aggregates import DAY, STORY, final
from tests.support.local import replay_table
from tests.support.semantics.generate import Question, questions
from windrow.kernels.aggregators import make
from windrow.kernels.monoid import OrderStatistic
from windrow.kernels.monoids import every_monoid
from windrow.schemas.errors import AggregateFailed, NotServed, WrongParameter
from windrow.schemas.query import agg, session

EXACT = {
    "rows": agg("count"),
    "bikes_median": agg("median", "bikes"),
    "weight_median": agg("median", "weight"),
    "bikes_high": agg("quantile", "bikes", q=0.9, exact=True),
    "size_low": agg("quantile", "size", q=0.0),
    "hub_middle": agg("quantile", "hub", q=0.5),
    "bikes_sum": agg("sum", "bikes"),
    "bikes_mode": agg("mode", "bikes"),
    "size_mode": agg("mode", "size"),
    "hub_mode": agg("mode", "hub"),
    "hub_second": agg("top_k", "hub", k=2),
    "bikes_third": agg("top_k", "bikes", k=3),
    "size_second": agg("top_k", "size", k=2),
    "hubs": agg("count_distinct", "hub"),
    "sizes": agg("count_distinct", "size"),
    "newest": agg("quantile", "arrival", q=1.0),
}


def test_each_is_asked():
    every = {function for function, found in every_monoid() if isinstance(found, OrderStatistic)}
    assert every <= {each.function for each in EXACT.values()}


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["tumbling", "sliding", "spanning", "calendar", "rolling"])
def test_random_questions_have_the_oracles_order_statistics(kind):
    @settings(max_examples=max(20, settings.default.max_examples // 2))
    @given(questions(kinds=(kind,)))
    def ask(question: Question) -> None:
        asked = question._replace(query=replace(question.query, aggregates=EXACT))
        if not asked.query.window.counts_shares:
            check_rows(asked)
            return
        with pytest.raises(NotServed, match="aggregate of prorated events 'median' isn't supported yet"):
            replay_table(asked.table, asked.query)

    ask()


@pytest.mark.parametrize(
    ("aggregate", "value"),
    [
        (agg("median", "ratio"), 1.0),
        (agg("quantile", "number", q=1.0), 2**64 - 1),
        (agg("quantile", "shop"), "Cid"),
        (agg("top_k", "shop", k=5), "Eve"),
        (agg("top_k", "shop", k=6), None),
        (agg("count_distinct", "shop"), 5),
    ],
    ids=str,
)
def test_an_order_statistic_has_its_value(aggregate, value):
    """Of types that random questions don't have, or at an end."""
    assert final(aggregate).as_py() == value


@pytest.mark.parametrize(
    ("low", "high"), [(2**63 - 1, 2**63 - 1), (2**62 + 512, 2**62 + 513), (-(2**63), 2**63 - 1), (2**53, 2**53 + 1)]
)
def test_the_mean_of_the_middle_two_is_rounded_once(low, high):
    story = STORY.slice(0, 2).append_column("whole", pa.array([high, low]))
    assert final(agg("median", "whole"), story).as_py() == float(Fraction(low + high, 2))


def test_infinities_of_both_signs_in_the_middle_have_no_mean():
    story = STORY.slice(0, 2).append_column("real", pa.array([math.inf, -math.inf]))
    with pytest.raises(AggregateFailed, match="median of column real for key='a', .* has −inf and inf in the middle"):
        final(agg("median", "real"), story)


def test_windows_that_depend_on_others_and_windows_as_objects_refuse_it_by_name():
    with pytest.raises(NotServed, match="aggregate of session windows 'median' isn't supported yet.* mean"):
        final(agg("median", "value"), window=session(DAY))
    with pytest.raises(NotServed, match="aggregate by states 'mode' isn't supported yet"):
        make("finger_tree", {"x": agg("mode", "v")})
    with pytest.raises(WrongParameter, match="'quantile with exact=False'; allowed: True"):
        final(agg("quantile", "value", exact=False))
