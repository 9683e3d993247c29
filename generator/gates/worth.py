"""What a domain's tasks are worth as a benchmark, counted from their lines: levels, forms, rules both ways, currency.

`worldsmith check`, the card of a domain and the planning of tasks all use `measure_worth`.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, get_args

from generator.gates.folder import FolderRequest
from generator.isolation.job import job
from runtime.domain.caller_rules import is_caller_rule
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import DECLINE
from runtime.domain.schema import Value
from runtime.task.task import Task
from runtime.task.task_file import read_tasks
from runtime.task.user import TIMED_FORMS, Form, Speech
from runtime.wording import counted

FORMAT = 1  # in the provenance of a generated domain, whose figures must be in range
LEAST_DENIED, MOST_DENIED = 0.4, 0.6  # of the requests that a rule judges
LEAST_RULED = 1 / 3  # of the tasks involve a rule
LEAST_HARD = 0.4  # of the tasks are of levels 4 and 5
LEAST_NEAR = 0.75  # of the tasks above level 1 look up near-duplicates
LEAST_ACROSS = 0.5  # of the tasks of level 5 have rules in two scenarios
FEWEST_TASKS = 32  # from which on shares are judged, and every rule and form must occur
JUDGED = ("denied", "fallback")  # forms whose request a rule allows or denies
OF_EXPERTS = ("each", *TIMED_FORMS)  # forms that only expert tasks have, or those with a clock
HARD, HARDEST = (4, 5), 5


@dataclass(frozen=True)
class RuleUse:
    """How many tasks exercise a rule: those in which it denies a request, and those in which it allows one."""

    denied: int = 0
    allowed: int = 0


@dataclass
class Worth:
    """The figures of a set of tasks; `misses` says which of them are out of range."""

    tasks: int = 0
    levels: dict[int, int] = field(default_factory=dict)
    forms: dict[str, int] = field(default_factory=dict)  # tasks that have a request of this form
    registers: dict[str, int] = field(default_factory=dict)  # requests worded in it
    requests: int = 0
    rules: dict[str, RuleUse] = field(default_factory=dict)  # of the domain's own
    ruled_tasks: int = 0
    judged: int = 0  # requests that a rule allows or denies
    denied: int = 0
    across: int = 0  # tasks of level 5 with rules in two scenarios
    openings: int = 0  # scenarios that tasks of level 5 begin with
    lost_by_complying: int = 0  # tasks in which doing whatever is asked breaks a rule or fails
    lost_by_refusing: int = 0  # tasks in which a rule allows what it could deny
    idling: int = 0
    near: list[int] = field(default_factory=list)  # near-duplicates that look-ups show, by task above level 1
    added: int = 0  # rows that tasks add to their worlds
    numbered: int = 0  # of these, with a name that ends in a number
    currencies: list[str] = field(default_factory=list)  # symbols in what users say and in the policy
    is_binding: bool = False  # whether the domain was generated to meet them
    left_out: list[str] = field(default_factory=list)  # forms that the domain cannot have, as its provenance says
    expert: list[str] = field(default_factory=list)  # of expert tasks, a sentence each

    @property
    def hard(self) -> int:
        """Tasks of levels 4 and 5."""
        return sum(self.levels.get(level, 0) for level in HARD)

    @property
    def confusable(self) -> int:
        """Tasks above level 1 whose look-ups show near-duplicates."""
        return sum(map(bool, self.near))

    @property
    def misses(self) -> list[str]:
        """Each figure that is out of range, as a sentence; shares of few tasks are not judged."""
        return list(_misses(self)) if self.tasks >= FEWEST_TASKS else []

    @property
    def lines(self) -> list[str]:
        """The figures, one line each, for a person."""
        return list(_lines(self))

    @property
    def uses(self) -> list[str]:
        """How often each rule is exercised, one line each."""
        return [f"{code}: denies in {use.denied}, allows in {use.allowed}" for code, use in self.rules.items()]

    @property
    def table(self) -> list[str]:
        """How often each rule is exercised, as rows of a Markdown table."""
        rows = [f"| `{code}` | {use.denied} | {use.allowed} |" for code, use in self.rules.items()]
        return ["| rule | denied in | allowed in |", "| --- | --- | --- |", *rows] if rows else []

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain JSON values."""
        same = ("tasks", "forms", "registers", "ruled_tasks", "judged", "denied", "across", "openings")
        return {
            **{name: getattr(self, name) for name in (*same, "currencies", "misses")},
            "levels": {str(level): count for level, count in self.levels.items()},
            "rules": {code: asdict(use) for code, use in self.rules.items()},
            "lost_by_complying": _share(self.lost_by_complying, self.tasks),
            "lost_by_refusing": _share(self.lost_by_refusing, self.tasks),
            "idle": _share(self.idling, self.tasks),
            "near_duplicates": _share(self.confusable, len(self.near)),
            "added_rows": self.added,
            "numbered_names": self.numbered,
        }


