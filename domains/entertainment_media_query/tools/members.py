"""Members: finding them, their contact details, tiers, and charges."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class Member(TypedDict):
    member_id: Annotated[str, "the member"]
    full_name: Annotated[str, "first and last name"]
    email: Annotated[str, "email on file"]
    phone: Annotated[str | None, "phone on file"]
    date_of_birth: Annotated[Date | None, "birthday"]
    tier: Annotated[Literal["neighbor", "friend", "patron"], "membership tier"]
    tier_set_on: Annotated[Date | None, "day the tier last changed"]
    joined_on: Annotated[Date, "day they joined"]


class Charge(TypedDict):
    charge_id: Annotated[str, "the charge"]
    member_id: Annotated[str, "who owes it"]
    kind: Annotated[Literal["late_cancel", "missed_viewing", "rush", "research", "other"], "what it is for"]
    amount_cents: Annotated[int, "amount"]
    viewing_id: Annotated[str | None, "viewing it is about"]
    inquiry_id: Annotated[str | None, "inquiry it is about"]
    status: Annotated[Literal["unpaid", "paid"], "whether it is paid"]
    created_at: Annotated[Timestamp, "when it was recorded"]
    paid_at: Annotated[Timestamp | None, "when it was paid"]


class ChargeList(TypedDict):
    charges: Annotated[list[Charge], "the charges"]
    total: Annotated[int, "charges that match"]
    unpaid_cents: Annotated[int, "all the member still owes"]


class Payment(TypedDict):
    charges: Annotated[list[Charge], "charges now paid"]
    paid_cents: Annotated[int, "sum just paid"]
    unpaid_cents: Annotated[int, "what the member still owes"]


def _unpaid_cents(db, member_id):
    return db.value(
        "SELECT coalesce(sum(amount_cents), 0) FROM charge WHERE member_id = ? AND status = 'unpaid'", member_id
    )


@tool(reads=["member"], rejects=["NOT_FOUND"])
def find_member_by_email(db: Database, email: Annotated[str, "email on file", Field(min_length=1)]) -> Member:
    """Find the member who has an email."""
    member = db.first("SELECT * FROM member WHERE lower(email) = lower(?) ORDER BY member_id", email)
    if member is None:
        raise Rejection.not_found(f"No member has the email {email!r}.")
    return member


@tool(writes=["member"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def update_contact(
    db: Database,
    member_id: Annotated[str, "member to change"],
    email: Annotated[str | None, "new email", Field(min_length=1)] = None,
    phone: Annotated[str | None, "new phone", Field(min_length=1)] = None,
) -> Member:
    """Change a member's email, phone or both.

    Requires: An email or a phone is given. No other member has this email, ignoring case.

    Only the given fields change.
    """
    if email is None and phone is None:
        raise Rejection.invalid_argument("Give an email, a phone or both.")
    member = db.require("member", member_id)
    if email is not None:
        other = db.first(
            "SELECT member_id FROM member WHERE lower(email) = lower(?) AND member_id <> ?", email, member_id
        )
        if other is not None:
            raise Rejection.already_exists(f"Another member has the email {email!r}.")
    return db.update(
        "member",
        member_id,
        email=member["email"] if email is None else email,
        phone=member["phone"] if phone is None else phone,
    )


@tool(writes=["member"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_tier(
    db: Database,
    member_id: Annotated[str, "member to move"],
    tier: Annotated[Literal["neighbor", "friend", "patron"], "new tier"],
) -> Member:
    """Move a member to another tier.

    Requires: The member is on a different tier now.

    tier changes; tier_set_on becomes today.
    """
    member = db.require("member", member_id)
    if member["tier"] == tier:
        raise Rejection.failed_precondition(f"Member {member_id!r} is on the tier {tier} already.")
    return db.update("member", member_id, tier=tier, tier_set_on=db.today)


@tool(
    reads=["member", "viewing", "inquiry"],
    writes=["charge"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def record_charge(
    db: Database,
    member_id: Annotated[str, "who owes it"],
    kind: Annotated[Literal["late_cancel", "missed_viewing", "rush", "research", "other"], "what it is for"],
    amount_cents: Annotated[int, "amount", Field(ge=1, le=50000)],
    viewing_id: Annotated[str | None, "viewing it is about"] = None,
    inquiry_id: Annotated[str | None, "inquiry it is about"] = None,
) -> Charge:
    """Put a charge on a member's account.

    Requires: At most one of viewing_id and inquiry_id is given. The viewing or inquiry, if given, is the member's own.

    The new charge is unpaid.
    """
    if viewing_id is not None and inquiry_id is not None:
        raise Rejection.invalid_argument("Give a viewing or an inquiry, not both.")
    db.require("member", member_id)
    about = None
    if viewing_id is not None:
        about = db.require("viewing", viewing_id)
    if inquiry_id is not None:
        about = db.require("inquiry", inquiry_id)
    if about is not None and about["member_id"] != member_id:
        raise Rejection.failed_precondition(
            f"What the charge is about belongs to {about['member_id']!r}, not to {member_id!r}."
        )
    return db.insert(
        "charge",
        charge_id=db.new_id("charge"),
        member_id=member_id,
        kind=kind,
        amount_cents=amount_cents,
        viewing_id=viewing_id,
        inquiry_id=inquiry_id,
        status="unpaid",
        created_at=db.now,
    )


@tool(reads=["member", "charge"], rejects=["NOT_FOUND"])
def list_charges(
    db: Database,
    member_id: Annotated[str, "whose charges"],
    status: Annotated[Literal["unpaid", "paid"] | None, "only these"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> ChargeList:
    """List a member's charges, newest first.

    Order: created_at descending. unpaid_cents sums all unpaid charges of the member, whatever the filter and the limit.
    """
    db.require("member", member_id)
    charges = db.select(
        """
        SELECT * FROM charge WHERE member_id = ? AND (? IS NULL OR status = ?)
        ORDER BY created_at DESC, charge_id
        """,
        member_id,
        status,
        status,
    )
    return {"charges": charges[:limit], "total": len(charges), "unpaid_cents": _unpaid_cents(db, member_id)}


@tool(reads=["member"], writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def pay_charges(
    db: Database,
    member_id: Annotated[str, "who pays"],
    charge_ids: Annotated[list[str], "charges to pay", Field(min_length=1, max_length=20)],
) -> Payment:
    """Pay one or more of a member's charges in full.

    Requires: Every charge is the member's own. Every charge is unpaid.

    Each charge becomes paid; paid_at becomes now. unpaid_cents is counted after the payment.
    """
    if len(set(charge_ids)) < len(charge_ids):
        raise Rejection.invalid_argument("Give each charge once.")
    db.require("member", member_id)
    charges = [db.require("charge", charge_id) for charge_id in charge_ids]
    for charge in charges:
        if charge["member_id"] != member_id:
            raise Rejection.failed_precondition(f"Charge {charge['charge_id']!r} is not one of member {member_id!r}.")
    for charge in charges:
        if charge["status"] != "unpaid":
            raise Rejection.failed_precondition(f"Charge {charge['charge_id']!r} is {charge['status']}, not unpaid.")
    paid = [db.update("charge", charge_id, status="paid", paid_at=db.now) for charge_id in charge_ids]
    return {
        "charges": paid,
        "paid_cents": sum(charge["amount_cents"] for charge in paid),
        "unpaid_cents": _unpaid_cents(db, member_id),
    }
