"""What distinguishes the models of workers: the compiled functions by which windows are handed out and computed."""

from functools import cache

from kernels.farm import active, agnostic, sorted_tuples
from kernels.farm.check import count_broken
from kernels.farm.descriptors import close, fail, ready, stop_overdue, wait_for_change
from kernels.farm.emitter import feed, finish_all, finish_key
from kernels.farm.ending import create_all, least_held, release_all
from kernels.farm.layout import Descriptor, Farm, Substream, TupleBatch, Worker
from kernels.runtime.fields import Code, Count, Flag, Microseconds, Place
from kernels.runtime.operations import Operation
from kernels.runtime.struct import Struct
from kernels.runtime.tables import compiled_table
from schemas.errors import WrongParameter

MODELS = {"active": active, "agnostic": agnostic}
OWN = ("hand_out", "work", "find_content")
COMMON = (
    feed,
    finish_key,
    finish_all,
    fail,
    ready,
    wait_for_change,
    stop_overdue,
    close,
    create_all,
    release_all,
    count_broken,
    least_held,
)


class FarmCalls(Struct):
    """What Python and a farm's threads call. is_active: whether its workers are."""

    is_active: Flag()
    feed: Operation(Farm, TupleBatch)
    finish_key: Operation(Farm, Place)
    finish_all: Operation(Farm)
    hand_out: Operation(Farm, Substream, Microseconds, Count, Microseconds, Microseconds)
    hand_out_more: Operation(Farm, Count)
    find_content: Operation(Farm, Worker, Descriptor)
    work: Operation(Farm, Worker)
    fail: Operation(Farm, Worker, Code)
    ready: Operation(Farm)
    wait_for_change: Operation(Farm, Count, Count, Count)
    stop_overdue: Operation(Farm, Code, Count)
    close: Operation(Farm, Code)
    create_all: Operation(Farm)
    release_all: Operation(Farm)
    count_broken: Operation(Farm)
    least_held: Operation(Farm)


@cache
def calls(model: str) -> FarmCalls:
    """The compiled functions of a model. WrongParameter for one that isn't there."""
    if model not in MODELS:
        raise WrongParameter("model", model, " or ".join(map(repr, MODELS)), MODELS)
    own = [getattr(MODELS[model], name) for name in OWN if hasattr(MODELS[model], name)]
    made = compiled_table(FarmCalls, f"farm_{model}", {each.__name__: each for each in (*COMMON, *own)})
    made.is_active = MODELS[model] is active
    return made


@cache
def given_calls() -> FarmCalls:
    """Those of a farm whose tuples are all here: agnostic workers, which find them sorted."""
    own = (agnostic.work, sorted_tuples.find_content, sorted_tuples.hand_out_more)
    return compiled_table(FarmCalls, "farm_given", {each.__name__: each for each in (*COMMON, *own)})
