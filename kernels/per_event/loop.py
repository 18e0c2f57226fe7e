"""The one compiled call: all keys, each by the kernel that its events ask for."""

from kernels.per_event.context import PerEvent, allocate_batch, release_batch
from kernels.runtime.calls import call
from kernels.runtime.guarded import guarded_entry
from kernels.runtime.memory import inner
from kernels.runtime.struct import words_at


@guarded_entry
def answer_keys(context: PerEvent, offsets, keys):
    """Answer every event of every key, by the kernel that it was given. offsets: address of words, where keys begin."""
    offsets = words_at(offsets)
    _allocate(context)
    for key in range(keys):
        call(context.kernel_of_key[key].answer, context, offsets[key], offsets[key + 1])
    _release(context)


@inner
def _allocate(context):
    allocate_batch(context)
    for number in range(context.kernel_count):
        kernel = context.kernels[number]
        if kernel.allocate != 0:
            call(kernel.allocate, context)


@inner
def _release(context):
    for number in range(context.kernel_count):
        kernel = context.kernels[number]
        if kernel.release != 0:
            call(kernel.release, context)
    release_batch(context)
