"""What the front desk must keep to, although its tools would allow it."""

from runtime import Database, add_days, days_between
from runtime.rules import Call, allows, duty, rule


@rule("DEBT_LIMIT", on={"borrow_book": "book_id"}, reads=["member"], most_cents=1000)
def debt_limit(call: Call, now: Database, start: Database, most_cents: int) -> bool:
    """A member who owes more than {most_cents} in late fees cannot check out a book. Owing exactly that is fine."""
    return now.require("member", _whose(call, now))["owed_cents"] <= most_cents


@rule("LOAN_LIMIT", on={"borrow_book": "book_id"}, reads=["loan"], most=5)
def loan_limit(call: Call, now: Database, start: Database, most: int) -> bool:
    """A member can have at most {most} books checked out at a time, counting the new one."""
    out = now.value("SELECT count(*) FROM loan WHERE member_id = ? AND status = 'out'", _whose(call, now))
    return out < most


@rule("BORROWING_PACE", on={"borrow_book": "book_id"}, reads=["loan"], most=3, days=14)
def borrowing_pace(call: Call, now: Database, start: Database, most: int, days: int) -> bool:
    """A member can check out at most {most} books in any {days} days, counting today and the new one, even if some of
    them are back already."""
    since = add_days(now.today, 1 - days)
    taken = now.value("SELECT count(*) FROM loan WHERE member_id = ? AND borrowed_on >= ?", _whose(call, now), since)
    return taken < most


@rule("SAME_BOOK_AGAIN", on={"borrow_book": "book_id"}, reads=["loan"], days=60)
def same_book_again(call: Call, now: Database, start: Database, days: int) -> bool:
    """A member can check out the same book again once {days} days have passed since they last returned it."""
    back = now.value(
        "SELECT max(returned_at) FROM loan WHERE member_id = ? AND book_id = ? AND status = 'returned'",
        _whose(call, now),
        call.item,
    )
    return back is None or days_between(back, now.today) >= days


@rule(
    "OTHERS_WAIT",
    on={"renew_loan": "loan_id"},
    reads=["loan", "hold"],
    exempt={"borrow_book": "It lends a copy that is in, for the first time."},
)
def others_wait(call: Call, now: Database, start: Database) -> bool:
    """A loan cannot be renewed while another member has a hold on the book."""
    loan = now.require("loan", call.item)
    return not now.value(
        "SELECT count(*) FROM hold WHERE book_id = ? AND status = 'waiting' AND member_id <> ?",
        loan["book_id"],
        loan["member_id"],
    )


@rule(
    "RENEWAL_WINDOW",
    on={"renew_loan": "loan_id"},
    reads=["loan"],
    exempt={"borrow_book": "A first loan has nothing to be too early for."},
    days=5,
)
def renewal_window(call: Call, now: Database, start: Database, days: int) -> bool:
    """A loan can be renewed from {days} days before its due date."""
    return days_between(now.today, now.require("loan", call.item)["due_on"]) <= days


@rule(
    "SUSPENDED",
    on={"place_hold": "book_id", "renew_loan": "loan_id"},
    reads=["member", "loan"],
    exempt={"borrow_book": "The tool itself lends nothing to a suspended member."},
)
def suspended(call: Call, now: Database, start: Database) -> bool:
    """A suspended member can neither place a hold nor renew a loan."""
    return now.require("member", _whose(call, now))["status"] != "suspended"


@rule("HOLD_LIMIT", on={"place_hold": "book_id"}, reads=["hold"], most=3)
def hold_limit(call: Call, now: Database, start: Database, most: int) -> bool:
    """A member can have at most {most} holds waiting at a time, counting the new one."""
    waiting = now.value("SELECT count(*) FROM hold WHERE member_id = ? AND status = 'waiting'", _whose(call, now))
    return waiting < most


