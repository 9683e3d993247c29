"""One reply of the Messages API, put together from the events of its stream; it knows nothing of the SDK."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from runtime.model.model import Usage
from runtime.model.prices import Price
from runtime.model.usage import estimate_tokens


class Nonsense(ValueError):
    """What came is not a stream of the Messages API; the message says what came instead."""


@dataclass
class Reply:
    """What came back of one call so far; `stop` is None until the reply is whole.

    `blocks` are the model's own, also those of kinds that nobody here knows, as they are to be sent back. A tool call
    whose arguments are not valid JSON keeps their text as its input.
    """

    blocks: list[dict[str, Any]] = field(default_factory=list)
    stop: str | None = None
    why: str | None = None
    prompt: int = 0
    written: int = 0
    cached: int = 0
    completion: int = 0
    _reason: str | None = None
    _inputs: dict[int, str] = field(default_factory=dict)  # arguments as far as they came, by block
    _places: dict[Any, int] = field(default_factory=dict)  # of the blocks, by the index of the stream

    @property
    def text(self) -> str:
        """All that was said in words."""
        return "".join(str(block.get("text", "")) for block in self.blocks if block.get("type") == "text")

    def take(self, event: Any) -> None:
        """Take the next event; errors: Nonsense."""
        match expect(event, "event").get("type"):
            case "message_start":
                self._count(expect(event.get("message"), "message").get("usage"))
            case "content_block_start":
                self._places[event.get("index")] = len(self.blocks)
                self.blocks.append(dict(expect(event.get("content_block"), "content block")))
            case "content_block_delta":
                self._extend(event.get("index"), expect(event.get("delta"), "delta"))
            case "message_delta":
                self._count(event.get("usage"))
                delta = expect(event.get("delta"), "delta")
                self._reason = _text_or_none(delta.get("stop_reason"))
                details = delta.get("stop_details")
                if isinstance(details, Mapping):
                    self.why = _text_or_none(details.get("explanation")) or _text_or_none(details.get("category"))
            case "message_stop":
                self._finish_inputs()
                self.stop = self._reason or "end_turn"

    def usage(self, price: Price | None) -> Usage:
        """What it took at a price; of a reply that was cut, the answer's tokens are estimated."""
        whole = self.stop is not None
        completion = self.completion if whole else max(self.completion, self.estimated_completion)
        cost = None if price is None else price.of(self.prompt, self.written, self.cached, completion)
        return Usage(self.prompt + self.written + self.cached, completion, self.cached, not whole, cost)

    def estimated_usage(self, asked: str, price: Price | None) -> Usage:
        """What it took where the server does not count, by all that was asked and all that was written."""
        prompt, completion = estimate_tokens(asked), self.estimated_completion
        cost = None if price is None else price.of(prompt, 0, 0, completion)
        return Usage(prompt, completion, estimated=True, cost=cost)

    @property
    def estimated_completion(self) -> int:
        """The tokens of all that was written, estimated."""
        written = [str(block.get(part, "")) for block in self.blocks for part in ("text", "thinking")]
        return estimate_tokens(*written, *self._inputs.values())

    def _extend(self, index: Any, delta: Mapping[str, Any]) -> None:
        place = self._places.get(index)
        if place is None:
            raise Nonsense(f"a delta of block {index!r}, which had not begun")
        block = self.blocks[place]
        match delta.get("type"):
            case "text_delta":
                block["text"] = _text(block.get("text", "")) + _text(delta.get("text"))
            case "thinking_delta":
                block["thinking"] = _text(block.get("thinking", "")) + _text(delta.get("thinking"))
            case "signature_delta":
                block["signature"] = _text(delta.get("signature"))
            case "citations_delta":
                block["citations"] = [*(block.get("citations") or []), delta.get("citation")]
            case "input_json_delta":
                self._inputs[place] = self._inputs.get(place, "") + _text(delta.get("partial_json"))

    def _finish_inputs(self) -> None:
        for place, written in self._inputs.items():
            if written.strip():
                try:
                    self.blocks[place]["input"] = json.loads(written)
                except (ValueError, RecursionError):
                    self.blocks[place]["input"] = written

    def _count(self, usage: Any) -> None:
        """Take over the tokens counted so far; what an event leaves out stays, as some local servers leave out much."""
        if not isinstance(usage, Mapping):
            return

        def counted(name: str, before: int) -> int:
            tokens = usage.get(name)
            return tokens if isinstance(tokens, int) and tokens >= 0 else before

        self.prompt = counted("input_tokens", self.prompt)
        self.written = counted("cache_creation_input_tokens", self.written)
        self.cached = counted("cache_read_input_tokens", self.cached)
        self.completion = counted("output_tokens", 0) or self.completion


def expect(value: Any, what: str) -> Mapping[str, Any]:
    """The object that a value should be; errors: Nonsense."""
    if not isinstance(value, Mapping):
        raise Nonsense(f"{str(value)[:80]!r} in place of the {what}")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Nonsense(f"{str(value)[:80]!r} in place of a text")
    return value


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
