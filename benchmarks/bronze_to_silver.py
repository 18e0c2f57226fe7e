"""How quickly lines become events: the real request spans, landing folder to pass ticks, by the ledger's stages.

Each round is `windrow ingest telemetry --engine local` in a new lake and a fresh process: once with a worker per core,
once with one.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median

from benchmarks.pages import table
from windrow.pipelines.config import REPOSITORY, Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.flow import SILVER
from windrow.pipelines.ledger import run_table as ledger

SPANS = Path("telemetry", "k8s-spans")
STREAM, ROUNDS, NO_HELPER = "telemetry", 3, 1 << 40
WAYS = {"a worker per core, s": {}, "one worker, s": {"WINDROW_LINES_PER_WORKER": str(NO_HELPER)}}


def ingested(config: Config, settings: dict[str, str]) -> tuple[dict[str, float], int]:
    """Seconds by stage of one ingest into a new lake, and the lines of its files."""
    shutil.rmtree(config.home, ignore_errors=True)
    shared = {
        "WINDROW_HOME": str(config.home),
        "WINDROW_LANDING": str(config.landing),
        "PYTHONPATH": str(REPOSITORY),
        "WINDROW_ENGINE": "local",
    }
    words = [sys.executable, "-m", "windrow.pipelines", "ingest", STREAM, "--engine", "local", "--json"]
    ended = subprocess.run(words, env=os.environ | shared | settings, capture_output=True, text=True)
    if ended.returncode:
        raise SystemExit(ended.stderr)
    rows = ledger.rows(Lake(config), stages=True)
    return {row.stage: row.seconds for row in rows if row.stage}, _lines(config)


def _lines(config: Config) -> int:
    return sum(Lake(config).read(f"files_{STREAM}", columns=["lines"])["lines"].to_pylist())


def section(home: Path, landing: Path) -> str:
    """Measure, and write a part of the page; where the real spans are not there, exit with that."""
    if not (landing / SPANS).is_dir():
        raise SystemExit(f"{landing / SPANS} is not there; the real data's folder is LANDING=…")
    config = Config(home, home.with_name("landing-of-spans"))
    shutil.rmtree(config.landing, ignore_errors=True)
    shutil.copytree(landing / SPANS, config.landing / SPANS)
    rounds = [{way: ingested(config, settings) for way, settings in WAYS.items()} for _ in range(ROUNDS)]
    lines = max(lines for each in rounds for _, lines in each.values())
    stages = list(next(iter(rounds[0].values()))[0])
    seconds = {way: {stage: median(each[way][0][stage] for each in rounds) for stage in stages} for way in WAYS}
    rows = [{"stage": stage, **{way: seconds[way][stage] for way in WAYS}} for stage in stages]
    per_s = [lines / seconds[way][SILVER.name] for way in WAYS]
    return "\n\n".join([
        "## Bronze to silver", f"All {lines:,} lines of the real request spans, ingested into a new lake, {ROUNDS} "
        f"rounds, medians, local engine. From bronze to silver: **{per_s[0]:,.0f} lines a second** with a worker per "
        f"core, {per_s[1]:,.0f} with one.", table(rows)])  # fmt: skip
