"""The inbox: the messages that have come in by now, each answered or set aside once."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class MessageInList(TypedDict):
    message_id: Annotated[str, "Message number"]
    arrived_at: Annotated[str, "When it arrived"]
    sender_name: Annotated[str, "Who signed it"]
    subject: Annotated[str, "Its subject"]
    state: Annotated[Literal["new", "answered", "set_aside"], "What became of it"]


class Messages(TypedDict):
    messages: Annotated[list[MessageInList], "Messages, the oldest first"]
    total: Annotated[int, "Messages in this state, on other pages too"]


class WholeMessage(TypedDict):
    message_id: Annotated[str, "Message number"]
    arrived_at: Annotated[str, "When it arrived"]
    sender_name: Annotated[str, "Who signed it"]
    subject: Annotated[str, "Its subject"]
    body: Annotated[str, "Its words"]
    state: Annotated[Literal["new", "answered", "set_aside"], "What became of it"]


class Closed(TypedDict):
    message_id: Annotated[str, "Message number"]
    state: Annotated[Literal["answered", "set_aside"], "What became of it"]


@tool(reads=["inbox"])
def list_messages(
    db: Database,
    state: Annotated[Literal["new", "answered", "set_aside"], "What became of them"] = "new",
    limit: Annotated[int, "Most messages returned", Field(ge=1, le=50)] = 20,
    offset: Annotated[int, "Messages to pass over", Field(ge=0)] = 0,
) -> Messages:
    """List messages of the inbox, the oldest first."""
    messages = db.select(
        """
        SELECT message_id, arrived_at, sender_name, subject, state FROM inbox
        WHERE state = ? AND arrived_at <= ? ORDER BY arrived_at, message_id LIMIT ? OFFSET ?
        """,
        state,
        db.now,
        limit,
        offset,
    )
    total = db.value("SELECT count(*) FROM inbox WHERE state = ? AND arrived_at <= ?", state, db.now)
    return {"messages": messages, "total": total}


@tool(reads=["inbox"], rejects=["NOT_FOUND"])
def read_message(db: Database, message_id: Annotated[str, "Message to read"]) -> WholeMessage:
    """Read a message of the inbox."""
    message = _require_here(db, message_id)
    return {name: message[name] for name in ("message_id", "arrived_at", "sender_name", "subject", "body", "state")}


@tool(writes=["inbox"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def reply(
    db: Database,
    message_id: Annotated[str, "Message that is answered"],
    outcome: Annotated[
        Literal["done", "declined", "partly", "withdrawn"],
        "Whether all of what it asks was done, none, or a part, or its sender took it back",
    ],
    text: Annotated[str, "Words to the sender", Field(min_length=1, max_length=4000)],
    date: Annotated[Date | None, "The date that the sender asked for"] = None,
    amount_cents: Annotated[int | None, "The amount that the sender asked for, in cents"] = None,
    number: Annotated[int | None, "The number that the sender asked for, other than an amount"] = None,
    value: Annotated[
        str | None,
        "What else the sender asked for, such as a name or a title: that alone, spelled as the tools show it",
        Field(max_length=400),
    ] = None,
) -> Closed:
    """Answer a message. It is closed then; there is one answer to each."""
    _require_new(db, message_id)
    told = {"told_date": date, "told_cents": amount_cents, "told_number": number, "told_value": value}
    db.update("inbox", message_id, state="answered", outcome=outcome, reply=text, closed_at=db.now, **told)
    return {"message_id": message_id, "state": "answered"}


@tool(writes=["inbox"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def set_aside(
    db: Database,
    message_id: Annotated[str, "Message that a person has to read"],
    reason: Annotated[Literal["beyond_tools", "unclear"], "Why it is not answered"],
) -> Closed:
    """Leave a message to a person. It is closed then."""
    _require_new(db, message_id)
    db.update("inbox", message_id, state="set_aside", reason=reason, closed_at=db.now)
    return {"message_id": message_id, "state": "set_aside"}


def _require_here(db, message_id):
    message = db.get("inbox", message_id)
    if message is None or message["arrived_at"] > db.now:
        raise Rejection.not_found(f"There is no message {message_id!r}.")
    return message


def _require_new(db, message_id):
    message = _require_here(db, message_id)
    if message["state"] != "new":
        raise Rejection.failed_precondition(f"Message {message_id!r} is {message['state'].replace('_', ' ')} already.")
