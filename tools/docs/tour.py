"""A tour of the code, with one file into silver and with one day into the published table: its functions, in order."""

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
    TourStop("pipelines/ingest/bronze.py", "write_bronze", "keeps the lines of new files as received"),
    TourStop(
        "pipelines/ingest/deduplicate.py",
        "deduplicated",
        "has them parsed on all cores, decides which records are events",
    ),
    TourStop("pipelines/ingest/silver.py", "write_silver", "replaces the arrival days that they touch"),
    TourStop("pipelines/runs/replay.py", "replay", "makes batches of days: silver checked, audit, publication"),
    TourStop(
        "pipelines/replay/audit.py", "audit", "finds what the day must read, and replaces the day of the audit tables"
    ),
    TourStop("pipelines/replay/task.py", "make", "calls the kernel for whole keys, keeps the rows of the day"),
    TourStop("pipelines/gate/gate.py", "Gate.record_audit", "checks exactly this version of the audit rows"),
    TourStop("pipelines/gate/publish.py", "publish", "replaces the day of the late table, then of the results, by it"),
)


def tour_text() -> str:
    """The tour as a numbered list."""
    return "\n".join(
        f"{number}. `{stop.file}`, `{stop.function}`: {stop.does}" for number, stop in enumerate(TOUR, start=1)
    )
