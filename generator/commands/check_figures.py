"""The figures of a check, as they go into its JSON."""

from __future__ import annotations

from dataclasses import dataclass, field

from generator.build.roles import Tokens
from generator.gates.rules.prove import RuleFigures
from generator.gates.worlds import BuiltWorld

PEERS = {  # what the nearest peers get wrong, so that it must be zero here
    "tools_that_crash_on_unknown_ids": "tools that crash on unknown ids",
    "foreign_key_violations": "states that break a constraint after use",
    "resets_that_differ": "resets or rebuilds that differ",
    "sessions_that_leak": "sessions that leak into another",
    "parameters_without_description": "parameters without a description",
    "do_nothing_rewarded": "tasks that reward doing nothing",
    "collateral_damage_rewarded": "tasks that reward collateral damage",
    "tasks_without_executed_solution": "tasks without an executed solution",
}


@dataclass(frozen=True)
class Outcomes:
    """How many cases came to each of the three outcomes."""

    success: int = 0
    rejection: int = 0
    unexpected: int = 0


@dataclass(frozen=True)
class KilledMutants:
    """How many mutants there are, and how many of them a case notices."""

    total: int = 0
    killed: int = 0


@dataclass(frozen=True)
class GraphFigures:
    """The size of the graph."""

    nodes: int = 0
    edges: int = 0
    density: float = 0.0
    kinds: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class AttackedConstraints:
    """How many constraints were attacked, and how many of them refused."""

    attacked: int = 0
    refused: int = 0


@dataclass(frozen=True)
class CallFigures:
    """What all random calls came to."""

    calls: int = 0
    successes: int = 0
    rejections: int = 0
    faults: int = 0
    violations: int = 0
    changes_on_rejection: int = 0


@dataclass(frozen=True)
class TaskFigures:
    """What became of all tasks: passed and tried trials by proof."""

    kept: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    proofs: dict[str, tuple[int, int]] = field(default_factory=dict)
    tools_covered: int = 0
    remade: int = 0  # made again from their numbers, and proven as they were then


@dataclass
class CheckFigures:
    """The figures of a check, as they go into its JSON."""

    tools: int = 0
    tables: int = 0
    cases: Outcomes = Outcomes()
    mutants: KilledMutants = KilledMutants()
    rules: RuleFigures = field(default_factory=RuleFigures)
    graph: GraphFigures = GraphFigures()
    tokens: Tokens = Tokens()
    constraints: AttackedConstraints = AttackedConstraints()
    worlds: dict[int, BuiltWorld] = field(default_factory=dict)
    random_calls: CallFigures = CallFigures()
    tasks: TaskFigures = TaskFigures()
    peers: dict[str, int | None] = field(default_factory=lambda: dict.fromkeys(PEERS))
