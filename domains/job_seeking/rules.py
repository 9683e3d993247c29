"""What the office keeps to, though its tools would do otherwise."""

from runtime import Database, add_days
from runtime.rules import Call, rule

_OPEN = ("submitted", "under_review")
_LIVE = ("draft", "submitted", "under_review")
_DELETABLE = ("draft", "rejected", "withdrawn", "archived")


def _application(call, now):
    """The application that the call is about."""
    given = call.arguments
    if "stage_id" in given:
        key = now.require("application_stage", given["stage_id"])["application_id"]
    elif "note_id" in given:
        key = now.require("application_note", given["note_id"])["application_id"]
    elif "interview_id" in given:
        key = now.require("interview_schedule", given["interview_id"])["application_id"]
    else:
        key = given.get("application_id", call.item)
    return now.require("job_application", key)


def _owner(call, now):
    """The applicant whose row the call is about."""
    given = call.arguments
    key = given["applicant_id"] if "applicant_id" in given else _application(call, now)["applicant_id"]
    return now.require("applicant", key)


def _count_live(now, applicant_id):
    return now.value(
        """
        SELECT count(*)
        FROM job_application
        WHERE applicant_id = ? AND status IN ('draft', 'submitted', 'under_review')
        """,
        applicant_id,
    )


def _rows(db, key):
    """What has this id, in whichever table."""
    return [
        db.get("applicant", key),
        db.get("job_application", key),
        db.get("application_note", key),
        db.get("application_stage", key),
        db.get("interview_schedule", key),
    ]


def _served_unidentified(start, end, subject):
    before = _rows(start, subject)
    if not any(before) or before == _rows(end, subject):
        return False
    row = [found for found in before if found][0]
    if "applicant_id" not in row:
        row = start.get("job_application", row["application_id"])
    return end.get("identification", row["applicant_id"], end.today) is None


def _given_room(start, end, subject, limits):
    row = end.get("job_application", subject)
    person = end.get("applicant", row["applicant_id"] if row else subject)
    if person is None:
        return False
    if row:
        was = start.get("job_application", subject)
        gained = was is not None and was["status"] not in _LIVE and row["status"] in _LIVE
    else:
        mine = end.select("SELECT application_id FROM job_application WHERE applicant_id = ?", person["applicant_id"])
        gained = any(start.get("job_application", own["application_id"]) is None for own in mine)
    return gained and _count_live(end, person["applicant_id"]) > limits[person["service_tier"]]


def _moved_or_cancelled(start, end, subject):
    was, row = start.get("interview_schedule", subject), end.get("interview_schedule", subject)
    application = end.get("job_application", was["application_id"]) if was else None
    if application is None or end.get("applicant", application["applicant_id"])["service_tier"] == "premium":
        return False
    if row is None:
        return application["status"] in _OPEN
    return row["interview_date"] != was["interview_date"]


def _planned(start, end, subject):
    ahead = end.select(
        "SELECT interview_id FROM interview_schedule WHERE application_id = ? AND interview_date >= ?",
        subject,
        add_days(end.today, 1),
    )
    was, row = start.get("job_application", subject) or {}, end.get("job_application", subject) or {}
    raised = (row.get("priority_level") or 0) > (was.get("priority_level") or 0)
    new = any(start.get("interview_schedule", found["interview_id"]) is None for found in ahead)
    return len(ahead) > 1 and new and not raised


def _granted(start, end, code, subject, limits):
    """Whether the row of a refusal shows at the end what was refused."""
    was, row = start.get("job_application", subject) or {}, end.get("job_application", subject) or {}
    if code == "IDENTIFIED_FIRST":
        return _served_unidentified(start, end, subject)
    if code == "LIVE_LIMIT":
        return _given_room(start, end, subject, limits)
    if code == "COVER_LETTER":
        return (
            was.get("status", "draft") == "draft"
            and row.get("status") == "submitted"
            and row["cover_letter_content"] is None
        )
    if code == "INTERVIEW_NOTICE":
        return _moved_or_cancelled(start, end, subject)
    if code == "INTERVIEW_AHEAD":
        return _planned(start, end, subject)
    if code == "DELETION":
        return bool(was) and not row
    if code == "WITHDRAWAL_WINDOW":
        return was.get("status") != "withdrawn" and row.get("status") == "withdrawn"
    if code == "FEEDBACK_RATED":
        feedback = end.select("SELECT feedback_id FROM interview_feedback WHERE interview_id = ?", subject)
        return any(start.get("interview_feedback", found["feedback_id"]) is None for found in feedback)
    if code == "SALARY_FIXED":
        columns = ("expected_salary_min", "expected_salary_max", "salary_currency")
        return bool(was and row) and any(was[column] != row[column] for column in columns)
    if code == "NOTE_WINDOW":
        note = start.get("application_note", subject)
        if note is None or end.get("job_application", note["application_id"]) is None:
            return False
        return note != end.get("application_note", subject)
    return False


