"""Landing files that `windrow forget --leave-file` took out, as the steps of ingests note them.

`files_<stream>` has a row of each. Where that table was lost, nothing else in the lake is left of them: their lines are
in no table, and the file in the landing folder looks like a new one.
"""

import json

import pyarrow.compute as pc

from pipelines.delta.lake import Lake
from pipelines.ledger.snapshots import LEAVE_SNAPSHOTS
from schemas.ledger_tables import RUNS

# In a step's outputs: by path the hash of the content that it left out.
KEY = "left_out"


def known(lake: Lake, stream: str) -> dict[str, str]:
    """The hash of the content that is left out, by path, unless a later ingest took the path again. O(ingests)."""
    if lake.version(RUNS.name) is None:
        return {}
    filters = [("stream", "=", stream), ("step", "in", LEAVE_SNAPSHOTS)]
    rows = lake.read(RUNS.name, filters=filters, columns=["at", "stage", "inputs", "outputs"])
    steps = rows.filter(pc.field("stage").is_null()).sort_by("at").to_pylist()
    hashes: dict[str, str] = {}
    if not any(KEY in step["outputs"] for step in steps):  # most lakes: nothing is parsed
        return hashes
    for step in steps:
        for path in json.loads(step["inputs"]):
            hashes.pop(path, None)
        hashes |= json.loads(step["outputs"]).get(KEY, {})
    return hashes
