"""An environment is made once, and again when what it is made from has changed."""

import shutil
import subprocess
from dataclasses import replace

import pytest

from stack import environments
from stack.environments import Environment
from stack.places import REPOSITORY, SPARK_ENVIRONMENT, WINDROW, site_packages

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(3)]


@pytest.fixture
def environment(tmp_path) -> Environment:
    """A real environment of no packages."""
    requirements = tmp_path / "none.txt"
    requirements.write_text("# nothing\n")
    made = Environment(tmp_path / "env", requirements)
    environments.ensure(made)
    return made


def test_the_second_time_nothing_is_done(environment):
    assert environments.is_current(environment)
    before = environment.stamp.stat().st_mtime_ns
    environments.ensure(environment)
    assert environment.stamp.stat().st_mtime_ns == before


def test_a_changed_requirement_file_makes_it_out_of_date(environment):
    environment.requirements.write_text("# still nothing\n")
    assert not environments.is_current(environment)
    environments.ensure(environment)
    assert environments.is_current(environment)


def test_a_moved_environment_is_made_again_because_its_scripts_start_the_old_python(environment, tmp_path):
    moved = replace(environment, folder=tmp_path / "moved")
    environment.folder.rename(moved.folder)
    leftover = moved.folder / "leftover"
    leftover.touch()
    assert not environments.is_current(moved)
    environments.ensure(moved)
    assert environments.is_current(moved)
    assert not leftover.exists()


def test_one_made_by_hand_is_adopted_and_not_made_again(environment):
    environment.stamp.unlink()
    kept = environment.folder / "kept"
    kept.touch()
    environments.ensure(environment)
    assert environments.is_current(environment)
    assert kept.exists()


@pytest.mark.parametrize("lost", ["bin/windrow", environments.LINK])
def test_a_lost_part_of_the_installed_windrow_is_put_back(environment, lost):
    path = (environment.folder if "/" in lost else site_packages(environment.folder)) / lost
    path.unlink()
    assert not environments.is_current(environment)
    environments.ensure(environment)
    assert path.exists()


def test_the_checkout_is_importable_from_anywhere(environment, tmp_path):
    code = "import windrow; print(windrow.__file__)"
    command = [environment.python, "-c", code]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == str(REPOSITORY / "windrow" / "__init__.py")


def test_windrow_starts_from_a_path_with_blanks(environment, tmp_path):
    spaced = replace(environment, folder=tmp_path / "a folder with blanks" / "env")
    environments.ensure(spaced)
    shown = subprocess.run([spaced.folder / "bin" / "windrow"], capture_output=True, text=True, check=False)
    assert "No module named 'typer'" in shown.stderr  # Python was found, and ours; this environment has nothing else


def test_windrow_takes_our_packages_even_where_the_user_stands_among_others_of_the_same_name(tmp_path):
    for name in ("schemas", "pipelines"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('the wrong package')")
    shown = subprocess.run([WINDROW, "--help"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    assert "query" in shown.stdout


def test_the_environment_that_runs_these_tests_is_current(set_up):
    assert shutil.which(str(SPARK_ENVIRONMENT / "bin" / "spark-submit"))
    assert environments.is_current(environments.SPARK)
    assert environments.is_current(environments.AIRFLOW)
