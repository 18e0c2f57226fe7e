"""What a farm needs before its first tuple, and gives back when all of its threads have ended."""

from kernels.farm import chunks, inbox, monitor
from kernels.farm.chunks import release_oldest
from kernels.farm.deques import release_block
from kernels.farm.inbox import release_blocks
from kernels.farm.layout import Farm
from kernels.runtime.memory import inner, release


def least_held(farm: Farm):
    """So many bytes a farm must be allowed to hold, or it could take no tuple."""
    return inbox.least_held(farm) if farm.is_active else chunks.least_held(farm)


def create_all(farm: Farm):
    """The monitors, of the farm and of each inbox."""
    monitor.create(farm.monitor)
    for number in range(farm.worker_count):
        monitor.create(farm.workers[number].inbox.monitor)


def release_all(farm: Farm):
    """Give all memory back that was asked for by compiled code. Nobody is at work."""
    for key in range(farm.keys):
        stream = farm.streams[key]
        while stream.oldest != 0:
            release_oldest(farm, stream)
        stream.youngest = stream.chunk = stream.place = 0
    for number in range(farm.worker_count):
        release_worker(farm, farm.workers[number])
    release_blocks(farm.spare)
    monitor.end(farm.monitor)


@inner
def release_worker(farm, worker):
    """Its scratch memory, its list of stretches, its private buffers and its inbox."""
    release(worker.content.scratch.address)
    release(worker.content.stretches.address)
    if farm.is_active:
        for key in range(farm.keys):
            release_block(worker.deques[key])
        release_blocks(worker.inbox.first)
    monitor.end(worker.inbox.monitor)
