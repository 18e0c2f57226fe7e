"""A bill of materials names every package that is installed, with its version; an audit that can't ask is a failure."""

import json
import re
import subprocess
from importlib import metadata
from pathlib import Path

import pytest

from stack import release
from windrow.schemas.errors import NotSetUp

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.nightly
@pytest.mark.slow  # it looks at every package of two environments
def test_the_bill_of_materials_has_every_package_with_its_version(tmp_path, monkeypatch):
    monkeypatch.setattr(release, "BILLS", ROOT / "var" / "sbom")
    release.sbom()
    bill = json.loads((ROOT / "var" / "sbom" / "spark.json").read_text())
    named = {(_plain(each["name"]), each["version"]) for each in bill["components"]}
    installed = {(_plain(each.name), each.version) for each in metadata.distributions()}
    assert bill["bomFormat"] == "CycloneDX" and named == installed
    assert json.loads((ROOT / "var" / "sbom" / "airflow.json").read_text())["components"]


def test_an_audit_that_can_not_ask_is_no_success(monkeypatch):
    monkeypatch.setenv("UV_OFFLINE", "1")
    with pytest.raises(NotSetUp, match="audit spark failed with exit code"):
        release.audit()


def test_the_version_is_that_of_the_commit():
    described = subprocess.run(
        ["git", "describe", "--tags", "--long"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    tag = re.match(r"v?(\d+\.\d+\.\d+)-0-g", described)
    version = metadata.version("windrow")
    assert version.startswith(tag[1]) if tag else re.match(r"\d+\.\d+\.\d+(\.dev\d+)?", version)


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
