"""`worldsmith eval` and `worldsmith calibrate`: play tasks with an agent, and report how often it reaches the goal."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.commands.options import AGENTS, add_evaluation_options, levels_of, ray_address
from runtime.commands.output import print_result
from runtime.domain.domain import Domain
from runtime.domain.load import find_domain, find_folder, is_carried
from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.episode import EpisodeLimits
from runtime.harness.evaluation.plan import RunConfig
from runtime.model.model import knows_cost, model_of, read_prices
from runtime.session.faults import read_fault_plan
from runtime.wording import counted, have

if TYPE_CHECKING:
    from runtime.harness.evaluation.plan import ChosenTask, TaskName
    from runtime.harness.evaluation.summary import Summary
    from runtime.task.task import Task

_MOST_FAULTS = 5  # of tasks that nobody proved, shown to a person
_MOST = {  # the largest value of each option
    "trials": 1_000,
    "concurrency": 1_000,
    "processes": 256,
    "max_turns": 100_000,
    "max_calls": 100_000,
    "max_seconds": 1_000_000,
}


def add_eval(commands: Any) -> None:
    """Add `worldsmith eval`."""
    parser = commands.add_parser(
        "eval",
        description="Play tasks with an agent and a simulated user, judge each final state, and keep every episode in "
        "a run store at once. The same command resumes a stopped run and repeats nothing; with more tasks, trials or "
        "domains it extends the run. Scores are of the tasks and trials that this command names, with Wilson intervals "
        "of the mean over tasks; with several domains the mean of their means is shown too. "
        "Exit 0: every episode has a verdict; exit 1: some are void or still owed.",
    )
    parser.add_argument("domain", nargs="*", help="name or path of a domain")
    parser.add_argument(
        "--suite",
        metavar="FILE",
        help="play the tasks of a suite, or of the named domains of it: a file, or the name of one in ./domains",
    )
    add_evaluation_options(parser)
    parser.add_argument("--json", action="store_true", help="print the scores as JSON")
    parser.set_defaults(run=run_eval)


def run_eval(arguments: argparse.Namespace) -> int:
    """Play what is owed and print the scores; 0 if every episode has a verdict."""

    def print_scores(summary: Summary) -> None:
        from runtime.harness.evaluation.summary import describe

        print_result(arguments, summary, describe(summary, shutil.get_terminal_size().columns))

    return _play(arguments, print_scores)


def add_calibrate(commands: Any) -> None:
    """Add `worldsmith calibrate`."""
    parser = commands.add_parser(
        "calibrate",
        description="Play tasks as `worldsmith eval` does, into the same store, and record for each how many trials "
        "had a verdict and how many were rewarded, in rates.jsonl in the domain's folder, or in rates/NAME.jsonl here "
        "if the domain belongs to the installed package. Prints the scores of all stored trials, by level and form, "
        "and how many groups of 8 trials would be mixed.",
    )
    parser.add_argument("domain", nargs=1, help="name or path of a domain")
    add_evaluation_options(parser, trials=8)
    parser.add_argument("--rates", type=Path, metavar="FILE", help="record the rates in this file instead")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.set_defaults(run=run_calibrate, suite=None)


def run_calibrate(arguments: argparse.Namespace) -> int:
    """Play what is owed, record the rates and print them; 0 if every episode has a verdict."""
    from runtime.harness.evaluation.rates import read_rates

    path = place_of_rates(arguments.domain[0]) if arguments.rates is None else arguments.rates
    read_rates(path)  # report a broken file before anything is played
    return _play(arguments, lambda summary: _record_rates(arguments, path, summary))


def place_of_rates(name: str) -> Path:
    """Return where a domain's rates are: in its folder, or in a folder here if the package carries the domain."""
    from runtime.harness.evaluation.rates import FILE

    folder = find_folder(name)
    return Path("rates") / f"{folder.name}.jsonl" if is_carried(name) else folder / FILE


def _record_rates(arguments: argparse.Namespace, path: Path, asked: Summary) -> None:
    from runtime.harness.evaluation.rates import beside_no_faults, keep_rates, rates_of, read_rates
    from runtime.harness.evaluation.summary import describe, summarize

    domain = find_folder(arguments.domain[0]).name
    summary = summarize(asked.run, [name for name in asked.run.tasks if name[0] == domain])  # all of its trials
    measured = rates_of(summary.run, summary.tallies)
    keep_rates(path, measured)
    rates = f"{path}: {counted(len(measured), 'rate')} of {summary.run.config.shown}"
    lines = [*describe(summary, shutil.get_terminal_size().columns), rates]
    figures = {**summary.as_json(), "rates": str(path)}
    if both := beside_no_faults(measured, read_rates(path)):
        count, faulty, plain = both
        figures["beside_no_faults"] = {"tasks": count, "with_faults": faulty, "without": plain}
        lines.append(f"{counted(count, 'task')} measured both ways: {plain:.3f} without faults, {faulty:.3f} with them")
    elif summary.run.config.faults:
        lines.append("To compare, measure the same agent without --faults, into another --store.")
    print_result(arguments, figures, lines)


