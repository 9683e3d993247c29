"""Proof 16, unguessable: how often whoever has not looked would hit all answers of a scenario that only asks.

Each such scenario is told over many worlds and picks. Guessed is what an assistant knows without a tool: the most
frequent values together, and for each answer a value that the user told or its neighbour, today, or its most frequent
value. Where something is to be changed as well, the answers alone earn nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from generator.gates.folder import FolderRequest
from generator.isolation.job import job
from runtime.domain.dates import add_days
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import is_desk_tool
from runtime.domain.schema import Value
from runtime.errors import EnvironmentFault, Rejection
from runtime.sandbox.budget import Budget
from runtime.session.session import Session
from runtime.session.world import build_world
from runtime.task.picks import NoSuchRow
from runtime.task.script import Script
from runtime.task.story import Program, load_scenarios, tell_story
from runtime.task.task import TaskAnswer

MOST_HIT = 0.05  # of the draws, by one way to guess
WORLDS, PICKS = 40, 5  # 200 draws; worlds are many, for what is counted over one is the same for all picks
SIZES = (100, 300)  # in turn
FIRST_SEED = 501
LEAST_DRAWS = 40  # fewer say nothing
_STEPS = 1_000_000


@dataclass(frozen=True)
class GuessedScenario:
    """The best way to guess all answers of a scenario, and how many of its draws it hits."""

    scenario: str
    way: str
    hits: int
    draws: int

    @property
    def is_guessable(self) -> bool:
        """Whether it is hit too often."""
        return self.draws >= LEAST_DRAWS and self.hits > MOST_HIT * self.draws

    @property
    def fault(self) -> str:
        """What is wrong with it, for whoever writes it; empty if nothing is."""
        if not self.is_guessable:
            return ""
        return (
            f"it changes nothing, and {self.way} hits all its answers in {self.hits} of {self.draws} draws of worlds "
            f"and rows, more than {MOST_HIT:.0%}; ask for something else as well that must be looked up, such as a "
            "date, an amount or a name"
        )


@dataclass(frozen=True)
class GuessesReport:
    """Every scenario that only asks, in file order."""

    scenarios: list[GuessedScenario]


@job("guesses")
def measure_guesses(asked: FolderRequest) -> GuessesReport:
    """Tell each scenario that only asks on many worlds and count what hits its answers; errors: BrokenDomain."""
    domain = load_domain(asked.folder)
    programs = load_scenarios(asked.folder)
    scripts: dict[str, list[Script]] = {name: [] for name in programs}
    for number in range(WORLDS):
        size = SIZES[number % len(SIZES)]
        world = build_world(domain.populate, domain.schema, domain.policies, domain.now, FIRST_SEED + number, size)
        with Session(domain, world) as session:
            start = session.snapshot()
            for name, program in programs.items():
                for pick in range(PICKS if not scripts[name] or _only_ask(scripts[name][:1], domain) else 0):
                    session.restore(start)
                    if (script := _tell(program, session, number * PICKS + pick)) is not None:
                        scripts[name].append(script)
    return GuessesReport([_best_guess(name, told, domain) for name, told in scripts.items() if _only_ask(told, domain)])


def _only_ask(told: Sequence[Script], domain: Domain) -> bool:
    called = {call.step.tool for script in told for call in script.calls}
    changes = any(domain.tools[tool].writes - domain.policies.logs for tool in called if not is_desk_tool(tool))
    return any(script.answers for script in told) and not changes


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


def _best_guess(name: str, scripts: Sequence[Script], domain: Domain) -> GuessedScenario:
    """The way that hits most: the most frequent answers together, or of each answer the way that hits it most."""
    together = Counter(tuple(answer.value for answer in script.answers) for script in scripts)
    values, hits = together.most_common(1)[0]
    best = GuessedScenario(name, f"always {', '.join(map(repr, values))}", hits, len(scripts))
    ways = [[set(_ways_that_hit(answer, script, domain.now)) for answer in script.answers] for script in scripts]
    single: list[str] = []
    for number in range(len(values)):
        counted = Counter(way for each in ways if number < len(each) for way in each[number])
        single.append(min(counted, key=lambda way: (-counted[way], way)))
    hits = sum(all(way in own for way, own in zip(single, each, strict=False)) for each in ways)
    return best if hits <= best.hits else GuessedScenario(name, "; ".join(single), hits, len(scripts))


def _ways_that_hit(answer: TaskAnswer, script: Script, now: str) -> Iterator[str]:
    """The ways to guess that give this answer in this draw."""
    yield f"always {answer.value!r}"
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
