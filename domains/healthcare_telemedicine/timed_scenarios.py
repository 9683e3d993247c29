"""What patients want that takes time: a visit that opens up today, or a clinician's last opening."""

from runtime.story import Story, scenario

FREE = """
    patient.status = 'active' AND NOT EXISTS (
        SELECT 1 FROM visit WHERE visit.patient_id = patient.patient_id AND visit.status IN ('booked', 'checked_in')
    )
"""
SEES_ME = """
    slot.starts_at > ? AND EXISTS (SELECT 1 FROM clinician WHERE clinician.clinician_id = slot.clinician_id
        AND accepting_new = 1 AND instr(licensed_states, ?) > 0)
"""
IS_OPEN = "SELECT 1 FROM slot WHERE slot_id = :slot AND status = 'open'"
REASONS = ["medication questions", "a second opinion", "a general checkup", "a rash"]
DEADLINES = {"noon": "12:00", "1 PM": "13:00", "12:30": "12:30"}


def me_without_visits(story):
    """A patient who has no visit ahead."""
    return story.pick("patient", FREE, mine=True)


def time_of_another(story, me, status, *others):
    """A time that another patient has booked, or that is open, with a clinician who may see the caller and on another
    day and with another one than these."""
    apart, values = "", []
    for each in others:
        apart += " AND substr(slot.starts_at, 1, 10) <> ? AND slot.clinician_id <> ?"
        values += [str(each["starts_at"])[:10], each["clinician_id"]]
    return story.other_row(
        "slot", f"slot.status = ? AND {SEES_ME}{apart}", status, story.day(1), me["address_state"], *values
    )


def doctor_of(story, slot):
    """The clinician's name."""
    return story.row("clinician", slot["clinician_id"])["name"]


def deadline(story):
    """By when the caller wants to know, a time of today."""
    return story.choose("deadline", {said: str(story.moment(0, time)) for said, time in DEADLINES.items()})


def opens(story, name, slot, times, maybe=False, quietly=False):
    """Let the patient who has a time cancel, and the front office be told unless it happens quietly."""
    visit = story.other_row("visit", "status = 'booked' AND slot_id = ?", slot["slot_id"])
    told = f"Schedule: {doctor_of(story, slot)} has an opening at {slot['starts_at']}."
    return story.event(
        name,
        at=story.moment(0, story.choose(f"time of {name}", times)),
        call="cancel_visit",
        visit_id=visit["visit_id"],
        reason="The patient feels better.",
        notice="" if quietly else told,
        maybe=maybe,
    )


def goes(story, name, me, slot, minutes):
    """Let another patient book a time once it has been open for so long."""
    other = story.other_row(
        "patient",
        f"{FREE} AND patient_id <> ? AND EXISTS (SELECT 1 FROM clinician WHERE clinician_id = ? "
        "AND instr(licensed_states, patient.address_state) > 0)",
        me["patient_id"],
        slot["clinician_id"],
    )
    story.event(
        name,
        when=IS_OPEN,
        values={"slot": slot["slot_id"]},
        minutes=minutes,
        call="book_visit",
        patient_id=other["patient_id"],
        slot_id=slot["slot_id"],
        reason="a follow-up",
    )


def clinician_of(story, doctor, wish=None):
    """The number of a clinician, as a search shows it."""
    found = story.call("search_clinicians", wish=wish, name_contains=doctor)["items"]
    return story.find(found, name=doctor)["clinician_id"]


def opening(story, number, slot, wish=None):
    """The number of an open time of a clinician."""
    day = story.date_of(slot["starts_at"])
    slots = story.call("find_open_slots", wish=wish, clinician_id=number, from_date=day, to_date=day)["items"]
    return story.find(slots, starts_at=slot["starts_at"])["slot_id"]


@scenario(form="later")
def take_the_visit_that_opens_up(story: Story) -> None:
    """The patient waits until another one gives up a visit, and takes the time before others do."""
    me = me_without_visits(story)
    slot = time_of_another(story, me, "booked")
    doctor = doctor_of(story, slot)
    reason = story.choose("reason", REASONS)
    by = deadline(story)
    opens(story, "time-opened", slot, ("10:50", "11:15", "11:40"))
    goes(story, "time-taken", me, slot, 200)
    story.tell(
        (
            "I need to see {doctor} on {moment} for {reason}. It's booked, but you said that patient is canceling by "
            "{by} today. Can you watch for it and book it for me?",
            "I would like to see {doctor} on {moment} for {reason}. I was told that the patient who has that time will "
            "cancel by {by} today. Could you please wait for that and book it for me?",
            "can you get me in with {doctor} on {moment} for {reason}? it's booked but they're canceling by {by} "
            "today, so pls wait for it",
        ),
        short="waiting until {by} for {doctor} to have an opening on {moment} and booking it for {reason}",
        doctor=doctor,
        moment=slot["starts_at"],
        reason=reason,
        by=by,
    )
    key = story.identify()
    number = clinician_of(story, doctor)
    story.wait(until=by)
    story.call("book_visit", patient_id=key, slot_id=opening(story, number, slot), reason=reason)


