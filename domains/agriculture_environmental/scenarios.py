"""What people want of Kettle Creek Conservation District: every function is a scenario."""

from runtime.story import Story, scenario

FIELD_FREE = """
    NOT EXISTS (SELECT 1 FROM contract c WHERE c.field_id = field.field_id
        AND c.status IN ('applied', 'approved'))
"""
NO_TEST_WAITING = "NOT EXISTS (SELECT 1 FROM soil_test t WHERE t.field_id = field.field_id AND t.status = 'ordered')"
NEAR_LIMIT_OF_DEBT = """
    (SELECT sum(h.amount_cents) - max(h.amount_cents) FROM charge h WHERE h.landowner_id = field.landowner_id
        AND h.status = 'open') <= 3500
"""
ANOTHER_FREE_FIELD = """
    EXISTS (SELECT 1 FROM field g WHERE g.landowner_id = field.landowner_id
        AND g.field_id <> field.field_id
        AND NOT EXISTS (SELECT 1 FROM contract c WHERE c.field_id = g.field_id
        AND c.status IN ('applied', 'approved')))
"""
ONLY_CHARGE_OF_ITS_DAY = """
    NOT EXISTS (SELECT 1 FROM charge o WHERE o.landowner_id = charge.landowner_id
        AND o.charge_id <> charge.charge_id
        AND o.status = 'open'
        AND date(o.created_at) = date(charge.created_at))
"""
ANOTHER_OPEN_CHARGE = """
    EXISTS (SELECT 1 FROM charge o WHERE o.landowner_id = charge.landowner_id
        AND o.charge_id <> charge.charge_id
        AND o.status = 'open')
"""
ROOM_IN_THE_YEAR = """
    (SELECT CASE l.kind WHEN 'farm' THEN 300000 WHEN 'beginning_farm' THEN 400000 ELSE 100000 END FROM landowner l WHERE l.landowner_id = field.landowner_id) - (SELECT coalesce(sum(y.share_cents), 0) FROM contract y WHERE y.landowner_id = field.landowner_id
        AND y.status <> 'canceled'
        AND y.created_at >= '2026')
"""
OPEN_RENTALS = """
    (SELECT count(*) FROM rental r WHERE r.landowner_id = field.landowner_id
        AND r.status IN ('reserved', 'out'))
"""
MOST_RENTALS = """
    (SELECT CASE l.kind WHEN 'household' THEN 1 ELSE 2 END FROM landowner l WHERE l.landowner_id = field.landowner_id)
"""
MOST_BUNDLES = """
    (SELECT CASE l.kind WHEN 'household' THEN 3 ELSE 6 END FROM landowner l WHERE l.landowner_id = seedling_order.landowner_id)
"""
ALL_BUNDLES = """
    (SELECT sum(o.bundles) FROM seedling_order o WHERE o.landowner_id = seedling_order.landowner_id
        AND o.status = 'reserved')
"""


@scenario
def new_tractor_and_land(story: Story) -> None:
    """The landowner bought land and a tractor and wants both on file."""
    story.pick(
        "field",
        "landowner_id IN (SELECT landowner_id FROM landowner WHERE tractor_horsepower < 130)",
        mine=True,
    )
    name = story.choose("name", ["Bishop corner", "East bench", "Tollgate field", "Quarry lot"])
    acres = story.choose("acres", [12, 18, 27, 34])
    use = story.choose("use", ["hay", "pasture"])
    horsepower = story.choose("horsepower", [130, 145, 165, 190])
    story.wish(
        (
            "I bought {acres} acres of {use} that I'm calling {name}, and a {horsepower} horsepower tractor came with it. Can you put both on file?",
            "I have bought {acres} acres of {use}, which I call {name}, along with a {horsepower} horsepower tractor. Could you please put both on file?",
            "can you add {name} to my fields, it's {acres} acres of {use}? and put my new {horsepower} horsepower tractor on file too",
        ),
        short="putting {name} on file, {acres} acres of {use}, and my {horsepower} horsepower tractor",
        name=name,
        acres=acres,
        use=use,
        horsepower=horsepower,
    )
    key = story.identify()
    story.call("add_field", landowner_id=key, name=name, acres=acres, land_use=use)
    story.call("update_landowner", landowner_id=key, tractor_horsepower=horsepower)


@scenario
def pass_on_a_lab_result(story: Story) -> None:
    """The landowner passes on the lab's result of a soil test."""
    test = story.pick("soil_test", "status = 'ordered'", unique_by=["field_id", "status"], mine=True)
    field = story.row("field", test["field_id"])["name"]
    ph = story.choose("ph", [5.8, 6.2, 6.6, 6.9])
    phosphorus = story.choose("phosphorus", [14, 23, 31, 47])
    story.wish(
        (
            "The lab says my {field} has a pH of {ph} and {phosphorus} parts per million of phosphorus. Can you put that on file?",
            "I received the lab results for my {field}. The pH is {ph}, with {phosphorus} parts per million of phosphorus. Could you please put them on file?",
            "got the lab numbers for my {field}, pH {ph} and {phosphorus} ppm phosphorus. can you add them",
        ),
        short="putting the lab results for my {field} on file, pH {ph} and {phosphorus} parts per million of phosphorus",
        field=field,
        ph=ph,
        phosphorus=phosphorus,
    )
    tests = story.call("list_soil_tests", landowner_id=story.identify())["soil_tests"]
    waiting = story.find([each for each in tests if each["status"] == "ordered"], field_name=field)
    story.call("record_soil_test_result", soil_test_id=waiting["soil_test_id"], ph=ph, phosphorus_ppm=phosphorus)


@scenario
def give_up_a_contract(story: Story) -> None:
    """The landowner cancels an approved contract and pays what that costs."""
    contract = story.pick(
        "contract",
        "status = 'approved'",
        unique_by=["landowner_id", "practice_id.name", "field_id.name", "status"],
        mine=True,
    )
    practice = story.row("practice", contract["practice_id"])["name"]
    field = story.row("field", contract["field_id"])["name"]
    method = story.choose("method", ["card", "check", "cash"])
    story.wish(
        (
            "I can't get to the {practice} on my {field} this year. Please cancel that contract, and I'll pay whatever it costs me by {method} right now.",
            "I am unable to do the {practice} on my {field}. I would like to cancel that contract and pay any cost of canceling by {method} today.",
            "need to cancel my contract for the {practice} on my {field}. if that costs me anything i'll pay it by {method} now",
        ),
        short="canceling my contract for the {practice} on my {field} and taking what that costs by {method}",
        practice=practice,
        field=field,
        method=method,
    )
    key = story.identify()
    contracts = story.call("list_contracts", landowner_id=key)["contracts"]
    approved = [each for each in contracts if each["status"] == "approved"]
    mine = story.find(approved, practice_name=practice, field_name=field)
    story.call("cancel_contract", contract_id=mine["contract_id"])
    if story.me["kind"] == "beginning_farm":
        fee = story.call("add_charge", landowner_id=key, kind="contract_breach", amount_cents=5000)
    else:
        fee = story.call("add_charge", landowner_id=key, kind="contract_breach", amount_cents=10000)
    story.call("pay_charges", charge_ids=[fee["charge_id"]], method=method)


@scenario(form="denied")
def sell_a_field(story: Story) -> None:
    """The landowner sold a field and wants it moved to the buyer."""
    field = story.pick(
        "field",
        f"{FIELD_FREE} AND {NEAR_LIMIT_OF_DEBT} AND {ANOTHER_FREE_FIELD}",
        unique_by=["landowner_id", "name"],
        mine=True,
    )
    buyer = story.pick(
        "landowner",
        "landowner_id <> ? AND NOT EXISTS (SELECT 1 FROM field g WHERE g.landowner_id = landowner.landowner_id AND g.name = ?)",
        field["landowner_id"],
        field["name"],
    )
    sell = story.wish(
        (
            "I sold my {field} to a neighbor whose email is {email}. Can you move it over to them?",
            "I have sold my {field} to a neighbor. Their email is {email}. Could you please move the field to them?",
            "can you move my {field} to the guy who bought it? his email is {email}",
        ),
        short="moving my {field} to the landowner with the email {email}",
        field=field["name"],
        email=buyer["email"],
    )
    story.insists(
        sell,
        (
            "The deal is done and I just want it off my list.",
            "The sale is final, and I would like the field off my records.",
            "the sale's done, i just want it off my list",
        ),
    )
    story.insists(
        sell,
        (
            "I told them it would be theirs by tonight.",
            "I promised the buyer that this would be taken care of today.",
            "i promised it'd be theirs by tonight",
        ),
    )
    fields = story.call("list_fields", landowner_id=story.identify())["fields"]
    mine = story.find(fields, name=field["name"])
    owner = story.call("find_landowner_by_email", email=buyer["email"])
    if story.permits("transfer_field", field_id=mine["field_id"], new_owner_id=owner["landowner_id"]):
        story.call("transfer_field", field_id=mine["field_id"], new_owner_id=owner["landowner_id"])
    else:
        story.decline(sell)


@scenario(form="denied")
def test_a_field_again(story: Story) -> None:
    """The landowner wants a new soil test of a field that was tested before."""
    field = story.pick(
        "field",
        f"""
        {NO_TEST_WAITING} AND EXISTS (SELECT 1 FROM soil_test t WHERE t.field_id = field.field_id AND t.status = 'reported')
        AND EXISTS (
            SELECT 1 FROM field g WHERE g.landowner_id = field.landowner_id AND g.field_id <> field.field_id
            AND NOT EXISTS (SELECT 1 FROM soil_test t WHERE t.field_id = g.field_id AND t.status = 'ordered')
        )
        """,
        unique_by=["landowner_id", "name"],
        mine=True,
    )
    kind = story.choose("kind", ["standard", "complete"])
    order = story.wish(
        (
            "I want fresh numbers for my {field} before I plant. Can you order a {kind} soil test for it?",
            "I would like current numbers for my {field}. Could you please order a {kind} soil test for it?",
            "can you order a {kind} soil test for my {field}? want fresh numbers",
        ),
        short="ordering a {kind} soil test for my {field}",
        field=field["name"],
        kind=kind,
    )
    story.insists(
        order,
        (
            "I'm the one paying for it, so I don't see the problem.",
            "I am paying for the test myself, so I do not see why it should be a problem.",
            "i'm paying for it, what's the problem",
        ),
    )
    story.insists(
        order,
        (
            "I really don't trust the old numbers anymore.",
            "I no longer trust the numbers that I have.",
            "i just don't trust the old numbers",
        ),
    )
    fields = story.call("list_fields", landowner_id=story.identify())["fields"]
    mine = story.find(fields, name=field["name"])
    if story.permits("order_soil_tests", field_ids=[mine["field_id"]], kind=kind):
        story.call("order_soil_tests", field_ids=[mine["field_id"]], kind=kind)
    else:
        story.decline(order)


