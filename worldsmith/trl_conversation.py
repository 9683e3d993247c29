"""One conversation as token ids: what the model wrote as it wrote it, and between that what its chat template puts."""

from __future__ import annotations

from typing import Any

from trl.chat_template_utils import parse_response

from runtime.errors import EnvironmentFault
from worldsmith.sync_rollout import SyncRollout

_CALLING = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": {}}}],
}


class Conversation:
    """One conversation as token ids, with a mask of what the model wrote."""

    def __init__(self, rollout: SyncRollout, trainer: Any) -> None:
        self.rollout, self._trainer, self._tokenizer = rollout, trainer, trainer.processing_class
        self.ids = self._render(rollout.messages, tools=rollout.tools)
        self.start, self.goes_on = len(self.ids), True
        self.finished = True  # every reply came to its end
        self.mask: list[int] = []
        self.logprobs: list[float] = []

    def take(self, written: list[int], logprobs: list[float] | None) -> None:
        """Take a reply of the model, and what answers it."""
        message = parse_response(self._tokenizer, written, prefix=self.ids, tools=self.rollout.tools)
        self._add(written, 1, logprobs)
        self.goes_on = self.finished = written[-1:] == [self._tokenizer.eos_token_id]
        try:
            answers = self.rollout.take(message) if self.goes_on else []
        except EnvironmentFault:
            answers = []
        following = self._following(answers) if answers and not self.rollout.done else []
        self.goes_on &= not self.rollout.done and len(self.mask) + len(following) < self._trainer.max_completion_length
        if self.goes_on:
            self._add(following, 0, [0.0] * len(following) if logprobs else None)

    def _add(self, ids: list[int], mask: int, logprobs: list[float] | None) -> None:
        self.ids, self.mask = self.ids + ids, self.mask + [mask] * len(ids)
        self.logprobs += logprobs or []

    def _following(self, answers: list[dict[str, Any]]) -> list[int]:
        """What a template puts behind the end of a reply."""
        before: list[dict[str, Any]] = [{"role": "user", "content": "?"}, _CALLING]
        end, whole = self._render(before, False), self._render([*before, *answers])
        at = len(end) - end[::-1].index(self._tokenizer.eos_token_id)
        return whole[at:]

    def _render(self, messages: list[dict[str, Any]], generate: bool = True, tools: Any = None) -> list[int]:
        ids = self._tokenizer.apply_chat_template(
            messages, tools=tools, add_generation_prompt=generate, tokenize=True, return_dict=False
        )
        return list(ids)
