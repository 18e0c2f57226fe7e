"""Folds of frames begin where the last one ended, instead of looking for their first tuple."""

import pytest

from kernels import frames
from kernels.frames._frames import KeyFrames
from kernels.frames._ordered import CHUNK_ENTRIES
from schemas.query import agg
from schemas.windows import BoundaryFrame
from tests.kernels.test_frames import IN_ORDER, MANY, WAYS


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "options"), [*WAYS, IN_ORDER], ids=str)
def test_a_fold_leaves_the_place_where_the_next_frame_begins(kernel, options):
    made = frames.make(kernel, BoundaryFrame("value", 1), {"values": agg("count", "value")}, **options)
    made.insert_burst(range(MANY), [time // 7 for time in range(MANY)])
    state, chunk = KeyFrames(made._address), CHUNK_ENTRIES if kernel == "multi_buffer" else 1
    for number, address in enumerate(made._addresses()[:-1], 1):
        made._ask("content", int(address))
        assert state.next_chunk * chunk + state.next_at == 7 * number
