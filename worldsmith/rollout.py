"""One episode driven by the caller's model: its messages or calls go in, results and the user's words come out."""

from __future__ import annotations

import asyncio
import json
import marshal
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import cache, lru_cache
from typing import Any, Literal, Self, TypeVar

from runtime.domain.domain import Domain
from runtime.domain.schema import ColumnRef, Value
from runtime.errors import EnvironmentFault, ModelFailed, UsageError
from runtime.harness.choose import choose_agent, choose_user
from runtime.harness.connection import answer_call
from runtime.harness.conversation import (
    Message,
    UserKind,
    at_once,
)
from runtime.harness.episode import End, Episode, EpisodeLimits
from runtime.harness.export import api_messages, offered_tools
from runtime.harness.outcome import accepted_calls, found_live, told_to_user, violations_in
from runtime.harness.play import Driver, judge_episode, unjudged
from runtime.harness.record import EpisodeRecord, write_changes
from runtime.harness.users.model_user import ReaderKind
from runtime.harness.users.scripted import NoUser, ScriptedKind
from runtime.server.listing import list_tools
from runtime.session.faults import FaultPlan, read_fault_plan
from runtime.session.hybrid import start_session
from runtime.session.session import Session
from runtime.task.answers import AnswerReader
from runtime.task.handbook import plain_step
from runtime.task.judge import judge
from runtime.task.task import Step
from runtime.verification.verdict import Verdict, Violation
from worldsmith.catalog import DomainTask, world_of
from worldsmith.chat import ChatMessage, ChatTool, read_turn

AgentName = Literal["reference", "careful", "blind", "gullible", "idle", "random", "parrot"]
"""An agent without a model: three that know the way (two of them on a failing service), and three that do not."""

PolicyChoice = bool | Literal["prompt", "handbook"]
"""How the assistant has the policy: in the prompt (True), in a handbook that it searches, or not at all (False)."""

Given = TypeVar("Given")

_LIMITS = EpisodeLimits()


