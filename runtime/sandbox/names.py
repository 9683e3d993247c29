"""The names of a domain's file: those it binds, those that are types, those it may import."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections import Counter
from collections.abc import Iterator

from runtime.sandbox.allowed import AUTHOR_MODULES, MODULES
from runtime.sandbox.syntax import walk


def is_offered(module: str, name: str) -> bool:
    """Whether a domain's code may import a name from a module."""
    have = offered(module)
    if have:
        return name in have
    # The author's package without an `__all__`: whatever is not a module of it.
    package = importlib.import_module("runtime")
    modules = {each.name for each in pkgutil.iter_modules(package.__path__)}
    return name != "*" and not name.startswith("_") and name not in modules


def offered(module: str) -> frozenset[str]:
    """The names that a module opens to a domain's code; empty if that is not known."""
    if module not in AUTHOR_MODULES:
        return MODULES[module]
    try:
        return frozenset(getattr(importlib.import_module(module), "__all__", ()))
    except ModuleNotFoundError:
        return frozenset()


def bound_names(tree: ast.AST) -> Iterator[str]:
    """Every name that the file binds other than by import."""
    for node in walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.ExceptHandler(name=str() as name):
                yield name


def types_in(tree: ast.Module) -> Iterator[str]:
    """The classes of a file, and its names for types: `Status = Literal[...]`."""
    stores = Counter(bound_names(tree))
    for statement in tree.body:
        match statement:
            case ast.ClassDef(name=name) if stores[name] == 1:
                yield name
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript()) if stores[name] == 1:
                yield name