@rule(
    "FORGIVEN_A_DAY",
    on={"forgive_debt": "member_id"},
    reads=["member", "loan"],
    exempt={"return_book": "It adds to what is owed."},
    no_counterfactual="It depends on the amount that is asked for, which no row holds.",
    most_cents=500,
    daily_cents=25,
)
def forgiven_a_day(call: Call, now: Database, start: Database, most_cents: int, daily_cents: int) -> bool:
    """The desk can waive late fees for a member who asks, {most_cents} a day at most; no reason is needed. Fees that come
    up the same day, {daily_cents} for each day that a book is late, do not raise that. A request for more is declined
    as a whole."""
    back = now.select("SELECT loan_id, due_on FROM loan WHERE member_id = ? AND returned_at >= ?", call.item, now.today)
    late = [days_between(each["due_on"], now.today) for each in back if _was_out(start, each["loan_id"])]
    added = sum(daily_cents * max(0, days) for days in late)
    waived = start.require("member", call.item)["owed_cents"] + added - now.require("member", call.item)["owed_cents"]
    return waived + call.arguments["cents"] <= most_cents


@duty("LEAVES_THE_QUEUE", reads=["loan", "hold"])
def leaves_the_queue(start: Database, end: Database) -> bool:
    """When a member checks out a book they have a hold on, cancel that hold."""
    still = end.select(
        """
        SELECT loan_id FROM loan JOIN hold ON hold.book_id = loan.book_id AND hold.member_id = loan.member_id
        WHERE hold.status = 'waiting'
        """
    )
    return all(start.get("loan", each["loan_id"]) is not None for each in still)


@duty("DECLINED_STAYS", reads=["member", "loan", "hold", "declined_request"])
def declined_stays(start: Database, end: Database) -> bool:
    """These stay undone for the rest of the day once you recorded them as declined, even if the reason goes away:
    renewing that loan, and checking out that book to the member or placing a hold on it for them. What was done before
    is not affected, and other requests are judged anew."""
    declined = end.select("SELECT member_id, subject_id FROM declined_request WHERE declined_on = ?", end.today)
    for each in [each for each in declined if _was_forbidden(start, each)]:
        loan = start.get("loan", each["subject_id"])
        if loan is not None and end.require("loan", each["subject_id"])["due_on"] != loan["due_on"]:
            return False
        if _taken(start, each) != _taken(end, each):
            return False
    return True


def _was_forbidden(start, declined):
    """Whether a rule forbade this morning what was declined; else it may have been done first, and declined after."""
    subject, member = declined["subject_id"], declined["member_id"]
    if start.get("loan", subject) is not None:
        rules = (others_wait, renewal_window, suspended)
        return not all(allows(each, start, "renew_loan", loan_id=subject) for each in rules)
    lending, queueing = (debt_limit, loan_limit, borrowing_pace, same_book_again), (suspended, hold_limit)
    may_lend = all(allows(each, start, "borrow_book", member_id=member, book_id=subject) for each in lending)
    return not may_lend or not all(
        allows(each, start, "place_hold", member_id=member, book_id=subject) for each in queueing
    )


def _whose(call, now):
    """The member whom a call is for."""
    if "loan_id" in call.arguments:
        return now.require("loan", call.arguments["loan_id"])["member_id"]
    if "hold_id" in call.arguments:
        return now.require("hold", call.arguments["hold_id"])["member_id"]
    return call.arguments["member_id"]


def _was_out(start, loan_id):
    """Whether a loan, perhaps one that was made today, was not back yet this morning."""
    return not start.value("SELECT count(*) FROM loan WHERE loan_id = ? AND status = 'returned'", loan_id)


def _taken(state, declined):
    """How often a member has borrowed or queued for a book."""
    asked = (declined["subject_id"], declined["member_id"])
    lent = state.value("SELECT count(*) FROM loan WHERE book_id = ? AND member_id = ?", *asked)
    return lent + state.value("SELECT count(*) FROM hold WHERE book_id = ? AND member_id = ?", *asked)
