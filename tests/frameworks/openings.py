"""The tasks of a domain that begin in words of their own, by which a stand-in for a model can know them.

python -m tests.frameworks.openings DOMAIN SPLIT FOLDER: copies the domain into FOLDER, with these of its tasks alone.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import cast

from worldsmith import Split, load, tasks


def copy_distinct(name: str, split: Split, folder: Path) -> Path:
    """The new folder: of the tasks with the same first words, the first."""
    domain = load(name)
    shutil.copytree(domain.path, folder, ignore=shutil.ignore_patterns("__pycache__", "tasks.jsonl"))
    openings: dict[str, str] = {}  # of ids
    for each in tasks(name, split=split):
        openings.setdefault(" ".join(each.task.user.words[0].split()), each.id)
    chosen = set(openings.values())
    lines = (domain.path / "tasks.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line, each in zip(lines, tasks(name), strict=True) if each.id in chosen]
    (folder / "tasks.jsonl").write_text("".join(kept), encoding="utf-8")
    return folder


if __name__ == "__main__":
    copy_distinct(sys.argv[1], cast(Split, sys.argv[2]), Path(sys.argv[3]))
