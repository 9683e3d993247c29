"""What trainers' recipes share: the column `worldsmith` of a row, the rollout of a row, and calls in plain text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.model.model import without_reasoning
from worldsmith.catalog import tasks
from worldsmith.chat import ChatMessage, ChatTool
from worldsmith.rollout import PolicyChoice, Rollout

COLUMN = "worldsmith"
_PARTS = {"domain", "task", "user", "policy"}
_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_END = re.compile(r"(?:<\|[a-z_]+\|>|</s>|\s)+\Z")


def task_rows(
    domain: str,
    *,
    split: Any = None,
    level: Any = None,
    form: Any = None,
    user: str = "scripted",
    policy: PolicyChoice = True,
) -> Iterator[tuple[dict[str, Any], Rollout]]:
    """Yield the column of each task that `worldsmith.tasks` chooses, and its rollout, not open. Errors: UsageError.

    The user's words come first: there is no greeting, which some chat templates refuse.
    """
    if isinstance(domain, Domain) or not isinstance(domain, str):
        raise UsageError(f"The domain of rows is {str(domain)[:200]!r}; give its name or path as text.")
    for task in tasks(domain, split=split, level=level, form=form):
        column = {"domain": domain, "task": task.id, "user": user, "policy": policy}
        yield column, rollout_of({COLUMN: column})


def rollout_of(row: Mapping[str, Any], turns: int | None = None) -> Rollout:
    """Return the rollout of a row, not open, with at most `turns` turns of the assistant. Errors: UsageError."""
    column = row.get(COLUMN)
    if not isinstance(column, Mapping) or column.keys() != _PARTS:
        raise UsageError(f"The column {COLUMN!r} of a row is {str(column)[:200]!r}; rows() of its recipe writes it.")
    (task,) = tasks(column["domain"], ids=(column["task"],))
    played = {"user": column["user"], "policy": column["policy"], "greeting": False}
    return Rollout(task, **played) if turns is None else Rollout(task, **played, turns=turns)


def describe_tools(tools: Sequence[ChatTool]) -> str:
    """Describe the tools for a system message, and how one is called."""
    lines = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    return (
        f"\n\n# Tools\n\nYou may call these functions, one JSON schema a line:\n<tools>\n{lines}\n</tools>\n\n"
        "To call one, write its name and arguments as JSON within these tags, for several calls several times:\n"
        '<tool_call>\n{"name": "...", "arguments": {...}}\n</tool_call>'
    )


def read_reply(text: str) -> ChatMessage:
    """Read a reply as an assistant message; a call that is not JSON is one that is refused, for the model to read.

    >>> read_reply('I look. <tool_call>{"name": "search_books", "arguments": {"words": "sea"}}</tool_call></s>')
    {'role': 'assistant', 'content': 'I look.', 'tool_calls': [{'name': 'search_books', 'arguments': {'words': 'sea'}}]}
    """
    text = without_end(without_reasoning(text))
    calls = [_read_call(written) for written in _CALL.findall(text)]
    return {"role": "assistant", "content": _CALL.sub("", text).strip(), "tool_calls": calls}


def without_end(text: str) -> str:
    """Return a reply without the special tokens at its end, where a tokenizer has written them out."""
    return _END.sub("", text)


def _read_call(written: str) -> Any:
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return {"arguments": written.strip()}
