"""Write `world.py`: the program first, its long lists of words in one table at the end."""

from __future__ import annotations

import ast
import json
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from runtime.sandbox.syntax import parse

_WIDTH = 120
_INDENT = "    "
_BRACKETS: dict[type, tuple[str, str]] = {tuple: ("(", ")"), list: ("[", "]"), set: ("{", "}"), dict: ("{", "}")}


@dataclass(frozen=True)
class _WordList:
    """A name and the collection of literals that a statement gives it."""

    name: str
    value: Any
    first: int  # line, from 1
    last: int

    def written(self) -> str:
        return f"{self.name} = {_written(self.value, len(self.name) + 3, '')}"


def world_file(code: str) -> str:
    """The text of `world.py`; what stands before the table is not yet formatted."""
    code = textwrap.dedent(code).strip("\n") + "\n"
    try:
        tree = parse(code)
    except SyntaxError:
        return code  # its gate says what is wrong with it
    used_early = _names_used_while_loading(tree)
    lists = [each for each in _long_lists(tree, code) if each.name not in used_early]
    if not lists:
        return code
    lines = code.splitlines()
    for each in reversed(lists):
        del lines[each.first - 1 : each.last]
    program = "\n".join(lines).rstrip()
    return "\n".join([program, "", "", "# fmt: off", *(each.written() for each in lists), "# fmt: on", ""])


def with_parts(code: str, changed: str) -> str:
    """A program in which functions and constants of the top level are as they were changed; new ones come first.

    What is not valid Python is put at the end, where the gate finds it.
    """
    code, changed = (textwrap.dedent(each).strip("\n") + "\n" for each in (code, changed))
    try:
        places, parts = _parts_of(code), _parts_of(changed)
    except SyntaxError:
        return f"{code}\n\n{changed}"
    lines = code.splitlines()
    for name, (first, last) in sorted(places.items(), key=lambda part: -part[1][0]):
        if name in parts:
            start, end = parts[name]
            lines[first - 1 : last] = changed.splitlines()[start - 1 : end]
    new = [changed.splitlines()[start - 1 : end] for name, (start, end) in parts.items() if name not in places]
    at = min((first for first, _ in places.values()), default=1) - 1
    lines[at:at] = [line for part in new for line in (*part, "")]
    return "\n".join(lines) + "\n"


def _parts_of(code: str) -> dict[str, tuple[int, int]]:
    """The first and the last line of each function and constant of the top level; errors: SyntaxError."""
    places: dict[str, tuple[int, int]] = {}
    for node in parse(code).body:
        if isinstance(node, ast.FunctionDef):
            name = node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            name = ast.unparse(target)
        else:
            continue
        places[name] = (node.lineno, node.end_lineno or node.lineno)
    return places


def _long_lists(tree: ast.Module, code: str) -> Iterator[_WordList]:
    """Every collection of literals that gets a name, has no comment and does not fit in a line."""
    lines = code.splitlines()
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Tuple() | ast.List() | ast.Set() | ast.Dict()):
                try:
                    value = ast.literal_eval(statement.value)
                except ValueError:
                    continue
                fits = len(f"{name} = {_in_a_line(value)}") <= _WIDTH
                first, last = statement.lineno, statement.end_lineno or statement.lineno
                if not fits and not any("#" in line for line in lines[max(first - 2, 0) : last]):
                    yield _WordList(name, value, first, last)


def _names_used_while_loading(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for statement in tree.body:
        early: list[ast.AST] = [statement]
        if isinstance(statement, ast.FunctionDef):
            early = [statement.args, *statement.decorator_list]
        for node in (node for part in early for node in ast.walk(part)):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.add(node.id)
    return found


def _written(value: Any, column: int, indent: str) -> str:
    """A literal that begins at this column, over as few lines as hold it."""
    line = _in_a_line(value)
    if type(value) not in _BRACKETS or column + len(line) < _WIDTH:  # a comma follows
        return line
    inner = indent + _INDENT
    rows = [inner]
    for part in _parts(value, inner):
        if len(rows[-1]) + len(part) + 2 > _WIDTH or "\n" in part + rows[-1]:
            rows.append(inner)
        rows[-1] += f"{part}," if rows[-1] == inner else f" {part},"
    first, last = _BRACKETS[type(value)]
    return "\n".join([first, *(row for row in rows if row != inner), f"{indent}{last}"])


def _parts(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            name = f"{_in_a_line(key)}: "
            yield name + _written(each, len(indent) + len(name), indent)
    else:
        for each in value:
            yield _written(each, len(indent), indent)


def _in_a_line(value: Any) -> str:
    """A literal as the formatter writes it: texts in double quotes."""
    if isinstance(value, str):
        return repr(value) if '"' in value and "'" not in value else json.dumps(value, ensure_ascii=False)
    if type(value) not in _BRACKETS:
        return repr(value)
    first, last = _BRACKETS[type(value)]
    if isinstance(value, dict):
        inside = ", ".join(f"{_in_a_line(key)}: {_in_a_line(each)}" for key, each in value.items())
    else:
        inside = ", ".join(_in_a_line(each) for each in value) + (
            "," if type(value) is tuple and len(value) == 1 else ""
        )
    return f"{first}{inside}{last}"
