"""The session on which a task's chain is played in variations, and the judging of what each of them comes to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from generator.gates.calls.start import Start
from generator.tasks.proofs.plan import PlannedStep, PlayedStep, plan_chain
from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.schema import Key, Row
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.session import Session, Snapshot
from runtime.session.world import World
from runtime.task.answers import AnswerReader, told_value
from runtime.task.judge import answer_reader, expected_of, judge
from runtime.task.paths import JsonPath, put_at
from runtime.task.task import Task, bind, task_policies
from runtime.verification.verdict import Verdict
from runtime.verification.verify import is_rewarded, verify


@dataclass(frozen=True)
class FirstRun:
    """What the chain came to as it stands."""

    steps: tuple[PlayedStep, ...]
    final: Snapshot
    digest: str


@dataclass
class Performance:
    """What a variation of the chain came to: results by step number, rejections met, the final changes."""

    results: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    rejected: dict[int, Rejection] = field(default_factory=dict)
    changes: Changes = field(default_factory=Changes)


class TaskReplayer:
    """One session on the start of a task; a variation is played from the start, and judged as changes of it."""

    def __init__(self, domain: Domain, task: Task, world: World) -> None:
        self.domain = domain
        self.task = task
        self.world = world
        self.policies = task_policies(task, domain)
        self.session = Session(domain, world, principal=task.principal)
        self.beginning = self.session.snapshot()
        self._here: Snapshot | None = self.beginning
        self._keyed: dict[str, dict[Key, Row]] = {}

    @cached_property
    def strict(self) -> Session:
        """A session of the strict twin, at its start when it is first asked for."""
        return Session(self.domain, self.world, strict=True)

    @property
    def expected(self) -> Changes:
        """The final state that the task expects."""
        return expected_of(self.task, self.domain, self.world)

    @cached_property
    def composed(self) -> frozenset[str]:
        """The texts that count for nothing, since nobody dictates them."""
        return frozenset(self.task.texts_said("composed"))

    @cached_property
    def first_run(self) -> FirstRun:
        """The chain as it stands, from the start; errors: EnvironmentFault that names the step which is rejected."""
        self.go_to(self.beginning)
        self._here = None
        played: list[PlayedStep] = []
        for number, step in enumerate(self.task.chain):
            arguments = bind(step.arguments, [each.result for each in played])
            try:
                result = self.session.call(step.tool, **arguments)
            except Rejection as rejection:
                raise EnvironmentFault(f"Step {number} ({step.tool}) is rejected: {rejection.sentence}") from rejection
            played.append(PlayedStep(step.tool, arguments, result, self.session.open().changes))
        return FirstRun(tuple(played), self.session.snapshot(), self.session.digest())

    @property
    def reference(self) -> tuple[PlayedStep, ...]:
        """The steps of the chain as they ran."""
        return self.first_run.steps

    @property
    def final(self) -> Snapshot:
        """The state in which the chain ends."""
        return self.first_run.final

    @cached_property
    def plan(self) -> list[PlannedStep]:
        """The chain with what each step needs of earlier ones."""
        return plan_chain(self.task.chain, self.reference, self.domain)

    @cached_property
    def start(self) -> Start:
        """The rows of the start, for drawing arguments and looking rows up."""
        return Start(self.domain, self.world)

    @cached_property
    def reader(self) -> AnswerReader:
        """What reads the answers from what the user is told."""
        return answer_reader(self.task, self.domain, self.world)

    @property
    def told(self) -> dict[str, str]:
        """What the user takes down from an assistant that does it right."""
        return {answer.name: told_value(answer) for answer in self.task.answers}

    def play(
        self,
        steps: Iterable[PlannedStep],
        *,
        ids_from: int | None = None,
        instead: Mapping[tuple[int, JsonPath], Any] | None = None,
    ) -> Performance:
        """Run some steps from the start, as an agent that goes on after a rejection; one that lacks a result is left.

        `ids_from` is where the id counter stands; `instead` puts other values at places in the arguments.
        """
        counter = self.world.counter if ids_from is None else ids_from
        self.go_to(Snapshot(self.world, Changes(), counter))
        self._here = None
        performance = Performance()
        for step in steps:
            if not step.needs <= performance.results.keys():
                continue
            arguments = bind(step.arguments, performance.results)
            for (number, leaf), value in (instead or {}).items():
                if number == step.number:
                    arguments = put_at(arguments, leaf, value)
            outcome = self.session.perform(step.tool, arguments)
            if outcome.rejection is not None:
                performance.rejected[step.number] = outcome.rejection
            else:
                assert outcome.result is not None
                performance.results[step.number] = outcome.result
        performance.changes = self.session.changes
        return performance

    def verdict(self, actual: Changes) -> Verdict:
        """The verdict on a final state, whatever the user was told; errors: UndecidedVerdict."""
        return verify(self.domain.schema, self.policies, self.expected, actual, composed=self.composed)

    def is_rewarded(self, actual: Changes) -> bool:
        """Whether a final state is rewarded, whatever the user was told: cheaper than why. Errors: UndecidedVerdict."""
        return is_rewarded(self.domain.schema, self.policies, self.expected, actual, composed=self.composed)

    def reward(self, actual: Changes, told: Mapping[str, str]) -> int:
        """The reward for a final state and what the user was told."""
        if not self.is_rewarded(actual):
            return 0
        return judge(self.task, self.domain, self.world, actual, told).reward

    def is_answer(self, name: str, words: str) -> bool:
        """Whether words are the right reply to the question for an answer."""
        taken = self.reader.read(name, words)
        return taken is not None and self.reader.is_right(name, taken)

    def row(self, table: str, key: Key) -> Row | None:
        """A row of the start."""
        if table not in self._keyed:
            key_of = self.domain.schema.tables[table].key_of
            self._keyed[table] = {key_of(row): row for row in self.start.rows[table]}
        return self._keyed[table].get(key)

    def go_to(self, state: Snapshot) -> None:
        """Bring the session to a state."""
        if self._here is not state:
            self.session.restore(state)
        self._here = state

    def leave(self) -> None:
        """Note that the session was used otherwise, and is in none of the known states."""
        self._here = None

    def call(self, tool: str, arguments: Mapping[str, Any], state: Snapshot) -> Mapping[str, Any] | None:
        """Make one call in a state; its result, or None if it is rejected. Errors: EnvironmentFault."""
        self.go_to(state)
        self._here = None if self.domain.tools[tool].writes else state
        return self.session.perform(tool, arguments).result

    def close(self) -> None:
        """End the sessions."""
        self.session.close()
        self.strict.close()

    def __enter__(self) -> TaskReplayer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
