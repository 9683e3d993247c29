"""What a model is told of a user, as files beside this one with `{{marks}}` to be filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path


def fill(name: str, marks: Mapping[str, str]) -> str:
    """A brief with its marks filled in."""
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: marks[mark[1]], _read(name))


@lru_cache(maxsize=4)
def _read(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