@scenario(form="denied")
def ask_for_a_waiver(story: Story) -> None:
    """The landowner asks to have an open charge waived."""
    charge = story.pick(
        "charge",
        f"status = 'open' AND (kind <> 'rental' OR amount_cents <= 4000) AND {ONLY_CHARGE_OF_ITS_DAY} AND {ANOTHER_OPEN_CHARGE}",
        mine=True,
    )
    day = story.date_of(charge["created_at"])
    waive = story.wish(
        (
            "There's a charge from {day} on my account that I'd rather not pay. Can you waive it?",
            "I see a charge from {day} on my account. Could you please waive it?",
            "can you waive the charge from {day} on my account?",
        ),
        short="waiving the charge from {day}",
        day=day,
    )
    story.insists(
        waive,
        (
            "It's been a rough year and every bit helps.",
            "It has been a difficult year for us, and it would help a great deal.",
            "rough year here, every bit helps",
        ),
    )
    story.insists(
        waive,
        (
            "It just doesn't seem fair to me.",
            "I simply do not think that it is fair.",
            "just doesn't seem fair",
        ),
    )
    key = story.identify()
    charges = story.call("list_charges", landowner_id=key)["charges"]
    of_that_day = [each for each in charges if each["status"] == "open" and story.date_of(each["created_at"]) == day]
    mine = story.find(of_that_day, landowner_id=key)
    if story.permits("waive_charge", charge_id=mine["charge_id"]):
        story.call("waive_charge", charge_id=mine["charge_id"])
    else:
        story.decline(waive)


@scenario(form="ambiguous")
def rename_a_field(story: Story) -> None:
    """The landowner has a new name for one of their fields."""
    field = story.pick(
        "field",
        "(SELECT count(*) FROM field g WHERE g.landowner_id = field.landowner_id) >= 4",
        unique_by=["landowner_id", "name"],
        mine=True,
    )
    new = story.choose("new name", ["Windmill field", "Deer run", "Stone pile field", "Gas well field"])
    rename = story.wish(
        (
            "We've started calling one of my fields {new}. Can you change the name you have on file?",
            "I would like one of my fields to be listed as {new} from now on. Could you please change its name?",
            "can you rename one of my fields to {new}? that's what we call it now",
        ),
        new=new,
    )
    story.keep_back("current name", field["name"])
    story.in_short(
        rename, "renaming one of my fields to {new}, the one you have as {field}", new=new, field=field["name"]
    )
    fields = story.call("list_fields", landowner_id=story.identify())["fields"]
    mine = story.find(fields, name=field["name"])
    for other in story.others(fields, mine):
        with story.wrong("renames another one"):
            story.call("update_field", field_id=other["field_id"], name=new)
    story.call("update_field", field_id=mine["field_id"], name=new)


@scenario(form="best_of")
def rename_the_biggest(story: Story) -> None:
    """The landowner has a new name for the biggest field that is not in crops."""
    story.pick(
        "field",
        """
        land_use <> 'crops'
        AND EXISTS (SELECT 1 FROM field g WHERE g.landowner_id = field.landowner_id AND g.land_use = 'crops' AND g.acres > field.acres)
        AND EXISTS (SELECT 1 FROM field g WHERE g.landowner_id = field.landowner_id AND g.land_use <> 'crops' AND g.acres < field.acres)
        AND NOT EXISTS (SELECT 1 FROM field g WHERE g.landowner_id = field.landowner_id AND g.land_use <> 'crops' AND g.acres > field.acres)
        """,
        mine=True,
    )
    new = story.choose("new name", ["Grandpa's field", "Bluebird field", "Long shadow", "Turkey hill"])
    story.wish(
        (
            "My biggest field that isn't in crops goes by {new} now. Can you change its name on file?",
            "I now call my biggest field that is not in crops {new}. Could you please change its name on file?",
            "can you change the name of my biggest field that's not in crops? it's {new} now",
        ),
        short="changing the name of my biggest field that isn't in crops to {new}",
        new=new,
    )
    fields = story.call("list_fields", landowner_id=story.identify())["fields"]
    with story.wrong("forgets that crops are out"):
        story.call("update_field", field_id=story.highest(fields, "acres")["field_id"], name=new)
    fitting = [each for each in fields if each["land_use"] != "crops"]
    biggest = story.highest(fitting, "acres")
    for other in story.others(fitting, biggest, 1):
        with story.wrong("takes a smaller one"):
            story.call("update_field", field_id=other["field_id"], name=new)
    story.call("update_field", field_id=biggest["field_id"], name=new)


@scenario(form="changed_mind")
def new_phone_number(story: Story) -> None:
    """The landowner has a new phone number and mistypes it first."""
    story.pick("field", "acres > 0", mine=True)
    first = story.choose("first number", ["(740) 555-0183", "(740) 555-0187"])
    second = story.choose("second number", ["(740) 555-0138", "(740) 555-0178"])
    number = story.wish(
        (
            "I switched phone companies. My new number is {phone}, can you update it?",
            "I have a new phone number, {phone}. Could you please update it?",
            "got a new number, {phone}, can you change it?",
        ),
        short="changing my phone number to {phone}",
        phone=first,
    )
    correct = story.changes_mind(
        number,
        (
            "Sorry, typo. It's {right_phone}.",
            "I apologize, I typed that wrong. It is {right_phone}.",
            "oops typo, it's {right_phone}",
        ),
        short="changing my phone number to {right_phone}",
        right_phone=second,
    )
    key = story.identify()
    story.call("update_landowner", wish=number, landowner_id=key, phone=first)
    story.call("update_landowner", wish=correct, landowner_id=key, phone=second)


@scenario(form="computed")
def acres_without_a_field(story: Story) -> None:
    """The landowner asks how many acres are on file without one field, and what they owe."""
    field = story.pick(
        "field",
        """
        EXISTS (SELECT 1 FROM field g WHERE g.landowner_id = field.landowner_id AND g.field_id <> field.field_id)
        AND EXISTS (SELECT 1 FROM charge h WHERE h.landowner_id = field.landowner_id AND h.status = 'open')
        """,
        unique_by=["landowner_id", "name"],
        mine=True,
    )
    story.wish(
        (
            "I'm filling out a crop insurance form. How many acres do I have with you not counting my {field}, and what's my balance?",
            "I need my total acres on file, not counting my {field}. Could you please tell me those acres and my balance?",
            "how many acres do i have on file if you skip my {field}? and what's my balance",
        ),
        short="telling me my acres not counting my {field}, and my balance",
        field=field["name"],
    )
    key = story.identify()
    fields = story.call("list_fields", landowner_id=key)["fields"]
    owed = story.call("list_charges", landowner_id=key)["owed_cents"]
    with story.wrong("counts the field too"):
        story.answer("acres", story.total(fields, "acres"))
        story.answer("balance", story.money(owed))
    story.answer("acres", story.total(story.all_but(fields, name=field["name"]), "acres"))
    story.answer("balance", story.money(owed))


@scenario(form="conditional")
def pay_all_or_one(story: Story) -> None:
    """The landowner pays everything if it is little enough, and one charge otherwise."""
    charge = story.pick("charge", f"status = 'open' AND {ONLY_CHARGE_OF_ITS_DAY} AND {ANOTHER_OPEN_CHARGE}", mine=True)
    day = story.date_of(charge["created_at"])
    limit = story.money(story.choose("limit", [9000, 15000, 25000]))
    method = story.choose("method", ["card", "check", "cash"])
    story.wish(
        (
            "If I owe you {limit} or less in all, I'll pay everything by {method}. If it's more, just take the charge from {day}.",
            "Please take everything I owe by {method} if it is {limit} or less in all. If it is more, please take only the charge from {day}.",
            "if i owe {limit} or less altogether take all of it by {method}. if it's more just the charge from {day}",
        ),
        short="taking everything I owe by {method} if it's {limit} or less, and only the charge from {day} if it's more",
        limit=limit,
        method=method,
        day=day,
    )
    key = story.identify()
    listed = story.call("list_charges", landowner_id=key)
    still_open = [each for each in listed["charges"] if each["status"] == "open"]
    mine = story.find([each for each in still_open if story.date_of(each["created_at"]) == day], landowner_id=key)
    everything, only = [each["charge_id"] for each in still_open], [mine["charge_id"]]
    right, other = (everything, only) if listed["owed_cents"] <= limit else (only, everything)
    with story.wrong("takes the other branch"):
        story.call("pay_charges", charge_ids=other, method=method)
    for each in story.others(still_open, mine, 1):
        with story.wrong("takes another charge"):
            story.call("pay_charges", charge_ids=[each["charge_id"]], method=method)
    story.call("pay_charges", charge_ids=right, method=method)


@scenario(form="coupled")
def pay_up_and_sell(story: Story) -> None:
    """The landowner sold a field and pays their debts, which has to come first."""
    field = story.pick(
        "field",
        f"{FIELD_FREE} AND (SELECT sum(h.amount_cents) FROM charge h WHERE h.landowner_id = field.landowner_id AND h.status = 'open') > 3500",
        unique_by=["landowner_id", "name"],
        mine=True,
    )
    buyer = story.pick(
        "landowner",
        "landowner_id <> ? AND NOT EXISTS (SELECT 1 FROM field g WHERE g.landowner_id = landowner.landowner_id AND g.name = ?)",
        field["landowner_id"],
        field["name"],
    )
    method = story.choose("method", ["card", "check", "cash"])
    with story.together():
        sell = story.wish(
            (
                "My cousin bought my {field}. Can you move it over? The email is {email}.",
                "I have sold my {field} to my cousin, whose email is {email}. Could you please move it to that account?",
                "sold my {field} to my cousin, can you move it over? email's {email}",
            ),
            short="moving my {field} to the landowner with the email {email}",
            field=field["name"],
            email=buyer["email"],
        )
        pay = story.wish(
            (
                "And I'd like to pay everything I owe by {method}.",
                "I would also like to pay everything I owe by {method}.",
                "and take everything i owe by {method}",
            ),
            short="taking everything I owe by {method}",
            method=method,
        )
    key = story.identify()
    charges = story.call("list_charges", wish=pay, landowner_id=key)["charges"]
    still_open = [each["charge_id"] for each in charges if each["status"] == "open"]
    fields = story.call("list_fields", wish=sell, landowner_id=key)["fields"]
    mine = story.find(fields, name=field["name"])
    owner = story.call("find_landowner_by_email", wish=sell, email=buyer["email"])
    story.call("pay_charges", wish=pay, charge_ids=still_open, method=method)
    story.call("transfer_field", wish=sell, field_id=mine["field_id"], new_owner_id=owner["landowner_id"])


@scenario(form="outside")
def new_email(story: Story) -> None:
    """The landowner has a new email, and asks for something the office does not do."""
    story.pick("field", "acres > 0", mine=True)
    email = story.choose(
        "new email",
        [
            "redbarn.farm@example.net",
            "hilltop.acres@example.com",
            "creekside.farm@example.org",
            "oldmill.farm@example.com",
        ],
    )
    story.wish(
        (
            "My old email stopped working. Can you change it to {email}?",
            "I have a new email address, {email}. Could you please change it in your records?",
            "can you switch my email to {email}? the old one's dead",
        ),
        short="changing my email to {email}",
        email=email,
    )
    story.outside(
        (
            "And can you have somebody haul the dead ash trees off my lane?",
            "I would also like someone to come and remove the dead ash trees along my lane.",
            "and can someone come haul the dead ash trees off my lane?",
        )
    )
    story.call("update_landowner", landowner_id=story.identify(), email=email)


