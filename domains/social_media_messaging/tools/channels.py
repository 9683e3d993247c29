"""Channels: finding, opening, changing, and closing them."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class ChannelEntry(TypedDict):
    channel_id: Annotated[str, "channel"]
    title: Annotated[str, "title"]
    topic: Annotated[Literal["neighborhood", "pets", "food", "sports", "music", "parents", "for_sale"], "topic"]
    admission: Annotated[Literal["open", "by_request"], "how people get in"]
    members: Annotated[int, "active members"]
    capacity: Annotated[int, "most active members"]
    status: Annotated[Literal["open", "archived"], "open or archived"]


class ChannelList(TypedDict):
    channels: Annotated[list[ChannelEntry], "channels found"]
    total: Annotated[int, "all matches"]


class Channel(TypedDict):
    channel_id: Annotated[str, "channel"]
    title: Annotated[str, "title"]
    topic: Annotated[Literal["neighborhood", "pets", "food", "sports", "music", "parents", "for_sale"], "topic"]
    admission: Annotated[Literal["open", "by_request"], "how people get in"]
    capacity: Annotated[int, "most active members"]
    members: Annotated[int, "active members"]
    moderators: Annotated[int, "active moderators"]
    waiting_requests: Annotated[int, "requested memberships"]
    pinned_messages: Annotated[int, "pinned messages"]
    status: Annotated[Literal["open", "archived"], "open or archived"]
    owner_id: Annotated[str, "member who owns it"]
    owner_name: Annotated[str, "name of the owner"]
    created_at: Annotated[Timestamp, "when it was created"]


class Activity(TypedDict):
    channel_id: Annotated[str, "channel"]
    title: Annotated[str, "title"]
    messages: Annotated[int, "messages counted"]
    authors: Annotated[int, "different authors of these"]
    likes: Annotated[int, "likes on these"]
    likes_per_message: Annotated[float, "average likes"]


def _channel(db, channel):
    channel_id = channel["channel_id"]
    return {
        "channel_id": channel_id,
        "title": channel["title"],
        "topic": channel["topic"],
        "admission": channel["admission"],
        "capacity": channel["capacity"],
        "members": _members(db, channel_id),
        "moderators": db.value(
            "SELECT count(*) FROM membership WHERE channel_id = ? AND status = 'active' AND role = 'moderator'",
            channel_id,
        ),
        "waiting_requests": db.value(
            "SELECT count(*) FROM membership WHERE channel_id = ? AND status = 'requested'", channel_id
        ),
        "pinned_messages": db.value("SELECT count(*) FROM message WHERE channel_id = ? AND pinned = 1", channel_id),
        "status": channel["status"],
        "owner_id": channel["owner_id"],
        "owner_name": db.get("member", channel["owner_id"])["name"],
        "created_at": channel["created_at"],
    }


def _members(db, channel_id):
    return db.value("SELECT count(*) FROM membership WHERE channel_id = ? AND status = 'active'", channel_id)


def _open_channel(db, channel_id):
    channel = db.require("channel", channel_id)
    _must_be_open(channel)
    return channel


def _must_be_open(channel):
    if channel["status"] != "open":
        raise Rejection.failed_precondition(f"Channel {channel['channel_id']!r} is {channel['status']}, not open.")


@tool(reads=["channel", "membership"])
def search_channels(
    db: Database,
    query: Annotated[str | None, "part of the title", Field(min_length=1)] = None,
    topic: Annotated[
        Literal["neighborhood", "pets", "food", "sports", "music", "parents", "for_sale"] | None, "topic"
    ] = None,
    with_space: Annotated[bool, "only open channels that are not full"] = False,
    limit: Annotated[int, "how many to return", Field(ge=1, le=50)] = 20,
) -> ChannelList:
    """Find channels by words of the title, topic, or a free place.

    query is contained in the title; archived channels are included unless with_space is true. Sorted by title.
    """
    channels = db.select(
        """SELECT channel_id, title, topic, admission, members, capacity, status FROM (
            SELECT channel.*, (
                SELECT count(*) FROM membership
                WHERE membership.channel_id = channel.channel_id AND membership.status = 'active'
            ) AS members FROM channel
        )
        WHERE (? IS NULL OR instr(lower(title), lower(?)) > 0)
        AND (? IS NULL OR topic = ?)
        AND (? = 0 OR (status = 'open' AND members < capacity))
        ORDER BY title, channel_id""",
        query,
        query,
        topic,
        topic,
        int(with_space),
    )
    return {"channels": channels[:limit], "total": len(channels)}


@tool(reads=["member", "channel", "membership", "message"], rejects=["NOT_FOUND"])
def show_channel(db: Database, channel_id: Annotated[str, "channel"]) -> Channel:
    """Show a channel with its counts and owner."""
    return _channel(db, db.require("channel", channel_id))


@tool(reads=["member", "message"], writes=["channel", "membership"], rejects=["NOT_FOUND", "ALREADY_EXISTS"])
def create_channel(
    db: Database,
    member_id: Annotated[str, "member who will own it"],
    title: Annotated[str, "title", Field(min_length=3, max_length=60)],
    topic: Annotated[Literal["neighborhood", "pets", "food", "sports", "music", "parents", "for_sale"], "topic"],
    admission: Annotated[Literal["open", "by_request"], "how people get in"],
    capacity: Annotated[int, "most active members", Field(ge=2, le=500)],
) -> Channel:
    """Open a new channel owned by a member.

    Requires: No open channel has this title, ignoring case.

    The channel is open and member_id is its owner. The owner gets an active membership in it: role moderator, alerts
    all, joined_at the clock.
    """
    db.require("member", member_id)
    if db.value("SELECT 1 FROM channel WHERE status = 'open' AND lower(title) = lower(?)", title):
        raise Rejection.already_exists(f"An open channel is already called {title!r}.")
    channel = db.insert(
        "channel",
        channel_id=db.new_id("channel"),
        owner_id=member_id,
        title=title,
        topic=topic,
        admission=admission,
        capacity=capacity,
        status="open",
        created_at=db.now,
    )
    db.insert(
        "membership",
        membership_id=db.new_id("membership"),
        member_id=member_id,
        channel_id=channel["channel_id"],
        role="moderator",
        status="active",
        alerts="all",
        created_at=db.now,
        joined_at=db.now,
    )
    return _channel(db, channel)


@tool(
    reads=["member", "membership", "message"],
    writes=["channel"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def update_channel(
    db: Database,
    channel_id: Annotated[str, "channel"],
    title: Annotated[str | None, "new title", Field(min_length=3, max_length=60)] = None,
    topic: Annotated[
        Literal["neighborhood", "pets", "food", "sports", "music", "parents", "for_sale"] | None, "new topic"
    ] = None,
    admission: Annotated[Literal["open", "by_request"] | None, "how people get in"] = None,
    capacity: Annotated[int | None, "most active members", Field(ge=2, le=500)] = None,
) -> Channel:
    """Change the title, topic, admission, or capacity of a channel.

    Requires: At least one change is given. The channel is open. A new capacity is not below the number of active
    members. A new title is not that of another open channel, ignoring case.

    The given fields change; waiting requests stay requested.
    """
    changes = {"title": title, "topic": topic, "admission": admission, "capacity": capacity}
    changes = {column: value for column, value in changes.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument("Give at least one of title, topic, admission and capacity.")
    _open_channel(db, channel_id)
    members = _members(db, channel_id)
    if capacity is not None and capacity < members:
        raise Rejection.failed_precondition(f"Channel {channel_id!r} has {members} members, more than {capacity}.")
    if title is not None and db.value(
        "SELECT 1 FROM channel WHERE status = 'open' AND lower(title) = lower(?) AND channel_id <> ?", title, channel_id
    ):
        raise Rejection.already_exists(f"Another open channel is already called {title!r}.")
    return _channel(db, db.update("channel", channel_id, **changes))


@tool(
    reads=["member", "membership", "boost"], writes=["channel", "message"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"]
)
def archive_channel(db: Database, channel_id: Annotated[str, "channel"]) -> Channel:
    """Close a channel for good.

    Requires: The channel is open. No message in it has an open boost.

    status becomes archived; every scheduled message in the channel becomes canceled; memberships stay as they are.
    """
    _open_channel(db, channel_id)
    if db.value(
        """SELECT 1 FROM boost JOIN message USING (message_id)
        WHERE message.channel_id = ? AND boost.status = 'booked'""",
        channel_id,
    ):
        raise Rejection.failed_precondition(f"A message in channel {channel_id!r} has an open boost.")
    waiting = db.select(
        "SELECT message_id FROM message WHERE channel_id = ? AND status = 'scheduled' ORDER BY message_id", channel_id
    )
    for message in waiting:
        db.update("message", message["message_id"], status="canceled")
    return _channel(db, db.update("channel", channel_id, status="archived"))


@tool(reads=["member", "message"], writes=["channel", "membership"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def transfer_channel(
    db: Database, channel_id: Annotated[str, "channel"], new_owner_id: Annotated[str, "member who takes over"]
) -> Channel:
    """Hand a channel to a new owner.

    Requires: The channel is open. The new owner does not own it already. The new owner has an active membership in it.

    owner_id becomes new_owner_id; the role of the new owner becomes moderator; the membership of the old owner stays as
    it is.
    """
    channel = db.require("channel", channel_id)
    db.require("member", new_owner_id)
    _must_be_open(channel)
    if channel["owner_id"] == new_owner_id:
        raise Rejection.failed_precondition(f"Member {new_owner_id!r} already owns channel {channel_id!r}.")
    membership_id = db.value(
        "SELECT membership_id FROM membership WHERE channel_id = ? AND member_id = ? AND status = 'active'",
        channel_id,
        new_owner_id,
    )
    if membership_id is None:
        raise Rejection.failed_precondition(
            f"Member {new_owner_id!r} has no active membership in channel {channel_id!r}."
        )
    db.update("membership", membership_id, role="moderator")
    return _channel(db, db.update("channel", channel_id, owner_id=new_owner_id))


@tool(reads=["channel", "message"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def channel_activity(
    db: Database,
    channel_id: Annotated[str, "channel"],
    from_on: Annotated[Date, "first day"],
    to_on: Annotated[Date, "last day"],
) -> Activity:
    """Count what was posted in a channel over some days.

    Requires: from_on is not after to_on.

    Counts messages with status posted whose posted_at falls on these days.
    """
    if from_on > to_on:
        raise Rejection.invalid_argument(f"{from_on} is after {to_on}; the first day comes first.")
    channel = db.require("channel", channel_id)
    counts = db.first(
        """SELECT count(*) AS messages, count(DISTINCT member_id) AS authors, coalesce(sum(likes), 0) AS likes
        FROM message WHERE channel_id = ? AND status = 'posted' AND substr(posted_at, 1, 10) BETWEEN ? AND ?""",
        channel_id,
        from_on,
        to_on,
    )
    average = round(counts["likes"] / counts["messages"], 2) if counts["messages"] else 0.0
    return {"channel_id": channel_id, "title": channel["title"], **counts, "likes_per_message": average}
