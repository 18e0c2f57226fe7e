"""`python3 -m stack setup|setup-cluster|doctor|up|down|demo|image|compose-up|lock|watch`: the commands of `make`."""

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
from schemas.errors import WindrowError
from stack import airflow, components, demo, doctor, images, lock, setting_up, settings, watch
from stack.places import PYTHON, say


def up() -> None:
    """Set up, start Airflow and leave it running."""
    setting_up.run()
    home = config.load().here
    if found := airflow.running(home):
        say("Airflow is running already")
        if started := airflow.complete(found):
            say(f"started again, since they had ended: {', '.join(started)}")
    else:
        say("Airflow starts (about 30 s)")
        found = airflow.start(home, config.load().landing)
    say(f"  address   {found.address}\n  login     {settings.USER} / {settings.password(home)}")
    say(f"  logs      {components.logs(home)}\n  stop it   make down")


def down() -> None:
    """Stop the Airflow of this home, whoever started it."""
    ended = airflow.stop(config.load().here)
    say(f"stopped Airflow: {ended} processes ended" if ended else "Airflow was not running")


def main() -> int:
    """Run one command; an error is its text and its exit code, never a traceback."""
    _take_environment()
    wanted = _arguments().parse_args()
    actions = {
        "setup": setting_up.run,
        "setup-cluster": lambda: setting_up.run(setting_up.OF_A_CLUSTER),
        "setup-spark": lambda: setting_up.run(setting_up.OF_SPARKS_IMAGE),
        "setup-airflow": lambda: setting_up.run(setting_up.OF_AIRFLOWS_IMAGE),
        "up": up,
        "down": down,
        "image": images.build_all,
        "compose-up": images.compose_up,
        "doctor": doctor.run,
        "lock": lock.run,
        "watch": lambda: watch.run(config.load().here),
        "demo": lambda: demo.run(wanted.landing),
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
    is_uri = any("://" in os.environ.get(name, "") for name in ("WINDROW_HOME", "WINDROW_LANDING"))
    if is_uri and PYTHON.exists() and Path(sys.prefix) != PYTHON.parent.parent:
        os.execv(PYTHON, [str(PYTHON), "-m", "stack", *sys.argv[1:]])


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m stack", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("setup", help="make the environments, fetch Delta's JARs, prepare Spark")
    commands.add_parser("setup-cluster", help="fetch what a lake on S3 needs too")
    commands.add_parser("setup-spark", help="set up what Spark's image holds")
    commands.add_parser("setup-airflow", help="set up what Airflow's image has on top of that")
    commands.add_parser("image", help="build the images of docker/")
    commands.add_parser("compose-up", help="start everything in containers")
    commands.add_parser("up", help="start Airflow and leave it running")
    commands.add_parser("down", help="stop Airflow")
    commands.add_parser("doctor", help="what is missing or wrong, and the command that fixes it")
    commands.add_parser("watch", help="start again what dies of Airflow; `up` starts this")
    commands.add_parser("lock", help="make the requirement files again from pyproject.toml")
    demonstration = commands.add_parser("demo", help="a scheduled run and a backfill, and what came out")
    # From the environment: make starts a command with quotes through a shell, which keeps signals to itself.
    demonstration.add_argument(
        "--landing",
        type=_folder,
        default=os.environ.get("LANDING", ""),
        help="real landing files (default: LANDING, else generated ones)",
    )
    return parser


def _folder(text: str) -> Path | None:
    """None for no text: no LANDING was given."""
    return Path(text) if text else None


if __name__ == "__main__":
    sys.exit(main())
