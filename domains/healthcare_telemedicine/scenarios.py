"""What people want of Cascade Telehealth front office: every function is a scenario."""

from runtime.story import Story, scenario

SEEN_AND_OPEN = """
    own.status = 'completed'

        AND NOT EXISTS (SELECT 1 FROM visit AS ahead JOIN slot AS ahead_slot ON ahead_slot.slot_id = ahead.slot_id
        WHERE ahead.patient_id = own.patient_id AND ahead.status IN ('booked', 'checked_in')
        AND ahead_slot.starts_at >= '2026-03-12')

        AND EXISTS (SELECT 1 FROM slot AS own_slot JOIN slot AS opening ON opening.clinician_id = own_slot.clinician_id
        JOIN clinician ON clinician.clinician_id = own_slot.clinician_id
        JOIN patient ON patient.patient_id = own.patient_id AND patient.status = 'active'
        WHERE own_slot.slot_id = own.slot_id
        AND opening.status = 'open'
        AND opening.starts_at >= '2026-03-12'
        AND instr(licensed_states, patient.address_state) > 0)

        AND EXISTS (SELECT 1 FROM slot AS own_slot JOIN visit AS seen ON seen.patient_id = own.patient_id
        AND seen.status = 'completed' JOIN slot AS seen_slot ON seen_slot.slot_id = seen.slot_id
        AND seen_slot.clinician_id <> own_slot.clinician_id
        JOIN slot AS opening ON opening.clinician_id = seen_slot.clinician_id
        JOIN clinician ON clinician.clinician_id = seen_slot.clinician_id
        JOIN patient ON patient.patient_id = own.patient_id
        WHERE own_slot.slot_id = own.slot_id
        AND opening.status = 'open'
        AND opening.starts_at >= '2026-03-12'
        AND instr(licensed_states, patient.address_state) > 0)
"""

OWED = "(amount_cents - paid_cents - credited_cents - waived_cents)"
FREE_TO_BOOK = """
    patient.status = 'active'
        AND NOT EXISTS (SELECT 1 FROM visit WHERE visit.patient_id = patient.patient_id
        AND visit.status IN ('booked', 'checked_in'))
        AND EXISTS (SELECT 1 FROM slot JOIN clinician ON clinician.clinician_id = slot.clinician_id WHERE slot.status = 'open'
        AND slot.starts_at >= '2026-03-11'
        AND accepting_new = 1
        AND instr(licensed_states, patient.address_state) > 0)
"""
DEBT = """
    (SELECT coalesce(sum(amount_cents - paid_cents - credited_cents - waived_cents), 0) FROM charge WHERE charge.patient_id = patient.patient_id)
"""
BOOKABLE_IN = """
    slot.status = 'open'
        AND slot.starts_at >= '2026-03-11'
        AND NOT EXISTS (SELECT 1 FROM slot AS twin WHERE twin.clinician_id = slot.clinician_id
        AND twin.slot_id <> slot.slot_id
        AND twin.status = 'open'
        AND date(twin.starts_at) = date(slot.starts_at))
        AND EXISTS (SELECT 1 FROM clinician WHERE clinician.clinician_id = slot.clinician_id
        AND accepting_new = 1
        AND instr(licensed_states, ?) > 0)
"""
DRUG_OF_ONE_OF_MY_CLINICIANS = """
    prescription.status = 'active'
        AND EXISTS (SELECT 1 FROM visit AS own JOIN slot AS own_slot ON own_slot.slot_id = own.slot_id JOIN slot AS opening ON opening.clinician_id = own_slot.clinician_id JOIN patient ON patient.patient_id = own.patient_id JOIN clinician ON clinician.clinician_id = own_slot.clinician_id WHERE own.visit_id = prescription.visit_id
        AND own.status = 'completed'
        AND opening.status = 'open'
        AND opening.starts_at >= '2026-03-12'
        AND instr(licensed_states, patient.address_state) > 0
        AND patient.status = 'active'
        AND NOT EXISTS (SELECT 1 FROM visit WHERE visit.patient_id = patient.patient_id
        AND visit.status IN ('booked', 'checked_in'))
        AND (SELECT coalesce(sum(amount_cents - paid_cents - credited_cents - waived_cents), 0) FROM charge WHERE charge.patient_id = patient.patient_id) <= 2000)
        AND EXISTS (SELECT 1 FROM visit AS own JOIN slot AS own_slot ON own_slot.slot_id = own.slot_id JOIN visit AS seen ON seen.patient_id = own.patient_id
        AND seen.status = 'completed' JOIN slot AS seen_slot ON seen_slot.slot_id = seen.slot_id
        AND seen_slot.clinician_id <> own_slot.clinician_id JOIN slot AS opening ON opening.clinician_id = seen_slot.clinician_id JOIN clinician ON clinician.clinician_id = seen_slot.clinician_id JOIN patient ON patient.patient_id = own.patient_id WHERE own.visit_id = prescription.visit_id
        AND opening.status = 'open'
        AND opening.starts_at >= '2026-03-12'
        AND instr(licensed_states, patient.address_state) > 0)
"""
AHEAD = """
    visit.status = 'booked'
        AND EXISTS (SELECT 1 FROM slot WHERE slot.slot_id = visit.slot_id
        AND slot.starts_at > '2026-03-10 10:30:00')
"""
FREE_OTHERWISE = """
    NOT EXISTS (SELECT 1 FROM visit AS other WHERE other.patient_id = visit.patient_id
        AND other.visit_id <> visit.visit_id
        AND other.status IN ('booked', 'checked_in'))
"""
OPENINGS = """
    (SELECT count(*) FROM slot AS own JOIN slot AS opening ON opening.clinician_id = own.clinician_id WHERE own.slot_id = visit.slot_id
        AND opening.status = 'open'
        AND opening.starts_at >= '2026-03-11')
"""
ONLY_THAT_DAY = """
    slot.status = 'open'
        AND slot.starts_at >= '2026-03-11'
        AND NOT EXISTS (SELECT 1 FROM slot AS twin WHERE twin.clinician_id = slot.clinician_id
        AND twin.slot_id <> slot.slot_id
        AND twin.status = 'open'
        AND date(twin.starts_at) = date(slot.starts_at))
"""
REFILLABLE = """
    prescription.status = 'active'
        AND prescription.expires_on >= '2026-03-10'
        AND prescription.refills_left > 0
        AND NOT EXISTS (SELECT 1 FROM refill WHERE refill.prescription_id = prescription.prescription_id
        AND refill.status = 'pending')
"""
ACTIVE_OF_MINE = """
    SELECT count(*) FROM prescription AS each_one JOIN visit AS seen ON seen.visit_id = each_one.visit_id JOIN visit AS own ON own.visit_id = prescription.visit_id WHERE seen.patient_id = own.patient_id
        AND each_one.status = 'active'
"""
BALANCE = "(amount_cents - paid_cents - credited_cents - waived_cents)"
ALONE_THAT_DAY = """
    NOT EXISTS (SELECT 1 FROM visit AS other JOIN slot AS held ON held.slot_id = other.slot_id JOIN slot AS own ON own.slot_id = visit.slot_id WHERE other.patient_id = visit.patient_id
        AND other.visit_id <> visit.visit_id
        AND date(held.starts_at) = date(own.starts_at))
"""
VISITS_IN_ALL = "(SELECT count(*) FROM visit AS each_one WHERE each_one.patient_id = visit.patient_id)"
NO_COPIES_YET = """
    NOT EXISTS (SELECT 1 FROM charge WHERE charge.patient_id = visit.patient_id
        AND charge.visit_id IS NOT NULL
        AND charge.kind = 'records_fee')
"""
SEEN_WITH_OPENINGS = """
    own.status = 'completed'
        AND NOT EXISTS (SELECT 1 FROM visit AS ahead WHERE ahead.patient_id = own.patient_id
        AND ahead.status IN ('booked', 'checked_in'))
        AND (SELECT coalesce(sum(bill.amount_cents - bill.paid_cents - bill.credited_cents - bill.waived_cents), 0) FROM charge AS bill WHERE bill.patient_id = own.patient_id) <= 2000
        AND EXISTS (SELECT 1 FROM slot AS own_slot JOIN slot AS opening ON opening.clinician_id = own_slot.clinician_id JOIN clinician ON clinician.clinician_id = own_slot.clinician_id JOIN patient ON patient.patient_id = own.patient_id
        AND patient.status = 'active' WHERE own_slot.slot_id = own.slot_id
        AND opening.status = 'open'
        AND opening.starts_at >= '2026-03-12'
        AND instr(licensed_states, patient.address_state) > 0)
        AND EXISTS (SELECT 1 FROM slot AS own_slot JOIN visit AS seen ON seen.patient_id = own.patient_id
        AND seen.status = 'completed' JOIN slot AS seen_slot ON seen_slot.slot_id = seen.slot_id
        AND seen_slot.clinician_id <> own_slot.clinician_id JOIN slot AS opening ON opening.clinician_id = seen_slot.clinician_id JOIN clinician ON clinician.clinician_id = seen_slot.clinician_id JOIN patient ON patient.patient_id = own.patient_id WHERE own_slot.slot_id = own.slot_id
        AND opening.status = 'open'
        AND opening.starts_at >= '2026-03-12'
        AND instr(licensed_states, patient.address_state) > 0)
"""
FIRST_STILL_OWED = """
    charge.amount_cents - charge.paid_cents - charge.credited_cents - charge.waived_cents > 0
        AND EXISTS (SELECT 1 FROM charge AS settled WHERE settled.patient_id = charge.patient_id
        AND settled.due_on < charge.due_on
        AND settled.amount_cents - settled.paid_cents - settled.credited_cents - settled.waived_cents = 0
        AND settled.amount_cents <> charge.amount_cents)
        AND EXISTS (SELECT 1 FROM charge AS later WHERE later.patient_id = charge.patient_id
        AND later.due_on > charge.due_on
        AND later.amount_cents - later.paid_cents - later.credited_cents - later.waived_cents > 0
        AND later.amount_cents <> charge.amount_cents)
        AND NOT EXISTS (SELECT 1 FROM charge AS sooner WHERE sooner.patient_id = charge.patient_id
        AND sooner.charge_id <> charge.charge_id
        AND sooner.due_on <= charge.due_on
        AND sooner.amount_cents - sooner.paid_cents - sooner.credited_cents - sooner.waived_cents > 0)
"""
LAST_SETTLED = """
    charge.amount_cents - charge.paid_cents - charge.credited_cents - charge.waived_cents = 0
        AND EXISTS (SELECT 1 FROM charge AS later WHERE later.patient_id = charge.patient_id
        AND later.due_on > charge.due_on
        AND later.amount_cents - later.paid_cents - later.credited_cents - later.waived_cents > 0 )
        AND EXISTS (SELECT 1 FROM charge AS sooner WHERE sooner.patient_id = charge.patient_id
        AND sooner.due_on < charge.due_on
        AND sooner.amount_cents - sooner.paid_cents - sooner.credited_cents - sooner.waived_cents = 0)
        AND NOT EXISTS (SELECT 1 FROM charge AS rival WHERE rival.patient_id = charge.patient_id
        AND rival.charge_id <> charge.charge_id
        AND rival.due_on >= charge.due_on
        AND rival.amount_cents - rival.paid_cents - rival.credited_cents - rival.waived_cents = 0)
"""


