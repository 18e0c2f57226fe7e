"""`make up` and `make down`: the landing folder, Airflow over it, and in words what else runs on this machine; and
`make airflow ARGS="..."`, its own command line."""

import argparse
import os
import shlex
import subprocess
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from stack import airflow, components, setting_up, settings
from stack.components import AIRFLOW
from stack.places import make, owner, say
from windrow.pipelines import config
from windrow.pipelines.airflow import Running, airflow_home, running
from windrow.pipelines.config import Config
from windrow.pipelines.location import Location, is_local, parsed
from windrow.schemas.errors import NotSetUp, WrongParameter

LANDING = "LANDING"
ARGS = "ARGS"
# What becomes of days that have a run already: the words of Airflow's command and of its server.
REPROCESS = ("none", "failed", "completed")
EXAMPLE = 'make airflow ARGS="backfill create --help"'


def up(asked: str) -> None:
    """Set up, start Airflow and leave it running. asked: the landing folder of this and every later start; none: as
    before."""
    landing = _landing(asked)
    require_home(config.load().here)
    setting_up.run()
    home = config.load()
    if found := running(home.here):
        _complete(found, landing)
    else:
        make_landing(home, landing or home.landing)
        if landing is not None:
            config.keep_landing(home.home, landing)
        say("Airflow starts (about 30 s)")
        found = airflow.start(home.here, landing or home.landing)
    _say_where(found)


def down() -> None:
    """Stop the Airflow of this home, whichever command started it."""
    home = config.load().here
    ended = airflow.stop(home)
    say(f"stopped Airflow: {ended} processes ended" if ended else f"Airflow was not running over {home}")
    for other in airflow.others(home):
        say(f"that of {other.home} goes on; to stop it too: {_down(other)}")


def make_landing(home: Config, landing: Location) -> None:
    """Make the home's own landing folder. NotSetUp where another is missing: its name may be wrong, its disk absent."""
    if isinstance(landing, Path) and landing == home.home / "landing":
        landing.mkdir(parents=True, exist_ok=True)
    if is_local(landing) and not landing.is_dir():
        raise NotSetUp(
            f"the landing folder {landing} does not exist", f"mkdir -p {landing}   # or {LANDING}=… of make up"
        )


def require_home(home: Path) -> None:
    """NotSetUp where this user can't write to the home, such as that of the checkout's owner."""
    there = next(parent for parent in (home, *home.parents) if parent.exists())
    if not os.access(there, os.W_OK | os.X_OK):
        what = f"{there} is user {owner(there)}'s, and you can't write there; have a home of your own"
        raise NotSetUp(what, make("up", "~/windrow"))


def _landing(asked: str) -> "Location | None":
    if not asked:
        return None
    found = parsed(asked, LANDING)
    if is_local(found) and not found.is_dir():
        raise WrongParameter(LANDING, asked, "a folder that exists")
    return found


def _complete(found: Running, landing: "Location | None") -> None:
    has = _landing_of(found)
    if landing is not None and str(landing) != has:
        raise NotSetUp(f"Airflow runs with the landing folder {has}", f"{make('down')}   # then this again")
    say("Airflow is running already")
    if started := airflow.complete(found):
        say(f"started again, since they had ended: {', '.join(started)}")


def _landing_of(found: Running) -> str:
    return found.environment.get(config.LANDING, str(found.home / "landing"))


def _say_where(found: Running) -> None:
    say(f"  address   {found.address}\n  login     {settings.login(found.home)}")
    say(f"  home      {found.home}\n  landing   {_landing_of(found)}")
    say(f"  logs      {components.logs(found.home)}\n  stop it   {make('down')}")
    if found.port != (wanted := airflow.PREFERRED_PORT):
        say(f"  port      {wanted} was taken, so this Airflow has {found.port}; by whom: ss -ltnp 'sport = :{wanted}'")
    for other in airflow.others(found.home):
        say(f"  also      an Airflow of {other.home} runs at {other.address}; to stop that: {_down(other)}")


def _down(other: Running) -> str:
    return f"make down {config.HOME}={shlex.quote(str(other.home))}"


def command_line(words: Sequence[str]) -> int:
    """Airflow's own command line, with the environment of this home's Airflow: without it `airflow` finds another
    database, no DAG, and another user's settings. Its exit code; NotSetUp where it was never started over this home."""
    home = config.load()
    wanted = list(words) or _split(os.environ.get(ARGS, ""))
    airflow.require_installed()
    if found := running(home.here):
        if days := _days_of_backfill(wanted):
            say(f"backfill {found.client().backfill(**days)}: {found.address}/dags/{days['dag']}/backfills")
            return 0
        environment = found.environment
    elif airflow_home(home.here).is_dir():
        environment = settings.airflow_environment(home.here, airflow.PREFERRED_PORT, home.landing)
    else:
        raise NotSetUp(f"no Airflow was started over {home.here} yet", make("up"))
    return subprocess.run([AIRFLOW, *wanted], env=environment, check=False).returncode


def _days_of_backfill(words: Sequence[str]) -> dict[str, Any] | None:
    """What `backfill create` asks for; None of other commands, and of options that only Airflow's own command has.

    The server is asked instead, again and again: Airflow's command writes to the database itself, and where a run that
    is active has locked its SQLite it ends at once, with some of the days begun.
    """
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False, allow_abbrev=False)
    parser.add_argument("--dag-id", "--dag", dest="dag")
    parser.add_argument("--from-date", type=date.fromisoformat, dest="first")
    parser.add_argument("--to-date", type=date.fromisoformat, dest="last")
    parser.add_argument("--run-backwards", action="store_true", dest="backwards")
    parser.add_argument("--reprocess-behavior", choices=REPROCESS, default=REPROCESS[0], dest="reprocess")
    try:
        asked, others = parser.parse_known_args(words[2:])
    except argparse.ArgumentError:
        return None
    is_whole = [*words[:2]] == ["backfill", "create"] and not others and asked.dag and asked.first and asked.last
    return vars(asked) if is_whole else None


def _split(text: str) -> list[str]:
    """As a shell does. WrongParameter for none, and for quotes that don't end."""
    try:
        words = shlex.split(text)
    except ValueError as wrong:
        raise WrongParameter(ARGS, text, f"words of Airflow's command line, with quotes that end ({wrong})") from wrong
    if not words:
        raise WrongParameter(ARGS, text, f"words of Airflow's command line, as in {EXAMPLE}")
    return words
