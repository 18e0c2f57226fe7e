"""The one operator of all DAGs, tested in the environment in which it runs."""

import os
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = [pytest.mark.airflow, pytest.mark.takes(25)]
REPOSITORY = Path(__file__).resolve().parents[2]
CASES = sorted((Path(__file__).parent / "inside").glob("*_cases.py"))
# An empty configuration and no conftest.py: ours name plugins that this environment lacks.
OPTIONS = ("--noconftest", "-c", os.devnull, "--rootdir", REPOSITORY, "-p", "no:cacheprovider")
AIRFLOW_PYTHON = REPOSITORY / ".venv-airflow" / "bin" / "python"


def test_every_case_passes_inside_airflow_s_environment(tmp_path):
    environment = {**os.environ, "AIRFLOW_HOME": str(tmp_path), "PYTHONPATH": str(REPOSITORY)}
    # A case that hangs is aborted, so that pytest's faulthandler prints where it hung.
    done = subprocess.run(
        ["timeout", "--signal=ABRT", "200", AIRFLOW_PYTHON, "-m", "pytest", "-q", *OPTIONS, *CASES],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed and int(passed.group(1)) >= 20
