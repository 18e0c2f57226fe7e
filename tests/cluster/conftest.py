"""Servers that the tests of this folder share: S3, HDFS, and PostgreSQL, which has the locks."""

import os
from collections.abc import Iterator

import pytest

from tests.support import hdfs, postgres, s3

HOME, LANDING = f"s3://{s3.BUCKET}/windrow/home", f"s3a://{s3.BUCKET}/windrow/landing"


@pytest.fixture(scope="module")
def lock_server() -> Iterator[str]:
    """Its URL."""
    with postgres.server() as url:
        yield url


@pytest.fixture(scope="module")
def outside() -> Iterator[pytest.MonkeyPatch]:
    """Variables of this process and of those that it starts, for all tests of a module."""
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="module")
def on_s3(lock_server, outside) -> Iterator[dict[str, str]]:
    """An installation on S3, as its variables say it, which this process has too."""
    with s3.server() as reached:
        settings = {**reached, "WINDROW_HOME": HOME, "WINDROW_LANDING": LANDING, "WINDROW_LOCKS": lock_server}
        for name, value in settings.items():
            outside.setenv(name, value)
        yield {**os.environ}


@pytest.fixture(scope="module")
def on_hdfs(lock_server) -> Iterator[dict[str, str]]:
    """An installation on HDFS, as its variables say it."""
    with hdfs.server() as reached:
        places = {"WINDROW_HOME": f"{reached}/windrow/home", "WINDROW_LANDING": f"{reached}/windrow/landing"}
        yield {**os.environ, **places, "WINDROW_LOCKS": lock_server}
