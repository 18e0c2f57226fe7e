"""Every record of the landing folder accounted for: `make accounted LANDING=../shared/data`.

Ingests all streams into a lake of its own and writes docs/accounted-for.md: for each file its records, how many were
accepted, how many are duplicates, and how many were refused, by reason. Nothing may be left over.
"""

import shutil
import sys
from collections import Counter
from itertools import groupby
from pathlib import Path

from benchmarks.pages import table
from tests.support.lakes import ingest
from windrow.pipelines.config import REPOSITORY, Config
from windrow.pipelines.delta.lake import Lake
from windrow.schemas import registry
from windrow.schemas.errors import BadInput
from windrow.schemas.parsing import belongs

PAGE = REPOSITORY / "docs" / "accounted-for.md"
HEAD = """# Everything accounted for

<!-- Made by `make accounted` from the real files: run that again, don't edit this page. -->

This page lists every real file after its ingest: records = accepted + duplicates + refused. A line may hold many
records, and a line that can't be read counts as one. The page of each [stream](streams.md) explains the reasons. The
files themselves are not in the repository, since their licences forbid that.
"""
DUPLICATE = "duplicate"


def account(config: Config, stream: str) -> list[dict]:
    """Ingest a stream. One row per file of events: path, records, accepted, duplicates, and a count for each reason.

    Raises BadInput for a file of which records are left over.
    """
    ingest(config, stream)
    refused: Counter[tuple[str, str]] = Counter()
    for row in Lake(config).read(f"quarantine_{stream}", columns=["path", "reason", "records"]).to_pylist():
        refused[row["path"], row["reason"]] += row["records"]
    files = [
        row for row in Lake(config).read(f"files_{stream}").to_pylist() if belongs(registry.stream(stream), row["path"])
    ]
    return [_row(row, {reason: count for (path, reason), count in refused.items() if path == row["path"]})
            for row in sorted(files, key=lambda row: row["path"])]  # fmt: skip


def _row(file: dict, refused: dict[str, int]) -> dict:
    if file["state"] == "duplicate file":
        refused = {DUPLICATE: file["duplicates"]}
    total = file["accepted"] + sum(refused.values())
    if file["readings"] != total:
        raise BadInput(f"{file['path']}: {file['readings']} records, but {total} are accounted for")
    return {"file": file["path"], "records": file["readings"], "accepted": file["accepted"],
            "duplicates": refused.pop(DUPLICATE, 0), **refused}  # fmt: skip


def section(stream: str, rows: list[dict]) -> str:
    """A stream's part of the page: a table per folder of files, with its sum."""
    parts = [f"## {stream}"]
    for folder, files in groupby(rows, key=lambda row: str(Path(row["file"]).parent)):
        listed = [{**row, "file": Path(row["file"]).name} for row in files]
        total = {"file": f"**{len(listed)} files**", **_sum(listed)}
        parts += [f"`{folder}`", table([*listed, total])]
    return "\n\n".join(parts)


def _sum(rows: list[dict]) -> dict[str, int]:
    counts = Counter()
    for row in rows:
        counts.update({name: count for name, count in row.items() if name != "file"})
    return dict(counts)


def main(landing: Path) -> None:
    """Write the page, and print the sums."""
    config = Config(REPOSITORY / "var" / "accounted", landing.resolve())
    shutil.rmtree(config.home, ignore_errors=True)
    accounts = {stream: account(config, stream) for stream in registry.streams()}
    for stream, rows in accounts.items():
        print(f"{stream}: {len(rows)} files, {_sum(rows)}")
    sections = [section(stream, rows) for stream, rows in accounts.items() if rows]
    PAGE.write_text("\n\n".join([HEAD.rstrip(), *sections]) + "\n")
    print(f"made {PAGE.relative_to(REPOSITORY)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