@scenario
def give_consent_and_change_pharmacy(story: Story) -> None:
    """The patient reports a signed consent and a new pharmacy."""
    day = story.day(-2)
    story.pick("patient", "status = 'active' AND (consent_on IS NULL OR consent_on < ?)", day, mine=True)
    pharmacy = story.choose("pharmacy", ["Lakeside Drugs", "Corner Apothecary", "Parkway Pharmacy"])
    story.wish(
        (
            "I signed the telehealth consent on {day}. Can you record that and change my pharmacy to {pharmacy}?",
            "Please record that I signed the telehealth consent on {day}. I would also like to change my pharmacy to {pharmacy}.",
            "signed the telehealth consent on {day}, can you record that? and my pharmacy is {pharmacy} now",
        ),
        short="recording that I signed the telehealth consent on {day} and changing my pharmacy to {pharmacy}",
        day=day,
        pharmacy=pharmacy,
    )
    key = story.identify()
    story.call("record_consent", patient_id=key, signed_on=day)
    story.call("update_patient", patient_id=key, pharmacy=pharmacy)


@scenario
def reopen_my_account(story: Story) -> None:
    """The patient reopens a closed account and asks what is owed after that."""
    story.pick("patient", "status = 'inactive'", mine=True)
    fee = story.choose("fee", {"plan fee": "plan_fee"})
    story.wish(
        (
            "My account was closed and I need it again. Can you reopen it, charge me the {fee} for that, and tell me the due date?",
            "I would like to have my closed account reopened. Please charge me the {fee} for that and tell me the due date.",
            "can you reopen my closed account? charge me the {fee} for that and tell me the due date",
        ),
        short="reopening my closed account, charging me the {fee} for that, and telling me the due date",
        fee=fee,
    )
    key = story.identify()
    story.call("reactivate_patient", patient_id=key)
    charge = story.call("add_charge", patient_id=key, kind=fee, amount_cents=1000)
    story.answer("due date", charge["due_on"])


@scenario(form="changed_mind")
def correct_my_allergies(story: Story) -> None:
    """Change the allergies on file, then correct them."""
    story.pick("patient", "status = 'active'", mine=True)
    first = story.dictate("allergies", "Iodine and eggs")
    second = story.dictate("right allergies", "Strawberries, nickel, and adhesive tape")
    note = story.wish(
        (
            "My allergies on file are out of date. Can you change them to exactly this: {first}",
            "I would like to update the allergies in my record. Please change them to exactly this: {first}",
            "can you change my allergies on file? they're out of date, put exactly this: {first}",
        ),
        short="changing my allergies on file to {first}",
        first=first,
    )
    correct = story.changes_mind(
        note,
        (
            "Sorry, I mixed that up. Make my allergies exactly this: {second}",
            "I apologize, I mixed that up. Please make my allergies exactly this: {second}",
            "oops mixed that up, for my allergies put exactly this: {second}",
        ),
        short="changing my allergies on file to {second}",
        second=second,
    )
    key = story.identify()
    story.call("update_patient", wish=note, patient_id=key, allergies=first)
    story.call("update_patient", wish=correct, patient_id=key, allergies=second)


@scenario(form="computed")
def settle_and_close_my_account(story: Story) -> None:
    """The patient pays all charges, closes the account, and asks for the total with a fee of the new doctor."""
    story.pick(
        "patient",
        f"""
        status = 'active'
        AND NOT EXISTS (SELECT 1 FROM visit WHERE visit.patient_id = patient.patient_id AND visit.status IN ('booked', 'checked_in'))
        AND (SELECT count(*) FROM charge WHERE charge.patient_id = patient.patient_id AND {OWED} > 0) BETWEEN 2 AND 3
        """,
        mine=True,
    )
    cost = story.money(story.choose("cost", [1800, 2600, 4200]))
    story.wish(
        (
            "I'm leaving the practice. Please pay off all my charges and close my account. My new doctor takes {cost} to sign me up. What's the total of that and what I pay here?",
            "I would like to pay off all my charges and close my account. My new doctor takes {cost} to sign me up. What is the total of that and what I pay here?",
            "pay off all my charges and close my account pls. my new doctor takes {cost} to sign me up, what's the total of that and what i pay here",
        ),
        short="paying off all my charges, closing my account, and telling me the total of what I pay here and the {cost} of my new doctor",
        cost=cost,
    )
    key = story.identify()
    charges = story.call("list_patient_charges", patient_id=key)["items"]
    owed = [each for each in charges if each["balance_cents"] > 0]
    with story.wrong("forgets the new doctor"):
        for each in owed:
            story.call("record_payment", charge_id=each["charge_id"], amount_cents=each["balance_cents"])
        story.call("deactivate_patient", patient_id=key)
        story.answer("total", story.money(story.total(owed, "balance_cents")))
    for each in owed:
        story.call("record_payment", charge_id=each["charge_id"], amount_cents=each["balance_cents"])
    story.call("deactivate_patient", patient_id=key)
    story.answer("total", story.money(story.total([*owed, {"balance_cents": cost}], "balance_cents")))


@scenario(form="mistaken")
def use_all_my_credit(story: Story) -> None:
    """The patient misremembers the account credit and wants all of it used on a charge."""
    charge = story.pick(
        "charge",
        f"EXISTS (SELECT 1 FROM patient WHERE patient.patient_id = charge.patient_id AND credit_cents >= 1000 AND credit_cents <= {OWED})",
        unique_by=["patient_id", "amount_cents", "due_on"],
        mine=True,
    )
    amount = story.money(charge["amount_cents"])
    due = charge["due_on"]
    wrong = story.money(story.choose("believed credit", [400, 600, 800]))
    story.wish(
        (
            "I think I have {wrong} in account credit. Please check, and use all that's really there on my {amount} charge due on {due}. What's the remaining balance?",
            "I believe I have {wrong} in account credit. Could you please check, use all that is really there on my {amount} charge due on {due}, and tell me the remaining balance?",
            "pretty sure i have {wrong} in account credit, but check and use all that's really there on my {amount} charge due on {due}. what's the remaining balance",
        ),
        short="using all my account credit on my {amount} charge due on {due} and telling me the remaining balance",
        wrong=wrong,
        amount=amount,
        due=due,
    )
    story.believes("account credit", wrong, story.me["credit_cents"])
    key = story.identify()
    credit = story.call("get_patient", patient_id=key)["credit_cents"]
    charges = story.call("list_patient_charges", patient_id=key)["items"]
    mine = story.find(charges, amount_cents=amount, due_on=due)
    with story.wrong("trusts the customer"):
        used = story.call("apply_credit", charge_id=mine["charge_id"], amount_cents=wrong)
        story.answer("remaining balance", story.money(used["balance_cents"]))
    with story.wrong("takes a payment instead"):
        paid = story.call("record_payment", charge_id=mine["charge_id"], amount_cents=credit)
        story.answer("remaining balance", story.money(paid["balance_cents"]))
    used = story.call("apply_credit", charge_id=mine["charge_id"], amount_cents=credit)
    story.answer("remaining balance", story.money(used["balance_cents"]))


@scenario(form="withheld")
def change_my_number(story: Story) -> None:
    """The patient has a new phone number and tells it when asked."""
    story.pick("patient", "status = 'active'", mine=True)
    change = story.wish(
        (
            "I got a new phone and the number you have for me is old. Can you update it?",
            "My phone number has changed. Could you please update it in my record?",
            "got a new phone number, can you update it for me?",
        )
    )
    phone = story.choose("phone", ["503-555-0211", "206-555-0234", "702-555-0257", "619-555-0273", "916-555-0288"])
    story.keep_back("new phone number", phone)
    story.in_short(change, "changing my phone number to {phone}", phone=phone)
    story.call("update_patient", patient_id=story.identify(), phone=phone)


@scenario
def book_with_a_clinician(story: Story) -> None:
    """Book a visit with a clinician on a day and learn the fee."""
    me = story.pick("patient", f"{FREE_TO_BOOK} AND {DEBT} <= 2000", mine=True)
    slot = story.pick("slot", f"{BOOKABLE_IN}", me["address_state"])
    doctor = story.row("clinician", slot["clinician_id"])["name"]
    day = story.date_of(slot["starts_at"])
    topic = story.choose("topic", ["medication questions", "a second opinion", "a general checkup"])
    reason = story.compose("reason", "Patient asks about {topic}", topic=topic)
    story.wish(
        (
            "I'd like to see {doctor} on {day} for {topic}. Can you book that and tell me the visit fee?",
            "Please book me a visit with {doctor} on {day} for {topic}. Could you also tell me the visit fee?",
            "can you book me with {doctor} on {day} for {topic}? and what's the visit fee",
        ),
        short="booking me a visit with {doctor} on {day} for {topic} and telling me the visit fee",
        doctor=doctor,
        day=day,
        topic=topic,
    )
    key = story.identify()
    found = story.call("search_clinicians", name_contains=doctor)["items"]
    wanted = story.find(found, name=doctor)
    slots = story.call("find_open_slots", clinician_id=wanted["clinician_id"], from_date=day, to_date=day)["items"]
    opening = story.find(slots, clinician_name=doctor)
    story.call("book_visit", patient_id=key, slot_id=opening["slot_id"], reason=reason)
    story.answer("visit fee", story.money(wanted["visit_fee_cents"]))


@scenario(form="conditional")
def book_by_the_fee(story: Story) -> None:
    """Book one clinician or another, depending on the fee."""
    me = story.pick("patient", f"{FREE_TO_BOOK} AND {DEBT} <= 2000", mine=True)
    slot = story.pick("slot", f"{BOOKABLE_IN}", me["address_state"])
    doctor = story.row("clinician", slot["clinician_id"])["name"]
    day = story.date_of(slot["starts_at"])
    second = story.pick("slot", f"{BOOKABLE_IN} AND slot.clinician_id <> ?", me["address_state"], slot["clinician_id"])
    other_doctor = story.row("clinician", second["clinician_id"])["name"]
    other_day = story.date_of(second["starts_at"])
    limit = story.money(story.choose("limit", [8000, 9500, 12000, 16000]))
    topic = story.choose("topic", ["medication questions", "test results", "vaccine advice"])
    reason = story.compose("reason", "Patient asks about {topic}", topic=topic)
    story.wish(
        (
            "I need a visit for {topic}. If {doctor} charges {limit} or less, book me on {day}. If it's more, book me with {other_doctor} on {other_day}.",
            "I would like a visit for {topic}. Please book me with {doctor} on {day} if the fee is {limit} or less. If it is more, please book me with {other_doctor} on {other_day}.",
            "book me with {doctor} on {day} for {topic} if the fee is {limit} or less. if it's more, book me with {other_doctor} on {other_day}",
        ),
        short="booking me for {topic} with {doctor} on {day} if the fee is {limit} or less, and with {other_doctor} on {other_day} if it's more",
        doctor=doctor,
        day=day,
        other_doctor=other_doctor,
        other_day=other_day,
        limit=limit,
        topic=topic,
    )
    key = story.identify()
    found = story.call("search_clinicians", name_contains=doctor)["items"]
    wanted = story.find(found, name=doctor)
    slots = story.call("find_open_slots", clinician_id=wanted["clinician_id"], from_date=day, to_date=day)["items"]
    opening = story.find(slots, clinician_name=doctor)
    found = story.call("search_clinicians", name_contains=other_doctor)["items"]
    fallback = story.find(found, name=other_doctor)
    slots = story.call(
        "find_open_slots", clinician_id=fallback["clinician_id"], from_date=other_day, to_date=other_day
    )["items"]
    later = story.find(slots, clinician_name=other_doctor)
    right, wrong = (opening, later) if wanted["visit_fee_cents"] <= limit else (later, opening)
    with story.wrong("takes the other branch"):
        story.call("book_visit", patient_id=key, slot_id=wrong["slot_id"], reason=reason)
    with story.wrong("books both"):
        story.call("book_visit", patient_id=key, slot_id=right["slot_id"], reason=reason)
        story.call("book_visit", patient_id=key, slot_id=wrong["slot_id"], reason=reason)
    story.call("book_visit", patient_id=key, slot_id=right["slot_id"], reason=reason)


