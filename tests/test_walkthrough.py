"""Every file and name that docs/walkthrough.md and AGENTS.md lead a reader to exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "walkthrough.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`([\w/]+\.py):([\w.]+)`", PAGE)))
PATHS = sorted(
    set(
        re.findall(
            r"`((?:generator|runtime|worldsmith|domains|tests|docs)/[\w/.]*)`", PAGE + (ROOT / "AGENTS.md").read_text()
        )
    )
)


def _has(body: list[ast.stmt], parts: list[str]) -> bool:
    """Whether a module or class body defines a function, class, constant, or method of a dotted name."""
    for each in body:
        if isinstance(each, ast.Assign) and parts in [[getattr(target, "id", "")] for target in each.targets]:
            return True
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and each.name == parts[0]:
            return len(parts) == 1 or _has(each.body, parts[1:])
    return False


@pytest.mark.parametrize(("path", "name"), NAMES)
def test_a_name_on_the_page_is_defined_in_its_file(path: str, name: str) -> None:
    assert _has(ast.parse((ROOT / path).read_text(encoding="utf-8")).body, name.split(".")), f"{path}:{name}"


def test_the_page_names_enough_and_its_paths_exist() -> None:
    assert len(NAMES) >= 35
    assert [path for path in PATHS if not (ROOT / path).exists()] == []


def test_the_page_for_agents_is_short() -> None:
    assert len((ROOT / "AGENTS.md").read_text(encoding="utf-8").splitlines()) <= 32
