"""docs/flow.md: the stages, what each reads and writes, and a tour of the code."""

from typing import NamedTuple

from pipelines import flow
from pipelines.report import dag_text
from schemas.registry import queries_of, streams
from schemas.stream import Stream
from tools.docs.markdown import MADE, grid, page


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
TOUR_INTRODUCTION = (
    "One landing file to silver, then one day to the published table. Stop 1 calls `pipelines/ingest/ingest.py`, which "
    "calls stops 2 to 5 in turn; stop 6 calls 7, 9 and 10, and stop 8 is reached from 7 "
    "through the engine, in tasks on shares of files or of keys. None calls back."
)


def flow_page() -> str:
    """The stages, and what each reads and writes."""
    tour = "\n".join(f"{number}. `{stop.file}`, `{stop.function}`: {stop.does}" for number, stop in enumerate(TOUR, 1))
    parts = [
        "# The flow",
        MADE,
        "Ingest follows the files: it brings every arrival day that they touch up to date. "
        "Replay follows the logical date: it reads nothing that arrived later.",
    ]
    parts += ["## Through the code", TOUR_INTRODUCTION, tour]
    for stream in streams().values():
        parts += [f"## {stream.name}", _picture(stream), dag_text.flow_page(stream), *_tasks(stream)]
    parts += ["## maintenance", dag_text.OF_MAINTENANCE, _commands([flow.maintenance_task()])]
    parts += ["## report", dag_text.OF_REPORT, _commands([flow.report_task()])]
    return page(parts)


def _picture(stream: Stream) -> str:
    """Tables from left to right, as the stages make them."""
    name = stream.name
    lines = [
        f"landing/ ──▶ bronze_{name} ──▶ silver_{name} ──▶ pass_{name}",
        f"{' ' * 12}└─▶ quarantine_{name}, files_{name}",
    ]
    lines += [
        f"silver_{name}, pass_{name} ──▶ {each.name}_audit ──gate──▶ {each.name}, {each.name}_late"
        for each in flow.scheduled_queries(stream)
    ]
    lines += [
        f"silver_{name}, pass_{name}, state_{each.name} ──▶ state_{each.name}, {each.name}_audit "
        f"──gate──▶ {each.name}, {each.name}_late"
        for each in flow.queries_in_order(stream)
    ]
    return "\n".join(["```", *lines, "```"])


def _tasks(stream: Stream) -> list[str]:
    ingest, queries = flow.ingest_task(stream), queries_of(stream.name)
    scheduled, in_order = flow.scheduled_queries(stream), flow.queries_in_order(stream)
    replay = [flow.replay_task(scheduled)] if scheduled else []
    parts = [f"The tasks of a run of `{stream.name}`, each one process:", _commands([ingest, *replay])]
    if in_order:
        text = f"Those of `{stream.name}{flow.IN_ORDER}`, once the day before is done:"
        parts += [text, _commands([ingest, flow.replay_task(in_order)])]
    if queries:
        names = f"`{stream.name}{flow.BACKFILL}`, with the run's params behind it, and of `{stream.name}{flow.STALE}`"
        parts += [f"That of {names}:", _commands([flow.backfill_task(queries), flow.stale_task(stream)])]
    return parts


def _commands(tasks: list[flow.Task]) -> str:
    rows = [[" → ".join(stage.name for stage in task.stages), f"`{dag_text.command_line(task)}`"] for task in tasks]
    return grid([["stages", "command"], *rows])
