"""Explorability: enough tools can be used in the task's world, and no call that an agent may send breaks anything."""

from __future__ import annotations

import random
import reprlib
from collections.abc import Iterator

from generator.gates.calls.arguments import ArgumentMaker
from generator.gates.calls.play import FREE_KINDS
from generator.gates.calls.pool import Pool, Rows
from generator.gates.calls.spoil import Spoiler
from generator.tasks.proofs.examples import ExampleFinder
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.trial import Trial
from runtime.domain.people import is_desk_tool
from runtime.errors import EnvironmentFault

LEAST_TOOLS = 20  # that can be used in a task's world; all, where a domain has fewer
RANDOM_CALLS = 100
_SPOILT = 0.4  # of the random calls


def try_explorability(replayer: TaskReplayer, examples: ExampleFinder) -> Iterator[Trial]:
    """What is tried: the "number" of tools, an "example" of each, and each random "call".

    A task that names no tools, as one written by hand, has those of which an example is found.
    """
    domain, named = replayer.domain, replayer.task.explorable
    used = {step.tool for step in replayer.reference}
    asked = dict.fromkeys(named or domain.tools)
    there = [name for name in asked if name in domain.tools]
    found = [name for name in there if name in used or examples.find(name) or examples.runs_later(name)]
    least = min(LEAST_TOOLS, sum(not is_desk_tool(name) for name in domain.tools))
    few = f"{len(found)} tools can be used in its world; at least {least} must be."
    yield Trial("number", "" if len(found) >= least else few)
    for name in asked if named else ():
        yield Trial("example", "" if name in found else f"No call of {name} was found that runs.")
    yield from _try_random_calls(replayer, examples.rows)


def _try_random_calls(replayer: TaskReplayer, rows: Rows) -> Iterator[Trial]:
    """Valid and invalid calls, one after another, on a state that they change."""
    replayer.go_to(replayer.beginning)
    replayer.leave()
    chance = random.Random(replayer.task.id)
    pool = Pool(rows, chance)
    maker, spoiler = ArgumentMaker(pool, replayer.domain.now, chance), Spoiler(rows, chance)
    tools = list(replayer.domain.tools.values())
    for _ in range(RANDOM_CALLS):
        tool = chance.choice(tools)
        arguments = maker.make(tool)
        if chance.random() < _SPOILT:
            _, arguments = spoiler.spoil(arguments)
        try:
            outcome = replayer.session.perform(tool.name, arguments)
        except EnvironmentFault as fault:
            yield Trial("call", f"{tool.name}({reprlib.repr(arguments)}): {fault}")
            continue
        rejection = outcome.rejection
        undeclared = rejection is not None and rejection.kind not in (*FREE_KINDS, *tool.rejects)
        shown = f"{tool.name}({reprlib.repr(arguments)})" if undeclared else ""
        yield Trial("call", f"{shown} rejects with {rejection}, which it does not declare." * undeclared)
