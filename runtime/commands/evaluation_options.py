"""Who plays which tasks, and how: the options of `worldsmith eval` and of every command that plays as it does."""

from __future__ import annotations

import argparse
from pathlib import Path

from runtime.commands.engine import add_engine
from runtime.commands.reward_option import add_reward
from runtime.commands.task_file import add_tasks_file
from runtime.harness.episode import EpisodeLimits
from runtime.harness.transports.open import TRANSPORTS

AGENTS = "reference, idle, random, parrot, anthropic:MODEL, openai:MODEL, command:PROGRAM"
USERS = "scripted, reader:MODEL, anthropic:MODEL, openai:MODEL, relay:DIR, none"

SPLITS = ("train", "held_out")

_USUAL = EpisodeLimits()


def add_evaluation_options(parser: argparse.ArgumentParser, *, trials: int = 1) -> None:
    """Add all of them to a command, which names its domains itself."""
    parser.add_argument("--agent", metavar="A", help=f"who is evaluated: {AGENTS}")
    parser.add_argument(
        "--name",
        metavar="NAME",
        help="what the agent is called in scores and on pages (default: what --agent is)",
    )
    parser.add_argument("--user", metavar="U", default="scripted", help=f"whom it talks to: {USERS} (default scripted)")
    _add_choice(parser)
    parser.add_argument(
        "--trials", type=int, default=trials, metavar="K", help=f"episodes of each task (default {trials})"
    )
    parser.add_argument(
        "--transport",
        default="memory",
        metavar="T",
        help=f"how tools are called: {', '.join(TRANSPORTS)}; over MCP, or directly on the session (default memory)",
    )
    program = parser.add_argument_group("agents of the kind command:PROGRAM")
    program.add_argument(
        "--pass-env",
        action="append",
        default=[],
        metavar="NAME",
        help="give the program this variable, too; keys, tokens and passwords are withheld otherwise (repeatable)",
    )
    parser.add_argument(
        "--matcher",
        metavar="M",
        help="judge texts by what they say, as an ablation: similarity, anthropic:MODEL, openai:MODEL, "
        "relay:DIR (default: what is dictated word for word, the rest not at all)",
    )
    parser.add_argument(
        "--policy", action=argparse.BooleanOptionalAction, default=True, help="give the agent the domain's policy"
    )
    add_reward(parser)
    parser.add_argument("--concurrency", type=int, default=8, metavar="N", help="episodes at a time (default 8)")
    parser.add_argument("--processes", type=int, metavar="P", help="workers (default: as many processors as pay)")
    add_engine(parser)
    parser.add_argument(
        "--max-cost",
        type=float,
        metavar="USD",
        help="begin no episode that, at the cost of the dearest so far, could take the run past this",
    )
    parser.add_argument(
        "--price",
        action="append",
        default=[],
        metavar="MODEL=IN,OUT",
        help="what a model costs that has no list price: dollars for a million tokens in and out (repeatable)",
    )
    parser.add_argument("--max-turns", type=int, default=_USUAL.turns, metavar="N", help="of the agent in an episode")
    parser.add_argument("--max-calls", type=int, default=_USUAL.calls, metavar="N", help="of tools in an episode")
    parser.add_argument("--max-seconds", type=float, default=_USUAL.seconds, metavar="S", help="of an episode")
    parser.add_argument(
        "--store",
        type=Path,
        metavar="FILE",
        help="the run store (default runs/DOMAIN-AGENT.db, or runs/SUITE-AGENT.db)",
    )
    parser.add_argument(
        "--fresh", action="store_true", help="begin the store anew; the run that it holds is kept in a file beside it"
    )


def _add_choice(parser: argparse.ArgumentParser) -> None:
    tasks = parser.add_argument_group("which tasks are played (default: all that the domains have)")
    add_tasks_file(tasks)
    tasks.add_argument("--task", metavar="ID,ID", help="these tasks")
    tasks.add_argument("-n", "--count", type=int, metavar="N", help="so many of each domain")
    tasks.add_argument(
        "--seed",
        type=int,
        default=1,
        metavar="S",
        help="of the choice of N tasks and of the order of episodes (default 1)",
    )
    tasks.add_argument("--split", choices=SPLITS, help="only tasks of this split")
    tasks.add_argument("--level", metavar="L,L", help="only tasks of these levels, 1 to 5")
