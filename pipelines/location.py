"""Where something of an installation lies: in a folder of this machine, or below a URI.

A location in a folder is a plain `Path`; below a URI it is a `UPath`, which has the same methods over fsspec. What
these can't do alike is in storage.py.
"""

import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from windrow.schemas import project
from windrow.schemas.errors import NotSetUp, WrongParameter

if TYPE_CHECKING:
    from upath import UPath

HOME = "WINDROW_HOME"
Location: TypeAlias = "Path | UPath"

IN_A_CHECKOUT = (Path(__file__).resolve().parent.parent / "pyproject.toml").exists()
# By the scheme that a user may write, the one that every library knows.
SCHEMES = {"s3": "s3", "s3a": "s3", "hdfs": "hdfs"}
# Of a home's path delta-rs takes %41 for A and \ for /, ends at # and ?, and panics over [ ] ^ |; Spark takes * { } for
# patterns, and a comma for the end of a folder. Some would write elsewhere, so the path is looked at before.
NOT_IN_HOMES = "%\\#?[]^|*{},"
SERVED = "a folder's path, s3://BUCKET/FOLDER (or s3a://), or hdfs://HOST:PORT/FOLDER"
_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_OF_SCHEME = re.compile(r"//[^/?#\s]+(/[^/?#]+)*")
# Variables by which all libraries find an S3 server and name the user to it.
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
_REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
PLACES = (*_ENDPOINTS, *_REGIONS)
KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")


def set_up(of_a_wheel: str, of_a_checkout: str = "make setup") -> str:
    """The command by which a user gets what is missing: an installed wheel has no `make`."""
    return of_a_checkout if IN_A_CHECKOUT else of_a_wheel


def typed(command: str, home: str | None = None) -> str:
    """`up`, `down` or `doctor` as a user types it for a home, by default for that of this process."""
    in_the_checkout = IN_A_CHECKOUT and project.root() == project.CHECKOUT
    made = f"make {command}" if in_the_checkout else f"windrow {command}"
    of = home or shlex.quote(os.environ.get(HOME, ""))
    if of == "''":
        return made
    return f"{made} WINDROW_HOME={of}" if in_the_checkout else f"WINDROW_HOME={of} {made}"


def parsed(text: str, setting: str) -> Location:
    """What a user has written. WrongParameter, which names the setting, for a scheme that isn't served."""
    uri = _URI.fullmatch(text.strip())
    if uri is None:
        try:
            return Path(text).expanduser().resolve()
        except RuntimeError as error:  # ~NAME of no user, or links in a circle
            raise WrongParameter(setting, text, f"{SERVED}; of this one: {error}") from error
    scheme, rest = uri[1].lower(), uri[2].rstrip("/")
    if scheme not in SCHEMES or not _OF_SCHEME.fullmatch(rest):
        raise WrongParameter(setting, text, SERVED)
    return at(f"{SCHEMES[scheme]}:{rest}")


def require_served(place: Location, setting: str, forbidden: str = "") -> Location:
    """The place; WrongParameter, which names the setting, for a folder whose path can't be printed, or has one of these
    characters."""
    text = str(place)
    if is_local(place) and (odd := sorted({each for each in text if each in forbidden or not each.isprintable()})):
        rule = f"can be printed and has none of {' '.join(forbidden)}" if forbidden else "can be printed"
        wrong = f"this one has {' '.join(map(ascii, odd))}: name another folder"
        raise WrongParameter(setting, text, f"a folder whose whole path {rule}; {wrong}")
    return place


def at(address: str) -> Location:
    """The location of an address: of a path, or of a URI of a scheme that every library knows."""
    if "://" not in address:
        return Path(address)
    try:
        from upath import UPath
    except ModuleNotFoundError as missing:  # the set-up's Python has no libraries yet
        needed = f"{address} needs the libraries of Windrow's environment"
        raise NotSetUp(needed, set_up("pip install universal_pathlib s3fs")) from missing

    if address.startswith("hdfs:"):
        from windrow.pipelines.hdfs_path import HdfsPath

        return HdfsPath(address)
    asked = {"endpoint_url": endpoint_url(), "region_name": region()}
    client = {key: each for key, each in asked.items() if each}
    # Other processes write there too: a listing is right only while it is made.
    return UPath(address, use_listings_cache=False, client_kwargs=client)


def is_local(place: Location) -> bool:
    """Whether it is in a file system of this machine."""
    return isinstance(place, Path)


def below(place: Location, folder: Location) -> str:
    """The path of something in a folder, from there."""
    return str(place).removeprefix(f"{folder}/")


def is_of_server(error: BaseException) -> bool:
    """Whether a library says by it that the server of a location doesn't answer, or doesn't let this user in."""
    return type(error).__module__.split(".")[0] in ("botocore", "aiobotocore") or "Generic S3 error" in str(error)


def endpoint_url() -> str | None:
    """Of an S3 server that is not Amazon's."""
    return next(filter(None, map(os.environ.get, _ENDPOINTS)), None)


def region() -> str | None:
    """Of the bucket, where a variable says it."""
    return next(filter(None, map(os.environ.get, _REGIONS)), None)
