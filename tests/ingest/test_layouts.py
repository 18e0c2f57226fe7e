"""Files as operators and spreadsheets write them: refused by what differs, read once the layout says how. No JVM.

What a changed layout makes of files that have landed is what a lake that begins with it makes of them.
"""

import io
from dataclasses import replace
from datetime import datetime
from hashlib import sha256

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.ingest.test_packings import zipped
from tests.support import landings
from tests.support.lakes import ingest
from tests.support.row_layouts import HEADER, stream
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest import parse
from windrow.pipelines.ledger import code_hash
from windrow.schemas import registry
from windrow.schemas.fields import decimal_or_none
from windrow.schemas.instants import read_time
from windrow.schemas.local_time import LocalClock
from windrow.schemas.stream import Column, Layout, Record

pytestmark = pytest.mark.slow
CLOCK = LocalClock("America/Chicago")
TRIP = "classic_bike,2024-05-01 10:00:00,2024-05-01 10:10:00,A,S1,B,S2,41.9,-87.6,41.8,-87.7,member"
BROKEN = TRIP.replace(",A,", ',"A\nB",')
ZIPPED = f"{HEADER}\nz1,{TRIP}\n"
FILES = {
    "04_utf16.csv": f"{HEADER}\nu1,{TRIP}\n".encode("utf-16"),
    "07_zip.zip": zipped(("x.csv",), ZIPPED),
    "11_reordered.csv": b"started_at,ended_at,ride_id,start_station_name,member_casual\n"
    b"2024-05-01 10:00:00,2024-05-01 10:10:00,r1,A,member\n",
    "12_extra.csv": f"{HEADER},extra\ne1,{TRIP},9\n".encode(),
    "14_newline.csv": f"{HEADER}\nq1,{BROKEN}\nq2,{TRIP}\n".encode(),
    "15_upper.csv": f"{HEADER.upper()}\nh1,{TRIP}\n".encode(),
    "29_zstd.csv.zst": pa.compress(f"{HEADER}\nzs1,{TRIP}\n".encode(), "zstd", asbytes=True),
    "copy.csv": b"ride_id,member_casual,start_station_name,ended_at,started_at\n"
    b"r1,member,A,2024-05-01 10:10:00,2024-05-01 10:00:00\n",
}


def parse_trip(fields, _):
    ride, started, ended, station, rider = (fields[i] for i in (0, 2, 3, 4, 12))
    start_us, end_us = CLOCK.read(started)[0], CLOCK.read(ended)[0]
    return [Record(start_us, end_us, end_us, (f"{ride} {station} {rider}",))]


def parse_row(fields, _):
    ride, started, ended, station, rider = fields
    return parse_trip([ride, "", started, ended, station, *[""] * 7, rider], _)


PATHS = ("rows/*.csv", "rows/*.csv.zst", "rows/*.zip")
TRIPS = Layout("trips", PATHS, tuple(HEADER.split(",")), parse_trip, "line", fields=13)
BY_NAME = replace(
    TRIPS,
    header=("ride_id", "started_at", "ended_at", "start_station_name", "member_casual"),
    parse=parse_row,
    columns="by name",
    quoting="across lines",
    fields=None,
)


@pytest.fixture
def defined(monkeypatch):
    """Make these layouts those of the stream `rows`, with a hash of their own."""

    def define(*layouts: Layout, **said) -> None:
        made = replace(stream(*layouts), **said)
        monkeypatch.setitem(registry.streams(), "rows", made)
        for module in (parse, code_hash):
            monkeypatch.setattr(module, "stream_hash", lambda _: sha256(repr(made).encode()).hexdigest()[:16])

    return define


def land(config) -> None:
    for name, content in FILES.items():
        landings.put(config, f"rows/{name}", content)


def rows(config, table: str, *columns: str) -> list[tuple]:
    found = Lake(config).read(f"{table}_rows", columns=["path", "line", *columns]).to_pylist()
    return sorted((row["path"][5:7], *(row[name] for name in ("line", *columns))) for row in found)


