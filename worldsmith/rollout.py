"""One episode driven by the caller's model: its messages or calls go in, results and the user's words come out."""

from __future__ import annotations

import asyncio
import json
import marshal
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from copy import copy
from functools import cache, lru_cache
from typing import Any, Literal, Self, TypeVar

from runtime.domain.domain import Domain
from runtime.domain.schema import ColumnRef, Value
from runtime.errors import EnvironmentFault, ModelFailed, UsageError
from runtime.harness.choose import choose_agent, choose_user
from runtime.harness.connection import answer_call
from runtime.harness.conversation import (
    AgentContext,
    Message,
    SimulatedUser,
    UserKind,
    UserReply,
    at_once,
    episode_seed,
    system_message,
)
from runtime.harness.episode import End, Episode, EpisodeLimits
from runtime.harness.export import api_messages, offered_tools
from runtime.harness.outcome import accepted_calls, calls_seen, found_live, told_to_user, violations_in
from runtime.harness.play import judge_episode, unjudged
from runtime.harness.record import EpisodeRecord, write_changes
from runtime.harness.users.model_user import ReaderKind
from runtime.harness.users.scripted import NoUser, ScriptedKind
from runtime.server.listing import list_tools
from runtime.session.faults import FaultPlan, FaultSource, read_fault_plan
from runtime.session.session import Session
from runtime.task.answers import AnswerReader
from runtime.task.judge import answer_reader, judge
from runtime.verification.verdict import Verdict, Violation
from worldsmith.catalog import DomainTask, world_of
from worldsmith.chat import ChatMessage, ChatTool, read_turn

AgentName = Literal["reference", "careful", "blind", "idle", "random", "parrot"]
"""An agent without a model: three that know the way (two of them on a failing service), and three that do not."""

Given = TypeVar("Given")

_LIMITS = EpisodeLimits()