def _play(arguments: argparse.Namespace, report: Callable[[Summary], None]) -> int:
    """Play what is owed, and report the summary unless the run was stopped; 0 if every episode has a verdict.

    Errors: UsageError.
    """
    config = _config_of(arguments)
    domains, chosen = _asked_for(arguments)
    _warn_of_unproven(domains, [each.task for each in chosen if not each.task.proofs.keys() - {"unverified"}])
    from runtime.commands.progress import EvaluationProgress
    from runtime.harness.evaluation.plan import EvaluationPlan
    from runtime.harness.evaluation.run import Pace, bind_play, evaluate
    from runtime.harness.evaluation.store import (
        default_store,
        hold_store,
        prepare_store,
        read_run,
        set_aside,
        tasks_to_resume,
    )
    from runtime.harness.evaluation.summary import summarize

    played = config.suite or "+".join(domain.name for domain in domains)
    path: Path = arguments.store or default_store(played, config.agent)
    if config.faults:
        read_fault_plan(arguments.faults, [name for domain in domains for name in domain.tools])
        known = frozenset() if arguments.fresh else tasks_to_resume(path, config)
        chosen = _without_hidden_writes(domains, chosen, known)
    plan = EvaluationPlan(config, tuple(domains), chosen, arguments.trials, arguments.seed)
    play = bind_play(config)
    address = ray_address(arguments)
    pace = Pace(arguments.concurrency, arguments.processes, arguments.max_cost)
    unspent: int | None = None  # episodes that --max-cost left unplayed
    with ExitStack() as held:
        held.enter_context(hold_store(path))
        if address is not None:
            from runtime.cluster import check_playable, joined, start_on

            check_playable(config)
            pace = replace(pace, engine=partial(start_on, held.enter_context(joined(address))))
        aside = set_aside(path) if arguments.fresh else None
        if aside is not None:
            _say(f"--fresh: the old run of {path} is now in {aside}")
        kept = prepare_store(path, plan)
        episodes, owed = counted(plan.episodes, "episode"), plan.episodes - len(kept.done)
        _say(f"{counted(len(plan.tasks), 'task')}, {episodes}, {owed} owed; store: {path}")
        try:
            with EvaluationProgress(plan.episodes, kept) as progress:
                unspent = asyncio.run(evaluate(plan, path, kept, pace, progress.finished, play))
        except KeyboardInterrupt:
            pass
    summary = summarize(read_run(path), [task.name for task in plan.tasks], plan.trials)
    if unspent is None:
        held_now = summary.scores.episodes - summary.scores.void
        _say(f"stopped: kept {held_now} of {episodes} in {path}; the same command plays the rest")
        return 130
    if unspent:
        _say(f"--max-cost {pace.max_cost:g} is spent; {counted(unspent, 'episode')} not played, raise it to go on")
    report(summary)
    return 1 if summary.owed else 0


def _warn_of_unproven(domains: Sequence[Domain], tasks: Sequence[Task]) -> None:
    """Print what is wrong with tasks that carry no proofs."""
    from runtime.session.world import WorldCache
    from runtime.task.task import start_world
    from runtime.task.unproven import faults_of_unproven

    by_name, worlds = {domain.name: domain for domain in domains}, WorldCache(1)
    faults: list[str] = []
    for task in sorted(tasks, key=lambda task: (task.domain, task.world.base)):
        domain = by_name[task.domain]
        try:
            found = list(faults_of_unproven(task, domain, start_world(task, domain, worlds)))
        except (UsageError, EnvironmentFault) as error:
            found = [f"cannot be judged: {error}"]
        faults += [f"task {task.id!r} {fault}" for fault in found]
    for fault in faults[:_MOST_FAULTS]:
        _say(f"warning: {fault}")
    if faults:
        more = f"{len(faults) - _MOST_FAULTS} more; " if len(faults) > _MOST_FAULTS else ""
        _say(f"{more}`worldsmith check DOMAIN --tasks FILE` proves a file of tasks in full")


