"""A rule: what a domain's people must keep to though no tool enforces it, declared with its prose; and a duty."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from runtime.domain.schema import Value

Function = TypeVar("Function", bound=Callable[..., bool])


@dataclass(frozen=True)
class Call:
    """A call that a rule judges; `item` is the value of the argument that `on` names, in a batch one of its values."""

    tool: str
    arguments: Mapping[str, Any]
    item: Value = None


@dataclass(frozen=True)
class RuleDeclaration:
    """What a rule says of itself: its code, the tools it is on, the tables it reads, tools left out, its numbers.

    `no_twin` says why no edit of one row lets it permit what it denies.
    """

    code: str
    on: Mapping[str, str | None]
    reads: tuple[str, ...]
    exempt: Mapping[str, str]
    numbers: Mapping[str, int]
    no_twin: str = ""


@dataclass(frozen=True)
class DutyDeclaration:
    """What a duty says of itself: its code, the tables it reads, its numbers."""

    code: str
    reads: tuple[str, ...]
    numbers: Mapping[str, int]


def rule(
    code: str,
    *,
    on: Mapping[str, str | None],
    reads: Sequence[str] = (),
    exempt: Mapping[str, str] | None = None,
    no_twin: str = "",
    **numbers: int,
) -> Callable[[Function], Function]:
    """Declare a function of a call, the present state and the start as a rule: whether the call is allowed.

    `on` names the tools, each with the argument whose value a refusal notes; where that is a list, each item is judged
    by itself. `exempt` names tools that could do the same and are not bound, each with the reason. Where no edit of one
    row lets the rule permit what it denies, `no_twin` says why. The docstring is the rule in words, with `{number}` for
    each of the numbers, which the function takes by their names.
    """

    def declare(function: Function) -> Function:
        declaration = RuleDeclaration(code, dict(on), tuple(reads), dict(exempt or {}), numbers, no_twin)
        function.__dict__["declaration"] = declaration
        return function

    return declare


def duty(code: str, *, reads: Sequence[str] = (), **numbers: int) -> Callable[[Function], Function]:
    """Declare a function of the start and the end as a duty: whether what had to be done was done."""

    def declare(function: Function) -> Function:
        function.__dict__["declaration"] = DutyDeclaration(code, tuple(reads), numbers)
        return function

    return declare


@dataclass(frozen=True)
class Rule:
    """A rule that guards calls; `prose` has its numbers filled in, and `on` is as it was declared."""

    code: str
    prose: str
    on: Mapping[str, str | None]
    exempt: Mapping[str, str]
    numbers: Mapping[str, int]
    reads: frozenset[str]
    reads_start: bool  # whether it looks at the start at all
    function: Callable[..., bool] = field(repr=False)
    writes: frozenset[str] = frozenset()
    no_twin: str = ""

    @property
    def label(self) -> str:
        """How messages name it."""
        return f"Rule {self.code!r}"

    @property
    def name(self) -> str:
        """What its statements are kept apart by."""
        return self.code

    def calls(self, tool: str, arguments: Mapping[str, Any]) -> Iterator[Call]:
        """The call as the rule judges it: once, or once for each item of a batch."""
        argument = self.on[tool]
        items = arguments.get(argument) if argument is not None else None
        for item in items if isinstance(items, list | tuple) else [items]:
            yield Call(tool, arguments, item)


@dataclass(frozen=True)
class Duty:
    """A duty, which is checked at the end; `prose` has its numbers filled in."""

    code: str
    prose: str
    numbers: Mapping[str, int]
    reads: frozenset[str]
    function: Callable[..., bool] = field(repr=False)
    reads_start: bool = True
    writes: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        """How messages name it."""
        return f"Duty {self.code!r}"

    @property
    def name(self) -> str:
        """What its statements are kept apart by."""
        return self.code


@dataclass(frozen=True)
class Rulebook:
    """The rules and duties of a domain, in the order of its `rules.py`; both are empty where it has none."""

    rules: tuple[Rule, ...] = ()
    duties: tuple[Duty, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.rules or self.duties)

    def beside(self, rules: Sequence[Rule]) -> Rulebook:
        """The same with other rules before its own, except those whose code it has itself."""
        return Rulebook((*(each for each in rules if each.code not in self.codes), *self.rules), self.duties)

    @property
    def codes(self) -> list[str]:
        """The codes of rules and duties."""
        return [*(each.code for each in self.rules), *(each.code for each in self.duties)]

    def on(self, tool: str) -> list[Rule]:
        """The rules that guard calls of a tool."""
        return [each for each in self.rules if tool in each.on]
