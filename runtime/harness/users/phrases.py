"""The phrases by which an assistant asks, wants a yes, promises, reports, refuses or says goodbye."""

from __future__ import annotations

import re
from typing import Literal

Act = Literal[
    "ask",  # wants to be told something
    "check",  # wants a yes before it goes on
    "offer",  # would do, or asks about, something more
    "yes_or_no",  # any other question
    "promise",
    "report",
    "pending",  # says that something is not done yet
    "refusal",
    "not_found",
    "closing",  # anything else?
    "agreement",
    "item",  # a line of a list or table
    "statement",
]


QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "."})
QUOTED = re.compile(r'"[^"\n]{2,400}"')
APPROVAL = re.compile(r'"(?:yes|ok|okay|confirm|go ahead|proceed)\W?"', re.IGNORECASE)  # a quote that is to be said
HIDDEN = re.compile("\ue000(\\d+)\ue001")
LABEL = re.compile(r"(?!(?:here|what|which|summary|please|i|we|your)\b)[\w ()/'-]{2,30}:\s+\S", re.IGNORECASE)
MARKS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)|^\s*#+|^\s*>+|<[^>]{1,20}>|[\U0001F300-\U0001FAFF]")
RULE = re.compile(r"[\s|:=-]+")
BULLET = re.compile(r"^\s*(?:[-*•+·]|\(?\d{1,2}[.)]|\(?[a-hA-H][.)])\s+")
LEADS = re.compile(r":\s*$|\bfollowing\b|\bthese\b[^.]*$|\?\s*$")
SENTENCE_END = re.compile(r"(?<=[.!?])(?<!i\.e\.)(?<!e\.g\.)(?<!Dr\.)(?<!Mr\.)(?<!Ms\.)(?<!Mrs\.)[)\"']*\s+")
CLAUSE_END = re.compile(
    r"\s-\s|;\s|,? (?:but|so|and|then|or(?! should i leave)|however,?|yet) (?!i can\b(?!'t)|we can\b(?!'t)"
    r"|i'll be able\b|i may\b"
    r"|i could\b)(?=(?:i|i'll|i'm|i've|we|would|could|can|may|is|are|do|did|shall|should|what"
    r"|which|who|when|let|please|unfortunately|anything|done)\b)"
    r"|, (?=(?:let me|i'll|i will|could you|can you|would you|do you want|shall i|should i|may i|please (?:tell|provide"
    r"|confirm))\b)",
    re.IGNORECASE,
)
ASKING = re.compile(
    r"(?:(?:with|for|to|from|in|on|at|of|by|under|through|about) )?(?:what|which|who|whom|whose|when|where|why|how"
    r"|could|can|would|will|may|shall|should|is|are|do|does|did|has|have)\b",
    re.IGNORECASE,
)
WHICH = re.compile(r"\b(?:which|one of)\b", re.IGNORECASE)

