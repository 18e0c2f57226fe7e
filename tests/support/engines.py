"""Tests that ask the same of both engines."""

import pytest

_SPARK = pytest.param("spark", marks=pytest.mark.jvm)
_NIGHTLY_SPARK = pytest.param("spark", marks=[pytest.mark.jvm, pytest.mark.nightly])
ENGINES = pytest.mark.parametrize("engine", ["local", _SPARK], indirect=True)
SPARK_NIGHTLY = pytest.mark.parametrize("engine", ["local", _NIGHTLY_SPARK], indirect=True)


@pytest.fixture
def engine(request, monkeypatch):
    """The engine, here and in processes that the test starts."""
    monkeypatch.setenv("WINDROW_ENGINE", request.param)
