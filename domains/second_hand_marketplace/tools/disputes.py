"""Disputes: opening, answering, withdrawing and deciding them."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool

PurchaseState = Literal["awaiting_payment", "paid", "shipped", "disputed", "completed", "cancelled", "refunded"]


Reason = Literal["not_received", "damaged", "not_as_described"]


State = Literal["open", "answered", "resolved", "withdrawn"]


Outcome = Literal["full_refund", "part_refund", "no_refund"]


class Dispute(TypedDict):
    dispute_id: Annotated[str, "id"]
    purchase_id: Annotated[str, "purchase"]
    listing_title: Annotated[str, "title of the listing"]
    purchase_state: Annotated[PurchaseState, "state of the purchase"]
    reason: Annotated[Reason, "what is wrong"]
    claim_cents: Annotated[int, "claimed by the buyer, cents"]
    statement: Annotated[str, "words of the buyer"]
    answer: Annotated[str | None, "words of the seller"]
    state: Annotated[State, "state"]
    outcome: Annotated[Outcome | None, "decision"]
    refund_cents: Annotated[int | None, "refund decided, cents"]
    created_at: Annotated[Timestamp, "when opened"]
    answered_at: Annotated[Timestamp | None, "when answered"]
    ended_at: Annotated[Timestamp | None, "when resolved or withdrawn"]


class DisputeEntry(TypedDict):
    dispute_id: Annotated[str, "id"]
    purchase_id: Annotated[str, "purchase"]
    listing_title: Annotated[str, "title of the listing"]
    reason: Annotated[Reason, "what is wrong"]
    claim_cents: Annotated[int, "claimed, cents"]
    state: Annotated[State, "state"]
    created_at: Annotated[Timestamp, "when opened"]


class DisputeList(TypedDict):
    disputes: Annotated[list[DisputeEntry], "the disputes"]
    total: Annotated[int, "all matches"]


class Purchase(TypedDict):
    purchase_id: Annotated[str, "id"]
    listing_id: Annotated[str, "listing"]
    listing_title: Annotated[str, "title of the listing"]
    buyer_id: Annotated[str, "member who buys"]
    seller_id: Annotated[str, "member who sells"]
    price_cents: Annotated[int, "agreed price in cents"]
    postage_cents: Annotated[int, "postage in cents"]
    protection_cents: Annotated[int, "buyer protection in cents"]
    commission_cents: Annotated[int, "commission in cents"]
    total_cents: Annotated[int, "total the buyer pays, cents"]
    refunded_cents: Annotated[int, "refunded to the buyer, cents"]
    state: Annotated[PurchaseState, "state"]
    address: Annotated[str, "where to send it"]
    carrier: Annotated[str | None, "who carries the parcel"]
    tracking_code: Annotated[str | None, "code of the parcel"]
    cancelled_by: Annotated[Literal["buyer", "seller"] | None, "who cancelled"]
    rating: Annotated[int | None, "stars from the buyer"]
    review: Annotated[str | None, "words of the buyer"]
    created_at: Annotated[Timestamp, "when bought"]
    paid_at: Annotated[Timestamp | None, "when paid"]
    shipped_at: Annotated[Timestamp | None, "when shipped"]
    ended_at: Annotated[Timestamp | None, "when completed, cancelled or refunded"]


class Resolution(TypedDict):
    dispute: Annotated[Dispute, "the dispute"]
    purchase: Annotated[Purchase, "its purchase"]


def _total(purchase):
    return purchase["price_cents"] + purchase["postage_cents"] + purchase["protection_cents"]


def _title(db, purchase):
    return db.get("listing", purchase["listing_id"])["title"]


def _dispute(db, row):
    purchase = db.get("purchase", row["purchase_id"])
    return row | {"listing_title": _title(db, purchase), "purchase_state": purchase["state"]}


def _require_under_way(dispute):
    if dispute["state"] not in ("open", "answered"):
        raise Rejection.failed_precondition(
            f"Dispute {dispute['dispute_id']!r} is {dispute['state']}, not open or answered."
        )


def _book(db, member_id, kind, amount_cents, purchase_id):
    db.insert(
        "movement",
        movement_id=db.new_id("movement"),
        member_id=member_id,
        kind=kind,
        amount_cents=amount_cents,
        purchase_id=purchase_id,
        created_at=db.now,
    )


@tool(reads=["listing"], writes=["purchase", "dispute"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def open_dispute(
    db: Database,
    purchase_id: Annotated[str, "the purchase"],
    reason: Annotated[Reason, "what is wrong"],
    claim_cents: Annotated[int, "claimed, cents", Field(ge=1)],
    statement: Annotated[str, "words of the buyer", Field(min_length=1)],
) -> Dispute:
    """Open a dispute of the buyer about a shipped purchase.

    The dispute is open; the purchase becomes disputed.
    """
    purchase = db.require("purchase", purchase_id)
    if purchase["state"] != "shipped":
        raise Rejection.failed_precondition(f"Purchase {purchase_id!r} is {purchase['state']}, not shipped.")
    if claim_cents > _total(purchase):
        raise Rejection.failed_precondition(f"The claim {claim_cents} is above the total {_total(purchase)}.")
    db.update("purchase", purchase_id, state="disputed")
    return _dispute(
        db,
        db.insert(
            "dispute",
            dispute_id=db.new_id("dispute"),
            purchase_id=purchase_id,
            reason=reason,
            claim_cents=claim_cents,
            statement=statement,
            state="open",
            created_at=db.now,
        ),
    )


@tool(reads=["listing", "purchase", "dispute"], rejects=["NOT_FOUND"])
def get_dispute(db: Database, dispute_id: Annotated[str, "the dispute"]) -> Dispute:
    """Show a dispute."""
    return _dispute(db, db.require("dispute", dispute_id))


@tool(reads=["member", "listing", "purchase", "dispute"], rejects=["NOT_FOUND"])
def list_member_disputes(
    db: Database,
    member_id: Annotated[str, "the member"],
    state: Annotated[State | None, "only this state"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> DisputeList:
    """List the disputes of a member as buyer or seller.

    Disputes about purchases in which the member is buyer or seller; by created_at, newest first.
    """
    db.require("member", member_id)
    found = db.select(
        """
        SELECT dispute_id, purchase_id, listing.title AS listing_title, reason, claim_cents, dispute.state, dispute.created_at
        FROM dispute JOIN purchase USING (purchase_id) JOIN listing USING (listing_id)
        WHERE ? IN (buyer_id, seller_id) AND (? IS NULL OR dispute.state = ?)
        ORDER BY dispute.created_at DESC, dispute_id
        """,
        member_id,
        state,
        state,
    )
    return {"disputes": found[:limit], "total": len(found)}


@tool(reads=["listing", "purchase"], writes=["dispute"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def answer_dispute(
    db: Database,
    dispute_id: Annotated[str, "the dispute"],
    answer: Annotated[str, "words of the seller", Field(min_length=1)],
) -> Dispute:
    """Note what the seller says to an open dispute.

    state becomes answered, answered_at the clock.
    """
    dispute = db.require("dispute", dispute_id)
    if dispute["state"] != "open":
        raise Rejection.failed_precondition(f"Dispute {dispute_id!r} is {dispute['state']}, not open.")
    return _dispute(db, db.update("dispute", dispute_id, state="answered", answer=answer, answered_at=db.now))


@tool(reads=["listing"], writes=["purchase", "dispute"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def withdraw_dispute(db: Database, dispute_id: Annotated[str, "the dispute"]) -> Dispute:
    """Take back a dispute for its buyer.

    state becomes withdrawn, ended_at the clock; the purchase becomes shipped again.
    """
    dispute = db.require("dispute", dispute_id)
    _require_under_way(dispute)
    db.update("purchase", dispute["purchase_id"], state="shipped")
    return _dispute(db, db.update("dispute", dispute_id, state="withdrawn", ended_at=db.now))


@tool(
    reads=["listing"],
    writes=["purchase", "movement", "dispute"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def resolve_dispute(
    db: Database,
    dispute_id: Annotated[str, "the dispute"],
    outcome: Annotated[Outcome, "decision"],
    refund_cents: Annotated[int | None, "cents to refund, for part_refund", Field(ge=1)] = None,
) -> Resolution:
    """Decide a dispute and pay out the money held.

    The refund is the total for full_refund, 0 for no_refund; it becomes refund_cents of the dispute and refunded_cents
    of the purchase. Unless 0, first a movement refund over it for the buyer; then, unless full_refund, a movement sale
    over the proceeds minus the refund for the seller. The dispute becomes resolved with the outcome; the purchase
    refunded for full_refund, else completed; ended_at of both is the clock.
    """
    if (refund_cents is not None) != (outcome == "part_refund"):
        raise Rejection.invalid_argument(
            f"Give refund_cents for part_refund only; outcome is {outcome}, refund_cents {refund_cents}."
        )
    dispute = db.require("dispute", dispute_id)
    _require_under_way(dispute)
    purchase_id = dispute["purchase_id"]
    purchase = db.get("purchase", purchase_id)
    proceeds = purchase["price_cents"] + purchase["postage_cents"] - purchase["commission_cents"]
    if outcome == "part_refund" and refund_cents >= proceeds:
        raise Rejection.failed_precondition(f"The refund {refund_cents} is not below the proceeds {proceeds}.")
    refund = {"full_refund": _total(purchase), "part_refund": refund_cents, "no_refund": 0}[outcome]
    if refund:
        _book(db, purchase["buyer_id"], "refund", refund, purchase_id)
    if outcome != "full_refund":
        _book(db, purchase["seller_id"], "sale", proceeds - refund, purchase_id)
    purchase = db.update(
        "purchase",
        purchase_id,
        state="refunded" if outcome == "full_refund" else "completed",
        refunded_cents=refund,
        ended_at=db.now,
    )
    dispute = db.update("dispute", dispute_id, state="resolved", outcome=outcome, refund_cents=refund, ended_at=db.now)
    return {
        "dispute": _dispute(db, dispute),
        "purchase": purchase | {"listing_title": _title(db, purchase), "total_cents": _total(purchase)},
    }