@scenario(form="if_it_happens")
def one_visit_or_the_other(story: Story) -> None:
    """The patient takes one visit if it opens up in time, and else one on another day."""
    me = me_without_visits(story)
    first = time_of_another(story, me, "booked")
    second = time_of_another(story, me, "booked", first)
    doctor, other = doctor_of(story, first), doctor_of(story, second)
    reason = story.choose("reason", REASONS)
    by = deadline(story)
    is_open = opens(story, "first-opened", first, ("10:45", "11:00"), maybe=True)
    opens(story, "second-opened", second, ("11:20", "11:40"), quietly=True)
    if is_open:
        goes(story, "first-taken", me, first, 200)
    goes(story, "second-taken", me, second, 180)
    story.tell(
        (
            "I need a visit for {reason}. If {doctor} has an opening on {moment} by {by} today, book me in. If not, "
            "book me with {other} on {other_moment}, where somebody's canceling this morning.",
            "I would like a visit for {reason}. Should {doctor} have an opening on {moment} by {by} today, please book "
            "it. If not, please book me with {other} on {other_moment}, where a patient is canceling this morning.",
            "need a visit for {reason}. if {doctor} gets an opening on {moment} by {by} today book me in, if not do "
            "{other} on {other_moment}, someone's canceling that this morning",
        ),
        short="booking me with {doctor} on {moment} for {reason} if there is an opening by {by}, or else with {other} "
        "on {other_moment}",
        reason=reason,
        doctor=doctor,
        moment=first["starts_at"],
        by=by,
        other=other,
        other_moment=second["starts_at"],
    )
    key = story.identify()
    slot = first if is_open else second
    number = clinician_of(story, doctor if is_open else other)
    story.wait(until=by)
    story.call("book_visit", patient_id=key, slot_id=opening(story, number, slot), reason=reason)


@scenario(form="before_it_closes")
def the_last_opening_first(story: Story) -> None:
    """The patient wants a visit that opens up later today, and an opening that will not be there for long."""
    me = me_without_visits(story)
    taken = time_of_another(story, me, "booked")
    free = time_of_another(story, me, "open", taken)
    doctor, other = doctor_of(story, taken), doctor_of(story, free)
    by = deadline(story)
    later_reason = story.choose("later reason", ["a second opinion", "a follow-up"])
    reason = story.choose("reason", ["medication questions", "a rash"])
    opens(story, "time-opened", taken, ("11:20", "11:30", "11:45"))
    goes(story, "last-opening-taken", me, free, 40)
    goes(story, "time-taken", me, taken, 200)
    with story.together():
        later = story.wish(
            (
                "{doctor} should have an opening on {moment} by {by} today. Please wait for it and book me in for "
                "{reason}.",
                "There will be an opening with {doctor} on {moment} by {by} today. Please wait for it and book it for "
                "me. It is for {reason}.",
                "{doctor} should get an opening on {moment} by {by} today, pls wait for it and book me in for {reason}",
            ),
            short="waiting until {by} for {doctor} to have an opening on {moment} and booking it for {reason}",
            doctor=doctor,
            moment=taken["starts_at"],
            by=by,
            reason=later_reason,
        )
        now = story.wish(
            (
                "I also need {other} on {moment} for {reason}. Those times always go fast.",
                "I would also like to see {other} on {moment} for {reason}. I believe that time will not be open for "
                "long.",
                "also book me with {other} on {moment} for {reason}, those times go fast",
            ),
            short="booking me with {other} on {moment} for {reason}",
            other=other,
            moment=free["starts_at"],
            reason=reason,
        )
    key = story.identify()
    first = opening(story, clinician_of(story, other, now), free, now)
    story.call("book_visit", wish=now, patient_id=key, slot_id=first, reason=reason)
    number = clinician_of(story, doctor, later)
    story.wait(until=by, wish=later)
    story.call(
        "book_visit", wish=later, patient_id=key, slot_id=opening(story, number, taken, later), reason=later_reason
    )
