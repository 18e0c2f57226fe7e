"""docs/decisions/README.md: the decisions, by number."""

from pathlib import Path

from tools.docs.markdown import MADE, grid, page

DECISIONS = Path(__file__).resolve().parents[2] / "docs" / "decisions"


def decisions_page() -> str:
    """Number and title of each decision, from its first line."""
    titles = [(path, path.read_text().partition("\n")[0].removeprefix("# ")) for path in _files()]
    rows = [[title[:4], f"[{title[5:]}]({path.name})"] for path, title in titles]
    return page(["# Decisions", MADE, "Why it is as it is, half a page each.", grid([["number", "decision"], *rows])])


def _files() -> list[Path]:
    return sorted(DECISIONS.glob("[0-9]*.md"))
