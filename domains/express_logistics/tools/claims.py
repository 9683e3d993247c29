"""Claims: filing and deciding claims."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class Claim(TypedDict):
    claim_id: Annotated[str, "the claim"]
    customer_id: Annotated[str, "who gets the credit"]
    shipment_id: Annotated[str, "the shipment"]
    tracking_number: Annotated[str, "number on its label"]
    kind: Annotated[Literal["lost", "damaged", "late"], "what went wrong"]
    amount_cents: Annotated[int, "amount claimed"]
    description: Annotated[str, "what happened"]
    state: Annotated[Literal["filed", "approved", "denied"], "state"]
    approved_cents: Annotated[int | None, "amount granted"]
    denial_reason: Annotated[str | None, "why denied"]
    created_at: Annotated[Timestamp, "when filed"]
    decided_at: Annotated[Timestamp | None, "when decided"]


class ClaimList(TypedDict):
    total: Annotated[int, "number of claims"]
    claims: Annotated[list[Claim], "the claims"]


def _claim(db, claim_id):
    return db.first(
        """
        SELECT c.claim_id, s.customer_id, c.shipment_id, s.tracking_number, c.kind, c.amount_cents, c.description,
               c.state, c.approved_cents, c.denial_reason, c.created_at, c.decided_at
        FROM claim AS c JOIN shipment AS s ON s.shipment_id = c.shipment_id
        WHERE c.claim_id = ?
        """,
        claim_id,
    )


def _require_filed(db, claim_id):
    claim = db.require("claim", claim_id)
    if claim["state"] != "filed":
        raise Rejection.failed_precondition(f"Claim {claim_id!r} is {claim['state']}, not filed.")
    return claim


@tool(reads=["shipment"], writes=["claim"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def file_claim(
    db: Database,
    shipment_id: Annotated[str, "the shipment"],
    kind: Annotated[Literal["lost", "damaged", "late"], "what went wrong"],
    amount_cents: Annotated[int, "amount claimed", Field(ge=1)],
    description: Annotated[str, "what happened", Field(min_length=1)],
) -> Claim:
    """File a claim for a lost, damaged, or late shipment.

    Requires: For kind lost, the shipment is lost. For kind damaged or late, the shipment is delivered. For kind late,
    it was delivered on a day after promised_on. The shipment has no filed or approved claim.

    The claim is filed, for the shipment's customer.
    """
    shipment = db.require("shipment", shipment_id)
    needed = "lost" if kind == "lost" else "delivered"
    if shipment["state"] != needed:
        raise Rejection.failed_precondition(
            f"A claim of kind {kind} needs a {needed} shipment; {shipment_id!r} is {shipment['state']}."
        )
    if kind == "late" and shipment["delivered_at"][:10] <= shipment["promised_on"]:
        raise Rejection.failed_precondition(
            f"Shipment {shipment_id!r} was delivered at {shipment['delivered_at']}, not after {shipment['promised_on']}."
        )
    other = db.first(
        "SELECT claim_id, state FROM claim WHERE shipment_id = ? AND state IN ('filed', 'approved')", shipment_id
    )
    if other is not None:
        raise Rejection.already_exists(
            f"Shipment {shipment_id!r} has the {other['state']} claim {other['claim_id']!r}."
        )
    claim = db.insert(
        "claim",
        claim_id=db.new_id("claim"),
        shipment_id=shipment_id,
        kind=kind,
        amount_cents=amount_cents,
        description=description,
        state="filed",
        created_at=db.now,
    )
    return _claim(db, claim["claim_id"])


@tool(reads=["customer", "shipment", "claim"], rejects=["NOT_FOUND"])
def list_customer_claims(
    db: Database,
    customer_id: Annotated[str, "the customer"],
    state: Annotated[Literal["filed", "approved", "denied"] | None, "only this state"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> ClaimList:
    """List a customer's claims.

    Latest created_at first.
    """
    db.require("customer", customer_id)
    rows = db.select(
        """
        SELECT c.claim_id
        FROM claim AS c JOIN shipment AS s ON s.shipment_id = c.shipment_id
        WHERE s.customer_id = ? AND (? IS NULL OR c.state = ?)
        ORDER BY c.created_at DESC, c.claim_id
        """,
        customer_id,
        state,
        state,
    )
    return {"total": len(rows), "claims": [_claim(db, row["claim_id"]) for row in rows[:limit]]}


@tool(reads=["shipment"], writes=["claim", "account_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def approve_claim(
    db: Database, claim_id: Annotated[str, "the claim"], approved_cents: Annotated[int, "amount granted", Field(ge=1)]
) -> Claim:
    """Approve a claim and credit the customer's account.

    Requires: The claim is filed. approved_cents is at most the amount claimed.

    The state becomes approved, approved_cents is set, decided_at is the clock. Adds a credit entry of approved_cents
    for the customer and shipment; description is Claim, a space, and the tracking number.
    """
    claim = _require_filed(db, claim_id)
    if approved_cents > claim["amount_cents"]:
        raise Rejection.failed_precondition(
            f"{approved_cents} cents is more than the {claim['amount_cents']} cents claimed."
        )
    shipment = db.require("shipment", claim["shipment_id"])
    db.update("claim", claim_id, state="approved", approved_cents=approved_cents, decided_at=db.now)
    db.insert(
        "account_entry",
        account_entry_id=db.new_id("account_entry"),
        customer_id=shipment["customer_id"],
        shipment_id=shipment["shipment_id"],
        kind="credit",
        amount_cents=approved_cents,
        description=f"Claim {shipment['tracking_number']}",
        created_at=db.now,
    )
    return _claim(db, claim_id)


@tool(reads=["shipment"], writes=["claim"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def deny_claim(
    db: Database, claim_id: Annotated[str, "the claim"], reason: Annotated[str, "why it is denied", Field(min_length=1)]
) -> Claim:
    """Deny a claim.

    Requires: The claim is filed.

    The state becomes denied, denial_reason the reason, decided_at the clock.
    """
    _require_filed(db, claim_id)
    db.update("claim", claim_id, state="denied", denial_reason=reason, decided_at=db.now)
    return _claim(db, claim_id)