class _Run:
    """One episode under way: its driver, and its session for whichever thread asks."""

    def __init__(self, task: DomainTask, driver: Driver, strict: bool) -> None:
        self.task = task
        self.driver = driver
        self.is_closed = False
        self._strict = strict
        self._session: Session | None = None
        self._thread = 0  # a connection belongs to the thread that opened it
        self._broken: BaseException | None = None

    @property
    def name(self) -> str:
        return f"The rollout of task {self.task.id!r}"

    @property
    def episode(self) -> Episode:
        return self.driver.episode

    @property
    def state(self) -> str:
        return self.episode.ended or ("closed" if self.is_closed else "open" if self._session else "not open")

    def session(self) -> Session:
        """The session, closed or not. Errors: UsageError if there is none; EnvironmentFault if the run is void."""
        if self._broken is not None:
            why = str(self._broken) or type(self._broken).__name__
            raise EnvironmentFault(f"{self.name} is void: {why}") from self._broken
        if self._session is None:
            raise UsageError(f"{self.name} is not open; call open() first.")
        return self._session

    def session_here(self) -> Session:
        """The session for the thread that asks. Errors: as of `session`."""
        return self._for_this_thread(self.session())

    def _for_this_thread(self, session: Session) -> Session:
        if self._thread != threading.get_ident():
            self._session, self._thread = session.fork(), threading.get_ident()
            return self._session
        return session

    async def open(self) -> None:
        if self._session is not None or self.is_closed or self._broken is not None:
            raise UsageError(f"{self.name} was opened before; make a new one to play again.")
        with self._voiding():
            world = world_of(self.task)
            self._session = start_session(
                self.driver.enter(world), world, strict=self._strict, judges=True, faults=self.driver.faults()
            )
            self._thread = threading.get_ident()
            self.driver.meet_user(world)
            await self._go_on()

    async def take(self, message: Mapping[str, Any]) -> list[Message]:
        self.session()
        episode = self.episode
        if self.is_closed or episode.needs == "nothing":
            why = f"is over ({episode.ended})" if episode.ended else "is closed"
            raise UsageError(f"{self.name} {why}; make a new one to play again.")
        if episode.needs != "assistant":
            raise UsageError(f"{self.name} waits for its user; await that answer first.")
        turn = read_turn(message, len(episode.messages))
        known = len(episode.messages)
        with self._voiding():
            episode.assistant(turn)
            await self._go_on()
        return [each for each in episode.messages[known:] if not each.by_agent]

    def fork(self) -> _Run:
        self.session()
        if self.is_closed:
            raise UsageError(f"{self.name} is closed; fork it before.")
        fork = _Run(self.task, self.driver.fork(), self._strict)
        fork._session, fork._thread = self.session_here().fork(), threading.get_ident()
        return fork

    def violations(self) -> list[Violation]:
        """What the session found broken or undone. Errors: as of `session`."""
        session = self.session()
        with session.fork() if self.is_closed else nullcontext(self.session_here()) as here, here.settled() as judging:
            return found_live(self.episode, judging.unmet_duties())

    def close(self) -> None:
        if self._session is not None and not self.is_closed:
            self._for_this_thread(self._session).close()
        self.is_closed = True

    @contextmanager
    def _voiding(self) -> Iterator[None]:
        """Make the rollout void, and never scored, if anything breaks inside, even by an interruption."""
        try:
            yield
        except BaseException as error:
            if self.episode.ended == "out_of_time":  # only the wait for the user was given up
                raise
            self._broken = error
            if isinstance(error, Exception) and not isinstance(error, EnvironmentFault | UsageError):
                self._broken = EnvironmentFault(
                    f"The user's model failed: {error}"
                    if isinstance(error, ModelFailed)
                    else f"The harness failed: {type(error).__name__}: {error}."
                )
            self.episode.end("void", str(self._broken))
            if self._broken is error:
                raise
            raise self._broken from error

    async def _go_on(self) -> None:
        """Make what must happen next happen, up to the assistant's turn or the end."""
        episode = self.episode
        while episode.needs in ("tools", "user"):
            if episode.needs == "tools":
                session = self.session_here()
                episode.tools([self.driver.answer(call) or answer_call(session, call) for call in episode.pending])
                continue
            try:
                await self.driver.ask_user()
            except Exception:
                raise
            except BaseException:
                episode.end("out_of_time", "Nobody waited for the user's answer.")
                raise


