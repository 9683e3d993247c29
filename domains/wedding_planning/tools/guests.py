"""Guests: guest lists, invitations, answers and seating."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Guest(TypedDict):
    guest_id: Annotated[str, "id of the guest"]
    wedding_id: Annotated[str, "invited to which wedding"]
    full_name: Annotated[str, "name on the invitation"]
    side: Annotated[Literal["client", "partner", "both"], "whose guest"]
    party_size: Annotated[int, "people on the invitation"]
    rsvp_status: Annotated[Literal["draft", "invited", "accepted", "declined"], "state of the invitation"]
    attending_count: Annotated[int | None, "people coming; null before an answer"]
    meal: Annotated[Literal["chicken", "beef", "fish", "vegetarian", "vegan", "kids"] | None, "meal of the party"]
    dietary_note: Annotated[str | None, "allergies and the like"]
    table_number: Annotated[int | None, "assigned table"]
    invited_on: Annotated[Date | None, "day of invitation"]
    responded_on: Annotated[Date | None, "day of the last answer"]


class GuestList(TypedDict):
    total: Annotated[int, "matches before the limit"]
    guests: Annotated[list[Guest], "the guests"]


class GuestBatch(TypedDict):
    wedding_id: Annotated[str, "the wedding"]
    guests: Annotated[list[Guest], "the guests named"]


class MealCount(TypedDict):
    meal: Annotated[Literal["chicken", "beef", "fish", "vegetarian", "vegan", "kids"], "meal chosen"]
    people: Annotated[int, "people having it"]


class GuestSummary(TypedDict):
    wedding_id: Annotated[str, "the wedding"]
    draft_count: Annotated[int, "guests not yet invited"]
    invited_count: Annotated[int, "guests invited without answer"]
    accepted_count: Annotated[int, "guests who accepted"]
    declined_count: Annotated[int, "guests who declined"]
    attending_total: Annotated[int, "people coming"]
    unseated_total: Annotated[int, "people coming without a table"]
    seats: Annotated[int, "the wedding's seats"]
    seats_left: Annotated[int, "guest_limit minus seats"]
    acceptance_percent: Annotated[float, "accepted among answers, 2 decimals"]
    meals: Annotated[list[MealCount], "people by meal"]


def _given(value, current):
    return current if value is None else value


def _seats(db, wedding_id, without=None):
    return db.value(
        """
        SELECT coalesce(sum(
            CASE rsvp_status WHEN 'accepted' THEN attending_count WHEN 'declined' THEN 0 ELSE party_size END
        ), 0)
        FROM guest WHERE wedding_id = ? AND (? IS NULL OR guest_id <> ?)
        """,
        wedding_id,
        without,
        without,
    )


def _require_seats(wedding, seats):
    if seats > wedding["guest_limit"]:
        raise Rejection.failed_precondition(f"{seats} seats are more than the guest limit of {wedding['guest_limit']}.")


def _require_open(wedding):
    if wedding["status"] not in ("inquiry", "contracted"):
        raise Rejection.failed_precondition(f"Wedding {wedding['wedding_id']!r} is {wedding['status']}, not open.")


def _require_contracted(wedding):
    if wedding["status"] != "contracted":
        raise Rejection.failed_precondition(
            f"Wedding {wedding['wedding_id']!r} is {wedding['status']}, not contracted."
        )


def _require_list(db, wedding_id, guest_ids):
    """The wedding and its guests, in the order given."""
    if len(set(guest_ids)) < len(guest_ids):
        raise Rejection.invalid_argument("A guest is named twice.")
    wedding = db.require("wedding", wedding_id)
    guests = [db.require("guest", guest_id) for guest_id in guest_ids]
    for guest in guests:
        if guest["wedding_id"] != wedding_id:
            raise Rejection.not_found(f"Guest {guest['guest_id']!r} is not on the list of wedding {wedding_id!r}.")
    return wedding, guests


@tool(reads=["wedding", "guest"], rejects=["NOT_FOUND"])
def list_wedding_guests(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    rsvp_status: Annotated[Literal["draft", "invited", "accepted", "declined"] | None, "only this state"] = None,
    text: Annotated[str | None, "contained in full_name", Field(min_length=1)] = None,
    table_number: Annotated[int | None, "only this table", Field(ge=1)] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> GuestList:
    """List the guests of a wedding.

    Ordered by full_name.
    """
    db.require("wedding", wedding_id)
    guests = db.select(
        """
        SELECT * FROM guest
        WHERE wedding_id = ? AND (? IS NULL OR rsvp_status = ?) AND (? IS NULL OR instr(lower(full_name), lower(?)) > 0)
            AND (? IS NULL OR table_number = ?)
        ORDER BY full_name, guest_id
        """,
        wedding_id,
        rsvp_status,
        rsvp_status,
        text,
        text,
        table_number,
        table_number,
    )
    return {"total": len(guests), "guests": guests[:limit]}


@tool(reads=["wedding"], writes=["guest"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def add_guest(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    full_name: Annotated[str, "name on the invitation", Field(min_length=1)],
    side: Annotated[Literal["client", "partner", "both"], "whose guest"],
    party_size: Annotated[int, "people on the invitation", Field(ge=1, le=8)] = 1,
    dietary_note: Annotated[str | None, "allergies and the like", Field(min_length=1)] = None,
) -> Guest:
    """Put a guest or party on a wedding's list.

    Requires: The wedding is open. The wedding's seats plus party_size stay within guest_limit. No guest of the wedding
    has this full_name.

    rsvp_status is draft.
    """
    wedding = db.require("wedding", wedding_id)
    _require_open(wedding)
    _require_seats(wedding, _seats(db, wedding_id) + party_size)
    if db.first("SELECT guest_id FROM guest WHERE wedding_id = ? AND full_name = ?", wedding_id, full_name):
        raise Rejection.already_exists(f"{full_name!r} is on the list of wedding {wedding_id!r} already.")
    return db.insert(
        "guest",
        guest_id=db.new_id("guest"),
        wedding_id=wedding_id,
        full_name=full_name,
        side=side,
        party_size=party_size,
        rsvp_status="draft",
        dietary_note=dietary_note,
    )


@tool(reads=["wedding"], writes=["guest"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def update_guest(
    db: Database,
    guest_id: Annotated[str, "the guest", Field(min_length=1)],
    side: Annotated[Literal["client", "partner", "both"] | None, "whose guest"] = None,
    party_size: Annotated[int | None, "people on the invitation", Field(ge=1, le=8)] = None,
    meal: Annotated[
        Literal["chicken", "beef", "fish", "vegetarian", "vegan", "kids"] | None, "meal of the party"
    ] = None,
    dietary_note: Annotated[str | None, "allergies and the like", Field(min_length=1)] = None,
) -> Guest:
    """Change a guest's details.

    Requires: At least one field besides the id is given. The wedding is open. party_size only changes while the guest
    is draft or invited. A meal is only given for an accepted guest. The wedding's seats with the change stay within
    guest_limit.

    Only the given fields change; giving party_size counts as changing it, and the seats rule applies only then.
    """
    if all(value is None for value in (side, party_size, meal, dietary_note)):
        raise Rejection.invalid_argument("Give at least one field to change.")
    guest = db.require("guest", guest_id)
    wedding = db.require("wedding", guest["wedding_id"])
    _require_open(wedding)
    if party_size is not None and guest["rsvp_status"] not in ("draft", "invited"):
        raise Rejection.failed_precondition(
            f"Guest {guest_id!r} has {guest['rsvp_status']}; the party size is settled."
        )
    if meal is not None and guest["rsvp_status"] != "accepted":
        raise Rejection.failed_precondition(f"Guest {guest_id!r} is {guest['rsvp_status']}, not accepted; no meal yet.")
    if party_size is not None:
        _require_seats(wedding, _seats(db, guest["wedding_id"], guest_id) + party_size)
    return db.update(
        "guest",
        guest_id,
        side=_given(side, guest["side"]),
        party_size=_given(party_size, guest["party_size"]),
        meal=_given(meal, guest["meal"]),
        dietary_note=_given(dietary_note, guest["dietary_note"]),
    )


@tool(reads=["wedding"], writes=["guest"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def invite_guests(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    guest_ids: Annotated[list[str], "the guests", Field(min_length=1, max_length=20)],
) -> GuestBatch:
    """Record that invitations went out.

    Requires: The wedding is contracted. Every guest is draft.

    rsvp_status becomes invited, invited_on today.
    """
    wedding, guests = _require_list(db, wedding_id, guest_ids)
    _require_contracted(wedding)
    for guest in guests:
        if guest["rsvp_status"] != "draft":
            raise Rejection.failed_precondition(f"Guest {guest['guest_id']!r} is {guest['rsvp_status']}, not draft.")
    invited = [db.update("guest", guest_id, rsvp_status="invited", invited_on=db.today) for guest_id in guest_ids]
    return {"wedding_id": wedding_id, "guests": invited}


@tool(reads=["wedding"], writes=["guest"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def record_rsvp(
    db: Database,
    guest_id: Annotated[str, "the guest", Field(min_length=1)],
    response: Annotated[Literal["accepted", "declined"], "the answer"],
    attending_count: Annotated[int | None, "people coming", Field(ge=1, le=8)] = None,
    meal: Annotated[
        Literal["chicken", "beef", "fish", "vegetarian", "vegan", "kids"] | None, "meal of the party"
    ] = None,
) -> Guest:
    """Record or change a guest's answer.

    Requires: accepted comes with attending_count; declined comes without attending_count and meal. The wedding is
    contracted. The guest is not draft. attending_count is at most the party_size. The wedding's seats with this answer
    stay within guest_limit.

    rsvp_status becomes the response, responded_on today, table_number null. accepted: attending_count as given, meal as
    given or kept; declined: attending_count 0, meal null, and the seats rule does not apply.
    """
    if response == "accepted" and attending_count is None:
        raise Rejection.invalid_argument("An accepted invitation needs attending_count.")
    if response == "declined" and (attending_count is not None or meal is not None):
        raise Rejection.invalid_argument("A declined invitation has no attending_count and no meal.")
    guest = db.require("guest", guest_id)
    wedding = db.require("wedding", guest["wedding_id"])
    _require_contracted(wedding)
    if guest["rsvp_status"] == "draft":
        raise Rejection.failed_precondition(f"Guest {guest_id!r} was not invited yet.")
    if response == "declined":
        return db.update(
            "guest",
            guest_id,
            rsvp_status="declined",
            attending_count=0,
            meal=None,
            table_number=None,
            responded_on=db.today,
        )
    if attending_count > guest["party_size"]:
        raise Rejection.failed_precondition(
            f"{attending_count} people are more than the {guest['party_size']} on the invitation."
        )
    _require_seats(wedding, _seats(db, guest["wedding_id"], guest_id) + attending_count)
    return db.update(
        "guest",
        guest_id,
        rsvp_status="accepted",
        attending_count=attending_count,
        meal=_given(meal, guest["meal"]),
        table_number=None,
        responded_on=db.today,
    )


@tool(reads=["wedding"], writes=["guest"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def seat_guests(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    guest_ids: Annotated[list[str], "the guests", Field(min_length=1, max_length=20)],
    table_number: Annotated[int, "the table", Field(ge=1)],
) -> GuestBatch:
    """Seat accepted guests at a table.

    Requires: The wedding is open and has that table. Every guest accepted. The table's guests, with these counted once,
    fit in seats_per_table.

    table_number becomes the table, also for guests seated elsewhere.
    """
    wedding, guests = _require_list(db, wedding_id, guest_ids)
    _require_open(wedding)
    if table_number > wedding["table_count"]:
        raise Rejection.failed_precondition(f"There is no table {table_number}; the last is {wedding['table_count']}.")
    for guest in guests:
        if guest["rsvp_status"] != "accepted":
            raise Rejection.failed_precondition(f"Guest {guest['guest_id']!r} is {guest['rsvp_status']}, not accepted.")
    seated = db.select(
        "SELECT guest_id, attending_count FROM guest WHERE wedding_id = ? AND table_number = ?",
        wedding_id,
        table_number,
    )
    people = sum(guest["attending_count"] for guest in guests)
    people += sum(row["attending_count"] for row in seated if row["guest_id"] not in guest_ids)
    if people > wedding["seats_per_table"]:
        raise Rejection.failed_precondition(
            f"{people} people do not fit at table {table_number} with {wedding['seats_per_table']} seats."
        )
    moved = [db.update("guest", guest_id, table_number=table_number) for guest_id in guest_ids]
    return {"wedding_id": wedding_id, "guests": moved}


@tool(reads=["wedding"], writes=["guest"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def remove_guests(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    guest_ids: Annotated[list[str], "the guests", Field(min_length=1, max_length=20)],
) -> GuestBatch:
    """Take guests off a wedding's list.

    Requires: The wedding is open. No guest among them accepted.

    The guests are deleted.
    """
    wedding, guests = _require_list(db, wedding_id, guest_ids)
    _require_open(wedding)
    for guest in guests:
        if guest["rsvp_status"] == "accepted":
            raise Rejection.failed_precondition(f"Guest {guest['guest_id']!r} accepted and stays on the list.")
    removed = [db.delete("guest", guest_id) for guest_id in guest_ids]
    return {"wedding_id": wedding_id, "guests": removed}


@tool(reads=["wedding", "guest"], rejects=["NOT_FOUND"])
def summarize_guests(db: Database, wedding_id: Annotated[str, "the wedding", Field(min_length=1)]) -> GuestSummary:
    """Count invitations, answers, seats and meals of a wedding.

    People are sums of attending_count over accepted guests; acceptance_percent is accepted of accepted plus declined
    guests. meals: accepted guests with a meal, only meals chosen, ordered by meal.
    """
    wedding = db.require("wedding", wedding_id)
    counts = db.first(
        """
        SELECT coalesce(sum(rsvp_status = 'draft'), 0) AS draft, coalesce(sum(rsvp_status = 'invited'), 0) AS invited,
            coalesce(sum(rsvp_status = 'accepted'), 0) AS accepted, coalesce(sum(rsvp_status = 'declined'), 0) AS declined,
            coalesce(sum(CASE WHEN rsvp_status = 'accepted' THEN attending_count END), 0) AS attending,
            coalesce(sum(CASE WHEN rsvp_status = 'accepted' AND table_number IS NULL THEN attending_count END), 0) AS unseated
        FROM guest WHERE wedding_id = ?
        """,
        wedding_id,
    )
    answers = counts["accepted"] + counts["declined"]
    seats = _seats(db, wedding_id)
    return {
        "wedding_id": wedding_id,
        "draft_count": counts["draft"],
        "invited_count": counts["invited"],
        "accepted_count": counts["accepted"],
        "declined_count": counts["declined"],
        "attending_total": counts["attending"],
        "unseated_total": counts["unseated"],
        "seats": seats,
        "seats_left": wedding["guest_limit"] - seats,
        "acceptance_percent": round(counts["accepted"] * 100 / answers, 2) if answers else 0.0,
        "meals": db.select(
            """
            SELECT meal, sum(attending_count) AS people FROM guest
            WHERE wedding_id = ? AND rsvp_status = 'accepted' AND meal IS NOT NULL
            GROUP BY meal ORDER BY meal
            """,
            wedding_id,
        ),
    }
