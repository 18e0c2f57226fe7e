"""`python3 -m stack setup|setup-cluster|doctor|up|down|airflow|demo|image|compose-up|lock|wheel|sbom|audit|watch`: the
commands of `make`."""

import argparse
import os
import sys
from collections.abc import Callable
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


Action = Callable[[argparse.Namespace], int | None]
# By command what it does, in words and in fact.
COMMANDS: dict[str, tuple[str, Action]] = {
    "setup": ("make the environments, fetch Delta's JARs, prepare Spark", lambda given: set_up(given.say_next)),
    "setup-cluster": ("fetch what a lake on S3 needs too", lambda _: setting_up.run(setting_up.OF_A_CLUSTER)),
    "setup-spark": ("set up what Spark's image holds", lambda _: setting_up.run(setting_up.OF_SPARKS_IMAGE)),
    "setup-airflow": (
        "set up what Airflow's image has on top of that",
        lambda _: setting_up.run(setting_up.OF_AIRFLOWS_IMAGE),
    ),
    "image": ("build the images of docker/", lambda _: images.build_all()),
    "compose-up": ("start everything in containers", lambda _: images.compose_up()),
    "up": ("start Airflow and leave it running", lambda given: up.up(given.landing)),
    "down": ("stop Airflow", lambda _: up.down()),
    "airflow": ("run Airflow's own command line over this home", lambda given: up.command_line(given.words)),
    "doctor": ("what is missing or wrong, and the command that fixes it", lambda given: doctor.run(given.json)),
    "watch": ("start again what dies of Airflow; `up` starts this", lambda _: components.watch(config.load().here)),
    "lock": ("make the requirement files again from pyproject.toml", lambda _: release.lock()),
    "wheel": ("build Windrow as a wheel", lambda _: release.wheel()),
    "sbom": ("write what is installed, as CycloneDX", lambda _: release.sbom()),
    "audit": ("ask PyPI for known vulnerabilities of what is pinned", lambda _: release.audit()),
    "demo": (
        "a scheduled run and a backfill, and what came out",
        lambda given: demo.run(Path(given.landing) if given.landing else None),
    ),
}


def main() -> int:
    """Run one command; an error is its text and its exit code, never a traceback."""
    _take_environment()
    given = _arguments().parse_args()
    try:
        with signals.raised():
            return COMMANDS[given.command][1](given) or 0
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
    made = {name: commands.add_parser(name, help=what) for name, (what, _) in COMMANDS.items()}
    made["setup"].add_argument("--say-next", action="store_true", help="end with what to type next")
    made["airflow"].add_argument("words", nargs="*", help="default: ARGS of the environment, as a shell splits it")
    made["doctor"].add_argument("--json", action="store_true", help="for `windrow doctor`")
    # From the environment: make starts a command with quotes through a shell, which keeps signals to itself.
    landing = os.environ.get(up.LANDING, "")
    for name, otherwise in (("up", "as before"), ("demo", "generated files")):
        text = f"the landing folder (default: LANDING, else {otherwise})"
        made[name].add_argument("--landing", default=landing, help=text)
    return parser


if __name__ == "__main__":
    sys.exit(main())
