"""Try scenarios: make tasks of each, count what guesses hit, and measure whether more are worth writing.

The last is the gate of the paper's section 4.2.2, on which a model rules.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field

from generator.author.design import DesignPart, Sentence
from generator.gates.calls.start import world_on
from generator.gates.folder import FolderRequest
from generator.graph.chains import arguments_of_cases
from generator.isolation.job import job
from generator.scenarios.lint import CRASHES
from generator.tasks.compose import Composer
from generator.tasks.expand import ATTEMPTS, Decision, find_chains
from generator.tasks.plan import RULED, TaskPlan
from generator.tasks.proofs.all import prove_candidate
from generator.tasks.studied_world import Network, StudiedWorld
from generator.tasks.telling import CannotCompose
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import is_desk_tool
from runtime.errors import EnvironmentFault
from runtime.graph import Graph
from runtime.sandbox.budget import Budget
from runtime.session.session import Session
from runtime.task.origin import origin_of
from runtime.task.picks import NoSuchRow
from runtime.task.script import Script
from runtime.task.story import LEAST_OF_A_SET, Program, load_scenarios, tell_story
from runtime.task.task import TaskAnswer
from runtime.task.user import Form

TRIES = 4  # of each scenario, and of each of its counterfactuals, until one holds
_COMPLEXITY = 2  # a world of 300 rows, with some near-duplicates
_WORLDS = 2
MOST_HIT = 0.05  # of the draws, by one way to guess
WORLDS, PICKS = 40, 5  # 200 draws; worlds are many, for what is counted over one is the same for all picks
SIZES = (100, 300)  # in turn
FIRST_SEED = 501
LEAST_DRAWS = 40  # fewer say nothing
_STEPS = 1_000_000


@dataclass(frozen=True)
class TrialRequest:
    """The scenarios of a domain folder, whose graph is not written yet."""

    folder: Path
    graph: Graph


@dataclass(frozen=True)
class TrialReport:
    """Why no task can be made of a scenario, by its name; those of which one can are not in it."""

    faults: dict[str, list[str]] = field(default_factory=dict)
    denied_by: dict[str, list[str]] = field(default_factory=dict)  # by scenario, the rules that denied it in some task


@job("scenario trial")
def try_scenarios(asked: TrialRequest) -> TrialReport:
    """Make tasks of each scenario alone, denied and permitted where a rule is asked; errors: BrokenDomain."""
    domain = load_domain(asked.folder)
    report = TrialReport()
    with Composer(domain, asked.graph) as composer:
        for name, program in load_scenarios(asked.folder).items():
            faults = [*_faults_of(domain, composer, name, program, report)]
            if faults:
                report.faults[name] = list(dict.fromkeys(faults))
    return report


def _faults_of(domain: Domain, composer: Composer, name: str, program: Program, report: TrialReport) -> Iterator[str]:
    form: Form = getattr(program, "form", "direct")
    for denied in (True, False) if form in RULED else (False,):
        reasons: dict[str, str] = {}  # the first of each kind
        for number in range(TRIES):
            plan = TaskPlan(number, _COMPLEXITY, number % _WORLDS, "train", 1, has_forms=True, denied=denied)
            try:
                candidate = composer.compose_alone(name, plan)
            except (CannotCompose, EnvironmentFault) as unfit:
                reasons.setdefault(str(unfit), str(unfit))
                continue
            faults = [*_faults_of_shape(domain, form, candidate.scripts[0])]
            if faults:
                yield from faults
                return
            codes = [code for asked in candidate.scripts[0].permissions for code in asked.rules]
            report.denied_by[name] = [*dict.fromkeys([*report.denied_by.get(name, []), *codes])]
            proof = next((proof for proof in prove_candidate(candidate).proofs.values() if not proof.holds), None)
            if proof is None:
                break
            reasons.setdefault(proof.name, f"proof {proof.name}: {proof.reason}")
        else:
            decision = f" in which a rule {'denies' if denied else 'permits'} it" if form in RULED else ""
            yield f"of {TRIES} tasks{decision} none holds: {'; '.join(reasons.values())}"


def _faults_of_shape(domain: Domain, form: Form, script: Script) -> Iterator[str]:
    """Yield what a scenario of a form lacks to be one."""
    if script.caller is None and form != "outside":
        yield "it is nobody's: pick what it is about with mine=True, so that the caller speaks of their own rows"
    lacking, what = _SHAPES.get(form, (lambda script: False, ""))
    if lacking(script):
        yield f"it has the form {form}, but {what}"
    people = domain.people
    if people is not None and form in ("withheld", "ambiguous") and not any(_is_kept(domain, script)):
        yield f"it has the form {form}, but nothing beside who they are is kept back; use story.keep_back"


def _is_kept(domain: Domain, script: Script) -> Iterator[bool]:
    """For each value that is kept back, whether it is more than what proves who calls."""
    assert domain.people is not None
    for value in script.kept_back:
        origin = origin_of(value)
        yield origin is not None and not (
            origin.kind == "row" and getattr(origin.source, "table", "") == domain.people.table
        )


_SHAPES: Mapping[Form, tuple[Callable[[Script], bool], str]] = {
    "denied": (lambda script: not script.permissions, "no rule is asked with story.permits"),
    "fallback": (
        lambda script: not script.permissions or not any(wish.otherwise is not None for wish in script.wishes),
        "story.permits or story.otherwise is missing",
    ),
    "mistaken": (
        lambda script: not script.misremembered and not any(wish.beliefs for wish in script.wishes),
        "story.believes or story.misremembers is missing",
    ),
    "coupled": (lambda script: not any(wish.joined for wish in script.wishes), "no wishes are said together"),
    "each": (lambda script: len(script.permissions) < LEAST_OF_A_SET, "rules are asked of fewer than two records"),
    "changed_mind": (
        lambda script: not any(wish.amends is not None for wish in script.wishes),
        "story.changes_mind is missing",
    ),
    "computed": (lambda script: not script.answers, "no answer is asked for; add story.answer"),
    "outside": (
        lambda script: not any(wish.form == "outside" for wish in script.wishes),
        "story.outside is missing",
    ),
}
"""What each form must have: whether a script lacks it, and the rest of a sentence."""


@dataclass(frozen=True)
class GuessedScenario:
    """The best way to guess all answers of a scenario, and how many of its draws it hits."""

    scenario: str
    way: str
    hits: int
    draws: int

    @property
    def is_guessable(self) -> bool:
        """Whether it is hit too often."""
        return self.draws >= LEAST_DRAWS and self.hits > MOST_HIT * self.draws

    @property
    def fault(self) -> str:
        """What is wrong with it, for whoever writes it; empty if nothing is."""
        if not self.is_guessable:
            return ""
        return (
            f"it changes nothing, and {self.way} hits all its answers in {self.hits} of {self.draws} draws of worlds "
            f"and rows, more than {MOST_HIT:.0%}; ask for something else as well that must be looked up, such as a "
            "date, an amount or a name"
        )


@dataclass(frozen=True)
class GuessesReport:
    """Every scenario that only asks, in file order."""

    scenarios: list[GuessedScenario]


@job("guesses")
def measure_guesses(asked: FolderRequest) -> GuessesReport:
    """Tell each scenario that only asks on many worlds and count what hits its answers; errors: BrokenDomain."""
    domain = load_domain(asked.folder)
    programs = load_scenarios(asked.folder)
    scripts: dict[str, list[Script]] = {name: [] for name in programs}
    for number in range(WORLDS):
        asking = [name for name, told in scripts.items() if not told or _only_ask(told[:1], domain)]
        if not asking:
            break
        with Session(domain, world_on(domain, FIRST_SEED + number, SIZES[number % len(SIZES)])) as session:
            start = session.snapshot()
            for name in asking:
                for pick in range(PICKS):
                    session.restore(start)
                    if (script := _tell(programs[name], session, number * PICKS + pick)) is not None:
                        scripts[name].append(script)
    return GuessesReport([_best_guess(name, told, domain) for name, told in scripts.items() if _only_ask(told, domain)])


def _only_ask(told: Sequence[Script], domain: Domain) -> bool:
    called = {call.step.tool for script in told for call in script.calls}
    changes = any(domain.tools[tool].writes - domain.policies.logs for tool in called if not is_desk_tool(tool))
    return any(script.answers for script in told) and not changes


def _tell(program: Program, session: Session, seed: int) -> Script | None:
    """Return one draw; None where the scenario cannot be told, which is for other gates to say."""
    try:
        with Budget(_STEPS):
            return tell_story(program, session, seed)
    except (NoSuchRow, EnvironmentFault, *CRASHES):
        return None


def _best_guess(name: str, scripts: Sequence[Script], domain: Domain) -> GuessedScenario:
    """Find what hits most: the most frequent answers together, or for each answer the way that hits it most."""
    together = Counter(tuple(answer.value for answer in script.answers) for script in scripts)
    values, hits = together.most_common(1)[0]
    best = GuessedScenario(name, f"always {', '.join(map(repr, values))}", hits, len(scripts))
    ways = [[set(_ways_that_hit(answer, script, domain.now)) for answer in script.answers] for script in scripts]
    single: list[str] = []
    for number in range(len(values)):
        counted = Counter(way for each in ways if number < len(each) for way in each[number])
        single.append(min(counted, key=lambda way: (-counted[way], way)))
    hits = sum(all(way in own for way, own in zip(single, each, strict=False)) for each in ways)
    return best if hits <= best.hits else GuessedScenario(name, "; ".join(single), hits, len(scripts))


def _ways_that_hit(answer: TaskAnswer, script: Script, now: str) -> Iterator[str]:
    """Yield the ways to guess that give this answer in this draw."""
    yield f"always {answer.value!r}"
    if str(answer.value) in (now, now[:10]):
        yield "today"
    facts = {fact.name: fact.value for fact in script.facts if fact.value is not None}
    for fact, value in facts.items():
        if value == answer.value:
            yield f"what the user told as {fact!r}"


TAU = 0.5  # from this score on, one more chain is written
_GATE_SEED, _GATE_SIZE = 1, 300  # of the world on which chains are tried


@dataclass(frozen=True)
class GateRequest:
    """The gate of a draft with this graph, asked for the n-th time, when scenarios call these tools."""

    folder: Path
    graph: Graph
    called: list[str]
    number: int


@dataclass(frozen=True)
class GateFigures:
    """The tools of D, c(H) and g(D)."""

    remaining: list[str]
    complexity: float
    feasibility: float


@job("gate")
def measure_gate(asked: GateRequest) -> GateFigures:
    """Try chains of the tools that are left on a world; errors: BrokenDomain, EnvironmentFault."""
    domain = load_domain(asked.folder)
    network = Network(domain, asked.graph, arguments_of_cases(domain.path))
    inside = set(asked.called)
    remaining = [tool for tool in network.tools if tool not in inside]
    studied = StudiedWorld(domain, network, _GATE_SEED, _GATE_SIZE)
    try:
        runs = find_chains(studied, remaining, random.Random(f"chains of gate {asked.number}"))
    finally:
        studied.close()
    return GateFigures(remaining, round(network.complexity(inside), 4), round(len(runs) / ATTEMPTS, 4))


class Opinion(DesignPart):
    """What a model answers at the gate: the paper's compatibility score, and why."""

    probability: float = Field(ge=0, le=1, description="how much one more chain is worth it")
    reason: Sentence


@dataclass(frozen=True)
class GateRuling:
    """A decision of the gate and the reason that the model gave."""

    decision: Decision
    reason: str

    @property
    def as_json(self) -> dict[str, Any]:
        """As it stands in `domain.json`."""
        return {**asdict(self.decision), "reason": self.reason}

    @property
    def as_sentence(self) -> str:
        """As a person reads it."""
        own = self.decision
        inputs = f"|D| {own.remaining}, c(H) {own.complexity}, g(D) {own.feasibility}"
        return f"{'go on' if own.goes_on else 'stop'} at {own.score} ({inputs}): {self.reason}"
