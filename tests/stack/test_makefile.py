"""`make` prints every command, one line each, and each is really there."""

import re
import subprocess

import pytest

from stack import __main__ as stack_commands
from stack.places import REPOSITORY

MAKEFILE = (REPOSITORY / "Makefile").read_text()
TARGETS = [name for name in re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.M).group(1).split() if name != "menu"]


def shown_by_make(*arguments: str) -> list[str]:
    # `make test` runs these tests too, and a make within a make names its folder.
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_menu_has_one_line_for_every_target_and_names_what_it_does():
    menu = shown_by_make()
    assert sorted(line.split()[1] for line in menu) == sorted(TARGETS)
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
