"""Rules of the office that its tools do not enforce."""

from runtime import Database, add_days, days_between
from runtime.rules import Call, duty, rule


@rule(
    "CONFIRM_WHEN_SETTLED",
    on={"confirm_booking": "booking_id"},
    reads=["booking", "ledger_entry"],
    exempt={
        "sign_contract": "Charges the planning fee and confirms no vendor",
        "change_package": "Charges or credits the planning fee and confirms no vendor",
        "add_charge": "Charges a fee and confirms no vendor",
        "record_payment": "Only lowers the balance",
        "add_credit": "Only lowers the balance",
        "record_refund": "Pays back what the client does not owe",
    },
    limit_cents=300000,
)
def confirm_when_settled(call: Call, now: Database, start: Database, limit_cents: int) -> bool:
    """A vendor booking can be confirmed only while the balance of its wedding is at most {limit_cents}; a balance of
    exactly that is fine. The balance is what has been charged and refunded, less what has been paid and credited;
    voided entries and the price of the booking to be confirmed don't count. A payment or credit today counts at
    once."""
    booking = now.require("booking", call.arguments["booking_id"])
    balance = now.value(
        """
        SELECT coalesce(sum(CASE WHEN kind IN ('charge', 'refund') THEN amount_cents ELSE -amount_cents END), 0)
        FROM ledger_entry WHERE wedding_id = ? AND status = 'posted'
        """,
        booking["wedding_id"],
    )
    return balance <= limit_cents


@rule(
    "SIGN_SOON",
    on={"sign_contract": "wedding_id"},
    reads=["wedding"],
    exempt={"change_package": "Only changes the fee of a contract that is signed already"},
    days=40,
)
def sign_soon(call: Call, now: Database, start: Database, days: int) -> bool:
    """A contract can be signed up to {days} days after the wedding was opened with us as an inquiry, counting the day
    after the opening as the start; the last of these days is fine. Later, the inquiry is stale and can't be signed.
    The day of the wedding itself plays no part."""
    wedding = now.require("wedding", call.arguments["wedding_id"])
    return days_between(wedding["created_at"][:10], now.today) <= days


@rule(
    "DATE_MOVES",
    on={"change_wedding_date": "wedding_id"},
    reads=["wedding"],
    exempt={"open_wedding": "Opens a new wedding with its first date and moves none"},
)
def date_moves(call: Call, now: Database, start: Database) -> bool:
    """A wedding can be moved to another date only if its package is partial or full service and its date has never
    been changed before. Weddings with the day-of package keep their date. This holds for inquiries and for weddings
    under contract."""
    wedding = now.require("wedding", call.arguments["wedding_id"])
    return wedding["package"] != "day_of" and wedding["date_changes"] == 0


@rule(
    "ANSWERS_STAND",
    on={"record_rsvp": "guest_id"},
    reads=["guest"],
    exempt={"update_guest": "Changes the meal of a guest, not the answer"},
)
def answers_stand(call: Call, now: Database, start: Database) -> bool:
    """We record a guest's answer only while the guest is invited and hasn't answered yet. A guest who has already
    accepted or declined can't change the answer or the number of people coming through us. Meals and dietary notes
    aren't covered."""
    guest = now.require("guest", call.arguments["guest_id"])
    return guest["rsvp_status"] not in ("accepted", "declined")


@rule("NO_SECOND_APPOINTMENT", on={"book_appointment": "client_id"}, reads=["appointment"])
def no_second_appointment(call: Call, now: Database, start: Database) -> bool:
    """A client who still has a scheduled appointment ahead can't book another, whatever either is about. Only
    appointments that haven't started yet count; completed, missed, and canceled ones don't. Moving or canceling an
    appointment isn't covered, and once it's canceled the client can book again."""
    ahead = now.value(
        "SELECT count(*) FROM appointment WHERE client_id = ? AND status = 'scheduled' AND starts_at > ?",
        call.arguments["client_id"],
        now.now,
    )
    return ahead == 0


@rule(
    "APPOINTMENT_MOVED_BEFORE",
    on={"reschedule_appointment": "appointment_id"},
    reads=["appointment"],
    exempt={"book_appointment": "Books a new appointment and moves none"},
)
def appointment_moved_before(call: Call, now: Database, start: Database) -> bool:
    """An appointment can be moved to another time only if it has never been rescheduled before. This holds for every
    kind of appointment and however far ahead it lies. Canceling it isn't covered."""
    appointment = now.require("appointment", call.arguments["appointment_id"])
    return appointment["reschedule_count"] == 0


@rule(
    "CANCEL_CONSULTATIONS_ONLY",
    on={"cancel_appointment": "appointment_id"},
    reads=["appointment"],
    exempt={
        "cancel_wedding": "A canceled wedding takes its appointments along; the rule is about a single appointment"
    },
)
def cancel_consultations_only(call: Call, now: Database, start: Database) -> bool:
    """Only consultations can be canceled. Menu tastings, venue tours, seating reviews, and final walkthroughs can't
    be, because vendors come in for them. Moving an appointment to another time isn't covered, and neither are
    appointments that fall away with a canceled wedding."""
    appointment = now.require("appointment", call.arguments["appointment_id"])
    return appointment["kind"] == "consultation"


@rule("DEPOSIT_LIMIT", on={"request_booking": "vendor_id"}, reads=["vendor"], percent=30)
def deposit_limit(call: Call, now: Database, start: Database, percent: int) -> bool:
    """We request a booking only with a vendor who asks for a deposit of at most {percent} percent of the price;
    exactly that is fine. This goes by the vendor's current terms, whatever price was agreed. Bookings that were
    requested earlier aren't covered."""
    vendor = now.require("vendor", call.arguments["vendor_id"])
    return vendor["deposit_percent"] <= percent


