"""The scenarios of a domain, as programs by name."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from runtime.domain.code import load_module
from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.task.story import Story

Program = Callable[[Story], None]

FILE = "scenarios.py"


def read_programs(domain: Domain) -> dict[str, Program]:
    """The functions under @scenario in the order of the file; errors: UsageError if there are none, BrokenDomain."""
    path = domain.path / FILE
    if not path.is_file():
        raise UsageError(f"Domain {domain.name!r} has no {FILE}; tasks are made of its scenarios.")
    folder = hashlib.sha256(str(domain.path.resolve()).encode()).hexdigest()[:12]
    module = load_module(path, f"worldsmith_domain_{folder}.scenarios", shown_as=FILE)
    programs = {name: value for name, value in vars(module).items() if getattr(value, "is_scenario", False)}
    if not programs:
        raise UsageError(f"{FILE} of domain {domain.name!r} has no scenario; decorate a function with @scenario.")
    return programs
