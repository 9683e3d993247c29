"""What of a model's text is reasoning: a `<think>` part, also one that is not closed, or that the prompt opened."""

from __future__ import annotations

import re

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)


def without_reasoning(text: str) -> str:
    """What is left for the user to read."""
    if "think>" not in text:
        return text
    return _THOUGHT.sub("", text).rpartition("</think>")[2].strip()
