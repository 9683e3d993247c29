"""`worldsmith eval`: run an agent over tasks, and say how often it reaches the goal."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.commands.engine import ray_address
from runtime.commands.evaluation_options import AGENTS, add_evaluation_options
from runtime.domain.domain import Domain
from runtime.domain.find import find_domain
from runtime.errors import UsageError
from runtime.harness.agents.program import digest_files
from runtime.harness.episode import EpisodeLimits
from runtime.harness.evaluation.config import RunConfig
from runtime.harness.transports.open import TRANSPORTS
from runtime.model.prices import knows_cost, model_of, read_prices
from runtime.terminal import print_lines
from runtime.wording import counted, have

if TYPE_CHECKING:
    from runtime.harness.evaluation.plan import ChosenTask, EvaluationPlan, TaskChoice
    from runtime.harness.evaluation.run import Engine, Pace, RunOutcome
    from runtime.harness.evaluation.summary import Summary
    from runtime.harness.evaluation.workers import Play
    from runtime.harness.evaluation.writer import Kept

_LONGEST_NAME = 100
_MOST_TRIALS, _MOST_AT_A_TIME, _MOST_PROCESSES = 1_000, 1_000, 256


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "eval",
        help="run an agent over tasks and score it (asks a model only if agent or user is one)",
        description="Play tasks with an agent and a simulated user, judge each final state, and keep every episode in "
        "a run store at once. The same command goes on where a stopped one was and repeats nothing; with more "
        "tasks, trials or domains it extends the run. Scores are of the tasks and trials that this command "
        "names, their intervals Wilson's, of the mean over tasks; of several domains the mean of their means stands "
        "beside it. "
        "Exit 0: every episode has a verdict; exit 1: some are void or still owed.",
    )
    parser.add_argument("domain", nargs="*", help="name or path of a domain")
    parser.add_argument(
        "--suite", metavar="FILE", help="play the tasks of a suite: a file, or the name of one in ./domains"
    )
    add_evaluation_options(parser)
    parser.add_argument("--json", action="store_true", help="print the scores as JSON")
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Play what is owed and print the scores; 0 if every episode has a verdict."""

    def print_scores(summary: Summary) -> None:
        from runtime.harness.evaluation.summary import describe

        if arguments.json:
            print(json.dumps(summary.as_json(), ensure_ascii=False, indent=2))
        else:
            print_lines(describe(summary, shutil.get_terminal_size().columns))

    return play_as_asked(arguments, print_scores)


def play_as_asked(arguments: argparse.Namespace, tell: Callable[[Summary], None]) -> int:
    """Play what is owed by the options of an evaluation, and let `tell` say what came of it unless it was stopped.

    0 if every episode has a verdict. Errors: UsageError.
    """
    config = config_of(arguments)
    prices = read_prices(arguments.price)
    _check_prices(config, prices, arguments.max_cost)
    domains, chosen = _asked_for(arguments)
    from runtime.harness.evaluation.plan import EvaluationPlan
    from runtime.harness.evaluation.run import Pace
    from runtime.harness.evaluation.workers import bind_play, hide_from_programs
    from runtime.harness.evaluation.writer import hold_store, prepare_store, set_aside, usual_store

    plan = EvaluationPlan(config, tuple(domains), chosen, arguments.trials, arguments.seed)
    played = config.suite or "+".join(domain.name for domain in domains)
    path: Path = arguments.store or usual_store(played, config.agent)
    if arguments.store is not None and not path.parent.is_dir():
        raise UsageError(f"--store {str(path)!r} cannot be written: there is no folder {str(path.parent)!r}.")
    play = bind_play(config)
    address = ray_address(arguments)
    if config.runs_program:
        hide_from_programs(path)
    pace = Pace(arguments.concurrency, arguments.processes, arguments.max_cost)
    with ExitStack() as held:
        held.enter_context(hold_store(path))
        if address is not None:
            pace = replace(pace, engine=held.enter_context(_join(address, config)))
        aside = set_aside(path) if arguments.fresh else None
        if aside is not None:
            _say(f"--fresh: the run that {path} held is in {aside} now")
        kept = prepare_store(path, plan)
        if kept.priced:
            _say(f"--price: {counted(kept.priced, 'episode')} that had no cost: it was reckoned from the tokens")
        elif prices and kept.cost is None:
            _say(
                "--price: what was played before it stays unpriced, as the tokens of agent and user are not kept apart"
            )
        return _play_and_report(plan, path, kept, pace, play, tell)


