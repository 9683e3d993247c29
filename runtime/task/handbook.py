"""The handbook of an episode: superseded figures that flip a decision of its task, and the codes that refusals take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeGuard

from runtime.domain.domain import Domain
from runtime.domain.handbook import READ, SEARCH, SearchedDomain, other_figures, with_handbook
from runtime.domain.people import DECLINE
from runtime.domain.rule import Rule, Rulebook
from runtime.errors import UsageError
from runtime.session.session import Session
from runtime.session.world import World
from runtime.task.mistakes import COMPLIES, REFUSES
from runtime.task.task import Mistake, Step, Task, bind


def handbook_for(domain: Domain, task: Task, world: World) -> SearchedDomain:
    """Return a domain whose handbook has superseded figures that decide requests of a task otherwise, where some can.

    Errors: UsageError if the domain has no handbook; Rejection, EnvironmentFault where the task's chain cannot be run.
    """
    plain = with_handbook(domain)
    figures: dict[str, int] = {}
    for name, value in _flipping(domain, _superseded(plain), task, world):
        figures.setdefault(name, value)
    return with_handbook(domain, figures)


def with_neutral_codes(task: Task, domain: Domain) -> Task:
    """Return a task whose chain refuses under the codes of the domain's handbook, if its policy is one."""
    if not _is_searched(domain):
        return task
    return task.model_copy(update={"chain": [_recoded(step, domain.handbook.codes) for step in task.chain]})


def plain_steps(steps: Iterable[Step], domain: Domain) -> Iterator[Step]:
    """Yield the calls of a session as they are without a handbook: nothing searched, refusals under rules' codes."""
    for step in steps:
        if not (_is_searched(domain) and step.tool in (SEARCH, READ)):
            yield plain_step(step, domain)


def plain_step(step: Step, domain: Domain) -> Step:
    """Return a call as it is without a handbook: a refusal under the code of its rule."""
    codes = {neutral: code for code, neutral in domain.handbook.codes.items()} if _is_searched(domain) else {}
    return _recoded(step, codes)


def _recoded(step: Step, codes: Mapping[str, str]) -> Step:
    given = step.arguments
    if step.tool != DECLINE or given.get("rule_code") not in codes:
        return step
    return step.model_copy(update={"arguments": {**given, "rule_code": codes[given["rule_code"]]}})


def _is_searched(domain: Domain) -> TypeGuard[SearchedDomain]:
    return isinstance(domain, SearchedDomain)


def _superseded(domain: SearchedDomain) -> set[str]:
    """Return the numbers, as CODE.number, that a version which is no longer in force says otherwise."""
    today = domain.now[:10]
    others = (each for article in domain.handbook.design.articles for each in article.others)
    return {name for each in others if each.since <= today for name in each.figures}


def mistakes_by_first_found(domain: Domain, task: Task, world: World) -> list[Mistake]:
    """Return the known mistakes of whoever takes for each article the version that a search for it shows first.

    Errors: UsageError if the policy is no handbook; Rejection, EnvironmentFault where the chain cannot be run.
    """
    if not _is_searched(domain):
        raise UsageError(f"The policy of {domain.name} is not searched here; give --policy handbook.")
    lifted, numbers = set[str](), dict[str, dict[str, int]]()
    for article in domain.handbook.first_found():
        lifted |= {code for code in article.codes if article.lifts}
        for name, figure in article.figures.items():
            code, _, number = name.partition(".")
            numbers.setdefault(code, {})[number] = figure
    found = [
        replace(rule, code=f"{rule.code} found", numbers={**rule.numbers, **numbers.get(rule.code, {})})
        for rule in domain.rules.rules
        if rule.code not in lifted
    ]
    made = []
    for place, _, forbidding in _judged(domain, found, with_neutral_codes(task, domain), world):
        forbids = any(code.endswith(" found") for code in forbidding)
        if forbids != (task.chain[place].tool == DECLINE):
            made += [each for each in task.mistakes if each.start == place and each.name in (COMPLIES, REFUSES)]
    return made


def _flipping(domain: Domain, names: set[str], task: Task, world: World) -> Iterator[tuple[str, int]]:
    """Yield figures with which a rule allows what it forbids in the task's chain, or the other way round."""
    tried: dict[str, tuple[str, str, int]] = {}  # by a code of its own: the rule's, the number, the figure
    rules: list[Rule] = []
    for rule in domain.rules.rules:
        for name, number in rule.numbers.items():
            for figure in other_figures(number) if f"{rule.code}.{name}" in names else ():
                code = f"{rule.code}.{name}={figure}"
                tried[code] = (rule.code, f"{rule.code}.{name}", figure)
                rules.append(replace(rule, code=code, numbers={**rule.numbers, name: figure}))
    for _, call, forbidding in _judged(domain, rules, task, world) if rules else ():
        for code, (rule_code, name, figure) in tried.items():
            guards = any(each.code == rule_code for each in domain.rules.on(call.tool))
            if guards and (code in forbidding) != (rule_code in forbidding):
                yield name, figure


def _judged(domain: Domain, rules: Iterable[Rule], task: Task, world: World) -> Iterator[tuple[int, Step, set[str]]]:
    """Yield each decision of a task's chain: its step, the call, and which of the domain's and these rules forbid it.

    A forbidden call is known from the mistake of whoever makes it in the place of the refusal.
    """
    several = replace(domain, rules=Rulebook((*domain.rules.rules, *rules)))
    results: list[dict[str, object]] = []
    with Session(several, world) as session:
        for place, step in enumerate(task.chain):
            for call in _decided_at(task, place):
                if several.rules.on(call.tool):
                    arguments = bind(call.arguments, results)
                    yield place, call, {each.rule for each in session.forbidding(call.tool, arguments)}
            results.append(dict(session.call(step.tool, **bind(step.arguments, results))))


def _decided_at(task: Task, place: int) -> Iterator[Step]:
    """Yield the calls about which there is a decision at a step of the chain: its own, or what it refuses."""
    if task.chain[place].tool != DECLINE:
        yield task.chain[place]
        return
    for mistake in task.mistakes:
        if mistake.start == place < mistake.stop and mistake.turn and mistake.turn[0].tool != DECLINE:
            yield mistake.turn[0]
