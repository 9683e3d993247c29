"""What the front desk keeps to, though its tools would do otherwise."""

from runtime import Database, add_days, days_between
from runtime.rules import Call, duty, rule


@rule(
    "IDENTIFIED_FIRST",
    on={
        "borrow_book": "member_id",
        "renew_loan": "loan_id",
        "place_hold": "member_id",
        "cancel_hold": "hold_id",
        "forgive_debt": "member_id",
        "change_phone": "member_id",
    },
    reads=["member", "loan", "hold", "identification"],
    exempt={
        "return_book": "Anybody may bring a book back.",
        "register_member": "Whoever gets their first card has none to be identified by.",
    },
)
def identified_first(call: Call, now: Database, start: Database) -> bool:
    """Nothing is lent, renewed, queued for, given up, forgiven or changed on a card before the member was identified
    today, by the e-mail address and the phone number on their card or by the card itself, and that is noted. Whoever
    got their card today is known."""
    member_id = _whose(call, now)
    return start.get("member", member_id) is None or now.get("identification", member_id, now.today) is not None


@rule("DEBT_LIMIT", on={"borrow_book": "book_id"}, reads=["member"], most_cents=1000)
def debt_limit(call: Call, now: Database, start: Database, most_cents: int) -> bool:
    """Nobody who owes more than {most_cents} cents borrows a book."""
    return now.require("member", _whose(call, now))["owed_cents"] <= most_cents


@rule("LOAN_LIMIT", on={"borrow_book": "book_id"}, reads=["loan"], most=5)
def loan_limit(call: Call, now: Database, start: Database, most: int) -> bool:
    """A member has at most {most} books out at the same time."""
    out = now.value("SELECT count(*) FROM loan WHERE member_id = ? AND status = 'out'", _whose(call, now))
    return out < most


@rule("BORROWING_PACE", on={"borrow_book": "book_id"}, reads=["loan"], most=3, days=14)
def borrowing_pace(call: Call, now: Database, start: Database, most: int, days: int) -> bool:
    """A member borrows at most {most} books within {days} days, today included, whether or not they are back."""
    since = add_days(now.today, 1 - days)
    taken = now.value("SELECT count(*) FROM loan WHERE member_id = ? AND borrowed_on >= ?", _whose(call, now), since)
    return taken < most


@rule("SAME_BOOK_AGAIN", on={"borrow_book": "book_id"}, reads=["loan"], days=60)
def same_book_again(call: Call, now: Database, start: Database, days: int) -> bool:
    """A book goes to the same member again no sooner than {days} days after they brought it back."""
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
    """A loan is not renewed while another member waits for the book."""
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
    """A loan is renewed no sooner than {days} days before it is due."""
    return days_between(now.today, now.require("loan", call.item)["due_on"]) <= days


@rule(
    "SUSPENDED",
    on={"place_hold": "book_id", "renew_loan": "loan_id"},
    reads=["member", "loan"],
    exempt={"borrow_book": "The tool itself lends nothing to a suspended member."},
)
def suspended(call: Call, now: Database, start: Database) -> bool:
    """A suspended member neither queues for a book nor renews a loan."""
    return now.require("member", _whose(call, now))["status"] != "suspended"


@rule("HOLD_LIMIT", on={"place_hold": "book_id"}, reads=["hold"], most=3)
def hold_limit(call: Call, now: Database, start: Database, most: int) -> bool:
    """A member waits for at most {most} books at the same time."""
    waiting = now.value("SELECT count(*) FROM hold WHERE member_id = ? AND status = 'waiting'", _whose(call, now))
    return waiting < most


@rule(
    "FORGIVEN_A_DAY",
    on={"forgive_debt": "member_id"},
    reads=["member"],
    exempt={"return_book": "It adds to what is owed."},
    most_cents=500,
)
def forgiven_a_day(call: Call, now: Database, start: Database, most_cents: int) -> bool:
    """The desk brings what a member owes down to no more than {most_cents} cents below what they owed this morning;
    more is for the manager to decide. What a colleague promised is taken on the member's word."""
    left = now.require("member", call.item)["owed_cents"] - call.arguments["cents"]
    return left >= start.require("member", call.item)["owed_cents"] - most_cents


@duty("LEAVES_THE_QUEUE", reads=["loan", "hold"])
def leaves_the_queue(start: Database, end: Database) -> bool:
    """Whoever borrowed a book no longer waits for it."""
    still = end.select(
        """
        SELECT loan_id FROM loan JOIN hold ON hold.book_id = loan.book_id AND hold.member_id = loan.member_id
        WHERE hold.status = 'waiting'
        """
    )
    return all(start.get("loan", each["loan_id"]) is not None for each in still)


@duty("DECLINED_STAYS", reads=["loan", "hold", "declined_request"])
def declined_stays(start: Database, end: Database) -> bool:
    """A request that a rule forbids is declined, and that is noted under the rule. What was noted so is not done after
    all: the loan is due when it was, the book neither lent to the member nor queued for."""
    declined = end.select("SELECT member_id, subject_id FROM declined_request WHERE declined_on = ?", end.today)
    for each in declined:
        loan = start.get("loan", each["subject_id"])
        if loan is not None and end.require("loan", each["subject_id"])["due_on"] != loan["due_on"]:
            return False
        if _taken(start, each) != _taken(end, each):
            return False
    return True


def _whose(call, now):
    """The member whom a call is for."""
    if "loan_id" in call.arguments:
        return now.require("loan", call.arguments["loan_id"])["member_id"]
    if "hold_id" in call.arguments:
        return now.require("hold", call.arguments["hold_id"])["member_id"]
    return call.arguments["member_id"]


def _taken(state, declined):
    """How often a member has borrowed or queued for a book."""
    asked = (declined["subject_id"], declined["member_id"])
    lent = state.value("SELECT count(*) FROM loan WHERE book_id = ? AND member_id = ?", *asked)
    return lent + state.value("SELECT count(*) FROM hold WHERE book_id = ? AND member_id = ?", *asked)