@scenario(form="withheld")
def correct_the_acres(story: Story) -> None:
    """The landowner had a field measured again and corrects its acres."""
    field = story.pick(
        "field", f"{FIELD_FREE} AND acres NOT IN (23, 37, 52, 71)", unique_by=["landowner_id", "name"], mine=True
    )
    fix = story.wish(
        (
            "I had my {field} measured again, and the acres you have for it are wrong. Can you correct them?",
            "I had my {field} surveyed again. Could you please correct the number of acres you have for it?",
            "you've got the wrong acres for my {field}, can you fix that?",
        ),
        field=field["name"],
    )
    acres = story.choose("acres", [23, 37, 52, 71])
    story.keep_back("right number of acres", acres)
    story.in_short(fix, "correcting the acres of my {field} to {acres}", field=field["name"], acres=acres)
    fields = story.call("list_fields", landowner_id=story.identify())["fields"]
    mine = story.find(fields, name=field["name"])
    story.call("update_field", field_id=mine["field_id"], acres=acres)


@scenario(form="looked_up")
def test_where_the_work_is(story: Story) -> None:
    """The landowner wants a soil test of the field that a contract is for."""
    contract = story.pick(
        "contract",
        """
        status IN ('applied', 'approved')
        AND NOT EXISTS (
            SELECT 1 FROM contract c WHERE c.landowner_id = contract.landowner_id AND c.practice_id = contract.practice_id
            AND c.contract_id <> contract.contract_id
        )
        AND NOT EXISTS (
            SELECT 1 FROM soil_test t WHERE t.field_id = contract.field_id AND (t.status = 'ordered' OR date(t.reported_at) > ?)
        )
        AND EXISTS (
            SELECT 1 FROM field g WHERE g.landowner_id = contract.landowner_id AND g.field_id <> contract.field_id
            AND NOT EXISTS (SELECT 1 FROM soil_test t WHERE t.field_id = g.field_id AND t.status = 'ordered')
        )
        """,
        story.day(-365),
        unique_by=["landowner_id", "practice_id.name"],
        mine=True,
    )
    practice = story.row("practice", contract["practice_id"])["name"]
    kind = story.choose("kind", ["standard", "complete"])
    story.wish(
        (
            "Before I start the {practice}, I want the soil checked there. Can you order a {kind} soil test for the field that contract is for?",
            "I would like a {kind} soil test for the field that my {practice} contract is for. Could you please order it?",
            "can you order a {kind} soil test for whichever field my {practice} contract is for? don't remember what you call it",
        ),
        short="ordering a {kind} soil test for the field that my {practice} contract is for",
        kind=kind,
        practice=practice,
    )
    key = story.identify()
    contracts = story.call("list_contracts", landowner_id=key)["contracts"]
    agreed = story.find(contracts, practice_name=practice)
    fields = story.call("list_fields", landowner_id=key)["fields"]
    mine = story.find(fields, field_id=agreed["field_id"])
    for other in story.others(fields, mine):
        with story.wrong("takes another field"):
            story.call("order_soil_tests", field_ids=[other["field_id"]], kind=kind)
    story.call("order_soil_tests", field_ids=[mine["field_id"]], kind=kind)


@scenario
def close_a_contract(story: Story) -> None:
    """The work of a contract is done and the landowner wants the share."""
    contract = story.pick(
        "contract",
        """
        status = 'approved' AND 3500 >= (
            SELECT coalesce(sum(h.amount_cents), 0) FROM charge h WHERE h.landowner_id = contract.landowner_id AND h.status = 'open'
        )
        """,
        unique_by=["landowner_id", "practice_id.name", "field_id.name", "status"],
        mine=True,
    )
    practice = story.row("practice", contract["practice_id"])["name"]
    field = story.row("field", contract["field_id"])["name"]
    spent = story.money(story.choose("spent", [84000, 127500, 210000, 325000]))
    story.wish(
        (
            "The {practice} on my {field} is finished, and I spent {spent} on it in all. Can you close it out and tell me my payment?",
            "I have completed the {practice} on my {field} and spent {spent} on it. Could you please close the contract and tell me my payment?",
            "done with the {practice} on my {field}, spent {spent} total. can you close it out? what's my payment",
        ),
        short="closing the {practice} contract on my {field}, {spent} spent, and telling me my payment",
        practice=practice,
        field=field,
        spent=spent,
    )
    key = story.identify()
    contracts = story.call("list_contracts", landowner_id=key)["contracts"]
    approved = [each for each in contracts if each["status"] == "approved"]
    mine = story.find(approved, practice_name=practice, field_name=field)
    done = story.call("complete_contract", contract_id=mine["contract_id"], spent_cents=spent)
    story.answer("payment", story.money(done["paid_cents"]))


@scenario
def do_fewer_acres(story: Story) -> None:
    """The landowner wants to do fewer acres of a practice than the contract covers."""
    contract = story.pick(
        "contract",
        "status IN ('applied', 'approved') AND units > 4 AND practice_id IN (SELECT practice_id FROM practice WHERE unit = 'acre')",
        unique_by=["landowner_id", "practice_id.name", "field_id.name", "status"],
        mine=True,
    )
    practice = story.row("practice", contract["practice_id"])["name"]
    field = story.row("field", contract["field_id"])["name"]
    units = story.choose("acres", [2, 3, 4])
    story.wish(
        (
            "I'll only get to {acres} acres of the {practice} on my {field}. Can you cut it back to that, and what's your share then?",
            "I can only do {acres} acres of the {practice} on my {field}. Could you please reduce it to that and tell me your share?",
            "can you cut the {practice} on my {field} back to {acres} acres? and what's your share then",
        ),
        short="cutting the {practice} on my {field} back to {acres} acres and telling me your share",
        practice=practice,
        field=field,
        acres=units,
    )
    key = story.identify()
    contracts = story.call("list_contracts", landowner_id=key)["contracts"]
    still_open = [each for each in contracts if each["status"] in ("applied", "approved")]
    mine = story.find(still_open, practice_name=practice, field_name=field)
    smaller = story.call("resize_contract", contract_id=mine["contract_id"], units=units)
    story.answer("share", story.money(smaller["share_cents"]))


@scenario(form="fallback")
def more_time_or_cancel(story: Story) -> None:
    """The landowner wants more time for a contract, or else to cancel it."""
    contract = story.pick(
        "contract",
        "status = 'approved' AND finish_by >= ?",
        story.today,
        unique_by=["landowner_id", "practice_id.name", "field_id.name", "status"],
        mine=True,
    )
    practice = story.row("practice", contract["practice_id"])["name"]
    field = story.row("field", contract["field_id"])["name"]
    day = story.after(contract["finish_by"], days=story.choose("more days", (14, 21, 30)))
    extend = story.wish(
        (
            "I won't get the {practice} on my {field} done in time. Can you give me until {day}?",
            "I am behind with the {practice} on my {field}. I would like to have until {day} to finish it.",
            "can i have until {day} to finish the {practice} on my {field}? running behind",
        ),
        short="giving me until {day} for the {practice} on my {field}",
        practice=practice,
        field=field,
        day=day,
    )
    drop = story.otherwise(
        extend,
        (
            "Then cancel the contract for the {practice} on my {field}. I can't make it otherwise.",
            "In that case, please cancel the contract for the {practice} on my {field}.",
            "then just cancel the {practice} contract on my {field}, i can't make it",
        ),
        short="canceling the contract for the {practice} on my {field}",
        practice=practice,
        field=field,
    )
    key = story.identify()
    contracts = story.call("list_contracts", wish=extend, landowner_id=key)["contracts"]
    approved = [each for each in contracts if each["status"] == "approved"]
    mine = story.find(approved, practice_name=practice, field_name=field)
    with story.wrong("cancels it right away"):
        story.call("cancel_contract", wish=drop, contract_id=mine["contract_id"])
    if story.permits("extend_contract", wish=extend, contract_id=mine["contract_id"], finish_by=day):
        story.call("extend_contract", wish=extend, contract_id=mine["contract_id"], finish_by=day)
    else:
        story.decline(extend)
        story.call("cancel_contract", wish=drop, contract_id=mine["contract_id"])
        if story.me["kind"] == "beginning_farm":
            story.call("add_charge", wish=drop, landowner_id=key, kind="contract_breach", amount_cents=5000)
        else:
            story.call("add_charge", wish=drop, landowner_id=key, kind="contract_breach", amount_cents=10000)


@scenario(form="denied")
def apply_for_another_planting(story: Story) -> None:
    """The landowner applies for another practice in the same year."""
    practice = story.pick("practice", "unit = 'acre' AND land_use IS NULL AND funds_left_cents >= 300000")
    field = story.pick(
        "field",
        """
        acres >= 6 AND landowner_id IN (SELECT landowner_id FROM landowner WHERE kind <> 'household')
        AND NOT EXISTS (SELECT 1 FROM contract c WHERE c.field_id = field.field_id AND c.practice_id = ? AND c.status IN ('applied', 'approved'))
        AND EXISTS (
            SELECT 1 FROM field g WHERE g.landowner_id = field.landowner_id AND g.field_id <> field.field_id AND g.acres >= 6
            AND NOT EXISTS (SELECT 1 FROM contract c WHERE c.field_id = g.field_id AND c.practice_id = ? AND c.status IN ('applied', 'approved'))
        )
        AND 39000 >= (
            SELECT sum(y.share_cents) - max(y.share_cents) FROM contract y
            WHERE y.landowner_id = field.landowner_id AND y.status <> 'canceled' AND y.created_at >= '2026'
        )
        """,
        practice["practice_id"],
        practice["practice_id"],
        unique_by=["landowner_id", "name"],
        mine=True,
    )
    acres = story.choose("acres", [3, 4, 5, 6])
    day = story.day(story.choose("ahead", [64, 85, 106]))
    apply = story.wish(
        (
            "I'd like to put in {acres} acres of {practice} on my {field} and have it done by {day}. Can you apply for me?",
            "I would like to apply for {acres} acres of {practice} on my {field}, to be finished by {day}.",
            "can you apply for {acres} acres of {practice} on my {field}? i'd be done by {day}",
        ),
        short="applying for {acres} acres of {practice} on my {field}, done by {day}",
        acres=acres,
        practice=practice["name"],
        field=field["name"],
        day=day,
    )
    story.insists(
        apply,
        (
            "I've got the crew lined up and I really don't want to lose them.",
            "I have a crew ready for this work, and I would hate to lose them.",
            "got a crew lined up already, don't want to lose them",
        ),
    )
    story.insists(
        apply,
        (
            "It's good for the creek and good for everybody.",
            "This would be good for the creek and for all of us.",
            "it's good for the creek, good for everybody",
        ),
    )
    fields = story.call("list_fields", landowner_id=story.identify())["fields"]
    mine = story.find(fields, name=field["name"])
    offered = story.find(story.call("list_practices")["practices"], name=practice["name"])
    if story.permits(
        "apply_for_cost_share",
        field_id=mine["field_id"],
        practice_id=offered["practice_id"],
        units=acres,
        finish_by=day,
    ):
        story.call(
            "apply_for_cost_share",
            field_id=mine["field_id"],
            practice_id=offered["practice_id"],
            units=acres,
            finish_by=day,
        )
    else:
        story.decline(apply)


