"""Holds: deadlines, salary expectations and priorities of applications."""

from typing import Annotated

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_minutes, tool


class DeadlineSet(TypedDict):
    application_id: Annotated[str, "the application"]
    deadline_set: Annotated[bool, "whether it is set"]


class ClearedDeadline(TypedDict):
    application_id: Annotated[str, "the application"]
    former_deadline_date: Annotated[Timestamp, "when it was due"]
    former_deadline_type: Annotated[str | None, "what was due"]


class DeadlineEntry(TypedDict):
    application_id: Annotated[str, "the application"]
    job_title: Annotated[str, "title of the job"]
    company_name: Annotated[str, "the employer"]
    deadline_date: Annotated[Timestamp, "when it is due"]
    deadline_type: Annotated[str | None, "what is due"]
    is_overdue: Annotated[bool, "deadline_date is before the clock"]


class DeadlineList(TypedDict):
    deadlines: Annotated[list[DeadlineEntry], "deadlines found"]
    total: Annotated[int, "all matches"]


class ExtendedDeadlines(TypedDict):
    deadlines: Annotated[list[DeadlineEntry], "the new deadlines"]


class SalaryAdded(TypedDict):
    application_id: Annotated[str, "the application"]
    success: Annotated[bool, "whether it is recorded"]


class SalaryExpectation(TypedDict):
    application_id: Annotated[str, "the application"]
    expected_salary_min: Annotated[int | None, "least, whole currency units"]
    expected_salary_max: Annotated[int | None, "most, whole currency units"]
    salary_currency: Annotated[str, "three-letter currency code"]


class ApplicationPriority(TypedDict):
    application_id: Annotated[str, "the application"]
    priority_level: Annotated[int, "1 to 5, 5 is highest"]
    priority_reason: Annotated[str | None, "why this priority"]


def _require_open(application):
    """The application must be open."""
    if application["status"] not in ("draft", "submitted", "under_review"):
        raise Rejection.failed_precondition(
            f"Application {application['application_id']!r} is {application['status']}, not open."
        )


def _deadline(db, application):
    """What a list of deadlines shows of an application."""
    return {
        "application_id": application["application_id"],
        "job_title": application["job_title"],
        "company_name": application["company_name"],
        "deadline_date": application["deadline_date"],
        "deadline_type": application["deadline_type"],
        "is_overdue": application["deadline_date"] < db.now,
    }


def _reversed(least, most):
    """Whether both ends of a salary range are known and its end lies below its beginning."""
    return least is not None and most is not None and most < least


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def set_application_deadline(
    db: Database,
    application_id: Annotated[str, "the application"],
    deadline_date: Annotated[Timestamp, "when it is due"],
    deadline_type: Annotated[str, "such as follow_up or response", Field(min_length=1)],
) -> DeadlineSet:
    """Set or replace the deadline of an application."""
    _require_open(db.require("job_application", application_id))
    if deadline_date <= db.now:
        raise Rejection.failed_precondition(f"deadline_date {deadline_date} is not after the present, {db.now}.")
    db.update(
        "job_application", application_id, deadline_date=deadline_date, deadline_type=deadline_type, updated_at=db.now
    )
    return {"application_id": application_id, "deadline_set": True}


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def clear_application_deadline(db: Database, application_id: Annotated[str, "the application"]) -> ClearedDeadline:
    """Remove the deadline of an application."""
    application = db.require("job_application", application_id)
    if application["deadline_date"] is None:
        raise Rejection.failed_precondition(f"Application {application_id!r} has no deadline.")
    db.update("job_application", application_id, deadline_date=None, deadline_type=None, updated_at=db.now)
    return {
        "application_id": application_id,
        "former_deadline_date": application["deadline_date"],
        "former_deadline_type": application["deadline_type"],
    }


