"""The wheel holds all that `windrow` and a cluster's executors need, and works where no checkout is on the path."""

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from stack import uv
from tests.support.rules import assert_none, blocks, files

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("kernels", "pipelines", "processes", "schemas", "windrow")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built as `uv build --wheel` does, by the locked backend."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--wheel", "--no-build-isolation", "--offline", "--quiet", "--python", sys.executable]
    subprocess.run([uv.ensure(), "build", *options, "--out-dir", folder, ROOT], check=True, timeout=120)
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def elsewhere(wheel, tmp_path_factory) -> Path:
    """An environment with the wheel and our libraries, without our link to the checkout: links of links don't count."""
    folder = tmp_path_factory.mktemp("elsewhere") / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=120)
    packages = next(folder.glob("lib/python*/site-packages"))
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    options = ["--no-deps", "--offline", "--quiet", "--python", folder / "bin" / "python"]
    subprocess.run([uv.ensure(), "pip", "install", *options, wheel], check=True, timeout=120)
    return folder


def run(environment: Path, *command: str | Path, text: str = "") -> str:
    """What a program of the environment prints, started in another folder, with a home of its own."""
    ended = start(environment, *command, text=text)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def start(environment: Path, *command: str | Path, text: str = "") -> subprocess.CompletedProcess:
    home = environment.parent / "home"
    home.mkdir(exist_ok=True)
    # As plain Python: compiling the kernels once more, because they lie elsewhere, takes a minute.
    settings = {"PATH": os.defpath, "HOME": str(home), "NUMBA_DISABLE_JIT": "1"}
    words = [environment / "bin" / command[0], *command[1:]]
    return subprocess.run(words, cwd=home, env=settings, input=text, capture_output=True, text=True, timeout=120)


@pytest.mark.slow
def test_it_has_every_file_of_its_packages_and_no_other_but_its_licence(wheel):
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*") if path.is_file()]
    ours = {path.relative_to(ROOT).as_posix() for path in files if "__pycache__" not in path.parts}
    packed = {*zipfile.ZipFile(wheel).namelist()}
    assert {name for name in packed if ".dist-info/" not in name} == ours
    assert [name for name in packed if name.endswith("licenses/LICENSE")]


@pytest.mark.slow
def test_windrow_starts_is_the_wheel_s_and_makes_the_users_data_elsewhere(elsewhere):
    assert "ingest" in run(elsewhere, "windrow", "--help")
    places = "import kernels, pipelines, schemas; from pipelines import config as c; print(c.__file__, c.load().home)"
    package, home = run(elsewhere, "python", "-c", places).split()
    assert package.startswith(str(elsewhere))
    assert home == str(elsewhere.parent / "home" / ".local" / "share" / "windrow")
    asked = start(elsewhere, "windrow", "doctor")
    assert (asked.returncode, "set-up of a checkout" in asked.stderr) == (6, True), asked.stderr


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
