"""`worldsmith rescore`: judge the kept final states of a run again."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from runtime.commands.reward_option import add_reward
from runtime.commands.task_file import add_tasks_file
from runtime.terminal import print_lines


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "rescore",
        help="judge a run's final states again and list every verdict that flips (asks a model only as --matcher)",
        description="Judge every final state that a run kept by the present code, domain and tasks. The store is not "
        "changed. Exit 0: every verdict is as it was; exit 1: one flipped, or could not be given.",
    )
    parser.add_argument("store", type=Path, metavar="STORE", help="the store of a run")
    parser.add_argument(
        "--domain",
        action="append",
        default=[],
        metavar="DOMAIN",
        help="name or path of a domain of the run (default: the one that has its name here; repeatable)",
    )
    parser.add_argument("--suite", metavar="FILE", help="take the domains of the run from this suite")
    add_tasks_file(parser)
    add_reward(parser, None)
    parser.add_argument(
        "--matcher",
        metavar="M",
        help="judge texts by what they say: facts, anthropic:MODEL, openai:MODEL, relay:DIR (default: as the run did)",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the flips; 1 if there are any."""
    from runtime.domain.find import find_domain
    from runtime.harness.evaluation.rescore import describe, rescore
    from runtime.harness.evaluation.store import read_run
    from runtime.suites.members import find_member
    from runtime.suites.suite import read_suite

    kept = read_run(arguments.store)
    domains = list(map(find_domain, arguments.domain))
    if arguments.suite is not None:
        suite = read_suite(arguments.suite)
        domains += [find_member(suite, name) for name in suite.members if name in kept.domains]
    rescored = rescore(kept, arguments.tasks, domains, arguments.reward, arguments.matcher)
    if arguments.json:
        print(json.dumps(rescored.as_json(), ensure_ascii=False, indent=2))
    else:
        print_lines(describe(rescored))
    return 1 if rescored.flips or rescored.unjudged else 0
