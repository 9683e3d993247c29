"""Holds: queueing for a book of which every copy is lent."""

from typing import Annotated

from runtime import Database, Field, Rejection, TypedDict, tool


class QueuePlace(TypedDict):
    hold_id: Annotated[str, "Hold number"]
    place: Annotated[int, "Place in the queue, from 1"]


class CancelledHold(TypedDict):
    hold_id: Annotated[str, "Hold that was given up"]


class Hold(TypedDict):
    hold_id: Annotated[str, "Hold number"]
    book_id: Annotated[str, "What is wanted"]
    title: Annotated[str, "Its title"]
    note: Annotated[str | None, "Words for the desk"]


class Holds(TypedDict):
    holds: Annotated[list[Hold], "Holds, the oldest first"]


@tool(reads=["hold", "book", "member"], rejects=["NOT_FOUND"])
def list_holds(db: Database, member_id: Annotated[str, "Whose holds"]) -> Holds:
    """List the books that a member waits for."""
    db.require("member", member_id)
    holds = db.select(
        """
        SELECT hold_id, hold.book_id, title, note
        FROM hold JOIN book ON book.book_id = hold.book_id
        WHERE member_id = ? AND status = 'waiting'
        ORDER BY placed_at, hold_id
        """,
        member_id,
    )
    return {"holds": holds}


@tool(
    reads=["member", "book", "loan"],
    writes=["hold"],
    rejects=["NOT_FOUND", "ALREADY_EXISTS", "FAILED_PRECONDITION"],
)
def place_hold(
    db: Database,
    member_id: Annotated[str, "Who wants the book"],
    book_id: Annotated[str, "What is wanted"],
    note: Annotated[str | None, "Words for the desk, such as when the member can come", Field(max_length=200)] = None,
) -> QueuePlace:
    """Queue a member for a book of which every copy is lent."""
    db.require("member", member_id)
    book = db.require("book", book_id)
    if db.value("SELECT count(*) FROM loan WHERE book_id = ? AND status = 'out'", book_id) < book["copies"]:
        raise Rejection.failed_precondition(f"A copy of {book['title']!r} is in; it can be borrowed at once.")
    waiting = db.select("SELECT member_id FROM hold WHERE book_id = ? AND status = 'waiting'", book_id)
    if member_id in [hold["member_id"] for hold in waiting]:
        raise Rejection.already_exists(f"Member {member_id!r} waits for {book['title']!r} already.")
    hold = db.insert(
        "hold", hold_id=db.new_id("hold"), book_id=book_id, member_id=member_id, placed_at=db.now, note=note
    )
    return {"hold_id": hold["hold_id"], "place": len(waiting) + 1}


@tool(writes=["hold"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_hold(db: Database, hold_id: Annotated[str, "Hold to give up"]) -> CancelledHold:
    """Cancel a hold. One that was placed today is deleted, so that a slip leaves no trace."""
    hold = db.require("hold", hold_id)
    if hold["status"] != "waiting":
        raise Rejection.failed_precondition(f"Hold {hold_id!r} is {hold['status']}, not waiting.")
    if hold["placed_at"][:10] == db.today:
        db.delete("hold", hold_id)
    else:
        db.update("hold", hold_id, status="cancelled")
    return {"hold_id": hold_id}
