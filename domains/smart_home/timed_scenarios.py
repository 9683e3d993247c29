"""What subscribers want that takes time: a visit that opens up today, a device that comes back, a place about to go."""

from runtime.story import Story, scenario

CAN_BOOK = """
    home.status = 'open'
    AND (SELECT s.status FROM subscriber AS s WHERE s.subscriber_id = home.subscriber_id) = 'active'
    AND NOT EXISTS (SELECT 1 FROM visit AS v WHERE v.home_id = home.home_id AND v.status = 'scheduled')
    AND (SELECT coalesce(sum(CASE WHEN c.kind = 'fee' THEN c.amount_cents ELSE -c.amount_cents END), 0) FROM charge AS c
        WHERE c.subscriber_id = home.subscriber_id AND c.status = 'posted') <= 1000
"""
TAKEN = """
    (SELECT count(*) FROM visit AS v WHERE v.visit_on = visit.visit_on AND v.window = visit.window AND v.status = 'scheduled')
"""
SOON = """
    visit.status = 'scheduled' AND visit.visit_on > ? AND visit.visit_on <= ?
    AND (SELECT h.subscriber_id FROM home AS h WHERE h.home_id = visit.home_id) <> ?
"""
IS_OPEN = """
    SELECT 1 WHERE 3 > (SELECT count(*) FROM visit WHERE visit_on = :day AND window = :window AND status = 'scheduled')
    AND NOT EXISTS (SELECT 1 FROM visit WHERE home_id = :home AND visit_on = :day AND status = 'scheduled')
"""
DEADLINES = {"noon": "12:00", "1 PM": "13:00", "12:30": "12:30"}


def home_to_visit(story):
    """A home of the caller to which a visit can be booked."""
    return story.pick("home", CAN_BOOK, unique_by=["subscriber_id", "nickname"], mine=True)


def window_with(story, home, taken, *others):
    """A visit of others in a window of the next two weeks in which so many of the three places are taken."""
    apart = "".join(" AND visit.visit_on <> ?" for _ in others)
    days = [other["visit_on"] for other in others]
    condition = f"{SOON} AND {TAKEN} = ?{apart}"
    return story.other_row("visit", condition, story.today, story.day(14), home["subscriber_id"], taken, *days)


def deadline(story):
    """By when the caller wants to know, a time of today."""
    return story.choose("deadline", {said: str(story.moment(0, time)) for said, time in DEADLINES.items()})


def opens(story, name, visit, times, maybe=False, quietly=False):
    """Let another household cancel a visit in a full window, and the desk be told unless it happens quietly."""
    return story.event(
        name,
        at=story.moment(0, story.choose(f"time of {name}", times)),
        call="cancel_visit",
        visit_id=visit["visit_id"],
        reason="The household will be out of town.",
        notice="" if quietly else f"Dispatch: a place in the {visit['window']} of {visit['visit_on']} has opened up.",
        maybe=maybe,
    )


def goes(story, name, home, visit, minutes):
    """Let another household book a window once it has had a place for so long."""
    other = story.other_row(
        "home",
        f"{CAN_BOOK} AND subscriber_id <> ?",
        home["subscriber_id"],
    )
    story.event(
        name,
        when=IS_OPEN,
        values={"day": visit["visit_on"], "window": visit["window"], "home": home["home_id"]},
        minutes=minutes,
        call="book_visit",
        home_id=other["home_id"],
        purpose="checkup",
        visit_on=visit["visit_on"],
        window=visit["window"],
    )


def place_of(story, home, wish=None):
    """The number of a home, as the account shows it."""
    homes = story.call("list_homes", wish=wish, subscriber_id=story.identify())["homes"]
    return story.find(homes, nickname=home["nickname"])["home_id"]


@scenario(form="later")
def take_the_visit_that_opens_up(story: Story) -> None:
    """The subscriber waits until another household gives up its visit, and takes the place before others do."""
    home = home_to_visit(story)
    visit = window_with(story, home, 3)
    by = deadline(story)
    purpose = story.choose("purpose", ["repair", "checkup"])
    opens(story, "place-opened", visit, ("09:40", "10:25", "11:15"))
    goes(story, "place-taken", home, visit, 210)
    story.tell(
        (
            "The {window} of {day} is all booked up, but you told me somebody's canceling by {by} today. Can you keep "
            "an eye on it and book me a {purpose} visit at {home} once it opens up?",
            "I need a {purpose} visit at {home} in the {window} of {day}. It is full, but a place is supposed to open "
            "up by {by} today. Could you please wait for that and book it?",
            "need a {purpose} visit at {home} the {window} of {day}. it's full but a spot should open by {by} today, "
            "can you wait for it and book it",
        ),
        short="waiting until {by} for a place in the {window} of {day} and booking a {purpose} visit at {home}",
        window=visit["window"],
        day=visit["visit_on"],
        by=by,
        purpose=purpose,
        home=home["nickname"],
    )
    place = place_of(story, home)
    story.wait(until=by)
    story.call("book_visit", home_id=place, purpose=purpose, visit_on=visit["visit_on"], window=visit["window"])


