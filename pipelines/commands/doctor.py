"""windrow doctor."""

from pipelines.commands import _output
from pipelines.commands._options import AsJson


def doctor(as_json: AsJson = False) -> int:
    """Say what is missing or wrong, each with the command that mends it."""
    from schemas.errors import NotSetUp
    from stack import doctor as stack_doctor

    found = stack_doctor.findings()
    _output.show([vars(finding) for finding in found], as_json)
    wrong = sum(bool(finding.wrong) for finding in found)
    _output.say(f"{wrong} of {len(found)} are missing or wrong" if wrong else "nothing is missing or wrong")
    return NotSetUp.exit_code if wrong else 0
