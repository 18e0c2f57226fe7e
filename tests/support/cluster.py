"""tests/cluster and tests/image need what `make setup` does not bring: servers, and what builds images; tests/days
takes hours.

Each is run by its name, as `make test-cluster`, `make test-image` and `make test-days` do.
"""

from pathlib import Path

import pytest

BY_NAME = ("cluster", "image", "days")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave such a folder out where the command line does not name it, or a file in it."""
    folders = [config.rootpath / "tests" / name for name in BY_NAME]
    asked_for = [(config.invocation_params.dir / word.partition("::")[0]).resolve() for word in config.args]
    if collection_path not in folders or any(path.is_relative_to(collection_path) for path in asked_for):
        return None
    return True
