"""People: finding members and keeping their contact details."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Member(TypedDict):
    member_id: Annotated[str, "the member"]
    name: Annotated[str, "full name"]
    email: Annotated[str, "work email"]
    phone: Annotated[str, "phone number"]
    badge_number: Annotated[str, "number on the badge"]
    grade: Annotated[Literal["associate", "senior", "principal"], "grade at the firm"]
    weekly_hours: Annotated[int, "hours in the contract"]
    joined_on: Annotated[Date, "first day here"]


class MemberEntry(TypedDict):
    member_id: Annotated[str, "the member"]
    name: Annotated[str, "full name"]
    grade: Annotated[Literal["associate", "senior", "principal"], "grade at the firm"]


class MemberList(TypedDict):
    members: Annotated[list[MemberEntry], "members found"]
    total: Annotated[int, "all matches"]


def _member(member):
    """The record of a member."""
    fields = ("member_id", "name", "email", "phone", "badge_number", "grade", "weekly_hours", "joined_on")
    return {field: member[field] for field in fields}


@tool(reads=["member"], rejects=["NOT_FOUND"])
def find_member_by_email(db: Database, email: Annotated[str, "work email", Field(min_length=1)]) -> Member:
    """Find a member by work email.

    Case of letters does not matter.
    """
    member = db.first("SELECT * FROM member WHERE lower(email) = lower(?)", email)
    if member is None:
        raise Rejection.not_found(f"No member has the email {email!r}.")
    return _member(member)


@tool(reads=["member"], rejects=["NOT_FOUND"])
def find_member_by_phone(db: Database, phone: Annotated[str, "phone number", Field(min_length=1)]) -> Member:
    """Find a member by phone number.

    Returns the member.
    """
    member = db.first("SELECT * FROM member WHERE phone = ?", phone)
    if member is None:
        raise Rejection.not_found(f"No member has the phone number {phone!r}.")
    return _member(member)


@tool(reads=["member"])
def search_members(
    db: Database,
    name: Annotated[str, "part of the name", Field(min_length=1)],
    limit: Annotated[int, "most entries listed", Field(ge=1, le=50)] = 20,
) -> MemberList:
    """Find members by part of their name.

    Members whose name contains it, by name.
    """
    members = db.select(
        """
        SELECT member_id, name, grade FROM member
        WHERE instr(lower(name), lower(?)) > 0
        ORDER BY name, member_id LIMIT ?
        """,
        name,
        limit,
    )
    total = db.value("SELECT count(*) FROM member WHERE instr(lower(name), lower(?)) > 0", name)
    return {"members": members, "total": total}


@tool(writes=["member"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def update_contact(
    db: Database,
    member_id: Annotated[str, "the member"],
    email: Annotated[str | None, "new work email", Field(min_length=3)] = None,
    phone: Annotated[str | None, "new phone number", Field(min_length=7)] = None,
) -> Member:
    """Change a member's email or phone.

    Requires: An email or a phone is given. No other member has this email, in any case of letters, or this phone.

    The given fields change.
    """
    if email is None and phone is None:
        raise Rejection.invalid_argument("Give a new email or a new phone number.")
    member = db.require("member", member_id)
    if email is not None:
        taken = db.first(
            "SELECT member_id FROM member WHERE lower(email) = lower(?) AND member_id <> ?", email, member_id
        )
        if taken is not None:
            raise Rejection.already_exists(f"Another member has the email {email!r}; give one that is not taken.")
    if phone is not None:
        taken = db.first("SELECT member_id FROM member WHERE phone = ? AND member_id <> ?", phone, member_id)
        if taken is not None:
            raise Rejection.already_exists(
                f"Another member has the phone number {phone!r}; give one that is not taken."
            )
    new_email = member["email"] if email is None else email
    new_phone = member["phone"] if phone is None else phone
    return _member(db.update("member", member_id, email=new_email, phone=new_phone))
