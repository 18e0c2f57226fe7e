"""Bids as a stream of Windrow's, for a project of a benchmark's run."""

from datetime import date, timedelta

from benchmarks.latemark.arrivals import SOURCES
from benchmarks.latemark.questions import AHEAD_AT_MOST
from windrow.schemas.fields import whole_number
from windrow.schemas.instants import read_time
from windrow.schemas.stream import MOST, Column, Layout, Place, Record, Stream

MEMBERS = ("id", "auction", "bidder", "price", "channel", "source", "date_time", "arrival")


def parse_bid(fields: list[str], _: Place) -> list[Record]:
    """A line is a bid."""
    number, auction, bidder, price, channel, source, date_time, arrival = fields
    start_us = read_time(date_time)
    values = (*map(whole_number, (number, auction, bidder, price)), channel, whole_number(source))
    return [Record(start_us, start_us, read_time(arrival), values)]


def _number(name: str, meaning: str, high: int = MOST) -> Column:
    return Column(name, "int64", meaning, low=0, high=high, nullable=False)


COLUMNS = (
    _number("id", "number of the bid"),
    _number("auction", "what the bid is for"),
    _number("bidder", "who bids"),
    _number("price", "in cents"),
    Column("channel", "string", "where the bid was made"),
    _number("source", "which collector delivered it", SOURCES),
)


def stream_until(first_day: date, last_day: date) -> Stream:
    """Of generator.py's files, whose last bid arrives on `last_day`."""
    return Stream(
        name="bids",
        title="Bids of Nexmark",
        source="benchmarks/latemark/generator.py",
        layouts=(Layout("bids", ("bids/*.parquet",), None, parse_bid, ("id",), members=MEMBERS),),
        columns=COLUMNS,
        key=("source",),
        buckets=2,
        ahead_at_most=AHEAD_AT_MOST,
        zone="UTC",
        clock_rule="Times are in UTC.",
        first_day=first_day,
        last_day=last_day,
        refused_share=None,
        why_these_days=f"the generated stream lasts {(last_day - first_day) // timedelta(days=1) + 1} days",
    )
