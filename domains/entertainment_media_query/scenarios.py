"""What people want of Cedar Valley Home Reel Archive: every function is a scenario."""

from runtime.story import Story, scenario

NOT_USED = """
    NOT EXISTS (SELECT 1 FROM viewing AS u WHERE u.recording_id = recording.recording_id
        AND u.status = 'booked')
        AND NOT EXISTS (SELECT 1 FROM inquiry AS j WHERE j.recording_id = recording.recording_id
        AND j.status = 'open')
"""
NEAR_FULL = """
    (SELECT coalesce(sum(r.runtime_minutes), 0) - coalesce(max(r.runtime_minutes), 0) FROM recording AS r WHERE r.member_id = recording.member_id
        AND r.status = 'cataloged'
        AND r.carrier <> 'file') + 40 <= (SELECT CASE tier WHEN 'neighbor' THEN 60 WHEN 'friend' THEN 120 ELSE 240 END FROM member WHERE member.member_id = recording.member_id)
"""
FULL_SHELF = """
    (SELECT coalesce(sum(r.runtime_minutes), 0) FROM recording AS r WHERE r.member_id = recording.member_id
        AND r.status = 'cataloged'
        AND r.carrier <> 'file') + 40 > (SELECT CASE tier WHEN 'neighbor' THEN 60 WHEN 'friend' THEN 120 ELSE 240 END FROM member WHERE member.member_id = recording.member_id)
"""
FITS_WITHOUT = """
    (SELECT coalesce(sum(r.runtime_minutes), 0) FROM recording AS r WHERE r.member_id = recording.member_id
        AND r.status = 'cataloged'
        AND r.carrier <> 'file') - recording.runtime_minutes + 40 <= (SELECT CASE tier WHEN 'neighbor' THEN 60 WHEN 'friend' THEN 120 ELSE 240 END FROM member WHERE member.member_id = recording.member_id)
"""
ROOM_AHEAD = """
    (SELECT count(*) FROM viewing AS w WHERE w.member_id = recording.member_id
        AND w.status = 'booked'
        AND w.starts_at > '2025-10-16 10:05:00') < (SELECT CASE tier WHEN 'neighbor' THEN 1 WHEN 'friend' THEN 2 ELSE 3 END FROM member WHERE member.member_id = recording.member_id)
"""
ROOM_IN_NOVEMBER = """
    (SELECT coalesce(sum(w.minutes), 0) FROM viewing AS w WHERE w.member_id = recording.member_id
        AND w.status <> 'canceled'
        AND instr(w.starts_at, '2025-11') = 1) + 30 <= (SELECT CASE tier WHEN 'neighbor' THEN 60 WHEN 'friend' THEN 90 ELSE 150 END FROM member WHERE member.member_id = recording.member_id)
"""
PLAYABLE = """
    recording.status = 'cataloged'
        AND recording.access = 'open'
        AND (recording.digitized = 1 OR (SELECT tier FROM member WHERE member.member_id = recording.member_id) = 'patron')
"""
NEAR_IN_OCTOBER = """
    (SELECT coalesce(sum(w.minutes), 0) - coalesce(max(w.minutes), 0) FROM viewing AS w WHERE w.member_id = recording.member_id
        AND w.status <> 'canceled'
        AND instr(w.starts_at, '2025-10') = 1) + 45 <= (SELECT CASE tier WHEN 'neighbor' THEN 60 WHEN 'friend' THEN 90 ELSE 150 END FROM member WHERE member.member_id = recording.member_id)
"""
FREE_ON_29 = """
    NOT EXISTS (SELECT 1 FROM viewing AS o WHERE o.member_id = recording.member_id
        AND o.status = 'booked'
        AND instr(o.starts_at, '2025-10-29') = 1)
        AND NOT EXISTS (SELECT 1 FROM viewing AS b WHERE b.booth = 4
        AND b.status = 'booked'
        AND b.starts_at BETWEEN '2025-10-29 15:30:00'
        AND '2025-10-29 18:00:00')
"""
FREE_ON_30 = """
    NOT EXISTS (SELECT 1 FROM viewing AS o WHERE o.member_id = viewing.member_id
        AND o.viewing_id <> viewing.viewing_id
        AND o.status = 'booked'
        AND instr(o.starts_at, '2025-10-30') = 1)
        AND NOT EXISTS (SELECT 1 FROM viewing AS b WHERE b.booth = 4
        AND b.status = 'booked'
        AND b.starts_at BETWEEN '2025-10-30 14:00:00'
        AND '2025-10-30 18:00:00')
"""
PLAYABLE_2 = """
    r.status = 'cataloged'
        AND r.access = 'open'
        AND (r.digitized = 1 OR (SELECT tier FROM member WHERE member.member_id = r.member_id) = 'patron')
"""
AT_THE_CAP = """
    (SELECT count(*) FROM viewing AS w WHERE w.member_id = viewing.member_id
        AND w.status = 'booked'
        AND w.starts_at > '2025-10-16 10:05:00') = (SELECT CASE tier WHEN 'neighbor' THEN 1 WHEN 'friend' THEN 2 ELSE 3 END FROM member WHERE member.member_id = viewing.member_id)
"""
TIER_MAY_CHANGE = """
    (SELECT m.tier_set_on IS NULL OR m.tier_set_on <= '2025-07-18' FROM member AS m WHERE m.member_id = viewing.member_id)
"""
PLAYABLE_HERE = """
    recording.status = 'cataloged'
        AND recording.access = 'open'
        AND (recording.digitized = 1 OR (SELECT tier FROM member WHERE member.member_id = recording.member_id) = 'patron')
"""
OWES_LITTLE = """
    (SELECT coalesce(sum(c.amount_cents), 0) FROM charge AS c WHERE c.member_id = recording.member_id
        AND c.status = 'unpaid') <= 500
"""
OWES_LITTLE_HERE = """
    (SELECT coalesce(sum(c.amount_cents), 0) FROM charge AS c WHERE c.member_id = inquiry.member_id
        AND c.status = 'unpaid') <= 500
"""
ROOM_FOR_30 = """
    (SELECT coalesce(sum(i.minutes), 0) FROM inquiry AS i WHERE i.member_id = recording.member_id
        AND i.status = 'open') + 30 <= (SELECT CASE tier WHEN 'neighbor' THEN 60 WHEN 'friend' THEN 120 ELSE 180 END FROM member WHERE member.member_id = recording.member_id)
"""
ROOM_TO_REOPEN = """
    (SELECT coalesce(sum(i.minutes), 0) FROM inquiry AS i WHERE i.member_id = inquiry.member_id
        AND i.status = 'open') + inquiry.minutes <= (SELECT CASE tier WHEN 'neighbor' THEN 60 WHEN 'friend' THEN 120 ELSE 180 END FROM member WHERE member.member_id = inquiry.member_id)
"""
ABOUT_KEPT = """
    (inquiry.recording_id IS NULL OR EXISTS (SELECT 1 FROM recording AS r WHERE r.recording_id = inquiry.recording_id
        AND r.status = 'cataloged'))
"""
OWES_NEAR = """
    (SELECT coalesce(sum(c.amount_cents), 0) - coalesce(max(c.amount_cents), 0) FROM charge AS c WHERE c.member_id = recording.member_id
        AND c.status = 'unpaid') <= 500
"""
NEAR_THE_LIMIT = """
    (SELECT coalesce(sum(i.minutes), 0) - coalesce(max(i.minutes), 0) FROM inquiry AS i WHERE i.member_id = recording.member_id
        AND i.status = 'open') + 45 <= (SELECT CASE tier WHEN 'neighbor' THEN 60 WHEN 'friend' THEN 120 ELSE 180 END FROM member WHERE member.member_id = recording.member_id)
"""
FOUR_OF_THEM = """
    (SELECT count(*) FROM recording AS r WHERE r.member_id = recording.member_id
        AND r.status = 'cataloged') >= 4
"""
FREE_TO_GO = """
    (SELECT count(*) FROM recording AS r WHERE r.member_id = member.member_id
        AND r.status = 'cataloged') BETWEEN 2
        AND 5
        AND NOT EXISTS (SELECT 1 FROM recording AS r JOIN viewing AS u ON u.recording_id = r.recording_id WHERE r.member_id = member.member_id
        AND r.status = 'cataloged'
        AND u.status = 'booked')
        AND NOT EXISTS (SELECT 1 FROM recording AS r JOIN inquiry AS j ON j.recording_id = r.recording_id WHERE r.member_id = member.member_id
        AND r.status = 'cataloged'
        AND j.status = 'open')
"""
ONE_MAY_GO = """
    EXISTS (SELECT 1 FROM recording AS r WHERE r.member_id = member.member_id
        AND r.status = 'cataloged'
        AND r.created_at < '2024-10-17')
"""
SOME_SEALED = """
    (SELECT count(*) FROM recording AS r WHERE r.member_id = member.member_id
        AND r.status = 'cataloged'
        AND r.access = 'sealed') BETWEEN 2
        AND 5
"""
ONE_MAY_OPEN = """
    EXISTS (SELECT 1 FROM recording AS r WHERE r.member_id = member.member_id
        AND r.status = 'cataloged'
        AND r.access = 'sealed'
        AND r.access_set_on <= '2025-07-18')
"""
ROOM_FOR_BOTH = """
    (SELECT coalesce(sum(w.minutes), 0) FROM viewing AS w WHERE w.member_id = recording.member_id
        AND w.status <> 'canceled'
        AND instr(w.starts_at, '2025-11') = 1) + 60 <= (SELECT CASE tier WHEN 'neighbor' THEN 60 WHEN 'friend' THEN 90 ELSE 150 END FROM member WHERE member.member_id = recording.member_id)
"""
ANOTHER_ONE = """
    EXISTS (SELECT 1 FROM recording AS r WHERE r.member_id = recording.member_id
        AND r.recording_id <> recording.recording_id
        AND r.status = 'cataloged'
        AND r.access = 'open'
        AND (r.digitized = 1 OR (SELECT tier FROM member WHERE member.member_id = r.member_id) = 'patron'))
"""


@scenario
def pay_one_charge(story: Story) -> None:
    """The member pays one of their charges and asks how much they still owe."""
    charge = story.pick("charge", "status = 'unpaid'", unique_by=["member_id", "amount_cents", "status"], mine=True)
    amount = story.money(charge["amount_cents"])
    story.wish(
        (
            "I've got my card here. Can you take care of my {amount} charge and tell me the amount I still owe?",
            "I would like to pay my {amount} charge. Could you please tell me the amount I still owe after that?",
            "wanna pay my {amount} charge, what's the amount i still owe after that",
        ),
        short="paying my {amount} charge and telling me the amount I still owe",
        amount=amount,
    )
    key = story.identify()
    charges = story.call("list_charges", member_id=key)["charges"]
    unpaid = [each for each in charges if each["status"] == "unpaid"]
    mine = story.find(unpaid, amount_cents=amount)
    story.answer(
        "amount I still owe",
        story.money(story.call("pay_charges", member_id=key, charge_ids=[mine["charge_id"]])["unpaid_cents"]),
    )


