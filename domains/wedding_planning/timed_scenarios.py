"""What couples want that takes time: a vendor or a meeting time that opens up today, or a date held not for long."""

from runtime.story import Story, scenario

AHEAD = "status = 'scheduled' AND starts_at > ?"
HAS_NONE_AHEAD = """
    NOT EXISTS (SELECT 1 FROM appointment AS own WHERE own.client_id = client.client_id AND own.status = 'scheduled')
"""
NAMED = """
    wedding_id IN (SELECT wedding.wedding_id FROM wedding WHERE wedding.status = 'contracted' AND NOT EXISTS (
        SELECT 1 FROM wedding AS twin WHERE twin.client_id = wedding.client_id AND twin.title = wedding.title
            AND twin.wedding_id <> wedding.wedding_id
    ))
"""
BALANCE = """
    (SELECT coalesce(sum(CASE WHEN kind IN ('charge', 'refund') THEN amount_cents ELSE -amount_cents END), 0)
        FROM ledger_entry WHERE ledger_entry.wedding_id = booking.wedding_id AND ledger_entry.status = 'posted')
"""
READY = """
    status = 'requested' AND price_cents <= 125000 AND service_date >= ?
    AND vendor_id IN (SELECT vendor.vendor_id FROM vendor WHERE active = 1 AND category <> 'venue')
    AND NOT EXISTS (SELECT 1 FROM booking AS other WHERE other.vendor_id = booking.vendor_id
        AND other.service_date = booking.service_date AND other.status = 'confirmed')
    AND (SELECT count(*) FROM booking AS twin JOIN vendor AS seller ON seller.vendor_id = twin.vendor_id
        WHERE twin.wedding_id = booking.wedding_id
            AND seller.name = (SELECT name FROM vendor WHERE vendor.vendor_id = booking.vendor_id)) = 1
"""
HAS_A_MEETING = """
    EXISTS (SELECT 1 FROM wedding JOIN appointment ON appointment.client_id = wedding.client_id
        WHERE wedding.wedding_id = booking.wedding_id AND appointment.status = 'scheduled'
            AND appointment.starts_at > ? AND appointment.reschedule_count = 0)
"""
IS_OPEN = "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM appointment WHERE status = 'scheduled' AND starts_at = :start)"
IS_REQUESTED = "SELECT 1 FROM booking WHERE booking_id = :booking AND status = 'requested'"
DEADLINES = {"noon": "12:00", "1 PM": "13:00", "12:30": "12:30"}


def deadline(story):
    """By when the caller wants to know, a time of today."""
    return story.choose("deadline", {said: str(story.moment(0, time)) for said, time in DEADLINES.items()})


def my_meeting(story):
    """An appointment of the caller that was never moved."""
    return story.pick(
        "appointment",
        f"{AHEAD} AND reschedule_count = 0",
        story.day(1),
        unique_by=["client_id", "starts_at"],
        mine=True,
    )


def taken_time(story, mine, *others):
    """A consultation of another client, on other days than these, whose time the caller would like."""
    days = [str(each["starts_at"])[:10] for each in (mine, *others)]
    apart = "".join(" AND substr(starts_at, 1, 10) <> ?" for _ in days)
    return story.other_row(
        "appointment",
        f"kind = 'consultation' AND {AHEAD} AND client_id <> ?{apart}",
        story.day(1),
        mine["client_id"],
        *days,
    )


def opens(story, name, taken, times, maybe=False, quietly=False):
    """Let the other client cancel, and the office be told unless it happens quietly."""
    return story.event(
        name,
        at=story.moment(0, story.choose(f"time of {name}", times)),
        call="cancel_appointment",
        appointment_id=taken["appointment_id"],
        notice="" if quietly else f"Front desk: the meeting room at {taken['starts_at']} is free now.",
        maybe=maybe,
    )


def goes(story, name, mine, taken, minutes):
    """Let somebody else book a time once it has been open for so long."""
    other = story.other_row(
        "client", f"{HAS_NONE_AHEAD} AND client_id NOT IN (?, ?)", mine["client_id"], taken["client_id"]
    )
    story.event(
        name,
        when=IS_OPEN,
        values={"start": taken["starts_at"]},
        minutes=minutes,
        call="book_appointment",
        client_id=other["client_id"],
        kind="consultation",
        starts_at=taken["starts_at"],
        duration_minutes=45,
    )