class _Played:
    """What a rollout is and does, whether it is awaited or not."""

    def __init__(
        self,
        task: DomainTask,
        *,
        user: str | UserKind = "scripted",
        policy: bool = True,
        seed: int = 0,
        greeting: bool = True,
        strict: bool = False,
        turns: int = _LIMITS.turns,
        calls: int = _LIMITS.calls,
        faults: str | FaultPlan | None = None,
    ) -> None:
        """`policy` tells the assistant the domain's rules; `strict` has calls refused that they forbid, instead of
        listed in the verdict. `seed` varies the user's small words, and which calls meet the `faults` of a plan: mild,
        harsh, a .toml file or a FaultPlan.

        `user` is "scripted", "none", who says everything at once, or a model: what `--user` takes, or a UserKind.
        Without `greeting` the user's is the first message after the system's, as some chat templates want it. After so
        many `turns` of the assistant, or at a message with more than the `calls` that are left, it is over. Errors:
        UsageError.
        """
        if not isinstance(task, DomainTask):
            raise UsageError(f"A rollout was given {str(task)[:200]!r}; it plays one of worldsmith.tasks(domain).")
        if not (isinstance(turns, int) and isinstance(calls, int) and turns >= 1 and calls >= 0):
            raise UsageError(
                f"turns must be an integer of at least 1 and calls one of at least 0, got {turns!r} and {calls!r}."
            )
        kind = choose_user(user) if isinstance(user, str) else user
        self.task = task
        self._kind = kind
        self._seed = episode_seed(task.domain, task.id, seed)
        self._greets = greeting
        self._strict = strict
        self._faults = read_fault_plan(faults, task.domain.tools) if isinstance(faults, str) else faults
        self._user: SimulatedUser | None = None
        self._episode = Episode(
            system_message(task.domain, policy), EpisodeLimits(turns, calls), converses=kind.converses
        )
        self._tools: list[ChatTool] | None = None
        self._session: Session | None = None
        self._thread = 0
        self._is_closed = False
        self._broken: BaseException | None = None

    @property
    def tools(self) -> list[ChatTool]:
        """The domain's tools as OpenAI function definitions."""
        if self._tools is None:
            self._tools = marshal.loads(
                _offered(self.task.domain, self.throttles)
            )  # each rollout's own, which it may change
        return self._tools

    @property
    def throttles(self) -> bool:
        """Whether the service may ask for fewer calls, so that the tools have `wait`."""
        return self._faults is not None and self._faults.throttles

    @property
    def waits_for_model(self) -> bool:
        """Whether a model speaks for the user, or reads for it, so that `open` and `take` wait."""
        return not isinstance(self._kind, ScriptedKind | NoUser)

    @property
    def prompt(self) -> list[ChatMessage]:
        """The messages that `open` gives, known before it and without a world: for a dataset's row.

        Errors: UsageError where a model thinks of the user's first words.
        """
        if not isinstance(self._kind, ScriptedKind | NoUser | ReaderKind):
            raise UsageError(
                f"User {self._kind.name!r} thinks of its first words in open(); no prompt is known before."
            )
        task, episode = self.task.task, self._episode
        opened = at_once(self._kind.meet(task, self._seed, AnswerReader(task, self.task.domain.now, _no_values)).open())
        start = episode.messages[: 2 if episode.converses else 1]
        return self._shown([*start, Message("user", opened.text)])

    @property
    def messages(self) -> list[ChatMessage]:
        """The whole conversation so far."""
        return self._shown(self._episode.messages)

    @property
    def conversation(self) -> tuple[Message, ...]:
        """The messages as the harness has them: which answers are rejections, what the user tells and takes down."""
        return tuple(self._episode.messages)

    @property
    def session(self) -> Session:
        """The session that calls are made on, to look at its rows. Errors: as of `verdict`."""
        self._expect_open()
        return self._here()

    @property
    def done(self) -> bool:
        """Whether the episode is over, so that nothing more is taken."""
        return self._episode.needs == "nothing"

    @property
    def ended(self) -> End | None:
        """How it ended: `done`, `gave_up`, `out_of_turns`, `out_of_calls`, `out_of_time`, `void`; or None."""
        return self._episode.ended

    async def _open(self) -> list[ChatMessage]:
        if self._session is not None or self._is_closed or self._broken is not None:
            raise UsageError(f"The rollout of task {self.task.id!r} was opened before; make a new one to play again.")
        with self._voiding():
            world = world_of(self.task)
            faults = None if self._faults is None else FaultSource(self._faults, self._seed)
            self._session = Session(self.task.domain, world, strict=self._strict, judges=True, faults=faults)
            self._thread = threading.get_ident()
            reader = answer_reader(self.task.task, self.task.domain, world)
            self._user = self._kind.meet(self.task.task, self._seed, reader)
            await self._go_on()
        return self.messages

    async def _take(self, message: Mapping[str, Any]) -> list[ChatMessage]:
        self._expect_open()
        if self._is_closed or self.done:
            why = f"is over ({self.ended})" if self.done else "is closed"
            raise UsageError(f"The rollout of task {self.task.id!r} {why}; make a new one to play again.")
        episode = self._episode
        if episode.needs != "assistant":
            raise UsageError(f"The rollout of task {self.task.id!r} waits for its user; await that answer first.")
        turn = read_turn(message, len(episode.messages))
        known = len(episode.messages)
        with self._voiding():
            episode.assistant(turn)
            await self._go_on()
        return self._shown([each for each in episode.messages[known:] if not each.by_agent])

    def seat(self, agent: AgentName) -> Callable[[], ChatMessage]:
        """An agent without a model, at the start of this open rollout: each call gives its next assistant message."""
        session, task = self._expect_open(), self.task
        tools = list_tools(task.domain, self.throttles)
        messages = self._episode.messages
        context = AgentContext(task.domain, task.task, session.world, messages[0].text, tools, self._seed)
        seated = choose_agent(agent).begin(context)

        def say() -> ChatMessage:
            turn = at_once(seated.act(messages))
            return api_messages([Message("assistant", turn.text, turn.calls)])[0]

        return say

    def fork(self) -> Self:
        """A second rollout that goes on from here by itself: a copy of the world, the user and the conversation.

        It is closed by itself, too. Errors: UsageError if it is not open; EnvironmentFault if it is void.
        """
        self._expect_open()
        if self._is_closed:
            raise UsageError(f"The rollout of task {self.task.id!r} is closed; fork it before.")
        fork = copy(self)
        fork._session, fork._thread = self._here().fork(), threading.get_ident()
        fork._episode, fork._tools = self._episode.fork(), None
        fork_user = getattr(self._user, "fork", None)
        fork._user = fork_user() if fork_user else self._user
        return fork

    def verdict(self) -> Verdict:
        """Judge the database as it is now and what the user was told so far; after `close`, as it was then.

        Errors: UsageError if the rollout was not opened; EnvironmentFault if it is void.
        """
        session, task = self._expect_open(), self.task
        told = told_to_user(task.task, task.domain, session.world, self._episode.messages)
        violations = violations_in(
            task.task, task.domain, session.world, self._episode.messages, self._found_violations()
        )
        return judge(task.task, task.domain, session.world, session.changes, told, violations=violations)

    def record(self) -> EpisodeRecord:
        """Return the episode so far as an evaluation stores it, judged as it is now. Errors: as of `verdict`."""
        session, task = self._expect_open(), self.task
        record = unjudged(task.task, 0, self._episode)
        return judge_episode(record, task.task, task.domain, session.world, session.changes, self._found_violations())

    def _found_violations(self) -> list[Violation]:
        session = self._expect_open()
        with session.fork() if self._is_closed else nullcontext(self._here()) as judging:
            return found_live(self._episode, judging.unmet_duties())

    def final(self) -> dict[str, Any]:
        """What `verdict` judges, as JSON values for somebody's log; `judge_final` judges it again. Errors: the same."""
        session = self._expect_open()
        told = told_to_user(self.task.task, self.task.domain, session.world, self._episode.messages)
        calls = [[each.number, each.tool, dict(each.arguments)] for _, each in accepted_calls(self._episode.messages)]
        return {"changes": [dict(each) for each in write_changes(session.changes)], "told": told, "calls": calls}

    def close(self) -> None:
        """Close the private copy of the world; closing twice is fine."""
        if self._session is not None and not self._is_closed:
            self._here().close()
        self._is_closed = True

    def __repr__(self) -> str:
        stand = self.ended or ("closed" if self._is_closed else "open" if self._session is not None else "not open")
        return f"Rollout({self.task!r}, turns={self._episode.turns}, calls={self._episode.calls_made}, {stand})"

    @contextmanager
    def _voiding(self) -> Iterator[None]:
        """Make the rollout void, and never scored, if anything breaks inside, even by an interruption."""
        try:
            yield
        except BaseException as error:
            if self.ended == "out_of_time":  # only the wait for the user was given up
                raise
            self._broken = error
            if isinstance(error, Exception) and not isinstance(error, EnvironmentFault | UsageError):
                self._broken = EnvironmentFault(
                    f"The user's model failed: {error}"
                    if isinstance(error, ModelFailed)
                    else f"The harness failed: {type(error).__name__}: {error}."
                )
            self._episode.end("void", str(self._broken))
            if self._broken is error:
                raise
            raise self._broken from error

    async def _go_on(self) -> None:
        """Make what must happen next happen, up to the assistant's turn or the end."""
        episode = self._episode
        while episode.needs in ("tools", "user"):
            if episode.needs == "tools":
                session = self._here()
                episode.tools([answer_call(session, call) for call in episode.pending])
            else:
                episode.user(await self._ask_user())

    async def _ask_user(self) -> UserReply:
        user, episode = self._user, self._episode
        assert user is not None
        try:
            if not episode.turns:
                return await user.open()
            return await user.reply(episode.unheard, calls_seen(self.task.domain, episode))
        except Exception:
            raise
        except BaseException:
            episode.end("out_of_time", "Nobody waited for the user's answer.")
            raise

    def _shown(self, messages: list[Message]) -> list[ChatMessage]:
        """Messages in the OpenAI form, without the greeting if there is to be none."""
        return api_messages([each for each in messages if self._greets or each.role != "assistant" or each.by_agent])

    def _here(self) -> Session:
        """The session for the thread that asks: a connection belongs to the thread that opened it."""
        assert self._session is not None
        if self._thread != threading.get_ident():
            self._session, self._thread = self._session.fork(), threading.get_ident()
        return self._session

    def _expect_open(self) -> Session:
        if self._broken is not None:
            why = str(self._broken) or type(self._broken).__name__
            raise EnvironmentFault(f"The rollout of task {self.task.id!r} is void: {why}") from self._broken
        if self._session is None:
            raise UsageError(f"The rollout of task {self.task.id!r} is not open; call open() first.")
        return self._session


