"""`worldsmith eval`: run an agent over tasks, and say how often it reaches the goal."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.domain.domain import Domain
from runtime.domain.find import find_domain
from runtime.errors import UsageError
from runtime.harness.episode import EpisodeLimits
from runtime.harness.evaluation.config import RunConfig
from runtime.harness.transports.open import TRANSPORTS
from runtime.model.prices import knows_cost
from runtime.wording import counted

if TYPE_CHECKING:
    from runtime.harness.evaluation.evaluate import Pace, Sitting
    from runtime.harness.evaluation.plan import Plan
    from runtime.harness.evaluation.player import Play
    from runtime.harness.evaluation.writer import Kept

AGENTS = "reference, idle, random, parrot, anthropic:MODEL, command:PROGRAM"
USERS = "scripted, anthropic:MODEL, relay:DIR, none"

_MOST_TRIALS, _MOST_AT_A_TIME, _MOST_PROCESSES = 1_000, 1_000, 256
_USUAL = EpisodeLimits()


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "eval",
        help="run an agent over tasks and score it (asks a model only if agent or user is one)",
        description="Play tasks with an agent and a simulated user, judge each final state, and keep every episode in "
        "a run store at once. The same command goes on where a stopped one was and repeats nothing; with more "
        "tasks, trials or domains it extends the run. Scores are of the tasks and trials that this command names. "
        "Exit 0: every episode has a verdict; exit 1: some are void or still owed.",
    )
    parser.add_argument("domain", nargs="+", help="name or path of a domain")
    parser.add_argument("--agent", metavar="A", help=f"who is evaluated: {AGENTS}")
    parser.add_argument("--user", metavar="U", default="scripted", help=f"whom it talks to: {USERS} (default scripted)")
    parser.add_argument("--tasks", metavar="IDS|N", help="task ids with commas between, or how many of each domain")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the choice of N tasks (default 1)")
    parser.add_argument("--split", choices=("train", "held_out"), help="only tasks of this split")
    parser.add_argument("--trials", type=int, default=1, metavar="K", help="episodes of each task (default 1)")
    parser.add_argument(
        "--transport",
        choices=TRANSPORTS,
        default="memory",
        help="how tools are called: MCP in memory, over stdio or HTTP, or directly on the session (default memory)",
    )
    parser.add_argument("--policy", action="store_true", help="give the agent the domain's policy")
    parser.add_argument("--concurrency", type=int, default=8, metavar="N", help="episodes at a time (default 8)")
    parser.add_argument("--processes", type=int, metavar="P", help="worker processes (default: as many cores as pay)")
    parser.add_argument(
        "--max-cost", type=float, metavar="USD", help="begin no episode once the run has cost this much"
    )
    parser.add_argument("--max-turns", type=int, default=_USUAL.turns, metavar="N", help="of the agent in an episode")
    parser.add_argument("--max-calls", type=int, default=_USUAL.calls, metavar="N", help="of tools in an episode")
    parser.add_argument("--max-seconds", type=float, default=_USUAL.seconds, metavar="S", help="of an episode")
    parser.add_argument("--store", type=Path, metavar="FILE", help="the run store (default runs/DOMAIN-AGENT.db)")
    parser.add_argument("--json", action="store_true", help="print the scores as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Play what is owed and print the scores; 0 if every episode has a verdict."""
    _check_numbers(arguments)
    config = RunConfig(
        agent=_agent_of(arguments),
        user=arguments.user,
        transport=arguments.transport,
        limits=EpisodeLimits(arguments.max_turns, arguments.max_calls, arguments.max_seconds),
        with_policy=arguments.policy,
    )
    _check_prices(config, arguments.max_cost)
    domains = [find_domain(name) for name in arguments.domain]
    from runtime.harness.evaluation.evaluate import Pace
    from runtime.harness.evaluation.plan import Plan, choose_tasks
    from runtime.harness.evaluation.setting import bind_play
    from runtime.harness.evaluation.writer import hold_store, prepare_store

    tasks = choose_tasks(domains, arguments.tasks, arguments.split, arguments.seed)
    plan = Plan(config, tuple(domains), tasks, arguments.trials)
    play = bind_play(config)
    path: Path = arguments.store or _usual_store(domains, config)
    pace = Pace(arguments.concurrency, arguments.processes, arguments.max_cost)
    with hold_store(path):
        kept = prepare_store(path, plan)
        return _play_and_report(plan, path, kept, pace, play, as_json=arguments.json)


