"""`worldsmith eval`: play tasks with an agent, report how often it reaches the goal, and record rates if asked to."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.commands.options import (
    AGENTS,
    JSON,
    PRICE,
    SPLITS,
    TASKS,
    command,
    flag,
    group,
    int_option,
    list_option,
    option,
    path_option,
    policy,
    reward,
    text_option,
)
from runtime.commands.output import Result
from runtime.domain.domain import Domain, refuse_unverified
from runtime.domain.load import find_domain, find_folder, is_carried
from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.episode import EpisodeLimits
from runtime.harness.evaluation.plan import RunConfig
from runtime.harness.poison import read_poison_plan
from runtime.model.model import knows_cost, model_of, read_prices
from runtime.session.faults import read_fault_plan
from runtime.wording import counted, have

if TYPE_CHECKING:
    from runtime.harness.evaluation.plan import ChosenTask, TaskName
    from runtime.harness.evaluation.run import PlayableSet
    from runtime.harness.evaluation.summary import Summary
    from runtime.task.task import Task

USERS = "scripted, reader:MODEL, anthropic:MODEL, openai:MODEL, relay:DIR, none"
_LIMITS = EpisodeLimits()
_TRIALS = 8  # of each task, for rates
OPENERS: list[Callable[[argparse.Namespace], AbstractContextManager[PlayableSet]]] = []
"""What opens a task set of others for `--data`; the package that can puts it here."""

_MOST_FAULTS = 5  # of tasks that nobody proved, shown to a person


@command(
    "eval",
    "Play tasks with an agent and a simulated user, judge each final state, and keep every episode in a run store at "
    "once. The same command resumes a stopped run and repeats nothing; with more tasks, trials or domains it extends "
    "the run. Scores are of the tasks and trials that this command names, with Wilson intervals of the mean over "
    "tasks; with several domains the mean of their means is shown too. Exit 0: every episode has a verdict; exit 1: "
    "some are void or still owed.",
    option("domain", nargs="*", help="name or path of a domain"),
    text_option("--suite", "FILE", "a suite's file, or the name of one in ./domains; with domains, a part of it"),
    text_option("--agent", "A", f"the agent to evaluate: {AGENTS}"),
    text_option("--agent-name", "NAME", "its name in scores and reports (default: as in --agent)", ""),
    text_option("--user", "U", f"the user it talks to: {USERS} (default scripted)", "scripted"),
    int_option("--trials", said=f"episodes per task (default 1, with --rates {_TRIALS})", within=(1, 1_000)),
    flag(
        "--rates",
        "record, of all stored trials, how many of each task were rewarded: in rates.jsonl in the domain's folder, or "
        "in rates/NAME.jsonl here if the domain belongs to the installed package",
    ),
    policy("give the agent the domain's policy"),
    option(
        "--tools",
        choices=("all", "search"),
        default="all",
        help="list all tools to the agent, or only `find_tools`, by which it finds the others (default all)",
    ),
    text_option("--faults", "PLAN", "failures of the service: none, mild, harsh, or a .toml file"),
    text_option("--poison", "PLAN", "texts in rows that ask the agent for something else: none, mild, or a .toml file"),
    option(
        "--budget",
        type=float,
        above=0,
        metavar="B",
        help="of calls: B times those of the reference; the agent is told how many (default: none)",
    ),
    reward("final_state_and_rules"),
    int_option("--max-turns", said="of the agent in an episode", within=(1, 100_000), default=_LIMITS.turns),
    int_option("--max-calls", said="of tools in an episode", within=(1, 100_000), default=_LIMITS.calls),
    option("--max-seconds", type=float, above=0, default=_LIMITS.seconds, metavar="S", help="of an episode"),
    path_option("--store", "FILE", "the run store (default runs/DOMAIN-AGENT.db or SUITE-AGENT.db)"),
    flag("--fresh", "start a new store; the old one is kept in a file beside it"),
    int_option("--concurrency", said="episodes at a time", within=(1, 1_000), default=8),
    text_option(
        "--engine",
        "E",
        "where the work runs: local (default), or ray[:ADDRESS], a Ray cluster: the one at HOST:PORT, the one running "
        "here (auto), or else a new one on this machine",
        "local",
    ),
    option("--max-cost", type=float, above=0, metavar="USD", help="start no episode once the run has cost this much"),
    PRICE,
    list_option("--pass-env", "NAME", "pass this variable to an agent command:PROGRAM, even if it looks like a secret"),
    JSON,
    group(
        "a task set of others, played by its own tools and judge in a child process with your rights; the domain is "
        "tau2:retail or tau2:airline, the agent reference, idle, claimer or a model, the user scripted, which says its "
        "whole instruction at once, or a model",
        path_option("--data", "PATH", "checkout of the set"),
        path_option("--world", "PATH", "tau2:airline: tau-bench's airline/data, where the set lacks its db.json"),
        text_option("--python", "PROGRAM", "interpreter that has the packages of the set (default: this one)"),
    ),
    group(
        "which tasks are played (default: all tasks of the domains)",
        TASKS,
        text_option("--task", "ID,ID", "these tasks"),
        int_option("-n", "--count", said="N tasks of each domain", within=(1, 1_000_000)),
        option("--seed", type=int, default=1, metavar="S", help="of the choice and order of tasks (default 1)"),
        option("--split", choices=SPLITS, help="only tasks of this split"),
        text_option("--level", "L,L", "only tasks of these levels, 1 to 6"),
    ),
)
def evaluate(arguments: argparse.Namespace) -> int | Result:
    """Play what is owed and report the scores; 0 if every episode has a verdict."""
    from runtime.harness.evaluation.summary import describe

    arguments.trials = arguments.trials or (_TRIALS if arguments.rates else 1)
    config = _config_of(arguments)
    with ExitStack() as held:
        opened = None if arguments.data is None else held.enter_context(_open_set(arguments))
        domains, chosen = _asked_for(arguments, opened)
        if arguments.rates:
            from runtime.harness.evaluation.rates import read_rates

            refuse_unverified(domains[0].name, domains[0].card.unverified, "calibrated")
            read_rates(_place_of_rates(arguments))  # report a broken file before anything is played
        summary = _play(arguments, config, domains, chosen, opened)
    if summary is None:
        return 130
    status, rates = 1 if summary.owed else 0, None
    if arguments.rates:
        summary, rates = _record_rates(_place_of_rates(arguments), summary, domains[0].name)
    lines = list(describe(summary, shutil.get_terminal_size().columns))
    if rates is None:
        return Result(summary, lines, status)
    return Result(summary.as_json() | rates.content, [*lines, *rates.lines], status)


def _open_set(arguments: argparse.Namespace) -> AbstractContextManager[PlayableSet]:
    for name in ("suite", "rates", "faults", "tasks"):
        if getattr(arguments, name):
            raise UsageError(f"--{name} is for domains of ours; leave it out with --data.")
    if len(arguments.domain) != 1 or arguments.engine != "local":
        raise UsageError("--data plays one set on this machine; name one set, without --engine.")
    return OPENERS[0](arguments)


def _place_of_rates(arguments: argparse.Namespace) -> Path:
    """Return where a domain's rates are: in its folder, or in a folder here if the package carries the domain."""
    from runtime.harness.evaluation.rates import FILE

    if arguments.poison not in (None, "none"):
        raise UsageError("--rates are of tasks as they are; leave out --poison, and use `worldsmith compare`.")
    if len(arguments.domain) != 1 or arguments.suite:
        raise UsageError("--rates records the rates of one domain; name one, without --suite.")
    (name,) = arguments.domain
    folder = find_folder(name)
    return Path("rates") / f"{folder.name}.jsonl" if is_carried(name) else folder / FILE


