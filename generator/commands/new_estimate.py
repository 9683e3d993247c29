"""What a domain is likely to take, before it is made: what those took that were, for so many tools, at list prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator.build.roles import OF_SCENARIOS, PROPOSES
from runtime.domain.find import known_domains
from runtime.errors import UsageError
from runtime.model.choose import Models
from runtime.model.options import model_of
from runtime.model.prices import find_price
from runtime.sandbox.files import parse_json, read_text

_ROLES = {"reading": "reader", "sharpen": "cases"}  # of stages that have another name than who answers them


@dataclass(frozen=True)
class StageRate:
    """The tokens of a stage for each tool that was asked for."""

    prompt: float
    completion: float


@dataclass(frozen=True)
class Estimate:
    """What is still to be asked for a domain; None where nobody knows."""

    tokens: int | None
    dollars: float | None


def read_rates() -> dict[str, StageRate]:
    """The rates of the stages, of all known domains whose tokens are recorded; a broken card counts for nothing."""
    tools = 0
    sums: dict[str, list[int]] = {}
    for path in known_domains().values():
        try:
            made = parse_json(read_text(path / "domain.json"))["provenance"]
            stages = {
                str(stage): (int(count["prompt"]), int(count["completion"]))
                for stage, count in made["tokens"]["by_stage"].items()
            }
            tools += int(made["tools"])
        except (UsageError, ValueError, LookupError, TypeError, AttributeError):
            continue
        for stage, counts in stages.items():
            before = sums.get(stage, [0, 0])
            sums[stage] = [before[0] + counts[0], before[1] + counts[1]]
    return {
        stage: StageRate(prompt / tools, completion / tools) for stage, (prompt, completion) in sums.items() if tools
    }


def estimate(
    tools: int, models: Models, rates: Mapping[str, StageRate], used: Mapping[str, Any], *, scenarios: bool = True
) -> Estimate:
    """What so many tools will take, less what each stage has `used` already, at the prices of the models' lists."""
    if not rates:
        return Estimate(None, None)
    tokens, dollars, is_known = 0.0, 0.0, True
    for stage, rate in rates.items():
        role = _ROLES.get(stage, stage)
        if role == PROPOSES or (role in OF_SCENARIOS and not scenarios):
            continue
        name = models.of(role).name
        if name.partition(":")[0] == "recorded":
            continue
        taken = used.get(stage)
        prompt = max(0.0, rate.prompt * tools - (taken.prompt if taken else 0))
        completion = max(0.0, rate.completion * tools - (taken.completion if taken else 0))
        tokens += prompt + completion
        model = model_of(name)
        if model is not None:
            price = models.prices.get(model) or (find_price(model) if name.startswith("anthropic:") else None)
            is_known = is_known and price is not None
            dollars += price.of(round(prompt), 0, 0, round(completion)) if price else 0.0
    return Estimate(round(tokens / 1_000) * 1_000, dollars if is_known else None)
