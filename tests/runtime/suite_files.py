"""Domains for suites of many: copies of the library under other names, each with as many tasks as a test says."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

LIBRARY = Path(__file__).parents[2] / "domains" / "library"


def write_library(folder: Path, name: str, tasks: int = 3, words: Sequence[str] = ()) -> Path:
    """A copy of the library with another name; `words` are added to what its tools say of themselves."""
    path = folder / name
    shutil.copytree(LIBRARY, path)
    card = json.loads((path / "domain.json").read_text())
    (path / "domain.json").write_text(json.dumps({**card, "name": name, "title": name.replace("_", " ").title()}))
    lines = [json.loads(line) for line in (LIBRARY / "tasks.jsonl").read_text().splitlines()]
    made = [
        {**lines[number % 3], "id": f"task-{number}", "domain": name, "difficulty": {"complexity": 1 + number % 3}}
        for number in range(tasks)
    ]
    (path / "tasks.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in made))
    if words:
        for file in (path / "tools").glob("*.py"):
            file.write_text(file.read_text().replace('."""\n    ', f'. {" ".join(words)}."""\n    '))
    return path


def write_suite_file(folder: Path, tasks: Mapping[str, int], name: str = "many") -> Path:
    """A suite of copies of the library beside its file, with so many tasks each."""
    path = folder / f"{name}.toml"
    for domain, count in tasks.items():
        write_library(folder, domain, count)
    entries = "".join(f'\n[domains.{domain}]\npath = "{domain}"\n' for domain in tasks)
    path.write_text(f"format = 1\n{entries}")
    return path
