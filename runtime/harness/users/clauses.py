"""The sentences, clauses, labels and lines that an assistant's message consists of, markdown or not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from runtime.harness.users.phrases import CLOSING

QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "."})
QUOTED = re.compile(r'"[^"\n]{2,400}"')
APPROVAL = re.compile(r'"(?:yes|ok|okay|confirm|go ahead|proceed)\W?"', re.IGNORECASE)
HIDDEN = re.compile("\ue000(\\d+)\ue001")
MARKS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)|^\s*#+|^\s*>+|<[^>]{1,20}>|[\U0001F300-\U0001FAFF]")
RULE = re.compile(r"[\s|:=-]+")
BULLET = re.compile(r"^\s*(?:[-*•+·]|\(?\d{1,2}[.)]|\(?[a-hA-H][.)])\s+")
LABEL = re.compile(r"(?!(?:here|what|which|summary|please|i|we|your)\b)[\w ()/'-]{2,30}:\s+\S", re.IGNORECASE)
LEADS = re.compile(r":\s*$|\bfollowing\b|\bthese\b[^.]*$|\?\s*$")


def clauses_of(text: str) -> Iterator[str]:
    """The clauses of a line, a question mark at each that asks."""
    for sentence in _SENTENCE_END.split(text):
        is_question = sentence.rstrip(" )\"'").endswith("?")
        closes = sentence.lower().startswith("if ") and CLOSING.search(_CLAUSE_END.split(sentence)[0].lower())
        for clause in [sentence] if closes else _CLAUSE_END.split(sentence):
            clause = clause.strip(" ,;-")
            if re.search(r"\w|[✅✔☑]", clause):
                yield f"{clause}?" if is_question and clause[-1] != "?" and _ASKING.match(clause) else clause


_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!i\.e\.)(?<!e\.g\.)(?<!Dr\.)(?<!Mr\.)(?<!Ms\.)(?<!Mrs\.)[)\"']*\s+")
_CLAUSE_END = re.compile(
    r"\s-\s|;\s|,? (?:but|so|and|then|or(?! should i leave)|however,?|yet) (?!i can\b(?!'t)|we can\b(?!'t)"
    r"|i'll be able\b|i may\b"
    r"|i could\b)(?=(?:i|i'll|i'm|i've|we|would|could|can|may|is|are|do|did|shall|should|what"
    r"|which|who|when|let|please|unfortunately|anything|done)\b)"
    r"|, (?=(?:let me|i'll|i will|could you|can you|would you|do you want|shall i|should i|may i|please (?:tell|provide"
    r"|confirm))\b)",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"(?:(?:with|for|to|from|in|on|at|of|by|under|through|about|until|since|before|after) )?"
    r"(?:what|which|who|whom|whose|when|where|why|how"
    r"|could|can|would|will|may|shall|should|is|are|do|does|did|has|have)\b",
    re.IGNORECASE,
)
