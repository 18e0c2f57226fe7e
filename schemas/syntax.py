"""What a source says: its syntax tree, without what changes no row. Comments, blank space, docstrings, numbers of
lines, texts of errors and a query's promises are left out, so that changing these makes no published day stale.

    def half(x):
        '''Of an even number.'''  # exact      FunctionDef(name=half,args=arguments(args=[arg(arg=x)]),body=[
        if x % 2:                                If(test=BinOp(left=Name(x),op=Mod(),right=2),body=[
            raise BadInput("it is odd")            Raise(exc=Call(func=Name(BadInput)))]),
        return x // 2                            Return(value=BinOp(left=Name(x),op=FloorDiv(),right=2))])
"""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache

from windrow.schemas import cycles
from windrow.schemas.errors import kinds

DIGITS = 16
_ERRORS = frozenset(kind.__name__ for kind in kinds())
_OF_ERRORS = {ast.Raise, ast.Call, ast.ClassDef}
NONE, OTHERS, EVERY = 0, 1, 2
"""Which texts count: those that aren't an error's, or all."""


def hash_of(sources: Iterable[tuple[str, bytes]], error_texts: bool = False) -> str:
    """A hash of names, and of what the source of each says. O(length of the sources)."""
    digest = hashlib.sha256()
    with cycles.not_searched_for():  # a fifth of the time would go into that
        for name, source in sources:
            digest.update(name.encode() + b"\0" + _digest(source, error_texts))
    return digest.hexdigest()[:DIGITS]


@cache  # Each published day asks for its query's files again, and to parse one takes longer than to read it.
def _digest(source: bytes, error_texts: bool) -> bytes:
    return hashlib.sha256(syntax_of(source, error_texts)).digest()


def syntax_of(source: bytes, error_texts: bool = False) -> bytes:
    """What a file of Python says; of any other its bytes. error_texts: texts of errors count too, as where lines are
    parsed: a table keeps why one was refused."""
    try:
        written = _node(ast.parse(source), EVERY if error_texts else OTHERS)
    except (SyntaxError, ValueError, RecursionError):  # a definition's file may be broken
        return source
    return written.encode()


def _node(node: ast.AST, texts: int) -> str:
    """As ast.dump writes it, in less time; without `ctx`, which follows from where a node is, and without what is
    empty: another version of Python may not have that field."""
    kind = type(node)
    if isinstance(node, ast.Name):
        return f"Name({node.id})"
    if isinstance(node, ast.Constant):
        return ascii(node.value) if texts or not isinstance(node.value, str) else "''"
    if texts == OTHERS and kind in _OF_ERRORS and _is_error(node):
        texts = NONE
    fields = []
    for name in node._fields:
        value = getattr(node, name, None)
        if value and name != "ctx" and (written := _field(value, texts)) != "[]":
            fields.append(f"{name}={written}")
    return f"{kind.__name__}({','.join(fields)})"


def _field(value: object, texts: int) -> str:
    if isinstance(value, list):
        return f"[{','.join([_field(each, texts) for each in value if not _says_nothing(each, texts)])}]"
    if isinstance(value, ast.AST):
        return _node(value, texts)
    return "-" if value is None else str(value)


def _is_error(node: ast.AST) -> bool:
    """Whether texts below it are an error's: it raises or makes one, or is the class of one."""
    if isinstance(node, ast.Call):
        return getattr(node.func, "attr", getattr(node.func, "id", None)) in _ERRORS
    return not isinstance(node, ast.ClassDef) or node.name in _ERRORS


def _says_nothing(node: object, texts: int) -> bool:
    """Whether it is a docstring, of a module, class or function, a text of an error, what a query promises, or the
    import of the word for that."""
    if isinstance(node, ast.Expr):
        return _is_text(node.value)
    if isinstance(node, ast.ImportFrom):
        return all(_says_nothing(name, texts) for name in node.names)
    if isinstance(node, ast.alias):
        return node.name == "promise"
    if isinstance(node, ast.keyword):
        return node.arg == "promises"
    return not texts and _is_text(node)


def _is_text(node: object) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
