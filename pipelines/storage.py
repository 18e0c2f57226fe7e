"""How lake and landing are listed, opened and moved, in a folder, on S3 and on HDFS: the only file that knows.

Credentials are never kept: each library reads the standard variables (AWS_ACCESS_KEY_ID and the like) in the process
that it runs in.
"""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import duckdb
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
from deltalake import DeltaTable
from upath import UPath

from windrow.pipelines.location import Location, at, endpoint_url, is_local, region
from windrow.processes import signals

NS_PER_S, NS_PER_MS = 1_000_000_000, 1_000_000
BATCH_ROWS, BATCH_BYTES = 65_536, 32 << 20
_LOG = "_delta_log"
MEMORY = "2GB"  # ingests and gates of several streams run at the same time


class FileState(NamedTuple):
    """By which one sees that a file has changed: which one it is (an inode, or an object's tag), its bytes, and its
    modification time in ns since the epoch."""

    identity: object
    file_bytes: int
    modified_ns: int


class Listed(NamedTuple):
    """What lies below a folder: its path there, where it is, and its state where a listing says it."""

    below: str
    place: Location
    state: FileState | None


def delta_table(folder: Location, version: int | None = None) -> DeltaTable:
    """The table in a folder, opened by delta-rs. Errors of delta-rs."""
    return DeltaTable(str(folder), version=version, storage_options=delta_options(folder))


def read_only_table(folder: Location, version: int | None = None) -> DeltaTable:
    """The same, not to be written to: others may read it too. In a folder it is opened once for each state of its log:
    a run asks the same few tables dozens of times, and delta-rs takes 10 to 40 ms each time. O(entries of the log)."""
    if not isinstance(folder, Path):
        return delta_table(folder, version)
    states = []
    with os.scandir(folder / _LOG) as found:
        for entry in found:
            with suppress(FileNotFoundError):  # of a commit that is being made
                states.append((entry.name, _stated(entry.stat())))
    return _opened(folder, version, tuple(sorted(states)))


@lru_cache(maxsize=32)
def _opened(folder: Location, version: int | None, _: tuple) -> DeltaTable:
    return delta_table(folder, version)


def is_delta_table(folder: Location) -> bool:
    """Whether there is a log that delta-rs would open."""
    return DeltaTable.is_deltatable(str(folder), delta_options(folder))


def delta_options(folder: Location) -> dict[str, str] | None:
    """What delta-rs doesn't read from the variables itself."""
    endpoint = endpoint_url()
    if is_local(folder) or endpoint is None:
        return None
    return {"AWS_ENDPOINT_URL": endpoint, "AWS_ALLOW_HTTP": str(endpoint.startswith("http://")).lower()}


def arrow_files(file: str) -> tuple[pyarrow.fs.FileSystem, str]:
    """Arrow's file system for the address of a file or folder, and its path there."""
    if "://" not in file:
        return pyarrow.fs.LocalFileSystem(), file
    host = "{0.scheme}://{0.netloc}".format(urlsplit(file))
    files, root = _arrow_host(host, endpoint_url(), region())
    return files, root + file.removeprefix(host)


def parquet(file: "str | Location") -> pq.ParquetFile:
    """A Parquet file, opened."""
    files, path = arrow_files(str(file))
    return pq.ParquetFile(path, filesystem=files)


