"""What the user hears in a message of the assistant, and which facts of its wishes the message leaves out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from runtime.task.user import KnownFact

Kind = Literal["question", "proposal", "report", "refusal", "other"]
"""What a message is to the user. A proposal asks permission for something; a report says that something is so."""


@dataclass(frozen=True)
class LeftOut:
    """Facts of the present wishes: those that a message does not hold, for which of them it has something else, those
    that no message held since the wishes were said, and of these what a plan may have under another name.

    `beside`: the message has no word of the wishes at all; `unheard`: nor has any message since they were said.
    """

    unsaid: tuple[KnownFact, ...] = ()
    differing: tuple[KnownFact, ...] = ()
    never_said: tuple[KnownFact, ...] = ()
    doubtful: tuple[KnownFact, ...] = ()
    beside: bool = False
    unheard: bool = False


@dataclass(frozen=True)
class Heard:
    """What the assistant's message was read as: its kind, the facts it asks for, by name, whether a proposal fits.

    `about` are earlier wishes that a question speaks of. `plans`: it asks leave, or tells of what it is about to do;
    `requests`: the user is to do something; `asks`: it asks something; `adds`: it speaks of something besides;
    `strays`: what it proposes has words that are not the user's; `corrects`: it sets right what the user believes.
    `offers`: once the wishes are seen to, it asks what else to do, not whether what was done is right. `closes`: it
    also asks whether there is anything else; `refuses`: it also says that something is not possible. A proposal fits
    if it holds every fact of the wish that was told, and nothing that contradicts or goes beyond it. What it leaves
    out is found by `compare`, once and only where a move depends on it, since that takes the longest.
    """

    kind: Kind
    asked: tuple[str, ...] = ()
    fits: bool = False
    offers: bool = False
    closes: bool = False
    refuses: bool = False
    plans: bool = False
    requests: bool = False
    asks: bool = False
    adds: bool = False
    strays: bool = False
    corrects: bool = False
    about: tuple[int, ...] = ()
    compare: Callable[[], LeftOut] = field(default=LeftOut, compare=False, repr=False)

    @property
    def unsaid(self) -> tuple[KnownFact, ...]:
        """The facts of the present wishes that the message does not hold."""
        return self._left_out.unsaid

    @property
    def differing(self) -> tuple[KnownFact, ...]:
        """Those of them for which it has something else."""
        return self._left_out.differing

    @property
    def never_said(self) -> tuple[KnownFact, ...]:
        """The facts that no message held since the present wishes were said."""
        return self._left_out.never_said

    @property
    def doubtful(self) -> tuple[KnownFact, ...]:
        """Those of them that it may have under another name."""
        return self._left_out.doubtful

    @property
    def beside(self) -> bool:
        """Whether the message has no word of the present wishes."""
        return self._left_out.beside

    @property
    def unheard(self) -> bool:
        """Whether no message had one since they were said."""
        return self._left_out.unheard

    @cached_property
    def _left_out(self) -> LeftOut:
        return self.compare()
