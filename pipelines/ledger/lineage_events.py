"""Who is told what steps read and wrote: a backend of OpenLineage, where the settings of its client name one; where an
operator of Airflow has started the command, the file that this reads, since that tells the backend itself.

No run fails because of a backend, or waits for long: after the first event that does not arrive, a process tells no
more.
"""

import atexit
import logging
import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import openlineage
from windrow.pipelines.ledger.lineage import RecordedStep, of_step
from windrow.pipelines.ledger.openlineage import StepLineage
from windrow.pipelines.ledger.running import RUNNING
from windrow.pipelines.location import set_up

if TYPE_CHECKING:
    from openlineage.client import OpenLineageClient

MOST_WAIT_S = 5.0
"""For one event: the client's own tries may take longer."""
_NAMED_BY = ("OPENLINEAGE_URL", "OPENLINEAGE_CONFIG", "OPENLINEAGE__TRANSPORT")
_FILE = "openlineage.yml"
_gave_up = Event()
_log = logging.getLogger(__name__)


def tell(lake: Lake, steps: Iterable[RecordedStep]) -> None:
    """Of steps that begin, or have ended. O(columns of their tables)."""
    file = os.environ.get(openlineage.FILE)
    if _gave_up.is_set() or lake.config.is_trial or not (file or _is_named()):
        return
    try:
        for found in (of_step(lake, step) for step in steps):
            _note(found, Path(file)) if file else _emit(found)
    except Exception as error:  # of any library: what the steps did is done
        _gave_up.set()
        # Of a URL with a password, none of it.
        why = re.sub(r"//[^/\s]+@", "//…@", f"{type(error).__name__}: {error}".splitlines()[0][:500])
        _log.warning(
            "this command tells OpenLineage no more, since an event could not be sent: %s. The run goes on. Look "
            "at the settings of OpenLineage's client, such as OPENLINEAGE_URL; OPENLINEAGE_DISABLED=true turns it off",
            why,
        )


def _is_named() -> bool:
    """Whether the client would find a backend; to ask it would import it, which takes longer than some commands."""
    if os.environ.get("OPENLINEAGE_DISABLED", "").lower().strip() == "true":
        return False
    named = any(value for name, value in os.environ.items() if name.startswith(_NAMED_BY))
    folders = Path(), Path(os.environ.get("HOME", "."), ".openlineage")
    return named or any((folder / _FILE).is_file() for folder in folders)


def _note(step: StepLineage, file: Path) -> None:
    """For the operator: when a task begins, nothing is known yet."""
    if step.state != RUNNING:
        with file.open("a") as lines:
            lines.write(f"{step.as_json}\n")


def _emit(step: StepLineage) -> None:
    """Raises what the client raises, and TimeoutError."""
    client, event, raised = _client(), openlineage.event(step), list[Exception]()

    def emit() -> None:
        try:
            client.emit(event)
        except Exception as error:
            raised.append(error)

    sending = Thread(target=emit, daemon=True)
    sending.start()
    sending.join(MOST_WAIT_S)
    if sending.is_alive():
        raise TimeoutError(f"no answer within {MOST_WAIT_S:.0f} s")
    for error in raised:
        raise error


@cache
def _client() -> "OpenLineageClient":
    try:
        from openlineage.client import OpenLineageClient
    except ModuleNotFoundError as missing:
        install = set_up('pip install "windrow[openlineage]"')
        raise ModuleNotFoundError(f"OpenLineage's client isn't installed; fix it with: {install}") from missing
    logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)  # a line for each of its tries
    client = OpenLineageClient()
    atexit.register(client.close, MOST_WAIT_S)  # what a transport has in a queue
    return client
