"""The longest runs of stretches of windows, against looking at each run of each stretch's events."""

from random import Random

import numpy as np
import pytest

from pipelines.gate.recount import in_order
from pipelines.gate.recount.stretches import StretchesOfWindows
from pipelines.gate.recount.values import Values


@pytest.mark.parametrize("seed", range(20))
def test_longest_runs_of_any_stretches_are_those_of_their_events(seed):
    random = Random(seed)
    events = random.randrange(30)
    keys, held_from, numbers, starts_us = (
        np.array([random.randrange(below) for _ in range(events)], np.int64) for below in (2, 8, 6, 100)
    )
    until = held_from + np.array([random.randrange(5) for _ in range(events)], np.int64)
    present = np.array([random.random() < 0.8 for _ in range(events)], bool)
    places = np.array(random.sample(range(events), events), np.int64)
    found = StretchesOfWindows.of(keys, held_from, until, held_from)
    values = Values(found, numbers * present, present, {}, None, places, starts_us, starts_us)
    counted = [in_order.RECOUNTED[name](values) for name in ("longest_run", "longest_run_start", "longest_run_end")]
    for stretch in range(len(found.first)):
        inside = [
            number
            for number in range(events)
            if present[number] and found.begins[number] <= stretch < found.ends[number]
        ]
        ordered = sorted((places[number], numbers[number], starts_us[number]) for number in inside)
        wanted = longest([each[1:] for each in ordered])
        assert [None if each.null[stretch] else each.value[stretch] for each in counted] == wanted


def longest(events: list[tuple]) -> list:
    """Length, first and last start of the first of the longest runs."""
    runs = [[each] for each in events[:1]]
    for before, event in zip(events, events[1:], strict=False):
        if event[0] > before[0]:
            runs[-1].append(event)
        else:
            runs.append([event])
    run = max(runs, key=len, default=None)
    return [len(run), run[0][1], run[-1][1]] if run else [None] * 3
