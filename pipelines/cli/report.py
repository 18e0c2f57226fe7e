import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli import _output
from pipelines.cli._options import AsJson, AssetEvents
from pipelines.cli._progress import progress

EXAMPLES = ("windrow report --open",)


def report(
    into: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where to; else report/ of the home.", show_default=False)
    ] = None,
    in_browser: Annotated[bool, typer.Option("--open", help="Also open the first page in a browser.")] = False,
    with_data_docs: Annotated[
        bool, typer.Option("--data-docs/--no-data-docs", help="Also the pages of what Great Expectations found.")
    ] = True,
    asset_events: AssetEvents = None,
    as_json: AsJson = False,
) -> None:
    """Make pages with figures of the lake: streams, queries, runs, lineage, benchmarks; and the pages of what Great
    Expectations found (Data Docs). They need no server."""
    from pipelines import config, flow
    from pipelines.gate.validation_results import index
    from pipelines.report.site import build

    settings = config.load()
    with progress() as show:
        made = build(settings, into, show, with_data_docs=with_data_docs)
    link = made.first_page.as_uri()
    known = {"link": link, "pages": made.pages, "figures": made.figures, "pages_not_made": made.not_made}
    _output.write_asset_events(asset_events, {flow.REPORT: known})
    data_docs = index(settings)
    _output.show_facts(
        {**made._asdict(), "link": link, "data_docs": data_docs if data_docs.exists() else None}, as_json
    )
    if made.not_made:
        _output.note(f"these pages only say why they could not be made: {', '.join(made.not_made)}")
    if in_browser and not webbrowser.open(link):
        _output.note(f"there is no browser here that could be started; open {link} in one")
