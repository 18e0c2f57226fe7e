"""Which tests of kernels are of compiled code only."""

import pytest
from numba import config

COMPILED = pytest.mark.skipif(
    bool(config.DISABLE_JIT), reason="plain Python has its own memory, threads and handlers of signals"
)
