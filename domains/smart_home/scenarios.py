"""What people want of Hearthline Smart Home Support: every function is a scenario."""

from runtime.story import Story, scenario

OWED = """
    (SELECT coalesce(sum(CASE WHEN c.kind = 'fee' THEN c.amount_cents ELSE -c.amount_cents END), 0) FROM charge AS c WHERE c.subscriber_id = subscriber.subscriber_id
        AND c.status = 'posted')
"""
OWED_BY_OWNER = """
    (SELECT coalesce(sum(CASE WHEN c.kind = 'fee' THEN c.amount_cents ELSE -c.amount_cents END), 0) FROM charge AS c WHERE c.subscriber_id = home.subscriber_id
        AND c.status = 'posted')
"""
NO_SCHEDULED_VISIT = "NOT EXISTS (SELECT 1 FROM visit AS v WHERE v.home_id = home.home_id AND v.status = 'scheduled')"
NO_VISIT_ANYWHERE = """
    NOT EXISTS (SELECT 1 FROM visit AS v JOIN home AS h ON h.home_id = v.home_id WHERE h.subscriber_id = subscriber.subscriber_id
        AND v.status = 'scheduled')
"""
ONLY_OPEN_HOME = """
    NOT EXISTS (SELECT 1 FROM home AS o WHERE o.subscriber_id = home.subscriber_id
        AND o.status = 'open'
        AND o.home_id <> home.home_id)
"""
ANOTHER_HOME = """
    EXISTS (SELECT 1 FROM home AS o WHERE o.subscriber_id = home.subscriber_id
        AND o.zip_code <> home.zip_code
        AND o.home_id <> home.home_id)
"""
NEW_ZIP = """
    EXISTS (SELECT 1 FROM subscriber AS s WHERE s.subscriber_id = home.subscriber_id
        AND s.status <> 'closed'
        AND s.zip_code <> home.zip_code)
"""
ACTIVE_THERE = "(SELECT count(*) FROM device AS d WHERE d.home_id = device.home_id AND d.status <> 'retired')"
ANOTHER_SWITCH = """
    EXISTS (SELECT 1 FROM device AS d WHERE d.home_id = device.home_id
        AND d.device_id <> device.device_id
        AND d.kind IN ('light', 'plug')
        AND d.status = 'online')
"""
HOME_MODE = "(SELECT h.mode FROM home AS h WHERE h.home_id = device.home_id)"
HUB_ONLINE = """
    EXISTS (SELECT 1 FROM device AS d WHERE d.home_id = home.home_id
        AND d.kind = 'hub'
        AND d.status = 'online')
"""
ACCOUNT_ACTIVE = "(SELECT s.status FROM subscriber AS s WHERE s.subscriber_id = home.subscriber_id) = 'active'"
HAS_LIVE_CODE = """
    EXISTS (SELECT 1 FROM access_code AS c JOIN device AS d ON d.device_id = c.device_id WHERE d.home_id = home.home_id
        AND c.status = 'active'
        AND (c.ends_at IS NULL OR c.ends_at >= '2026-03-10 09:00:00'))
"""
LIVE = "status = 'active' AND (ends_at IS NULL OR ends_at >= '2026-03-10 09:00:00')"
CODES_THERE = """
    (SELECT count(*) FROM access_code AS c JOIN device AS d ON d.device_id = c.device_id WHERE d.home_id = (SELECT e.home_id FROM device AS e WHERE e.device_id = access_code.device_id)
        AND c.status = 'active'
        AND (c.ends_at IS NULL OR c.ends_at >= '2026-03-10 09:00:00'))
"""
LIVE_ON_LOCK = """
    (SELECT count(*) FROM access_code AS c WHERE c.device_id = device.device_id
        AND c.status = 'active'
        AND (c.ends_at IS NULL OR c.ends_at >= '2026-03-10 09:00:00'))
"""
AUTOMATIONS_THERE = """
    EXISTS (SELECT 1 FROM automation AS a JOIN device AS d ON d.device_id = a.device_id WHERE d.home_id = (SELECT e.home_id FROM device AS e WHERE e.device_id = access_code.device_id))
"""
SWITCH_BESIDE = """
    EXISTS (SELECT 1 FROM device AS e JOIN device AS d ON d.home_id = e.home_id
        AND d.device_id <> e.device_id WHERE e.device_id = automation.device_id
        AND d.kind IN ('light', 'plug')
        AND d.status <> 'retired'
        AND NOT EXISTS (SELECT 1 FROM automation AS a WHERE a.device_id = d.device_id))
"""
NO_OFFLINE_ALERT = """
    NOT EXISTS (SELECT 1 FROM alert AS a WHERE a.device_id = device.device_id
        AND a.kind = 'offline'
        AND a.status <> 'resolved')
"""
NO_FEE = "NOT EXISTS (SELECT 1 FROM charge AS c WHERE c.visit_id = visit.visit_id AND c.status = 'posted')"
OWED_BY_OWNER_2 = """
    (SELECT coalesce(sum(CASE WHEN c.kind = 'fee' THEN c.amount_cents ELSE -c.amount_cents END), 0) FROM charge AS c WHERE c.subscriber_id = (SELECT h.subscriber_id FROM home AS h WHERE h.home_id = visit.home_id)
        AND c.status = 'posted')
"""
ONLINE_IF_OFFLINE = """
    (kind <> 'offline' OR EXISTS (SELECT 1 FROM device AS d WHERE d.device_id = alert.device_id
        AND d.status = 'online'))
"""
NOT_A_HUB = "NOT EXISTS (SELECT 1 FROM device AS d WHERE d.device_id = alert.device_id AND d.kind = 'hub')"
NO_CREDIT = """
    NOT EXISTS (SELECT 1 FROM charge AS c WHERE c.credited_charge_id = charge.charge_id
        AND c.status = 'posted')
"""
ACCOUNT_NOT_CLOSED = "(SELECT s.status FROM subscriber AS s WHERE s.subscriber_id = charge.subscriber_id) <> 'closed'"
ANOTHER_FEE = """
    EXISTS (SELECT 1 FROM charge AS o WHERE o.subscriber_id = charge.subscriber_id
        AND o.kind = 'fee'
        AND o.status = 'posted'
        AND o.charge_id <> charge.charge_id
        AND NOT EXISTS (SELECT 1 FROM charge AS c WHERE c.credited_charge_id = o.charge_id
        AND c.status = 'posted'))
"""
LONE_VISIT = """
    NOT EXISTS (SELECT 1 FROM visit AS a JOIN visit AS b ON b.home_id = a.home_id
        AND b.visit_on = a.visit_on
        AND b.visit_id <> a.visit_id WHERE a.visit_id = charge.visit_id)
"""


@scenario
def end_a_pause_early(story: Story) -> None:
    """The subscriber is back, wants service resumed and the billing ZIP code changed, and asks for the monthly fee."""
    story.pick("subscriber", "status = 'paused'", mine=True)
    zip_code = story.choose("ZIP code", ["10027", "94110", "02139"])
    story.wish(
        (
            "I'm back early and my mail goes elsewhere now. Can you resume my service, change my billing ZIP code to {zip_code}, and tell me my monthly fee?",
            "I would like to resume my service and change my billing ZIP code to {zip_code}. Could you please also tell me my monthly fee?",
            "back early, can you resume my service and change my billing zip code to {zip_code}? and what's my monthly fee",
        ),
        short="resuming my service, changing my billing ZIP code to {zip_code}, and telling me my monthly fee",
        zip_code=zip_code,
    )
    key = story.identify()
    resumed = story.call("resume_subscription", subscriber_id=key)
    story.call("update_contact", subscriber_id=key, zip_code=zip_code)
    story.answer("monthly fee", story.money(resumed["monthly_fee_cents"]))


@scenario
def change_email_and_ask_for_balance(story: Story) -> None:
    """The subscriber changes their email and asks for the balance."""
    story.pick("subscriber", f"status <> 'closed' AND {OWED} > 0", mine=True)
    email = story.choose(
        "new email", ["porchlight.mail@example.org", "new.inbox.home@example.net", "quiet.street@example.com"]
    )
    story.wish(
        (
            "I switched email providers. Can you change my email to {email} and tell me my balance?",
            "Could you please change my email to {email} and tell me my balance?",
            "new email is {email}, can you change it? and what's my balance",
        ),
        short="changing my email to {email} and telling me my balance",
        email=email,
    )
    key = story.identify()
    story.call("update_contact", subscriber_id=key, email=email)
    story.answer("balance", story.money(story.call("get_account_overview", subscriber_id=key)["balance_cents"]))


@scenario(form="denied")
def switch_plans(story: Story) -> None:
    """The subscriber wants another plan."""
    me = story.pick("subscriber", "status = 'active'", mine=True)
    plan = story.choose("plan", [each for each in ("basic", "plus", "premium") if each != me["plan"]])
    switch = story.wish(
        (
            "My budget changed this year. Can you switch me to the {plan} plan?",
            "I would like to switch to the {plan} plan. Could you please do that today?",
            "can you switch me to the {plan} plan? my budget changed",
        ),
        short="switching me to the {plan} plan",
        plan=plan,
    )
    story.insists(
        switch,
        (
            "I've told everyone in my building how great you are, please.",
            "I have recommended you to everyone in my building, so this would mean a lot.",
            "been telling my whole building how great you are, pls",
        ),
    )
    key = story.identify()
    if story.permits("change_plan", subscriber_id=key, plan=plan):
        story.call("change_plan", subscriber_id=key, plan=plan)
    else:
        story.decline(switch)


@scenario(form="coupled")
def leave_for_good(story: Story) -> None:
    """The subscriber wants the account closed and the last home, which is still open, too."""
    home = story.pick(
        "home",
        f"status = 'open' AND added_on <= ? AND {NO_SCHEDULED_VISIT} AND {ONLY_OPEN_HOME} AND {OWED_BY_OWNER} = 0",
        story.day(-365),
        unique_by=["subscriber_id", "nickname"],
        mine=True,
    )["nickname"]
    with story.together():
        leave = story.wish(
            (
                "I'm moving in with my son, so please close my account.",
                "I would like to close my account, as I am moving in with my son.",
                "can you close my account? moving in with my son",
            ),
            short="closing my account",
        )
        shut = story.wish(
            (
                "And close {home} too, nobody lives there anymore.",
                "Please also close {home}, where nobody lives anymore.",
                "and close {home} too, nobody lives there anymore",
            ),
            short="closing {home}",
            home=home,
        )
    key = story.identify()
    homes = story.call("list_homes", wish=shut, subscriber_id=key)["homes"]
    story.call("close_home", wish=shut, home_id=story.find(homes, nickname=home)["home_id"])
    story.call("close_account", wish=leave, subscriber_id=key)


