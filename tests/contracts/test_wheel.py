"""The wheel holds all that `windrow` and a cluster's executors need, and works where no checkout is on the path."""

import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import urllib.request
import zipfile
from pathlib import Path

import pytest

from stack import uv
from tests.support import wheels
from tests.support.checkout import LINKED
from tests.support.processes import wait_until
from tests.support.rules import assert_none, blocks, files
from windrow.pipelines.cli._errors import EXTRAS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return wheels.built(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def elsewhere(wheel, tmp_path_factory) -> Path:
    return made(tmp_path_factory.mktemp("elsewhere") / "env", wheel)


def made(folder: Path, wheel: Path) -> Path:
    """An environment with the wheel and our libraries, without our link to the checkout: links of links don't count."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=120)
    packages = next(folder.glob("lib/python*/site-packages"))
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    pip(folder, "install", "--no-deps", wheel)
    return folder


def pip(environment: Path, action: str, *words: str | Path) -> None:
    options = ["--offline", "--quiet", "--python", environment / "bin" / "python"]
    subprocess.run([uv.ensure(), "pip", action, *options, *words], check=True, timeout=120)


def run(environment: Path, *command: str | Path, text: str = "", folder: Path | None = None) -> str:
    """What a program of the environment prints, started in another folder, with a home of its own."""
    ended = start(environment, *command, text=text, folder=folder)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def start(
    environment: Path, *command: str | Path, text: str = "", folder: Path | None = None
) -> subprocess.CompletedProcess:
    home = environment.parent / "home"
    home.mkdir(exist_ok=True)
    # Kernels are those of the checkout, to the byte, and compiled there.
    settings = {"PATH": os.defpath, "HOME": str(home), "WINDROW_NUMBA": str(ROOT / "var" / "numba")}
    words = [environment / "bin" / command[0], *command[1:]]
    cwd = folder if folder and folder.exists() else home
    return subprocess.run(words, cwd=cwd, env=settings, input=text, capture_output=True, text=True, timeout=120)


@pytest.mark.slow
def test_it_has_every_file_of_its_packages_and_no_other_but_its_licence(wheel):
    linked = [path for folder in LINKED for path in (ROOT / folder).rglob("*") if path.is_file()]
    ours = [f"windrow/{path.relative_to(ROOT)}" for path in linked if "__pycache__" not in path.parts]
    own = [path for path in (ROOT / "windrow").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    ours += [str(path.relative_to(ROOT)) for path in own]
    packed = {*zipfile.ZipFile(wheel).namelist()}
    assert {name for name in packed if ".dist-info/" not in name} == {*ours}
    assert [name for name in packed if name.endswith("licenses/LICENSE")]


@pytest.mark.slow
def test_windrow_starts_is_the_wheel_s_and_makes_the_users_data_elsewhere(elsewhere):
    assert "ingest" in run(elsewhere, "windrow", "--help")
    places = "from windrow.pipelines import config as c; print(c.__file__, c.load().home)"
    package, home = run(elsewhere, "python", "-c", places).split()
    assert package.startswith(str(elsewhere))
    assert home == str(elsewhere.parent / "home" / ".local" / "share" / "windrow")
    asked = start(elsewhere, "windrow", "doctor")
    assert (asked.returncode, "Delta's JARs" in asked.stdout) == (6, True), asked.stderr


FOREIGN = {
    "kernels/__init__.py": "NAME = 'of another distribution'\n",
    "kernels-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: kernels\nVersion: 1.0\n",
    "kernels-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "kernels-1.0.dist-info/RECORD": "",
}
# As where no extra was asked for.
WITHOUT_EXTRAS = f"""
import sys

class Lacking:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(EXTRAS)}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Lacking())
"""


@pytest.mark.slow
def test_a_project_works_next_to_a_distribution_that_has_kernels_and_each_outlives_the_other(wheel, tmp_path):
    """As docs/projects.md and, in fewer commands, README show it."""
    elsewhere = made(tmp_path / "env", wheel)
    [packages] = elsewhere.glob("lib/python*/site-packages")
    (packages / "without_extras.py").write_text(WITHOUT_EXTRAS)
    (packages / "without_extras.pth").write_text("import without_extras")  # Debian's Python has a sitecustomize
    foreign = elsewhere.parent / "kernels-1.0-py3-none-any.whl"
    with zipfile.ZipFile(foreign, "w") as packing:
        for name, text in FOREIGN.items():
            packing.writestr(name, text)
    pip(elsewhere, "install", "--no-deps", foreign)
    [commands] = [block for block in blocks("docs/projects.md", "") if block.startswith("windrow init")]
    [installed] = [block for block in blocks("README.md", "") if block.startswith("pip install")]
    assert {*installed.splitlines()[1:]} <= {*commands.splitlines()}
    project = elsewhere.parent / "home" / "trips"
    lines = [line for line in commands.splitlines() if not line.startswith("cd ")]
    shown = {line: run(elsewhere, *shlex.split(line), folder=project) for line in lines}
    [last] = [text for line, text in shown.items() if line.startswith("windrow query")]
    assert "window_start" in last and "2018-10-3" in last
    assert (project / "queries/bikes_by_hour.py").exists() and (project / "var/lake/bikes_daily").exists()
    test = project / "tests/test_lake.py"
    [text] = blocks("docs/projects.md", "python")
    test.write_text(text)
    assert "1 passed" in run(elsewhere, "python", "-m", "pytest", "-q", test, folder=project)
    lacking = start(elsewhere, "windrow", "report", folder=project)
    assert (lacking.returncode, 'pip install "windrow[report]"' in lacking.stderr) == (6, True), lacking.stderr
    pip(elsewhere, "uninstall", "kernels")
    assert "bikes_daily" in run(elsewhere, "windrow", "check", "bikes_daily", folder=project)
    pip(elsewhere, "install", "--no-deps", foreign)
    pip(elsewhere, "uninstall", "windrow")
    assert "of another distribution" in run(elsewhere, "python", "-c", "import kernels; print(kernels.NAME)")


@pytest.mark.nightly
@pytest.mark.airflow
@pytest.mark.takes(60)
def test_a_project_has_its_airflow_which_stays_until_it_is_stopped(elsewhere):
    """Airflow is in another environment, which windrow.toml names."""
    project = elsewhere.parent / "home" / "scheduled"
    run(elsewhere, "windrow", "init", project, "--example", "bikes")
    with open(project / "windrow.toml", "a") as settings:
        settings.write(f'airflow = "{ROOT}/.venv-airflow/bin/airflow"\n')
    started = json.loads(run(elsewhere, "windrow", "up", "--json", folder=project))
    try:
        assert started["home"] == str(project / "var") and "its password is in" in started["login"]
        assert json.loads(urllib.request.urlopen(f"{started['address']}/api/v2/monitor/health").read())["metadatabase"]
        processed = lambda: run(elsewhere, "windrow", "airflow", "dags", "list", "-o", "plain", folder=project)  # noqa: E731
        wait_until(lambda: "bikes_backfill" in processed(), "the DAGs are read", 60.0)
        assert "cdr" not in processed()
    finally:
        ended = json.loads(run(elsewhere, "windrow", "down", "--json", folder=project))
    assert ended["processes_ended"] >= 5
    assert json.loads(run(elsewhere, "windrow", "down", "--json", folder=project))["processes_ended"] == 0


@pytest.mark.slow
def test_the_readme_s_replay_gives_its_rows(elsewhere):
    [program], [printed] = (blocks("README.md", language) for language in ("python", "text"))
    assert run(elsewhere, "python", "-", text=program) == printed


def test_no_message_of_an_installed_wheel_asks_for_make_setup():
    """A wheel has no Makefile: `set_up` of pipelines/location.py says what to do there."""
    told = re.compile(r"NotSetUp\([^)]*\"make setup\"")
    found = ((path, (ROOT / path).read_text()) for path in files("pipelines", "kernels", "windrow"))
    wrong = (str(path) for path, text in found if told.search(text))
    assert_none("say by set_up(…) what gives it to users of a wheel", wrong)
