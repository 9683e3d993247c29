"""A model for tests: answers come from a mapping or a function, and every request is kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from runtime.errors import ModelFailed
from runtime.model.model import Answer, Request, estimate_usage

Script = Callable[[Request], Mapping[str, Any]] | Mapping[Any, Mapping[str, Any]]


class ScriptedModel:
    """Answers by (stage, key, attempt), (stage, key) or stage, whichever the script has first; or calls a function.

    A key with a dot in it is also found by what stands before the dot.
    """

    name = "scripted"

    def __init__(self, script: Script) -> None:
        self.requests: list[Request] = []
        self._script = script

    async def answer(self, request: Request) -> Answer:
        """Answer from the script; errors: ModelFailed where it holds nothing."""
        self.requests.append(request)
        content = dict(self._look_up(request))
        return Answer(content, self.name, estimate_usage(request, json.dumps(content)))

    def _look_up(self, request: Request) -> Mapping[str, Any]:
        if callable(self._script):
            return self._script(request)
        stage, key, attempt = request.stage, request.key, request.attempt
        for name in ((stage, key, attempt), (stage, key), (stage, key.partition(".")[0]), stage):
            if name in self._script:
                return self._script[name]
        raise ModelFailed(f"The script has no answer for {stage}/{key} attempt {attempt}.")
