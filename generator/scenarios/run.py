"""Run the scenarios of a domain folder on several worlds and judge each of them on each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from generator.graph.chain_flow import pairs_of
from generator.isolation.job import job
from generator.scenarios.judge import Judge
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import DECLINE
from runtime.domain.schema import Row
from runtime.errors import EnvironmentFault, Rejection
from runtime.sandbox.budget import Budget
from runtime.session.session import Session
from runtime.session.world import World, build_world
from runtime.task.picks import NoSuchRow
from runtime.task.script import Script
from runtime.task.story import FILE, Program, load_scenarios, tell_story

SEEDS = (1, 2, 3, 4)
SIZES = (100, 300)
LARGE_SEEDS, LARGE_SIZE = (1, 2), 3_000  # for what is too rare for the others
MOST_WITHOUT_ROWS = 0.5  # of the worlds may have no row for a scenario
_STEPS = 1_000_000
_MOST_FAULTS = 3  # of one scenario that are reported


@dataclass(frozen=True)
class ScenariosRequest:
    """The scenarios of a domain folder on worlds of these seeds and sizes."""

    folder: Path
    seeds: Sequence[int] = SEEDS
    sizes: Sequence[int] = SIZES
    worded: bool = False  # whether each wish must have three registers and be said in short


@dataclass
class ScenarioReport:
    """What is wrong with one scenario, the tools that it called, and those between which values went.

    `asked` are the tools of which it asked the rules whether they permit a call, on any of its worlds.
    """

    name: str
    faults: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    flows: list[tuple[str, str]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    declines: bool = False


@dataclass(frozen=True)
class ScenariosReport:
    """Every scenario, in file order; of a domain with rules, those that guard called tools and that none asks about."""

    scenarios: list[ScenarioReport]
    asked_rules: list[str] = field(default_factory=list)
    unasked_rules: list[str] = field(default_factory=list)
    can_decline: bool = False  # whether there are people, and a tool that notes a refusal


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
    judges = [Judge(domain, _rows_of(world), asked.worded) for world in worlds]
    reports = [_report(name, program, domain, worlds, judges) for name, program in programs.items()]
    called = {tool for each in reports for tool in each.tools}
    asked_about = {tool for each in reports for tool in each.asked}
    guarding = [rule for rule in domain.rules.rules if called & rule.on.keys()]
    return ScenariosReport(
        reports,
        asked_rules=[rule.code for rule in guarding if asked_about & rule.on.keys()],
        unasked_rules=[rule.code for rule in guarding if not asked_about & rule.on.keys()],
        can_decline=DECLINE in domain.tools,
    )


def _finds_rows_in_large_worlds(program: Program, domain: Domain) -> bool:
    """Whether a scenario about what is rare finds it where there is more of everything."""
    for seed in LARGE_SEEDS:
        world = build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, LARGE_SIZE)
        try:
            with Session(domain, world) as session, Budget(_STEPS):
                tell_story(program, session, seed)
        except (EnvironmentFault, NoSuchRow, Rejection):
            return False
    return True


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
    if len(barren) > MOST_WITHOUT_ROWS * len(worlds) and not _finds_rows_in_large_worlds(program, domain):
        faults["rows"] = f"it finds no row on {len(barren)} of {len(worlds)} worlds: {barren[0]}"
    return ScenarioReport(
        name=name,
        faults=list(faults.values())[:_MOST_FAULTS],
        tools=sorted({call.step.tool for script in scripts for call in script.calls}),
        flows=sorted({pair for script in scripts for pair in pairs_of(script.chain)}),
        asked=sorted({each.call.step.tool for script in scripts for each in script.permissions}),
        declines=any(script.declined for script in scripts),
    )


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
