"""Catalog: courses, their cohorts, and their results."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Course(TypedDict):
    course_id: Annotated[str, "id"]
    title: Annotated[str, "title"]
    subject: Annotated[Literal["programming", "data", "design", "business", "languages"], "subject"]
    level: Annotated[Literal["beginner", "intermediate", "advanced"], "level"]
    tuition_cents: Annotated[int, "current price"]
    pass_percent: Annotated[int, "least score to pass"]
    prerequisite_course_id: Annotated[str | None, "course to complete first"]


class CourseList(TypedDict):
    total: Annotated[int, "matches in all"]
    courses: Annotated[list[Course], "matches"]


class CourseReport(TypedDict):
    course_id: Annotated[str, "course"]
    title: Annotated[str, "course title"]
    cohorts: Annotated[int, "cohorts counted"]
    active: Annotated[int, "active enrollments"]
    completed: Annotated[int, "completed enrollments"]
    failed: Annotated[int, "failed enrollments"]
    withdrawn: Annotated[int, "withdrawn enrollments"]
    completion_percent: Annotated[float, "share completed, 2 decimals"]
    tuition_cents: Annotated[int, "tuition charged"]


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


class CohortList(TypedDict):
    total: Annotated[int, "matches in all"]
    cohorts: Annotated[list[Cohort], "matches"]


class CohortCancellation(TypedDict):
    cohort: Annotated[Cohort, "canceled cohort"]
    enrollments_canceled: Annotated[int, "enrollments canceled"]
    credited_cents: Annotated[int, "sum of credits added"]


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


def _check_dates(db, starts_on, ends_on):
    if ends_on <= starts_on:
        raise Rejection.invalid_argument(f"The last day {ends_on} is not after the first day {starts_on}.")
    if starts_on <= db.today:
        raise Rejection.invalid_argument(f"The first day {starts_on} is not after today, {db.today}.")


def _require_upcoming(db, cohort_id):
    cohort = db.require("cohort", cohort_id)
    state = _cohort_state(db, cohort)
    if state != "upcoming":
        raise Rejection.failed_precondition(f"Cohort {cohort_id!r} is {state}, not upcoming.")
    return cohort


def _check_start_is_free(db, course_id, starts_on, cohort_id):
    other = db.first(
        """
        SELECT cohort_id FROM cohort
        WHERE course_id = ? AND starts_on = ? AND canceled_at IS NULL AND (? IS NULL OR cohort_id <> ?)
        """,
        course_id,
        starts_on,
        cohort_id,
        cohort_id,
    )
    if other is not None:
        raise Rejection.already_exists(
            f"Cohort {other['cohort_id']!r} of course {course_id!r} starts on {starts_on} already."
        )


def _course(row):
    return {
        "course_id": row["course_id"],
        "title": row["title"],
        "subject": row["subject"],
        "level": row["level"],
        "tuition_cents": row["tuition_cents"],
        "pass_percent": row["pass_percent"],
        "prerequisite_course_id": row["prerequisite_course_id"],
    }


@tool(reads=["course"])
def search_courses(
    db: Database,
    text: Annotated[str | None, "contained in the title", Field(min_length=1)] = None,
    subject: Annotated[Literal["programming", "data", "design", "business", "languages"] | None, "subject"] = None,
    level: Annotated[Literal["beginner", "intermediate", "advanced"] | None, "level"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> CourseList:
    """Search the course catalog.

    Courses that match every given filter, by title.
    """
    rows = db.select(
        """
        SELECT * FROM course
        WHERE (? IS NULL OR instr(lower(title), lower(?)) > 0)
          AND (? IS NULL OR subject = ?)
          AND (? IS NULL OR level = ?)
        ORDER BY title, course_id
        """,
        text,
        text,
        subject,
        subject,
        level,
        level,
    )
    return {"total": len(rows), "courses": [_course(row) for row in rows[:limit]]}


@tool(writes=["course"], rejects=["NOT_FOUND", "ALREADY_EXISTS"])
def add_course(
    db: Database,
    title: Annotated[str, "title", Field(min_length=1)],
    subject: Annotated[Literal["programming", "data", "design", "business", "languages"], "subject"],
    level: Annotated[Literal["beginner", "intermediate", "advanced"], "level"],
    tuition_cents: Annotated[int, "price", Field(ge=1)],
    pass_percent: Annotated[int, "least score to pass", Field(ge=1, le=100)],
    prerequisite_course_id: Annotated[str | None, "course to complete first; null for none"] = None,
) -> Course:
    """Add a course to the catalog.

    Requires: No course has this title, ignoring case.
    """
    if prerequisite_course_id is not None:
        db.require("course", prerequisite_course_id)
    if db.first("SELECT course_id FROM course WHERE lower(title) = lower(?)", title) is not None:
        raise Rejection.already_exists(f"A course with the title {title!r} exists already.")
    row = db.insert(
        "course",
        course_id=db.new_id("course"),
        title=title,
        subject=subject,
        level=level,
        tuition_cents=tuition_cents,
        pass_percent=pass_percent,
        prerequisite_course_id=prerequisite_course_id,
    )
    return _course(row)


@tool(reads=["course", "cohort", "enrollment"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def report_course(
    db: Database,
    course_id: Annotated[str, "course"],
    starts_from: Annotated[Date, "earliest start"],
    starts_to: Annotated[Date, "latest start"],
) -> CourseReport:
    """Report the results of a course's cohorts that start in a period.

    Requires: starts_to is not before starts_from.

    Counts cohorts that are not canceled and their enrollments by status; completion_percent is completed out of
    completed, failed, and withdrawn. tuition_cents sums the enrollments' tuition_cents, whatever their status, null as
    0.
    """
    if starts_to < starts_from:
        raise Rejection.invalid_argument(f"The latest start {starts_to} is before the earliest start {starts_from}.")
    course = db.require("course", course_id)
    counts = db.first(
        """
        SELECT count(DISTINCT cohort.cohort_id) AS cohorts,
               coalesce(sum(status = 'active'), 0) AS active,
               coalesce(sum(status = 'completed'), 0) AS completed,
               coalesce(sum(status = 'failed'), 0) AS failed,
               coalesce(sum(status = 'withdrawn'), 0) AS withdrawn,
               coalesce(sum(tuition_cents), 0) AS tuition_cents
        FROM cohort LEFT JOIN enrollment ON enrollment.cohort_id = cohort.cohort_id
        WHERE course_id = ? AND canceled_at IS NULL AND starts_on BETWEEN ? AND ?
        """,
        course_id,
        starts_from,
        starts_to,
    )
    closed = counts["completed"] + counts["failed"] + counts["withdrawn"]
    return {
        "course_id": course_id,
        "title": course["title"],
        "cohorts": counts["cohorts"],
        "active": counts["active"],
        "completed": counts["completed"],
        "failed": counts["failed"],
        "withdrawn": counts["withdrawn"],
        "completion_percent": round(100 * counts["completed"] / closed, 2) if closed else 0.0,
        "tuition_cents": counts["tuition_cents"],
    }


@tool(reads=["course", "cohort", "enrollment"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def list_cohorts(
    db: Database,
    course_id: Annotated[str | None, "course"] = None,
    state: Annotated[Literal["upcoming", "running", "ended", "canceled"] | None, "state today"] = None,
    starts_from: Annotated[Date | None, "earliest start"] = None,
    starts_to: Annotated[Date | None, "latest start"] = None,
    free_seats_only: Annotated[bool, "only with a seat left"] = False,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> CohortList:
    """List cohorts by course, state, or start date.

    Requires: starts_to is not before starts_from, if both are given.

    By starts_on, then course title.
    """
    if starts_from is not None and starts_to is not None and starts_to < starts_from:
        raise Rejection.invalid_argument(f"The latest start {starts_to} is before the earliest start {starts_from}.")
    if course_id is not None:
        db.require("course", course_id)
    rows = db.select(
        """
        SELECT cohort.* FROM cohort JOIN course ON course.course_id = cohort.course_id
        WHERE (? IS NULL OR cohort.course_id = ?)
          AND (? IS NULL OR starts_on >= ?)
          AND (? IS NULL OR starts_on <= ?)
        ORDER BY starts_on, title, cohort_id
        """,
        course_id,
        course_id,
        starts_from,
        starts_from,
        starts_to,
        starts_to,
    )
    cohorts = [_cohort(db, row) for row in rows if state is None or _cohort_state(db, row) == state]
    if free_seats_only:
        cohorts = [cohort for cohort in cohorts if cohort["seats_left"] > 0]
    return {"total": len(cohorts), "cohorts": cohorts[:limit]}


@tool(reads=["course", "enrollment"], writes=["cohort"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def open_cohort(
    db: Database,
    course_id: Annotated[str, "course"],
    starts_on: Annotated[Date, "first day"],
    ends_on: Annotated[Date, "last day"],
    capacity: Annotated[int, "seats", Field(ge=1, le=500)],
) -> Cohort:
    """Open a new cohort of a course.

    Requires: ends_on is after starts_on. starts_on is after today. No cohort of the course that is not canceled starts
    that day.
    """
    _check_dates(db, starts_on, ends_on)
    db.require("course", course_id)
    _check_start_is_free(db, course_id, starts_on, None)
    row = db.insert(
        "cohort",
        cohort_id=db.new_id("cohort"),
        course_id=course_id,
        starts_on=starts_on,
        ends_on=ends_on,
        capacity=capacity,
    )
    return _cohort(db, row)


@tool(
    reads=["course", "enrollment"],
    writes=["cohort"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def reschedule_cohort(
    db: Database,
    cohort_id: Annotated[str, "cohort"],
    starts_on: Annotated[Date, "first day"],
    ends_on: Annotated[Date, "last day"],
) -> Cohort:
    """Move an upcoming cohort to other dates.

    Requires: ends_on is after starts_on. starts_on is after today. The cohort is upcoming. No other cohort of the
    course that is not canceled starts that day.

    Sets starts_on and ends_on.
    """
    _check_dates(db, starts_on, ends_on)
    cohort = _require_upcoming(db, cohort_id)
    _check_start_is_free(db, cohort["course_id"], starts_on, cohort_id)
    return _cohort(db, db.update("cohort", cohort_id, starts_on=starts_on, ends_on=ends_on))


@tool(reads=["course"], writes=["cohort", "enrollment", "account_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_cohort(db: Database, cohort_id: Annotated[str, "cohort"]) -> CohortCancellation:
    """Cancel an upcoming cohort and credit its learners.

    Requires: The cohort is upcoming.

    Its open enrollments become canceled; ended_at is the clock. Each canceled enrollment with a net charge above 0 gets
    a credit entry of that amount, reason cohort_canceled, by enrollment id.
    """
    _require_upcoming(db, cohort_id)
    enrollments = db.select(
        """
        SELECT enrollment_id, learner_id,
               (SELECT coalesce(sum(CASE WHEN kind = 'credit' THEN -amount_cents ELSE amount_cents END), 0)
                FROM account_entry WHERE account_entry.enrollment_id = enrollment.enrollment_id) AS net
        FROM enrollment WHERE cohort_id = ? AND status IN ('waitlisted', 'active')
        ORDER BY enrollment_id
        """,
        cohort_id,
    )
    cohort = db.update("cohort", cohort_id, canceled_at=db.now)
    credited = 0
    for enrollment in enrollments:
        db.update("enrollment", enrollment["enrollment_id"], status="canceled", ended_at=db.now)
        if enrollment["net"] > 0:
            db.insert(
                "account_entry",
                account_entry_id=db.new_id("account_entry"),
                learner_id=enrollment["learner_id"],
                enrollment_id=enrollment["enrollment_id"],
                kind="credit",
                reason="cohort_canceled",
                amount_cents=enrollment["net"],
                created_at=db.now,
            )
            credited += enrollment["net"]
    return {"cohort": _cohort(db, cohort), "enrollments_canceled": len(enrollments), "credited_cents": credited}
