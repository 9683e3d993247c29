"""Compose a task candidate from scenarios: one user, one world, and the tools that can be executed in it.

plan -> scenarios of one user, whose look-ups show near-duplicates -> expansion of their chain -> candidate
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice, product

from generator.graph.chains import arguments_of_cases
from generator.tasks.describe import build_task
from generator.tasks.expand import expand
from generator.tasks.expert import ExpertComposer
from generator.tasks.fit import fit_in
from generator.tasks.interlocks import Link, read_interlocks
from generator.tasks.plan import (
    EACH,
    EXPERT,
    LOOK_UPS,
    NEEDED,
    RULED,
    TIMED,
    MadeOf,
    TaskPlan,
    companions_of,
    leads_to_try,
    plan_task,
    seed_of,
)
from generator.tasks.proofs.knowledge import tightened
from generator.tasks.proofs.mistakes import MistakeFinder, empty_checks
from generator.tasks.proofs.replayer import Candidate, TaskReplayer
from generator.tasks.studied_world import Network, StudiedWorld
from generator.tasks.telling import (
    CannotCompose,
    ScenarioPart,
    Telling,
    ToldScenario,
    do_touch,
    said_alike,
    tell,
)
from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, Rejection
from runtime.graph import Graph
from runtime.sandbox.files import is_there
from runtime.session.session import Session
from runtime.session.world import World
from runtime.task.mistakes import mistaken
from runtime.task.script import Script
from runtime.task.story import TIMED_FILE, Program, load_scenarios
from runtime.task.task import EndCheck, Mistake, Task, TaskEnd, expected_rows, named_world, replay
from runtime.task.task_file import faults_of_task
from runtime.task.user import Form

_CALLERS_TRIED = 3  # of the first scenario, until another one fits
_WORLDS_KEPT = 3
_FITS_LOOKED_AT = 2  # further scenarios that fit, until one touches the earlier ones


def composable_scenarios(domain: Domain, *, timed: bool = False) -> dict[str, Program]:
    """Return the scenarios of a domain without those that its card withdraws, with the reason; errors: UsageError.

    Those that are `timed`, with a clock that moves, are in a file of their own.
    """
    withdrawn = domain.card.provenance.get("withdrawn", {})
    loaded = load_scenarios(domain.path, TIMED_FILE) if timed else load_scenarios(domain.path)
    return {name: program for name, program in loaded.items() if name not in withdrawn}


def forms_of(programs: Mapping[str, Program]) -> dict[str, Form]:
    """Return what makes each scenario hard."""
    return {name: getattr(program, "form", "direct") for name, program in programs.items()}


class Composer:
    """Composes the tasks of a domain; worlds are kept for the next task that starts from them."""

    def __init__(self, domain: Domain, graph: Graph) -> None:
        """Errors: UsageError if the domain has no scenarios."""
        self._domain = domain
        self._programs = composable_scenarios(domain)
        self.forms: dict[str, Form] = forms_of(self._programs)
        self._has_forms = set(self.forms.values()) != {"direct"}
        self._network = Network(domain, graph, arguments_of_cases(domain.path))
        self._studied: dict[tuple[int, int], StudiedWorld] = {}  # the last ones: they are expensive

    def compose(self, made: MadeOf) -> Candidate:
        """Compose the candidate of an id: the same in every process. Errors: CannotCompose with the reason."""
        plan = plan_task(made, self._has_forms)
        studied = self._study(plan)
        programs = self.timed if plan.complexity == TIMED else self._programs
        forms = forms_of(programs)
        leads = [made.lead] if made.lead else leads_to_try(plan, forms)
        if plan.complexity == EXPERT:
            return self._compose_expert(plan, studied, leads)
        reason = CannotCompose(f"no scenario that a task of level {plan.complexity} can begin with")
        for lead in leads:
            try:
                chosen = _choose(studied, programs, forms, plan, lead)
            except CannotCompose as unfit:
                reason = unfit
                continue
            if plan.complexity == 1 or forms[lead] not in LOOK_UPS or self._looks_up(chosen[1]):
                return self._composed(plan, studied, *chosen)
            reason = CannotCompose(f"nothing is looked up, as it is at level {plan.complexity}")
        raise reason

    @cached_property
    def timed(self) -> dict[str, Program]:
        """The scenarios with a clock that moves; none if the domain has no such file."""
        return composable_scenarios(self._domain, timed=True) if is_there(self._domain.path / TIMED_FILE) else {}

    def _compose_expert(self, plan: TaskPlan, studied: StudiedWorld, leads: Sequence[str]) -> Candidate:
        """Compose requests of which some decide others. Errors: CannotCompose, UsageError without `interlocks.json`."""
        usable = [name for lead in leads for name in companions_of(plan, lead, self.forms, is_last=False)[0]]
        chosen = self._expert.choose(plan, studied, leads, list(dict.fromkeys(usable)))
        names = sorted((part.name for part in chosen.parts), key=lambda name: name != chosen.lead)
        return self._composed(plan, studied, chosen.parts, chosen.telling, chosen.links, names)

    @cached_property
    def _expert(self) -> ExpertComposer:
        return ExpertComposer(self._programs, self.forms, read_interlocks(self._domain))

    @contextmanager
    def compose_on(self, world: World, made: MadeOf, like: Candidate) -> Iterator[Candidate]:
        """Compose a candidate again on a world that differs in what is known of its caller; errors: CannotCompose."""
        plan = plan_task(made, self._has_forms)
        with StudiedWorld(self._domain, self._network, plan.world_seed, plan.size, world) as studied:
            telling = tell(studied.session, like.parts)
            yield self._composed(plan, studied, like.parts, telling, like.links)

    def _study(self, plan: TaskPlan) -> StudiedWorld:
        """Return the world of a plan, which tasks share."""
        name = plan.world_seed, plan.size
        studied = self._studied.pop(name, None) or StudiedWorld(self._domain, self._network, *name)
        self._studied[name] = studied
        if len(self._studied) > _WORLDS_KEPT:
            self._studied.pop(next(iter(self._studied))).close()
        return studied

    def _looks_up(self, telling: Telling) -> bool:
        return any(self._domain.tools[step.tool].read_only for step in telling.chain)

    def compose_alone(self, name: str, plan: TaskPlan) -> Candidate:
        """Compose the candidate of one scenario by itself. Errors: CannotCompose with the reason."""
        studied = self._study(plan)
        seed = seed_of(f"task {plan.number} {name}")
        denied = None if self.forms[name] in EACH else plan.denied
        part = ScenarioPart(name, self._programs[name], seed, denied=denied)
        fixed, telling = fit_in(studied, part, [], plan.near_duplicates)
        return self._composed(plan, studied, [fixed], telling)

    def compose_part(self, part: ScenarioPart, plan: TaskPlan) -> Candidate:
        """Compose the candidate of one scenario whose rows and caller are fixed. Errors: CannotCompose."""
        studied = self._study(plan)
        return self._composed(plan, studied, [part], tell(studied.session, [part]))

    def world_of(self, plan: TaskPlan) -> StudiedWorld:
        """Return the world of a plan."""
        return self._study(plan)

    @property
    def programs(self) -> Mapping[str, Program]:
        """The scenarios, except those with a clock."""
        return self._programs

    def _composed(
        self,
        plan: TaskPlan,
        studied: StudiedWorld,
        parts: Sequence[ScenarioPart],
        telling: Telling,
        links: Sequence[Link] = (),
        names: Sequence[str] = (),
    ) -> Candidate:
        number = plan.number
        if not telling.changes.differences(self._domain.schema, self._domain.policies) and not any(
            script.answers for script in telling.scripts
        ):
            raise CannotCompose("nothing is asked for")
        if _answers_are_alike(telling):
            raise CannotCompose("two answers are the same")
        tools = [step.tool for step in telling.chain if step.tool in self._domain.tools]
        expansion = expand(studied, tools, number)
        chained = {*tools}
        world = studied.world
        task = build_task(
            studied,
            plan,
            names or [part.name for part in parts],
            telling,
            explorable=sorted(chained | expansion.examples.keys()),
            chains=expansion.chains,
            links=links,
        )
        start = named_world(task, world)
        task = task.model_copy(update={"ends": other_ends(self._domain, task, start, telling.scripts)})
        for fault in faults_of_task(task, self._domain):
            raise CannotCompose(f"its line would not be read: it {fault.removesuffix('.')}")
        examples = {tool: [[call] for call in studied.calls_of(tool)] for tool in studied.network.tools}
        candidate = Candidate(
            self._domain,
            task,
            start,
            telling.scripts,
            tuple(parts),
            examples | {tool: [calls] for tool, calls in expansion.examples.items() if len(calls) > 1},
            studied.start,
            studied.accepted,
            tuple(links),
        )
        try:
            if task.checks:
                return replace(candidate, task=task.model_copy(update={"checks": _telling_checks(candidate)}))
            return replace(candidate, task=task.model_copy(update={"policies": tightened(candidate)}))
        except EnvironmentFault:
            return candidate  # its chain does not run, which the first proof will say

    def close(self) -> None:
        """Let all worlds go."""
        for studied in self._studied.values():
            studied.close()
        self._studied.clear()

    def __enter__(self) -> Composer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


MOST_ENDS = 8  # beside a task's own


def other_ends(domain: Domain, task: Task, world: World, scripts: Sequence[Script]) -> list[TaskEnd]:
    """Execute every combination of the other ways that scenarios show; errors: CannotCompose."""
    groups: dict[int, list[Mistake | None]] = {}
    first = 0
    for script in scripts if not task.checks else ():
        for way in script.other_ways:
            turn, start, stop = list(way.turn), first + way.after, first + way.until
            own = Mistake(name="another way", start=start, stop=stop, turn=turn, end="")
            groups.setdefault(start, [None]).append(own)
        first += len(script.calls)
    ends: list[TaskEnd] = []
    for choice in islice(product(*groups.values()), 1, None):
        if len(ends) == MOST_ENDS:
            raise CannotCompose("too many ways are as right")
        ways = [way for way in choice if way is not None]
        chain = mistaken(task, ways).chain
        if len(chain) != len(task.chain) + sum(len(way.turn) - (way.stop - way.start) for way in ways):
            raise CannotCompose("another way leaves out what later calls need")
        with Session(domain, world) as session:
            try:
                replay(session, chain)
            except (EnvironmentFault, Rejection):
                raise CannotCompose("another way is rejected") from None
            session.settle()
            ends.append(TaskEnd(chain=chain, expected=expected_rows(session.changes, domain)))
    return ends


def _telling_checks(candidate: Candidate) -> list[EndCheck]:
    """The checks that fail at the start or after a known mistake; the others say nothing. Errors: EnvironmentFault."""
    with TaskReplayer(candidate.domain, candidate.task, candidate.world) as replayer:
        empty = [check.claim for check in empty_checks(replayer, MistakeFinder(replayer, candidate))]
        return [check for check in candidate.task.checks if check.claim not in empty]


def _answers_are_alike(telling: Telling) -> bool:
    """Return True if two answers have the same value, so that leaving one out would go unnoticed."""
    answers = {(answer.name, answer.value) for script in telling.scripts for answer in script.answers}
    return len({value for _, value in answers}) < len(answers)


def _names_of_answers(telling: Telling) -> set[str]:
    return {answer.name for script in telling.scripts for answer in script.answers}


def _choose(
    studied: StudiedWorld, programs: Mapping[str, Program], forms: Mapping[str, Form], plan: TaskPlan, lead: str
) -> tuple[list[ScenarioPart], Telling]:
    """Return scenarios that one user can tell in one world, with their rows fixed; errors: CannotCompose.

    Where the caller of the first one has nothing else to ask for, another caller is tried.
    """
    attempts = _CALLERS_TRIED if plan.has_forms and NEEDED[plan.complexity] > 1 else 1
    reasons: list[CannotCompose] = []
    for attempt in range(attempts):
        slots = [[lead], *companions_of(plan, lead, forms, is_last=attempt == attempts - 1)]
        try:
            return _choose_once(studied, programs, forms, plan, slots, attempt)
        except CannotCompose as unfit:
            reasons.append(unfit)
    raise reasons[0]


def _choose_once(
    studied: StudiedWorld,
    programs: Mapping[str, Program],
    forms: Mapping[str, Form],
    plan: TaskPlan,
    slots: Sequence[Sequence[str]],
    attempt: int,
) -> tuple[list[ScenarioPart], Telling]:
    parts: list[ScenarioPart] = []
    tellings: list[Telling] = []  # of each part alone
    reasons: list[CannotCompose] = []
    needed = NEEDED[plan.complexity] if plan.has_forms else 1
    tried: set[str] = set()
    for slot in slots:
        possible = [
            ScenarioPart(
                name,
                programs[name],
                seed_of(f"task {plan.number} {name}") + 1_000 * attempt,
                outside=plan.outside,
                caller=tellings[0].caller if tellings else None,
                denied=plan.denied != bool(parts)
                if forms[name] in RULED
                else None,  # a second one comes out differently
            )
            for name in slot
            if name not in tried
        ]
        found = _most_touching(studied, _fitting(studied, plan, possible, tellings, tried, reasons), tellings)
        if found is not None:
            tried.add(found[0].name)
            parts.append(found[0])
            tellings.append(found[1])
        elif not parts or (plan.has_forms and len(parts) < needed):
            break
    if len(parts) < needed:
        raise reasons[0] if reasons else CannotCompose("no scenario is usable")
    while len(parts) > 1:
        telling = _tell_either_way(studied, parts)
        if telling is not None:
            return parts, telling
        if len(parts) == needed:
            raise CannotCompose("the scenarios do not go together")
        parts.pop()
    return parts, tellings[0]


def _most_touching(
    studied: StudiedWorld, fitting: Iterator[tuple[ScenarioPart, Telling]], tellings: Sequence[Telling]
) -> tuple[ScenarioPart, Telling] | None:
    """Return one of the first scenarios that fit, preferring one that touches the earlier ones."""
    earlier = [telling.parts[0] for telling in tellings]
    first = next(fitting, None)
    if first is None or not earlier or studied.domain.people is None:
        return first
    looked_at = chain([first], islice(fitting, _FITS_LOOKED_AT - 1))
    touching = (fit for fit in looked_at if any(do_touch(fit[1].parts[0], each, studied.domain) for each in earlier))
    return next(touching, first)


def _fitting(
    studied: StudiedWorld,
    plan: TaskPlan,
    possible: Sequence[ScenarioPart],
    tellings: Sequence[Telling],
    tried: set[str],
    reasons: list[CannotCompose],
) -> Iterator[tuple[ScenarioPart, Telling]]:
    """The scenarios that the same user can tell besides, with their rows fixed; those that do not fit are `tried`."""
    earlier = [telling.parts[0] for telling in tellings]
    answers = {name for telling in tellings for name in _names_of_answers(telling)}
    for part in possible:
        try:
            fixed, own = fit_in(studied, part, earlier, plan.near_duplicates)
        except CannotCompose as unfit:
            reason = unfit
        else:
            if _names_of_answers(own) & answers:
                reason = CannotCompose("two answers of one name")
            elif earlier and bool(own.parts[0].script.checks) != bool(earlier[0].script.checks):
                reason = CannotCompose("one request is judged by checks, another one by its end")
            elif _meddles([own.parts[0], *earlier]):
                reason = CannotCompose("another request writes what coupled requests depend on")
            else:
                yield fixed, own
                continue
        tried.add(part.name)
        reasons.append(reason)


def _meddles(parts: Sequence[ToldScenario]) -> bool:
    """Return True if one of several scenarios writes to a table that coupled wishes of another one write to.

    Then these could be fulfilled as they are told, or not at all.
    """
    tables = [{table for table, _ in part.changed} for part in parts]
    coupled = [number for number, part in enumerate(parts) if part.script.form == "coupled"]
    return any(tables[one] & tables[other] for one in coupled for other in range(len(parts)) if other != one)


def _tell_either_way(studied: StudiedWorld, parts: Sequence[ScenarioPart]) -> Telling | None:
    """Tell scenarios that have the same words, answers and tools in either order.

    None if they do not: one goal would undo or change another.
    """
    try:
        telling = tell(studied.session, parts)
        backwards = tell(studied.session, parts[::-1]).parts[::-1]
    except CannotCompose:
        return None
    return telling if all(map(said_alike, telling.parts, backwards)) else None
