"""windrow docs."""

from typing import Annotated

import typer

from pipelines.cli import _output
from pipelines.cli._options import AsJson

EXAMPLES = ("windrow docs --open",)


def docs(
    in_browser: Annotated[bool, typer.Option("--open", help="Also open the first page in a browser.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make the pages of what Great Expectations found (Data Docs), and say where the first one is."""
    from pipelines import config
    from pipelines.gate.data_docs import build

    built = build(config.load())
    _output.show_facts(built._asdict(), as_json)
    if in_browser:
        _output.open_page(built.first_page.as_uri())