@scenario
def book_and_pay_first(story: Story) -> None:
    """Pay what is left of a charge, and book a visit."""
    charge = story.pick(
        "charge",
        f"""
        amount_cents - paid_cents - credited_cents - waived_cents > 0 AND EXISTS (SELECT 1 FROM patient
            WHERE patient.patient_id = charge.patient_id AND {FREE_TO_BOOK})
        """,
        unique_by=["patient_id", "amount_cents", "due_on"],
        mine=True,
    )
    amount = story.money(charge["amount_cents"])
    due = charge["due_on"]
    slot = story.pick("slot", f"{BOOKABLE_IN}", story.me["address_state"])
    doctor = story.row("clinician", slot["clinician_id"])["name"]
    day = story.date_of(slot["starts_at"])
    topic = story.choose("topic", ["medication questions", "a second opinion", "a general checkup"])
    reason = story.compose("reason", "Patient asks about {topic}", topic=topic)
    story.wish(
        (
            "I still owe on my {amount} charge due on {due}. Can you take a payment for all of that, and book me with {doctor} on {day} for {topic}?",
            "I would like to pay everything that I still owe on my {amount} charge due on {due}. Please also book me a visit with {doctor} on {day} for {topic}.",
            "take a payment for all i still owe on my {amount} charge due on {due}, and book me with {doctor} on {day} for {topic}",
        ),
        short="taking a payment for everything I still owe on my {amount} charge due on {due}, and booking me with {doctor} on {day} for {topic}",
        amount=amount,
        due=due,
        doctor=doctor,
        day=day,
        topic=topic,
    )
    key = story.identify()
    charges = story.call("list_patient_charges", patient_id=key)["items"]
    mine = story.find(charges, amount_cents=amount, due_on=due)
    story.call("record_payment", charge_id=mine["charge_id"], amount_cents=mine["balance_cents"])
    found = story.call("search_clinicians", name_contains=doctor)["items"]
    wanted = story.find(found, name=doctor)
    slots = story.call("find_open_slots", clinician_id=wanted["clinician_id"], from_date=day, to_date=day)["items"]
    opening = story.find(slots, clinician_name=doctor)
    story.call("book_visit", patient_id=key, slot_id=opening["slot_id"], reason=reason)


@scenario(form="looked_up")
def book_with_whoever_prescribed_a_drug(story: Story) -> None:
    """Book the first opening with the clinician who prescribed a drug."""
    prescription = story.pick(
        "prescription",
        """
        prescription.status = 'active' AND EXISTS (SELECT 1 FROM visit AS own
            JOIN slot AS own_slot ON own_slot.slot_id = own.slot_id
            JOIN slot AS opening ON opening.clinician_id = own_slot.clinician_id
            JOIN patient ON patient.patient_id = own.patient_id
            JOIN clinician ON clinician.clinician_id = own_slot.clinician_id
            WHERE own.visit_id = prescription.visit_id AND own.status = 'completed' AND opening.status = 'open'
            AND opening.starts_at >= '2026-03-12' AND instr(licensed_states, patient.address_state) > 0
            AND patient.status = 'active' AND NOT EXISTS (SELECT 1 FROM visit JOIN slot ON slot.slot_id = visit.slot_id
            WHERE visit.patient_id = patient.patient_id AND visit.status IN ('booked', 'checked_in')
            AND slot.starts_at >= '2026-03-12'))
            AND EXISTS (SELECT 1 FROM visit AS own JOIN slot AS own_slot ON own_slot.slot_id = own.slot_id
            JOIN visit AS seen ON seen.patient_id = own.patient_id AND seen.status = 'completed'
            JOIN slot AS seen_slot ON seen_slot.slot_id = seen.slot_id AND seen_slot.clinician_id <> own_slot.clinician_id
            JOIN slot AS opening ON opening.clinician_id = seen_slot.clinician_id
            JOIN clinician ON clinician.clinician_id = seen_slot.clinician_id
            JOIN patient ON patient.patient_id = own.patient_id
            WHERE own.visit_id = prescription.visit_id AND opening.status = 'open'
            AND opening.starts_at >= '2026-03-12' AND instr(licensed_states, patient.address_state) > 0)
        """,
        unique_by=["visit_id.patient_id", "medication", "status"],
        mine=True,
    )
    drug = prescription["medication"]
    day = story.day(2)
    topic = story.choose("topic", ["side effects", "a dose change", "dizzy spells"])
    reason = story.compose("reason", "Patient asks about {topic}", topic=topic)
    story.wish(
        (
            "I forget who prescribed me {drug}. Can you book me with that clinician, the first opening from {day} on? It's about {topic}.",
            "I would like to see the clinician who prescribed {drug} for me. Please book the first opening from {day} on. The visit is about {topic}.",
            "book me with whoever prescribed my {drug}, first opening from {day} on. it's about {topic}",
        ),
        short="booking me with the clinician who prescribed {drug}, about {topic}, the first opening from {day} on",
        drug=drug,
        topic=topic,
        day=day,
    )
    key = story.identify()
    prescriptions = story.call("list_patient_prescriptions", patient_id=key)["items"]
    active = [each for each in prescriptions if each["status"] == "active"]
    listed = story.find(active, medication=drug)
    shown = story.call("get_prescription", prescription_id=listed["prescription_id"])
    visits = story.call("list_patient_visits", patient_id=key)["items"]
    done = [each for each in visits if each["status"] == "completed"]
    right = story.find(done, visit_id=shown["visit_id"])
    for other in story.others(done, right):
        with story.wrong("takes another clinician"):
            seen = story.call("get_visit", visit_id=other["visit_id"])
            slots = story.call("find_open_slots", clinician_id=seen["clinician_id"], from_date=day)["items"]
            story.call("book_visit", patient_id=key, slot_id=story.lowest(slots, "starts_at")["slot_id"], reason=reason)
    seen = story.call("get_visit", visit_id=right["visit_id"])
    slots = story.call("find_open_slots", clinician_id=seen["clinician_id"], from_date=day)["items"]
    first = story.lowest(slots, "starts_at")
    story.call("book_visit", patient_id=key, slot_id=first["slot_id"], reason=reason)


@scenario(form="mistaken")
def book_the_next_opening(story: Story) -> None:
    """Book the next opening with a clinician, believed to be on a later day."""
    me = story.pick("patient", f"{FREE_TO_BOOK} AND {DEBT} <= 2000", mine=True)
    first = story.pick(
        "slot",
        f"""
        {BOOKABLE_IN} AND NOT EXISTS (SELECT 1 FROM slot AS sooner WHERE sooner.clinician_id = slot.clinician_id
            AND sooner.status = 'open' AND sooner.starts_at > ? AND sooner.starts_at < slot.starts_at)
        """,
        me["address_state"],
        story.now,
    )
    late = story.pick(
        "slot",
        f"{BOOKABLE_IN} AND slot.clinician_id = ? AND slot.starts_at > ?",
        me["address_state"],
        first["clinician_id"],
        first["starts_at"],
    )
    doctor = story.row("clinician", first["clinician_id"])["name"]
    wrong = story.date_of(late["starts_at"])
    topic = story.choose("topic", ["medication questions", "test results", "vaccine advice"])
    reason = story.compose("reason", "Patient asks about {topic}", topic=topic)
    story.wish(
        (
            "I think the next opening with {doctor} is on {wrong}. Please book me the next opening for {topic} and tell me the visit date.",
            "I believe that the next opening with {doctor} is on {wrong}. Could you please book me the next opening for {topic} and tell me the visit date?",
            "book me the next opening with {doctor} for {topic}, pretty sure it's on {wrong}. what's the visit date",
        ),
        short="booking me the next opening with {doctor} for {topic} and telling me the visit date",
        doctor=doctor,
        wrong=wrong,
        topic=topic,
    )
    story.believes("next opening", wrong, story.date_of(first["starts_at"]))
    key = story.identify()
    found = story.call("search_clinicians", name_contains=doctor)["items"]
    wanted = story.find(found, name=doctor)
    slots = story.call("find_open_slots", clinician_id=wanted["clinician_id"])["items"]
    right = story.lowest(slots, "starts_at")
    believed = story.find([each for each in slots if story.date_of(each["starts_at"]) == wrong], clinician_name=doctor)
    with story.wrong("trusts the customer"):
        story.call("book_visit", patient_id=key, slot_id=believed["slot_id"], reason=reason)
        story.answer("visit date", wrong)
    with story.wrong("books both"):
        story.call("book_visit", patient_id=key, slot_id=right["slot_id"], reason=reason)
        story.call("book_visit", patient_id=key, slot_id=believed["slot_id"], reason=reason)
        story.answer("visit date", story.date_of(right["starts_at"]))
    story.call("book_visit", patient_id=key, slot_id=right["slot_id"], reason=reason)
    story.answer("visit date", story.date_of(right["starts_at"]))


@scenario(form="outside")
def book_and_send_a_nurse(story: Story) -> None:
    """Book a visit, and ask for a nurse at home."""
    me = story.pick("patient", f"{FREE_TO_BOOK}", mine=True)
    slot = story.pick("slot", f"{BOOKABLE_IN}", me["address_state"])
    doctor = story.row("clinician", slot["clinician_id"])["name"]
    day = story.date_of(slot["starts_at"])
    topic = story.choose("topic", ["a blood pressure check", "a sore knee", "trouble sleeping"])
    reason = story.compose("reason", "Patient asks about {topic}", topic=topic)
    story.wish(
        (
            "Please set me up with {doctor} on {day}. It's for {topic}.",
            "I would like a visit with {doctor} on {day} for {topic}, please.",
            "need a visit with {doctor} on {day} for {topic}",
        ),
        short="booking me a visit with {doctor} on {day} for {topic}",
        doctor=doctor,
        day=day,
        topic=topic,
    )
    story.outside(
        (
            "And can you send a nurse to my house to draw blood?",
            "Could you also send a nurse to my home to draw blood?",
            "and can you send a nurse over to my place to draw blood?",
        )
    )
    key = story.identify()
    found = story.call("search_clinicians", name_contains=doctor)["items"]
    wanted = story.find(found, name=doctor)
    slots = story.call("find_open_slots", clinician_id=wanted["clinician_id"], from_date=day, to_date=day)["items"]
    opening = story.find(slots, clinician_name=doctor)
    story.call("book_visit", patient_id=key, slot_id=opening["slot_id"], reason=reason)


@scenario(form="withheld")
def book_and_say_why_later(story: Story) -> None:
    """Book a visit; what it is about is told only when asked."""
    me = story.pick("patient", f"{FREE_TO_BOOK}", mine=True)
    slot = story.pick("slot", f"{BOOKABLE_IN}", me["address_state"])
    doctor = story.row("clinician", slot["clinician_id"])["name"]
    day = story.date_of(slot["starts_at"])
    problem = story.choose(
        "problem", ["frequent nosebleeds", "numb fingers", "ringing ears", "hair loss", "swollen ankles", "leg cramps"]
    )
    reason = story.dictate("health problem", "Trouble with {problem}", problem=problem)
    book = story.wish(
        (
            "I want to see {doctor} on {day} about something that's bothering me. Can you book that?",
            "I would like to see {doctor} on {day} about a health problem. Could you please book that?",
            "can you book me with {doctor} on {day}? got a health thing to talk about",
        ),
        doctor=doctor,
        day=day,
    )
    story.keep_back("health problem", reason)
    story.in_short(
        book,
        "booking me with {doctor} on {day}, with the reason put down as {reason}",
        doctor=doctor,
        day=day,
        reason=reason,
    )
    key = story.identify()
    found = story.call("search_clinicians", name_contains=doctor)["items"]
    wanted = story.find(found, name=doctor)
    slots = story.call("find_open_slots", clinician_id=wanted["clinician_id"], from_date=day, to_date=day)["items"]
    opening = story.find(slots, clinician_name=doctor)
    story.call("book_visit", patient_id=key, slot_id=opening["slot_id"], reason=reason)