def config_of(arguments: argparse.Namespace) -> RunConfig:
    """What must be the same in all of the run that the options ask for; errors: UsageError."""
    _check_numbers(arguments)
    if arguments.transport not in TRANSPORTS:
        raise UsageError(f"no transport {arguments.transport!r}; {have(arguments.transport, TRANSPORTS)}")
    prices = read_prices(arguments.price)
    agent = _agent_of(arguments)
    config = RunConfig(
        agent=agent,
        user=arguments.user,
        transport=arguments.transport,
        limits=EpisodeLimits(arguments.max_turns, arguments.max_calls, arguments.max_seconds),
        with_policy=arguments.policy,
        prices=tuple((model, *dollars) for model, dollars in prices.items()),
        pass_env=tuple(arguments.pass_env),
        name=_name_of(arguments),
        program=digest_files(agent.partition(":")[2]) if agent.startswith("command:") else "",
        matcher=arguments.matcher or "",
        tasks_file=str(arguments.tasks or ""),
        reward=arguments.reward,
        suite=Path(arguments.suite).stem if arguments.suite else "",
    )
    _check_program(config)
    return config


def _asked_for(arguments: argparse.Namespace) -> tuple[list[Domain], tuple[ChosenTask, ...]]:
    """The domains and tasks that are asked for, by names or as a suite; errors: UsageError."""
    from runtime.harness.evaluation.plan import choose_tasks

    if arguments.suite is None:
        if not arguments.domain:
            raise UsageError("No domain was named; name some, or give --suite FILE.")
        domains = [find_domain(name) for name in arguments.domain]
        return domains, choose_tasks(domains, choice_of(arguments))
    from runtime.suites.members import narrow, open_members
    from runtime.suites.suite import read_suite

    if arguments.domain:
        raise UsageError(f"--suite names the domains, and so does {arguments.domain[0]!r}; give one or the other.")
    for option, value in (("--task", arguments.task), ("-n", arguments.count), ("--tasks", arguments.tasks)):
        if value is not None:
            raise UsageError(
                f"--suite says which tasks are played, and so does {option}; --split and --level narrow it."
            )
    suite = read_suite(arguments.suite)
    members = narrow(open_members(suite), suite.name, arguments.split, _levels_of(arguments.level))
    return [each.domain for each in members], tuple(task for each in members for task in each.tasks)


@contextmanager
def _join(address: str, config: RunConfig) -> Iterator[Engine]:
    """Take part in a Ray cluster; errors: UsageError if it cannot be joined, or cannot play this."""
    from functools import partial

    from runtime.cluster.episodes import check_playable, start_on
    from runtime.cluster.joined import joined

    check_playable(config)
    with joined(address) as cluster:
        yield partial(start_on, cluster)


def choice_of(arguments: argparse.Namespace) -> TaskChoice:
    """Which tasks are asked for; errors: UsageError."""
    from runtime.harness.evaluation.plan import TaskChoice

    file: Path | None = arguments.tasks
    if file is not None and not file.exists() and file.suffix != ".jsonl":
        right = f"-n {file} plays so many tasks" if str(file).isdecimal() else f"--task {file} plays tasks by their ids"
        raise UsageError(f"--tasks takes a file, and there is none named {str(file)!r}; {right}.")
    ids = tuple(each.strip() for each in (arguments.task or "").split(",") if each.strip())
    if arguments.task is not None and not ids:
        raise UsageError(f"--task is {arguments.task!r}; give task ids with commas between.")
    others = (("-n", arguments.count), ("--split", arguments.split), ("--level", arguments.level))
    given = [option for option, value in others if value is not None]
    if ids and given:
        raise UsageError(
            f"--task names the tasks, {' and '.join(given)} would choose among all; give one or the other."
        )
    return TaskChoice(file, ids, arguments.split, _levels_of(arguments.level), arguments.count, arguments.seed)


