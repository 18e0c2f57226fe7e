"""What a checkout lacks, each with the command that fixes it: its environments, then what `windrow doctor` says."""

import json
import subprocess
from collections.abc import Iterator

from stack import environments, uv
from stack.places import WINDROW
from stack.setting_up import AIRFLOW, JAVA_OF_DEBIAN, REDIS, SPARK, SetUpPart
from windrow.pipelines.logged import say
from windrow.pipelines.setting_up import Finding, summary
from windrow.schemas.errors import NotSetUp


def findings() -> list[Finding]:
    """Look at everything; the order is that in which things must be fixed."""
    # Only what makes environments needs it.
    has_uv = all(map(environments.is_current, environments.wanted())) or uv.find()
    of_uv = Finding("uv") if has_uv else Finding("uv", "it is neither on PATH nor in var/uv", "make setup")
    return [of_uv, *map(_part, (JAVA_OF_DEBIAN, REDIS, SPARK, AIRFLOW)), *_of_windrow()]


def run() -> int:
    """Print every finding; 0 when nothing is missing or wrong, else the exit code of NotSetUp."""
    found = findings()
    for finding in found:
        say(f"{finding.state:5}  {finding.subject}")
        if finding.wrong:
            say(f"         {finding.wrong}\n         fix it with: {finding.fix}")
    say(summary(found))
    return NotSetUp.exit_code if any(finding.state == "wrong" for finding in found) else 0


def _part(part: SetUpPart) -> Finding:
    if part is AIRFLOW and environments.AIRFLOW not in environments.wanted():
        wrong = "this image has none, and runs without"
        return Finding(part.subject, wrong, "take the image windrow-airflow", optional=True)
    return Finding.of(part)


def _of_windrow() -> Iterator[Finding]:
    if not WINDROW.exists():
        yield Finding("what windrow setup brings", "it is missing", "make setup")
        return
    examined = subprocess.run([WINDROW, "doctor", "--json"], stdout=subprocess.PIPE, text=True, check=False)
    for each in json.loads(examined.stdout or "[]"):
        if each["subject"] != JAVA_OF_DEBIAN.subject:
            yield Finding(**each)
