"""The arms of ScaleEnv's ablation "w/o EV" that need no model: what a domain loses that was not verified by execution.

A: tasks that nobody proved. B: scenarios as they were first answered, before their gate sent them back. C: tools with
planted faults, which the cases notice, so procedural testing would have sent them back. Each task of an arm is proven
and played by six scripted agents, whose verdicts are known: in C from the same task on the proven tools, elsewhere
from what the agent does. A domain that is broken here carries a mark in its card and is never put to use.
"""

from __future__ import annotations

import asyncio
import json
import math
import random
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from generator.author.folder import read_draft
from generator.author.stages.scenario_faults import faults_by_scenario
from generator.author.writing.documents import scenarios_file
from generator.gates.cases.case import read_cases
from generator.gates.mutants import Edit, is_noticed, make_mutants, sound_cases
from generator.isolation.job import job
from generator.isolation.process import run_job
from generator.scenarios.scenario import Scenarios, joined
from generator.tasks.compose import Composer
from generator.tasks.plan import read_task_id
from generator.tasks.proofs.all import prove_candidate, prove_line
from generator.tasks.proofs.mistakes import MistakeFinder
from generator.tasks.proofs.recheck import NOT_WON
from generator.tasks.proofs.replayer import Candidate, TaskReplayer
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import is_desk_tool
from runtime.errors import EnvironmentFault, Rejection, UsageError
from runtime.graph import read_graph
from runtime.harness.agents.baselines import ALWAYS, makes_mistake
from runtime.harness.choose import choose_agent
from runtime.harness.play import Setting, play
from runtime.harness.users.scripted import ScriptedKind
from runtime.model.book import AnswerBook
from runtime.sandbox.files import is_there, read_text
from runtime.sandbox.module import faults_in
from runtime.session.world import World, WorldCache
from runtime.task.story import FILE as SCENARIOS
from runtime.task.task import Mistake, Task, start_world
from runtime.task.task_file import parse_task
from runtime.wording import counted

AGENTS = ("reference", "careful", "comply_all", "refuse_all", "trust_all", "random")
_NOT_FIRST = ("mended", "gate-")  # questions about scenarios that were sent back, or about writing more


def write_first_scenarios(folder: Path, out: Path) -> dict[str, str] | None:
    """Copy a domain with its scenarios as a build first answered them, without those that the sandbox refuses.

    Return what today's gate first says of each by name, "" where it is content; None where no answers were recorded.
    """
    if not is_there(answers := folder / "answers.jsonl"):
        return None
    asked = (each for each in AnswerBook.read(answers) if (each.stage, each.attempt) == ("scenarios", 1))
    first = joined([Scenarios.model_validate(each.content) for each in asked if not each.key.startswith(_NOT_FIRST)])
    withdrawn = load_domain(folder).card.provenance.get("withdrawn", {})  # since then, with the reason
    draft = read_draft(folder)
    title, conditions = draft.catalogue.title, first.conditions
    scenarios = tuple(each for each in first.scenarios if each.name not in withdrawn)
    draft = replace(draft, scenarios=scenarios, conditions=conditions)
    faults = {name: each[0] for name, each in faults_by_scenario(draft, scenarios, draft.graph).items()} | withdrawn
    safe = [each for each in scenarios if not faults_in(scenarios_file(title, [each], conditions), SCENARIOS)]
    _copy(folder, out, "first answers for its scenarios", {SCENARIOS: scenarios_file(title, safe, conditions)})
    return {each.name: faults.get(each.name, "") for each in first.scenarios}


@dataclass(frozen=True)
class FaultsRequest:
    """A share of a domain's tools that get a fault, drawn by a seed: a greater share holds those of a smaller one."""

    folder: Path
    share: float
    seed: int


@dataclass(frozen=True)
class PlantedFaults:
    """The changed files by path, and for each tool its fault in words, or nothing."""

    files: dict[str, str]
    by_tool: dict[str, str]


