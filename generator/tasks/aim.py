"""What a run's agent fails: shares by form, rule and tool, and how much more often each scenario is to begin a task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from generator.gates.worth import judge_task
from generator.tasks.plan import RULED, plan_task, read_task_id
from runtime.domain.domain import Domain
from runtime.domain.people import DECLINE
from runtime.errors import UsageError
from runtime.harness.evaluation.store import read_run
from runtime.task.task import Task
from runtime.task.task_file import read_tasks
from runtime.task.user import Form

_MOST = 9.0  # how much more often a scenario begins a task whose part always fails, while the others never do
_LEAST_EPISODES = 3  # with a part, before it counts


@dataclass(frozen=True)
class AimedScenario:
    """A scenario that begins tasks, whether a rule denies it (None: none judges it), and its weight, 1 or more."""

    lead: str
    denied: bool | None
    weight: float


@dataclass(frozen=True)
class FailedPart:
    """A form, rule or tool, such as "form denied, refused", with the requests that have it and how many failed."""

    part: str
    failed: int
    requests: int

    @property
    def rate(self) -> float:
        return self.failed / self.requests


@dataclass(frozen=True)
class RunAim:
    """Which scenarios are to come more often, and what the agent fails more often than all else, worst first."""

    scenarios: list[AimedScenario] = field(default_factory=list)
    parts: list[FailedPart] = field(default_factory=list)


def read_aim(path: Path, domain: Domain, forms: Mapping[str, Form]) -> RunAim:
    """Read what the agent of a run fails in a domain; errors: UsageError where it failed nothing of it."""
    run = read_run(path)
    played = {id_: task for (name, id_), task in run.tasks.items() if name == domain.name}
    seen, failed = Counter[str](), Counter[str]()
    all_failed = all_seen = 0
    for record in run.outcomes():
        if record.domain != domain.name or record.reward is None:
            continue
        task = played[record.task]
        undone = {wish for wish in range(len(task.user.wishes)) if not record.components.get(f"request_{wish + 1}", 1)}
        for wish, own in enumerate(_parts_of(domain, task)):
            is_failed = not record.reward and (wish in undone or not undone)
            seen.update(own)
            failed.update(own if is_failed else ())
            all_seen, all_failed = all_seen + 1, all_failed + is_failed
        for broken in record.violations:  # a call that should not have been made
            seen[f"rule {broken.rule} denies"] += 1
            failed[f"rule {broken.rule} denies"] += 1
    if not all_failed:
        raise UsageError(f"The run in {str(path)!r} has no failed episode of {domain.name!r}, so nothing to aim at.")
    usual = all_failed / all_seen
    parts = [FailedPart(part, failed[part], count) for part, count in seen.items() if count >= _LEAST_EPISODES]
    worse = {each.part: (each.rate - usual) / (1 - usual) for each in parts if each.rate > usual}
    scenarios = [
        AimedScenario(lead, denied, 1 + _MOST * max((worse.get(part, 0.0) for part in having), default=0.0))
        for (lead, denied), having in _parts_of_leads(
            domain, [*played.values(), *read_tasks(domain, []).values()], forms
        )
    ]
    shown = sorted(
        (each for each in parts if each.part in worse), key=lambda each: (-each.rate, -each.failed, each.part)
    )
    return RunAim(scenarios, shown)


def _parts_of(domain: Domain, task: Task) -> Iterator[set[str]]:
    """Yield the form, the rules and the tools of each request of a task."""
    own = judge_task(domain, task)
    for number, wish in enumerate(task.user.wishes):
        steps = [step for step in task.chain if step.wish == number]
        tools = {step.tool for step in steps}
        denies = {step.arguments.get("rule_code") for step in steps if step.tool == DECLINE}
        allows = {rule.code for rule in domain.rules.rules if rule.code in own.allows and tools & rule.on.keys()}
        yield {
            _form_part(wish.form, bool(denies)),
            *(f"rule {code} denies" for code in denies),
            *(f"rule {code} allows" for code in allows - denies),
            *(f"tool {tool}" for tool in tools - {DECLINE}),
        }


def _parts_of_leads(
    domain: Domain, tasks: Sequence[Task], forms: Mapping[str, Form]
) -> Iterator[tuple[tuple[str, bool | None], set[str]]]:
    """Yield each scenario, denied and allowed, with the parts that all known tasks that begin with it have."""
    known: dict[tuple[str, bool | None], set[str]] = {}
    for task in tasks:
        made = read_task_id(task.id, list(forms))
        if made is None or made.complexity not in range(1, 6):
            continue
        denied = plan_task(made).denied if forms[made.lead] in RULED else None
        parts = set().union(*_parts_of(domain, task))
        known[made.lead, denied] = known.get((made.lead, denied), parts) & parts
    for lead, form in forms.items():
        for denied in (True, False) if form in RULED else (None,):
            own = known.get((lead, denied), set())
            yield (lead, denied), own | {_form_part(form, bool(denied))}


def _form_part(form: Form, denied: bool) -> str:
    return f"form {form}" + (", refused" if denied else ", granted") * (form in RULED)
