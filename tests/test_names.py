"""One class name has one meaning, and what a package says of its files is true."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.test_layout import FILES, ROOT, nodes_of

PACKAGES = [path for path in FILES if path.name == "__init__.py"]
METAPHORS = re.compile(r"Purse|Rehearsal|Desk|Leash|Seat|Shelf|Bench|Wire|Sitting|Ground")


def _classes(path: Path) -> list[str]:
    return [node.name for node in nodes_of(path) if isinstance(node, ast.ClassDef)]


def test_a_class_name_has_one_meaning() -> None:
    places = defaultdict(list)
    for path in FILES:
        for name in _classes(path):
            places[name].append(path.relative_to(ROOT).as_posix())
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_no_class_is_named_by_a_metaphor() -> None:
    assert [name for path in FILES for name in _classes(path) if METAPHORS.search(name)] == []


def _named_in(package: Path) -> set[str]:
    """What a package holds: its files and folders, and every name that these define or take."""
    names: set[str] = set()
    for path in package.rglob("*"):
        if "__pycache__" not in path.parts:
            names |= {path.stem, path.name}
        if path.suffix == ".py":
            for node in nodes_of(path):
                if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                    names.add(node.name)
                elif isinstance(node, ast.arg):
                    names.add(node.arg)
                elif isinstance(node, ast.Name):
                    names.add(node.id)
    return names


@pytest.mark.parametrize("path", PACKAGES, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_a_packages_docstring_names_only_what_is_there(path: Path) -> None:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    named = set(re.findall(r"`([A-Za-z_]+)`", text))
    assert named <= _named_in(path.parent)
