"""docs/streams.md and docs/streams/: the streams, and what each of them is."""

import inspect

from windrow.pipelines.docs.markdown import bullets, columns_grid, grid, joined, page
from windrow.pipelines.report import dag_text
from windrow.schemas.parsing import read_line
from windrow.schemas.registry import queries_of, streams
from windrow.schemas.stream import BY_NAME, COMMON_REFUSALS, Layout, Stream
from windrow.schemas.windows import EPOCH, MICROSECOND


def streams_page() -> str:
    """Which streams there are, and for what every one of them refuses a line."""
    listed = [["stream", "what its events are", "an event becomes known", "queries"]]
    for stream in streams().values():
        queries = ", ".join(f"`{query.name}`" for query in queries_of(stream.name))
        listed.append([f"[{stream.name}](streams/{stream.name}.md)", stream.title, stream.arrival_meaning, queries])
    shared = {"Reason": "meaning", **COMMON_REFUSALS}
    return page("streams", streams=listed, shared=[list(pair) for pair in shared.items()])


def stream_page(stream: Stream) -> str:
    """One stream: facts, layouts, columns, queries."""
    grids = (_layouts(stream), *_other_files(stream), _refusals(stream))
    queries = bullets(f"`{query.name}`: {dag_text.describe(query)}" for query in queries_of(stream.name))
    return page(
        "stream",
        stream=stream,
        facts=bullets(f"{name}: {value}" for name, value in dag_text.stream_facts(stream).items()),
        grids=joined(grid(rows) for rows in grids if len(rows) > 1),
        reading=joined(_reading(stream, each) for each in stream.layouts),
        columns=columns_grid(stream.columns),
        queries=queries or "none yet",
    )


def _layouts(stream: Stream) -> list[list[str]]:
    rows = [["layout", "files", "first line", "what makes an event the same"]]
    for each in stream.layouts:
        rows.append([each.name, _paths(each.paths), _first_line(each), _identity(each)])
    return rows


def _first_line(layout: Layout) -> str:
    if layout.members is not None:
        return f"no header; JSON: {', '.join(f'`{name}`' for name in layout.members)}"
    by_name = " in any order" if layout.columns == BY_NAME else ""
    return f"`{layout.delimiter.join(layout.header)}`{by_name}" if layout.header else "no header"


def _reading(stream: Stream, layout: Layout) -> str:
    """What the layout's function says that it does, and the records of an example."""
    parts = [f"### {layout.name}", inspect.getdoc(layout.parse) or ""]
    if layout.example is None:
        return "\n\n".join(parts)
    place, line = layout.example
    records = read_line(stream, layout, line, place)
    named = [f"Line {place.line} of `{place.path}`:", f"```text\n{line}\n```", f"is {_counted(records)}:"]
    return "\n\n".join([*parts, *named, grid(_shown(stream, records))])


def _counted(records: list) -> str:
    return "one record" if len(records) == 1 else f"{len(records)} records"


def _shown(stream: Stream, records: list) -> list[list[str]]:
    """Times and values of records; columns that are null in all of them are left out."""
    times = [[_utc(time_us) for time_us in record[:3]] for record in records]
    values = [record.values for record in records]
    filled = [i for i in range(len(stream.columns)) if any(each[i] is not None for each in values)]
    head = ["start", "end", "arrival", *(stream.columns[i].name for i in filled)]
    rows = [[*of, *(_text(each[i]) for i in filled)] for of, each in zip(times, values, strict=True)]
    return [head, *rows]


def _utc(time_us: int) -> str:
    return f"{EPOCH + time_us * MICROSECOND:%Y-%m-%d %H:%M:%S.%f}".rstrip("0").rstrip(".")


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _other_files(stream: Stream) -> tuple[list[list[str]], list[list[str]]]:
    """Files that are skipped, and side inputs."""
    skipped = [["skipped", "why"], *([f"`{path}`", why] for path, why in stream.not_events)]
    side_inputs = [["side input", "files", "meaning"]]
    return skipped, side_inputs + [[each.name, _paths(each.paths), each.meaning] for each in stream.side_inputs]


def _refusals(stream: Stream) -> list[list[str]]:
    return [["own reason for refusal", "meaning"], *(list(pair) for pair in stream.refusals.items())]


def _paths(paths: tuple[str, ...]) -> str:
    return " ".join(f"`{path}`" for path in paths)


def _identity(layout: Layout) -> str:
    if isinstance(layout.identity, tuple):
        return ", ".join(f"`{name}`" for name in layout.identity)
    return "its whole line" if layout.identity else "nothing: there are no duplicates"
