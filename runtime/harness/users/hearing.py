"""What an assistant's message does: asks, wants a yes, promises, reports, refuses, offers, lists options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Act = Literal[
    "ask",  # wants to be told something
    "check",  # wants a yes before it goes on
    "offer",  # would do, or asks about, something more
    "yes_or_no",  # any other question
    "promise",
    "report",
    "refusal",
    "not_found",
    "closing",  # anything else?
    "agreement",
    "item",  # a line of a list or table
    "statement",
]


@dataclass(frozen=True)
class Part:
    """One clause of a message and what it does."""

    act: Act
    text: str


@dataclass(frozen=True)
class Heard:
    """A message as the user hears it; `options` are the lines of its lists and tables."""

    parts: tuple[Part, ...]
    options: tuple[str, ...]

    def acts(self, *acts: Act) -> list[Part]:
        """The parts that do one of these."""
        return [part for part in self.parts if part.act in acts]

    def has(self, *acts: Act) -> bool:
        """Whether any part does one of these."""
        return any(part.act in acts for part in self.parts)

    @property
    def last_deed(self) -> Act | None:
        """What it says last of what it does, did or will not do."""
        return next((part.act for part in reversed(self.parts) if part.act in _DEEDS), None)


_DEEDS = ("promise", "report", "refusal", "not_found")


@lru_cache(maxsize=512)
def hear(said: str, own: tuple[str, ...] = ()) -> Heard:
    """Read a message, markdown or not; what it quotes, or repeats of the user's `own` texts, does nothing itself."""
    quotes: list[str] = []

    def hide(match: re.Match[str]) -> str:
        quotes.append(match.group())
        return f"\ue000{len(quotes) - 1}\ue001"

    hidden = _QUOTED.sub(hide, said.translate(_QUOTES))
    for text in own:
        hidden = re.sub(re.escape(text.translate(_QUOTES)), hide, hidden, flags=re.IGNORECASE)
    read = _read(hidden)

    def show(text: str) -> str:
        while "\ue000" in text:
            text = _HIDDEN.sub(lambda match: quotes[int(match[1])], text)
        return text

    if not quotes:
        return read
    return Heard(tuple(Part(part.act, show(part.text)) for part in read.parts), tuple(map(show, read.options)))


def _read(said: str) -> Heard:
    parts: list[Part] = []
    options: list[str] = []
    header: Part | None = None
    for line in said.splitlines():
        shown = _MARKS.sub("", line).strip()
        if not shown or _RULE.fullmatch(shown):
            continue
        is_item = bool(_BULLET.match(line)) or shown.startswith("|")
        if is_item:
            shown = _BULLET.sub("", shown).strip(" |")
            if not shown:
                continue
            options.append(shown)
            if header is not None and header in parts and header.act == "ask":
                parts.remove(header)  # what it asks for stands in the list
            parts += _read_item(shown, header)
            continue
        if _LABEL.match(shown) and not shown.endswith("?") and len(shown.partition(":")[0].split()) <= 3:
            parts += _read_item(shown, None)
            continue
        found = [Part(_classify(clause), clause) for clause in _clauses_of(shown)]
        parts += found
        header = found[-1] if found and _LEADS.search(shown) else None
    return Heard(tuple(parts), tuple(options) if len(options) > 1 else ())


def _read_item(shown: str, header: Part | None) -> Iterator[Part]:
    if header is not None and header.act == "ask" and not _WHICH.search(header.text):
        yield Part("ask", shown)
        return
    for clause in _clauses_of(shown):
        act = _classify(clause)
        yield Part(act if act in ("ask", "check", "report", "refusal", "offer", "not_found") else "item", clause)


def _clauses_of(text: str) -> Iterator[str]:
    for sentence in _SENTENCE_END.split(text):
        is_question = sentence.rstrip(" )\"'").endswith("?")
        for clause in _CLAUSE_END.split(sentence):
            clause = clause.strip(" ,;-")
            if re.search(r"\w|[✅✔☑]", clause):
                yield f"{clause}?" if is_question and clause[-1] != "?" and _ASKING.match(clause) else clause


