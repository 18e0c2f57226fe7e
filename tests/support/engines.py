"""Tests that ask the same of both engines."""

import pytest

from windrow.pipelines import config

_SPARK = pytest.param("spark", marks=[pytest.mark.jvm, pytest.mark.nightly])
ENGINES = pytest.mark.parametrize("engine", ["local", _SPARK], indirect=True)


@pytest.fixture
def engine(request, monkeypatch):
    """The engine, here and in processes that the test starts."""
    _choose(monkeypatch, request.param)


@pytest.fixture
def through_spark(monkeypatch):
    """The engine is Spark, here and in processes that the test starts."""
    _choose(monkeypatch, "spark")


def _choose(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("WINDROW_ENGINE", name)
    assert config.load().engine == name
