"""From an exception to what the user reads and the exit code: no traceback for a user's mistake."""

import errno
import json
import os
import re
import resource
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress

from typer.exceptions import Abort, TyperException

from windrow.pipelines import config
from windrow.pipelines.location import endpoint_url, is_of_server, set_up
from windrow.pipelines.report.words import without_controls
from windrow.processes import signals
from windrow.schemas.errors import KernelOutOfMemory, NotSetUp, StorageFailed, WindrowError

_NO_RIGHTS = {errno.EROFS, errno.EACCES}
_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EPERM, errno.EIO, *_NO_RIGHTS}
# How libraries written in Rust end the text of what the system refused.
_OS_ERROR = re.compile(r"\(os error (\d+)\)")
DEFECT = 1
EXTRAS = {
    **dict.fromkeys(("pyspark", "delta"), "spark"),
    **dict.fromkeys(("altair", "markdown_it", "vl_convert"), "report"),
    **dict.fromkeys(("hdfs_native", "s3fs"), "remote"),
    "psycopg": "postgresql",
    "lmdb": "stores",
    "openlineage": "openlineage",
    "redis": "stores",
}
"""By module: the extra of pyproject.toml that brings it."""


def reported(action: Callable[[], int | None], as_json: bool) -> int:
    """Run the action; returns the exit code, after the text of an error went to stderr."""
    try:
        return action() or 0
    except SystemExit as left:  # how Rich and Typer end when their output has no reader any more
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - or Python complains about the pipe as it exits
        return int(left.code or 0)
    except BaseException as error:
        return _report(signals.asked() or _damage_behind(error) or error, as_json)


def _report(error: BaseException, as_json: bool) -> int:
    kind, code, text = _explain(error)
    if as_json:
        print(json.dumps({"error": text, "kind": kind, "exit_code": code}), file=sys.stderr)
    else:
        label = "skipped" if isinstance(error, WindrowError) and error.skipped else "error"
        print(f"{label}: {without_controls(text)}", file=sys.stderr)
    return code


def _damage_behind(error: BaseException) -> WindrowError | None:
    """The damaged table that made a library fail."""
    if isinstance(error, (WindrowError, TyperException, signals.Stopped, KeyboardInterrupt, Abort, MemoryError)):
        return None
    if _is_of_open_files(error):  # to look for damage would open more
        return None
    from windrow.pipelines.delta import damage
    from windrow.pipelines.delta.lake import Lake

    with suppress(WindrowError, OSError):  # settings, or a home, that can't be read
        return damage.explained(Lake(config.load()), error)
    return None


def _explain(error: BaseException) -> tuple[str, int, str]:
    if isinstance(error, WindrowError):
        return type(error).__name__, error.exit_code, str(error)
    if isinstance(error, TyperException):
        context = getattr(error, "ctx", None)  # as the user wrote it; none where there is no such command
        command = context.command_path if context else "windrow"
        return "Usage", error.exit_code, f"{_of_usage(error)}\nSee: {command} --help"
    if isinstance(error, (signals.Stopped, KeyboardInterrupt, Abort)):
        stopped = error if isinstance(error, signals.Stopped) else signals.Stopped(2)
        return (
            "Stopped",
            stopped.exit_code,
            f"{stopped}; no process is left running. Run the same command again to do the rest",
        )
    if found := _of_the_machine(error):
        kind, text = found
        return kind.__name__, kind.exit_code, text
    text = f"a defect of windrow, {type(error).__name__}: {_first_line(error)}\n{_logged(error)}"
    return "Defect", DEFECT, text


def _of_usage(error: TyperException) -> str:
    """Typer's message, with the value where Pydantic only says what it should be."""
    text, mistakes = error.format_message(), getattr(error.__cause__, "errors", None)
    return text.replace(": Input should", f": {mistakes()[0]['input']!r} should", 1) if mistakes else text


def _of_the_machine(error: BaseException) -> tuple[type[WindrowError], str] | None:
    """What an installation lacks, or a disk, a limit of the system or a server has refused."""
    if module := _lacking(error):
        install = set_up(f'pip install "windrow[{EXTRAS[module]}]"')
        return NotSetUp, str(NotSetUp(f"the library {module} isn't installed", install))
    if _number(error) in _DISK:
        wrong = f"{_of_the_home(error)}{_first_line(error)}"
        return StorageFailed, f"{wrong}; free disk space, give rights or look after the disk, then run it again"
    if type(error).__name__ == "CommitFailedError":  # delta-rs's, which most commands needn't load
        wrong = f"another program committed to the same table in between: {_first_line(error)}"
        return StorageFailed, f"{wrong}; this commit may not be there. Run the same command again"
    if _is_of_open_files(error):
        most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return StorageFailed, (
            f"this process may have {most:,} files open, and needs more; this write published nothing. "
            "Raise the limit (ulimit -n, nofile in limits.conf, or the container's), then run it again"
        )
    if isinstance(error, MemoryError):
        return KernelOutOfMemory, (
            "this process got no more memory; this write published nothing. Raise its limit (ulimit -v, -d, "
            "or the container's), or end other processes, then run it again"
        )
    if is_of_server(error):
        server = endpoint_url() or "Amazon S3"
        wrong = f"{server} doesn't answer, or refuses the credentials of the AWS_* variables: {_first_line(error)}"
        return StorageFailed, f"{wrong}; nothing was published. Fix this, then run it again"
    return None


def _number(error: BaseException) -> int | None:
    """By which the system says what it refused."""
    if isinstance(error, OSError):
        return error.errno
    found = _OS_ERROR.search(str(error))
    return int(found[1]) if found else None


def _lacking(error: BaseException | None) -> str | None:
    """The module of an extra, where that is what is missing."""
    while error is not None:
        module = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
        if module in EXTRAS:
            return module
        error = error.__cause__ or error.__context__
    return None


def _of_the_home(error: BaseException) -> str:
    """What the error comes from, where the whole home can't be written to."""
    with suppress(WindrowError, OSError):  # settings, or a home, that can't be read
        home = config.load().here
        if (
            getattr(error, "errno", None) in _NO_RIGHTS
            and str(getattr(error, "filename", None)).startswith(str(home))
            and not os.access(home, os.W_OK)
        ):
            return f"WINDROW_HOME {home} can't be written to: "
    return ""


def _is_of_open_files(error: BaseException) -> bool:
    """Libraries have errors of their own for it, of which some hide it behind another's."""
    return any("too many open files" in text.lower() for text in traceback.format_exception(error))


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or "no message").splitlines()[0][:300]


def _logged(error: BaseException) -> str:
    """Write the traceback to a log; returns where it lies."""

    text = "".join(traceback.format_exception(error))
    try:
        path = config.load().here / "logs" / f"windrow-{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{' '.join(sys.argv)}\n{text}")
    except (OSError, WindrowError) as unwritable:
        return f"its log could not be written ({unwritable}). The traceback:\n{text}"
    return f"please report it with its log: {path}"