@rule(
    "LIVE_LIMIT",
    on={
        "create_application": "applicant_id",
        "reopen_application": "application_id",
        "batch_update_application_status": "application_ids",
    },
    reads=["applicant", "job_application", "application_note", "application_stage", "interview_schedule"],
    exempt={
        "submit_application": "a draft counts already",
        "mark_application_under_review": "records the employer's step",
        "mark_application_accepted": "records the employer's decision",
        "mark_application_rejected": "records the employer's decision",
        "withdraw_application": "frees room",
        "archive_old_applications": "housekeeping of staff by date",
        "add_application_stage": "follows the employer's step",
        "correct_application_position": "adds no application",
    },
    basic=1,
    plus=2,
    premium=4,
)
def live_limit(call: Call, now: Database, start: Database, basic: int, plus: int, premium: int) -> bool:
    """An applicant may have at most {basic} draft, submitted and under_review applications together with tier basic,
    {plus} with plus, {premium} with premium: with as many before the call, none is created, and no closed
    application is reopened or set to submitted or under_review."""
    owner = _owner(call, now)
    if call.tool != "create_application":
        row = _application(call, now)
        if row["status"] in _LIVE or call.arguments.get("new_status", "submitted") not in _LIVE:
            return True
    return (
        _count_live(now, owner["applicant_id"])
        < {"basic": basic, "plus": plus, "premium": premium}[owner["service_tier"]]
    )


@rule(
    "COVER_LETTER",
    on={"submit_application": "application_id"},
    reads=["job_application"],
    exempt={
        "create_application": "a new draft is not yet filed",
        "mark_application_under_review": "records the employer's step",
        "mark_application_accepted": "records the employer's decision",
        "mark_application_rejected": "records the employer's decision",
        "withdraw_application": "ends an application",
        "reopen_application": "takes up what was filed before",
        "batch_update_application_status": "does not touch drafts",
        "archive_old_applications": "housekeeping of staff by date",
        "add_application_stage": "follows the employer's step",
    },
)
def cover_letter(call: Call, now: Database, start: Database) -> bool:
    """A draft is submitted only if its cover letter was uploaded or its referral source is employee referral."""
    row = now.require("job_application", call.arguments["application_id"])
    return row["cover_letter_content"] is not None or row["referral_source"] == "employee referral"


@rule(
    "INTERVIEW_NOTICE",
    on={"reschedule_interview": "interview_id", "cancel_interview": "interview_id"},
    reads=["applicant", "job_application", "application_note", "application_stage", "interview_schedule"],
    exempt={
        "add_interview_schedule": "plans a new interview",
        "update_interview_details": "leaves the date",
        "withdraw_application": "ends the whole application",
        "delete_job_application": "removes the whole application",
    },
    days=3,
)
def interview_notice(call: Call, now: Database, start: Database, days: int) -> bool:
    """An interview that now stands on today's date or on any of the {days} calendar days after today is neither moved
    nor cancelled, unless the applicant has tier premium."""
    interview = now.require("interview_schedule", call.arguments["interview_id"])
    soon = now.today <= interview["interview_date"] < add_days(now.today, days + 1)
    return not soon or _owner(call, now)["service_tier"] == "premium"


