"""The word tables of the semantic matcher: abbreviations, same words, opposites, negations, and the stem of a word."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
# Written forms that become one phrase, before any word or number is read.
PHRASES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"\bw/o\b", "without"),
        (r"\bw/\s?(?=\w)", "with "),
        (r"\b[bB]/c\b", "because"),
        (r"\bn/a\b", "not available"),
        (r"\bas soon as possible\b|\ba\.s\.a\.p\b\.?", "asap"),
        (r"\b(can)not\b|\b(ca)n't\b|\bcant\b", "can not"),
        (r"\bwon'?t\b(?!-)", "will not"),
        (r"\b(do|does|did|is|are|was|were|has|have|had|should|would|could|must|need|might)n'?t\b", r"\1 not"),
        (r"\b(?:am|is|are|was|were|be|being)\s+(?:unable|not able) to\b|\b(?:unable|not able) to\b", "can not"),
        (r"\bfail(?:s|ed)? to\b|\bstopped\b(?=\s+\w+ing)", "not"),
        (r"\bno(?:t any)? longer\b|\bnot\b(?=(?:\s+\w+){1,6}\s+any ?more\b)", "not"),
        (r"\bany ?more\b", " "),
        (r"\bno one\b|\bno-one\b", "nobody"),
        (r"\bnot (?:only|just|merely)\b|\b(?:do not|not|never) (?:hesitate|forget) to\b|\bno (?:doubt|matter)\b", " "),
        (r"\b(?:no|not) later than\b|\bprior to\b|\bahead of\b|\bat the latest by\b", "before"),
        (r"\b(?:no|not) (?:earlier|sooner) than\b|\bnot (?:before|until|till)\b|\blater than\b", "after"),
        (r"\b(?:no|not) more than\b|\bat (?:the )?most\b|\bup to\b|\bno greater than\b", "atmost"),
        (r"\b(?:no|not) (?:less|fewer) than\b|\bat (?:the )?least\b", "atleast"),
        (r"\b(more|less|fewer|greater|higher|lower) than\b", r"\1than"),
        (r"\bfree of charge\b|\bat no (?:extra |additional )?(?:cost|charge)\b", "gratis"),
        (r"\b(gluten|lactose|dairy|nut|peanut|sugar|smoke|alcohol|pet|meat|egg|wheat)[- ]free\b", r"no \1"),
        (r"\bnon-(?=[a-z])", "not "),
        (
            r"\b(ref|reference|order|policy|account|invoice|claim|tracking|room|flight|phone|tel|member|part)\s+no\b\.?",
            r"\1 number",
        ),
        (r"\bno\.\s*:?\s*(?=#?[a-z]{0,4}-?\d)|\bno\.?:?\s+(?=#?\d)|\bnr\.?\s+(?=\d)|#(?=\d)", "number "),
        (r"\be-?mail", "email"),
        (r"\bcheck(?:s|ed|ing)?[ -]?in\b", "checkin"),
        (r"\bcheck(?:s|ed|ing)?[ -]?out\b", "checkout"),
        (r"\bwi-?fi\b", "wifi"),
        (r"\bdrop(?:s|ped|ping)?[ -]off\b", "dropoff"),
        (r"\bpick(?:s|ed|ing)?[ -]?up\b", "pickup"),
        (r"\bpick(?:s|ed|ing)? ((?:the |my |our |her |his |their )?\w+) up\b", r"pickup \1"),
        (r"(?<=\d) ?x ?(?=/|per |an? )", " times "),
        (r"/ ?(?=(?:wk|week|mo|month|yr|year|day|night|hr|hour|person|pp|visit)\b)", " per "),
        (
            r"\b(\w+) (?:is|are|was|were) (?:not (?:allowed|permitted)|forbidden|prohibited)\b",
            r"no \1 allowed",
        ),
        (r"\btwice\b", "2 times"),
        (r"\bhalf a dozen\b", "6"),
        (r"\ba decade and a half\b", "15 years"),
        (r"\b(?:a|one) decade\b", "10 years"),
        (
            r"(?<=[€$£])(\d{1,3})\.(\d{3})(?![\d.,])|(?<![\d.,])(\d{1,3})\.(\d{3})(?= ?(?:€|eur|usd|dollar))",
            r"\1\3\2\4",
        ),
        (r"\bcall(?:s|ed|ing)?[ -]?back\b", "callback"),
        (r"\bfollow(?:s|ed|ing)?[ -]?up\b", "followup"),
        (r"\bset(?:s|ting)?[ -]up\b", "setup"),
        (r"\bin front of\b", "infront"),
        (r"\bon-?site\b", "onsite"),
        (r"\b(?:turn|switch|power)(?:s|ed|ing)?((?: (?!on\b|off\b)\w+){0,3}) (on|off)\b", r"turned\2 \1"),
        (r"\bi'(?:m|d|ll|ve)\b|\b(?:you|we|they)'(?:re|d|ll|ve)\b|\b(?:he|she|it|there|that)'(?:s|d|ll)\b", " "),
        (r"(?:°|\bdegrees?|\bdeg\.?) ?(?:celsius|centigrade|fahrenheit|c|f)\b", "degrees"),
        (r"(?<=\d) ?in\b\.?(?= (?:long|wide|high|tall|deep|thick|x|by)\b|$|[,;])", " inches"),
        (r"\bout[ -]of[ -](?:order|service)\b", "broken"),
        (r"\bfree (?:of|from)\b(?! charge)|\bdevoid of\b", "no"),
        (r"\bclose to\b|\bnext to\b|\bbeside\b", "near"),
        (r"\b(?:look|looks|looked|looking) for\b", "want"),
        (r"&", " and "),
        (r"\bair[- ]?con(?:ditioning|ditioner|d)?\b|\ba/c\b|\bac(?= unit|\b(?! \d))", "aircon"),
        (r"\b(part|full)[- ]time\b", r"\1time"),
        (r"\bpt(?= (?:job|position|role|work|basis))", "parttime"),
        (r"\bft(?= (?:job|position|role|work|basis))", "fulltime"),
        (r"\b(?:rather than|instead of|as opposed to)\b", "not"),
        (r"\b(prefer\w*\s+(?:\w+\s+){1,4})over\b", r"\1not"),
        (r"\b(prefer\w*\s+(?:\w+\s+){1,2})to (?=\w+(?:s|ing)\b)", r"\1not "),
        (rf"\bfirst (?=(?:of )?(?:{_MONTHS})\b)", "1st "),
        (rf"\b({_MONTHS}) first\b", r"\1 1st"),
        (r"(?<![\d] )\bby(?= (?:\d|noon|mid|mon|tue|wed|thu|fri|sat|sun|the end|end of|tomorrow))", "before"),
        (rf"\bby(?= (?:{_MONTHS})\b)", "before"),
        (r"\bimpossible (?:for \w+ )?to\b", "can not"),
        (r"\bhalf an? (?=lit|kilo|mile|met|ton|inch|gram)", "0.5 "),
        (r"\b(?:a|one) third(?= of\b|$)", "1/3"),
        (r"(?<=\d) (?:out of|over) (?=\d)", " / "),
        (r"(?<!\d)(\d{1,15}) thousand (\d{3})\b", r"\1,\2"),
        (r"(?<!\d)(\d{1,15})\s?[x×]\s?(?=\d)", r"\1 x "),
    )
)

_ABBREVIATIONS = """
appt=appointment appts=appointments apptmt=appointment mtg=meeting mtgs=meetings doctor=dr street=st avenue=ave
road=rd apartment=apt boulevard=blvd building=bldg bld=bldg dept=department mgr=manager mgmt=management sr=senior
jr=junior asst=assistant exp=experience yr=year yrs=years wk=week wks=weeks hr=hour hrs=hours mins=minutes sec=second
secs=seconds mo=month mos=months approx=approximately ca=approximately max=maximum min=minimum qty=quantity
pkg=package pkgs=packages pkt=packet ref=reference conf=confirmation confirm=confirmation cust=customer pls=please
plz=please thx=thanks rm=room rms=rooms incl=included inc=included excl=excluded wknd=weekend wkend=weekend
temperature=temp temporary=temp deg=degrees fridge=refrigerator addl=additional info=information req=required
reqd=required reqs=requirements rec=recommended recs=recommendations rqst=request avail=available btwn=between
bw=between tel=phone telephone=phone msg=message msgs=messages amt=amount acct=account addr=address bal=balance
pymt=payment pmt=payment inv=invoice vat=tax dob=birthdate pts=patients rx=prescription dx=diagnosis hx=history
tx=treatment meds=medication med=medication medicine=medication bp=pressure lab=laboratory labs=laboratory
veg=vegetarian res=reservation resv=reservation bkfst=breakfast brkfst=breakfast bfast=breakfast dbl=double sgl=single
flr=floor fl=floor grd=ground gnd=ground hvac=heating sched=schedule resched=reschedule org=organisation dev=developer
eng=engineer engr=engineer admin=administrator hq=headquarters uni=university edu=education cert=certificate
certs=certificates lang=language tech=technician maint=maintenance equip=equipment elec=electric wtr=water
whse=warehouse warehse=warehouse del=delivery delv=delivery dlvr=deliver dlvry=delivery sig=signature attn=attention
intl=international natl=national govt=government assoc=associate co=company corp=company ltd=limited esp=especially
temporarily=temp perm=permanent vol=volume doc=document docs=documents physio=physiotherapy pp=pages pg=page pgs=pages
ed=edition pub=publisher lib=library bk=book bks=books ppl=people pers=person pax=people chk=check orig=original
prev=previous prelim=preliminary cont=continued w=with tmrw=tomorrow tmw=tomorrow tomo=tomorrow tonite=tonight
thru=through til=until till=until cos=because cuz=because bc=because abt=about hosp=hospital emerg=emergency
sx=symptoms surg=surgery inj=injury vet=veterinarian vax=vaccine ins=insurance ded=deductible veh=vehicle
reg=registration lic=license dl=license cv=resume photo=picture photos=pictures pic=picture pics=pictures
photograph=picture photographs=pictures tv=television pc=computer ft=fulltime hse=house gar=garage kitch=kitchen
bath=bathroom bdrm=bedroom br=bedroom lvl=level pos=position loc=location dest=destination arr=arrival dep=departure
eta=arrival etd=departure pref=prefers prefs=preferences poss=possible nec=necessary hwy=highway ln=lane pkwy=parkway
sq=square blk=block ste=suite ext=extension yd=yard yds=yards wkly=weekly mthly=monthly qtr=quarter frt=freight
shpt=shipment shpmt=shipment recd=received rcvd=received instr=instructor prof=professor univ=university dist=district
corr=corridor mtge=mortgage trans=transfer txn=transaction xfer=transfer stmt=statement chg=charge amts=amounts
cond=condition bev=beverage app=application apps=applications rsvp=reply stn=station sta=station apprvd=approved
exc=excellent sgnd=signed cxl=cancel canc=cancelled rtn=return ret=return
"""
ABBREVIATIONS = dict(entry.split("=") for entry in _ABBREVIATIONS.split())

_SAME = """
begin start commence began begun; buy purchase bought; child kid children kids; repair fix mend; sofa couch; elevator
lift; luggage baggage suitcase; holiday vacation; salary pay wage compensation; phone call ring contact; callback
call; large big; small little; ill sick unwell; car vehicle automobile; quick fast rapid; below under underneath
beneath; above over; reduce decrease lower lessen cut decreased; increase raise grow rise rose raised; rubbish garbage
trash; autumn fall; gratis complimentary; send ship dispatch sent; prescription script; allow permit let; forbid
prohibit ban forbidden forbade; required mandatory compulsory obligatory; reject refuse decline turndown; physician
dr; mobile cell cellphone; picture image; error fault; entrance entry; ground earth; collect pickup fetch; travel
travelling trip; work job function operate; people person persons pax; refund reimburse; reservation booking reserve
book; cancel cancelled canceled cancellation; grey gray; colour color; tyre tire; mould mold; flavour flavor;
neighbour neighbor; harbour harbor; centre center; theatre theater; cheque check; kerb curb; storey story; labour
labor; wide broad; windshield windscreen; smell odor odour; noise noisy sound; tap faucet; stain spot; during through
throughout; before prior until; after since following onward onwards; atmost maximum; atleast minimum; night
overnight; replace replacement exchange swap; mum mother mom; dad father; bike bicycle; glasses spectacles; hurt pain
painful ache sore; injure injury injured injuries; break broken defective faulty; finish end; answer reply respond
response; help assist assistance aid; smoking smoke smoker; deposit downpayment; cost price; shop store; talk speak
conversation; tablet pill pills; film movie; bill invoice
"""
_SAME_AS = {
    word: line.split()[0]
    for line in reversed(_SAME.split(";"))
    for word in line.split()
    if word not in ("book", "fall", "cut", "let", "ring", "sound", "spot")
}

_IRREGULAR = """
broken=break broke=break lost=lose sent=send met=meet wrote=write written=write took=take taken=take went=go gone=go
kept=keep came=come swollen=swell swelled=swell torn=tear tore=tear stolen=steal stole=steal paid=pay fell=fall
fallen=fall froze=freeze frozen=freeze built=build taught=teach spoke=speak spoken=speak told=tell said=say gave=give
given=give got=get found=find held=hold chosen=choose chose=choose driven=drive drove=drive ate=eat eaten=eat
slept=sleep spent=spend felt=feel bent=bend men=man women=woman feet=foot teeth=tooth wives=wife knives=knife
shelves=shelf lives=live leaves=leave knew=know known=know shown=show worn=wear wore=wear bitten=bite bit=bite
dying=die died=die death=die lying=lie hidden=hide brought=bring thought=think sold=sell grew=grow preferred=prefer
preference=prefer allergic=allergy allergies=allergy dripping=drip travelled=travel loaves=loaf halves=half
strength=strong arrival=arrive departure=depart receipt=receive choice=choose clarity=clear explanation=explain
heating=heat rang=ring rung=ring understood=understand caught=catch drunk=drink drank=drink drew=draw drawn=draw
flew=fly flown=fly forgot=forget forgotten=forget laid=lay led=lead lent=lend made=make ran=run rode=ride ridden=ride
saw=see seen=see stood=stand swam=swim threw=throw thrown=throw won=win shook=shake shaken=shake hid=hide began=begin
begun=begin bought=buy became=become leaking=leak leakage=leak used=use using=use
"""
IRREGULAR = dict(entry.split("=") for entry in _IRREGULAR.split())

# Words that may stand for each other where the text lacks the wanted one, although they can mean other things too.
_LOOSE = """
leave left; flat apartment; ring call; hold reserve keep store; close near nearby; stay remain; wrong incorrect; get
receive; bring carry; choose pick select; show display; look check inspect; place spot location; enough sufficient;
occur happen; depart leave; live reside; speak talk; arrive come; leave depart; drop deliver; ask request; soak wet;
issue problem; change switch modify; arrange organise organize; let allow; locate find; promise agree; additional
extra more; teach instruct; store keep; schedule plan; move shift; explain clarify; crack split; stuck jam jammed;
costly expensive; total sum; provide supply give; stop end; meal food; tell inform notify; complete finish; ready
prepared; fee charge; fit suit; hear sound; join attend; visit come; study learn; bother disturb
"""
STOP = _words(
    """a an the this that these those there here it its itself i me my mine myself we us our ours you your yours he him
    his she her hers they them their theirs himself herself themselves who whom whose which what is am are was were
    be been being do does did done doing has have had having will would shall should may might must can could to of
    in on at for as so and or but if then than also too very just really quite please kindly into onto per via about
    around approximately roughly with by from through because since while when where how get gets got let lets s t m
    d ll ve re already still yet again some any each every both either etc eg ie regarding upon own such other else
    only even however though although thus hence number one thank thanks well due up it's across between among
    amongst within o'clock sharp exactly date time times"""
)
LIGHT = _words(
    """want need wish like ask request would prefer desire hope say state mention report note require make
    know think feel seem going able"""
)
ROLES = _words(
    """customer client guest patient member patron applicant candidate user traveler traveller tenant caller claimant
    policyholder insured employee contact person sender recipient agent owner resident visitor passenger borrower
    reader renter subscriber buyer driver mr mrs ms miss dr sir madam note notes comment request"""
)
ROLES |= {f"{role}s" for role in ROLES}
TITLES = _words("mr mrs ms miss mx dr doctor prof professor sir madam")