class _View:
    """What both kinds of rollout tell of their run."""

    def __init__(self, run: _Run, greeting: bool) -> None:
        self._run = run
        self._greets = greeting
        self._tools: list[ChatTool] | None = None

    @property
    def task(self) -> DomainTask:
        """The task that is played."""
        return self._run.task

    @property
    def tools(self) -> list[ChatTool]:
        """The domain's tools as OpenAI function definitions: all, or those that were found by now."""
        if self._run.driver.finds_tools:
            found: list[ChatTool] = json.loads(offered_tools(self._run.driver.offered(())))
            return found
        if self._tools is None:  # each rollout's own, which it may change
            self._tools = marshal.loads(_offered(self.domain, self.throttles, self.is_timed))
        return self._tools

    @property
    def domain(self) -> Domain:
        """The task's domain as it is played: with two more tools where its policy is a handbook."""
        return self._run.driver.domain

    @property
    def throttles(self) -> bool:
        """Whether the service may ask for fewer calls, so that the tools have `wait`."""
        plan = self._run.driver.plan
        return plan is not None and plan.throttles

    @property
    def is_timed(self) -> bool:
        """Whether the clock moves, so that the tools have `wait` and `notices`."""
        return self.task.task.clock is not None

    @property
    def waits_for_model(self) -> bool:
        """Whether a model speaks for the user, or reads for it, so that `open` and `take` wait."""
        return not isinstance(self._run.driver.kind, ScriptedKind | NoUser)

    @property
    def prompt(self) -> list[ChatMessage]:
        """The messages that `open` gives, known before it and without a world: for a dataset's row.

        Errors: UsageError where a model thinks of the user's first words.
        """
        driver, task, domain = self._run.driver, self.task.task, self.task.domain
        if not isinstance(driver.kind, ScriptedKind | NoUser | ReaderKind):
            raise UsageError(
                f"User {driver.kind.name!r} thinks of its first words in open(); no prompt is known before."
            )
        user = driver.kind.meet(task, driver.seed, AnswerReader(task, domain.now, _no_values, domain.locale))
        start = driver.episode.messages[: 2 if driver.episode.converses else 1]
        return self._shown([*start, Message("user", at_once(user.open()).text)])

    @property
    def messages(self) -> list[ChatMessage]:
        """The whole conversation so far."""
        return self._shown(self._run.episode.messages)

    @property
    def conversation(self) -> tuple[Message, ...]:
        """The messages as the harness has them: which answers are rejections, what the user tells and takes down."""
        return tuple(self._run.episode.messages)

    @property
    def session(self) -> Session:
        """The session that calls are made on, to look at its rows. Errors: as of `verdict`."""
        return self._run.session_here()

    @property
    def done(self) -> bool:
        """Whether the episode is over, so that nothing more is taken."""
        return self._run.episode.needs == "nothing"

    @property
    def ended(self) -> End | None:
        """How it ended: `done`, `gave_up`, `out_of_turns`, `out_of_calls`, `out_of_time`, `void`; or None."""
        return self._run.episode.ended

    def seat(self, agent: AgentName) -> Callable[[], ChatMessage]:
        """An agent without a model, at the start of this open rollout: each call gives its next assistant message."""
        driver, tools = self._run.driver, list_tools(self.domain, self.throttles, self.is_timed)
        seated = driver.seat(choose_agent(agent), self._run.session().world, tools)

        def say() -> ChatMessage:
            turn = at_once(seated.act(driver.episode.messages))
            return api_messages([Message("assistant", turn.text, turn.calls)])[0]

        return say

    def fork(self) -> Self:
        """A second rollout that goes on from here by itself: a copy of the world, the user and the conversation.

        It is closed by itself, too. Errors: UsageError if it is not open; EnvironmentFault if it is void.
        """
        fork = type(self).__new__(type(self))
        _View.__init__(fork, self._run.fork(), self._greets)
        return fork

    def verdict(self) -> Verdict:
        """Judge the database as it is now and what the user was told so far; after `close`, as it was then.

        Errors: UsageError if the rollout was not opened; EnvironmentFault if it is void.
        """
        session, task, messages = self._run.session(), self.task, self._run.episode.messages
        told = told_to_user(task.task, task.domain, session.world, messages)
        found = self._run.violations()
        with session.settled() as ended:
            final = ended.changes
            violations = violations_in(task.task, self.domain, session.world, messages, final, found)
            return judge(task.task, task.domain, session.world, final, told, violations=violations)

    def record(self) -> EpisodeRecord:
        """Return the episode so far as an evaluation stores it, judged as it is now. Errors: as of `verdict`."""
        session, task = self._run.session(), self.task
        record = unjudged(task.task, 0, self._run.episode)
        with session.settled() as ended:
            return judge_episode(record, task.task, task.domain, session.world, ended.changes, self._run.violations())

    def final(self) -> dict[str, Any]:
        """What `verdict` judges, as JSON values for somebody's log; `judge_final` judges it again. Errors: the same."""
        session, messages = self._run.session(), self._run.episode.messages
        told = told_to_user(self.task.task, self.task.domain, session.world, messages)
        made = [each for _, each in accepted_calls(messages, timed=self.is_timed)]
        steps = [plain_step(Step(tool=each.tool, arguments=dict(each.arguments)), self.domain) for each in made]
        calls = [[each.number, each.tool, step.arguments] for each, step in zip(made, steps, strict=True)]
        with session.settled() as ended:
            changes = [dict(each) for each in write_changes(ended.changes)]
        return {"changes": changes, "told": told, "calls": calls}

    def close(self) -> None:
        """Close the private copy of the world; closing twice is fine."""
        self._run.close()

    def __repr__(self) -> str:
        episode = self._run.episode
        return f"Rollout({self.task!r}, turns={episode.turns}, calls={episode.calls_made}, {self._run.state})"

    def _shown(self, messages: list[Message]) -> list[ChatMessage]:
        """Messages in the OpenAI form, without the greeting if there is to be none."""
        return api_messages([each for each in messages if self._greets or each.role != "assistant" or each.by_agent])


