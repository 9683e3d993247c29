"""Read `scenarios.py` of a domain folder: its scenarios by name, in file order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from runtime.errors import UsageError
from runtime.sandbox.code import load_module
from runtime.sandbox.files import is_there
from runtime.task.story import Story

FILE = "scenarios.py"
Program = Callable[[Story], None]


def load_scenarios(folder: Path) -> dict[str, Program]:
    """The scenarios of a domain folder; errors: UsageError if it has none, BrokenDomain."""
    path = folder / FILE
    if not is_there(path):
        raise UsageError(f"Domain {folder.name!r} has no {FILE}; `worldsmith new` writes it, or a person does.")
    place = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:12]
    module = load_module(path, f"worldsmith_domain_{place}.scenarios", shown_as=FILE)
    programs = {
        name: value
        for name, value in vars(module).items()
        if getattr(value, "is_scenario", False) and getattr(value, "__module__", "") == module.__name__
    }
    if not programs:
        raise UsageError(f"{str(path)!r} declares no scenario; decorate a function with @scenario.")
    return programs
