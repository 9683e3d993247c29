"""One reply of a chat completions server, put together from its chunks, in the blocks of the Messages API.

Servers differ. Calls made at once may all have index 0, or none; a call's arguments may come as an object, in pieces,
or all at once with its name repeated; ids may be missing; the end may be called `stop` although there are calls.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from runtime.model.model import Usage
from runtime.model.prices import Price
from runtime.model.reply import Nonsense, expect
from runtime.model.usage import estimate_tokens

REASONING = ("reasoning_content", "reasoning")
"""The names under which servers give what a model thought, and take it back."""
DETAILS = "reasoning_details"
"""The name of what some servers give beside it: parts, which are to be sent back as they came."""

_STOPS = {"length": "max_tokens", "content_filter": "refusal"}


class ServerError(Exception):
    """The server sent an error where a reply should be; `status` is what it says or means in HTTP."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status


@dataclass
class _Call:
    place: int  # the index that the server gave
    id: Any
    name: str
    arguments: str = ""

    @property
    def input(self) -> Any:
        """The arguments; a text that is not valid JSON is kept as it is."""
        try:
            return json.loads(self.arguments, parse_constant=_refuse) if self.arguments.strip() else {}
        except (ValueError, RecursionError):
            return self.arguments

    @property
    def is_whole(self) -> bool:
        return bool(self.arguments.strip()) and isinstance(self.input, dict)


@dataclass
class Completion:
    """What came back so far; `stop` is None until a chunk or the end of the stream says why the reply ends.

    `most` is how many tokens were asked for at most: a call of a reply that took them all may be half a call, whatever
    the server says of its end.
    """

    most: int | None = None
    stop: str | None = None
    text: str = ""
    prompt: int = 0
    cached: int = 0
    completion: int = 0
    thoughts: dict[str, str] = field(default_factory=dict)  # by the name under which they came
    details: list[dict[str, Any]] = field(default_factory=list)
    _refusal: str = ""
    _calls: list[_Call] = field(default_factory=list)

    @property
    def why(self) -> str | None:
        """What was said about the end."""
        return self._refusal or None

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """What the model thought, said and called."""
        thought: list[dict[str, Any]] = [
            {"type": "reasoning", "name": name, "text": text} for name, text in self.thoughts.items()
        ]
        if self.details:
            thought.append({"type": "reasoning", "name": DETAILS, "text": "", "details": self.details})
        said = [{"type": "text", "text": self.text}] if self.text else []
        calls = [{"type": "tool_use", "id": each.id, "name": each.name, "input": each.input} for each in self._calls]
        return [*thought, *said, *calls]

    @property
    def has_calls(self) -> bool:
        """Whether the model called a tool."""
        return bool(self._calls)

    def take(self, chunk: Any) -> None:
        """Take the next chunk, or a whole reply; errors: Nonsense, ServerError."""
        _raise_error(expect(chunk, "chunk"))
        self._count(chunk.get("usage"))
        choices = chunk.get("choices")
        if choices is None and "usage" not in chunk:
            raise Nonsense(f"{json.dumps(chunk)[:80]!r} in place of the chunk")
        for choice in _list_of(choices)[:1]:
            _raise_error(expect(choice, "choice"))
            part = expect(choice.get("delta") or choice.get("message") or {}, "delta")
            self._say(part)
            self._call([expect(each, "call") for each in _list_of(part.get("tool_calls"))])
            self._end(choice.get("finish_reason"))

    def finish(self) -> None:
        """The server says that this was all."""
        self.stop = self.stop or "end_turn"
        if self._refusal:
            self.stop = "refusal"
        elif self.most is not None and self.completion >= self.most and self._calls and not self._calls[-1].is_whole:
            self.stop = "max_tokens"
        elif self.stop == "max_tokens" and self.most is None:
            self.stop = "model_context_window_exceeded"  # nothing else had set an end to it

    def usage(self, price: Price | None, asked: str) -> Usage:
        """What it took at a price; what the server did not count is estimated by what was asked and written."""
        whole = self.stop is not None and self.prompt > 0
        prompt = self.prompt or estimate_tokens(asked)
        written = (self.text, *self.thoughts.values(), *(each.name + each.arguments for each in self._calls))
        completion = self.completion if whole else max(self.completion, estimate_tokens(*written))
        cost = None if price is None else price.of(prompt - self.cached, 0, self.cached, completion)
        return Usage(prompt, completion, self.cached, not whole, cost)

    @property
    def has_begun(self) -> bool:
        """Whether anything came that has to be paid for."""
        return bool(self.prompt or self.stop or self.text or self.thoughts or self._calls)

    def _say(self, part: Mapping[str, Any]) -> None:
        self.text += _text_of(part.get("content"))
        self._refusal += _text_of(part.get("refusal"))
        for name in REASONING:
            if thought := _text_of(part.get(name)):
                self.thoughts[name] = self.thoughts.get(name, "") + thought
        for each in _list_of(part.get(DETAILS)):
            self._detail(expect(each, "detail"))

    def _detail(self, part: Mapping[str, Any]) -> None:
        """Parts of one kind and index that follow each other are pieces of one."""
        last = self.details[-1] if self.details else {}
        if not last or (last.get("type"), last.get("index")) != (part.get("type"), part.get("index")):
            self.details.append(dict(part))
            return
        for name, value in part.items():
            pieces = name in ("text", "summary", "data") and isinstance(value, str) and isinstance(last.get(name), str)
            last[name] = last[name] + value if pieces else value

    def _call(self, parts: list[Mapping[str, Any]]) -> None:
        extended: list[_Call] = []
        for number, part in enumerate(parts):
            function = expect(part.get("function") or {}, "function")
            place, name, given = part.get("index"), _text_of(function.get("name")), function.get("arguments")
            place = place if isinstance(place, int) else number
            call = next((each for each in reversed(self._calls) if each.place == place), None)
            if call is None or _begins(call, part.get("id"), name) or any(each is call for each in extended):
                call = _Call(place, part.get("id"), name)
                self._calls.append(call)
            extended.append(call)
            call.id, call.name = call.id or part.get("id"), call.name or name
            call.arguments += given if isinstance(given, str) else "" if given is None else json.dumps(given)

    def _end(self, reason: Any) -> None:
        if reason in ("error", "abort"):
            raise ServerError(500, f"the reply ended with {reason!r}")
        if isinstance(reason, str) and reason:
            self.stop = _STOPS.get(reason, "end_turn")

    def _count(self, usage: Any) -> None:
        if not isinstance(usage, Mapping):
            return
        details = usage.get("prompt_tokens_details")
        cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
        self.prompt = _counted(usage.get("prompt_tokens")) or self.prompt
        self.completion = _counted(usage.get("completion_tokens")) or self.completion
        self.cached = min(_counted(cached) or self.cached, self.prompt)