def given_up(story, booking, minutes):
    """Let the vendor take another couple once a booking has been waiting for so long."""
    story.event(
        "vendor-gave-up",
        when=IS_REQUESTED,
        values={"booking": booking["booking_id"]},
        minutes=minutes,
        call="cancel_booking",
        booking_id=booking["booking_id"],
        reason="The vendor took another couple.",
    )


def meeting_of(story, mine, wish=None):
    """The number of the caller's appointment, as the list shows it."""
    meetings = story.call("list_client_appointments", wish=wish, client_id=story.identify())["appointments"]
    return story.find(meetings, starts_at=mine["starts_at"])["appointment_id"]


def booking_of(story, title, vendor, wish=None):
    """The number of a booking, as the wedding's list shows it."""
    weddings = story.call("list_client_weddings", wish=wish, client_id=story.identify())["weddings"]
    number = story.find(weddings, title=title)["wedding_id"]
    bookings = story.call("list_wedding_bookings", wish=wish, wedding_id=number)["bookings"]
    return story.find(bookings, vendor_name=vendor)["booking_id"]


@scenario(form="later")
def request_the_vendor_who_reopens(story: Story) -> None:
    """The client waits until a vendor takes bookings again, and has them requested before they are booked up."""
    wedding = story.pick("wedding", f"status = 'contracted' AND wedding_date > ? AND {NAMED}", story.day(1), mine=True)
    vendor = story.pick(
        "vendor",
        """
        active = 0 AND deposit_percent <= 30 AND (max_guests IS NULL OR max_guests >= ?)
        AND NOT EXISTS (SELECT 1 FROM booking WHERE booking.vendor_id = vendor.vendor_id
            AND (booking.wedding_id = ? OR booking.service_date = ?))
        """,
        wedding["guest_limit"],
        wedding["wedding_id"],
        wedding["wedding_date"],
        unique_by=["name"],
    )
    by = deadline(story)
    change = {"table": "vendor", "kind": "changed", "key": [vendor["vendor_id"]]}
    story.event(
        "calendar-opened",
        at=story.moment(0, story.choose("time of the opening", ("09:50", "10:35", "11:20"))),
        rows=[{**change, "columns": {"active": 1}}],
        notice=f"Vendor desk: {vendor['name']} takes bookings again.",
    )
    story.event("booked-up", after="calendar-opened", minutes=200, rows=[{**change, "columns": {"active": 0}}])
    story.tell(
        (
            "{vendor} isn't taking bookings right now, but they're opening their calendar by {by} today. Can you watch "
            "for that and request them for the {title}? They'll be booked up by this afternoon.",
            "We would like {vendor} for the {title}. They are going to take bookings again by {by} today and will be "
            "booked up soon after. Could you please wait for that and request them?",
            "{vendor} is opening their calendar again by {by} today. can you wait for that and request them for the "
            "{title} before they're booked up",
        ),
        short="waiting until {by} for {vendor} to take bookings again and requesting them for the {title}",
        vendor=vendor["name"],
        by=by,
        title=wedding["title"],
    )
    weddings = story.call("list_client_weddings", client_id=story.identify())["weddings"]
    number = story.find(weddings, title=wedding["title"])["wedding_id"]
    story.wait(until=by)
    vendors = story.call("search_vendors", text=vendor["name"])["vendors"]
    story.call("request_booking", wedding_id=number, vendor_id=story.find(vendors, name=vendor["name"])["vendor_id"])


