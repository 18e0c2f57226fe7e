"""Small landing files in the layouts of the real ones, and what a lake holds, in a form that can be compared."""

import gzip
from datetime import date

from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.ingest import changes, files
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas import registry

TODAY = date(2024, 5, 1)
BIKES = registry.stream("bikes")
TABLES = StreamTables.of(BIKES)
HEADER = "start_ts,duration,start_station,end_station,subscriber,birth_year"
FOLDER = "bikes/citibike-nyc-2017"


def trip(start: str, duration_s: int, station: int = 72, birth_year: int = 1980) -> str:
    """A line of a daily file; `start` is New York time, such as `2017-06-03 08:00:00`."""
    return f"{start},{duration_s},{station},79,1,{birth_year}"


def path_of(name: str) -> str:
    """Path of a daily file below the landing folder."""
    return f"{FOLDER}/trips-{name}.csv.gz"


def write(config: Config, name: str, lines: list[str]) -> str:
    """Write a daily file of these lines, header first; returns its path below the landing folder."""
    return write_bytes(config, path_of(name), gzip.compress("\n".join([HEADER, *lines, ""]).encode(), mtime=0))


def write_bytes(config: Config, path: str, content: bytes) -> str:
    """Write any file."""
    place = config.landing / path
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(f".{place.name}.part")
    part.write_bytes(content)
    part.rename(place)
    return path


def find(config: Config) -> changes.Changes:
    """What an ingest of TODAY would find."""
    return changes.find(Lake(config), engine_of(config), TABLES, TODAY)


def remember(config: Config, *rows: files.FileRow) -> None:
    """Leave these rows in `files_bikes`, as an ingest did that ended or was cut off."""
    Lake(config).ensure(TABLES.files)
    files.write_files(Lake(config), TABLES.files, list(rows))


def contents(config: Config) -> dict[str, list[str]]:
    """All that ingest keeps, by table, but when files landed and in how many commits; rows in no order."""
    return {table.name: sorted(map(repr, _rows(config, table.name))) for table in TABLES.all}


def _rows(config: Config, name: str) -> list[dict]:
    table = Lake(config).read(name)
    how_it_came = [name for name in ("landed_date", "silver_version") if name in table.column_names]
    return table.drop_columns(how_it_came).to_pylist()


def silver(config: Config) -> list[dict]:
    """Events, in arrival order."""
    rows = Lake(config).read("silver_bikes").to_pylist()
    return sorted(rows, key=lambda row: (row["arrival"], row["path"], row["line"]))


def quarantine(config: Config) -> list[tuple]:
    """Refused records: (path, line, reason), in order."""
    rows = Lake(config).read("quarantine_bikes", columns=["path", "line", "reason"]).to_pylist()
    return sorted((tuple(row.values()) for row in rows), key=repr)


def file_row(config: Config, path: str) -> dict:
    """The row of `files_bikes` of one file."""
    return next(row for row in Lake(config).read("files_bikes").to_pylist() if row["path"] == path)