@scenario(form="all_but")
def plant_on_every_field_but_one(story: Story) -> None:
    """The landowner applies for an acre of a planting on every field except one."""
    practice = story.pick("practice", "unit = 'acre' AND land_use IS NULL AND funds_left_cents >= 300000")
    field = story.pick(
        "field",
        f"""
        (SELECT count(*) FROM field g WHERE g.landowner_id = field.landowner_id) BETWEEN 3 AND 6
        AND {ROOM_IN_THE_YEAR} >= 43500 * ((SELECT count(*) FROM field g WHERE g.landowner_id = field.landowner_id) - 1)
        AND NOT EXISTS (
            SELECT 1 FROM contract c JOIN field g ON g.field_id = c.field_id
            WHERE g.landowner_id = field.landowner_id AND c.practice_id = ? AND c.status IN ('applied', 'approved')
        )
        """,
        practice["practice_id"],
        unique_by=["landowner_id", "name"],
        mine=True,
    )
    acres = story.choose("acres", {"one acre": 1})
    day = story.day(story.choose("ahead", [64, 85, 106]))
    story.wish(
        (
            "I want to put in {acres} of {practice} on each of my fields except my {field}, all done by {day}. Can you apply for that?",
            "I would like to apply for {acres} of {practice} on every field of mine except my {field}, to be finished by {day}.",
            "can you apply for {acres} of {practice} on all my fields? skip my {field}. i'd be done by {day}",
        ),
        short="applying for {acres} of {practice} on each of my fields except my {field}, done by {day}",
        acres=acres,
        practice=practice["name"],
        field=field["name"],
        day=day,
    )
    fields = story.call("list_fields", landowner_id=story.identify())["fields"]
    offered = story.find(story.call("list_practices")["practices"], name=practice["name"])
    with story.wrong("forgets the exception"):
        for each in fields:
            story.call(
                "apply_for_cost_share",
                field_id=each["field_id"],
                practice_id=offered["practice_id"],
                units=acres,
                finish_by=day,
            )
    for each in story.all_but(fields, name=field["name"]):
        story.call(
            "apply_for_cost_share",
            field_id=each["field_id"],
            practice_id=offered["practice_id"],
            units=acres,
            finish_by=day,
        )


@scenario(form="ambiguous")
def windbreak_on_one_field(story: Story) -> None:
    """The landowner applies for a windbreak on one of their fields."""
    practice = story.pick("practice", "unit = 'foot' AND land_use IS NULL AND funds_left_cents >= 300000")
    field = story.pick(
        "field",
        f"""
        (SELECT count(*) FROM field g WHERE g.landowner_id = field.landowner_id) >= 4 AND {ROOM_IN_THE_YEAR} >= 68600
        AND NOT EXISTS (
            SELECT 1 FROM contract c JOIN field g ON g.field_id = c.field_id
            WHERE g.landowner_id = field.landowner_id AND c.practice_id = ? AND c.status IN ('applied', 'approved')
        )
        """,
        practice["practice_id"],
        unique_by=["landowner_id", "name"],
        mine=True,
    )
    feet = story.choose("feet", [250, 300, 400])
    day = story.day(story.choose("ahead", [64, 85, 106]))
    apply = story.wish(
        (
            "The wind is killing me on one of my fields. Can you apply for {feet} feet of {practice} there, done by {day}?",
            "I would like to apply for {feet} feet of {practice} on one of my fields, to be finished by {day}.",
            "can you apply for {feet} feet of {practice} on one of my fields? done by {day}",
        ),
        feet=feet,
        practice=practice["name"],
        day=day,
    )
    story.keep_back("field", field["name"])
    story.in_short(
        apply,
        "applying for {feet} feet of {practice}, done by {day}, on one of my fields, my {field}",
        feet=feet,
        practice=practice["name"],
        day=day,
        field=field["name"],
    )
    fields = story.call("list_fields", landowner_id=story.identify())["fields"]
    mine = story.find(fields, name=field["name"])
    offered = story.find(story.call("list_practices")["practices"], name=practice["name"])
    for other in story.others(fields, mine):
        with story.wrong("takes another field"):
            story.call(
                "apply_for_cost_share",
                field_id=other["field_id"],
                practice_id=offered["practice_id"],
                units=feet,
                finish_by=day,
            )
    story.call(
        "apply_for_cost_share", field_id=mine["field_id"], practice_id=offered["practice_id"], units=feet, finish_by=day
    )


@scenario(form="changed_mind")
def cut_it_back_twice(story: Story) -> None:
    """The landowner cuts the acres of a practice back, and then once more."""
    contract = story.pick(
        "contract",
        "status IN ('applied', 'approved') AND units > 7 AND practice_id IN (SELECT practice_id FROM practice WHERE unit = 'acre')",
        unique_by=["landowner_id", "practice_id.name", "field_id.name", "status"],
        mine=True,
    )
    practice = story.row("practice", contract["practice_id"])["name"]
    field = story.row("field", contract["field_id"])["name"]
    first = story.choose("first acres", [6, 7])
    second = story.choose("second acres", [3, 4, 5])
    cut = story.wish(
        (
            "Seed got too expensive. Can you cut the {practice} on my {field} to {acres} acres?",
            "I would like to reduce the {practice} on my {field} to {acres} acres, please.",
            "can you cut the {practice} on my {field} to {acres} acres? costs went up",
        ),
        short="cutting the {practice} on my {field} to {acres} acres",
        practice=practice,
        field=field,
        acres=first,
    )
    again = story.changes_mind(
        cut,
        (
            "Actually, make the {practice} {fewer} acres.",
            "On second thought, please make the {practice} {fewer} acres.",
            "hmm, make the {practice} {fewer} acres actually",
        ),
        short="cutting the {practice} to {fewer} acres",
        practice=practice,
        fewer=second,
    )
    key = story.identify()
    contracts = story.call("list_contracts", wish=cut, landowner_id=key)["contracts"]
    still_open = [each for each in contracts if each["status"] in ("applied", "approved")]
    mine = story.find(still_open, practice_name=practice, field_name=field)
    story.call("resize_contract", wish=cut, contract_id=mine["contract_id"], units=first)
    story.call("resize_contract", wish=again, contract_id=mine["contract_id"], units=second)


@scenario(form="computed")
def shares_to_come(story: Story) -> None:
    """The landowner asks what all open contracts may pay, and which day comes first."""
    story.pick(
        "contract",
        """
        status IN ('applied', 'approved') AND 2 <= (
            SELECT count(*) FROM contract c WHERE c.landowner_id = contract.landowner_id AND c.status IN ('applied', 'approved')
        )
        """,
        mine=True,
    )
    story.wish(
        (
            "I'm doing my budget. Added up over all my open contracts, what's the total share you'd pay, and what's the first deadline?",
            "I would like to know the total share that you would pay on all of my open contracts, and the first deadline among them.",
            "what's the total share on all my open contracts added up? and what's the first deadline i need to hit",
        ),
        short="telling me the total share of all my open contracts and the first deadline",
    )
    contracts = story.call("list_contracts", landowner_id=story.identify())["contracts"]
    still_open = [each for each in contracts if each["status"] in ("applied", "approved")]
    first = story.lowest(still_open, "finish_by")
    with story.wrong("leaves one out"):
        story.answer(
            "total share",
            story.money(story.total(story.all_but(still_open, contract_id=first["contract_id"]), "share_cents")),
        )
        story.answer("first deadline", first["finish_by"])
    story.answer("total share", story.money(story.total(still_open, "share_cents")))
    story.answer("first deadline", first["finish_by"])


@scenario(form="conditional")
def cut_back_or_cancel(story: Story) -> None:
    """The landowner cuts a contract back if it is big, and cancels it if it is small."""
    contract = story.pick(
        "contract",
        """
        status IN ('applied', 'approved') AND units NOT IN (8, 10, 12, 20) AND practice_id IN (SELECT practice_id FROM practice WHERE unit = 'acre')
        AND field_id IN (SELECT field_id FROM field WHERE acres >= 20)
        """,
        unique_by=["landowner_id", "practice_id.name", "field_id.name", "status"],
        mine=True,
    )
    practice = story.row("practice", contract["practice_id"])["name"]
    field = story.row("field", contract["field_id"])["name"]
    limit = story.choose("limit", [12, 20])
    acres = story.choose("acres", [8, 10])
    story.wish(
        (
            "If my contract for the {practice} on my {field} is for more than {limit} acres, cut it to {acres}. If it's {limit} or fewer, cancel it.",
            "If the {practice} on my {field} covers more than {limit} acres, please reduce it to {acres} acres. If it covers {limit} or fewer, please cancel it.",
            "if the {practice} on my {field} is over {limit} acres, cut it to {acres}. if it's {limit} or fewer just cancel it",
        ),
        short="cutting the {practice} on my {field} to {acres} acres if it's more than {limit}, and canceling it if it's {limit} or fewer",
        practice=practice,
        field=field,
        limit=limit,
        acres=acres,
    )
    key = story.identify()
    contracts = story.call("list_contracts", landowner_id=key)["contracts"]
    still_open = [each for each in contracts if each["status"] in ("applied", "approved")]
    mine = story.find(still_open, practice_name=practice, field_name=field)
    with story.wrong("cuts it to the limit"):
        story.call("resize_contract", contract_id=mine["contract_id"], units=limit)
    if mine["units"] > limit:
        with story.wrong("takes the other branch"):
            story.call("cancel_contract", contract_id=mine["contract_id"])
        story.call("resize_contract", contract_id=mine["contract_id"], units=acres)
    else:
        with story.wrong("takes the other branch"):
            story.call("resize_contract", contract_id=mine["contract_id"], units=acres)
        story.call("cancel_contract", contract_id=mine["contract_id"])
        if mine["status"] == "approved" and story.me["kind"] == "beginning_farm":
            story.call("add_charge", landowner_id=key, kind="contract_breach", amount_cents=5000)
        elif mine["status"] == "approved":
            story.call("add_charge", landowner_id=key, kind="contract_breach", amount_cents=10000)


