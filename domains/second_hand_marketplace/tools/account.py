"""Account: balances, payouts, fees, and saved items."""

from decimal import Decimal
from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Entry(TypedDict):
    entry_id: Annotated[str, "the entry"]
    kind: Annotated[str, "kind"]
    label: Annotated[str, "what it is for"]
    amount_cents: Annotated[int, "amount in cents, negative if taken off"]
    status: Annotated[str, "state"]
    booked_on: Annotated[Date, "when it was booked"]
    purchase_id: Annotated[str | None, "its purchase"]


class EntryList(TypedDict):
    entries: Annotated[list[Entry], "entries"]
    total: Annotated[int, "matches before the limit"]
    balance_cents: Annotated[int, "balance in cents"]


class SavedItem(TypedDict):
    saved_item_id: Annotated[str, "the saved item"]
    listing_id: Annotated[str, "what was saved"]
    title: Annotated[str, "title of the listing"]
    price_cents: Annotated[int, "asking price in cents"]
    status: Annotated[str, "state of the listing"]
    saved_on: Annotated[Date, "when it was saved"]
    note: Annotated[str | None, "words to oneself"]


class SavedItemList(TypedDict):
    saved_items: Annotated[list[SavedItem], "saved items"]


class Earnings(TypedDict):
    fee_cents: Annotated[int, "fee in cents"]
    kept_cents: Annotated[int, "what the seller keeps"]


def _entry(entry):
    return {column: value for column, value in entry.items() if column != "member_id"}


def _change_balance(db, member_id, amount_cents):
    balance = db.get("member", member_id)["balance_cents"]
    db.update("member", member_id, balance_cents=balance + amount_cents)


def _saved_item(db, saved_item_id):
    return db.first(
        "SELECT saved_item_id, listing_id, title, price_cents, status, saved_on, note "
        "FROM saved_item JOIN listing USING (listing_id) WHERE saved_item_id = ?",
        saved_item_id,
    )


