"""Options that several commands share: which tasks are played, by whom, how, and where the work runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from runtime.errors import UsageError
from runtime.verification.verdict import REWARD_KINDS
from runtime.wording import have

AGENTS = "reference, careful, blind, idle, random, parrot, anthropic:MODEL, openai:MODEL, command:PROGRAM"
USERS = "scripted, reader:MODEL, anthropic:MODEL, openai:MODEL, relay:DIR, none"
SPLITS = ("train", "held_out")


def add_evaluation_options(parser: argparse.ArgumentParser, *, trials: int = 1) -> None:
    """Add every option of an evaluation except its domains."""
    from runtime.harness.episode import EpisodeLimits

    limits = EpisodeLimits()
    add = parser.add_argument
    add("--agent", metavar="A", help=f"the agent to evaluate: {AGENTS}")
    add("--name", metavar="NAME", help="the agent's name in scores and reports (default: the value of --agent)")
    add("--user", metavar="U", default="scripted", help=f"the user it talks to: {USERS} (default scripted)")
    add("--trials", type=int, default=trials, metavar="K", help=f"episodes per task (default {trials})")
    add("--policy", action=argparse.BooleanOptionalAction, default=True, help="give the agent the domain's policy")
    add("--faults", metavar="PLAN", help="failures of the service: none, mild, harsh, or a .toml file (default none)")
    add_reward(parser)
    add("--max-turns", type=int, default=limits.turns, metavar="N", help="of the agent in an episode")
    add("--max-calls", type=int, default=limits.calls, metavar="N", help="of tools in an episode")
    add("--max-seconds", type=float, default=limits.seconds, metavar="S", help="of an episode")
    add("--store", type=Path, metavar="FILE", help="the run store (default runs/DOMAIN-AGENT.db or SUITE-AGENT.db)")
    add("--fresh", action="store_true", help="start a new store; the old one is kept in a file beside it")
    add("--concurrency", type=int, default=8, metavar="N", help="episodes at a time (default 8)")
    add("--processes", type=int, metavar="P", help="worker processes (default: one per core that the run can use)")
    add_engine(parser)
    add(
        "--max-cost",
        type=float,
        metavar="USD",
        help="start no episode once the run has cost this much; those under way are finished",
    )
    add(
        "--price",
        action="append",
        default=[],
        metavar="MODEL=IN,OUT",
        help="price of a model without a list price: dollars per million tokens in and out (repeatable)",
    )
    add(
        "--pass-env",
        action="append",
        default=[],
        metavar="NAME",
        help="pass this variable to an agent command:PROGRAM; keys, tokens and passwords are withheld otherwise "
        "(repeatable)",
    )
    _add_task_choice(parser)


def _add_task_choice(parser: argparse.ArgumentParser) -> None:
    tasks = parser.add_argument_group("which tasks are played (default: all tasks of the domains)")
    add_tasks_file(tasks)
    tasks.add_argument("--task", metavar="ID,ID", help="these tasks")
    tasks.add_argument("-n", "--count", type=int, metavar="N", help="N tasks of each domain")
    tasks.add_argument(
        "--seed", type=int, default=1, metavar="S", help="seed of the choice and order of tasks (default 1)"
    )
    tasks.add_argument("--split", choices=SPLITS, help="only tasks of this split")
    tasks.add_argument("--level", metavar="L,L", help="only tasks of these levels, 1 to 5")


def add_tasks_file(parser: argparse.ArgumentParser | Any) -> None:
    """Add `--tasks FILE`."""
    parser.add_argument(
        "--tasks", type=Path, metavar="FILE", help="take tasks from this file instead of the domain's tasks.jsonl"
    )


def add_reward(parser: Any, default: str | None = "final_state_and_rules") -> None:
    """Add `--reward`; without a default it is the one that the run was scored by."""
    parser.add_argument(
        "--reward",
        choices=REWARD_KINDS,
        default=default,
        help="what is rewarded: a right final state that was reached without breaking a rule, or the final state alone "
        f"(default {default or 'as the run was scored'})",
    )


def add_engine(parser: argparse.ArgumentParser | Any) -> None:
    """Add `--engine`."""
    parser.add_argument(
        "--engine",
        default="local",
        metavar="E",
        help="where the work runs: local (default), or ray[:ADDRESS], a Ray cluster: the one at HOST:PORT, the one "
        "running here (auto), or else a new one on this machine",
    )


def ray_address(arguments: argparse.Namespace) -> str | None:
    """Return the address of the Ray cluster to use, "" for any, None to work locally; errors: UsageError."""
    engine, _, address = str(arguments.engine).partition(":")
    if engine == "ray":
        return address
    if str(arguments.engine) != "local":
        raise UsageError(f"no engine {arguments.engine!r}; {have(engine, ('local', 'ray[:ADDRESS]'))}")
    return None


def levels_of(words: str | None) -> frozenset[int]:
    """Return the levels that `--level` names; errors: UsageError."""
    levels = words.split(",") if words is not None else []
    if any(level not in ("1", "2", "3", "4", "5") for level in levels):
        raise UsageError(f"--level is {words!r}; give levels from 1 to 5 with commas between.")
    return frozenset(map(int, levels))
