"""Plays a foreign set: our episodes, models and store; its own tools, policy, user instructions and judge."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from generator.audit.foreign import ForeignSet, ForeignTask, Replayed, ReplayStopped
from runtime.domain.arguments import Signature
from runtime.domain.changes import Changes
from runtime.domain.domain import Domain, DomainCard
from runtime.domain.policies import HARD, Policies
from runtime.domain.schema import Column, Row, Schema, Table
from runtime.domain.tool import Tool
from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.agents.baselines import AlwaysAgent
from runtime.harness.choose import choose_agent
from runtime.harness.connection import Connection, FinalState, refuse_unsendable
from runtime.harness.conversation import CallSeen, Message, SimulatedUser, ToolCall, UserReply
from runtime.harness.episode import GREETING, ToolAnswer
from runtime.harness.evaluation.plan import EpisodeJob, RunConfig
from runtime.harness.evaluation.run import TRIES, EpisodeRunner
from runtime.harness.evaluation.store import Attempt, attempt_of
from runtime.harness.play import Setting, play
from runtime.harness.record import EpisodeRecord, write_changes
from runtime.model.choose import choose_models
from runtime.model.model import Model, Price, Request
from runtime.server.listing import list_tools
from runtime.session.faults import FaultSource
from runtime.session.world import World
from runtime.task.answers import AnswerReader
from runtime.task.task import Step, Task, TaskAnswer, WorldRecipe, expected_rows
from runtime.task.user import User, Wish
from runtime.verification.verdict import Difference
from runtime.verification.verify import verify

_KEY = "record"  # the column with a record's key in its collection
_STOPS = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")  # with which a user of tau2 ends
_SAID = {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}
_AGENTS = ("reference", "idle", "claimer", "anthropic:MODEL", "openai:MODEL")
_USERS = ("scripted", "anthropic:MODEL", "openai:MODEL", "relay:DIR")


class PlayedSet:
    """A set whose tasks and tools are shown as ours, with its records as rows, and judged by its own judge."""

    batch = 1  # episodes

    def __init__(self, opened: ForeignSet) -> None:
        """Replay every gold once; errors: UsageError for a set that cannot be played."""
        self._set, self._told = opened, opened.told
        if "policy" not in self._told:
            raise UsageError(f"{opened.source.named!r} can be audited, not played: tau2:retail and tau2:airline can.")
        self.domain = _domain_of(opened)
        ends = {task.id: self._replay_gold(task) for task in opened.tasks}
        self._gold = {task: self._changes(end) for task, end in ends.items()}
        self.tasks = {task.id: self._task(task, ends[task.id]) for task in opened.tasks}
        self._idle: dict[str, int | None] = {}
        self._setting: Setting | None = None

    def _replay_gold(self, task: ForeignTask) -> Replayed:
        try:
            return self._set.replay(task.id, task.calls)
        except ReplayStopped:  # its episodes will be void
            return Replayed([], "", [], None)

    def _task(self, task: ForeignTask, end: Replayed) -> Task:
        said = task.say if "COMMUNICATE" in task.basis else []
        return Task(
            format=2,
            id=task.id,
            domain=self.domain.name,
            title=f"Task {task.id} of {self.domain.card.summary}",
            world=WorldRecipe(seed=0, size=1),
            user=User(profile="", wishes=[Wish(words=[task.text])]),
            chain=[Step(tool=name, arguments=given) for name, given in task.calls],
            expected=expected_rows(self._gold[task.id], self.domain),
            answers=[TaskAnswer(name=f"words {at}", kind="text", value=each) for at, each in enumerate(said, 1)],
            proofs={"replayed": {"calls": len(task.calls), "refused": sum(each["error"] for each in end.answers)}},
        )

    def _changes(self, end: Replayed) -> Changes:
        found = Changes()
        for name, records in end.rows.items():
            table = self.domain.schema.tables[name]
            for key, (before, after) in records.items():
                found.record(name, (key,), _row(table, key, before), _row(table, key, after))
        return found

    def start(self, config: RunConfig) -> Sequence[EpisodeRunner]:
        """Return what plays: this process, with one child; errors: UsageError for another agent or user than these."""
        for what, spec, choices in (("--agent", config.agent, _AGENTS), ("--user", config.user, _USERS)):
            if spec.partition(":")[0] not in {each.partition(":")[0] for each in choices}:
                raise UsageError(f"{what} {spec!r} cannot play {self.domain.card.summary}; give {', '.join(choices)}.")
        prices = {model: Price.plain(into, out) for model, into, out in config.prices}
        # Of all that know the way, the agents with mistakes go on when a call is refused; here there are no mistakes.
        agent = AlwaysAgent("reference") if config.agent == "reference" else choose_agent(config.agent, prices)
        is_model = config.user != "scripted"
        model = choose_models([config.user], ["user"], prices=prices).of("user") if is_model else None
        system = self._told["agent"]
        if config.with_policy:
            system += f"\n\n<policy>\n{self._told['policy']}\n</policy>"
        user = _SetUser(model, self._told["guidelines"])
        self._setting = Setting(agent, user, config.limits, connect=self._connect, system=system, judge=self._judge)
        return [self]

    async def play(self, jobs: Sequence[EpisodeJob]) -> list[list[Attempt]]:
        """Play episodes one by one, those that are void again; errors: UsageError."""
        return [await self._play_one(job.task, job.trial) for job in jobs]

    async def _play_one(self, task: Task, trial: int) -> list[Attempt]:
        assert self._setting is not None
        world, attempts = World(b"", 0, self.domain.schema, self.domain.policies, {"task": task.id}), list[Attempt]()
        while len(attempts) < TRIES and (not attempts or attempts[-1].record.end == "void"):
            record = await play(task, self.domain, world, trial, self._setting)
            if task.id not in self._idle and record.end != "void":
                nothing = EpisodeRecord(task.domain, task.id, 0, "done")
                self._idle[task.id] = self._judge(nothing, task, FinalState(Changes(), None)).reward
            attempts.append(attempt_of(replace(record, idle=self._idle.get(task.id))))
        return attempts

    async def close(self) -> None:
        """Do nothing: the set's process is ended by whoever opened it."""

    @asynccontextmanager
    async def _connect(self, domain: Domain, world: World, faults: FaultSource | None) -> AsyncIterator[Connection]:
        def replay(calls: list[tuple[str, dict[str, Any]]]) -> tuple[Replayed, Changes]:
            end = self._set.replay(world.origin["task"], calls)
            return end, self._changes(end)

        yield _SetConnection(list_tools(domain), replay)

    def _judge(self, record: EpisodeRecord, task: Task, final: FinalState) -> EpisodeRecord:
        """Return the record with the reward of the set's own judge, and beside it what our rule says of the end."""
        told = self._set.judge(task.id, list(_steps(record.messages)))
        if not (parts := told["parts"]):
            raise EnvironmentFault(f"Task {task.id!r} has no part that can be judged without a model.")
        rule = verify(self.domain.schema, self.domain.policies, self._gold[task.id], final.changes)
        missed, found = [name for name, reward in parts.items() if reward < 1], list[Difference]()
        for name in missed:
            if name == "COMMUNICATE":
                names = {str(each.value): each.name for each in task.answers}
                found += [Difference("missing_answer", expected=said, answer=names[said]) for said in told["unsaid"]]
            elif name == "DB" and rule.differences:
                found += rule.differences
            else:
                found.append(Difference("failed_check", expected=f"the set's own judge rewards {name}"))
        if record.end.startswith("out_of"):
            found.append(Difference("failed_check", expected="the conversation ended by itself"))
        components = {f"judge_{name.lower()}": int(name not in missed) for name in parts}
        return replace(
            record,
            reward=int(not found),
            progress=1.0 if not found else min(0.9999, 1 - len(missed) / len(parts)),
            differences=tuple(found),
            components=components | {"rule_db": int(not rule.differences)},
            pairs=rule.pairs,
            unjudged=tuple(told["unjudged"]),
            final=write_changes(final.changes),
            fault="agent" if found else None,
            reason=f"no reward for {', '.join(missed) or 'a cut conversation'}" if found else "",
        )