class Rollout(_View):
    """One assistant, one simulated user and one private copy of a task's world.

    `open`; then, until `done`, either `take` with each message of the assistant, or `call` and `say` where something
    else makes the calls one by one; then `verdict`. It runs under any event loop, and `sync` gives the same methods
    without `await`. Only one at a time may use a rollout; different ones share nothing that changes.

    What an assistant can say never raises. Where our side fails, or a tool is interrupted, the rollout is void: it
    raises EnvironmentFault, now and whenever it is used again, and has no verdict. Whoever stops waiting for the user
    ends the episode (`out_of_time`); what was done until then can be judged.
    """

    def __init__(
        self,
        task: DomainTask,
        *,
        user: str | UserKind = "scripted",
        policy: PolicyChoice = True,
        seed: int = 0,
        greeting: bool = True,
        strict: bool = False,
        turns: int = _LIMITS.turns,
        calls: int = _LIMITS.calls,
        faults: str | FaultPlan | None = None,
        poison: str | None = None,
        tools: Literal["all", "search"] = "all",
    ) -> None:
        """`policy` tells the assistant the domain's rules, or with "handbook" has it search them; `strict` has calls
        refused that they forbid, instead of listed in the verdict. `seed` varies the user's small words, and which
        calls meet the `faults` of a plan: mild, harsh, a .toml file or a FaultPlan. `poison` is a plan of poisoned
        rows: mild or a .toml file. With `tools` "search" the assistant has `find_tools` alone, and the tools that it
        finds by it.

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
        task = task.poisoned(poison)
        kind = choose_user(user) if isinstance(user, str) else user
        plan = read_fault_plan(faults, task.domain.tools) if isinstance(faults, str) else faults
        limits = EpisodeLimits(turns, calls)
        if policy not in (True, False, "prompt", "handbook"):
            raise UsageError(f'policy is {policy!r:.100}; give True or "prompt", "handbook", or False.')
        if tools not in ("all", "search"):
            raise UsageError(f'tools is {tools!r:.100}; give "all" or "search".')
        has_handbook = policy == "handbook"
        driver = Driver(
            *(task.task, task.domain, kind, seed, limits, bool(policy), plan, has_handbook),
            finds_tools=tools == "search",
        )
        super().__init__(_Run(task, driver, strict), greeting)

    def sync(self) -> SyncRollout:
        """Return the same rollout with methods that are not awaited."""
        return SyncRollout(self._run, self._greets)

    async def open(self) -> list[ChatMessage]:
        """Start: the system message, the assistant's greeting where there is a user, the user's first words.

        Errors: UsageError if it is open already, or the task does not fit its domain; EnvironmentFault.
        """
        await self._run.open()
        return self.messages

    async def take(self, message: Mapping[str, Any]) -> list[ChatMessage]:
        """Take an assistant message, make its calls or tell the user; the tool messages or the user's words.

        A message with calls is answered by one tool message for each, in their order: a rejection, a tool that does not
        exist and arguments that cannot be read are answers, too. One without calls is answered by the user, and one
        without anything gives up. Errors: UsageError if there is nothing to take, EnvironmentFault.
        """
        return self._shown(await self._run.take(message))

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


class SyncRollout(_View):
    """A `Rollout` whose methods are plain: for scripts, notebooks and trainers without an event loop.

    Threads may hand it on to each other, but only one may use it at a time.
    """

    def open(self) -> list[ChatMessage]:
        """Return the messages that start the episode; errors: UsageError, EnvironmentFault."""
        self._wait(self._run.open())
        return self.messages

    def take(self, message: Mapping[str, Any]) -> list[ChatMessage]:
        """Return what answers a message: tool messages or the user's words; errors: UsageError, EnvironmentFault."""
        return self._shown(self._wait(self._run.take(message)))

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
def _offered(domain: Domain, throttles: bool, timed: bool) -> bytes:
    return marshal.dumps(json.loads(offered_tools(list_tools(domain, throttles, timed))))


def _no_values(_: ColumnRef) -> list[Value]:
    return []