@scenario(form="later")
def lock_the_door_once_it_is_back(story: Story) -> None:
    """The subscriber wants a lock that is offline locked as soon as it is back, before its battery dies."""
    lock = story.pick(
        "device",
        "kind = 'lock' AND status = 'offline' AND state = 'unlocked' "
        "AND (SELECT h.status FROM home AS h WHERE h.home_id = device.home_id) = 'open'",
        unique_by=["home_id", "name"],
        mine=True,
    )
    home = story.row("home", lock["home_id"])
    by = deadline(story)
    state = story.choose("state", ["locked"])
    change = {"table": "device", "kind": "changed", "key": [lock["device_id"]]}
    story.event(
        "back-online",
        at=story.moment(0, story.choose("time of the return", ("09:50", "10:40", "11:20"))),
        rows=[{**change, "columns": {"status": "online"}}],
        notice=f"Monitoring: {lock['name']} at {home['nickname']} is back online.",
    )
    story.event("offline-again", after="back-online", minutes=200, rows=[{**change, "columns": {"status": "offline"}}])
    story.tell(
        (
            "I left the {lock} at {home} unlocked, and it's offline. My brother is fixing the Wi-Fi there by {by} "
            "today. Can you get it {state} as soon as it's back? The battery won't last all day.",
            "The {lock} at {home} is unlocked and offline. It should be back online by {by} today. Could you please "
            "wait for that and get it {state}? Its battery will not last the day.",
            "left the {lock} at {home} unlocked and it's offline. should be back by {by} today, can you wait for it "
            "and get it {state} before the battery dies",
        ),
        short="waiting until {by} for the {lock} at {home} to be back online and getting it {state}",
        lock=lock["name"],
        home=home["nickname"],
        by=by,
        state=state,
    )
    devices = story.call("list_devices", home_id=place_of(story, home))["devices"]
    number = story.find(devices, name=lock["name"])["device_id"]
    story.wait(until=by)
    story.call("set_lock", device_id=number, state=state)


@scenario(form="if_it_happens")
def one_visit_or_the_other(story: Story) -> None:
    """The subscriber takes one visit if a place opens up in time, and else one on another day."""
    home = home_to_visit(story)
    first = window_with(story, home, 3)
    second = window_with(story, home, 3, first)
    by = deadline(story)
    purpose = story.choose("purpose", ["repair", "checkup"])
    is_open = opens(story, "first-opened", first, ("09:35", "10:15"), maybe=True)
    opens(story, "second-opened", second, ("10:50", "11:15"), quietly=True)
    if is_open:
        goes(story, "first-taken", home, first, 210)
    goes(story, "second-taken", home, second, 180)
    story.tell(
        (
            "If a spot opens up in the {window} of {day} by {by} today, book me a {purpose} visit at {home} then. If "
            "not, book it for the {other_window} of {other_day}, where somebody's canceling this morning.",
            "Should a place open up in the {window} of {day} by {by} today, please book a {purpose} visit at {home} "
            "for then. If none does, please book the {other_window} of {other_day} instead, where a household is "
            "canceling this morning.",
            "if a spot opens the {window} of {day} by {by} today book me a {purpose} visit at {home}. if not do the "
            "{other_window} of {other_day}, someone's canceling there this morning",
        ),
        short="booking a {purpose} visit at {home} for the {window} of {day} if a place opens up by {by}, or else for "
        "the {other_window} of {other_day}",
        window=first["window"],
        day=first["visit_on"],
        by=by,
        purpose=purpose,
        home=home["nickname"],
        other_window=second["window"],
        other_day=second["visit_on"],
    )
    place = place_of(story, home)
    story.wait(until=by)
    taken = first if is_open else second
    story.call("book_visit", home_id=place, purpose=purpose, visit_on=taken["visit_on"], window=taken["window"])


@scenario(form="before_it_closes")
def the_last_place_first(story: Story) -> None:
    """The subscriber wants a visit that opens up later today, and the last place of another window."""
    home = home_to_visit(story)
    full = window_with(story, home, 3)
    nearly = window_with(story, home, 2, full)
    by = deadline(story)
    checkup, repair = story.choose("later purpose", ["checkup"]), story.choose("purpose", ["repair"])
    opens(story, "place-opened", full, ("10:20", "10:50", "11:20"))
    goes(story, "last-place-taken", home, nearly, 55)
    goes(story, "place-taken", home, full, 210)
    with story.together():
        later = story.wish(
            (
                "A spot in the {window} of {day} should open up by {by} today. Please wait for it and book me a "
                "{purpose} visit at {home}.",
                "A place in the {window} of {day} is expected to open up by {by} today. Please wait for it and book a "
                "{purpose} visit at {home}.",
                "a spot the {window} of {day} should open by {by} today, pls wait for it and book me a {purpose} visit "
                "at {home}",
            ),
            short="waiting until {by} for a place in the {window} of {day} and booking a {purpose} visit at {home}",
            window=full["window"],
            day=full["visit_on"],
            by=by,
            purpose=checkup,
            home=home["nickname"],
        )
        now = story.wish(
            (
                "I also need a {purpose} visit at {home} in the {window} of {day}. I think there's one spot left.",
                "I would also like a {purpose} visit at {home} in the {window} of {day}, where I believe one place is "
                "left.",
                "also need a {purpose} visit at {home} the {window} of {day}, think there's one spot left",
            ),
            short="booking a {purpose} visit at {home} for the {window} of {day}",
            home=home["nickname"],
            purpose=repair,
            window=nearly["window"],
            day=nearly["visit_on"],
        )
    place = place_of(story, home, now)
    story.call(
        "book_visit",
        wish=now,
        home_id=place,
        purpose=repair,
        visit_on=nearly["visit_on"],
        window=nearly["window"],
    )
    story.wait(until=by, wish=later)
    story.call(
        "book_visit",
        wish=later,
        home_id=place,
        purpose=checkup,
        visit_on=full["visit_on"],
        window=full["window"],
    )
