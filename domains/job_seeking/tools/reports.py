"""Reports: counts, comparisons and rates."""

from decimal import Decimal
from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class StatusCount(TypedDict):
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"], "status"
    ]
    application_count: Annotated[int, "applications in it"]
    share: Annotated[float, "percent of total, two decimals"]


class StatusReport(TypedDict):
    counts: Annotated[list[StatusCount], "one per status"]
    total: Annotated[int, "applications counted"]


class ReferralLine(TypedDict):
    referral_source: Annotated[str, "source"]
    application_count: Annotated[int, "applications from it"]
    interviewed_count: Annotated[int, "those with an interview"]
    accepted_count: Annotated[int, "those with status accepted"]
    acceptance_rate: Annotated[float, "percent accepted, two decimals"]


class ReferralReport(TypedDict):
    sources: Annotated[list[ReferralLine], "one per source"]
    total: Annotated[int, "all sources"]


class PerformanceLine(TypedDict):
    interview_type: Annotated[str, "type of interview"]
    interview_count: Annotated[int, "interviews that took place"]
    rating_count: Annotated[int, "feedback with a rating"]
    average_rating: Annotated[float | None, "two decimals; null without ratings"]


class PerformanceReport(TypedDict):
    types: Annotated[list[PerformanceLine], "one per interview type"]
    total: Annotated[int, "all types"]


class ApplicationRoi(TypedDict):
    interview_conversion_rate: Annotated[float, "interviews per application, percent"]
    offer_conversion_rate: Annotated[float, "offers per application, percent"]
    interview_to_offer_rate: Annotated[float, "offers per interview, percent"]


class SuccessRate(TypedDict):
    success_rate: Annotated[float, "percent successful"]
    rejection_rate: Annotated[float, "percent rejected"]
    pending_rate: Annotated[float, "percent neither"]


STATUSES = ("draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived")


def _rounded(part, whole):
    # Decimal keeps exact halves, which floats lose.
    return float(round(Decimal(part) / Decimal(whole), 2))


def _percent(part, whole):
    return _rounded(100 * part, whole) if whole else 0.0


@tool(reads=["job_application"], rejects=["INVALID_ARGUMENT"])
def count_applications_by_status(
    db: Database,
    company_name: Annotated[str | None, "contained in the company name"] = None,
    applied_from: Annotated[Date | None, "earliest day of application_date"] = None,
    applied_to: Annotated[Date | None, "latest day of application_date"] = None,
) -> StatusReport:
    """Count applications in each status.

    All seven statuses are listed, also with 0, in the order draft, submitted, under_review, rejected, accepted,
    withdrawn, archived. share is application_count of total in percent; total counts the applications that pass the
    filters.
    """
    if applied_from is not None and applied_to is not None and applied_from > applied_to:
        raise Rejection.invalid_argument(f"applied_from {applied_from} is after applied_to {applied_to}.")
    rows = db.select(
        """SELECT status, count(*) AS application_count FROM job_application
        WHERE (? IS NULL OR instr(lower(company_name), lower(?)) > 0)
          AND (? IS NULL OR substr(application_date, 1, 10) >= ?)
          AND (? IS NULL OR substr(application_date, 1, 10) <= ?)
        GROUP BY status""",
        company_name,
        company_name,
        applied_from,
        applied_from,
        applied_to,
        applied_to,
    )
    found = {row["status"]: row["application_count"] for row in rows}
    total = sum(found.values())
    counts = [
        {
            "status": status,
            "application_count": found.get(status, 0),
            "share": _percent(found.get(status, 0), total),
        }
        for status in STATUSES
    ]
    return {"counts": counts, "total": total}


@tool(reads=["job_application", "interview_schedule"])
def report_referral_sources(
    db: Database, limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20
) -> ReferralReport:
    """Compare the referral sources of applications.

    One line per distinct referral_source of applications that are not drafts; those without source are left out.
    interviewed_count: applications with at least one interview, past or upcoming; acceptance_rate is accepted_count of
    application_count. Order: highest application_count first, then referral_source; total counts the sources.
    """
    rows = db.select(
        """SELECT a.referral_source,
            count(*) AS application_count,
            sum(EXISTS (SELECT 1 FROM interview_schedule i WHERE i.application_id = a.application_id))
                AS interviewed_count,
            sum(a.status = 'accepted') AS accepted_count
        FROM job_application a
        WHERE a.status <> 'draft' AND a.referral_source IS NOT NULL
        GROUP BY a.referral_source
        ORDER BY application_count DESC, a.referral_source"""
    )
    sources = [
        {**row, "acceptance_rate": _percent(row["accepted_count"], row["application_count"])} for row in rows[:limit]
    ]
    return {"sources": sources, "total": len(rows)}


@tool(reads=["interview_schedule", "interview_feedback"])
def report_interview_performance(
    db: Database, limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20
) -> PerformanceReport:
    """Show average ratings by type of interview.

    One line per distinct interview_type of interviews that are not upcoming; only these and their feedback count.
    average_rating is the mean performance_rating of their feedback that has one; null if rating_count is 0. Order:
    interview_type; total counts the types.
    """
    rows = db.select(
        """SELECT i.interview_type,
            count(DISTINCT i.interview_id) AS interview_count,
            count(f.performance_rating) AS rating_count,
            sum(f.performance_rating) AS rating_sum
        FROM interview_schedule i LEFT JOIN interview_feedback f ON f.interview_id = i.interview_id
        WHERE i.interview_date <= ?
        GROUP BY i.interview_type
        ORDER BY i.interview_type""",
        db.now,
    )
    types = [
        {
            "interview_type": row["interview_type"],
            "interview_count": row["interview_count"],
            "rating_count": row["rating_count"],
            "average_rating": _rounded(row["rating_sum"], row["rating_count"]) if row["rating_count"] else None,
        }
        for row in rows[:limit]
    ]
    return {"types": types, "total": len(rows)}


@tool()
def calculate_application_roi(
    db: Database,
    total_applications: Annotated[int, "applications sent", Field(ge=0)],
    total_interviews: Annotated[int, "interviews had", Field(ge=0)],
    total_offers: Annotated[int, "offers received", Field(ge=0)],
) -> ApplicationRoi:
    """Work out how applications turn into interviews and offers.

    interview_conversion_rate is interviews of applications, offer_conversion_rate offers of applications,
    interview_to_offer_rate offers of interviews; each in percent, may exceed 100.
    """
    return {
        "interview_conversion_rate": _percent(total_interviews, total_applications),
        "offer_conversion_rate": _percent(total_offers, total_applications),
        "interview_to_offer_rate": _percent(total_offers, total_interviews),
    }


@tool(rejects=["INVALID_ARGUMENT"])
def calculate_application_success_rate(
    db: Database,
    total_applications: Annotated[int, "applications sent", Field(ge=0)],
    successful_applications: Annotated[int, "successful ones", Field(ge=0)],
    rejected_applications: Annotated[int, "rejected ones", Field(ge=0)],
) -> SuccessRate:
    """Work out the shares of successful, rejected and pending applications.

    Each rate is a share of total_applications in percent; pending are those neither successful nor rejected, rounded on
    their own.
    """
    pending_applications = total_applications - successful_applications - rejected_applications
    if pending_applications < 0:
        raise Rejection.invalid_argument(
            f"{successful_applications} successful and {rejected_applications} rejected applications"
            f" are more than the total of {total_applications}."
        )
    return {
        "success_rate": _percent(successful_applications, total_applications),
        "rejection_rate": _percent(rejected_applications, total_applications),
        "pending_rate": _percent(pending_applications, total_applications),
    }