@job("worth")
def find_worth(asked: FolderRequest) -> Worth:
    """Measure the tasks of a domain folder; a line that is not a task is left out. Errors: BrokenDomain."""
    domain = load_domain(asked.folder)
    return measure_worth(domain, list(read_tasks(domain, []).values()))


@dataclass(frozen=True)
class TaskWorth:
    """What one task adds: the rules that deny and allow its requests, and how many requests they judge."""

    denies: frozenset[str]  # own rules and those about callers
    allows: frozenset[str]
    judged: int
    denied: int
    is_coupled: bool
    scenarios: int

    @property
    def is_ruled(self) -> bool:
        """True if a rule decides what becomes of one of its requests."""
        return bool(self.judged) or self.is_coupled

    @property
    def is_across(self) -> bool:
        """True if rules decide of requests of two scenarios: of coupled ones and another, or of two."""
        return self.scenarios > 1 and (self.judged > 1 or (self.is_coupled and self.judged > 0))


def judge_task(domain: Domain, task: Task) -> TaskWorth:
    """Return which rules the requests of a task exercise, by its line alone.

    A request is judged if its form says so or it is declined. A rule allows a request that is judged or coupled, not
    declined, and carried out by a tool that the rule guards.
    """
    wishes = task.user.wishes
    declined: dict[int, set[str]] = {}
    for step in task.chain:
        if step.tool == DECLINE:
            declined.setdefault(step.wish, set()).add(str(step.arguments.get("rule_code")))
    judged = {
        number
        for number, wish in enumerate(wishes)
        if number in declined or (wish.form in JUDGED and wish.otherwise is None)
    }
    coupled = {number for number, wish in enumerate(wishes) if wish.form == "coupled"}
    called = {step.tool for step in task.chain if step.wish in (judged | coupled) - declined.keys()}
    return TaskWorth(
        denies=frozenset(code for codes in declined.values() for code in codes),
        allows=frozenset(rule.code for rule in domain.rules.rules if called & rule.on.keys()),
        judged=len(judged),
        denied=len(declined),
        is_coupled=bool(coupled),
        scenarios=task.difficulty.get("scenarios", 1),
    )


