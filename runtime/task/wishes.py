"""What the user of a scenario says: wishes one after another or together, what is kept back, believed, insisted on."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from runtime.domain.schema import RowRef
from runtime.errors import EnvironmentFault
from runtime.task.origin import ChoiceRef, JsonPath, Origin, computed, leaves_of, origin_of, plain, said, spoken, traced
from runtime.task.picks import StoryPicks
from runtime.task.task import TaskText
from runtime.task.user import MOST_WORDINGS, Belief, KnownFact, Wish

Words = str | Sequence[str]
"""What a wish is said with: words, or those of a plain, a formal and a casual speaker."""


class StoryWishes(StoryPicks):
    """One run of one scenario, as far as the user speaks; a wish is named by its number in the conversation."""

    _together: bool | None = None  # whether a wish was said in this message already; None outside of one

    def tell(self, words: Words, short: str = "", **values: Any) -> None:
        """Say a wish; each `{name}` stands for a value, which the user then knows and may repeat.

        Several wordings are those of a plain, a formal and a casual speaker; a task's user is one of these. `short`
        completes "Just ..., please.", with the same marks. A dictated text is put in quotes.
        """
        self._say(words, values, short)

    def wish(self, words: Words, short: str = "", **values: Any) -> int:
        """Say a wish as `tell` does; its number names it to whatever belongs to it."""
        return self._say(words, values, short)

    def in_short(self, wish: int, short: str, **values: Any) -> None:
        """Give the `short` of a wish by itself, where it needs a value that the user keeps back at first."""
        check_marks(short, values)
        rendered = {name: self._said(value) for name, value in values.items()}
        self._change_wish(self._known_wish(wish), short=self._filled(short, rendered))

    @contextmanager
    def together(self) -> Iterator[None]:
        """`with story.together():` says the wishes within it in one message."""
        self._together = False
        yield
        self._together = None

    def otherwise(self, wish: int, words: Words, short: str = "", **values: Any) -> int:
        """Say a wish if an earlier one is refused, and only then."""
        return self._say(words, values, short, otherwise=self._known_wish(wish))

    def changes_mind(self, wish: int, words: Words, short: str = "", **values: Any) -> int:
        """Say a wish that takes back or changes an earlier one."""
        return self._say(words, values, short, amends=self._known_wish(wish))

    def outside(self, words: Words) -> None:
        """Add a wish beyond the tools, which a good agent declines."""
        if self._says_outside:
            self._script.wishes.append(Wish(words=_wordings(words), form="outside", acts=False))

    def keep_back(self, name: str, value: Any, wish: int | None = None) -> None:
        """Let the user know something of a wish, by default the last one, that is told when it is asked for.

        A dictated text is told in quotes.
        """
        if value is None:
            raise EnvironmentFault(f"The user keeps back {name!r}, which is null in the row that was picked.")
        number = self._known_wish(self._wish if wish is None else wish)
        said = self._said(value)
        said = quoted(said, name, "") if self._is_dictated(said) else said
        fact = KnownFact(name=name, value=plain(value), said=said, withheld=True, proves=self._proves(value))
        self._learn(value, number)
        self._script.kept_back.append(value)
        self._change_wish(number, facts=[*self._wish_of(number).facts, fact])

    def misremembers(self, name: str, wrong: Any, truth: Any) -> Any:
        """Let the last wish say a detail wrong, which the user corrects when asked; the value to go on with.

        This is the truth, except where a proof runs the scenario with what is said at first.
        """
        said, wish = self._said_wrongly(name, wrong, truth), self._wish_of(self._wish)
        if self._script.misremembered:
            raise EnvironmentFault(f"The user misremembers {name!r}, and another detail before; one is enough.")
        self._change_wish(self._wish, facts=[fact for fact in wish.facts if fact.value != plain(wrong)])
        self.keep_back(name, truth)
        *others, fact = self._wish_of(self._wish).facts
        self._change_wish(self._wish, facts=[*others, fact.model_copy(update={"corrects": said})])
        return wrong if self._trusts else truth

    def believes(self, name: str, wrong: Any, truth: Any) -> None:
        """Let the user hold something to be so that a row contradicts; the words of the last wish say it."""
        words, wish = self._said_wrongly(name, wrong, truth), self._wish_of(self._wish)
        belief = Belief(name=name, said=words, truth=plain(truth))
        self._change_wish(self._wish, beliefs=[*wish.beliefs, belief])

    def insists(self, wish: int, words: Words) -> None:
        """Let the user say this when a wish is refused, in one wording or three; several in turn."""
        known = self._wish_of(self._known_wish(wish))
        self._change_wish(wish, insists=[*known.insists, words if isinstance(words, str) else _wordings(words)])

    def dictate(self, name: str, words: str, /, **values: Any) -> Any:
        """A text that the user dictates word for word, and the final state must hold; `{name}` stands for a value.

        Where it is told it stands in quotes, and the wish says "word for word".
        """
        text = self._write("dictated", words, values)
        rendered = {each: self._said(value) for each, value in values.items()}
        origin = Origin(ChoiceRef(name))
        self._script.options[origin] = list(self._other_texts(words, values, rendered))
        return spoken(traced(text, origin), text)

    def compose(self, name: str, words: str, /, **values: Any) -> Any:
        """A text that the assistant puts in words of its own, out of values that were told; these are one way to.

        What anybody writes in its place is never rewarded nor refused, so what counts goes into other columns, too.
        """
        text = self._write("composed", words, values)
        first, *others = values.values() or (self.now,)
        return spoken(computed(text, first, f"as {name}", *others), text)

    def _said_wrongly(self, name: str, wrong: Any, truth: Any) -> str:
        """How the last wish says what is wrong; errors: EnvironmentFault if it does not, or if it is the truth."""
        if plain(wrong) == plain(truth):
            raise EnvironmentFault(f"The user believes {name!r} to be {plain(wrong)!r}, which is true.")
        said = self._said(wrong)
        for each in self._wish_of(self._wish).words:
            if said.casefold() not in each.casefold():
                raise EnvironmentFault(f"The words {each!r} do not say {said!r}, which the user believes.")
        return said

    def _say(self, words: Words, values: Mapping[str, Any], short: str, **parts: Any) -> int:
        wordings = _wordings(words)
        for each in wordings:
            check_marks(each, values)
        unknown = _marks_in(short) - values.keys()
        if unknown:
            raise EnvironmentFault(f"The short clause {short!r} has the mark {min(unknown)!r}, which is not a value.")
        wish = self._first_wish + len(self._script.wishes)
        facts: list[KnownFact] = []
        rendered = {name: self._said(value) for name, value in values.items()}
        for name, value in values.items():
            for path, each in ((" ".join(map(str, path)), each) for path, each in values_in(value, name)):
                if each is None:
                    raise EnvironmentFault(
                        f"The words {wordings[0]!r} tell {path!r}, which is null in the row that was picked."
                    )
                facts.append(KnownFact(name=path, value=plain(each), said=self._said(each), proves=self._proves(each)))
                self._learn(each, wish)
        joined = bool(self._together)
        if self._together is not None:
            self._together = True
        said = [self._filled(each, rendered) for each in wordings]
        in_short = self._filled(short, rendered) if short else ""
        self._script.wishes.append(Wish(words=said, short=in_short, facts=facts, joined=joined, **parts))
        return wish

    def _proves(self, value: Any) -> str:
        """The column of the caller's own row that a value is, if it can identify them."""
        people, origin = self._session.domain.people, origin_of(value)
        if people is None or origin is None or not isinstance(origin.source, RowRef) or origin.made:
            return ""
        row = origin.source
        is_own = row.table == people.table and row.key == self._caller
        own = row.column if is_own else None
        return own if own in (people.name, *people.found_by, *people.proven_by) else ""

    def _filled(self, words: str, rendered: Mapping[str, str]) -> str:
        """Words with their values; a dictated text stands in quotes."""
        told = {
            name: quoted(text, f"{{{name}}}", words) if self._is_dictated(text) else text
            for name, text in rendered.items()
        }
        return words.format(**told)

    def _write(self, said: Literal["dictated", "composed"], words: str, values: Mapping[str, Any]) -> str:
        check_marks(words, values)
        rendered = {name: self._said(value) for name, value in values.items()}
        text = words.format(**rendered)
        self._script.texts[text] = TaskText(said=said, facts=list(rendered.values()))
        return text

    def _other_texts(self, words: str, values: Mapping[str, Any], rendered: Mapping[str, str]) -> Iterator[str]:
        """The text as it would be if a choice in it had come to something else."""
        for name, value in values.items():
            origin = origin_of(value)
            for other in self._script.options.get(origin, ()) if origin is not None else ():
                yield words.format(**{**rendered, name: self._said(other)})

    def _learn(self, value: Any, wish: int) -> None:
        """Note that the user tells a value in a wish."""
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
        """Return the wish that a step is for: the last unconditional one that tools serve; the first before any."""
        said = [
            number
            for number, wish in enumerate(self._script.wishes, self._first_wish)
            if wish.otherwise is None and wish.amends is None and wish.form != "outside"
        ]
        return said[-1] if said else self._first_wish

    def _heard_by(self, wish: int) -> int:
        """The last wish of the message that says a wish; -1 before the first one of all."""
        last = min(wish, self._wish)
        while last < self._wish and self._wish_of(last + 1).joined:
            last += 1
        return last

    def _said(self, value: Any) -> str:
        return said(value, str(self.today), day_first=self._session.domain.locale.day_first)

    def _is_dictated(self, text: str) -> bool:
        return text in self._script.texts and self._script.texts[text].said == "dictated"


