"""What an assistant's message does: asks, wants a yes, promises, reports, refuses, offers, lists options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from runtime.harness.users.clauses import (
    APPROVAL,
    BULLET,
    HIDDEN,
    LABEL,
    LEADS,
    MARKS,
    QUOTED,
    QUOTES,
    RULE,
    clauses_of,
)
from runtime.harness.users.deeds import (
    CONDITION,
    DONE,
    IRREGULAR,
    NO_DEEDS,
    NO_PROMISE,
    NOT_YET,
    PENDING,
    PLAIN_REPORT,
    PLAN,
    STATE,
    STATEMENTS,
    STATES,
)
from runtime.harness.users.phrases import (
    AGREEMENT,
    CHECK,
    CLOSING,
    GO,
    GREETING,
    MEANT,
    OFFER,
    OKAY,
    PREFACE,
    PROMISED_NEED,
    REMARK,
    REQUEST,
    WANTS_TOLD,
    WH,
    YES_OR_NO,
    Act,
)


@dataclass(frozen=True)
class HeardClause:
    """One clause of a message and what it does."""

    act: Act
    text: str


@dataclass(frozen=True)
class Heard:
    """A message as the user hears it; `options` are the lines of its lists and tables."""

    parts: tuple[HeardClause, ...]
    options: tuple[str, ...]

    def acts(self, *acts: Act) -> list[HeardClause]:
        """The parts that do one of these."""
        return [part for part in self.parts if part.act in acts]

    def has(self, *acts: Act) -> bool:
        """Whether any part does one of these."""
        return any(part.act in acts for part in self.parts)

    @property
    def last_deed(self) -> Act | None:
        """What it says last of what it does, did or will not do."""
        return next((part.act for part in reversed(self.parts) if part.act in _DEEDS), None)


MOST_HEARD = 20_000  # characters of a message, its last ones; nobody listens to more
_SAID_IN_LISTS = ("ask", "check", "report", "pending", "refusal", "offer", "not_found")
_DEEDS = ("promise", "pending", "report", "refusal", "not_found")


@lru_cache(maxsize=512)
def hear(said: str, own: tuple[str, ...] = ()) -> Heard:
    """Read a message, markdown or not; what it quotes, or repeats of the user's `own` texts, does nothing itself."""
    quotes: list[str] = []

    def hide(match: re.Match[str]) -> str:
        if APPROVAL.fullmatch(match.group()):
            return match.group().strip('"')
        quotes.append(match.group())
        return f"\ue000{len(quotes) - 1}\ue001"

    said = said[-MOST_HEARD:].replace("\ue000", " ").replace("\ue001", " ")  # these two mark what is hidden below
    hidden = QUOTED.sub(hide, said.translate(QUOTES))
    for text in own:
        hidden = re.sub(re.escape(text.translate(QUOTES)), hide, hidden, flags=re.IGNORECASE)
    read = _read(hidden)

    def show(text: str) -> str:
        while "\ue000" in text:
            text = HIDDEN.sub(lambda match: quotes[int(match[1])], text)
        return text

    if not quotes:
        return read
    return Heard(tuple(HeardClause(part.act, show(part.text)) for part in read.parts), tuple(map(show, read.options)))


def _read(said: str) -> Heard:
    parts: list[HeardClause] = []
    options: list[str] = []
    header: HeardClause | None = None
    for line in said.splitlines():
        shown = MARKS.sub("", line).strip()
        if not shown or RULE.fullmatch(shown):
            continue
        is_item = bool(BULLET.match(line)) or shown.startswith("|")
        if is_item:
            shown = BULLET.sub("", shown).strip(" |")
            if not shown:
                continue
            options.append(shown)
            if header is not None and header in parts and header.act == "ask":
                parts.remove(header)  # what it asks for stands in the list
            parts += _read_item(shown, header)
            continue
        if LABEL.match(shown) and not shown.endswith("?") and len(shown.partition(":")[0].split()) <= 3:
            parts += _read_item(shown, None)
            continue
        found = [HeardClause(_classify(clause), clause) for clause in clauses_of(shown)]
        parts += found
        header = found[-1] if found and LEADS.search(shown) else None
    return Heard(tuple(parts), tuple(options) if len(options) > 1 else ())


def _read_item(shown: str, header: HeardClause | None) -> Iterator[HeardClause]:
    if header is not None and header.act == "ask" and not _WHICH.search(header.text):
        yield HeardClause("ask", shown)
        return
    planned = header is not None and PLAN.search(header.text)
    for clause in clauses_of(shown):
        act = _classify(clause)
        if planned and act in ("report", "promise"):
            act = "item"  # what would be done
        yield HeardClause(act if act in _SAID_IN_LISTS else "item", clause)


def _classify(clause: str) -> Act:
    text = clause.lower()
    is_question = clause.rstrip(" )\"'*.").endswith("?")
    preface = PREFACE.match(text)
    if preface and preface.end() == len(text):
        return "statement"
    if preface and is_question and (REQUEST.match(text, preface.end()) or WH.match(text[preface.end() :])):
        return _classify_question(text[preface.end() :])
    if CHECK.search(text) and not REMARK.search(text):
        return "closing" if CLOSING.search(text) and not GO.search(text) else "check"
    if CLOSING.search(text):
        return "closing"
    if (is_question or REQUEST.search(text)) and not PROMISED_NEED.search(text):
        return _classify_question(text)
    for act, pattern in STATEMENTS:
        if pattern.search(text):
            if act == "promise" and (CONDITION.match(text) or NO_PROMISE.search(text)):
                continue
            return act
    if PENDING.search(text) and not CONDITION.match(text):
        return "pending"
    if not CONDITION.match(text) and not NOT_YET.search(text) and _reports(text):
        return "report"
    if GREETING.match(text):
        return "closing"
    is_answer = YES_OR_NO.match(text) and len(text.split()) > 4
    return "agreement" if AGREEMENT.match(text) and not is_answer else "statement"


def _classify_question(text: str) -> Act:
    if MEANT.search(text) or OKAY.fullmatch(text):
        return "check"
    if OFFER.search(text) and not WANTS_TOLD.search(text):
        return "offer"
    if REQUEST.search(text) or WH.search(text):
        return "ask"
    return "yes_or_no"


def _reports(text: str) -> bool:
    if PLAIN_REPORT.search(text):
        return True
    for match in DONE.finditer(text):
        verb = match[match.lastindex or 0]
        if _is_past(verb) and verb not in NO_DEEDS and not (match.lastindex == STATE and verb in STATES):
            return True
    return False


def _is_past(verb: str) -> bool:
    return (verb.endswith("ed") and len(verb) > 4) or verb in IRREGULAR


_WHICH = re.compile(r"\b(?:which|one of)\b", re.IGNORECASE)
