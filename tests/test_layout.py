"""Imports point one way, and the part that serves a domain can be copied out whole."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# pydantic, aiosqlite and mcp, and what these bring themselves
SERVING_PACKAGES = {
    "anyio",
    "pydantic",
    "pydantic_core",
    "typing_extensions",
    "aiosqlite",
    "mcp",
    "mcp_types",
    "starlette",
    "uvicorn",
}
BELOW = {"runtime": (), "generator": ("runtime",), "worldsmith": ("generator", "runtime")}  # what each may import
FILES = sorted(path for package in BELOW for path in ROOT.glob(f"{package}/**/*.py"))


@dataclass(frozen=True)
class Rooms:
    """A line of a table of docs/map.md: rooms that lie together, from the bottom up."""

    package: str
    names: tuple[str, ...]
    served: bool  # copied into a compiled server
    lines: int  # at most, of all of them
    files: int
    never: frozenset[str]  # what none of their files imports

    def is_of(self, path: Path) -> bool:
        package, room, *_ = _parts(path)
        return package == self.package and room in self.names


def _parts(path: Path) -> tuple[str, ...]:
    return path.relative_to(ROOT).with_suffix("").parts


def _read_map() -> list[Rooms]:
    found, package = [], ""
    for line in (ROOT / "docs" / "map.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            package = line.removeprefix("## ")
        elif package in BELOW and line.startswith("| `"):
            rooms, lines, files, never = (cell.strip() for cell in line.strip("|").split("|"))
            names = tuple(_QUOTED.findall(rooms))
            most = int(lines.replace(",", "")), int(files)
            found.append(Rooms(package, names, "served" in rooms, *most, frozenset(_QUOTED.findall(never))))
    return found


_QUOTED = re.compile(r"`([^`]+)`")
MAP = _read_map()
ROOMS = {package: [name for rooms in MAP if rooms.package == package for name in rooms.names] for package in BELOW}
SERVING = {name for rooms in MAP if rooms.served for name in rooms.names}
_NAMES_GENERATOR = re.compile(r"^generator$|\bgenerator\.[a-z]|\bimport generator\b")
UPWARD = {
    ("generator.scenarios", "generator.author.design"): "the forms of a model's answers, which know no room themselves"
}


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Every part of a file, as Python reads it."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def _imports(path: Path) -> set[str]:
    named = (alias.name for node in nodes_of(path) if isinstance(node, ast.Import) for alias in node.names)
    return {*named, *(node.module or "" for node in nodes_of(path) if isinstance(node, ast.ImportFrom))}


def _modules_imported(path: Path) -> set[str]:
    """What a file imports, where it is a module by its whole name: from a import b may mean a.b."""
    taken = [node for node in nodes_of(path) if isinstance(node, ast.ImportFrom)]
    return _imports(path) | {f"{node.module}.{alias.name}" for node in taken for alias in node.names}


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _module(path: Path) -> str:
    return ".".join(_parts(path)).removesuffix(".__init__")


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_file_imports_only_what_its_package_may(path: Path) -> None:
    package, *rest = path.relative_to(ROOT).with_suffix("").parts
    imports = _imports(path)
    of_ours = {name.split(".")[0] for name in imports} & BELOW.keys()
    assert of_ours <= {package, *BELOW[package]}
    if package == "runtime" and rest[0] in SERVING:
        outside = {name.split(".")[0] for name in imports} - set(sys.stdlib_module_names) - {"runtime"}
        assert outside <= SERVING_PACKAGES
        inside = {name.split(".")[1] for name in imports if name.startswith("runtime.")}
        assert inside <= set(SERVING)
    speaks_mcp = rest in (
        ["harness", "mcp_connection"],
        ["harness", "agents", "program"],
        ["twin", "mcp"],
        ["commands", "forge"],
    )
    if rest[0] != "server" and not speaks_mcp:
        assert not [name for name in imports if name.split(".")[0] in ("mcp", "mcp_types")]
    if _name(path) != "runtime/model/anthropic.py":
        assert not [name for name in imports if name.split(".")[0] == "anthropic"]


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_room_imports_only_those_below_it(path: Path) -> None:
    package, room, *_ = _parts(path)
    order = ROOMS[package]
    assert room in order, "a new room has its place in docs/map.md"
    for module in _imports(path):
        if module.split(".")[0] != package or (f"{package}.{room}", module) in UPWARD:
            continue
        below = (module.split(".") + ["__init__"])[1]
        assert order.index(below) <= order.index(room), f"{module} is above {package}.{room}"


@pytest.mark.parametrize("rooms", MAP, ids=lambda rooms: f"{rooms.package}.{rooms.names[0]}")
def test_a_room_keeps_to_its_budget_and_to_what_it_never_imports(rooms: Rooms) -> None:
    files = [path for path in FILES if rooms.is_of(path)]
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
    assert lines <= rooms.lines, f"{lines} lines are too many; cut, or say why"
    assert len(files) <= rooms.files
    assert rooms.lines <= lines * 1.1 + 60, f"{lines} lines: lower the budget, so that it stays one"
    imported = {f"{module}." for path in files for module in _imports(path)}
    assert not [(module, name) for module in imported for name in rooms.never if module.startswith(f"{name}.")]


def test_every_room_has_a_paragraph_on_the_map() -> None:
    page = (ROOT / "docs" / "map.md").read_text(encoding="utf-8")
    told = {name for names in re.findall(r"^- \*\*([^*]+)\.\*\*", page, re.MULTILINE) for name in names.split(", ")}
    assert {name for names in ROOMS.values() for name in names} - told <= {"__init__", "__main__", "main", "rules"}


def test_every_exception_from_the_order_is_still_one() -> None:
    found = {(".".join(_parts(path)[:2]), module) for path in FILES for module in _imports(path)}
    assert found >= UPWARD.keys()


def test_no_file_imports_itself_in_a_circle() -> None:
    modules = {_module(path): path for path in FILES}
    left = {name: _modules_imported(path) & modules.keys() - {name} for name, path in modules.items()}
    while free := [name for name, imports in left.items() if not imports & left.keys()]:
        for name in free:
            del left[name]
    assert not left, "these import each other, or what does"


@pytest.mark.parametrize("path", [path for path in FILES if _parts(path)[0] == "runtime"], ids=_name)
def test_runtime_names_no_module_of_the_generator_in_a_string(path: Path) -> None:
    texts = (node.value for node in nodes_of(path) if isinstance(node, ast.Constant))
    assert not [text for text in texts if isinstance(text, str) and _NAMES_GENERATOR.search(text)]


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_file_says_in_its_first_line_what_it_decides(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not text or text.startswith('"""')


@pytest.mark.parametrize("package", BELOW)
def test_a_package_has_types_for_whoever_imports_it(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()


def test_the_command_line_starts_without_what_only_serving_needs() -> None:
    heavy = ("mcp", "mcp_types", "starlette", "uvicorn", "aiosqlite", "anthropic")
    look = f"import sys, generator.main; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_child_that_makes_tasks_imports_nothing_that_only_gates_need() -> None:
    heavy = ("sqlglot", "rich", "asyncio", "anthropic")
    look = f"import sys, generator.tasks.make; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_tests_of_every_folder_are_collected(request: pytest.FixtureRequest) -> None:
    left_out = request.config.getini("norecursedirs")
    folders = {part for path in ROOT.glob("tests/**/test_*.py") for part in path.relative_to(ROOT).parts[:-1]}
    assert [folder for folder in folders if any(fnmatch(folder, pattern) for pattern in left_out)] == []