@scenario(form="coupled")
def swap_contracts(story: Story) -> None:
    """The landowner applies for a planting, which is possible once another application is canceled."""
    practice = story.pick("practice", "unit = 'acre' AND land_use IS NULL AND funds_left_cents >= 300000")
    acres = story.choose("acres", [5, 6])
    share = acres * practice["cost_cents"] * practice["share_percent"] // 100
    old = story.pick(
        "contract",
        """
        status = 'applied' AND created_at >= '2026' AND practice_id <> ?
        AND (SELECT CASE l.kind WHEN 'farm' THEN 300000 WHEN 'beginning_farm' THEN 400000 ELSE 100000 END FROM landowner l WHERE l.landowner_id = contract.landowner_id)
            - (SELECT sum(y.share_cents) FROM contract y WHERE y.landowner_id = contract.landowner_id AND y.status <> 'canceled' AND y.created_at >= '2026')
            BETWEEN ? - share_cents AND ? - 1
        AND EXISTS (
            SELECT 1 FROM field g WHERE g.landowner_id = contract.landowner_id AND g.acres >= 6
            AND NOT EXISTS (SELECT 1 FROM contract c WHERE c.field_id = g.field_id AND c.practice_id = ? AND c.status IN ('applied', 'approved'))
        )
        """,
        practice["practice_id"],
        share,
        share,
        practice["practice_id"],
        unique_by=["landowner_id", "practice_id.name", "field_id.name", "status"],
        mine=True,
    )
    field = story.pick(
        "field",
        """
        acres >= 6
        AND NOT EXISTS (SELECT 1 FROM contract c WHERE c.field_id = field.field_id AND c.practice_id = ? AND c.status IN ('applied', 'approved'))
        """,
        practice["practice_id"],
        unique_by=["landowner_id", "name"],
        mine=True,
    )
    old_practice = story.row("practice", old["practice_id"])["name"]
    old_field = story.row("field", old["field_id"])["name"]
    day = story.day(story.choose("ahead", [64, 85, 106]))
    with story.together():
        apply = story.wish(
            (
                "I'd like to apply for {acres} acres of {practice} on my {field}, finished by {day}.",
                "Please apply for {acres} acres of {practice} on my {field} for me. I would finish by {day}.",
                "can you apply for {acres} acres of {practice} on my {field}? done by {day}",
            ),
            short="applying for {acres} acres of {practice} on my {field}, done by {day}",
            acres=acres,
            practice=practice["name"],
            field=field["name"],
            day=day,
        )
        drop = story.wish(
            (
                "And cancel my application for the {old} on my {place}, I can't do both.",
                "I would also like to cancel my application for the {old} on my {place}.",
                "and drop my application for the {old} on my {place}, can't do both",
            ),
            short="canceling my application for the {old} on my {place}",
            old=old_practice,
            place=old_field,
        )
    key = story.identify()
    contracts = story.call("list_contracts", wish=drop, landowner_id=key)["contracts"]
    applied = [each for each in contracts if each["status"] == "applied"]
    dropped = story.find(applied, practice_name=old_practice, field_name=old_field)
    fields = story.call("list_fields", wish=apply, landowner_id=key)["fields"]
    mine = story.find(fields, name=field["name"])
    offered = story.find(story.call("list_practices", wish=apply)["practices"], name=practice["name"])
    story.call("cancel_contract", wish=drop, contract_id=dropped["contract_id"])
    story.call(
        "apply_for_cost_share",
        wish=apply,
        field_id=mine["field_id"],
        practice_id=offered["practice_id"],
        units=acres,
        finish_by=day,
    )


@scenario(form="mistaken")
def more_days_than_on_file(story: Story) -> None:
    """The landowner wants more days for a contract whose deadline they remember wrong."""
    contract = story.pick(
        "contract",
        "status = 'approved' AND extensions = 0 AND finish_by >= ?",
        story.today,
        unique_by=["landowner_id", "practice_id.name", "field_id.name", "status"],
        mine=True,
    )
    practice = story.row("practice", contract["practice_id"])["name"]
    field = story.row("field", contract["field_id"])["name"]
    believed = story.after(contract["finish_by"], days=story.choose("days off", (5, 10, 14)))
    days = story.choose("days", [20, 30, 45])
    story.wish(
        (
            "I think I have until {day} for the {practice} on my {field}. Can you add {days} days to the deadline and tell me the new deadline?",
            "I believe that the {practice} on my {field} is due {day}. Could you please add {days} days to the deadline and tell me the new deadline?",
            "pretty sure the {practice} on my {field} is due {day}. can you add {days} days to the deadline? what's the new deadline",
        ),
        short="adding {days} days to the deadline for the {practice} on my {field} and telling me the new deadline",
        practice=practice,
        field=field,
        day=believed,
        days=days,
    )
    story.believes("deadline", believed, contract["finish_by"])
    key = story.identify()
    contracts = story.call("list_contracts", landowner_id=key)["contracts"]
    approved = [each for each in contracts if each["status"] == "approved"]
    mine = story.find(approved, practice_name=practice, field_name=field)
    with story.wrong("trusts the customer"):
        longer = story.call(
            "extend_contract", contract_id=mine["contract_id"], finish_by=story.after(believed, days=days)
        )
        story.answer("new deadline", longer["finish_by"])
    with story.wrong("takes the day that was named"):
        longer = story.call("extend_contract", contract_id=mine["contract_id"], finish_by=believed)
        story.answer("new deadline", longer["finish_by"])
    longer = story.call(
        "extend_contract", contract_id=mine["contract_id"], finish_by=story.after(mine["finish_by"], days=days)
    )
    story.answer("new deadline", longer["finish_by"])


@scenario(form="withheld")
def ask_for_more_time(story: Story) -> None:
    """The landowner needs more time for a contract and says until when if asked."""
    contract = story.pick(
        "contract",
        "status = 'approved' AND extensions = 0 AND finish_by BETWEEN ? AND ?",
        story.today,
        story.day(120),
        unique_by=["landowner_id", "practice_id.name", "field_id.name", "status"],
        mine=True,
    )
    practice = story.row("practice", contract["practice_id"])["name"]
    field = story.row("field", contract["field_id"])["name"]
    extend = story.wish(
        (
            "It's been too wet to work. Can you give me a later deadline for the {practice} on my {field}?",
            "I would like a later deadline for the {practice} on my {field}, as the ground is too wet.",
            "need a later deadline for the {practice} on my {field}, too wet out there",
        ),
        practice=practice,
        field=field,
    )
    day = story.day(story.choose("ahead", [121, 128, 135, 142, 149]))
    story.keep_back("new deadline", day)
    story.in_short(
        extend,
        "moving the deadline for the {practice} on my {field} to {day}",
        practice=practice,
        field=field,
        day=day,
    )
    key = story.identify()
    contracts = story.call("list_contracts", landowner_id=key)["contracts"]
    approved = [each for each in contracts if each["status"] == "approved"]
    mine = story.find(approved, practice_name=practice, field_name=field)
    story.call("extend_contract", contract_id=mine["contract_id"], finish_by=day)


@scenario
def bring_a_machine_back(story: Story) -> None:
    """The landowner brings a machine back and asks what it costs."""
    rental = story.pick(
        "rental", "status = 'out'", unique_by=["landowner_id", "equipment_id.name", "status"], mine=True
    )
    machine = story.row("equipment", rental["equipment_id"])["name"]
    acres = story.choose("acres", [7, 16, 24, 38])
    story.wish(
        (
            "I'm at the yard with the {machine}, and I did {acres} acres with it. Can you check it in and tell me the rental charge?",
            "I am returning the {machine}. I covered {acres} acres with it. Could you please check it in and tell me the rental charge?",
            "dropping off the {machine}, did {acres} acres. can you check it in? what's the rental charge",
        ),
        short="checking in the {machine} with {acres} acres done and telling me the rental charge",
        machine=machine,
        acres=acres,
    )
    rentals = story.call("list_rentals", landowner_id=story.identify())["rentals"]
    mine = story.find([each for each in rentals if each["status"] == "out"], equipment_name=machine)
    returned = story.call("return_rental", rental_id=mine["rental_id"], acres=acres)
    story.answer("rental charge", story.money(returned["fee_cents"]))


@scenario
def order_another_species(story: Story) -> None:
    """The landowner cancels a seedling order and takes a bundle of another species."""
    order = story.pick(
        "seedling_order", "status = 'reserved'", unique_by=["landowner_id", "seedling_id.species", "status"], mine=True
    )
    wanted = story.pick(
        "seedling",
        """
        bundles_left >= 1 AND NOT EXISTS (
            SELECT 1 FROM seedling_order o WHERE o.seedling_id = seedling.seedling_id AND o.landowner_id = ? AND o.status = 'reserved'
        )
        """,
        order["landowner_id"],
        unique_by=["species"],
    )
    species = story.row("seedling", order["seedling_id"])["species"]
    bundles = story.choose("bundles", {"one bundle": 1})
    pickup = story.choose("pickup day", {"Friday": "friday", "Saturday": "saturday"})
    swap = story.wish(
        (
            "I don't have the right spot for {species}. Please cancel that order.",
            "I would like to cancel my order of {species}, please.",
            "cancel my {species} order pls, got no good spot for it",
        ),
        short="canceling my {species} order",
        species=species,
    )
    instead = story.wish(
        (
            "I'd like {bundles} of {wanted} from the tree sale. Can you order it for {pickup} pickup?",
            "Please order {bundles} of {wanted} for me. I will pick it up on {pickup}.",
            "can you get me {bundles} of {wanted}? i'll pick it up {pickup}",
        ),
        short="ordering {bundles} of {wanted} for {pickup} pickup",
        bundles=bundles,
        wanted=wanted["species"],
        pickup=pickup,
    )
    key = story.identify()
    orders = story.call("list_seedling_orders", wish=swap, landowner_id=key)["seedling_orders"]
    mine = story.find([each for each in orders if each["status"] == "reserved"], species=species)
    story.call("cancel_seedling_orders", wish=swap, seedling_order_ids=[mine["seedling_order_id"]])
    seedlings = story.call("search_seedlings", wish=instead, species=wanted["species"])["seedlings"]
    found = story.find(seedlings, species=wanted["species"])
    story.call(
        "order_seedlings",
        wish=instead,
        landowner_id=key,
        seedling_id=found["seedling_id"],
        bundles=bundles,
        pickup_day=pickup,
    )


@scenario
def cancel_a_rental(story: Story) -> None:
    """The landowner does not need a reserved machine and asks for the balance after that."""
    rental = story.pick(
        "rental", "status = 'reserved'", unique_by=["landowner_id", "equipment_id.name", "status"], mine=True
    )
    machine = story.row("equipment", rental["equipment_id"])["name"]
    story.wish(
        (
            "My plans changed and I won't need the {machine} I reserved. Can you cancel that and tell me my balance?",
            "I no longer need the {machine} that I reserved. Could you please cancel the rental and tell me my balance?",
            "can you cancel my {machine} rental? don't need it anymore. what's my balance after that",
        ),
        short="canceling my {machine} rental and telling me my balance",
        machine=machine,
    )
    key = story.identify()
    rentals = story.call("list_rentals", landowner_id=key)["rentals"]
    mine = story.find([each for each in rentals if each["status"] == "reserved"], equipment_name=machine)
    story.call("cancel_rentals", rental_ids=[mine["rental_id"]])
    if mine["pickup_on"] < story.day(7) and story.me["kind"] == "beginning_farm":
        story.call("add_charge", landowner_id=key, kind="late_cancellation", amount_cents=1500)
    elif mine["pickup_on"] < story.day(7):
        story.call("add_charge", landowner_id=key, kind="late_cancellation", amount_cents=3000)
    story.answer("balance", story.money(story.call("list_charges", landowner_id=key)["owed_cents"]))


