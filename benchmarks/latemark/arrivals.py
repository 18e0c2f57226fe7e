"""When bids arrive: patterns of the real streams, each a step that changes a stream's columns.

A step gets columns by name (id, auction, bidder, price, channel, source, `date_time` and `arrival` in µs since the
epoch) and a random generator, and returns columns. `date_time` is what the source's clock says.
"""

from collections.abc import Callable

import numpy as np

Columns = dict[str, np.ndarray]
SECOND_US = 1_000_000
HOUR_US = 3_600 * SECOND_US
SOURCES = 24

# Delays of 459,589 messages of machines (yuyuankang/Auto-tuning-leveled-LSM-separation-policy, ty.txt): share, ms.
MEASURED = ((0.0, 2_002), (0.01, 58_124), (0.5, 63_621), (0.95, 68_635), (0.99, 127_628), (0.999, 302_504),
            (1.0, 15_315_452))  # fmt: skip
OUTAGES, OUTAGE_S = 2, (1_200, 7_200)
AGAIN_SHARE, AGAIN_S = 0.05, (1, 21_600)
WRONG_CLOCKS_US = {0: 3 * HOUR_US, 1: 5 * 365 * 24 * HOUR_US, 2: -2 * HOUR_US, 3: 90 * SECOND_US}
"""By source: how far its clock is ahead, in the second quarter of the stream."""


def none(columns: Columns, chance: np.random.Generator) -> Columns:
    """Each bid arrives when it is made."""
    return columns


def lateness(columns: Columns, chance: np.random.Generator) -> Columns:
    """Delays with the percentiles of measured ones: nearly all about a minute, one in 1,000 from 5 minutes to 4 h."""
    shares, ms = np.array(MEASURED).T
    delay_us = np.exp(np.interp(chance.random(len(columns["id"])), shares, np.log(ms))) * 1_000
    return columns | {"arrival": columns["arrival"] + delay_us.astype(np.int64)}


def bursts(columns: Columns, chance: np.random.Generator) -> Columns:
    """Two outages of each source, from 20 minutes to two hours: what would arrive meanwhile arrives at the end."""
    arrival = columns["arrival"].copy()
    begin, end = arrival.min(), arrival.max()
    for source in range(SOURCES):
        for down_us in chance.integers(*OUTAGE_S, OUTAGES) * SECOND_US:
            since_us = chance.integers(begin, end + 1)
            held = (columns["source"] == source) & (arrival >= since_us) & (arrival < since_us + down_us)
            arrival[held] = since_us + down_us
    return columns | {"arrival": arrival}


def duplicates(columns: Columns, chance: np.random.Generator) -> Columns:
    """One bid in 20 is delivered again, from a second to six hours later."""
    again = np.flatnonzero(chance.random(len(columns["id"])) < AGAIN_SHARE)
    later_us = np.exp(chance.uniform(*np.log(AGAIN_S), len(again))) * SECOND_US
    both = {name: np.concatenate([values, values[again]]) for name, values in columns.items()}
    both["arrival"][len(columns["id"]) :] += later_us.astype(np.int64)
    return both


def wrong_clocks(columns: Columns, chance: np.random.Generator) -> Columns:
    """Four of 24 sources have a wrong clock for a quarter of the stream: 90 s, 3 h and 5 years ahead, 2 h behind."""
    date_time = columns["date_time"].copy()
    begin, end = date_time.min(), date_time.max()
    meanwhile = (date_time >= begin + (end - begin) // 4) & (date_time < begin + (end - begin) // 2)
    for source, ahead_us in WRONG_CLOCKS_US.items():
        date_time[meanwhile & (columns["source"] == source)] += ahead_us
    return columns | {"date_time": date_time}


def mixed(columns: Columns, chance: np.random.Generator) -> Columns:
    """Measured delays, outages, wrong clocks and copies together."""
    for step in (lateness, bursts, wrong_clocks, duplicates):
        columns = step(columns, chance)
    return columns


Step = Callable[[Columns, np.random.Generator], Columns]
PATTERNS: dict[str, Step] = {step.__name__: step for step in (none, lateness, bursts, duplicates, wrong_clocks, mixed)}