@scenario(form="later")
def take_the_time_that_opens_up(story: Story) -> None:
    """The client waits until another one gives up a meeting time, and moves the own meeting there before others do."""
    mine = my_meeting(story)
    taken = taken_time(story, mine)
    by = deadline(story)
    opens(story, "time-opened", taken, ("09:45", "10:30", "11:15"))
    goes(story, "time-taken", mine, taken, 210)
    story.tell(
        (
            "I'd love to move my appointment from {when} to {moment}. That time's taken, but you said the other couple "
            "is canceling by {by} today. Can you wait for that and move mine?",
            "I would like to move my appointment from {when} to {moment}. I understand that the couple who has that "
            "time is going to cancel by {by} today. Could you please wait for that and move it?",
            "can you move my appointment from {when} to {moment}? it's taken but the other couple's canceling by {by} "
            "today, so pls wait for that",
        ),
        short="waiting until {by} for {moment} to open up and moving my appointment from {when} to that time",
        when=mine["starts_at"],
        moment=taken["starts_at"],
        by=by,
    )
    number = meeting_of(story, mine)
    story.wait(until=by)
    story.call("reschedule_appointment", appointment_id=number, starts_at=taken["starts_at"])


@scenario(form="if_it_happens")
def one_time_or_the_other(story: Story) -> None:
    """The client moves a meeting to one time if it opens up today, and else to another one."""
    mine = my_meeting(story)
    first = taken_time(story, mine)
    second = taken_time(story, mine, first)
    by = deadline(story)
    is_open = opens(story, "first-opened", first, ("09:40", "10:15"), maybe=True)
    opens(story, "second-opened", second, ("10:50", "11:20"), quietly=True)
    if is_open:
        goes(story, "first-taken", mine, first, 210)
    goes(story, "second-taken", mine, second, 180)
    story.tell(
        (
            "I can't make my appointment on {when}. If {moment} opens up by {by} today, move me there. If it doesn't, "
            "move me to {other}. The couple who has that is canceling this morning.",
            "I would like to move my appointment on {when}. Should {moment} open up by {by} today, please move it "
            "there. If it does not, please move it to {other}, which another couple is canceling this morning.",
            "can't make my appointment on {when}. if {moment} opens up by {by} today move me there, if not do {other}, "
            "someone's canceling that one this morning",
        ),
        short="moving my appointment on {when} to {moment} if that opens up by {by}, or else to {other}",
        when=mine["starts_at"],
        moment=first["starts_at"],
        by=by,
        other=second["starts_at"],
    )
    number = meeting_of(story, mine)
    story.wait(until=by)
    moment = first["starts_at"] if is_open else second["starts_at"]
    story.call("reschedule_appointment", appointment_id=number, starts_at=moment)


@scenario(form="before_it_closes")
def confirm_the_vendor_first(story: Story) -> None:
    """The client wants a meeting time that opens up later today, and a vendor who will not hold the date for long."""
    booking = story.pick(
        "booking",
        f"{READY} AND {NAMED} AND {BALANCE} <= 300000 AND {HAS_A_MEETING}",
        story.today,
        story.day(1),
        mine=True,
    )
    title = story.row("wedding", booking["wedding_id"])["title"]
    vendor = story.row("vendor", booking["vendor_id"])["name"]
    mine = my_meeting(story)
    taken = taken_time(story, mine)
    by = deadline(story)
    opens(story, "time-opened", taken, ("10:30", "10:55", "11:20"))
    given_up(story, booking, 55)
    goes(story, "time-taken", mine, taken, 210)
    with story.together():
        later = story.wish(
            (
                "The couple who has {moment} is canceling by {by} today. Please wait for that and move my appointment "
                "on {when} there.",
                "I understand that {moment} is going to open up by {by} today. Please wait for that and move my "
                "appointment on {when} to that time.",
                "{moment} should open up by {by} today, pls wait for it and move my appointment on {when} there",
            ),
            short="waiting until {by} for {moment} to open up and moving my appointment on {when} there",
            moment=taken["starts_at"],
            by=by,
            when=mine["starts_at"],
        )
        now = story.wish(
            (
                "And please confirm {vendor} for the {title}. They won't hold the date all morning.",
                "I would also like the booking of {vendor} for the {title} confirmed. They cannot hold the date for "
                "long.",
                "also confirm {vendor} for the {title}, they won't hold the date for long",
            ),
            short="confirming {vendor} for the {title}",
            vendor=vendor,
            title=title,
        )
    story.call("confirm_booking", wish=now, booking_id=booking_of(story, title, vendor, now))
    number = meeting_of(story, mine, later)
    story.wait(until=by, wish=later)
    story.call("reschedule_appointment", wish=later, appointment_id=number, starts_at=taken["starts_at"])