NEGATORS = _words(
    """not no never without nobody none nothing neither nor lack avoid refuse dislike hate hardly except lacks
    lacking lacked avoids avoided refuses refused dislikes disliked hates hated skip skips omit"""
)

_OPPOSITES = """
before | after; morning | evening afternoon night; afternoon | evening night morning; increase up | reduce down;
accept approve | reject deny; approve | reject deny; confirm | cancel; allow | forbid; early earlier earliest | late
later latest; morethan more greaterthan higherthan | lessthan less fewer fewerthan lowerthan; first | last second;
left | right; turnedon | turnedoff; on | off; open | close shut; inside indoor indoors | outside outdoor outdoors;
inbound incoming | outbound outgoing; checkin | checkout; pickup collect | dropoff deliver; buy | sell; required
mandatory | optional voluntary; pay | owe outstanding; maximum atmost | minimum atleast; win | lose; arrive | depart
leave; hot warm | cold cool; wet | dry; full | empty; high higher highest tall | low lower lowest short; long longer
longest | short shorter shortest; large larger largest | small smaller smallest; old older | new newer young younger;
fast faster | slow slower; easy | hard difficult; cheap cheaper | expensive; strong | weak; good great excellent well
| bad badly poor poorly terrible; better | worse; best | worst; positive | negative; quiet silent | loud noisy; light
bright | dark dim; light | heavy; soft | firm hard; thick | thin; wide | narrow; deep | shallow; near nearby close |
far away; front | back rear; upper upstairs top | lower downstairs bottom; above | below; north northern | south
southern; east eastern | west western; male man men | female woman women; son | daughter; husband | wife; brother |
sister; mother | father; smoker smoking | nonsmoking nonsmoker; single | double twin; single | married divorced;
permanent | temporary; fulltime | parttime; full-time | part-time; public | private; internal | external; domestic |
international; love enjoy like | hate dislike; pass | fail; succeed success successful | fail failure unsuccessful;
include | exclude; keep | remove discard; add | remove; attach | detach; always | never rarely; many | few; all |
none; today | tomorrow yesterday; tomorrow | yesterday; daily | weekly monthly; weekly | monthly yearly; weekday
weekdays | weekend; summer | winter; spring | autumn; import | export; borrow | lend; start | end finish stop; create
| delete; enable | disable; active | inactive; alive | dead; healthy | sick ill; guilty | innocent; safe | dangerous;
clean | dirty; fresh | stale; sweet | sour bitter; sharp | blunt dull; tight | loose; gain | lose loss; urgent |
routine; major | minor; junior | senior; remote | onsite; hire | fire dismiss; employ | unemploy; hardcover hardback |
paperback softcover; fiction | nonfiction; red | blue green yellow black white; blue | green yellow black white; black
| white; window | aisle; breakfast | dinner lunch; lunch | dinner; lock | unlock; sunny | shady; improve | worsen
deteriorate; agree | disagree; continue resume | stop discontinue; renew extend | cancel terminate; work function |
break fail; fix | break; satisfied | dissatisfied; over overqualified | under underqualified; vacant free | occupied;
approve | decline; win | lose; guilty | innocent
"""
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non")
_PLAIN = _words(
    """until under inform income inside indoor indoors invoice insure insured insurance input intake install invest
    inbound include included discharge discount display discuss distance import important improve
    impress into inspect"""
)
_ENDINGS = _words(
    """abilities ability ibilities ibility ications ication ations ation ators ator itions ition iness nesses ness
    ments ment ances ance ences ence encies ency ables able ibles ible ically ical ated ates ating ate ous ously
    ives ive ively ions ion ered ering ized alized ised izing ising ization isation ities ity ings ing edly ied
    ies ed ers er ors or ially ial als ally al ics ic ists ist fully ful ily ly y es s e"""
)
_SHORT_ENDINGS = _words("s ed ing es er e y ies ied ers ings ered ering")
_BY_LENGTH = sorted(_ENDINGS, key=lambda ending: (-len(ending), ending))


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """The part of a word that its usual forms share, after abbreviations and same words become one."""
    word = plain_letters(word)
    word = ABBREVIATIONS.get(word, word)
    word = IRREGULAR.get(word, word)
    word = _SAME_AS.get(word, word)
    cut = _cut(word)
    return _SAME_STEMS.get(cut, cut)


