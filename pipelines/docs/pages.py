"""The pages of `windrow docs`: streams and tables of a project, as Markdown."""

from windrow.pipelines.docs.streams import stream_page, streams_page
from windrow.pipelines.docs.tables import tables_page
from windrow.schemas.registry import streams


def pages() -> dict[str, str]:
    """Text of each page, by file name below docs/."""
    return {
        "streams.md": streams_page(),
        **{f"streams/{stream.name}.md": stream_page(stream) for stream in streams().values()},
        "tables.md": tables_page(),
    }
