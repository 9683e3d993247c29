"""Unite proven tasks of several offices to one: one user, one conversation, one chain, one expected state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from typing import Any

from generator.tasks.describe import account_of, without_greeting
from generator.tasks.plan import MadeOf
from generator.tasks.proofs.replayer import Candidate
from generator.tasks.telling import CannotCompose
from runtime.domain.hybrid import HybridDomain
from runtime.errors import EnvironmentFault
from runtime.session.hybrid import start_session
from runtime.session.world import World
from runtime.task.judge import JudgedTask
from runtime.task.mistakes import fingerprint, mistaken, renumbered
from runtime.task.task import FittedRow, Mistake, Step, Task, TaskAnswer, WorldRecipe, bind
from runtime.task.user import KnownFact, Speech, User, Wish
from runtime.task.values import told_value
from runtime.task.wishes import without_assent

_FIRST: Mapping[Speech, str] = {
    "plain": "Hi, I have a few things for more than one office. The first is for {title}. {words}",
    "formal": "Good day. I have requests for more than one office. The first concerns {title}. {words}",
    "casual": "hey, got a few things for more than one office. first up, {title}: {words}",
}
_NEXT: Mapping[Speech, str] = {
    "plain": "This one is for {title}. {words}",
    "formal": "My next request concerns {title}. {words}",
    "casual": "next one's for {title}: {words}",
}
_LONGEST_TITLE = 100

_ONLY_IF: Mapping[bool, str] = {
    True: "Only if that can't be done, I also have this for {title}. {words}",
    False: "And only if you were able to do that, there is this for {title}. {words}",
}
_SHORT_IF = {True: "only if that can't be done, {short}", False: "only if that could be done, {short}"}

Place = tuple[str, int]  # of a wish or a step: the prefix of its office, and its number there


@dataclass(frozen=True)
class OfficeTask:
    """A proven task of one office, the rows of its world that were made the caller's, and what it was composed of."""

    task: Task
    world: World
    fitted: Sequence[FittedRow]
    made: MadeOf
    candidate: Candidate


@dataclass(frozen=True)
class Dependency:
    """That a request, `then`, is to be done only if another one is refused, or else only if it is done.

    It is said in one message with the other one, `asked`; `holds` says whether it is to be done.
    """

    asked: Place
    then: Place
    if_refused: bool
    holds: bool


