"""Great Expectations is imported without SciPy and Altair, which everything else still gets whole."""

import subprocess
import sys

import pytest

IMPORTED = "import numba, windrow.pipelines.gx, great_expectations; "
WHOLE = "import scipy.stats, altair; print(scipy.stats.norm.cdf(0), altair.BinParams.__name__)"


def said(program: str) -> list[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()


def test_the_import_loads_neither():
    looked = "import sys; " + IMPORTED + "print('scipy.stats' in sys.modules, 'altair' in sys.modules)"
    assert said(looked) == ["False", "False"]


@pytest.mark.parametrize("order", [IMPORTED + WHOLE, f"import scipy.stats, altair; {IMPORTED}{WHOLE}"])
def test_both_are_whole_before_and_after(order):
    assert said(order) == ["0.5", "BinParams"]
