"""Rules of the office that its tools do not enforce."""

from runtime import Database, days_between
from runtime.rules import Call, duty, rule


@rule(
    "ENROLLMENT_CUTOFF",
    on={"enroll_learner": "cohort_id", "join_waitlist": "cohort_id", "promote_from_waitlist": "cohort_id"},
    reads=["cohort"],
    days=5,
)
def enrollment_cutoff(call: Call, now: Database, start: Database, days: int) -> bool:
    """A learner can be enrolled in a cohort, put on its waitlist, or given a seat from its waitlist only until {days}
    days after its start date. The start date is not counted, and the last of those days is still fine. Moving to
    another cohort of the course is not covered."""
    cohort = now.require("cohort", call.arguments["cohort_id"])
    return days_between(cohort["starts_on"], now.today) <= days


@rule(
    "CERTIFICATE_BALANCE",
    on={"issue_certificate": "enrollment_id"},
    reads=["enrollment", "account_entry"],
    most_cents=20000,
)
def certificate_balance(call: Call, now: Database, start: Database, most_cents: int) -> bool:
    """Issue a certificate only if the learner owes us at most {most_cents} right now; owing exactly that is fine. What
    counts is the balance of the learner's whole account, for all courses, including today's charges, credits, and
    payments."""
    enrollment = now.require("enrollment", call.arguments["enrollment_id"])
    balance = now.value(
        """
        SELECT coalesce(sum(CASE WHEN kind IN ('tuition', 'fee') THEN amount_cents ELSE -amount_cents END), 0)
        FROM account_entry WHERE learner_id = ?
        """,
        enrollment["learner_id"],
    )
    return balance <= most_cents


@rule("WITHDRAWAL_WINDOW", on={"withdraw_enrollment": "enrollment_id"}, reads=["enrollment"], days=14)
def withdrawal_window(call: Call, now: Database, start: Database, days: int) -> bool:
    """A learner who holds a seat can withdraw only within {days} days of getting that seat. The day the seat was given
    is not counted, and the last of those days is still fine; the time of day does not matter, nor do later
    transfers. Someone on a waitlist can leave it at any time."""
    enrollment = now.require("enrollment", call.arguments["enrollment_id"])
    if enrollment["enrolled_at"] is None:
        return True
    return days_between(enrollment["enrolled_at"][:10], now.today) <= days


@rule("CREDIT_BEFORE_RESULT", on={"record_credit": "enrollment_id"}, reads=["enrollment"])
def credit_before_result(call: Call, now: Database, start: Database) -> bool:
    """Give no credit of any kind for an enrollment that has its final result, that is, one that is completed or
    failed. Enrollments that are waitlisted, active, withdrawn, or canceled can get a credit. The credits that come
    with canceling a cohort are not covered."""
    enrollment = now.require("enrollment", call.arguments["enrollment_id"])
    return enrollment["status"] not in ("completed", "failed")


@rule("EXTENSION_MEMBERSHIP", on={"extend_deadlines": "enrollment_id"}, reads=["enrollment", "learner"])
def extension_membership(call: Call, now: Database, start: Database) -> bool:
    """Only learners with a plus or premium membership get more days for an assignment; learners with a basic
    membership get none. The membership at the moment of the extension counts, so someone who changed it earlier
    today is judged by the new membership."""
    enrollment = now.require("enrollment", call.arguments["enrollment_id"])
    learner = now.require("learner", enrollment["learner_id"])
    return learner["membership"] != "basic"


@rule(
    "TRANSFER_CUTOFF",
    on={"transfer_enrollment": "enrollment_id"},
    reads=["enrollment", "cohort"],
    exempt={
        "enroll_learner": "It adds a new enrollment and moves none; it is refused while the learner has an open one in the course.",
        "join_waitlist": "It adds a new place on a waitlist and moves no enrollment.",
    },
    days=10,
)
def transfer_cutoff(call: Call, now: Database, start: Database, days: int) -> bool:
    """An enrollment can be moved to another cohort only until {days} days after the start date of the cohort it is in
    now. The start date is not counted, and the last of those days is still fine. When the new cohort starts does
    not matter."""
    enrollment = now.require("enrollment", call.arguments["enrollment_id"])
    cohort = now.require("cohort", enrollment["cohort_id"])
    return days_between(cohort["starts_on"], now.today) <= days


@duty("DECLINED_STAYS_DECLINED", reads=["declined_request", "enrollment"])
def declined_stays_declined(start: Database, end: Database) -> bool:
    """What you declined today stays declined for the rest of the day, even if the caller insists. If you declined a
    withdrawal because of its window, the enrollment is not withdrawn today. If you declined a transfer because it
    came too late, the enrollment stays in its cohort today. If you declined a certificate because of the balance,
    it is not issued today."""
    noted = end.select("SELECT subject_id, rule_code FROM declined_request WHERE declined_on = ?", end.today)
    columns = {
        "WITHDRAWAL_WINDOW": "status",
        "TRANSFER_CUTOFF": "cohort_id",
        "CERTIFICATE_BALANCE": "certificate_number",
    }
    for note in noted:
        column = columns.get(note["rule_code"])
        before = start.get("enrollment", note["subject_id"])
        after = end.get("enrollment", note["subject_id"])
        if column is None or before is None or after is None or before[column] == after[column]:
            continue
        if column != "status" or after["status"] == "withdrawn":
            return False
    return True


@duty("LATE_WORK_FEE", reads=["enrollment", "submission", "account_entry"], fee_cents=1500)
def late_work_fee(start: Database, end: Database, fee_cents: int) -> bool:
    """When you close an enrollment with its final result and any of its work counts as late, charge a single late work
    fee of {fee_cents} for that enrollment, whether it was completed or failed. Charge none if the enrollment
    already had a late work fee this morning, or if none of its work counts as late."""
    closed = end.select("SELECT enrollment_id FROM enrollment WHERE status IN ('completed', 'failed')")
    for row in closed:
        enrollment_id = row["enrollment_id"]
        before = start.get("enrollment", enrollment_id)
        if before is not None and before["status"] in ("completed", "failed"):
            continue
        late = end.value("SELECT count(*) FROM submission WHERE enrollment_id = ? AND late = 1", enrollment_id)
        earlier = start.select(
            "SELECT account_entry_id FROM account_entry WHERE enrollment_id = ? AND kind = 'fee' AND reason = 'late_work'",
            enrollment_id,
        )
        old = [entry["account_entry_id"] for entry in earlier]
        fees = end.select(
            "SELECT account_entry_id, amount_cents FROM account_entry WHERE enrollment_id = ? AND kind = 'fee' AND reason = 'late_work'",
            enrollment_id,
        )
        new = [fee["amount_cents"] for fee in fees if fee["account_entry_id"] not in old]
        wanted = [fee_cents] if late and not old else []
        if new != wanted:
            return False
    return True