@scenario(form="denied")
def reserve_a_machine(story: Story) -> None:
    """The landowner wants to reserve a machine for a day."""
    day = story.day(story.choose("ahead", [9, 15, 22, 30, 36]))
    story.pick("field", f"{OPEN_RENTALS} BETWEEN {MOST_RENTALS} - 1 AND {MOST_RENTALS}", mine=True)
    machine = story.pick(
        "equipment",
        """
        status <> 'in_repair' AND NOT EXISTS (
            SELECT 1 FROM rental r WHERE r.equipment_id = equipment.equipment_id AND r.status IN ('reserved', 'out')
            AND r.pickup_on <= ? AND r.return_on >= ?
        )
        """,
        day,
        day,
        unique_by=["name"],
    )
    reserve = story.wish(
        (
            "I want to get some field work done on {day}. Can you reserve the {machine} for me for that day?",
            "I would like to reserve the {machine} for {day}, for that day only.",
            "can you put me down for the {machine} on {day}? just that one day",
        ),
        short="reserving the {machine} for {day}, that day only",
        machine=machine["name"],
        day=day,
    )
    story.insists(
        reserve,
        (
            "I really need it that day, the weather won't hold.",
            "I truly need it on that day, as the weather will not hold.",
            "really need it that day, weather won't hold",
        ),
    )
    story.insists(
        reserve,
        (
            "It would be sitting in your yard anyway.",
            "It would only stand in your yard otherwise.",
            "it'd just sit in your yard anyway",
        ),
    )
    key = story.identify()
    free = story.call("search_equipment", pickup_on=day, return_on=day)["equipment"]
    mine = story.find(free, name=machine["name"])
    for other in story.others(free, mine, 1):
        with story.wrong("reserves another machine"):
            story.call(
                "reserve_equipment", landowner_id=key, equipment_id=other["equipment_id"], pickup_on=day, return_on=day
            )
    if story.permits(
        "reserve_equipment", landowner_id=key, equipment_id=mine["equipment_id"], pickup_on=day, return_on=day
    ):
        story.call(
            "reserve_equipment", landowner_id=key, equipment_id=mine["equipment_id"], pickup_on=day, return_on=day
        )
    else:
        story.decline(reserve)


@scenario(form="fallback")
def pick_up_or_move(story: Story) -> None:
    """The landowner is there to pick up a machine, or else wants it on another day."""
    day = story.day(story.choose("ahead", [9, 15, 22, 30, 36]))
    rental = story.pick(
        "rental",
        """
        status = 'reserved' AND pickup_on <= ? AND return_on >= ?
        AND equipment_id IN (SELECT equipment_id FROM equipment WHERE status = 'available' AND horsepower_needed > 0)
        AND NOT EXISTS (
            SELECT 1 FROM rental r WHERE r.equipment_id = rental.equipment_id AND r.rental_id <> rental.rental_id
            AND r.status IN ('reserved', 'out') AND r.pickup_on <= ? AND r.return_on >= ?
        )
        """,
        story.today,
        story.today,
        day,
        day,
        unique_by=["landowner_id", "equipment_id.name", "status"],
        mine=True,
    )
    machine = story.row("equipment", rental["equipment_id"])["name"]
    take = story.wish(
        (
            "I'm here to pick up the {machine} I reserved. Can you check it out to me?",
            "I have come to pick up the {machine} that I reserved. Could you please check it out to me?",
            "here for the {machine} i reserved, can you check it out to me?",
        ),
        short="checking out the {machine} to me",
        machine=machine,
    )
    later = story.otherwise(
        take,
        (
            "Then move my {machine} rental to {day}, just that day.",
            "In that case, please move my rental of the {machine} to {day}, for that day only.",
            "then move my {machine} rental to {day}, only that day",
        ),
        short="moving my {machine} rental to {day}, that day only",
        machine=machine,
        day=day,
    )
    rentals = story.call("list_rentals", wish=take, landowner_id=story.identify())["rentals"]
    mine = story.find([each for each in rentals if each["status"] == "reserved"], equipment_name=machine)
    with story.wrong("cancels it"):
        story.call("cancel_rentals", wish=take, rental_ids=[mine["rental_id"]])
    if story.permits("check_out_rental", wish=take, rental_id=mine["rental_id"]):
        story.call("check_out_rental", wish=take, rental_id=mine["rental_id"])
    else:
        story.decline(take)
        story.call("reschedule_rental", wish=later, rental_id=mine["rental_id"], pickup_on=day, return_on=day)


@scenario(form="denied")
def a_machine_for_days(story: Story) -> None:
    """The landowner wants to reserve a machine for several days in a row."""
    first = story.day(story.choose("ahead", [13, 20, 27, 34]))
    last = story.after(first, days=story.choose("more days", (2, 3)))
    story.pick("field", f"{OPEN_RENTALS} < {MOST_RENTALS}", mine=True)
    machine = story.pick(
        "equipment",
        """
        status <> 'in_repair' AND NOT EXISTS (
            SELECT 1 FROM rental r WHERE r.equipment_id = equipment.equipment_id AND r.status IN ('reserved', 'out')
            AND r.pickup_on <= ? AND r.return_on >= ?
        )
        """,
        last,
        first,
        unique_by=["name"],
    )
    reserve = story.wish(
        (
            "I've got a lot of ground to cover. Can you reserve the {machine} for me from {first} through {last}?",
            "I would like to reserve the {machine} from {first} through {last}.",
            "can you put me down for the {machine} from {first} through {last}?",
        ),
        short="reserving the {machine} from {first} through {last}",
        machine=machine["name"],
        first=first,
        last=last,
    )
    story.insists(
        reserve,
        (
            "I can't get it all done any faster than that.",
            "I cannot finish the work in less time than that.",
            "can't get it done any faster than that",
        ),
    )
    story.insists(
        reserve,
        (
            "It's a long drive for me, and I only want to make it once.",
            "The drive is long, and I would like to make it only once.",
            "it's a long drive, only want to do it once",
        ),
    )
    key = story.identify()
    free = story.call("search_equipment", pickup_on=first, return_on=last)["equipment"]
    mine = story.find(free, name=machine["name"])
    for other in story.others(free, mine, 1):
        with story.wrong("reserves another machine"):
            story.call(
                "reserve_equipment",
                landowner_id=key,
                equipment_id=other["equipment_id"],
                pickup_on=first,
                return_on=last,
            )
    if story.permits(
        "reserve_equipment", landowner_id=key, equipment_id=mine["equipment_id"], pickup_on=first, return_on=last
    ):
        story.call(
            "reserve_equipment", landowner_id=key, equipment_id=mine["equipment_id"], pickup_on=first, return_on=last
        )
    else:
        story.decline(reserve)


@scenario(form="best_of")
def the_biggest_drill_i_can_pull(story: Story) -> None:
    """The landowner reserves the drill that needs the most horsepower their tractor has."""
    day = story.day(story.choose("ahead", [9, 15, 22, 30, 36]))
    story.pick(
        "field",
        f"""
        {OPEN_RENTALS} < {MOST_RENTALS}
        AND EXISTS (
            SELECT 1 FROM equipment e, landowner l WHERE l.landowner_id = field.landowner_id AND e.kind = 'drill'
            AND e.status <> 'in_repair' AND e.horsepower_needed > l.tractor_horsepower AND NOT EXISTS (
                SELECT 1 FROM rental r WHERE r.equipment_id = e.equipment_id AND r.status IN ('reserved', 'out') AND r.pickup_on <= ? AND r.return_on >= ?
            )
        )
        AND 2 <= (
            SELECT count(*) FROM equipment e, landowner l WHERE l.landowner_id = field.landowner_id AND e.kind = 'drill'
            AND e.status <> 'in_repair' AND e.horsepower_needed <= l.tractor_horsepower AND NOT EXISTS (
                SELECT 1 FROM rental r WHERE r.equipment_id = e.equipment_id AND r.status IN ('reserved', 'out') AND r.pickup_on <= ? AND r.return_on >= ?
            )
        )
        """,
        day,
        day,
        day,
        day,
        mine=True,
    )
    power = story.me["tractor_horsepower"]
    kind = story.choose("kind", ["drill"])
    story.wish(
        (
            "I need a {kind} on {day}, just that day. Of the ones that are free, reserve the one that needs the most horsepower but no more than my {power} horsepower tractor has.",
            "I would like to rent a {kind} for {day} only. Please reserve the free one that needs the most horsepower without needing more than the {power} my tractor has.",
            "need a {kind} for {day}, one day. whichever free one needs the most horsepower but not over {power}, that's my tractor, can you reserve it",
        ),
        short="reserving the free {kind} for {day} that needs the most horsepower without going over {power}",
        kind=kind,
        day=day,
        power=power,
    )
    key = story.identify()
    free = story.call("search_equipment", kind=kind, pickup_on=day, return_on=day)["equipment"]
    with story.wrong("forgets the tractor"):
        story.call(
            "reserve_equipment",
            landowner_id=key,
            equipment_id=story.highest(free, "horsepower_needed")["equipment_id"],
            pickup_on=day,
            return_on=day,
        )
    fitting = [each for each in free if each["horsepower_needed"] <= power]
    best = story.highest(fitting, "horsepower_needed")
    for other in story.others(fitting, best, 1):
        with story.wrong("takes a smaller one"):
            story.call(
                "reserve_equipment", landowner_id=key, equipment_id=other["equipment_id"], pickup_on=day, return_on=day
            )
    story.call("reserve_equipment", landowner_id=key, equipment_id=best["equipment_id"], pickup_on=day, return_on=day)


@scenario(form="coupled")
def swap_machines(story: Story) -> None:
    """The landowner reserves a machine, which is possible once another rental is canceled."""
    day = story.day(story.choose("ahead", [15, 22, 30, 36]))
    old = story.pick(
        "rental",
        """
        status = 'reserved' AND pickup_on >= ?
        AND (SELECT count(*) FROM rental r WHERE r.landowner_id = rental.landowner_id AND r.status IN ('reserved', 'out'))
            = (SELECT CASE l.kind WHEN 'household' THEN 1 ELSE 2 END FROM landowner l WHERE l.landowner_id = rental.landowner_id)
        """,
        story.day(7),
        unique_by=["landowner_id", "equipment_id.name", "status"],
        mine=True,
    )
    machine = story.pick(
        "equipment",
        """
        status <> 'in_repair' AND equipment_id <> ? AND NOT EXISTS (
            SELECT 1 FROM rental r WHERE r.equipment_id = equipment.equipment_id AND r.status IN ('reserved', 'out')
            AND r.pickup_on <= ? AND r.return_on >= ?
        )
        """,
        old["equipment_id"],
        day,
        day,
        unique_by=["name"],
    )
    old_machine = story.row("equipment", old["equipment_id"])["name"]
    with story.together():
        reserve = story.wish(
            (
                "Can you reserve the {machine} for me on {day}, just that day?",
                "I would like to reserve the {machine} for {day}, for that day only.",
                "can you put me down for the {machine} on {day}? just the one day",
            ),
            short="reserving the {machine} for {day}, that day only",
            machine=machine["name"],
            day=day,
        )
        drop = story.wish(
            (
                "And cancel the {old} I have reserved, I won't use it now.",
                "Please also cancel my rental of the {old}, which I no longer need.",
                "and cancel my {old} rental, won't need it now",
            ),
            short="canceling my {old} rental",
            old=old_machine,
        )
    key = story.identify()
    rentals = story.call("list_rentals", wish=drop, landowner_id=key)["rentals"]
    dropped = story.find([each for each in rentals if each["status"] == "reserved"], equipment_name=old_machine)
    free = story.call("search_equipment", wish=reserve, pickup_on=day, return_on=day)["equipment"]
    wanted = story.find(free, name=machine["name"])
    story.call("cancel_rentals", wish=drop, rental_ids=[dropped["rental_id"]])
    story.call(
        "reserve_equipment",
        wish=reserve,
        landowner_id=key,
        equipment_id=wanted["equipment_id"],
        pickup_on=day,
        return_on=day,
    )


