from pipelines.cli import _output
from pipelines.cli._days import show_done
from pipelines.cli._options import AsJson, EngineName, MostRows, MostSeconds, QueryName, settings_of_replay
from pipelines.cli._progress import progress

EXAMPLES = ("windrow rebuild bikes_demand",)


def rebuild(
    query: QueryName,
    engine: EngineName = None,
    most_rows: MostRows = None,
    most_seconds: MostSeconds = None,
    as_json: AsJson = False,
) -> int:
    """Make a query's tables anew after a change of its columns: every day that was published is replayed and published
    again. Readers have the old tables until all days are made; these are kept, below replaced/ of the
    home."""
    from pipelines.upkeep.rebuild import rebuild as run

    settings = settings_of_replay(engine, most_rows, most_seconds)
    with progress() as show:
        done = run(settings, query, show)
    code = show_done(done.days, as_json)
    for table, place in done.moved.items():
        _output.note(f"{table} as it was lies in {place}: delete it when you need it no longer")
    if not done.moved:
        again = f"{len(done.days.reports)} stale day(s) made again" if done.days.reports else "nothing to do"
        _output.note(f"the tables of {query} are as its definition says: {again}")
    return code
