"""windrow farm MODEL --day D."""

from datetime import date
from typing import Annotated

from pipelines.cli import _output
from pipelines.cli._days import show_day
from pipelines.cli._options import (
    AsJson,
    AssetEvents,
    EngineName,
    ModelName,
    MostRows,
    MostSeconds,
    RunId,
    day_option,
    read_limits,
)
from pipelines.cli._pending import AHEAD, note_pending
from pipelines.cli._progress import progress

EXAMPLES = ("windrow farm telemetry_trend --day 2014-02-14",)


def farm(
    model: ModelName,
    day: Annotated[date, day_option("--day", help="The arrival day to replay, UTC.")],
    run_id: RunId = None,
    engine: EngineName = None,
    most_rows: MostRows = None,
    most_seconds: MostSeconds = None,
    asset_events: AssetEvents = None,
    as_json: AsJson = False,
) -> None:
    """Compute a model for one arrival day: its function on each window's events, on all cores; gate, publication."""
    from pipelines import config
    from pipelines.delta.lake import Lake
    from pipelines.ledger import farm_runs
    from pipelines.runs.replay import replay_day
    from schemas import registry

    asked = registry.model(model)
    settings = config.load(read_limits(most_rows, most_seconds), engine)
    with progress() as show:
        report = replay_day(settings, asked.name, day, run_id=run_id, progress=show)
    _output.write_asset_events(asset_events, report.asset_events)
    farms = farm_runs.of_run(Lake(settings), asked.name, day, report.run_id)
    if as_json:
        _output.show_json({**vars(report), "farms": farms})
    else:
        show_day(report, as_json)
        _output.show([{name: _short(value) for name, value in row.items()} for row in farms], as_json)
    if run_id is None:
        note_pending(Lake(settings), [registry.stream(asked.stream)], AHEAD)


def _short(value: object) -> object:
    """Three digits say enough of a measured figure."""
    return float(f"{value:.3g}") if isinstance(value, float) else value
