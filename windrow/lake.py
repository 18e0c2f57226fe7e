"""What the commands of a day's work do, for a notebook or a program: over the lake, the landing folder and the engine
that the project's windrow.toml and the environment name."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.answer import Answer, sql
from windrow.pipelines import config
from windrow.pipelines.logged import silent

if TYPE_CHECKING:
    from windrow.pipelines.ingest.outcome import IngestReport
    from windrow.pipelines.replay.validate import ArrowStream
    from windrow.pipelines.runs.reports import DayReport
    from windrow.pipelines.why.explain import Explanation
    from windrow.schemas.feature_set import FeatureSet


def ingest(stream: str, engine: str | None = None) -> "IngestReport":
    """Bring a stream's tables up to date with its landing files, as `windrow ingest` does. Returns what became of each
    file. Raises UnknownName, NotSetUp without a landing folder, GateFailed, TableDamaged, LockHeld."""
    from windrow.pipelines.runs.ingest_day import ingest_day

    return ingest_day(config.load(engine=engine), stream, None, None, silent)


def backfill(
    *queries: str, first: date, last: date, again: bool = False, engine: str | None = None
) -> "list[DayReport]":
    """Replay and publish the arrival days from `first` to `last`, both included, of some queries in one pass, as
    `windrow backfill` does. Returns what became of each day. Days whose published rows are up to date are left out,
    unless `again` is True. If a day fails, the other days are still done; then the first error is raised. Also raises
    UnknownName, NothingArrived."""
    from windrow.pipelines.runs.backfill import backfill as run

    done = run(config.load(engine=engine), queries, (first, last), again=again)
    if done.failures:
        raise done.failures[0].error
    return done.reports


def features(
    labels: "ArrowStream", feature_set: "str | FeatureSet", knowledge: str = "known", time: str | None = None
) -> Answer:
    """Answer features at the moments of labels, as `windrow features` does, in memory; nothing is written.

    labels: a DataFrame or an Arrow table with the feature set's key columns, one column of times with a zone (time
        names it, where there are several), and anything else
    feature_set: the name of a file of features/, or a FeatureSet
    knowledge: "known" for features of events that had arrived by a label's time; "true" for those of all events, whose
        names end with _true; "both"
    Returns the labels in their order, with the features behind. Raises UnknownName, WrongParameter and BadInput for
    labels that can't be asked (it names the column or the row), NotSetUp before the first ingest.
    """
    from windrow.pipelines.features.run import features_of
    from windrow.pipelines.replay.validate import arrow_table
    from windrow.schemas.registry import feature_set as named

    asked = named(feature_set) if isinstance(feature_set, str) else feature_set
    return Answer(features_of(config.load(), asked, arrow_table(labels, "labels"), knowledge, time))


def whatif(query: str, first: date | None = None, last: date | None = None) -> Answer:
    """Show what another lateness would have cost, as `windrow whatif` does. Returns a row for each lateness, and keeps
    the rows as the table `lateness_<query>`. Raises UnknownName, NotSetUp if no ingest has run, WrongParameter for
    windows that depend on their key's other events."""
    from windrow.pipelines.lateness.whatif import whatif as run
    from windrow.schemas.side_tables import lateness_name

    run(config.load(), query, (first, last))
    return sql(f"SELECT * FROM {lateness_name(query)}")


def why(query: str, key: Mapping[str, object], window: str, window_name: str | None = None) -> "Explanation":
    """Explain a window's rows, as `windrow why` does.

    key: by key column its value, None for null; window: its start, or "START/END", in UTC unless with an offset;
    window_name: which window, of a query with several
    Returns an object: `windows`, each with its `revisions`; a revision has its `row`, the `changes` since the one
    before, all events that it covers as `held`, the `run` that published it, and as `wrong` what its events don't say.
    `adds_up`: whether that is nothing. Raises UnknownName, NotSetUp without published rows, WrongParameter for a window
    that isn't there (it names the nearest).
    """
    from windrow.pipelines.delta.lake import Lake
    from windrow.pipelines.why.asked import AskedWindow
    from windrow.pipelines.why.explain import explain
    from windrow.schemas.registry import query as named

    return explain(Lake(config.load()), AskedWindow.of(named(query), key, window, window_name))


def report(into: Path | None = None) -> Path:
    """Make the pages of the lake, as `windrow report` does. Returns the path of the first page. into: folder of the
    pages, by default report/ of the home. Raises NotSetUp without the extra `report`."""
    from windrow.pipelines.report.site import build

    return build(config.load(), into, silent).first_page