def _begins(call: _Call, given: Any, name: str) -> bool:
    """Whether a part at the place of a call is of another call: only a name begins one."""
    if not name or not call.name:
        return False
    if given and call.id:
        return bool(given != call.id)
    return name != call.name or call.is_whole


def _raise_error(part: Mapping[str, Any]) -> None:
    error = part.get("error")
    if not error and part.get("object") == "error":
        error = part
    if not error:
        return
    if not isinstance(error, Mapping):
        raise ServerError(500, str(error))
    code, kind = str(error.get("code")), f"{error.get('type')} {error.get('code')}".lower()
    said = str(error.get("message") or json.dumps(error))
    status = int(code) if re.fullmatch("[45][0-9][0-9]", code) else 0
    if not status:
        status = 400 if any(word in kind for word in ("invalid", "badrequest", "bad_request", "context")) else 500
    raise ServerError(status, said)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON, and no server would take it back")


def _list_of(parts: Any) -> list[Any]:
    if parts is None or isinstance(parts, list):
        return parts or []
    raise Nonsense(f"{str(parts)[:80]!r} in place of a list")


def _text_of(content: Any) -> str:
    """The words of a content, which a few servers give as a list of parts."""
    if isinstance(content, list):
        return "".join(_text_of(part.get("text")) for part in content if isinstance(part, Mapping))
    if content is None or isinstance(content, str):
        return content or ""
    raise Nonsense(f"{str(content)[:80]!r} in place of a text")


def _counted(tokens: Any) -> int:
    return tokens if isinstance(tokens, int) and tokens > 0 else 0
