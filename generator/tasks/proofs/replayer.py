"""What proofs work with: a candidate, the session on which its chain is played in variations, and the trials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from generator.gates.calls.start import Start
from generator.graph.experiment import TriedCall
from generator.tasks.interlocks import Link
from generator.tasks.telling import ScenarioPart
from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.schema import Key, Row, Value
from runtime.domain.waiting import CLOCK_TOOLS
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.session import Session, Snapshot
from runtime.session.world import World
from runtime.task.judge import JudgedTask
from runtime.task.origin import JsonPath, is_reference, leaves_of, path_of, put_at, reference_to, value_at
from runtime.task.script import Permission, Script
from runtime.task.task import Step, Task, bind
from runtime.task.values import told_value

ProofName = Literal[
    "replay",
    "inert",
    "necessity",
    "sensitivity",
    "tolerance",
    "sufficiency",
    "documented",
    "identifiability",
    "explorability",
    "obedience",
    "asking",
    "order",
    "mistakes",
    "checks",
    "ends",
    "counterfactuals",
    "detours",
    "luck",
    "settled",
    "patience",
    "haste",
    "window",
    "quiet",
]


@dataclass(frozen=True)
class Candidate:
    """A composed task with what its line does not hold: its start, and its scripts with origins."""

    domain: Domain
    task: Task
    world: World
    scripts: tuple[Script, ...]  # of its scenarios, in their order; step numbers count on through all of them
    parts: tuple[ScenarioPart, ...]  # its scenarios with their rows fixed
    examples: Mapping[str, Sequence[Sequence[TriedCall]]] = field(default_factory=dict)
    """By tool, calls that run at the start one after another, the tool's own last."""
    start: Start | None = None  # the rows of its world, where they were read before
    ran: dict[tuple[str, ...], bool] = field(default_factory=dict)
    """Whether calls go through at the start one after another; tasks of one world share it."""
    links: tuple[Link, ...] = ()  # between its scenarios

    def is_made_again(self, number: int) -> bool:
        """Return True for a scenario whose request is refused and made once more later."""
        name = self.parts[number].name
        return any(part.again and part.name == name for part in self.parts[number + 1 :])


@dataclass(frozen=True)
class Proof:
    """The outcome of one proof: how many of its trials passed, and the first failure in one sentence."""

    name: ProofName
    passed: int
    tried: int
    reason: str = ""
    failed: str = ""  # what was tried first that did not pass

    @property
    def refusal(self) -> str:
        """The reason under which a candidate that it rejects is counted."""
        return f"{self.name}, {self.failed}" if self.failed == INVARIANT else self.name

    @property
    def holds(self) -> bool:
        """Return True if every trial passed."""
        return self.passed == self.tried and not self.reason


@dataclass
class CandidateCounts:
    """How many candidates were kept, and why the others were rejected."""

    kept: int = 0
    rejected: dict[str, int] = field(default_factory=dict)  # by the proof or rule that refused them
    proofs: dict[ProofName, tuple[int, int]] = field(default_factory=dict)  # passed and tried

    def add(self, proofs: Mapping[ProofName, Proof]) -> None:
        """Count the trials of one candidate's proofs."""
        for name, proof in proofs.items():
            passed, tried = self.proofs.get(name, (0, 0))
            self.proofs[name] = (passed + proof.passed, tried + proof.tried)


INVARIANT = "broken invariant"
"""A trial that checks a task's world."""


@dataclass(frozen=True)
class Trial:
    """One trial: what was tried, in a word, and a sentence if it failed."""

    what: str
    fault: str = ""

    @property
    def passed(self) -> bool:
        """True if it did not fail."""
        return not self.fault


def proof_of(name: ProofName, trials: Iterable[Trial]) -> Proof:
    """Count trials; the first that did not pass is the reason."""
    tried = list(trials)
    failed = next((trial for trial in tried if trial.fault), None)
    passed = sum(trial.passed for trial in tried)
    if failed is None:
        return Proof(name, passed, len(tried))
    return Proof(name, passed, len(tried), failed.fault, failed.what)


@dataclass
class Performance:
    """The outcome of a variation: results and rejections by step number, and the final changes."""

    results: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    rejected: dict[int, Rejection] = field(default_factory=dict)
    changes: Changes = field(default_factory=Changes)


