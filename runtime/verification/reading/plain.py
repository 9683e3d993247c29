"""What may stand around a value for it to be stated plainly: next to nothing.

No list of hedges, denials or framings could be complete, so what remains of a text is read the other way round: it must
be marks of layout, full stops and the like, and words that say nothing of their own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from runtime.verification.reading.spans import TAKEN_OUT
from runtime.verification.text.numerals import fold
from runtime.verification.text.words import NEGATORS

_SAY_NOTHING = """
a an the this that these those it its they them both here there i i'm i've you've you you're your my me we our
is was are were be been being am has have had will it's that's here's there's
of for to in on at by with and as so now own
yes yep sure okay ok certainly correct right indeed course absolutely please thanks thank exactly got
happy glad gladly pleasure
note notes copy line lines comes amounts reads says shows
answer value date day time moment number amount name
"""
# Words that a plain answer may hold beside its name. None denies, doubts, corrects or compares.
FUNCTION_WORDS = frozenset(_SAY_NOTHING.split())
_SAYS_YES = "yes yep yeah yup correct right exactly indeed absolutely certainly sure confirmed affirmative"
_YES = frozenset(_SAYS_YES.split())
_ALL = frozenset("all each every one two three four five".split())  # noqa: SIM905
_VERY = frozenset("very quite perfectly completely totally entirely precisely just spot well noted bit all".split())  # noqa: SIM905
_TELLS_SOURCE = """
i system record records recorded file files account database entry listed shown stated stored registered see seen
stands gave told given said mentioned above before just earlier already too either way from until per summary what
"""
_SOURCES = frozenset(_TELLS_SOURCE.split())  # whence a value is, in a yes that says so: "as in the system"
_OFFERS = re.compile(
    r"(?:or |and )?(?:(?:shall|should|may|can|could|do|would|will) (?:i|we|you)|is there|are there|what|how)\b",
    re.IGNORECASE,
)
MOST_BEFORE_YES = 4  # words, with the yes: "That is quite right"
_IT_IS = ("it is", "that is", "they are", "those are", "it does", "it was", "they were")
_DOUBTS = """
but or nor if unless though although however yet except than may might could would should maybe perhaps possibly
probably almost nearly hardly
"""
_UNSURE = frozenset(_DOUBTS.split())
_OFFERS_MORE = """
else more further other another additional next anything something thing help assist assistance today for with can
could do does may might i we you is there are need needs want wants like would wish that this it me us let know have
has any all to be if should please just and or at in on get done now so the a of your my questions question happy
feel free what how shall will ask hesitate not which matter matters come comes mind here am
i'm i'll there's ever always say word
"""
_CLOSING = frozenset(_OFFERS_MORE.split())
_MORE = re.compile(r"\b(?:else|more|further|next|all|help|assist)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:]\s|\s-\s|\s\(|\)")
_JUDGED = re.compile(rf"{TAKEN_OUT}\W*(?:is|was|are|were|be|'s|has|had|will|sounds|seems|looks)\b", re.IGNORECASE)
_COURTESY = re.compile(
    r"(?:(?:i'm|i am|we're|it's|always|so|very|just|do|a|my|and|all the) )*"
    r"(?:have|enjoy|thanks?|good|great|glad|happy|nice|lovely|best|wish(?:ing)?|wonderful|congratulations|cheers"
    r"|see you|bye|goodbye|take care|take your time|(?:you're )?welcome|pleasure|let me know|feel free)\b",
    re.IGNORECASE,
)
_WISHES = """
day morning afternoon evening night weekend week month time rest trip journey luck wishes patience waiting checking
check asking confirming reading visit ahead everything all everyone good great nice lovely wonderful pleasant fun very
soon again back out now so then later until around too and or the a your you of for with in on to at there be been
hear come go help reach contact whenever anytime through if need needs anything else ever more questions question
happy glad again any best wish have
"""
_WISHED = frozenset(_WISHES.split())  # what a courtesy is about; anything else that it names may refer to what was said
_TITLES = frozenset("mr mrs ms dr sir madam".split())  # noqa: SIM905
_REFERRING = """
that this these those it its it's they them one ones value values answer answers number amount date day name said
told lied lying me mine
"""
_REFERS = frozenset(_REFERRING.split())  # to what was said
_MAY_NOTE = re.compile(  # leave to write down what was said
    r"(?:so |and )?you can (?:now |just |safely )?(?:note|write|copy|put) (?:it|that|this|them)(?: down)?"
    r"(?:,? just| exactly)?(?: like (?:that|this)| as (?:it|that) (?:is|stands))?[.!]?",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"[^\W\d_a-z][\w'.-]*(?: [^\W\d_a-z][\w'.-]*){0,2}[.!]?")  # "Mr. Novak!"
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_LINKS = frozenset("a an the of for to in on at by from with and".split())  # noqa: SIM905
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_QUOTES = re.compile(rf"(['\"]?){TAKEN_OUT}[.,]?\1(?!\w)")
_QUOTED_VALUE = re.compile(rf"(['\"])({TAKEN_OUT}(?:[ ,]*{TAKEN_OUT})*[.,]?)\1")
_EMPHASIS = re.compile(r"(?<![\w*_`])[*_`]+|[*_`]+(?![\w*_`])")
_LEADING = re.compile(r"^\s*(?:[-*•–—]|#{1,6})\s+", re.MULTILINE)
_MARKS = re.compile(rf"(?:{TAKEN_OUT}|\s|[,:;|()=]|\.(?!\.)|(?<!\S)-(?=\s)|-(?=\s)|[→⇒](?=\s)|!(?=\s|$|[)]))*")


def prepare(text: str) -> str:
    """A message without emphasis, with one form for each quote, dash and space."""
    text = _EMPHASIS.sub("", _LEADING.sub("", text))
    return "\n".join(fold(line) for line in text.split("\n")).strip()


def words_of(text: str) -> list[str]:
    """The words of a text in small letters, possessives as what they belong to."""
    return [
        word.removesuffix("'s") if word not in FUNCTION_WORDS else word for word in _WORD.findall(fold(text).lower())
    ]


def name_words(name: str) -> frozenset[str]:
    """The words of a name that somebody uses who means it, in any order."""
    words = frozenset(words_of(name))
    return words - _LINKS or words


def find_phrase(phrase: str, text: str) -> Iterator[re.Match[str]]:
    """Where a phrase stands by itself in a prepared text, in any case, be it as a possessive."""
    return _phrase_pattern(phrase).finditer(text) if phrase.lower() in text.lower() else iter(())


@lru_cache(maxsize=4096)
def _phrase_pattern(phrase: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(phrase)}(?:'s)?(?!\w)", re.IGNORECASE)


def is_plain(rest: str, words: Collection[str], phrases: Iterable[str] = ()) -> bool:
    """Whether a prepared text, once its values were taken out, says nothing beyond some words.

    `phrases` may appear as well, each as a whole.
    """
    for phrase in phrases:
        if next(find_phrase(phrase, rest), None) is not None:
            rest = _QUOTES.sub(" ", _phrase_pattern(phrase).sub(TAKEN_OUT, rest))
    rest = _QUOTED_VALUE.sub(r"\2", rest)
    for word in words_of(rest):
        if word not in FUNCTION_WORDS and word not in words:
            return False
    return _MARKS.fullmatch(_WORD.sub(" ", rest)) is not None


def is_closing(sentence: str) -> bool:
    """Whether a sentence asks whether there is more to do, or offers that, and can mean nothing else."""
    words = words_of(sentence)
    asks = sentence.endswith("?") or "if" in words
    return asks and _MORE.search(sentence) is not None and _CLOSING.issuperset(words)


def sentences_of(text: str) -> list[str]:
    """The sentences of a prepared text, line by line."""
    return [part for part in _SENTENCE.split(text) if part.strip()]


def is_yes(
    sentences: Sequence[str], about: Collection[str], known: Collection[str] = (), said: Collection[str] = ()
) -> bool:
    """Whether a message is a yes to the question whether some values are right, and says nothing else.

    The values are taken out of its prepared sentences. The first one begins with yes and holds no number, and no word
    that denies, contrasts, conditions or doubts. Each part of a sentence says nothing beyond yes, whence the value is
    and the words `about` what was asked, or is a courtesy, the user's name, an offer or a closing question: a yes can
    be taken back in more ways than can be listed. A courtesy names nothing but what people wish each other and words
    that are `known` from the user; an offer does not refer to what was said. A sentence may also repeat a value with
    words that were `said` before, but say nothing of it.
    """
    first, *rest = sentences
    words = words_of(first)
    says_so = _YES & set(words[:MOST_BEFORE_YES]) or " ".join(words_of(_CLAUSE.split(first)[0])) in _IT_IS
    if not says_so or (NEGATORS | _UNSURE) & set(words):
        return False
    if first.endswith("?") or any(map(str.isdigit, first)):
        return False
    plain = {*_YES, *_ALL, *_VERY, *_SOURCES, *about}

    def is_harmless(text: str) -> bool:
        if is_plain(text, plain) or is_closing(text) or _MAY_NOTE.fullmatch(text):
            return True
        return _is_address(text, known) or _is_courtesy(text, known)

    def repeats(text: str) -> bool:
        return TAKEN_OUT in text and not _JUDGED.search(text) and is_plain(text, {*plain, *said})

    def may_follow(sentence: str) -> bool:
        if is_closing(sentence) or _is_offer(sentence):
            return True
        is_firm = not (NEGATORS | _UNSURE) & set(words_of(sentence)) and not sentence.endswith("?")
        parts = map(str.strip, _CLAUSE.split(sentence))
        return all(is_harmless(part) or (is_firm and repeats(part)) for part in parts)

    parts = map(str.strip, _CLAUSE.split(first))
    return all(is_harmless(part) or repeats(part) for part in parts) and all(map(may_follow, rest))


def _is_address(text: str, known: Collection[str]) -> bool:
    words = [word.removesuffix(".") for word in words_of(text)]
    return _ADDRESS.fullmatch(text) is not None and (words[0] in _TITLES or all(word in known for word in words))


def _is_courtesy(text: str, known: Collection[str]) -> bool:
    opening = _COURTESY.match(text)
    if opening is None or (NEGATORS | _UNSURE) & set(words_of(text)):
        return False
    return all(word in _WISHED or word in known for word in words_of(text[opening.end() :]))


def _is_offer(sentence: str) -> bool:
    """Whether a sentence asks what else to do, and does not refer to what was said."""
    words = words_of(re.sub(r"\b(?:like|want|need) me\b", "", sentence, flags=re.IGNORECASE))
    return sentence.endswith("?") and _OFFERS.match(sentence) is not None and not _REFERS & set(words)


def denies(sentence: str) -> bool:
    """Whether a prepared sentence has a word that denies."""
    return bool(NEGATORS & set(words_of(sentence)))
