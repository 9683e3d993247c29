"""Rules of the career services office that its tools do not enforce."""

from runtime import Database, add_days
from runtime.rules import Call, duty, rule


@rule(
    "APPLICATIONS_BY_TIER",
    on={"add_job_application": None},
    reads=["applicant", "job_application"],
    exempt={
        "update_job_application": "It corrects a draft that counts already.",
        "restore_application": "It brings back an earlier application and starts no new one.",
    },
    basic=1,
    plus=2,
    premium=3,
)
def applications_by_tier(call: Call, now: Database, start: Database, basic: int, plus: int, premium: int) -> bool:
    """At any time, an applicant may have at most {basic} unfinished application on the basic tier, {plus} on plus, and
    {premium} on premium, the new draft included. Drafts and open applications (submitted or under review) count;
    rejected, accepted, withdrawn, archived, and deleted ones do not. Only the applicant's own applications and
    their tier at the moment of the request matter."""
    limits = {"basic": basic, "plus": plus, "premium": premium}
    member = now.require("applicant", call.arguments["applicant_id"])
    unfinished = now.value(
        "SELECT count(*) FROM job_application WHERE applicant_id = ? AND status IN ('draft', 'submitted', 'under_review')",
        member["applicant_id"],
    )
    return unfinished < limits[member["membership_tier"]]


@rule("DELETE_UNLESS_OPEN", on={"delete_job_application": "application_id"}, reads=["job_application"])
def delete_unless_open(call: Call, now: Database, start: Database) -> bool:
    """Open applications, those submitted or under review, cannot be deleted; each must come to an end first, for
    instance by being withdrawn. Drafts and applications that were rejected, accepted, withdrawn, or archived can be
    deleted."""
    application = now.require("job_application", call.arguments["application_id"])
    return application["status"] not in ("submitted", "under_review")


@rule("SALARY_BEFORE_REVIEW", on={"add_salary_expectation": "application_id"}, reads=["job_application"])
def salary_before_review(call: Call, now: Database, start: Database) -> bool:
    """The salary that an applicant expects can be set or changed as long as the application is a draft or submitted.
    While it is under review, the figures stay as they are, also if none has been recorded."""
    application = now.require("job_application", call.arguments["application_id"])
    return application["status"] != "under_review"


@rule("PRIORITY_NEEDS_SALARY_CEILING", on={"set_application_priority": "application_id"}, reads=["job_application"])
def priority_needs_salary_ceiling(call: Call, now: Database, start: Database) -> bool:
    """An application's priority can be set or changed only after the greatest salary that the applicant expects for it
    has been recorded. A least salary alone is not enough. This holds for every priority, high or low, and for
    drafts as well."""
    application = now.require("job_application", call.arguments["application_id"])
    return application["expected_salary_max"] is not None


@rule(
    "BOOK_WITH_LOW_BALANCE",
    on={"add_interview_schedule": "application_id"},
    reads=["charge", "job_application"],
    exempt={
        "reschedule_interview": "It moves an interview that is scheduled already.",
        "update_interview_details": "It changes an interview that is scheduled already.",
    },
    limit_cents=2500,
)
def book_with_low_balance(call: Call, now: Database, start: Database, limit_cents: int) -> bool:
    """No new interview is scheduled for an applicant whose unpaid charges add up to {limit_cents} or more, for
    whichever application. All of the applicant's unpaid charges count, old and new, also those that concern no
    application; paid and waived charges do not. Moving or changing an interview that is already scheduled is not
    covered."""
    application = now.require("job_application", call.arguments["application_id"])
    owed = now.value(
        "SELECT coalesce(sum(amount_cents), 0) FROM charge WHERE applicant_id = ? AND status = 'unpaid'",
        application["applicant_id"],
    )
    return owed < limit_cents


@rule(
    "MOVE_SHORT_INTERVIEWS_ONCE",
    on={"reschedule_interview": "interview_id"},
    reads=["interview_schedule"],
    exempt={"add_interview_schedule": "It schedules another interview and moves none."},
    minutes=60,
)
def move_short_interviews_once(call: Call, now: Database, start: Database, minutes: int) -> bool:
    """An interview can be moved only if it has never been moved before and is planned for less than {minutes} minutes.
    Exactly {minutes} minutes is too long. An interview without a planned length counts as short. Moves of other
    interviews do not count."""
    interview = now.require("interview_schedule", call.arguments["interview_id"])
    length = interview["interview_duration_minutes"]
    return interview["reschedule_count"] == 0 and (length is None or length < minutes)


