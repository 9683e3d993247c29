"""One episode as a machine without input or output: it takes what was said and done, and says what must happen next.

The POMDP of the paper's section 3, in the order of its appendix E: the assistant greets, the user opens; then the
assistant calls tools or speaks, until the user is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Literal

from runtime.domain.handbook import READ, SEARCH
from runtime.errors import ModelFailed, UsageError
from runtime.harness.conversation import AssistantTurn, Message, ToolCall, UserReply
from runtime.session.ruling import ForbiddenCall
from runtime.verification.verdict import Violation
from runtime.wording import counted

Need = Literal["assistant", "tools", "user", "nothing"]
"""Whose turn it is; `nothing` when the episode is over."""

End = Literal["done", "gave_up", "out_of_turns", "out_of_calls", "out_of_time", "void"]
"""Why an episode is over. `done`: the user was, or, where nobody answers, the agent. `void`: a fault of ours."""

GREETING = "Hello, how can I help you?"
FIND = "find_tools"
"""The tool by which an agent finds the others, where these are not listed."""
_LOOKING_UP = frozenset({SEARCH, READ, FIND})


@dataclass(frozen=True)
class EpisodeLimits:
    """What ends an episode early."""

    turns: int = 100  # of the assistant
    calls: int = 200  # of tools
    seconds: float = 1800.0  # in all; the driver of the episode watches the clock


@dataclass(frozen=True)
class ToolAnswer:
    """The answer to a call: the text that the agent reads, and the kind of the service's fault that the call met."""

    text: str
    is_error: bool = False
    fault: str = ""
    broken: tuple[ForbiddenCall, ...] = ()  # by a call that went through, where the session judges

    @property
    def went_through(self) -> bool:
        """Whether the call was carried out, which its caller may not know."""
        return not self.is_error or self.fault == "timeout_after"


class Episode:
    """The conversation of one agent with one user about one task.

    `needs` says whose turn it is; the method of that name takes the turn. `messages` is the whole conversation.
    """

    def __init__(
        self, system: str, limits: EpisodeLimits | None = None, *, converses: bool = True, budget: int | None = None
    ) -> None:
        """`converses` is false where the user says everything at once and nobody answers.

        `budget` is the most calls beside those that search and read a handbook, or find tools.
        """
        self.limits = limits or EpisodeLimits()
        self.converses, self.budget = converses, budget
        self.messages: list[Message] = [Message("system", system)]
        if converses:
            self.messages.append(Message("assistant", GREETING))
        self.needs: Need = "user"
        self.ended: End | None = None
        self.why = ""  # a sentence about the end, or about a turn, where there is something to say
        self.turns = 0
        self.calls_made = 0
        self.budget_spent = 0  # calls that count against the budget
        self.pending: tuple[ToolCall, ...] = ()  # to be executed when `needs` is "tools"
        self.said: list[int] = []  # the wishes that the user said, counted from 0
        self.answered: list[tuple[str, bool]] = []  # calls since the user spoke: the tool, and whether it was accepted
        self.broken: list[Violation] = []
        self._heard = len(self.messages)  # messages that the user has heard, or need not hear
        self._note = ""  # on the first turn that was not whole

    @property
    def told(self) -> list[str]:
        """What the agent said to the user, in order; what it said beside calls counts, too."""
        return [each.text for each in self.messages if each.by_agent and each.text.strip()]

    @property
    def unheard(self) -> str:
        """What the assistant said since the user spoke last."""
        return "\n\n".join(each.text for each in self.messages[self._heard :] if each.by_agent and each.text.strip())

    def user(self, reply: UserReply) -> None:
        """The user speaks; errors: UsageError if it is not their turn, ModelFailed if they do nothing."""
        self._expect("user")
        if reply.text.strip():
            self.messages.append(
                Message("user", reply.text, asks=reply.asks, wishes=reply.wishes, tells=reply.tells, taken=reply.taken)
            )
            self.said += [wish for wish in reply.wishes if wish not in self.said]
        elif not reply.ends:
            raise ModelFailed("The user said nothing and did not end the conversation.")
        self._heard = len(self.messages)
        self.answered.clear()
        if reply.ends:
            self.end("done")
        else:
            self._go_on()

    def assistant(self, turn: AssistantTurn) -> None:
        """The agent speaks, calls tools, or gives up; errors: UsageError if it is not its turn, ModelFailed."""
        self._expect("assistant")
        self.turns += 1
        if not turn.calls and not turn.text.strip():
            self.end("gave_up", turn.note)
            return
        self._note = self._note or turn.note
        self.messages.append(Message("assistant", turn.text, turn.calls, by_agent=True))
        if turn.calls:
            spent = self.budget_spent + sum(each.name not in _LOOKING_UP for each in turn.calls)
            over = self.limits.calls if self.calls_made + len(turn.calls) > self.limits.calls else None
            if self.budget is not None and spent > self.budget:
                over = self.budget
            if over is not None:
                refusal = (
                    "RESOURCE_EXHAUSTED: This call and those with it go beyond the limit of "
                    f"{counted(over, 'call')}, so none was made."
                )
                self.messages += [Message("tool", refusal, call_id=each.id, is_error=True) for each in turn.calls]
                self.end("out_of_calls", f"The agent asked for more than {counted(over, 'call')}.")
                return
            self.calls_made += len(turn.calls)
            self.budget_spent = spent
            self.pending, self.needs = turn.calls, "tools"
        elif not self.converses:
            self.end("done")
        else:
            self.needs = "user"

    def tools(self, answers: Sequence[ToolAnswer]) -> None:
        """The answers to the pending calls, in their order; errors: UsageError if there are more or fewer."""
        self._expect("tools")
        if len(answers) != len(self.pending):
            raise UsageError(f"{len(answers)} answers were given to {len(self.pending)} calls.")
        first = self.calls_made - len(self.pending) + 1
        for number, (call, answer) in enumerate(zip(self.pending, answers, strict=True), first):
            self.messages.append(
                Message("tool", answer.text, call_id=call.id, is_error=answer.is_error, fault=answer.fault)
            )
            self.answered.append((call.name, answer.went_through))
            self.broken += [Violation(each.rule, number, call.name, each.key) for each in answer.broken]
        self.pending = ()
        self._go_on()

    def fork(self) -> Episode:
        """The same episode at the same point, to go on by itself."""
        fork = copy(self)
        fork.messages, fork.said = list(self.messages), list(self.said)
        fork.answered, fork.broken = list(self.answered), list(self.broken)
        return fork

    def end(self, reason: End, why: str = "") -> None:
        """The episode is over; a second end changes nothing."""
        if self.ended is None:
            self.ended, self.why = reason, why or self._note
        self.needs = "nothing"

    def _go_on(self) -> None:
        if self.turns >= self.limits.turns:
            self.end("out_of_turns", f"The agent had {counted(self.limits.turns, 'turn')}.")
        else:
            self.needs = "assistant"

    def _expect(self, whose: Need) -> None:
        if self.needs != whose:
            raise UsageError(f"The episode needs {self.needs!r} now, not {whose!r}.")
