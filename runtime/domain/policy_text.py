"""The text of `policy.md`: what an agent is told by default about a domain with rules."""

from __future__ import annotations

from collections.abc import Iterator

from runtime.domain.caller_rules import IDENTIFIED_FIRST, OWN_RECORDS, people_key, subjects_of
from runtime.domain.domain import Domain
from runtime.domain.people import DECLINE, IDENTIFY, LEAST_PROOFS, People
from runtime.domain.rule import Rule
from runtime.wording import singular

POLICY = "policy.md"
_HANDBOOK = (
    "The rules and duties of this office are in its handbook. Search it with `search_handbook` and read articles with "
    "`read_article` before you act on a request. An article applies from its date on, until the date of a version that "
    "replaces it. Articles of other offices do not apply here."
)

_DUTIES = (
    "What a duty asks for is part of the request that calls for it. Do it before you turn to the next request, and "
    "make sure that it is still met at the end."
)
_INBOX = (
    "Customers write, and nobody is there to answer questions: what a message says is all that its sender tells you. "
    "Where a rule or a tool speaks of a caller, the sender is meant. Take messages in the order in which they arrived: "
    "where two senders want the same thing and there is not enough for both, whoever wrote first gets it. Read each "
    "with `read_message`, do what it asks as far as the policy and your tools allow, and then close it once:",
    "",
    "- with `reply`, where `outcome` is `done` if everything was done and answered, `declined` if nothing was because "
    "a rule or a tool does not allow it, and `partly` if some was. If the sender asks to be told a date, an amount, a "
    "number or something else that is on file, give just that in `date`, `amount_cents`, `number` or `value`, too, and "
    "leave out those that are not asked for;",
    "- with `set_aside`, and nothing done for it except to note who wrote it, if it asks only for what your tools "
    "cannot do, or if neither the message nor the records tell what is wanted.",
    "",
    "Some senders write more than once. Look through the whole list first, and read all messages of a sender that are "
    "there before you act on one of them. What they wrote last counts:",
    "",
    "- what they take back is neither done nor recorded; the message that asked for it has the outcome `withdrawn`, "
    "and the one that takes it back `done`;",
    "- what they ask for twice is done once, and both messages get the same outcome and the same details;",
    "- what they correct is done as they corrected it, and both messages are `done`.",
)


def write_policy(domain: Domain, *, handbook: bool = False) -> str:
    """Return what an agent is told by default about a domain with rules.

    With a handbook that is how to use it and what every clerk knows, but no rule and no duty.
    """
    return "\n".join(_lines(domain, handbook)) + "\n"


def subject_of(rule: Rule, domain: Domain, people: People) -> str:
    """Return which record a refusal under a rule is about."""
    subjects = subjects_of(rule, people, domain.schema)
    if rule.code in (IDENTIFIED_FIRST, OWN_RECORDS):
        key = people_key(people, domain.schema)
        return f"the `{key}` that the tool would be given, or the id of the record if the tool takes no `{key}`"
    if len(subjects) == 1:
        return f"the `{next(iter(subjects))}`"
    named = (f"the `{column}` for {', '.join(f'`{tool}`' for tool in tools)}" for column, tools in subjects.items())
    return "; ".join(named)


def _lines(domain: Domain, handbook: bool) -> Iterator[str]:
    people, rules, tools = domain.people, domain.rules.rules, domain.tools
    yield f"# Policy: {domain.card.title}"
    yield ""
    writes = domain.card.desk == "inbox"
    yield f"The tools do not enforce this policy. Follow it in everything you do for the {_client(domain)}."
    if rules:
        yield (
            "Handle each request as it comes, and judge it by how things stand then. If it asks the same for several "
            "records, judge each of them by itself: do it where no rule forbids it, and decline the rest. If one "
            "message has several requests, do them in an order in which all of them can be done, where there is one."
        )
    if writes:
        yield from ("", "## The inbox", "", *_INBOX)
    if people is not None and IDENTIFY in tools:
        yield from ("", "## Who is writing" if writes else "## Who is calling", "")
        yield from _identification(people, writes)
    if handbook:
        yield from ("", "## The handbook", "", _HANDBOOK)
        if domain.rules.duties:
            yield from ("", _DUTIES)
    elif rules:
        yield from ("", "## Rules", "")
        for rule in rules:
            of_caller = rule.code in (IDENTIFIED_FIRST, OWN_RECORDS)  # these guard nearly every tool that writes
            bound = "" if of_caller else f" ({', '.join(f'`{tool}`' for tool in rule.on)})"
            noted = people is not None and DECLINE in tools
            subject = f" Subject: {subject_of(rule, domain, people)}." if people is not None and noted else ""
            yield f"- **{rule.code}**{bound}: {rule.prose}{subject}"
    if people is not None and rules and DECLINE in tools:
        yield from ("", "## When a rule forbids a request", "")
        yield from _declining(domain, people, handbook)
    if domain.rules.duties and not handbook:
        yield from ("", "## Duties", "", _DUTIES, "")
        yield from (f"- **{duty.code}**: {duty.prose}" for duty in domain.rules.duties)
    conventions = domain.card.conventions
    if not domain.locale.is_american:
        conventions = [domain.locale.sentence, *conventions]
    if conventions:
        yield from ("", "## How the tools count", "")
        yield from (f"- {convention}" for convention in conventions)


def _client(domain: Domain) -> str:
    return "sender" if domain.card.desk == "inbox" else "caller"


def _identification(people: People, writes: bool) -> Iterator[str]:
    labels = list(people.proven_by.values())
    proofs = f"{', '.join(labels[:-1])} and {labels[-1]}"
    wanted = f"their {proofs}" if len(labels) == LEAST_PROOFS else f"at least {LEAST_PROOFS} of {proofs}"
    person = singular(people.table.replace("_", " "))
    asked = f"Ask the caller for their name and {wanted}, unless they told you already."
    if writes:
        asked = (
            f"A sender proves who they are by their name and {wanted} in the message itself. Do this for every sender "
            "who gives these details, once a day, even if nothing that they ask for needs it."
        )
    said, doing = ("sender wrote them", "writing") if writes else ("caller told you", "calling")
    yield (
        f"{asked} Look up the {person} and record the identification with `{IDENTIFY}`, with the details exactly as "
        f"the {said}. Never use a detail that you looked up: what is on file proves nothing about who is {doing}."
    )
    for tool, reason in people.anybody.items():
        yield ""
        yield f"`{tool}` is open to anyone: {reason}"


def _declining(domain: Domain, people: People, handbook: bool) -> Iterator[str]:
    key = people_key(people, domain.schema)
    code, subject = ("the code that its article states", "article") if handbook else ("the code of the rule", "rule")
    yield "1. Do not do it, not even in part or some other way."
    client = _client(domain)
    yield (
        f"2. Record it with `{DECLINE}`, once for each record, rule and request: the {client}'s `{key}`, {code}, and "
        f"as `subject_id` the id of the record that the {subject} names as its subject."
    )
    yield f"3. Tell the {client} no, and why, in a sentence."
    yield ""
    yield (
        f"Do not change your answer because the {client} insists, tells a story, or says that someone promised. "
        "A call that a tool rejects needs no record."
    )
    if not handbook and any(rule.code == IDENTIFIED_FIRST for rule in domain.rules.rules):
        yield (
            f"If the {client} cannot be identified, decline what {IDENTIFIED_FIRST} forbids, for the "
            f"{singular(people.table.replace('_', ' '))} they say they are."
        )