@lru_cache(maxsize=4096)
def plain_letters(word: str) -> str:
    """The word in lower case without accents or a possessive ending."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    letters = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return letters.removesuffix("'s").strip("'")


def without_prefix(word: str) -> str | None:
    """What a word such as `unavailable` denies (`available`), if it begins like one that denies."""
    for prefix in _PREFIXES:
        if word not in _PLAIN and word.startswith(prefix) and len(word) >= len(prefix) + 3:
            return word[len(prefix) :].removeprefix("-")
    return None


def _cut(word: str) -> str:
    """A word without its ending; short words keep all but a plural or verb ending."""
    if any(letter.isdigit() for letter in word):
        return word
    for ending in _BY_LENGTH:
        if word.endswith(ending):
            least = 3 if ending in _SHORT_ENDINGS else 4
            rest = word.removesuffix(ending)
            if len(rest) >= least and not (ending == "s" and rest.endswith(("s", "u", "i"))):
                return rest[:-1] if len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "ls" else rest
    return word


_SAME_STEMS = {_cut(word): _cut(first) for word, first in _SAME_AS.items()}
_SAME_STEMS = {key: _SAME_STEMS.get(first, first) for key, first in _SAME_STEMS.items()}
OPPOSITES: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(
    (frozenset(map(stem, left.split())), frozenset(map(stem, right.split())))
    for left, right in (line.split("|") for line in _OPPOSITES.split(";"))
)
LIGHT_STEMS = frozenset(map(stem, LIGHT))
_LOOSE_GROUPS = [frozenset(map(stem, line.split())) for line in _LOOSE.split(";")]
STANDS_FOR = {
    one: frozenset().union(*(group for group in _LOOSE_GROUPS if one in group)) - {one}
    for group in _LOOSE_GROUPS
    for one in group
}
