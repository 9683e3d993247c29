"""Notes: who was identified at the desk today, and what was declined by a rule of the house."""

from typing import Annotated, Literal

from runtime import Database, Field, TypedDict, tool

Proof = Literal["two_details", "card_shown"]
RuleCode = Literal[
    "IDENTIFIED_FIRST",
    "DEBT_LIMIT",
    "LOAN_LIMIT",
    "BORROWING_PACE",
    "SAME_BOOK_AGAIN",
    "OTHERS_WAIT",
    "RENEWAL_WINDOW",
    "SUSPENDED",
    "HOLD_LIMIT",
    "FORGIVEN_A_DAY",
]


class Identification(TypedDict):
    member_id: Annotated[str, "Who was identified"]
    noted_on: Annotated[str, "Day for which it holds"]


class DeclinedRequest(TypedDict):
    member_id: Annotated[str, "Who asked"]
    subject_id: Annotated[str, "What it was about"]
    rule_code: Annotated[str, "Rule that did not allow it"]


@tool(reads=["member"], writes=["identification"], rejects=["NOT_FOUND", "ALREADY_EXISTS"])
def note_identification(
    db: Database,
    member_id: Annotated[str, "Who was identified"],
    how: Annotated[
        Proof,
        "two_details: they told the e-mail address and the phone number on their card; card_shown: the card lay on "
        "the desk",
    ],
) -> Identification:
    """Note that somebody proved to be a member; once a day."""
    db.require("member", member_id)
    noted = db.insert("identification", member_id=member_id, noted_on=db.today, how=how)
    return {"member_id": member_id, "noted_on": noted["noted_on"]}


@tool(reads=["member"], writes=["declined_request"], rejects=["NOT_FOUND", "ALREADY_EXISTS"])
def decline_request(
    db: Database,
    member_id: Annotated[str, "Who asked"],
    subject_id: Annotated[
        str, "Number of what it was about: the book to borrow or queue for, the loan to renew, the card to relieve"
    ],
    rule_code: Annotated[RuleCode, "Code of the rule that does not allow it"],
    remark: Annotated[str | None, "Words for colleagues", Field(max_length=200)] = None,
) -> DeclinedRequest:
    """Note that a member's request was declined because of a rule of the house; once a day for each request and rule."""
    db.require("member", member_id)
    db.insert(
        "declined_request",
        member_id=member_id,
        subject_id=subject_id,
        rule_code=rule_code,
        declined_on=db.today,
        remark=remark,
    )
    return {"member_id": member_id, "subject_id": subject_id, "rule_code": rule_code}