class _SetConnection:
    """One episode's calls; each is made on a fresh world after those before it, so that a child can be replaced."""

    def __init__(self, tools: Sequence[Mapping[str, Any]], replay: Any) -> None:
        self.tools, self._replay = tools, replay
        self._calls: list[tuple[str, dict[str, Any]]] = []

    async def call(self, call: ToolCall) -> ToolAnswer:
        """Make a call; errors: ReplayStopped."""
        if (refused := refuse_unsendable(call)) is not None:
            return refused
        self._calls.append((call.name, dict(call.arguments)))
        answer = self._replay(self._calls)[0].answers[-1]
        text = f"Error: {answer['text'].partition(': ')[2]}" if answer["error"] else answer["text"]
        return ToolAnswer(text, answer["error"])

    async def final(self) -> FinalState:
        """Return the records that the calls changed; errors: ReplayStopped."""
        return FinalState(self._replay(self._calls)[1], None)


class _SetUser:
    """A foreign set's user, of a kind or in one episode.

    A model follows the set's guidelines and the task's instruction. Without one, the user says its whole instruction,
    and ends at the assistant's first words.
    """

    converses = True

    def __init__(self, model: Model | None, brief: str, words: str = "", key: str = "") -> None:
        self.name = "scripted" if model is None else model.name
        self._model, self._brief, self._words, self._key = model, brief, words, key
        self._lines = [f"ASSISTANT: {GREETING}"]

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> SimulatedUser:
        words = task.user.words[0]
        brief = f"{self._brief}\n\n<scenario>\n{words}\n</scenario>"
        return _SetUser(self._model, brief, words, f"{task.domain}-{task.id}-{seed}")

    async def open(self) -> UserReply:
        """Say what the task is about; errors: ModelFailed."""
        said = UserReply(self._words) if self._model is None else await self._speak(self._model)
        return replace(said, wishes=(0,))

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        """Answer, or end; errors: ModelFailed."""
        self._lines.append(f"ASSISTANT: {said}")
        return UserReply("", ends=True) if self._model is None else await self._speak(self._model)

    async def _speak(self, model: Model) -> UserReply:
        prompt = "\n\n".join([*self._lines, "Write your next message, as the customer."])
        key = f"{self._key}-{len(self._lines):03d}"
        answer = await model.answer(Request("user", "user", key, 1, self._brief, prompt, _SAID, max_tokens=2_000))
        said = text = str(answer.content["message"])
        for each in _STOPS:
            text = text.replace(each, "").strip()
        self._lines.append(f"YOU: {text}")
        return UserReply(text, ends=any(each in said for each in _STOPS), usage=answer.usage)


