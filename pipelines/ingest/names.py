"""What the name of a landing file says against taking it."""

import re

HIDDEN = "it is hidden, since its name or a folder's begins with a dot; rename it if it is to be taken"
HALF_WRITTEN = "its name says that it is still being written; its writer renames it at the end"
# Of editors, browsers, file transfers and Spark's jobs.
_UNFINISHED = re.compile(
    r".*(~|[.](part|partial|filepart|tmp|temp|crdownload|download|inprogress|_copying_|swp|lock))(/.*)?"
    r"|(.*/)?(~[$]|_temporary/).*",
    re.IGNORECASE,
)


def problem_of_name(path: str) -> str | None:
    """Why the file of this path below the landing folder isn't taken, by its name alone."""
    if any(part.startswith(".") for part in path.split("/")):
        return HIDDEN
    return HALF_WRITTEN if _UNFINISHED.fullmatch(path) else None
