"""What the user of a scenario says: wishes one after another or together, what is kept back, believed, insisted on."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runtime.errors import EnvironmentFault
from runtime.task.origin import ChoiceRef, Origin, origin_of, plain, spoken, traced
from runtime.task.paths import JsonPath, leaves_of
from runtime.task.picks import StoryPicks
from runtime.task.speech import said
from runtime.task.task import Belief, KnownFact, Wish


class StoryWishes(StoryPicks):
    """One run of one scenario, as far as the user speaks; a wish is named by its number in the conversation."""

    _together: bool | None = None  # whether a wish was said in this message already; None outside of one

    def tell(self, words: str, **values: Any) -> None:
        """Say a wish; each `{name}` stands for a value, which the user then knows and may repeat."""
        self._say(words, values)

    def wish(self, words: str, **values: Any) -> int:
        """Say a wish as `tell` does; its number names it to whatever belongs to it."""
        return self._say(words, values)

    def together(self) -> Together:
        """`with story.together():` says the wishes within it in one message."""
        return Together(self)

    def otherwise(self, wish: int, words: str, **values: Any) -> int:
        """Say a wish if an earlier one is refused, and only then."""
        return self._say(words, values, otherwise=self._known_wish(wish))

    def changes_mind(self, wish: int, words: str, **values: Any) -> int:
        """Say a wish that takes back or changes an earlier one."""
        return self._say(words, values, amends=self._known_wish(wish))

    def outside(self, words: str) -> None:
        """Add a wish beyond the tools, which a good agent declines."""
        if self._says_outside:
            self._script.wishes.append(Wish(words=[words], form="outside", acts=False))

    def keep_back(self, name: str, value: Any, wish: int | None = None) -> None:
        """Let the user know something of a wish, by default the last one, that is told when it is asked for."""
        if value is None:
            raise EnvironmentFault(f"The user keeps back {name!r}, which is null in the row that was picked.")
        number = self._known_wish(self._wish if wish is None else wish)
        fact = KnownFact(name=name, value=plain(value), said=self._said(value), withheld=True)
        self._learn([(value, number)])
        self._script.kept_back.append(value)
        self._change_wish(number, facts=[*self._wish_of(number).facts, fact])

    def believes(self, name: str, wrong: Any, truth: Any) -> None:
        """Let the user hold something to be so that a row contradicts; the words of the last wish say it."""
        if plain(wrong) == plain(truth):
            raise EnvironmentFault(f"The user believes {name!r} to be {plain(wrong)!r}, which is true.")
        wish, words = self._wish_of(self._wish), self._said(wrong)
        if words.casefold() not in wish.words[0].casefold():
            raise EnvironmentFault(f"The words {wish.words[0]!r} do not say {words!r}, which the user believes.")
        belief = Belief(name=name, said=words, truth=plain(truth))
        self._change_wish(self._wish, beliefs=[*wish.beliefs, belief])

    def insists(self, wish: int, words: str) -> None:
        """Let the user say this when a wish is refused; several in turn."""
        known = self._wish_of(self._known_wish(wish))
        self._change_wish(wish, insists=[*known.insists, words])

    def text(
        self, name: str, words: str, facts: Sequence[str] = (), otherwise: str | None = None, **values: Any
    ) -> Any:
        """A descriptive text that the user dictates, with the facts it must carry and another way to word it.

        Each `{name}` in both stands for a value; all of them are facts.
        """
        if values:
            rendered = {each: self._said(value) for each, value in values.items()}
            check_marks(words, values)
            self._script.options[Origin(ChoiceRef(name))] = list(self._other_texts(words, values, rendered))
            words = words.format(**rendered)
            otherwise = otherwise and otherwise.format(**rendered)
            facts = [*facts, *rendered.values()]
        words = str(plain(words))
        self._script.texts[words] = [str(plain(fact)) for fact in facts]
        if otherwise:
            self._script.wordings[words] = str(plain(otherwise))
        return spoken(traced(words, Origin(ChoiceRef(name))), words)

    def _say(self, words: str, values: Mapping[str, Any], **parts: Any) -> int:
        check_marks(words, values)
        wish = self._first_wish + len(self._script.wishes)
        facts: list[KnownFact] = []
        rendered = {name: self._said(value) for name, value in values.items()}
        for name, value in values.items():
            for path, each in ((" ".join(map(str, path)), each) for path, each in values_in(value, name)):
                if each is None:
                    raise EnvironmentFault(
                        f"The words {words!r} tell {path!r}, which is null in the row that was picked."
                    )
                facts.append(KnownFact(name=path, value=plain(each), said=self._said(each)))
                self._learn([(each, wish)])
        joined = bool(self._together)
        if self._together is not None:
            self._together = True
        self._script.wishes.append(Wish(words=[words.format(**rendered)], facts=facts, joined=joined, **parts))
        return wish

    def _other_texts(self, words: str, values: Mapping[str, Any], rendered: Mapping[str, str]) -> Iterator[str]:
        """The text as it would be if a choice in it had come to something else."""
        for name, value in values.items():
            origin = origin_of(value)
            for other in self._script.options.get(origin, ()) if origin is not None else ():
                yield words.format(**{**rendered, name: self._said(other)})

    def _learn(self, told: Sequence[tuple[Any, int]]) -> None:
        """Note that the user tells values in wishes."""
        for value, wish in told:
            origin = origin_of(value)
            if origin is not None:
                self._script.told.add(origin)
                self._script.told_in.setdefault(origin, wish)

    def _known_wish(self, wish: int) -> int:
        number = int(wish)
        if not self._first_wish <= number <= self._wish:
            raise EnvironmentFault(f"There is no wish {number!r} in this scenario; give what `story.wish` returned.")
        return number

    def _wish_of(self, number: int) -> Wish:
        return self._script.wishes[number - self._first_wish]

    def _change_wish(self, number: int, **parts: Any) -> None:
        at = number - self._first_wish
        self._script.wishes[at] = self._script.wishes[at].model_copy(update=parts)

    @property
    def _wish(self) -> int:
        return self._first_wish + len(self._script.wishes) - 1

    @property
    def _wish_now(self) -> int:
        """The wish that a step is for, be it before the first one is said: not one that is said later, or perhaps."""
        said = [
            number
            for number, wish in enumerate(self._script.wishes, self._first_wish)
            if wish.otherwise is None and wish.amends is None
        ]
        return said[-1] if said else self._first_wish

    def _heard_by(self, wish: int) -> int:
        """The last wish of the message that says a wish; -1 before the first one of all."""
        last = min(wish, self._wish)
        while last < self._wish and self._wish_of(last + 1).joined:
            last += 1
        return last

    def _said(self, value: Any) -> str:
        return said(value, str(self.today))


class Together:
    """Within it, wishes are said in one message."""

    __slots__ = ("_story",)

    def __init__(self, story: StoryWishes) -> None:
        self._story = story

    def __enter__(self) -> None:
        self._story._together = False

    def __exit__(self, *_: object) -> None:
        self._story._together = None


def check_marks(words: str, values: Mapping[str, Any]) -> None:
    """Errors: EnvironmentFault if the marks in words are not those of the values."""
    try:
        named = {name for _, name, _, _ in string.Formatter().parse(words) if name is not None}
    except ValueError as error:
        raise EnvironmentFault(f"The words {words!r} cannot be filled in: {error}.") from error
    if named != set(values):
        odd = sorted(named ^ set(values))[0]
        raise EnvironmentFault(f"The words {words!r} and their values do not fit: {odd!r}.")


def values_in(value: Any, name: str) -> Iterator[tuple[JsonPath, Any]]:
    """The values in an argument with their paths; an empty list holds none."""
    return ((path, leaf) for path, leaf in leaves_of(value, (name,)) if not isinstance(leaf, list | tuple | Mapping))