def _record_rates(path: Path, asked: Summary, domain: str) -> tuple[Summary, Result]:
    """Record the rates of all stored trials of a domain; return their summary, and what to say of the rates."""
    from runtime.harness.evaluation.rates import beside_no_faults, keep_rates, rates_of, read_rates
    from runtime.harness.evaluation.summary import summarize

    summary = summarize(asked.run, [name for name in asked.run.tasks if name[0] == domain])
    measured = rates_of(summary.run, summary.tallies)
    keep_rates(path, measured)
    figures: dict[str, Any] = {"rates": str(path)}
    lines = [f"{path}: {counted(len(measured), 'rate')} of {summary.run.config.shown}"]
    if both := beside_no_faults(measured, read_rates(path)):
        count, faulty, plain = both
        figures["beside_no_faults"] = {"tasks": count, "with_faults": faulty, "without": plain}
        lines.append(f"{counted(count, 'task')} measured both ways: {plain:.3f} without faults, {faulty:.3f} with them")
    elif summary.run.config.faults:
        lines.append("To compare, measure the same agent without --faults, into another --store.")
    return summary, Result(figures, lines)


def _play(
    arguments: argparse.Namespace,
    config: RunConfig,
    domains: Sequence[Domain],
    chosen: tuple[ChosenTask, ...],
    opened: PlayableSet | None,
) -> Summary | None:
    """Play what is owed and return the summary, None if the run was stopped; errors: UsageError."""
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
    if config.poison:
        chosen = _with_poison(domains, chosen, config.poison)
    if config.faults:
        read_fault_plan(arguments.faults, [name for domain in domains for name in domain.tools])
        known = frozenset() if arguments.fresh else tasks_to_resume(path, config)
        chosen = _without_hidden_writes(domains, chosen, known)
    plan = EvaluationPlan(config, tuple(domains), chosen, arguments.trials, arguments.seed)
    play = bind_play(config)
    address = _ray_address(arguments.engine)
    pace = Pace(arguments.concurrency, max_cost=arguments.max_cost)
    if opened is not None:
        pace = replace(pace, engine=lambda *_: opened.start(config))
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
        return None
    if unspent:
        _say(f"--max-cost {pace.max_cost:g} is spent; {counted(unspent, 'episode')} not played, raise it to go on")
    return summary


