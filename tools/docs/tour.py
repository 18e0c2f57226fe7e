"""A tour of the code, with a file into silver and with some days into the published table: its functions, in order."""

from typing import NamedTuple


class TourStop(NamedTuple):
    """A function that the data goes through, and what it does."""

    file: str
    function: str
    does: str


TOUR = (
    TourStop(
        "pipelines/runs/ingest_day.py",
        "ingest_day",
        "makes the lake and the stream's tables once, opens the ledger row",
    ),
    TourStop("pipelines/ingest/changes.py", "find", "compares the landing folder with `files_<stream>`: what is new"),
    TourStop("pipelines/ingest/writes.py", "write_bronze", "keeps the lines of new files as received"),
    TourStop(
        "pipelines/ingest/deduplicate.py",
        "deduplicated",
        "has them parsed on all cores, decides which records are events",
    ),
    TourStop("pipelines/ingest/writes.py", "write_silver", "replaces the arrival days that they touch"),
    TourStop("pipelines/runs/replay.py", "replay", "cuts the queries and days that are asked for into batches"),
    TourStop("pipelines/runs/batch.py", "RunBatch.audited", "checks silver, finds what the days must read"),
    TourStop("pipelines/replay/audit.py", "audit", "replaces the days of the audit tables"),
    TourStop("pipelines/replay/task.py", "make_pass", "calls the kernel for whole keys, keeps the rows of the days"),
    TourStop("pipelines/runs/batch.py", "RunBatch.published", "has them checked, and publishes the days that passed"),
    TourStop("pipelines/gate/gate.py", "Gate.record_audit", "checks exactly this version of the audit rows"),
    TourStop("pipelines/gate/publish.py", "publish", "replaces the days of the late table, then of the results, by it"),
)


def tour_text() -> str:
    """The tour as a numbered list."""
    return "\n".join(
        f"{number}. `{stop.file}`, `{stop.function}`: {stop.does}" for number, stop in enumerate(TOUR, start=1)
    )
