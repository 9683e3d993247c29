"""Calls in plain text, as Hermes and Qwen models write them: how a prompt asks for them, and how they are read."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from runtime.model.model import without_reasoning
from worldsmith.chat import ChatMessage, ChatTool

_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_END = re.compile(r"(?:<\|[a-z_]+\|>|</s>|\s)+\Z")


def describe_tools(tools: Sequence[ChatTool]) -> str:
    """What the system message says of the tools, and of how one is called."""
    lines = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    return (
        f"\n\n# Tools\n\nYou may call these functions, one JSON schema a line:\n<tools>\n{lines}\n</tools>\n\n"
        "To call one, write its name and arguments as JSON within these tags, for several calls several times:\n"
        '<tool_call>\n{"name": "...", "arguments": {...}}\n</tool_call>'
    )


def read_reply(text: str) -> ChatMessage:
    """A reply as an assistant message; a call that is not JSON is one that is refused, for the model to read."""
    text = without_end(without_reasoning(text))
    calls = [_read_call(written) for written in _CALL.findall(text)]
    return {"role": "assistant", "content": _CALL.sub("", text).strip(), "tool_calls": calls}


def without_end(text: str) -> str:
    """A reply without the special tokens at its end, where a tokenizer has written them out."""
    return _END.sub("", text)


def _read_call(written: str) -> Any:
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return {"arguments": written.strip()}