def _classify(clause: str) -> Act:
    text = clause.lower()
    is_question = clause.rstrip(" )\"'*.").endswith("?")
    if _CHECK.search(text) and not _REMARK.search(text):
        return "closing" if _CLOSING.search(text) and not _GO.search(text) else "check"
    if _CLOSING.search(text):
        return "closing"
    if (is_question or _REQUEST.search(text)) and not _PROMISED_NEED.search(text):
        return _classify_question(text)
    for act, pattern in _STATEMENTS:
        if pattern.search(text):
            if act == "promise" and (_CONDITION.match(text) or _NO_PROMISE.search(text)):
                continue
            return act
    if not _CONDITION.match(text) and not _NOT_YET.search(text) and _reports(text):
        return "report"
    if _GREETING.match(text):
        return "closing"
    return "agreement" if _AGREEMENT.match(text) else "statement"


def _classify_question(text: str) -> Act:
    if _MEANT.search(text):
        return "check"
    if _OFFER.search(text) and not _WANTS_TOLD.search(text):
        return "offer"
    if _REQUEST.search(text) or _WH.search(text):
        return "ask"
    return "yes_or_no"


def _reports(text: str) -> bool:
    if _PLAIN_REPORT.search(text):
        return True
    for match in _DONE.finditer(text):
        verb = match[match.lastindex or 0]
        if _is_past(verb) and verb not in _NO_DEEDS and not (match.lastindex == _STATE and verb in _STATES):
            return True
    return False


def _is_past(verb: str) -> bool:
    return (verb.endswith("ed") and len(verb) > 4) or verb in _IRREGULAR


_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "."})
_QUOTED = re.compile(r'"[^"\n]{2,400}"')
_HIDDEN = re.compile("\ue000(\\d+)\ue001")
_LABEL = re.compile(r"(?!(?:here|what|which|summary|please|i|we|your)\b)[\w ()/'-]{2,30}:\s+\S", re.IGNORECASE)
_MARKS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)|^\s*#+|^\s*>+|<[^>]{1,20}>|[\U0001F300-\U0001FAFF]")
_RULE = re.compile(r"[\s|:=-]+")
_BULLET = re.compile(r"^\s*(?:[-*•+·]|\(?\d{1,2}[.)]|\(?[a-hA-H][.)])\s+")
_LEADS = re.compile(r":\s*$|\bfollowing\b|\bthese\b[^.]*$|\?\s*$")
_SENTENCE_END = re.compile(r"(?<=[.!?])[)\"']*\s+")
_CLAUSE_END = re.compile(
    r"\s-\s|;\s|,? (?:but|so|and|then|or|however,?|yet) (?!i can\b(?!'t)|we can\b(?!'t)|i'll be able\b|i may\b|i could\b)(?=(?:i|i'll|i'm|i've|we|would|could|can|is|are|do|did|shall|should|what"
    r"|which|who|when|let|please|unfortunately|anything|done)\b)"
    r"|, (?=(?:let me|i'll|i will|could you|can you|would you|shall i|should i|may i|please (?:tell|provide|confirm))\b)",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"(?:(?:with|for|to|from|in|on|at|of|by|under|through|about) )?(?:what|which|who|whom|whose|when|where|why|how|could|can|would|will|may|shall|should|is|are|do|does|did|has|have)\b",
    re.IGNORECASE,
)
_WHICH = re.compile(r"\b(?:which|one of)\b", re.IGNORECASE)

