"""tests/cluster needs servers that `make setup` does not bring: it is run by its name, as `make test-cluster` does."""

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the folder out where the command line does not name it, or a file in it."""
    folder = config.rootpath / "tests" / "cluster"
    asked_for = [(config.invocation_params.dir / word.partition("::")[0]).resolve() for word in config.args]
    if collection_path != folder or any(path.is_relative_to(folder) for path in asked_for):
        return None
    return True
