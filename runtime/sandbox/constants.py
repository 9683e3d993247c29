"""What may stand in constants, defaults and annotations, which every call of a domain's code shares."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence

from runtime.sandbox.allowed import (
    BOUNDED_NAMES,
    BUILTINS,
    DATA_CLASS_BASES,
    FIELD_OPTIONS,
    MODULE_CALLS,
)
from runtime.sandbox.keys import MOST_HASHED
from runtime.sandbox.names import bound_names, types_in

MAX_KEYS = 1_000


class Constants(ast.NodeVisitor):
    """What a file says once for all of its calls; `faults` collects what is wrong with it."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.faults: list[tuple[int, str]] = []
        self.bound = set(bound_names(tree))
        self.imported: dict[str, str] = {}
        self.types = set(types_in(tree))
        self.parents = DATA_CLASS_BASES | {each.name for each in tree.body if isinstance(each, ast.ClassDef)}
        assigned = [each for each in tree.body if isinstance(each, ast.Assign | ast.AnnAssign)]
        self.aliases = {
            name for each in assigned if isinstance(each.value, ast.Subscript) for name in bound_names(each)
        }
        self.constants = {name for each in assigned for name in bound_names(each)} - self.aliases
        self.depth = 0

    def refuse(self, node: ast.AST | int, wrong: str, right: str) -> None:
        line = node if isinstance(node, int) else getattr(node, "lineno", 1)
        self.faults.append((line, f"{wrong}; {right}"))

    def check_default(self, value: ast.expr) -> None:
        match value:
            case ast.Call(func=ast.Name(id="field"), args=[], keywords=[ast.keyword(arg="default", value=default)]):
                self.check_shared(default)
            case ast.Call(
                func=ast.Name(id="field"), args=[], keywords=[ast.keyword("default_factory", ast.Name(made))]
            ):
                if made not in {"list", "dict", "set"} or "field" in self.bound:
                    self.refuse(value, f"default_factory={made}", "use list, dict or set")
            case ast.List() | ast.Dict() | ast.Set():
                self.refuse(value, "a default that all values share", "write field(default_factory=list)")
            case _:
                self.check_shared(value)

    def check_shared(self, node: ast.expr) -> None:
        """A default is made once and seen by every call: nothing in it may change."""
        match node:
            case ast.Constant():
                self.visit(node)
            case ast.Name(id=name) if name in self.constants or (self.depth and name not in self.imported):
                self.check_constant(node)
            case ast.UnaryOp(operand=operand):
                self.check_shared(operand)
            case ast.Tuple(elts=elements):
                for each in elements:
                    self.check_shared(each)
            case ast.Call(func=ast.Name(id=maker), args=arguments) if maker in MODULE_CALLS and maker not in self.bound:
                for each in [*arguments, *(keyword.value for keyword in node.keywords)]:
                    self.check_shared(each)
            case _:
                wrong = f"the default {ast.unparse(node)[:60]!r}, which all calls share"
                self.refuse(node, wrong, "write a text, a number, None or a tuple of them")

    def check_constant(self, node: ast.expr, computed: bool = False) -> None:
        """A value made once and seen by every session: literals, which are made unchangeable, and simple values."""
        match node:
            case ast.Constant():
                self.visit(node)
            case ast.Name(id=name):
                if name in BOUNDED_NAMES:
                    self.refuse(node, f"{name!r} as a constant", "write the type in the annotations themselves")
                self.visit(node)
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                if isinstance(node, ast.Set):
                    self.check_keys(node, elements)
                for element in elements:
                    self.check_constant(element, computed)
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="split" | "splitlines"), args=[]):
                if node.keywords:
                    self.refuse(node, "split with options in a constant", "write text.split()")
            case ast.Dict(keys=keys, values=values):
                self.check_keys(node, keys)
                for each in [*keys, *values]:
                    if each is None:
                        self.refuse(node, "** in a constant", "write the entries out")
                    else:
                        self.check_constant(each, computed)
            case ast.UnaryOp(operand=operand):
                self.check_constant(operand, computed)
            case ast.BinOp(left=left, op=operation, right=right):
                if not computed:
                    self.refuse(node, f"{ast.unparse(node)[:60]!r} is computed here", "give it a name at the top")
                self.visit(operation)
                self.check_constant(left, computed)
                self.check_constant(right, computed)
            case ast.Call(func=ast.Name(id=maker), args=arguments, keywords=keywords) if (
                maker in MODULE_CALLS and maker not in self.bound
            ):
                for each in [*arguments, *(keyword.value for keyword in keywords)]:
                    self.check_constant(each, computed)
            case _:
                instead = f"constants are literals, tuples or calls of {', '.join(sorted(MODULE_CALLS))}"
                self.refuse(node, f"{ast.unparse(node)[:60]!r} is not a constant", instead)

    def check_annotation(self, node: ast.expr) -> None:
        match node:
            case ast.Constant(value=None) | ast.Constant(value=builtins.Ellipsis):
                pass
            case ast.Name():
                self._check_type(node)
            case ast.Subscript(value=ast.Name(id="Literal"), slice=inner) if "Literal" in self.imported:
                for choice in inner.elts if isinstance(inner, ast.Tuple) else [inner]:
                    self.check_constant(choice)
            case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[kind, *notes])) if (
                "Annotated" in self.imported
            ):
                self.check_annotation(kind)
                for note in notes:
                    self._check_note(note)
            case ast.Subscript(value=ast.Name() as outer, slice=inner):
                self._check_type(outer)
                self.check_annotation(inner)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                for each in elements:
                    self.check_annotation(each)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                self.check_annotation(left)
                self.check_annotation(right)
            case _:
                wrong = f"annotation {ast.unparse(node)[:60]!r}"
                self.refuse(node, wrong, "write types by name, as in list[int] or Annotated[str, 'what it is']")

    def _check_type(self, node: ast.Name) -> None:
        """A text in the place of a type would be evaluated by whoever resolves the annotations."""
        if not (node.id in BUILTINS or node.id in self.imported or node.id in self.types):
            self.refuse(
                node, f"{node.id!r} in an annotation is not a type", "name a builtin, an import or a class above"
            )

    def _check_note(self, node: ast.expr) -> None:
        match node:
            case ast.Call(func=ast.Name(id="Field"), args=[], keywords=options) if "Field" not in self.bound:
                for option in options:
                    if option.arg not in FIELD_OPTIONS:
                        self.refuse(node, f"Field({option.arg}=...)", f"have: {', '.join(sorted(FIELD_OPTIONS))}")
                    self.check_constant(option.value)
            case _:
                self.check_constant(node)

    def check_keys(self, node: ast.Dict | ast.Set, keys: Sequence[ast.expr | None]) -> None:
        if len(keys) > MAX_KEYS:
            self.refuse(node, f"{len(keys)} keys in one place", f"write at most {MAX_KEYS}")
        for key in keys:
            if isinstance(key, ast.Constant) and isinstance(key.value, int) and key.value > MOST_HASHED:
                self.refuse(key, f"a number beyond {MOST_HASHED} as a key", "write a text")
