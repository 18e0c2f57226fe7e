"""Real calls and data sessions of ../shared/data, each known when it ends, for SPANS, figure 14."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.csv as csv

from benchmarks.spans_source import SECOND_US, Spans

LONGEST_S = 9_000
"""δ of the paper's real calls, 2.5 h; longer ones here are no calls (16 bits overflowed), or sessions left open."""
CALLS, SESSIONS = "cdr/social-evolution", "cdr/isp-xdr"
SESSION_START, SESSION_END = 7, 8
"""Their columns; the rows are ragged, behind these."""


def voice_calls(landing: Path, most: int) -> Spans:
    """Calls of 72 students over ten months: one each 412 s, 146 s long on average."""
    table = csv.read_csv(next((landing / CALLS).glob("*.csv*")))
    starts_s = table["time_stamp"].cast("timestamp[s]").cast("int64").to_numpy()
    lengths_s = table["duration"].to_numpy().astype(np.int64)
    return _by_end(starts_s * SECOND_US, lengths_s * SECOND_US, most)


def data_sessions(landing: Path, most: int) -> Spans:
    """Data sessions of phones in two cities over a month, in bursts: ten a second within them, 41 s long on average."""
    times = np.array(list(_session_times(landing)), "datetime64[us]").astype(np.int64)
    return _by_end(times[:, 0].copy(), times[:, 1] - times[:, 0], most)


def _session_times(landing: Path) -> Iterator[tuple[str, str]]:
    for file in sorted((landing / SESSIONS).glob("[!m]*/*.csv.gz")):  # mangled/ has no dates
        with gzip.open(file, "rt", errors="replace") as lines:
            for line in lines:
                fields = line.split(",", SESSION_END + 1)
                yield fields[SESSION_START], fields[SESSION_END]


def _by_end(starts_us: np.ndarray, lengths_us: np.ndarray, most: int) -> Spans:
    """Those that last no longer than they may, the first `most` to end."""
    kept = (lengths_us >= 0) & (lengths_us <= LONGEST_S * SECOND_US)
    starts_us, lengths_us = starts_us[kept], np.maximum(lengths_us[kept], 1)
    order = np.argsort(starts_us + lengths_us, kind="stable")[:most]
    starts_us, lengths_us = starts_us[order], lengths_us[order]
    return Spans(starts_us, starts_us + lengths_us, lengths_us // SECOND_US, LONGEST_S)
