"""Which files of our packages a module needs: itself, what it imports, now or later, the tables it reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import runtime
from runtime.sandbox.syntax import parse

_ROOT = Path(runtime.__file__).resolve().parent.parent
_TABLE = re.compile(r"\w+\.(json|toml|md)")


def import_closure(entry: str, packages: Sequence[str] = ("runtime",)) -> dict[str, Path]:
    """The files of these packages that a module needs, by their path below the folder that the packages lie in."""
    pending, files = [entry], dict[str, Path]()
    while pending:
        path = _file_of(pending.pop())
        if path is None or path.relative_to(_ROOT).as_posix() in files:
            continue
        files[path.relative_to(_ROOT).as_posix()] = path
        tree = parse(path.read_text(encoding="utf-8"))
        files |= {each.relative_to(_ROOT).as_posix(): each for each in _tables_named(tree, path.parent)}
        pending += _modules_named(tree, packages)
    return dict(sorted(files.items()))


def _file_of(module: str) -> Path | None:
    place = _ROOT.joinpath(*module.split("."))
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_file():
            return path
    return None


def _tables_named(tree: ast.Module, folder: Path) -> Iterator[Path]:
    """The tables and texts of a file's folder that it names in a string."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _TABLE.fullmatch(node.value):
            path = folder / node.value
            if path.is_file():
                yield path


def _modules_named(tree: ast.Module, packages: Sequence[str]) -> Iterator[str]:
    """What a file imports wherever it says so, and the packages that each of these lies in."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            parts = name.split(".")
            if parts[0] in packages:
                yield from (".".join(parts[:length]) for length in range(1, len(parts) + 1))