@tool(reads=["job_application"], rejects=["INVALID_ARGUMENT"])
def list_application_deadlines(
    db: Database,
    from_date: Annotated[Date | None, "first day due"] = None,
    to_date: Annotated[Date | None, "last day due"] = None,
    deadline_type: Annotated[str | None, "only this type"] = None,
    limit: Annotated[int, "most entries shown", Field(ge=1, le=50)] = 20,
) -> DeadlineList:
    """List the deadlines of open applications."""
    if from_date is not None and to_date is not None and to_date < from_date:
        raise Rejection.invalid_argument(f"to_date {to_date} is before from_date {from_date}.")
    applications = db.select(
        """SELECT application_id, job_title, company_name, deadline_date, deadline_type
           FROM job_application
           WHERE status IN ('draft', 'submitted', 'under_review')
             AND substr(deadline_date, 1, 10) BETWEEN coalesce(?, '0000-01-01') AND coalesce(?, '9999-12-31')
             AND coalesce(?, '') IN ('', deadline_type)
           ORDER BY deadline_date, application_id""",
        from_date,
        to_date,
        deadline_type,
    )
    return {
        "deadlines": [_deadline(db, application) for application in applications[:limit]],
        "total": len(applications),
    }


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def extend_application_deadlines(
    db: Database,
    application_ids: Annotated[list[str], "the applications", Field(min_length=1, max_length=20)],
    days: Annotated[int, "days to add", Field(ge=1, le=60)],
) -> ExtendedDeadlines:
    """Move the deadlines of several applications on by some days."""
    if len(set(application_ids)) < len(application_ids):
        raise Rejection.invalid_argument("application_ids holds an id twice.")
    applications = [db.require("job_application", application_id) for application_id in application_ids]
    for application in applications:
        _require_open(application)
        if application["deadline_date"] is None:
            raise Rejection.failed_precondition(f"Application {application['application_id']!r} has no deadline.")
    moved = [add_minutes(application["deadline_date"], days * 24 * 60) for application in applications]
    for application, deadline in zip(applications, moved):
        if deadline <= db.now:
            raise Rejection.failed_precondition(
                f"The new deadline {deadline} of {application['application_id']!r} is not after the present, {db.now}."
            )
    changed = [
        db.update("job_application", application["application_id"], deadline_date=deadline, updated_at=db.now)
        for application, deadline in zip(applications, moved)
    ]
    return {"deadlines": [_deadline(db, application) for application in changed]}


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS", "FAILED_PRECONDITION"])
def add_salary_expectation(
    db: Database,
    application_id: Annotated[str, "the application"],
    expected_salary_min: Annotated[int, "least, in whole currency units", Field(ge=1)],
    expected_salary_max: Annotated[int | None, "most, in whole currency units", Field(ge=1)] = None,
    salary_currency: Annotated[str, "three-letter currency code", Field(min_length=3, max_length=3)] = "USD",
) -> SalaryAdded:
    """Record the salary an applicant expects for a job."""
    if _reversed(expected_salary_min, expected_salary_max):
        raise Rejection.invalid_argument(
            f"expected_salary_max {expected_salary_max} is below expected_salary_min {expected_salary_min}."
        )
    application = db.require("job_application", application_id)
    if application["expected_salary_min"] is not None or application["expected_salary_max"] is not None:
        raise Rejection.already_exists(f"Application {application_id!r} has a salary expectation already.")
    _require_open(application)
    db.update(
        "job_application",
        application_id,
        expected_salary_min=expected_salary_min,
        expected_salary_max=expected_salary_max,
        salary_currency=salary_currency,
        updated_at=db.now,
    )
    return {"application_id": application_id, "success": True}


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def change_salary_expectation(
    db: Database,
    application_id: Annotated[str, "the application"],
    expected_salary_min: Annotated[int | None, "new least amount", Field(ge=1)] = None,
    expected_salary_max: Annotated[int | None, "new greatest amount", Field(ge=1)] = None,
    salary_currency: Annotated[str | None, "three-letter currency code", Field(min_length=3, max_length=3)] = None,
) -> SalaryExpectation:
    """Change the given parts of a recorded salary expectation."""
    given = {
        "expected_salary_min": expected_salary_min,
        "expected_salary_max": expected_salary_max,
        "salary_currency": salary_currency,
    }
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument(f"Give at least one of {', '.join(given)}.")
    if _reversed(expected_salary_min, expected_salary_max):
        raise Rejection.invalid_argument(
            f"expected_salary_max {expected_salary_max} is below expected_salary_min {expected_salary_min}."
        )
    application = db.require("job_application", application_id)
    _require_open(application)
    if application["expected_salary_min"] is None and application["expected_salary_max"] is None:
        raise Rejection.failed_precondition(f"Application {application_id!r} has no salary expectation yet.")
    least = changes.get("expected_salary_min", application["expected_salary_min"])
    most = changes.get("expected_salary_max", application["expected_salary_max"])
    if _reversed(least, most):
        raise Rejection.failed_precondition(f"The range would run from {least} to {most}, which is below it.")
    changed = db.update("job_application", application_id, updated_at=db.now, **changes)
    return {
        "application_id": application_id,
        "expected_salary_min": changed["expected_salary_min"],
        "expected_salary_max": changed["expected_salary_max"],
        "salary_currency": changed["salary_currency"],
    }


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def set_application_priority(
    db: Database,
    application_id: Annotated[str, "the application"],
    priority_level: Annotated[int, "5 is highest", Field(ge=1, le=5)],
    priority_reason: Annotated[str | None, "why, needed for 5", Field(min_length=1)] = None,
) -> ApplicationPriority:
    """Set how much an application matters."""
    if priority_level == 5 and priority_reason is None:
        raise Rejection.invalid_argument("Priority level 5 needs a priority_reason.")
    application = db.require("job_application", application_id)
    _require_open(application)
    if priority_level == 5:
        others = db.value(
            """SELECT count(*) FROM job_application
               WHERE email = ? AND priority_level = 5 AND application_id <> ?
                 AND status IN ('draft', 'submitted', 'under_review')""",
            application["email"],
            application_id,
        )
        if others >= 3:
            raise Rejection.failed_precondition(
                f"{application['email']} has {others} other open applications of level 5; fewer than 3 are allowed."
            )
    db.update(
        "job_application",
        application_id,
        priority_level=priority_level,
        priority_reason=priority_reason,
        updated_at=db.now,
    )
    return {
        "application_id": application_id,
        "priority_level": priority_level,
        "priority_reason": priority_reason,
    }
