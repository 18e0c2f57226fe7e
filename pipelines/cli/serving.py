"""Commands that start and stop Airflow over this home, and its own command line."""

import argparse
import os
import shlex
import subprocess
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer

from windrow.pipelines import config
from windrow.pipelines.airflow import Running, airflow_home, components, running, server, settings
from windrow.pipelines.cli import _output
from windrow.pipelines.cli._options import AsJson, examples
from windrow.pipelines.config import Config
from windrow.pipelines.location import Location, is_local, parsed, typed
from windrow.schemas.errors import NotSetUp, WrongParameter

commands = typer.Typer()
# What becomes of days that have a run already: the words of Airflow's command and of its server.
REPROCESS = ("none", "failed", "completed")
# All behind the first word is Airflow's, `--help` too.
AIRFLOWS_OWN = {"ignore_unknown_options": True, "allow_interspersed_args": False}


@commands.command(epilog=examples("windrow up", "windrow up --landing ~/trips"))
def up(
    landing: Annotated[
        str, typer.Option(metavar="FOLDER", help="The landing folder of this and every later command; else as before.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Start Airflow with the DAGs of this project and leave it running; print its address and login."""
    asked = _landing(landing)
    home = config.load()
    require_home(home.here)
    if found := running(home.here):
        _complete(found, asked)
    else:
        make_landing(home, asked or home.landing)
        settings.airflow(), settings.dags_folder()
        _output.note("Airflow starts (about 30 s)")
        found = server.start(home.here, asked or home.landing)
        if asked is not None:
            config.keep_landing(home.home, asked)
    _output.show_facts(_facts(found), as_json)


@commands.command(epilog=examples("windrow down"))
def down(as_json: AsJson = False) -> None:
    """Stop the Airflow of this home, and all that its tasks have started."""
    home = config.load().here
    _output.show_facts({"home": str(home), "processes_ended": server.stop(home)}, as_json)
    for other in server.others(home):
        _output.note(f"the Airflow of {other.home} goes on; to stop it too: {_down(other)}")


@commands.command(context_settings=AIRFLOWS_OWN, epilog=examples("windrow airflow backfill create --help"))
def airflow(
    words: Annotated[list[str], typer.Argument(metavar="WORDS...", help="A command of Airflow's, with its options.")],
) -> int:
    """Run Airflow's own command line over this home: without this `airflow` finds another database, and no DAG."""
    home = config.load()
    if found := running(home.here):
        if days := _days_of_backfill(words):
            number, dag = found.client().backfill(**days), days["dag"]
            _output.note(f"backfill {number}: {found.address}/dags/{dag}/backfills")
            return 0
        environment = found.environment
    elif airflow_home(home.here).is_dir():
        environment = settings.airflow_environment(home.here, server.PREFERRED_PORT, home.landing)
    else:
        raise NotSetUp(f"no Airflow was started over {home.here} yet", typed("up"))
    quiet = {"PYTHONWARNINGS": "ignore:Could not import graphviz"}  # which only one command of Airflow's needs
    return subprocess.run([settings.airflow(), *words], env=environment | quiet, check=False).returncode


def make_landing(home: Config, landing: Location) -> None:
    """Make the home's own landing folder. NotSetUp where another is missing: its name may be wrong, its disk absent."""
    if isinstance(landing, Path) and landing == home.home / "landing":
        landing.mkdir(parents=True, exist_ok=True)
    if is_local(landing) and not landing.is_dir():
        raise NotSetUp(
            f"the landing folder {landing} does not exist",
            f"mkdir -p {shlex.quote(str(landing))}   # or --landing FOLDER",
        )


def require_home(home: Path) -> None:
    """NotSetUp where this user can't write to the home, such as that of a checkout's owner."""
    there = next(parent for parent in (home, *home.parents) if parent.exists())
    if not os.access(there, os.W_OK | os.X_OK):
        what = f"{there} belongs to another user, and you can't write there; have a home of your own"
        raise NotSetUp(what, typed("up", "~/windrow"))


def _landing(asked: str) -> "Location | None":
    if not asked:
        return None
    found = parsed(asked, "--landing")
    if is_local(found) and not found.is_dir():
        raise WrongParameter("--landing", asked, "a folder that exists")
    return found


def _complete(found: Running, landing: "Location | None") -> None:
    has = _landing_of(found)
    if landing is not None and str(landing) != has:
        raise NotSetUp(f"Airflow runs with the landing folder {has}", f"{typed('down')}   # then this again")
    _output.note("Airflow is running already")
    if started := server.complete(found):
        _output.note(f"started again, since they had ended: {', '.join(started)}")


def _landing_of(found: Running) -> str:
    return found.environment.get(config.LANDING, str(found.home / "landing"))


def _facts(found: Running) -> dict[str, Any]:
    if found.port != (wanted := server.PREFERRED_PORT):
        _output.note(f"port {wanted} was taken; by which process: ss -ltnp 'sport = :{wanted}'")
    for other in server.others(found.home):
        _output.note(f"an Airflow of {other.home} runs at {other.address} too; to stop it: {_down(other)}")
    logs = components.logs(found.home)
    return {
        "address": found.address,
        "login": settings.login(found.home),
        "home": str(found.home),
        "landing": _landing_of(found),
        "logs": str(logs),
        "stop_with": typed("down"),
    }


def _down(other: Running) -> str:
    return typed("down", shlex.quote(str(other.home)))


def _days_of_backfill(words: list[str]) -> dict[str, Any] | None:
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
    if asked.first and asked.last and asked.first > asked.last:
        raise WrongParameter("--from-date", f"{asked.first}", f"a day that is not after --to-date, {asked.last}")
    is_whole = words[:2] == ["backfill", "create"] and not others and asked.dag and asked.first and asked.last
    return vars(asked) if is_whole else None