def _play_and_report(plan: Plan, path: Path, kept: Kept, pace: Pace, play: Play, *, as_json: bool) -> int:
    from runtime.harness.evaluation.evaluate import evaluate
    from runtime.harness.evaluation.progress import Progress
    from runtime.harness.evaluation.store import read_run
    from runtime.harness.evaluation.summary import describe, summarise

    episodes, owed = counted(plan.episodes, "episode"), plan.episodes - len(kept.done)
    _say(f"{counted(len(plan.tasks), 'task')}, {episodes}, {owed} owed; store: {path}")
    sitting: Sitting | None = None
    try:
        with Progress(plan.episodes, kept) as progress:
            sitting = asyncio.run(evaluate(plan, path, kept, pace, progress, play))
    except KeyboardInterrupt:
        pass
    names = [chosen.name for chosen in plan.tasks]
    summary = summarise(read_run(path), names, plan.trials)
    if sitting is None:
        held = summary.scores.episodes - summary.scores.void
        _say(f"stopped: kept {held} of {episodes} in {path}; the same command plays the rest")
        return 130
    if sitting.spent:
        cost = "an unknown amount" if summary.cost is None else f"${summary.cost:.2f}"
        still = counted(summary.owed, "episode")
        _say(f"--max-cost: the run has cost {cost}, with {still} still owed; raise it to go on")
    if as_json:
        print(json.dumps(summary.as_json(), ensure_ascii=False, indent=2))
    else:
        print("\n".join(describe(summary, shutil.get_terminal_size().columns)))
    return 1 if summary.owed else 0


def _check_numbers(arguments: argparse.Namespace) -> None:
    for option, value, most in (
        ("--trials", arguments.trials, _MOST_TRIALS),
        ("--concurrency", arguments.concurrency, _MOST_AT_A_TIME),
        ("--processes", arguments.processes, _MOST_PROCESSES),
        ("--max-turns", arguments.max_turns, 100_000),
        ("--max-calls", arguments.max_calls, 100_000),
        ("--max-seconds", arguments.max_seconds, 1_000_000),
    ):
        if value is not None and not (value > 0 if option == "--max-seconds" else value >= 1) or (value or 0) > most:
            raise UsageError(f"{option} is {value:g}; it is a number from 1 to {most:,}.")
    if arguments.max_cost is not None and not arguments.max_cost > 0:
        raise UsageError(f"--max-cost is {arguments.max_cost:g}; give a number of dollars above 0.")


def _agent_of(arguments: argparse.Namespace) -> str:
    if not arguments.agent:
        raise UsageError(f"No agent was named; give --agent A, with {AGENTS}.")
    return str(arguments.agent)


def _check_prices(config: RunConfig, max_cost: float | None) -> None:
    names = dict.fromkeys((config.agent, config.user))
    unpriced = [name for name in names if name.startswith("command:") or not knows_cost(name)]
    if max_cost is not None and unpriced:
        raise UsageError(f"--max-cost cannot hold: the price of {', '.join(unpriced)} is not known.")


def _usual_store(domains: Sequence[Domain], config: RunConfig) -> Path:
    name = f"{'+'.join(domain.name for domain in domains)}-{config.agent}"
    return Path("runs") / f"{re.sub(r'[^A-Za-z0-9_.+-]+', '-', name).strip('-')[:100]}.db"


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
