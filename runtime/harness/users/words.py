"""What the scripted user says for each move: a task's own words, and a few sentences in three registers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from runtime.harness.users.machine import MOST_SAID, Move, is_short
from runtime.harness.users.proposal import with_unit
from runtime.task.user import KnownFact, Speech, User

Sentences = Mapping[Speech, tuple[str, ...]]

_AGREES: Sentences = {
    "plain": ("Yes, please.", "Yes, that's right, go ahead."),
    "formal": ("Yes, please proceed.", "Yes, that is correct, please go ahead."),
    "casual": ("Yes, go for it.", "Yep, do that please."),
}
# True of what is planned rightly or wrongly, and of an extra that nobody wished for.
_HOLDS: Sentences = {
    "plain": (
        "As long as it's what I asked for and nothing else, that's fine, thanks.",
        "If it's just what I asked for, that will do, thank you.",
        "Thanks, just what I asked for is fine.",
        "All I need is what I asked for, thanks.",
        "What I asked for, nothing beyond, thanks.",
    ),
    "formal": (
        "As long as it is what I requested and nothing further, that will do, thank you.",
        "If it is precisely what I requested, that is fine, thank you.",
        "Thank you, what I requested and no more will do.",
        "What I requested is all that I need, thank you.",
    ),
    "casual": (
        "If it's just what I asked for, I'm good, thanks.",
        "As long as it's what I said, nothing else, that's fine.",
        "Thanks, just what I asked for is plenty.",
        "Just what I said is all I need, thanks.",
    ),
}
_SETTLES: Sentences = {  # what was done, rightly or wrongly, or is still to be done of it, be it with an extra
    "plain": (
        "As long as it's what I asked for and nothing else, that's fine, thanks.",
        "If it's just what I asked for, that's all right, thank you.",
        "That's fine as long as it's just what I asked for, thanks.",
    ),
    "formal": (
        "As long as it is what I requested and nothing further, that is fine, thank you.",
        "If it is precisely what I requested, that is all right, thank you.",
        "That is fine as long as it is just what I requested, thank you.",
    ),
    "casual": (
        "If it's just what I asked for, I'm good, thanks.",
        "As long as it's what I said, nothing else, that's fine.",
        "That's fine as long as it's just what I said, thanks.",
    ),
}
_ASIDES: Sentences = {  # to what has nothing to do with what is wished: what is asked for follows, or that it stands
    "plain": ("All I can tell you is this: ", "What I have to say is just this: ", "There's only this from me: "),
    "formal": ("All that I can tell you is this: ", "I have only this to say: ", "What I came for is this: "),
    "casual": ("All I've got is this: ", "Can only tell you this: ", "Just here for this: "),
}
_PASSES_ON: Sentences = {  # a question that is left at that, before the next wish
    "plain": ("Nothing to add there, thanks.", "I've nothing more on that, thank you."),
    "formal": ("I have nothing to add there, thank you.", "There is nothing more from me on that, thank you."),
    "casual": ("Nothing more on that from me, thanks.", "Nothing to add there, thanks."),
}
_OWNS: Sentences = {  # that what was believed was not so
    "plain": ("Oh, then I had that wrong.", "Ah, my mistake."),
    "formal": ("Ah, then I was mistaken.", "I stand corrected."),
    "casual": ("Oh, got that wrong then.", "Oops, my mistake."),
}
_PASSES: Sentences = {  # a question that the user has no answer to, be it about what is left to do
    "plain": (
        "I can't say more about that, sorry. What I asked for is all I need.",
        "I have nothing to say about that, sorry. What I asked for is enough.",
    ),
    "formal": (
        "I am afraid I cannot say more about that. What I requested is all I need.",
        "I have nothing to say about that, I am sorry. What I requested is enough.",
    ),
    "casual": (
        "Can't really say, sorry. What I asked for is all I need.",
        "No idea about that, sorry. What I asked for is plenty.",
    ),
}
_WAIVES: Sentences = {  # what is offered instead of an answer
    "plain": ("No, that's all right, thank you.", "No need, thanks."),
    "formal": ("No, that will not be necessary, thank you.", "There is no need, thank you."),
    "casual": ("Nah, that's fine, thanks.", "No need, thanks."),
}
_GOES_ON: Sentences = {  # an offer, where the next wish follows
    "plain": ("Just what I asked for there, thanks.", "What I asked for is enough there, thank you."),
    "formal": ("Just what I requested there, thank you.", "What I requested is enough there, thank you."),
    "casual": ("Just what I said there, thanks.", "What I asked for is plenty there, thanks."),
}
_UNLESS_DONE: Sentences = {
    "plain": ("Unless that's done already: ", "If it isn't done yet: "),
    "formal": ("Unless it has been done already: ", "If it has not been done yet: "),
    "casual": ("Unless you did that already: ", "If that's not done yet: "),
}
_DECLINES: Sentences = {  # an offer: true also of a part of what was wished
    "plain": (
        "Nothing beyond what I asked for, thank you.",
        "No need for anything beyond what I asked for, thanks.",
        "I don't need anything beyond what I asked for, thank you.",
    ),
    "formal": (
        "Nothing beyond what I requested, thank you.",
        "There is no need for anything beyond what I requested, thank you.",
        "I require nothing further than what I requested, thank you.",
    ),
    "casual": (
        "Nothing past what I asked for, thanks.",
        "No need for anything more than what I asked for, thanks.",
        "I don't need anything beyond that, just what I asked for, thanks.",
    ),
}
_LIMITS: Sentences = {  # a plan that leaves no fact out, but may go beyond what was wished
    "plain": (
        "Yes, just as I asked, and nothing else, please.",
        "Yes, please, just what I asked for.",
        "Go ahead, just as I asked, nothing else.",
        "Please do, just what I asked for.",
    ),
    "formal": (
        "Yes, precisely as I requested, please.",
        "Please proceed, just as I requested and nothing further.",
        "Yes, please, just what I requested.",
    ),
    "casual": (
        "Yep, just like I said, nothing else.",
        "Sure, just what I asked for, please.",
        "Go for it, just like I said, nothing else.",
    ),
}
_LIMITS_TO: Sentences = {  # a plan that has something else for some facts
    "plain": (
        "Please do it as I asked: {facts}.",
        "It should be {facts}, as I asked.",
        "Just as I asked, please: {facts}.",
    ),
    "formal": (
        "Please do it as I requested: {facts}.",
        "It should be {facts}, as I requested.",
        "Precisely as I requested, please: {facts}.",
    ),
    "casual": (
        "Just like I said: {facts}.",
        "Should be {facts}, like I said.",
        "Do it like I asked, please: {facts}.",
    ),
}
_PROVIDED: Sentences = {  # a plan that leaves out what was wished, or says it in other words
    "plain": ("Yes, if that's about {facts}, as I asked.", "Only if that's about {facts}, as I asked."),
    "formal": ("Yes, provided it concerns {facts}, as I requested.", "Only if it concerns {facts}, as I requested."),
    "casual": ("Sure, if that's about {facts}, like I said.", "Only if that's about {facts}, like I said."),
}
_DICTATES: Sentences = {  # a plan with another text
    "plain": ('Word for word, please: "{text}"', 'The text goes: "{text}"'),
    "formal": ('Word for word, please: "{text}"', 'The text reads: "{text}"'),
    "casual": ('Word for word, please: "{text}"', 'The text goes: "{text}"'),
}
_HOLDS_TO: Sentences = {  # a question or an offer that has something else for some facts
    "plain": ("As I said: {facts}.", "I asked for {facts}.", "What I asked for was {facts}."),
    "formal": ("As I said: {facts}.", "I requested {facts}.", "What I requested was {facts}."),
    "casual": ("Like I said: {facts}.", "I asked for {facts}.", "I said {facts}."),
}
_SHRUGS: Sentences = {
    "plain": (
        "I can't tell you more about that, sorry. Just what I asked for, please.",
        "I have nothing to add to that. What I asked for is all I need.",
        "That's all I know, I'm afraid. I'd just like what I asked for.",
    ),
    "formal": (
        "I am afraid I have nothing to add to that. What I requested is all I need.",
        "I cannot tell you more about it, I am sorry. Just what I requested, please.",
        "That is all I can say about it. I would simply like what I requested.",
    ),
    "casual": (
        "No idea beyond what I said, sorry. Just what I asked for, please.",
        "That's all I've got. I just need what I asked for.",
        "Can't tell you more than that, sorry. Just what I said, please.",
    ),
}
_STANDS: Sentences = {
    "plain": (
        "I'd still like it just as I asked, please.",
        "What I asked for still stands.",
        "I'd like just what I asked for, please.",
    ),
    "formal": (
        "I would still like it precisely as I requested, please.",
        "My request stands as it is.",
        "I would like just what I requested, please.",
    ),
    "casual": (
        "I'd still like it just like I said, please.",
        "Still the same thing I asked for, please.",
        "I'd like just what I asked for, please.",
    ),
}
_RESTATES: Sentences = {
    "plain": ("Just so it's clear: ", "To be clear: ", "Let me say that again: "),
    "formal": ("Allow me to be clear: ", "To avoid any misunderstanding: ", "Let me put it once more: "),
    "casual": ("Just to be clear: ", "So, once more: ", "To spell it out: "),
}
_THANKS: Sentences = {
    "plain": ("Thank you.", "Thanks."),
    "formal": ("Thank you very much.", "Thank you."),
    "casual": ("Great, thanks.", "Thanks!"),
}
_ACCEPTS: Sentences = {  # that it was refused, came to nothing, or was answered somehow
    "plain": ("All right.", "Okay."),
    "formal": ("Very well.", "I see."),
    "casual": ("Okay.", "Alright."),
}
_ENDS: Sentences = {
    "plain": ("That was all, goodbye.", "That's everything. Goodbye."),
    "formal": ("That was all. Goodbye.", "That will be all, goodbye."),
    "casual": ("That's all, bye!", "That's it from me, bye."),
}

_OPENER = re.compile(  # belongs to the place where the words were said first
    r"(?:hello|hi|hey|good (?:morning|afternoon|evening))(?: there)?[,.!]*\s+"
    r"|(?:(?:and|also|next|now|oh)\b,?\s+)?then,?\s+|(?:and|also|next|oh),?\s+",
    re.IGNORECASE,
)
_SHORT = 30  # words of wishes that are said again in answer to a question
_LONG = 6  # words; a fact of so many is given as a text


class Speaker:
    """One user's voice, in one episode: what it says depends on the moves alone, and on the seed."""

    def __init__(self, user: User, seed: int) -> None:
        self._user = user
        self._seed = seed
        self._times: dict[int, int] = {}

    def fork(self) -> Speaker:
        """The same voice at the same point."""
        twin = Speaker(self._user, self._seed)
        twin._times = dict(self._times)
        return twin

    def say(self, move: Move, question: str = "") -> str:
        """A move in words; `question` is the closed question that it asks, if any."""
        owns = f"{self._one_of(_OWNS)} " if move.owns else ""
        return owns + self._say(move, question)

    def _say(self, move: Move, question: str) -> str:
        match move.deed:
            case "tell":
                return tell_facts(move.facts)
            case "agree":
                return self._one_of(_AGREES)
            case "limit" | "hold":
                return self.keep_to(move)
            case "provided":
                return self._one_of(_PROVIDED).format(facts=self._in_short(move.facts))
            case "settle":
                return self._one_of(_SETTLES)
            case "decline":
                return self._one_of(_DECLINES)
            case "waive":
                return self._one_of(_WAIVES)
            case "pass":
                return self._one_of(_PASSES)
            case "shrug":
                return self._one_of(_SHRUGS)
            case "stand":
                return self._one_of(_STANDS)
            case "restate":
                return self._one_of(_RESTATES) + self.restated(move)
            case "aside":
                words = self.restated(move)
                if len(words.split()) > _SHORT:
                    return f"{self._one_of(_PASSES_ON)} {self._one_of(_STANDS)}"
                return self._one_of(_ASIDES) + words
            case "press" | "drop":
                return move.insists
        before = self.before(move)
        if question or move.ends:
            return f"{before} {question or self._one_of(_ENDS)}".strip()
        words = " ".join(self._user.wishes[wish].words[0] for wish in move.wishes)
        if move.unless_done:
            words = self._one_of(_UNLESS_DONE) + without_opener(words)
        if words[:1].islower():  # as its user writes
            before = before and f"{before.rstrip('.!')},"
        return f"{before} {words}".strip()

    def keep_to(self, move: Move) -> str:
        """What was wished, for a plan, a question or an offer; with the facts that it has otherwise, or leaves out."""
        limits = move.deed == "limit"
        facts = list(filter(is_short, move.facts))
        texts = [fact for fact in move.facts if not is_short(fact)]
        if len(texts) == 1 and not facts:
            return self._one_of(_DICTATES).format(text=texts[0].said)
        if not 0 < len(facts) <= MOST_SAID:
            return self._one_of(_LIMITS if limits else _HOLDS)
        return self._one_of(_LIMITS_TO if limits else _HOLDS_TO).format(facts=self._in_short(facts))

    def before(self, move: Move) -> str:
        """What is said first about the wishes before: thanks once, if they were seen to, or what a question gets."""
        if move.first is not None:
            ways = {"decline": _GOES_ON, "pass": _PASSES_ON}
            return self._one_of(ways[move.first.deed]) if move.first.deed in ways else self.say(move.first)
        is_said = not move.after or (move.deed == "note" and move.after == "noted")
        return "" if is_said else self._one_of(_THANKS if move.after == "seen_to" else _ACCEPTS)

    def restated(self, move: Move) -> str:
        """The wishes again: each time in another wording, if they have one."""
        said = [self._user.wishes[wish].words for wish in move.wishes]
        return " ".join(without_opener(words[move.again % len(words)]) for words in said)

    def _in_short(self, facts: Sequence[KnownFact]) -> str:
        """Facts as they stand in the wishes; a number with the word that follows it there."""
        words = " ".join(words for wish in self._user.wishes for words in wish.words)
        return ", ".join(dict.fromkeys(with_unit(fact, words) for fact in facts))

    def _one_of(self, sentences: Sentences) -> str:
        choices = sentences[self._user.speech]
        times = self._times.get(id(sentences), self._seed)
        self._times[id(sentences)] = times + 1
        return choices[times % len(choices)]


def tell_facts(facts: Sequence[KnownFact]) -> str:
    """Facts that were asked for: one as an answer, several, or a text, with their names."""
    if len(facts) == 1 and len(facts[0].said.split()) < _LONG:
        return f"It's {_ended(facts[0].said)}"
    parts = [f"{fact.name.replace('_', ' ')}: {fact.said}" for fact in facts]
    return _capital(_ended("; ".join(parts)))


def without_opener(words: str) -> str:
    """The words without a greeting, or what ties them to the wish before."""
    cut = False
    while opener := _OPENER.match(words):
        if opener.end() == len(words):
            break
        words, cut = words[opener.end() :], True
    return _capital(words) if cut else words


def _ended(text: str) -> str:
    return text if text[-1:] in ".!?" else f"{text}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
