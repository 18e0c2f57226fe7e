"""Memory with named fields: a class whose annotations say what stands where, reached by address.

    class Leaf(Struct):
        end: Count                      +0    leaf.end += 1
        times: Tail(Microseconds)       +8    leaf.times[i]

In compiled code a structure is its address and nothing else: `Leaf(address)` costs nothing, `leaf.end` is one load.
In plain Python the same classes read and write the same memory, so checks of invariants and tests say `leaf.end` too;
with NUMBA_DISABLE_JIT=1 kernels run that way, every access checked (checked_memory.py).

Tried first: numbered words (`load(leaf, END)`), which read like assembler; and `numba.from_dtype` records, as fast (a
loop over a ring buffer: 0.134 s against 0.145 s by numbers), but without fields of other structures by address, flags,
tails of a length that is known only while running, or units.
"""

import operator
from typing import Self

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import (
    infer_getattr,
    lower_builtin,
    lower_cast,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    overload,
    register_model,
    type_callable,
)

from windrow.kernels.runtime.fields import WORD_BYTES, AddressType, Byte, Elements, PointerType, StructType, Word
from windrow.kernels.runtime.memory import address_of, instruction, resize
from windrow.kernels.runtime.numba_names import AttributeTemplate

_I64 = ir.IntType(64)
BYTE = Byte("byte")


def _keep_address(context, builder, made, arguments):
    return arguments[0]


@instruction(PointerType(Word)(types.int64), _keep_address)
def words_at(address):
    """The words from an address on: of a state, or of a block that is nothing else."""
    return Elements(address, Word)


@instruction(PointerType(BYTE)(types.int64), _keep_address)
def bytes_at(address):
    """The bytes from an address on."""
    return Elements(address, BYTE)


