"""What is wrong with a home's Airflow, component by component, and the command that fixes it."""

from pathlib import Path

from processes import marked
from stack import components, rest, restarts, settings
from stack.airflow import Running, running
from stack.places import make

SHOWN = 5


def of(home: Path) -> tuple[str, str]:
    """What is wrong and what fixes it; both empty where all is well, or no Airflow runs."""
    found = running(home)
    if found is None:
        left = marked.marked(settings.mark(home))
        listed = "; ".join(f"{pid} {marked.describe(pid)[:60]}" for pid in left[:SHOWN])
        return (f"{len(left)} run, but no component of Airflow: {listed}", make("down")) if left else ("", "")
    if wrong := [_died(home, name) for name in found.dead()]:
        return "; ".join(wrong), make("up")
    if silent := _silent(found):
        return "; ".join(silent), f"{make('down')} && {make('up')}   # or wait, where the machine is only busy"
    return "", ""


def _died(home: Path, name: str) -> str:
    if name == components.WATCHER:
        return "the watcher has ended: what dies of Airflow is not started again"
    again = f", {restarts.LIMIT}, and is not started again any more" if name in restarts.read(home).given_up else ""
    return f"the {name} has ended{again} ({components.log(home, name)})"


def _silent(found: Running) -> list[str]:
    alive = components.alive(found.home)
    names = ["api-server"] if not rest.healthy(found.port) else rest.silent(found.port)
    return [f"the {name} runs (process {alive.get(name, '?')}), but does not answer" for name in names]
