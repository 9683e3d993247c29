"""What patients want that takes time: a visit in a day that is full until somebody cancels, or before it fills up."""

from runtime.story import Story, scenario

FREE_TO_BOOK = """
    patient.status = 'active' AND NOT EXISTS (
        SELECT 1 FROM visit WHERE visit.patient_id = patient.patient_id AND visit.status IN ('booked', 'checked_in')
    )
"""
DEBT = """
    (SELECT coalesce(sum(amount_cents - paid_cents - credited_cents - waived_cents), 0) FROM charge
        WHERE charge.patient_id = patient.patient_id)
"""
FOR_ME = """
    slot.starts_at >= '2026-03-11' AND NOT EXISTS (
        SELECT 1 FROM slot AS twin WHERE twin.clinician_id = slot.clinician_id AND twin.slot_id <> slot.slot_id
            AND date(twin.starts_at) = date(slot.starts_at)
    ) AND EXISTS (
        SELECT 1 FROM clinician WHERE clinician.clinician_id = slot.clinician_id AND accepting_new = 1
            AND instr(licensed_states, ?) > 0
    )
"""
BOOKED = """
    slot.status = 'booked' AND EXISTS (
        SELECT 1 FROM visit WHERE visit.slot_id = slot.slot_id AND visit.status = 'booked' AND visit.patient_id <> ?
    )
"""
IS_OPEN = "SELECT 1 FROM slot WHERE slot_id = :slot AND status = 'open'"
REASONS = ("medication questions", "a second opinion", "a general checkup")
DEADLINES = {"1 PM": "13:00", "2 PM": "14:00", "half past one": "13:30"}


def me_who_can_book(story):
    """A patient without a visit ahead, who owes little."""
    return story.pick("patient", f"{FREE_TO_BOOK} AND {DEBT} <= 2000", mine=True)


def full_day(story, me, *others):
    """The one slot of a clinician on a day, which somebody else has."""
    apart = "".join(" AND slot.clinician_id <> ? AND date(slot.starts_at) <> date(?)" for _ in others)
    values = [value for other in others for value in (other["clinician_id"], other["starts_at"])]
    return story.pick("slot", f"{FOR_ME} AND {BOOKED}{apart}", me["address_state"], me["patient_id"], *values)


def deadline(story):
    """By when the caller wants to know, a time of today."""
    return story.choose("deadline", {said: str(story.moment(0, time)) for said, time in DEADLINES.items()})


def doctor_of(story, slot):
    """The name of the clinician whose time it is."""
    return story.row("clinician", slot["clinician_id"])["name"]


def canceled(story, name, slot, times, maybe=False, quietly=False):
    """Let the patient who has a slot cancel, and the practice be told unless it happens quietly."""
    visit = story.other_row("visit", "slot_id = ? AND status = 'booked'", slot["slot_id"])
    at = story.moment(0, story.choose(f"time of {name}", times))
    gone = {"status": "canceled", "canceled_by": "patient", "canceled_at": at}
    return story.event(
        name,
        at=at,
        rows=[
            {"table": "visit", "kind": "changed", "key": [visit["visit_id"]], "columns": gone},
            {"table": "slot", "kind": "changed", "key": [slot["slot_id"]], "columns": {"status": "open"}},
        ],
        notice="" if quietly else f"Patient portal: a patient of {doctor_of(story, slot)} has canceled a visit.",
        maybe=maybe,
    )


def blocked(story, name, slot, minutes):
    """Let the practice use a slot itself once it has been open for so long."""
    block = {"status": "blocked", "block_reason": "Taken for a case conference"}
    story.event(
        name,
        when=IS_OPEN,
        values={"slot": slot["slot_id"]},
        minutes=minutes,
        rows=[{"table": "slot", "kind": "changed", "key": [slot["slot_id"]], "columns": block}],
    )


def open_slot(story, doctor, day, wish=None):
    """The one open slot of a clinician on a day."""
    found = story.call("search_clinicians", wish=wish, name_contains=doctor)["items"]
    wanted = story.find(found, name=doctor)["clinician_id"]
    slots = story.call("find_open_slots", wish=wish, clinician_id=wanted, from_date=day, to_date=day)["items"]
    return story.find(slots, clinician_name=doctor)["slot_id"]


@scenario(form="later")
def book_what_is_canceled(story: Story) -> None:
    """The patient waits for somebody to cancel with a clinician, and takes that visit before it is gone."""
    me = me_who_can_book(story)
    slot = full_day(story, me)
    by = deadline(story)
    canceled(story, "canceled", slot, ("11:20", "11:50", "12:15"))
    blocked(story, "blocked", slot, 230)
    doctor, day = doctor_of(story, slot), story.date_of(slot["starts_at"])
    reason = story.choose("reason", REASONS)
    story.tell(
        (
            "I'd like to see {doctor} on {day} for {reason}. I know that day is full, but somebody will cancel by {by} "
            "today. Could you wait for that and book me in?",
            "I would like to see {doctor} on {day} for {reason}. The day is full, but a patient is going to cancel by "
            "{by} today. Please wait for it and book the visit for me.",
            "want to see {doctor} on {day} for {reason}. it's full but someone's canceling by {by} today, can you wait "
            "for that and book me",
        ),
        short="waiting until {by} for somebody to cancel with {doctor} on {day} and booking me for {reason}",
        doctor=doctor,
        day=day,
        reason=reason,
        by=by,
    )
    key = story.identify()
    story.wait(until=by)
    story.call("book_visit", patient_id=key, slot_id=open_slot(story, doctor, day), reason=reason)


@scenario(form="if_it_happens")
def one_doctor_or_the_other(story: Story) -> None:
    """The patient sees one clinician if somebody cancels in time, and else another one who has time again later."""
    me = me_who_can_book(story)
    slot = full_day(story, me)
    other = full_day(story, me, slot)
    by = deadline(story)
    is_free = canceled(story, "first-canceled", slot, ("11:10", "11:40"), maybe=True)
    canceled(story, "second-canceled", other, ("12:10", "12:30"), quietly=True)
    if is_free:
        blocked(story, "first-blocked", slot, 240)
    blocked(story, "second-blocked", other, 220)
    doctor, day = doctor_of(story, slot), story.date_of(slot["starts_at"])
    other_doctor, other_day = doctor_of(story, other), story.date_of(other["starts_at"])
    reason = story.choose("reason", REASONS)
    story.tell(
        (
            "I need a visit for {reason}. If somebody cancels with {doctor} on {day} by {by} today, book me there. If "
            "not, book me with {other_doctor} on {other_day}; there'll be a slot by then.",
            "I would like a visit for {reason}. Should a patient of {doctor} cancel on {day} by {by} today, please book "
            "me there. If not, please book me with {other_doctor} on {other_day}, where a slot will be free by then.",
            "need a visit for {reason}. if someone cancels with {doctor} on {day} by {by} today book me there, if not "
            "then {other_doctor} on {other_day}, they'll have a slot by then",
        ),
        short="booking me for {reason} with {doctor} on {day} if somebody cancels by {by}, or else with {other_doctor} "
        "on {other_day}",
        doctor=doctor,
        day=day,
        reason=reason,
        by=by,
        other_doctor=other_doctor,
        other_day=other_day,
    )
    key = story.identify()
    story.wait(until=by)
    wanted = open_slot(story, doctor, day) if is_free else open_slot(story, other_doctor, other_day)
    story.call("book_visit", patient_id=key, slot_id=wanted, reason=reason)
