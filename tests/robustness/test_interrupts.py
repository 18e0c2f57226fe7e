"""Ctrl-C ends a command whenever it comes, also while Spark starts; 200 times: `make chaos MINUTES=0`."""

import pytest

from tests.support.interrupts import interrupted
from tests.support.lakes import PATIENT

pytestmark = [PATIENT, pytest.mark.slow, pytest.mark.jvm]


# From the first imports over the launch of the JVM to the first jobs.
@pytest.mark.parametrize("after_s", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.5, 2.5, 3.5, 5.0, 7.0])
def test_an_interrupt_while_spark_starts_ends_the_command_and_all_that_it_started(ingested, after_s):
    ended = interrupted(ingested, after_s)
    assert ended and ended.is_obeyed, ended