def _without_hidden_writes(
    domains: Sequence[Domain], chosen: Sequence[ChosenTask], known: Collection[TaskName]
) -> tuple[ChosenTask, ...]:
    """Leave out tasks with a write of which nothing tells, after a timeout, whether it happened; errors: UsageError.

    Tasks that are `known` have none: they are in the run already.
    """
    from runtime.commands.progress import Progress
    from runtime.harness.agents.careful import hidden_writes
    from runtime.session.world import WorldCache

    by_name, worlds = {domain.name: domain for domain in domains}, WorldCache(1)
    hidden: dict[TaskName, set[str]] = {}
    new = sorted((each for each in chosen if each.name not in known), key=lambda each: each.task.world.base)
    with Progress("looking for writes that nothing shows", len(new)) as progress:
        for each in new:
            hidden[each.name] = hidden_writes(each.task, by_name[each.task.domain], worlds)
            progress.advance()
    kept = [each for each in chosen if not hidden.get(each.name)]
    if len(kept) < len(chosen):
        left_out = counted(len(chosen) - len(kept), "task")
        tools = ", ".join(sorted(set().union(*hidden.values())))
        _say(f"{left_out} left out: after a timeout nothing tells whether {tools} went through")
    if not kept:
        raise UsageError("No task can be played with --faults: after a timeout nothing tells what went through.")
    return tuple(kept)


def _config_of(arguments: argparse.Namespace) -> RunConfig:
    """Return the configuration that a whole run must share; errors: UsageError."""
    for option, most in _MOST.items():
        value, least = getattr(arguments, option), 0 if option == "max_seconds" else 1
        if value is not None and not (least <= value <= most and value > 0):
            raise UsageError(f"--{option.replace('_', '-')} is {value:g}; it is a number from 1 to {most:,}.")
    if arguments.max_cost is not None and not arguments.max_cost > 0:
        raise UsageError(f"--max-cost is {arguments.max_cost:g}; give a number of dollars above 0.")
    if not arguments.agent:
        raise UsageError(f"No agent was named; give --agent A, with {AGENTS}.")
    prices = read_prices(arguments.price)
    config = RunConfig(
        agent=str(arguments.agent),
        user=arguments.user,
        limits=EpisodeLimits(arguments.max_turns, arguments.max_calls, arguments.max_seconds),
        with_policy=arguments.policy,
        prices=tuple((model, *dollars) for model, dollars in prices.items()),
        pass_env=tuple(arguments.pass_env),
        name=arguments.name or "",
        reward=arguments.reward,
        suite=Path(arguments.suite).stem if arguments.suite else "",
        faults="" if (faults := read_fault_plan(arguments.faults)) is None else faults.key,
    )
    _check_prices(config, prices, arguments.max_cost)
    return config


def _asked_for(arguments: argparse.Namespace) -> tuple[list[Domain], tuple[ChosenTask, ...]]:
    """Return the domains and tasks that are asked for, by names or as a suite; errors: UsageError."""
    from runtime.harness.evaluation.plan import TaskChoice, choose_tasks, draw
    from runtime.suites import narrow, open_members, read_suite

    levels = levels_of(arguments.level)
    if arguments.suite is not None:
        if arguments.task or arguments.tasks:
            raise UsageError("--suite names the tasks; leave out --task and --tasks, or play a part by -n or a domain.")
        suite = read_suite(arguments.suite)
        for name in arguments.domain:
            if name not in suite.members:
                raise UsageError(f"The suite {suite.name!r} has no domain {name!r}; {have(name, suite.members)}.")
        part = {name: each for name, each in suite.members.items() if name in (arguments.domain or suite.members)}
        members = narrow(open_members(replace(suite, members=part)), suite.name, arguments.split, levels)
        count, seed = arguments.count, arguments.seed
        if count is not None and count < 1:
            raise UsageError(f"-n is {count}; give a number of tasks of each domain from 1.")
        chosen = [each.tasks if count is None else draw(each.tasks, count, seed) for each in members]
        return [each.domain for each in members], tuple(task for tasks in chosen for task in tasks)
    if not arguments.domain:
        raise UsageError("No domain was named; name some, or give --suite FILE.")
    if arguments.task is not None and (arguments.count is not None or arguments.split or levels):
        raise UsageError("--task names the tasks; leave out -n, --split and --level, which choose among all.")
    ids = tuple(each.strip() for each in (arguments.task or "").split(",") if each.strip())
    if arguments.task is not None and not ids:
        raise UsageError(f"--task is {arguments.task!r}; give task ids with commas between.")
    choice = TaskChoice(arguments.tasks, ids, arguments.split, levels, arguments.count, arguments.seed)
    domains = [find_domain(name) for name in arguments.domain]
    return domains, choose_tasks(domains, choice)


def _check_prices(config: RunConfig, prices: Collection[str], max_cost: float | None) -> None:
    names = list(dict.fromkeys((config.agent, config.user.removeprefix("reader:"))))
    asked = list(filter(None, map(model_of, names)))
    for model in prices:
        if model not in asked:
            raise UsageError(f"--price names {model!r}, which neither agent nor user is; {have(model, asked)}.")
    for name in names if max_cost is not None else ():
        if name.startswith("command:"):
            raise UsageError(f"--max-cost does not work with {name}, whose spending is unknown; leave --max-cost out.")
        if not knows_cost(name, prices):
            raise UsageError(f"--max-cost cannot hold: {name} has no list price; give --price {model_of(name)}=IN,OUT.")


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
