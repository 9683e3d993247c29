"""The phrases by which an assistant asks, asks leave, wants a yes, offers, agrees or says goodbye."""

from __future__ import annotations

from typing import Literal

from runtime.harness.users.patterns import read_pattern

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

_WAITS_FOR_YES = r"""
\b(?:okay|ok|alright|all right|fine)(?: with you)? (?:if (?:i|we)|for (?:me|us) to|to)\b.*\?
\bare you (?:okay|ok|fine|happy|all ?right|comfortable) with\b|\b(?:do|would) you (?:agree|approve|consent)\b
\bwould (?:that|this|it) be (?:okay|ok|fine|good|all ?right)\b|\b(?:happy|free|allowed)(?: for (?:me|us))? to\b.*\?
\bmay (?:i|we)\s*\?|\btell me to (?:go|do|proceed)\b|^(?:please )?(?:say the word|let me know)\W*$
\bplease approve\b|\b(?:isn't it|aren't they|is that how you \w+ it)\s*\?|\b(?:hear from you|ready when you are)\b
\b(?:once|if|when|as soon as|after|until) you (?:say (?:yes|so)|confirm|agree|approve|give)\b
\b(?:will|would|can|could|do|did) you (?:please |kindly )?(?:let|allow|permit) (?:me|us)\b(?! (?:know|have)\b)
\b(?:do|would) you mind (?:if (?:i|we)|me|us|my|our)\b|\b(?:the|your|a) (?:green light|blessing|sign-?off|nod)\b
"""  # asks leave, whatever for
_DOUBTS_PLAN = r"""
\bany (?:objections?|concerns?|changes|corrections|adjustments)\b.*\?|\banything (?:against|wrong with)\b.*\?
^(?:so,? )?how (?:does|do|would) (?:that|this|it|these|they|the \w+) (?:sound|look|seem|work)\b
^(?:so,? )?what do you (?:think|say)\s*\?|^(?:any |your )?thoughts\s*\?
^if (?:that|this|it|everything|all|all (?:of )?(?:this|that)|the \w+)(?:'s| is| are| looks?| sounds?
  | seems?)(?: all)? (?:correct|right|fine|good|ok|okay|all right|accurate)\b
"""  # asks leave after a plan, otherwise an opinion of what was done
LEAVE = read_pattern(
    r"""
\b(?:shall|should|may|can|could) (?:i|we)\b|\b(?:like|want|good|okay|ok|fine) (?:for )?(?:me|us) to\b
\b(?:go ahead|proceed|continue)\b|\byes\b|\by/n\b
\byour (?:explicit )?(?:confirmation|approval|go-ahead|permission|ok|consent)\b|\bsay the word\b
\b(?:please|you) confirm\W*$
"""
    + _WAITS_FOR_YES
)
CHECK = read_pattern(
    r"""
\b(?:shall|should) (?:i|we)\s*\?
\b(?:shall|should|may|can|could) (?:i|we) (?!have\b|get\b|ask\b|know\b|help\b|assist\b|use\b.*\bwhich\b
  |do (?:for|next)\b|call you\b)
\b(?:would you like|do you want|want|you'd like|you would like|you want|okay for|ok for|alright for
  |good for) (?:me|us) to\b
\b(?:ready|okay|ok|happy|like|want|safe|good) (?:for me )?to (?:proceed|go ahead|continue)\b|\bgood to go\b
\b(?:is|are|was|were) (?:that|this|these|those|it|everything|all(?: of)? (?:that|this)|the (?:above|details?
  |information)(?: above)?|my understanding)(?: all| both)? (?:correct|right|ok|okay|accurate|good|fine|alright
  |what you (?:want|meant?|had))\b|\b(?:correct|right|okay|ok|yes|alright|agreed)\s*\?
\ball (?:good|correct|right|clear|okay|ok)\s*\?|\bis that so\b
(?:^|[,:] ?)to (?:confirm|make sure|double-?check|verify|clarify|be (?:sure|clear|certain|safe))\b
\b(?:just|only) (?:to|so) (?:confirm|make sure|double-?check|verify|clarify|be (?:sure|clear|certain|safe))\b
\b(?:please|can you|could you|do you|kindly|would you|i need you to|just|simply)(?: please
  | just)* (?:re-?)?confirm\b|^confirm\b|\bconfirm (?:that|with|by|if|whether|to|and|so)\b
\b(?:your|explicit) (?:confirmation|approval|go-ahead|permission|ok|yes|consent)\b
\ba (?:simple |short |plain |clear )?yes\b
\b(?:reply|respond|answer|say|type|write)(?: with)? [\"']?(?:yes|confirm|ok)\b|\byes ?/ ?no\b|\by/n\b|\byes or no\b
\b(?:sounds?|looks?)(?: all)? (?:good|right|ok|okay|correct|fine)\b.*\?
\bdoes (?:that|this|it|everything|the \w+) (?:look|sound|seem|work|suit)\b|\bare you (?:really |absolutely )?sure\b
\bdo you (?:really|still|definitely) want\b|\bdo i have (?:that|it|this|everything)\b
\b(?:did|have) i (?:get|got|understand|understood)\b
\b(?:go ahead|proceed|continue)(?: with (?:this|that|it|the \w+))?(?: now)?\s*\?
\blet me know (?:if|whether) (?:that|this|it|everything|i should|i can|you(?:'d
  | would) like (?:me )?to (?:proceed|go ahead))\b
(?:^|[:,] )so,? you(?:'d| would|'re)? (?:want|like|wish|asking)\b.*\?
(?:^|[:,] )you(?:'d| would)? (?:want|like|wish|mean)\b.*\?
^(?:so,? |and |okay,? |ok,? )?(?:that's|that is|that would be|it's|this is|we're talking about)\b.*\?
\bthe one you (?:mean|meant|want)|\bif i understand (?:you )?(?:correctly|right)
"""
    + _WAITS_FOR_YES
    + _DOUBTS_PLAN
)
GO = read_pattern(r"\bproceed\b|\bgo ahead\b|\bcontinue\b|\bcorrect\b|\bconfirm")
PREFACE = read_pattern(  # says why something is asked
    r"""
^(?:just |only )?(?:to|so) (?:confirm|make sure|double-?check|verify|clarify|be (?:sure|clear|certain
  |safe))(?:[,:] |$)
"""
)
REMARK = read_pattern(  # asks, though it reads like a check
    r"""
^(?:(?:in|with|for|to|on|at|from|under|by|of|through|via|as|into|about|until|till|since
  |before|after|within) )?(?:what|which|who|whose|whom|when
  |where|how|why)\b(?!.*\b(?:correct|right)\s*\?)(?! (?:do|does|would) (?:you|that|this|it|these|they
  |the \w+) (?:think|say|sound|look|seem|work)\b)
\b(?:which|what|who|when|where|how) (?:\w+ ){0,3}(?:should|shall|can|may) (?:i|we)\b
"""
)
MEANT = read_pattern(
    r"""
^(?:so |and |then )?(?:do |did )?you (?:mean|meant)\b(?!.*\bor\b(?! (?:after|later|before|earlier|more|less)))
^(?:so |and )?(?:is|was) (?:it|that|this) (?!.*\bor\b)(?:the|for|about)\b
"""
)
OKAY = read_pattern(  # a short question with no content of its own
    r"""
(?:\b(?:is|are|was|does|do|would|will|be|sounds?|looks?|seems?|work|fine|good|okay|ok|right|all|certain|sure
  |happy|agreed|agree|deal|acceptable|both|two|three|really|still|with|by|for|you|me|us|we|i|so|and|then|that
  |this|it|may|now|go|ahead|absolutely|want|want to|to)\b[ ,]*){1,7}\?
"""
)
REQUEST = read_pattern(
    r"""
\b(?:could|can|would|will) you (?:please |kindly |also |just |maybe |perhaps |quickly |possibly )*(?:provide
  |tell|give|share|send|specify|clarify|let me know|remind|spell|state|describe|elaborate|check|double[ -]?check
  |verify|repeat|supply|enter|paste|type|dictate|attach|choose|pick|select|help me|point me|list|say|expand
  |confirm (?:your|the|which|what))\b
\b(?:please|kindly)(?: also| just)? (?:provide|tell|give|share|send|specify|clarify|let me know|state|describe
  |verify|repeat|supply|enter|paste|type|attach|choose|pick|select|indicate|list|include|reply|advise|say)\b
\bi(?:'ll| will|'d| would)?(?: also| just| still| first| only| really)* (?:need|require
  |be needing)\b(?! to (?!know|have|ask|get|verify|confirm))
\b(?:may|can|could|might) i (?:please |also |just )?(?:have|ask|know|get(?! \w+ed\b| on\b| to\b| going\b))\b
\bdo you (?:happen to |still |also )?(?:have|know|remember|recall)\b
\blet me know (?:the|your|which|what|who|when|where|how|a|about)\b|\bi(?:'m| am) missing\b
\b(?:i'd|i would|would) (?:like|love) to know\b|\b(?:would|d) help (?:me )?(?:to know|if)\b
\bneeds? (?:more|some more|further|additional|a few|a bit more|the following) (?:details?|information|info)\b
\b(?:still )?(?:missing|needed|required)\s*:|\btell me (?:the|your|which|what|who|when|where|how|more)\b
\bif you (?:could|can) (?:please )?(?:provide|tell|give|share)\b|^(?:your|the) [\w -]{2,30}, please\b|\bplease\?\s*$
^(?:what|which|who|when|where)\b[^.]*:$
"""
)
PROMISED_NEED = read_pattern(  # needs nothing of the user
    r"""
\bi(?:'ll| will)?(?: first)? need to (?:look|check|find|search|pull|see|first)\b|\bno need\b
\b(?:tell|inform|notify|give|send|share) (?:them|him|her)\b
\b(?:tell|inform|notify|give|send|share)(?! me\b| us\b)\b[^?]*\byourself\b
\bneed to verify your (?:account|identity)\b|\b(?:all|everything|what) (?:that )?(?:i|we)(?:'ll| will)? need\b
\bneed (?:\w+ )?steps\b
"""
)
WANTS_TOLD = read_pattern(
    r"""
\bwould you (?:like|prefer|want) (?:to (?:use|choose|provide|tell|specify|set|give)|it|the|that
  |this)\b.*\b(?:or|what|which|when)\b
^(?:and |so )?(?:(?:for|with|in|on|at|to|from|under|by|until|till|since|before|after|within) )?(?:what|which|when
  |where|who|how)\b
"""
)
WH = read_pattern(
    r"""
(?:^|[,:(] ?|\b(?:with|from|under|by|ask|and|or|for \w+,|to|on|in|at|through|of|for|about|know
  |until|till|since|before|after|within|than) )(?:what|which
  |who|whom|whose|when|where|why|how)(?:'s|'re)?\b
^(?:so|and|also|okay|ok|great|sure|thanks|hi|hello)[,!. ]+.*\b(?:what|which|who|when|where|how)\b
\b(?:what|which|whom?|whose|when|where|why|how (?:long|much|many|often|far|high))\s*\?$
"""
)
OFFER = read_pattern(
    r"""
\b(?:would you (?:also )?(?:like|prefer|care)|do you (?:also |still |perhaps )?(?:want|need|wish|prefer)
  |would you (?:also )?want|are you interested|interested in)\b
"""
)
CLOSING = read_pattern(
    r"""
\b(?:any ?thing|something|what|anyone) else\b|\banything more\b|\banything further\b
\b(?:any|some|other|further|more|additional) (?:other |further |more )?(?:questions?|requests?|assistance
  |help)\b|\bhow (?:else )?(?:can|may|could) i (?:help|assist|be of)|\b(?:can|may) i (?:help|assist)\b
\bwhat (?:can|may) i (?:do|help)
\blet me know (?:if|whether|when|should) (?:you(?:'d|'re| would| should| have| need| want| ever| wish| run|\b)
  |there|any)|\bfeel free\b|\bdon't hesitate\b|\bdo not hesitate\b|\bwhat would you like to do (?:next|now)\b
\bwhat(?:'s| is) next\b|^next\?|\bis there (?:another|any other)\b
\b(?:update|change|know|add|do|review|adjust|see|book|set) anything\b
\bhave a (?:great|nice|good|wonderful|lovely)\b|\bgood luck\b|\bbest of luck\b
\bi(?:'m| am| will be|'ll be) (?:here|happy to (?:help|assist) (?:with|further|if|you with (?:any|other))
  |glad to help)\b
\bif you (?:need|have|want|would like|'d like|change your mind|ever)\b(?!.*\bplease (?:tell|provide|share|give))
\bjust (?:let me know|say the word|ask)\b(?! (?:which|what|who|when|where|how))
\b(?:looking|hope) (?:forward|this helps)|\bthank(?:s| you) for (?:your patience|using|contacting|reaching)
"""
)
GREETING = read_pattern(
    r"""
(?:hello|hi|hey|good (?:morning|afternoon|evening|day)|welcome|you're (?:very )?welcome|bye|goodbye)\b
"""
)
YES_OR_NO = read_pattern(r"(?:yes|no|yep|nope|correct|right)\b[,.]")
AGREEMENT = read_pattern(
    r"""
(?:sure|of course|certainly|absolutely|understood|got it|okay|ok|alright|no problem|happy to|gladly|great
  |perfect|thanks|thank you|i understand|noted|sorry|i'm sorry|my apologies|apologies|i apologi[sz]e|congrat\w*
  |i can (?:help|do|certainly|definitely|assist)|i(?:'d| would) be (?:happy|glad|delighted)|i(?:'ll
  | will) be (?:happy|glad|able)|sounds good|my pleasure|yes|right|will do|wonderful|excellent|exciting
  |that's (?:great|exciting|wonderful)|nice|good (?:news|to hear|question))
"""
)
EXTRA = read_pattern(r"\b(?:as well|also|in addition|additionally|too|while (?:i|we|you)(?:'m|'re| am| are))\b")
INSTEAD = read_pattern(r"\b(?:instead|alternatively|rather)\b")
CHANGES = read_pattern(r"\b(?:change|update|replace|remove|delete|edit|alter|modify)\b")
DENIES = read_pattern(r"\b(?:no|not|none|without|leave|don't|except|never)\b")
