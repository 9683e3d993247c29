"""Expand tasks as somebody else decides, chain by chain, in place of the formula (paper, section 4.2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from generator.graph.chains import arguments_of_cases
from generator.isolation.job import job
from generator.tasks.compose import composable_scenarios
from generator.tasks.expand import Decision, expand
from generator.tasks.plan import MadeOf, read_task_id
from generator.tasks.studied_world import Network, StudiedWorld
from runtime.domain.load import load_domain
from runtime.graph import read_graph
from runtime.sandbox.files import is_there
from runtime.task.story import TIMED_FILE
from runtime.task.task_file import parse_task, task_line


@dataclass(frozen=True)
class RuledLine:
    """A task's line, and what was decided of its further chains so far."""

    line: str
    goes_on: list[bool]


@dataclass(frozen=True)
class ExpansionsRequest:
    """A domain folder, and lines of tasks that were made of its scenarios."""

    folder: Path
    lines: list[RuledLine]


@dataclass(frozen=True)
class RuledExpansion:
    """A line with the tools that can be used in its world; `asks` is what is to be decided next, if anything is."""

    line: str
    chain: list[str]  # tools
    chains: int
    asks: Decision | None


@dataclass(frozen=True)
class Expansions:
    """The expansions, in the order of the lines."""

    expansions: list[RuledExpansion]


@job("expansions")
def expand_as_ruled(asked: ExpansionsRequest) -> Expansions:
    """Expand each task as it was decided so far; errors: BrokenDomain, EnvironmentFault."""
    domain = load_domain(asked.folder)
    network = Network(domain, read_graph(asked.folder), arguments_of_cases(asked.folder))
    names = [*composable_scenarios(domain)]
    names += composable_scenarios(domain, timed=True) if is_there(asked.folder / TIMED_FILE) else []
    found: dict[int, RuledExpansion] = {}
    tasks = [(at, parse_task(each.line), each.goes_on) for at, each in enumerate(asked.lines)]
    tasks.sort(key=lambda each: (each[1].world.base, each[0]))  # a world is expensive
    for world, own in groupby(tasks, lambda each: each[1].world):
        with StudiedWorld(domain, network, world.seed, world.size) as studied:
            for at, task, goes_on in own:
                made = read_task_id(task.id, names) or MadeOf(0, 1)
                chain = list(dict.fromkeys(step.tool for step in task.chain if step.tool in domain.tools))
                expansion = expand(studied, chain, made.number, goes_on)
                explorable = sorted({*chain, *expansion.examples})
                difficulty = {**task.difficulty, "chains": expansion.chains}
                ruled = task.model_copy(update={"explorable": explorable, "difficulty": difficulty})
                found[at] = RuledExpansion(task_line(ruled), chain, expansion.chains, expansion.asks)
    return Expansions([found[at] for at in range(len(tasks))])
