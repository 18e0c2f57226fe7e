"""The tree of errors: its page is right, and the ledger and Airflow's tasks go by what each class says of itself."""

import inspect
import re

import pytest

from tests.support.rules import assert_none
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table
from windrow.pipelines.ledger.entry import Run
from windrow.schemas import errors
from windrow.schemas.errors import NotRecounted, NotServed, WindrowError, WrongParameter, raised_elsewhere

# The ledger's state, and whether a retry may help.
REFUSED_FOR_GOOD = ("refused", False)
FAILED_FOR_GOOD, FAILED, SKIPPED = ("failed", False), ("failed", True), ("skipped", False)
EXPECTED = {
    **dict.fromkeys(("WrongParameter", "NotServed", "NotRecounted", "TooManyRows", "TooManySeconds"), REFUSED_FOR_GOOD),
    **dict.fromkeys(("UnknownName", "BadInput", "AggregateFailed", "OutsideStream"), REFUSED_FOR_GOOD),
    **dict.fromkeys(
        ("GateFailed", "IngestBehind", "BrokenDefinition", "TableDamaged", "EarlierDayMissing"), REFUSED_FOR_GOOD
    ),
    # A user must set up what is missing, restore a definition, write other SQL: none of that happens by itself.
    **dict.fromkeys(("NotSetUp", "AirflowRefused", "TableMismatch", "BadStatement"), FAILED_FOR_GOOD),
    # Room, memory, a share of the network and a lock come back when others end.
    **dict.fromkeys(("StorageFailed", "LandingFailed", "KernelOutOfMemory", "LockHeld"), FAILED),
    **dict.fromkeys(("SparkEnded", "WorkerLost"), FAILED),
    **dict.fromkeys(("Superseded", "NothingArrived"), SKIPPED),
}


def test_every_kind_of_error_is_sorted():
    assert {kind.__name__ for kind in errors.kinds()} == EXPECTED.keys() | {"WindrowError"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", [ZeroDivisionError, *errors.kinds()[1:]], ids=lambda kind: kind.__name__)
def test_the_ledger_and_a_retry_go_by_the_kind_and_a_defect_has_failed(tmp_path, kind):
    lake, run = Lake(Config(tmp_path, tmp_path)), Run("a run", "bikes", "bikes_demand", None)
    with pytest.raises(kind), run_table.step(lake, run, "audit"):
        raise kind if kind is ZeroDivisionError else raised_elsewhere(kind.__name__, "why")
    wanted = EXPECTED.get(kind.__name__, FAILED)
    assert (run_table.rows(lake)[-1].state, getattr(kind, "retry_helps", True)) == wanted


def test_an_exit_code_is_of_kinds_that_a_retry_helps_or_of_kinds_that_it_does_not():
    for code in {kind.exit_code for kind in errors.kinds()}:
        assert len({kind.retry_helps for kind in errors.kinds() if kind.exit_code == code}) == 1, code


def test_the_page_of_the_tree_has_every_kind_with_its_exit_code():
    listed = dict(re.findall(r"[├└]── (\w+)\b[^\d\n]*(\d+)  ", errors.__doc__))
    wrong = [kind for kind in errors.kinds()[1:] if listed.get(kind.__name__) != str(kind.exit_code)]
    places = (f"schemas/errors.py:{inspect.getsourcelines(kind)[1]} {kind.__name__}" for kind in wrong)
    assert_none("the page at the top of schemas/errors.py has every kind with its exit code", places)


def test_what_is_not_served_names_what_is_and_what_is_not_recounted_the_file_that_is_missing():
    refused = NotServed("kernel", "abacus", ("recompute", "daba_lite"))
    assert str(refused) == "kernel 'abacus' isn't supported yet; supported: daba_lite, recompute"
    assert (refused.parameter, refused.value, refused.allowed) == ("kernel", "abacus", "daba_lite, recompute")
    assert isinstance(refused, WrongParameter) and isinstance(refused, WindrowError)
    refused = NotRecounted("squares", ("rolling", "sliding"))
    assert str(refused) == (
        "window is 'squares', and the gate has no SQL to count its rows again. Use one of "
        "rolling, sliding, or add pipelines/gate/recount/kinds/squares.py (docs/add-a-window.md)"
    )
    assert (refused.parameter, refused.value, refused.allowed) == ("window", "squares", "rolling, sliding")
