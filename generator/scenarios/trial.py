"""Try the scenarios of a domain with callers as tasks: each must have the shape of its form, and pass every proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from generator.isolation.job import job
from generator.tasks.compose import Composer
from generator.tasks.plan import RULED, TaskPlan
from generator.tasks.proofs.all import prove_candidate
from generator.tasks.telling import Unfit
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault
from runtime.graph import Graph
from runtime.task.origin import origin_of
from runtime.task.script import Script
from runtime.task.story import Program, load_scenarios
from runtime.task.user import Form

TRIES = 4  # of each scenario, and of each of its twins
MOST_TRIES = 8  # of a twin of which nothing is decided before
_COMPLEXITY = 2  # a world of 300 rows, with some near-duplicates
_WORLDS = 2


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
        failed = 0
        undecided: list[str] = []
        for number in range(MOST_TRIES):
            if number >= TRIES and (reasons or form not in RULED):
                break
            plan = TaskPlan(number, _COMPLEXITY, number % _WORLDS, "train", 1, has_forms=True, denied=denied)
            try:
                candidate = composer.compose_alone(name, plan)
            except (Unfit, EnvironmentFault) as unfit:
                reasons.setdefault(str(unfit), str(unfit))
                failed += 1
                continue
            faults = [*_faults_of_shape(domain, form, candidate.scripts[0])]
            if faults:
                yield from faults
                return
            codes = [code for asked in candidate.scripts[0].permissions for code in asked.rules]
            report.denied_by[name] = [*dict.fromkeys([*report.denied_by.get(name, []), *codes])]
            proof = next((proof for proof in prove_candidate(candidate).proofs.values() if not proof.holds), None)
            if proof is None:
                reasons, undecided = {}, []
                break
            if proof.undecided:
                undecided.append(f"proof {proof.name}: {proof.reason}")
            else:
                reasons.setdefault(proof.name, f"proof {proof.name}: {proof.reason}")
                failed += 1
        # A twin of which every task is undecided is never kept: then only the other one is made.
        if not reasons and form in RULED and undecided:
            reasons, failed = {"undecided": undecided[0]}, len(undecided)
        if reasons:
            twin = f" in which a rule {'denies' if denied else 'permits'} it" if form in RULED else ""
            yield f"of {failed} tasks{twin} none holds: {'; '.join(reasons.values())}"


def _faults_of_shape(domain: Domain, form: Form, script: Script) -> Iterator[str]:
    """What a scenario of a form lacks to be one."""
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
    "mistaken": (lambda script: not any(wish.beliefs for wish in script.wishes), "story.believes is missing"),
    "coupled": (lambda script: not any(wish.joined for wish in script.wishes), "no wishes are said together"),
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
