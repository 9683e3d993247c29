"""Visits: walks, day care, grooming, and training visits."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class Visit(TypedDict):
    visit_id: Annotated[str, "its id"]
    pet_id: Annotated[str, "the pet"]
    pet_name: Annotated[str, "its name"]
    service: Annotated[Literal["walk", "day_care", "bath", "full_groom", "training"], "which service"]
    starts_at: Annotated[Timestamp, "start"]
    price_cents: Annotated[int, "price"]
    status: Annotated[Literal["booked", "completed", "canceled"], "state"]
    times_moved: Annotated[int, "how often rescheduled"]
    stars: Annotated[int | None, "rating"]
    comment: Annotated[str | None, "what the client said"]


class VisitList(TypedDict):
    visits: Annotated[list[Visit], "visits"]
    total: Annotated[int, "matches before the cut"]


class VisitBatch(TypedDict):
    visits: Annotated[list[Visit], "visits canceled"]
    total_price_cents: Annotated[int, "their prices added up"]


PRICES = {"walk": 2500, "day_care": 3800, "bath": 4500, "full_groom": 8500, "training": 6000}


def _visit(db, visit):
    return {**visit, "pet_name": db.get("pet", visit["pet_id"])["name"]}


def _require_free(db, pet_id, starts_at):
    if db.first("SELECT 1 FROM visit WHERE pet_id = ? AND starts_at = ? AND status = 'booked'", pet_id, starts_at):
        raise Rejection.already_exists(f"Pet {pet_id!r} has a booked visit at {starts_at} already.")


@tool(reads=["client", "pet", "visit"], rejects=["NOT_FOUND"])
def list_visits(
    db: Database,
    client_id: Annotated[str, "the client"],
    status: Annotated[Literal["booked", "completed", "canceled"] | None, "only this status"] = None,
    service: Annotated[
        Literal["walk", "day_care", "bath", "full_groom", "training"] | None, "only this service"
    ] = None,
    pet_id: Annotated[str | None, "only this pet"] = None,
    limit: Annotated[int, "at most this many", Field(ge=1, le=50)] = 20,
) -> VisitList:
    """List the walks, day care, grooming, and training visits of a client's pets.

    Sorted by starts_at, latest first.
    """
    db.require("client", client_id)
    if pet_id is not None:
        db.require("pet", pet_id)
    visits = db.select(
        """
        SELECT visit.*, pet.name AS pet_name FROM visit JOIN pet ON pet.pet_id = visit.pet_id
        WHERE pet.client_id = ? AND (? IS NULL OR visit.status = ?) AND (? IS NULL OR visit.service = ?)
        AND (? IS NULL OR visit.pet_id = ?)
        ORDER BY visit.starts_at DESC, visit.visit_id
        """,
        client_id,
        status,
        status,
        service,
        service,
        pet_id,
        pet_id,
    )
    return {"visits": visits[:limit], "total": len(visits)}


@tool(
    reads=["pet"], writes=["visit"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"]
)
def book_visit(
    db: Database,
    pet_id: Annotated[str, "the pet"],
    service: Annotated[Literal["walk", "day_care", "bath", "full_groom", "training"], "which service"],
    starts_at: Annotated[Timestamp, "when it starts"],
) -> Visit:
    """Book a walk, day care, grooming, or training visit for a pet.

    Requires: It starts after now. A cat gets no walk and no training. The pet has no booked visit starting at that
    moment.

    Status is booked; price_cents is the service's price.
    """
    if starts_at <= db.now:
        raise Rejection.invalid_argument(f"The visit must start after now, {db.now}, not at {starts_at}.")
    pet = db.require("pet", pet_id)
    if pet["species"] == "cat" and service in ("walk", "training"):
        raise Rejection.failed_precondition(f"Pet {pet_id!r} is a cat, and a cat gets no {service}.")
    _require_free(db, pet_id, starts_at)
    visit = db.insert(
        "visit",
        visit_id=db.new_id("visit"),
        pet_id=pet_id,
        service=service,
        starts_at=starts_at,
        price_cents=PRICES[service],
        status="booked",
        times_moved=0,
    )
    return _visit(db, visit)


@tool(
    reads=["pet"], writes=["visit"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"]
)
def reschedule_visit(
    db: Database, visit_id: Annotated[str, "the visit"], starts_at: Annotated[Timestamp, "new start"]
) -> Visit:
    """Move a booked visit to another time.

    Requires: The new start is after now. The visit is booked and its current start is after now. The pet has no booked
    visit starting at the new moment, this one included.

    starts_at becomes the new start; times_moved goes up by 1.
    """
    if starts_at <= db.now:
        raise Rejection.invalid_argument(f"The new start must be after now, {db.now}, not {starts_at}.")
    visit = db.require("visit", visit_id)
    if visit["status"] != "booked":
        raise Rejection.failed_precondition(f"Visit {visit_id!r} is {visit['status']}, not booked.")
    if visit["starts_at"] <= db.now:
        raise Rejection.failed_precondition(
            f"Visit {visit_id!r} started at {visit['starts_at']}; only one still ahead can move."
        )
    _require_free(db, visit["pet_id"], starts_at)
    return _visit(db, db.update("visit", visit_id, starts_at=starts_at, times_moved=visit["times_moved"] + 1))


@tool(reads=["pet"], writes=["visit"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_visits(
    db: Database, visit_ids: Annotated[list[str], "visits to cancel", Field(min_length=1, max_length=20)]
) -> VisitBatch:
    """Cancel one or more booked visits.

    Requires: Every visit is booked and starts after now.

    Status becomes canceled; total_price_cents adds up the prices of the visits canceled.
    """
    if len(set(visit_ids)) < len(visit_ids):
        raise Rejection.invalid_argument(f"A visit is named twice in {visit_ids}; name each once.")
    visits = [db.require("visit", visit_id) for visit_id in visit_ids]
    for visit in visits:
        if visit["status"] != "booked":
            raise Rejection.failed_precondition(f"Visit {visit['visit_id']!r} is {visit['status']}, not booked.")
        if visit["starts_at"] <= db.now:
            raise Rejection.failed_precondition(
                f"Visit {visit['visit_id']!r} started at {visit['starts_at']}; only one still ahead can be canceled."
            )
    canceled = [_visit(db, db.update("visit", visit_id, status="canceled")) for visit_id in visit_ids]
    return {"visits": canceled, "total_price_cents": sum(visit["price_cents"] for visit in canceled)}


@tool(reads=["pet"], writes=["visit"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def rate_visit(
    db: Database,
    visit_id: Annotated[str, "the visit"],
    stars: Annotated[int, "1 worst, 5 best", Field(ge=1, le=5)],
    comment: Annotated[str | None, "what the client says", Field(min_length=1)] = None,
) -> Visit:
    """Record a client's rating of a completed visit.

    Requires: The visit is completed. The visit has no rating yet.

    stars and comment are stored.
    """
    visit = db.require("visit", visit_id)
    if visit["status"] != "completed":
        raise Rejection.failed_precondition(f"Visit {visit_id!r} is {visit['status']}, not completed.")
    if visit["stars"] is not None:
        raise Rejection.already_exists(f"Visit {visit_id!r} has a rating of {visit['stars']} already.")
    return _visit(db, db.update("visit", visit_id, stars=stars, comment=comment))