def measure_worth(domain: Domain, tasks: Sequence[Task]) -> Worth:
    """Return the figures of a domain's tasks."""
    each = [(task, judge_task(domain, task)) for task in tasks]
    hardest = [(task, own) for task, own in each if task.level == HARDEST]
    wishes = [wish for task in tasks for wish in task.user.wishes]
    registers: tuple[str, ...] = get_args(Speech)
    said = {wish.form for wish in wishes}
    forms: tuple[str, ...] = tuple(form for form in get_args(Form) if form not in OF_EXPERTS or form in said)
    return Worth(
        tasks=len(tasks),
        levels=dict(sorted(Counter(task.level or 0 for task in tasks).items())),
        forms={form: sum(any(wish.form == form for wish in task.user.wishes) for task in tasks) for form in forms},
        registers={name: sum(len(wish.words) > number for wish in wishes) for number, name in enumerate(registers)},
        requests=len(wishes),
        rules={
            rule.code: RuleUse(
                denied=sum(rule.code in own.denies for _, own in each),
                allowed=sum(rule.code in own.allows for _, own in each),
            )
            for rule in domain.rules.rules
            if not is_caller_rule(rule)
        },
        ruled_tasks=sum(own.is_ruled for _, own in each),
        judged=sum(own.judged for _, own in each),
        denied=sum(own.denied for _, own in each),
        across=sum(own.is_across for _, own in hardest),
        openings=len({opening_of(task) for task, _ in hardest}),
        lost_by_complying=sum(bool(own.denied) or own.is_coupled for _, own in each),
        lost_by_refusing=sum(own.denied != own.judged or own.is_coupled for _, own in each),
        idling=sum(not (task.expected or task.checks or task.answers) for task in tasks),
        near=[
            task.difficulty["near_duplicates"]
            for task in tasks
            if (task.level or 0) > 1 and "near_duplicates" in task.difficulty
        ],
        added=sum(len(task.added) for task in tasks),
        numbered=sum(any(map(_is_numbered, row.columns.values())) for task in tasks for row in task.added),
        currencies=sorted(_currencies(domain, tasks)),
        is_binding=domain.card.provenance.get("worth") == FORMAT,
        left_out=[form for form in forms if form in domain.card.provenance.get("left_out", ())],
        expert=list(_lines_of_expert([task for task in tasks if task.decisions])),
    )


def _lines_of_expert(tasks: Sequence[Task]) -> Iterator[str]:
    """Describe expert tasks: how many decisions they have, and whether a shape or a place gives one away."""
    if not tasks:
        return
    kinds = [Counter(each.decides for each in task.decisions) for task in tasks]
    links = median(task.difficulty.get("links", 0) for task in tasks)
    yield (
        f"{counted(len(tasks), 'expert task')}: median of {links:g} links, {median(map(Counter.total, kinds)):g} "
        f"decisions and {median(len(task.chain) for task in tasks):g} calls"
    )
    denied = Counter(kind["denied"] for kind in kinds)
    shown = ", ".join(f"{count} in {denied[count]}" for count in sorted(denied))
    ordered = sum(bool(kind["order"]) for kind in kinds)
    yield f"requests that are denied, in how many tasks: {shown}; {ordered} have requests in an unlucky order"
    shape = Counter(tuple(wish.form for wish in task.user.wishes) for task in tasks).most_common(1)[0][1]
    opening = Counter(opening_of(task) for task in tasks).most_common(1)[0][1]
    places = Counter(
        round(4 * each.wish / max(1, len(task.user.wishes) - 1))
        for task in tasks
        for each in task.decisions
        if each.decides == "denied"
    )
    most = max(places.values(), default=0)
    yield (
        f"the most common sequence of forms is that of {counted(shape, 'task')}, the most common lead that of "
        f"{counted(opening, 'task')}; {_percent(most, places.total())} of the denials are in one fifth of a task"
    )


def opening_of(task: Task) -> str:
    """Return the scenario that a made task begins with, as its id says it."""
    return task.id.rpartition("-and-")[0] or task.id.rpartition("-")[0]


def _is_numbered(value: Value) -> bool:
    """Return True for a name with a number behind it: "Meadow duplex 14"."""
    name, _, last = value.rpartition(" ") if isinstance(value, str) else ("", "", "")
    return name[-1:].isalpha() and last.isdigit()


def _currencies(domain: Domain, tasks: Sequence[Task]) -> set[str]:
    """Return the currency symbols of Unicode that users, the policy and the descriptions of tools use."""
    said = {letter for task in tasks for wish in task.user.wishes for words in wish.words for letter in set(words)}
    told = {*domain.policy, *(letter for tool in domain.tools.values() for letter in tool.description)}
    return {letter for letter in said | told if unicodedata.category(letter) == "Sc"}


