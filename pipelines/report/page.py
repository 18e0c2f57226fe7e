"""A page of the site: its file, its template, and what the template shows."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PageFigure:
    """`name` is unique within its page; `caption` says how to read it; `chart`: Vega-Lite, as JSON holds it; `rows`: of
    its data, at least one. wide: it needs more width than a phone has, and is scrolled there."""

    name: str
    title: str
    caption: str
    chart: dict[str, Any]
    rows: int
    wide: bool = False


@dataclass(frozen=True)
class PageTable:
    """A table of a page. Cells are text or numbers, a `Link` or a tuple of them, or an `Anchor`; `caption` says how to
    read it."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple]
    caption: str = ""
    mark: str = ""  # a class of the style: `samples` of lines, `folded` until the reader opens it
    name: str = ""  # of a table that links lead to


@dataclass(frozen=True)
class Link:
    """A cell that leads to a page of the site, or to a file of this machine."""

    text: str
    to: str


@dataclass(frozen=True)
class Anchor:
    """A cell that links lead to, by a name that is unique within its page. `about`: the search finds it by that too."""

    text: str
    name: str
    about: str


@dataclass(frozen=True)
class Remark:
    """A sentence of a page; `kind`: plain, good, or bad for what the user has to act on."""

    text: str
    kind: str = "plain"
    command: str = ""


@dataclass(frozen=True)
class Prose:
    """HTML that was made here, of texts of our own."""

    html: str


@dataclass(frozen=True)
class Section:
    """A part of a page: what it shows, in this order."""

    title: str
    items: tuple[PageFigure | PageTable | Remark | Prose, ...]


@dataclass(frozen=True)
class ReportPage:
    """`group`: under which entry of the menu; `lead`: the sentence below the title."""

    file: str
    title: str
    group: str
    lead: str
    sections: tuple[Section, ...] = ()

    @property
    def figures(self) -> list[PageFigure]:
        """All of its figures."""
        return [item for section in self.sections for item in section.items if isinstance(item, PageFigure)]