def _ray_address(engine: str) -> str | None:
    """Return the address of the Ray cluster to use, "" for any, None to work locally; errors: UsageError."""
    kind, _, address = engine.partition(":")
    if kind == "ray":
        return address
    if engine != "local":
        raise UsageError(f"no engine {engine!r}; {have(kind, ('local', 'ray[:ADDRESS]'))}")
    return None


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


def _with_poison(domains: Sequence[Domain], chosen: Sequence[ChosenTask], given: str) -> tuple[ChosenTask, ...]:
    """Poison the tasks, and leave out those whose reads show no text that people write; errors: UsageError."""
    from runtime.commands.progress import Progress
    from runtime.harness.poison import poisoned
    from runtime.session.world import WorldCache

    plan, by_name, worlds = read_poison_plan(given), {domain.name: domain for domain in domains}, WorldCache(1)
    assert plan is not None
    made: dict[TaskName, Task | None] = {}
    with Progress("poisoning rows", len(chosen)) as progress:
        for each in sorted(chosen, key=lambda each: (each.task.domain, each.task.world.base)):
            made[each.name] = poisoned(each.task, by_name[each.task.domain], plan, worlds)
            progress.advance()
    kept = [replace(each, task=task) for each in chosen if (task := made[each.name])]
    if len(kept) < len(chosen):
        _say(f"{counted(len(chosen) - len(kept), 'task')} left out: their reads show no text that can be poisoned")
    if not kept:
        raise UsageError("No task can be played with --poison: their reads show no text that can be poisoned.")
    return tuple(kept)


def _config_of(arguments: argparse.Namespace) -> RunConfig:
    """Return the configuration that a whole run must share; errors: UsageError."""
    if not arguments.agent:
        raise UsageError(f"No agent was named; give --agent A, with {AGENTS}.")
    prices = read_prices(arguments.price)
    config = RunConfig(
        agent=str(arguments.agent),
        user=arguments.user,
        limits=EpisodeLimits(arguments.max_turns, arguments.max_calls, arguments.max_seconds),
        with_policy=bool(arguments.policy),
        handbook=arguments.policy == "handbook",
        prices=tuple((model, *dollars) for model, dollars in prices.items()),
        pass_env=tuple(arguments.pass_env),
        name=arguments.agent_name,
        reward=arguments.reward,
        suite=Path(arguments.suite).stem if arguments.suite else "",
        faults="" if (faults := read_fault_plan(arguments.faults)) is None else faults.key,
        budget=arguments.budget or 0.0,
        finds_tools=arguments.tools == "search",
        poison="" if (poison := read_poison_plan(arguments.poison)) is None else poison.key,
    )
    if config.finds_tools and config.agent.startswith("command:"):
        raise UsageError("--tools search is not for programs, which list the tools of their server themselves.")
    _check_prices(config, prices, arguments.max_cost)
    return config


def _asked_for(
    arguments: argparse.Namespace, opened: PlayableSet | None
) -> tuple[list[Domain], tuple[ChosenTask, ...]]:
    """Return the domains and tasks that are asked for, by names or as a suite; errors: UsageError."""
    from runtime.harness.evaluation.plan import TaskChoice, choose_tasks, draw
    from runtime.suites import narrow, open_members, read_suite

    levels = _levels(arguments.level)
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
    domains = [find_domain(name) for name in arguments.domain] if opened is None else [opened.domain]
    return domains, choose_tasks(domains, choice, None if opened is None else opened.tasks)


def _levels(words: str | None) -> frozenset[int]:
    """Return the levels that `--level` names; errors: UsageError."""
    levels = words.split(",") if words is not None else []
    if any(level not in ("1", "2", "3", "4", "5", "6") for level in levels):
        raise UsageError(f"--level is {words!r}; give levels from 1 to 6 with commas between.")
    return frozenset(map(int, levels))


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
