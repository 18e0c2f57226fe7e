"""Hypothesis: short by default, HYPOTHESIS_PROFILE=nightly for a long search."""

import os

from hypothesis import HealthCheck, settings

COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("short", max_examples=150, derandomize=True, **COMMON)
settings.register_profile("nightly", max_examples=20_000, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))
