"""The pages of benchmarks: those of docs/benchmarks/, with their figures, where a checkout has them."""

import re
from collections.abc import Sequence
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from windrow.pipelines.config import REPOSITORY
from windrow.pipelines.report.page import Link, PageTable, Prose, ReportPage, Section

PAGE, GROUP = "benchmarks.html", "Benchmarks"
SOURCE = REPOSITORY / "docs" / "benchmarks"
_COMMENT, _TITLE = re.compile(r"<!--.*?-->", re.DOTALL), re.compile(r"\A\s*# (.+)\n")


def benchmark_pages() -> list[ReportPage]:
    """An index, and a page for each; none where only the wheel is. O(their texts)."""
    sources = sorted(SOURCE.glob("*.md"))
    lead = "What kernels, farm and runs cost, measured and written by the commands of this repository."
    if not sources:
        return []
    rows = [(Link(_title(path), _file(path)), f"docs/benchmarks/{path.name}") for path in sources]
    first = ReportPage(PAGE, GROUP, GROUP, lead, (Section("", (PageTable("", ("page", "made from"), rows),)),))
    return [first, *map(_page, sources)]


def _file(source: Path) -> str:
    return f"benchmark-{source.stem}.html"


def _title(source: Path) -> str:
    found = _TITLE.search(source.read_text())
    return found[1] if found else source.stem


def _page(source: Path) -> ReportPage:
    text = _COMMENT.sub("", _TITLE.sub("", source.read_text()))
    # Without HTML of the text's own; links to other pages of the docs, which the site hasn't, become plain text
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("link_open", _link)
    parser.add_render_rule("image", _image)
    made = Prose(parser.render(text))
    return ReportPage(
        _file(source), _title(source), GROUP, f"From docs/benchmarks/{source.name}.", (Section("", (made,)),)
    )


def _link(self: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: dict) -> str:
    target = str(tokens[place].attrGet("href") or "")
    if not target.startswith(("#", "https://")):
        tokens[place].attrs = {"class": "elsewhere"}
    return self.renderToken(tokens, place, options, env)


def _image(self: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: dict) -> str:
    tokens[place].attrSet("loading", "lazy")
    return self.image(tokens, place, options, env)
