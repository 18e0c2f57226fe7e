"""Editing a heavy function makes the runs of the models that ask it stale, and no others."""

import shutil

import pytest

from pipelines.config import REPOSITORY
from pipelines.ledger import code_hash
from schemas import registry
from schemas.model import Model


@pytest.fixture
def functions(tmp_path, monkeypatch):
    """A copy of the folder of functions, which is hashed instead of ours."""
    folder = tmp_path / code_hash.HEAVY_FUNCTIONS
    shutil.copytree(REPOSITORY / code_hash.HEAVY_FUNCTIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(REPOSITORY / "schemas/policies", tmp_path / "schemas/policies")
    monkeypatch.setattr(code_hash, "REPOSITORY", tmp_path)
    return folder


def hashes() -> dict[str, str]:
    return {name: code_hash.definition_hash(query.stream, name) for name, query in registry.queries().items()}


def changed(before: dict[str, str]) -> set[str]:
    return {name for name, found in hashes().items() if found != before[name]}


@pytest.mark.parametrize("file", ["quantiles", "_sorting", "of_my_own"])
def test_only_the_models_that_ask_it_are_of_another_definition(functions, file):
    models = {name for name, query in registry.queries().items() if isinstance(query, Model)}
    asking = {"quantiles": {"farm_cdr_duration_quantiles"}, "_sorting": models, "of_my_own": set()}[file]
    before, code = hashes(), code_hash.code_hash.__wrapped__()
    with (functions / f"{file}.py").open("a") as edited:
        edited.write("\nEDITED = True\n")
    assert changed(before) == asking
    assert code_hash.code_hash.__wrapped__() == code
