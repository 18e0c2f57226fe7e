"""Names of Numba's inner modules: all that runtime/ and states/ use beyond `numba`, `numba.extending` and its errors.

tests/kernels/test_numba_names.py says of each what is taken for granted,
docs/decisions/0010-kernels-behind-addresses.md why nothing public does instead.
"""
# ruff: noqa: F401

from numba.core import ir
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
from numba.core.cgutils import alloca_once, get_or_insert_function
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.runtime.nrt import rtsys
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AttributeTemplate
from numba.core.untyped_passes import IRProcessing
