"""A report that another process began after this one was asked for stands for it, if it has all that is asked for."""

import json

import pytest

from windrow.pipelines.report import site

BEGAN_NS = 10


@pytest.fixture
def folder(tmp_path):
    """Of a report as the last task of a DAG makes it: without Data Docs."""
    made = {"first_page": "index.html", "pages": 42, "figures": 7, "size_bytes": 1, "not_made": []}
    (tmp_path / "report.json").write_text(json.dumps({**made, "began_ns": BEGAN_NS, "with_data_docs": False}))
    return tmp_path


def test_one_that_was_begun_later_is_taken(folder):
    found = site._made_since(folder, BEGAN_NS, False)
    assert (found.first_page, found.pages, found.not_made) == (folder / "index.html", 42, [])
    assert site._made_since(folder, BEGAN_NS + 1, False) is None


def test_one_without_data_docs_is_not_taken_for_one_that_is_to_have_them(folder):
    """An older Windrow noted nothing of them: it has none."""
    noted = json.loads((folder / "report.json").read_text())
    without = {name: value for name, value in noted.items() if name != "with_data_docs"}
    for report, has_them in ((noted, False), (noted | {"with_data_docs": True}, True), (without, False)):
        (folder / "report.json").write_text(json.dumps(report))
        assert (site._made_since(folder, BEGAN_NS, True) is not None) == has_them
        assert site._made_since(folder, BEGAN_NS, False) is not None
