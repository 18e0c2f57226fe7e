"""The report: a folder of pages that a browser opens from the disk. Nothing in it is loaded from elsewhere.

    index.html                            what there is, what needs attention
    streams.html, stream-<name>.html      arrival, disorder, bursts, dirt
    queries.html, query-<name>.html       results, revisions, late events
    runs.html, lineage.html, lateness.html
    benchmarks.html, benchmark-<name>.html and their pictures
    site.css, site.js, vega-<version>.js
    search.js                             what the search knows: every page, table and column
    lateness.json                         the curves, until events of other days have arrived
    report.json                           what was made

A page that can't be made, since a table is damaged, say, shows why; the others stand.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import vl_convert
from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup, escape

from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.locks import full_disk_reported, locked_here
from windrow.pipelines.ledger.stale import stale
from windrow.pipelines.report import benchmarks, lateness, lineage, overview, runs_and_gate
from windrow.pipelines.report.page import Anchor, Link, PageFigure, PageTable, Prose, Remark, ReportPage, Section
from windrow.pipelines.report.queries.page import query_page
from windrow.pipelines.report.streams.page import stream_page
from windrow.pipelines.report.words import query_file, stream_file
from windrow.schemas import registry
from windrow.schemas.errors import WindrowError, WrongParameter

TEMPLATES = Path(__file__).parent / "templates"
MENU = (
    (overview.PAGE, "Overview"),
    (overview.STREAMS, "Streams"),
    (overview.QUERIES, "Queries"),
    (runs_and_gate.PAGE, "Runs and gate"),
    (lineage.PAGE, "Lineage"),
    (lateness.PAGE, "Lateness"),
    *([(benchmarks.PAGE, "Benchmarks")] if benchmarks.SOURCE.is_dir() else ()),
)
_STYLE, _SCRIPT, _SEARCH, _MADE, _LOCK = "site.css", "site.js", "search.js", "report.json", "report"
# The libraries that draw the figures: the package has a version of all three.
_LIBRARIES = f"vega-{version('vl-convert-python')}.js"
_NOT_MADE = "This page could not be made"
_CODE = re.compile("`([^`]+)`")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?")
_SHORT = 30
# By which macro of items.j2 each part of a page is shown.
_MACROS = {PageFigure: "figure", PageTable: "listing", Remark: "note", Prose: "prose"}


class Report(NamedTuple):
    """What was made: the first page, how much there is, and which pages only say why they could not be made."""

    first_page: Path
    pages: int
    figures: int
    size_bytes: int
    not_made: list[str]


def build(config: Config, into: Path | None, progress: Callable[[str], None], with_data_docs: bool = True) -> Report:
    """Make the site into a folder, `Config.report` unless one is given, in place of an earlier one.

    WrongParameter for a folder that holds anything else; StorageFailed without room.
    """
    folder = config.report if into is None else into.expanduser().resolve()
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _MADE).is_file():
        raise WrongParameter("--into", str(folder), "a folder that is new, empty, or has an earlier report in it")
    if folder.exists() and not folder.is_dir():
        raise WrongParameter("--into", str(folder), "a folder; this is a file")
    with locked_here(config, _LOCK), full_disk_reported(config, _LOCK):
        making = folder.with_name(f".{folder.name}.new")
        shutil.rmtree(making, ignore_errors=True)  # of a process that was killed
        making.mkdir(parents=True)
        lake = Lake(config)
        asked = _pages(lake, folder, making, progress, with_data_docs)
        made = _write(lake, asked, folder, making)
        # A reader finds the earlier pages or the new ones, and for a moment none
        old = folder.with_name(f".{folder.name}.old")
        shutil.rmtree(old, ignore_errors=True)
        if folder.exists():
            folder.rename(old)
        making.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    return made


def _write(lake: Lake, asked: Iterator[ReportPage], folder: Path, making: Path) -> Report:
    pages = [*asked]
    not_made = [page.file for page in pages for item in page.sections if item.title == _NOT_MADE]
    template, shared = _environment().get_template("page.j2"), _shared(lake)
    for page in pages:
        text = template.render(page=page, siblings=_siblings(page, pages), **shared)
        (making / page.file).write_text(text, encoding="utf-8")
    (making / _SEARCH).write_text(f"const WINDROW_SEARCH = {json.dumps([*_searched(pages)])};", encoding="utf-8")
    for file in (TEMPLATES / _STYLE, TEMPLATES / _SCRIPT, *sorted(benchmarks.SOURCE.glob("*.png"))):
        shutil.copyfile(file, making / file.name)
    # Vega, Vega-Lite and Vega-Embed as one file. Bundling takes seconds, so an earlier report's is taken.
    if (bundled := folder / _LIBRARIES).is_file():
        shutil.copyfile(bundled, making / _LIBRARIES)
    else:
        # Without a snippet it makes the three libraries known to the page; its types ask for one.
        (making / _LIBRARIES).write_text(vl_convert.javascript_bundle(), encoding="utf-8")  # type: ignore[call-arg]
    size_bytes = sum(path.stat().st_size for path in making.iterdir())
    made = Report(folder / overview.PAGE, len(pages), sum(len(page.figures) for page in pages), size_bytes, not_made)
    (making / _MADE).write_text(json.dumps({**made._asdict(), "first_page": overview.PAGE}))
    return made


def _pages(
    lake: Lake, folder: Path, making: Path, progress: Callable[[str], None], with_data_docs: bool
) -> Iterator[ReportPage]:
    find_stale = cache(partial(stale, lake))
    yield from _made(lambda: overview.overview_pages(lake, find_stale), [(file, title) for file, title in MENU[:3]])
    for stream in registry.streams().values():
        progress(f"report: {stream.name}")
        yield from _made(lambda: [stream_page(lake, stream)], [(stream_file(stream.name), "Streams")])  # noqa: B023
    for query in registry.queries().values():
        progress(f"report: {query.name}")
        yield from _made(lambda: [query_page(lake, query)], [(query_file(query.name), "Queries")])  # noqa: B023
    progress("report: runs, validation results, lineage, lateness, benchmarks")
    yield from _made(lambda: [runs_and_gate.runs_page(lake, folder, find_stale, with_data_docs)], [MENU[3]])
    yield from _made(lambda: [lineage.lineage_page(lake)], [MENU[4]])
    yield from _made(lambda: [lateness.lateness_page(lake, folder, making)], [MENU[5]])
    yield from benchmarks.benchmark_pages()
    progress("report: writing")


def _made(make: Callable[[], list[ReportPage]], instead: list[tuple[str, str]]) -> list[ReportPage]:
    """The pages, or as many that say why these could not be made."""
    try:
        return make()
    except WindrowError as error:
        why = Section(_NOT_MADE, (Remark(str(error), "bad"),))
        return [ReportPage(file, file.removesuffix(".html"), group, "", (why,)) for file, group in instead]


def _searched(pages: list[ReportPage]) -> Iterator[tuple[str, str, str]]:
    """Name, address and meaning of every page, and of the tables and columns that are listed by name."""
    yield from ((page.title, page.file, page.lead) for page in pages)
    for page in pages:
        tables = (item for section in page.sections for item in section.items if isinstance(item, PageTable))
        for table in filter(lambda each: each.name, tables):
            yield table.name, f"{page.file}#{table.name}", table.caption
            anchors = (cell for row in table.rows for cell in row if isinstance(cell, Anchor))
            yield from ((each.name, f"{page.file}#{each.name}", each.about) for each in anchors)


def _siblings(page: ReportPage, pages: list[ReportPage]) -> list[tuple[str, str]]:
    """The pages of its kind, apart from their list, which has links of its own."""
    lists = {file for file, _ in MENU}
    if page.file in lists:
        return []
    return [(each.file, each.title) for each in pages if each.group == page.group and each.file not in lists]


def _shared(lake: Lake) -> dict[str, object]:
    return {
        "menu": MENU,
        "scripts": _LIBRARIES,
        "lake": str(lake.config.home),
        "version": version("windrow"),
        "made_at": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
    }


def _environment() -> Environment:
    made = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True)
    made.tests["link"] = lambda value: isinstance(value, Link)
    made.tests["links"] = lambda value: isinstance(value, tuple)
    made.tests["long"] = lambda value: isinstance(value, str) and len(value) > _SHORT
    made.tests["anchor"] = lambda value: isinstance(value, Anchor)
    # A date is one word: no line ends within it.
    made.filters["dates"] = lambda text: Markup(_DATE.sub(r'<span class="when">\g<0></span>', str(escape(text))))
    made.filters["figures"] = lambda value: f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
    made.filters["code"] = lambda text: Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))
    made.filters["shown_as"] = lambda item: _MACROS[type(item)]
    return made
