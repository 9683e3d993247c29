"""Enrollments: enrolling, waitlists, transfers, withdrawals, completion, and certificates."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class Enrollment(TypedDict):
    enrollment_id: Annotated[str, "id"]
    learner_id: Annotated[str, "learner"]
    cohort_id: Annotated[str, "cohort"]
    course_title: Annotated[str, "course title"]
    starts_on: Annotated[Date, "cohort's first day"]
    ends_on: Annotated[Date, "cohort's last day"]
    status: Annotated[Literal["waitlisted", "active", "completed", "failed", "withdrawn", "canceled"], "status"]
    created_at: Annotated[Timestamp, "when requested"]
    enrolled_at: Annotated[Timestamp | None, "when seated; null if never"]
    ended_at: Annotated[Timestamp | None, "when no longer open"]
    tuition_cents: Annotated[int | None, "tuition charged; null if never seated"]
    transfers: Annotated[int, "times transferred"]
    score_percent: Annotated[float, "score so far"]
    certificate_number: Annotated[str | None, "null until issued"]


class EnrollmentList(TypedDict):
    total: Annotated[int, "matches in all"]
    enrollments: Annotated[list[Enrollment], "matches"]


class Cohort(TypedDict):
    cohort_id: Annotated[str, "id"]
    course_id: Annotated[str, "course"]
    course_title: Annotated[str, "course title"]
    starts_on: Annotated[Date, "first day"]
    ends_on: Annotated[Date, "last day"]
    capacity: Annotated[int, "seats"]
    seats_left: Annotated[int, "free seats"]
    waitlisted: Annotated[int, "waitlisted enrollments"]
    state: Annotated[Literal["upcoming", "running", "ended", "canceled"], "state today"]


class RosterEntry(TypedDict):
    enrollment_id: Annotated[str, "enrollment"]
    learner_id: Annotated[str, "learner"]
    learner_name: Annotated[str, "learner's name"]
    membership: Annotated[Literal["basic", "plus", "premium"], "tier"]
    status: Annotated[
        Literal["waitlisted", "active", "completed", "failed", "withdrawn", "canceled"], "enrollment status"
    ]
    created_at: Annotated[Timestamp, "when requested"]


class Roster(TypedDict):
    cohort: Annotated[Cohort, "cohort"]
    total: Annotated[int, "matches in all"]
    entries: Annotated[list[RosterEntry], "matches"]


def _cohort_state(db, cohort):
    if cohort["canceled_at"] is not None:
        return "canceled"
    if db.today < cohort["starts_on"]:
        return "upcoming"
    return "ended" if db.today > cohort["ends_on"] else "running"


def _seats_left(db, cohort):
    taken = db.value(
        "SELECT count(*) FROM enrollment WHERE cohort_id = ? AND status IN ('active', 'completed', 'failed')",
        cohort["cohort_id"],
    )
    return cohort["capacity"] - taken


def _cohort(db, cohort):
    return {
        "cohort_id": cohort["cohort_id"],
        "course_id": cohort["course_id"],
        "course_title": db.value("SELECT title FROM course WHERE course_id = ?", cohort["course_id"]),
        "starts_on": cohort["starts_on"],
        "ends_on": cohort["ends_on"],
        "capacity": cohort["capacity"],
        "seats_left": _seats_left(db, cohort),
        "waitlisted": db.value(
            "SELECT count(*) FROM enrollment WHERE cohort_id = ? AND status = 'waitlisted'", cohort["cohort_id"]
        ),
        "state": _cohort_state(db, cohort),
    }


def _score(db, enrollment_id):
    graded = db.first(
        """
        SELECT coalesce(sum(points), 0) AS points, coalesce(sum(max_points), 0) AS most
        FROM submission JOIN assignment ON assignment.assignment_id = submission.assignment_id
        WHERE enrollment_id = ? AND points IS NOT NULL
        """,
        enrollment_id,
    )
    return round(100 * graded["points"] / graded["most"], 2) if graded["most"] else 0.0


def _enrollment(db, row):
    cohort = db.get("cohort", row["cohort_id"])
    return {
        "enrollment_id": row["enrollment_id"],
        "learner_id": row["learner_id"],
        "cohort_id": row["cohort_id"],
        "course_title": db.value("SELECT title FROM course WHERE course_id = ?", cohort["course_id"]),
        "starts_on": cohort["starts_on"],
        "ends_on": cohort["ends_on"],
        "status": row["status"],
        "created_at": row["created_at"],
        "enrolled_at": row["enrolled_at"],
        "ended_at": row["ended_at"],
        "tuition_cents": row["tuition_cents"],
        "transfers": row["transfers"],
        "score_percent": _score(db, row["enrollment_id"]),
        "certificate_number": row["certificate_number"],
    }


def _check_current(db, cohort):
    state = _cohort_state(db, cohort)
    if state not in ("upcoming", "running"):
        raise Rejection.failed_precondition(f"Cohort {cohort['cohort_id']!r} is {state}, not upcoming or running.")


def _check_prerequisite(db, learner_id, course):
    wanted = course["prerequisite_course_id"]
    if wanted is None:
        return
    done = db.first(
        """
        SELECT enrollment_id FROM enrollment JOIN cohort ON cohort.cohort_id = enrollment.cohort_id
        WHERE learner_id = ? AND course_id = ? AND status = 'completed'
        """,
        learner_id,
        wanted,
    )
    if done is None:
        raise Rejection.failed_precondition(
            f"Learner {learner_id!r} has not completed the prerequisite course {wanted!r}."
        )


def _check_not_open(db, learner_id, course_id):
    other = db.first(
        """
        SELECT enrollment_id FROM enrollment JOIN cohort ON cohort.cohort_id = enrollment.cohort_id
        WHERE learner_id = ? AND course_id = ? AND status IN ('waitlisted', 'active')
        """,
        learner_id,
        course_id,
    )
    if other is not None:
        raise Rejection.already_exists(
            f"Learner {learner_id!r} has the open enrollment {other['enrollment_id']!r} in the course."
        )


def _charge_tuition(db, enrollment):
    db.insert(
        "account_entry",
        account_entry_id=db.new_id("account_entry"),
        learner_id=enrollment["learner_id"],
        enrollment_id=enrollment["enrollment_id"],
        kind="tuition",
        amount_cents=enrollment["tuition_cents"],
        created_at=db.now,
    )


@tool(
    reads=["learner", "course", "cohort", "assignment", "submission"],
    writes=["enrollment", "account_entry"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def enroll_learner(
    db: Database, learner_id: Annotated[str, "learner"], cohort_id: Annotated[str, "cohort"]
) -> Enrollment:
    """Enroll a learner in a cohort and charge tuition.

    Requires: The cohort is upcoming or running. The learner has a completed enrollment in the prerequisite course, if
    there is one. The cohort has a seat left. The learner has no open enrollment in any cohort of the course.

    Adds an active enrollment with 0 transfers and seats it.
    """
    db.require("learner", learner_id)
    cohort = db.require("cohort", cohort_id)
    _check_current(db, cohort)
    course = db.get("course", cohort["course_id"])
    _check_prerequisite(db, learner_id, course)
    if _seats_left(db, cohort) < 1:
        raise Rejection.failed_precondition(f"Cohort {cohort_id!r} has no seat left.")
    _check_not_open(db, learner_id, course["course_id"])
    row = db.insert(
        "enrollment",
        enrollment_id=db.new_id("enrollment"),
        learner_id=learner_id,
        cohort_id=cohort_id,
        status="active",
        created_at=db.now,
        enrolled_at=db.now,
        tuition_cents=course["tuition_cents"],
        transfers=0,
    )
    _charge_tuition(db, row)
    return _enrollment(db, row)


@tool(
    reads=["learner", "course", "cohort", "assignment", "submission"],
    writes=["enrollment"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def join_waitlist(
    db: Database, learner_id: Annotated[str, "learner"], cohort_id: Annotated[str, "cohort"]
) -> Enrollment:
    """Put a learner on the waitlist of a full cohort.

    Requires: The cohort is upcoming or running. The learner has a completed enrollment in the prerequisite course, if
    there is one. The cohort has no seat left. The learner has no open enrollment in any cohort of the course.

    Adds a waitlisted enrollment with 0 transfers.
    """
    db.require("learner", learner_id)
    cohort = db.require("cohort", cohort_id)
    _check_current(db, cohort)
    course = db.get("course", cohort["course_id"])
    _check_prerequisite(db, learner_id, course)
    if _seats_left(db, cohort) > 0:
        raise Rejection.failed_precondition(f"Cohort {cohort_id!r} has a seat left; enroll the learner instead.")
    _check_not_open(db, learner_id, course["course_id"])
    row = db.insert(
        "enrollment",
        enrollment_id=db.new_id("enrollment"),
        learner_id=learner_id,
        cohort_id=cohort_id,
        status="waitlisted",
        created_at=db.now,
        transfers=0,
    )
    return _enrollment(db, row)


@tool(
    reads=["course", "cohort", "assignment", "submission"],
    writes=["enrollment", "account_entry"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def promote_from_waitlist(
    db: Database,
    cohort_id: Annotated[str, "cohort"],
    enrollment_ids: Annotated[list[str], "waitlisted enrollments", Field(min_length=1, max_length=20)],
) -> EnrollmentList:
    """Give free seats of a cohort to waitlisted learners.

    Requires: The cohort is upcoming or running. Every enrollment is waitlisted in this cohort. The cohort has a seat
    left for each of them.

    Each becomes active and is seated, in the given order; total is their number.
    """
    if len(set(enrollment_ids)) < len(enrollment_ids):
        raise Rejection.invalid_argument("An enrollment is given twice.")
    cohort = db.require("cohort", cohort_id)
    rows = [db.require("enrollment", enrollment_id) for enrollment_id in enrollment_ids]
    _check_current(db, cohort)
    for row in rows:
        if row["status"] != "waitlisted" or row["cohort_id"] != cohort_id:
            raise Rejection.failed_precondition(
                f"Enrollment {row['enrollment_id']!r} is not waitlisted in cohort {cohort_id!r}."
            )
    left = _seats_left(db, cohort)
    if left < len(rows):
        raise Rejection.failed_precondition(f"Cohort {cohort_id!r} has {left} seats left, not {len(rows)}.")
    tuition = db.value("SELECT tuition_cents FROM course WHERE course_id = ?", cohort["course_id"])
    promoted = []
    for row in rows:
        seated = db.update(
            "enrollment", row["enrollment_id"], status="active", enrolled_at=db.now, tuition_cents=tuition
        )
        _charge_tuition(db, seated)
        promoted.append(_enrollment(db, seated))
    return {"total": len(promoted), "enrollments": promoted}


@tool(reads=["learner", "course", "cohort", "enrollment", "assignment", "submission"], rejects=["NOT_FOUND"])
def list_enrollments(
    db: Database,
    learner_id: Annotated[str, "learner"],
    status: Annotated[
        Literal["waitlisted", "active", "completed", "failed", "withdrawn", "canceled"] | None, "status"
    ] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> EnrollmentList:
    """List a learner's enrollments.

    By the cohort's starts_on, latest first.
    """
    db.require("learner", learner_id)
    rows = db.select(
        """
        SELECT enrollment.* FROM enrollment JOIN cohort ON cohort.cohort_id = enrollment.cohort_id
        WHERE learner_id = ? AND (? IS NULL OR status = ?)
        ORDER BY starts_on DESC, enrollment_id
        """,
        learner_id,
        status,
        status,
    )
    return {"total": len(rows), "enrollments": [_enrollment(db, row) for row in rows[:limit]]}


@tool(reads=["learner", "course", "cohort", "enrollment"], rejects=["NOT_FOUND"])
def list_roster(
    db: Database,
    cohort_id: Annotated[str, "cohort"],
    status: Annotated[
        Literal["waitlisted", "active", "completed", "failed", "withdrawn", "canceled"] | None, "enrollment status"
    ] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> Roster:
    """List the learners of a cohort, or its waitlist.

    By created_at, earliest first.
    """
    cohort = db.require("cohort", cohort_id)
    rows = db.select(
        """
        SELECT enrollment_id, learner.learner_id, name AS learner_name, membership, status, enrollment.created_at
        FROM enrollment JOIN learner ON learner.learner_id = enrollment.learner_id
        WHERE cohort_id = ? AND (? IS NULL OR status = ?)
        ORDER BY enrollment.created_at, enrollment_id
        """,
        cohort_id,
        status,
        status,
    )
    return {"cohort": _cohort(db, cohort), "total": len(rows), "entries": rows[:limit]}


@tool(
    reads=["course", "cohort", "assignment", "submission"],
    writes=["enrollment"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def transfer_enrollment(
    db: Database, enrollment_id: Annotated[str, "enrollment"], cohort_id: Annotated[str, "new cohort"]
) -> Enrollment:
    """Move an enrollment to another cohort of the same course.

    Requires: The enrollment is active. The new cohort is another one of the same course. The new cohort is upcoming or
    running. The new cohort has a seat left.

    cohort_id becomes the new one; transfers goes up by 1; work, extensions, tuition_cents, and enrolled_at stay.
    """
    enrollment = db.require("enrollment", enrollment_id)
    target = db.require("cohort", cohort_id)
    if enrollment["status"] != "active":
        raise Rejection.failed_precondition(f"Enrollment {enrollment_id!r} is {enrollment['status']}, not active.")
    current = db.get("cohort", enrollment["cohort_id"])
    if target["cohort_id"] == current["cohort_id"] or target["course_id"] != current["course_id"]:
        raise Rejection.failed_precondition(f"Cohort {cohort_id!r} is not another cohort of the same course.")
    _check_current(db, target)
    if _seats_left(db, target) < 1:
        raise Rejection.failed_precondition(f"Cohort {cohort_id!r} has no seat left.")
    row = db.update("enrollment", enrollment_id, cohort_id=cohort_id, transfers=enrollment["transfers"] + 1)
    return _enrollment(db, row)


@tool(
    reads=["course", "cohort", "assignment", "submission"],
    writes=["enrollment"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def withdraw_enrollment(
    db: Database,
    enrollment_id: Annotated[str, "enrollment"],
    reason: Annotated[Literal["schedule", "cost", "difficulty", "health", "other"], "learner's reason"],
) -> Enrollment:
    """Withdraw a learner from a cohort or its waitlist.

    Requires: The enrollment is open.

    status becomes withdrawn, ended_at the clock; reason is stored as withdrawal_reason; no money moves.
    """
    enrollment = db.require("enrollment", enrollment_id)
    if enrollment["status"] not in ("waitlisted", "active"):
        raise Rejection.failed_precondition(
            f"Enrollment {enrollment_id!r} is {enrollment['status']}, not waitlisted or active."
        )
    row = db.update("enrollment", enrollment_id, status="withdrawn", ended_at=db.now, withdrawal_reason=reason)
    return _enrollment(db, row)


@tool(
    reads=["course", "cohort", "assignment", "submission"],
    writes=["enrollment"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def complete_enrollment(db: Database, enrollment_id: Annotated[str, "enrollment"]) -> Enrollment:
    """Close an enrollment with its final result.

    Requires: The enrollment is active. The course has assignments and the learner's work for each is graded.

    status becomes completed if score_percent is at least pass_percent, else failed; ended_at is the clock.
    """
    enrollment = db.require("enrollment", enrollment_id)
    if enrollment["status"] != "active":
        raise Rejection.failed_precondition(f"Enrollment {enrollment_id!r} is {enrollment['status']}, not active.")
    cohort = db.get("cohort", enrollment["cohort_id"])
    work = db.first(
        """
        SELECT count(*) AS assignments, count(points) AS graded
        FROM assignment LEFT JOIN submission
          ON submission.assignment_id = assignment.assignment_id AND submission.enrollment_id = ?
        WHERE course_id = ?
        """,
        enrollment_id,
        cohort["course_id"],
    )
    if work["assignments"] == 0 or work["graded"] < work["assignments"]:
        raise Rejection.failed_precondition(
            f"Enrollment {enrollment_id!r} has graded work for {work['graded']} of {work['assignments']} assignments; all must be graded."
        )
    passed = _score(db, enrollment_id) >= db.value(
        "SELECT pass_percent FROM course WHERE course_id = ?", cohort["course_id"]
    )
    row = db.update("enrollment", enrollment_id, status="completed" if passed else "failed", ended_at=db.now)
    return _enrollment(db, row)


@tool(
    reads=["course", "cohort", "assignment", "submission"],
    writes=["enrollment"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def issue_certificate(db: Database, enrollment_id: Annotated[str, "enrollment"]) -> Enrollment:
    """Issue the certificate of a completed enrollment.

    Requires: The enrollment is completed. No certificate was issued for it.

    certificate_number becomes 'CERT-' followed by the enrollment_id.
    """
    enrollment = db.require("enrollment", enrollment_id)
    if enrollment["status"] != "completed":
        raise Rejection.failed_precondition(f"Enrollment {enrollment_id!r} is {enrollment['status']}, not completed.")
    if enrollment["certificate_number"] is not None:
        raise Rejection.already_exists(
            f"Enrollment {enrollment_id!r} has the certificate {enrollment['certificate_number']} already."
        )
    return _enrollment(db, db.update("enrollment", enrollment_id, certificate_number=f"CERT-{enrollment_id}"))
