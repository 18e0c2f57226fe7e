"""Every record of every file is a row of silver, a refused row, or a duplicate.

Per file: readings = accepted + quarantined + duplicates.
"""

from windrow.pipelines.gate.recount.finding import SHOWN, values_list
from windrow.pipelines.gate.recount.silver import LandedFiles
from windrow.pipelines.ledger.verdicts import Verdict

NAME = "law 1: every reading is accounted for"  # a value of the ledger, where a reading is a record
CHECKS = "files"
_KEPT = "state <> 'duplicate file'"
COUNTS = ("accepted", "quarantined", "duplicates")


def run(files: LandedFiles) -> Verdict:
    """Count silver and quarantine again by file, and compare with the files table. A duplicate file's records are
    counted and not kept, so only its rows of silver can be counted again."""
    files.relations.keep("unaccounted", _unaccounted())
    [(found,)] = files.relations.rows("SELECT count(*) FROM unaccounted")
    sums = ", ".join(f"coalesce(sum({column}), 0)" for column in COUNTS)
    all_ = f"SELECT count(*), coalesce(sum(readings), 0), {sums} FROM files"
    [(of_files, readings, *counts)] = files.relations.rows(all_)
    parts = " + ".join(f"{count} {name}" for count, name in zip(counts, COUNTS, strict=True))
    figure = f"{found} of {of_files} files differ: {readings} readings = {parts}"
    offending, table = _offending(files) if found else None, files.tables.silver.name
    return Verdict(NAME, not found, figure, "0 files differ", offending, table, files.version)


def _unaccounted() -> str:
    differs = [
        "accepted <> coalesce(accepted_again, 0)",
        f"quarantined <> coalesce(quarantined_again, 0) AND {_KEPT}",
        f"duplicates <> coalesce(duplicates_again, 0) AND {_KEPT}",
    ]
    return f"""
        WITH taken AS (SELECT path, count(*) AS accepted_again FROM silver GROUP BY path),
        refused AS (
            SELECT path, sum(records) FILTER (WHERE reason <> 'duplicate') AS quarantined_again,
                   sum(records) FILTER (WHERE reason = 'duplicate') AS duplicates_again
            FROM quarantine GROUP BY path)
        SELECT path, coalesce(accepted_again, 0) AS accepted_again,
               coalesce(quarantined_again, 0) AS quarantined_again,
               coalesce(duplicates_again, 0) AS duplicates_again
        FROM files FULL JOIN taken USING (path) FULL JOIN refused USING (path)
        WHERE readings IS NULL OR readings <> accepted + quarantined + duplicates OR {" OR ".join(differs)}"""


def _offending(files: LandedFiles) -> str:
    """SQL that shows the files alongside what the tables hold of them."""
    rows = files.relations.rows(f"SELECT * FROM unaccounted ORDER BY path LIMIT {SHOWN}")
    names = ["path", *(f"{count}_again" for count in COUNTS)]
    shown = ", ".join(f"f.{column}" for column in ("state", "detail", "readings", *COUNTS))
    return (
        f"SELECT x.*, {shown} FROM {values_list(rows, names)} "
        f"LEFT JOIN {files.tables.files.name} f ON f.path = x.path ORDER BY ALL"
    )