def _domain_of(opened: ForeignSet) -> Domain:
    told, named = opened.told, opened.source.named
    tables = {
        name: Table(name, tuple(Column(each, "TEXT", True, "") for each in (_KEY, *columns)), (_KEY,), (), "")
        for name, columns in told["columns"].items()
    }
    schema, digest = Schema("", tables), hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
    card = {"format": 1, "name": named.replace(":", "_"), "version": digest[:12], "summary": named}
    card |= {"title": f"{named} with its own judge", "clock": "1970-01-01 00:00:00"}  # its own time is in its policy
    return Domain(
        path=Path(named),
        card=DomainCard.model_validate(card),
        schema=schema,
        policies=Policies(schema, {f"{name}.{_KEY}": HARD for name in tables}, {}),
        tools={each["name"]: _tool(each, each["name"] in opened.writes) for each in told["tools"]},
        populate=_cannot_run,
        policy=told["policy"],
        digest=digest,
        world_digest="",
    )


def _cannot_run(*given: object) -> None:
    raise UsageError("The world and the tools of a foreign set run in its own process alone.")


class _GivenSignature(Signature):
    """The JSON Schema that a foreign tool tells."""

    @property
    def schema(self) -> Mapping[str, Any]:
        return dict(self.fields)


def _tool(told: Mapping[str, Any], writes: bool) -> Tool:
    name, nothing = told["name"], frozenset[Any]()
    signatures = _GivenSignature(name, told["parameters"]), _GivenSignature(name, {})
    written = frozenset({"records"}) if writes else nothing
    return Tool(name, told["description"], "", nothing, written, nothing, *signatures, _cannot_run)


def _row(table: Table, key: str, text: str | None) -> Row | None:
    """Return a record as a row; what is no plain value is its JSON."""
    if text is None:
        return None
    values = [json.loads(text).get(each) for each in table.column_names[1:]]
    return (key, *(json.dumps(each, sort_keys=True) if isinstance(each, dict | list) else each for each in values))


def _steps(messages: Sequence[Message]) -> Iterator[list[Any]]:
    """Yield what was said and called after the system message, as a bridge's judge takes it."""
    for message in messages:
        if message.role in ("user", "assistant") and message.text.strip():
            yield [message.role, message.text]
        for call in message.calls:
            if isinstance(call.arguments, Mapping):
                yield ["call", call.name, call.arguments]
