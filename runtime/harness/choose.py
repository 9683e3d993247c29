"""Which agent, simulated user and matcher of texts a name means: `--agent SPEC`, `--user SPEC`, `--matcher SPEC`.

A matcher in place of the reward's own is for ablations (the paper's semantic comparison, section 4.1.1): it judges
composed texts, too, and can be fooled, so every score that it gave names it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from runtime.errors import UsageError
from runtime.harness.agents.baselines import ALWAYS, AlwaysAgent, IdleAgent, ParrotAgent, RandomAgent
from runtime.harness.agents.careful import BlindAgent, CarefulAgent
from runtime.harness.agents.models import ChattingKind
from runtime.harness.agents.reference import ReferenceAgent
from runtime.harness.conversation import AgentKind, UserKind
from runtime.harness.users.model_user import FreeKind, ReaderKind, fill
from runtime.harness.users.scripted import NoUser, ScriptedKind
from runtime.model.model import Model, Price, Request
from runtime.verification.texts import TextMatch, TextMatcher, match_dictated, normalize
from runtime.wording import have

_SCRIPTED: dict[str, Callable[[], AgentKind]] = {
    kind.name: kind for kind in (ReferenceAgent, IdleAgent, RandomAgent, ParrotAgent, CarefulAgent, BlindAgent)
}
AGENTS = (*_SCRIPTED, "anthropic:MODEL", "openai:MODEL", "command:PROGRAM", *ALWAYS)
USERS = ("scripted", "reader:MODEL", "anthropic:MODEL", "openai:MODEL", "relay:DIR", "none")
"""The MODEL of a reader is anthropic:MODEL, openai:MODEL or relay:DIR, too."""


def choose_agent(spec: str, prices: Mapping[str, Price] | None = None, pass_env: Sequence[str] = ()) -> AgentKind:
    """Return the agent of this name; a program is given the variables in `pass_env`. Errors: UsageError."""
    kind, _, rest = spec.partition(":")
    rest = rest.strip()
    if spec in _SCRIPTED:
        return _SCRIPTED[spec]()
    if spec in ALWAYS:
        return AlwaysAgent(spec)
    if kind in ("anthropic", "openai") and rest:
        from runtime.model.choose import open_api  # with an HTTP client, which a trainer may lack

        return ChattingKind(open_api(f"{kind}:{rest}", prices or {}))
    if kind == "command" and rest:
        from runtime.harness.agents.program import CommandAgent  # imports the server

        return CommandAgent(rest, pass_env)
    raise UsageError(f"no agent {spec!r}; {have(spec, AGENTS)}")


def choose_user(spec: str, prices: Mapping[str, Price] | None = None) -> UserKind:
    """Return the kind of user of this name; errors: UsageError, also for a model that cannot be set up."""
    if spec == "scripted":
        return ScriptedKind()
    if spec == "none":
        return NoUser()
    is_reader, model = spec.startswith("reader:"), spec.removeprefix("reader:")
    if not model.startswith(("anthropic:", "openai:", "relay:")) or model.endswith(":"):
        raise UsageError(f"No user {spec!r}; {have(spec, USERS)}.")
    from runtime.model.choose import choose_models

    opened = choose_models([model], ["user"], prices=prices).of("user")
    return ReaderKind(opened) if is_reader else FreeKind(opened)


MATCHERS = "similarity, anthropic:MODEL, openai:MODEL, relay:DIR"

_LEAST_SIMILAR = 80.0  # percent, of two texts that count as the same
_LONGEST = 4_000  # characters of an actual text that are compared

_SAME: Mapping[str, Any] = {
    "type": "object",
    "properties": {"same": {"type": "boolean"}, "reason": {"type": "string", "description": "one short sentence"}},
    "required": ["same", "reason"],
    "additionalProperties": False,
}


def choose_matcher(spec: str) -> TextMatcher | None:
    """The matcher that a spec names, None for the reward's own; errors: UsageError."""
    if not spec:
        return None
    if spec == "similarity":
        return match_similar
    if not spec.startswith(("anthropic:", "openai:", "relay:")) or spec.endswith(":"):
        raise UsageError(f"No matcher {spec!r}; have: {MATCHERS}.")
    from runtime.model.choose import choose_models

    return ModelMatcher(choose_models([spec], ["matcher"]).of("matcher"))


def match_similar(expected: str, actual: str, facts: Sequence[str] = ()) -> TextMatch:
    """Compare by shared words, in any order, with their spelling (rapidfuzz, token sort ratio)."""
    from rapidfuzz import fuzz

    ratio = fuzz.token_sort_ratio(normalize(expected), normalize(actual[:_LONGEST]))
    return TextMatch(ratio >= _LEAST_SIMILAR, f"the texts are {ratio:.0f} % similar")


class ModelMatcher:
    """Asks a model whether two texts say the same (paper, section 4.1.1); each pair once."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: dict[tuple[str, str], TextMatch] = {}
        self._asking = threading.Lock()

    def __call__(self, expected: str, actual: str, facts: Sequence[str] = ()) -> TextMatch:
        """What the model says; errors: ModelFailed."""
        if match_dictated(expected, actual).same:
            return TextMatch(True, "the texts are equal")
        with self._asking:
            pair = expected, actual
            if pair not in self._known:
                self._known[pair] = asyncio.run(self._ask(expected, actual, facts))
            return self._known[pair]

    async def _ask(self, expected: str, actual: str, facts: Sequence[str]) -> TextMatch:
        marks = {"expected": expected, "actual": actual, "facts": "\n".join(f"- {fact}" for fact in facts) or "- none"}
        prefix, _, prompt = fill("matcher.md", marks).partition("<<<>>>")
        request = Request(
            "matcher", "match", f"pair-{len(self._known) + 1:05d}", 1, prefix, prompt, _SAME, max_tokens=300
        )
        answer = await self._model.answer(request)
        return TextMatch(bool(answer.content["same"]), str(answer.content["reason"]))
