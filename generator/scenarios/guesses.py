"""Proof 16, unguessable: how often the answers of a scenario would be hit by whoever has not looked.

Each scenario is told over many worlds and picks. Guessed is what an assistant knows without a tool: the most frequent
value of the answer, a value that the user told or its neighbour, and today.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from generator.isolation.job import job
from runtime.domain.dates import add_days
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.schema import Value
from runtime.errors import EnvironmentFault, Rejection
from runtime.sandbox.budget import Budget
from runtime.session.session import Session
from runtime.session.world import build_world
from runtime.task.scenarios import Program, load_scenarios
from runtime.task.story import NoSuchRow, Script, tell_story
from runtime.task.task import TaskAnswer

MOST_HIT = 0.05  # of the draws, by one way to guess
WORLDS, PICKS, SIZE = 40, 5, 100  # 200 draws; worlds are many, for what is counted over one is the same for all picks
FIRST_SEED = 501
LEAST_DRAWS = 40  # fewer say nothing
_STEPS = 1_000_000


@dataclass(frozen=True)
class GuessesRequest:
    """The scenarios of a domain folder; with `names` only these."""

    folder: Path
    names: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class GuessedAnswer:
    """The best way to guess an answer of a scenario, and how many of its draws it hits."""

    scenario: str
    answer: str
    way: str
    hits: int
    draws: int

    @property
    def is_guessable(self) -> bool:
        """Whether it is hit too often."""
        return self.draws >= LEAST_DRAWS and self.hits > MOST_HIT * self.draws

    @property
    def sentence(self) -> str:
        """The finding in words, for a person."""
        share = f"{self.hits / self.draws:.0%} of {self.draws} draws"
        return f"{self.scenario}: {self.way} is the answer {self.answer!r} in {share}; at most {MOST_HIT:.0%} should be"


@dataclass(frozen=True)
class GuessesReport:
    """Every answer of every scenario with the best way to guess it."""

    answers: list[GuessedAnswer]


@job("guesses")
def measure_guesses(asked: GuessesRequest) -> GuessesReport:
    """Tell each scenario on many worlds and count what hits its answers; errors: BrokenDomain."""
    domain = load_domain(asked.folder)
    programs = load_scenarios(asked.folder)
    chosen = {name: program for name, program in programs.items() if not asked.names or name in asked.names}
    scripts: dict[str, list[Script]] = {name: [] for name in chosen}
    for number in range(WORLDS):
        world = build_world(domain.populate, domain.schema, domain.policies, domain.now, FIRST_SEED + number, SIZE)
        with Session(domain, world) as session:
            start = session.snapshot()
            for name, program in chosen.items():
                for pick in range(PICKS if _may_answer(scripts[name]) else 0):
                    session.restore(start)
                    if (script := _tell(program, session, number * PICKS + pick)) is not None:
                        scripts[name].append(script)
    return GuessesReport([each for name in chosen for each in _best_guesses(name, scripts[name], domain)])


def _may_answer(told: list[Script]) -> bool:
    return not told or bool(told[0].answers)


def _tell(program: Program, session: Session, seed: int) -> Script | None:
    """One draw; None where the scenario cannot be told, which is for other gates to say."""
    try:
        with Budget(_STEPS):
            return tell_story(program, session, seed)
    except (
        NoSuchRow,
        EnvironmentFault,
        Rejection,
        ArithmeticError,
        AttributeError,
        LookupError,
        NameError,
        TypeError,
        ValueError,
    ):
        return None


def _best_guesses(name: str, scripts: list[Script], domain: Domain) -> Iterator[GuessedAnswer]:
    """Of each answer the way that hits most, over the draws that ask for it."""
    values: dict[str, Counter[Hashable]] = defaultdict(Counter)
    hits: dict[str, Counter[str]] = defaultdict(Counter)
    for script in scripts:
        for answer in script.answers:
            values[answer.name][answer.value] += 1
            hits[answer.name].update(_ways_that_hit(answer, script, domain.now))
    for asked, counter in values.items():
        value, count = counter.most_common(1)[0]
        ways = Counter({f"always {value!r}": count}) + hits[asked]
        way, most = ways.most_common(1)[0]
        yield GuessedAnswer(name, asked, way, most, counter.total())


def _ways_that_hit(answer: TaskAnswer, script: Script, now: str) -> Iterator[str]:
    """The ways to guess, other than always the same, that give this answer in this draw."""
    if str(answer.value) in (now, now[:10]):
        yield "today"
    facts = {fact.name: fact.value for fact in script.facts if fact.value is not None}
    for fact, value in facts.items():
        if value == answer.value:
            yield f"what the user told as {fact!r}"
        elif any(each == answer.value for each in _neighbours(value)):
            yield f"the neighbour of what the user told as {fact!r}"


def _neighbours(value: Value) -> Iterator[Value]:
    """A value one more, and one less, or a day."""
    for step in (1, -1):
        if isinstance(value, int | float):
            yield value + step
        elif isinstance(value, str) and len(value) >= 10 and value[4:5] == value[7:8] == "-":
            try:
                yield add_days(value, step)
            except ValueError:
                return
