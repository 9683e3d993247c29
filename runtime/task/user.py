"""What a task says of its user: who they are, and one wish after another with all that belongs to it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from runtime.domain.schema import Value

Form = Literal[
    "direct",
    "withheld",
    "ambiguous",
    "looked_up",
    "denied",
    "fallback",
    "mistaken",
    "conditional",
    "best_of",
    "all_but",
    "each",
    "computed",
    "coupled",
    "changed_mind",
    "outside",
    "later",
    "if_it_happens",
    "before_it_closes",
]
"""What makes a wish hard: one of the mechanisms of `docs/tasks.md`; `outside` is beyond the tools.

The last three are those of a clock that moves (`docs/time.md`).
"""

TIMED_FORMS: frozenset[Form] = frozenset({"later", "if_it_happens", "before_it_closes"})

TOLD_OTHERWISE: frozenset[Form] = frozenset({"coupled", "before_it_closes"})
"""Forms of which the wishes of a message cannot be fulfilled in the order in which they are said."""

Speech = Literal["plain", "formal", "casual"]
"""How a user speaks, through the whole conversation."""


MOST_WORDINGS = 3  # of one wish


class TaskPart(BaseModel):
    """A part of a task's line: nothing in it is unknown, and nothing changes."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


class KnownFact(TaskPart):
    """Something the user knows: its value, and how a person says it.

    A withheld fact is told once the assistant asks or stands still. `proves` names the column of the caller's own row
    that the fact is, so that it can identify them; `corrects` is what the words of the wish wrongly say in its place. A
    line leaves out `said` of a text that is said as it is.
    """

    name: str
    value: Value
    said: str
    withheld: bool = False
    proves: str = ""
    corrects: str = ""

    @model_validator(mode="before")
    @classmethod
    def _say_as_it_is(cls, written: Any) -> Any:
        if isinstance(written, dict) and "said" not in written and isinstance(written.get("value"), str):
            return {**written, "said": written["value"]}
        return written

    @model_serializer(mode="wrap")
    def _leave_out(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = write(self)
        return {name: part for name, part in written.items() if name != "said" or part != self.value}

    @property
    def in_full(self) -> str:
        """How it is said, with what it corrects."""
        return f"{self.said}, not {self.corrects}" if self.corrects else self.said


class Belief(TaskPart):
    """Something that the user holds to be so and says, though a row that can be read contradicts it."""

    name: str
    said: str
    truth: Value


class Wish(TaskPart):
    """One thing that the user wants, in up to three wordings, of which the first one is said.

    `short` completes "Just ..., please.": every value that was told, and no belief that may be wrong. `acts` says
    whether something is to be changed; without it the wish only asks. `writes` and `refusals` are how many accepted
    calls and recorded refusals it takes: with fewer, the user takes it to be open. `insists` are said in turn when the
    wish is refused, each in one wording, or in up to three before the user's register is settled. With `joined` it is
    said in one message with the wish before; `otherwise` names an earlier wish, by its number from 0, on whose refusal
    alone this one is said, `amends` one that it takes back or changes, and `again` one that was refused and is made
    once more.
    """

    words: list[str] = Field(min_length=1, max_length=MOST_WORDINGS)
    short: str = ""
    form: Form = "direct"
    acts: bool = True
    writes: int = Field(default=1, ge=0)
    refusals: int = Field(default=0, ge=0)
    facts: list[KnownFact] = []
    beliefs: list[Belief] = []
    insists: list[str | list[str]] = []
    joined: bool = False
    otherwise: int | None = None
    amends: int | None = None
    again: int | None = None


class User(TaskPart):
    """The simulated user: who they are, how they speak, and what they want, one wish after another."""

    profile: str
    speech: Speech = "plain"
    wishes: list[Wish] = Field(min_length=1)
    opens: str = ""  # what is said in place of the wishes, which messages of an inbox tell

    @property
    def words(self) -> list[str]:
        return [wish.words[0] for wish in self.wishes]

    @property
    def facts(self) -> list[KnownFact]:
        return [fact for wish in self.wishes for fact in wish.facts]

    def facts_until(self, wish: int) -> list[KnownFact]:
        """Return what the user knows of a wish, counted from 0, of those said together with it, and of those before."""
        return [fact for each in self.wishes[: self.last_said_with(wish) + 1] for fact in each.facts]

    def last_said_with(self, wish: int) -> int:
        """Return the last wish of the message that says a wish."""
        while wish + 1 < len(self.wishes) and self.wishes[wish + 1].joined:
            wish += 1
        return wish

    @property
    def outside(self) -> list[int]:
        """The wishes, counted from 0, that are beyond the tools: a good agent declines them."""
        return [number for number, wish in enumerate(self.wishes) if wish.form == "outside"]

    @property
    def accounted(self) -> list[int]:
        """The wishes, counted from 0, of which a last account can say whether they were done."""
        changed = {number for wish in self.wishes for number in (wish.amends, wish.again)}
        return [
            number
            for number, wish in enumerate(self.wishes)
            if (wish.acts or wish.form == "outside")
            and wish.otherwise is None
            and number not in changed
            and not (wish.writes and wish.refusals)
        ]

    def faults(self) -> list[str]:
        """Return what does not fit together, each as the rest of a sentence that begins with the task."""
        found = []
        for number, wish in enumerate(self.wishes):
            for name, other in (("otherwise", wish.otherwise), ("amends", wish.amends), ("again", wish.again)):
                if other is not None and not 0 <= other < number:
                    found.append(f"has wish {number} with {name} = {other}; it must be an earlier wish, from 0.")
            if wish.joined and not number:
                found.append("joins its first wish to the one before, which there is not.")
            if wish.form == "outside" and wish.acts:
                found.append(f"has wish {number} beyond the tools that acts; nothing can be changed for it.")
            for fact in wish.facts:
                wrong = fact.corrects.casefold()
                if wrong and not (fact.withheld and all(wrong in words.casefold() for words in wish.words)):
                    found.append(f"corrects {fact.corrects!r}; wish {number} must say it, and withhold {fact.name!r}.")
                elif wrong and wrong in wish.short.replace(fact.said, "").casefold():
                    found.append(f"corrects {fact.corrects!r}, but wish {number} says it in short; say {fact.said!r}.")
        return found
