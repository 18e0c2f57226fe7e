"""A lake of the trips, ingested, in a project that has the feature set; and the command that asks it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from benchmarks.features_source import FEATURES, write_landing
from windrow.pipelines.config import REPOSITORY, Config
from windrow.pipelines.delta.lake import Lake

TABLE = "training"
WINDROW = (sys.executable, "-m", "windrow.pipelines")


class TripsLake(NamedTuple):
    """Its project's folder; the files that ways read are in another."""

    project: Path

    @property
    def config(self) -> Config:
        return Config(self.project / "home", self.project / "landing", asked_engine="local")

    @property
    def environment(self) -> Mapping[str, str]:
        kept = {"WINDROW_JARS": str(REPOSITORY / "var" / "jars"), "WINDROW_NUMBA": str(REPOSITORY / "var" / "numba")}
        places = {"WINDROW_HOME": str(self.config.home), "WINDROW_LANDING": str(self.config.landing)}
        return os.environ | kept | places | {"WINDROW_PROJECT": str(self.project), "WINDROW_ENGINE": "local"}

    def make(self, events: Path) -> None:
        """Land the events and ingest them."""
        shutil.rmtree(self.project, ignore_errors=True)
        features = self.project / "features" / f"{FEATURES.name}.py"
        features.parent.mkdir(parents=True)
        features.write_text("from benchmarks.features_source import FEATURES\n\n_ = FEATURES\n")
        folders = f'[".", "{REPOSITORY / "examples"}"]'
        (self.project / "windrow.toml").write_text(f"definitions = {folders}\n")
        write_landing(events, self.config.landing)
        words = [*WINDROW, "ingest", FEATURES.stream]
        subprocess.run(words, env=self.environment, cwd=REPOSITORY, check=True, capture_output=True)

    def words(self, labels: Path, knowledge: str) -> list[str]:
        """The command."""
        return [*WINDROW, "features", FEATURES.name, "--labels", str(labels), "--into", TABLE, "--as", knowledge]

    def keep(self, into: Path) -> None:
        """The table as one file."""
        pq.write_table(Lake(self.config).read(TABLE), into)
