"""Members: finding them, their handles and plans."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class MemberCard(TypedDict):
    member_id: Annotated[str, "member"]
    name: Annotated[str, "full name"]
    handle: Annotated[str, "handle, without @"]
    email: Annotated[str, "email"]
    phone: Annotated[str, "phone"]
    plan: Annotated[Literal["basic", "plus", "shop"], "plan"]
    joined_on: Annotated[Date, "day they signed up"]


class Account(TypedDict):
    member_id: Annotated[str, "member"]
    name: Annotated[str, "full name"]
    handle: Annotated[str, "handle"]
    handle_changed_on: Annotated[Date | None, "last change of handle"]
    plan: Annotated[Literal["basic", "plus", "shop"], "plan"]
    plan_since: Annotated[Date, "day this plan began"]
    joined_on: Annotated[Date, "day they signed up"]
    balance_cents: Annotated[int, "balance owed"]
    current_memberships: Annotated[int, "requested and active memberships"]
    open_channels_owned: Annotated[int, "open channels they own"]
    scheduled_messages: Annotated[int, "their scheduled messages"]
    open_boosts: Annotated[int, "their booked boosts"]
    open_reports: Annotated[int, "their open reports"]


def _account(db, member):
    member_id = member["member_id"]
    return {
        "member_id": member_id,
        "name": member["name"],
        "handle": member["handle"],
        "handle_changed_on": member["handle_changed_on"],
        "plan": member["plan"],
        "plan_since": member["plan_since"],
        "joined_on": member["joined_on"],
        "balance_cents": db.value(
            "SELECT coalesce(sum(amount_cents), 0) FROM ledger_entry WHERE member_id = ?", member_id
        ),
        "current_memberships": db.value(
            "SELECT count(*) FROM membership WHERE member_id = ? AND status IN ('requested', 'active')", member_id
        ),
        "open_channels_owned": db.value(
            "SELECT count(*) FROM channel WHERE owner_id = ? AND status = 'open'", member_id
        ),
        "scheduled_messages": db.value(
            "SELECT count(*) FROM message WHERE member_id = ? AND status = 'scheduled'", member_id
        ),
        "open_boosts": db.value(
            """SELECT count(*) FROM boost JOIN message USING (message_id)
            WHERE message.member_id = ? AND boost.status = 'booked'""",
            member_id,
        ),
        "open_reports": db.value("SELECT count(*) FROM report WHERE member_id = ? AND status = 'open'", member_id),
    }


def _card(member):
    fields = ("member_id", "name", "handle", "email", "phone", "plan", "joined_on")
    return {field: member[field] for field in fields}


@tool(reads=["member"], rejects=["NOT_FOUND"])
def find_member_by_email(db: Database, email: Annotated[str, "email on file", Field(min_length=3)]) -> MemberCard:
    """Find the member with this email."""
    member = db.first("SELECT * FROM member WHERE lower(email) = lower(?) ORDER BY member_id", email)
    if member is None:
        raise Rejection.not_found(f"No member has the email {email!r}.")
    return _card(member)


@tool(reads=["member", "channel", "membership", "message", "boost", "ledger_entry", "report"], rejects=["NOT_FOUND"])
def show_account(db: Database, member_id: Annotated[str, "member"]) -> Account:
    """Show a member with plan, balance, and what they have open.

    open_boosts counts booked boosts of messages the member wrote.
    """
    return _account(db, db.require("member", member_id))


@tool(writes=["member"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def change_handle(
    db: Database,
    member_id: Annotated[str, "member"],
    handle: Annotated[str, "new handle, without @", Field(min_length=3, max_length=20)],
) -> MemberCard:
    """Give a member a new handle.

    Requires: The handle holds only ASCII letters, digits and underscores. It differs from the member's current handle,
    compared exactly. No other member has this handle, ignoring case.

    handle becomes the new one exactly as given; handle_changed_on becomes today.
    """
    allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
    if any(letter not in allowed for letter in handle):
        raise Rejection.invalid_argument(f"Handle {handle!r} may hold only letters, digits and underscores.")
    member = db.require("member", member_id)
    if member["handle"] == handle:
        raise Rejection.failed_precondition(f"Member {member_id!r} already has the handle {handle!r}.")
    if db.value("SELECT 1 FROM member WHERE lower(handle) = lower(?) AND member_id <> ?", handle, member_id):
        raise Rejection.already_exists(f"Another member has the handle {handle!r}.")
    return _card(db.update("member", member_id, handle=handle, handle_changed_on=db.today))


@tool(
    reads=["channel", "membership", "message", "boost", "ledger_entry", "report"],
    writes=["member"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def change_plan(
    db: Database, member_id: Annotated[str, "member"], plan: Annotated[Literal["basic", "plus", "shop"], "new plan"]
) -> Account:
    """Move a member to another plan.

    Requires: The member is not already on this plan.

    plan changes and plan_since becomes today; no ledger entry is made.
    """
    member = db.require("member", member_id)
    if member["plan"] == plan:
        raise Rejection.failed_precondition(f"Member {member_id!r} is already on the plan {plan!r}.")
    return _account(db, db.update("member", member_id, plan=plan, plan_since=db.today))
