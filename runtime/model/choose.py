"""Which model answers which role: `--model SPEC` for all, `--model ROLE=SPEC` for one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from runtime.errors import UsageError
from runtime.model.book import AnswerBook, RecordedModel
from runtime.model.model import Model, Price, knows_cost, model_of
from runtime.model.relay import RelayModel

if TYPE_CHECKING:
    from runtime.model.ask import ApiModel

CHOICES = "anthropic:MODEL, openai:MODEL, relay:DIR, recorded, recorded:FILE"


@dataclass(frozen=True)
class Models:
    """The models of a command line; `everyone` answers for the roles without a model of their own."""

    everyone: Model | None
    by_role: Mapping[str, Model]
    prices: Mapping[str, Price] = field(default_factory=dict)  # of models without a list price

    def of(self, role: str) -> Model:
        """Return the model for a role; errors: UsageError if there is none."""
        model = self.by_role.get(role, self.everyone)
        if model is None:
            raise UsageError(f"No model for {role!r}; give --model SPEC or --model {role}=SPEC, with {CHOICES}.")
        return model

    def of_unknown_cost(self) -> list[str]:
        """Return the names of models without a known price, with which a limit on the cost cannot hold."""
        models = [*self.by_role.values(), *([self.everyone] if self.everyone is not None else [])]
        return sorted({model.name for model in models if not knows_cost(model.name, self.prices)})


def choose_models(
    specs: Sequence[str],
    roles: Sequence[str],
    *,
    book: AnswerBook | None = None,
    prices: Mapping[str, Price] | None = None,
) -> Models:
    """Open the models of a command line; errors: UsageError for a wrong spec, a missing key, an unwritable folder.

    With a book, every model answers from it first and records new answers into it. Equal specs share one model.
    `prices` are of models without a list price.
    """
    opened: dict[str, Model] = {}
    chosen: dict[str, Model] = {}
    for words in specs:
        role, spec = _split(words, roles)
        if role in chosen:
            raise UsageError(f"--model is given twice for {role or 'all roles'}.")
        if spec not in opened:
            opened[spec] = _open(spec, book, prices or {})
        chosen[role] = opened[spec]
    everyone = chosen.pop("", None)
    models = Models(everyone, chosen, prices or {})
    for role in roles:
        models.of(role)
    return models


def open_api(spec: str, prices: Mapping[str, Price]) -> ApiModel:
    """Return the model that anthropic:MODEL or openai:MODEL names; errors: UsageError, also for a missing key."""
    kind, _, rest = spec.partition(":")
    price = prices.get(model_of(spec) or "")
    if kind == "openai":
        from runtime.model.chat_completions import ChatCompletionsModel

        return ChatCompletionsModel(rest, price=price)
    from runtime.model.anthropic import AnthropicModel

    return AnthropicModel(rest, price=price)


def _split(words: str, roles: Sequence[str]) -> tuple[str, str]:
    """The role, empty for all, and the spec."""
    named = re.fullmatch(r"([^:=]*)=(.*)", words, re.DOTALL)
    if named is None:
        return "", words
    if named[1] not in roles:
        raise UsageError(f"No role {named[1]!r} in --model {words!r}; have: {', '.join(roles)}.")
    return named[1], named[2]


def _open(spec: str, book: AnswerBook | None, prices: Mapping[str, Price]) -> Model:
    kind, colon, rest = spec.partition(":")
    match kind:
        case "recorded" if not colon:
            if book is None:
                raise UsageError("Model 'recorded' has no answers here; name them with recorded:FILE.")
            return RecordedModel(book)
        case "recorded" if rest:
            live: Model = RecordedModel(AnswerBook.read(Path(rest).expanduser()))
        case "relay" if rest:
            live = RelayModel(Path(rest).expanduser())
        case "anthropic" | "openai" if rest:
            live = open_api(spec, prices)
        case "anthropic" | "openai" | "relay" | "recorded":
            raise UsageError(f"Model {spec!r} is not complete; have: {CHOICES}.")
        case _:
            raise UsageError(f"No model {spec!r}; have: {CHOICES}.")
    return live if book is None else RecordedModel(book, live)