def batches(
    file: pq.ParquetFile, most_rows: int = BATCH_ROWS, columns: list[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """The rows of an opened file: of a row group at most so many at once, and fewer where they are long. Of more than
    one row group Arrow would put rows together, however long those are."""
    for number in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(number)
        rows = min(most_rows, max(1, BATCH_BYTES * group.num_rows // max(1, group.total_byte_size)))
        yield from file.iter_batches(rows, [number], columns, use_threads=False)


def new_parquet(place: Location, schema: pa.Schema, compression: str = "snappy") -> pq.ParquetWriter:
    """A Parquet file that is about to be written."""
    files, path = arrow_files(str(place))
    return pq.ParquetWriter(path, schema, filesystem=files, compression=compression)


def state(place: Location) -> FileState:
    """OSError for a file that can't be looked at."""
    if isinstance(place, Path):
        return _stated(os.stat(place))
    return _state_of(place.fs.info(place.path))


def _stated(found: os.stat_result) -> FileState:
    return FileState(found.st_ino, found.st_size, found.st_mtime_ns)


def exists(file: str) -> bool:
    return os.path.exists(file) if "://" not in file else at(file).exists()


def names(folder: Location) -> list[str]:
    """Of what is in a folder, sorted; FileNotFoundError where there is none, PermissionError where it can't be read."""
    if isinstance(folder, Path):
        return sorted(os.listdir(folder))  # not glob: that finds nothing in a folder that it may not read
    return sorted(sizes(folder))


def sizes(folder: Location) -> dict[str, int]:
    """Bytes by name of what is in a folder; FileNotFoundError where there is none. One listing."""
    if isinstance(folder, Path):
        with os.scandir(folder) as found:
            return {file.name: file.stat().st_size for file in found}
    listed = ((each["name"].rstrip("/"), each["size"]) for each in folder.fs.ls(folder.path, detail=True))
    # An empty object of the folder's own name is what S3 consoles make.
    return {path.rsplit("/", 1)[-1]: size for path, size in listed if path != folder.path.rstrip("/")}


def entries(root: Location, refuse: Callable[[OSError], object]) -> Iterator[Listed]:
    """All that lies below a folder; in one listing where it is no folder of this machine. `refuse` gets the error of a
    folder that can't be read."""
    if isinstance(root, UPath):
        for path, info in root.fs.find(root.path, detail=True).items():
            below = path.removeprefix(root.path).lstrip("/")
            if below:  # S3 consoles make an empty object for a folder
                yield Listed(below, root / below, _state_of(info))
        return
    for folder, folders, files in os.walk(root, onerror=refuse):
        for name in files + folders:
            place = Path(folder, name)
            yield Listed(place.relative_to(root).as_posix(), place, None)


def row_files(table: Location) -> list[Location]:
    """Parquet files below a table's folder, those of its log left out, sorted."""
    found = (each.below for each in entries(table, lambda _: None) if each.below.endswith(".parquet"))
    return [table / below for below in sorted(found) if not below.startswith(f"{_LOG}/")]


def has_folders(place: Location) -> bool:
    """Whether there are folders, which are moved in one step; on S3 a folder is what has files."""
    return isinstance(place, Path) or place.protocol != "s3"


def make_folder(folder: Location) -> None:
    """If there is any."""
    if has_folders(folder):
        folder.mkdir(parents=True, exist_ok=True)


def remove_folder(folder: Location) -> None:
    """With all that it holds, if it is there."""
    if isinstance(folder, Path):
        shutil.rmtree(folder, ignore_errors=True)
    elif folder.exists():
        folder.fs.rm(folder.path, recursive=True)


def move(source: Location, target: Location) -> None:
    """A file or a folder, to a place where nothing is. In one step in one file system; on S3 all of it is copied before
    any of it goes."""
    make_folder(target.parent)
    if isinstance(source, Path):
        try:
            source.rename(str(target))
        except OSError as error:  # refused by anything else, a copy would leave half of a folder there
            if error.errno != errno.EXDEV:
                raise
            shutil.move(source, str(target))
    elif source.protocol == "hdfs":
        source.fs.mv(source.path, _path_on_server(target))
    else:
        is_folder = source.is_dir()
        source.fs.copy(source.path, _path_on_server(target), recursive=is_folder)
        source.fs.rm(source.path, recursive=is_folder)


def copy_file(source: Location, target: Location) -> None:
    """A file, to a place where nothing is."""
    if isinstance(source, Path):
        shutil.copyfile(source, str(target))
    else:
        source.fs.copy(source.path, _path_on_server(target))


def copy_table(source: Location, target: Location) -> None:
    """A table's folder, to a place where nothing is: on one disk without its rows, which no writer changes where they
    lie. Its log is copied: Spark writes some files of it in place."""
    make_folder(target.parent)
    if isinstance(source, Path):
        shutil.copytree(source, str(target), copy_function=_linked_or_copied)
    else:
        source.fs.copy(source.path, _path_on_server(target), recursive=True)


def _path_on_server(target: Location) -> str:
    assert isinstance(target, UPath), "what is moved or copied stays below the home"
    return target.path


def _linked_or_copied(source: str, target: str) -> None:
    if _LOG not in Path(source).parts and source.endswith(".parquet"):
        try:
            os.link(source, target)
            return
        except OSError:  # a disk that has no links
            pass
    shutil.copy2(source, target)


def _state_of(info: dict) -> FileState:
    if "modification_time" in info:  # HDFS's
        return FileState(None, info["size"], info["modification_time"] * NS_PER_MS)
    modified = info.get("LastModified")  # a folder on S3 has none
    return FileState(info.get("ETag"), info["size"], int(modified.timestamp() * NS_PER_S) if modified else 0)


@lru_cache
def _arrow_host(host: str, endpoint: str | None, region: str | None) -> tuple[pyarrow.fs.FileSystem, str]:
    """Arrow's file system of a bucket or a cluster, and what its paths begin with."""
    scheme, name = host.split("://")
    if scheme == "s3":
        asked = {"endpoint_override": endpoint, "region": region}
        return pyarrow.fs.S3FileSystem(**{key: each for key, each in asked.items() if each}), name
    # Arrow's own for HDFS needs Hadoop's libraries and a JVM in every process.
    return pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(UPath(host).fs)), ""


def write_whole(path: Path, content: bytes) -> None:
    """Make a file, and its folders; it gets its name when it is written, so that a kill leaves none that is half."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.unfinished")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        unfinished.write_bytes(content)
        unfinished.rename(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def open_database(folder: Path, lake: Location) -> duckdb.DuckDBPyConnection:
    """In memory, of at most `MEMORY`, the rest in the folder; it can read the lake's files. Rows are in no order."""
    folder.mkdir(parents=True, exist_ok=True)
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY,
        "temp_directory": str(folder),
        "preserve_insertion_order": False,
    }
    made = signals.interruptible(duckdb.connect(config=settings))
    made.execute("SET TimeZone = 'UTC'")
    if isinstance(lake, UPath) and not made.filesystem_is_registered(lake.protocol):
        made.register_filesystem(lake.fs)  # files below a URI, by their addresses
    return made
