"""docs/flow.md: the stages, what each reads and writes, and a tour of the code."""

from pipelines import flow
from pipelines.report import dag_text
from schemas.registry import queries_of, streams
from schemas.stream import Stream
from tools.docs.markdown import MADE, grid, page
from tools.docs.tour import tour_text

TOUR_INTRODUCTION = (
    "One landing file to silver, then one day to the published table. Stop 1 calls `pipelines/ingest/ingest.py`, which "
    "calls stops 2 to 5 in turn; stop 6 calls 7, 9 and 10, and stop 8 is reached from 7 "
    "through the engine, in tasks on shares of files or of keys. None calls back."
)


def flow_page() -> str:
    """The stages, and what each reads and writes."""
    parts = [
        "# The flow",
        MADE,
        "Ingest follows the files: it brings every arrival day that they touch up to date. "
        "Replay follows the logical date: it reads nothing that arrived later.",
    ]
    parts += ["## Through the code", TOUR_INTRODUCTION, tour_text()]
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
        for each in flow.queries_day_by_day(stream)
    ]
    return "\n".join(["```", *lines, "```"])


def _tasks(stream: Stream) -> list[str]:
    asked = [flow.query_task(query) for query in flow.scheduled_queries(stream)]
    stale = [flow.stale_task(query) for query in queries_of(stream.name)]
    redone = [f"The tasks of `{stream.name}_stale`, likewise:", _commands(stale)] if stale else []
    own = [flow.query_task(query) for query in flow.queries_day_by_day(stream)]
    text = "Each of these follows an ingest in a DAG of its own name, once the day before is done:"
    alone = [text, _commands(own)] if own else []
    return ["The tasks of a run, each one process:", _commands([flow.ingest_task(stream), *asked]), *alone, *redone]


def _commands(tasks: list[flow.Task]) -> str:
    rows = [[" → ".join(stage.name for stage in task.stages), f"`{dag_text.command_line(task)}`"] for task in tasks]
    return grid([["stages", "command"], *rows])
