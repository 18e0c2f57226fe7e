"""What all tests share: the local engine where none is asked for, a quick JVM, and Hypothesis short by default,
HYPOTHESIS_PROFILE=thorough for a longer search, nightly for the longest."""

import os

import pytest
from hypothesis import HealthCheck, settings

from windrow.schemas import registry

os.environ.setdefault("WINDROW_ENGINE", "local")
os.environ.setdefault("WINDROW_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

SHARED = ("command_line", "engines", "failing", "lakes", "selection")
pytest_plugins = [f"tests.support.{name}" for name in SHARED]

# No deadline: the first example may compile a kernel, and machines are shared.
COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("short", max_examples=25, derandomize=True, **COMMON)
settings.register_profile("fast", max_examples=6, derandomize=True, **COMMON)
settings.register_profile("thorough", max_examples=200, **COMMON)
settings.register_profile("nightly", max_examples=20_000, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("fast"):
        settings.load_profile("fast")


@pytest.fixture(scope="module", autouse=True)
def only_our_streams():
    """Streams that a module makes known are forgotten after it."""
    ours = dict(registry.streams())
    yield
    registry.streams().clear()
    registry.streams().update(ours)