class Rollout(_Played):
    """One assistant, one simulated user and one private copy of a task's world.

    `open`; then, until `done`, either `take` with each message of the assistant, or `call` and `say` where something
    else makes the calls one by one; then `verdict`. It runs under any event loop, and `sync` gives the same methods
    without `await`. Only one at a time may use a rollout; different ones share nothing that changes.

    What an assistant can say never raises. Where our side fails, or a tool is interrupted, the rollout is void: it
    raises EnvironmentFault, now and whenever it is used again, and has no verdict. Whoever stops waiting for the user
    ends the episode (`out_of_time`); what was done until then can be judged.
    """

    def sync(self) -> SyncRollout:
        """Return the same rollout with methods that are not awaited."""
        view = SyncRollout.__new__(SyncRollout)
        view.__dict__ = self.__dict__
        return view

    async def open(self) -> list[ChatMessage]:
        """Start: the system message, the assistant's greeting where there is a user, the user's first words.

        Errors: UsageError if it is open already, or the task does not fit its domain; EnvironmentFault.
        """
        return await self._open()

    async def take(self, message: Mapping[str, Any]) -> list[ChatMessage]:
        """Take an assistant message, make its calls or tell the user; the tool messages or the user's words.

        A message with calls is answered by one tool message for each, in their order: a rejection, a tool that does not
        exist and arguments that cannot be read are answers, too. One without calls is answered by the user, and one
        without anything gives up. Errors: UsageError if there is nothing to take, EnvironmentFault.
        """
        return await self._take(message)

    async def call(self, name: str, arguments: Mapping[str, Any] | str | None = None, id: str | None = None) -> str:
        """Make one call, as a message of the assistant; the text of its result or rejection. Errors: as of `take`."""
        (answer,) = await self.take({"tool_calls": [{"id": id, "name": name, "arguments": arguments}]})
        return str(answer["content"])

    async def say(self, text: str) -> str:
        """Say something to the user; what the user says, empty if nobody answers. Errors: as of `take`."""
        return "".join(answer["content"] for answer in await self.take({"content": text}))

    async def __aenter__(self) -> Rollout:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()