def _misses(worth: Worth) -> Iterator[str]:
    tasks, level_five = worth.tasks, worth.levels.get(HARDEST, 0)
    if worth.rules:
        for code, use in worth.rules.items():
            lacking = [way for way, count in (("denies", use.denied), ("allows", use.allowed)) if not count]
            if lacking:
                yield f"rule {code}: no task in which it {' or '.join(lacking)} a request"
        if worth.judged and not LEAST_DENIED <= worth.denied / worth.judged <= MOST_DENIED:
            share = f"{worth.denied} of {worth.judged} requests that a rule judges are denied"
            yield f"{share} ({worth.denied / worth.judged:.0%}); {LEAST_DENIED:.0%} to {MOST_DENIED:.0%} are wanted"
        if worth.ruled_tasks < LEAST_RULED * tasks:
            yield f"{worth.ruled_tasks} of {tasks} tasks involve a rule; at least {LEAST_RULED:.0%} are wanted"
        if worth.across < LEAST_ACROSS * level_five:
            yield (
                f"{worth.across} of {level_five} tasks of level {HARDEST} have rules in two scenarios; at least "
                f"{LEAST_ACROSS:.0%} are wanted"
            )
        if round(worth.hard / tasks, 2) < LEAST_HARD:
            yield f"{worth.hard} of {tasks} tasks are of levels 4 and 5; at least {LEAST_HARD:.0%} are wanted"
        if missing := [form for form, count in worth.forms.items() if not count and form not in worth.left_out]:
            yield f"no task has a request of the form {', '.join(missing)}"
    if worth.confusable < LEAST_NEAR * len(worth.near):
        shown = f"look-ups in {worth.confusable} of {len(worth.near)} tasks above level 1 show near-duplicates"
        yield f"{shown}; at least {LEAST_NEAR:.0%} are wanted"
    for name, count in worth.registers.items():
        if worth.rules and count < worth.requests:
            yield f"{worth.requests - count} of {worth.requests} requests have no {name} wording"
    if worth.idling:
        yield f"{counted(worth.idling, 'task')} reward an agent that does nothing"
    if len(worth.currencies) > 1:
        yield f"{len(worth.currencies)} currencies are used: {' '.join(worth.currencies)}; one is wanted"


def _lines(worth: Worth) -> Iterator[str]:
    tasks = worth.tasks
    levels = ", ".join(f"{count} of level {level}" for level, count in worth.levels.items() if level)
    yield f"{counted(tasks, 'task')}: {levels or 'no levels'}; {_percent(worth.hard, tasks)} are of levels 4 and 5"
    if worth.rules:
        both = sum(bool(use.denied and use.allowed) for use in worth.rules.values())
        yield f"{both} of {counted(len(worth.rules), 'rule')} deny a request in one task and allow one in another"
        yield f"{_percent(worth.denied, worth.judged)} of {counted(worth.judged, 'request')} under a rule are denied"
        yield f"{_percent(worth.ruled_tasks, tasks)} of the tasks involve a rule"
        hardest = worth.levels.get(HARDEST, 0)
        begin = f"they begin with {counted(worth.openings, 'scenario')}"
        yield (
            f"{_percent(worth.lost_by_refusing, tasks)} of the tasks are lost by refusing what a rule allows, "
            f"{_percent(worth.lost_by_complying, tasks)} by doing what it forbids"
        )
        yield f"{_percent(worth.across, hardest)} of level {HARDEST} have rules in two scenarios; {begin}"
    if worth.near:
        each = f"{sum(worth.near) / len(worth.near):.1f} on average"
        share = f"{_percent(worth.confusable, len(worth.near))} of the tasks above level 1"
        yield f"look-ups in {share} show near-duplicates, {each}"
    if worth.added:
        yield f"{counted(worth.added, 'row')} added to worlds, {worth.numbered} with a name that ends in a number"
    yield from worth.expert
    present = [form for form, count in worth.forms.items() if count]
    without = f"; the domain cannot have {', '.join(worth.left_out)}" if worth.left_out else ""
    yield f"{len(present)} of {len(worth.forms)} forms occur{without}"
    yield f"wordings of {counted(worth.requests, 'request')}: " + ", ".join(
        f"{count} {name}" for name, count in worth.registers.items()
    )


def _share(count: int, of: int) -> float | None:
    return round(count / of, 3) if of else None


def _percent(count: int, of: int) -> str:
    return f"{count / of:.0%}" if of else "none"