@scenario
def book_the_first_opening(story: Story) -> None:
    """Book the first opening of a clinician from a day on."""
    me = story.pick("patient", f"{FREE_TO_BOOK}", mine=True)
    day = story.day(4)
    slot = story.pick(
        "slot",
        f"""
        {BOOKABLE_IN} AND slot.starts_at >= ? AND NOT EXISTS (SELECT 1 FROM slot AS sooner
            WHERE sooner.clinician_id = slot.clinician_id AND sooner.status = 'open'
            AND sooner.starts_at >= ? AND sooner.starts_at < slot.starts_at)
        """,
        me["address_state"],
        day,
        day,
    )
    doctor = story.row("clinician", slot["clinician_id"])["name"]
    topic = story.choose("topic", ["medication questions", "a second opinion", "a general checkup"])
    reason = story.compose("reason", "Patient asks about {topic}", topic=topic)
    story.wish(
        (
            "I need to see {doctor} for {topic}. Can you book me the first opening from {day} on and tell me the visit date?",
            "Please book me the first opening with {doctor} from {day} on for {topic}. Could you also tell me the visit date?",
            "book me the first opening with {doctor} from {day} on for {topic}, and what's the visit date",
        ),
        short="booking me the first opening with {doctor} from {day} on for {topic} and telling me the visit date",
        day=day,
        doctor=doctor,
        topic=topic,
    )
    key = story.identify()
    found = story.call("search_clinicians", name_contains=doctor)["items"]
    wanted = story.find(found, name=doctor)
    slots = story.call("find_open_slots", clinician_id=wanted["clinician_id"], from_date=day)["items"]
    first = story.lowest(slots, "starts_at")
    booked = story.call("book_visit", patient_id=key, slot_id=first["slot_id"], reason=reason)
    story.answer("visit date", story.date_of(booked["starts_at"]))


@scenario
def check_in_with_a_new_reason(story: Story) -> None:
    """Check in for today's visit with another reason."""
    visit = story.pick(
        "visit",
        """
        status = 'booked'
        AND EXISTS (SELECT 1 FROM slot WHERE slot.slot_id = visit.slot_id AND date(slot.starts_at) = '2026-03-10'
            AND datetime(slot.starts_at, '+' || slot.minutes || ' minutes') > '2026-03-10 10:30:00')
        AND EXISTS (SELECT 1 FROM patient WHERE patient.patient_id = visit.patient_id AND consent_on IS NOT NULL)
        """,
        unique_by=["patient_id", "slot_id.clinician_id", "status"],
        mine=True,
    )
    slot = story.row("slot", visit["slot_id"])
    doctor = story.row("clinician", slot["clinician_id"])["name"]
    reason = story.dictate("reason", "Stiff neck and headaches for two weeks")
    story.wish(
        (
            "I'm here for my visit with {doctor} today. Can you check me in and change the reason to exactly this: {reason}",
            "I am ready for my visit with {doctor} today. Please check me in and change the reason to exactly this: {reason}",
            "can you check me in for my visit with {doctor} today? and for the reason put exactly this: {reason}",
        ),
        short="checking me in for my visit with {doctor} today and changing the reason to {reason}",
        doctor=doctor,
        reason=reason,
    )
    key = story.identify()
    visits = story.call("list_patient_visits", patient_id=key)["items"]
    booked = [each for each in visits if each["status"] == "booked"]
    mine = story.find(booked, clinician_name=doctor)
    story.call("change_visit_reason", visit_id=mine["visit_id"], reason=reason)
    story.call("check_in_visit", visit_id=mine["visit_id"])


@scenario
def own_up_to_a_missed_visit(story: Story) -> None:
    """The patient has a visit that was missed marked and charged, and asks when the fee is due."""
    visit = story.pick(
        "visit",
        """
        status = 'booked'
        AND EXISTS (SELECT 1 FROM slot WHERE slot.slot_id = visit.slot_id AND slot.starts_at < '2026-03-10 10:30:00')
        AND NOT EXISTS (SELECT 1 FROM charge WHERE charge.visit_id = visit.visit_id)
        """,
        unique_by=["patient_id", "slot_id.clinician_id", "status"],
        mine=True,
    )
    slot = story.row("slot", visit["slot_id"])
    doctor = story.row("clinician", slot["clinician_id"])["name"]
    fee = story.choose("fee", {"no show fee": "no_show_fee"})
    story.wish(
        (
            "I missed my visit with {doctor} this morning. Can you mark it as missed, charge me the {fee}, and tell me the due date?",
            "I did not make it to my visit with {doctor} this morning. Please mark it as missed, charge me the {fee}, and tell me the due date.",
            "missed my visit with {doctor} this morning, can you mark it as missed and charge me the {fee}? what's the due date",
        ),
        short="marking my visit with {doctor} this morning as missed, charging me the {fee}, and telling me the due date",
        doctor=doctor,
        fee=fee,
    )
    key = story.identify()
    visits = story.call("list_patient_visits", patient_id=key)["items"]
    booked = [each for each in visits if each["status"] == "booked"]
    mine = story.find(booked, clinician_name=doctor)
    story.call("mark_no_show", visit_id=mine["visit_id"])
    charge = story.call("add_charge", patient_id=key, kind=fee, amount_cents=4000, visit_id=mine["visit_id"])
    story.answer("due date", charge["due_on"])


@scenario
def cancel_a_visit_ahead(story: Story) -> None:
    """Cancel a visit that is days ahead and learn its date."""
    visit = story.pick(
        "visit",
        "status = 'booked' AND EXISTS (SELECT 1 FROM slot WHERE slot.slot_id = visit.slot_id AND slot.starts_at >= ?)",
        story.day(5),
        unique_by=["patient_id", "slot_id.clinician_id", "status"],
        mine=True,
    )
    slot = story.row("slot", visit["slot_id"])
    doctor = story.row("clinician", slot["clinician_id"])["name"]
    cause = story.choose("cause", ["a work trip", "a family wedding", "a schedule conflict"])
    reason = story.compose("reason", "Patient has {cause}", cause=cause)
    story.wish(
        (
            "I can't make my next visit with {doctor} because of {cause}. Can you cancel it and tell me the visit date?",
            "I am unable to keep my next visit with {doctor} because of {cause}. Please cancel it and tell me the visit date.",
            "can you cancel my next visit with {doctor}? i've got {cause}. and tell me the visit date",
        ),
        short="canceling my next visit with {doctor} because of {cause} and telling me the visit date",
        doctor=doctor,
        cause=cause,
    )
    key = story.identify()
    visits = story.call("list_patient_visits", patient_id=key)["items"]
    booked = [each for each in visits if each["status"] == "booked"]
    mine = story.find(booked, clinician_name=doctor)
    story.call("cancel_visit", visit_id=mine["visit_id"], reason=reason)
    story.answer("visit date", story.date_of(mine["starts_at"]))


@scenario(form="denied")
def get_out_of_a_visit(story: Story) -> None:
    """The patient wants a visit canceled."""
    visit = story.pick(
        "visit",
        f"{AHEAD} AND {FREE_OTHERWISE} AND {OPENINGS} >= 1",
        unique_by=["patient_id", "slot_id.clinician_id", "status"],
        mine=True,
    )
    slot = story.row("slot", visit["slot_id"])
    doctor = story.row("clinician", slot["clinician_id"])["name"]
    ask = story.wish(
        (
            "I don't want my visit with {doctor} anymore. Can you cancel it and leave the reason blank?",
            "I no longer want my visit with {doctor}. Please cancel it and leave the reason blank.",
            "can you cancel my visit with {doctor}? leave the reason blank",
        ),
        short="canceling my visit with {doctor} and leaving the reason blank",
        doctor=doctor,
    )
    story.insists(
        ask,
        (
            "I really can't be there, and this is stressing me out.",
            "I truly cannot attend, and this is causing me a lot of stress.",
            "i seriously can't be there, this is stressing me out",
        ),
    )
    key = story.identify()
    visits = story.call("list_patient_visits", patient_id=key)["items"]
    booked = [each for each in visits if each["status"] == "booked"]
    mine = story.find(booked, clinician_name=doctor)
    shown = story.call("get_visit", visit_id=mine["visit_id"])
    slots = story.call("find_open_slots", clinician_id=shown["clinician_id"])["items"]
    with story.wrong("moves it instead"):
        story.call("reschedule_visit", visit_id=mine["visit_id"], slot_id=story.lowest(slots, "starts_at")["slot_id"])
    if story.permits("cancel_visit", visit_id=mine["visit_id"]):
        story.call("cancel_visit", visit_id=mine["visit_id"])
    else:
        story.decline(ask)


@scenario(form="denied")
def move_a_visit(story: Story) -> None:
    """The patient wants a visit moved to another day."""
    visit = story.pick(
        "visit",
        f"{AHEAD} AND {FREE_OTHERWISE} AND {OPENINGS} >= 2",
        unique_by=["patient_id", "slot_id.clinician_id", "status"],
        mine=True,
    )
    slot = story.row("slot", visit["slot_id"])
    doctor = story.row("clinician", slot["clinician_id"])["name"]
    opening = story.pick("slot", f"{ONLY_THAT_DAY} AND slot.clinician_id = ?", slot["clinician_id"])
    day = story.date_of(opening["starts_at"])
    ask = story.wish(
        (
            "My schedule changed, so I can't keep my visit with {doctor}. Can you move it to {day}?",
            "My schedule has changed. Could you please move my visit with {doctor} to {day}?",
            "can you move my visit with {doctor} to {day}? my schedule changed",
        ),
        short="moving my visit with {doctor} to {day}",
        doctor=doctor,
        day=day,
    )
    story.insists(
        ask,
        (
            "Last time the person at the desk just did it while I waited.",
            "The last time, one of your colleagues did this for me without any questions.",
            "last time someone there just did it for me",
        ),
    )
    key = story.identify()
    visits = story.call("list_patient_visits", patient_id=key)["items"]
    booked = [each for each in visits if each["status"] == "booked"]
    mine = story.find(booked, clinician_name=doctor)
    shown = story.call("get_visit", visit_id=mine["visit_id"])
    slots = story.call("find_open_slots", clinician_id=shown["clinician_id"])["items"]
    wanted = story.find([each for each in slots if story.date_of(each["starts_at"]) == day], clinician_name=doctor)
    for other in story.others(slots, wanted, 1):
        with story.wrong("takes another day"):
            story.call("reschedule_visit", visit_id=mine["visit_id"], slot_id=other["slot_id"])
    if story.permits("reschedule_visit", visit_id=mine["visit_id"], slot_id=wanted["slot_id"]):
        story.call("reschedule_visit", visit_id=mine["visit_id"], slot_id=wanted["slot_id"])
    else:
        story.decline(ask)


