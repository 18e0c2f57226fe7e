"""What was known of a stream at a time."""

from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc

from tests.support.local import replay_table
from tests.support.semantics.generate import Question, to_table


def assert_only_what_had_arrived(question: Question, time: datetime) -> None:
    """The rows emitted by then are, bit for bit, those of the stream cut off behind it."""
    arrived = to_table([row for row in question.rows if row["arrival"] <= time])
    whole = replay_table(question.table, question.query)
    emitted = pc.less_equal(whole["emitted_at"], pa.scalar(time))
    assert replay_table(arrived, question.query).equals(whole.filter(emitted))