@job("faults")
def plant_faults(asked: FaultsRequest) -> PlantedFaults:
    """Choose one mutant that the cases notice for each drawn tool; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    cases, chance = sound_cases(domain, read_cases(asked.folder / "cases.jsonl")), random.Random(asked.seed)
    tools = [name for name in domain.tools if not is_desk_tool(name)]
    files, by_tool = dict[str, str](), dict.fromkeys(tools, "")
    edits: dict[str, tuple[str, Edit]] = {}
    for name in chance.sample(tools, len(tools)):
        if len(edits) == math.ceil(asked.share * len(tools)):
            break
        file, mutants = domain.tools[name].file, list(make_mutants(domain, [name]))
        for mutant in chance.sample(mutants, len(mutants)):
            (start, end), others = mutant.edit.span, [each.span for own, each in edits.values() if own == file]
            if all(end <= first or last <= start for first, last in others) and is_noticed(mutant, domain, cases):
                edits[name] = file, mutant.edit
                break
    for name, (file, edit) in sorted(edits.items(), key=lambda each: each[1][1].span, reverse=True):
        files[file] = edit.spliced(files.get(file) or read_text(domain.path / file))
        by_tool[name] = f"{file}:{edit.line}: {edit.kind}: {edit.description}"
    return PlantedFaults(files, by_tool)


def write_faulty_tools(asked: FaultsRequest, out: Path) -> dict[str, str]:
    """Copy a domain with planted faults, and return these by tool, "" for one without; errors: as `run_job`."""
    planted = run_job(plant_faults, asked)
    broken = counted(sum(map(bool, planted.by_tool.values())), "tool")
    _copy(asked.folder, out, f"planted faults in {broken}", planted.files)
    return planted.by_tool


def _copy(folder: Path, out: Path, unverified: str, files: Mapping[str, str]) -> None:
    """Copy a domain's folder with other files and a mark in its card; errors: UsageError."""
    if out.exists():
        raise UsageError(f"{str(out)!r} is there already; name another folder with --out.")
    shutil.copytree(folder, out, ignore=shutil.ignore_patterns("tasks", "__pycache__"))
    card = json.loads(read_text(folder / "domain.json")) | {"unverified": unverified}
    for name, text in {**files, "domain.json": json.dumps(card, indent=2, ensure_ascii=False)}.items():
        (out / name).write_text(f"{text.rstrip()}\n", encoding="utf-8")


@dataclass(frozen=True)
class ArmRequest:
    """Tasks of a domain folder; those without proofs are composed again from their ids, to be proven as they are made.

    `twin` is the domain on whose tools the verdicts are right, if that is another one.
    """

    folder: Path
    lines: list[str]
    twin: Path | None = None


@dataclass(frozen=True)
class TriedTask:
    """The first proof that refuses a task, or nothing; and the rewards that agents get and should get, None if void."""

    id: str
    refused: str
    why: str
    rewards: Mapping[str, int | None]
    right: Mapping[str, int | None]


@dataclass(frozen=True)
class TriedArm:
    """The tasks of an arm."""

    tasks: list[TriedTask]


@job("arm")
def try_arm(asked: ArmRequest) -> TriedArm:
    """Prove the tasks of an arm and play them; errors: BrokenDomain, UsageError, EnvironmentFault from world.py."""
    domain, worlds, tried = load_domain(asked.folder), WorldCache(1), list[TriedTask]()
    twin = load_domain(asked.twin) if asked.twin is not None else None
    with Composer(domain, read_graph(asked.folder)) as composer:
        for task in sorted(map(parse_task, asked.lines), key=lambda each: str(each.world.base)):
            made = read_task_id(task.id, list(composer.forms)) if "unverified" in task.proofs else None
            if made is not None:
                candidate = composer.compose(made)
                world, proofs = candidate.world, prove_candidate(candidate).proofs
                task = task.model_copy(update={"mistakes": _known_mistakes(candidate)})
            else:
                world = start_world(task, domain, worlds)
                proofs = prove_line(domain, task, world).proofs
            failed = next((each for each in proofs.values() if not each.holds), None)
            rewards = _rewards(task, domain, world)
            wrong = [name for name in AGENTS if name == "random" or (name in ALWAYS and makes_mistake(name, task))]
            right = {name: int(name not in wrong) for name in AGENTS} if twin is None else _rewards(task, twin, world)
            refused = failed.name if failed is not None else "" if rewards["reference"] == 1 else NOT_WON
            tried.append(TriedTask(task.id, refused, failed.reason if failed else "", rewards, right))
    return TriedArm(tried)


def _known_mistakes(candidate: Candidate) -> list[Mistake]:
    """Return the mistakes that can be made in a candidate, whatever its proofs say; none if its chain does not run."""
    try:
        with TaskReplayer(candidate.domain, candidate.task, candidate.world, candidate.start) as replayer:
            return MistakeFinder(replayer, candidate).known
    except (EnvironmentFault, Rejection):
        return []


def _rewards(task: Task, domain: Domain, world: World) -> dict[str, int | None]:
    """Return what each agent and the idle one are rewarded with."""
    settings = {name: Setting(choose_agent(name), ScriptedKind()) for name in (*AGENTS, "idle")}
    return {name: asyncio.run(play(task, domain, world, 0, each)).reward for name, each in settings.items()}
