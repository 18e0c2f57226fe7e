"""`make up` and `make down`: the landing folder, Airflow over it, and in words what else runs on this machine."""

import os
import shlex
from pathlib import Path

from pipelines import config
from pipelines.config import Config
from pipelines.location import Location, is_local, parsed
from schemas.errors import NotSetUp, WrongParameter
from stack import airflow, components, setting_up, settings
from stack.airflow import Running
from stack.places import make, owner, say

LANDING = "LANDING"


def up(asked: str) -> None:
    """Set up, start Airflow and leave it running. asked: the landing folder of this and every later start; none: as
    before."""
    landing = _landing(asked)
    require_home(config.load().here)
    setting_up.run()
    home = config.load()
    if found := airflow.running(home.here):
        _complete(found, landing)
    else:
        make_landing(home, landing or home.landing)
        if landing is not None:
            config.keep_landing(home.home, landing)
        say("Airflow starts (about 30 s)")
        found = airflow.start(home.here, landing or home.landing)
    _say_where(found)


def down() -> None:
    """Stop the Airflow of this home, whoever started it."""
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
    has = found.landing
    if landing is not None and str(landing) != has:
        raise NotSetUp(f"Airflow runs with the landing folder {has}", f"{make('down')}   # then this again")
    say("Airflow is running already")
    if started := airflow.complete(found):
        say(f"started again, since they had ended: {', '.join(started)}")


def _say_where(found: Running) -> None:
    say(f"  address   {found.address}\n  login     {settings.login(found.home)}")
    say(f"  home      {found.home}\n  landing   {found.landing}")
    say(f"  logs      {components.logs(found.home)}\n  stop it   {make('down')}")
    others = airflow.others(found.home)
    if found.port != airflow.PREFERRED_PORT and (holder := airflow.holder(airflow.PREFERRED_PORT, others)):
        say(f"  port      {airflow.PREFERRED_PORT} is held by {holder}: this Airflow took {found.port}")
    for other in others:
        say(f"  also      an Airflow of {other.home} runs at {other.address}; to stop that: {_down(other)}")


def _down(other: Running) -> str:
    return f"make down {config.HOME}={shlex.quote(str(other.home))}"
