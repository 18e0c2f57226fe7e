"""Tables of features that a new run would perhaps make differently: the days of silver that a run read, the rows of
queries that it asked, its definition or the code are different now, or the queries are about to be made again."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.features.feature_runs import (
    KNOWLEDGE,
    TIME_COLUMN,
    FeatureRequest,
    newest_runs,
    rows_digest,
)
from windrow.pipelines.ledger.entry import TABLES
from windrow.pipelines.ledger.run_table import StepRow
from windrow.pipelines.ledger.stale import Rules, differences, other_rules
from windrow.pipelines.tables.arrival_days import ArrivalDays


@dataclass(frozen=True)
class StaleFeatures:
    """A table, which feature set it is of, how it was asked, why it is stale, and what making it took."""

    table: str
    request: FeatureRequest
    reasons: tuple[str, ...]
    seconds: float

    @property
    def command(self) -> str:
        asked = self.request
        return f"windrow features {asked.features} --labels {self.table} --into {self.table} --as {asked.knowledge}"


def stale_features(
    lake: Lake,
    instead: Mapping[str, ArrivalDays] = MappingProxyType({}),
    made_again: Collection[str] = (),
) -> list[StaleFeatures]:
    """By table. instead: by stream, arrival days that count as those of now; made_again: queries whose rows will be."""
    found = []
    for table, row in sorted(newest_runs(lake).items()):
        if lake.version(table) is None:  # a user took it away
            continue
        now = instead.get(row.stream) or ArrivalDays.read(lake, f"partitions_{row.stream}")
        reasons = [each.text for each in (*differences(row.inputs, now), *other_rules(Rules.of(row)))]
        reasons += _other_rows(lake, row.inputs[TABLES], made_again)
        if reasons:
            found.append(StaleFeatures(table, _request(table, row), tuple(reasons), row.seconds))
    return found


def _request(table: str, row: StepRow) -> FeatureRequest:
    assert row.query is not None, "a run is of a feature set"
    return FeatureRequest(row.query, table, table, row.inputs[KNOWLEDGE], row.inputs[TIME_COLUMN])


def _other_rows(lake: Lake, then: Mapping[str, str], made_again: Collection[str]) -> list[str]:
    different = [query for query, digest in then.items() if rows_digest(lake, query) != digest]
    soon = [query for query in then if query in made_again and query not in different]
    return [f"rows of {query} are different now" for query in different] + [
        f"rows of {query} are made again" for query in soon
    ]
