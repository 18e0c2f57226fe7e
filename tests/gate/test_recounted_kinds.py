"""A window kind is one file of the recount: found by its name, and refused by it where there is none."""

from datetime import timedelta

import pytest

from kernels import windows as served
from pipelines.gate.checks import checks
from pipelines.gate.recount.kinds import in_sql, kinds
from schemas.errors import NotRecounted
from schemas.query import EMITS, session
from schemas.windows import every_kind
from tests.support.small_lake import asked
from tests.support.small_windows import WINDOWS


def test_every_kind_whose_days_may_run_in_any_order_is_counted_again():
    assert list(kinds()) == [kind for kind in served.kinds() if not served.window_kind(kind).depends_on_others]


def test_every_kind_that_is_counted_again_can_be_asked_for():
    assert set(kinds()) <= {kind.kind for kind in every_kind()}


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("kind", WINDOWS)
def test_laws_do_not_apply_to_rolling_windows_with_emit_arrival_only(kind, emit):
    query = asked(kind, emit)
    excepted = in_sql(query.window).exceptions(query)
    assert set(excepted) == ({"law_3_counts", "law_5_final_rows"} if (kind, emit) == ("rolling", "arrival") else set())
    assert set(excepted) <= {law.__name__.rpartition(".")[2] for law in checks("audit")}


def test_windows_that_can_not_be_counted_again_are_refused_with_those_that_can():
    with pytest.raises(NotRecounted, match="session.*rolling, sliding, spanning, tumbling"):
        in_sql(session(timedelta(hours=1)))
