"""Loans: borrowing, renewing and returning books, and what a late return costs."""

from typing import Annotated, Literal

from runtime import Database, Date, Rejection, TypedDict, add_days, days_between, tool

LOAN_DAYS = 14
CENTS_PER_DAY = 25


class Loan(TypedDict):
    loan_id: Annotated[str, "Loan number"]
    book_id: Annotated[str, "What was borrowed"]
    title: Annotated[str, "Its title"]
    borrowed_on: Annotated[str, "First day"]
    due_on: Annotated[str, "Last day without a fee"]
    returned_at: Annotated[str | None, "When it came back"]
    renewals: Annotated[int, "How often it was extended"]
    status: Annotated[Literal["out", "returned"], "Where the copy is"]
    others_waiting: Annotated[int, "Other members in the queue for the book"]


class Loans(TypedDict):
    loans: Annotated[list[Loan], "Loans, by title"]


class DueDate(TypedDict):
    loan_id: Annotated[str, "Loan number"]
    due_on: Annotated[str, "Last day without a fee"]


class Fee(TypedDict):
    days_late: Annotated[int, "Days after the due date"]
    fee_cents: Annotated[int, "Late fee"]


@tool(reads=["loan", "book", "member", "hold"], rejects=["NOT_FOUND"])
def list_loans(
    db: Database,
    member_id: Annotated[str, "Whose loans"],
    status: Annotated[Literal["out", "returned"], "Loans that are still out, or past ones"] = "out",
) -> Loans:
    """List the books that a member has borrowed."""
    db.require("member", member_id)
    loans = db.select(
        """
        SELECT loan_id, loan.book_id, title, borrowed_on, due_on, returned_at, renewals, status, (
            SELECT count(*) FROM hold
            WHERE hold.book_id = loan.book_id AND hold.status = 'waiting' AND hold.member_id <> loan.member_id
        ) AS others_waiting
        FROM loan JOIN book ON book.book_id = loan.book_id
        WHERE member_id = ? AND status = ?
        ORDER BY title, loan_id
        """,
        member_id,
        status,
    )
    return {"loans": loans}


@tool(reads=["book", "member"], writes=["loan"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def borrow_book(
    db: Database,
    member_id: Annotated[str, "Who borrows"],
    book_id: Annotated[str, "What is borrowed"],
) -> DueDate:
    """Lend a copy of a book to a member for 14 days.

    The member must be active, and a copy must be in.
    """
    member = db.require("member", member_id)
    book = db.require("book", book_id)
    if member["status"] != "active":
        raise Rejection.failed_precondition(f"Member {member_id!r} is {member['status']}, not active.")
    if db.value("SELECT count(*) FROM loan WHERE book_id = ? AND status = 'out'", book_id) >= book["copies"]:
        raise Rejection.failed_precondition(f"Every copy of {book['title']!r} is lent; place a hold instead.")
    loan = db.insert(
        "loan",
        loan_id=db.new_id("loan"),
        book_id=book_id,
        member_id=member_id,
        borrowed_on=db.today,
        due_on=add_days(db.today, LOAN_DAYS),
    )
    return {"loan_id": loan["loan_id"], "due_on": loan["due_on"]}


@tool(writes=["loan"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def renew_loan(db: Database, loan_id: Annotated[str, "Loan to extend"]) -> DueDate:
    """Extend a loan by 14 days from its due date.

    Not after the due date, and not more than twice.
    """
    loan = _loan_that_is_out(db, loan_id)
    if loan["due_on"] < db.today:
        raise Rejection.failed_precondition(f"Loan {loan_id!r} was due on {loan['due_on']}; return the book instead.")
    if loan["renewals"] >= 2:
        raise Rejection.failed_precondition(f"Loan {loan_id!r} was renewed twice already.")
    renewed = db.update("loan", loan_id, due_on=add_days(loan["due_on"], LOAN_DAYS), renewals=loan["renewals"] + 1)
    return {"loan_id": loan_id, "due_on": renewed["due_on"]}


@tool(writes=["loan", "member"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def return_book(db: Database, loan_id: Annotated[str, "Loan that ends"]) -> Fee:
    """Take a book back; a late one adds 25 cents a day to what the member owes."""
    loan = _loan_that_is_out(db, loan_id)
    fee = _late_fee(loan["due_on"], db.today)
    db.update("loan", loan_id, status="returned", returned_at=db.now)
    if fee["fee_cents"]:
        member = db.require("member", loan["member_id"])
        db.update("member", loan["member_id"], owed_cents=member["owed_cents"] + fee["fee_cents"])
    return fee


@tool()
def calculate_late_fee(
    db: Database,
    due_on: Annotated[Date, "Last day without a fee"],
    returned_on: Annotated[Date, "Day of the return"],
) -> Fee:
    """Work out what a return on a given day would cost."""
    return _late_fee(due_on, returned_on)


def _loan_that_is_out(db, loan_id):
    loan = db.require("loan", loan_id)
    if loan["status"] != "out":
        raise Rejection.failed_precondition(f"Loan {loan_id!r} is {loan['status']}, not out.")
    return loan


def _late_fee(due_on, returned_on):
    days_late = max(0, days_between(due_on, returned_on))
    return {"days_late": days_late, "fee_cents": days_late * CENTS_PER_DAY}
