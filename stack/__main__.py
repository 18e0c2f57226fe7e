"""The commands of `make` that set a checkout up, and make images and releases; the rest of `up` is windrow's."""

import argparse
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 - this file is what an older Python meets first
    sys.exit(
        f"Windrow needs Python 3.11 or newer, this is {sys.version.split()[0]}; "
        "fix it with: apt-get install -y python3.11   # or point make at one: make PYTHON=python3.12"
    )

from stack import demo, doctor, images, release, setting_up
from stack.places import PYTHON, WINDROW
from windrow.pipelines import config
from windrow.processes import signals
from windrow.schemas.errors import NotSetUp, WindrowError, WrongParameter

LANDING, ARGS = "LANDING", "ARGS"


def set_up(given: argparse.Namespace) -> None:
    """Set everything up, and say what to do next where a user asked for just that."""
    setting_up.run()
    if given.say_next:
        setting_up.say_next()


def up(given: argparse.Namespace) -> None:
    """Set up, then go on as `windrow up`."""
    setting_up.run()
    _become_windrow("up", *(("--landing", given.landing) if given.landing else ()))


def airflow(given: argparse.Namespace) -> None:
    """Go on as `windrow airflow`. WrongParameter for no words, and for quotes that don't end."""
    text = os.environ.get(ARGS, "")
    try:
        words = given.words or shlex.split(text)
    except ValueError as wrong:
        raise WrongParameter(ARGS, text, f"words of Airflow's command line, with quotes that end ({wrong})") from wrong
    if not words:
        example = 'make airflow ARGS="backfill create --help"'
        raise WrongParameter(ARGS, text, f"words of Airflow's command line, as in {example}")
    _become_windrow("airflow", *words)


def _become_windrow(*words: str) -> None:
    if not WINDROW.exists():
        raise NotSetUp(f"{WINDROW} is missing", "make setup")
    sys.stdout.flush()
    os.execv(WINDROW, [str(WINDROW), *words])


COMMANDS: dict[str, Callable[[argparse.Namespace], int | None]] = {
    "setup": set_up,
    "setup-cluster": lambda _: setting_up.run(setting_up.OF_A_CLUSTER),
    "setup-spark": lambda _: setting_up.run(setting_up.OF_SPARKS_IMAGE),
    "setup-airflow": lambda _: setting_up.run(setting_up.OF_AIRFLOWS_IMAGE),
    "image": lambda _: images.build_all(),
    "compose-up": lambda _: images.compose_up(),
    "up": up,
    "down": lambda _: _become_windrow("down"),
    "airflow": airflow,
    "doctor": lambda _: doctor.run(),
    "lock": lambda _: release.lock(),
    "wheel": lambda _: release.wheel(),
    "sbom": lambda _: release.sbom(),
    "audit": lambda _: release.audit(),
    "demo": lambda given: demo.run(Path(given.landing) if given.landing else None),
}
"""`make` says what each does. Two more set up what the images of docker/ hold."""


def main() -> int:
    """Run one command; an error is its text and its exit code, never a traceback."""
    _take_environment()
    given = _arguments().parse_args()
    signals.raise_on_signals()
    try:
        return COMMANDS[given.command](given) or 0
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
    if any("://" in os.environ.get(name, "") for name in (config.HOME, config.LANDING, LANDING)):
        return True
    try:
        config.load()  # knows what was kept for the home
    except NotSetUp:
        return True
    except WindrowError:
        return False  # the command itself reports it
    return False


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m stack", description="The commands of make.")
    commands = parser.add_subparsers(dest="command", required=True)
    made = {name: commands.add_parser(name) for name in COMMANDS}
    made["airflow"].add_argument("words", nargs="*", help="default: ARGS of the environment, as a shell splits it")
    made["setup"].add_argument("--say-next", action="store_true", help="end with what to type next")
    # From the environment: make starts a command with quotes through a shell, which keeps signals to itself.
    for name, otherwise in (("up", "as before"), ("demo", "generated files")):
        text = f"the landing folder (default: LANDING, else {otherwise})"
        made[name].add_argument("--landing", default=os.environ.get(LANDING, ""), help=text)
    return parser


if __name__ == "__main__":
    sys.exit(main())
