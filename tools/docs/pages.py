"""All made pages and drawings, by file name below docs/."""

from functools import cache

from schemas.registry import streams
from tools.docs.aggregates import aggregates_page
from tools.docs.commands import commands_page
from tools.docs.decisions import decisions_page
from tools.docs.drawings import drawings
from tools.docs.farm import farm_page
from tools.docs.flow import flow_page
from tools.docs.kernels import kernels_page
from tools.docs.python import python_page
from tools.docs.streams import stream_page, streams_page
from tools.docs.tables import tables_page


@cache
def pages() -> dict[str, str]:
    """Text of each made page, by file name."""
    return {
        "tables.md": tables_page(),
        "streams.md": streams_page(),
        "flow.md": flow_page(),
        "aggregates.md": aggregates_page(),
        "kernels.md": kernels_page(),
        "farm.md": farm_page(),
        "commands.md": commands_page(),
        "python.md": python_page(),
        "decisions/README.md": decisions_page(),
        **drawings(),
        **{f"streams/{stream.name}.md": stream_page(stream) for stream in streams().values()},
    }
