"""The images are built for real, and in them the doctor finds nothing wrong and a replay gives the rows that the local
engine gives here. Run by `make test-image`: some twenty minutes on two cores."""

import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from stack.images import TARGETS
from stack.places import REPOSITORY, WINDROW
from tests.support.digests import digests_of_rows
from tests.support.images import docker
from windrow.pipelines.config import Config

pytestmark = [pytest.mark.timeout(2400), pytest.mark.jvm]
DAY, USER = date(2018, 11, 4), 10001
HEALTHY = "nothing is missing or wrong"
RUNS = (("ingest", "bikes"), ("replay", "bikes_demand", "--day", str(DAY)))


@pytest.fixture(scope="module")
def landing(tmp_path_factory) -> Path:
    """Generated trips, which every user may read."""
    folder = tmp_path_factory.mktemp("landing")
    words = ["--into", folder, "--days", "3", "--last-day", DAY, "--seed", "1"]
    subprocess.run([sys.executable, "-m", "windrow.samples.bikes", *map(str, words)], cwd=REPOSITORY, check=True)
    subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
    return folder


@pytest.mark.parametrize("image", TARGETS.values())
def test_the_doctor_finds_nothing_wrong_for_a_user_who_is_not_root(built, image):
    assert docker("run", "--rm", image, "id", "-u").strip() == str(USER)
    assert HEALTHY in docker("run", "--rm", image, "sh", "-c", "windrow doctor 2>&1")


def test_a_replay_by_spark_in_the_image_gives_the_rows_of_the_local_engine_here(built, landing, tmp_path):
    inside, here = tmp_path / "inside", tmp_path / "here"
    inside.mkdir()
    os.chown(inside, USER, USER)
    for words in RUNS:
        mounted = ("-v", f"{inside}:/lake", "-v", f"{landing}:/landing:ro")
        docker("run", "--rm", *mounted, "-e", "WINDROW_ENGINE=spark", TARGETS["spark"], "windrow", *words)
    settings = {"WINDROW_HOME": str(here), "WINDROW_LANDING": str(landing), "WINDROW_ENGINE": "local"}
    for words in RUNS:
        subprocess.run([WINDROW, *words], env=os.environ | settings, check=True, capture_output=True)
    made = digests_of_rows(Config(inside, landing))
    assert made == digests_of_rows(Config(here, landing))
    [(_, rows, *_digest)] = made["bikes_demand"]
    assert rows > 1000


def test_airflow_s_image_reads_the_dags_and_takes_its_login_from_a_secret(built, tmp_path):
    secret, airflow = tmp_path / "secret", TARGETS["airflow"]
    secret.write_text("of-this-test")
    assert docker("run", "--rm", airflow, "airflow", "version").strip().splitlines()[-1].startswith("3.")
    docker("run", "--rm", airflow, ".venv-airflow/bin/python", "dags/windrow_dags.py")
    file = "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE=/tmp/passwords.json"
    mounted = ("-v", f"{secret}:/run/secrets/AIRFLOW_LOGIN_PASSWORD:ro", "-e", file)
    assert docker("run", "--rm", *mounted, airflow, "cat", "/tmp/passwords.json").strip() == '{"admin": "of-this-test"}'
