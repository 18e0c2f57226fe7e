"""`pytest --fast` leaves out what is marked `jvm`, `airflow` or `slow`; what else starts one of the first two fails.
What is marked `nightly` takes longer than CI has, and runs where it is asked for: `pytest --nightly`, `make nightly`.

No hand-kept list of files: a test that needs a mark and has none fails in `make test-fast`.
"""

import os
import sys
from pathlib import Path

import pytest

from stack.places import AIRFLOW_ENVIRONMENT

MARKS = {
    "jvm": "starts a JVM",
    "airflow": "starts Airflow, or its Python",
    "slow": "takes long without either",
}
NIGHTLY = "nightly"
# Fixtures that start one by themselves, or take half a minute.
FIXTURES = {"through_spark": "jvm", "set_up": "jvm", "first_published": "slow"}
NO_JAVA = Path(__file__).with_name("no_java")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--nightly", action="store_true", help="also run what is marked nightly; -m does too")
    parser.addoption("--fast", action="store_true", help=f"leave out what is marked {', '.join(MARKS)}")


def pytest_configure(config: pytest.Config) -> None:
    for mark, meaning in MARKS.items():
        config.addinivalue_line("markers", f"{mark}: {meaning}; left out by --fast")
    config.addinivalue_line("markers", f"{NIGHTLY}: takes longer than CI has; left out but by --nightly and -m")
    if config.getoption("fast"):
        let_none_start()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        for fixture in set(FIXTURES) & set(getattr(item, "fixturenames", ())):
            item.add_marker(FIXTURES[fixture])
    asked = config.getoption("nightly") or config.getoption("markexpr")
    marks = [*(MARKS if config.getoption("fast") else []), *([] if asked else [NIGHTLY])]
    left_out = {item for item in items if any(item.get_closest_marker(mark) for mark in marks)}
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def let_none_start() -> None:
    """From now on, in this process and those that it starts, `java` is a program that fails; Airflow's are refused."""
    os.environ["JAVA_HOME"] = str(NO_JAVA)
    os.environ["PATH"] = f"{NO_JAVA / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    sys.addaudithook(_refuse_airflow)


def _refuse_airflow(event: str, arguments: tuple) -> None:
    if event == "subprocess.Popen" and str(arguments[0]).startswith(str(AIRFLOW_ENVIRONMENT)):
        raise AssertionError("a test that starts Airflow is marked airflow: --fast lets none start")
