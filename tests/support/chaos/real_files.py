"""Small pieces of the real files: some of a file's lines, so that two pieces of one file have lines in common."""

import gzip
from dataclasses import dataclass
from pathlib import Path
from random import Random

LINES_A_PIECE = 300
DELAYS = "telemetry/delays/ty.txt"


@dataclass(frozen=True)
class RealFiles:
    """The files of a stream that a round draws from: their folder below the landing folder, how the files of it begin,
    whether their first line is a header, and the queries that are asked."""

    stream: str
    folder: str
    begin: str
    has_header: bool
    queries: tuple[str, ...]
    side_input: str | None = None


STREAMS = (
    RealFiles("bikes", "bikes/citibike-nyc-2017", "trips-2017-06-0", True,
              ("bikes_demand", "bikes_last_hour", "bikes_slide_by_trip")),
    RealFiles("cdr", "cdr/isp-xdr/beijing", "BY_USER_20_XJL_2015080", False,
              ("cdr_active", "cdr_subscribers", "cdr_sessions")),
    RealFiles("telemetry", "telemetry/nab/realTraffic", "", True,
              ("telemetry_load", "telemetry_rolling", "telemetry_hot"), DELAYS),
)  # fmt: skip


class Pieces:
    """Pieces of the real files of one stream, at random."""

    def __init__(self, landing: Path, files: RealFiles, chance: Random):
        self.files, self.chance = files, chance
        found = sorted((landing / files.folder).glob(f"{files.begin}*.gz"))
        self.lines = {path.name: gzip.decompress(path.read_bytes()).splitlines(keepends=True) for path in found}
        self.side_inputs = {}
        if files.side_input:
            packed = (landing / files.side_input).with_suffix(".txt.gz")
            self.side_inputs[files.side_input] = gzip.decompress(packed.read_bytes())[:20_000].rpartition(b"\n")[0]

    def piece(self) -> tuple[str, bytes]:
        """The name of a file as it could land, and content for it."""
        name = self.chance.choice(sorted(self.lines))
        header, body = self._parted(self.lines[name])
        count = min(self.chance.randint(1, LINES_A_PIECE), len(body))
        # Near each other, so that two pieces of one file have lines in common.
        first = self.chance.randrange(min(len(body), 4 * LINES_A_PIECE) - count + 1)
        named = name.replace(".csv", f"{self.chance.choice(['', '-again', '-more'])}.csv")
        packed = self.chance.random() < 0.7
        return f"{self.files.folder}/{named if packed else named.removesuffix('.gz')}", b"".join(
            [*header, *body[first : first + count]]
        )

    def _parted(self, lines: list[bytes]) -> tuple[list[bytes], list[bytes]]:
        first = int(self.files.has_header)
        return lines[:first], lines[first:]
