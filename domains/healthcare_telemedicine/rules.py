"""Rules of a telehealth office that its tools do not enforce."""

from runtime import Database, add_days, days_between
from runtime.rules import Call, duty, rule


@rule(
    "MOVES_BY_PLAN",
    on={"reschedule_visit": "visit_id"},
    reads=["visit", "patient"],
    exempt={
        "book_visit": "books a new visit and moves none",
        "cancel_visit": "ends a visit and moves none",
        "unblock_slot": "opens time that holds no visit",
    },
)
def moves_by_plan(call: Call, now: Database, start: Database) -> bool:
    """Only patients on the plus or the premier plan can have a visit moved to another time. What counts is the plan at
    the moment of the request, so a patient who changes from basic to a higher plan beforehand can have the visit
    moved. Canceling a visit and booking a new visit are not covered here."""
    visit = now.require("visit", call.arguments["visit_id"])
    return now.get("patient", visit["patient_id"])["plan"] != "basic"


@rule(
    "CANCEL_NOTICE",
    on={"cancel_visit": "visit_id"},
    reads=["visit", "slot"],
    exempt={
        "call_off_visits": "only for visits the practice itself cannot keep, never because a patient asks",
        "reschedule_visit": "the visit still takes place",
        "unblock_slot": "opens time that holds no visit",
    },
    days=5,
)
def cancel_notice(call: Call, now: Database, start: Database, days: int) -> bool:
    """A visit can be canceled at a patient's request only if it takes place at least {days} days after today. Count
    calendar days from today's date to the date of the visit; a visit exactly {days} days ahead can still be
    canceled, and the hour makes no difference. Visits that the practice itself calls off are not covered."""
    visit = now.require("visit", call.arguments["visit_id"])
    return now.get("slot", visit["slot_id"])["starts_at"] >= add_days(now.today, days)


@rule("REFILL_AGE", on={"request_refill": "prescription_id"}, reads=["prescription"], days=75)
def refill_age(call: Call, now: Database, start: Database, days: int) -> bool:
    """A refill can be requested only if the prescription was written at most {days} days ago. Count calendar days from
    the day it was written to today; exactly {days} days is fine, and later fills do not start the count again. For
    an older prescription the patient needs a new visit."""
    prescription = now.require("prescription", call.arguments["prescription_id"])
    return days_between(prescription["written_on"], now.today) <= days


@rule(
    "REFUND_WINDOW",
    on={"refund_payment": "charge_id"},
    reads=["charge"],
    exempt={"waive_charge": "lowers what is owed and pays nothing back"},
    days=45,
)
def refund_window(call: Call, now: Database, start: Database, days: int) -> bool:
    """Money paid on a charge can be refunded only if the latest payment on that charge was made at most {days} days
    ago. Count calendar days from the day of that payment to today; exactly {days} days is fine. The amount and the
    kind of charge make no difference."""
    paid_on = now.require("charge", call.arguments["charge_id"])["last_paid_on"]
    return paid_on is not None and days_between(paid_on, now.today) <= days


@rule(
    "WAIVER_GRACE",
    on={"waive_charge": "charge_id"},
    reads=["charge"],
    exempt={"refund_payment": "pays money back and leaves what is owed"},
    days=20,
)
def waiver_grace(call: Call, now: Database, start: Database, days: int) -> bool:
    """What is owed on a charge can be waived, in whole or in part, until {days} days after its due date. Count
    calendar days from the due date to today; exactly {days} days is fine, and a charge that is not due yet can be
    waived too. The amount and the kind of charge make no difference."""
    charge = now.require("charge", call.arguments["charge_id"])
    return days_between(charge["due_on"], now.today) <= days


@rule(
    "CREDIT_LEFT",
    on={"grant_credit": "patient_id"},
    reads=["patient"],
    exempt={"apply_credit": "uses credit up and grants none"},
)
def credit_left(call: Call, now: Database, start: Database) -> bool:
    """Account credit is granted only to a patient who has no unused credit at the moment of the request. A patient who
    still has any credit, however little, has to use it up beforehand. The amount that is asked for makes no
    difference."""
    return now.require("patient", call.arguments["patient_id"])["credit_cents"] == 0


@duty("DECLINED_STAYS_DECLINED", reads=["declined_request", "visit", "charge"])
def declined_stays_declined(start: Database, end: Database) -> bool:
    """What was declined today is not done later in the day: a visit whose cancellation was declined is not canceled,
    and a charge keeps its refunded amount or its waived amount if a refund or a waiver of it was declined. A
    different request about the same visit or charge is fine."""
    for note in end.select("SELECT subject_id, rule_code FROM declined_request WHERE declined_on = ?", end.today):
        if note["rule_code"] == "CANCEL_NOTICE":
            before, after = start.get("visit", note["subject_id"]), end.get("visit", note["subject_id"])
            if before and after and before["status"] != after["status"] and after["status"] == "canceled":
                return False
        if note["rule_code"] in ("REFUND_WINDOW", "WAIVER_GRACE"):
            column = "refunded_cents" if note["rule_code"] == "REFUND_WINDOW" else "waived_cents"
            before, after = start.get("charge", note["subject_id"]), end.get("charge", note["subject_id"])
            if before and after and before[column] != after[column]:
                return False
    return True


@duty("NO_SHOW_FEE", reads=["visit", "charge"], fee_cents=4000)
def no_show_fee(start: Database, end: Database, fee_cents: int) -> bool:
    """When a visit is marked today as missed by the patient, charge the patient a no-show fee of {fee_cents} for that
    visit, whatever the plan."""
    for visit in end.select("SELECT visit_id, patient_id FROM visit WHERE status = 'no_show'"):
        before = start.get("visit", visit["visit_id"])
        if before is None or before["status"] != "no_show":
            charged = end.value(
                "SELECT count(*) FROM charge WHERE visit_id = ? AND patient_id = ? AND kind = 'no_show_fee' AND amount_cents = ?",
                visit["visit_id"],
                visit["patient_id"],
                fee_cents,
            )
            if charged == 0:
                return False
    return True


@duty("REOPENING_FEE", reads=["patient", "charge"], fee_cents=1000)
def reopening_fee(start: Database, end: Database, fee_cents: int) -> bool:
    """When a patient's closed account is reopened today, charge the patient a plan fee of {fee_cents} that is tied to
    no visit, whatever the plan."""
    for patient in end.select("SELECT patient_id FROM patient WHERE status = 'active'"):
        before = start.get("patient", patient["patient_id"])
        if before and before["status"] == "inactive":
            fees = end.select(
                "SELECT charge_id FROM charge WHERE patient_id = ? AND kind = 'plan_fee' AND visit_id IS NULL AND amount_cents = ?",
                patient["patient_id"],
                fee_cents,
            )
            if not any(start.get("charge", fee["charge_id"]) is None for fee in fees):
                return False
    return True
