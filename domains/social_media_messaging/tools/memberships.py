"""Memberships: joining and leaving channels, roles, and alerts."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class MembershipEntry(TypedDict):
    membership_id: Annotated[str, "membership"]
    channel_id: Annotated[str, "channel"]
    channel_title: Annotated[str, "title of the channel"]
    channel_status: Annotated[Literal["open", "archived"], "open or archived"]
    owns_channel: Annotated[bool, "member owns the channel"]
    role: Annotated[Literal["member", "moderator"], "role"]
    status: Annotated[Literal["requested", "active", "left"], "status"]
    alerts: Annotated[Literal["all", "mentions", "muted"], "which alerts they get"]
    joined_at: Annotated[Timestamp | None, "when it became active"]


class MembershipList(TypedDict):
    memberships: Annotated[list[MembershipEntry], "memberships"]
    total: Annotated[int, "all matches"]


class ChannelMemberEntry(TypedDict):
    membership_id: Annotated[str, "membership"]
    member_id: Annotated[str, "member"]
    name: Annotated[str, "full name"]
    handle: Annotated[str, "handle"]
    role: Annotated[Literal["member", "moderator"], "role"]
    status: Annotated[Literal["requested", "active", "left"], "status"]
    joined_at: Annotated[Timestamp | None, "when it became active"]
    created_at: Annotated[Timestamp, "when they asked to join"]


class ChannelMemberList(TypedDict):
    memberships: Annotated[list[ChannelMemberEntry], "people in the channel"]
    total: Annotated[int, "all matches"]


class Membership(TypedDict):
    membership_id: Annotated[str, "membership"]
    member_id: Annotated[str, "member"]
    channel_id: Annotated[str, "channel"]
    channel_title: Annotated[str, "title of the channel"]
    role: Annotated[Literal["member", "moderator"], "role"]
    status: Annotated[Literal["requested", "active", "left"], "status"]
    alerts: Annotated[Literal["all", "mentions", "muted"], "which alerts they get"]
    joined_at: Annotated[Timestamp | None, "when it became active"]
    left_at: Annotated[Timestamp | None, "when they left"]


class MembershipBatch(TypedDict):
    memberships: Annotated[list[Membership], "memberships changed"]


def _shown(db, membership):
    fields = ("membership_id", "member_id", "channel_id", "role", "status", "alerts", "joined_at", "left_at")
    shown = {field: membership[field] for field in fields}
    return {**shown, "channel_title": db.get("channel", membership["channel_id"])["title"]}


def _must_have_room(db, channel):
    if channel["status"] != "open":
        raise Rejection.failed_precondition(f"Channel {channel['channel_id']!r} is {channel['status']}, not open.")
    members = db.value(
        "SELECT count(*) FROM membership WHERE channel_id = ? AND status = 'active'", channel["channel_id"]
    )
    if members >= channel["capacity"]:
        raise Rejection.failed_precondition(f"Channel {channel['channel_id']!r} is full: it has {members} members.")


def _must_not_own(db, membership):
    channel = db.get("channel", membership["channel_id"])
    if channel["owner_id"] == membership["member_id"]:
        raise Rejection.failed_precondition(
            f"Member {membership['member_id']!r} owns channel {channel['channel_id']!r}."
        )


@tool(reads=["member", "channel", "membership"], rejects=["NOT_FOUND"])
def list_memberships(
    db: Database,
    member_id: Annotated[str, "member"],
    status: Annotated[Literal["requested", "active", "left"] | None, "only this status"] = None,
    limit: Annotated[int, "how many to return", Field(ge=1, le=50)] = 20,
) -> MembershipList:
    """List a member's channels and roles.

    Sorted by channel title.
    """
    db.require("member", member_id)
    found = db.select(
        """SELECT membership.membership_id, membership.channel_id, channel.title AS channel_title,
            channel.status AS channel_status, channel.owner_id = membership.member_id AS owns_channel,
            membership.role, membership.status, membership.alerts, membership.joined_at
        FROM membership JOIN channel USING (channel_id)
        WHERE membership.member_id = ? AND (? IS NULL OR membership.status = ?)
        ORDER BY channel.title, membership.membership_id""",
        member_id,
        status,
        status,
    )
    shown = [{**row, "owns_channel": bool(row["owns_channel"])} for row in found[:limit]]
    return {"memberships": shown, "total": len(found)}


@tool(reads=["member", "channel", "membership"], rejects=["NOT_FOUND"])
def list_channel_members(
    db: Database,
    channel_id: Annotated[str, "channel"],
    status: Annotated[Literal["requested", "active", "left"] | None, "only this status"] = None,
    query: Annotated[str | None, "part of the name or handle", Field(min_length=1)] = None,
    limit: Annotated[int, "how many to return", Field(ge=1, le=50)] = 20,
) -> ChannelMemberList:
    """List the people of a channel.

    query is contained in the name or the handle. Sorted by name.
    """
    db.require("channel", channel_id)
    found = db.select(
        """SELECT membership.membership_id, membership.member_id, member.name, member.handle, membership.role,
            membership.status, membership.joined_at, membership.created_at
        FROM membership JOIN member USING (member_id)
        WHERE membership.channel_id = ? AND (? IS NULL OR membership.status = ?)
        AND (? IS NULL OR instr(lower(member.name), lower(?)) > 0 OR instr(lower(member.handle), lower(?)) > 0)
        ORDER BY member.name, membership.membership_id""",
        channel_id,
        status,
        status,
        query,
        query,
        query,
    )
    return {"memberships": found[:limit], "total": len(found)}


@tool(
    reads=["member", "channel"], writes=["membership"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"]
)
def join_channel(
    db: Database, member_id: Annotated[str, "member who joins"], channel_id: Annotated[str, "channel"]
) -> Membership:
    """Join a channel, or ask to be let in.

    Requires: The channel is open. The channel is not full. The member has no current membership in it.

    A new membership with role member and alerts all. Admission open: status active and joined_at the clock; by_request:
    status requested and joined_at null.
    """
    db.require("member", member_id)
    channel = db.require("channel", channel_id)
    _must_have_room(db, channel)
    if db.value(
        "SELECT 1 FROM membership WHERE member_id = ? AND channel_id = ? AND status IN ('requested', 'active')",
        member_id,
        channel_id,
    ):
        raise Rejection.already_exists(f"Member {member_id!r} already has a membership in channel {channel_id!r}.")
    at_once = channel["admission"] == "open"
    membership = db.insert(
        "membership",
        membership_id=db.new_id("membership"),
        member_id=member_id,
        channel_id=channel_id,
        role="member",
        status="active" if at_once else "requested",
        alerts="all",
        created_at=db.now,
        joined_at=db.now if at_once else None,
    )
    return _shown(db, membership)


@tool(reads=["channel"], writes=["membership"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def leave_channel(db: Database, membership_id: Annotated[str, "membership"]) -> Membership:
    """End a membership, or take back a request to join.

    Requires: The membership is current. The member does not own the channel.

    status becomes left and left_at the clock; role, alerts and joined_at stay.
    """
    membership = db.require("membership", membership_id)
    if membership["status"] == "left":
        raise Rejection.failed_precondition(f"Membership {membership_id!r} is left, not requested or active.")
    _must_not_own(db, membership)
    return _shown(db, db.update("membership", membership_id, status="left", left_at=db.now))


@tool(reads=["channel"], writes=["membership"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def approve_join(db: Database, membership_id: Annotated[str, "membership"]) -> Membership:
    """Let in a person who asked to join.

    Requires: The membership is requested. The channel is open. The channel is not full.

    status becomes active and joined_at the clock.
    """
    membership = db.require("membership", membership_id)
    if membership["status"] != "requested":
        raise Rejection.failed_precondition(f"Membership {membership_id!r} is {membership['status']}, not requested.")
    _must_have_room(db, db.get("channel", membership["channel_id"]))
    return _shown(db, db.update("membership", membership_id, status="active", joined_at=db.now))


@tool(reads=["channel"], writes=["membership"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def set_role(
    db: Database,
    membership_id: Annotated[str, "membership"],
    role: Annotated[Literal["member", "moderator"], "new role"],
) -> Membership:
    """Make a person in a channel a moderator, or a plain member again.

    Requires: The membership is active. The person does not own the channel. The role is not already this one.

    role changes.
    """
    membership = db.require("membership", membership_id)
    if membership["status"] != "active":
        raise Rejection.failed_precondition(f"Membership {membership_id!r} is {membership['status']}, not active.")
    _must_not_own(db, membership)
    if membership["role"] == role:
        raise Rejection.failed_precondition(f"Membership {membership_id!r} already has the role {role!r}.")
    return _shown(db, db.update("membership", membership_id, role=role))


@tool(reads=["channel"], writes=["membership"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def set_alerts(
    db: Database,
    membership_ids: Annotated[list[str], "memberships", Field(min_length=1, max_length=20)],
    alerts: Annotated[Literal["all", "mentions", "muted"], "which alerts"],
) -> MembershipBatch:
    """Set which alerts come from one or more channels.

    Requires: All memberships are active.

    alerts becomes the given value, even where it was already.
    """
    if len(set(membership_ids)) < len(membership_ids):
        raise Rejection.invalid_argument("Give each membership once.")
    memberships = [db.require("membership", membership_id) for membership_id in membership_ids]
    for membership in memberships:
        if membership["status"] != "active":
            raise Rejection.failed_precondition(
                f"Membership {membership['membership_id']!r} is {membership['status']}, not active."
            )
    return {
        "memberships": [
            _shown(db, db.update("membership", membership_id, alerts=alerts)) for membership_id in membership_ids
        ]
    }
