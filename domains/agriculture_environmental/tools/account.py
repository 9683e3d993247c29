"""Account: finding landowners, contact details, charges, and payments."""

from collections import Counter
from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class Landowner(TypedDict):
    landowner_id: Annotated[str, "landowner"]
    name: Annotated[str, "full name"]
    email: Annotated[str, "email"]
    phone: Annotated[str, "phone number"]
    zip_code: Annotated[str, "ZIP code"]
    mailing_address: Annotated[str, "mailing address"]
    kind: Annotated[Literal["farm", "beginning_farm", "household"], "kind of account"]
    tractor_horsepower: Annotated[int, "largest tractor on file, 0 if none"]
    since: Annotated[Date, "with the district since"]


class Charge(TypedDict):
    charge_id: Annotated[str, "charge"]
    landowner_id: Annotated[str, "whose account"]
    kind: Annotated[
        Literal["rental", "late_cancellation", "late_return", "cleaning", "contract_breach"], "what it is for"
    ]
    amount_cents: Annotated[int, "amount"]
    status: Annotated[Literal["open", "paid", "waived"], "state"]
    method: Annotated[Literal["card", "check", "cash"] | None, "how it was paid"]
    created_at: Annotated[Timestamp, "when it was made"]
    settled_at: Annotated[Timestamp | None, "when paid or waived"]


class ChargeList(TypedDict):
    charges: Annotated[list[Charge], "those listed"]
    total: Annotated[int, "how many match in all"]
    owed_cents: Annotated[int, "what the landowner owes"]


class ChargeBatch(TypedDict):
    charges: Annotated[list[Charge], "those paid"]
    total_cents: Annotated[int, "sum of their amounts"]


def _refuse_twice(ids):
    for one, times in Counter(ids).items():
        if times > 1:
            raise Rejection.invalid_argument(f"{one!r} is in the list {times} times; give each id once.")


@tool(reads=["landowner"], rejects=["NOT_FOUND"])
def find_landowner_by_email(
    db: Database, email: Annotated[str, "email they gave us", Field(min_length=1)]
) -> Landowner:
    """Find the landowner with this email.

    Case does not matter.
    """
    landowner = db.first("SELECT * FROM landowner WHERE lower(email) = lower(?)", email)
    if landowner is None:
        raise Rejection.not_found(f"No landowner has the email {email!r}.")
    return landowner


@tool(reads=["landowner"], rejects=["NOT_FOUND"])
def find_landowner_by_phone(db: Database, phone: Annotated[str, "as (740) 555-0123", Field(min_length=1)]) -> Landowner:
    """Find the landowner with this phone number."""
    landowner = db.first("SELECT * FROM landowner WHERE phone = ?", phone)
    if landowner is None:
        raise Rejection.not_found(f"No landowner has the phone number {phone!r}.")
    return landowner


@tool(writes=["landowner"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def update_landowner(
    db: Database,
    landowner_id: Annotated[str, "landowner who calls"],
    email: Annotated[str | None, "new email", Field(min_length=1)] = None,
    phone: Annotated[str | None, "new phone number", Field(min_length=1)] = None,
    mailing_address: Annotated[str | None, "new mailing address", Field(min_length=1)] = None,
    tractor_horsepower: Annotated[int | None, "horsepower of largest tractor, 0 if none", Field(ge=0, le=700)] = None,
) -> Landowner:
    """Change a landowner's contact details or the tractor on file.

    Requires: At least one field is given. No other landowner has this email, ignoring case. No other landowner has this
    phone number.

    Only the given fields change.
    """
    given = {
        "email": email,
        "phone": phone,
        "mailing_address": mailing_address,
        "tractor_horsepower": tractor_horsepower,
    }
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument("Give at least one of email, phone, mailing_address and tractor_horsepower.")
    db.require("landowner", landowner_id)
    if db.first("SELECT 1 FROM landowner WHERE lower(email) = lower(?) AND landowner_id <> ?", email, landowner_id):
        raise Rejection.already_exists(f"Another landowner has the email {email!r}.")
    if db.first("SELECT 1 FROM landowner WHERE phone = ? AND landowner_id <> ?", phone, landowner_id):
        raise Rejection.already_exists(f"Another landowner has the phone number {phone!r}.")
    return db.update("landowner", landowner_id, **changes)


@tool(reads=["landowner", "charge"], rejects=["NOT_FOUND"])
def list_charges(
    db: Database,
    landowner_id: Annotated[str, "landowner who calls"],
    status: Annotated[Literal["open", "paid", "waived"] | None, "only charges in this state"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> ChargeList:
    """List the charges on a landowner's account and what they owe.

    Newest created_at first; owed_cents adds up all open charges, whatever the filter.
    """
    db.require("landowner", landowner_id)
    charges = db.select(
        """
        SELECT * FROM charge WHERE landowner_id = ? AND (? IS NULL OR status = ?)
        ORDER BY created_at DESC, charge_id
        """,
        landowner_id,
        status,
        status,
    )
    owed = db.value(
        "SELECT coalesce(sum(amount_cents), 0) FROM charge WHERE landowner_id = ? AND status = 'open'", landowner_id
    )
    return {"charges": charges[:limit], "total": len(charges), "owed_cents": owed}


@tool(reads=["landowner"], writes=["charge"], rejects=["NOT_FOUND"])
def add_charge(
    db: Database,
    landowner_id: Annotated[str, "landowner who calls"],
    kind: Annotated[Literal["late_cancellation", "late_return", "cleaning", "contract_breach"], "what the fee is for"],
    amount_cents: Annotated[int, "amount of the fee", Field(ge=1, le=200000)],
) -> Charge:
    """Put a fee on a landowner's account.

    A new open charge.
    """
    db.require("landowner", landowner_id)
    return db.insert(
        "charge",
        charge_id=db.new_id("charge"),
        landowner_id=landowner_id,
        kind=kind,
        amount_cents=amount_cents,
        created_at=db.now,
    )


@tool(writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def pay_charges(
    db: Database,
    charge_ids: Annotated[list[str], "charges to pay", Field(min_length=1, max_length=20)],
    method: Annotated[Literal["card", "check", "cash"], "how they pay"],
) -> ChargeBatch:
    """Take payment in full for one or more open charges.

    Requires: All of the charges are on the same account. Every charge is open.

    Each becomes paid, with method and settled_at as the clock; total_cents adds up their amounts.
    """
    _refuse_twice(charge_ids)
    charges = [db.require("charge", charge_id) for charge_id in charge_ids]
    if len({charge["landowner_id"] for charge in charges}) > 1:
        raise Rejection.failed_precondition(
            "The charges are on different accounts; pay those of one account at a time."
        )
    for charge in charges:
        if charge["status"] != "open":
            raise Rejection.failed_precondition(f"Charge {charge['charge_id']!r} is {charge['status']}, not open.")
    paid = [db.update("charge", charge_id, status="paid", method=method, settled_at=db.now) for charge_id in charge_ids]
    return {"charges": paid, "total_cents": sum(charge["amount_cents"] for charge in paid)}


@tool(writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def waive_charge(db: Database, charge_id: Annotated[str, "charge to forgive"]) -> Charge:
    """Forgive an open charge.

    Requires: The charge is open.

    It becomes waived; settled_at is the clock.
    """
    charge = db.require("charge", charge_id)
    if charge["status"] != "open":
        raise Rejection.failed_precondition(f"Charge {charge_id!r} is {charge['status']}, not open.")
    return db.update("charge", charge_id, status="waived", settled_at=db.now)