def _levels_of(words: str | None) -> frozenset[int]:
    if words is not None and not re.fullmatch(r"[1-5](,[1-5])*", words):
        raise UsageError(f"--level is {words!r}; give levels from 1 to 5 with commas between.")
    return frozenset(map(int, words.split(","))) if words else frozenset()


def _play_and_report(
    plan: EvaluationPlan, path: Path, kept: Kept, pace: Pace, play: Play, tell: Callable[[Summary], None]
) -> int:
    from runtime.commands.episodes_played import EvaluationProgress, FirstFailures
    from runtime.harness.evaluation.run import evaluate, say_warnings
    from runtime.harness.evaluation.store import read_run
    from runtime.harness.evaluation.summary import summarise

    episodes, owed = counted(plan.episodes, "episode"), plan.episodes - len(kept.done)
    _say(f"{counted(len(plan.tasks), 'task')}, {episodes}, {owed} owed; store: {path}")
    outcome: RunOutcome | None = None
    try:
        with EvaluationProgress(plan.episodes, kept) as progress, say_warnings(progress.said):
            outcome = asyncio.run(evaluate(plan, path, kept, pace, FirstFailures(progress).finished, play))
    except KeyboardInterrupt:
        pass
    names = [chosen.name for chosen in plan.tasks]
    summary = summarise(read_run(path), names, plan.trials)
    if outcome is None:
        held = summary.scores.episodes - summary.scores.void
        _say(f"stopped: kept {held} of {episodes} in {path}; the same command plays the rest")
        return 130
    if outcome.spent:
        _say(_describe_spending(summary, outcome, pace.max_cost or 0.0))
    tell(summary)
    return 1 if summary.owed else 0


def _describe_spending(summary: Summary, outcome: RunOutcome, most: float) -> str:
    still = counted(summary.owed, "episode")
    if summary.cost is None or outcome.dearest is None:
        return f"--max-cost: nobody knows what the run has cost, so no more is begun; {still} still owed"
    over = summary.cost - most
    passed = f" (${over:.4g} above it, as an episode cost more than any before)" if over > 0 else ""
    said = f"--max-cost: the run has cost ${summary.cost:.4g} of ${most:.4g}{passed}, and an episode up to"
    return f"{said} ${outcome.dearest:.4g}; {still} still owed, raise it to go on"


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


def _name_of(arguments: argparse.Namespace) -> str:
    name = str(arguments.name or "")
    if arguments.name is not None and (not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable()):
        raise UsageError(f"--name is {name!r:.80}; give a name of 1 to {_LONGEST_NAME} characters that can be printed.")
    return name


def _check_program(config: RunConfig) -> None:
    if config.pass_env and not config.runs_program:
        raise UsageError(f"--pass-env is for agents of the kind command:PROGRAM, not for {config.agent!r}.")
    if config.runs_program and config.transport == "stdio":
        raise UsageError(
            "--transport stdio keeps the world in a file that the agent's program could write; use another transport."
        )


def _check_prices(config: RunConfig, prices: Collection[str], max_cost: float | None) -> None:
    names = list(dict.fromkeys((config.agent, config.user.removeprefix("reader:"))))
    asked = list(dict.fromkeys(filter(None, map(model_of, names))))
    for model in prices:
        if model not in asked:
            raise UsageError(f"--price names {model!r}, which neither agent nor user is; {have(model, asked)}.")
    if max_cost is None:
        return
    for name in names:
        if name.startswith("command:"):
            raise UsageError(f"--max-cost cannot hold: what {name} spends, it alone knows; leave --max-cost out.")
        if not knows_cost(name, prices):
            raise UsageError(f"--max-cost cannot hold: {name} has no list price; give --price {model_of(name)}=IN,OUT.")


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
