import json
import os
import subprocess
import sys
from importlib.util import find_spec

from pipelines.cli import _output
from pipelines.cli._options import AsJson

EXAMPLES = ("windrow doctor",)
# A process of its own: what it looks at is the set-up of the checkout, which is above this package.
COMMAND = (sys.executable, "-P", "-m", "stack", "doctor", "--json")


def doctor(as_json: AsJson = False) -> int:
    """Say what is missing or wrong, each with the command that fixes it."""
    from pipelines.config import REPOSITORY
    from schemas.errors import NotSetUp

    if find_spec("stack") is None:  # the wheel leaves it out
        wheel = "this windrow was installed as a wheel, and what doctor looks at is the set-up of a checkout"
        raise NotSetUp(wheel, "pip check   # its libraries; windrow check   # its definitions")
    # Of the checkout that runs, whichever is installed.
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    examined = subprocess.run(COMMAND, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if examined.stdout:
        found = json.loads(examined.stdout)
        _output.show(found["findings"], as_json)
        _output.note(found["summary"])
    return examined.returncode
