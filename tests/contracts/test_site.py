"""The docs as a site: built strictly, so that no link is broken and the menu has every page; it loads nothing."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
# What a browser loads by itself; a link that a reader follows may lead anywhere.
LOADED = re.compile(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=[\"']?([^\"' >]+)|<link\b[^>]*\bhref=[\"']?([^\"' >]+)")
IN_STYLE = re.compile(r"url\(\s*[\"']?(https?:[^)\"']+)")
ELSEWHERE = re.compile(r"(?:https?:)?//")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    into = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(into)]
    settings = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(build, cwd=ROOT, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return into


def test_every_page_of_docs_is_in_the_site(site):
    pages = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    names = [page.with_name("index.html") if page.name == "README.md" else page.with_suffix(".html") for page in pages]
    assert not [name for name in names if not (site / name).exists()]


def test_a_browser_loads_nothing_from_elsewhere(site):
    loaded = {name for page in site.rglob("*.html") for found in LOADED.findall(page.read_text()) for name in found}
    assert any(name.endswith(".css") for name in loaded) and any(name.endswith(".js") for name in loaded)
    assert not [name for name in loaded if ELSEWHERE.match(name)]
    assert not [url for sheet in site.rglob("*.css") for url in IN_STYLE.findall(sheet.read_text())]


def test_search_finds_a_word_without_a_server(site):
    index = (site / "search" / "search_index.js").read_text()
    assert index.startswith("var __index = ") and "what a query's" in index
    assert "iframe-worker.js" in (site / "index.html").read_text()
