"""Compiled functions that a structure names by their addresses, each with the kinds of its words.

    class PointKernel(Struct):
        insert: Operation(Address, Microseconds, Address, Place)

    r.kernel.insert(r.structure, time, r.state, row)    compiled: a call by address, its words checked as it is compiled
    kernel.insert(tree, 3, state, -1)                   plain Python: KernelOutOfMemory where there is no memory

Every word is an integer or the address of a structure; a function that returns nothing may be called too, its word
means nothing. Without the JIT an address is the place of a function in a list.
"""

import operator

from llvmlite import ir
from numba import config, types
from numba.core.errors import TypingError
from numba.extending import intrinsic, lower_builtin, lower_cast, register_model

from windrow.kernels.runtime.addresses import function_at
from windrow.kernels.runtime.fields import AddressType, Integer, PointerType, StructType, Word
from windrow.kernels.runtime.guard import Guard, guarded_caller
from windrow.kernels.runtime.memory import entry, instruction, release, resize
from windrow.kernels.runtime.numba_names import alloca_once
from windrow.kernels.runtime.struct import AddressModel, cast_address

_I64 = ir.IntType(64)


class Operation(Integer):
    """The address of a compiled function over words that returns a word, or nothing; 0: there is none. kinds: of each
    word the kind of a field; or a structure, or its name where that comes later: its address, too, is given."""

    def __init__(self, *kinds):
        super().__init__("address of a function")
        self.kinds = kinds
        self.numba_type = OperationType(kinds)
        self._bound: dict[int, BoundOperation] = {}  # to make one anew took 2 % of a burst of 1,024 events

    def get(self, address):
        word = self.at(address).value
        if word not in self._bound:
            self._bound[word] = BoundOperation(word, self.kinds)
        return self._bound[word]


class BoundOperation(int):
    """An operation of one structure, as plain Python calls it."""

    def __new__(cls, address: int, kinds: tuple):
        made = super().__new__(cls, address)
        made.kinds = kinds
        return made

    def __call__(self, *words: int) -> int:
        """Raises KernelOutOfMemory; TypeError for another number of words than it takes."""
        if len(words) != len(self.kinds):
            raise TypeError(f"an operation over {_listed(self.kinds)} takes {len(self.kinds)} words, not {len(words)}")
        return ask(self, *words)


def ask(address: int, *words: int) -> int:
    """Call a function by its address, from plain Python, with words of any number: some µs more than the
    function. Raises KernelOutOfMemory."""
    if config.DISABLE_JIT:
        return int(function_at(address)(*map(operator.index, words)) or 0)  # nothing returned is 0 in compiled code
    with Guard() as guard:
        return _ask(guard.address, int(address), tuple(map(int, words)))


class OperationType(AddressType, types.Callable):
    """Numba's type of an operation: in compiled code it is the address and nothing else."""

    def __init__(self, kinds: tuple):
        self.kinds = kinds
        super().__init__(f"Operation({_listed(kinds)})")

    def get_call_type(self, context, args, kws):
        fits = len(args) == len(self.kinds) and all(map(_fits, args, self.kinds))
        if kws or not fits:
            given = ", ".join(map(str, (*args, *kws)))
            raise TypingError(f"an operation over {_listed(self.kinds)} can't be called with ({given})")
        return types.int64(*args).replace(recvr=self)

    def get_call_signatures(self):
        return (), False

    def get_impl_key(self, sig):
        return OperationType


def _fits(given: types.Type, kind) -> bool:
    """A structure's address stands for it; another structure does not."""
    if not isinstance(given, StructType):
        return isinstance(given, types.Integer | types.Boolean | PointerType | OperationType)
    return stands_for(given.struct, kind)


def stands_for(struct: type, kind) -> bool:
    """Whether a structure is of a kind of words: of one that is no structure, each is."""
    wanted = getattr(kind, "__name__", kind)
    return not isinstance(wanted, str) or wanted in (each.__name__ for each in struct.__mro__)


def _listed(kinds: tuple) -> str:
    return ", ".join(str(getattr(kind, "unit", getattr(kind, "__name__", kind))) for kind in kinds)


register_model(OperationType)(AddressModel)
for _kinds in ((types.int64, OperationType), (OperationType, OperationType)):
    lower_cast(*_kinds)(cast_address)


@lower_builtin(OperationType, types.VarArg(types.Any))
def _call(context, builder, made, arguments):
    address, *words = arguments
    words = [context.cast(builder, word, kind, types.int64) for word, kind in zip(words, made.args[1:], strict=True)]
    return _called(builder, address, words)


def _called(builder, address, words):
    kind = ir.FunctionType(_I64, [_I64] * len(words))
    return builder.call(builder.inttoptr(address, kind.as_pointer()), words)


def _answer(context, builder, made, arguments):
    address, *words = arguments
    answer = alloca_once(builder, _I64)
    flags = _called(builder, address, [*words, builder.ptrtoint(answer, _I64)])
    return context.make_tuple(builder, made.return_type, [builder.load(answer), flags])


@instruction(types.Tuple([types.int64] * 2)(*[types.int64] * 3), _answer)
def answer_of(address, one, other):
    """(word, flags): of an operation that writes a word to the address that it gets last, and returns flags."""
    place = resize(0, 1)
    flags, word = function_at(address)(int(one), int(other), place), Word.get(place)
    release(place)
    return word, flags


def _call_guarded(context, builder, made, arguments):
    guard, address, packed = arguments
    words = [builder.extract_value(packed, place) for place in range(len(made.args[2]))]
    return builder.call(guarded_caller(builder.module, len(words)), [guard, address, *words])


@intrinsic
def _guarded(typingctx, guard, address, words):
    return types.int64(types.int64, types.int64, words), _call_guarded


@entry
def _ask(guard, address, words):
    return _guarded(guard, address, words)