@scenario(form="conditional")
def cancel_a_late_visit_or_keep_it(story: Story) -> None:
    """Cancel a visit if it is late, or change its reason."""
    visit = story.pick("visit", f"{AHEAD}", unique_by=["patient_id", "slot_id.clinician_id", "status"], mine=True)
    slot = story.row("slot", visit["slot_id"])
    doctor = story.row("clinician", slot["clinician_id"])["name"]
    day = story.day(6)
    reason = story.dictate("reason", "Stomach cramps after meals")
    story.wish(
        (
            "I forget when I see {doctor}. If my visit is after {day}, cancel it. If it isn't, change the reason to exactly this: {reason}",
            "Please cancel my visit with {doctor} if it is after {day}. If it is not, please change the reason to exactly this: {reason}",
            "if my visit with {doctor} is after {day} just cancel it. if it's not, make the reason exactly this: {reason}",
        ),
        short="canceling my visit with {doctor} if it's after {day}, and if it's not, changing the reason to {reason}",
        doctor=doctor,
        day=day,
        reason=reason,
    )
    key = story.identify()
    visits = story.call("list_patient_visits", patient_id=key)["items"]
    booked = [each for each in visits if each["status"] == "booked"]
    mine = story.find(booked, clinician_name=doctor)
    if story.date_of(mine["starts_at"]) <= day:
        with story.wrong("takes the other branch"):
            story.call("cancel_visit", visit_id=mine["visit_id"])
        with story.wrong("does both"):
            story.call("change_visit_reason", visit_id=mine["visit_id"], reason=reason)
            story.call("cancel_visit", visit_id=mine["visit_id"])
        story.call("change_visit_reason", visit_id=mine["visit_id"], reason=reason)
    else:
        with story.wrong("takes the other branch"):
            story.call("change_visit_reason", visit_id=mine["visit_id"], reason=reason)
        with story.wrong("does both"):
            story.call("change_visit_reason", visit_id=mine["visit_id"], reason=reason)
            story.call("cancel_visit", visit_id=mine["visit_id"])
        story.call("cancel_visit", visit_id=mine["visit_id"])


@scenario(form="coupled")
def move_a_visit_with_a_better_plan(story: Story) -> None:
    """The patient wants a visit moved and a plan that allows it."""
    visit = story.pick(
        "visit",
        f"""
        {AHEAD} AND {FREE_OTHERWISE} AND {OPENINGS} >= 1 AND EXISTS (SELECT 1 FROM patient
            WHERE patient.patient_id = visit.patient_id AND patient.status = 'active' AND plan = 'basic' AND plan_since <= ?)
        """,
        story.day(-365),
        unique_by=["patient_id", "slot_id.clinician_id", "status"],
        mine=True,
    )
    slot = story.row("slot", visit["slot_id"])
    doctor = story.row("clinician", slot["clinician_id"])["name"]
    opening = story.pick("slot", f"{ONLY_THAT_DAY} AND slot.clinician_id = ?", slot["clinician_id"])
    day = story.date_of(opening["starts_at"])
    plan = story.choose("plan", ["plus", "premier"])
    with story.together():
        move = story.wish(
            (
                "Can you move my visit with {doctor} to {day}?",
                "I would like to move my visit with {doctor} to {day}.",
                "move my visit with {doctor} to {day} pls",
            ),
            short="moving my visit with {doctor} to {day}",
            doctor=doctor,
            day=day,
        )
        upgrade = story.wish(
            (
                "And switch me to the {plan} plan.",
                "Please also switch me to the {plan} plan.",
                "and switch me to the {plan} plan",
            ),
            short="switching me to the {plan} plan",
            plan=plan,
        )
    key = story.identify()
    story.call("change_plan", wish=upgrade, patient_id=key, plan=plan)
    visits = story.call("list_patient_visits", wish=move, patient_id=key)["items"]
    booked = [each for each in visits if each["status"] == "booked"]
    mine = story.find(booked, clinician_name=doctor)
    shown = story.call("get_visit", wish=move, visit_id=mine["visit_id"])
    slots = story.call("find_open_slots", wish=move, clinician_id=shown["clinician_id"], from_date=day, to_date=day)[
        "items"
    ]
    wanted = story.find(slots, clinician_name=doctor)
    story.call("reschedule_visit", wish=move, visit_id=mine["visit_id"], slot_id=wanted["slot_id"])


@scenario(form="outside")
def new_reason_and_a_cuff(story: Story) -> None:
    """Change the reason of a visit, and ask for a cuff at the door."""
    visit = story.pick("visit", f"{AHEAD}", unique_by=["patient_id", "slot_id.clinician_id", "status"], mine=True)
    slot = story.row("slot", visit["slot_id"])
    doctor = story.row("clinician", slot["clinician_id"])["name"]
    problem = story.choose("problem", ["blood pressure swings", "chest tightness", "heart flutters"])
    reason = story.dictate("reason", "Worried about {problem}", problem=problem)
    story.wish(
        (
            "My visit with {doctor} is about something else now. Can you change the reason to exactly this: {reason}",
            "I would like to change the reason of my visit with {doctor}. Please put exactly this: {reason}",
            "can you change the reason of my visit with {doctor}? put exactly this: {reason}",
        ),
        short="changing the reason of my visit with {doctor} to {reason}",
        doctor=doctor,
        reason=reason,
    )
    story.outside(
        (
            "And can you have someone drop off a blood pressure cuff at my door?",
            "Could you also have someone drop off a blood pressure cuff at my home?",
            "and can you get someone to drop off a blood pressure cuff at my place?",
        )
    )
    key = story.identify()
    visits = story.call("list_patient_visits", patient_id=key)["items"]
    booked = [each for each in visits if each["status"] == "booked"]
    mine = story.find(booked, clinician_name=doctor)
    story.call("change_visit_reason", visit_id=mine["visit_id"], reason=reason)


@scenario
def ask_for_a_refill(story: Story) -> None:
    """The patient asks for a refill with a note and for the expiration date."""
    prescription = story.pick(
        "prescription",
        f"{REFILLABLE} AND prescription.written_on >= ?",
        story.day(-75),
        unique_by=["visit_id.patient_id", "medication", "status"],
        mine=True,
    )
    drug = prescription["medication"]
    day = story.day(3)
    note = story.dictate("note", "I leave town on {day}, so please send it before then", day=day)
    story.wish(
        (
            "I'm running low on {drug}. Can you tell me the expiration date of the prescription and ask for a refill? For the clinician, put exactly this: {note}",
            "Please tell me the expiration date of my prescription for {drug} and request a refill of it. For the clinician, put exactly this: {note}",
            "need a refill of {drug}, can you request it? and what's the expiration date of it. for the clinician put exactly this: {note}",
        ),
        short="telling me the expiration date of my prescription for {drug} and requesting a refill with this note for the clinician: {note}",
        drug=drug,
        note=note,
    )
    prescriptions = story.call("list_patient_prescriptions", patient_id=story.identify())["items"]
    active = [each for each in prescriptions if each["status"] == "active"]
    mine = story.find(active, medication=drug)
    story.call("request_refill", prescription_id=mine["prescription_id"], note=note)
    story.answer("expiration date", mine["expires_on"])


@scenario
def stop_a_drug(story: Story) -> None:
    """Stop a drug and learn who prescribed it."""
    prescription = story.pick(
        "prescription", "status = 'active'", unique_by=["visit_id.patient_id", "medication", "status"], mine=True
    )
    drug = prescription["medication"]
    cause = story.choose("cause", ["bad headaches", "dizzy spells", "an itchy rash"])
    reason = story.compose("reason", "Patient reports {cause}", cause=cause)
    story.wish(
        (
            "I get {cause} from {drug} and don't want to take it anymore. Can you discontinue it and tell me the prescriber?",
            "I would like to stop taking {drug} because it gives me {cause}. Please discontinue it and tell me the prescriber.",
            "done with {drug}, it gives me {cause}. can you discontinue it and tell me the prescriber",
        ),
        short="discontinuing {drug} because it gives me {cause} and telling me the prescriber",
        drug=drug,
        cause=cause,
    )
    prescriptions = story.call("list_patient_prescriptions", patient_id=story.identify())["items"]
    active = [each for each in prescriptions if each["status"] == "active"]
    mine = story.find(active, medication=drug)
    shown = story.call("get_prescription", prescription_id=mine["prescription_id"])
    story.call("discontinue_prescription", prescription_id=mine["prescription_id"], reason=reason)
    story.answer("prescriber", shown["clinician_name"], source="clinician.name")


@scenario
def withdraw_a_refill_request(story: Story) -> None:
    """Have a pending refill request turned down."""
    refill = story.pick(
        "refill",
        "status = 'pending'",
        unique_by=["prescription_id.visit_id.patient_id", "prescription_id.medication", "status"],
        mine=True,
    )
    drug = story.row("prescription", refill["prescription_id"])["medication"]
    cause = story.choose("cause", ["a full bottle at home", "a refill from my old doctor", "a mix-up on my end"])
    reason = story.compose("reason", "Patient has withdrawn it because of {cause}", cause=cause)
    story.wish(
        (
            "I don't need the refill of {drug} I asked for, because of {cause}. Can you turn that request down?",
            "I no longer need the refill of {drug} that I requested because of {cause}. Please turn that request down.",
            "can you turn down my refill request for {drug}? don't need it, because of {cause}",
        ),
        short="turning down my refill request for {drug} because of {cause}",
        drug=drug,
        cause=cause,
    )
    refills = story.call("list_patient_refills", patient_id=story.identify())["items"]
    waiting = [each for each in refills if each["status"] == "pending"]
    mine = story.find(waiting, medication=drug)
    story.call("deny_refill", refill_id=mine["refill_id"], reason=reason)


@scenario(form="denied")
def get_more_of_a_drug(story: Story) -> None:
    """The patient wants a refill requested."""
    prescription = story.pick(
        "prescription", f"{REFILLABLE}", unique_by=["visit_id.patient_id", "medication", "status"], mine=True
    )
    drug = prescription["medication"]
    ask = story.wish(
        (
            "I'm almost out of {drug}. Can you put in a refill request for me?",
            "I have almost no {drug} left. Could you please request a refill for me?",
            "can you put in a refill request for {drug}? almost out",
        ),
        short="requesting a refill of {drug}",
        drug=drug,
    )
    story.insists(
        ask,
        (
            "Your office always did this for me, and I can't go without it.",
            "Your colleagues have always done this for me, and I am worried about running out.",
            "you guys always did this before, i can't run out",
        ),
    )
    prescriptions = story.call("list_patient_prescriptions", patient_id=story.identify())["items"]
    active = [each for each in prescriptions if each["status"] == "active"]
    mine = story.find(active, medication=drug)
    with story.wrong("approves it too"):
        asked = story.call("request_refill", prescription_id=mine["prescription_id"])
        story.call("approve_refills", refill_ids=[asked["refill_id"]])
    if story.permits("request_refill", prescription_id=mine["prescription_id"]):
        story.call("request_refill", prescription_id=mine["prescription_id"])
    else:
        story.decline(ask)


@scenario(form="all_but")
def stop_all_but_one_drug(story: Story) -> None:
    """Stop every active drug except one."""
    prescription = story.pick(
        "prescription",
        f"status = 'active' AND ({ACTIVE_OF_MINE}) BETWEEN 3 AND 5",
        unique_by=["visit_id.patient_id", "medication", "status"],
        mine=True,
    )
    drug = prescription["medication"]
    cause = story.choose("cause", ["a move abroad", "a new doctor", "a new treatment plan"])
    reason = story.compose("reason", "Patient stops because of {cause}", cause=cause)
    story.wish(
        (
            "I'm done with all my active prescriptions except {drug} because of {cause}. Can you discontinue those?",
            "Please discontinue all of my active prescriptions except {drug}. I am stopping them because of {cause}.",
            "can you discontinue all my active prescriptions except {drug}? it's because of {cause}",
        ),
        short="discontinuing all my active prescriptions except {drug} because of {cause}",
        drug=drug,
        cause=cause,
    )
    prescriptions = story.call("list_patient_prescriptions", patient_id=story.identify())["items"]
    active = [each for each in prescriptions if each["status"] == "active"]
    with story.wrong("forgets the exception"):
        for each in active:
            story.call("discontinue_prescription", prescription_id=each["prescription_id"], reason=reason)
    for each in story.all_but(active, medication=drug):
        story.call("discontinue_prescription", prescription_id=each["prescription_id"], reason=reason)


