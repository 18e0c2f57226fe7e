"""`python3 -m stack setup|setup-cluster|doctor|up|down|airflow|demo|image|compose-up|lock|wheel|sbom|audit|watch`: the
commands of `make`."""

import argparse
import os
import sys
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 - this file is what an older Python meets first
    sys.exit(
        f"Windrow needs Python 3.11 or newer, this is {sys.version.split()[0]}; "
        "fix it with: apt-get install -y python3.11   # or point make at one: make PYTHON=python3.12"
    )

from pipelines import config
from processes import signals
from schemas.errors import NotSetUp, WindrowError
from stack import components, demo, doctor, images, release, setting_up, up
from stack.places import PYTHON


def set_up(say_next: bool) -> None:
    """Set everything up, and say what to do next where somebody asked for just that."""
    setting_up.run()
    if say_next:
        setting_up.say_next()


def main() -> int:
    """Run one command; an error is its text and its exit code, never a traceback."""
    _take_environment()
    wanted = _arguments().parse_args()
    actions = {
        "setup": lambda: set_up(wanted.say_next),
        "setup-cluster": lambda: setting_up.run(setting_up.OF_A_CLUSTER),
        "setup-spark": lambda: setting_up.run(setting_up.OF_SPARKS_IMAGE),
        "setup-airflow": lambda: setting_up.run(setting_up.OF_AIRFLOWS_IMAGE),
        "up": lambda: up.up(wanted.landing),
        "down": up.down,
        "airflow": lambda: up.command_line(wanted.words),
        "image": images.build_all,
        "compose-up": images.compose_up,
        "doctor": lambda: doctor.run(wanted.json),
        "lock": release.lock,
        "wheel": release.wheel,
        "sbom": release.sbom,
        "audit": release.audit,
        "watch": lambda: components.watch(config.load().here),
        "demo": lambda: demo.run(Path(wanted.landing) if wanted.landing else None),
    }
    try:
        with signals.raised():
            return actions[wanted.command]() or 0
    except WindrowError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except signals.Stopped as stopped:
        print(f"{stopped}; nothing was left running", file=sys.stderr)
        return stopped.exit_code


def _take_environment() -> None:
    """Go on in .venv's Python where a setting is a URI, since only libraries know those."""
    if PYTHON.exists() and Path(sys.prefix) != PYTHON.parent.parent and _has_uri():
        os.execv(PYTHON, [str(PYTHON), "-m", "stack", *sys.argv[1:]])


def _has_uri() -> bool:
    if any("://" in os.environ.get(name, "") for name in (config.HOME, config.LANDING, up.LANDING)):
        return True
    try:
        config.load()  # knows what was kept for the home
    except NotSetUp:
        return True
    except WindrowError:
        return False  # the command itself reports it
    return False


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m stack", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    setup = commands.add_parser("setup", help="make the environments, fetch Delta's JARs, prepare Spark")
    setup.add_argument("--say-next", action="store_true", help="end with what to type next")
    commands.add_parser("setup-cluster", help="fetch what a lake on S3 needs too")
    commands.add_parser("setup-spark", help="set up what Spark's image holds")
    commands.add_parser("setup-airflow", help="set up what Airflow's image has on top of that")
    commands.add_parser("image", help="build the images of docker/")
    commands.add_parser("compose-up", help="start everything in containers")
    _take_landing(commands.add_parser("up", help="start Airflow and leave it running"), "as before")
    commands.add_parser("down", help="stop Airflow")
    command = commands.add_parser("airflow", help="run Airflow's own command line over this home")
    command.add_argument("words", nargs="*", help="default: ARGS of the environment, as a shell splits it")
    examination = commands.add_parser("doctor", help="what is missing or wrong, and the command that fixes it")
    examination.add_argument("--json", action="store_true", help="for `windrow doctor`")
    commands.add_parser("watch", help="start again what dies of Airflow; `up` starts this")
    commands.add_parser("lock", help="make the requirement files again from pyproject.toml")
    commands.add_parser("wheel", help="build Windrow as a wheel")
    commands.add_parser("sbom", help="write what is installed, as CycloneDX")
    commands.add_parser("audit", help="ask PyPI for known vulnerabilities of what is pinned")
    demonstration = commands.add_parser("demo", help="a scheduled run and a backfill, and what came out")
    _take_landing(demonstration, "generated files")
    return parser


def _take_landing(command: argparse.ArgumentParser, otherwise: str) -> None:
    """From the environment: make starts a command with quotes through a shell, which keeps signals to itself."""
    given = os.environ.get(up.LANDING, "")
    command.add_argument("--landing", default=given, help=f"the landing folder (default: LANDING, else {otherwise})")


if __name__ == "__main__":
    sys.exit(main())
