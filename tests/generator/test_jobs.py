"""Every job of the generator takes a dataclass and returns one, and a child finds it."""

from __future__ import annotations

from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from generator.isolation.job import Job, find_job

ROOT = Path(__file__).parents[2]
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted(ROOT.glob("generator/**/*.py"))
    if "@job(" in path.read_text(encoding="utf-8") and path.name != "job.py"
]
JOBS = [each for name in MODULES for each in vars(import_module(name)).values() if isinstance(each, Job)]
OWN = {each.name: each for each in JOBS}


@pytest.mark.parametrize("job", OWN.values(), ids=list(OWN))
def test_a_job_takes_and_returns_a_dataclass_and_is_found(job: Job[Any, Any]) -> None:
    *taken, (name, told) = job.function.__annotations__.items()
    assert (len(taken), name) == (1, "return")
    types = vars(import_module(job.function.__module__))
    assert is_dataclass(types[taken[0][1]])
    assert is_dataclass(types[told])
    assert find_job(job.address) is job
    assert job.asked.json_schema(mode="validation")  # it can be read from JSON
