"""What a question is about, without its circumstances: `the note` in `what should the note for the desk say`."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=1024)
def find_focus(question: str) -> str:
    """The words that name what is asked for; the whole question if they cannot be told."""
    text = " ".join(question.lower().replace("’", "'").split())
    text = _RELATIVE.sub("", _NUMBER_TO_CALL.sub("phone", text))
    source = _FOUND.search(text)
    if source:
        return source.group()
    asked = [_cut(match[2], match[1]) for match in _WH.finditer(text)]
    if not asked:
        match = _REQUEST.search(text)
        asked = [_trim(match[1])] if match else []
    asked += [match[1] or match[2] for match in _WAY.finditer(text)]
    asked += [each.strip() for each in _MORE.findall(text) if not any(each.strip() in other for other in asked)]
    return ", ".join(each for each in asked if each) or text


def _cut(tail: str, word: str) -> str:
    """What follows a question word, up to where its circumstances begin."""
    if word == "how":
        return tail
    if word not in ("what", "which", "whose", "how many", "how much"):
        return word
    tail = _LEAD.sub("", tail)
    head = _STOPS.split(tail, maxsplit=1)[0].strip(" ,?.")
    return f"{word} {head}" if word.startswith("how") else head


def _trim(wanted: str) -> str:
    """A list of wanted things without what they are wanted for."""
    parts = re.split(r",\s*|\s+(?:and|or|as well as)\s+", wanted)
    return ", ".join(_AFTER.split(_OF_WHAT.sub("", part), maxsplit=1)[0].strip(" ,?.") for part in parts)


_MORE = re.compile(r"\band (?:any|the|your|some) ([\w -]+)")
_WAY = re.compile(r"\b(from|to) (?:which|what|whom|where)\b|\b(from|to)\W*$")
_NUMBER_TO_CALL = re.compile(
    r"\bnumber (?:to|where|we can|i can|that) (?:we |i |you )?(?:can )?(?:be )?(?:call|reach|reached"
    r"|contact)\b(?: you| on| at)*"
)
_RELATIVE = re.compile(r"(?<=[\w)]), (?:which|who) (?:is|are|was|were|looks?|starts?|begins?|has|have|should)\b[^,?]*")
_FOUND = re.compile(
    r"\b(?:where|how) (?:did |had |have |do )?you (?:first )?(?:find|found|hear|heard|see|saw|come across|came across"
    r"|learn|learned|apply|discover)\b"
)
_WH = re.compile(
    r"\b(what|which|whom|whose|who|when|where|why|how many|how much|how long|how)\b('?s?\b.*?)"
    r"(?=$|[,;?]|\b(?:and|or) (?:\w+ )?(?:what|which|who|when|where|why|how)\b)"
)
_LEAD = re.compile(
    r"^(?:'s|\s+|\b(?:is|are|was|were|should|shall|will|would|do|does|did|can|could|has|have|you|we|i|like|want|wish"
    r"|prefer|me|to|use"
    r"|set|put|enter|give|add|write|record|need|the|your|a|an|be|exact|exactly|specific|precise|of|sort of"
    r"|kind of thing)\b)+"
)
_STOPS = re.compile(
    r"\b(?:for|on|in|at|with|under|so|that|to|by|when|before|since|because|as|regarding|about|if|you|we|i|would"
    r"|should|do|did|does"
    r"|will|can|could|is|are|was|were|has|have|be|shall|may|might|say|says|come|go|read)\b|[,(?]"
)
_REQUEST = re.compile(
    r"\b(?:provide|tell me|tell us|give me|give us|share|send me|send|specify|clarify|let me know|remind me of|spell"
    r"|state|describe|verify|repeat|supply|enter|paste|type|attach"
    r"|double-?check|check|(?:need|like|have|love|want) to (?:know|have|get|ask)|have|know|get|need|require|missing"
    r"|confirm|indicate|include|choose|pick|select|ask(?: for| you for)?|list|like to know|help to know)\b"
    r"(?: me| us)?(?: with)? (.+)"
)
_OF_WHAT = re.compile(
    r"(?<!name)(?<!names)(?<!title)(?<!type)(?<!kind)(?<!date)(?<!number) of (?:the|your|this|that)\b.*"
)
_AFTER = re.compile(
    r"\b(?:for|on|in|at|with|under|so|that|to|by|from|when|before|since|because|as|regarding|about|if|you|we|i"
    r"|associated|linked|registered|listed|again|please)\b|[(?]"
)