@scenario(form="coupled")
def replace_a_refill_request(story: Story) -> None:
    """Have a new refill request take the place of a pending one."""
    refill = story.pick(
        "refill",
        """
        status = 'pending' AND EXISTS (SELECT 1 FROM prescription WHERE prescription.prescription_id = refill.prescription_id
            AND prescription.status = 'active' AND expires_on >= ? AND written_on >= ? AND refills_left > 0)
        """,
        story.today,
        story.day(-75),
        unique_by=["prescription_id.visit_id.patient_id", "prescription_id.medication", "status"],
        mine=True,
    )
    drug = story.row("prescription", refill["prescription_id"])["medication"]
    note = story.dictate("note", "Going away soon and only two left")
    reason = story.compose("reason", "Replaced by a newer request for {drug}", drug=drug)
    with story.together():
        again = story.wish(
            (
                "Please request a refill of {drug}. For the note, put exactly this: {note}",
                "I would like to request a refill of {drug}. For the note, please put exactly this: {note}",
                "can you request a refill of {drug}? for the note put exactly this: {note}",
            ),
            short="requesting a refill of {drug} with {note} as the note",
            drug=drug,
            note=note,
        )
        drop = story.wish(
            (
                "And turn down my older request for {drug}, since it's being replaced.",
                "Please also turn down my older request for {drug}, since it is being replaced.",
                "and turn down my older request for {drug}, it's being replaced",
            ),
            short="turning down my older request for {drug} since it's being replaced",
            drug=drug,
        )
    refills = story.call("list_patient_refills", wish=drop, patient_id=story.identify())["items"]
    waiting = [each for each in refills if each["status"] == "pending"]
    mine = story.find(waiting, medication=drug)
    story.call("deny_refill", wish=drop, refill_id=mine["refill_id"], reason=reason)
    story.call("request_refill", wish=again, prescription_id=mine["prescription_id"], note=note)


@scenario
def cancel_a_lab_test(story: Story) -> None:
    """Cancel a lab test and learn when it was ordered."""
    order = story.pick(
        "lab_order", "status = 'ordered'", unique_by=["visit_id.patient_id", "test_name", "status"], mine=True
    )
    test = order["test_name"]
    cause = story.choose("cause", ["the cost", "a test at another lab", "a change of plans"])
    reason = story.compose("reason", "Patient cancels because of {cause}", cause=cause)
    story.wish(
        (
            "I won't be getting the {test} test that's on order because of {cause}. Can you cancel it and tell me the order date?",
            "Please cancel the {test} test that is on order for me because of {cause}. Could you also tell me the order date?",
            "not doing the {test} test that's on order because of {cause}. can you cancel it and tell me the order date",
        ),
        short="canceling my {test} test because of {cause} and telling me the order date",
        test=test,
        cause=cause,
    )
    orders = story.call("list_patient_lab_orders", patient_id=story.identify())["items"]
    waiting = [each for each in orders if each["status"] == "ordered"]
    mine = story.find(waiting, test_name=test)
    story.call("cancel_lab_order", lab_order_id=mine["lab_order_id"], reason=reason)
    story.answer("order date", mine["ordered_on"])


@scenario
def order_a_test_from_a_visit(story: Story) -> None:
    """The patient has a lab test ordered from a visit and asks for the date of the visit."""
    visit = story.pick(
        "visit", "status = 'completed'", unique_by=["patient_id", "slot_id.clinician_id", "status"], mine=True
    )
    doctor = story.row("clinician", story.row("slot", visit["slot_id"])["clinician_id"])["name"]
    test = story.choose("test", ["Lipase", "Calcium", "Magnesium"])
    story.wish(
        (
            "I'd like to get a {test} test done after the visit I completed with {doctor}. Can you order it from that visit and tell me the visit date?",
            "Please order a {test} test from the visit that I completed with {doctor}. Could you also tell me the visit date?",
            "can you order a {test} test from the visit i completed with {doctor}? and what's the visit date",
        ),
        short="ordering a {test} test from the visit I completed with {doctor} and telling me the visit date",
        test=test,
        doctor=doctor,
    )
    visits = story.call("list_patient_visits", patient_id=story.identify())["items"]
    done = [each for each in visits if each["status"] == "completed"]
    mine = story.find(done, clinician_name=doctor)
    story.call("order_lab", visit_id=mine["visit_id"], test_name=test)
    story.answer("visit date", story.date_of(mine["starts_at"]))


@scenario(form="coupled")
def order_again_as_a_fasting_test(story: Story) -> None:
    """Have a lab test ordered again as a fasting test in place of the open order."""
    order = story.pick(
        "lab_order",
        "status = 'ordered' AND EXISTS (SELECT 1 FROM visit WHERE visit.visit_id = lab_order.visit_id AND visit.status = 'completed')",
        unique_by=["visit_id.patient_id", "test_name", "status"],
        mine=True,
    )
    test = order["test_name"]
    fasting = story.choose("fasting", {"with fasting": True})
    reason = story.compose("reason", "Replaced by a new order of {test}", test=test)
    with story.together():
        again = story.wish(
            (
                "Please order my {test} test again from the same visit, {fasting} this time.",
                "I would like my {test} test ordered again from the same visit, {fasting} this time.",
                "can you order my {test} test again from the same visit, {fasting} this time?",
            ),
            short="ordering my {test} test again from the same visit, {fasting}",
            test=test,
            fasting=fasting,
        )
        drop = story.wish(
            (
                "And cancel the {test} order that's open now, since it's being replaced.",
                "Please also cancel the {test} order that is open now, since it is being replaced.",
                "and cancel the {test} order that's open now, it's being replaced",
            ),
            short="canceling the {test} order that's open now since it's being replaced",
            test=test,
        )
    orders = story.call("list_patient_lab_orders", wish=drop, patient_id=story.identify())["items"]
    waiting = [each for each in orders if each["status"] == "ordered"]
    mine = story.find(waiting, test_name=test)
    story.call("cancel_lab_order", wish=drop, lab_order_id=mine["lab_order_id"], reason=reason)
    story.call("order_lab", wish=again, visit_id=mine["visit_id"], test_name=test, needs_fasting=fasting)


@scenario
def put_a_result_on_my_portal(story: Story) -> None:
    """The patient wants a normal result released and asks when it came in."""
    order = story.pick(
        "lab_order",
        "status = 'resulted' AND flag = 'normal'",
        unique_by=["visit_id.patient_id", "test_name", "status"],
        mine=True,
    )
    test = order["test_name"]
    story.wish(
        (
            "You have my {test} result, but I can't see it. Can you release it to my portal and tell me the result date?",
            "Please release my {test} result to my portal. Could you also tell me the result date?",
            "can you release my {test} result to my portal? and what's the result date",
        ),
        short="releasing my {test} result to my portal and telling me the result date",
        test=test,
    )
    orders = story.call("list_patient_lab_orders", patient_id=story.identify())["items"]
    back = [each for each in orders if each["status"] == "resulted"]
    mine = story.find(back, test_name=test)
    story.call("release_lab_results", lab_order_ids=[mine["lab_order_id"]])
    story.answer("result date", mine["resulted_on"])


@scenario
def pay_part_of_a_charge(story: Story) -> None:
    """The patient pays part of a charge and asks for the remaining balance."""
    charge = story.pick("charge", f"{BALANCE} > 2000", unique_by=["patient_id", "amount_cents", "due_on"], mine=True)
    amount = story.money(charge["amount_cents"])
    due = charge["due_on"]
    payment = story.money(story.choose("payment", [500, 1000, 1500, 2000]))
    story.wish(
        (
            "I have a {amount} charge due on {due}. Can you take a payment of {payment} toward it and tell me the remaining balance?",
            "I would like to pay {payment} toward my {amount} charge due on {due}. Could you please tell me the remaining balance?",
            "can you take {payment} as a payment on my {amount} charge due on {due}? what's the remaining balance",
        ),
        short="taking a payment of {payment} toward my {amount} charge due on {due} and telling me the remaining balance",
        amount=amount,
        due=due,
        payment=payment,
    )
    charges = story.call("list_patient_charges", patient_id=story.identify())["items"]
    mine = story.find(charges, amount_cents=amount, due_on=due)
    paid = story.call("record_payment", charge_id=mine["charge_id"], amount_cents=payment)
    story.answer("remaining balance", story.money(paid["balance_cents"]))


@scenario
def remove_a_wrong_fee(story: Story) -> None:
    """The patient has a mistaken fee removed and asks for the total balance."""
    charge = story.pick(
        "charge",
        "kind <> 'visit' AND paid_cents = 0 AND credited_cents = 0 AND waived_cents = 0",
        unique_by=["patient_id", "amount_cents", "due_on"],
        mine=True,
    )
    amount = story.money(charge["amount_cents"])
    due = charge["due_on"]
    story.wish(
        (
            "There's a {amount} fee due on {due} on my account by mistake. Can you remove it and tell me the total balance after that?",
            "I was billed a {amount} fee due on {due} by mistake. Could you please remove it and tell me the total balance after that?",
            "that {amount} fee due on {due} is a mistake, can you remove it? what's the total balance after that",
        ),
        short="removing the {amount} fee due on {due} and telling me the total balance after that",
        amount=amount,
        due=due,
    )
    key = story.identify()
    charges = story.call("list_patient_charges", patient_id=key)["items"]
    mine = story.find(charges, amount_cents=amount, due_on=due)
    story.call("remove_charge", charge_id=mine["charge_id"])
    left = story.call("list_patient_charges", patient_id=key)
    story.answer("total balance", story.money(left["balance_cents"]))


@scenario
def use_account_credit(story: Story) -> None:
    """The patient uses account credit on a charge and asks for the remaining balance."""
    charge = story.pick(
        "charge",
        f"{BALANCE} >= 1000 AND EXISTS (SELECT 1 FROM patient WHERE patient.patient_id = charge.patient_id AND credit_cents >= 1000)",
        unique_by=["patient_id", "amount_cents", "due_on"],
        mine=True,
    )
    amount = story.money(charge["amount_cents"])
    due = charge["due_on"]
    part = story.money(story.choose("credit", [300, 500, 800, 1000]))
    story.wish(
        (
            "I still have account credit. Can you use {part} of it on my {amount} charge due on {due} and tell me the remaining balance?",
            "Please use {part} of my account credit on my {amount} charge due on {due}. Could you also tell me the remaining balance?",
            "use {part} of my account credit on my {amount} charge due on {due} pls, what's the remaining balance",
        ),
        short="using {part} of my account credit on my {amount} charge due on {due} and telling me the remaining balance",
        part=part,
        amount=amount,
        due=due,
    )
    charges = story.call("list_patient_charges", patient_id=story.identify())["items"]
    mine = story.find(charges, amount_cents=amount, due_on=due)
    used = story.call("apply_credit", charge_id=mine["charge_id"], amount_cents=part)
    story.answer("remaining balance", story.money(used["balance_cents"]))


