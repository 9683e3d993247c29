"""The option `--without FORM`: the chosen tasks with one mechanism off, proven, in a file that is then played."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from runtime.commands.evaluate import choice_of
from runtime.domain.domain import Domain
from runtime.domain.find import find_domain
from runtime.errors import StageFailed, UsageError
from runtime.harness.evaluation.plan import ChosenTask, TaskChoice, draw, fitting, named
from runtime.sandbox.files import is_there, replacing
from runtime.task.task import EasedForm, Task
from runtime.task.task_file import read_tasks, task_line
from runtime.wording import counted

FORMS: tuple[EasedForm, ...] = get_args(EasedForm)


def add_without(parser: argparse.ArgumentParser) -> None:
    """Add the option to a command that plays tasks."""
    parser.add_argument(
        "--without",
        default="",
        metavar="FORM",
        help=f"play the tasks that have this form with its mechanism off, proven anew: {', '.join(FORMS)}",
    )


def eased_as_asked(arguments: argparse.Namespace) -> argparse.Namespace:
    """The arguments with the eased tasks in the place of the chosen ones; as they are where nothing is taken off.

    The tasks go to eased/DOMAIN-without-FORM.jsonl, where they are found again. Errors: UsageError, StageFailed.
    """
    form = arguments.without
    if not form:
        return arguments
    if form not in FORMS:
        raise UsageError(f"--without is {form!r}; have: {', '.join(FORMS)}.")
    if arguments.suite is not None:
        raise UsageError("--without takes a mechanism off tasks of domains that are named; leave --suite out.")
    if not arguments.domain:
        raise UsageError("No domain was named; name some.")
    domains = [find_domain(name) for name in arguments.domain]
    choice = choice_of(arguments)
    path = Path("eased") / f"{'+'.join(domain.name for domain in domains)}-without-{form}.jsonl"
    known = _read_known(path, domains)
    eased: list[Task] = []
    for domain in domains:
        chosen = _choose(domain, choice, form, [other.name for other in domains if other is not domain])
        eased += _ease(domain, chosen, form, known)
    path.parent.mkdir(exist_ok=True)
    fresh = {(task.domain, task.id): task for task in [*known.values(), *eased]}
    with replacing(path) as file:
        file.writelines(f"{task_line(task)}\n".encode() for task in fresh.values())
    changed = {"tasks": path, "task": ",".join(task.id for task in eased), "originals": choice.file}
    return argparse.Namespace(**{**vars(arguments), **changed, "count": None, "split": None, "level": None})


def _choose(domain: Domain, choice: TaskChoice, form: EasedForm, beside: Sequence[str]) -> list[Task]:
    """The chosen ones among the tasks that have the mechanism; errors: UsageError if there are none."""
    tasks = read_tasks(domain, file=choice.file, beside=beside)
    every = [ChosenTask(task, position) for position, task in enumerate(tasks.values())]
    found = [each for each in every if _has_mechanism(each.task, form, domain)]
    if choice.ids:
        asked = named(every, choice.ids)
        for each in asked:
            if form not in _forms_of(each.task):
                has = ", ".join(_forms_of(each.task))
                raise UsageError(f"Task {each.task.id!r} has no wish of the form {form!r} to take off; it has: {has}.")
        return [each.task for each in asked]
    if not found:
        has = ", ".join(sorted({each for task in tasks.values() for each in _forms_of(task)})) or "no tasks"
        raise UsageError(f"No task of domain {domain.name!r} has a mechanism {form!r} to take off; their forms: {has}.")
    found = fitting(found, choice, domain.name)
    if choice.count is not None and not 1 <= choice.count <= len(found):
        raise UsageError(
            f"-n is {choice.count}; domain {domain.name!r} has {counted(len(found), 'such task')} of the form {form!r}."
        )
    return [each.task for each in (found if choice.count is None else draw(found, choice.count, choice.seed))]


def _has_mechanism(task: Task, form: EasedForm, domain: Domain) -> bool:
    """Whether a task has the form, and not only in name: the allowed twin of a denied wish is permitted."""
    if form != "denied":
        return form in _forms_of(task)
    refusal = domain.people.refusal if domain.people is not None else None
    wishes = task.user.wishes
    return refusal is not None and any(
        step.tool == refusal.tool and wishes[step.wish].form == form for step in task.chain
    )


def _forms_of(task: Task) -> list[str]:
    return list(dict.fromkeys(wish.form for wish in task.user.wishes))


def _read_known(path: Path, domains: Sequence[Domain]) -> dict[tuple[str, str], Task]:
    """The tasks that were eased before, by domain and id of the original; none of what cannot be read any more."""
    known: dict[tuple[str, str], Task] = {}
    for domain in domains if is_there(path) else ():
        others = [other.name for other in domains if other is not domain]
        for task in read_tasks(domain, [], path, others).values():
            if task.eased is not None:
                known[domain.name, task.eased.of] = task
    return known


def _ease(
    domain: Domain, chosen: Sequence[Task], form: EasedForm, known: dict[tuple[str, str], Task]
) -> Iterator[Task]:
    """The eased twins of tasks; which have none, and why, is said. Errors: UsageError if none of them has one."""
    from generator.isolation.answer import ProofFailed
    from generator.isolation.prove import prove_all
    from generator.tasks.easing.ease import EasedLine, EaseRequest, ease_tasks
    from generator.tasks.easing.unease import source_of
    from generator.tasks.make import limits_of
    from runtime.commands.progress import Progress
    from runtime.task.task_file import parse_task

    eased: dict[str, Task] = {}
    for task in chosen:
        there = known.pop((domain.name, task.id), None)
        if there is not None and there.eased is not None and there.eased.source == source_of(task, domain.digest):
            eased[task.id] = known[domain.name, task.id] = there
    todo = sorted((task for task in chosen if task.id not in eased), key=lambda task: task.world.base)
    why_not: dict[str, str] = {}
    if todo:
        processes = os.cpu_count() or 1
        size = -(-len(todo) // processes)
        shares = [todo[first : first + size] for first in range(0, len(todo), size)]
        asked = [EaseRequest(domain.path.resolve(), form, [task_line(task) for task in share]) for share in shares]
        rows = max(task.world.size for task in todo)
        try:
            with Progress(f"taking {form} off {counted(len(todo), 'task')}"):
                reports = prove_all(ease_tasks, asked, limits_of(size, rows), processes, reads=[domain.path])
        except ProofFailed as failed:
            raise StageFailed(str(failed)) from failed
        lines: list[EasedLine] = [line for report in reports for line in report.lines]
        why_not = {each.of: each.why_not for each in lines if not each.line}
        made = [parse_task(each.line) for each in lines if each.line]
        for task, fault in zip(made, asyncio.run(_play_both(domain, made)), strict=True):
            assert task.eased is not None
            if fault:
                why_not[task.eased.of] = fault
            else:
                eased[task.eased.of] = task
    _tell(domain, form, chosen, eased, why_not)
    return (eased[task.id] for task in chosen if task.id in eased)


async def _play_both(domain: Domain, tasks: Sequence[Task]) -> list[str]:
    """What is wrong with each task as it is played: the reference agent is rewarded, and the idle one is not."""
    from runtime.harness.evaluation.config import RunConfig
    from runtime.harness.evaluation.setting import bind_play
    from runtime.session.opening import WorldCache
    from runtime.task.task import start_world

    worlds = WorldCache(most=1)
    plays = {agent: bind_play(RunConfig(agent, transport="session")) for agent in ("reference", "idle")}
    faults = []
    for task in tasks:
        world = start_world(task, domain, worlds)
        rewards = {agent: (await play(task, domain, world, 0)).reward for agent, play in plays.items()}
        wrong = [f"{agent} agent gets {reward}" for agent, reward in rewards.items() if reward != (agent != "idle")]
        faults.append(f"is not the same task then: the {' and the '.join(wrong)}" if wrong else "")
    return faults


def _tell(
    domain: Domain, form: EasedForm, chosen: Sequence[Task], eased: dict[str, Task], why_not: dict[str, str]
) -> None:
    """Say what could not be eased, by reason. Errors: UsageError if nothing could."""
    if not eased:
        first = next(iter(why_not))
        if len(why_not) == 1:
            raise UsageError(f"Task {first!r} cannot be played without {form}: it {why_not[first]}.".replace("..", "."))
        raise UsageError(
            f"None of {counted(len(chosen), 'task')} of domain {domain.name!r} can be played without {form}; the "
            f"first, {first!r}, {why_not[first]}.".replace("..", ".")
        )
    said = f"{domain.name} without {form}: {len(eased)} of {counted(len(chosen), 'task')}"
    print("\n".join([said, *_reasons(why_not)]), file=sys.stderr, flush=True)


def _reasons(why_not: dict[str, str]) -> Iterator[str]:
    """Why tasks have no eased twin, by reason: how many, and the first of them."""
    firsts: dict[str, str] = {}
    for task, reason in why_not.items():
        firsts.setdefault(reason, task)
    for reason, count in Counter(why_not.values()).most_common():
        yield f"  {count:>4} not: {firsts[reason]!r} {reason}"
