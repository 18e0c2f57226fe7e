"""docs/flow.md: the stages, what each reads and writes, and a tour of the code."""

from windrow.pipelines import flow
from windrow.pipelines.docs.markdown import grid, joined, page
from windrow.pipelines.report import dag_text
from windrow.schemas.registry import queries_of, streams
from windrow.schemas.stream import Stream


def flow_page() -> str:
    """The stages, and what each reads and writes."""
    of_streams = (
        (f"## {stream.name}", _picture(stream), stages(stream), *_tasks(stream)) for stream in streams().values()
    )
    return page(
        "flow",
        streams=joined(part for parts in of_streams for part in parts),
        features=_features(),
        of_maintenance=dag_text.text("maintenance"),
        maintenance=_commands([flow.maintenance_task()]),
        of_report=dag_text.text("report"),
        report=_commands([flow.report_task()]),
    )


def stages(stream: Stream) -> str:
    """The whole flow of a stream: what each stage reads and writes."""
    rows = [["stage", "follows", "does", "reads", "writes"]]
    for stage in flow.stages_of(stream):
        tables = (", ".join(f"`{name}`" for name in names) for names in flow.table_names(stage, stream))
        rows.append([stage.name, f"the {stage.follows}", stage.does, *tables])
    return grid(rows)


def _features() -> str:
    of = flow.FEATURES
    read, written = (", ".join(f"`{name}`" for name in names) for names in (of.reads, of.writes))
    row = [each.replace("{", "<").replace("}", ">") for each in (of.name, of.does, read, written)]
    return grid([["stage", "does", "reads", "writes"], row])


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
    parts = [f"A run of `{stream.name}` has these tasks, each in one process:", _commands([ingest, *replay])]
    if in_order:
        text = f"A run of `{stream.name}{flow.IN_ORDER}` starts once the day before is done:"
        parts += [text, _commands([ingest, flow.replay_task(in_order)])]
    if queries:
        names = (
            f"`{stream.name}{flow.BACKFILL}` adds the run's params to its command; `{stream.name}{flow.STALE}` doesn't"
        )
        parts += [f"{names}:", _commands([flow.backfill_task(queries), flow.stale_task(stream)])]
    return parts


def _commands(tasks: list[flow.Task]) -> str:
    rows = [[" → ".join(stage.name for stage in task.stages), f"`{dag_text.command_line(task)}`"] for task in tasks]
    return grid([["stages", "command"], *rows])
