"""What a run of a query whose windows depend on their key's other events leaves for the next day's."""

from schemas.query import Query
from schemas.stream import Stream
from schemas.tables import Table, key_columns, required

CARRIED = "carried_state"


def state_name(query: str) -> str:
    """The table's name, by the query's."""
    return f"state_{query}"


def state_table(query: Query, stream: Stream) -> Table:
    """By day and key all that later days depend on; what the watermark has passed is not in it."""
    return Table(
        state_name(query.name),
        f"What each run of {query.name} leaves for the next day's",
        (
            *key_columns(query, stream),
            required(
                CARRIED,
                "binary",
                "int64 words, the least byte first, as the kernel wrote them: what they are of, events that later ones "
                "may still share a window with, windows that may still change",
            ),
            required("logical_date", "date", "the run's day, after which it was so, UTC"),
            required("bucket", "int64", "bucket of silver that the key is in; 0 where a key is in several"),
        ),
        partition_by=("logical_date", "bucket"),
        sort_by=query.key,
    )
