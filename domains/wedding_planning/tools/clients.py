"""Clients: finding and keeping clients."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class Client(TypedDict):
    client_id: Annotated[str, "id of the client"]
    full_name: Annotated[str, "first and last name"]
    email: Annotated[str, "email address"]
    phone: Annotated[str, "as 555-201-3344"]
    zip_code: Annotated[str, "five digits"]
    preferred_contact: Annotated[Literal["email", "phone"], "how to reach them"]
    created_at: Annotated[Timestamp, "client since"]


def _given(value, current):
    return current if value is None else value


def _digits(text):
    return text != "" and all(character in "0123456789" for character in text)


def _require_forms(email, phone, zip_code):
    if email is not None and email.count("@") != 1:
        raise Rejection.invalid_argument(f"The email {email!r} must have exactly one @.")
    if phone is not None:
        parts = phone.split("-")
        if [len(part) for part in parts] != [3, 3, 4] or not _digits("".join(parts)):
            raise Rejection.invalid_argument(f"The phone {phone!r} must look like 555-201-3344.")
    if zip_code is not None and (len(zip_code) != 5 or not _digits(zip_code)):
        raise Rejection.invalid_argument(f"The zip code {zip_code!r} must have five digits.")


def _require_unused(db, email, phone, client_id):
    other = db.value(
        """
        SELECT client_id FROM client
        WHERE (lower(email) = lower(?) OR phone = ?) AND (? IS NULL OR client_id <> ?)
        """,
        email,
        phone,
        client_id,
        client_id,
    )
    if other is not None:
        raise Rejection.already_exists(f"Client {other!r} already has the email {email!r} or the phone {phone!r}.")


@tool(reads=["client"], rejects=["NOT_FOUND"])
def find_client_by_email(db: Database, email: Annotated[str, "the client's email", Field(min_length=1)]) -> Client:
    """Find the client who has an email address."""
    client = db.first("SELECT * FROM client WHERE lower(email) = lower(?)", email)
    if client is None:
        raise Rejection.not_found(f"No client has the email {email!r}.")
    return client


@tool(reads=["client"], rejects=["NOT_FOUND"])
def find_client_by_phone(db: Database, phone: Annotated[str, "as 555-201-3344", Field(min_length=1)]) -> Client:
    """Find the client who has a phone number."""
    client = db.first("SELECT * FROM client WHERE phone = ?", phone)
    if client is None:
        raise Rejection.not_found(f"No client has the phone {phone!r}.")
    return client


@tool(writes=["client"], rejects=["INVALID_ARGUMENT", "ALREADY_EXISTS"])
def add_client(
    db: Database,
    full_name: Annotated[str, "first and last name", Field(min_length=1)],
    email: Annotated[str, "email address", Field(min_length=1)],
    phone: Annotated[str, "as 555-201-3344"],
    zip_code: Annotated[str, "five digits"],
    preferred_contact: Annotated[Literal["email", "phone"], "how to reach them"] = "email",
) -> Client:
    """Register a new client.

    Requires: A given email has exactly one @, phone is NNN-NNN-NNNN, zip_code five digits. No client has this email,
    ignoring case, or this phone.
    """
    _require_forms(email, phone, zip_code)
    _require_unused(db, email, phone, None)
    return db.insert(
        "client",
        client_id=db.new_id("client"),
        full_name=full_name,
        email=email,
        phone=phone,
        zip_code=zip_code,
        preferred_contact=preferred_contact,
        created_at=db.now,
    )


@tool(writes=["client"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def update_client(
    db: Database,
    client_id: Annotated[str, "the client", Field(min_length=1)],
    full_name: Annotated[str | None, "new name", Field(min_length=1)] = None,
    email: Annotated[str | None, "new email", Field(min_length=1)] = None,
    phone: Annotated[str | None, "new phone"] = None,
    zip_code: Annotated[str | None, "new zip code"] = None,
    preferred_contact: Annotated[Literal["email", "phone"] | None, "how to reach them"] = None,
) -> Client:
    """Change a client's contact details.

    Requires: At least one field besides the id is given. A given email has exactly one @, phone is NNN-NNN-NNNN,
    zip_code five digits. No other client has the new email, ignoring case, or phone.

    Only the given fields change.
    """
    if all(value is None for value in (full_name, email, phone, zip_code, preferred_contact)):
        raise Rejection.invalid_argument("Give at least one field to change.")
    _require_forms(email, phone, zip_code)
    client = db.require("client", client_id)
    _require_unused(db, email, phone, client_id)
    return db.update(
        "client",
        client_id,
        full_name=_given(full_name, client["full_name"]),
        email=_given(email, client["email"]),
        phone=_given(phone, client["phone"]),
        zip_code=_given(zip_code, client["zip_code"]),
        preferred_contact=_given(preferred_contact, client["preferred_contact"]),
    )
