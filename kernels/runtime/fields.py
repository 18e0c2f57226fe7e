"""Kinds of fields that a structure in memory has (struct.py): how wide each is, and how it is read and written.

Integer("µs")     a 64-bit integer; `Microseconds`, `Count`, … are such kinds, named by their unit
Flag()            True or False
Float("…")        a float64
Ref(Tree)         the address of another structure: `window.tree.height`
Pointer(Count)    the address of elements of a kind: `replay.arrivals[i]`, and `replay.arrivals[i:]` from i on
Inline(List)      another structure, inside this one: `replay.rows.used`
Array(Count, 40)  so many elements inside this one: `tree.left[level]`
Tail(Count)       elements behind this structure, as many as its memory has room for: `leaf.times[i]`
"""

import ctypes
import operator

from llvmlite import ir
from numba import types

from windrow.kernels.runtime.memory import WORD_BYTES, looking_at
from windrow.kernels.runtime.numba_names import Conversion

_I64 = ir.IntType(64)
SMALLEST, LARGEST = -(1 << 63), (1 << 63) - 1


class Integer:
    """A 64-bit integer of some unit."""

    size_bytes = WORD_BYTES
    numba_type = types.int64
    stored = _I64
    """LLVM's type in memory."""
    at = staticmethod(looking_at(ctypes.c_int64))

    def __init__(self, unit: str = ""):
        self.unit = unit

    def _pointer(self, builder, address):
        return builder.inttoptr(address, self.stored.as_pointer())

    def load(self, builder, address):
        """LLVM's value of the field at `address`."""
        return builder.load(self._pointer(builder, address))

    def store(self, builder, address, value):
        """Write LLVM's `value` to the field at `address`."""
        builder.store(value, self._pointer(builder, address))

    def get(self, address: int):
        """The field as a Python value."""
        return self.at(address).value

    def set(self, address: int, value) -> None:
        """Write a Python value. OverflowError beyond int64."""
        word = operator.index(value)
        if not SMALLEST <= word <= LARGEST:
            raise OverflowError(f"{value} does not fit a 64-bit word")
        self.at(address).value = word


class Flag(Integer):
    """True or False, in a word."""

    numba_type = types.boolean

    def load(self, builder, address):
        return builder.icmp_signed("!=", super().load(builder, address), ir.Constant(_I64, 0))

    def store(self, builder, address, value):
        super().store(builder, address, builder.zext(value, _I64))

    def get(self, address):
        return self.at(address).value != 0

    def set(self, address, value):
        super().set(address, 1 if value else 0)


class Float(Integer):
    """A float64."""

    numba_type = types.float64
    stored = ir.DoubleType()
    at = staticmethod(looking_at(ctypes.c_double))

    def set(self, address, value):
        self.at(address).value = value


class Byte(Integer):
    """An integer from 0 to 255 in a byte: an element of a NumPy array of bool, say."""

    size_bytes = 1
    stored = ir.IntType(8)
    at = staticmethod(looking_at(ctypes.c_uint8))

    def load(self, builder, address):
        return builder.zext(super().load(builder, address), _I64)

    def store(self, builder, address, value):
        super().store(builder, address, builder.trunc(value, self.stored))


class AddressType(types.Type):
    """What is an address and nothing else in compiled code."""

    def can_convert_to(self, typingctx, other):
        return Conversion.safe if other == types.int64 else None


class StructType(AddressType):
    """Numba's type of a structure."""

    def __init__(self, struct: type):
        self.struct = struct
        super().__init__(f"{struct.__module__}.{struct.__qualname__}")


class PointerType(AddressType):
    """Numba's type of the address of elements."""

    def __init__(self, element: Integer):
        self.element = element
        super().__init__(f"Pointer({element.numba_type}, {element.size_bytes})")


class Ref(Integer):
    """The address of another structure."""

    def __init__(self, struct: type):
        super().__init__("address")
        self.struct = struct
        self.numba_type = struct.numba_type

    def get(self, address):
        return self.struct(self.at(address).value)


class Pointer(Integer):
    """The address of elements of a kind."""

    def __init__(self, element: Integer):
        super().__init__("address")
        self.element = element
        self.numba_type = PointerType(element)

    def __call__(self, address: int) -> "Elements":
        """The elements at an address."""
        return Elements(address, self.element)

    def get(self, address):
        return self(self.at(address).value)


class Inline:
    """Another structure inside this one."""

    def __init__(self, struct: type):
        self.struct = struct
        self.size_bytes, self.numba_type = struct.size_bytes, struct.numba_type

    def load(self, builder, address):
        """LLVM's value: where it begins."""
        return address

    def get(self, address: int):
        """What begins there, to plain Python."""
        return self.struct(address)


class Array(Inline):
    """So many elements inside this structure."""

    def __init__(self, element: Integer, count: int):
        self.element, self.count = element, count
        self.size_bytes, self.numba_type = element.size_bytes * count, PointerType(element)

    def get(self, address):
        return Elements(address, self.element)


class Tail(Array):
    """Elements behind this structure; its last field."""

    def __init__(self, element: Integer):
        super().__init__(element, 0)


class Elements:
    """What a Pointer, an Array or a Tail is to plain Python."""

    __slots__ = ("address", "element")

    def __init__(self, address: int, element: Integer):
        self.address, self.element = int(address), element

    def __index__(self) -> int:
        return self.address

    def __getitem__(self, place):
        if isinstance(place, slice):
            return Elements(self._at(place.start or 0), self.element)
        return self.element.get(self._at(place))

    def __setitem__(self, place, value):
        self.element.set(self._at(place), value)

    def _at(self, place) -> int:
        return self.address + int(place) * self.element.size_bytes


Microseconds = Integer("µs")
"""An event time or arrival time since the epoch, or a span of time."""
Times = Pointer(Microseconds)
"""Event times or ticks that stand together."""
Count = Integer("count")
Bytes = Integer("bytes")
Words = Integer("words of 8 bytes")
Place = Integer("place")
"""A place in an array, a list or a node: from 0 on."""
Address = Integer("address")
"""Where something stands that has no structure of its own, such as a state, whose words its plan explains."""
Code = Integer("one of some constants")
Word = Integer("64 bits that another field explains")
"""A value of a column: its type says how the bits are read."""
IsSet = Flag("yes or no")
