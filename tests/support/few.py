"""Of many cases some in `make test`, all in `make nightly`."""

from collections.abc import Iterable
from typing import Any

import pytest


def few_of(cases: Iterable[Any], few: int) -> list[Any]:
    """All cases, those but `few`, spread evenly, marked nightly."""
    listed = list(cases)
    kept = {index * len(listed) // few for index in range(few)}
    return [
        case if index in kept else pytest.param(case, marks=pytest.mark.nightly) for index, case in enumerate(listed)
    ]
