"""Disputes: disputes and reviews of purchases."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Dispute(TypedDict):
    dispute_id: Annotated[str, "the dispute"]
    purchase_id: Annotated[str, "its purchase"]
    title: Annotated[str, "title of the listing"]
    kind: Annotated[str, "what went wrong"]
    claim_cents: Annotated[int, "amount claimed in cents"]
    details: Annotated[str, "buyer's words"]
    status: Annotated[str, "state"]
    opened_on: Annotated[Date, "when it was opened"]
    refund_cents: Annotated[int | None, "refund in cents"]
    closed_on: Annotated[Date | None, "when it was closed"]


class DisputeList(TypedDict):
    disputes: Annotated[list[Dispute], "disputes"]


class Review(TypedDict):
    review_id: Annotated[str, "the review"]
    purchase_id: Annotated[str, "its purchase"]
    title: Annotated[str, "title of the listing"]
    stars: Annotated[int, "stars"]
    text: Annotated[str | None, "buyer's words"]
    written_on: Annotated[Date, "when it was written"]
    edits: Annotated[int, "times changed"]


class ReviewList(TypedDict):
    reviews: Annotated[list[Review], "reviews"]
    average_stars: Annotated[float | None, "average stars"]


def _dispute(db, dispute_id):
    return db.first(
        "SELECT dispute_id, purchase_id, title, kind, claim_cents, details, dispute.status AS status, opened_on, "
        "refund_cents, dispute.closed_on AS closed_on "
        "FROM dispute JOIN purchase USING (purchase_id) JOIN listing USING (listing_id) WHERE dispute_id = ?",
        dispute_id,
    )


def _require_open(db, dispute_id):
    dispute = db.require("dispute", dispute_id)
    if dispute["status"] != "open":
        raise Rejection.failed_precondition(f"Dispute {dispute_id!r} is {dispute['status']}, not open.")
    return dispute


def _check_claim(purchase, claim_cents):
    total = purchase["item_cents"] + purchase["shipping_cents"]
    if claim_cents > total:
        raise Rejection.failed_precondition(f"The claim of {claim_cents} cents is above the total of {total} cents.")


def _review(db, review_id):
    return db.first(
        "SELECT review_id, purchase_id, title, stars, text, written_on, edits "
        "FROM review JOIN purchase USING (purchase_id) JOIN listing USING (listing_id) WHERE review_id = ?",
        review_id,
    )


def _refund(db, member_id, amount_cents, label, purchase_id):
    balance = db.get("member", member_id)["balance_cents"]
    db.update("member", member_id, balance_cents=balance + amount_cents)
    db.insert(
        "account_entry",
        entry_id=db.new_id("account_entry"),
        member_id=member_id,
        kind="refund",
        label=label,
        amount_cents=amount_cents,
        status="posted",
        booked_on=db.today,
        purchase_id=purchase_id,
    )


@tool(reads=["listing"], writes=["purchase", "dispute"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def open_dispute(
    db: Database,
    purchase_id: Annotated[str, "purchase in question"],
    kind: Annotated[Literal["not_received", "damaged", "not_as_described", "wrong_item"], "what went wrong"],
    claim_cents: Annotated[int, "amount claimed in cents", Field(ge=100)],
    details: Annotated[str, "buyer's words", Field(min_length=1, max_length=500)],
) -> Dispute:
    """Open a dispute about a shipped or delivered purchase.

    Requires: The purchase is shipped or delivered. claim_cents is at most its total_cents.

    Adds an open dispute opened today, prior_status the purchase's status; the purchase becomes disputed.
    """
    purchase = db.require("purchase", purchase_id)
    if purchase["status"] not in ("shipped", "delivered"):
        raise Rejection.failed_precondition(
            f"Purchase {purchase_id!r} is {purchase['status']}, not shipped or delivered."
        )
    _check_claim(purchase, claim_cents)
    dispute = db.insert(
        "dispute",
        dispute_id=db.new_id("dispute"),
        purchase_id=purchase_id,
        kind=kind,
        claim_cents=claim_cents,
        details=details,
        status="open",
        prior_status=purchase["status"],
        opened_on=db.today,
    )
    db.update("purchase", purchase_id, status="disputed")
    return _dispute(db, dispute["dispute_id"])


@tool(reads=["member", "listing", "purchase", "dispute"], rejects=["NOT_FOUND"])
def list_disputes(
    db: Database,
    member_id: Annotated[str, "member in question"],
    status: Annotated[Literal["open", "resolved", "withdrawn"] | None, "state of the dispute"] = None,
) -> DisputeList:
    """List the disputes of a member, as buyer or seller.

    Sorted by opened_on, latest first.
    """
    db.require("member", member_id)
    disputes = db.select(
        """
        SELECT dispute_id, purchase_id, title, kind, claim_cents, details, dispute.status AS status, opened_on,
               refund_cents, dispute.closed_on AS closed_on
        FROM dispute JOIN purchase USING (purchase_id) JOIN listing USING (listing_id)
        WHERE (buyer_id = ? OR seller_id = ?) AND (? IS NULL OR dispute.status = ?)
        ORDER BY opened_on DESC, dispute_id
        """,
        member_id,
        member_id,
        status,
        status,
    )
    return {"disputes": disputes}


@tool(
    reads=["listing", "purchase"], writes=["dispute"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"]
)
def change_dispute(
    db: Database,
    dispute_id: Annotated[str, "dispute in question"],
    claim_cents: Annotated[int | None, "new amount claimed in cents", Field(ge=100)] = None,
    details: Annotated[str | None, "new words", Field(min_length=1, max_length=500)] = None,
) -> Dispute:
    """Change the amount or the words of an open dispute.

    Requires: An amount or new words are given. The dispute is open. claim_cents is at most the purchase's total_cents.

    Only the given fields change.
    """
    if claim_cents is None and details is None:
        raise Rejection.invalid_argument("Neither an amount nor new words were given; give at least one.")
    dispute = _require_open(db, dispute_id)
    changes = {}
    if claim_cents is not None:
        _check_claim(db.get("purchase", dispute["purchase_id"]), claim_cents)
        changes["claim_cents"] = claim_cents
    if details is not None:
        changes["details"] = details
    db.update("dispute", dispute_id, **changes)
    return _dispute(db, dispute_id)


@tool(reads=["listing"], writes=["purchase", "dispute"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def withdraw_dispute(db: Database, dispute_id: Annotated[str, "dispute in question"]) -> Dispute:
    """Take back an open dispute.

    Requires: The dispute is open.

    status becomes withdrawn, closed_on today; the purchase gets its prior_status back.
    """
    dispute = _require_open(db, dispute_id)
    db.update("dispute", dispute_id, status="withdrawn", closed_on=db.today)
    db.update("purchase", dispute["purchase_id"], status=dispute["prior_status"])
    return _dispute(db, dispute_id)


@tool(
    reads=["listing"],
    writes=["member", "purchase", "dispute", "account_entry"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def refund_dispute(
    db: Database,
    dispute_id: Annotated[str, "dispute in question"],
    refund_cents: Annotated[int, "refund in cents", Field(ge=100)],
) -> Dispute:
    """Settle an open dispute with a refund from the seller.

    Requires: The dispute is open. refund_cents is at most claim_cents.

    status becomes resolved, refund_cents stored, closed_on today; the purchase becomes refunded with closed_on today.
    refund_cents moves from the seller's balance to the buyer's; the buyer gets a posted refund entry of refund_cents,
    the seller one of minus refund_cents.
    """
    dispute = _require_open(db, dispute_id)
    if refund_cents > dispute["claim_cents"]:
        raise Rejection.failed_precondition(
            f"The refund of {refund_cents} cents is above the claim of {dispute['claim_cents']} cents."
        )
    purchase = db.get("purchase", dispute["purchase_id"])
    listing = db.get("listing", purchase["listing_id"])
    db.update("dispute", dispute_id, status="resolved", refund_cents=refund_cents, closed_on=db.today)
    db.update("purchase", purchase["purchase_id"], status="refunded", closed_on=db.today)
    _refund(db, purchase["buyer_id"], refund_cents, listing["title"], purchase["purchase_id"])
    _refund(db, listing["seller_id"], -refund_cents, listing["title"], purchase["purchase_id"])
    return _dispute(db, dispute_id)


@tool(reads=["listing", "purchase"], writes=["review"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def write_review(
    db: Database,
    purchase_id: Annotated[str, "purchase in question"],
    stars: Annotated[int, "stars", Field(ge=1, le=5)],
    text: Annotated[str | None, "buyer's words", Field(min_length=1, max_length=500)] = None,
) -> Review:
    """Review a delivered purchase for its buyer.

    Requires: The purchase is delivered. The purchase has no review yet.

    Adds a review written today.
    """
    purchase = db.require("purchase", purchase_id)
    if purchase["status"] != "delivered":
        raise Rejection.failed_precondition(f"Purchase {purchase_id!r} is {purchase['status']}, not delivered.")
    if db.first("SELECT 1 FROM review WHERE purchase_id = ?", purchase_id):
        raise Rejection.already_exists(f"Purchase {purchase_id!r} has a review already.")
    review = db.insert(
        "review",
        review_id=db.new_id("review"),
        purchase_id=purchase_id,
        stars=stars,
        text=text,
        written_on=db.today,
    )
    return _review(db, review["review_id"])


@tool(reads=["listing"], writes=["review"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def change_review(
    db: Database,
    review_id: Annotated[str, "review in question"],
    stars: Annotated[int | None, "new stars", Field(ge=1, le=5)] = None,
    text: Annotated[str | None, "new words", Field(min_length=1, max_length=500)] = None,
) -> Review:
    """Change the stars or the words of a review.

    Requires: Stars or new words are given.

    Only the given fields change; edits goes up by 1.
    """
    if stars is None and text is None:
        raise Rejection.invalid_argument("Neither stars nor new words were given; give at least one.")
    review = db.require("review", review_id)
    changes = {"edits": review["edits"] + 1}
    if stars is not None:
        changes["stars"] = stars
    if text is not None:
        changes["text"] = text
    db.update("review", review_id, **changes)
    return _review(db, review_id)


@tool(reads=["member", "listing", "purchase", "review"], rejects=["NOT_FOUND"])
def list_reviews(
    db: Database,
    member_id: Annotated[str, "member in question"],
    side: Annotated[Literal["received", "written"], "received as seller or written as buyer"],
) -> ReviewList:
    """List the reviews on a member's sales, or those a member wrote.

    Sorted by written_on, latest first; average_stars over the listed, null if none.
    """
    db.require("member", member_id)
    reviews = db.select(
        """
        SELECT review_id, purchase_id, title, stars, text, written_on, edits
        FROM review JOIN purchase USING (purchase_id) JOIN listing USING (listing_id)
        WHERE (? = 'received' AND seller_id = ?) OR (? = 'written' AND buyer_id = ?)
        ORDER BY written_on DESC, review_id
        """,
        side,
        member_id,
        side,
        member_id,
    )
    average = round(sum(review["stars"] for review in reviews) / len(reviews), 2) if reviews else None
    return {"reviews": reviews, "average_stars": average}
