"""Coursework: assignments, submissions, grades, and extensions."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_days, tool


class Assignment(TypedDict):
    assignment_id: Annotated[str, "id"]
    course_id: Annotated[str, "course"]
    title: Annotated[str, "title"]
    due_day: Annotated[int, "days from cohort start"]
    max_points: Annotated[int, "most points"]


class Coursework(TypedDict):
    assignment_id: Annotated[str, "assignment"]
    title: Annotated[str, "assignment title"]
    max_points: Annotated[int, "most points"]
    due_on: Annotated[Date, "personal due date"]
    days_extended: Annotated[int, "0 without extension"]
    status: Annotated[Literal["missing", "submitted", "graded"], "status of the work"]
    submission_id: Annotated[str | None, "null if missing"]
    submitted_at: Annotated[Timestamp | None, "latest submission"]
    attempts: Annotated[int, "0 if missing"]
    late: Annotated[bool, "false if missing"]
    points: Annotated[int | None, "null until graded"]


class CourseworkList(TypedDict):
    enrollment_id: Annotated[str, "enrollment"]
    assignments: Annotated[list[Coursework], "assignments and work"]


def _work(db, enrollment_id, assignment_id):
    row = db.first(
        """
        SELECT assignment.assignment_id, assignment.title, max_points, due_day, starts_on,
               coalesce(days, 0) AS days_extended, submission_id, submitted_at, coalesce(attempts, 0) AS attempts,
               coalesce(late, 0) AS late, points
        FROM enrollment JOIN cohort ON cohort.cohort_id = enrollment.cohort_id
        JOIN assignment ON assignment.assignment_id = ?
        LEFT JOIN extension ON extension.enrollment_id = enrollment.enrollment_id
          AND extension.assignment_id = assignment.assignment_id
        LEFT JOIN submission ON submission.enrollment_id = enrollment.enrollment_id
          AND submission.assignment_id = assignment.assignment_id
        WHERE enrollment.enrollment_id = ?
        """,
        assignment_id,
        enrollment_id,
    )
    if row["submission_id"] is None:
        status = "missing"
    else:
        status = "submitted" if row["points"] is None else "graded"
    return {
        "assignment_id": row["assignment_id"],
        "title": row["title"],
        "max_points": row["max_points"],
        "due_on": add_days(row["starts_on"], row["due_day"] + row["days_extended"]),
        "days_extended": row["days_extended"],
        "status": status,
        "submission_id": row["submission_id"],
        "submitted_at": row["submitted_at"],
        "attempts": row["attempts"],
        "late": bool(row["late"]),
        "points": row["points"],
    }


def _check_active(enrollment):
    if enrollment["status"] != "active":
        raise Rejection.failed_precondition(
            f"Enrollment {enrollment['enrollment_id']!r} is {enrollment['status']}, not active."
        )


def _check_course(assignment, cohort):
    if assignment["course_id"] != cohort["course_id"]:
        raise Rejection.failed_precondition(
            f"Assignment {assignment['assignment_id']!r} does not belong to course {cohort['course_id']!r}."
        )


@tool(reads=["course", "cohort"], writes=["assignment"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def add_assignment(
    db: Database,
    course_id: Annotated[str, "course"],
    title: Annotated[str, "title", Field(min_length=1)],
    due_day: Annotated[int, "days from cohort start", Field(ge=0, le=365)],
    max_points: Annotated[int, "most points", Field(ge=1, le=1000)],
) -> Assignment:
    """Add an assignment to a course.

    Requires: No cohort of the course is running. The course has no assignment with this title, ignoring case.
    """
    db.require("course", course_id)
    running = db.first(
        "SELECT cohort_id FROM cohort WHERE course_id = ? AND canceled_at IS NULL AND ? BETWEEN starts_on AND ends_on",
        course_id,
        db.today,
    )
    if running is not None:
        raise Rejection.failed_precondition(f"Cohort {running['cohort_id']!r} of course {course_id!r} is running.")
    if (
        db.first(
            "SELECT assignment_id FROM assignment WHERE course_id = ? AND lower(title) = lower(?)", course_id, title
        )
        is not None
    ):
        raise Rejection.already_exists(f"Course {course_id!r} has an assignment {title!r} already.")
    row = db.insert(
        "assignment",
        assignment_id=db.new_id("assignment"),
        course_id=course_id,
        title=title,
        due_day=due_day,
        max_points=max_points,
    )
    return {
        "assignment_id": row["assignment_id"],
        "course_id": course_id,
        "title": title,
        "due_day": due_day,
        "max_points": max_points,
    }


@tool(reads=["cohort", "enrollment", "assignment", "submission", "extension"], rejects=["NOT_FOUND"])
def list_coursework(db: Database, enrollment_id: Annotated[str, "enrollment"]) -> CourseworkList:
    """List an enrollment's assignments, due dates, work, and points.

    All assignments of the course, by due_day, then title.
    """
    enrollment = db.require("enrollment", enrollment_id)
    rows = db.select(
        """
        SELECT assignment_id FROM assignment
        WHERE course_id = (SELECT course_id FROM cohort WHERE cohort_id = ?)
        ORDER BY due_day, title, assignment_id
        """,
        enrollment["cohort_id"],
    )
    return {
        "enrollment_id": enrollment_id,
        "assignments": [_work(db, enrollment_id, row["assignment_id"]) for row in rows],
    }


@tool(
    reads=["cohort", "enrollment", "assignment", "extension"],
    writes=["submission"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def submit_work(
    db: Database,
    enrollment_id: Annotated[str, "enrollment"],
    assignment_id: Annotated[str, "assignment"],
    link: Annotated[str, "where the work is", Field(min_length=1)],
) -> Coursework:
    """Hand in work for an assignment.

    Requires: The enrollment is active. The cohort is not upcoming. The assignment belongs to the enrollment's course.
    Work for it is not graded yet.

    First work adds a submission with attempts 1; later work replaces link and submitted_at in it, and attempts goes up
    by 1. late becomes true if today is after the personal due date, else false.
    """
    enrollment = db.require("enrollment", enrollment_id)
    assignment = db.require("assignment", assignment_id)
    _check_active(enrollment)
    cohort = db.get("cohort", enrollment["cohort_id"])
    if cohort["canceled_at"] is None and db.today < cohort["starts_on"]:
        raise Rejection.failed_precondition(f"Cohort {cohort['cohort_id']!r} starts only on {cohort['starts_on']}.")
    _check_course(assignment, cohort)
    work = _work(db, enrollment_id, assignment_id)
    if work["status"] == "graded":
        raise Rejection.failed_precondition(f"The work for assignment {assignment_id!r} is graded already.")
    late = int(db.today > work["due_on"])
    if work["status"] == "missing":
        db.insert(
            "submission",
            submission_id=db.new_id("submission"),
            enrollment_id=enrollment_id,
            assignment_id=assignment_id,
            link=link,
            submitted_at=db.now,
            attempts=1,
            late=late,
        )
    else:
        db.update(
            "submission",
            work["submission_id"],
            link=link,
            submitted_at=db.now,
            attempts=work["attempts"] + 1,
            late=late,
        )
    return _work(db, enrollment_id, assignment_id)


@tool(
    reads=["cohort", "enrollment", "assignment", "extension"],
    writes=["submission"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def grade_submission(
    db: Database, submission_id: Annotated[str, "submission"], points: Annotated[int, "points given", Field(ge=0)]
) -> Coursework:
    """Grade submitted work, or correct its grade.

    Requires: The enrollment is active. points is at most the assignment's max_points.

    Sets points; graded_at is the clock.
    """
    submission = db.require("submission", submission_id)
    _check_active(db.get("enrollment", submission["enrollment_id"]))
    assignment = db.get("assignment", submission["assignment_id"])
    if points > assignment["max_points"]:
        raise Rejection.failed_precondition(
            f"{points} points are more than the {assignment['max_points']} of the assignment."
        )
    db.update("submission", submission_id, points=points, graded_at=db.now)
    return _work(db, submission["enrollment_id"], submission["assignment_id"])


@tool(
    reads=["cohort", "enrollment", "assignment", "submission"],
    writes=["extension"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def extend_deadlines(
    db: Database,
    enrollment_id: Annotated[str, "enrollment"],
    assignment_ids: Annotated[list[str], "assignments", Field(min_length=1, max_length=20)],
    days: Annotated[int, "days to add", Field(ge=1, le=60)],
) -> CourseworkList:
    """Give one learner more days for assignments.

    Requires: The enrollment is active. Every assignment belongs to the enrollment's course. The enrollment has no
    submission for any of them.

    Adds an extension of days per assignment, or adds days to the one there. Returns only these assignments.
    """
    if len(set(assignment_ids)) < len(assignment_ids):
        raise Rejection.invalid_argument("An assignment is given twice.")
    enrollment = db.require("enrollment", enrollment_id)
    assignments = [db.require("assignment", assignment_id) for assignment_id in assignment_ids]
    _check_active(enrollment)
    cohort = db.get("cohort", enrollment["cohort_id"])
    for assignment in assignments:
        _check_course(assignment, cohort)
    works = [_work(db, enrollment_id, assignment_id) for assignment_id in assignment_ids]
    for work in works:
        if work["status"] != "missing":
            raise Rejection.failed_precondition(f"Work for assignment {work['assignment_id']!r} was handed in already.")
    for assignment_id in assignment_ids:
        extension = db.first(
            "SELECT * FROM extension WHERE enrollment_id = ? AND assignment_id = ?", enrollment_id, assignment_id
        )
        if extension is None:
            db.insert(
                "extension",
                extension_id=db.new_id("extension"),
                enrollment_id=enrollment_id,
                assignment_id=assignment_id,
                days=days,
            )
        else:
            db.update("extension", extension["extension_id"], days=extension["days"] + days)
    return {
        "enrollment_id": enrollment_id,
        "assignments": [_work(db, enrollment_id, assignment_id) for assignment_id in assignment_ids],
    }
