"""Fill the prompt files of `generator/prompts/`: a prompt is made of named parts, and a part is never cut out of one.

What several prompts share is a file of its own, as `body` and `conventions` are.
"""

from __future__ import annotations

import re
from pathlib import Path

_FOLDER = Path(__file__).parents[2] / "prompts"
_MARK = re.compile(r"\{\{(\w+)\}\}")


def prompt(name: str, **values: object) -> str:
    """The text of `prompts/NAME.md` with every `{{mark}}` filled; a mark without a value is a KeyError."""
    text = (_FOLDER / f"{name}.md").read_text(encoding="utf-8")
    filled = _MARK.sub(lambda mark: str(values[mark[1]]), text)
    return re.sub(r"\n{3,}", "\n\n", filled).strip() + "\n"