def test_what_differs_is_named_and_each_file_is_read_once_the_layout_says_how(config, defined, tmp_path):
    land(config)
    defined(TRIPS)
    report = ingest(config, "rows")
    accepted = [("04", 2, "u1 A member"), ("07", 2, "z1 A member"), ("14", 4, "q2 A member"), ("29", 2, "zs1 A member")]
    assert rows(config, "silver", "fields") == accepted
    [newline] = [row for row in rows(config, "quarantine", "reason", "detail") if row[0] == "14"]
    assert newline[1:3] == (2, "unreadable") and 'quoting="across lines"' in newline[3]
    told = {message[5:7]: message for message in report.messages}
    assert {"11", "12", "15", "co"} <= told.keys()
    assert "'started_at' where 'ride_id' is expected" in told["11"] and 'columns="by name"' in told["12"]
    assert "'RIDE_ID' where 'ride_id' is expected" in told["15"]

    defined(BY_NAME)
    ingest(config, "rows")
    by_name = [("11", 2, "r1 A member"), ("12", 2, "e1 A member"), ("14", 2, "q1 A\nB member")]
    assert rows(config, "silver", "fields") == sorted([*accepted, *by_name])
    assert ("co", 2, "duplicate") in rows(config, "quarantine", "reason")
    anew = landings.at_once(tmp_path / "anew", "rows", FILES_BY_PATH)
    assert landings.held(config, "rows") == landings.held(anew, "rows")


FILES_BY_PATH = {f"rows/{name}": content for name, content in FILES.items()}


def parquet(**columns) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def parse_reading(fields, _):
    buoy, taken, height = fields
    taken_us = read_time(taken)
    return [Record(taken_us, taken_us, taken_us, (f"{buoy} {decimal_or_none(height)}",))]


def test_a_missing_column_is_refused_by_name_unless_it_is_optional_and_nanoseconds_by_value(config, defined):
    moments = pa.array([datetime(2024, 5, 5, 13), datetime(2024, 5, 5, 14)], pa.timestamp("us", "UTC"))
    finer = pa.array([1_714_914_000_123_456_789, 1_714_914_000_000_001_000], pa.timestamp("ns", "UTC"))
    buoy = pa.array([{"id": "P1"}, None], pa.struct({"id": pa.string()}))
    landings.put(config, "rows/missing.parquet", parquet(buoy=buoy, taken_at=moments))
    landings.put(config, "rows/ns.parquet", parquet(buoy=buoy, taken_at=finer, wave_height_m=[1.5, 2.5]))
    landings.put(
        config, "rows/renamed.jsonl", b'{"buoy": {"nr": 1}, "taken_at": "2024-05-05T15:00:00Z", "wave_height_m": 1}\n'
    )
    readings = Layout(
        "readings", ("rows/*.parquet", "rows/*.jsonl"), None, parse_reading, None,
        members=("buoy.id", "taken_at", "wave_height_m"),
    )  # fmt: skip
    defined(readings)
    report = ingest(config, "rows")
    assert rows(config, "silver", "fields") == [("ns", 2, " 2.5")]
    details = {(path, line): detail for path, line, detail in rows(config, "quarantine", "detail")}
    assert "has 'wave_height_m', as layout 'readings' wants" in details["mi", 1] == details["mi", 2]
    assert "has 'buoy.id', as layout 'readings' wants" in details["re", 1]
    assert details["ns", 1].startswith("'2024-05-05 13:00:00.123456789Z'") and 'round="down"' in details["ns", 1]
    assert [message[:14] for message in report.messages] == ["rows/missing.p", "rows/renamed.j"]

    defined(replace(readings, optional=("wave_height_m", "buoy.id")))
    ingest(config, "rows")
    found = rows(config, "silver", "fields")
    assert found == [("mi", 1, "P1 None"), ("mi", 2, " None"), ("ns", 2, " 2.5"), ("re", 1, " 1.0")]


DAYS_FIRST = """\
ride_id;started_at;ended_at;start_lat;member/casual;ride_length;;;
R2;2.01.2020 09:11;2.01.2020 09:14;418.856;casual;0,002523148;;;
R3;28.01.2020 12:19;28.01.2020 12:20;418.882;casual;0,000821759;;;
"""


def day_first(text: str) -> int:
    date, _, time = text.partition(" ")
    day, month, year = date.split(".")
    return CLOCK.read(f"{year}-{month}-{day.zfill(2)} {time}:00")[0]


def parse_sheet(fields, _):
    ride, started, ended, _lat, _rider, length = fields[:6]
    start_us, end_us = day_first(started), day_first(ended)
    return [Record(start_us, end_us, end_us, (f"{ride} {decimal_or_none(length.replace(',', '.'))}",))]


def test_a_layout_reads_what_a_spreadsheet_wrote(config, defined):
    header = tuple(DAYS_FIRST.split("\n")[0].split(";"))
    sheet = Layout("sheet", ("rows/*.csv",), header, parse_sheet, "line", delimiter=";", fields=len(header))
    defined(sheet, columns=(Column("fields", "string", "what the function got"),))
    landings.put(config, "rows/days_first.csv", DAYS_FIRST.replace("\n", "\r\n").encode())
    ingest(config, "rows")
    assert rows(config, "silver", "fields") == [("da", 2, "R2 0.002523148"), ("da", 3, "R3 0.000821759")]
