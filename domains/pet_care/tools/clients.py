"""Clients: finding clients, their pets, and the pets' vaccination records."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Client(TypedDict):
    client_id: Annotated[str, "its id"]
    name: Annotated[str, "full name"]
    email: Annotated[str, "email"]
    phone: Annotated[str, "phone"]
    tier: Annotated[Literal["basic", "plus", "premier"], "membership"]
    joined_on: Annotated[Date, "client since"]
    emergency_contact: Annotated[str | None, "name and phone"]


class Pet(TypedDict):
    pet_id: Annotated[str, "its id"]
    client_id: Annotated[str, "owner"]
    name: Annotated[str, "its name"]
    species: Annotated[Literal["dog", "cat"], "dog or cat"]
    breed: Annotated[str, "breed or mix"]
    weight_pounds: Annotated[int, "weight"]
    birth_date: Annotated[Date, "day of birth"]
    feeding_notes: Annotated[str | None, "how it is fed"]


class PetLine(TypedDict):
    pet_id: Annotated[str, "its id"]
    name: Annotated[str, "its name"]
    species: Annotated[Literal["dog", "cat"], "dog or cat"]
    breed: Annotated[str, "breed or mix"]
    weight_pounds: Annotated[int, "weight"]


class PetList(TypedDict):
    pets: Annotated[list[PetLine], "pets"]
    total: Annotated[int, "matches before the cut"]


class Vaccination(TypedDict):
    vaccination_id: Annotated[str, "its id"]
    pet_id: Annotated[str, "the pet"]
    vaccine: Annotated[Literal["rabies", "distemper", "bordetella", "feline_combo"], "which vaccine"]
    given_on: Annotated[Date, "day given"]
    expires_on: Annotated[Date, "last day it protects"]


class VaccinationList(TypedDict):
    vaccinations: Annotated[list[Vaccination], "records"]
    total: Annotated[int, "matches before the cut"]


@tool(reads=["client"], rejects=["NOT_FOUND"])
def find_client_by_email(db: Database, email: Annotated[str, "full email address", Field(min_length=1)]) -> Client:
    """Find the client who has an email address."""
    client = db.first("SELECT * FROM client WHERE lower(email) = lower(?)", email)
    if client is None:
        raise Rejection.not_found(f"No client has the email {email!r}; a client's email address is needed.")
    return client


@tool(reads=["client"], rejects=["NOT_FOUND"])
def find_client_by_phone(db: Database, phone: Annotated[str, "as in (614) 555-0142", Field(min_length=1)]) -> Client:
    """Find the client who has a phone number."""
    client = db.first("SELECT * FROM client WHERE phone = ?", phone)
    if client is None:
        raise Rejection.not_found(
            f"No client has the phone {phone!r}; a client's phone, as in (614) 555-0142, is needed."
        )
    return client


@tool(writes=["client"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def update_client(
    db: Database,
    client_id: Annotated[str, "the client"],
    email: Annotated[str | None, "new email", Field(min_length=3)] = None,
    phone: Annotated[str | None, "new phone", Field(min_length=7)] = None,
    emergency_contact: Annotated[str | None, "name and phone of someone else", Field(min_length=1)] = None,
) -> Client:
    """Change a client's contact details.

    Requires: At least one detail to change is given. No other client has this email, whatever its case. No other client
    has this phone.
    """
    changes = {}
    if email is not None:
        changes["email"] = email
    if phone is not None:
        changes["phone"] = phone
    if emergency_contact is not None:
        changes["emergency_contact"] = emergency_contact
    if not changes:
        raise Rejection.invalid_argument(
            "Nothing to change was given; give an email, a phone, or an emergency contact."
        )
    db.require("client", client_id)
    if email is not None and db.first(
        "SELECT 1 FROM client WHERE lower(email) = lower(?) AND client_id <> ?", email, client_id
    ):
        raise Rejection.already_exists(f"Another client has the email {email!r}; each client needs one of their own.")
    if phone is not None and db.first("SELECT 1 FROM client WHERE phone = ? AND client_id <> ?", phone, client_id):
        raise Rejection.already_exists(f"Another client has the phone {phone!r}; each client needs one of their own.")
    return db.update("client", client_id, **changes)


@tool(reads=["client"], writes=["pet"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def add_pet(
    db: Database,
    client_id: Annotated[str, "the client"],
    name: Annotated[str, "what it is called", Field(min_length=1)],
    species: Annotated[Literal["dog", "cat"], "dog or cat"],
    breed: Annotated[str, "breed or mix", Field(min_length=1)],
    weight_pounds: Annotated[int, "current weight", Field(ge=1, le=250)],
    birth_date: Annotated[Date, "day of birth"],
    feeding_notes: Annotated[str | None, "how it is fed"] = None,
) -> Pet:
    """Register a new pet for a client.

    Requires: The birth date is not after today. The client has no pet of this name, ignoring case.
    """
    if birth_date > db.today:
        raise Rejection.invalid_argument(f"Birth date {birth_date} is after today, {db.today}.")
    db.require("client", client_id)
    if db.first("SELECT 1 FROM pet WHERE client_id = ? AND lower(name) = lower(?)", client_id, name):
        raise Rejection.already_exists(f"Client {client_id!r} has a pet named {name!r} already.")
    return db.insert(
        "pet",
        pet_id=db.new_id("pet"),
        client_id=client_id,
        name=name,
        species=species,
        breed=breed,
        weight_pounds=weight_pounds,
        birth_date=birth_date,
        feeding_notes=feeding_notes,
    )


@tool(reads=["client", "pet"], rejects=["NOT_FOUND"])
def list_pets(
    db: Database,
    client_id: Annotated[str, "the client"],
    species: Annotated[Literal["dog", "cat"] | None, "only this species"] = None,
    limit: Annotated[int, "at most this many", Field(ge=1, le=50)] = 20,
) -> PetList:
    """List a client's pets.

    Sorted by name.
    """
    db.require("client", client_id)
    pets = db.select(
        """
        SELECT pet_id, name, species, breed, weight_pounds FROM pet
        WHERE client_id = ? AND (? IS NULL OR species = ?)
        ORDER BY name, pet_id
        """,
        client_id,
        species,
        species,
    )
    return {"pets": pets[:limit], "total": len(pets)}


@tool(reads=["pet"], rejects=["NOT_FOUND"])
def get_pet(db: Database, pet_id: Annotated[str, "the pet"]) -> Pet:
    """Show a pet."""
    return db.require("pet", pet_id)


@tool(writes=["pet"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def update_pet(
    db: Database,
    pet_id: Annotated[str, "the pet"],
    weight_pounds: Annotated[int | None, "new weight", Field(ge=1, le=250)] = None,
    feeding_notes: Annotated[str | None, "new text, replaces the old", Field(min_length=1)] = None,
) -> Pet:
    """Change a pet's weight or feeding notes.

    Requires: At least one detail to change is given.
    """
    changes = {}
    if weight_pounds is not None:
        changes["weight_pounds"] = weight_pounds
    if feeding_notes is not None:
        changes["feeding_notes"] = feeding_notes
    if not changes:
        raise Rejection.invalid_argument("Nothing to change was given; give a weight or feeding notes.")
    db.require("pet", pet_id)
    return db.update("pet", pet_id, **changes)


@tool(reads=["pet", "vaccination"], rejects=["NOT_FOUND"])
def list_vaccinations(
    db: Database,
    pet_id: Annotated[str, "the pet"],
    vaccine: Annotated[Literal["rabies", "distemper", "bordetella", "feline_combo"] | None, "only this vaccine"] = None,
    limit: Annotated[int, "at most this many", Field(ge=1, le=50)] = 20,
) -> VaccinationList:
    """List a pet's vaccination records.

    Sorted by expires_on, latest first.
    """
    db.require("pet", pet_id)
    vaccinations = db.select(
        """
        SELECT vaccination_id, pet_id, vaccine, given_on, expires_on FROM vaccination
        WHERE pet_id = ? AND (? IS NULL OR vaccine = ?)
        ORDER BY expires_on DESC, vaccination_id
        """,
        pet_id,
        vaccine,
        vaccine,
    )
    return {"vaccinations": vaccinations[:limit], "total": len(vaccinations)}


@tool(
    reads=["pet"],
    writes=["vaccination"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def record_vaccination(
    db: Database,
    pet_id: Annotated[str, "the pet"],
    vaccine: Annotated[Literal["rabies", "distemper", "bordetella", "feline_combo"], "which vaccine"],
    given_on: Annotated[Date, "day it was given"],
    expires_on: Annotated[Date, "last day it protects"],
) -> Vaccination:
    """Record a vaccination that a pet's vet has given.

    Requires: It was not given after today. It expires after the day it was given. It was not given before the pet was
    born. Feline combo goes to cats only, distemper and bordetella to dogs only. The pet has no record of this vaccine
    given that day.
    """
    if given_on > db.today:
        raise Rejection.invalid_argument(f"The vaccine cannot have been given on {given_on}, after today, {db.today}.")
    if expires_on <= given_on:
        raise Rejection.invalid_argument(f"Expiry {expires_on} must be after the day it was given, {given_on}.")
    pet = db.require("pet", pet_id)
    if given_on < pet["birth_date"]:
        raise Rejection.failed_precondition(f"Pet {pet_id!r} was born on {pet['birth_date']}, after {given_on}.")
    if vaccine == "feline_combo" and pet["species"] != "cat":
        raise Rejection.failed_precondition(f"Pet {pet_id!r} is a {pet['species']}; feline_combo goes to cats only.")
    if vaccine in ("distemper", "bordetella") and pet["species"] != "dog":
        raise Rejection.failed_precondition(f"Pet {pet_id!r} is a {pet['species']}; {vaccine} goes to dogs only.")
    if db.first(
        "SELECT 1 FROM vaccination WHERE pet_id = ? AND vaccine = ? AND given_on = ?", pet_id, vaccine, given_on
    ):
        raise Rejection.already_exists(f"Pet {pet_id!r} has a record of {vaccine} given on {given_on} already.")
    return db.insert(
        "vaccination",
        vaccination_id=db.new_id("vaccination"),
        pet_id=pet_id,
        vaccine=vaccine,
        given_on=given_on,
        expires_on=expires_on,
    )
