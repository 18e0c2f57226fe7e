"""A slide policy is a file: what is wrong with it, or with what a query gives it, is refused by name."""

import pytest

from tests.support.local import replay_table
from tests.support.oracle import oracle
from tests.support.semantics.queries import ask
from tests.support.semantics.spec_tables import events, table
from windrow.schemas.errors import NotServed, WrongParameter
from windrow.schemas.query import agg, policy
from windrow.schemas.windows import policy as language
from windrow.schemas.windows.policy import EvictionPolicy, policies

EVENTS = """
    key | start | arrival | value
    a   | 10:00 | 10:00   | 1
    a   | 10:01 | 10:01   | 0
    a   | 10:02 | 10:02   | 2
"""


def replay(window):
    return replay_table(table(events(EVENTS)), ask(window), complete=True)


@pytest.fixture
def written(monkeypatch):
    """Makes a policy that stands for the file of `until`."""

    def write(out, reads=None) -> None:
        made = EvictionPolicy(reads or {"total": agg("sum", "value")}, out)
        monkeypatch.setattr(language, "load", lambda *asked: made)

    return write


@pytest.mark.parametrize(
    ("window", "kind", "message"),
    [
        (policy("until_noon"), NotServed, "policy 'until_noon'.*supported: until"),
        (policy("until", most=1), WrongParameter, "parameters of until is None; allowed: a value for length_us"),
        (policy("until", most=1, least=2), WrongParameter, "parameters of until is 'least'; allowed: most, length_us"),
    ],
    ids=["name", "missing", "unknown"],
)
def test_what_a_query_gives_is_refused_by_name(window, kind, message):
    with pytest.raises(kind, match=message):
        replay(window)


@pytest.mark.slow
def test_a_parameter_with_a_default_may_be_left_out(written):
    def out(total, prefix, most=2):
        return total["tuples"] - prefix["tuples"] >= most

    written(out, {"tuples": agg("count")})
    assert replay(policy("until"))["events"].to_pylist() == [1, 2, 2]
    assert replay(policy("until", most=1))["events"].to_pylist() == [1, 1, 1]


@pytest.mark.slow
def test_what_a_policy_reads_may_have_a_filter_and_an_expression(written):
    def out(total, prefix):
        return total["ups"] > 1 or (total["least"] is not None and total["least"] < 0)

    written(out, {"ups": agg("count", where="value > 0"), "least": agg("min", "value - 1", where="value < 2")})
    asked, story = ask(policy("until")), table(events(EVENTS))
    found = replay_table(story, asked, complete=True)
    assert found["events"].to_pylist() == [1, 1]  # the second goes at once; the third stands alone
    assert found.to_pylist() == oracle.replay(story.to_pylist(), asked, complete=True)


@pytest.mark.slow
def test_a_policy_that_evicts_everything_leaves_no_window(written):
    written(lambda total, prefix: True)
    assert len(replay(policy("until"))) == 0


def test_what_a_policy_raises_is_raised(written):
    written(lambda total, prefix: 1 / (total["total"] - 1) > 0)
    with pytest.raises(ZeroDivisionError):
        replay(policy("until"))


@pytest.mark.slow
def test_what_can_not_be_compiled_is_refused_with_why(written):
    written(lambda total, prefix: {1: total} == {prefix: 1, "a": 2})
    with pytest.raises(WrongParameter, match="policy until.*Numba can compile"):
        replay(policy("until"))


def test_an_unknown_output_is_refused(written):
    written(lambda total, prefix: total["nothing"] > 0)
    with pytest.raises((WrongParameter, KeyError)):
        replay(policy("until"))


def test_policies_are_found_by_looking():
    assert policies() == ["until"]