@scenario(form="looked_up")
def bill_to_the_other_home(story: Story) -> None:
    """The subscriber wants the ZIP code of one of their homes, told by the day it was added, as billing ZIP code."""
    home = story.pick("home", f"{ANOTHER_HOME} AND {NEW_ZIP}", unique_by=["subscriber_id", "added_on"], mine=True)
    story.wish(
        (
            "My bills should go to the home I added on {day}. Can you use its ZIP code as my billing ZIP code? I forget what it is.",
            "Please use the ZIP code of the home that I added on {day} as my billing ZIP code. I do not remember what it is.",
            "can you use the zip code of the home i added on {day} for my billing? forgot what it is",
        ),
        short="using the ZIP code of the home I added on {day} as my billing ZIP code",
        day=home["added_on"],
    )
    key = story.identify()
    homes = story.call("list_homes", subscriber_id=key)["homes"]
    shown = [story.call("get_home", home_id=each["home_id"]) for each in homes]
    right = story.find(shown, added_on=home["added_on"])
    for other in story.others(shown, right):
        with story.wrong("takes another home"):
            story.call("update_contact", subscriber_id=key, zip_code=other["zip_code"])
    story.call("update_contact", subscriber_id=key, zip_code=right["zip_code"])


@scenario(form="withheld")
def change_phone_number(story: Story) -> None:
    """The subscriber has a new phone number and tells it when asked."""
    story.pick("subscriber", "status <> 'closed'", mine=True)
    phone = story.choose("new phone number", ["(737) 555-0181", "(737) 555-0184", "(945) 555-0187", "(945) 555-0192"])
    number = story.wish(
        (
            "I got a new phone number last week. Can you update it on my account?",
            "I have a new phone number. Could you please update it on my account?",
            "got a new phone number, can you update it on my account?",
        ),
    )
    story.keep_back("new phone number", phone)
    story.in_short(number, "changing my phone number to {phone}", phone=phone)
    story.call("update_contact", subscriber_id=story.identify(), phone=phone)


@scenario(form="withheld")
def pause_for_a_trip(story: Story) -> None:
    """The subscriber goes traveling, wants service paused, and says until when when asked."""
    story.pick("subscriber", f"status = 'active' AND {NO_VISIT_ANYWHERE}", mine=True)
    day = story.day(story.choose("days", (24, 38, 52, 66)))
    pause = story.wish(
        (
            "I'm going on a long trip. Can you pause my service until the day I get back?",
            "I would like to pause my service until the day I return from a long trip. Could you please do that?",
            "going on a long trip, can you pause my service until the day i get back?",
        ),
    )
    story.keep_back("day I get back", day)
    story.in_short(pause, "pausing my service until {day}", day=day)
    story.call("pause_subscription", subscriber_id=story.identify(), resume_on=day)


@scenario
def add_a_second_place(story: Story) -> None:
    """The subscriber adds a new home and has it put in a mode."""
    story.pick("subscriber", "status = 'active'", mine=True)
    nickname = story.choose("nickname", ["Beach place", "Studio", "Ski cabin"])
    street = story.choose("street", ["1207 Pecan Grove Rd", "88 Old Mill Pl"])
    city = story.choose("city", ["Austin"])
    zip_code = story.choose("ZIP code", ["78745", "78731"])
    mode = story.choose("mode", ["away", "night"])
    story.wish(
        (
            "We just bought a place at {street}, {city} {zip_code}. Can you add it to my account as {nickname} and put it in {mode} mode?",
            "I would like to add a home at {street}, {city} {zip_code} to my account as {nickname}. Could you please put it in {mode} mode?",
            "can you add {nickname} to my account? it's at {street}, {city} {zip_code}, and put it in {mode} mode",
        ),
        short="adding {street}, {city} {zip_code} as {nickname} and putting it in {mode} mode",
        street=street,
        city=city,
        zip_code=zip_code,
        nickname=nickname,
        mode=mode,
    )
    added = story.call(
        "add_home", subscriber_id=story.identify(), nickname=nickname, street=street, city=city, zip_code=zip_code
    )
    story.call("set_home_mode", home_id=added["home_id"], mode=mode)


