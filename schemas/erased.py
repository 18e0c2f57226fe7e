"""What is left of lines that were erased, since a person asked for it: a row in `erased_<stream>`, and in bronze a line
without its text."""

from windrow.schemas.stream import Column, Stream
from windrow.schemas.tables import LINE, PATH, READING, Table, required

ERASED = "erased"
"""What damages such a line, in bronze. It has no records."""


def erased_name(stream: str) -> str:
    """The table's name, by the stream's."""
    return f"erased_{stream}"


def erased_table(stream: Stream) -> Table:
    """What stays of a person's lines. Times stay so that the watermark is what it was, and with it the rows of others:
    a streaming system had seen these events."""
    return Table(
        erased_name(stream.name),
        f"Lines of {stream.name} that were erased: their places and hashes, and the times of their events",
        (
            PATH,
            LINE,
            READING,
            required("text_hash", "string", "SHA-256 of the line; a line with it is erased wherever it lands again"),
            Column("start", "timestamp", "when the event began, UTC; null of a line that was no event"),
            Column("arrival", "timestamp", "when the pipeline knew the event, UTC; null of a line that was no event"),
            Column("arrival_date", "date", "day of arrival, UTC; null of a line that was no event"),
            required("run_id", "string", "name of the run that erased the line"),
        ),
    )