@scenario(form="coupled")
def swap_trees(story: Story) -> None:
    """The landowner orders a species, which is possible once another order is canceled."""
    bundles = story.choose("bundles", [2, 3])
    old = story.pick(
        "seedling_order",
        f"status = 'reserved' AND {MOST_BUNDLES} - {ALL_BUNDLES} BETWEEN ? - bundles AND ? - 1",
        bundles,
        bundles,
        unique_by=["landowner_id", "seedling_id.species", "status"],
        mine=True,
    )
    wanted = story.pick(
        "seedling",
        """
        bundles_left >= 3 AND NOT EXISTS (
            SELECT 1 FROM seedling_order o WHERE o.seedling_id = seedling.seedling_id AND o.landowner_id = ? AND o.status = 'reserved'
        )
        """,
        old["landowner_id"],
        unique_by=["species"],
    )
    old_species = story.row("seedling", old["seedling_id"])["species"]
    pickup = story.choose("pickup day", {"Friday": "friday", "Saturday": "saturday"})
    with story.together():
        order = story.wish(
            (
                "Can you order {bundles} bundles of {species} for me? I'll pick them up on {pickup}.",
                "I would like to order {bundles} bundles of {species} for pickup on {pickup}.",
                "can you get me {bundles} bundles of {species}? picking up {pickup}",
            ),
            short="ordering {bundles} bundles of {species} for {pickup} pickup",
            bundles=bundles,
            species=wanted["species"],
            pickup=pickup,
        )
        drop = story.wish(
            (
                "And cancel my {old} order, the deer eat all of those.",
                "Please also cancel my order of {old}, as the deer eat them.",
                "and cancel my {old} order, deer just eat those",
            ),
            short="canceling my {old} order",
            old=old_species,
        )
    key = story.identify()
    orders = story.call("list_seedling_orders", wish=drop, landowner_id=key)["seedling_orders"]
    dropped = story.find([each for each in orders if each["status"] == "reserved"], species=old_species)
    seedlings = story.call("search_seedlings", wish=order, species=wanted["species"])["seedlings"]
    found = story.find(seedlings, species=wanted["species"])
    story.call("cancel_seedling_orders", wish=drop, seedling_order_ids=[dropped["seedling_order_id"]])
    story.call(
        "order_seedlings",
        wish=order,
        landowner_id=key,
        seedling_id=found["seedling_id"],
        bundles=bundles,
        pickup_day=pickup,
    )


@scenario(form="looked_up")
def cancel_the_pricey_one(story: Story) -> None:
    """The landowner cancels the rental of the machine with a certain price per acre."""
    rental = story.pick(
        "rental",
        """
        status = 'reserved' AND pickup_on >= ? AND 2 <= (
            SELECT count(*) FROM rental r WHERE r.landowner_id = rental.landowner_id AND r.status = 'reserved'
        )
        """,
        story.day(7),
        unique_by=["landowner_id", "equipment_id.rate_cents", "status"],
        mine=True,
    )
    rate = story.money(story.row("equipment", rental["equipment_id"])["rate_cents"])
    story.wish(
        (
            "I reserved two machines and only need one. Please cancel the one that costs {rate} an acre, I forget what it's called.",
            "I would like to cancel one of my reserved machines, the one that costs {rate} an acre. I do not recall its name.",
            "can you cancel one of my reserved machines? the one that's {rate} an acre, forgot what it's called",
        ),
        short="canceling my reserved machine that costs {rate} an acre",
        rate=rate,
    )
    rentals = story.call("list_rentals", landowner_id=story.identify())["rentals"]
    reserved = [each for each in rentals if each["status"] == "reserved"]
    priced = story.find(story.call("search_equipment")["equipment"], rate_cents=rate)
    mine = story.find(reserved, equipment_id=priced["equipment_id"])
    for other in story.others(reserved, mine):
        with story.wrong("takes the first that fits"):
            story.call("cancel_rentals", rental_ids=[other["rental_id"]])
    story.call("cancel_rentals", rental_ids=[mine["rental_id"]])


@scenario(form="mistaken")
def push_it_back_a_week(story: Story) -> None:
    """The landowner wants a rental a week later, but has its day wrong."""
    week = story.choose("days", [7, 14])
    rental = story.pick(
        "rental",
        """
        status = 'reserved' AND NOT EXISTS (
            SELECT 1 FROM rental r WHERE r.equipment_id = rental.equipment_id AND r.rental_id <> rental.rental_id
            AND r.status IN ('reserved', 'out')
            AND r.pickup_on <= date(rental.return_on, '+' || ? || ' days') AND r.return_on >= date(rental.pickup_on, '+' || ? || ' days')
        )
        """,
        week,
        week,
        unique_by=["landowner_id", "equipment_id.name", "status"],
        mine=True,
    )
    machine = story.row("equipment", rental["equipment_id"])["name"]
    off = story.choose("days off", (1, 2, 3))
    believed = story.after(rental["pickup_on"], days=off)
    story.wish(
        (
            "I think I have the {machine} starting {day}. Can you make the whole rental {days} days later and tell me the new pickup day?",
            "I believe my rental of the {machine} starts {day}. Could you please postpone all of it by {days} days and tell me the new pickup day?",
            "pretty sure i've got the {machine} starting {day}. can you make all of it {days} days later? what's the new pickup day",
        ),
        short="making my whole {machine} rental {days} days later and telling me the new pickup day",
        machine=machine,
        day=believed,
        days=week,
    )
    story.believes("pickup day", believed, rental["pickup_on"])
    rentals = story.call("list_rentals", landowner_id=story.identify())["rentals"]
    mine = story.find([each for each in rentals if each["status"] == "reserved"], equipment_name=machine)
    with story.wrong("trusts the customer"):
        moved = story.call(
            "reschedule_rental",
            rental_id=mine["rental_id"],
            pickup_on=story.after(believed, days=week),
            return_on=story.after(believed, days=week),
        )
        story.answer("new pickup day", moved["pickup_on"])
    with story.wrong("cancels it"):
        story.call("cancel_rentals", rental_ids=[mine["rental_id"]])
        story.answer("new pickup day", believed)
    moved = story.call(
        "reschedule_rental",
        rental_id=mine["rental_id"],
        pickup_on=story.after(mine["pickup_on"], days=week),
        return_on=story.after(mine["return_on"], days=week),
    )
    story.answer("new pickup day", moved["pickup_on"])


@scenario(form="outside")
def trees_and_a_planting_crew(story: Story) -> None:
    """The landowner orders seedlings, and asks for something the office does not do."""
    bundles = story.choose("bundles", [2, 3])
    wanted = story.pick("seedling", "bundles_left >= 3", unique_by=["species"])
    story.pick(
        "field",
        """
        NOT EXISTS (SELECT 1 FROM seedling_order o WHERE o.landowner_id = field.landowner_id AND o.status = 'reserved' AND o.seedling_id = ?)
        AND (SELECT coalesce(sum(o.bundles), 0) FROM seedling_order o WHERE o.landowner_id = field.landowner_id AND o.status = 'reserved')
            <= (SELECT CASE l.kind WHEN 'household' THEN 3 ELSE 6 END FROM landowner l WHERE l.landowner_id = field.landowner_id) - ?
        """,
        wanted["seedling_id"],
        bundles,
        mine=True,
    )
    pickup = story.choose("pickup day", {"Friday": "friday", "Saturday": "saturday"})
    story.wish(
        (
            "I want to plant some {species} this spring. Can you order {bundles} bundles for me to pick up on {pickup}?",
            "I would like to order {bundles} bundles of {species} and pick them up on {pickup}.",
            "can you order me {bundles} bundles of {species}? i'll pick up on {pickup}",
        ),
        short="ordering {bundles} bundles of {species} for {pickup} pickup",
        species=wanted["species"],
        bundles=bundles,
        pickup=pickup,
    )
    story.outside(
        (
            "And can you send a crew out to plant them for me?",
            "I would also like you to send a crew to plant them.",
            "and can you send some people out to plant them?",
        )
    )
    key = story.identify()
    seedlings = story.call("search_seedlings", species=wanted["species"])["seedlings"]
    found = story.find(seedlings, species=wanted["species"])
    story.call(
        "order_seedlings", landowner_id=key, seedling_id=found["seedling_id"], bundles=bundles, pickup_day=pickup
    )


@scenario
def approve_and_tell_the_share(story: Story) -> None:
    """The landowner wants an application approved and asks what share the office pays."""
    contract = story.pick(
        "contract",
        """
        status = 'applied' AND (
            field_id IN (SELECT field_id FROM field WHERE land_use IN ('pasture', 'woods'))
            OR EXISTS (SELECT 1 FROM soil_test t WHERE t.field_id = contract.field_id AND date(t.reported_at) >= ?)
        )
        """,
        story.day(-730),
        unique_by=["landowner_id", "practice_id.name", "field_id.name", "status"],
        mine=True,
    )
    practice = story.row("practice", contract["practice_id"])["name"]
    field = story.row("field", contract["field_id"])["name"]
    story.wish(
        (
            "I'm ready to get going with the {practice} on my {field}. Can you approve my application and tell me your share?",
            "I would like to have my application for the {practice} on my {field} approved. Could you please also tell me your share?",
            "can you approve my application for the {practice} on my {field}? and what's your share of it",
        ),
        short="approving my application for the {practice} on my {field} and telling me your share",
        practice=practice,
        field=field,
    )
    key = story.identify()
    contracts = story.call("list_contracts", landowner_id=key)["contracts"]
    applied = [each for each in contracts if each["status"] == "applied"]
    mine = story.find(applied, practice_name=practice, field_name=field)
    approved = story.call("approve_contract", contract_id=mine["contract_id"])
    story.answer("share", story.money(approved["share_cents"]))


