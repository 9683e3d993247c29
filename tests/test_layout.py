"""Imports point one way, and the part that serves a domain can be copied out whole."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SERVING = ("__init__", "errors", "sandbox", "domain", "session", "server")
# pydantic, aiosqlite and mcp, and what these bring themselves
SERVING_PACKAGES = {
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


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


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
    is_transport = rest[:2] == ["harness", "transports"] or rest == ["harness", "agents", "talk"]
    if rest[0] != "server" and not is_transport:
        assert not [name for name in imports if name.split(".")[0] in ("mcp", "mcp_types")]
    if _name(path) != "runtime/model/anthropic.py":
        assert not [name for name in imports if name.split(".")[0] == "anthropic"]


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