_GO = re.compile(r"\bproceed\b|\bgo ahead\b|\bcontinue\b|\bcorrect\b|\bconfirm")
_CHECK = re.compile(
    r"\b(?:shall|should|may|can|could) (?:i|we) (?!have\b|get\b|ask\b|know\b|help\b|assist\b|use\b.*\bwhich\b|do (?:for|next)\b|call you\b)"
    r"|\b(?:would you like|do you want|want|you'd like|you would like|you want|okay for|ok for|alright for|good for) (?:me|us) to\b"
    r"|\b(?:ready|okay|ok|happy|like|want|safe|good) (?:for me )?to (?:proceed|go ahead|continue)\b|\bgood to go\b"
    r"|\b(?:is|are|was|were) (?:that|this|these|those|it|everything|all(?: of)? (?:that|this)|the (?:above|details?|information)(?: above)?|my understanding)"
    r"(?: all| both)? (?:correct|right|ok|okay|accurate|good|fine|alright|what you (?:want|meant?|had))\b"
    r"|\b(?:correct|right|okay|ok|yes|alright|agreed)\s*\?|\bis that so\b|(?:^|[,:] ?)to (?:confirm|make sure|double-?check|verify|clarify|be (?:sure|clear|certain|safe))\b|\b(?:just|only) (?:to|so) (?:confirm|make sure|double-?check|verify|clarify|be (?:sure|clear|certain|safe))\b"
    r"|\b(?:please|can you|could you|do you|kindly|would you|i need you to|just|simply)(?: please| just)* (?:re-?)?confirm\b|^confirm\b"
    r"|\bconfirm (?:that|with|by|if|whether|to|and|so)\b|\b(?:your|explicit) (?:confirmation|approval|go-ahead|permission|ok)\b"
    r"|\b(?:reply|respond|answer|say|type|write)(?: with)? [\"']?(?:yes|confirm|ok)\b|\byes ?/ ?no\b|\by/n\b|\(yes or no\)"
    r"|\b(?:sounds?|looks?)(?: all)? (?:good|right|ok|okay|correct|fine)\b.*\?|\bdoes (?:that|this|it|everything|the \w+) (?:look|sound|seem|work)\b"
    r"|\bare you (?:really |absolutely )?sure\b|\bdo you (?:really|still|definitely) want\b|\bdo i have (?:that|it|this|everything)\b|\b(?:did|have) i (?:get|got|understand|understood)\b"
    r"|\b(?:go ahead|proceed|continue)(?: with (?:this|that|it|the \w+))?(?: now)?\s*\?|\blet me know (?:if|whether) (?:that|this|it|everything|i should|i can|you(?:'d| would) like (?:me )?to (?:proceed|go ahead))\b"
    r"|(?:^|[:,] )so,? you(?:'d| would|'re)? (?:want|like|wish|asking)\b.*\?|(?:^|[:,] )you(?:'d| would)? (?:want|like|wish|mean)\b.*\?|^(?:so,? |and |okay,? |ok,? )?(?:that's|that is|that would be|it's|this is|we're talking about)\b.*\?|\bthe one you (?:mean|meant|want)|\bif i understand (?:you )?(?:correctly|right)"
)
_REMARK = re.compile(r"^(?:(?:in|with|for|to|on|at|from|under|by|of) )?(?:what|which|who|whose|whom|when|where|how|why)\b(?!.*\b(?:correct|right)\s*\?)|\b(?:which|what|who|when|where|how) (?:\w+ ){0,3}(?:should|shall|can|may) (?:i|we)\b")
_MEANT = re.compile(r"^(?:so |and |then )?(?:do |did )?you (?:mean|meant)\b(?!.*\bor\b(?! (?:after|later|before|earlier|more|less)))|^(?:so |and )?(?:is|was) (?:it|that|this) (?!.*\bor\b)(?:the|for|about)\b")
_CLOSING = re.compile(
    r"\b(?:any ?thing|something|what|anyone) else\b|\banything more\b|\banything further\b"
    r"|\b(?:any|some|other|further|more|additional) (?:other |further |more )?(?:questions?|requests?|assistance|help)\b"
    r"|\bhow (?:else )?(?:can|may|could) i (?:help|assist|be of)|\b(?:can|may) i (?:help|assist)\b|\bwhat (?:can|may) i (?:do|help)"
    r"|\blet me know (?:if|whether|when|should) (?:you(?:'d|'re| would| should| have| need| want| ever| wish| run|\b)|there|any)"
    r"|\bfeel free\b|\bdon't hesitate\b|\bdo not hesitate\b|\bwhat would you like to do (?:next|now)\b|\bwhat(?:'s| is) next\b|^next\?"
    r"|\bis there (?:another|any other)\b|\b(?:update|change|know|add|do|review|adjust|see|book|set) anything\b|\bhave a (?:great|nice|good|wonderful|lovely)\b|\bgood luck\b|\bbest of luck\b|\bi(?:'m| am| will be|'ll be) (?:here|happy to (?:help|assist) (?:with|further|if|you with (?:any|other))|glad to help)\b"
    r"|\bif you (?:need|have|want|would like|'d like|change your mind|ever)\b(?!.*\bplease (?:tell|provide|share|give))|\bjust (?:let me know|say the word|ask)\b(?! (?:which|what|who|when|where|how))"
    r"|\b(?:looking|hope) (?:forward|this helps)|\bthank(?:s| you) for (?:your patience|using|contacting|reaching)"
)
_REQUEST = re.compile(
    r"\b(?:could|can|would|will) you (?:please |kindly |also |just |maybe |perhaps |quickly |possibly )*(?:provide|tell|give|share|send|specify|clarify|let me know|remind|spell|state"
    r"|describe|elaborate|check|double-?check|verify|repeat|supply|enter|choose|pick|select|help me|point me|list|say|expand|confirm (?:your|the|which|what))\b"
    r"|\b(?:please|kindly)(?: also| just)? (?:provide|tell|give|share|send|specify|clarify|let me know|state|describe|verify|repeat|supply|enter|choose|pick|select|indicate|list|include|reply|advise|say)\b"
    r"|\bi(?:'ll| will|'d| would)?(?: also| just| still| first| only| really)* (?:need|require|be needing)\b(?! to (?!know|have|ask|get|verify|confirm))"
    r"|\b(?:may|can|could|might) i (?:please |also |just )?(?:have|ask|know|get)\b|\bdo you (?:happen to |still |also )?(?:have|know|remember|recall)\b"
    r"|\blet me know (?:the|your|which|what|who|when|where|how|a|about)\b|\bi(?:'m| am) missing\b|\b(?:i'd|i would|would) (?:like|love) to know\b|\b(?:would|d) help (?:me )?(?:to know|if)\b"
    r"|\bneeds? (?:more|some more|further|additional|a few|a bit more|the following) (?:details?|information|info)\b|\b(?:still )?(?:missing|needed|required)\s*:"
    r"|\btell me (?:the|your|which|what|who|when|where|how|more)\b|\bif you (?:could|can) (?:please )?(?:provide|tell|give|share)\b|^(?:your|the) [\w -]{2,30}, please\b|\bplease\?\s*$"
    r"|^(?:what|which|who|when|where)\b[^.]*:$"
)
_WANTS_TOLD = re.compile(r"\bwould you (?:like|prefer|want) (?:to (?:use|choose|provide|tell|specify|set|give)|it|the|that|this)\b.*\b(?:or|what|which|when)\b|^(?:and |so )?(?:(?:for|with|in|on|at|to|from|under) )?(?:what|which|when|where|who|how)\b")
_PROMISED_NEED = re.compile(r"\bi(?:'ll| will)?(?: first)? need to (?:look|check|find|search|pull|see|first)\b|\bno need\b")
_OFFER = re.compile(r"\b(?:would you (?:also )?(?:like|prefer|care)|do you (?:also |still |perhaps )?(?:want|need|wish|prefer)|would you (?:also )?want|are you interested|interested in)\b")
_WH = re.compile(r"(?:^|[,:(] ?|\bwith |\bfrom |\bunder |\bby |\bask |\band |\bor |\bfor \w+, |\bto |\bon |\bin |\bat |\bwith |\bof |\bfor |\babout |\bknow )(?:what|which|who|whom|whose|when|where|why|how)(?:'s|'re)?\b|^(?:so|and|also|okay|ok|great|sure|thanks|hi|hello)[,!. ]+.*\b(?:what|which|who|when|where|how)\b")