@rule("NO_SECOND_OPEN_WEDDING", on={"open_wedding": "client_id"}, reads=["wedding"])
def no_second_open_wedding(call: Call, now: Database, start: Database) -> bool:
    """A client who still has an open wedding with us, whether an inquiry or under contract, can't open another.
    Completed and canceled weddings don't count. A celebration such as a welcome dinner counts as a wedding of its
    own."""
    still_open = now.value(
        "SELECT count(*) FROM wedding WHERE client_id = ? AND status IN ('inquiry', 'contracted')",
        call.arguments["client_id"],
    )
    return still_open == 0


@rule("CANCEL_WEDDING_EARLY", on={"cancel_wedding": "wedding_id"}, reads=["wedding"], days=100)
def cancel_wedding_early(call: Call, now: Database, start: Database, days: int) -> bool:
    """A wedding under contract can be canceled up to {days} days after the contract was signed, counting the day after
    the signing as the start; the last of these days is fine. An inquiry, which has no contract, can be canceled at
    any time."""
    wedding = now.require("wedding", call.arguments["wedding_id"])
    signed = wedding["contract_signed_on"]
    return signed is None or days_between(signed, now.today) <= days


@rule(
    "CANCEL_SMALL_BOOKINGS",
    on={"cancel_booking": "booking_id"},
    reads=["booking"],
    exempt={"cancel_wedding": "A canceled wedding takes its bookings along; the rule is about a single booking"},
    limit_cents=125000,
)
def cancel_small_bookings(call: Call, now: Database, start: Database, limit_cents: int) -> bool:
    """A vendor booking can be canceled only if its agreed price is at most {limit_cents}; exactly that is fine. This
    holds for requested and for confirmed bookings, whatever was paid for them. Bookings that fall away with a
    canceled wedding aren't covered."""
    booking = now.require("booking", call.arguments["booking_id"])
    return booking["price_cents"] <= limit_cents


@rule("GUEST_LIST_SERVICE", on={"add_guest": "wedding_id", "remove_guests": "wedding_id"}, reads=["wedding"])
def guest_list_service(call: Call, now: Database, start: Database) -> bool:
    """We add guests to the list and take guests off it only for weddings with the partial or full-service package.
    Couples with the day-of package keep the list themselves. Sending invitations, recording answers, and changing a
    guest's details aren't covered."""
    wedding = now.require("wedding", call.arguments["wedding_id"])
    return wedding["package"] != "day_of"


@duty("PACKAGE_CHANGE_FEE", reads=["wedding", "ledger_entry"], fee_cents=7500)
def package_change_fee(start: Database, end: Database, fee_cents: int) -> bool:
    """When you switch a wedding to another package, also charge its account {fee_cents} in the category other, due
    today. This comes on top of the difference in planning fees, and it is charged whether the new package costs
    more or less."""
    for wedding in end.select("SELECT wedding_id, package FROM wedding"):
        before = start.get("wedding", wedding["wedding_id"])
        if before is None or before["package"] == wedding["package"]:
            continue
        fees = end.select(
            """
            SELECT ledger_entry_id FROM ledger_entry
            WHERE wedding_id = ? AND kind = 'charge' AND category = 'other' AND amount_cents = ? AND due_on = ?
                AND status = 'posted'
            """,
            wedding["wedding_id"],
            fee_cents,
            end.today,
        )
        if all(start.get("ledger_entry", fee["ledger_entry_id"]) is not None for fee in fees):
            return False
    return True


@duty("INVITES_NEED_DEADLINE", reads=["wedding", "guest"], days=30)
def invites_need_deadline(start: Database, end: Database, days: int) -> bool:
    """When you record that invitations went out for a wedding that has no RSVP deadline yet, set the deadline to
    {days} days before the day of the wedding. A deadline that is set already stays as it is."""
    for guest in end.select("SELECT guest_id, wedding_id FROM guest WHERE rsvp_status <> 'draft'"):
        before = start.get("guest", guest["guest_id"])
        if before is not None and before["rsvp_status"] != "draft":
            continue
        wedding = end.require("wedding", guest["wedding_id"])
        earlier = start.get("wedding", guest["wedding_id"])
        if earlier is None or earlier["rsvp_due_on"] is None:
            if wedding["rsvp_due_on"] != add_days(wedding["wedding_date"], -days):
                return False
    return True


@duty("DECLINED_STAYS", reads=["declined_request", "wedding", "booking", "appointment"])
def declined_stays(start: Database, end: Database) -> bool:
    """What you declined today because of a rule must not be done after all: a wedding that you declined to cancel or
    to move stays, and so does a vendor booking that you declined to cancel and an appointment that you declined to
    move. Something else that the caller chooses instead is fine."""
    for note in end.select("SELECT subject_id, rule_code FROM declined_request WHERE declined_on = ?", end.today):
        code, key = note["rule_code"], note["subject_id"]
        if code in ("CANCEL_WEDDING_EARLY", "DATE_MOVES"):
            column, before, after = "wedding_date", start.get("wedding", key), end.get("wedding", key)
        elif code == "CANCEL_SMALL_BOOKINGS":
            column, before, after = "canceled_on", start.get("booking", key), end.get("booking", key)
        elif code == "APPOINTMENT_MOVED_BEFORE":
            column, before, after = "starts_at", start.get("appointment", key), end.get("appointment", key)
        else:
            continue
        column = "canceled_on" if code == "CANCEL_WEDDING_EARLY" else column
        if before is not None and after is not None and before[column] != after[column]:
            return False
    return True
