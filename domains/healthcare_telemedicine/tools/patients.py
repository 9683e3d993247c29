"""Patients: finding, registering, and changing patients."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Patient(TypedDict):
    patient_id: Annotated[str, "patient"]
    name: Annotated[str, "full name"]
    email: Annotated[str, "email"]
    phone: Annotated[str, "phone"]
    date_of_birth: Annotated[Date, "date of birth"]
    address_state: Annotated[Literal["CA", "NV", "OR", "WA"], "state of residence"]
    plan: Annotated[Literal["basic", "plus", "premier"], "membership plan"]
    plan_since: Annotated[Date, "on this plan since"]
    status: Annotated[Literal["active", "inactive"], "account status"]
    joined_on: Annotated[Date, "day of registration"]
    consent_on: Annotated[Date | None, "telehealth consent signed"]
    pharmacy: Annotated[str | None, "preferred pharmacy"]
    allergies: Annotated[str | None, "known allergies"]
    credit_cents: Annotated[int, "unused account credit"]


@tool(reads=["patient"], rejects=["NOT_FOUND"])
def find_patient_by_email(db: Database, email: Annotated[str, "patient's email", Field(min_length=1)]) -> Patient:
    """Find the patient who has an email address."""
    patient = db.first("SELECT * FROM patient WHERE lower(email) = lower(?)", email)
    if patient is None:
        raise Rejection.not_found(f"No patient has the email {email!r}.")
    return patient


@tool(reads=["patient"], rejects=["NOT_FOUND"])
def find_patient_by_phone(
    db: Database, phone: Annotated[str, "phone, as 503-555-0142", Field(min_length=1)]
) -> Patient:
    """Find the patient who has a phone number."""
    patient = db.first("SELECT * FROM patient WHERE phone = ?", phone)
    if patient is None:
        raise Rejection.not_found(f"No patient has the phone {phone!r}.")
    return patient


@tool(reads=["patient"], rejects=["NOT_FOUND"])
def get_patient(db: Database, patient_id: Annotated[str, "patient to show"]) -> Patient:
    """Show one patient."""
    return db.require("patient", patient_id)


@tool(writes=["patient"], rejects=["INVALID_ARGUMENT", "ALREADY_EXISTS"])
def register_patient(
    db: Database,
    name: Annotated[str, "full name", Field(min_length=1)],
    email: Annotated[str, "email", Field(min_length=1)],
    phone: Annotated[str, "phone, as 503-555-0142", Field(min_length=1)],
    date_of_birth: Annotated[Date, "date of birth"],
    address_state: Annotated[Literal["CA", "NV", "OR", "WA"], "state of residence"],
    plan: Annotated[Literal["basic", "plus", "premier"], "membership plan"] = "basic",
    pharmacy: Annotated[str | None, "preferred pharmacy", Field(min_length=1)] = None,
    allergies: Annotated[str | None, "known allergies", Field(min_length=1)] = None,
) -> Patient:
    """Register a new patient.

    Requires: The date of birth is not after today. No patient has this email, ignoring case. No patient has this phone.

    status is active, joined_on and plan_since are today, consent_on is null, credit_cents is 0.
    """
    if date_of_birth > db.today:
        raise Rejection.invalid_argument(f"The date of birth {date_of_birth} is after today, {db.today}.")
    if db.first("SELECT patient_id FROM patient WHERE lower(email) = lower(?)", email):
        raise Rejection.already_exists(f"A patient already has the email {email!r}.")
    if db.first("SELECT patient_id FROM patient WHERE phone = ?", phone):
        raise Rejection.already_exists(f"A patient already has the phone {phone!r}.")
    return db.insert(
        "patient",
        patient_id=db.new_id("patient"),
        name=name,
        email=email,
        phone=phone,
        date_of_birth=date_of_birth,
        address_state=address_state,
        plan=plan,
        plan_since=db.today,
        status="active",
        joined_on=db.today,
        pharmacy=pharmacy,
        allergies=allergies,
        credit_cents=0,
    )


@tool(writes=["patient"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def update_patient(
    db: Database,
    patient_id: Annotated[str, "patient to change"],
    email: Annotated[str | None, "new email", Field(min_length=1)] = None,
    phone: Annotated[str | None, "new phone", Field(min_length=1)] = None,
    address_state: Annotated[Literal["CA", "NV", "OR", "WA"] | None, "new state of residence"] = None,
    pharmacy: Annotated[str | None, "new preferred pharmacy", Field(min_length=1)] = None,
    allergies: Annotated[str | None, "new full allergy text", Field(min_length=1)] = None,
) -> Patient:
    """Change a patient's contact details, pharmacy, or allergies.

    Requires: At least one new value is given. No other patient has the new email, ignoring case. No other patient has
    the new phone.

    Given fields replace the old values.
    """
    given = {
        "email": email,
        "phone": phone,
        "address_state": address_state,
        "pharmacy": pharmacy,
        "allergies": allergies,
    }
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument("Give at least one new value.")
    db.require("patient", patient_id)
    if db.first("SELECT patient_id FROM patient WHERE lower(email) = lower(?) AND patient_id <> ?", email, patient_id):
        raise Rejection.already_exists(f"Another patient has the email {email!r}.")
    if db.first("SELECT patient_id FROM patient WHERE phone = ? AND patient_id <> ?", phone, patient_id):
        raise Rejection.already_exists(f"Another patient has the phone {phone!r}.")
    return db.update("patient", patient_id, **changes)


@tool(writes=["patient"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_plan(
    db: Database,
    patient_id: Annotated[str, "patient to change"],
    plan: Annotated[Literal["basic", "plus", "premier"], "new plan"],
) -> Patient:
    """Move a patient to another membership plan.

    Requires: The patient is active and not already on this plan.

    plan is the new plan; plan_since is today.
    """
    patient = db.require("patient", patient_id)
    if patient["status"] != "active":
        raise Rejection.failed_precondition(f"Patient {patient_id!r} is {patient['status']}, not active.")
    if patient["plan"] == plan:
        raise Rejection.failed_precondition(f"Patient {patient_id!r} is already on the {plan} plan.")
    return db.update("patient", patient_id, plan=plan, plan_since=db.today)


@tool(writes=["patient"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def record_consent(
    db: Database, patient_id: Annotated[str, "patient who signed"], signed_on: Annotated[Date, "day of signature"]
) -> Patient:
    """Record a patient's signed telehealth consent.

    Requires: The day of signature is not after today. No consent signed on that day or later is on file.

    consent_on is signed_on.
    """
    if signed_on > db.today:
        raise Rejection.invalid_argument(f"The day of signature {signed_on} is after today, {db.today}.")
    patient = db.require("patient", patient_id)
    if patient["consent_on"] is not None and patient["consent_on"] >= signed_on:
        raise Rejection.failed_precondition(f"A consent signed on {patient['consent_on']} is already on file.")
    return db.update("patient", patient_id, consent_on=signed_on)


@tool(reads=["visit", "charge"], writes=["patient"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def deactivate_patient(db: Database, patient_id: Annotated[str, "patient to deactivate"]) -> Patient:
    """Close a patient's account.

    Requires: The patient is active. The patient has no open visit and no open charge.

    status becomes inactive.
    """
    patient = db.require("patient", patient_id)
    if patient["status"] != "active":
        raise Rejection.failed_precondition(f"Patient {patient_id!r} is {patient['status']}, not active.")
    if db.first("SELECT visit_id FROM visit WHERE patient_id = ? AND status IN ('booked', 'checked_in')", patient_id):
        raise Rejection.failed_precondition(f"Patient {patient_id!r} still has an open visit.")
    owing = db.first(
        """
        SELECT charge_id FROM charge
        WHERE patient_id = ? AND amount_cents - paid_cents - credited_cents - waived_cents > 0
        """,
        patient_id,
    )
    if owing:
        raise Rejection.failed_precondition(f"Patient {patient_id!r} still has an open charge.")
    return db.update("patient", patient_id, status="inactive")


@tool(writes=["patient"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def reactivate_patient(db: Database, patient_id: Annotated[str, "patient to reactivate"]) -> Patient:
    """Reopen a closed patient account.

    Requires: The patient is inactive.

    status becomes active.
    """
    patient = db.require("patient", patient_id)
    if patient["status"] != "inactive":
        raise Rejection.failed_precondition(f"Patient {patient_id!r} is {patient['status']}, not inactive.")
    return db.update("patient", patient_id, status="active")