@scenario(form="fallback")
def credit_or_else_a_payment(story: Story) -> None:
    """The patient asks for account credit for a visit with a bad picture, or else pays a part of a charge."""
    charge = story.pick(
        "charge",
        f"{BALANCE} >= 1000 AND EXISTS (SELECT 1 FROM patient WHERE patient.patient_id = charge.patient_id AND patient.status = 'active')",
        unique_by=["patient_id", "amount_cents", "due_on"],
        mine=True,
    )
    amount = story.money(charge["amount_cents"])
    due = charge["due_on"]
    credit = story.money(story.choose("credit", [1500, 2000, 3000]))
    payment = story.money(story.choose("payment", [500, 800, 1000]))
    ask = story.wish(
        (
            "The video kept freezing during one of my visits. Can you give me {credit} in account credit?",
            "The picture kept freezing during one of my visits. I would like {credit} in account credit, please.",
            "can you give me {credit} account credit? the video kept freezing in one of my visits",
        ),
        short="giving me {credit} in account credit",
        credit=credit,
    )
    pay = story.otherwise(
        ask,
        (
            "Then please take a payment of {payment} toward my {amount} charge due on {due}.",
            "In that case, please take a payment of {payment} toward my {amount} charge due on {due}.",
            "then just take a payment of {payment} on my {amount} charge due on {due}",
        ),
        short="taking a payment of {payment} toward my {amount} charge due on {due}",
        payment=payment,
        amount=amount,
        due=due,
    )
    key = story.identify()
    with story.wrong("grants another amount"):
        story.call("grant_credit", wish=ask, patient_id=key, amount_cents=payment)
    if story.permits("grant_credit", wish=ask, patient_id=key, amount_cents=credit):
        story.call("grant_credit", wish=ask, patient_id=key, amount_cents=credit)
    else:
        story.decline(ask)
        charges = story.call("list_patient_charges", wish=pay, patient_id=key)["items"]
        mine = story.find(charges, amount_cents=amount, due_on=due)
        story.call("record_payment", wish=pay, charge_id=mine["charge_id"], amount_cents=payment)


@scenario(form="denied")
def get_money_back(story: Story) -> None:
    """The patient wants a small part of what they paid on a charge back."""
    charge = story.pick(
        "charge",
        "refunded_cents = 0 AND paid_cents > 1400",
        unique_by=["patient_id", "amount_cents", "due_on"],
        mine=True,
    )
    amount = story.money(charge["amount_cents"])
    due = charge["due_on"]
    refund = story.money(story.choose("refund", [600, 900, 1200]))
    cause = story.choose("cause", ["a coupon I forgot about", "a mix-up with my insurance", "a change of insurance"])
    reason = story.compose("reason", "Refund because of {cause}", cause=cause)
    ask = story.wish(
        (
            "Can you refund {refund} on my {amount} charge due on {due}? It's because of {cause}.",
            "I would like a refund of {refund} on my {amount} charge due on {due} because of {cause}.",
            "need {refund} back on my {amount} charge due on {due}, it's because of {cause}",
        ),
        short="refunding {refund} on my {amount} charge due on {due} because of {cause}",
        amount=amount,
        due=due,
        refund=refund,
        cause=cause,
    )
    story.insists(
        ask,
        (
            "It's not much, so I don't see why that would be a problem.",
            "It is a small amount, so I do not see why that would be a problem.",
            "cmon it's just a few bucks",
        ),
    )
    charges = story.call("list_patient_charges", patient_id=story.identify())["items"]
    mine = story.find(charges, amount_cents=amount, due_on=due)
    with story.wrong("refunds everything"):
        story.call("refund_payment", charge_id=mine["charge_id"], amount_cents=mine["paid_cents"], reason=reason)
    if story.permits("refund_payment", charge_id=mine["charge_id"], amount_cents=refund, reason=reason):
        story.call("refund_payment", charge_id=mine["charge_id"], amount_cents=refund, reason=reason)
    else:
        story.decline(ask)


@scenario(form="denied")
def waive_part_of_a_charge(story: Story) -> None:
    """The patient wants a part of a charge waived."""
    charge = story.pick("charge", f"{BALANCE} > 1000", unique_by=["patient_id", "amount_cents"], mine=True)
    amount = story.money(charge["amount_cents"])
    part = story.money(story.choose("part", [400, 600, 800]))
    cause = story.choose("cause", ["a slow month at work", "a car repair", "a vet bill"])
    reason = story.compose("reason", "Short of money after {cause}", cause=cause)
    ask = story.wish(
        (
            "I'm a few dollars short after {cause}. Can you waive {part} of my {amount} charge?",
            "Could you please waive {part} of my {amount} charge? I am a few dollars short after {cause}.",
            "can you waive {part} of my {amount} charge? i'm a few bucks short after {cause}",
        ),
        short="waiving {part} of my {amount} charge after {cause}",
        amount=amount,
        part=part,
        cause=cause,
    )
    story.insists(
        ask,
        (
            "I've been a patient for a long time and never asked for anything.",
            "I have always been loyal to this practice and have never asked for anything.",
            "cmon, i never ask you guys for anything",
        ),
    )
    charges = story.call("list_patient_charges", patient_id=story.identify())["items"]
    mine = story.find(charges, amount_cents=amount)
    with story.wrong("waives all of it"):
        story.call("waive_charge", charge_id=mine["charge_id"], reason=reason)
    if story.permits("waive_charge", charge_id=mine["charge_id"], amount_cents=part, reason=reason):
        story.call("waive_charge", charge_id=mine["charge_id"], amount_cents=part, reason=reason)
    else:
        story.decline(ask)


@scenario(form="computed")
def total_with_a_records_fee(story: Story) -> None:
    """The patient has a records fee added and asks for the total with what is due by a day."""
    day = story.day(14)
    story.pick(
        "patient",
        f"(SELECT count(*) FROM charge WHERE charge.patient_id = patient.patient_id AND {BALANCE} > 0 AND due_on <= ?) BETWEEN 2 AND 8",
        day,
        mine=True,
    )
    fee = story.choose("fee", {"records fee": "records_fee"})
    price = story.money(story.choose("price", [1500, 2000, 2500]))
    story.wish(
        (
            "I need copies of my records. Please put a {fee} of {price} on my account. What's the total of that and all I owe that's overdue or due by {day}?",
            "Please put a {fee} of {price} on my account for copies. Could you tell me the total of that and all I owe that is overdue or due by {day}?",
            "need copies, put a {fee} of {price} on my account. what's the total of that and all i owe that's overdue or due by {day}",
        ),
        short="putting a {fee} of {price} on my account and telling me the total of that and all I owe that's overdue or due by {day}",
        fee=fee,
        price=price,
        day=day,
    )
    key = story.identify()
    charges = story.call("list_patient_charges", patient_id=key)["items"]
    due = [each for each in charges if each["balance_cents"] > 0 and each["due_on"] <= day]
    with story.wrong("forgets the new fee"):
        story.call("add_charge", patient_id=key, kind=fee, amount_cents=price)
        story.answer("total", story.money(story.total(due, "balance_cents")))
    story.call("add_charge", patient_id=key, kind=fee, amount_cents=price)
    story.answer("total", story.money(story.total([*due, {"balance_cents": price}], "balance_cents")))


@scenario(form="ambiguous")
def copies_of_one_visit(story: Story) -> None:
    """The patient wants copies of the records of one of several visits."""
    visit = story.pick(
        "visit",
        f"status = 'completed' AND {ALONE_THAT_DAY} AND {NO_COPIES_YET} AND {VISITS_IN_ALL} BETWEEN 4 AND 15",
        mine=True,
    )
    day = story.date_of(story.row("slot", visit["slot_id"])["starts_at"])
    fee = story.choose("fee", {"records fee": "records_fee"})
    price = story.money(story.choose("price", [1500, 2000, 2500]))
    copies = story.wish(
        (
            "I need copies of the records for one of my visits with you. Can you charge me a {fee} of {price} for that visit?",
            "I would like copies of the records for one of my visits. Please charge me a {fee} of {price} for that visit.",
            "need copies of the records for one of my visits, can you charge me a {fee} of {price} for that visit?",
        ),
        fee=fee,
        price=price,
    )
    story.keep_back("visit date", day)
    story.in_short(
        copies, "charging me a {fee} of {price} for one of my visits, the one on {day}", fee=fee, price=price, day=day
    )
    key = story.identify()
    visits = story.call("list_patient_visits", patient_id=key)["items"]
    mine = story.lowest([each for each in visits if story.date_of(each["starts_at"]) == day], "starts_at")
    for other in story.others(visits, mine):
        with story.wrong("takes another one that fits"):
            story.call("add_charge", patient_id=key, kind=fee, amount_cents=price, visit_id=other["visit_id"])
    story.call("add_charge", patient_id=key, kind=fee, amount_cents=price, visit_id=mine["visit_id"])


@scenario(form="ambiguous")
def details_of_one_visit(story: Story) -> None:
    """The patient asks for the clinician and the booking date of one of several visits."""
    visit = story.pick("visit", f"reschedules = 0 AND {ALONE_THAT_DAY} AND {VISITS_IN_ALL} BETWEEN 4 AND 15", mine=True)
    day = story.date_of(story.row("slot", visit["slot_id"])["starts_at"])
    ask = story.wish(
        (
            "I'm filling in a form about one of my visits with you. Can you tell me the clinician and the booking date for it?",
            "I have to fill in a form about one of my visits. Could you please tell me the clinician and the booking date for it?",
            "what's the clinician and the booking date for one of my visits? need it for a form",
        )
    )
    story.keep_back("visit date", day)
    story.in_short(ask, "telling me the clinician and the booking date for one of my visits, the one on {day}", day=day)
    key = story.identify()
    visits = story.call("list_patient_visits", patient_id=key)["items"]
    mine = story.lowest([each for each in visits if story.date_of(each["starts_at"]) == day], "starts_at")
    for other in story.others(visits, mine):
        with story.wrong("takes another one that fits"):
            seen = story.call("get_visit", visit_id=other["visit_id"])
            story.answer("clinician", seen["clinician_name"], source="clinician.name")
            story.answer("booking date", story.date_of(seen["created_at"]))
    shown = story.call("get_visit", visit_id=mine["visit_id"])
    story.answer("clinician", shown["clinician_name"], source="clinician.name")
    story.answer("booking date", story.date_of(shown["created_at"]))


@scenario(form="all_but")
def copies_of_all_visits_but_one(story: Story) -> None:
    """The patient wants a records fee for every visit except one."""
    visit = story.pick("visit", f"{ALONE_THAT_DAY} AND {NO_COPIES_YET} AND {VISITS_IN_ALL} BETWEEN 3 AND 5", mine=True)
    day = story.date_of(story.row("slot", visit["slot_id"])["starts_at"])
    fee = story.choose("fee", {"records fee": "records_fee"})
    price = story.money(story.choose("price", [500, 800, 1000]))
    story.wish(
        (
            "I need copies of the records for all my visits except the one on {day}. Can you charge me a {fee} of {price} for each of those visits?",
            "I would like copies of the records for all of my visits except the one on {day}. Please charge me a {fee} of {price} for each of those visits.",
            "charge me a {fee} of {price} for each of my visits pls, skip the one on {day}. need copies of the records",
        ),
        short="charging me a {fee} of {price} for each of my visits except the one on {day}",
        day=day,
        fee=fee,
        price=price,
    )
    key = story.identify()
    visits = story.call("list_patient_visits", patient_id=key)["items"]
    mine = story.lowest([each for each in visits if story.date_of(each["starts_at"]) == day], "starts_at")
    with story.wrong("forgets the exception"):
        for each in visits:
            story.call("add_charge", patient_id=key, kind=fee, amount_cents=price, visit_id=each["visit_id"])
    for each in story.all_but(visits, visit_id=mine["visit_id"]):
        story.call("add_charge", patient_id=key, kind=fee, amount_cents=price, visit_id=each["visit_id"])