@scenario
def new_email(story: Story) -> None:
    """The member has a new email address."""
    email = story.choose("email", ["hawkeye.reels@example.com", "home.movies@example.net", "old.tapes@example.org"])
    story.pick(
        "recording",
        "status = 'cataloged' AND NOT EXISTS (SELECT 1 FROM member WHERE member.email = ?)",
        email,
        mine=True,
    )
    story.wish(
        (
            "I switched providers, so my email is {email} now. Can you update it?",
            "My email address has changed to {email}. Could you please update it?",
            "new email, it's {email}, can you update that",
        ),
        short="changing my email to {email}",
        email=email,
    )
    story.call("update_contact", member_id=story.identify(), email=email)


@scenario
def fix_the_year(story: Story) -> None:
    """The member corrects the year in which a recording of theirs was made and asks how long it runs."""
    year = story.choose("year", [1958, 1967, 1984])

    recording = story.pick(
        "recording",
        "status = 'cataloged' AND made_year <> ?",
        year,
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]

    story.wish(
        (
            "I found the box for my {name}, and it was made in {year}. Can you fix that and tell me the running time?",
            "I found the box for my {name}. It was made in {year}. Please correct that and tell me the running time.",
            "found the box for my {name}, it was made in {year}. can you fix it, and what's the running time",
        ),
        short="changing the year my {name} was made to {year} and telling me the running time",
        name=name,
        year=year,
    )

    key = story.identify()
    deposits = story.call("list_deposits", member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)

    fixed = story.call("correct_recording", recording_id=mine["recording_id"], made_year=year)
    story.answer("running time", fixed["runtime_minutes"])


@scenario(form="denied")
def open_it_up_again(story: Story) -> None:
    """The member wants a sealed recording of theirs opened to everyone again."""
    recording = story.pick(
        "recording",
        f"status = 'cataloged' AND access = 'sealed' AND {NOT_USED}",
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]

    access = story.choose("access", {"open to everyone": "open"})
    unseal = story.wish(
        (
            "My family talked it over, and we'd like people to see my {name} again. Can you make it {access}?",
            "My family has discussed it, and I would like my {name} to be {access} again. Could you please change that?",
            "can you make my {name} {access} again? talked it over with the family",
        ),
        short="making my {name} {access} again",
        name=name,
        access=access,
    )
    story.insists(
        unseal,
        (
            "It took us a long time to agree on this, please don't make it harder.",
            "It took us a long time to agree on this. Please do not make it harder.",
            "took us forever to agree on this, don't make it harder",
        ),
    )
    story.insists(
        unseal,
        (
            "It belongs to me, so I should get to say who sees it.",
            "It belongs to me, so I should be able to decide who sees it.",
            "it's mine, i should get to say who sees it",
        ),
    )

    key = story.identify()
    deposits = story.call("list_deposits", member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)

    with story.wrong("gives it back instead"):
        story.call("withdraw_recording", recording_id=mine["recording_id"], reason=name)
    if story.permits("set_access", recording_id=mine["recording_id"], access=access):
        story.call("set_access", recording_id=mine["recording_id"], access=access)
    else:
        story.decline(unseal)


@scenario(form="denied")
def take_it_back_home(story: Story) -> None:
    """The member wants a recording of theirs back."""
    recording = story.pick(
        "recording", f"status = 'cataloged' AND {NOT_USED}", unique_by=["member_id", "name", "status"], mine=True
    )
    name = recording["name"]

    reason = story.dictate("reason", "My kids want to keep it at home.")
    back = story.wish(
        (
            "I'd like to have my {name} back. Can you withdraw it and put exactly this as the reason: {reason}",
            "I would like to withdraw my {name} from the archive. Please put exactly this as the reason: {reason}",
            "can you withdraw my {name}? want it back. put exactly this as the reason: {reason}",
        ),
        short="withdrawing my {name} with the reason {reason}",
        name=name,
        reason=reason,
    )
    story.insists(
        back,
        (
            "My kids have been asking for it every single week.",
            "My children ask me for it every single week.",
            "my kids ask for it every single week",
        ),
    )
    story.insists(
        back,
        (
            "I never signed anything that says I can't have it back.",
            "I never signed anything that says that I cannot have it back.",
            "never signed anything that says i can't have it back",
        ),
    )

    key = story.identify()
    deposits = story.call("list_deposits", member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)

    with story.wrong("words the reason itself"):
        story.call("withdraw_recording", recording_id=mine["recording_id"], reason=name)
    if story.permits("withdraw_recording", recording_id=mine["recording_id"], reason=reason):
        story.call("withdraw_recording", recording_id=mine["recording_id"], reason=reason)
    else:
        story.decline(back)


@scenario(form="fallback")
def bring_in_a_tape_or_update_the_phone(story: Story) -> None:
    """The member brings in a tape, or else leaves a new phone number."""
    title = story.choose("title", ["Threshing Day at Hagens", "Hagen Cousins on the Ice"])
    kind = story.choose("kind", {"home movie": "home_movie"})
    carrier = story.choose("carrier", {"VHS tape": "vhs"})
    maker = story.choose("maker", ["Roy Hagen"])
    year = story.choose("year", [1988])
    minutes = story.choose("minutes", [40])
    description = story.dictate("description", "Neighbors, dogs and a long lunch on the lawn")

    story.pick(
        "recording",
        f"status = 'cataloged' AND {NEAR_FULL} AND NOT EXISTS (SELECT 1 FROM recording AS r WHERE r.member_id = recording.member_id AND r.name = ?)",
        title,
        mine=True,
    )
    bring = story.wish(
        (
            "I've got a {kind} on {carrier} to bring in, {title}, made by {maker} in {year}. It's {minutes} minutes. Can you add it and describe it with exactly this: {description}",
            "I would like to deposit {title}, a {kind} on {carrier} of {minutes} minutes that {maker} made in {year}. Please describe it with exactly this: {description}",
            "bringing in {title}, a {kind} on {carrier}, {minutes} minutes, made by {maker} in {year}. can you add it? describe it with exactly this: {description}",
        ),
        short="adding {title}, a {kind} on {carrier} of {minutes} minutes made by {maker} in {year}, with the description {description}",
        title=title,
        kind=kind,
        carrier=carrier,
        maker=maker,
        year=year,
        minutes=minutes,
        description=description,
    )
    phone = story.choose("phone", ["(319) 555-0191", "(319) 555-0174"])
    update = story.otherwise(
        bring,
        (
            "Then just put down my new phone number so you can reach me, it's {phone}.",
            "In that case, please note my new phone number, {phone}, so that you can reach me.",
            "then just put down my new number, {phone}",
        ),
        short="changing my phone number to {phone}",
        phone=phone,
    )
    key = story.identify()
    with story.wrong("mixes up the name and the maker"):
        story.call(
            "deposit_recording",
            wish=bring,
            member_id=key,
            name=maker,
            kind=kind,
            carrier=carrier,
            maker=title,
            made_year=year,
            runtime_minutes=minutes,
            description=description,
        )
    if story.permits(
        "deposit_recording",
        wish=bring,
        member_id=key,
        name=title,
        kind=kind,
        carrier=carrier,
        maker=maker,
        made_year=year,
        runtime_minutes=minutes,
        description=description,
    ):
        story.call(
            "deposit_recording",
            wish=bring,
            member_id=key,
            name=title,
            kind=kind,
            carrier=carrier,
            maker=maker,
            made_year=year,
            runtime_minutes=minutes,
            description=description,
        )
    else:
        story.decline(bring)
        story.call("update_contact", wish=update, member_id=key, phone=phone)