def _wordings(words: Words) -> list[str]:
    """The wordings of a wish; errors: EnvironmentFault if there are none, or too many."""
    wordings = [words] if isinstance(words, str) else list(words)
    if not 1 <= len(wordings) <= MOST_WORDINGS:
        raise EnvironmentFault(f"A wish has {len(wordings)} wordings; give one to {MOST_WORDINGS}: {wordings!r}.")
    return wordings


def check_marks(words: str, values: Mapping[str, Any]) -> None:
    """Errors: EnvironmentFault if the marks in words are not those of the values."""
    named = _marks_in(words)
    if named != set(values):
        odd = sorted(named ^ set(values))[0]
        raise EnvironmentFault(f"The words {words!r} and their values do not fit: {odd!r}.")


def _marks_in(words: str) -> set[str]:
    try:
        return {name for _, name, _, _ in string.Formatter().parse(words) if name is not None}
    except ValueError as error:
        raise EnvironmentFault(f"The words {words!r} cannot be filled in: {error}.") from error


def values_in(value: Any, name: str) -> Iterator[tuple[JsonPath, Any]]:
    """The values in an argument with their paths; an empty list holds none."""
    return ((path, leaf) for path, leaf in leaves_of(value, (name,)) if not isinstance(leaf, list | tuple | Mapping))


def quoted(text: str, mark: str, words: str) -> str:
    """A dictated text as it is put in the place of a mark in the words of a request."""
    return text if f'"{mark}"' in words else f'"{text}"'


_ASSENT = re.compile(
    r"(?:(?:okay|ok|all right|alright)\b|(?:sure|yes|yep|yeah|fine|fair enough)(?=[,.!;:]))[\s,.!;:-]*(?=\w)",
    re.IGNORECASE,
)


def without_assent(words: str) -> str:
    """Words of ours without an "okay" at their start, which would be consent to whatever was offered before."""
    found = _ASSENT.match(words)
    if found is None:
        return words
    rest = words[found.end() :]
    return without_assent(rest[0].upper() + rest[1:] if words[0].isupper() else rest)


def is_dictated(text: str, words: str) -> bool:
    """True if words contain a text in quotes."""
    return f'"{text}"' in words