@tool(reads=["member", "account_entry"], rejects=["NOT_FOUND"])
def list_account_entries(
    db: Database,
    member_id: Annotated[str, "member in question"],
    kind: Annotated[Literal["payment", "sale", "refund", "fee", "payout"] | None, "kind of entry"] = None,
    status: Annotated[Literal["posted", "requested", "canceled"] | None, "state of the entry"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> EntryList:
    """List a member's account entries.

    Sorted by booked_on, latest first; balance_cents is the member's balance now.
    """
    member = db.require("member", member_id)
    entries = db.select(
        """
        SELECT entry_id, kind, label, amount_cents, status, booked_on, purchase_id
        FROM account_entry
        WHERE member_id = ? AND (? IS NULL OR kind = ?) AND (? IS NULL OR status = ?)
        ORDER BY booked_on DESC, entry_id
        """,
        member_id,
        kind,
        kind,
        status,
        status,
    )
    return {"entries": entries[:limit], "total": len(entries), "balance_cents": member["balance_cents"]}


@tool(writes=["member", "account_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def request_payout(
    db: Database,
    member_id: Annotated[str, "member in question"],
    amount_cents: Annotated[int, "amount in cents", Field(ge=100)],
) -> Entry:
    """Request a payout of part of the balance.

    Requires: The balance covers the amount.

    The balance goes down by the amount; adds a requested payout entry over minus amount_cents, label 'Payout'.
    """
    member = db.require("member", member_id)
    if member["balance_cents"] < amount_cents:
        raise Rejection.failed_precondition(
            f"The balance of {member['balance_cents']} cents does not cover {amount_cents} cents."
        )
    _change_balance(db, member_id, -amount_cents)
    entry = db.insert(
        "account_entry",
        entry_id=db.new_id("account_entry"),
        member_id=member_id,
        kind="payout",
        label="Payout",
        amount_cents=-amount_cents,
        status="requested",
        booked_on=db.today,
    )
    return _entry(entry)


@tool(writes=["member", "account_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_payout(db: Database, entry_id: Annotated[str, "payout entry"]) -> Entry:
    """Cancel a payout that was requested.

    Requires: It is a requested payout.

    status becomes canceled; its amount goes back to the balance.
    """
    entry = db.require("account_entry", entry_id)
    if entry["kind"] != "payout" or entry["status"] != "requested":
        raise Rejection.failed_precondition(
            f"Entry {entry_id!r} is a {entry['status']} {entry['kind']}, not a requested payout."
        )
    _change_balance(db, entry["member_id"], -entry["amount_cents"])
    return _entry(db.update("account_entry", entry_id, status="canceled"))


@tool(reads=["purchase"], writes=["member", "account_entry"], rejects=["NOT_FOUND"])
def charge_fee(
    db: Database,
    member_id: Annotated[str, "member in question"],
    amount_cents: Annotated[int, "fee in cents", Field(ge=1, le=10000)],
    label: Annotated[str, "what the fee is for", Field(min_length=1, max_length=80)],
    purchase_id: Annotated[str | None, "purchase the fee is for"] = None,
) -> Entry:
    """Charge a fee to a member's balance.

    The balance goes down by the amount, even below zero; adds a posted fee entry over minus amount_cents.
    """
    db.require("member", member_id)
    if purchase_id is not None:
        db.require("purchase", purchase_id)
    _change_balance(db, member_id, -amount_cents)
    entry = db.insert(
        "account_entry",
        entry_id=db.new_id("account_entry"),
        member_id=member_id,
        kind="fee",
        label=label,
        amount_cents=-amount_cents,
        status="posted",
        booked_on=db.today,
        purchase_id=purchase_id,
    )
    return _entry(entry)


@tool(
    reads=["member", "listing"], writes=["saved_item"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"]
)
def save_listing(
    db: Database,
    member_id: Annotated[str, "member in question"],
    listing_id: Annotated[str, "listing in question"],
    note: Annotated[str | None, "words to oneself", Field(min_length=1, max_length=200)] = None,
) -> SavedItem:
    """Save a listing to a member's list.

    Requires: The listing is active. The member has not saved it already.

    Adds a saved item of today.
    """
    db.require("member", member_id)
    listing = db.require("listing", listing_id)
    if listing["status"] != "active":
        raise Rejection.failed_precondition(f"Listing {listing_id!r} is {listing['status']}, not active.")
    if db.first("SELECT 1 FROM saved_item WHERE member_id = ? AND listing_id = ?", member_id, listing_id):
        raise Rejection.already_exists(f"Member {member_id!r} has saved listing {listing_id!r} already.")
    item = db.insert(
        "saved_item",
        saved_item_id=db.new_id("saved_item"),
        member_id=member_id,
        listing_id=listing_id,
        saved_on=db.today,
        note=note,
    )
    return _saved_item(db, item["saved_item_id"])


@tool(reads=["member", "listing", "saved_item"], rejects=["NOT_FOUND"])
def list_saved_items(db: Database, member_id: Annotated[str, "member in question"]) -> SavedItemList:
    """List what a member saved.

    Sorted by saved_on, latest first.
    """
    db.require("member", member_id)
    items = db.select(
        """
        SELECT saved_item_id, listing_id, title, price_cents, status, saved_on, note
        FROM saved_item JOIN listing USING (listing_id)
        WHERE member_id = ?
        ORDER BY saved_on DESC, saved_item_id
        """,
        member_id,
    )
    return {"saved_items": items}


@tool(reads=["listing"], writes=["saved_item"], rejects=["NOT_FOUND"])
def remove_saved_item(db: Database, saved_item_id: Annotated[str, "saved item"]) -> SavedItem:
    """Remove an item from a member's list.

    The saved item is deleted.
    """
    db.require("saved_item", saved_item_id)
    item = _saved_item(db, saved_item_id)
    db.delete("saved_item", saved_item_id)
    return item


@tool()
def estimate_earnings(
    db: Database,
    price_cents: Annotated[int, "price in cents", Field(ge=0)],
    shipping_cents: Annotated[int, "shipping in cents", Field(ge=0)],
    fee_percent: Annotated[float, "seller's fee in percent", Field(ge=0.0, le=100.0)],
) -> Earnings:
    """Estimate what a seller keeps of a sale.

    fee_cents is fee_percent of price plus shipping, rounded half to even to whole cents; kept_cents is the rest.
    """
    total = price_cents + shipping_cents
    fee = round(Decimal(str(fee_percent)) * total / 100)
    return {"fee_cents": fee, "kept_cents": total - fee}