@scenario(form="fallback")
def approve_or_cancel(story: Story) -> None:
    """The landowner wants an application approved, or else canceled."""
    contract = story.pick(
        "contract",
        """
        status = 'applied' AND practice_id IN (SELECT practice_id FROM practice WHERE land_use IS NULL)
        """,
        unique_by=["landowner_id", "practice_id.name", "status"],
        mine=True,
    )
    practice = story.row("practice", contract["practice_id"])["name"]
    approve = story.wish(
        (
            "I applied for the {practice} and I'm ready to start. Can you approve my application?",
            "I would like to begin with the {practice} that I applied for. Could you please approve my application?",
            "can you approve my application for the {practice}? ready to get going",
        ),
        short="approving my application for the {practice}",
        practice=practice,
    )
    drop = story.otherwise(
        approve,
        (
            "Then cancel my application for the {practice}. I can't wait around for it.",
            "In that case, please cancel my application for the {practice}. I am unable to wait.",
            "then cancel my application for the {practice}, can't wait around",
        ),
        short="canceling my application for the {practice}",
        practice=practice,
    )
    key = story.identify()
    contracts = story.call("list_contracts", wish=approve, landowner_id=key)["contracts"]
    applied = [each for each in contracts if each["status"] == "applied"]
    mine = story.find(applied, practice_name=practice)
    with story.wrong("cancels it right away"):
        story.call("cancel_contract", wish=drop, contract_id=mine["contract_id"])
    if story.permits("approve_contract", wish=approve, contract_id=mine["contract_id"]):
        story.call("approve_contract", wish=approve, contract_id=mine["contract_id"])
    else:
        story.decline(approve)
        story.call("cancel_contract", wish=drop, contract_id=mine["contract_id"])


@scenario(form="all_but")
def test_all_fields_but_one(story: Story) -> None:
    """The landowner wants a soil test of every field except one."""
    field = story.pick(
        "field",
        """
        (SELECT count(*) FROM field g WHERE g.landowner_id = field.landowner_id) BETWEEN 3 AND 6
        AND NOT EXISTS (
            SELECT 1 FROM field g JOIN soil_test t ON t.field_id = g.field_id
            WHERE g.landowner_id = field.landowner_id AND t.status = 'ordered'
        )
        AND NOT EXISTS (
            SELECT 1 FROM field g JOIN soil_test t ON t.field_id = g.field_id
            WHERE g.landowner_id = field.landowner_id AND g.field_id <> field.field_id AND date(t.reported_at) > ?
        )
        """,
        story.day(-365),
        unique_by=["landowner_id", "name"],
        mine=True,
    )
    kind = story.choose("kind", ["standard", "complete"])
    story.wish(
        (
            "I'm getting ready for spring and want a {kind} soil test on every field I have except my {field}. Can you order those?",
            "I would like to order a {kind} soil test for each of my fields except my {field}.",
            "can you order a {kind} soil test for all my fields? skip my {field}",
        ),
        short="ordering a {kind} soil test for each of my fields except my {field}",
        kind=kind,
        field=field["name"],
    )
    fields = story.call("list_fields", landowner_id=story.identify())["fields"]
    with story.wrong("forgets the exception"):
        story.call("order_soil_tests", field_ids=[each["field_id"] for each in fields], kind=kind)
    wanted = story.all_but(fields, name=field["name"])
    story.call("order_soil_tests", field_ids=[each["field_id"] for each in wanted], kind=kind)


@scenario(form="all_but")
def pay_all_charges_but_one(story: Story) -> None:
    """The landowner pays every open charge except one."""
    charge = story.pick(
        "charge",
        f"status = 'open' AND {ONLY_CHARGE_OF_ITS_DAY} AND (SELECT count(*) FROM charge o WHERE o.landowner_id = charge.landowner_id AND o.status = 'open') BETWEEN 3 AND 6",
        mine=True,
    )
    day = story.date_of(charge["created_at"])
    method = story.choose("method", ["card", "check", "cash"])
    story.wish(
        (
            "I want to clear up what I owe, except the charge from {day}, which I'm still looking into. Can you take the rest by {method}?",
            "I would like to pay all of my open charges by {method}, except the one from {day}, which I am still looking into.",
            "can you take {method} for everything i owe except the charge from {day}? still looking into that one",
        ),
        short="taking {method} for everything I owe except the charge from {day}",
        day=day,
        method=method,
    )
    key = story.identify()
    charges = story.call("list_charges", landowner_id=key)["charges"]
    still_open = [each for each in charges if each["status"] == "open"]
    kept = story.find([each for each in still_open if story.date_of(each["created_at"]) == day], landowner_id=key)
    with story.wrong("forgets the exception"):
        story.call("pay_charges", charge_ids=[each["charge_id"] for each in still_open], method=method)
    rest = story.all_but(still_open, charge_id=kept["charge_id"])
    story.call("pay_charges", charge_ids=[each["charge_id"] for each in rest], method=method)


@scenario(form="each")
def test_all_my_fields(story: Story) -> None:
    """The landowner wants a soil test of every field, each judged by itself."""
    story.pick(
        "landowner",
        """
        (SELECT count(*) FROM field f WHERE f.landowner_id = landowner.landowner_id) BETWEEN 2 AND 5
        AND NOT EXISTS (
            SELECT 1 FROM field f JOIN soil_test t ON t.field_id = f.field_id
            WHERE f.landowner_id = landowner.landowner_id AND t.status = 'ordered'
        )
        AND EXISTS (
            SELECT 1 FROM field f WHERE f.landowner_id = landowner.landowner_id
            AND NOT EXISTS (SELECT 1 FROM soil_test t WHERE t.field_id = f.field_id AND date(t.reported_at) > ?)
        )
        """,
        story.day(-365),
        mine=True,
    )
    kind = story.choose("kind", ["standard", "complete"])
    order = story.wish(
        (
            "I'd like to know where I stand this spring. Can you order a {kind} soil test for every one of my fields?",
            "I would like to have a {kind} soil test ordered for each of my fields.",
            "can you order {kind} soil tests for all my fields?",
        ),
        short="ordering a {kind} soil test for each of my fields",
        kind=kind,
    )
    fields = story.call("list_fields", landowner_id=story.identify())["fields"]
    for each in story.each(fields):
        if story.permits("order_soil_tests", field_ids=[each["field_id"]], kind=kind):
            story.call("order_soil_tests", field_ids=[each["field_id"]], kind=kind)
        else:
            story.decline(order)


@scenario(form="each")
def waive_two_charges(story: Story) -> None:
    """The landowner asks to have two charges waived, one after the other."""
    first = story.pick(
        "charge",
        f"""
        status = 'open' AND kind <> 'rental' AND amount_cents <= 4000 AND {ONLY_CHARGE_OF_ITS_DAY} AND EXISTS (
            SELECT 1 FROM charge p WHERE p.landowner_id = charge.landowner_id AND p.charge_id <> charge.charge_id AND p.status = 'open'
            AND 1 = (
                SELECT count(*) FROM charge o WHERE o.landowner_id = p.landowner_id AND o.status = 'open' AND date(o.created_at) = date(p.created_at)
            )
        )
        """,
        mine=True,
    )
    second = story.pick(
        "charge", f"status = 'open' AND charge_id <> ? AND {ONLY_CHARGE_OF_ITS_DAY}", first["charge_id"], mine=True
    )
    one, two = story.date_of(first["created_at"]), story.date_of(second["created_at"])
    waive = story.wish(
        (
            "Two charges on my account bother me. Can you waive the one from {one} first, and then the one from {two}?",
            "I would like to have two charges waived, first the one from {one} and then the one from {two}.",
            "can you waive the charge from {one} first, and then the one from {two}?",
        ),
        short="waiving the charge from {one} first, and then the one from {two}",
        one=one,
        two=two,
    )
    key = story.identify()
    charges = story.call("list_charges", landowner_id=key)["charges"]
    still_open = [each for each in charges if each["status"] == "open"]
    named = [
        story.find([each for each in still_open if story.date_of(each["created_at"]) == one], landowner_id=key),
        story.find([each for each in still_open if story.date_of(each["created_at"]) == two], landowner_id=key),
    ]
    for each in story.each(named):
        if story.permits("waive_charge", charge_id=each["charge_id"]):
            story.call("waive_charge", charge_id=each["charge_id"])
        else:
            story.decline(waive)


@scenario(form="each")
def plant_on_two_fields(story: Story) -> None:
    """The landowner applies for a planting on one field and then on another."""
    practice = story.pick("practice", "unit = 'acre' AND land_use IS NULL AND funds_left_cents >= 500000")
    field = story.pick(
        "field",
        f"""
        acres >= 5 AND {ROOM_IN_THE_YEAR} >= 217500
        AND NOT EXISTS (SELECT 1 FROM contract c WHERE c.field_id = field.field_id AND c.practice_id = ? AND c.status IN ('applied', 'approved'))
        AND EXISTS (
            SELECT 1 FROM field g WHERE g.landowner_id = field.landowner_id AND g.field_id <> field.field_id AND g.acres >= 5
            AND NOT EXISTS (SELECT 1 FROM contract c WHERE c.field_id = g.field_id AND c.practice_id = ? AND c.status IN ('applied', 'approved'))
        )
        """,
        practice["practice_id"],
        practice["practice_id"],
        unique_by=["landowner_id", "name"],
        mine=True,
    )
    other = story.pick(
        "field",
        """
        acres >= 5 AND field_id <> ?
        AND NOT EXISTS (SELECT 1 FROM contract c WHERE c.field_id = field.field_id AND c.practice_id = ? AND c.status IN ('applied', 'approved'))
        """,
        field["field_id"],
        practice["practice_id"],
        unique_by=["landowner_id", "name"],
        mine=True,
    )
    acres = story.choose("acres", [3, 4, 5])
    day = story.day(story.choose("ahead", [64, 85, 106]))
    apply = story.wish(
        (
            "I want to put in {acres} acres of {practice} on my {first}, and then {acres} acres on my {second}, done by {day}. Can you apply for both, in that order?",
            "I would like to apply for {acres} acres of {practice} on my {first}, and after that for {acres} acres on my {second}, both to be finished by {day}.",
            "can you apply for {acres} acres of {practice} on my {first}, and then {acres} acres on my {second}? both done by {day}",
        ),
        short="applying for {acres} acres of {practice} on my {first} and then {acres} acres on my {second}, done by {day}",
        acres=acres,
        practice=practice["name"],
        first=field["name"],
        second=other["name"],
        day=day,
    )
    fields = story.call("list_fields", landowner_id=story.identify())["fields"]
    offered = story.find(story.call("list_practices")["practices"], name=practice["name"])
    named = [story.find(fields, name=field["name"]), story.find(fields, name=other["name"])]
    for each in story.each(named):
        if story.permits(
            "apply_for_cost_share",
            field_id=each["field_id"],
            practice_id=offered["practice_id"],
            units=acres,
            finish_by=day,
        ):
            story.call(
                "apply_for_cost_share",
                field_id=each["field_id"],
                practice_id=offered["practice_id"],
                units=acres,
                finish_by=day,
            )
        else:
            story.decline(apply)
