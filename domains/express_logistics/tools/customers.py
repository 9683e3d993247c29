"""Customers: finding, adding, and changing customer accounts."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Customer(TypedDict):
    customer_id: Annotated[str, "the customer"]
    full_name: Annotated[str, "name"]
    email: Annotated[str, "email"]
    phone: Annotated[str, "phone"]
    zip_code: Annotated[str, "billing zip code"]
    tier: Annotated[Literal["standard", "plus", "business"], "account tier"]
    status: Annotated[Literal["active", "suspended"], "account status"]
    joined_on: Annotated[Date, "customer since"]
    balance_cents: Annotated[int, "what the customer owes"]
    open_shipments: Annotated[int, "number of open shipments"]


def _balance(db, customer_id):
    return db.value(
        """
        SELECT coalesce(sum(CASE WHEN kind IN ('shipping', 'fee') THEN amount_cents ELSE -amount_cents END), 0)
        FROM account_entry
        WHERE customer_id = ? AND voided_at IS NULL
        """,
        customer_id,
    )


def _customer(db, customer_id):
    row = db.require("customer", customer_id)
    opened = db.value(
        """
        SELECT count(*) FROM shipment
        WHERE customer_id = ? AND state IN ('booked', 'collected', 'at_depot', 'out_for_delivery', 'held')
        """,
        customer_id,
    )
    return {**row, "balance_cents": _balance(db, customer_id), "open_shipments": opened}


def _refuse_taken(db, email, phone, customer_id):
    if db.first(
        "SELECT 1 FROM customer WHERE lower(email) = lower(?) AND (? IS NULL OR customer_id <> ?)",
        email,
        customer_id,
        customer_id,
    ):
        raise Rejection.already_exists(f"Another customer has the email {email!r}.")
    if db.first(
        "SELECT 1 FROM customer WHERE phone = ? AND (? IS NULL OR customer_id <> ?)",
        phone,
        customer_id,
        customer_id,
    ):
        raise Rejection.already_exists(f"Another customer has the phone {phone!r}.")


@tool(reads=["customer", "shipment", "account_entry"], rejects=["NOT_FOUND"])
def find_customer_by_email(db: Database, email: Annotated[str, "email address", Field(min_length=1)]) -> Customer:
    """Find the one customer who has this email."""
    customer_id = db.value("SELECT customer_id FROM customer WHERE lower(email) = lower(?) ORDER BY customer_id", email)
    if customer_id is None:
        raise Rejection.not_found(f"No customer has the email {email!r}.")
    return _customer(db, customer_id)


@tool(reads=["customer", "shipment", "account_entry"], rejects=["NOT_FOUND"])
def find_customer_by_phone(
    db: Database, phone: Annotated[str, "phone, as 303-555-0142", Field(min_length=1)]
) -> Customer:
    """Find the one customer who has this phone."""
    customer_id = db.value("SELECT customer_id FROM customer WHERE phone = ?", phone)
    if customer_id is None:
        raise Rejection.not_found(f"No customer has the phone {phone!r}.")
    return _customer(db, customer_id)


@tool(reads=["customer", "shipment", "account_entry"], rejects=["NOT_FOUND"])
def get_customer(db: Database, customer_id: Annotated[str, "the customer"]) -> Customer:
    """Show a customer's details and balance."""
    return _customer(db, customer_id)


@tool(reads=["shipment", "account_entry"], writes=["customer"], rejects=["ALREADY_EXISTS"])
def add_customer(
    db: Database,
    full_name: Annotated[str, "first and last name", Field(min_length=1)],
    email: Annotated[str, "email address", Field(min_length=1)],
    phone: Annotated[str, "phone, as 303-555-0142", Field(min_length=1)],
    zip_code: Annotated[str, "billing zip code", Field(min_length=5, max_length=5)],
    tier: Annotated[Literal["standard", "plus", "business"], "account tier"] = "standard",
) -> Customer:
    """Open an account for a new customer.

    Requires: Nobody has this email, in any case. Nobody has this phone.

    The customer is active; joined_on is today.
    """
    _refuse_taken(db, email, phone, None)
    customer = db.insert(
        "customer",
        customer_id=db.new_id("customer"),
        full_name=full_name,
        email=email,
        phone=phone,
        zip_code=zip_code,
        tier=tier,
        status="active",
        joined_on=db.today,
    )
    return _customer(db, customer["customer_id"])


@tool(
    reads=["shipment", "account_entry"],
    writes=["customer"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"],
)
def update_customer_contact(
    db: Database,
    customer_id: Annotated[str, "the customer"],
    full_name: Annotated[str | None, "new name", Field(min_length=1)] = None,
    email: Annotated[str | None, "new email", Field(min_length=1)] = None,
    phone: Annotated[str | None, "new phone, as 303-555-0142", Field(min_length=1)] = None,
    zip_code: Annotated[str | None, "new billing zip code", Field(min_length=5, max_length=5)] = None,
) -> Customer:
    """Change only the given contact details of a customer.

    Requires: At least one detail is given. No other customer has this email, in any case. No other customer has this
    phone.
    """
    if full_name is None and email is None and phone is None and zip_code is None:
        raise Rejection.invalid_argument("Give at least one of full_name, email, phone, and zip_code.")
    customer = db.require("customer", customer_id)
    _refuse_taken(db, email, phone, customer_id)
    db.update(
        "customer",
        customer_id,
        full_name=customer["full_name"] if full_name is None else full_name,
        email=customer["email"] if email is None else email,
        phone=customer["phone"] if phone is None else phone,
        zip_code=customer["zip_code"] if zip_code is None else zip_code,
    )
    return _customer(db, customer_id)


@tool(reads=["shipment", "account_entry"], writes=["customer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def set_customer_status(
    db: Database,
    customer_id: Annotated[str, "the customer"],
    status: Annotated[Literal["active", "suspended"], "new status"],
) -> Customer:
    """Suspend or reactivate a customer's account.

    Requires: The customer does not have this status already.
    """
    customer = db.require("customer", customer_id)
    if customer["status"] == status:
        raise Rejection.failed_precondition(f"Customer {customer_id!r} is {status} already.")
    db.update("customer", customer_id, status=status)
    return _customer(db, customer_id)