class TaskReplayer:
    """One session on the start of a task; a variation is played from the start, and judged as changes of it."""

    def __init__(self, domain: Domain, task: Task, world: World, start: Start | None = None) -> None:
        """`start` holds the rows of the world, where they were read before."""
        self.domain = domain
        self.task = task
        self.world = world
        self.judged = JudgedTask(task, domain, world)
        self.policies, self.dictated = self.judged.policies, self.judged.dictated
        self.session = Session(domain, world)
        self._start = start

    @cached_property
    def strict(self) -> Session:
        """A session of the strict copy, at its start when it is first asked for."""
        return Session(self.domain, self.world, strict=True)

    @cached_property
    def reference(self) -> tuple[PlayedStep, ...]:
        """The steps of the chain, as they ran from the start; errors: EnvironmentFault that names the rejected step."""
        self.session.reset()
        played: list[PlayedStep] = []
        states = [self.session.snapshot()]
        for number, step in enumerate(self.task.chain):
            arguments = bind(step.arguments, [each.result for each in played])
            try:
                result = self.session.call(step.tool, **arguments)
            except Rejection as rejection:
                raise EnvironmentFault(f"Step {number} ({step.tool}) is rejected: {rejection.sentence}") from rejection
            changes = Changes() if step.tool in CLOCK_TOOLS else self.session.open().changes
            played.append(PlayedStep(step.tool, arguments, result, changes))
            states.append(self.session.snapshot())
        if self.world.plan is not None:
            self.session.settle()
            states.append(self.session.snapshot())
        self._states = states
        return tuple(played)

    def state_before(self, step: int) -> Snapshot:
        """Return the state in which a step of the chain is made; after the last one, that in which the chain ends."""
        _ = self.reference
        return self._states[step]

    def state_when_asked(self, candidate: Candidate, number: int, asked: Permission) -> Snapshot:
        """Return the state in which the rules were asked about a call of a scenario."""
        first = sum(len(script.calls) for script in candidate.scripts[:number])
        return self.state_before(first + asked.after)

    def denied_call(self, asked: Permission) -> PlannedStep:
        """Return the call that the rules were asked about, with the values that it would have been made with."""
        arguments = bind(asked.call.step.arguments, [step.result for step in self.reference])
        return PlannedStep(-1, asked.call.step.tool, arguments, frozenset(), writes=True)

    @property
    def final(self) -> Snapshot:
        """The state in which the chain ends, once its clock has, too."""
        return self.state_before(-1)

    @cached_property
    def untouched(self) -> Snapshot:
        """The state in which a conversation ends in which nobody does anything."""
        with Session(self.domain, self.world) as session, session.settled() as ended:
            return ended.snapshot()

    @cached_property
    def plan(self) -> list[PlannedStep]:
        """The chain with what each step needs of earlier ones."""
        return plan_chain(self.task.chain, self.reference, self.domain)

    @cached_property
    def start(self) -> Start:
        """The rows of the start, for drawing arguments and looking rows up."""
        return self._start or Start(self.domain, self.world)

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
        """Run steps from the start as an agent that continues after a rejection; skip steps that lack a result.

        `ids_from` is where the id counter stands; `instead` puts other values at places in the arguments.
        """
        counter = self.world.counter if ids_from is None else ids_from
        self.session.plan_for(self.world.plan)
        self.session.restore(Snapshot(self.world, Changes(), counter))
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
        self.session.settle()
        performance.changes = self.session.changes
        return performance

    def reward(self, actual: Changes, told: Mapping[str, str]) -> int:
        """Return the reward for a final state and what the user was told."""
        return self.judged.judge(actual, told).reward if self.judged.is_rewarded(actual) else 0

    def is_answer(self, name: str, words: str) -> bool:
        """Return True if words are the right reply to the question for an answer."""
        reader = self.judged.reader
        taken = reader.read(name, words)
        return taken is not None and reader.is_right(name, taken)

    def row(self, table: str, key: Key) -> Row | None:
        """Return a row of the start."""
        return self.start.row(table, key)

    def close(self) -> None:
        """End the sessions."""
        self.session.close()
        self.strict.close()

    def __enter__(self) -> TaskReplayer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True)
class PlayedStep:
    """A step of the reference chain as it ran: bound arguments, result, changed rows."""

    tool: str
    arguments: Mapping[str, Any]
    result: Mapping[str, Any]
    changes: Changes


@dataclass(frozen=True)
class PlannedStep:
    """A step, with the steps whose results its arguments refer to; `writes` unless it touches logs alone."""

    number: int
    tool: str
    arguments: Mapping[str, Any]
    needs: frozenset[int]
    writes: bool


def plan_chain(chain: Sequence[Step], played: Sequence[PlayedStep], domain: Domain) -> list[PlannedStep]:
    """Plan a chain as it was played.

    A place in a list means another row as soon as the list is another one. So a reference into a list becomes the value
    itself, and where that is the id of a row that the chain made, a reference to where the id was first returned.
    """
    made = _where_ids_were_made(played, domain)
    planned = []
    for number, (step, ran) in enumerate(zip(chain, played, strict=True)):
        arguments: dict[str, Any] = dict(step.arguments)
        for leaf, value in list(leaves_of(step.arguments)):
            if is_reference(value) and any(isinstance(part, int) for part in path_of(value)):
                bound = value_at(ran.arguments, leaf)
                found = made.get(bound) if isinstance(bound, str | int) else None
                arguments = put_at(arguments, leaf, bound if found is None or found["$step"] >= number else found)
        needs = frozenset(value["$step"] for _, value in leaves_of(arguments) if is_reference(value))
        writes = bool(domain.tools[step.tool].writes - domain.policies.logs)
        planned.append(PlannedStep(number, step.tool, arguments, needs, writes))
    return planned


def that_matter(plan: Sequence[PlannedStep]) -> list[PlannedStep]:
    """Return the writing steps and those whose results they need; the others do not affect the final state."""
    wanted: set[int] = set()
    for step in reversed(plan):
        if step.writes or step.number in wanted:
            wanted |= {step.number, *step.needs}
    return [step for step in plan if step.number in wanted]


def without(plan: Sequence[PlannedStep], number: int) -> list[PlannedStep]:
    """Return the plan without a step and all that depend on its result."""
    gone = {number}
    for step in plan:
        if step.needs & gone:
            gone.add(step.number)
    return [step for step in plan if step.number not in gone]


def _where_ids_were_made(played: Sequence[PlayedStep], domain: Domain) -> dict[Value, dict[str, Any]]:
    """Return references to the ids of added rows, by id."""
    ids = set(_ids_of_added_rows(played, domain))
    found: dict[Value, dict[str, Any]] = {}
    for number, step in enumerate(played):
        for leaf, value in leaves_of(step.result):
            if isinstance(value, str | int) and value in ids:
                found.setdefault(value, reference_to(number, leaf))
    return found


def _ids_of_added_rows(played: Sequence[PlayedStep], domain: Domain) -> Iterator[Value]:
    for step in played:
        for (table, key), change in step.changes.rows.items():
            if change.before is None and len(domain.schema.tables[table].primary_key) == 1:
                yield key[0]