_WAITS_FOR_YES = (
    r"|\b(?:okay|ok|alright|all right|fine)(?: with you)? (?:if (?:i|we)|for (?:me|us) to|to)\b.*\?"
    r"|\bare you (?:okay|ok|fine|happy|all ?right|comfortable) with\b|\b(?:do|would) you (?:agree|approve"
    r"|consent)\b|\bwould (?:that|this|it) be (?:okay|ok|fine|good|all ?right)\b"
    r"|\b(?:happy|free|allowed)(?: for (?:me|us))? to\b.*\?|\bmay (?:i|we)\s*\?|\btell me to (?:go|do|proceed)\b"
    r"|^(?:please )?(?:say the word|let me know)\W*$|\bplease approve\b|\b(?:isn't it|aren't they"
    r"|is that how you \w+ it)\s*\?|\b(?:hear from you|ready when you are)\b"
    r"|\b(?:once|if|when|as soon as|after|until) you (?:say (?:yes|so)|confirm|agree|approve|give)\b"
    r"|\b(?:will|would|can|could|do|did) you (?:please |kindly )?(?:let|allow|permit) (?:me|us)\b(?! (?:know|have)\b)"
    r"|\b(?:do|would) you mind (?:if (?:i|we)|me|us|my|our)\b|\b(?:the|your|a) (?:green light|blessing|sign-?off|nod)\b"
)
_PLAN_IN_DOUBT = (  # leave only where a plan was announced, an opinion of what was done otherwise
    r"|\bany (?:objections?|concerns?|changes|corrections|adjustments)\b.*\?|\banything (?:against|wrong with)\b.*\?"
    r"|^(?:so,? )?how (?:does|do|would) (?:that|this|it|these|they|the \w+) (?:sound|look|seem|work)\b"
    r"|^(?:so,? )?what do you (?:think|say)\s*\?|^(?:any |your )?thoughts\s*\?"
    r"|^if (?:that|this|it|everything|all|all (?:of )?(?:this|that)|the \w+)(?:'s| is| are| looks?| sounds?| seems?)"
    r"(?: all)? (?:correct|right|fine|good|ok|okay|all right|accurate)\b"
)
LEAVE = re.compile(
    r"\b(?:shall|should|may|can|could) (?:i|we)\b|\b(?:like|want|good|okay|ok|fine) (?:for )?(?:me|us) to\b"
    r"|\b(?:go ahead|proceed"
    r"|continue)\b|\byes\b|\by/n\b|\byour (?:explicit )?(?:confirmation|approval|go-ahead|permission|ok|consent)\b"
    r"|\bsay the word\b|\b(?:please|you) confirm\W*$" + _WAITS_FOR_YES
)
GO = re.compile(r"\bproceed\b|\bgo ahead\b|\bcontinue\b|\bcorrect\b|\bconfirm")
CHECK = re.compile(
    r"\b(?:shall|should) (?:i|we)\s*\?|\b(?:shall|should|may|can|could) (?:i|we) (?!have\b|get\b|ask\b|know\b"
    r"|help\b|assist\b|use\b.*\bwhich\b"
    r"|do (?:for|next)\b|call you\b)"
    r"|\b(?:would you like|do you want|want|you'd like|you would like|you want|okay for|ok for|alright for"
    r"|good for) (?:me|us) to\b"
    r"|\b(?:ready|okay|ok|happy|like|want|safe|good) (?:for me )?to (?:proceed|go ahead|continue)\b|\bgood to go\b"
    r"|\b(?:is|are|was|were) (?:that|this|these|those|it|everything|all(?: of)? (?:that|this)|the (?:above|details?"
    r"|information)(?: above)?|my understanding)"
    r"(?: all| both)? (?:correct|right|ok|okay|accurate|good|fine|alright|what you (?:want|meant?|had))\b"
    r"|\b(?:correct|right|okay|ok|yes|alright|agreed)\s*\?|\ball (?:good|correct|right|clear|okay|ok)\s*\?"
    r"|\bis that so\b|(?:^|[,:] ?)to (?:confirm|make sure|double-?check|verify|clarify|be (?:sure|clear|certain"
    r"|safe))\b|\b(?:just|only) (?:to|so) (?:confirm|make sure|double-?check|verify|clarify|be (?:sure|clear|certain"
    r"|safe))\b"
    r"|\b(?:please|can you|could you|do you|kindly|would you|i need you to|just|simply)(?: please"
    r"| just)* (?:re-?)?confirm\b|^confirm\b"
    r"|\bconfirm (?:that|with|by|if|whether|to|and|so)\b|\b(?:your|explicit) (?:confirmation|approval|go-ahead"
    r"|permission|ok|yes|consent)\b|\ba (?:simple |short |plain |clear )?yes\b"
    r"|\b(?:reply|respond|answer|say|type|write)(?: with)? [\"']?(?:yes|confirm|ok)\b|\byes ?/ ?no\b|\by/n\b"
    r"|\byes or no\b"
    r"|\b(?:sounds?|looks?)(?: all)? (?:good|right|ok|okay|correct|fine)\b.*\?|\bdoes (?:that|this|it|everything"
    r"|the \w+) (?:look|sound|seem|work|suit)\b"
    r"|\bare you (?:really |absolutely )?sure\b|\bdo you (?:really|still|definitely) want\b|\bdo i have (?:that|it"
    r"|this|everything)\b|\b(?:did|have) i (?:get|got|understand|understood)\b"
    r"|\b(?:go ahead|proceed|continue)(?: with (?:this|that|it|the \w+))?(?: now)?\s*\?|\blet me know (?:if"
    r"|whether) (?:that|this|it|everything|i should|i can|you(?:'d| would) like (?:me )?to (?:proceed|go ahead))\b"
    r"|(?:^|[:,] )so,? you(?:'d| would|'re)? (?:want|like|wish|asking)\b.*\?|(?:^|[:,] )you(?:'d| would)? (?:want"
    r"|like|wish|mean)\b.*\?|^(?:so,? |and |okay,? |ok,? )?(?:that's|that is|that would be|it's|this is"
    r"|we're talking about)\b.*\?|\bthe one you (?:mean|meant|want)|\bif i understand (?:you )?(?:correctly|right)"
    + _WAITS_FOR_YES
    + _PLAN_IN_DOUBT
)
PREFACE = re.compile(  # says why something is asked
    r"^(?:just |only )?(?:to|so) (?:confirm|make sure|double-?check|verify|clarify|be (?:sure|clear|certain|safe))(?:[,:] |$)"
)
REMARK = re.compile(
    r"^(?:(?:in|with|for|to|on|at|from|under|by|of|through|via|as|into|about) )?(?:what|which|who|whose|whom|when|where|how"
    r"|why)\b(?!.*\b(?:correct|right)\s*\?)(?! (?:do|does|would) (?:you|that|this|it|these|they|the \w+) (?:think|say"
    r"|sound|look|seem|work)\b)|\b(?:which|what|who|when|where|how) (?:\w+ ){0,3}(?:should|shall|can"
    r"|may) (?:i|we)\b"
)
MEANT = re.compile(
    r"^(?:so |and |then )?(?:do |did )?you (?:mean|meant)\b(?!.*\bor\b(?! (?:after|later|before|earlier|more"
    r"|less)))|^(?:so |and )?(?:is|was) (?:it|that|this) (?!.*\bor\b)(?:the|for|about)\b"
)
CLOSING = re.compile(
    r"\b(?:any ?thing|something|what|anyone) else\b|\banything more\b|\banything further\b"
    r"|\b(?:any|some|other|further|more|additional) (?:other |further |more )?(?:questions?|requests?|assistance"
    r"|help)\b"
    r"|\bhow (?:else )?(?:can|may|could) i (?:help|assist|be of)|\b(?:can|may) i (?:help|assist)\b|\bwhat (?:can"
    r"|may) i (?:do|help)"
    r"|\blet me know (?:if|whether|when|should) (?:you(?:'d|'re| would| should| have| need| want| ever| wish| run|\b)"
    r"|there|any)"
    r"|\bfeel free\b|\bdon't hesitate\b|\bdo not hesitate\b|\bwhat would you like to do (?:next|now)\b|\bwhat(?:'s"
    r"| is) next\b|^next\?"
    r"|\bis there (?:another|any other)\b|\b(?:update|change|know|add|do|review|adjust|see|book|set) anything\b"
    r"|\bhave a (?:great|nice|good|wonderful|lovely)\b|\bgood luck\b|\bbest of luck\b|\bi(?:'m| am| will be"
    r"|'ll be) (?:here|happy to (?:help|assist) (?:with|further|if|you with (?:any|other))|glad to help)\b"
    r"|\bif you (?:need|have|want|would like|'d like|change your mind|ever)\b(?!.*\bplease (?:tell|provide|share"
    r"|give))|\bjust (?:let me know|say the word|ask)\b(?! (?:which|what|who|when|where|how))"
    r"|\b(?:looking|hope) (?:forward|this helps)|\bthank(?:s| you) for (?:your patience|using|contacting|reaching)"
)
REQUEST = re.compile(
    r"\b(?:could|can|would|will) you (?:please |kindly |also |just |maybe |perhaps |quickly |possibly )*(?:provide"
    r"|tell|give|share|send|specify|clarify|let me know|remind|spell|state"
    r"|describe|elaborate|check|double[ -]?check|verify|repeat|supply|enter|paste|type|dictate|attach|choose|pick"
    r"|select|help me|point me|list|say|expand|confirm (?:your|the|which|what))\b"
    r"|\b(?:please|kindly)(?: also| just)? (?:provide|tell|give|share|send|specify|clarify|let me know|state|describe"
    r"|verify|repeat|supply|enter|paste|type|attach|choose|pick|select|indicate|list|include|reply|advise|say)\b"
    r"|\bi(?:'ll| will|'d| would)?(?: also| just| still| first| only| really)* (?:need|require"
    r"|be needing)\b(?! to (?!know|have|ask|get|verify|confirm))"
    r"|\b(?:may|can|could|might) i (?:please |also |just )?(?:have|ask|know|get)\b|\bdo you (?:happen to |still "
    r"|also )?(?:have|know|remember|recall)\b"
    r"|\blet me know (?:the|your|which|what|who|when|where|how|a|about)\b|\bi(?:'m| am) missing\b|\b(?:i'd|i would"
    r"|would) (?:like|love) to know\b|\b(?:would|d) help (?:me )?(?:to know|if)\b"
    r"|\bneeds? (?:more|some more|further|additional|a few|a bit more|the following) (?:details?|information|info)\b"
    r"|\b(?:still )?(?:missing|needed|required)\s*:"
    r"|\btell me (?:the|your|which|what|who|when|where|how|more)\b|\bif you (?:could|can) (?:please )?(?:provide|tell"
    r"|give|share)\b|^(?:your|the) [\w -]{2,30}, please\b|\bplease\?\s*$"
    r"|^(?:what|which|who|when|where)\b[^.]*:$"
)
WANTS_TOLD = re.compile(
    r"\bwould you (?:like|prefer|want) (?:to (?:use|choose|provide|tell|specify|set|give)|it|the|that"
    r"|this)\b.*\b(?:or|what|which|when)\b|^(?:and |so )?(?:(?:for|with|in|on|at|to|from|under) )?(?:what|which"
    r"|when|where|who|how)\b"
)
PROMISED_NEED = re.compile(
    r"\bi(?:'ll| will)?(?: first)? need to (?:look|check|find|search|pull|see|first)\b|\bno need\b"
    r"|\bneed to verify your (?:account|identity)\b|\b(?:all|everything|what) (?:that )?(?:i|we)(?:'ll"
    r"| will)? need\b|\bneed (?:\w+ )?steps\b"
)
OFFER = re.compile(
    r"\b(?:would you (?:also )?(?:like|prefer|care)|do you (?:also |still |perhaps )?(?:want|need|wish|prefer)"
    r"|would you (?:also )?want|are you interested|interested in)\b"
)
WH = re.compile(
    r"(?:^|[,:(] ?|\bwith |\bfrom |\bunder |\bby |\bask |\band |\bor |\bfor \w+, |\bto |\bon |\bin |\bat |\bthrough "
    r"|\bof |\bfor |\babout |\bknow )(?:what|which|who|whom|whose|when|where|why|how)(?:'s|'re)?\b|^(?:so|and"
    r"|also|okay|ok|great|sure|thanks|hi|hello)[,!. ]+.*\b(?:what|which|who|when|where|how)\b"
)