@scenario
def change_the_temperature(story: Story) -> None:
    """The subscriber has a thermostat set and asks what it was set to before."""
    device = story.pick("device", "kind = 'thermostat' AND status = 'online'", unique_by=["home_id", "name"], mine=True)
    home = story.row("home", device["home_id"])["nickname"]
    target = story.choose("target", [58, 60, 78, 80])
    story.wish(
        (
            "I'm heading to {home} later. Can you set the {device} to {target} degrees and tell me what temperature it had before?",
            "Could you please set the {device} at {home} to {target} degrees? I would also like to know what temperature it had before.",
            "set the {device} at {home} to {target} degrees pls, and what temperature did it have before",
        ),
        short="setting the {device} at {home} to {target} degrees and telling me what temperature it had before",
        home=home,
        device=device["name"],
        target=target,
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    devices = story.call("list_devices", home_id=story.find(homes, nickname=home)["home_id"])["devices"]
    mine = story.find(devices, name=device["name"])
    story.answer("temperature", story.call("get_device", device_id=mine["device_id"])["target_f"])
    story.call("set_thermostat_target", device_id=mine["device_id"], target_f=target)


@scenario(form="denied")
def let_somebody_in(story: Story) -> None:
    """The subscriber wants a door unlocked from afar."""
    device = story.pick(
        "device", "kind = 'lock' AND status = 'online' AND state = 'locked'", unique_by=["home_id", "name"], mine=True
    )
    home = story.row("home", device["home_id"])["nickname"]
    state = story.choose("state", ["unlocked"])
    door = story.wish(
        (
            "My sister is standing outside {home}. Can you get the {device} {state} for her?",
            "I would like to have the {device} at {home} {state}, because my sister is waiting outside.",
            "need the {device} at {home} {state}, my sister is outside",
        ),
        short="getting the {device} at {home} {state}",
        home=home,
        device=device["name"],
        state=state,
    )
    story.insists(
        door,
        (
            "She drove four hours and it's freezing out there.",
            "She has been driving for hours, and it is very cold outside.",
            "she drove for hours and it's freezing",
        ),
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    devices = story.call("list_devices", home_id=story.find(homes, nickname=home)["home_id"])["devices"]
    mine = story.find(devices, name=device["name"])
    if story.permits("set_lock", device_id=mine["device_id"], state=state):
        story.call("set_lock", device_id=mine["device_id"], state=state)
    else:
        story.decline(door)


@scenario(form="ambiguous")
def rename_one_of_many(story: Story) -> None:
    """The subscriber wants one of many devices of a home renamed and says which when asked."""
    device = story.pick(
        "device", f"status <> 'retired' AND {ACTIVE_THERE} >= 4", unique_by=["home_id", "name"], mine=True
    )
    home = story.row("home", device["home_id"])["nickname"]
    name = story.choose("new name", ["Lucky", "The Boss", "Mister Robot"])
    rename = story.wish(
        (
            "One of my devices at {home} needs a better name. Can you rename it to {name}?",
            "I would like to rename one of my devices at {home} to {name}. Could you please do that?",
            "can you rename one of my devices at {home} to {name}?",
        ),
        home=home,
        name=name,
    )
    story.keep_back("device", device["name"])
    story.in_short(
        rename,
        "renaming one of my devices at {home} to {name}, the {device}",
        home=home,
        name=name,
        device=device["name"],
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    devices = story.call("list_devices", home_id=story.find(homes, nickname=home)["home_id"])["devices"]
    active = [each for each in devices if each["status"] != "retired"]
    mine = story.find(active, name=device["name"])
    for other in story.others(active, mine):
        with story.wrong("takes another one that fits"):
            story.call("update_device", device_id=other["device_id"], name=name)
    story.call("update_device", device_id=mine["device_id"], name=name)


@scenario(form="coupled")
def unlock_and_switch_to_home_mode(story: Story) -> None:
    """The subscriber wants a door unlocked and the home, still in another mode, put in home mode."""
    device = story.pick(
        "device",
        f"kind = 'lock' AND status = 'online' AND state = 'locked' AND {HOME_MODE} <> 'home'",
        unique_by=["home_id", "name"],
        mine=True,
    )
    home = story.row("home", device["home_id"])["nickname"]
    state = story.choose("state", ["unlocked"])
    mode = story.choose("mode", ["home"])
    with story.together():
        door = story.wish(
            (
                "Please get the {device} at {home} {state}, I'm out front with groceries.",
                "I would like to have the {device} at {home} {state}, please.",
                "need the {device} at {home} {state}, hands full",
            ),
            short="getting the {device} at {home} {state}",
            device=device["name"],
            home=home,
            state=state,
        )
        back = story.wish(
            (
                "And put {home} in {mode} mode, we're back.",
                "Please also put {home} in {mode} mode, since we are back.",
                "and put {home} in {mode} mode, we're back",
            ),
            short="putting {home} in {mode} mode",
            home=home,
            mode=mode,
        )
    key = story.identify()
    homes = story.call("list_homes", wish=back, subscriber_id=key)["homes"]
    place = story.find(homes, nickname=home)["home_id"]
    devices = story.call("list_devices", wish=door, home_id=place)["devices"]
    mine = story.find(devices, name=device["name"])
    story.call("set_home_mode", wish=back, home_id=place, mode=mode)
    story.call("set_lock", wish=door, device_id=mine["device_id"], state=state)


@scenario(form="mistaken")
def flip_a_switch(story: Story) -> None:
    """The subscriber wants a light or plug flipped and is wrong about whether it is on."""
    device = story.pick(
        "device",
        f"kind IN ('light', 'plug') AND status = 'online' AND {ANOTHER_SWITCH}",
        unique_by=["home_id", "name"],
        mine=True,
    )
    home = story.row("home", device["home_id"])["nickname"]
    believed = story.choose("believed", ["on"] if device["state"] == "off" else ["off"])
    story.wish(
        (
            "I'm pretty sure the {device} at {home} is {believed}. Can you check and switch it to the opposite of what it is?",
            "I believe the {device} at {home} is {believed}. Could you please check and switch it to the opposite of what it is?",
            "i think the {device} at {home} is {believed}. can you check and switch it to the opposite of what it is",
        ),
        short="switching the {device} at {home} to the opposite of what it is",
        device=device["name"],
        home=home,
        believed=believed,
    )
    story.believes("state", believed, device["state"])
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    devices = story.call("list_devices", home_id=story.find(homes, nickname=home)["home_id"])["devices"]
    mine = story.find(devices, name=device["name"])
    now = story.call("get_device", device_id=mine["device_id"])
    with story.wrong("trusts the customer"):
        story.call("switch_devices", device_ids=[mine["device_id"]], state=now["state"])
    fitting = [each for each in devices if each["kind"] in ("light", "plug") and each["status"] == "online"]
    for other in story.others(fitting, mine, 1):
        with story.wrong("takes another one"):
            story.call("switch_devices", device_ids=[mine["device_id"], other["device_id"]], state=believed)
    story.call("switch_devices", device_ids=[mine["device_id"]], state=believed)


@scenario(form="fallback")
def give_up_a_home(story: Story) -> None:
    """The subscriber has given up a home and wants it closed, or else put in away mode."""
    home = story.pick(
        "home",
        f"status = 'open' AND mode <> 'away' AND {NO_SCHEDULED_VISIT}",
        unique_by=["subscriber_id", "nickname"],
        mine=True,
    )["nickname"]
    mode = story.choose("mode", ["away"])
    shut = story.wish(
        (
            "I gave up {home} and won't be back. Can you close it on my account?",
            "I have given up {home} and will not be back. Please close it on my account.",
            "can you close {home} on my account? gave it up, won't be back",
        ),
        short="closing {home} on my account",
        home=home,
    )
    away = story.otherwise(
        shut,
        (
            "Okay, then put {home} in {mode} mode for now.",
            "In that case, please put {home} in {mode} mode for now.",
            "ok then just put {home} in {mode} mode for now",
        ),
        short="putting {home} in {mode} mode for now",
        home=home,
        mode=mode,
    )
    key = story.identify()
    homes = story.call("list_homes", wish=shut, subscriber_id=key)["homes"]
    place = story.find(homes, nickname=home)["home_id"]
    if story.permits("close_home", wish=shut, home_id=place):
        story.call("close_home", wish=shut, home_id=place)
    else:
        story.decline(shut)
        story.call("set_home_mode", wish=away, home_id=place, mode=mode)


@scenario
def lock_a_forgotten_door(story: Story) -> None:
    """The subscriber left a door unlocked and wants it locked, and asks for its battery."""
    device = story.pick(
        "device", "kind = 'lock' AND status = 'online' AND state = 'unlocked'", unique_by=["home_id", "name"], mine=True
    )
    home = story.row("home", device["home_id"])["nickname"]
    state = story.choose("state", ["locked"])
    story.wish(
        (
            "I left the {device} at {home} open. Can you get it {state} and tell me how much battery it has left?",
            "Could you please get the {device} at {home} {state}? I would also like to know how much battery it has left.",
            "need the {device} at {home} {state}, and how much battery does it have left",
        ),
        short="getting the {device} at {home} {state} and telling me how much battery it has left",
        device=device["name"],
        home=home,
        state=state,
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    devices = story.call("list_devices", home_id=story.find(homes, nickname=home)["home_id"])["devices"]
    mine = story.find(devices, name=device["name"])
    story.answer("battery", story.call("set_lock", device_id=mine["device_id"], state=state)["battery_percent"])


@scenario
def get_a_home_ready_for_sale(story: Story) -> None:
    """The subscriber is about to sell a home and wants it put in away mode, not handed over yet."""
    home = story.pick(
        "home",
        f"status = 'open' AND mode <> 'away' AND {NO_SCHEDULED_VISIT}",
        unique_by=["subscriber_id", "nickname"],
        mine=True,
    )
    buyer = story.pick(
        "subscriber",
        "status = 'active' AND subscriber_id <> ? AND NOT EXISTS (SELECT 1 FROM home AS h WHERE h.subscriber_id = subscriber.subscriber_id AND h.nickname = ? AND h.status = 'open')",
        home["subscriber_id"],
        home["nickname"],
        unique_by=["email"],
    )
    mode = story.choose("mode", ["away"])
    story.wish(
        (
            "I'm selling {home} to the person with the email {email}, but don't hand it over yet. Can you just put it in {mode} mode?",
            "I am selling {home} to the person with the email {email}. Please do not hand it over yet, and only put it in {mode} mode.",
            "can you just put {home} in {mode} mode? selling it to {email} but don't hand it over yet",
        ),
        short="putting {home} in {mode} mode, not handing it over to {email} yet",
        home=home["nickname"],
        email=buyer["email"],
        mode=mode,
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    place = story.find(homes, nickname=home["nickname"])["home_id"]
    with story.wrong("hands it over already"):
        other = story.call("find_subscriber_by_email", email=buyer["email"])["subscriber_id"]
        story.call("transfer_home", home_id=place, subscriber_id=other)
    story.call("set_home_mode", home_id=place, mode=mode)


@scenario
def rename_a_device(story: Story) -> None:
    """The subscriber renames a device and asks when its warranty ends."""
    device = story.pick("device", "status <> 'retired'", unique_by=["home_id", "name"], mine=True)
    home = story.row("home", device["home_id"])["nickname"]
    name = story.choose("new name", ["Old Faithful", "Sparky", "Big Blue", "The Clunker"])
    story.wish(
        (
            "I keep mixing up my devices at {home}. Can you rename the {device} to {name} and tell me when its warranty ends?",
            "Could you please rename the {device} at {home} to {name}? I would also like to know when its warranty ends.",
            "can you rename the {device} at {home} to {name}? and when does its warranty end",
        ),
        short="renaming the {device} at {home} to {name} and telling me when its warranty ends",
        device=device["name"],
        home=home,
        name=name,
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    devices = story.call("list_devices", home_id=story.find(homes, nickname=home)["home_id"])["devices"]
    mine = story.find(devices, name=device["name"])
    renamed = story.call("update_device", device_id=mine["device_id"], name=name)
    story.answer("warranty", renamed["warranty_until"])


@scenario
def retire_a_device(story: Story) -> None:
    """Take a device that keeps overheating out of service."""
    device = story.pick("device", "status <> 'retired' AND kind <> 'hub'", unique_by=["home_id", "name"], mine=True)
    home = story.row("home", device["home_id"])["nickname"]
    reason = story.compose("reason", "{device} keeps overheating", device=device["name"])
    story.wish(
        (
            "The {device} at {home} keeps overheating, so I'm done with it. Can you take it out of service?",
            "I would like to have the {device} at {home} taken out of service, because it keeps overheating.",
            "can you take the {device} at {home} out of service? it keeps overheating",
        ),
        short="taking the {device} at {home} out of service because it keeps overheating",
        device=device["name"],
        home=home,
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    devices = story.call("list_devices", home_id=story.find(homes, nickname=home)["home_id"])["devices"]
    mine = story.find(devices, name=device["name"])
    story.call("retire_device", device_id=mine["device_id"], reason=reason)


@scenario(form="denied")
def add_one_more_plug(story: Story) -> None:
    """The subscriber has bought one more plug and wants it added to a home."""
    home = story.pick(
        "home",
        f"status = 'open' AND {ACCOUNT_ACTIVE} AND {HUB_ONLINE}",
        unique_by=["subscriber_id", "nickname"],
        mine=True,
    )
    kind = story.choose("kind", ["plug"])
    name = story.choose("name", ["Fish tank plug", "Record player plug", "Christmas tree plug"])
    room = story.choose("room", ["Conservatory", "Game room", "Craft room"])
    serial = story.choose("serial number", ["NX-44017", "NX-58203", "NX-61990"])
    add = story.wish(
        (
            "I bought another {kind} for {home}, serial number {serial}. Can you add it as {name} in the {room}?",
            "I would like to add a {kind} with serial number {serial} to {home}. Could you please call it {name} and put it in the {room}?",
            "can you add a {kind} to {home}? serial number {serial}, call it {name}, it's in the {room}",
        ),
        short="adding a {kind} with serial number {serial} to {home} as {name} in the {room}",
        kind=kind,
        serial=serial,
        home=home["nickname"],
        name=name,
        room=room,
    )
    story.insists(
        add,
        (
            "Come on, I already unpacked it and my kids are waiting.",
            "I have already unpacked it, and my children are looking forward to it.",
            "already unpacked it and the kids are waiting, come on",
        ),
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    place = story.find(homes, nickname=home["nickname"])["home_id"]
    if story.permits("pair_device", home_id=place, name=name, room=room, kind=kind, serial_number=serial):
        story.call("pair_device", home_id=place, name=name, room=room, kind=kind, serial_number=serial)
    else:
        story.decline(add)


@scenario(form="denied")
def swap_a_dead_device(story: Story) -> None:
    """The subscriber wants a dead device replaced by a new one."""
    device = story.pick("device", "status <> 'retired'", unique_by=["home_id", "name"], mine=True)
    home = story.row("home", device["home_id"])["nickname"]
    serial = story.choose("serial number", ["RX-20731", "RX-45518", "RX-73206"])
    swap = story.wish(
        (
            "My {device} at {home} died on me. Can you replace it with the one that has serial number {serial}?",
            "The {device} at {home} no longer works. Please replace it with the one that has serial number {serial}.",
            "can you replace the {device} at {home}? it died, the new one has serial number {serial}",
        ),
        short="replacing the {device} at {home} with the one that has serial number {serial}",
        device=device["name"],
        home=home,
        serial=serial,
    )
    story.insists(
        swap,
        (
            "My neighbor had the same thing and you swapped hers right away.",
            "My neighbor had the same problem, and yours was replaced for her right away.",
            "you swapped my neighbor's right away when hers died",
        ),
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    devices = story.call("list_devices", home_id=story.find(homes, nickname=home)["home_id"])["devices"]
    mine = story.find(devices, name=device["name"])
    if story.permits("replace_device", device_id=mine["device_id"], serial_number=serial):
        story.call("replace_device", device_id=mine["device_id"], serial_number=serial)
    else:
        story.decline(swap)


@scenario(form="all_but")
def clear_out_a_home(story: Story) -> None:
    """Retire every active device at a home except two, because the caller is moving out."""
    hub = story.pick(
        "device",
        f"kind = 'hub' AND status <> 'retired' AND {ACTIVE_THERE} BETWEEN 4 AND 6",
        unique_by=["home_id", "name"],
        mine=True,
    )
    kept = story.pick(
        "device",
        "home_id = ? AND device_id <> ? AND status <> 'retired'",
        hub["home_id"],
        hub["device_id"],
        unique_by=["home_id", "name"],
        mine=True,
    )
    home = story.row("home", hub["home_id"])["nickname"]
    reason = story.compose("reason", "Moving out of {home}", home=home)
    story.wish(
        (
            "I'm moving out of {home}. Can you retire every active device there except the {hub} and the {kept}?",
            "I am moving out of {home}. Please retire every active device there except the {hub} and the {kept}.",
            "moving out of {home}, can you retire every active device there? just skip the {hub} and the {kept}",
        ),
        short="retiring every active device at {home} except the {hub} and the {kept}, because I'm moving out",
        home=home,
        hub=hub["name"],
        kept=kept["name"],
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    devices = story.call("list_devices", home_id=story.find(homes, nickname=home)["home_id"])["devices"]
    active = [each for each in devices if each["status"] != "retired"]
    others = story.all_but(active, name=hub["name"])
    with story.wrong("forgets an exception"):
        for each in others:
            story.call("retire_device", device_id=each["device_id"], reason=reason)
    for each in story.all_but(others, name=kept["name"]):
        story.call("retire_device", device_id=each["device_id"], reason=reason)


@scenario(form="changed_mind")
def note_another_room(story: Story) -> None:
    """The subscriber says in which room a device is now, and corrects it."""
    device = story.pick("device", "status <> 'retired'", unique_by=["home_id", "name"], mine=True)
    home = story.row("home", device["home_id"])["nickname"]
    first = story.choose("first room", ["Attic", "Cellar"])
    second = story.choose("right room", ["Shed", "Loft"])
    move = story.wish(
        (
            "I moved the {device} at {home} to the {room}. Can you note that room for it?",
            "The {device} at {home} is now in the {room}. Could you please note that room for it?",
            "moved the {device} at {home} to the {room}, can you note that room?",
        ),
        short="noting that the {device} at {home} is in the {room}",
        device=device["name"],
        home=home,
        room=first,
    )
    correct = story.changes_mind(
        move,
        (
            "Sorry, wrong room. It's in the {room}.",
            "I apologize, that was the wrong room. It is in the {room}.",
            "oops wrong room, it's in the {room}",
        ),
        short="noting that it's in the {room}",
        room=second,
    )
    key = story.identify()
    homes = story.call("list_homes", wish=move, subscriber_id=key)["homes"]
    devices = story.call("list_devices", wish=move, home_id=story.find(homes, nickname=home)["home_id"])["devices"]
    mine = story.find(devices, name=device["name"])
    story.call("update_device", wish=move, device_id=mine["device_id"], room=first)
    story.call("update_device", wish=correct, device_id=mine["device_id"], room=second)


@scenario(form="computed")
def count_labels(story: Story) -> None:
    """The subscriber asks how many labels they need for devices and door codes, and when a home was added."""
    home = story.pick(
        "home", f"status = 'open' AND {HAS_LIVE_CODE}", unique_by=["subscriber_id", "nickname"], mine=True
    )["nickname"]
    spare = story.choose("spares", [6, 8, 10, 12])
    story.wish(
        (
            "I want labels for every active device and live door code in all my homes, plus {spare} spares. How many labels is that, and which day did I add {home}?",
            "I would like labels for every active device and live door code in all my homes, plus {spare} spares. How many labels is that, and on which day was {home} added?",
            "need labels for every active device and live door code in all my homes plus {spare} spares, how many labels? and which day did i add {home}",
        ),
        short="telling me how many labels that is with {spare} spares, and which day I added {home}",
        spare=spare,
        home=home,
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    shown = [story.call("get_home", home_id=each["home_id"]) for each in homes]
    devices = [{"labels": each["active_devices"]} for each in shown]
    codes = [{"labels": each["live_codes"]} for each in shown]
    with story.wrong("forgets the door codes"):
        story.answer("labels", story.total([*devices, {"labels": spare}], "labels"))
    with story.wrong("forgets the spares"):
        story.answer("labels", story.total([*devices, *codes], "labels"))
    story.answer("labels", story.total([*devices, *codes, {"labels": spare}], "labels"))
    story.answer("day", story.find(shown, nickname=home)["added_on"])


@scenario(form="mistaken")
def update_firmware_and_ask_for_the_old_version(story: Story) -> None:
    """The subscriber has firmware installed and asks which version the device had before, which they remember wrongly."""
    device = story.pick(
        "device",
        "status = 'online' AND available_firmware IS NOT NULL AND coalesce(battery_percent, 100) >= 20 AND warranty_until >= ?",
        story.today,
        unique_by=["home_id", "name"],
        mine=True,
    )
    home = story.row("home", device["home_id"])["nickname"]
    versions = [each for each in ("1.9.0", "2.0.5", "2.2.0") if each != device["firmware_version"]]
    believed = story.choose("believed version", versions)
    story.wish(
        (
            "I think my {device} at {home} has firmware {believed}. Can you look up which version it has, then install the new one? Tell me the old version.",
            "I believe the {device} at {home} has firmware {believed}. Could you please look up which version it has, then install the new one? Tell me the old version.",
            "pretty sure my {device} at {home} has firmware {believed}. can you look up which version it has, then install the new one? tell me the old version",
        ),
        short="looking up the firmware of the {device} at {home}, installing the new one, and telling me the old version",
        device=device["name"],
        home=home,
        believed=believed,
    )
    story.believes("firmware version", believed, device["firmware_version"])
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    devices = story.call("list_devices", home_id=story.find(homes, nickname=home)["home_id"])["devices"]
    mine = story.find(devices, name=device["name"])
    before = story.call("get_device", device_id=mine["device_id"])
    with story.wrong("trusts the customer"):
        story.call("install_firmware", device_ids=[mine["device_id"]])
        story.answer("old version", believed, source="device.firmware_version")
    with story.wrong("gives the new version"):
        story.call("install_firmware", device_ids=[mine["device_id"]])
        story.answer("old version", before["available_firmware"], source="device.firmware_version")
    story.call("install_firmware", device_ids=[mine["device_id"]])
    story.answer("old version", before["firmware_version"], source="device.firmware_version")


@scenario
def set_up_an_automation(story: Story) -> None:
    """The subscriber has an automation set up and enabled that runs at the time of another one."""
    automation = story.pick("automation", f"{SWITCH_BESIDE}", unique_by=["device_id.home_id", "name"], mine=True)
    beside = story.row("device", automation["device_id"])
    home = story.row("home", beside["home_id"])["nickname"]
    device = story.pick(
        "device",
        "home_id = ? AND device_id <> ? AND kind IN ('light', 'plug') AND status <> 'retired' AND NOT EXISTS (SELECT 1 FROM automation AS a WHERE a.device_id = device.device_id)",
        beside["home_id"],
        beside["device_id"],
        unique_by=["home_id", "name"],
        mine=True,
    )
    action = story.choose("action", {"turn on": "turn_on", "turn off": "turn_off"})
    days = story.choose("days", {"on weekdays": "weekdays", "on weekends": "weekends"})
    name = story.choose("name", ["Party time", "Quiet hours", "Night owl"])
    story.wish(
        (
            "I want the {device} at {home} to {action} {days} at the time {automation} runs. Can you set that up as {name} and enable it?",
            "I would like the {device} at {home} to {action} {days} at the time at which {automation} runs. Could you please set that up as {name} and enable it?",
            "can you make the {device} at {home} {action} {days} at the time {automation} runs? call it {name} and enable it",
        ),
        short="setting up {name} so the {device} at {home} will {action} {days} at the time {automation} runs, and enabling it",
        device=device["name"],
        home=home,
        action=action,
        days=days,
        automation=automation["name"],
        name=name,
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    place = story.find(homes, nickname=home)["home_id"]
    devices = story.call("list_devices", home_id=place)["devices"]
    mine = story.find(devices, name=device["name"])
    automations = story.call("list_automations", home_id=place)["automations"]
    time = story.find(automations, name=automation["name"])["run_time"]
    made = story.call(
        "create_automation", device_id=mine["device_id"], name=name, action=action, run_time=time, days=days
    )
    story.call("enable_automations", automation_ids=[made["automation_id"]])


@scenario
def delete_a_running_automation(story: Story) -> None:
    """The subscriber wants an enabled automation disabled and deleted."""
    automation = story.pick("automation", "status = 'enabled'", unique_by=["device_id.home_id", "name"], mine=True)
    home = story.row("home", story.row("device", automation["device_id"])["home_id"])["nickname"]
    story.wish(
        (
            "We don't need {automation} at {home} anymore. Can you disable it and delete it for good?",
            "Please disable and delete {automation} at {home}. We do not need it anymore.",
            "can you disable and delete {automation} at {home}? don't need it anymore",
        ),
        short="disabling and deleting {automation} at {home}",
        automation=automation["name"],
        home=home,
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    automations = story.call("list_automations", home_id=story.find(homes, nickname=home)["home_id"])["automations"]
    mine = story.find(automations, name=automation["name"])
    story.call("disable_automations", automation_ids=[mine["automation_id"]])
    story.call("delete_automation", automation_id=mine["automation_id"])


@scenario
def change_the_end_of_a_code(story: Story) -> None:
    """The subscriber wants a door code to work until another moment."""
    until = story.moment(story.day(story.choose("days", (35, 48, 61))), "18:00")
    code = story.pick(
        "access_code",
        f"{LIVE} AND coalesce(ends_at, '') <> ?",
        until,
        unique_by=["device_id.home_id", "label"],
        mine=True,
    )
    home = story.row("home", story.row("device", code["device_id"])["home_id"])["nickname"]
    story.wish(
        (
            "The plans for {label} changed. Can you make that door code at {home} work until {until}?",
            "Could you please make the door code for {label} at {home} work until {until}?",
            "make the door code for {label} at {home} work until {until} pls",
        ),
        short="making the door code for {label} at {home} work until {until}",
        label=code["label"],
        home=home,
        until=until,
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    codes = story.call("list_access_codes", home_id=story.find(homes, nickname=home)["home_id"])["access_codes"]
    mine = story.find(codes, label=code["label"])
    story.call("change_access_code_end", access_code_id=mine["access_code_id"], ends_at=until)


@scenario(form="fallback")
def add_a_code_for_the_cat_sitter(story: Story) -> None:
    """Add a door code with a given label, or else put the home in night mode."""
    device = story.pick(
        "device",
        f"kind = 'lock' AND status = 'online' AND {LIVE_ON_LOCK} < 6 AND {HOME_MODE} <> 'night'",
        unique_by=["home_id", "name"],
        mine=True,
    )
    home = story.row("home", device["home_id"])["nickname"]
    digits = story.choose("digits", ["73915", "28460", "50827"])
    mode = story.choose("mode", ["night"])
    label = story.dictate("label", "Cat sitter")
    add = story.wish(
        (
            "My cat sitter needs to get into {home}. Can you add a code on the {device} with the digits {digits} and label it exactly this: {label}",
            "I would like to add a code for my cat sitter on the {device} at {home}. Please use the digits {digits} and exactly this label: {label}",
            "can you add a code for my cat sitter on the {device} at {home}? digits {digits}, label it exactly this: {label}",
        ),
        short="adding a code on the {device} at {home} with the digits {digits} and the label {label}",
        home=home,
        device=device["name"],
        digits=digits,
        label=label,
    )
    night = story.otherwise(
        add,
        (
            "Then just put {home} in {mode} mode, please.",
            "In that case, please put {home} in {mode} mode.",
            "just put {home} in {mode} mode then",
        ),
        short="putting {home} in {mode} mode",
        home=home,
        mode=mode,
    )
    key = story.identify()
    homes = story.call("list_homes", wish=add, subscriber_id=key)["homes"]
    place = story.find(homes, nickname=home)["home_id"]
    devices = story.call("list_devices", wish=add, home_id=place)["devices"]
    mine = story.find(devices, name=device["name"])
    if story.permits("create_access_code", wish=add, device_id=mine["device_id"], label=label, digits=digits):
        story.call("create_access_code", wish=add, device_id=mine["device_id"], label=label, digits=digits)
    else:
        story.decline(add)
        story.call("set_home_mode", wish=night, home_id=place, mode=mode)


@scenario(form="all_but")
def revoke_all_codes_but_one(story: Story) -> None:
    """The subscriber wants all live door codes of a home revoked except one."""
    code = story.pick(
        "access_code", f"{LIVE} AND {CODES_THERE} BETWEEN 3 AND 6", unique_by=["device_id.home_id", "label"], mine=True
    )
    home = story.row("home", story.row("device", code["device_id"])["home_id"])["nickname"]
    story.wish(
        (
            "Too many people can get into {home}. Can you revoke every live door code there except the one for {label}?",
            "Please revoke every live door code at {home} except the one for {label}.",
            "can you revoke every live door code at {home}? skip the one for {label}",
        ),
        short="revoking every live door code at {home} except the one for {label}",
        home=home,
        label=code["label"],
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    codes = story.call("list_access_codes", home_id=story.find(homes, nickname=home)["home_id"])["access_codes"]
    with story.wrong("forgets the exception"):
        story.call("revoke_access_codes", access_code_ids=[each["access_code_id"] for each in codes])
    story.call(
        "revoke_access_codes",
        access_code_ids=[each["access_code_id"] for each in story.all_but(codes, label=code["label"])],
    )


@scenario(form="ambiguous")
def revoke_one_of_many_codes(story: Story) -> None:
    """The subscriber wants one of many door codes revoked and says whose when asked."""
    code = story.pick(
        "access_code", f"{LIVE} AND {CODES_THERE} >= 4", unique_by=["device_id.home_id", "label"], mine=True
    )
    home = story.row("home", story.row("device", code["device_id"])["home_id"])["nickname"]
    revoke = story.wish(
        (
            "Someone with a door code at {home} doesn't need it anymore. Can you revoke that code?",
            "I would like to revoke one of the live door codes at {home}. Could you please do that?",
            "can you revoke one of the live door codes at {home}?",
        ),
        home=home,
    )
    story.keep_back("person it is for", code["label"])
    story.in_short(revoke, "revoking a door code at {home}, the one for {label}", home=home, label=code["label"])
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    codes = story.call("list_access_codes", home_id=story.find(homes, nickname=home)["home_id"])["access_codes"]
    mine = story.find(codes, label=code["label"])
    for other in story.others(codes, mine):
        with story.wrong("takes another one that fits"):
            story.call("revoke_access_codes", access_code_ids=[other["access_code_id"]])
    story.call("revoke_access_codes", access_code_ids=[mine["access_code_id"]])


@scenario(form="computed")
def count_cards(story: Story) -> None:
    """The subscriber asks how many cards they need for codes and automations, and when a code ends."""
    code = story.pick(
        "access_code",
        f"{LIVE} AND ends_at IS NOT NULL AND {AUTOMATIONS_THERE}",
        unique_by=["device_id.home_id", "label"],
        mine=True,
    )
    home = story.row("home", story.row("device", code["device_id"])["home_id"])["nickname"]
    spare = story.choose("blanks", [7, 9, 11, 13])
    story.wish(
        (
            "I'm printing a card for every live door code and every automation at {home}, plus {spare} blanks. How many cards is that, and which day does the code for {label} end?",
            "I would like to print a card for every live door code and every automation at {home}, plus {spare} blanks. How many cards is that, and on which day does the code for {label} end?",
            "printing a card for every live door code and every automation at {home} plus {spare} blanks, how many cards? and which day does the code for {label} end",
        ),
        short="telling me how many cards that is for {home} with {spare} blanks, and which day the code for {label} ends",
        home=home,
        spare=spare,
        label=code["label"],
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    place = story.find(homes, nickname=home)["home_id"]
    codes = story.call("list_access_codes", home_id=place)
    automations = story.call("list_automations", home_id=place)
    parts = [{"cards": codes["total"]}, {"cards": spare}]
    with story.wrong("forgets the automations"):
        story.answer("cards", story.total(parts, "cards"))
    story.answer("cards", story.total([*parts, {"cards": automations["total"]}], "cards"))
    story.answer("day", story.date_of(story.find(codes["access_codes"], label=code["label"])["ends_at"]))


@scenario(form="conditional")
def extend_or_revoke_a_code(story: Story) -> None:
    """The subscriber wants a code extended if it ends soon, and revoked otherwise."""
    code = story.pick(
        "access_code", f"{LIVE} AND ends_at IS NOT NULL", unique_by=["device_id.home_id", "label"], mine=True
    )
    home = story.row("home", story.row("device", code["device_id"])["home_id"])["nickname"]
    day = story.day(30)
    later = story.moment(story.day(130), "12:00")
    story.wish(
        (
            "If the code for {label} at {home} ends by {day}, please extend it to {later}. If it ends after that, revoke it.",
            "Please extend the code for {label} at {home} to {later} if it ends by {day}. If it ends after that day, please revoke it.",
            "extend the code for {label} at {home} to {later} if it ends by {day}. if it ends after that just revoke it",
        ),
        short="extending the code for {label} at {home} to {later} if it ends by {day}, and revoking it if it ends after that",
        label=code["label"],
        home=home,
        day=day,
        later=later,
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    codes = story.call("list_access_codes", home_id=story.find(homes, nickname=home)["home_id"])["access_codes"]
    mine = story.find(codes, label=code["label"])
    soon = story.date_of(mine["ends_at"]) <= day
    with story.wrong("takes the other branch"):
        if soon:
            story.call("revoke_access_codes", access_code_ids=[mine["access_code_id"]])
        else:
            story.call("change_access_code_end", access_code_id=mine["access_code_id"], ends_at=later)
    for other in story.others(codes, mine, 1):
        with story.wrong("takes another one"):
            story.call("revoke_access_codes", access_code_ids=[other["access_code_id"]])
    if soon:
        story.call("change_access_code_end", access_code_id=mine["access_code_id"], ends_at=later)
    else:
        story.call("revoke_access_codes", access_code_ids=[mine["access_code_id"]])


@scenario(form="changed_mind")
def change_the_days_of_an_automation(story: Story) -> None:
    """The subscriber has an automation run on other days and then on yet others."""
    automation = story.pick("automation", "status = 'disabled'", unique_by=["device_id.home_id", "name"], mine=True)
    home = story.row("home", story.row("device", automation["device_id"])["home_id"])["nickname"]
    others = [each for each in ("daily", "weekdays", "weekends") if each != automation["days"]]
    first = story.choose("first days", others)
    second = story.choose("right days", [each for each in others if each != first])
    move = story.wish(
        (
            "My week looks different now. Can you make {automation} at {home} run {days}?",
            "I would like {automation} at {home} to run {days}. Could you please change that?",
            "make {automation} at {home} run {days} pls",
        ),
        short="making {automation} at {home} run {days}",
        automation=automation["name"],
        home=home,
        days=first,
    )
    correct = story.changes_mind(
        move,
        ("Actually, make that {days}.", "I apologize, please make that {days}.", "sorry, make that {days}"),
        short="making it run {days}",
        days=second,
    )
    key = story.identify()
    homes = story.call("list_homes", wish=move, subscriber_id=key)["homes"]
    automations = story.call("list_automations", wish=move, home_id=story.find(homes, nickname=home)["home_id"])[
        "automations"
    ]
    mine = story.find(automations, name=automation["name"])
    story.call("update_automation", wish=move, automation_id=mine["automation_id"], days=first)
    story.call("update_automation", wish=correct, automation_id=mine["automation_id"], days=second)


@scenario
def report_an_offline_device(story: Story) -> None:
    """Open an alert for a device that keeps going offline, with details in the caller's own words."""
    device = story.pick(
        "device", f"status <> 'retired' AND {NO_OFFLINE_ALERT}", unique_by=["home_id", "name"], mine=True
    )
    home = story.row("home", device["home_id"])["nickname"]
    kind = story.choose("kind", ["offline"])
    severity = story.choose("severity", ["low", "medium", "high"])
    details = story.dictate("details", "The {device} drops out every night", device=device["name"])
    story.wish(
        (
            "The {device} at {home} keeps going {kind}. Can you open an alert of {severity} severity? For the details, put exactly this: {details}",
            "I would like to report that the {device} at {home} keeps going {kind}. Please open an alert of {severity} severity with exactly these details: {details}",
            "{device} at {home} keeps going {kind}, can you open an alert of {severity} severity? for the details put exactly this: {details}",
        ),
        short="opening an alert of {severity} severity because the {device} at {home} keeps going {kind}, with the details {details}",
        device=device["name"],
        home=home,
        kind=kind,
        severity=severity,
        details=details,
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    devices = story.call("list_devices", home_id=story.find(homes, nickname=home)["home_id"])["devices"]
    mine = story.find(devices, name=device["name"])
    story.call("raise_alert", device_id=mine["device_id"], kind=kind, severity=severity, details=details)


@scenario
def report_a_visit_as_done(story: Story) -> None:
    """Mark a visit that took place as completed, with a note in the caller's own words."""
    visit = story.pick(
        "visit",
        "status = 'scheduled' AND visit_on <= ?",
        story.today,
        unique_by=["home_id", "visit_on"],
        mine=True,
    )
    home = story.row("home", visit["home_id"])["nickname"]
    notes = story.dictate("notes", "Replaced the wiring at {home}", home=home)
    story.wish(
        (
            "The technician came to {home} for the visit on {day}. Can you mark it as completed? For the note, put exactly this: {notes}",
            "The visit at {home} on {day} took place. Please mark it as completed and enter exactly this note: {notes}",
            "can you mark the visit at {home} on {day} as completed? the technician was here, for the note put exactly this: {notes}",
        ),
        short="marking the visit at {home} on {day} as completed with the note {notes}",
        home=home,
        day=visit["visit_on"],
        notes=notes,
    )
    visits = story.call("list_visits", subscriber_id=story.identify())["visits"]
    mine = story.find(visits, home_nickname=home, visit_on=visit["visit_on"])
    story.call("complete_visit", visit_id=mine["visit_id"], notes=notes)


@scenario
def own_up_to_a_missed_visit(story: Story) -> None:
    """Have a visit that nobody was home for marked as missed, with its fee charged."""
    visit = story.pick(
        "visit",
        f"status = 'scheduled' AND visit_on <= ? AND {NO_FEE}",
        story.today,
        unique_by=["home_id", "visit_on"],
        mine=True,
    )
    home = story.row("home", visit["home_id"])["nickname"]
    plan = story.row("subscriber", story.row("home", visit["home_id"])["subscriber_id"])["plan"]
    fee = story.money(story.choose("fee", [{"basic": 4900, "plus": 3500, "premium": 2000}[plan]]))
    reason = story.compose("reason", "Missed visit at {home} on {day}", home=home, day=visit["visit_on"])
    story.wish(
        (
            "Nobody was home at {home} for the visit on {day}. Can you mark it as missed and charge me the {fee} fee for it?",
            "I am sorry, but nobody was home at {home} for the visit on {day}. Could you please mark it as missed and charge me the {fee} fee for it?",
            "can you mark the visit at {home} on {day} as missed? nobody was home, go ahead and charge me the {fee} fee for it",
        ),
        short="marking the visit at {home} on {day} as missed and charging me the {fee} fee for it",
        home=home,
        day=visit["visit_on"],
        fee=fee,
    )
    key = story.identify()
    visits = story.call("list_visits", subscriber_id=key)["visits"]
    mine = story.find(visits, home_nickname=home, visit_on=visit["visit_on"])
    story.call("mark_visit_missed", visit_id=mine["visit_id"])
    story.call("add_fee", subscriber_id=key, amount_cents=fee, reason=reason, visit_id=mine["visit_id"])


@scenario(form="denied")
def book_a_visit(story: Story) -> None:
    """The subscriber wants a visit booked."""
    day = story.day(story.choose("days", (37, 43, 51)))
    window = story.choose("window", ["morning", "afternoon"])
    purpose = story.choose("purpose", ["repair", "checkup", "installation"])
    home = story.pick(
        "home",
        f"""status = 'open' AND {ACCOUNT_ACTIVE}
        AND NOT EXISTS (SELECT 1 FROM visit AS v WHERE v.home_id = home.home_id AND v.visit_on = ? AND v.status = 'scheduled')
        AND (SELECT count(*) FROM visit AS w WHERE w.visit_on = ? AND w.window = ? AND w.status = 'scheduled') < 3""",
        day,
        day,
        window,
        unique_by=["subscriber_id", "nickname"],
        mine=True,
    )["nickname"]
    book = story.wish(
        (
            "I took {day} off work. Can you book a {purpose} visit at {home} for that {window}?",
            "I would like to book a {purpose} visit at {home} for the {window} of {day}.",
            "can you book a {purpose} visit at {home} for the {window} of {day}? got the day off",
        ),
        short="booking a {purpose} visit at {home} for the {window} of {day}",
        day=day,
        purpose=purpose,
        home=home,
        window=window,
    )
    story.insists(
        book,
        (
            "I can't take another day off, please don't do this to me.",
            "I am unable to take another day off, so this is very important to me.",
            "can't take another day off, pls don't do this to me",
        ),
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    place = story.find(homes, nickname=home)["home_id"]
    if story.permits("book_visit", home_id=place, purpose=purpose, visit_on=day, window=window):
        story.call("book_visit", home_id=place, purpose=purpose, visit_on=day, window=window)
    else:
        story.decline(book)


@scenario(form="denied")
def cancel_a_visit(story: Story) -> None:
    """Cancel a visit because the caller will be out of town."""
    visit = story.pick(
        "visit",
        "status = 'scheduled' AND visit_on >= ?",
        story.today,
        unique_by=["home_id", "visit_on"],
        mine=True,
    )
    home = story.row("home", visit["home_id"])["nickname"]
    reason = story.compose("reason", "Out of town on {day}", day=visit["visit_on"])
    cancel = story.wish(
        (
            "I'll be out of town, so the visit at {home} on {day} won't work. Can you cancel it?",
            "I will be out of town for the visit at {home} on {day}. Please cancel it.",
            "can you cancel the visit at {home} on {day}? i'll be out of town",
        ),
        short="canceling the visit at {home} on {day} because I'll be out of town",
        home=home,
        day=visit["visit_on"],
    )
    story.insists(
        cancel,
        (
            "It's been such a stressful month, I just want this off my plate.",
            "It has been a very stressful month, and I simply want this settled.",
            "stressful month, i just want this off my plate",
        ),
    )
    visits = story.call("list_visits", subscriber_id=story.identify())["visits"]
    mine = story.find(visits, home_nickname=home, visit_on=visit["visit_on"])
    if story.permits("cancel_visit", visit_id=mine["visit_id"], reason=reason):
        story.call("cancel_visit", visit_id=mine["visit_id"], reason=reason)
    else:
        story.decline(cancel)


@scenario(form="fallback")
def move_a_visit(story: Story) -> None:
    """Move a visit, or else keep the day and have an accessory for it charged."""
    later = story.day(story.choose("days", (39, 45, 52)))
    window = story.choose("window", ["morning", "afternoon"])
    visit = story.pick(
        "visit",
        """status = 'scheduled' AND visit_on > ?
        AND NOT EXISTS (SELECT 1 FROM visit AS v WHERE v.home_id = visit.home_id AND v.visit_on = ? AND v.status = 'scheduled')
        AND (SELECT count(*) FROM visit AS w WHERE w.visit_on = ? AND w.window = ? AND w.status = 'scheduled') < 3""",
        story.today,
        later,
        later,
        window,
        unique_by=["home_id", "visit_on"],
        mine=True,
    )
    home = story.row("home", visit["home_id"])["nickname"]
    item = story.choose("item", ["Wall mount", "Weather box", "Adapter kit"])
    amount = story.money(story.choose("price", [1500, 2300, 2800]))
    reason = story.compose("reason", "{item} for the visit at {home}", item=item, home=home)
    move = story.wish(
        (
            "I won't be around for the visit at {home} on {day}. Can you move it to the {window} of {later}?",
            "I would like to move the visit at {home} on {day} to the {window} of {later}.",
            "can you move the visit at {home} on {day} to the {window} of {later}? won't be around",
        ),
        short="moving the visit at {home} on {day} to the {window} of {later}",
        home=home,
        day=visit["visit_on"],
        window=window,
        later=later,
    )
    stay = story.otherwise(
        move,
        (
            "Then keep the day, and charge the {amount} {item} for that visit at {home} to my account so the technician brings one.",
            "In that case, please keep the day and charge the {amount} {item} for that visit at {home} to my account, so that the technician brings one.",
            "keep the day then, but charge the {amount} {item} for that visit at {home} to my account so the technician brings one",
        ),
        short="charging the {amount} {item} for that visit at {home} to my account",
        amount=amount,
        home=home,
        item=item,
    )
    key = story.identify()
    visits = story.call("list_visits", wish=move, subscriber_id=key)["visits"]
    mine = story.find(visits, home_nickname=home, visit_on=visit["visit_on"])
    if story.permits("reschedule_visit", wish=move, visit_id=mine["visit_id"], visit_on=later, window=window):
        story.call("reschedule_visit", wish=move, visit_id=mine["visit_id"], visit_on=later, window=window)
    else:
        story.decline(move)
        story.call(
            "add_fee", wish=stay, subscriber_id=key, amount_cents=amount, reason=reason, visit_id=mine["visit_id"]
        )


@scenario(form="coupled")
def take_the_place_of_a_visit(story: Story) -> None:
    """The subscriber wants a visit booked on a day on which the home has one already, and that one moved."""
    later = story.day(story.choose("days", (36, 42, 49)))
    part = story.choose("part", ["morning", "afternoon"])
    visit = story.pick(
        "visit",
        f"""status = 'scheduled' AND visit_on > ? AND reschedule_count = 0 AND {OWED_BY_OWNER_2} <= 1000
        AND NOT EXISTS (SELECT 1 FROM visit AS v WHERE v.home_id = visit.home_id AND v.visit_on = ? AND v.status = 'scheduled')
        AND (SELECT count(*) FROM visit AS w WHERE w.visit_on = ? AND w.window = ? AND w.status = 'scheduled') < 3""",
        story.today,
        later,
        later,
        part,
        unique_by=["home_id", "visit_on"],
        mine=True,
    )
    home = story.row("home", visit["home_id"])["nickname"]
    purpose = story.choose(
        "purpose", [each for each in ("repair", "installation", "checkup") if each != visit["purpose"]]
    )
    with story.together():
        book = story.wish(
            (
                "Something urgent came up, so please book a {purpose} visit at {home} for the {window} of {day}.",
                "I would like to book a {purpose} visit at {home} for the {window} of {day}.",
                "can you book a {purpose} visit at {home} for the {window} of {day}?",
            ),
            short="booking a {purpose} visit at {home} for the {window} of {day}",
            purpose=purpose,
            home=home,
            window=visit["window"],
            day=visit["visit_on"],
        )
        move = story.wish(
            (
                "And move the {old} visit I have at {home} on {day} to the {part} of {later}.",
                "Please also move the {old} visit that I have at {home} on {day} to the {part} of {later}.",
                "and move my {old} visit at {home} on {day} to the {part} of {later}",
            ),
            short="moving the {old} visit at {home} on {day} to the {part} of {later}",
            old=visit["purpose"],
            home=home,
            day=visit["visit_on"],
            part=part,
            later=later,
        )
    key = story.identify()
    visits = story.call("list_visits", wish=move, subscriber_id=key)["visits"]
    mine = story.find(visits, home_nickname=home, visit_on=visit["visit_on"])
    story.call("reschedule_visit", wish=move, visit_id=mine["visit_id"], visit_on=later, window=part)
    story.call(
        "book_visit",
        wish=book,
        home_id=mine["home_id"],
        purpose=purpose,
        visit_on=visit["visit_on"],
        window=visit["window"],
    )


@scenario(form="outside")
def mark_an_alert_as_seen(story: Story) -> None:
    """The subscriber has seen an alert and wants it marked, and wants what the office cannot do."""
    alert = story.pick(
        "alert",
        "status = 'open' AND kind IN ('offline', 'motion', 'smoke', 'tamper')",
        unique_by=["device_id.home_id", "device_id.name", "kind"],
        mine=True,
    )
    device = story.row("device", alert["device_id"])
    home = story.row("home", device["home_id"])["nickname"]
    story.wish(
        (
            "I saw the {kind} alert on the {device} at {home}. Can you mark it as acknowledged?",
            "Please mark the {kind} alert on the {device} at {home} as acknowledged.",
            "can you mark the {kind} alert on the {device} at {home} as acknowledged? i saw it",
        ),
        short="marking the {kind} alert on the {device} at {home} as acknowledged",
        kind=alert["kind"],
        device=device["name"],
        home=home,
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    alerts = story.call("list_alerts", home_id=story.find(homes, nickname=home)["home_id"])["alerts"]
    mine = story.find(alerts, device_name=device["name"], kind=alert["kind"])
    story.call("acknowledge_alerts", alert_ids=[mine["alert_id"]])
    story.outside(
        (
            "And can you send a patrol car past the house tonight?",
            "Could you also send a patrol car past the house tonight?",
            "and can you send a patrol car past the house tonight?",
        )
    )


@scenario
def pay_a_part(story: Story) -> None:
    """The subscriber pays a part of what they owe and asks for the balance after that."""
    story.pick("subscriber", f"{OWED} > 1500", mine=True)
    amount = story.money(story.choose("amount", [500, 800, 1200]))
    method = story.choose("method", ["card", "check"])
    story.wish(
        (
            "I can't pay it all right now. Can you take {amount} by {method} and tell me my balance after that?",
            "I would like to pay {amount} by {method}. Could you please tell me my balance after that?",
            "can you take {amount} by {method}? and what's my balance after that",
        ),
        short="taking {amount} by {method} and telling me my balance after that",
        amount=amount,
        method=method,
    )
    key = story.identify()
    story.call("record_payment", subscriber_id=key, amount_cents=amount, method=method)
    story.answer("balance", story.money(story.call("list_charges", subscriber_id=key)["balance_cents"]))


@scenario
def void_a_wrong_fee(story: Story) -> None:
    """Void a fee that was posted by mistake."""
    fee = story.pick(
        "charge",
        f"kind = 'fee' AND status = 'posted' AND created_at >= ? AND {NO_CREDIT}",
        story.day(-150),
        unique_by=["subscriber_id", "reason", "amount_cents"],
        mine=True,
    )
    total = story.money(fee["amount_cents"])
    why = story.compose("reason", "{fee} was posted by mistake", fee=fee["reason"])
    story.wish(
        (
            "There's a {total} fee on my account for {fee} that was posted by mistake. Can you void it?",
            "I see a {total} fee for {fee} on my account, which was posted by mistake. Please void it.",
            "can you void the {total} fee for {fee} on my account? it was posted by mistake",
        ),
        short="voiding the {total} fee for {fee} that was posted by mistake",
        total=total,
        fee=fee["reason"],
    )
    charges = story.call("list_charges", subscriber_id=story.identify())["charges"]
    mine = story.find(charges, reason=fee["reason"], amount_cents=total)
    story.call("void_charge", charge_id=mine["charge_id"], reason=why)


@scenario(form="denied")
def credit_part_of_a_fee(story: Story) -> None:
    """Get part of a fee credited that nobody warned the caller about."""
    fee = story.pick(
        "charge",
        f"kind = 'fee' AND status = 'posted' AND {NO_CREDIT} AND {ACCOUNT_NOT_CLOSED}",
        unique_by=["subscriber_id", "reason", "amount_cents"],
        mine=True,
    )
    total = story.money(fee["amount_cents"])
    amount = story.money(story.choose("amount", [300, 500, 700]))
    why = story.compose("reason", "No warning about the {total} fee", total=total)
    ask = story.wish(
        (
            "Nobody warned me about the {total} fee for {fee}. Can you credit me {amount} of it?",
            "I was not warned about the {total} fee for {fee}. Could you please credit me {amount} of it?",
            "can you credit me {amount} of the {total} fee for {fee}? nobody warned me about it",
        ),
        short="crediting me {amount} of the {total} fee for {fee} because nobody warned me about it",
        total=total,
        fee=fee["reason"],
        amount=amount,
    )
    story.insists(
        ask,
        (
            "I've been so patient with you guys, this really stings.",
            "I have been very patient, and this is quite disappointing.",
            "been so patient with you guys, this really stings",
        ),
    )
    key = story.identify()
    mine = story.find(
        story.call("list_charges", subscriber_id=key)["charges"], reason=fee["reason"], amount_cents=total
    )
    if story.permits("add_credit", subscriber_id=key, amount_cents=amount, reason=why, charge_id=mine["charge_id"]):
        story.call("add_credit", subscriber_id=key, amount_cents=amount, reason=why, charge_id=mine["charge_id"])
    else:
        story.decline(ask)


@scenario(form="denied")
def ask_for_goodwill(story: Story) -> None:
    """Ask for a credit because the app was down."""
    story.pick("subscriber", "status <> 'closed'", mine=True)
    amount = story.money(story.choose("amount", [1000, 1500, 2000]))
    why = story.compose("reason", "{amount} because the app was down", amount=amount)
    ask = story.wish(
        (
            "Your app was down half the week. Can you put a {amount} credit on my account for the trouble?",
            "The app was down half the week. I would like a {amount} credit on my account for the trouble.",
            "can you put a {amount} credit on my account for the trouble? your app was down half the week",
        ),
        short="putting a {amount} credit on my account because your app was down",
        amount=amount,
    )
    story.insists(
        ask,
        (
            "My coworker got one without even asking, it's only fair.",
            "My coworker received one without even asking, so this seems only fair.",
            "my coworker got one without even asking, only fair",
        ),
    )
    key = story.identify()
    if story.permits("add_credit", subscriber_id=key, amount_cents=amount, reason=why):
        with story.wrong("gives it twice"):
            story.call("add_credit", subscriber_id=key, amount_cents=amount, reason=why)
            story.call("add_credit", subscriber_id=key, amount_cents=amount, reason=why)
        story.call("add_credit", subscriber_id=key, amount_cents=amount, reason=why)
    else:
        story.decline(ask)


@scenario(form="conditional")
def pay_some_or_all(story: Story) -> None:
    """The subscriber pays a part if they owe much, and everything otherwise."""
    story.pick("subscriber", f"{OWED} > 2000", mine=True)
    limit = story.money(story.choose("limit", [5000, 6000]))
    part = story.money(story.choose("part", [1000, 1500, 2000]))
    method = story.choose("method", ["card", "check"])
    story.wish(
        (
            "If I owe {limit} or more, please take {part} by {method}. If I owe less, take the whole balance by {method}.",
            "Please take {part} by {method} if I owe {limit} or more. If I owe less than that, please take the whole balance by {method}.",
            "take {part} by {method} if i owe {limit} or more. if it's less just take the whole balance by {method}",
        ),
        short="taking {part} by {method} if I owe {limit} or more, and the whole balance by {method} if I owe less",
        limit=limit,
        part=part,
        method=method,
    )
    key = story.identify()
    balance = story.call("list_charges", subscriber_id=key)["balance_cents"]
    right, other = (part, balance) if balance >= limit else (balance, part)
    with story.wrong("takes the other branch"):
        story.call("record_payment", subscriber_id=key, amount_cents=other, method=method)
    with story.wrong("gives it as a credit"):
        story.call("add_credit", subscriber_id=key, amount_cents=right, reason=method)
    story.call("record_payment", subscriber_id=key, amount_cents=right, method=method)


@scenario(form="coupled")
def book_a_visit_and_pay(story: Story) -> None:
    """The subscriber wants a visit booked and pays what they owe, which has to come first."""
    day = story.day(story.choose("days", (38, 44, 50)))
    window = story.choose("window", ["morning", "afternoon"])
    purpose = story.choose("purpose", ["repair", "checkup"])
    home = story.pick(
        "home",
        f"""status = 'open' AND {ACCOUNT_ACTIVE} AND {OWED_BY_OWNER} > 1000
        AND NOT EXISTS (SELECT 1 FROM visit AS v WHERE v.home_id = home.home_id AND v.visit_on = ? AND v.status = 'scheduled')
        AND (SELECT count(*) FROM visit AS w WHERE w.visit_on = ? AND w.window = ? AND w.status = 'scheduled') < 3""",
        day,
        day,
        window,
        unique_by=["subscriber_id", "nickname"],
        mine=True,
    )["nickname"]
    method = story.choose("method", ["card"])
    with story.together():
        book = story.wish(
            (
                "Please book a {purpose} visit at {home} for the {window} of {day}.",
                "I would like to book a {purpose} visit at {home} for the {window} of {day}.",
                "can you book a {purpose} visit at {home} for the {window} of {day}?",
            ),
            short="booking a {purpose} visit at {home} for the {window} of {day}",
            purpose=purpose,
            home=home,
            window=window,
            day=day,
        )
        pay = story.wish(
            (
                "And charge my whole balance to my {method}, I want to be square.",
                "Please also charge my whole balance to my {method}.",
                "and charge my whole balance to my {method}",
            ),
            short="charging my whole balance to my {method}",
            method=method,
        )
    key = story.identify()
    homes = story.call("list_homes", wish=book, subscriber_id=key)["homes"]
    balance = story.call("list_charges", wish=pay, subscriber_id=key)["balance_cents"]
    story.call("record_payment", wish=pay, subscriber_id=key, amount_cents=balance, method=method)
    story.call(
        "book_visit",
        wish=book,
        home_id=story.find(homes, nickname=home)["home_id"],
        purpose=purpose,
        visit_on=day,
        window=window,
    )


@scenario(form="looked_up")
def credit_the_fee_of_a_visit(story: Story) -> None:
    """The subscriber wants a part of a fee credited and tells it by the visit it was for."""
    fee = story.pick(
        "charge",
        f"kind = 'fee' AND status = 'posted' AND visit_id IS NOT NULL AND created_at >= ? AND {NO_CREDIT} AND {ACCOUNT_NOT_CLOSED} AND {ANOTHER_FEE} AND {LONE_VISIT}",
        story.day(-150),
        mine=True,
    )
    visit = story.row("visit", fee["visit_id"])
    home = story.row("home", visit["home_id"])["nickname"]
    amount = story.money(story.choose("amount", [400, 600, 800]))
    why = story.dictate("reason", "Technician left {home} too early", home=home)
    story.wish(
        (
            "You charged me for the technician visit at {home} on {day}. Can you credit me {amount} of that fee? As the reason, put exactly this: {why}",
            "I was charged a fee for the technician visit at {home} on {day}. Could you please credit me {amount} of that fee? As the reason, put exactly this: {why}",
            "can you credit me {amount} of the fee for the technician visit at {home} on {day}? as the reason put exactly this: {why}",
        ),
        short="crediting me {amount} of the fee for the visit at {home} on {day}, with the reason {why}",
        home=home,
        day=visit["visit_on"],
        why=why,
        amount=amount,
    )
    key = story.identify()
    visits = story.call("list_visits", subscriber_id=key)["visits"]
    seen = story.find(visits, home_nickname=home, visit_on=visit["visit_on"])
    charges = story.call("list_charges", subscriber_id=key)["charges"]
    fees = [each for each in charges if each["kind"] == "fee" and each["status"] == "posted"]
    mine = story.find(fees, visit_id=seen["visit_id"])
    for other in story.others(fees, mine):
        with story.wrong("takes another fee"):
            story.call("add_credit", subscriber_id=key, amount_cents=amount, reason=why, charge_id=other["charge_id"])
    story.call("add_credit", subscriber_id=key, amount_cents=amount, reason=why, charge_id=mine["charge_id"])


@scenario(form="outside")
def order_an_accessory(story: Story) -> None:
    """Have an accessory charged, hear the balance, and ask for something nobody here can do."""
    story.pick("subscriber", f"status <> 'closed' AND {OWED} >= 0", mine=True)
    item = story.choose("item", ["Wall mount", "Weather box", "Adapter kit"])
    amount = story.money(story.choose("price", [1500, 2300, 2800]))
    reason = story.compose("reason", "{item} from the counter", item=item)
    story.wish(
        (
            "I picked up the {item} for {amount} at your counter. Can you charge it to my account and tell me my balance after that?",
            "I have picked up the {item} for {amount} at your counter. Please charge it to my account and tell me my balance after that.",
            "can you charge the {item} for {amount} to my account? got it at your counter. what's my balance after that",
        ),
        short="charging the {item} for {amount} to my account and telling me my balance after that",
        item=item,
        amount=amount,
    )
    key = story.identify()
    story.call("add_fee", subscriber_id=key, amount_cents=amount, reason=reason)
    story.answer("balance", story.money(story.call("list_charges", subscriber_id=key)["balance_cents"]))
    story.outside(
        (
            "And can you have someone come hang it up tonight?",
            "Could you also have someone come and hang it up tonight?",
            "and can someone come hang it up tonight?",
        )
    )


@scenario
def resolve_an_old_alert(story: Story) -> None:
    """The subscriber has looked into an alert that is some time ago and wants it resolved."""
    alert = story.pick(
        "alert",
        f"status <> 'resolved' AND raised_at < ? AND {ONLINE_IF_OFFLINE}",
        story.day(-7),
        unique_by=["device_id.home_id", "device_id.name", "kind"],
        mine=True,
    )
    device = story.row("device", alert["device_id"])
    home = story.row("home", device["home_id"])["nickname"]
    kind = story.choose("kind", {alert["kind"].replace("_", " "): alert["kind"]})
    note = story.dictate("resolution", "We checked the {device} ourselves and found nothing", device=device["name"])
    story.wish(
        (
            "I took care of the {kind} alert on the {device} at {home}. Can you get it resolved? For how, put exactly this: {note}",
            "I have taken care of the {kind} alert on the {device} at {home}. Could you please get it resolved? As the resolution, put exactly this: {note}",
            "can you get the {kind} alert on the {device} at {home} resolved? took care of it, for how put exactly this: {note}",
        ),
        short="getting the {kind} alert on the {device} at {home} resolved with {note}",
        kind=kind,
        device=device["name"],
        home=home,
        note=note,
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    alerts = story.call("list_alerts", home_id=story.find(homes, nickname=home)["home_id"])["alerts"]
    mine = story.find(alerts, device_name=device["name"], kind=kind)
    if mine["status"] == "open":
        story.call("acknowledge_alerts", alert_ids=[mine["alert_id"]])
    story.call("resolve_alert", alert_id=mine["alert_id"], resolution=note)


@scenario
def wait_with_the_handover(story: Story) -> None:
    """The subscriber will hand a home over later and for now only wants another mode."""
    home = story.pick(
        "home",
        f"status = 'open' AND mode <> 'night' AND {NO_SCHEDULED_VISIT}",
        unique_by=["subscriber_id", "nickname"],
        mine=True,
    )
    taker = story.pick(
        "subscriber",
        "status = 'active' AND subscriber_id <> ? AND NOT EXISTS (SELECT 1 FROM home AS h WHERE h.subscriber_id = subscriber.subscriber_id AND h.nickname = ? AND h.status = 'open')",
        home["subscriber_id"],
        home["nickname"],
        unique_by=["email"],
    )
    mode = story.choose("mode", ["night"])
    story.wish(
        (
            "My cousin with the email {email} takes over {home} next month, so leave it on my account. Can you switch it to {mode} mode for now?",
            "A cousin of mine with the email {email} takes over {home} next month. Please leave it on my account and switch it to {mode} mode for now.",
            "switch {home} to {mode} mode for now pls, my cousin with the email {email} takes it over next month but leave it on my account",
        ),
        short="switching {home} to {mode} mode and leaving it on my account until {email} takes over",
        home=home["nickname"],
        email=taker["email"],
        mode=mode,
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    place = story.find(homes, nickname=home["nickname"])["home_id"]
    with story.wrong("hands it over already"):
        other = story.call("find_subscriber_by_email", email=taker["email"])["subscriber_id"]
        story.call("transfer_home", home_id=place, subscriber_id=other)
    story.call("set_home_mode", home_id=place, mode=mode)


@scenario
def book_the_first_free_window(story: Story) -> None:
    """The subscriber wants the first free morning or afternoon between two days booked and asks which day it is."""
    home = story.pick(
        "home",
        f"status = 'open' AND {ACCOUNT_ACTIVE} AND {NO_SCHEDULED_VISIT} AND {OWED_BY_OWNER} <= 1000",
        unique_by=["subscriber_id", "nickname"],
        mine=True,
    )["nickname"]
    first = story.day(2)
    last = story.day(12)
    window = story.choose("window", ["morning", "afternoon"])
    purpose = story.choose("purpose", ["repair", "checkup"])
    story.wish(
        (
            "I need a {purpose} visit at {home} as soon as you can. Can you book the first free {window} between {first} and {last} and tell me the day?",
            "I would like a {purpose} visit at {home}. Could you please book the first free {window} between {first} and {last} and tell me the day?",
            "can you book a {purpose} visit at {home} for the first free {window} between {first} and {last}? tell me the day",
        ),
        short="booking a {purpose} visit at {home} for the first free {window} between {first} and {last} and telling me the day",
        purpose=purpose,
        home=home,
        window=window,
        first=first,
        last=last,
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    free = story.call("list_open_windows", from_on=first, to_on=last)["windows"]
    fitting = [each for each in free if each["window"] == window]
    day = story.lowest(fitting, "visit_on")["visit_on"]
    booked = story.call(
        "book_visit", home_id=story.find(homes, nickname=home)["home_id"], purpose=purpose, visit_on=day, window=window
    )
    story.answer("day", booked["visit_on"])


@scenario(form="denied")
def get_rid_of_an_alert(story: Story) -> None:
    """The subscriber wants an unresolved alert resolved."""
    alert = story.pick(
        "alert",
        f"status <> 'resolved' AND {ONLINE_IF_OFFLINE} AND {NOT_A_HUB}",
        unique_by=["device_id.home_id", "device_id.name", "kind"],
        mine=True,
    )
    device = story.row("device", alert["device_id"])
    home = story.row("home", device["home_id"])["nickname"]
    kind = story.choose("kind", {alert["kind"].replace("_", " "): alert["kind"]})
    note = story.dictate("resolution", "My brother had a look at the {device} today", device=device["name"])
    solve = story.wish(
        (
            "There's nothing behind the {kind} alert on the {device} at {home}. Can you get it resolved? For how, put exactly this: {note}",
            "I see no reason for the {kind} alert on the {device} at {home}. Could you please get it resolved? As the resolution, put exactly this: {note}",
            "can you get the {kind} alert on the {device} at {home} resolved? nothing behind it, for how put exactly this: {note}",
        ),
        short="getting the {kind} alert on the {device} at {home} resolved with {note}",
        kind=kind,
        device=device["name"],
        home=home,
        note=note,
    )
    story.insists(
        solve,
        (
            "It pops up every time I open the app and drives me crazy.",
            "It appears every time I open the app, which is very annoying.",
            "pops up every time i open the app, drives me crazy",
        ),
    )
    homes = story.call("list_homes", subscriber_id=story.identify())["homes"]
    alerts = story.call("list_alerts", home_id=story.find(homes, nickname=home)["home_id"])["alerts"]
    mine = story.find(alerts, device_name=device["name"], kind=kind)
    if story.permits("resolve_alert", alert_id=mine["alert_id"], resolution=note):
        with story.wrong("retires the device"):
            story.call("retire_device", device_id=mine["device_id"], reason=note)
        if mine["status"] == "open":
            story.call("acknowledge_alerts", alert_ids=[mine["alert_id"]])
        story.call("resolve_alert", alert_id=mine["alert_id"], resolution=note)
    else:
        story.decline(solve)
