"""Messages: writing, scheduling, editing, deleting, and pinning them."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class Message(TypedDict):
    message_id: Annotated[str, "message"]
    channel_id: Annotated[str, "channel"]
    channel_title: Annotated[str, "title of the channel"]
    member_id: Annotated[str, "author"]
    author_name: Annotated[str, "name of the author"]
    text: Annotated[str, "what it says"]
    status: Annotated[Literal["scheduled", "posted", "canceled", "deleted"], "status"]
    send_at: Annotated[Timestamp | None, "planned moment, if scheduled"]
    posted_at: Annotated[Timestamp | None, "when it was posted"]
    pinned: Annotated[bool, "pinned in its channel"]
    edits: Annotated[int, "times it was edited"]
    likes: Annotated[int, "likes"]


class MessageList(TypedDict):
    messages: Annotated[list[Message], "messages"]
    total: Annotated[int, "all matches"]


class MessageBatch(TypedDict):
    messages: Annotated[list[Message], "messages changed"]


def _shown(db, message):
    fields = ("message_id", "channel_id", "member_id", "text", "status", "send_at", "posted_at", "edits", "likes")
    shown = {field: message[field] for field in fields}
    return {
        **shown,
        "channel_title": db.get("channel", message["channel_id"])["title"],
        "author_name": db.get("member", message["member_id"])["name"],
        "pinned": bool(message["pinned"]),
    }


def _must_be_later(db, send_at):
    if send_at <= db.now:
        raise Rejection.invalid_argument(f"{send_at} is not after {db.now}.")


def _message(db, message_id, status):
    message = db.require("message", message_id)
    if message["status"] != status:
        raise Rejection.failed_precondition(f"Message {message_id!r} is {message['status']}, not {status}.")
    return message


@tool(reads=["member", "channel", "message"], rejects=["NOT_FOUND"])
def list_messages(
    db: Database,
    member_id: Annotated[str, "member"],
    status: Annotated[Literal["scheduled", "posted", "canceled", "deleted"] | None, "only this status"] = None,
    channel_id: Annotated[str | None, "only in this channel"] = None,
    limit: Annotated[int, "how many to return", Field(ge=1, le=50)] = 20,
) -> MessageList:
    """List the messages a member wrote.

    Newest created_at first.
    """
    db.require("member", member_id)
    if channel_id is not None:
        db.require("channel", channel_id)
    found = db.select(
        """SELECT * FROM message
        WHERE member_id = ? AND (? IS NULL OR status = ?) AND (? IS NULL OR channel_id = ?)
        ORDER BY created_at DESC, message_id""",
        member_id,
        status,
        status,
        channel_id,
        channel_id,
    )
    return {"messages": [_shown(db, message) for message in found[:limit]], "total": len(found)}


@tool(reads=["member", "channel", "message"], rejects=["NOT_FOUND"])
def search_messages(
    db: Database,
    channel_id: Annotated[str, "channel"],
    query: Annotated[str | None, "part of the text", Field(min_length=1)] = None,
    pinned: Annotated[bool | None, "pinned or not pinned only"] = None,
    limit: Annotated[int, "how many to return", Field(ge=1, le=50)] = 20,
) -> MessageList:
    """Find posted messages in a channel.

    Only messages with status posted; query is contained in the text. Newest posted_at first.
    """
    db.require("channel", channel_id)
    found = db.select(
        """SELECT * FROM message
        WHERE channel_id = ? AND status = 'posted'
        AND (? IS NULL OR instr(lower(text), lower(?)) > 0) AND (? IS NULL OR pinned = ?)
        ORDER BY posted_at DESC, message_id""",
        channel_id,
        query,
        query,
        pinned,
        pinned,
    )
    return {"messages": [_shown(db, message) for message in found[:limit]], "total": len(found)}


@tool(
    reads=["member", "channel", "membership"],
    writes=["message"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def write_message(
    db: Database,
    member_id: Annotated[str, "author"],
    channel_id: Annotated[str, "channel"],
    text: Annotated[str, "what it says", Field(min_length=1, max_length=500)],
    send_at: Annotated[Timestamp | None, "when to post; now if left out"] = None,
) -> Message:
    """Post a message in a channel now, or schedule it for later.

    Requires: send_at, if given, is after the clock. The channel is open. The member has an active membership in it.

    Without send_at: status posted, posted_at the clock, send_at null; with it: status scheduled, posted_at null. Not
    pinned, no edits, no likes.
    """
    if send_at is not None:
        _must_be_later(db, send_at)
    db.require("member", member_id)
    channel = db.require("channel", channel_id)
    if channel["status"] != "open":
        raise Rejection.failed_precondition(f"Channel {channel_id!r} is {channel['status']}, not open.")
    if not db.value(
        "SELECT 1 FROM membership WHERE member_id = ? AND channel_id = ? AND status = 'active'", member_id, channel_id
    ):
        raise Rejection.failed_precondition(f"Member {member_id!r} has no active membership in channel {channel_id!r}.")
    message = db.insert(
        "message",
        message_id=db.new_id("message"),
        channel_id=channel_id,
        member_id=member_id,
        text=text,
        status="posted" if send_at is None else "scheduled",
        send_at=send_at,
        posted_at=db.now if send_at is None else None,
        created_at=db.now,
    )
    return _shown(db, message)


@tool(reads=["member", "channel"], writes=["message"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def reschedule_message(
    db: Database, message_id: Annotated[str, "message"], send_at: Annotated[Timestamp, "new moment"]
) -> Message:
    """Move a scheduled message to another moment.

    Requires: send_at is after the clock. The message is scheduled. send_at differs from the planned moment.

    send_at changes; edits stays.
    """
    _must_be_later(db, send_at)
    message = _message(db, message_id, "scheduled")
    if message["send_at"] == send_at:
        raise Rejection.failed_precondition(f"Message {message_id!r} is already planned for {send_at}.")
    return _shown(db, db.update("message", message_id, send_at=send_at))


@tool(reads=["member", "channel"], writes=["message"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_scheduled(
    db: Database, message_ids: Annotated[list[str], "messages", Field(min_length=1, max_length=20)]
) -> MessageBatch:
    """Cancel one or more scheduled messages.

    Requires: All messages are scheduled.

    status becomes canceled; send_at stays.
    """
    if len(set(message_ids)) < len(message_ids):
        raise Rejection.invalid_argument("Give each message once.")
    messages = [db.require("message", message_id) for message_id in message_ids]
    for message in messages:
        if message["status"] != "scheduled":
            raise Rejection.failed_precondition(
                f"Message {message['message_id']!r} is {message['status']}, not scheduled."
            )
    return {"messages": [_shown(db, db.update("message", message_id, status="canceled")) for message_id in message_ids]}


@tool(reads=["member", "channel"], writes=["message"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def edit_message(
    db: Database,
    message_id: Annotated[str, "message"],
    text: Annotated[str, "new text", Field(min_length=1, max_length=500)],
) -> Message:
    """Change the text of a posted or scheduled message.

    Requires: The message is posted or scheduled. The text differs from the current one.

    text changes and edits goes up by 1.
    """
    message = db.require("message", message_id)
    if message["status"] not in ("posted", "scheduled"):
        raise Rejection.failed_precondition(f"Message {message_id!r} is {message['status']}, not posted or scheduled.")
    if message["text"] == text:
        raise Rejection.failed_precondition(f"Message {message_id!r} already says this.")
    return _shown(db, db.update("message", message_id, text=text, edits=message["edits"] + 1))


@tool(reads=["member", "channel", "boost"], writes=["message"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def delete_message(db: Database, message_id: Annotated[str, "message"]) -> Message:
    """Take down a posted message.

    Requires: The message is posted. It has no open boost.

    status becomes deleted and pinned false; posted_at and likes stay.
    """
    _message(db, message_id, "posted")
    if db.value("SELECT 1 FROM boost WHERE message_id = ? AND status = 'booked'", message_id):
        raise Rejection.failed_precondition(f"Message {message_id!r} has an open boost.")
    return _shown(db, db.update("message", message_id, status="deleted", pinned=0))


@tool(reads=["member", "channel"], writes=["message"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def pin_message(db: Database, message_id: Annotated[str, "message"]) -> Message:
    """Pin a posted message to the top of its channel.

    Requires: The message is posted. It is not pinned yet. Its channel is open.

    pinned becomes true.
    """
    message = _message(db, message_id, "posted")
    if message["pinned"]:
        raise Rejection.failed_precondition(f"Message {message_id!r} is already pinned.")
    channel = db.get("channel", message["channel_id"])
    if channel["status"] != "open":
        raise Rejection.failed_precondition(f"Channel {channel['channel_id']!r} is {channel['status']}, not open.")
    return _shown(db, db.update("message", message_id, pinned=1))


@tool(reads=["member", "channel"], writes=["message"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def unpin_message(db: Database, message_id: Annotated[str, "message"]) -> Message:
    """Take a message off the top of its channel.

    Requires: The message is pinned.

    pinned becomes false.
    """
    message = db.require("message", message_id)
    if not message["pinned"]:
        raise Rejection.failed_precondition(f"Message {message_id!r} is not pinned.")
    return _shown(db, db.update("message", message_id, pinned=0))