@dataclass(frozen=True)
class Union:
    """Tasks of the parts of a domain, by prefix, that are to be one."""

    domain: HybridDomain
    tasks: Mapping[str, OfficeTask]
    condition: Dependency | None = None
    tied: str = ""  # by what requests of two offices are
    late: Mapping[str, int] = field(default_factory=dict)  # turns after which an office has its first

    @cached_property
    def groups(self) -> list[list[Place]]:
        """What is said together: a request of each office in turn, with those that are said with it or instead."""
        own: list[list[list[Place]]] = []
        for prefix, each in self.tasks.items():
            own.append([[]] * self.late.get(prefix, 0))
            for number, wish in enumerate(each.task.user.wishes):
                if not number or not (wish.joined or wish.otherwise is not None):
                    own[-1].append([])
                own[-1][-1].append((prefix, number))
        groups = [group for turn in zip_longest(*own) for group in turn if group]
        if (tie := self.condition) is not None:
            groups.remove([tie.then])
            next(group for group in groups if tie.asked in group).append(tie.then)
        return groups

    @cached_property
    def wish_at(self) -> dict[Place, int]:
        """The number of each wish among all."""
        return {place: number for number, place in enumerate(place for group in self.groups for place in group)}

    @cached_property
    def step_at(self) -> dict[Place, int]:
        """The number of each step among all: those of a group of wishes come together."""
        places = [
            (prefix, number)
            for group in self.groups
            for prefix in dict(group)
            for number, step in enumerate(self.tasks[prefix].task.chain)
            if (prefix, step.wish) in group and not self._is_dropped((prefix, step.wish))
        ]
        return {place: number for number, place in enumerate(places)}

    def task(self, name: str, level: int) -> Task:
        """Return the task, without what is expected, and its mistakes and proofs; errors: CannotCompose."""
        every = [(prefix, own, own.task) for prefix, own in self.tasks.items()]
        lead, chain = every[0][2], self._chain()
        user = User(profile=lead.user.profile, speech=lead.user.speech, wishes=list(self._wishes(lead.user.speech)))
        answers = [self._answer(prefix, each) for prefix, _, task in every for each in task.own_answers]
        if len({each.name for each in answers}) < len(answers):
            raise CannotCompose("two answers of one name")
        texts = [item for _, _, task in every for item in task.texts.items()]
        if any(dict(texts)[text] != each for text, each in texts):
            raise CannotCompose("a text is dictated to one office, and composed for another")
        title = "; ".join(task.title for _, _, task in every)
        return Task(
            format=2,
            id=name,
            domain=self.domain.name,
            title=title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 3]}...",
            split=lead.split,
            world=WorldRecipe(seed=lead.world.seed, size=lead.world.size, ids="dealt"),
            fitted=[prefixed(prefix, row) for prefix, own, _ in every for row in own.fitted],
            callers=[prefixed(prefix, task.caller) for prefix, _, task in every if task.caller is not None],
            user=user,
            chain=chain,
            policies={prefix + column: each for prefix, _, task in every for column, each in task.policies.items()},
            texts=dict(texts),
            answers=[*answers, *account_of(user)],
            decisions=[
                each.model_copy(
                    update={
                        "wish": self.wish_at[prefix, each.wish],
                        "after": [self.wish_at[prefix, wish] for wish in each.after],
                    }
                )
                for prefix, _, task in every
                for each in task.decisions
            ],
            difficulty={
                "complexity": level,
                "offices": len(every),
                "steps": len(chain),
                "tools": len({step.tool for step in chain}),
                "scenarios": sum(task.difficulty["scenarios"] for _, _, task in every),
                **({f"{self.tied}_across": 1} if self.tied else {}),
            },
        )

    def mistakes(self, task: Task, world: World) -> Iterator[Mistake]:
        """Yield the known mistakes of the parts, with the ends that they come to here; errors: CannotCompose.

        One whose steps are apart here is left out.
        """
        judged = JudgedTask(task, self.domain, world)
        for prefix, own in self.tasks.items():
            for each in own.task.mistakes:
                made = self._mistake(prefix, each)
                if made is None:
                    continue
                wrong = mistaken(task, [made])
                told = {answer.name: told_value(answer) for answer in wrong.answers}
                with start_session(self.domain, world) as session:
                    results: dict[int, Mapping[str, Any]] = {}
                    for number, step in enumerate(wrong.chain):
                        try:
                            outcome = session.perform(step.tool, bind(step.arguments, results))
                        except (KeyError, EnvironmentFault):  # it needs what was refused
                            continue
                        if outcome.result is not None:
                            results[number] = outcome.result
                    changes = session.changes
                if judged.judge(changes, told).reward:
                    raise CannotCompose("a known mistake is rewarded", made.name)
                end = fingerprint(changes, told, self.domain.schema, judged.policies)
                yield made.model_copy(update={"end": end})

    def _mistake(self, prefix: str, own: Mistake) -> Mistake | None:
        places = [(prefix, number) for number in range(own.start, own.stop)] or [(prefix, own.start - 1)]
        if any(place not in self.step_at for place in places):
            return None
        steps = [self.step_at[place] for place in places if own.start < own.stop]
        start = steps[0] if steps else self.step_at[places[0]] + 1
        if steps != list(range(start, start + len(steps))):
            return None
        moved = {number: at for (office, number), at in self.step_at.items() if office == prefix and number < own.start}
        moved |= {own.start + at: start + at for at in range(len(own.turn))}
        turn = [self._step(prefix, step, moved) for step in own.turn]
        return own.model_copy(update={"start": start, "stop": start + len(steps), "turn": turn})

    def has_dropped(self, prefix: str) -> bool:
        """Return True if a request of an office is not to be done because of another office."""
        return self.condition is not None and self._is_dropped((prefix, self.condition.then[1]))

    def _is_dropped(self, wish: Place) -> bool:
        return self.condition is not None and wish == self.condition.then and not self.condition.holds

    def _chain(self) -> list[Step]:
        moved: dict[str, dict[int, int]] = {prefix: {} for prefix in self.tasks}
        chain: list[Step] = []
        for (prefix, number), at in self.step_at.items():
            chain.append(self._step(prefix, self.tasks[prefix].task.chain[number], moved[prefix]))
            moved[prefix][number] = at
        return chain

    def _step(self, prefix: str, step: Step, moved: Mapping[int, int]) -> Step:
        try:
            arguments = renumbered(step.arguments, moved)
        except KeyError:
            raise CannotCompose("a request needs what a later one looks up") from None
        return Step(tool=prefix + step.tool, arguments=arguments, wish=self.wish_at[prefix, step.wish])

    def _answer(self, prefix: str, answer: TaskAnswer) -> TaskAnswer:
        source = answer.source and answer.source._replace(table=prefix + answer.source.table)
        return answer.model_copy(update={"wish": self.wish_at[prefix, answer.wish], "source": source})

    def _wishes(self, speech: Speech) -> Iterator[Wish]:
        """Yield the wishes as they are said; where another office is meant than before, the user names it."""
        before = ""
        for prefix, number in self.wish_at:
            wish = self.tasks[prefix].task.user.wishes[number]
            words = [without_assent(without_greeting(each)) for each in wish.words]
            update: dict[str, Any] = {}
            if (tie := self.condition) is not None and (prefix, number) == tie.then:
                title = self.domain.parts[prefix].card.title
                words = [_ONLY_IF[tie.if_refused].format(title=title, words=each) for each in words]
                short = _SHORT_IF[tie.if_refused].format(short=wish.short) if wish.short else ""
                update = {"short": short, "joined": True, "form": "conditional", "insists": []}
                update |= {} if tie.holds else {"writes": 0}
            elif prefix != before:
                form, title = (_NEXT if before else _FIRST)[speech], self.domain.parts[prefix].card.title
                words = [form.format(title=title, words=each) for each in words]
            before = prefix
            yield wish.model_copy(
                update={
                    "words": words,
                    "facts": [_fact_of(prefix, fact) for fact in wish.facts],
                    "otherwise": None if wish.otherwise is None else self.wish_at[prefix, wish.otherwise],
                    "amends": None if wish.amends is None else self.wish_at[prefix, wish.amends],
                    **update,
                }
            )


def prefixed(prefix: str, part: Any) -> Any:
    """Return a row or a caller with the table as it is called among those of all offices."""
    return part.model_copy(update={"table": prefix + part.table})


def _fact_of(prefix: str, fact: KnownFact) -> KnownFact:
    return fact.model_copy(update={"proves": prefix + fact.proves}) if fact.proves else fact
