"""Which files of our packages a module needs: itself, and what it imports, at once or later."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import runtime
from runtime.sandbox.syntax import parse

PACKAGES = ("runtime", "worldsmith")
_ROOT = Path(runtime.__file__).resolve().parent.parent


def import_closure(entry: str) -> dict[str, Path]:
    """The files of our packages that a module needs, by their path below the folder that the packages lie in."""
    pending, files = [entry], dict[str, Path]()
    while pending:
        path = _file_of(pending.pop())
        if path is None or path.relative_to(_ROOT).as_posix() in files:
            continue
        files[path.relative_to(_ROOT).as_posix()] = path
        pending += _modules_named(path)
    return dict(sorted(files.items()))


def _file_of(module: str) -> Path | None:
    place = _ROOT.joinpath(*module.split("."))
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_file():
            return path
    return None


def _modules_named(path: Path) -> Iterator[str]:
    """What a file imports wherever it says so, and the packages that each of these lies in."""
    for node in ast.walk(parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            parts = name.split(".")
            if parts[0] in PACKAGES:
                yield from (".".join(parts[:length]) for length in range(1, len(parts) + 1))