class Struct:
    """A structure at an address. Subclasses annotate fields by the kinds of fields.py, in the order of memory."""

    __slots__ = ("address", "_kept")
    fields: dict = {}
    offsets: dict = {}
    size_bytes = 0

    def __init_subclass__(cls):
        cls.fields = cls.fields | cls.__annotations__  # what a structure has in common with another stands first
        cls.offsets, cls.size_bytes = {}, 0
        for name, field in cls.fields.items():
            if name in TAKEN:
                raise TypeError(f"{cls.__name__} has a field {name}, which every structure has; choose another name")
            cls.offsets[name] = cls.size_bytes
            cls.size_bytes += field.size_bytes
            setattr(cls, name, _property(cls.offsets[name], field))
        cls.numba_type = StructType(cls)
        _make_constructor(cls)

    def __init__(self, address):
        object.__setattr__(self, "address", int(address))

    def __index__(self) -> int:
        return self.address

    def __setattr__(self, name, value):
        if name not in self.fields:
            raise AttributeError(f"{type(self).__name__} has no field {name}; it has {', '.join(self.fields)}")
        object.__setattr__(self, name, value)

    @classmethod
    def make(cls, **values) -> Self:
        """A structure whose memory lives as long as this object, and with it the arrays and structures given for its
        pointers. What isn't given is 0."""
        memory = np.zeros(-(-cls.size_bytes // WORD_BYTES), np.int64)
        made = cls(address_of(memory))
        object.__setattr__(made, "_kept", [memory, values])
        for name, value in values.items():
            setattr(made, name, address_of(value) if isinstance(value, np.ndarray) else value)
        return made


TAKEN = ("address", "fields", "offsets", "size_bytes", "numba_type", "make")


def _property(offset: int, field) -> property:
    def get(self):
        return field.get(self.address + offset)

    def set_field(self, value):
        field.set(self.address + offset, value)

    return property(get, set_field if hasattr(field, "set") else None)


def _clear(context, builder, made, arguments):
    address, words = arguments
    pointer, one = builder.inttoptr(address, ir.IntType(8).as_pointer()), ir.IntType(1)
    memset = builder.module.declare_intrinsic("llvm.memset", [pointer.type, _I64])
    size = builder.shl(words, ir.Constant(_I64, 3))
    builder.call(memset, [pointer, ir.Constant(ir.IntType(8), 0), size, ir.Constant(one, 0)])
    return context.get_dummy_value()


@instruction(types.void(types.int64, types.int64), _clear)
def clear_words(address, words):
    """Make so many words from an address on 0. O(words)."""
    for place in range(words):
        words_at(address)[place] = 0


def allocate(struct):
    """A new structure, all zero; the one that asks for it releases it. Also in compiled code. O(words)."""
    words = -(-struct.size_bytes // WORD_BYTES)
    address = resize(0, words)
    clear_words(address, words)
    return struct(address)


# From here on: what Numba must know.


class AddressModel(models.PrimitiveModel):
    def __init__(self, manager, numba_type):
        super().__init__(manager, numba_type, _I64)


register_model(StructType)(AddressModel)
register_model(PointerType)(AddressModel)


def _make_constructor(struct: type) -> None:
    @type_callable(struct)
    def _(context):
        return lambda address: struct.numba_type if isinstance(address, types.Integer | StructType) else None

    @lower_builtin(struct, types.Integer)
    @lower_builtin(struct, StructType)
    def _(context, builder, made, arguments):
        return context.cast(builder, arguments[0], made.args[0], types.int64)


@lower_cast(AddressType, types.int64)
@lower_cast(types.int64, PointerType)  # a field of pointers is set to an address
def cast_address(context, builder, from_type, to_type, address):
    return address


@infer_getattr
class _Fields(AttributeTemplate):
    key = AddressType

    def generic_resolve(self, address_type, name):
        if name == "address":
            return types.int64
        field = address_type.struct.fields.get(name) if isinstance(address_type, StructType) else None
        return None if field is None else field.numba_type


@lower_getattr_generic(AddressType)
def _get_field(context, builder, address_type, address, name):
    if name == "address":
        return address
    struct = address_type.struct
    return struct.fields[name].load(builder, builder.add(address, ir.Constant(_I64, struct.offsets[name])))


@lower_setattr_generic(StructType)
def _set_field(context, builder, made, arguments, name):
    address, value = arguments
    struct = made.args[0].struct
    struct.fields[name].store(builder, builder.add(address, ir.Constant(_I64, struct.offsets[name])), value)


@type_callable(operator.getitem)
def _(context):
    def of(pointer, place):
        if isinstance(pointer, PointerType) and isinstance(place, types.Integer):
            return pointer.element.numba_type(pointer, types.int64)
        is_from = isinstance(pointer, PointerType) and isinstance(place, types.SliceType)
        return pointer(pointer, place) if is_from else None

    return of


@type_callable(operator.setitem)
def _(context):
    def of(pointer, place, value):
        is_element = isinstance(pointer, PointerType) and isinstance(place, types.Integer)
        return types.void(pointer, types.int64, value) if is_element else None

    return of


def _element(builder, pointer_type, address, place):
    size = ir.Constant(_I64, pointer_type.element.size_bytes)
    return builder.add(address, builder.mul(place, size))


@lower_builtin(operator.getitem, PointerType, types.Integer)
def _get_element(context, builder, made, arguments):
    return made.args[0].element.load(builder, _element(builder, made.args[0], *arguments))


@lower_builtin(operator.getitem, PointerType, types.SliceType)
def _get_from(context, builder, made, arguments):
    start = context.make_helper(builder, made.args[1], arguments[1]).start
    return _element(builder, made.args[0], arguments[0], start)


@lower_builtin(operator.setitem, PointerType, types.Integer, types.Any)
def _set_element(context, builder, made, arguments):
    pointer_type, (address, place, value) = made.args[0], arguments
    value = context.cast(builder, value, made.args[2], pointer_type.element.numba_type)
    pointer_type.element.store(builder, _element(builder, pointer_type, address, place), value)


@overload(allocate)
def _compiled_allocate(struct):
    words = -(-struct.typing_key.size_bytes // WORD_BYTES)

    def made(struct):
        address = resize(0, words)
        clear_words(address, words)
        return struct(address)

    return made