class SyncRollout(_Played):
    """A `Rollout` whose methods are plain: for scripts, notebooks and trainers without an event loop.

    Threads may hand it on to each other, but only one may use it at a time.
    """

    def open(self) -> list[ChatMessage]:
        """Return the messages that start the episode; errors: UsageError, EnvironmentFault."""
        return self._wait(self._open())

    def take(self, message: Mapping[str, Any]) -> list[ChatMessage]:
        """Return what answers a message: tool messages or the user's words; errors: UsageError, EnvironmentFault."""
        return self._wait(self._take(message))

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None, id: str | None = None) -> str:
        """Return the text of a call's result or rejection; errors: UsageError, EnvironmentFault."""
        (answer,) = self.take({"tool_calls": [{"id": id, "name": name, "arguments": arguments}]})
        return str(answer["content"])

    def say(self, text: str) -> str:
        """Return what the user answers; errors: UsageError, EnvironmentFault."""
        return "".join(answer["content"] for answer in self.take({"content": text}))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wait(self, coroutine: Coroutine[Any, Any, Given]) -> Given:
        """Run what waits for no model at once, and anything else on an event loop in a thread of its own."""
        if self.waits_for_model:
            return asyncio.run_coroutine_threadsafe(coroutine, _own_loop()).result()
        return at_once(coroutine)


@cache
def _own_loop() -> asyncio.AbstractEventLoop:
    """The event loop of this process on which users' models are asked; a notebook's own may be running elsewhere."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="worldsmith-users", daemon=True).start()
    return loop


@lru_cache(maxsize=16)
def _offered(domain: Domain, throttles: bool) -> bytes:
    return marshal.dumps(json.loads(offered_tools(list_tools(domain, throttles))))


def _no_values(_: ColumnRef) -> list[Value]:
    return []
