"""The decisions of an expert task: which there are, which of them went wrong, and what decides each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from runtime.domain.schema import Value
from runtime.task.user import TaskPart
from runtime.wording import counted


class TaskDecision(TaskPart):
    """A point at which an expert task can be decided wrongly.

    For the request `wish`, counted from 0, a call is allowed or denied under `rule` (its subject is `row`), an answer
    of a name is right, or a change is. `after` are earlier requests without which something else would be right; with
    "order" they are of the same message, and said later. The last three are of a message of an inbox: a later one
    takes it back, an earlier one asked for the same, or it is left to a person.
    """

    wish: int
    decides: Literal["allowed", "denied", "answer", "change", "order", "withdrawn", "repeated", "set_aside"]
    rule: str = ""
    row: Value = None
    answer: str = ""
    after: list[int] = []

    @property
    def sentence(self) -> str:
        """What is right, and what it depends on."""
        request = f"Request {self.wish + 1}"
        said = {
            "allowed": f"{request} is allowed",
            "denied": f"{request} is denied by {self.rule or 'a tool'}",
            "answer": f"{request} asks for the {self.answer}",
            "change": f"{request} changes other records",
            "order": f"{request} comes last of its message",
            "withdrawn": f"{request} is taken back",
            "repeated": f"{request} asks again for what is done once",
            "set_aside": f"{request} is left to a person",
        }[self.decides]
        *numbers, last = [str(wish + 1) for wish in self.after] or [""]
        which = f"requests {', '.join(numbers)} and {last}" if numbers else f"request {last}"
        return f"{said}, which depends on {which}." if last else f"{said}."


def are_right(
    decisions: Sequence[TaskDecision], components: Mapping[str, int], wrong_answers: Collection[str | None]
) -> Iterator[bool]:
    """Yield whether each decision was right, by the components of a verdict and the answers that were not right."""
    for each in decisions:
        if each.answer:
            yield each.answer not in wrong_answers
        else:  # nothing is recorded of what was refused before, so that only what was done can be wrong
            done = min(components.get(part, 1) for part in ("nothing_else", "rules"))
            yield bool(components.get(f"request_{each.wish + 1}", done))


def parts_of_decisions(decisions: Sequence[TaskDecision], right: Sequence[bool]) -> dict[str, int]:
    """Return 1 or 0 for each kind of decision that there is: whether all of that kind were right."""
    kinds = {
        "allowed_decisions": [each.decides == "allowed" for each in decisions],
        "denied_decisions": [each.decides == "denied" for each in decisions],
        "dependent_decisions": [bool(each.after) for each in decisions],
    }
    return {
        name: int(all(was for was, counts in zip(right, of_kind, strict=True) if counts))
        for name, of_kind in kinds.items()
        if any(of_kind)
    }


def wrong_decisions(decisions: Sequence[TaskDecision], right: Sequence[bool]) -> list[str]:
    """Return how many decisions were wrong, and what would have been right of each, as sentences; none if all were."""
    wrong = [each.sentence for each, was in zip(decisions, right, strict=True) if not was]
    return [f"{len(wrong)} of {counted(len(decisions), 'decision')} went wrong.", *wrong] if wrong else []
