"""How a test runs a hostile program that is loaded: in a child, twice, beside an honest session."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.gates.request import FolderRequest
from generator.isolation.limits import MIB, ProvingLimits
from generator.isolation.prove import prove
from tests.generator.isolation.attack import attack, write_tool

ROOT = Path(__file__).parents[3]
LIMITS = ProvingLimits(cpu_seconds=20, memory_bytes=768 * MIB)


def program(name: str, body: str, ends: str, top: str = "") -> object:
    """The body of a tool, what stands at the top of its file, and how its call ends."""
    return pytest.param(body, top, ends, id=name)


def contain(folder: Path, body: str, top: str, ends: str) -> None:
    """Run a tool's body, and assert that its call ends so, each time alike, and touches nothing."""
    path = write_tool(folder, body, top)
    found = prove(attack, FolderRequest(path), LIMITS, reads=[path], root=ROOT)
    first, second = found.said
    assert first == second
    assert ends.removeprefix("FAULT: ") in first
    assert first.split(":")[0] == ends.split(":")[0]
    assert not found.broken
