"""All made pages and drawings, by file name below docs/."""

from functools import cache
from pathlib import Path

from tools.docs.drawings import drawings
from tools.docs.experiments import experiments_page
from tools.docs.farm import farm_page
from tools.docs.flow import flow_page
from tools.docs.interfaces import commands_page, python_page
from tools.docs.kernels import aggregates_page, kernels_page
from windrow.pipelines.docs.markdown import grid, page
from windrow.pipelines.docs.pages import pages as pages_of_projects
from windrow.schemas.dag_settings import KEYS, WHAT
from windrow.schemas.project import SETTINGS, TABLES

DOCS = Path(__file__).resolve().parents[2] / "docs"


@cache
def pages() -> dict[str, str]:
    """Text of each made page, by file name."""
    return {
        **pages_of_projects(),
        "flow.md": flow_page(),
        "aggregates.md": aggregates_page(),
        "kernels.md": kernels_page(),
        "farm.md": farm_page(),
        "experiments.md": experiments_page(),
        "commands.md": commands_page(),
        "settings.md": settings_page(),
        "python.md": python_page(),
        "decisions/README.md": decisions_page(),
        **drawings(),
    }


def settings_page() -> str:
    """What windrow.toml may say."""
    rows = [[f"`{key}`", f"`WINDROW_{key.upper()}`", what] for key, what in SETTINGS.items()]
    tables = [
        [f"`{key}`", ", ".join(f"`[{kind}.NAME]`" for kind in TABLES if key in KEYS[kind]), WHAT[key]] for key in WHAT
    ]
    of_tables = grid([["key", "of", "what it is"], *tables])
    return page("settings", settings=grid([["key", "variable", "what it is"], *rows]), tables=of_tables)


def decisions_page() -> str:
    """The decisions: number and title of each, from its first line."""
    files = sorted((DOCS / "decisions").glob("[0-9]*.md"))
    titles = [(path, path.read_text().partition("\n")[0].removeprefix("# ")) for path in files]
    rows = [[title[:4], f"[{title[5:]}]({path.name})"] for path, title in titles]
    return page("decisions", decisions=[["number", "decision"], *rows])