_STATEMENTS: tuple[tuple[Act, re.Pattern[str]], ...] = (
    (
        "refusal",
        re.compile(
            r"\b(?:don't|do not|can't|cannot|couldn't) (?:see|find|have) (?:any |a |an |the )?(?:\w+ )?(?:tool|way|option|function|feature|means|possibility|service|method)s?\b"
        ),
    ),
    (
        "not_found",
        re.compile(
            r"\b(?:couldn't|could not|can't|cannot|can not|unable to|wasn't able to|not able to|didn't|did not|don't|do not|failed to)(?: seem to| currently| actually)? (?:find|locate|see|identify|match)\b"
            r"|\bno (?:\w+ ){0,3}(?:found|match(?:es|ing)?|results?)\b|\b(?:doesn't|does not|don't|do not) (?:appear to |seem to )?(?:exist|match)\b|\bnot found\b"
        ),
    ),
    (
        "refusal",
        re.compile(
            r"\b(?:i|we)(?:'m| am| are|'re)?(?: really| very| so| truly| terribly)?(?: sorry,?)?(?: but)?(?: i)?(?: unfortunately| currently| also| only| simply| just| still| really)*"
            r" (?:can't|cannot|can not|couldn't|could not|am not able|wasn't able|'m not able|unable|was unable|not able|won't be able|will not be able|not (?:allowed|permitted|authori[sz]ed|equipped|set up)"
            r"|(?:don't|do not|lack)(?: currently| actually)? have|have no|lack|must decline|have to decline|can only|won't|will not|am afraid|'m afraid|would not be able|wouldn't be able)\b(?! (?:wait|stress|recommend|seem|any (?:questions|trouble)))"
            r"|\b(?:unable|not able) to\b"
            r"|\b(?:is|are|was|were)(?:n't| not)(?: \w+)? (?:possible|available|supported|allowed|permitted|something|within|part of|covered|offered|included|in my|a (?:service|feature|tool))\b"
            r"|\b(?:outside|beyond)(?: of)? (?:what|my|the|our)\b|\bout of (?:my )?(?:scope|reach)\b|\b(?:there(?:'s| is)|have|has) no (?:way|tool|option|function|feature|means|ability|service)\b|\bno (?:tool|function|option|feature) (?:for|to|that)\b"
            r"|\b(?:policy|system|tools?|rules?) (?:does not|doesn't|do not|don't|won't|will not|cannot|can't) (?:allow|permit|let|support|include|offer|have|cover)\b|\bagainst (?:the |our )?(?:policy|rules)\b"
            r"|\b(?:doesn't|does not) (?:allow|permit|support)\b|\byou(?:'ll| will|'d| would)? (?:need|have) to (?:contact|book|arrange|do (?:this|that|it)|handle|reach|sign up|ask|use|send|go)\b"
            r"|\b(?:was|were|got|been) (?:rejected|denied|refused|declined) (?:by|because|since|as)\b|\b(?:transfer(?:ring|red)?|escalat\w+|hand(?:ing|ed)?) (?:you|this|it)\b.*\b(?:human|agent|person|specialist|team|representative|colleague)\b"
            r"|\bcannot be (?!undone|reversed|reverted|recovered|restored|changed (?:later|back|afterwards)|taken back)\w+|\bcan't be (?!undone|reversed|reverted|recovered|restored)\w+|\bisn't (?:something|possible)|\bnot something i\b|\bcan not be \w+ because\b"
        ),
    ),
    (
        "promise",
        re.compile(
            r"\b(?:i|we)(?:'ll| will| shall)(?! need\b| require\b| be (?:happy|glad|here|sure|able)| not\b| let you\b| have (?:been|to decline)\b| assume\b)|\b(?:i'm|i am|we're) (?:now |just |currently |still |about to |going to |gonna )*(?:going to|about to|\w+ing\b)"
            r"|\blet me (?!know\b|be clear|explain)|\blet's \w+|\b(?:one|a|just a|give me a|hold on a|hang on a|wait a) (?:quick |brief |few )?(?:moment|sec|second|seconds|minute|minutes|moments)\b|\bhold on\b|\bhang on\b|\bbear with me\b|\bplease (?:wait|hold|stand by)\b|\bstand by\b"
            r"|^(?:now |currently |still )?(?:looking|checking|working|searching|processing|cancelling|canceling|updating|fetching|retrieving|pulling)\b|\bright away\b|\bon it\b|\bi need to (?:look|check|find|search|pull|first)\b|\b(?:first|next),? i (?:need|have|want) to\b|\bi plan to\b|\bwill do\b|\bgetting (?:that|this|it) (?:done|started|sorted)"
        ),
    ),
)
_CONDITION = re.compile(r"(?:please note|note|important|warning|heads[- ]up|keep in mind)\b|(?:once|after|when|if|until|before|as soon as|as the|whenever|unless)\b(?!.*, (?:i'm|let me))")
_NO_PROMISE = re.compile(r"\b(?:once|as soon as|after|when|if|before|until) (?:you|i have|i've|i get|i know|that's)\b|\bi(?:'m| am) (?:sorry|afraid|missing|wondering|showing|seeing|looking at|assuming)\b|\bi(?:'ll| will) (?:leave it|keep that in mind|then|only)\b")
_NOT_YET = re.compile(
    r"\bnot (?:yet )?been\b|\b(?:hasn't|haven't|isn't|aren't|wasn't|weren't|didn't|not) (?:yet )?(?:been )?\w+ed\b|\bnot (?:yet|done)\b|\bwill (?:have been|be)\b|\bto be \w+ed\b|\bcan be \w+ed\b|\bready to be\b|\bwould be\b"
)
_DONE = re.compile(
    r"(?:\b(?:has|have|had)|'ve|'s)(?: now| already| just| also| all| both| successfully| since)* been (?:\w+ly )?(\w+)"
    r"|\b(?:i|we)(?:'ve| have)?(?: now| already| just| also| both| gone ahead and| went ahead and|,? as (?:you )?requested,?| \w+ly)* (\w+)"
    r"|\b(?:is|are|was|were)(?: now| already| both| all| just| also| then)*(?: \w+ly)? (\w+)"
    r"|^(?:all |both |and |now |also )?(\w+)\b|\bgot (?:it |that |this |them )?(\w+)\b|, (\w+ed) (?:it|them|the)\b|\band (\w+ed) (?:it|them|the|a|an|your)\b"
)
_PLAIN_REPORT = re.compile(
    r"[✅✔☑]|^(?:all )?done\b|\bchecked (?:out|off|in)\b|^[\w' -]{2,50}? (?:(?!need|indeed)\w{2,}ed|complete|done|sent|paid|made)\s*(?:[.!(:,]|$)|\b(?:is|are) ready\b(?! to\b)|\b(?:i|we) (?:was|were) able to\b|\b(?:changes?|updates?|everything) (?:is|are) in\b|\b(?:is|are) (?:\w+ ){0,5}now\b|\b(?:it's|they're) in\b|\b(?:is|are|it's|that's|everything's|everything is|been|now|got that|all) (?:all )?(?:done|set|sorted|complete|taken care of|finished|in place|on file|in the (?:system|queue|record)|live|active again)\b"
    r"|\ball set\b|\bsuccess(?:ful|fully)?\b(?! (?:rate|in your))|\btaken care of\b|\bwent through\b|\b(?:is|are) now\b|\bnow (?:shows?|has|have|reads?|lists?|stands?|in|at|set|marked|carries)\b|\byou're (?:all set|now|booked|registered|signed up|in the queue|number|enrolled)\b|\bnoted (?:down )?(?:on|in|to|for|against)\b"
    r"|\b(?:already|mission) (?:done|accomplished|archived|complete)\b|\bas (?:i )?(?:mentioned|said|noted),? (?:that|this|it|the)\b.*\b(?:done|already)\b"
)
_NO_DEEDS = frozenset(
    """
    found located checked looked pulled retrieved reviewed identified verified searched noted received understood
    prepared drafted seen tried attempted examined gathered compared noticed wanted needed asked opened read wondered
    required supposed allowed limited associated based listed involved interested related called named titled used
    permitted rejected denied supported expected planned assigned dated addressed concerned excited pleased committed
    located detailed dedicated red need feed indeed proceed speed exceed succeed hundred sacred tried failed matched
    informed assumed scanned fetched confused mentioned requested offered
    """.split()
)
_STATE = 3  # the group of `_DONE` that tells what something is, not what was done
_STATES = frozenset("scheduled stored set located due kept left recorded made priced closed rated".split())
_IRREGULAR = frozenset("set put sent made done given taken written kept paid begun built booked cut withdrawn sold lent".split())
_GREETING = re.compile(r"(?:hello|hi|hey|good (?:morning|afternoon|evening|day)|welcome|you're (?:very )?welcome|bye|goodbye)\b")
_AGREEMENT = re.compile(
    r"(?:sure|of course|certainly|absolutely|understood|got it|okay|ok|alright|no problem|happy to|gladly|great|perfect|thanks|thank you|i understand|noted|sorry|i'm sorry|my apologies|apologies|i apologi[sz]e|congrat\w*"
    r"|i can (?:help|do|certainly|definitely|assist)|i(?:'d| would) be (?:happy|glad|delighted)|i(?:'ll| will) be (?:happy|glad|able)|sounds good|my pleasure|yes|right|will do|wonderful|excellent|exciting|that's (?:great|exciting|wonderful)|nice|good (?:news|to hear|question))"
)
