"""Which tests of kernels are of compiled code only, and which are of both models of farms."""

import pytest
from numba import config

COMPILED = pytest.mark.skipif(
    bool(config.DISABLE_JIT), reason="plain Python has its own memory, threads and handlers of signals"
)
MODELS = pytest.mark.parametrize("model", ["agnostic", "active"])
