"""A window kind is one file of the recount: found by its name, and refused by it where there is none."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from kernels import windows as served
from pipelines.gate.checks import checks
from pipelines.gate.recount.kinds import in_sql, kinds
from schemas.errors import NotRecounted
from schemas.query import EMITS
from schemas.windows import Window, every_kind
from tests.gate.test_dependent_windows import NOT_BY_THEIR_ENDS
from tests.gate.test_dependent_windows import WINDOWS as DEPENDENT
from tests.support.small_lake import asked
from tests.support.small_windows import WINDOWS


def test_every_kind_that_is_served_is_counted_again_and_can_be_asked_for():
    assert list(kinds()) == list(served.kinds())
    assert set(kinds()) <= {kind.kind for kind in every_kind()}


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("kind", WINDOWS)
def test_laws_do_not_apply_to_rolling_windows_with_emit_arrival_only(kind, emit):
    query = asked(kind, emit)
    excepted = in_sql(query.window).exceptions(query)
    is_excepted = kind.startswith("rolling") and emit == "arrival"
    assert set(excepted) == ({"law_3_counts", "law_5_final_rows"} if is_excepted else set())
    assert set(excepted) <= {law.__name__.rpartition(".")[2] for law in checks("audit")}


def test_windows_that_can_not_be_counted_again_are_refused_with_those_that_can():
    @dataclass(frozen=True)
    class Fortnights(Window):
        kind: ClassVar[str] = "fortnights"

    with pytest.raises(NotRecounted, match="fortnights.*rolling, session, slide_by_tuple, sliding, spanning, tumbling"):
        in_sql(Fortnights())


@pytest.mark.parametrize("kind", DEPENDENT)
def test_what_is_not_counted_again_of_windows_that_depend_on_others_each_verdict_says(kind):
    limits = in_sql(DEPENDENT[kind]).limits
    assert set(limits) == {law.__name__.rpartition(".")[2] for law in checks("audit")}
    assert ("passed" in limits["law_4_revisions"]) == (kind in NOT_BY_THEIR_ENDS)
