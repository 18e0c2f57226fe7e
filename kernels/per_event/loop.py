"""The one compiled call: all keys, each by the kernel that its events ask for."""

from kernels.per_event.context import PerEvent, allocate_batch, release_batch
from kernels.runtime.calls import call
from kernels.runtime.guarded import guarded_entry
from kernels.runtime.memory import inner
from kernels.runtime.struct import words_at


@guarded_entry
def answer_keys(run: PerEvent, offsets, keys):
    """Answer every event of every key, by the kernel that it was given. offsets: address of words, where keys begin."""
    offsets = words_at(offsets)
    _allocate(run)
    for key in range(keys):
        call(run.kernel_of_key[key].answer, run, offsets[key], offsets[key + 1])
    _release(run)


@inner
def _allocate(run):
    allocate_batch(run)
    for number in range(run.kernel_count):
        kernel = run.kernels[number]
        if kernel.allocate != 0:
            call(kernel.allocate, run)


@inner
def _release(run):
    for number in range(run.kernel_count):
        kernel = run.kernels[number]
        if kernel.release != 0:
            call(kernel.release, run)
    release_batch(run)