@scenario(form="all_but")
def same_maker_except_one(story: Story) -> None:
    """The member has the maker of all their recordings corrected except for one."""
    maker = story.choose("maker", ["Grandpa Hagen", "Elmer Voss"])

    recording = story.pick(
        "recording",
        "status = 'cataloged' AND (SELECT count(*) FROM recording AS r WHERE r.member_id = recording.member_id AND r.status = 'cataloged' AND r.maker <> ?) BETWEEN 3 AND 6 AND NOT EXISTS (SELECT 1 FROM recording AS r WHERE r.member_id = recording.member_id AND r.maker = ?)",
        maker,
        maker,
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]

    story.wish(
        (
            "Everything I deposited that you still have was made by {maker}, except {name}. Can you fix the maker on all the others?",
            "All of the recordings of mine that are still in the archive were made by {maker}, except {name}. Please correct the maker of all the others.",
            "all my recordings you still have were made by {maker}, can you fix the maker? except {name}, that one's right",
        ),
        short="correcting the maker to {maker} on all my recordings that you still have, except {name}",
        name=name,
        maker=maker,
    )
    deposits = story.call("list_deposits", member_id=story.identify())["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    with story.wrong("forgets the exception"):
        for each in kept:
            story.call("correct_recording", recording_id=each["recording_id"], maker=maker)
    for each in story.all_but(kept, name=name):
        story.call("correct_recording", recording_id=each["recording_id"], maker=maker)


@scenario(form="ambiguous")
def wrong_year_on_one_of_them(story: Story) -> None:
    """The member has the year of one of their recordings corrected and says which when asked."""
    year = story.choose("year", [1955, 1975])

    recording = story.pick(
        "recording",
        "status = 'cataloged' AND made_year <> ? AND (SELECT count(*) FROM recording AS r WHERE r.member_id = recording.member_id AND r.status = 'cataloged') >= 4",
        year,
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]

    fix = story.wish(
        (
            "The year is wrong on one of my recordings, it was made in {year}. Can you fix it?",
            "One of my recordings has the wrong year. It was made in {year}. Please correct it.",
            "wrong year on one of my recordings, should be {year}, can you fix it",
        ),
        year=year,
    )
    story.keep_back("name of the recording", name)
    story.in_short(fix, "changing the year to {year} on one of my recordings, {name}", year=year, name=name)

    key = story.identify()
    deposits = story.call("list_deposits", member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)

    for other in story.others(kept, mine):
        with story.wrong("takes another recording"):
            story.call("correct_recording", recording_id=other["recording_id"], made_year=year)
    story.call("correct_recording", recording_id=mine["recording_id"], made_year=year)


@scenario(form="changed_mind")
def mistyped_phone(story: Story) -> None:
    """The member gives a new phone number and corrects a typo in it."""
    first = story.choose("phone", ["(319) 555-0128"])
    second = story.choose("right phone", ["(319) 555-0182"])
    story.pick(
        "recording",
        "status = 'cataloged' AND (SELECT coalesce(phone, '') FROM member WHERE member.member_id = recording.member_id) NOT IN (?, ?)",
        first,
        second,
        mine=True,
    )
    number = story.wish(
        (
            "I've got a new cell. My number is {phone}, can you update it?",
            "I have a new cell phone, and my number is {phone}. Could you please update it?",
            "got a new cell, number's {phone}, can you update it",
        ),
        short="changing my phone number to {phone}",
        phone=first,
    )
    correct = story.changes_mind(
        number,
        (
            "Sorry, I mixed up two digits. It's {phone}.",
            "I apologize, I mixed up two digits. It is {phone}.",
            "oops mixed up two digits, it's {phone}",
        ),
        short="changing my phone number to {phone}",
        phone=second,
    )
    key = story.identify()
    story.call("update_contact", wish=number, member_id=key, phone=first)
    story.call("update_contact", wish=correct, member_id=key, phone=second)


@scenario(form="computed")
def charged_in_all(story: Story) -> None:
    """The member asks how much they were ever charged, paid or not, and how much of it is still open."""
    story.pick(
        "charge",
        "status = 'unpaid' AND EXISTS (SELECT 1 FROM charge AS c WHERE c.member_id = charge.member_id AND c.status = 'paid')",
        mine=True,
    )
    story.wish(
        (
            "I'm doing my books. What's the total you've charged me, paid or not, and how much is the unpaid part?",
            "I am going over my expenses. Could you please tell me the total you have charged me, paid or not, and the unpaid part?",
            "doing my books, what's the total you guys ever charged me, paid or not? and the unpaid part",
        ),
        short="telling me the total you have charged me, paid or not, and the unpaid part",
    )
    listed = story.call("list_charges", member_id=story.identify())
    with story.wrong("forgets what is paid"):
        story.answer("total", story.money(listed["unpaid_cents"]))
        story.answer("unpaid part", story.money(listed["unpaid_cents"]))
    story.answer("total", story.money(story.total(listed["charges"], "amount_cents")))
    story.answer("unpaid part", story.money(listed["unpaid_cents"]))


@scenario(form="conditional")
def year_or_maker(story: Story) -> None:
    """The member has a year corrected if it is too early, and the maker if it is not."""
    year = story.choose("year", [1964, 1971])
    maker = story.choose("maker", ["Otto Hagen", "Irma Voss"])

    recording = story.pick(
        "recording", "status = 'cataloged' AND maker <> ?", maker, unique_by=["member_id", "name", "status"], mine=True
    )
    name = recording["name"]

    story.wish(
        (
            "If my {name} is down as made before {year}, change the year to {year}, we had no camera earlier. If it's {year} or later, change the maker to {maker}.",
            "Please look up my {name}. If it is listed as made before {year}, please change the year to {year}. If it is listed as {year} or later, please change the maker to {maker}.",
            "can you check my {name}? if it says made before {year}, change the year to {year}. if it's {year} or later, change the maker to {maker}",
        ),
        short="changing the year of my {name} to {year} if it says earlier, and changing the maker to {maker} if it says {year} or later",
        name=name,
        year=year,
        maker=maker,
    )

    key = story.identify()
    deposits = story.call("list_deposits", member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)

    with story.wrong("mixes up the name and the maker"):
        story.call("correct_recording", recording_id=mine["recording_id"], name=maker)
    if mine["made_year"] < year:
        with story.wrong("takes the other branch"):
            story.call("correct_recording", recording_id=mine["recording_id"], maker=maker)
        story.call("correct_recording", recording_id=mine["recording_id"], made_year=year)
    else:
        with story.wrong("takes the other branch"):
            story.call("correct_recording", recording_id=mine["recording_id"], made_year=year)
        story.call("correct_recording", recording_id=mine["recording_id"], maker=maker)


@scenario(form="coupled")
def trade_one_tape_for_another(story: Story) -> None:
    """The member brings in a tape and takes another recording back to make room."""
    title = story.choose("title", ["Voss Sisters Swimming", "Voss Barn Raising"])

    recording = story.pick(
        "recording",
        f"status = 'cataloged' AND carrier <> 'file' AND created_at < '2024-10-17' AND {NOT_USED} AND {FULL_SHELF} AND {FITS_WITHOUT} AND NOT EXISTS (SELECT 1 FROM recording AS r WHERE r.member_id = recording.member_id AND r.name = ?)",
        title,
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]

    kind = story.choose("kind", {"home movie": "home_movie"})
    carrier = story.choose("carrier", {"VHS tape": "vhs"})
    maker = story.choose("maker", ["Irma Voss"])
    year = story.choose("year", [1987])
    minutes = story.choose("minutes", [40])
    description = story.dictate("description", "Two summers with the whole family, some of it shaky")
    reason = story.compose("reason", "I want to have {name} at home", name=name)
    with story.together():
        bring = story.wish(
            (
                "I'd like to bring in {title}, a {kind} on {carrier}, {minutes} minutes, made by {maker} in {year}. Describe it with exactly this: {description}",
                "I would like to deposit {title}, a {kind} on {carrier} of {minutes} minutes that {maker} made in {year}. Please describe it with exactly this: {description}",
                "can you add {title}, a {kind} on {carrier}, {minutes} minutes, made by {maker} in {year}? describe it with exactly this: {description}",
            ),
            short="adding {title}, a {kind} on {carrier} of {minutes} minutes made by {maker} in {year}, with the description {description}",
            title=title,
            kind=kind,
            carrier=carrier,
            minutes=minutes,
            maker=maker,
            year=year,
            description=description,
        )
        back = story.wish(
            (
                "And please give me back my {name}, I want to have it at home.",
                "Please also withdraw my {name}, as I would like to have it at home.",
                "and i want my {name} back home, so take it out of the archive",
            ),
            short="withdrawing my {name}, because I want to have it at home",
            name=name,
        )
    key = story.identify()
    deposits = story.call("list_deposits", wish=back, member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)
    story.call("withdraw_recording", wish=back, recording_id=mine["recording_id"], reason=reason)
    story.call(
        "deposit_recording",
        wish=bring,
        member_id=key,
        name=title,
        kind=kind,
        carrier=carrier,
        maker=maker,
        made_year=year,
        runtime_minutes=minutes,
        description=description,
    )


@scenario(form="mistaken")
def years_too_early(story: Story) -> None:
    """The member has a year corrected by some years and is mistaken about what the catalog says."""
    wrong = story.choose("wrong", [1961, 1974])
    years = story.choose("years", [2, 3])

    recording = story.pick(
        "recording",
        "status = 'cataloged' AND made_year <> ? AND made_year < 2015",
        wrong,
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]

    story.wish(
        (
            "I think the catalog says {wrong} for my {name}. Whatever year it says is {years} years too early. Can you fix it?",
            "I believe that the catalog says {wrong} for my {name}. Whatever year it says, it is {years} years too early. Please correct it.",
            "pretty sure the catalog says {wrong} for my {name}. whatever it says is {years} years too early, can you fix the year",
        ),
        short="making the year of my {name} {years} years later than the catalog says",
        name=name,
        wrong=wrong,
        years=years,
    )
    story.believes("year", wrong, recording["made_year"])

    key = story.identify()
    deposits = story.call("list_deposits", member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)

    extra = {"made_year": years}
    with story.wrong("trusts the customer"):
        story.call(
            "correct_recording",
            recording_id=mine["recording_id"],
            made_year=story.total([{"made_year": wrong}, extra], "made_year"),
        )
    with story.wrong("takes the year that was said"):
        story.call("correct_recording", recording_id=mine["recording_id"], made_year=wrong)
    story.call(
        "correct_recording", recording_id=mine["recording_id"], made_year=story.total([mine, extra], "made_year")
    )


@scenario(form="withheld")
def a_better_name(story: Story) -> None:
    """The member has a recording renamed and tells the new name when asked."""
    title = story.choose("title", ["Creek Road Flood", "Wendell on Accordion", "Goat Parade", "Grandma Ida's Sundays"])

    recording = story.pick(
        "recording", "status = 'cataloged' AND name <> ?", title, unique_by=["member_id", "name", "status"], mine=True
    )
    name = recording["name"]

    rename = story.wish(
        (
            "The name of my {name} isn't right, my family calls it something else. Can you change the name?",
            "My family knows my {name} under a different name. Please change the name in the catalog.",
            "can you change the name of my {name}? we call it something else",
        ),
        name=name,
    )
    story.keep_back("new name", title)
    story.in_short(rename, "changing the name of my {name} to {title}", name=name, title=title)

    key = story.identify()
    deposits = story.call("list_deposits", member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)

    story.call("correct_recording", recording_id=mine["recording_id"], name=title)


@scenario
def check_in_today(story: Story) -> None:
    """The member has come for a viewing today, wants to be checked in, and asks for the booth and the length."""
    viewing = story.pick(
        "viewing",
        "status = 'booked' AND substr(starts_at, 1, 10) = ? AND datetime(starts_at, minutes || ' minutes') > ?",
        story.today,
        story.now,
        unique_by=["member_id", "recording_id.name", "status"],
        mine=True,
    )
    name = story.row("recording", viewing["recording_id"])["name"]
    story.wish(
        (
            "I'm here for my viewing of {name} today. Can you check me in and tell me the booth number?",
            "I have arrived for my viewing of {name} today. Could you please check me in and tell me the booth number?",
            "made it for my viewing of {name}, can you check me in? what's the booth number",
        ),
        short="checking me in for my viewing of {name} and telling me the booth number",
        name=name,
    )
    viewings = story.call("list_viewings", member_id=story.identify())["viewings"]
    booked = [each for each in viewings if each["status"] == "booked"]
    mine = story.find(booked, recording_name=name)
    story.answer("booth number", story.call("check_in_viewing", viewing_id=mine["viewing_id"])["booth"])


@scenario
def cancel_on_short_notice(story: Story) -> None:
    """The member cancels a viewing that is today or tomorrow and asks what they owe in all afterward."""
    viewing = story.pick(
        "viewing",
        "status = 'booked' AND starts_at > ? AND starts_at < ?",
        story.now,
        story.day(2),
        unique_by=["member_id", "recording_id.name", "status"],
        mine=True,
    )
    name = story.row("recording", viewing["recording_id"])["name"]
    story.wish(
        (
            "I can't make it to my viewing of {name} after all. Please cancel it and tell me how much I owe in total after that.",
            "I am unable to come to my viewing of {name}. Could you please cancel it and tell me how much I owe in total after that?",
            "need to cancel my viewing of {name}, sorry. how much do i owe in total after that",
        ),
        short="canceling my viewing of {name} and telling me how much I owe in total after that",
        name=name,
    )
    key = story.identify()
    viewings = story.call("list_viewings", member_id=key)["viewings"]
    booked = [each for each in viewings if each["status"] == "booked"]
    mine = story.find(booked, recording_name=name)
    story.call("cancel_viewing", viewing_id=mine["viewing_id"])
    copies = {"neighbor": 10, "friend": 5, "patron": 0}[story.me["tier"]]
    if copies:
        fee = story.total([mine for _ in range(copies)], "minutes")
        story.call("record_charge", member_id=key, kind="late_cancel", amount_cents=fee, viewing_id=mine["viewing_id"])
    story.answer("total", story.money(story.call("list_charges", member_id=key)["unpaid_cents"]))


@scenario
def cancel_in_good_time(story: Story) -> None:
    """The member cancels a viewing that is days away."""
    viewing = story.pick(
        "viewing",
        "status = 'booked' AND starts_at >= ?",
        story.day(2),
        unique_by=["member_id", "recording_id.name", "status"],
        mine=True,
    )
    name = story.row("recording", viewing["recording_id"])["name"]
    story.wish(
        (
            "My cousins can't come, so I don't need my viewing of {name} anymore. Can you cancel it?",
            "I would like to cancel my viewing of {name}, as my plans have changed.",
            "can you cancel my viewing of {name}? plans fell through",
        ),
        short="canceling my viewing of {name}",
        name=name,
    )
    viewings = story.call("list_viewings", member_id=story.identify())["viewings"]
    booked = [each for each in viewings if each["status"] == "booked"]
    story.call("cancel_viewing", viewing_id=story.find(booked, recording_name=name)["viewing_id"])


@scenario(form="denied")
def book_before_the_month_ends(story: Story) -> None:
    """The member wants a booth for a recording of theirs on an afternoon late this month."""
    recording = story.pick(
        "recording",
        f"runtime_minutes BETWEEN 15 AND 60 AND runtime_minutes <> 45 AND {PLAYABLE} AND {ROOM_AHEAD} AND {NEAR_IN_OCTOBER} AND {FREE_ON_29}",
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]
    moment = story.moment(story.day(13), "17:00")
    minutes = story.choose("minutes", [45])
    book = story.wish(
        (
            "I haven't been through my {name} in years. Can you book me a booth on {moment} for {minutes} minutes?",
            "I have not been through my {name} in years. Could you please book me a booth on {moment} for {minutes} minutes?",
            "can you book me a booth on {moment} for {minutes} minutes? wanna go through my {name}",
        ),
        short="booking me a booth for my {name} on {moment} for {minutes} minutes",
        name=name,
        moment=moment,
        minutes=minutes,
    )

    story.insists(
        book,
        (
            "I took that day off work just for this.",
            "I have taken that day off work only for this.",
            "took that day off work just for this",
        ),
    )
    story.insists(
        book,
        (
            "It's a few minutes in a booth. I don't see the harm.",
            "It is only a short time in a booth. I do not see any harm in it.",
            "it's a few minutes in a booth, come on",
        ),
    )

    key = story.identify()
    deposits = story.call("list_deposits", member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)
    with story.wrong("books the whole length"):
        story.call(
            "book_viewing",
            member_id=key,
            recording_id=mine["recording_id"],
            starts_at=moment,
            minutes=mine["runtime_minutes"],
        )
    if story.permits(
        "book_viewing", member_id=key, recording_id=mine["recording_id"], starts_at=moment, minutes=minutes
    ):
        story.call("book_viewing", member_id=key, recording_id=mine["recording_id"], starts_at=moment, minutes=minutes)
    else:
        story.decline(book)


@scenario(form="fallback")
def book_or_fix_the_maker(story: Story) -> None:
    """The member wants a booth for a recording of theirs, or else a correction of its maker."""
    recording = story.pick(
        "recording",
        f"runtime_minutes BETWEEN 15 AND 60 AND runtime_minutes <> 30 AND status = 'cataloged' AND access = 'open' AND maker NOT IN ('Roy Hagen', 'Lois Hagen') AND {ROOM_AHEAD} AND {ROOM_IN_NOVEMBER}",
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]
    moment = story.moment(story.day(27), "14:00")
    minutes = story.choose("minutes", [30])
    book = story.wish(
        (
            "I'd like to sit down with my {name}. Can you book me a booth on {moment} for {minutes} minutes?",
            "I would like to book a booth for my {name} on {moment} for {minutes} minutes, please.",
            "need a booth for my {name} on {moment} for {minutes} minutes, can you book it?",
        ),
        short="booking me a booth for my {name} on {moment} for {minutes} minutes",
        name=name,
        moment=moment,
        minutes=minutes,
    )

    maker = story.choose("maker", ["Roy Hagen", "Lois Hagen"])
    fix = story.otherwise(
        book,
        (
            "Then please at least fix the maker of {name} in the catalog. It was {maker}.",
            "In that case, please correct the maker of {name} in the catalog to {maker}.",
            "then at least fix the maker of {name} in the catalog, it was {maker}",
        ),
        short="correcting the maker of {name} to {maker}",
        name=name,
        maker=maker,
    )
    key = story.identify()
    deposits = story.call("list_deposits", wish=book, member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)
    with story.wrong("books the whole length"):
        story.call(
            "book_viewing",
            wish=book,
            member_id=key,
            recording_id=mine["recording_id"],
            starts_at=moment,
            minutes=mine["runtime_minutes"],
        )
    if story.permits(
        "book_viewing", wish=book, member_id=key, recording_id=mine["recording_id"], starts_at=moment, minutes=minutes
    ):
        story.call(
            "book_viewing",
            wish=book,
            member_id=key,
            recording_id=mine["recording_id"],
            starts_at=moment,
            minutes=minutes,
        )
    else:
        story.decline(book)
        story.call("correct_recording", wish=fix, recording_id=mine["recording_id"], maker=maker)


@scenario(form="denied")
def book_one_more(story: Story) -> None:
    """The member wants to book a booth for a recording of theirs next month."""
    recording = story.pick(
        "recording",
        f"runtime_minutes BETWEEN 15 AND 60 AND runtime_minutes <> 30 AND {PLAYABLE} AND {ROOM_IN_NOVEMBER}",
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]
    moment = story.moment(story.day(29), "15:00")
    minutes = story.choose("minutes", [30])
    book = story.wish(
        (
            "I'd like to go through my {name} again. Can you book me a booth on {moment} for {minutes} minutes?",
            "I would like to go through my {name} once more. Could you please book a booth for me on {moment} for {minutes} minutes?",
            "booth for my {name} on {moment} for {minutes} minutes pls, want to go through it again",
        ),
        short="booking me a booth for my {name} on {moment} for {minutes} minutes",
        name=name,
        moment=moment,
        minutes=minutes,
    )

    story.insists(
        book,
        (
            "I'm making a list of everyone in the family who's on it.",
            "I am making a list of all my relatives who are on it.",
            "making a list of all my relatives on it",
        ),
    )
    story.insists(
        book,
        (
            "You've got four booths. One of them must be free.",
            "You have four booths. Surely one of them is free.",
            "you have four booths, one of them has to be free",
        ),
    )

    key = story.identify()
    deposits = story.call("list_deposits", member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)
    with story.wrong("books the whole length"):
        story.call(
            "book_viewing",
            member_id=key,
            recording_id=mine["recording_id"],
            starts_at=moment,
            minutes=mine["runtime_minutes"],
        )
    if story.permits(
        "book_viewing", member_id=key, recording_id=mine["recording_id"], starts_at=moment, minutes=minutes
    ):
        story.call("book_viewing", member_id=key, recording_id=mine["recording_id"], starts_at=moment, minutes=minutes)
    else:
        story.decline(book)


@scenario
def one_person_more(story: Story) -> None:
    """The member brings somebody along to a viewing that they booked for themselves."""
    viewing = story.pick(
        "viewing",
        "status = 'booked' AND starts_at > ? AND party_size = 1",
        story.now,
        unique_by=["member_id", "recording_id.name", "status"],
        mine=True,
    )
    name = story.row("recording", viewing["recording_id"])["name"]
    people = story.choose("people", [2])
    story.wish(
        (
            "My brother wants to come along to my viewing of {name}. Can you change it to {people} people?",
            "My brother would like to join my viewing of {name}. Could you please change it to {people} people?",
            "my brother's coming to my viewing of {name}, can you make it {people} people",
        ),
        short="changing my viewing of {name} to {people} people",
        name=name,
        people=people,
    )
    viewings = story.call("list_viewings", member_id=story.identify())["viewings"]
    booked = [each for each in viewings if each["status"] == "booked"]
    mine = story.find(booked, recording_name=name)
    story.call("set_party_size", viewing_id=mine["viewing_id"], party_size=people)


@scenario(form="denied")
def write_up_for_a_birthday(story: Story) -> None:
    """The member wants a booth for a recording of theirs to write something up for a birthday."""
    recording = story.pick(
        "recording",
        f"runtime_minutes BETWEEN 15 AND 60 AND runtime_minutes <> 30 AND status = 'cataloged' AND digitized = 1 AND {ROOM_AHEAD} AND {ROOM_IN_NOVEMBER}",
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]
    moment = story.moment(story.day(28), "11:00")
    minutes = story.choose("minutes", [30])
    book = story.wish(
        (
            "I'm writing something up for my mom's birthday. Can you book me a booth on {moment} for {minutes} minutes with my {name}?",
            "I am writing something for my mother's birthday. Could you please book me a booth on {moment} for {minutes} minutes with my {name}?",
            "can you get me a booth on {moment} for {minutes} minutes with my {name}? it's for something i'm writing",
        ),
        short="booking me a booth for my {name} on {moment} for {minutes} minutes",
        name=name,
        moment=moment,
        minutes=minutes,
    )

    story.insists(
        book,
        (
            "I brought it in myself, so I should get to see it.",
            "I brought this in myself, so I should be able to see it.",
            "i brought it in myself, i should get to see it",
        ),
    )
    story.insists(
        book,
        (
            "My mom isn't getting any younger. It would mean so much to her.",
            "My mother is not getting any younger, and it would mean a great deal to her.",
            "mom's not getting any younger, it'd mean so much to her",
        ),
    )

    key = story.identify()
    deposits = story.call("list_deposits", member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)
    with story.wrong("books the whole length"):
        story.call(
            "book_viewing",
            member_id=key,
            recording_id=mine["recording_id"],
            starts_at=moment,
            minutes=mine["runtime_minutes"],
        )
    if story.permits(
        "book_viewing", member_id=key, recording_id=mine["recording_id"], starts_at=moment, minutes=minutes
    ):
        story.call("book_viewing", member_id=key, recording_id=mine["recording_id"], starts_at=moment, minutes=minutes)
    else:
        story.decline(book)


@scenario(form="all_but")
def cancel_all_except_one(story: Story) -> None:
    """The member cancels all the viewings they have ahead except one."""
    viewing = story.pick(
        "viewing",
        "status = 'booked' AND starts_at >= ? AND (SELECT count(*) FROM viewing AS o WHERE o.member_id = viewing.member_id AND o.status = 'booked') >= 3 AND (SELECT min(o.starts_at) FROM viewing AS o WHERE o.member_id = viewing.member_id AND o.status = 'booked') >= ?",
        story.day(2),
        story.day(2),
        unique_by=["member_id", "recording_id.name", "status"],
        mine=True,
    )
    name = story.row("recording", viewing["recording_id"])["name"]
    story.wish(
        (
            "I'm out of town for a while. Can you cancel all my upcoming viewings except the one of {name}?",
            "I will be away for some time. Please cancel all of my upcoming viewings except the one of {name}.",
            "can you cancel all my upcoming viewings? keep the one of {name} though",
        ),
        short="canceling all my upcoming viewings except the one of {name}",
        name=name,
    )
    viewings = story.call("list_viewings", member_id=story.identify())["viewings"]
    booked = [each for each in viewings if each["status"] == "booked"]
    with story.wrong("forgets the exception"):
        for each in booked:
            story.call("cancel_viewing", viewing_id=each["viewing_id"])
    for each in story.all_but(booked, recording_name=name):
        story.call("cancel_viewing", viewing_id=each["viewing_id"])


@scenario(form="coupled")
def swap_one_viewing_for_another(story: Story) -> None:
    """The member books a new viewing and gives up one that they have."""
    viewing = story.pick(
        "viewing",
        f"status = 'booked' AND starts_at >= ? AND {AT_THE_CAP} AND EXISTS (SELECT 1 FROM recording AS r WHERE r.member_id = viewing.member_id AND r.recording_id <> viewing.recording_id AND {PLAYABLE_2})",
        story.day(2),
        unique_by=["member_id", "recording_id.name", "status"],
        mine=True,
    )
    old = story.row("recording", viewing["recording_id"])["name"]
    recording = story.pick(
        "recording",
        f"recording_id <> ? AND name <> ? AND {PLAYABLE_HERE} AND {ROOM_IN_NOVEMBER}",
        viewing["recording_id"],
        old,
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]
    moment = story.moment(story.day(33), "13:00")
    minutes = story.choose("minutes", [30])
    with story.together():
        book = story.wish(
            (
                "Can you book me a booth for my {name} on {moment} for {minutes} minutes?",
                "I would like to book a booth for my {name} on {moment} for {minutes} minutes.",
                "need a booth for my {name} on {moment} for {minutes} minutes",
            ),
            short="booking me a booth for my {name} on {moment} for {minutes} minutes",
            name=name,
            moment=moment,
            minutes=minutes,
        )
        drop = story.wish(
            (
                "And please cancel my viewing of {old}, I've seen enough of it.",
                "Please also cancel my viewing of {old}, which I no longer need.",
                "and cancel my viewing of {old}, don't need it anymore",
            ),
            short="canceling my viewing of {old}",
            old=old,
        )
    key = story.identify()
    viewings = story.call("list_viewings", wish=drop, member_id=key)["viewings"]
    booked = [each for each in viewings if each["status"] == "booked"]
    given_up = story.find(booked, recording_name=old)
    deposits = story.call("list_deposits", wish=book, member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    wanted = story.find(kept, name=name)
    story.call("cancel_viewing", wish=drop, viewing_id=given_up["viewing_id"])
    story.call(
        "book_viewing", wish=book, member_id=key, recording_id=wanted["recording_id"], starts_at=moment, minutes=minutes
    )


@scenario(form="coupled")
def move_as_a_patron(story: Story) -> None:
    """The member moves a viewing once more and becomes a patron."""
    viewing = story.pick(
        "viewing",
        f"status = 'booked' AND moves = 1 AND starts_at > ? AND starts_at < ? AND minutes <= 60 AND (SELECT tier FROM member WHERE member.member_id = viewing.member_id) <> 'patron' AND {TIER_MAY_CHANGE} AND {FREE_ON_30}",
        story.now,
        story.day(13),
        unique_by=["member_id", "recording_id.name", "status"],
        mine=True,
    )
    name = story.row("recording", viewing["recording_id"])["name"]
    moment = story.moment(story.day(14), "16:30")
    tier = story.choose("tier", {"the Patron tier": "patron"})
    with story.together():
        move = story.wish(
            (
                "Something came up again. Can you move my viewing of {name} to {moment}?",
                "I would like to move my viewing of {name} to {moment}.",
                "can you move my viewing of {name} to {moment}?",
            ),
            short="moving my viewing of {name} to {moment}",
            name=name,
            moment=moment,
        )
        rise = story.wish(
            (
                "And put me on {tier}, I've been meaning to support you guys more.",
                "Please also put me on {tier}, as I would like to support the archive more.",
                "and put me on {tier}, been meaning to for a while",
            ),
            short="putting me on {tier}",
            tier=tier,
        )
    key = story.identify()
    viewings = story.call("list_viewings", wish=move, member_id=key)["viewings"]
    booked = [each for each in viewings if each["status"] == "booked"]
    mine = story.find(booked, recording_name=name)
    story.call("change_tier", wish=rise, member_id=key, tier=tier)
    story.call("move_viewing", wish=move, viewing_id=mine["viewing_id"], starts_at=moment)


@scenario(form="looked_up")
def cancel_by_maker(story: Story) -> None:
    """The member cancels the viewing of a recording whose maker is all they remember."""
    viewing = story.pick(
        "viewing",
        "status = 'booked' AND starts_at >= ? AND (SELECT count(*) FROM viewing AS o WHERE o.member_id = viewing.member_id AND o.status = 'booked') BETWEEN 2 AND 4 AND NOT EXISTS (SELECT 1 FROM viewing AS o JOIN recording AS a ON a.recording_id = o.recording_id JOIN recording AS b ON b.recording_id = viewing.recording_id WHERE o.member_id = viewing.member_id AND o.status = 'booked' AND o.viewing_id <> viewing.viewing_id AND (a.maker = b.maker OR a.recording_id = b.recording_id)) AND (SELECT min(o.starts_at) FROM viewing AS o WHERE o.member_id = viewing.member_id AND o.status = 'booked') > ?",
        story.day(2),
        story.now,
        mine=True,
    )
    maker = story.row("recording", viewing["recording_id"])["maker"]
    story.wish(
        (
            "I have to cancel one of my viewings, the one of the recording made by {maker}. I forget what it's called.",
            "Please cancel my viewing of the recording made by {maker}. I do not remember its name.",
            "can you cancel my viewing of that recording by {maker}? forgot what it's called",
        ),
        short="canceling my viewing of the recording made by {maker}",
        maker=maker,
    )
    viewings = story.call("list_viewings", member_id=story.identify())["viewings"]
    booked = [each for each in viewings if each["status"] == "booked"]
    shown = [story.call("get_recording", recording_id=each["recording_id"]) for each in booked]
    right = story.find(shown, maker=maker)
    mine = story.find(booked, recording_id=right["recording_id"])
    for other in story.others(booked, mine):
        with story.wrong("takes another viewing"):
            story.call("cancel_viewing", viewing_id=other["viewing_id"])
    story.call("cancel_viewing", viewing_id=mine["viewing_id"])


@scenario(form="mistaken")
def add_people_to_a_party(story: Story) -> None:
    """The member adds people to a viewing and is mistaken about how many are booked."""
    wrong = story.choose("wrong", [3, 4])
    viewing = story.pick(
        "viewing",
        "status = 'booked' AND starts_at > ? AND booth = 4 AND party_size <= 5 AND party_size <> ?",
        story.now,
        wrong,
        unique_by=["member_id", "recording_id.name", "status"],
        mine=True,
    )
    name = story.row("recording", viewing["recording_id"])["name"]
    more = story.choose("more", [2, 3])
    story.wish(
        (
            "I think my viewing of {name} is booked for {wrong} people. Whatever it's booked for, can you add {more} more?",
            "I believe that my viewing of {name} is booked for {wrong} people. Could you please add {more} more to the number that is booked?",
            "pretty sure my viewing of {name} is booked for {wrong}. can you add {more} more people to what's booked",
        ),
        short="adding {more} more people to my viewing of {name}, to what's booked now",
        name=name,
        wrong=wrong,
        more=more,
    )
    story.believes("party size", wrong, viewing["party_size"])
    viewings = story.call("list_viewings", member_id=story.identify())["viewings"]
    booked = [each for each in viewings if each["status"] == "booked"]
    mine = story.find(booked, recording_name=name)
    extra = {"party_size": more}
    with story.wrong("trusts the customer"):
        story.call(
            "set_party_size",
            viewing_id=mine["viewing_id"],
            party_size=story.total([{"party_size": wrong}, extra], "party_size"),
        )
    with story.wrong("cancels it instead"):
        story.call("cancel_viewing", viewing_id=mine["viewing_id"])
    story.call("set_party_size", viewing_id=mine["viewing_id"], party_size=story.total([mine, extra], "party_size"))


@scenario(form="outside")
def come_alone_after_all(story: Story) -> None:
    """The member comes alone to a viewing that was booked for more people, and asks for a ride for somebody else."""
    viewing = story.pick(
        "viewing",
        "status = 'booked' AND starts_at > ? AND party_size > 2",
        story.now,
        unique_by=["member_id", "recording_id.name", "status"],
        mine=True,
    )
    name = story.row("recording", viewing["recording_id"])["name"]
    people = story.choose("people", [2])
    story.wish(
        (
            "Most of us can't come to my viewing of {name}. Can you change it to {people} people and tell me the booth number?",
            "Most of our group cannot come to my viewing of {name}. Please change it to {people} people and tell me the booth number.",
            "most of us bailed on my viewing of {name}, can you make it {people} people? and what's the booth number",
        ),
        short="changing my viewing of {name} to {people} people and telling me the booth number",
        name=name,
        people=people,
    )
    story.outside(
        (
            "And can you send someone to pick up my grandmother at home and bring her over?",
            "Could you also have someone pick up my grandmother at her home and bring her over?",
            "and can someone from the archive drive over and pick up my grandma",
        )
    )
    viewings = story.call("list_viewings", member_id=story.identify())["viewings"]
    booked = [each for each in viewings if each["status"] == "booked"]
    mine = story.find(booked, recording_name=name)
    story.answer(
        "booth number", story.call("set_party_size", viewing_id=mine["viewing_id"], party_size=people)["booth"]
    )


@scenario(form="best_of")
def cancel_the_last_unmoved_one(story: Story) -> None:
    """The member cancels the latest of their upcoming viewings that they never moved."""
    story.pick(
        "viewing",
        "status = 'booked' AND moves = 0 AND starts_at >= ? AND EXISTS (SELECT 1 FROM viewing AS o WHERE o.member_id = viewing.member_id AND o.status = 'booked' AND o.moves > 0 AND o.starts_at > viewing.starts_at) AND NOT EXISTS (SELECT 1 FROM viewing AS o WHERE o.member_id = viewing.member_id AND o.status = 'booked' AND o.moves = 0 AND o.starts_at > viewing.starts_at)",
        story.day(2),
        mine=True,
    )
    story.wish(
        (
            "I've booked too much. Of my upcoming viewings that were never moved, can you cancel the latest one?",
            "I have booked too many viewings. Please cancel the latest of my upcoming viewings that were never moved.",
            "can you cancel the latest of my upcoming viewings? only look at the ones that were never moved",
        ),
        short="canceling the latest of my upcoming viewings that were never moved",
    )
    viewings = story.call("list_viewings", member_id=story.identify())["viewings"]
    booked = [each for each in viewings if each["status"] == "booked" and each["starts_at"] > story.now]
    last = story.highest(booked, "starts_at")
    with story.wrong("forgets the condition"):
        story.call("cancel_viewing", viewing_id=last["viewing_id"])
    unmoved = [each for each in booked if each["moves"] == 0]
    right = story.highest(unmoved, "starts_at")
    with story.wrong("cancels both of them"):
        story.call("cancel_viewing", viewing_id=right["viewing_id"])
        story.call("cancel_viewing", viewing_id=last["viewing_id"])
    story.call("cancel_viewing", viewing_id=right["viewing_id"])


@scenario
def ask_who_is_on_it(story: Story) -> None:
    """The member opens an inquiry about who is on a recording of theirs."""
    recording = story.pick(
        "recording",
        f"status = 'cataloged' AND {OWES_LITTLE} AND {ROOM_FOR_30}",
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]

    kind = story.choose("kind", {"identify the people on it": "identify"})
    minutes = story.choose("minutes", [30])
    question = story.dictate("question", "Who are the people on {name} that nobody in my family knows?", name=name)
    story.wish(
        (
            "Can you open an inquiry about my {name} to {kind}? My family can't. {minutes} minutes will do, and put exactly this: {question}",
            "I would like to open an inquiry about my {name} to {kind}. Please set aside {minutes} minutes and put exactly this: {question}",
            "need an inquiry about my {name} to {kind}, nobody in my family can. {minutes} minutes, and put exactly this: {question}",
        ),
        short="opening an inquiry about my {name} to {kind}, for {minutes} minutes, with the question {question}",
        name=name,
        kind=kind,
        minutes=minutes,
        question=question,
    )

    key = story.identify()
    deposits = story.call("list_deposits", member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)

    story.call(
        "open_inquiry", member_id=key, kind=kind, subject=question, minutes=minutes, recording_id=mine["recording_id"]
    )


@scenario
def rate_an_answer(story: Story) -> None:
    """The member is happy with an answer, closes the inquiry and rates it."""
    inquiry = story.pick("inquiry", "status = 'answered'", unique_by=["member_id", "subject", "status"], mine=True)
    subject = inquiry["subject"]

    stars = story.choose("stars", [3, 4, 5])
    story.wish(
        (
            'Your answer to "{subject}" settles it for me. Can you close that inquiry with {stars} stars?',
            'I have read the answer to "{subject}". Please close that inquiry with {stars} stars.',
            'got the answer to "{subject}", can you close it and give it {stars} stars',
        ),
        short='closing my inquiry "{subject}" with {stars} stars',
        subject=subject,
        stars=stars,
    )

    inquiries = story.call("list_inquiries", member_id=story.identify())["inquiries"]

    answered = [each for each in inquiries if each["status"] == "answered"]
    mine = story.find(answered, subject=subject)
    story.call("close_inquiry", inquiry_id=mine["inquiry_id"], stars=stars)


@scenario
def found_it_out_myself(story: Story) -> None:
    """The member found the answer to an open inquiry and has it recorded."""
    inquiry = story.pick("inquiry", "status = 'open'", unique_by=["member_id", "subject", "status"], mine=True)
    subject = inquiry["subject"]

    found = story.dictate("answer", "Solved: my aunt Lois remembers it and has a letter about it.")
    story.wish(
        (
            'I found out about "{subject}" on my own. Can you record exactly this as the answer: {answer}',
            'I have found out about "{subject}" myself. Please record exactly this as the answer: {answer}',
            'figured out "{subject}" myself, can you record exactly this as the answer: {answer}',
        ),
        short='recording this answer to my inquiry "{subject}": {answer}',
        subject=subject,
        answer=found,
    )

    inquiries = story.call("list_inquiries", member_id=story.identify())["inquiries"]

    open_ones = [each for each in inquiries if each["status"] == "open"]
    mine = story.find(open_ones, subject=subject)
    story.call("answer_inquiry", inquiry_id=mine["inquiry_id"], answer=found)


@scenario
def no_need_to_look_anymore(story: Story) -> None:
    """The member withdraws an open inquiry and asks how long it was set for and when they opened it."""
    inquiry = story.pick("inquiry", "status = 'open'", unique_by=["member_id", "subject", "status"], mine=True)
    subject = inquiry["subject"]

    story.wish(
        (
            'You don\'t have to look into "{subject}" anymore. Can you withdraw it and tell me the day I opened it?',
            'There is no need to look into "{subject}" any longer. Please withdraw it and tell me the day I opened it.',
            'can you withdraw "{subject}"? and tell me the day i opened it',
        ),
        short='withdrawing my inquiry "{subject}" and telling me the day I opened it',
        subject=subject,
    )

    inquiries = story.call("list_inquiries", member_id=story.identify())["inquiries"]

    open_ones = [each for each in inquiries if each["status"] == "open"]
    mine = story.find(open_ones, subject=subject)
    story.call("withdraw_inquiry", inquiry_id=mine["inquiry_id"])
    story.answer("day", story.date_of(mine["created_at"]))


@scenario
def need_it_by_a_day(story: Story) -> None:
    """The member sets the day by which they need an answer."""
    day = story.day(story.choose("days", [9, 12, 14]))
    inquiry = story.pick(
        "inquiry",
        "status = 'open' AND (needed_by IS NULL OR needed_by <> ?)",
        day,
        unique_by=["member_id", "subject", "status"],
        mine=True,
    )
    subject = inquiry["subject"]
    story.wish(
        (
            'We have a reunion coming up, so I need to hear back on "{subject}" by {day}. Can you set that?',
            'Our reunion is coming up. Please note that I need an answer to "{subject}" by {day}.',
            'reunion\'s coming up, can you set "{subject}" to be answered by {day}',
        ),
        short='setting my inquiry "{subject}" to be answered by {day}',
        subject=subject,
        day=day,
    )

    inquiries = story.call("list_inquiries", member_id=story.identify())["inquiries"]

    open_ones = [each for each in inquiries if each["status"] == "open"]
    mine = story.find(open_ones, subject=subject)
    story.call("revise_inquiry", inquiry_id=mine["inquiry_id"], needed_by=day)


@scenario(form="denied")
def ask_when_it_was_made(story: Story) -> None:
    """The member opens an inquiry about when a recording of theirs was made."""
    recording = story.pick(
        "recording",
        f"status = 'cataloged' AND {OWES_NEAR} AND {ROOM_FOR_30}",
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]

    kind = story.choose("kind", {"the date it was made": "date"})
    minutes = story.choose("minutes", [30])
    question = story.dictate("question", "Which season and year does {name} show, going by the details?", name=name)
    ask = story.wish(
        (
            "Nobody here can agree on my {name}. Can you open an inquiry for {minutes} minutes on {kind} and put exactly this: {question}",
            "I would like to open an inquiry of {minutes} minutes about my {name}, on {kind}. Please put exactly this: {question}",
            "can you open an inquiry on my {name}, {minutes} minutes, on {kind}? nobody here agrees. put exactly this: {question}",
        ),
        short="opening an inquiry of {minutes} minutes about my {name} on {kind}, with the question {question}",
        name=name,
        kind=kind,
        minutes=minutes,
        question=question,
    )
    story.insists(
        ask,
        (
            "My uncle and I have been arguing about this for years.",
            "My uncle and I have been arguing about this for many years.",
            "my uncle and i have been fighting about this for years",
        ),
    )
    story.insists(
        ask,
        (
            "I gave you the recording, the least you can do is look.",
            "I gave you this recording. The least that you can do is look into it.",
            "i gave you the recording, least you can do is look",
        ),
    )

    key = story.identify()
    deposits = story.call("list_deposits", member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)

    with story.wrong("forgets the recording"):
        story.call("open_inquiry", member_id=key, kind=kind, subject=question, minutes=minutes)
    if story.permits(
        "open_inquiry", member_id=key, kind=kind, subject=question, minutes=minutes, recording_id=mine["recording_id"]
    ):
        story.call(
            "open_inquiry",
            member_id=key,
            kind=kind,
            subject=question,
            minutes=minutes,
            recording_id=mine["recording_id"],
        )
    else:
        story.decline(ask)


@scenario(form="denied")
def look_again(story: Story) -> None:
    """The member wants an answered inquiry reopened with a follow-up question."""
    inquiry = story.pick(
        "inquiry",
        f"status IN ('answered', 'closed') AND {ABOUT_KEPT} AND {OWES_LITTLE_HERE} AND {ROOM_TO_REOPEN}",
        unique_by=["member_id", "subject"],
        mine=True,
    )
    subject = inquiry["subject"]

    more = story.dictate("follow-up", "Could you check the county paper of that year, too?")
    again = story.wish(
        (
            'I\'m not sure about the answer to "{subject}". Can you reopen it and put exactly this: {follow_up}',
            'I have doubts about the answer to "{subject}". Please reopen that inquiry and put exactly this: {follow_up}',
            'not sold on the answer to "{subject}", can you reopen it? put exactly this: {follow_up}',
        ),
        short='reopening my inquiry "{subject}" with the follow-up {follow_up}',
        subject=subject,
        follow_up=more,
    )
    story.insists(
        again,
        (
            "It's the same question, so I don't want to start from scratch.",
            "It is the same question, and I do not wish to start from scratch.",
            "same question, don't wanna start from scratch",
        ),
    )
    story.insists(
        again,
        (
            "I've been losing sleep over this, honestly.",
            "To be honest, I have been losing sleep over this.",
            "honestly been losing sleep over this",
        ),
    )

    inquiries = story.call("list_inquiries", member_id=story.identify())["inquiries"]

    mine = story.find(inquiries, subject=subject)
    with story.wrong("words the follow-up itself"):
        story.call("reopen_inquiry", inquiry_id=mine["inquiry_id"], follow_up=subject)
    if story.permits("reopen_inquiry", inquiry_id=mine["inquiry_id"], follow_up=more):
        story.call("reopen_inquiry", inquiry_id=mine["inquiry_id"], follow_up=more)
    else:
        story.decline(again)


@scenario(form="fallback")
def ask_about_rights_or_fix_the_year(story: Story) -> None:
    """The member opens an inquiry about the rights in a recording, or else has its year corrected."""
    recording = story.pick(
        "recording",
        f"status = 'cataloged' AND made_year <> 1969 AND {OWES_LITTLE} AND {NEAR_THE_LIMIT}",
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]

    kind = story.choose("kind", {"who holds the rights": "rights"})
    minutes = story.choose("minutes", [45])
    question = story.dictate("question", "Who would have to agree before {name} is shown in public?", name=name)
    ask = story.wish(
        (
            "The town wants to show my {name}. Can you open an inquiry for {minutes} minutes on {kind} and put exactly this: {question}",
            "The town would like to show my {name}. Please open an inquiry of {minutes} minutes on {kind} and put exactly this: {question}",
            "town wants to show my {name}, can you open an inquiry for {minutes} minutes on {kind}? put exactly this: {question}",
        ),
        short="opening an inquiry of {minutes} minutes about my {name} on {kind}, with the question {question}",
        name=name,
        kind=kind,
        minutes=minutes,
        question=question,
    )
    year = story.choose("year", [1969])
    fix = story.otherwise(
        ask,
        (
            "Then please at least fix the year {name} was made in the catalog. It was {year}.",
            "In that case, please correct the year in which {name} was made to {year}.",
            "then at least fix the year {name} was made, it was {year}",
        ),
        short="correcting the year {name} was made to {year}",
        name=name,
        year=year,
    )

    key = story.identify()
    deposits = story.call("list_deposits", wish=ask, member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)

    with story.wrong("forgets the recording"):
        story.call("open_inquiry", wish=ask, member_id=key, kind=kind, subject=question, minutes=minutes)
    if story.permits(
        "open_inquiry",
        wish=ask,
        member_id=key,
        kind=kind,
        subject=question,
        minutes=minutes,
        recording_id=mine["recording_id"],
    ):
        story.call(
            "open_inquiry",
            wish=ask,
            member_id=key,
            kind=kind,
            subject=question,
            minutes=minutes,
            recording_id=mine["recording_id"],
        )
    else:
        story.decline(ask)
        story.call("correct_recording", wish=fix, recording_id=mine["recording_id"], made_year=year)


@scenario(form="best_of")
def last_one_that_got_an_answer(story: Story) -> None:
    """The member asks about the latest of their inquiries that got an answer."""
    story.pick(
        "inquiry",
        "answer IS NOT NULL AND EXISTS (SELECT 1 FROM inquiry AS o WHERE o.member_id = inquiry.member_id AND o.answer IS NULL AND o.created_at > inquiry.created_at) AND NOT EXISTS (SELECT 1 FROM inquiry AS o WHERE o.member_id = inquiry.member_id AND o.answer IS NOT NULL AND o.created_at > inquiry.created_at)",
        mine=True,
    )
    story.wish(
        (
            "Of my inquiries that have an answer, which did I open last? Tell me the opening day and the research minutes.",
            "Of my inquiries that have been answered, I would like to know about the one I opened last. Please tell me its opening day and its research minutes.",
            "which of my answered inquiries did i open last? just the opening day and the research minutes",
        ),
        short="telling me the opening day and the research minutes of the inquiry I opened last of those that have an answer",
    )

    inquiries = story.call("list_inquiries", member_id=story.identify())["inquiries"]

    with story.wrong("counts those without an answer"):
        last = story.highest(inquiries, "created_at")
        story.answer("opening day", story.date_of(last["created_at"]))
        story.answer("research minutes", last["minutes"])
    answered = [each for each in inquiries if each["answer"] is not None]
    latest = story.highest(answered, "created_at")
    with story.wrong("takes the day of the answer"):
        story.answer("opening day", story.date_of(latest["answered_at"]))
        story.answer("research minutes", latest["minutes"])
    story.answer("opening day", story.date_of(latest["created_at"]))
    story.answer("research minutes", latest["minutes"])


@scenario(form="changed_mind")
def a_day_and_then_another(story: Story) -> None:
    """The member sets the day by which they need an answer and then names another."""
    first = story.day(8)
    second = story.day(20)

    inquiry = story.pick(
        "inquiry",
        "status = 'open' AND (needed_by IS NULL OR needed_by NOT IN (?, ?))",
        first,
        second,
        unique_by=["member_id", "subject", "status"],
        mine=True,
    )
    subject = inquiry["subject"]

    due = story.wish(
        (
            'My class wants to know about "{subject}". Can you note that I need an answer by {day}?',
            'My class would like to know about "{subject}". Please note that I need an answer by {day}.',
            'can you note that i need an answer to "{subject}" by {day}? it\'s for my class',
        ),
        short='noting that I need an answer to "{subject}" by {day}',
        subject=subject,
        day=first,
    )
    later = story.changes_mind(
        due,
        (
            "Actually, make that {day}, the class got moved.",
            "On second thought, please make that {day}, as the class has been moved.",
            "actually make that {day}, class got moved",
        ),
        short="noting that I need that answer by {day}",
        day=second,
    )

    inquiries = story.call("list_inquiries", wish=due, member_id=story.identify())["inquiries"]
    open_ones = [each for each in inquiries if each["status"] == "open"]
    mine = story.find(open_ones, subject=subject)

    story.call("revise_inquiry", wish=due, inquiry_id=mine["inquiry_id"], needed_by=first)
    story.call("revise_inquiry", wish=later, inquiry_id=mine["inquiry_id"], needed_by=second)


@scenario(form="computed")
def research_minutes_so_far(story: Story) -> None:
    """The member asks how many research minutes all their inquiries add up to without the withdrawn ones, and for the day of the first."""
    story.pick(
        "inquiry",
        "status = 'open' AND EXISTS (SELECT 1 FROM inquiry AS o WHERE o.member_id = inquiry.member_id AND o.status IN ('answered', 'closed'))",
        mine=True,
    )
    story.wish(
        (
            "For my family history, how many total minutes of research have I asked for, leaving out withdrawn inquiries? And what's the first day I asked for any of it?",
            "For my records, I would like to know the total minutes of research in all my inquiries except withdrawn ones, and the first day I opened one of them.",
            "how many total minutes of research have i asked for, not counting withdrawn inquiries? and the first day i opened one of those",
        ),
        short="telling me the total minutes of research in all my inquiries except withdrawn ones, and the first day I opened one of them",
    )
    inquiries = story.call("list_inquiries", member_id=story.identify())["inquiries"]
    kept = [each for each in inquiries if each["status"] != "withdrawn"]
    first = story.lowest(kept, "created_at")
    with story.wrong("counts only the open ones"):
        open_ones = [each for each in inquiries if each["status"] == "open"]
        story.answer("total minutes", story.total(open_ones, "minutes"))
        story.answer("first day", story.date_of(first["created_at"]))
    story.answer("total minutes", story.total(kept, "minutes"))
    story.answer("first day", story.date_of(first["created_at"]))


@scenario(form="conditional")
def less_research_or_more_time(story: Story) -> None:
    """The member cuts the research of an inquiry if it is long, and moves its day if it is not."""
    limit = story.choose("limit", [35, 50])
    day = story.day(18)

    inquiry = story.pick(
        "inquiry",
        "status = 'open' AND (needed_by IS NULL OR needed_by <> ?)",
        day,
        unique_by=["member_id", "subject", "status"],
        mine=True,
    )
    subject = inquiry["subject"]

    story.wish(
        (
            'If "{subject}" is set for more than {limit} minutes of research, cut it to {limit}. If it\'s {limit} or less, move the day I need it by to {day}.',
            'If more than {limit} minutes of research are set aside for "{subject}", please reduce them to {limit}. If it is {limit} or less, please set the day I need it by to {day}.',
            'if "{subject}" has more than {limit} minutes of research cut it to {limit}. if it\'s {limit} or less, just set the day i need it by to {day}',
        ),
        short='cutting "{subject}" to {limit} minutes if it has more, and setting the day I need it by to {day} if it has {limit} or less',
        subject=subject,
        limit=limit,
        day=day,
    )

    inquiries = story.call("list_inquiries", member_id=story.identify())["inquiries"]
    open_ones = [each for each in inquiries if each["status"] == "open"]
    mine = story.find(open_ones, subject=subject)

    with story.wrong("withdraws it"):
        story.call("withdraw_inquiry", inquiry_id=mine["inquiry_id"])
    if mine["minutes"] > limit:
        with story.wrong("takes the other branch"):
            story.call("revise_inquiry", inquiry_id=mine["inquiry_id"], needed_by=day)
        story.call("revise_inquiry", inquiry_id=mine["inquiry_id"], minutes=limit)
    else:
        with story.wrong("takes the other branch"):
            story.call("revise_inquiry", inquiry_id=mine["inquiry_id"], minutes=limit)
        story.call("revise_inquiry", inquiry_id=mine["inquiry_id"], needed_by=day)


@scenario(form="coupled")
def pay_first_then_ask(story: Story) -> None:
    """The member opens an inquiry and pays a charge that stands in its way."""
    charge = story.pick(
        "charge",
        f"status = 'unpaid' AND (SELECT sum(c.amount_cents) FROM charge AS c WHERE c.member_id = charge.member_id AND c.status = 'unpaid') > 500 AND (SELECT sum(c.amount_cents) FROM charge AS c WHERE c.member_id = charge.member_id AND c.status = 'unpaid') - amount_cents <= 500 AND EXISTS (SELECT 1 FROM recording WHERE recording.member_id = charge.member_id AND recording.status = 'cataloged' AND {ROOM_FOR_30})",
        unique_by=["member_id", "amount_cents", "status"],
        mine=True,
    )
    recording = story.pick("recording", "status = 'cataloged'", unique_by=["member_id", "name", "status"], mine=True)
    name = recording["name"]
    amount = story.money(charge["amount_cents"])
    kind = story.choose("kind", {"its credits": "credits"})
    minutes = story.choose("minutes", [30])
    question = story.dictate("question", "Who else worked on {name}?", name=name)
    with story.together():
        ask = story.wish(
            (
                "Can you open an inquiry for {minutes} minutes about my {name}, on {kind}, and put exactly this: {question}",
                "I would like to open an inquiry of {minutes} minutes about my {name}, on {kind}. Please put exactly this: {question}",
                "can you open an inquiry on my {name}, {minutes} minutes, on {kind}? put exactly this: {question}",
            ),
            short="opening an inquiry of {minutes} minutes about my {name} on {kind}, with the question {question}",
            name=name,
            minutes=minutes,
            kind=kind,
            question=question,
        )
        pay = story.wish(
            (
                "And I'd like to pay my {amount} charge, please.",
                "I would also like to pay my {amount} charge.",
                "and take care of my {amount} charge, i'm paying it now",
            ),
            short="paying my {amount} charge",
            amount=amount,
        )
    key = story.identify()
    charges = story.call("list_charges", wish=pay, member_id=key)["charges"]
    unpaid = [each for each in charges if each["status"] == "unpaid"]
    owed = story.find(unpaid, amount_cents=amount)
    deposits = story.call("list_deposits", wish=ask, member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)
    story.call("pay_charges", wish=pay, member_id=key, charge_ids=[owed["charge_id"]])
    story.call(
        "open_inquiry",
        wish=ask,
        member_id=key,
        kind=kind,
        subject=question,
        minutes=minutes,
        recording_id=mine["recording_id"],
    )


@scenario(form="looked_up")
def answer_about_a_makers_recording(story: Story) -> None:
    """The member asks about their answered inquiry on a recording of which they remember only the maker."""
    inquiry = story.pick(
        "inquiry",
        "answer IS NOT NULL AND recording_id IS NOT NULL AND (SELECT count(*) FROM inquiry AS o WHERE o.member_id = inquiry.member_id AND o.answer IS NOT NULL AND o.recording_id IS NOT NULL) BETWEEN 2 AND 4 AND NOT EXISTS (SELECT 1 FROM inquiry AS o JOIN recording AS a ON a.recording_id = o.recording_id JOIN recording AS b ON b.recording_id = inquiry.recording_id WHERE o.member_id = inquiry.member_id AND o.inquiry_id <> inquiry.inquiry_id AND o.answer IS NOT NULL AND a.maker = b.maker)",
        mine=True,
    )
    maker = story.row("recording", inquiry["recording_id"])["maker"]
    story.wish(
        (
            "You answered my question about a recording made by {maker}. What was the answer, and what day did you answer it?",
            "You have answered my question about a recording made by {maker}. Could you please tell me the answer and the day it was answered?",
            "what was the answer to my question about the recording by {maker}? and the day it was answered",
        ),
        short="telling me the answer to my question about the recording made by {maker} and the day it was answered",
        maker=maker,
    )
    inquiries = story.call("list_inquiries", member_id=story.identify())["inquiries"]
    answered = [each for each in inquiries if each["answer"] is not None and each["recording_id"] is not None]
    shown = [story.call("get_recording", recording_id=each["recording_id"]) for each in answered]
    right = story.find(shown, maker=maker)
    mine = story.find(answered, recording_id=right["recording_id"])
    for other in story.others(answered, mine):
        with story.wrong("takes another answer"):
            story.answer("answer", other["answer"], source="inquiry.answer")
            story.answer("day", story.date_of(other["answered_at"]))
    story.answer("answer", mine["answer"], source="inquiry.answer")
    story.answer("day", story.date_of(mine["answered_at"]))


@scenario(form="outside")
def close_it_and_send_the_researcher(story: Story) -> None:
    """The member closes an answered inquiry and wants the researcher to visit."""
    inquiry = story.pick("inquiry", "status = 'answered'", unique_by=["member_id", "subject", "status"], mine=True)
    subject = inquiry["subject"]
    stars = story.choose("stars", [2, 4, 5])
    story.wish(
        (
            'I\'m done with "{subject}". Can you close it with {stars} stars?',
            'I am finished with my inquiry "{subject}". Please close it with {stars} stars.',
            'done with "{subject}", pls close it with {stars} stars',
        ),
        short='closing my inquiry "{subject}" with {stars} stars',
        subject=subject,
        stars=stars,
    )
    story.outside(
        (
            "And can the person who looked into it come to our family reunion and show slides?",
            "Could the person who researched it also come to our family reunion and show slides?",
            "and can whoever looked into it come do a slide show at our reunion",
        )
    )
    inquiries = story.call("list_inquiries", member_id=story.identify())["inquiries"]
    answered = [each for each in inquiries if each["status"] == "answered"]
    mine = story.find(answered, subject=subject)
    story.call("close_inquiry", inquiry_id=mine["inquiry_id"], stars=stars)


@scenario(form="withheld")
def a_shorter_inquiry(story: Story) -> None:
    """The member cuts the research minutes of an inquiry to a number that they tell when asked."""
    minutes = story.choose("minutes", [15, 20, 25, 28])

    inquiry = story.pick(
        "inquiry", "status = 'open' AND minutes >= 30", unique_by=["member_id", "subject", "status"], mine=True
    )
    subject = inquiry["subject"]

    cut = story.wish(
        (
            'I\'d like you to spend less time on "{subject}". Can you cut the research minutes?',
            'I would like less time to be spent on "{subject}". Please reduce its research minutes.',
            'can you cut the research minutes for "{subject}"? too much time for that',
        ),
        subject=subject,
    )
    story.keep_back("number of research minutes", minutes)
    story.in_short(
        cut, 'cutting my inquiry "{subject}" to {minutes} research minutes', subject=subject, minutes=minutes
    )

    inquiries = story.call("list_inquiries", member_id=story.identify())["inquiries"]
    open_ones = [each for each in inquiries if each["status"] == "open"]
    mine = story.find(open_ones, subject=subject)

    story.call("revise_inquiry", inquiry_id=mine["inquiry_id"], minutes=minutes)


@scenario(form="ambiguous")
def wrong_maker_on_one_of_them(story: Story) -> None:
    """The member has the maker of one of their recordings corrected and says which when asked."""
    maker = story.choose("maker", ["Alma Hagen", "Ned Voss"])
    recording = story.pick(
        "recording",
        f"status = 'cataloged' AND maker <> ? AND {FOUR_OF_THEM}",
        maker,
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]
    fix = story.wish(
        (
            "You've got the wrong maker on one of my recordings. It was {maker}, can you fix that?",
            "One of my recordings is listed under the wrong maker. Please change it to {maker}.",
            "wrong maker on one of my recordings, should be {maker}. can you fix that",
        ),
        maker=maker,
    )
    story.keep_back("name of the recording", name)
    story.in_short(fix, "changing the maker to {maker} on one of my recordings, {name}", maker=maker, name=name)
    deposits = story.call("list_deposits", member_id=story.identify())["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)
    for other in story.others(kept, mine):
        with story.wrong("takes another recording"):
            story.call("correct_recording", recording_id=other["recording_id"], maker=maker)
    story.call("correct_recording", recording_id=mine["recording_id"], maker=maker)


@scenario(form="ambiguous")
def another_name_for_one_of_them(story: Story) -> None:
    """The member has one of their recordings renamed and says which when asked."""
    title = story.choose("title", ["The Attic Tape", "Grandma Ida's Copy"])
    recording = story.pick(
        "recording",
        f"status = 'cataloged' AND name <> ? AND {FOUR_OF_THEM}",
        title,
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]
    fix = story.wish(
        (
            "My family calls one of my recordings {title}. Can you put it in the catalog under that name?",
            "One of my recordings should have a different name. Please rename it to {title}.",
            "can you rename one of my recordings to {title}? that's what we call it at home",
        ),
        title=title,
    )
    story.keep_back("name of the recording", name)
    story.in_short(fix, "renaming one of my recordings to {title}, the one called {name}", title=title, name=name)
    deposits = story.call("list_deposits", member_id=story.identify())["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)
    for other in story.others(kept, mine):
        with story.wrong("takes another recording"):
            story.call("correct_recording", recording_id=other["recording_id"], name=title)
    story.call("correct_recording", recording_id=mine["recording_id"], name=title)


@scenario
def see_what_others_brought_in(story: Story) -> None:
    """The member wants to see an open recording that somebody else brought in."""
    story.pick("recording", f"status = 'cataloged' AND {ROOM_AHEAD} AND {ROOM_IN_NOVEMBER}", mine=True)
    other = story.pick(
        "recording",
        "status = 'cataloged' AND access = 'open' AND digitized = 1 AND member_id <> ?",
        story.me["member_id"],
        unique_by=["name"],
    )
    name = other["name"]
    moment = story.moment(story.day(34), "12:00")
    minutes = story.choose("minutes", [30])
    story.wish(
        (
            "I saw {name} in your catalog. Can you book me a booth on {moment} for {minutes} minutes with it?",
            "I noticed {name} in your catalog. Please book me a booth on {moment} for {minutes} minutes with it.",
            "saw {name} in your catalog, can you get me a booth with it on {moment} for {minutes} minutes?",
        ),
        short="booking me a booth on {moment} for {minutes} minutes with {name} from the catalog",
        name=name,
        moment=moment,
        minutes=minutes,
    )
    key = story.identify()
    found = story.find(story.call("search_recordings", text=name)["recordings"], name=name)
    story.call("book_viewing", member_id=key, recording_id=found["recording_id"], starts_at=moment, minutes=minutes)


@scenario
def the_same_booth_again(story: Story) -> None:
    """The member wants a certain booth for a recording of theirs if it is free."""
    recording = story.pick(
        "recording",
        f"recording.status = 'cataloged' AND recording.access = 'open' AND (recording.digitized = 1 OR (SELECT tier FROM member WHERE member.member_id = recording.member_id) = 'patron') AND {ROOM_AHEAD} AND {ROOM_IN_NOVEMBER}",
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]
    moment = story.moment(story.day(35), "10:30")
    minutes = story.choose("minutes", [30])
    booth = story.choose("booth", [2, 3, 4])
    story.wish(
        (
            "I liked the chairs in booth {booth}. Can you book it on {moment} for {minutes} minutes so I can go through my {name}?",
            "I was comfortable in booth {booth}. Please book that booth on {moment} for {minutes} minutes with my {name}.",
            "can you book booth {booth} for my {name} on {moment} for {minutes} minutes? liked the chairs in there",
        ),
        short="booking booth {booth} on {moment} for {minutes} minutes with my {name}",
        booth=booth,
        moment=moment,
        minutes=minutes,
        name=name,
    )
    key = story.identify()
    deposits = story.call("list_deposits", member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    mine = story.find(kept, name=name)
    story.call("find_free_booths", starts_at=moment, minutes=minutes)
    story.call(
        "book_viewing", member_id=key, recording_id=mine["recording_id"], starts_at=moment, minutes=minutes, booth=booth
    )


@scenario(form="each")
def give_everything_back(story: Story) -> None:
    """The member wants everything back that they deposited."""
    story.pick("member", f"{FREE_TO_GO} AND {ONE_MAY_GO}", mine=True)
    reason = story.dictate("reason", "We are starting a family collection at home.")
    back = story.wish(
        (
            "I'd like to take home everything of mine that you still have. Can you withdraw it all and put exactly this as the reason: {reason}",
            "I would like to withdraw all of my recordings that are still in the archive. Please put exactly this as the reason: {reason}",
            "can you withdraw all the recordings of mine you still have? put exactly this as the reason: {reason}",
        ),
        short="withdrawing all my recordings that you still have, with the reason {reason}",
        reason=reason,
    )
    deposits = story.call("list_deposits", member_id=story.identify())["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    for each in story.each(kept):
        if story.permits("withdraw_recording", recording_id=each["recording_id"], reason=reason):
            story.call("withdraw_recording", recording_id=each["recording_id"], reason=reason)
        else:
            story.decline(back)


@scenario(form="each")
def open_up_all_of_them(story: Story) -> None:
    """The member wants all their sealed recordings opened to everyone."""
    story.pick("member", f"{SOME_SEALED} AND {ONE_MAY_OPEN}", mine=True)
    access = story.choose("access", {"open to everyone": "open"})
    unseal = story.wish(
        (
            "I've changed my mind about privacy. Can you make all my sealed recordings {access}?",
            "I have changed my mind about privacy. Please make all of my sealed recordings {access}.",
            "can you make all my sealed recordings {access}? changed my mind about privacy",
        ),
        short="making all my sealed recordings {access}",
        access=access,
    )
    deposits = story.call("list_deposits", member_id=story.identify())["recordings"]
    sealed = [each for each in deposits if each["status"] == "cataloged" and each["access"] == "sealed"]
    for each in story.each(sealed):
        if story.permits("set_access", recording_id=each["recording_id"], access=access):
            story.call("set_access", recording_id=each["recording_id"], access=access)
        else:
            story.decline(unseal)


@scenario(form="each")
def one_after_the_other(story: Story) -> None:
    """The member wants booths for two of their recordings, one after the other."""
    recording = story.pick(
        "recording",
        f"{PLAYABLE} AND {ROOM_AHEAD} AND {ROOM_FOR_BOTH} AND {ANOTHER_ONE}",
        unique_by=["member_id", "name", "status"],
        mine=True,
    )
    name = recording["name"]
    other = story.pick(
        "recording",
        f"{PLAYABLE} AND recording_id <> ? AND name <> ?",
        recording["recording_id"],
        name,
        unique_by=["member_id", "name", "status"],
        mine=True,
    )["name"]
    early = story.moment(story.day(36), "14:00")
    late = story.moment(story.day(36), "15:00")
    minutes = story.choose("minutes", [30])
    book = story.wish(
        (
            "I want to make a day of it. Can you book me {minutes} minutes each, first my {name} on {early}, then my {other} on {late}?",
            "I would like to book {minutes} minutes for each of two recordings, first my {name} on {early}, then my {other} on {late}.",
            "can you book me two booths, {minutes} minutes each? first my {name} on {early}, then my {other} on {late}",
        ),
        short="booking me {minutes} minutes each, first my {name} on {early}, then my {other} on {late}",
        minutes=minutes,
        name=name,
        early=early,
        other=other,
        late=late,
    )
    key = story.identify()
    deposits = story.call("list_deposits", member_id=key)["recordings"]
    kept = [each for each in deposits if each["status"] == "cataloged"]
    wanted = [story.find(kept, name=name), story.find(kept, name=other)]
    for each in story.each(wanted):
        at = early if each["name"] == name else late
        if story.permits(
            "book_viewing", member_id=key, recording_id=each["recording_id"], starts_at=at, minutes=minutes
        ):
            story.call("book_viewing", member_id=key, recording_id=each["recording_id"], starts_at=at, minutes=minutes)
        else:
            story.decline(book)
