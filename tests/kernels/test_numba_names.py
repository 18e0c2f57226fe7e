"""What kernels take for granted of Numba's inner modules: one test a name of kernels/runtime/numba_names.py."""

import ast
import inspect
from pathlib import Path

import pytest
from llvmlite import ir as llvm
from numba import types
from numba.core.registry import cpu_target

from windrow.kernels.runtime import numba_names
from windrow.kernels.runtime.fields import AddressType, Count
from windrow.kernels.runtime.struct import Struct

ROOT = Path(__file__).resolve().parents[2]


class Named(Struct):
    """One field."""

    count: Count


def takes(function, *names: str) -> bool:
    return set(names) <= set(inspect.signature(function).parameters)


def builder():
    function = llvm.Function(llvm.Module(), llvm.FunctionType(llvm.VoidType(), []), "function")
    return llvm.IRBuilder(function.append_basic_block())


def declared_twice():
    module, kind = llvm.Module(), llvm.FunctionType(llvm.VoidType(), [])
    made = numba_names.get_or_insert_function(module, kind, "free")
    return numba_names.get_or_insert_function(module, kind, "free") is made


GRANTED = {
    "AttributeTemplate": lambda name: takes(name.resolve, "value", "attr") and "generic_resolve" in vars(name),
    "CompileResultCacheImpl": lambda name: takes(name.get_filename_base, "fullname", "abiflags"),
    "CompilerBase": lambda name: takes(name.define_pipelines, "self"),
    "Conversion": lambda name: name.exact < name.safe,
    "DefaultPassBuilder": lambda name: takes(name.define_nopython_pipeline, "state"),
    "FunctionCache": lambda name: (
        takes(name._load_overload, "sig", "target_context") and takes(name.save_overload, "sig", "data")
    ),
    "FunctionPass": lambda name: callable(name.run_pass) and callable(name.name),
    "IRProcessing": lambda name: name._name == "ir_processing",
    "UserProvidedCacheLocator": lambda name: takes(name.get_suitable_cache_subpath, "py_file"),
    "alloca_once": lambda name: name(builder(), llvm.IntType(64)).type == llvm.IntType(64).as_pointer(),
    "get_or_insert_function": lambda name: declared_twice(),
    "ir": lambda name: takes(name.Assign, "value") and takes(name.Global, "value") and takes(name.FreeVar, "value"),
    "register_pass": lambda name: takes(name, "mutates_CFG", "analysis_only"),
    "rtsys": lambda name: takes(name.initialize, "ctx"),
}


def names_in(tree: ast.Module) -> set[str]:
    froms = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return {alias.name for node in froms for alias in node.names}


def test_every_name_is_tried():
    assert names_in(ast.parse(inspect.getsource(numba_names))) == set(GRANTED)


@pytest.mark.parametrize("name", GRANTED)
def test_a_name_is_what_it_is_taken_for(name):
    assert GRANTED[name](getattr(numba_names, name))


def test_a_type_of_ours_converts_as_numba_asks_it_to():
    assert isinstance(Named.numba_type, AddressType)
    assert cpu_target.typing_context.can_convert(Named.numba_type, types.int64) == numba_names.Conversion.safe


@pytest.mark.parametrize("folder", ["runtime", "states", "monoids", "stores"])
def test_inner_names_are_imported_nowhere_else(folder):
    public = ("numba", "numba.extending", "numba.core.errors")
    for path in (ROOT / "kernels" / folder).rglob("*.py"):
        imported = [node.module for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
        of_numba = {each for each in imported if each and each.partition(".")[0] == "numba"} - set(public)
        assert not of_numba or path.name == "numba_names.py", (path, of_numba)
