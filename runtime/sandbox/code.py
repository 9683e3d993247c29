"""How a domain's file becomes a module: checked, its loops and operations bounded, executed with few builtins."""

from __future__ import annotations

import ast
import sys
from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType

from runtime.errors import BrokenDomain, Rejection, UsageError
from runtime.sandbox.bans import faults_of_tree
from runtime.sandbox.bounded import allowed_builtins
from runtime.sandbox.bounding import Bounding
from runtime.sandbox.budget import Budget
from runtime.sandbox.files import read_text
from runtime.sandbox.syntax import compile_tree, is_deep, parse

MAX_SOURCE = 200_000
MAX_TREE = 150  # of nodes within nodes, so that no walk through them depends on how deep its caller is
LOAD_STEPS = 100_000
MOST_CONSTANTS = 1_000_000  # items and characters that the constants of all files of a domain are computed to


def faults_in(source: str, filename: str) -> list[str]:
    """What keeps a source from being loaded, one line per fault."""
    _, faults = _compile(source, filename, filename)
    return faults


def compile_module(source: str, filename: str) -> CodeType:
    """The bounded code of a source without faults; BrokenDomain if it has any."""
    code, faults = _compile(source, filename, filename)
    if code is None:
        raise BrokenDomain(faults)
    return code


def loading_budget() -> Budget:
    """What the files of a domain share while they are loaded: the steps are each file's own, the items are not."""
    return Budget(LOAD_STEPS, MOST_CONSTANTS)


def load_module(
    path: Path,
    module_name: str,
    shown_as: str | None = None,
    within: Path | None = None,
    budget: Budget | None = None,
) -> ModuleType:
    """The module of a checked file, known to `sys.modules` so that its annotations resolve.

    The file lies in its folder, or below `within`. Faults name it as `shown_as`, or by its path. `budget` is the
    `loading_budget` that it shares with others.
    """
    name = shown_as or str(path)
    try:
        source = read_text(path, within=within)
    except UsageError as error:
        raise BrokenDomain([f"{name}: cannot be read: {error}"]) from error
    code, faults = _compile(source, str(path), name)
    if code is None:
        raise BrokenDomain(faults)
    module = ModuleType(module_name)
    vars(module).update(__file__=str(path), __builtins__=allowed_builtins())
    before = sys.modules.get(module_name)
    sys.modules[module_name] = module
    budget = budget or loading_budget()
    budget.left = LOAD_STEPS
    is_loaded = False
    try:
        with budget:
            exec(code, vars(module))
        is_loaded = True
    except (
        ArithmeticError,
        AttributeError,
        ImportError,
        LookupError,
        NameError,
        Rejection,
        TypeError,
        ValueError,
    ) as error:
        line = _line_of(error, str(path))
        wrong = f"{type(error).__name__} while loading: {error}; the top of a file must run"
        if budget.room < 0:
            wrong = f"the constants of a domain's files hold more than {MOST_CONSTANTS:,} items; write smaller ones"
        raise BrokenDomain([f"{name}:{line}: {wrong}"]) from error
    finally:
        if not is_loaded and before is None:
            del sys.modules[module_name]
        elif not is_loaded and before is not None:
            sys.modules[module_name] = before
    return module


def _compile(source: str, filename: str, shown_as: str) -> tuple[CodeType | None, list[str]]:
    if len(source) > MAX_SOURCE:
        return None, [f"{shown_as}:1: {len(source)} characters; at most {MAX_SOURCE} are read, so split the file"]
    try:
        code, faults = _bounded_code(source, filename)
        return code, [f"{shown_as}:{line}: {wrong}" for line, wrong in faults]
    except SyntaxError as error:
        return None, [f"{shown_as}:{error.lineno or 1}: {error.msg}; write valid Python"]
    except ValueError as error:
        return None, [f"{shown_as}:1: {error}; write valid Python"]
    except (RecursionError, MemoryError):
        return None, [f"{shown_as}:1: expressions are nested too deeply; split them into several statements"]


@lru_cache(maxsize=100)
def _bounded_code(source: str, filename: str) -> tuple[CodeType | None, tuple[tuple[int, str], ...]]:
    """The code of a source, or each broken rule with its line; a file that is loaded again is not judged again."""
    tree = parse(source, filename)
    if is_deep(tree, MAX_TREE):
        raise RecursionError
    faults = faults_of_tree(tree)
    if faults:
        return None, tuple(faults)
    bounded = ast.fix_missing_locations(Bounding().visit(tree))
    return compile_tree(bounded, filename), ()


def _line_of(error: BaseException, filename: str) -> int:
    line = 1
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == filename:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
