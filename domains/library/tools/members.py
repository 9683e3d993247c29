"""Members: finding people by what they say of themselves, and making new cards."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, TypedDict, tool


class Member(TypedDict):
    member_id: Annotated[str, "Card number"]
    name: Annotated[str, "Full name"]
    email: Annotated[str, "Address for notices"]
    phone: Annotated[str | None, "Number for notices"]
    status: Annotated[Literal["active", "suspended"], "Suspended members may not borrow"]
    owed_cents: Annotated[int, "Unpaid late fees"]


class Debt(TypedDict):
    member_id: Annotated[str, "Whose debt"]
    owed_cents: Annotated[int, "What is left of it"]


class NewCard(TypedDict):
    member_id: Annotated[str, "Card number of the new member"]


@tool(reads=["member"], rejects=["NOT_FOUND"])
def find_member(db: Database, email: Annotated[str, "The member's e-mail address"]) -> Member:
    """Find a member by e-mail address."""
    member = db.first(
        "SELECT member_id, name, email, phone, status, owed_cents FROM member WHERE email = lower(?)", email
    )
    if member is None:
        raise Rejection.not_found(f"No member has the e-mail address {email!r}.")
    return member


@tool(reads=["member"], writes=["member"], rejects=["INVALID_ARGUMENT", "ALREADY_EXISTS"])
def register_member(
    db: Database,
    name: Annotated[str, "Full name", Field(min_length=2, max_length=80)],
    email: Annotated[str, "E-mail address for notices", Field(max_length=120)],
    phone: Annotated[str | None, "Phone number for notices"] = None,
) -> NewCard:
    """Make a library card for a new member."""
    address = email.strip().lower()
    user, at, host = address.partition("@")
    if not (user and at and "." in host):
        raise Rejection.invalid_argument(f"{email!r} is not an e-mail address; one looks like 'ada@example.org'.")
    if db.value("SELECT 1 FROM member WHERE email = ?", address):
        raise Rejection.already_exists(f"A member with the e-mail address {address!r} exists already.")
    member = db.insert("member", member_id=db.new_id("member"), name=name.strip(), email=address, phone=phone)
    return {"member_id": member["member_id"]}


@tool(writes=["member"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def forgive_debt(
    db: Database,
    member_id: Annotated[str, "Whose debt"],
    cents: Annotated[int, "What need not be paid", Field(ge=1, le=100_000)],
) -> Debt:
    """Take an amount off what a member owes in late fees, and no more than they owe."""
    member = db.require("member", member_id)
    if member["owed_cents"] < cents:
        raise Rejection.failed_precondition(f"Member {member_id!r} owes {member['owed_cents']} cents, not {cents}.")
    left = db.update("member", member_id, owed_cents=member["owed_cents"] - cents)
    return {"member_id": member_id, "owed_cents": left["owed_cents"]}
