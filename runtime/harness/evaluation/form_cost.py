"""What a mechanism costs an agent: its rates of the same tasks with it and without it, task by task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.harness.evaluation.plan import TaskName
from runtime.harness.evaluation.rates import Rate, mean_rate
from runtime.task.task import Eased
from runtime.wording import counted


@dataclass(frozen=True)
class FormCost:
    """Rates of the same tasks with the mechanism of a form and without it; `unpaired` ones have none with it."""

    form: str
    having: Sequence[Rate]
    lacking: Sequence[Rate]
    unpaired: int

    def as_json(self) -> dict[str, Any]:
        """The figures as plain JSON values; means are None where no task was measured both ways."""
        means = [round(mean_rate(rates), 6) if rates else None for rates in (self.having, self.lacking)]
        return {
            "form": self.form,
            "tasks": len(self.having),
            "with": means[0],
            "without": means[1],
            "difference": None if means[0] is None or means[1] is None else round(means[1] - means[0], 6),
            "unpaired": self.unpaired,
        }

    def describe(self) -> Iterator[str]:
        """The figures as sentences."""
        if self.having:
            before, after = mean_rate(self.having), mean_rate(self.lacking)
            yield (
                f"{self.form}: mean {before:.3f} with it and {after:.3f} without it ({after - before:+.3f}), measured "
                f"both ways on {counted(len(self.having), 'task')}"
            )
        if self.unpaired:
            yield (
                f"{counted(self.unpaired, 'task')} without a rate of the original under the same conditions: run "
                f"`worldsmith calibrate` without --without"
            )


def cost_of(
    form: str, eased: Mapping[TaskName, Eased], measured: Sequence[Rate], originals: Sequence[Rate]
) -> FormCost:
    """Pair the rates of eased tasks with those of their originals under the same conditions."""
    known = {(each.name, each.program, each.conditions): each for each in originals}
    pairs: list[tuple[Rate, Rate]] = []
    own = [each for each in measured if each.name in eased]
    for each in own:
        original = known.get(((each.domain, eased[each.name].of), each.program, each.conditions))
        if original is not None:
            pairs.append((original, each))
    return FormCost(form, [one for one, _ in pairs], [other for _, other in pairs], len(own) - len(pairs))
