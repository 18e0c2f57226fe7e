"""`make` prints every command, one line each, and each is really there. The workflows of .github/ run what users run:
targets of the Makefile, each within an hour, and every part of the nightly set. actionlint checks their syntax; that is
not here."""

import re
import subprocess
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import pytest
import yaml

from stack import __main__ as stack_commands
from stack import debian
from stack.places import REPOSITORY
from tests.support import images, postgres

WORKFLOWS = REPOSITORY / ".github" / "workflows"
MAKEFILE = (REPOSITORY / "Makefile").read_text()
TARGETS = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE).group(1).split()
MAKE = re.compile(r"(?:sudo )?make ([a-z-]+)((?: [A-Z]+=\S+)*)")
# As the messages name them where the program is missing.
INSTALL = {
    debian.fix(debian.REDIS),
    f"sudo sh -c 'apt-get update && {postgres.INSTALL}'",
    f"sudo sh -c '{images.INSTALL}'",
}
HOUR = 60
# What takes longer: in parts.
DIVIDED = {"nightly-tests", "nightly-operations"}
PART_OF = re.compile(r"PART=(\d+)/(\d+)")
ACTION = re.compile(r"actions/[a-z-]+@v\d+")
README_ROW = re.compile(r"^\| (`make [^|]+) \| [^|]+ \| (each [^|,]+)[^|]* \|$", re.MULTILINE)
RUN_WHEN = {"each push": "check-and-test", "each night": "nightly"}


class Job(NamedTuple):
    """A job, with its commands as each case of its matrix runs them."""

    workflow: str
    name: str
    settings: dict
    commands: list[str]


def jobs() -> Iterator[Job]:
    for path in sorted(WORKFLOWS.iterdir()):
        for name, settings in yaml.safe_load(path.read_text())["jobs"].items():
            yield Job(path.stem, name, settings, list(commands_of(settings)))


def commands_of(settings: dict) -> Iterator[str]:
    matrix = settings.get("strategy", {}).get("matrix", {})
    for case in product(*matrix.values()):
        for step in settings["steps"]:
            command = step.get("run", "")
            for name, value in zip(matrix, case, strict=True):
                command = command.replace(f"${{{{ matrix.{name} }}}}", str(value))
            if command:
                yield command


def test_every_command_is_a_target_that_uses_its_variables_or_installs_what_a_message_names():
    assert not [f"{job.workflow}: {each}" for job in jobs() for each in job.commands if not is_known(each)]


def is_known(command: str) -> bool:
    if command in INSTALL:
        return True
    make = MAKE.fullmatch(command)
    return make is not None and make[1] in TARGETS and all(uses(make[1], word) for word in make[2].split())


def uses(target: str, variable: str) -> bool:
    """Whether a variable's value appears in what make would run."""
    words = ["make", "--no-print-directory", "--dry-run", target, variable]
    ran = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    return variable.partition("=")[2] in ran.split()


def test_every_job_ends_within_an_hour():
    within = range(1, HOUR + 1)
    assert not [f"{job.workflow}: {job.name}" for job in jobs() if job.settings.get("timeout-minutes") not in within]


def test_the_parts_of_a_divided_target_are_all_of_it():
    parts = {job.name: parts_of(job) for job in jobs() if DIVIDED & targets_of(job)}
    assert parts
    assert not {name: found for name, found in parts.items() if found != every_part(len(found))}


def targets_of(job: Job) -> set[str]:
    return {make[1] for each in job.commands if (make := MAKE.fullmatch(each))}


def parts_of(job: Job) -> list[tuple[int, int]]:
    return [(int(found[1]), int(found[2])) for each in job.commands if (found := PART_OF.search(each))]


def every_part(parts: int) -> list[tuple[int, int]]:
    return [(part, parts) for part in range(1, max(parts, 2) + 1)]


def test_the_page_of_the_tests_says_what_runs_when():
    rows = README_ROW.findall((REPOSITORY / "tests/README.md").read_text())
    listed = {(RUN_WHEN[when], target) for cell, when in rows for target in re.findall(r"make ([a-z-]+)", cell)}
    run = {(job.workflow, target) for job in jobs() for target in targets_of(job)}
    assert {each for each in run if each[0] in RUN_WHEN.values()} == listed


def test_a_workflow_may_only_read_and_its_actions_are_pinned_and_get_the_whole_history():
    files = {path: yaml.safe_load(path.read_text()) for path in WORKFLOWS.iterdir()}
    assert not [path.name for path, workflow in files.items() if workflow["permissions"] != {"contents": "read"}]
    steps = [
        (f"{job.workflow}: {job.name}", step) for job in jobs() for step in job.settings["steps"] if "uses" in step
    ]
    assert not [f"{where}: {step['uses']}" for where, step in steps if not is_pinned_or_ours(step)]
    checkouts = [(where, step["with"]) for where, step in steps if step["uses"].startswith("actions/checkout@")]
    assert not [where for where, options in checkouts if options["fetch-depth"] != 0]


def is_pinned_or_ours(step: dict) -> bool:
    used = step["uses"]
    return bool(ACTION.fullmatch(used)) or (REPOSITORY / used / "action.yml").is_file()


def shown_by_make(*arguments: str) -> list[str]:
    # `make test` runs these tests too, and a make within a make names its folder.
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_menu_has_one_line_for_every_target_and_names_what_it_does():
    menu = shown_by_make()
    assert sorted(line.split()[1] for line in menu) == sorted(set(TARGETS) - {"menu"})
    assert all(len(line.split()) > 3 for line in menu)


MODULES = set(re.findall(r"PYTHON\) -m ([a-z_.]+)", MAKEFILE)) - {"stack", "pytest", "ruff", "mypy", "mkdocs"}


@pytest.mark.parametrize("module", sorted(MODULES))
def test_every_module_that_make_runs_exists(module):
    path = REPOSITORY / module.replace(".", "/")
    assert path.with_suffix(".py").exists() or (path / "__main__.py").exists()


@pytest.mark.parametrize("command", sorted(set(re.findall(r"\$\(STACK\) ([\w-]+)", MAKEFILE))))
def test_every_command_of_the_stack_that_make_runs_exists(command):
    assert stack_commands._arguments().parse_args([command]).command == command


def test_ci_calls_what_people_call_the_checks_and_then_every_test():
    lines = (REPOSITORY / ".ci" / "run").read_text().splitlines()
    assert [line for line in lines if "make" in line] == ["make check </dev/null", "exec make test </dev/null"]


@pytest.mark.parametrize("target", ["demo", "up", "down", "setup"])
def test_make_starts_what_starts_processes_without_a_shell_that_would_keep_signals(target):
    assert not set("\n".join(shown_by_make("-n", target))) & set("\"'$;|&<>()*`\\")
