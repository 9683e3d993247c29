"""How a command is declared: a table of its options above the function that runs it; and options of several."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from runtime.commands.output import Result
from runtime.errors import UsageError
from runtime.verification.verdict import REWARD_KINDS

Part: TypeAlias = Callable[[Any], object]
"""Adds an option, or several, to a parser or to a group of one."""
Run: TypeAlias = Callable[[argparse.Namespace], "int | Result"]
"""Runs a command: returns its exit status, or its result, which is then printed."""


@dataclass(frozen=True)
class Command:
    """A command as its parser and `docs/commands.md` need it: a description, its options, and what runs it."""

    description: str
    parts: tuple[Part, ...]
    run: Run


REGISTRY: dict[str, Command] = {}
"""Commands by name, those with a verb by both words, of the modules imported so far."""


def command(name: str, description: str, *parts: Part) -> Callable[[Run], Run]:
    """Register the function below as a command."""

    def register(run: Run) -> Run:
        REGISTRY[name] = Command(description, parts, run)
        return run

    return register


def option(*names: str, within: tuple[float, float] | None = None, above: float | None = None, **about: Any) -> Part:
    """Declare an option or an argument, as argparse takes it, with the numbers that it may be."""
    if within is not None or above is not None:
        about |= {"action": _Bounded, "within": within, "above": above}
    return lambda parser: parser.add_argument(*names, **about)


def flag(name: str, said: str) -> Part:
    """Declare an option without a value."""
    return option(name, action="store_true", help=said)


def text_option(name: str, metavar: str, said: str, default: str | None = None) -> Part:
    """Declare an option with a value that is not a number."""
    return option(name, metavar=metavar, default=default, help=said)


def path_option(name: str, metavar: str, said: str, **about: Any) -> Part:
    """Declare an option that names a file or a folder."""
    return option(name, type=Path, metavar=metavar, help=said, **about)


def list_option(name: str, metavar: str, said: str) -> Part:
    """Declare an option that can be given several times."""
    return option(name, action="append", default=[], metavar=metavar, help=f"{said} (repeatable)")


def int_option(*names: str, said: str, within: tuple[float, float], default: int | None = None, **about: Any) -> Part:
    """Declare an option with a whole number from one to another."""
    usual = "" if default is None else f" (default {default:,})"
    return option(*names, type=int, within=within, default=default, help=said + usual, **{"metavar": "N", **about})


def group(title: str, *parts: Part) -> Part:
    """Declare options that belong together under a title."""

    def add(parser: Any) -> None:
        own = parser.add_argument_group(title)
        for part in parts:
            part(own)

    return add


def one_of(*parts: Part) -> Part:
    """Declare options of which at most one can be given."""

    def add(parser: Any) -> None:
        own = parser.add_mutually_exclusive_group()
        for part in parts:
            part(own)

    return add


class _Bounded(argparse.Action):
    """Refuses a number out of bounds in one sentence."""

    def __init__(self, *, within: tuple[float, float] | None, above: float | None, **about: Any) -> None:
        super().__init__(**about)
        self._within, self._above = within, above

    def __call__(self, parser: object, namespace: argparse.Namespace, value: Any, option_string: object = None) -> None:
        name = self.option_strings[0]
        if self._within is not None and not self._within[0] <= value <= self._within[1]:
            least, most = self._within
            raise UsageError(f"{name} is {value:g}; it is a number from {least:,} to {most:,}.")
        if self._above is not None and not value > self._above:
            raise UsageError(f"{name} is {value:g}; it is a number above {self._above:g}.")
        setattr(namespace, self.dest, value)


AGENTS = "reference, careful, blind, idle, random, parrot, claimer, anthropic:MODEL, openai:MODEL, command:PROGRAM"
SPLITS = ("train", "held_out")
POLICIES = ("prompt", "handbook")

JSON = flag("--json", "print the result as JSON")
DOMAIN = option("domain", help="name or path of a domain")
DOMAINS = option("domain", nargs="+", help="name or path of a domain")
STORE = path_option("store", "STORE", "the run store that `worldsmith eval` wrote")
TASKS = path_option("--tasks", "FILE", "take tasks from this file, or set of the domain (expert), not its tasks.jsonl")


def policy(told: str) -> Part:
    """Declare how an agent has the policy: "prompt", "handbook", or none, which is empty."""
    return one_of(
        option(
            "--policy",
            choices=POLICIES,
            default=POLICIES[0],
            help=f"{told}; as a handbook, rules and duties are articles to search (default {POLICIES[0]})",
        ),
        option("--no-policy", dest="policy", action="store_const", const="", help="leave the policy out"),
    )


PRICE = list_option(
    "--price", "MODEL=IN,OUT", "price of a model without a list price: dollars per million tokens in and out"
)


def reward(default: str | None) -> Part:
    """Declare `--reward`; without a default it is the one that the run was scored by."""
    return option(
        "--reward",
        choices=REWARD_KINDS,
        default=default,
        help="what is rewarded: a right final state that was reached without breaking a rule, or the final state alone "
        f"(default {default or 'as the run was scored'})",
    )
