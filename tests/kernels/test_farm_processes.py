"""Threads of a farm end with it, whatever interrupts it; a forked process has none; calls don't grow with the keys."""

import threading
from datetime import timedelta

import numpy as np
import pytest

from tests.support.kernels import heavy
from tests.support.kernels.marks import COMPILED, MODELS
from tests.support.processes import python
from windrow.kernels import farm
from windrow.kernels.runtime import operations
from windrow.schemas.windows import Tumbling

US = timedelta(microseconds=1)


@MODELS
@pytest.mark.parametrize("is_begun", [False, True])
def test_an_interrupt_while_threads_start_leaves_none(model, is_begun, monkeypatch):
    def interrupted(thread):
        if thread.name == "windrow-farm-1" and is_begun:
            start(thread)
        if thread.name == "windrow-farm-1":
            raise KeyboardInterrupt
        start(thread)

    start = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        farm.make(model, Tumbling(10 * US), heavy.IN_ORDER, 3)
    assert not heavy.workers_at_work()


FORKED = """
import os, sys, time
from datetime import timedelta
import numpy as np
from windrow.kernels import farm
from windrow.schemas.errors import WrongParameter
from windrow.schemas.windows import Tumbling
from tests.support.kernels import heavy
from tests.support.kernels.marks import COMPILED

made = farm.make(sys.argv[1], Tumbling(timedelta(microseconds=10)), heavy.IN_ORDER, 2)
made.insert(np.arange(100), np.ones(100))
while made.metrics().windows < 9:  # then both workers wait
    time.sleep(0.001)
if os.fork() == 0:
    try:
        made.insert(np.arange(100, 200), np.ones(100))
    except WrongParameter as error:
        assert "the farm is 'one of another process'" in str(error)
        sys.exit(7)
    sys.exit(1)
child, status = os.wait()
assert os.waitstatus_to_exitcode(status) == 7
made.finish()
assert len(made.take().key) == 10
made.close()
"""


@pytest.mark.nightly
@COMPILED
@MODELS
def test_a_forked_process_ends_and_leaves_the_farm_alone(model):
    ended = python("-c", FORKED, model, timeout=60)
    assert ended.returncode == 0, ended.stderr


@MODELS
def test_results_that_nobody_takes_are_few_pieces(model):
    with farm.make(model, Tumbling(10 * US), heavy.IN_ORDER, 2, ring=2) as made:
        for first in range(0, 2000, 10):
            made.insert(np.arange(first, first + 10), np.ones(10))
        made.finish()
        assert len(made._running._parts) <= 9
        assert made.take().number.tolist() == list(range(200))


@MODELS
def test_the_end_of_many_keys_is_a_few_calls(model, monkeypatch):
    def counted(*words):
        asked.append(words[0])
        return ask(*words)

    asked, ask = [], operations.ask
    with farm.make(model, Tumbling(10 * US), heavy.IN_ORDER, 2, keys=1000, ring=1 << 12) as made:
        made.insert(np.arange(1000), np.ones(1000), np.arange(1000))
        monkeypatch.setattr(operations, "ask", counted)
        made.finish()
        assert len(made.take().key) == 1000 and 0 < asked.count(made._calls.finish_keys) <= 2 and len(asked) < 500
