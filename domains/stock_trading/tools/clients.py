"""Clients: finding, registering, and updating clients."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Client(TypedDict):
    client_id: Annotated[str, "the client"]
    full_name: Annotated[str, "first and last name"]
    email: Annotated[str, "email address"]
    phone: Annotated[str, "phone number"]
    date_of_birth: Annotated[Date, "date of birth"]
    tier: Annotated[Literal["standard", "active", "premium"], "service tier"]
    risk_profile: Annotated[Literal["conservative", "moderate", "aggressive"], "how much risk suits them"]
    joined_on: Annotated[Date, "client since"]


class ClientEntry(TypedDict):
    client_id: Annotated[str, "the client"]
    full_name: Annotated[str, "first and last name"]
    email: Annotated[str, "email address"]
    tier: Annotated[Literal["standard", "active", "premium"], "service tier"]


class ClientList(TypedDict):
    clients: Annotated[list[ClientEntry], "matching clients"]
    total: Annotated[int, "all matches"]


@tool(reads=["client"], rejects=["NOT_FOUND"])
def find_client_by_email(db: Database, email: Annotated[str, "email address", Field(min_length=1)]) -> Client:
    """Find the client with an email address."""
    client = db.first("SELECT * FROM client WHERE lower(email) = lower(?) ORDER BY client_id", email)
    if client is None:
        raise Rejection.not_found(f"No client has the email {email!r}.")
    return client


@tool(reads=["client"], rejects=["NOT_FOUND"])
def find_client_by_phone(db: Database, phone: Annotated[str, "phone number", Field(min_length=1)]) -> Client:
    """Find the client with a phone number."""
    client = db.first("SELECT * FROM client WHERE phone = ?", phone)
    if client is None:
        raise Rejection.not_found(f"No client has the phone {phone!r}.")
    return client


@tool(reads=["client"])
def search_clients(
    db: Database,
    text: Annotated[str, "part of the name", Field(min_length=1)],
    tier: Annotated[Literal["standard", "active", "premium"] | None, "service tier"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> ClientList:
    """Search clients by name.

    Clients whose full_name contains the text, by full_name.
    """
    clients = db.select(
        """
        SELECT client_id, full_name, email, tier FROM client
        WHERE instr(lower(full_name), lower(?)) > 0 AND (? IS NULL OR tier = ?)
        ORDER BY full_name, client_id
        """,
        text,
        tier,
        tier,
    )
    return {"clients": clients[:limit], "total": len(clients)}


@tool(writes=["client"], rejects=["INVALID_ARGUMENT", "ALREADY_EXISTS"])
def register_client(
    db: Database,
    full_name: Annotated[str, "first and last name", Field(min_length=1)],
    email: Annotated[str, "email address", Field(min_length=1)],
    phone: Annotated[str, "phone number", Field(min_length=1)],
    date_of_birth: Annotated[Date, "date of birth"],
    risk_profile: Annotated[Literal["conservative", "moderate", "aggressive"], "how much risk suits them"],
) -> Client:
    """Add a new client.

    Requires: The 18th birthday is not after the clock's date. No client has the email, ignoring case. No client has the
    phone.

    tier is standard; joined_on is the clock's date.
    """
    if f"{int(date_of_birth[:4]) + 18:04d}{date_of_birth[4:]}" > db.today:
        raise Rejection.invalid_argument(f"A client born on {date_of_birth} is not yet 18.")
    if db.first("SELECT client_id FROM client WHERE lower(email) = lower(?)", email):
        raise Rejection.already_exists(f"A client already has the email {email!r}.")
    if db.first("SELECT client_id FROM client WHERE phone = ?", phone):
        raise Rejection.already_exists(f"A client already has the phone {phone!r}.")
    return db.insert(
        "client",
        client_id=db.new_id("client"),
        full_name=full_name,
        email=email,
        phone=phone,
        date_of_birth=date_of_birth,
        tier="standard",
        risk_profile=risk_profile,
        joined_on=db.today,
    )


@tool(writes=["client"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def update_client(
    db: Database,
    client_id: Annotated[str, "the client"],
    email: Annotated[str | None, "new email address", Field(min_length=1)] = None,
    phone: Annotated[str | None, "new phone number", Field(min_length=1)] = None,
    risk_profile: Annotated[Literal["conservative", "moderate", "aggressive"] | None, "new risk profile"] = None,
) -> Client:
    """Change a client's contact details or risk profile.

    Requires: At least one change is given. No other client has the email, ignoring case. No other client has the phone.

    Sets the given fields.
    """
    if email is None and phone is None and risk_profile is None:
        raise Rejection.invalid_argument("Give an email, a phone, or a risk_profile.")
    client = db.require("client", client_id)
    if email is not None and db.first(
        "SELECT client_id FROM client WHERE lower(email) = lower(?) AND client_id <> ?", email, client_id
    ):
        raise Rejection.already_exists(f"Another client has the email {email!r}.")
    if phone is not None and db.first(
        "SELECT client_id FROM client WHERE phone = ? AND client_id <> ?", phone, client_id
    ):
        raise Rejection.already_exists(f"Another client has the phone {phone!r}.")
    return db.update(
        "client",
        client_id,
        email=client["email"] if email is None else email,
        phone=client["phone"] if phone is None else phone,
        risk_profile=client["risk_profile"] if risk_profile is None else risk_profile,
    )