STATEMENTS: tuple[tuple[Act, re.Pattern[str]], ...] = (
    (
        "refusal",
        re.compile(
            r"\b(?:don't|do not|can't|cannot|couldn't) (?:see|find|have) (?:any |a |an |the )?(?:\w+ )?(?:tool|way"
            r"|option|function|feature|means|possibility|service|method)s?\b"
        ),
    ),
    (
        "not_found",
        re.compile(
            r"\b(?:couldn't|could not|can't|cannot|can not|unable to|wasn't able to|not able to|didn't|did not|don't"
            r"|do not|failed to)(?: seem to| currently| actually)? (?:find|locate|see|identify|match)\b"
            r"|\bno (?:\w+ ){0,3}(?:found|match(?:es|ing)?|results?)\b|\b(?:doesn't|does not|don't"
            r"|do not) (?:appear to |seem to )?(?:exist|match)\b|\bnot found\b"
        ),
    ),
    (
        "refusal",
        re.compile(
            r"\b(?:i|we)(?:'m| am| are|'re)?(?: really| very| so| truly"
            r"| terribly)?(?: sorry,?)?(?: but)?(?: i)?(?: unfortunately| currently| also| only| simply| just| still"
            r"| really)*"
            r" (?:can't|cannot|can not|couldn't|could not|am not able|wasn't able|'m not able|unable|was unable"
            r"|not able|won't be able|will not be able|not (?:allowed|permitted|authori[sz]ed|equipped|set up)"
            r"|(?:don't|do not|lack)(?: currently| actually)? have|have no|lack|must decline|have to decline|can only"
            r"|won't|will not|am afraid|'m afraid|would not be able|wouldn't be able)\b(?! (?:wait|stress|recommend"
            r"|seem|any (?:questions|trouble)))"
            r"|\b(?:unable|not able) to\b"
            r"|(?:\b(?:is|are|was|were)(?:n't| not)|'s not|'re not)(?: \w+)? (?:possible|available|supported|allowed"
            r"|permitted|something|within|part of|covered|offered|included|in my|a (?:service|feature|tool))\b"
            r"|\b(?:outside|beyond)(?: of)? (?:what|my|the|our)\b|\bout of (?:my )?(?:scope|reach)\b|\b(?:there(?:'s"
            r"| is)|have|has) no (?:way|tool|option|function|feature|means|ability|service)\b|\bno (?:tool|function"
            r"|option|feature) (?:for|to|that)\b"
            r"|\b(?:policy|system|tools?|rules?) (?:does not|doesn't|do not|don't|won't|will not|cannot"
            r"|can't) (?:allow|permit|let|support|include|offer|have|cover)\b|\bagainst (?:the |our )?(?:policy"
            r"|rules)\b"
            r"|\b(?:doesn't|does not) (?:allow|permit|support)\b|\byou(?:'ll| will|'d| would)? (?:need|have)"
            r" to (?:contact|book|arrange|do (?:this|that|it)|handle|reach|sign up|ask|use|send|go)\b"
            r"|\b(?:was|were|got|been) (?:rejected|denied|refused|declined) (?:by|because|since|as)\b"
            r"|\b(?:transfer(?:ring|red)?|escalat\w+|hand(?:ing|ed)?) (?:you|this|it)\b.*\b(?:human|agent|person"
            r"|specialist|team|representative|colleague)\b"
            r"|\bcannot be (?!undone|reversed|reverted|recovered|restored|changed (?:later|back|afterwards)"
            r"|taken back)\w+|\b(?:can't|couldn't|could not) be (?!undone|reversed|reverted|recovered|restored)\w+"
            r"|\bisn't (?:something|possible)|\bnot something i\b|\bcan not be \w+ because\b"
        ),
    ),
    (
        "promise",
        re.compile(
            r"\b(?:i|we)(?:'ll| will| shall)(?! need\b| require\b| be (?:happy|glad|here|sure|able)| not\b| let you\b"
            r"| have (?:been|to decline)\b| assume\b)|\b(?:i'm|i am|we're) (?:now |just |currently |still |about to "
            r"|going to |gonna )*(?:going to|about to|\w+ing\b)"
            r"|\blet me (?!know\b|be clear|explain)|\blet's \w+|\b(?:one|a|just a|give me a|hold on a|hang on a"
            r"|wait a) (?:quick |brief |few )?(?:moment|sec|second|seconds|minute|minutes|moments)\b|\bhold on\b"
            r"|\bhang on\b|\bbear with me\b|\bplease (?:wait|hold|stand by)\b|\bstand by\b"
            r"|^(?:now |currently |still )?(?!according|regarding|concerning|during|including|judging|having|being"
            r"|rating|meeting|booking|training|morning|evening|(?:no|any|some|every)thing)[a-z]{2,}ing\b(?!.*\b(?:is"
            r"|are|was|were|has|can|can't|cannot|will"
            r"|would)\b)|^(?:now |currently |still )?(?:looking|checking|working|searching|processing|cancelling"
            r"|canceling|updating|fetching|retrieving|pulling)\b|\bright away\b|\b(?:i'm|we're) on it\b|^on it\b"
            r"|\bi need to (?:look|check"
            r"|find|search|pull|first)\b|\b(?:first|next),? i (?:need|have|want) to\b|\bi plan to\b|\bwill do\b"
            r"|\bgetting (?:that|this|it) (?:done|started|sorted)"
        ),
    ),
)
PLAN = re.compile(
    r"\b(?:would|will|shall|could|can|may|going to|plan|planned|propose|intend|about to)\b|'(?:d|ll)\b"
    r"|\bto do\b|\bsteps\b|\bnext\b[\w ]*:|\bsuggest\w*\b|\bproposal\b|\bready\b",
    re.IGNORECASE,
)
PENDING = re.compile(
    r"(?:\bnot|n't|\bnothing|\bneither|\bnone)\b(?!.*\b(?:was|were|had)\b).*\b(?:yet|so far)\b(?!.*\bas you\b)"
    r"|\byet to be \w+|\bbefore i \w+"
    r"|\b(?:have not|haven't) (?:done|changed|touched|started) (?:it|that|this|any\w*)\b"
    r"|\bstill (?:to do|to be \w+|(?:has|have|needs?) to)\b"
)
CONDITION = re.compile(
    r"(?:please note|note|important|warning|heads[- ]up|keep in mind)\b|(?:once|after|when|if|until|before"
    r"|as soon as|as the|whenever|unless)\b(?!.*, (?:i'm|let me))"
)
NO_PROMISE = re.compile(
    r"\b(?:once|as soon as|after|when|if|before|until) (?:you|i have|i've|i get|i know|that's)\b|\bi(?:'m"
    r"| am) (?:sorry|afraid|missing|wondering|showing|seeing|looking at|assuming)\b|\bi(?:'ll| will) (?:leave it"
    r"|keep that in mind|then|only)\b"
)
NOT_YET = re.compile(
    r"\bnot (?:yet )?been\b|\b(?:hasn't|haven't|isn't|aren't|wasn't|weren't|didn't|not) (?:yet )?(?:been )?\w+ed\b"
    r"|\bnot (?:yet|done)\b|\bwill (?:have been|be)\b|\bto be \w+ed\b|\bcan be \w+ed\b|\bready to be\b"
    r"|\bwould be\b|\b(?:i|we)(?:'d| would| could)\b"
)
DONE = re.compile(
    r"(?:\b(?:has|have|had)|'ve|'s)(?: now| already| just| also| all| both| successfully| since)* been (?:\w+ly )?(\w+)"
    r"|\b(?:i|we)(?:'ve| have)?(?: now| already| just| also| both| gone ahead and| went ahead and"
    r"|,? as (?:you )?requested,?| \w+ly)* (\w+)"
    r"|(?:\b(?:is|are|was|were)|'s|'re)(?: now| already| both| all| just| also| then)*(?: \w+ly)? (\w+)"
    r"|^(?:all |both |and |now |also )?(\w+ed)\b|\bgot (?:it |that |this |them )?(\w+)\b|, (\w+ed) (?:it|them|the)\b"
    r"|\band (\w+ed) (?:it|them|the|a|an|your)\b"
)
PLAIN_REPORT = re.compile(
    r"\bnothing (?:is|remains|was) (?:left|open|to do)\b|\bnothing (?:more |else )?(?:left )?(?:for me )?to do\b"
    r"|\bnothing (?:left|remains)\b|\bthat (?:is|was) (?:all|everything) (?:that )?you (?:asked|wanted)\b"
    r"|[✅✔☑]|^(?:all )?done\b|\bchecked (?:(?:it|them|this|that|the \w+) )?(?:out|off|in)\b|\b(?:ticket"
    r"|confirmation"
    r"|reference|booking|order|case|request)(?: (?:number|code|id|no\.?))(?: is|:)|^[\w' -]{2,50}? (?:(?!need"
    r"|indeed)\w{2,}ed|complete|done|sent|paid|made)\s*(?:[.!(:,]|$)|\b(?:is|are) ready\b(?! to\b)|\b(?:i|we) (?:was"
    r"|were) able to\b|\b(?:changes?|updates?|everything) (?:is|are) in\b|\b(?:is|are) (?:\w+ ){0,5}now\b|\b(?:it's"
    r"|they're) in\b|\b(?:is|are|it's|that's|everything's|everything is|been|now|got that|all) (?:all )?(?:done|set"
    r"|sorted|complete|taken care of|finished|in place|on file|in the (?:system|queue|record)|live|active again)\b"
    r"|\ball set\b|\bsuccess(?:ful|fully)?\b(?! (?:rate|in your))|\btaken care of\b|\bwent through\b|\b(?:is|are)"
    r" now\b|\bnow (?:shows?|has|have|reads?|lists?|stands?|in|at|set|marked|carries)\b|\byou're (?:all set|now"
    r"|booked|registered|signed up|in the queue|number|enrolled)\b|\bnoted (?:down )?(?:on|in|to|for|against)\b"
    r"|\b(?:already|mission) (?:done|accomplished|archived|complete)\b|\bas (?:i )?(?:mentioned|said|noted),? (?:that"
    r"|this|it|the)\b.*\b(?:done|already)\b"
)
NO_DEEDS = frozenset(
    [
        "found",
        "located",
        "checked",
        "looked",
        "pulled",
        "retrieved",
        "reviewed",
        "identified",
        "verified",
        "searched",
        "noted",
        "received",
        "understood",
        "prepared",
        "drafted",
        "seen",
        "tried",
        "attempted",
        "examined",
        "gathered",
        "compared",
        "noticed",
        "wanted",
        "needed",
        "asked",
        "opened",
        "read",
        "wondered",
        "required",
        "supposed",
        "allowed",
        "limited",
        "associated",
        "based",
        "listed",
        "involved",
        "interested",
        "related",
        "called",
        "named",
        "titled",
        "used",
        "permitted",
        "rejected",
        "denied",
        "supported",
        "expected",
        "planned",
        "assigned",
        "dated",
        "addressed",
        "concerned",
        "excited",
        "pleased",
        "committed",
        "located",
        "detailed",
        "dedicated",
        "red",
        "need",
        "feed",
        "indeed",
        "proceed",
        "speed",
        "exceed",
        "succeed",
        "hundred",
        "sacred",
        "tried",
        "failed",
        "matched",
        "informed",
        "assumed",
        "scanned",
        "fetched",
        "confused",
        "mentioned",
        "requested",
        "offered",
    ]
)
STATE = 3  # the group of `DONE` that tells what something is, not what was done
STATES = frozenset(
    ["scheduled", "stored", "set", "located", "due", "kept", "left", "made", "taken", "priced", "closed", "rated"]
)
IRREGULAR = frozenset(
    [
        "set",
        "put",
        "sent",
        "made",
        "done",
        "given",
        "taken",
        "written",
        "kept",
        "paid",
        "begun",
        "built",
        "booked",
        "cut",
        "withdrawn",
        "sold",
        "lent",
    ]
)
GREETING = re.compile(
    r"(?:hello|hi|hey|good (?:morning|afternoon|evening|day)|welcome|you're (?:very )?welcome|bye|goodbye)\b"
)
OKAY = re.compile(  # a short question with no content of its own
    r"(?:\b(?:is|are|was|does|do|would|will|be|sounds?|looks?|seems?|work|fine|good|okay|ok|right|all|certain"
    r"|sure|happy|agreed|agree"
    r"|deal|acceptable|both|two|three|really|still|with|by|for|you|me|us|we|i|so|and|then|that|this|it|may|now"
    r"|go|ahead|absolutely"
    r"|want|want to|to)\b[ ,]*){1,7}\?"
)
YES_OR_NO = re.compile(r"(?:yes|no|yep|nope|correct|right)\b[,.]")
AGREEMENT = re.compile(
    r"(?:sure|of course|certainly|absolutely|understood|got it|okay|ok|alright|no problem|happy to|gladly|great"
    r"|perfect|thanks|thank you|i understand|noted|sorry|i'm sorry|my apologies|apologies|i apologi[sz]e|congrat\w*"
    r"|i can (?:help|do|certainly|definitely|assist)|i(?:'d| would) be (?:happy|glad|delighted)|i(?:'ll| will)"
    r" be (?:happy|glad|able)|sounds good|my pleasure|yes|right|will do|wonderful|excellent|exciting|that's (?:great"
    r"|exciting|wonderful)|nice|good (?:news|to hear|question))"
)
EXTRA = re.compile(r"\b(?:as well|also|in addition|additionally|too|while (?:i|we|you)(?:'m|'re| am| are))\b", re.IGNORECASE)
INSTEAD = re.compile(r"\b(?:instead|alternatively|rather)\b", re.IGNORECASE)
CHANGES = re.compile(r"\b(?:change|update|replace|remove|delete|edit|alter|modify)\b", re.IGNORECASE)
DENIES = re.compile(r"\b(?:no|not|none|without|leave|don't|except|never)\b", re.IGNORECASE)
