"""Run the scenarios of a domain folder on several worlds and judge each of them on each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from generator.isolation.job import job
from generator.scenarios.judge import Judge
from generator.tasks.house_form import faults_of_form
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.schema import Row
from runtime.errors import EnvironmentFault, Rejection
from runtime.sandbox.budget import Budget
from runtime.session.session import Session
from runtime.session.world import World, build_world
from runtime.task.scenarios import FILE, Program, load_scenarios
from runtime.task.story import NoSuchRow, Script, tell_story

SEEDS = (1, 2, 3, 4)
SIZES = (100, 300)
MOST_WITHOUT_ROWS = 0.5  # of the worlds may have no row for a scenario
MOST_GUESSABLE = 0.5  # of the worlds may let an agent guess its way through a scenario
GUESSABLE = range(4)  # whole numbers that come up by guessing
_STEPS = 1_000_000
_MOST_FAULTS = 3  # of one scenario that are reported


@dataclass(frozen=True)
class ScenariosRequest:
    """The scenarios of a domain folder on worlds of these seeds and sizes."""

    folder: Path
    seeds: Sequence[int] = SEEDS
    sizes: Sequence[int] = SIZES


@dataclass
class ScenarioReport:
    """What is wrong with one scenario, and the tools that it called."""

    name: str
    faults: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ScenariosReport:
    """Every scenario, in file order."""

    scenarios: list[ScenarioReport]


@job("scenarios")
def prove_scenarios(asked: ScenariosRequest) -> ScenariosReport:
    """Run every scenario on every world and judge it; errors: BrokenDomain."""
    domain = load_domain(asked.folder)
    programs = load_scenarios(asked.folder)
    worlds = [
        build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, size)
        for size in asked.sizes
        for seed in asked.seeds
    ]
    judges = [Judge(domain, _rows_of(world)) for world in worlds]
    return ScenariosReport([_report(name, program, domain, worlds, judges) for name, program in programs.items()])


def _report(
    name: str, program: Program, domain: Domain, worlds: Sequence[World], judges: Sequence[Judge]
) -> ScenarioReport:
    faults: dict[str, str] = {}
    barren: list[str] = []
    scripts: list[Script] = []
    for world, judge in zip(worlds, judges, strict=True):
        seed, size = world.origin["seed"], world.origin["size"]
        try:
            with Session(domain, world) as session, Budget(_STEPS):
                script = tell_story(program, session, seed)
                changes = session.changes
        except NoSuchRow as missing:
            barren.append(str(missing))
            continue
        except EnvironmentFault as fault:
            faults.setdefault(str(fault)[:40], f"on the world of seed {seed} and size {size}: {fault}")
            continue
        except (
            ArithmeticError,
            AttributeError,
            LookupError,
            NameError,
            Rejection,
            TypeError,
            ValueError,
        ) as error:
            crash = f"{type(error).__name__}: {error}"
            faults.setdefault(type(error).__name__, f"line {_line_of(error)}: on seed {seed} and size {size}: {crash}")
            continue
        scripts.append(script)
        for each in judge.faults(script):
            faults.setdefault(each.key, each.sentence)
        for where, wrong in faults_of_form(changes, script.facts, domain.schema, domain.policies, judge.rows):
            if wrong:
                faults.setdefault(
                    f"form {where} {wrong}",
                    f"{wrong}; an agent may write either, so tell it as they write it, or something that none of them "
                    "holds",
                )
    if len(barren) > MOST_WITHOUT_ROWS * len(worlds):
        faults["rows"] = f"it finds no row on {len(barren)} of {len(worlds)} worlds: {barren[0]}"
    guessable = [script for script in scripts if _is_guessable(script, domain)]
    if len(guessable) > MOST_GUESSABLE * len(scripts):
        faults["guess"] = (
            f"it changes nothing, and all its answers are small numbers ({_listed_answers(guessable[0])}) on "
            f"{len(guessable)} of {len(scripts)} worlds, easily guessed; ask for a date, an amount or a name as well"
        )
    return ScenarioReport(
        name=name,
        faults=list(faults.values())[:_MOST_FAULTS],
        tools=sorted({call.step.tool for script in scripts for call in script.calls}),
    )


def _is_guessable(script: Script, domain: Domain) -> bool:
    """Whether nothing but small whole numbers is asked for."""
    if not script.answers or any(domain.tools[call.step.tool].writes for call in script.calls):
        return False
    return all(isinstance(answer.value, int) and answer.value in GUESSABLE for answer in script.answers)


def _listed_answers(script: Script) -> str:
    return ", ".join(f"{answer.name}: {answer.value}" for answer in script.answers)


def _rows_of(world: World) -> dict[str, list[Row]]:
    connection = world.open()
    try:
        return {name: connection.execute(table.select_all).fetchall() for name, table in world.schema.tables.items()}
    finally:
        connection.close()


def _line_of(error: BaseException) -> int:
    line, traceback = 0, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename.endswith(FILE):
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