@rule(
    "INTERVIEW_AHEAD",
    on={"add_interview_schedule": "application_id"},
    reads=["job_application", "interview_schedule"],
    exempt={
        "reschedule_interview": "adds no interview",
        "update_interview_details": "adds no interview",
        "cancel_interview": "adds no interview",
        "withdraw_application": "adds no interview",
        "delete_job_application": "adds no interview",
    },
    level=4,
)
def interview_ahead(call: Call, now: Database, start: Database, level: int) -> bool:
    """An application that has an interview on a day after today gets no further interview, unless its priority level
    is {level} or higher."""
    row = now.require("job_application", call.arguments["application_id"])
    ahead = now.first(
        "SELECT 1 FROM interview_schedule WHERE application_id = ? AND interview_date >= ?",
        row["application_id"],
        add_days(now.today, 1),
    )
    return ahead is None or (row["priority_level"] or 0) >= level


@rule(
    "DELETION",
    on={"delete_job_application": "application_id"},
    reads=["job_application"],
    exempt={
        "cancel_interview": "deletes no application",
        "withdraw_application": "deletes no application",
        "remove_application_stage": "deletes no application",
        "delete_application_note": "deletes no application",
    },
)
def deletion(call: Call, now: Database, start: Database) -> bool:
    """Only an application that is draft, rejected, withdrawn or archived is deleted, and only if it had any of these
    statuses this morning, too; what was created today is judged by its status now alone."""
    row = now.require("job_application", call.arguments["application_id"])
    morning = start.get("job_application", row["application_id"])
    if morning is None or row["created_at"].startswith(now.today):
        morning = row
    return row["status"] in _DELETABLE and morning["status"] in _DELETABLE


@rule(
    "WITHDRAWAL_WINDOW",
    on={"withdraw_application": "application_id", "batch_update_application_status": "application_ids"},
    reads=["job_application", "application_note", "application_stage", "interview_schedule"],
    exempt={
        "create_application": "a new draft is not yet filed",
        "submit_application": "files a draft",
        "mark_application_under_review": "records the employer's step",
        "mark_application_accepted": "records the employer's decision",
        "mark_application_rejected": "records the employer's decision",
        "reopen_application": "takes up what was filed before",
        "archive_old_applications": "housekeeping of staff by date",
        "add_application_stage": "follows the employer's step",
        "cancel_interview": "ends no application",
        "delete_job_application": "has a rule of its own",
        "add_application_note": "ends no application",
        "edit_application_note": "ends no application",
    },
    days=30,
)
def withdrawal_window(call: Call, now: Database, start: Database, days: int) -> bool:
    """An application is withdrawn, alone or in a batch, at most {days} calendar days after the day of its application
    date; the last of these days still counts."""
    if call.arguments.get("new_status", "withdrawn") != "withdrawn":
        return True
    return _application(call, now)["application_date"] >= add_days(now.today, -days)


@rule(
    "FEEDBACK_RATED",
    on={"add_interview_feedback": "interview_id"},
    reads=["interview_schedule", "interview_feedback"],
    exempt={"delete_job_application": "adds no feedback"},
)
def feedback_rated(call: Call, now: Database, start: Database) -> bool:
    """An interview that has feedback with a performance rating gets no further feedback."""
    interview = now.require("interview_schedule", call.arguments["interview_id"])
    rated = now.first(
        "SELECT 1 FROM interview_feedback WHERE interview_id = ? AND performance_rating IS NOT NULL",
        interview["interview_id"],
    )
    return rated is None


@rule(
    "SALARY_FIXED",
    on={"add_salary_expectation": "application_id"},
    reads=["job_application"],
    exempt={"create_application": "a new draft has no expectation"},
)
def salary_fixed(call: Call, now: Database, start: Database) -> bool:
    """An application that has an expected minimum salary gets another salary expectation only while it is a draft."""
    row = now.require("job_application", call.arguments["application_id"])
    return row["status"] == "draft" or row["expected_salary_min"] is None


@rule(
    "NOTE_WINDOW",
    on={"edit_application_note": "note_id", "delete_application_note": "note_id"},
    reads=["application_note"],
    exempt={
        "add_application_note": "writes a new note",
        "withdraw_application": "writes a new note",
        "delete_job_application": "removes the whole application",
    },
    days=14,
)
def note_window(call: Call, now: Database, start: Database, days: int) -> bool:
    """A note is edited or deleted at most {days} calendar days after the day on which it was created; the last of
    these days still counts."""
    note = now.require("application_note", call.arguments["note_id"])
    return note["created_at"] >= add_days(now.today, -days)
