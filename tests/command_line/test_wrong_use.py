"""A command that was used wrongly says which help shows how."""

import pytest

from pipelines.cli._app import command_names


@pytest.mark.parametrize("command", command_names())
def test_a_wrong_use_of_a_command_ends_with_the_help_of_that_command(here, command):
    ended = here(command, "--no-such-option")
    assert ended.code == 2 and ended.error.endswith(f"\nwindrow {command} --help shows what there is\n")


def test_a_command_that_there_is_not_ends_with_the_help_of_all(here):
    assert here("reply").error.endswith("\nwindrow --help shows what there is\n")
