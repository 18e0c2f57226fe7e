"""A farm as a Python object: the caller's thread is the emitter and the collector, and each worker is a thread. It is
fed by `insert`, `finish_key` and `finish`, each of which waits where there is no room, and collects meanwhile."""

import time

import numpy as np

from windrow.kernels.columns import require_whole
from windrow.kernels.farm.check import check_farm
from windrow.kernels.farm.extents import require_context_free, served_window
from windrow.kernels.farm.functions import HeavyFunction, require_function
from windrow.kernels.farm.layout import ATTRIBUTE_FALLS, BACKWARDS, KEY_IS_OVER, TOO_LARGE
from windrow.kernels.farm.memory import FarmMemory, farm_calls
from windrow.kernels.farm.options import FarmOptions, fields_of, taken_tuples
from windrow.kernels.farm.results import Metrics, Results, metrics_of
from windrow.kernels.farm.running import A_QUARTER, ALL, RunningFarm
from windrow.kernels.runtime.fields import Elements
from windrow.kernels.runtime.one_at_a_time import OneAtATime, in_turn
from windrow.schemas.errors import BadInput, WrongParameter
from windrow.schemas.windows import Window

MODELS = ("active", "agnostic")
REASONS = {
    BACKWARDS: "the event time falls; sort a key's tuples by it: that",
    ATTRIBUTE_FALLS: "the attribute of the delta window falls; sort a key's tuples by it: that",
    KEY_IS_OVER: "comes a tuple behind finish_key",
}


class WindowFarm(OneAtATime):
    """One farm, used by one thread. Not a farm any more after an error, but to be closed.

    model: "active" or "agnostic"; window: of a kind that farms serve (extents.py)
    name: a function of kernels/farm/functions, or a HeavyFunction; workers: threads
    """

    def __init__(
        self, model: str, window: Window, name: str | HeavyFunction, workers: int | None, options: FarmOptions
    ):
        super().__init__()
        require_function(name)
        if not isinstance(model, str) or model not in MODELS:
            raise WrongParameter("model", model, " or ".join(map(repr, MODELS)), MODELS)
        if not isinstance(window, Window):
            raise WrongParameter("window", window, "one such as windrow.sliding makes")
        self._calls = farm_calls()
        self._tuples = taken_tuples(name, options)
        self.columns = self._tuples.names
        served = served_window(window, tuple(self.columns[place] for place in self._tuples.order), options.span_us)
        if model == "active":
            require_context_free(window, served)
        fields = fields_of(workers, self._tuples, served, options) | {"is_active": model == "active"}
        memory = FarmMemory(name, options.parameters, fields)
        self.output_names, self._farm = memory.output_names, memory.farm
        self._error: WrongParameter | BadInput | None = None
        self._began_s: float | None = None
        self._ended_s: float | None = None
        least = self._calls.least_held(self._farm.address)
        if options.most_held_bytes < least:
            whose = f"{self._farm.worker_count} {model} workers and {self._farm.columns} columns"
            raise WrongParameter("most_held_bytes", options.most_held_bytes, f"{least} or more, for {whose}")
        self._running = RunningFarm(memory, options.seconds_a_window)

    def __enter__(self) -> "WindowFarm":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @in_turn
    def insert(self, times_us: np.ndarray, values: np.ndarray, keys: np.ndarray | None = None) -> None:
        """Take tuples, in order of event time within each key; waits while windows that must be computed first take all
        the room. O(tuples + their windows).

        times_us: int64[tuples]; values: float64[tuples], or [columns, tuples]; keys: int64[tuples], 0 unless given
        Raises BadInput for a tuple out of order, beyond span_us or NaN; WrongParameter where the tuples of open windows
        need more than most_held_bytes; WorkerLost.
        """
        self._require_open()
        self._began_s = time.monotonic() if self._began_s is None else self._began_s
        batch = self._tuples.batch(times_us, values, keys)
        farm = self._farm
        self._running.end_overdue()
        while batch.done < batch.count:
            seen, before, was_idle = farm.changes, (batch.done, farm.handed_out), farm.computed == farm.handed_out
            self._calls.feed(farm.address, batch.address)
            self._raise_wrong(batch.keys)
            is_stuck = (batch.done, farm.handed_out) == before
            if is_stuck and was_idle and farm.lacks_memory and not farm.is_active:  # active ones read, and then go on
                raise _too_large(farm.most_held)
            self._running.end_overdue()
            if is_stuck:
                self._wait(seen)
            else:
                self._running.collect()

    @in_turn
    def finish_key(self, key: int) -> None:
        """The tuples of a key are over: its windows are complete. O(its windows that are open).

        Raises WrongParameter for a key that there is not; WorkerLost.
        """
        self._require_open()
        require_whole("key", key, 0, self._farm.keys - 1)
        self._finish(key, key + 1)

    @in_turn
    def finish(self) -> None:
        """All tuples are over: waits until all windows are computed. O(keys + windows). Raises WorkerLost."""
        self._require_open()
        farm = self._farm
        self._finish(0, farm.keys)
        while farm.collected < farm.handed_out:
            self._wait(farm.changes, ALL)
        self._raise_wrong()
        self._ended_s = time.monotonic()

    def _finish(self, key: int, end: int) -> None:
        """Ask until all windows of some keys are handed out."""
        seen = self._farm.changes
        while (key := self._calls.finish_keys(self._farm.address, key, end)) < end:
            self._wait(seen)
            seen = self._farm.changes

    @in_turn
    def take(self) -> Results:
        """The results since the last time, in window order. O(results · log results)."""
        return self._running.take()

    @in_turn
    def metrics(self) -> Metrics:
        """Of all windows that were computed until now. O(workers)."""
        until_s = time.monotonic() if self._ended_s is None else self._ended_s
        return metrics_of(self._farm, 0.0 if self._began_s is None else until_s - self._began_s)

    @in_turn
    def check(self) -> None:
        """AssertionError with the first invariant that doesn't hold (check.py)."""
        self._require_open()
        check_farm(self._farm)

    def close(self) -> None:
        """End the threads, windows that aren't computed yet included. Raises WorkerLost if one doesn't end."""
        with self._turns:
            self._running.close()

    def _require_open(self) -> None:
        self._running.require_open()
        self._raise_wrong()

    def _wait(self, seen: int, share: int = A_QUARTER) -> None:
        self._running.wait(seen, share)
        self._raise_wrong()

    def _raise_wrong(self, keys: Elements | None = None) -> None:
        """What ended the farm, also later, when its row and key are no longer those of the batch with these keys."""
        if self._error is None and self._farm.wrong:
            key = f" of key {keys[self._farm.wrong_row]}" if keys is not None else ""
            self._error = BadInput(f"at row {self._farm.wrong_row} {REASONS.get(self._farm.wrong)}{key}")
            if self._farm.wrong == TOO_LARGE:
                self._error = _too_large(self._farm.most_held)
        if self._error is not None:
            raise self._error


def _too_large(most: int) -> WrongParameter:
    return WrongParameter("most_held_bytes", most, "more: the tuples of the windows that are open take all of it")