@rule(
    "KEEP_PRIORITY_INTERVIEWS",
    on={"cancel_interview": "interview_id"},
    reads=["interview_schedule", "job_application"],
    exempt={
        "withdraw_application": "The whole application ends, and the rule says that this is not covered.",
        "accept_job_offer": "The applicant has the job, so nothing is left to interview for.",
        "decline_job_offer": "The whole application ends, and the rule says that this is not covered.",
    },
    lowest=3,
)
def keep_priority_interviews(call: Call, now: Database, start: Database, lowest: int) -> bool:
    """An interview cannot be canceled while the application it is for has priority level {lowest} or higher. With a
    lower level, or none, it can be. Interviews that fall away because their application is withdrawn, or an offer
    on it is accepted or declined, are not covered."""
    interview = now.require("interview_schedule", call.arguments["interview_id"])
    application = now.require("job_application", interview["application_id"])
    level = application["priority_level"]
    return level is None or level < lowest


@rule(
    "ACCEPT_WITH_NOTICE",
    on={"accept_job_offer": "offer_id"},
    reads=["job_offer"],
    exempt={
        "batch_update_application_status": "It records what employers report and answers no offer.",
        "archive_old_applications": "It clears up old applications and never sets accepted.",
    },
    days=30,
)
def accept_with_notice(call: Call, now: Database, start: Database, days: int) -> bool:
    """An offer can be accepted only if its first day of work is at least {days} days after today, so that the
    applicant can give notice. Days are counted on the calendar, weekends included, and tomorrow is the first of
    them; a start exactly {days} days after today is fine. Declining an offer is not covered."""
    offer = now.require("job_offer", call.arguments["offer_id"])
    return offer["start_date"] >= add_days(now.today, days)


@rule("WAIVE_RECENT_CHARGES", on={"waive_charge": "charge_id"}, reads=["charge"], days=21)
def waive_recent_charges(call: Call, now: Database, start: Database, days: int) -> bool:
    """A charge can be waived only until {days} days after the day on which it was recorded, whatever it is for.
    Calendar days count, beginning with the day after the recording; the last of the {days} days is still fine, at
    any hour. Later, the charge has to be paid."""
    charge = now.require("charge", call.arguments["charge_id"])
    return charge["created_at"] >= add_days(now.today, -days)


@duty("DECLINED_STAYS_DECLINED", reads=["declined_request", "charge", "job_offer"])
def declined_stays_declined(start: Database, end: Database) -> bool:
    """When you decline a request today because a charge is too old to be waived or because a job starts too soon for
    its offer to be accepted, leave it at that: by the end of the day that charge must not be waived and that offer
    must not be accepted. The applicant may still pay the charge or decline the offer."""
    for declined in end.select("SELECT subject_id, rule_code FROM declined_request WHERE declined_on = ?", end.today):
        code, subject = declined["rule_code"], declined["subject_id"]
        table, done = "", ""
        if code == "WAIVE_RECENT_CHARGES":
            table, done = "charge", "waived"
        elif code == "ACCEPT_WITH_NOTICE":
            table, done = "job_offer", "accepted"
        before = start.get(table, subject) if table else None
        after = end.get(table, subject) if table else None
        if before and after and after["status"] == done and before["status"] != done:
            return False
    return True


@duty(
    "LATE_MOVE_FEE",
    reads=["interview_schedule", "job_application", "applicant", "charge"],
    days=3,
    basic_fee_cents=2500,
    plus_fee_cents=1500,
)
def late_move_fee(start: Database, end: Database, days: int, basic_fee_cents: int, plus_fee_cents: int) -> bool:
    """When you move an interview that was set for today or the next {days} calendar days, weekends included, charge
    the applicant a late change fee for that application: {basic_fee_cents} on the basic tier, {plus_fee_cents} on
    plus, nothing on premium, by the tier held this morning. Each interview moved takes a fee of its own, and no
    more than that. The day it is moved to does not matter, and canceling an interview takes no fee."""
    moved, fees = {}, {"basic": basic_fee_cents, "plus": plus_fee_cents}
    morning = start.select(
        """
        SELECT i.interview_id, i.application_id, i.interview_date, i.reschedule_count, p.membership_tier
        FROM interview_schedule AS i JOIN job_application AS a ON a.application_id = i.application_id
        JOIN applicant AS p ON p.applicant_id = a.applicant_id
        WHERE i.interview_date > ? AND i.interview_date < ? AND p.membership_tier <> 'premium'
    """,
        start.now,
        add_days(start.today, days + 1),
    )
    for interview in morning:
        after = end.get("interview_schedule", interview["interview_id"])
        if after and after["reschedule_count"] > interview["reschedule_count"]:
            application = interview["application_id"]
            count = moved[application][1] if application in moved else 0
            moved[application] = (fees[interview["membership_tier"]], count + 1)
    for application, (fee, count) in moved.items():
        charges = end.select(
            "SELECT charge_id, amount_cents FROM charge WHERE application_id = ? AND kind = 'late_change'", application
        )
        new = [charge for charge in charges if start.get("charge", charge["charge_id"]) is None]
        if len(new) != count or any(charge["amount_cents"] != fee for charge in new):
            return False
    return True
