"""The phrases by which an assistant says what it does: promised, done, not done yet, refused, not found."""

from __future__ import annotations

import re

from runtime.harness.users.patterns import read_pattern, read_words
from runtime.harness.users.phrases import Act

_NO_MEANS = read_pattern(
    r"""
\b(?:don't|do not|can't|cannot|couldn't) (?:see|find|have) (?:any |a |an |the )?(?:\w+ )?(?:tool|way|option
  |function|feature|means|possibility|service|method)s?\b
"""
)
_NOT_FOUND = read_pattern(
    r"""
\b(?:couldn't|could not|can't|cannot|can not|unable to|wasn't able to|not able to|didn't|did not|don't|do not
  |failed to)(?: seem to| currently| actually)? (?:find|locate|see|identify|match)\b
\bno (?:\w+ ){0,3}(?:found|match(?:es|ing)?|results?)\b
\b(?:doesn't|does not|don't|do not) (?:appear to |seem to )?(?:exist|match)\b|\bnot found\b
"""
)
_REFUSAL = read_pattern(
    r"""
\b(?:i|we)(?:'m| am| are|'re)?(?: really| very| so| truly
  | terribly)?(?: sorry,?)?(?: but)?(?: i)?(?: unfortunately| currently| also| only| simply| just| still
  | really)* (?:can't|cannot|can not|couldn't|could not|am not able|wasn't able|'m not able|unable|was unable
  |not able|won't be able|will not be able|not (?:allowed|permitted|authori[sz]ed|equipped|set up)|(?:don't
  |do not|lack)(?: currently| actually)? have|have no|lack|must decline|have to decline|can only|won't|will not
  |am afraid|'m afraid|would not be able|wouldn't be able)\b(?! (?:wait|stress|recommend|seem|any (?:questions
  |trouble)))|\b(?:unable|not able) to\b
(?:\b(?:is|are|was|were)(?:n't| not)|'s not|'re not)(?: \w+)? (?:possible|available|supported|allowed|permitted
  |something|within|part of|covered|offered|included|in my|a (?:service|feature|tool))\b
\b(?:outside|beyond)(?: of)? (?:what|my|the|our)\b|\bout of (?:my )?(?:scope|reach)\b
\b(?:there(?:'s| is)|have|has) no (?:way|tool|option|function|feature|means|ability|service)\b
\bno (?:tool|function|option|feature) (?:for|to|that)\b
\b(?:policy|system|tools?|rules?) (?:does not|doesn't|do not|don't|won't|will not|cannot|can't) (?:allow|permit
  |let|support|include|offer|have|cover)\b|\bagainst (?:the |our )?(?:policy|rules)\b
\b(?:doesn't|does not) (?:allow|permit|support)\b
\byou(?:'ll| will|'d| would)? (?:need|have) to (?:contact|book|arrange|do (?:this|that|it)|handle|reach|sign up
  |ask|use|send|go)\b|\b(?:was|were|got|been) (?:rejected|denied|refused|declined) (?:by|because|since|as)\b
\b(?:transfer(?:ring|red)?|escalat\w+|hand(?:ing|ed)?) (?:you|this|it)\b.*\b(?:human|agent|person|specialist
  |team|representative|colleague)\b
\bcannot be (?!undone|reversed|reverted|recovered|restored|changed (?:later|back|afterwards)|taken back)\w+
\b(?:can't|couldn't|could not) be (?!undone|reversed|reverted|recovered|restored)\w+|\bisn't (?:something|possible)
\bnot something i\b|\bcan not be \w+ because\b
"""
)
_PROMISE = read_pattern(
    r"""
\b(?:i|we)(?:'ll| will| shall)(?! need\b| require\b| be (?:happy|glad|here|sure|able)| not\b| let you\b
  | have (?:been|to decline)\b| assume\b)
\b(?:i'm|i am|we're) (?:now |just |currently |still |about to |going to |gonna )*(?:going to|about to|\w+ing\b)
\blet me (?!know\b|be clear|explain)|\blet's \w+
\b(?:one|a|just a|give me a|hold on a|hang on a|wait a) (?:quick |brief |few )?(?:moment|sec|second|seconds
  |minute|minutes|moments)\b(?! (?!please|while|whilst|as|and|to|until
  |for|i\b|here|so)\w)|\bhold on\b|\bhang on\b|\bbear with me\b|\bplease (?:wait|hold|stand by)\b|\bstand by\b
^(?:now |currently |still )?(?!according|regarding|concerning|during|including|judging|having|being|rating
  |meeting|booking|training|morning|evening|(?:no|any|some|every)thing)[a-z]{2,}ing\b(?!.*\b(?:is|are|was|were
  |has|can|can't|cannot|will|would)\b)
^(?:now |currently |still )?(?:looking|checking|working|searching|processing|cancelling|canceling|updating
  |fetching|retrieving|pulling)\b|\bright away\b|\b(?:i'm|we're) on it\b|^on it\b
\bi need to (?:look|check|find|search|pull|first)\b|\b(?:first|next),? i (?:need|have|want) to\b|\bi plan to\b
\bwill do\b|\bgetting (?:that|this|it) (?:done|started|sorted)
"""
)
STATEMENTS: tuple[tuple[Act, re.Pattern[str]], ...] = (
    ("refusal", _NO_MEANS),
    ("not_found", _NOT_FOUND),
    ("refusal", _REFUSAL),
    ("promise", _PROMISE),
)
CONDITION = read_pattern(  # what depends on something is not promised
    r"""
(?:please note|note|important|warning|heads[- ]up|keep in mind)\b
(?:once|after|when|if|until|before|as soon as|as the|whenever|unless)\b(?!.*, (?:i'm|let me))
"""
)
NO_PROMISE = read_pattern(
    r"""
\b(?:once|as soon as|after|when|if|before|until) (?:you|i have|i've|i get|i know|that's)\b
\bi(?:'m| am) (?:sorry|afraid|missing|wondering|showing|seeing|looking at|assuming)\b
\bi(?:'ll| will) (?:leave it|keep that in mind|then|only)\b
"""
)
PLAN = read_pattern(
    r"""
\b(?:would|will|shall|could|can|may|going to|plan|planned|propose|intend|about to)\b|'(?:d|ll)\b|\bto do\b|\bsteps\b
\bnext\b[\w ]*:|\bsuggest\w*\b|\bproposal\b|\bready\b
"""
)
PENDING = read_pattern(
    r"""
(?:\bnot|n't|\bnothing|\bneither|\bnone)\b(?!.*\b(?:was|were|had)\b).*\b(?:yet|so far)\b(?!.*\bas you\b)
\byet to be \w+|\bbefore i \w+|\b(?:have not|haven't) (?:done|changed|touched|started) (?:it|that|this|any\w*)\b
\bstill (?:to do|to be \w+|(?:has|have|needs?) to)\b
"""
)
NOT_YET = read_pattern(
    r"""
\bnot (?:yet )?been\b|\b(?:hasn't|haven't|isn't|aren't|wasn't|weren't|didn't|not) (?:yet )?(?:been )?\w+ed\b
\bnot (?:yet|done)\b|\bwill (?:have been|be)\b|(?<!, )\bto be \w+ed\b|\bcan be \w+ed\b|\bready to be\b|\bwould be\b
\b(?:i|we)(?:'d| would| could)\b
"""
)
PLAIN_REPORT = read_pattern(
    r"""
\bnothing (?:is|remains|was) (?:left|open|to do)\b|\bnothing (?:more |else )?(?:left )?(?:for me )?to do\b
\bnothing (?:left|remains)\b|\bthat (?:is|was) (?:all|everything) (?:that )?you (?:asked|wanted)\b|[✅✔☑]
^(?:all )?done\b|\bchecked (?:(?:it|them|this|that|the \w+) )?(?:out|off|in)\b
\b(?:ticket|confirmation|reference|booking|order|case|request)(?: (?:number|code|id|no\.?))(?: is|:)
^[\w' -]{2,50}? (?:(?!need|indeed|queued)\w{2,}ed|complete|done|sent|paid|made)\s*(?:[.!(:,]|$)
\b(?:is|are) ready\b(?! to\b)|\b(?:i|we) (?:was|were) able to\b|\b(?:changes?|updates?|everything) (?:is|are) in\b
\b(?:is|are) (?:\w+ ){0,5}now\b|\b(?:it's|they're) in\b
\b(?:is|are|it's|that's|everything's|everything is|been|now|got that|all) (?:all )?(?:done|set|sorted|complete
  |taken care of|finished|in place|on file|in the (?:system|queue|record)|live|active again)\b|\ball set\b
\bsuccess(?:ful|fully)?\b(?! (?:rate|in your))|\btaken care of\b|\bwent through\b|\b(?:is|are) now\b
\bnow (?:shows?|has|have|reads?|lists?|stands?|in|at|set|marked|carries)\b
\byou're (?:all set|now|booked|registered|signed up|in the queue|number|enrolled)\b
\bnoted (?:down )?(?:on|in|to|for|against)\b|\b(?:already|mission) (?:done|accomplished|archived|complete)\b
\bas (?:i )?(?:mentioned|said|noted),? (?:that|this|it|the)\b.*\b(?:done|already)\b
"""
)
DONE = re.compile(
    r"(?:\b(?:has|have|had)|'ve|'s)(?: now| already| just| also| all| both| successfully| since)* been (?:\w+ly )?(\w+)"
    r"|\b(?:i|we)(?:'ve| have)?(?: now| already| just| also| both| gone ahead and| went ahead and"
    r"|,? as (?:you )?requested,?| \w+ly)* (\w+)"
    r"|(?:\b(?:is|are|was|were)|'s|'re)(?: now| already| both| all| just| also| then)*(?: \w+ly)? (\w+)"
    r"|^(?:all |both |and |now |also )?(\w+ed)\b|\bgot (?:it |that |this |them )?(\w+)\b|, (\w+ed) (?:it|them|the)\b"
    r"|\band (\w+ed) (?:it|them|the|a|an|your)\b"
)
STATE = 3  # the group of `DONE` that tells what something is, not what was done
NO_DEEDS = read_words(
    """
    addressed allowed asked assigned associated assumed attempted based called checked committed compared concerned
    confused dated dedicated denied detailed drafted examined exceed excited expected failed feed fetched found
    gathered hundred identified indeed informed interested involved limited listed located looked matched mentioned
    named need needed noted noticed offered opened permitted planned pleased prepared proceed pulled queued read
    received red rejected related requested required retrieved reviewed sacred scanned searched seen speed succeed
    supported supposed titled tried understood used verified wanted wondered
    """
)
STATES = read_words(
    """
    closed due kept left located made priced rated scheduled set stored taken
    """
)
IRREGULAR = read_words(
    """
    begun booked built cut done given kept lent made paid put sent set sold taken withdrawn written
    """
)