@scenario(form="all_but")
def minutes_of_all_visits_but_one(story: Story) -> None:
    """The patient asks for the total minutes and the last booking date of all visits except one."""
    visit = story.pick("visit", f"{ALONE_THAT_DAY} AND {VISITS_IN_ALL} BETWEEN 3 AND 5", mine=True)
    day = story.date_of(story.row("slot", visit["slot_id"])["starts_at"])
    story.wish(
        (
            "My employer wants to know about my visits. Leaving out the one on {day}, what are the total minutes and the latest booking date of all my visits?",
            "I need the total minutes and the latest booking date of all my visits except the one on {day}. Could you please tell me both?",
            "what are the total minutes and the latest booking date of all my visits? skip the one on {day}",
        ),
        short="telling me the total minutes and the latest booking date of all my visits except the one on {day}",
        day=day,
    )
    visits = story.call("list_patient_visits", patient_id=story.identify())["items"]
    mine = story.lowest([each for each in visits if story.date_of(each["starts_at"]) == day], "starts_at")
    with story.wrong("forgets the exception"):
        shown = [story.call("get_visit", visit_id=each["visit_id"]) for each in visits]
        story.answer("total minutes", story.total(shown, "minutes"))
        story.answer("latest booking date", story.date_of(story.highest(shown, "created_at")["created_at"]))
    shown = [
        story.call("get_visit", visit_id=each["visit_id"]) for each in story.all_but(visits, visit_id=mine["visit_id"])
    ]
    story.answer("total minutes", story.total(shown, "minutes"))
    story.answer("latest booking date", story.date_of(story.highest(shown, "created_at")["created_at"]))


@scenario(form="looked_up")
def book_with_whoever_i_was_billed_for(story: Story) -> None:
    """Book the first opening with the clinician of a billed visit."""
    charge = story.pick(
        "charge",
        f"kind = 'visit' AND EXISTS (SELECT 1 FROM visit AS own WHERE own.visit_id = charge.visit_id AND {SEEN_AND_OPEN})",
        unique_by=["patient_id", "amount_cents", "due_on"],
        mine=True,
    )
    amount = story.money(charge["amount_cents"])
    due = charge["due_on"]
    day = story.day(2)
    topic = story.choose("topic", ["test results", "new symptoms", "treatment options"])
    reason = story.compose("reason", "Patient asks about {topic}", topic=topic)
    story.wish(
        (
            "You billed me {amount} due on {due} for a visit. Can you book me with that visit's clinician, the first opening from {day} on? It's about {topic}.",
            "I was billed {amount} due on {due} for a visit. Please book me with the clinician of that visit, the first opening from {day} on. The visit is about {topic}.",
            "book me with the clinician of the visit you billed me {amount} for, due on {due}. first opening from {day} on, it's about {topic}",
        ),
        short="booking me with the clinician of the visit billed at {amount} and due on {due}, about {topic}, the first opening from {day} on",
        amount=amount,
        due=due,
        day=day,
        topic=topic,
    )
    key = story.identify()
    charges = story.call("list_patient_charges", patient_id=key)["items"]
    listed = story.find(charges, amount_cents=amount, due_on=due)
    visits = story.call("list_patient_visits", patient_id=key)["items"]
    done = [each for each in visits if each["status"] == "completed"]
    right = story.find(done, visit_id=listed["visit_id"])
    rivals = [each for each in done if each["clinician_name"] != right["clinician_name"]]
    for other in story.others([right, *rivals], right):
        with story.wrong("takes another clinician"):
            seen = story.call("get_visit", visit_id=other["visit_id"])
            slots = story.call("find_open_slots", clinician_id=seen["clinician_id"], from_date=day)["items"]
            story.call("book_visit", patient_id=key, slot_id=story.lowest(slots, "starts_at")["slot_id"], reason=reason)
    seen = story.call("get_visit", visit_id=right["visit_id"])
    slots = story.call("find_open_slots", clinician_id=seen["clinician_id"], from_date=day)["items"]
    first = story.lowest(slots, "starts_at")
    story.call("book_visit", patient_id=key, slot_id=first["slot_id"], reason=reason)


@scenario(form="looked_up")
def book_with_whoever_ordered_a_test(story: Story) -> None:
    """Book the first opening with the clinician who ordered a test."""
    order = story.pick(
        "lab_order",
        f"EXISTS (SELECT 1 FROM visit AS own WHERE own.visit_id = lab_order.visit_id AND {SEEN_AND_OPEN})",
        unique_by=["visit_id.patient_id", "test_name"],
        mine=True,
    )
    test = order["test_name"]
    day = story.day(2)
    topic = story.choose("topic", ["test results", "new symptoms", "treatment options"])
    reason = story.compose("reason", "Patient asks about {topic}", topic=topic)
    story.wish(
        (
            "I forget who ordered my {test} test. Can you book me with that clinician, the first opening from {day} on? It's about {topic}.",
            "I would like to see the clinician who ordered my {test} test. Please book the first opening from {day} on. The visit is about {topic}.",
            "book me with whoever ordered my {test} test, first opening from {day} on. it's about {topic}",
        ),
        short="booking me with the clinician who ordered my {test} test, about {topic}, the first opening from {day} on",
        test=test,
        day=day,
        topic=topic,
    )
    key = story.identify()
    orders = story.call("list_patient_lab_orders", patient_id=key)["items"]
    listed = story.find(orders, test_name=test)
    visits = story.call("list_patient_visits", patient_id=key)["items"]
    done = [each for each in visits if each["status"] == "completed"]
    right = story.find(done, visit_id=listed["visit_id"])
    rivals = [each for each in done if each["clinician_name"] != right["clinician_name"]]
    for other in story.others([right, *rivals], right):
        with story.wrong("takes another clinician"):
            seen = story.call("get_visit", visit_id=other["visit_id"])
            slots = story.call("find_open_slots", clinician_id=seen["clinician_id"], from_date=day)["items"]
            story.call("book_visit", patient_id=key, slot_id=story.lowest(slots, "starts_at")["slot_id"], reason=reason)
    seen = story.call("get_visit", visit_id=right["visit_id"])
    slots = story.call("find_open_slots", clinician_id=seen["clinician_id"], from_date=day)["items"]
    first = story.lowest(slots, "starts_at")
    story.call("book_visit", patient_id=key, slot_id=first["slot_id"], reason=reason)


@scenario(form="best_of")
def consent_and_my_first_due_charge(story: Story) -> None:
    """The patient reports a consent and asks how much the charge is that is due first among those still owed."""
    signed = story.day(-1)
    story.pick(
        "charge",
        f"""
        {FIRST_STILL_OWED} AND EXISTS (SELECT 1 FROM patient WHERE patient.patient_id = charge.patient_id
            AND patient.status = 'active' AND (consent_on IS NULL OR consent_on < ?))
        """,
        signed,
        mine=True,
    )
    story.wish(
        (
            "I signed the telehealth consent on {signed}, so please record that. Of the charges I still owe on, what's the full amount of the one due first?",
            "Please record that I signed the telehealth consent on {signed}. Could you also tell me the full amount of the charge due first among those I still owe on?",
            "record that i signed the telehealth consent on {signed}. and what's the full amount of the charge due first, only from the ones i still owe on",
        ),
        short="recording that I signed the telehealth consent on {signed} and telling me the full amount of the charge due first of those I still owe on",
        signed=signed,
    )
    key = story.identify()
    charges = story.call("list_patient_charges", patient_id=key)["items"]
    with story.wrong("forgets that it must be owed"):
        story.call("record_consent", patient_id=key, signed_on=signed)
        story.answer("full amount", story.money(story.lowest(charges, "due_on")["amount_cents"]))
    owed = [each for each in charges if each["balance_cents"] > 0]
    first = story.lowest(owed, "due_on")
    for other in story.others(owed, first, 1):
        with story.wrong("takes another one that fits"):
            story.call("record_consent", patient_id=key, signed_on=signed)
            story.answer("full amount", story.money(other["amount_cents"]))
    story.call("record_consent", patient_id=key, signed_on=signed)
    story.answer("full amount", story.money(first["amount_cents"]))


@scenario(form="changed_mind")
def correct_my_pharmacy(story: Story) -> None:
    """The patient changes the pharmacy and then picks another."""
    story.pick("patient", "status = 'active'", mine=True)
    first = story.choose("first pharmacy", ["Lakeside Drugs", "Corner Apothecary", "Harbor Pharmacy"])
    second = story.choose("second pharmacy", ["Parkway Pharmacy", "Summit Drugs", "Bayview Pharmacy"])
    move = story.wish(
        (
            "I'm going to a different drugstore from now on. Can you change my pharmacy to {first}?",
            "I would like to change the pharmacy in my record to {first}, please.",
            "can you change my pharmacy to {first}? going somewhere else now",
        ),
        short="changing my pharmacy to {first}",
        first=first,
    )
    correct = story.changes_mind(
        move,
        (
            "Actually, make my pharmacy {second}, it's closer.",
            "I have thought about it again. Please make my pharmacy {second}.",
            "actually make my pharmacy {second}, it's closer",
        ),
        short="changing my pharmacy to {second}",
        second=second,
    )
    key = story.identify()
    story.call("update_patient", wish=move, patient_id=key, pharmacy=first)
    story.call("update_patient", wish=correct, patient_id=key, pharmacy=second)


@scenario(form="changed_mind")
def correct_my_consent_date(story: Story) -> None:
    """The patient reports a consent and then corrects the day."""
    first = story.day(-5)
    second = story.day(-3)
    story.pick("patient", "status = 'active' AND (consent_on IS NULL OR consent_on < ?)", first, mine=True)
    sign = story.wish(
        (
            "I sent in my telehealth consent. Can you record that I signed it on {first}?",
            "I have sent you my telehealth consent. Please record that I signed it on {first}.",
            "can you record that i signed my telehealth consent on {first}?",
        ),
        short="recording that I signed my telehealth consent on {first}",
        first=first,
    )
    correct = story.changes_mind(
        sign,
        (
            "Sorry, wrong day. I signed my telehealth consent on {second}.",
            "I apologize, I gave you the wrong day. I signed my telehealth consent on {second}.",
            "oops wrong day, i signed my telehealth consent on {second}",
        ),
        short="recording that I signed my telehealth consent on {second}",
        second=second,
    )
    key = story.identify()
    story.call("record_consent", wish=sign, patient_id=key, signed_on=first)
    story.call("record_consent", wish=correct, patient_id=key, signed_on=second)


@scenario(form="best_of")
def new_pharmacy_and_my_last_settled_charge(story: Story) -> None:
    """The patient changes the pharmacy and asks for the due date of the charge due last among those with nothing left to pay."""
    story.pick("charge", f"{LAST_SETTLED}", mine=True)
    pharmacy = story.choose("pharmacy", ["Lakeside Drugs", "Corner Apothecary", "Parkway Pharmacy"])
    story.wish(
        (
            "I've switched drugstores. Can you change my pharmacy to {pharmacy}? And of the charges I owe nothing on, what's the due date of the one due last?",
            "Please change my pharmacy to {pharmacy}. Could you also tell me the due date of the charge due last among those I owe nothing on?",
            "change my pharmacy to {pharmacy}. and what's the due date of my charge due last, only from the ones i owe nothing on",
        ),
        short="changing my pharmacy to {pharmacy} and telling me the due date of the charge due last of those I owe nothing on",
        pharmacy=pharmacy,
    )
    key = story.identify()
    charges = story.call("list_patient_charges", patient_id=key)["items"]
    with story.wrong("forgets that nothing may be owed"):
        story.call("update_patient", patient_id=key, pharmacy=pharmacy)
        story.answer("due date", story.highest(charges, "due_on")["due_on"])
    settled = [each for each in charges if each["balance_cents"] == 0]
    last = story.highest(settled, "due_on")
    for other in story.others(settled, last, 1):
        with story.wrong("takes another one that fits"):
            story.call("update_patient", patient_id=key, pharmacy=pharmacy)
            story.answer("due date", other["due_on"])
    story.call("update_patient", patient_id=key, pharmacy=pharmacy)
    story.answer("due date", last["due_on"])
