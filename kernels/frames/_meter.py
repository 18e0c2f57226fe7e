"""What a kernel of frames is at: who experiments has a function called whenever that changes (FRAMES).

    add      a tuple goes to its place in the buffer        merge     a frame takes in another's first tuple
    scope    where it goes, and which frame holds that      content   the tuples of a frame are found
    split    it and tuples behind it are cut                evict     frames and tuples go

Nobody else pays for it but by asking whether there is such a function. Kernels have no clock; the function may.
"""

from kernels.runtime.calls import call
from kernels.runtime.memory import inner

IDLE, ADD, SCOPE, SPLIT, MERGE, CONTENT, EVICT = range(7)
NAMES = ("idle", "add", "scope", "split", "merge", "content", "evict")
KINDS = len(NAMES)


@inner
def begin(s, kind):
    """From here on it is that kind of work."""
    if s.meter_call != 0:
        call(s.meter_call, s.meter, kind)
