from pipelines.cli import _output
from pipelines.cli._options import AsJson

EXAMPLES = ("windrow doctor",)


def doctor(as_json: AsJson = False) -> int:
    """Say what is missing or wrong, each with the command that fixes it."""
    from schemas.errors import NotSetUp

    try:
        from stack import doctor as stack_doctor
    except ModuleNotFoundError as missing:  # the wheel leaves stack/ out
        wheel = "this windrow was installed as a wheel, and what doctor looks at is the set-up of a checkout"
        raise NotSetUp(wheel, "pip check   # its libraries; windrow check   # its definitions") from missing

    found = stack_doctor.findings()
    _output.show([vars(finding) for finding in found], as_json)
    summary, code = stack_doctor.ending(found)
    _output.note(summary)
    return code
