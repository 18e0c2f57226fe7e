"""The way of one file into silver, and of one day into the published table: which functions, in which files."""

from typing import NamedTuple


class Step(NamedTuple):
    """A function that the data goes through, and what it does."""

    file: str
    function: str
    does: str


WALK = (
    Step(
        "pipelines/runs/ingest_day.py",
        "ingest_day",
        "makes the lake and the stream's tables once, opens the ledger row",
    ),
    Step("pipelines/ingest/changes.py", "find", "compares the landing folder with `files_<stream>`: what is new"),
    Step("pipelines/ingest/bronze.py", "write_bronze", "keeps the lines of new files as received"),
    Step(
        "pipelines/ingest/deduplicate.py",
        "deduplicated",
        "has them parsed on all cores, decides which records are events",
    ),
    Step("pipelines/ingest/silver.py", "write_silver", "replaces the arrival days that they touch"),
    Step("pipelines/runs/replay_day.py", "replay_day", "checks silver, then goes through audit and publication"),
    Step(
        "pipelines/replay/audit.py", "audit", "finds what the day must read, and replaces the day of the audit tables"
    ),
    Step("pipelines/replay/task.py", "make", "calls the kernel for whole keys, keeps the rows of the day"),
    Step("pipelines/gate/gate.py", "require_audit", "checks exactly this version of the audit rows"),
    Step("pipelines/gate/publish.py", "publish", "replaces the day of the late table, then of the results, by it"),
)


def walk_text() -> str:
    """The walk as a numbered list."""
    return "\n".join(
        f"{number}. `{step.file}`, `{step.function}`: {step.does}" for number, step in enumerate(WALK, start=1)
    )
