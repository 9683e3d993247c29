"""What people want of Maple Street Pet Care: every function is a scenario."""

from runtime.story import Story, scenario

PETS_OWNED = "(SELECT count(*) FROM pet AS other WHERE other.client_id = pet.client_id)"
OWED = """
    (SELECT coalesce(sum(CASE WHEN kind IN ('payment', 'credit') THEN -amount_cents ELSE amount_cents END), 0) FROM account_entry WHERE account_entry.client_id = pet.client_id)
"""
RABIES_UNTIL = """
    (SELECT coalesce(max(expires_on), '') FROM vaccination WHERE vaccination.pet_id = pet.pet_id
        AND vaccine = 'rabies')
"""
CLIENT_IS_FULL = """
    (SELECT count(*) FROM visit AS other JOIN pet AS theirs ON theirs.pet_id = other.pet_id JOIN pet AS its ON its.client_id = theirs.client_id WHERE its.pet_id = visit.pet_id
        AND other.status = 'booked') >= (SELECT CASE tier WHEN 'basic' THEN 1 WHEN 'plus' THEN 2 ELSE 4 END FROM client JOIN pet ON pet.client_id = client.client_id WHERE pet.pet_id = visit.pet_id)
"""
VISITS_BOOKED = """
    (SELECT count(*) FROM visit JOIN pet ON pet.pet_id = visit.pet_id WHERE pet.client_id = client.client_id
        AND visit.status = 'booked'
        AND visit.starts_at > '2025-06-11 09:10:00')
"""
STAYS_BOOKED = """
    (SELECT count(*) FROM stay JOIN pet ON pet.pet_id = stay.pet_id WHERE pet.client_id = client.client_id
        AND stay.status = 'booked'
        AND stay.room <> 'suite'
        AND stay.starts_on > '2025-06-11')
"""
COVERED = """
    (SELECT count(*) FROM pet WHERE pet.client_id = client.client_id
        AND (SELECT coalesce(max(expires_on), '') FROM vaccination WHERE vaccination.pet_id = pet.pet_id
        AND vaccine = 'rabies') > ?)
"""
NOT_COVERED = """
    (SELECT count(*) FROM pet WHERE pet.client_id = client.client_id
        AND (SELECT coalesce(max(expires_on), '') FROM vaccination WHERE vaccination.pet_id = pet.pet_id
        AND vaccine = 'rabies') < ?)
"""
COVERED_AT_ALL = "(SELECT count(*) FROM pet WHERE pet.client_id = client.client_id)"
CLIENT_OWED = """
    (SELECT coalesce(sum(CASE WHEN kind IN ('payment', 'credit') THEN -amount_cents ELSE amount_cents END), 0) FROM account_entry WHERE account_entry.client_id = client.client_id)
"""


@scenario
def change_phone_number(story: Story) -> None:
    """The client has a new phone number."""
    story.pick(
        "pet",
        "weight_pounds > 0",
        unique_by=["client_id", "name"],
        mine=True,
    )
    phone = story.choose(
        "phone", ["(202) 555-0113", "(202) 555-0128", "(202) 555-0146", "(202) 555-0171", "(202) 555-0189"]
    )
    story.wish(
        (
            "I just switched carriers and my new number is {phone}. Can you update it?",
            "I have a new phone number, {phone}. Could you please update my contact details?",
            "can you change my phone number? new one is {phone}",
        ),
        short="changing my phone number to {phone}",
        phone=phone,
    )
    story.call("update_client", client_id=story.identify(), phone=phone)


@scenario
def register_new_dog(story: Story) -> None:
    """The client registers a new dog."""
    story.pick(
        "pet",
        "weight_pounds > 0",
        unique_by=["client_id", "name"],
        mine=True,
    )
    name = story.choose("name", ["Pancake", "Dumpling", "Tofu", "Truffle"])
    species = story.choose("species", ["dog"])
    breed = story.choose("breed", ["Beagle", "Pug", "Boxer", "Corgi"])
    weight = story.choose("weight", [12, 18, 26, 33])
    day = story.day(-story.choose("age", (210, 305, 420)))
    story.wish(
        (
            "We just adopted a {species} named {name}. Can you add the new pup, a {breed} born on {day} that weighs {weight} pounds?",
            "I have adopted a {species} named {name}, a {breed} born on {day}, now {weight} pounds. Could you please register this pet?",
            "can you add our new {species}? {name}, a {breed}, {weight} pounds, born on {day}",
        ),
        short="adding my new {species} {name}, a {breed} born on {day} that weighs {weight} pounds",
        species=species,
        name=name,
        breed=breed,
        day=day,
        weight=weight,
    )
    story.call(
        "add_pet",
        client_id=story.identify(),
        name=name,
        species=species,
        breed=breed,
        weight_pounds=weight,
        birth_date=day,
    )


@scenario(form="all_but")
def feed_all_but_one(story: Story) -> None:
    """The client changes the feeding notes of all pets except one."""
    pet = story.pick(
        "pet",
        f"{PETS_OWNED} BETWEEN 3 AND 6",
        unique_by=["client_id", "name"],
        mine=True,
    )
    note = story.dictate("note", "Two small meals a day, no treats until {day}", day=story.day(14))
    story.wish(
        (
            "We're changing how we feed everybody except {name}. For the feeding notes of all my other pets, put exactly this: {note}",
            "I would like to change the feeding notes of all my pets except {name}. Please put exactly this: {note}",
            "new feeding notes for all my pets, skip {name}. put exactly this: {note}",
        ),
        short="changing the feeding notes of all my pets except {name} to {note}",
        name=pet["name"],
        note=note,
    )
    pets = story.call("list_pets", client_id=story.identify())["pets"]
    with story.wrong("forgets the exception"):
        for each in pets:
            story.call("update_pet", pet_id=each["pet_id"], feeding_notes=note)
    for each in story.all_but(pets, name=pet["name"]):
        story.call("update_pet", pet_id=each["pet_id"], feeding_notes=note)


@scenario(form="ambiguous")
def one_pet_gained_weight(story: Story) -> None:
    """The client reports the new weight of one of four or more pets."""
    pet = story.pick(
        "pet",
        f"{PETS_OWNED} >= 4",
        unique_by=["client_id", "name"],
        mine=True,
    )
    weight = story.choose("weight", [14, 19, 23, 28, 34, 41])
    update = story.wish(
        (
            "The vet weighed one of my pets at {weight} pounds. Can you update that?",
            "One of my pets now weighs {weight} pounds. Could you please update the record?",
            "can you update the weight of one of my pets? it's {weight} pounds now",
        ),
        weight=weight,
    )
    story.keep_back("pet", pet["name"])
    story.in_short(
        update, "changing the weight of one of my pets to {weight} pounds, {name}", weight=weight, name=pet["name"]
    )
    pets = story.call("list_pets", client_id=story.identify())["pets"]
    mine = story.find(pets, name=pet["name"])
    for other in story.others(pets, mine):
        with story.wrong("takes another pet"):
            story.call("update_pet", pet_id=other["pet_id"], weight_pounds=weight)
    story.call("update_pet", pet_id=mine["pet_id"], weight_pounds=weight)


@scenario(form="ambiguous")
def one_pet_got_its_shot(story: Story) -> None:
    """The client reports the rabies shot of one of four or more pets."""
    pet = story.pick(
        "pet",
        f"{PETS_OWNED} >= 4",
        unique_by=["client_id", "name"],
        mine=True,
    )
    vaccine = story.choose("vaccine", ["rabies"])
    given = story.day(-story.choose("ago", (1, 2, 4)))
    until = story.day(360)
    shot = story.wish(
        (
            "One of my pets got a {vaccine} shot on {given}, good through {until}. Can you put it on file?",
            "One of my pets received a {vaccine} vaccination on {given}, valid through {until}. Could you please record it?",
            "can you add a {vaccine} shot for one of my pets? got it on {given}, good through {until}",
        ),
        vaccine=vaccine,
        given=given,
        until=until,
    )
    story.keep_back("pet", pet["name"])
    story.in_short(
        shot,
        "recording a {vaccine} shot on {given}, good through {until}, for one of my pets, {name}",
        vaccine=vaccine,
        given=given,
        until=until,
        name=pet["name"],
    )
    pets = story.call("list_pets", client_id=story.identify())["pets"]
    mine = story.find(pets, name=pet["name"])
    for other in story.others(pets, mine):
        with story.wrong("takes another pet"):
            story.call("record_vaccination", pet_id=other["pet_id"], vaccine=vaccine, given_on=given, expires_on=until)
    story.call("record_vaccination", pet_id=mine["pet_id"], vaccine=vaccine, given_on=given, expires_on=until)


@scenario(form="changed_mind")
def correct_a_weight(story: Story) -> None:
    """The client gives a pet's new weight and then corrects it."""
    pet = story.pick(
        "pet",
        "weight_pounds > 0",
        unique_by=["client_id", "name"],
        mine=True,
    )
    first = story.choose("first", [21, 31, 51])
    second = story.choose("second", [22, 32, 52])
    number = story.wish(
        (
            "We weighed {name} at home and got {weight} pounds. Can you update that?",
            "I weighed {name} today, and the result was {weight} pounds. Could you please update it?",
            "can you update the weight for {name}? {weight} pounds now",
        ),
        short="changing the weight of {name} to {weight} pounds",
        name=pet["name"],
        weight=first,
    )
    correct = story.changes_mind(
        number,
        (
            "Sorry, I misread the scale. Make {name} {weight} pounds.",
            "I apologize, I misread the scale. Please make it {weight} pounds for {name}.",
            "oops misread that, make it {weight} pounds for {name}",
        ),
        short="changing the weight of {name} to {weight} pounds",
        name=pet["name"],
        weight=second,
    )
    pets = story.call("list_pets", wish=number, client_id=story.identify())["pets"]
    mine = story.find(pets, name=pet["name"])
    story.call("update_pet", wish=number, pet_id=mine["pet_id"], weight_pounds=first)
    story.call("update_pet", wish=correct, pet_id=mine["pet_id"], weight_pounds=second)


@scenario(form="withheld")
def withhold_new_phone(story: Story) -> None:
    """The client has a new phone number and tells it when asked."""
    story.pick(
        "pet",
        "weight_pounds > 0",
        unique_by=["client_id", "name"],
        mine=True,
    )
    phone = story.choose(
        "phone", ["(202) 555-0113", "(202) 555-0128", "(202) 555-0146", "(202) 555-0171", "(202) 555-0189"]
    )
    update = story.wish(
        (
            "I got a new phone number last week. Can you update it on my account?",
            "My phone number has changed. Could you please update my contact details?",
            "new phone number here, can you change it for me?",
        ),
    )
    story.keep_back("new number", phone)
    story.in_short(update, "changing my phone number to {phone}", phone=phone)
    story.call("update_client", client_id=story.identify(), phone=phone)


@scenario(form="withheld")
def withhold_new_weight(story: Story) -> None:
    """The client has a pet's new weight and tells it when asked."""
    pet = story.pick(
        "pet",
        "weight_pounds > 0",
        unique_by=["client_id", "name"],
        mine=True,
    )
    weight = story.choose("weight", [14, 19, 23, 28, 34, 41])
    update = story.wish(
        (
            "The vet just weighed {name} and your number is off. Can you update the weight?",
            "I have a new weight for {name} from the vet. Could you please update it?",
            "need to update the weight for {name}, can you do that?",
        ),
        name=pet["name"],
    )
    story.keep_back("new weight", weight)
    story.in_short(update, "changing the weight of {name} to {weight} pounds", name=pet["name"], weight=weight)
    pets = story.call("list_pets", client_id=story.identify())["pets"]
    mine = story.find(pets, name=pet["name"])
    story.call("update_pet", pet_id=mine["pet_id"], weight_pounds=weight)


@scenario(form="mistaken")
def gained_on_a_wrong_weight(story: Story) -> None:
    """The client adds a gain to a weight that they remember wrongly."""
    pet = story.pick(
        "pet",
        "weight_pounds BETWEEN 10 AND 200",
        unique_by=["client_id", "name"],
        mine=True,
    )
    wrong = pet["weight_pounds"] + story.choose("off", (2, 4, 7))
    gain = story.choose("gain", (3, 5, 6))
    story.wish(
        (
            "I think you have {name} at {wrong} pounds. Can you add {gain} pounds to whatever the weight on file is?",
            "I believe {name} is listed at {wrong} pounds. Could you please raise the weight on file by {gain} pounds?",
            "can you add {gain} pounds to the weight on file for {name}? pretty sure it says {wrong} pounds",
        ),
        short="adding {gain} pounds to the weight on file for {name}",
        name=pet["name"],
        wrong=wrong,
        gain=gain,
    )
    story.believes("weight on file", wrong, pet["weight_pounds"])
    pets = story.call("list_pets", client_id=story.identify())["pets"]
    mine = story.find(pets, name=pet["name"])
    with story.wrong("trusts the customer"):
        story.call(
            "update_pet",
            pet_id=mine["pet_id"],
            weight_pounds=story.total([{"pounds": wrong}, {"pounds": gain}], "pounds"),
        )
    with story.wrong("writes only the gain"):
        story.call("update_pet", pet_id=mine["pet_id"], weight_pounds=gain)
    new = story.total([{"pounds": mine["weight_pounds"]}, {"pounds": gain}], "pounds")
    story.call("update_pet", pet_id=mine["pet_id"], weight_pounds=new)


@scenario(form="conditional")
def weight_by_what_is_on_file(story: Story) -> None:
    """The client sets a weight that depends on the one on file."""
    pet = story.pick(
        "pet",
        "weight_pounds > 0",
        unique_by=["client_id", "name"],
        mine=True,
    )
    limit = story.choose("limit", (25, 35, 45))
    low = story.choose("low", (24, 27))
    high = story.choose("high", (49, 53))
    story.wish(
        (
            "I have two scale readings for {name}. If you have {limit} pounds or less on file, make it {low} pounds. If it's more, make it {high} pounds.",
            "If the weight on file for {name} is {limit} pounds or less, please change it to {low} pounds. If it is more, please change it to {high} pounds.",
            "check the weight for {name}: if it's {limit} pounds or less make it {low} pounds, if it's more make it {high} pounds",
        ),
        short="changing the weight of {name} to {low} pounds if it's {limit} pounds or less on file, and to {high} pounds if it's more",
        name=pet["name"],
        limit=limit,
        low=low,
        high=high,
    )
    pets = story.call("list_pets", client_id=story.identify())["pets"]
    mine = story.find(pets, name=pet["name"])
    right, other = (low, high) if mine["weight_pounds"] <= limit else (high, low)
    with story.wrong("takes the other branch"):
        story.call("update_pet", pet_id=mine["pet_id"], weight_pounds=other)
    with story.wrong("writes the limit"):
        story.call("update_pet", pet_id=mine["pet_id"], weight_pounds=limit)
    story.call("update_pet", pet_id=mine["pet_id"], weight_pounds=right)


@scenario(form="computed")
def total_weight_with_a_gain(story: Story) -> None:
    """The client asks what all pets weigh together with a gain."""
    pet = story.pick(
        "pet",
        f"{PETS_OWNED} BETWEEN 2 AND 8",
        unique_by=["client_id", "name"],
        mine=True,
    )
    gain = story.choose("gain", (3, 5, 8))
    story.wish(
        (
            "I'm renting a van for my pets. Going by your records, what's their total weight, with {gain} more pounds for {name}?",
            "I need to plan a trip with all my pets. Could you please tell me their total weight on file, with {gain} more pounds for {name}?",
            "what's the total weight of all my pets on file? add {gain} pounds for {name}",
        ),
        short="telling me the total weight of all my pets on file with {gain} more pounds for {name}",
        name=pet["name"],
        gain=gain,
    )
    pets = story.call("list_pets", client_id=story.identify())["pets"]
    mine = story.find(pets, name=pet["name"])
    with story.wrong("forgets the gain"):
        story.answer("total weight", story.total(pets, "weight_pounds"))
    with story.wrong("counts only the one pet"):
        story.answer(
            "total weight",
            story.total([{"weight_pounds": mine["weight_pounds"]}, {"weight_pounds": gain}], "weight_pounds"),
        )
    story.answer("total weight", story.total([{"weight_pounds": gain}, *pets], "weight_pounds"))


@scenario(form="coupled")
def board_after_the_shot(story: Story) -> None:
    """The client books a stay and reports the rabies shot that it needs."""
    pet = story.pick(
        "pet",
        f"{RABIES_UNTIL} < ? AND {OWED} < 5000",
        story.day(84),
        unique_by=["client_id", "name"],
        mine=True,
    )
    start = story.day(story.choose("lead", (84, 91, 98)))
    end = story.after(start, days=story.choose("nights", (2, 3, 5)))
    room = story.choose("room", {"a standard room": "standard", "a deluxe room": "deluxe", "a suite": "suite"})
    vaccine = story.choose("vaccine", ["rabies"])
    given = story.day(-story.choose("ago", (1, 2, 4)))
    until = story.day(360)
    with story.together():
        stay = story.wish(
            (
                "Can you book {room} for {name} from {start} to {end}?",
                "I would like to book {room} for {name} from {start} to {end}.",
                "need {room} for {name} from {start} to {end}, can you book it?",
            ),
            short="booking {room} for {name} from {start} to {end}",
            room=room,
            name=pet["name"],
            start=start,
            end=end,
        )
        shot = story.wish(
            (
                "And please put the {vaccine} shot for {name} on file. It was given on {given} and is good through {until}.",
                "Please also record the {vaccine} shot that {name} received on {given}, valid through {until}.",
                "and add the {vaccine} shot for {name} from {given}, good through {until}",
            ),
            short="recording the {vaccine} shot for {name} from {given}, good through {until}",
            name=pet["name"],
            vaccine=vaccine,
            given=given,
            until=until,
        )
    pets = story.call("list_pets", wish=stay, client_id=story.identify())["pets"]
    mine = story.find(pets, name=pet["name"])
    story.call(
        "record_vaccination", wish=shot, pet_id=mine["pet_id"], vaccine=vaccine, given_on=given, expires_on=until
    )
    story.call("book_stay", wish=stay, pet_id=mine["pet_id"], room=room, starts_on=start, ends_on=end)


@scenario
def pay_toward_balance(story: Story) -> None:
    """The client pays an amount and asks for the new balance."""
    story.pick(
        "pet",
        "weight_pounds > 0",
        unique_by=["client_id", "name"],
        mine=True,
    )
    kind = story.choose("kind", {"a payment": "payment"})
    amount = story.money(story.choose("amount", (2000, 3500, 5000, 7500)))
    story.wish(
        (
            "I'd like to put {kind} of {amount} on my account today. What's my balance after that?",
            "I would like to make {kind} of {amount} on my account. Could you please tell me my balance afterward?",
            "can you add {kind} of {amount} to my account? what's my balance after",
        ),
        short="adding {kind} of {amount} to my account and telling me my balance",
        kind=kind,
        amount=amount,
    )
    key = story.identify()
    story.call("add_account_entry", client_id=key, kind=kind, amount_cents=amount)
    story.answer("balance", story.money(story.call("get_account_summary", client_id=key)["balance_cents"]))


@scenario
def cancel_a_far_stay(story: Story) -> None:
    """The client cancels a stay far ahead."""
    stay = story.pick(
        "stay",
        "status = 'booked' AND starts_on > ?",
        story.day(30),
        unique_by=["pet_id", "starts_on"],
        mine=True,
    )
    name = story.row("pet", stay["pet_id"])["name"]
    day = stay["starts_on"]
    story.wish(
        (
            "Our trip fell through. Can you cancel the stay for {name} that starts on {day}?",
            "Our plans have changed. Could you please cancel the stay for {name} that starts on {day}?",
            "can you cancel the stay for {name} that starts on {day}? trip's off",
        ),
        short="canceling the stay for {name} that starts on {day}",
        name=name,
        day=day,
    )
    stays = story.call("list_stays", client_id=story.identify())["stays"]
    mine = story.find(stays, pet_name=name, starts_on=day)
    story.call("cancel_stay", stay_id=mine["stay_id"])


@scenario
def book_a_suite(story: Story) -> None:
    """The client books a stay for a pet with a current rabies shot."""
    pet = story.pick(
        "pet",
        f"{RABIES_UNTIL} > ? AND {OWED} < 3000",
        story.day(105),
        unique_by=["client_id", "name"],
        mine=True,
    )
    start = story.day(story.choose("lead", (84, 91, 98)))
    end = story.after(start, days=story.choose("nights", (2, 3, 5)))
    room = story.choose("room", {"a standard room": "standard", "a deluxe room": "deluxe", "a suite": "suite"})
    story.wish(
        (
            "We're off to see family. Can you book {room} for {name} from {start} to {end}?",
            "I would like to board {name} from {start} to {end}. Could you please book {room}?",
            "can you book {room} for {name}? from {start} to {end}",
        ),
        short="booking {room} for {name} from {start} to {end}",
        name=pet["name"],
        room=room,
        start=start,
        end=end,
    )
    pets = story.call("list_pets", client_id=story.identify())["pets"]
    mine = story.find(pets, name=pet["name"])
    story.call("book_stay", pet_id=mine["pet_id"], room=room, starts_on=start, ends_on=end)


@scenario(form="denied")
def board_despite_a_balance(story: Story) -> None:
    """The client books a stay, whatever is owed."""
    pet = story.pick(
        "pet",
        f"{RABIES_UNTIL} > ? AND {OWED} <> 0 AND {OWED} - (SELECT coalesce(max(amount_cents), 0) FROM account_entry WHERE account_entry.client_id = pet.client_id AND kind IN ('stay_charge', 'visit_charge')) < 5000",
        story.day(105),
        unique_by=["client_id", "name"],
        mine=True,
    )
    start = story.day(story.choose("lead", (84, 91, 98)))
    end = story.after(start, days=story.choose("nights", (2, 3, 5)))
    room = story.choose("room", {"a standard room": "standard", "a deluxe room": "deluxe", "a suite": "suite"})
    ask = story.wish(
        (
            "I need a place for {name} from {start} to {end}. Can you book {room}?",
            "I would like to board {name} from {start} to {end} in {room}, please.",
            "can you board {name} from {start} to {end}? {room} would be great",
        ),
        short="booking {room} for {name} from {start} to {end}",
        name=pet["name"],
        room=room,
        start=start,
        end=end,
    )
    story.insists(
        ask,
        (
            "I'm leaving town and have nobody else to ask. Please make this work.",
            "I have no other option and would truly appreciate your help.",
            "im really stuck here, cmon",
        ),
    )
    story.insists(
        ask,
        (
            "I've been stressing about this trip for weeks.",
            "This trip has worried me for weeks.",
            "been losing sleep over this",
        ),
    )
    pets = story.call("list_pets", client_id=story.identify())["pets"]
    mine = story.find(pets, name=pet["name"])
    with story.wrong("books a day too long"):
        story.call("book_stay", pet_id=mine["pet_id"], room=room, starts_on=start, ends_on=story.after(end, days=1))
    if story.permits("book_stay", pet_id=mine["pet_id"], room=room, starts_on=start, ends_on=end):
        story.call("book_stay", pet_id=mine["pet_id"], room=room, starts_on=start, ends_on=end)
    else:
        story.decline(ask)


@scenario(form="denied")
def push_a_stay_back(story: Story) -> None:
    """The client moves a stay to much later."""
    stay = story.pick(
        "stay",
        "status = 'booked'",
        unique_by=["pet_id", "starts_on"],
        mine=True,
    )
    name = story.row("pet", stay["pet_id"])["name"]
    day = stay["starts_on"]
    start = story.day(story.choose("lead", (90, 150, 210, 270)))
    end = story.after(start, days=story.choose("nights", (2, 4, 5)))
    ask = story.wish(
        (
            "We have to push our trip back. Can you move the stay for {name} that starts on {day} so it runs from {start} to {end}?",
            "Our trip has been postponed. I would like to move the stay for {name} that starts on {day} to {start} through {end}.",
            "can you move the stay for {name}? starts on {day} now, should be from {start} to {end}",
        ),
        short="moving the stay for {name} that starts on {day} to run from {start} to {end}",
        name=name,
        day=day,
        start=start,
        end=end,
    )
    story.insists(
        ask,
        (
            "I'm leaving town and have nobody else to ask. Please make this work.",
            "I have no other option and would truly appreciate your help.",
            "im really stuck here, cmon",
        ),
    )
    story.insists(
        ask,
        (
            "I've been stressing about this trip for weeks.",
            "This trip has worried me for weeks.",
            "been losing sleep over this",
        ),
    )
    stays = story.call("list_stays", client_id=story.identify())["stays"]
    mine = story.find(stays, pet_name=name, starts_on=day)
    with story.wrong("moves it a day too far"):
        story.call("change_stay_dates", stay_id=mine["stay_id"], starts_on=start, ends_on=story.after(end, days=1))
    with story.wrong("cancels it instead"):
        story.call("cancel_stay", stay_id=mine["stay_id"])
    if story.permits("change_stay_dates", stay_id=mine["stay_id"], starts_on=start, ends_on=end):
        story.call("change_stay_dates", stay_id=mine["stay_id"], starts_on=start, ends_on=end)
    else:
        story.decline(ask)


@scenario(form="fallback")
def upgrade_or_note_weight(story: Story) -> None:
    """The client wants a suite for the booked stay, or else gives the pet's weight."""
    stay = story.pick(
        "stay",
        "status = 'booked' AND room <> 'suite'",
        unique_by=["pet_id", "status"],
        mine=True,
    )
    name = story.row("pet", stay["pet_id"])["name"]
    room = story.choose("room", {"a suite": "suite"})
    weight = story.choose("weight", [14, 19, 23, 28, 34, 41])
    ask = story.wish(
        (
            "I want to spoil {name} a little. Can you switch the stay we have booked for {name} to {room}?",
            "I would like to change the stay that is booked for {name} to {room}, please.",
            "can you switch the stay booked for {name} to {room}?",
        ),
        short="switching the stay booked for {name} to {room}",
        name=name,
        room=room,
    )
    other = story.otherwise(
        ask,
        (
            "Then just put {name} down at {weight} pounds, the weight you have is old.",
            "In that case, please change the weight of {name} to {weight} pounds.",
            "then just make the weight for {name} {weight} pounds",
        ),
        short="changing the weight of {name} to {weight} pounds",
        name=name,
        weight=weight,
    )
    story.insists(
        ask,
        (
            "I'm leaving town and have nobody else to ask. Please make this work.",
            "I have no other option and would truly appreciate your help.",
            "im really stuck here, cmon",
        ),
    )
    story.insists(
        ask,
        (
            "I've been stressing about this trip for weeks.",
            "This trip has worried me for weeks.",
            "been losing sleep over this",
        ),
    )
    key = story.identify()
    stays = story.call("list_stays", wish=ask, client_id=key)["stays"]
    mine = story.find([each for each in stays if each["status"] == "booked"], pet_name=name)
    with story.wrong("cancels it instead"):
        story.call("cancel_stay", wish=ask, stay_id=mine["stay_id"])
    if story.permits("change_stay_room", wish=ask, stay_id=mine["stay_id"], room=room):
        story.call("change_stay_room", wish=ask, stay_id=mine["stay_id"], room=room)
    else:
        story.decline(ask)
        pet = story.find(story.call("list_pets", wish=other, client_id=key)["pets"], name=name)
        story.call("update_pet", wish=other, pet_id=pet["pet_id"], weight_pounds=weight)


@scenario(form="best_of")
def day_of_largest_payment(story: Story) -> None:
    """The client asks when the largest payment was entered."""
    story.pick(
        "account_entry",
        "kind = 'payment' AND EXISTS (SELECT 1 FROM account_entry AS big WHERE big.client_id = account_entry.client_id AND big.kind = 'stay_charge' AND big.amount_cents > (SELECT max(amount_cents) FROM account_entry AS paid WHERE paid.client_id = account_entry.client_id AND paid.kind = 'payment'))",
        unique_by=["entry_id"],
        mine=True,
    )
    story.wish(
        (
            "I'm going over my budget. What's the payment amount of the largest payment I've made you, and what's its payment day?",
            "Could you please look up my largest payment and tell me its payment amount and its payment day?",
            "what's the payment day of my biggest payment to you guys, and the payment amount?",
        ),
        short="telling me the payment day and the payment amount of my largest payment",
    )
    entries = story.call("list_account_entries", client_id=story.identify())["entries"]
    most = story.highest(entries, "amount_cents")
    with story.wrong("forgets a condition"):
        story.answer("payment amount", story.money(most["amount_cents"]))
        story.answer("payment day", most["entered_on"])
    paid = [each for each in entries if each["kind"] == "payment"]
    best = story.highest(paid, "amount_cents")
    for other in story.others(paid, best, 1):
        with story.wrong("takes another one that fits"):
            story.answer("payment amount", story.money(other["amount_cents"]))
            story.answer("payment day", other["entered_on"])
    story.answer("payment amount", story.money(best["amount_cents"]))
    story.answer("payment day", best["entered_on"])


@scenario(form="coupled")
def pay_off_then_board(story: Story) -> None:
    """The client books a stay and pays off the balance that stands in the way."""
    pet = story.pick(
        "pet",
        f"{RABIES_UNTIL} > ? AND {OWED} >= 5000",
        story.day(105),
        unique_by=["client_id", "name"],
        mine=True,
    )
    start = story.day(story.choose("lead", (84, 91, 98)))
    end = story.after(start, days=story.choose("nights", (2, 3, 5)))
    room = story.choose("room", {"a standard room": "standard", "a deluxe room": "deluxe", "a suite": "suite"})
    kind = story.choose("kind", {"a payment": "payment"})
    with story.together():
        stay = story.wish(
            (
                "Can you book {room} for {name} from {start} to {end}?",
                "I would like to book {room} for {name} from {start} to {end}.",
                "need {room} for {name} from {start} to {end}, can you book it?",
            ),
            short="booking {room} for {name} from {start} to {end}",
            name=pet["name"],
            room=room,
            start=start,
            end=end,
        )
        pay = story.wish(
            (
                "And put {kind} on my account for my whole balance.",
                "Please also enter {kind} on my account for my entire balance.",
                "and add {kind} for my whole balance",
            ),
            short="adding {kind} to my account for my whole balance",
            kind=kind,
        )
    key = story.identify()
    mine = story.find(story.call("list_pets", wish=stay, client_id=key)["pets"], name=pet["name"])
    owed = story.call("get_account_summary", wish=pay, client_id=key)["balance_cents"]
    story.call("add_account_entry", wish=pay, client_id=key, kind=kind, amount_cents=owed)
    story.call("book_stay", wish=stay, pet_id=mine["pet_id"], room=room, starts_on=start, ends_on=end)


@scenario(form="coupled")
def move_then_upgrade(story: Story) -> None:
    """The client wants a better room for a stay that is near and moves it later."""
    stay = story.pick(
        "stay",
        "status = 'booked' AND room <> 'suite' AND starts_on < ? AND (SELECT max(expires_on) FROM vaccination WHERE vaccination.pet_id = stay.pet_id AND vaccine = 'rabies') > ?",
        story.day(14),
        story.day(105),
        unique_by=["pet_id", "starts_on"],
        mine=True,
    )
    name = story.row("pet", stay["pet_id"])["name"]
    day = stay["starts_on"]
    room = story.choose("room", {"a suite": "suite"})
    start = story.day(story.choose("lead", (84, 91, 98)))
    end = story.after(start, days=story.choose("nights", (2, 3, 5)))
    with story.together():
        up = story.wish(
            (
                "Can you switch the stay for {name} that starts on {day} to {room}?",
                "I would like to change the stay for {name} that starts on {day} to {room}.",
                "switch the stay for {name} that starts on {day} to {room} pls",
            ),
            short="switching the stay for {name} that starts on {day} to {room}",
            name=name,
            day=day,
            room=room,
        )
        move = story.wish(
            (
                "And move that stay for {name} so it runs from {start} to {end}.",
                "Please also move that stay for {name} to {start} through {end}.",
                "and move that stay for {name} to {start} through {end}",
            ),
            short="moving that stay for {name} to run from {start} to {end}",
            name=name,
            start=start,
            end=end,
        )
    stays = story.call("list_stays", wish=move, client_id=story.identify())["stays"]
    mine = story.find(stays, pet_name=name, starts_on=day)
    story.call("change_stay_dates", wish=move, stay_id=mine["stay_id"], starts_on=start, ends_on=end)
    story.call("change_stay_room", wish=up, stay_id=mine["stay_id"], room=room)


@scenario(form="outside")
def pay_and_ask_for_a_ride(story: Story) -> None:
    """The client pays and asks for a ride home for the pet."""
    story.pick(
        "pet",
        "weight_pounds > 0",
        unique_by=["client_id", "name"],
        mine=True,
    )
    kind = story.choose("kind", {"a payment": "payment"})
    amount = story.money(story.choose("amount", (2000, 3500, 5000, 7500)))
    story.wish(
        (
            "I'd like to put {kind} of {amount} on my account, please.",
            "I would like to make {kind} of {amount} on my account.",
            "can you add {kind} of {amount} to my account?",
        ),
        short="adding {kind} of {amount} to my account",
        kind=kind,
        amount=amount,
    )
    story.call("add_account_entry", client_id=story.identify(), kind=kind, amount_cents=amount)
    story.outside(
        (
            "And can one of you drive my pet home to me tonight?",
            "Could someone also drive my pet home to me this evening?",
            "and can somebody drop my pet off at my place tonight?",
        )
    )


@scenario(form="mistaken")
def extend_from_a_wrong_pickup(story: Story) -> None:
    """The client extends a stay from a pickup day that they remember wrongly."""
    stay = story.pick(
        "stay",
        "status = 'booked' AND (SELECT max(expires_on) FROM vaccination WHERE vaccination.pet_id = stay.pet_id AND vaccine = 'rabies') > ?",
        story.day(105),
        unique_by=["pet_id", "starts_on"],
        mine=True,
    )
    name = story.row("pet", stay["pet_id"])["name"]
    day = stay["starts_on"]
    wrong = story.after(stay["ends_on"], days=story.choose("off", [1]))
    more = story.choose("more", [2])
    story.wish(
        (
            "I think pickup for {name} is on {wrong}, for the stay that starts on {day}. Can you move whatever pickup day is booked {more} days later?",
            "I believe the stay for {name} that starts on {day} ends on {wrong}. Could you please move the booked pickup day {more} days later?",
            "can you move pickup {more} days later for {name}? the stay that starts on {day}, pretty sure it ends on {wrong}",
        ),
        short="moving the booked pickup day {more} days later for the stay for {name} that starts on {day}",
        name=name,
        day=day,
        wrong=wrong,
        more=more,
    )
    story.believes("pickup day", wrong, stay["ends_on"])
    stays = story.call("list_stays", client_id=story.identify())["stays"]
    mine = story.find(stays, pet_name=name, starts_on=day)
    with story.wrong("trusts the customer"):
        story.call("change_stay_dates", stay_id=mine["stay_id"], ends_on=story.after(wrong, days=more))
    with story.wrong("takes the pickup day that was named"):
        story.call("change_stay_dates", stay_id=mine["stay_id"], ends_on=wrong)
    story.call("change_stay_dates", stay_id=mine["stay_id"], ends_on=story.after(mine["ends_on"], days=more))


@scenario
def rate_a_visit(story: Story) -> None:
    """The client rates a visit."""
    visit = story.pick(
        "visit",
        "status = 'completed' AND stars IS NULL",
        unique_by=["pet_id", "starts_at"],
        mine=True,
    )
    name = story.row("pet", visit["pet_id"])["name"]
    time = visit["starts_at"]
    stars = story.choose("stars", (2, 3, 4, 5))
    story.wish(
        (
            "I picked {name} up from the appointment on {time} and wanted to rate it. Can you put {stars} stars?",
            "I would like to rate the appointment {name} had on {time}. Please record {stars} stars.",
            "can you put {stars} stars for the appointment {name} had on {time}?",
        ),
        short="rating the appointment {name} had on {time} with {stars} stars",
        name=name,
        time=time,
        stars=stars,
    )
    visits = story.call("list_visits", client_id=story.identify())["visits"]
    mine = story.find(visits, pet_name=name, starts_at=time)
    story.call("rate_visit", visit_id=mine["visit_id"], stars=stars)


@scenario
def cancel_a_visit(story: Story) -> None:
    """The client cancels a visit that was never moved."""
    visit = story.pick(
        "visit",
        "status = 'booked' AND times_moved = 0 AND starts_at > ?",
        story.now,
        unique_by=["pet_id", "starts_at"],
        mine=True,
    )
    name = story.row("pet", visit["pet_id"])["name"]
    time = visit["starts_at"]
    story.wish(
        (
            "Something came up at work. Can you cancel the appointment for {name} on {time}?",
            "I am unable to come. Could you please cancel the appointment for {name} on {time}?",
            "can you cancel the appointment for {name} on {time}? can't make it",
        ),
        short="canceling the appointment for {name} on {time}",
        name=name,
        time=time,
    )
    visits = story.call("list_visits", client_id=story.identify())["visits"]
    mine = story.find(visits, pet_name=name, starts_at=time)
    story.call("cancel_visits", visit_ids=[mine["visit_id"]])


@scenario(form="denied")
def cancel_whatever_was_moved(story: Story) -> None:
    """The client cancels a visit, moved or not."""
    visit = story.pick(
        "visit",
        "status = 'booked' AND starts_at > ?",
        story.now,
        unique_by=["pet_id", "starts_at"],
        mine=True,
    )
    name = story.row("pet", visit["pet_id"])["name"]
    time = visit["starts_at"]
    ask = story.wish(
        (
            "We won't make it after all. Can you cancel the appointment for {name} on {time}?",
            "I would like to cancel the appointment for {name} on {time}, please.",
            "can you cancel the appointment for {name} on {time}? no way we can make it",
        ),
        short="canceling the appointment for {name} on {time}",
        name=name,
        time=time,
    )
    story.insists(
        ask,
        (
            "My whole week got turned upside down. Please make this work.",
            "My schedule has changed completely, and I would truly appreciate your help.",
            "my week is a mess, cmon",
        ),
    )
    story.insists(
        ask,
        (
            "It really matters to me, I can't juggle everything.",
            "This matters a great deal to me.",
            "this one really matters to me",
        ),
    )
    visits = story.call("list_visits", client_id=story.identify())["visits"]
    mine = story.find(visits, pet_name=name, starts_at=time)
    with story.wrong("moves it instead"):
        story.call("reschedule_visit", visit_id=mine["visit_id"], starts_at=story.after(time, days=1))
    if story.permits("cancel_visits", visit_ids=[mine["visit_id"]]):
        story.call("cancel_visits", visit_ids=[mine["visit_id"]])
    else:
        story.decline(ask)


@scenario(form="denied")
def move_a_visit(story: Story) -> None:
    """The client moves a visit to another day."""
    visit = story.pick(
        "visit",
        "status = 'booked' AND starts_at > ?",
        story.now,
        unique_by=["pet_id", "starts_at"],
        mine=True,
    )
    name = story.row("pet", visit["pet_id"])["name"]
    time = visit["starts_at"]
    new = story.after(time, days=story.choose("later", (50, 57, 64)))
    ask = story.wish(
        (
            "I have a conflict on {time}. Can you move the appointment for {name} to {new}?",
            "I would like to move the appointment for {name} on {time} to {new}, please.",
            "can you move the appointment for {name} on {time}? {new} works better",
        ),
        short="moving the appointment for {name} on {time} to {new}",
        name=name,
        time=time,
        new=new,
    )
    story.insists(
        ask,
        (
            "My whole week got turned upside down. Please make this work.",
            "My schedule has changed completely, and I would truly appreciate your help.",
            "my week is a mess, cmon",
        ),
    )
    story.insists(
        ask,
        (
            "It really matters to me, I can't juggle everything.",
            "This matters a great deal to me.",
            "this one really matters to me",
        ),
    )
    visits = story.call("list_visits", client_id=story.identify())["visits"]
    mine = story.find(visits, pet_name=name, starts_at=time)
    with story.wrong("moves it a day too far"):
        story.call("reschedule_visit", visit_id=mine["visit_id"], starts_at=story.after(new, days=1))
    if story.permits("reschedule_visit", visit_id=mine["visit_id"], starts_at=new):
        story.call("reschedule_visit", visit_id=mine["visit_id"], starts_at=new)
    else:
        story.decline(ask)


@scenario(form="fallback")
def book_a_bath_or_note_weight(story: Story) -> None:
    """The client books a visit, or else gives the pet's weight."""
    pet = story.pick(
        "pet",
        "species = 'dog'",
        unique_by=["client_id", "name"],
        mine=True,
    )
    service = story.choose("service", {"a bath": "bath", "a walk": "walk", "a training session": "training"})
    time = story.moment(
        story.day(story.choose("lead", (54, 58, 62))), story.choose("clock", ["10:00", "13:30", "16:00"])
    )
    weight = story.choose("weight", [14, 19, 23, 28, 34, 41])
    ask = story.wish(
        (
            "It's time for {name} to come in again. Can you book {service} on {time}?",
            "I would like to book {service} for {name} on {time}, please.",
            "can you book {service} for {name} on {time}?",
        ),
        short="booking {service} for {name} on {time}",
        name=pet["name"],
        service=service,
        time=time,
    )
    other = story.otherwise(
        ask,
        (
            "Then just put {name} down at {weight} pounds, the weight you have is old.",
            "In that case, please change the weight of {name} to {weight} pounds.",
            "then just make the weight for {name} {weight} pounds",
        ),
        short="changing the weight of {name} to {weight} pounds",
        name=pet["name"],
        weight=weight,
    )
    story.insists(
        ask,
        (
            "My whole week got turned upside down. Please make this work.",
            "My schedule has changed completely, and I would truly appreciate your help.",
            "my week is a mess, cmon",
        ),
    )
    story.insists(
        ask,
        (
            "It really matters to me, I can't juggle everything.",
            "This matters a great deal to me.",
            "this one really matters to me",
        ),
    )
    pets = story.call("list_pets", wish=ask, client_id=story.identify())["pets"]
    mine = story.find(pets, name=pet["name"])
    with story.wrong("books it a day late"):
        story.call("book_visit", wish=ask, pet_id=mine["pet_id"], service=service, starts_at=story.after(time, days=1))
    if story.permits("book_visit", wish=ask, pet_id=mine["pet_id"], service=service, starts_at=time):
        story.call("book_visit", wish=ask, pet_id=mine["pet_id"], service=service, starts_at=time)
    else:
        story.decline(ask)
        story.call("update_pet", wish=other, pet_id=mine["pet_id"], weight_pounds=weight)


@scenario(form="outside")
def rate_and_ask_for_a_house_call(story: Story) -> None:
    """The client rates a visit and asks for a ride."""
    visit = story.pick(
        "visit",
        "status = 'completed' AND stars IS NULL",
        unique_by=["pet_id", "starts_at"],
        mine=True,
    )
    name = story.row("pet", visit["pet_id"])["name"]
    time = visit["starts_at"]
    stars = story.choose("stars", (2, 3, 4, 5))
    story.wish(
        (
            "I'd like to give {stars} stars for the appointment {name} had on {time}.",
            "Please record {stars} stars for the appointment {name} had on {time}.",
            "{stars} stars for the appointment {name} had on {time}, can you put that in?",
        ),
        short="rating the appointment {name} had on {time} with {stars} stars",
        name=name,
        time=time,
        stars=stars,
    )
    visits = story.call("list_visits", client_id=story.identify())["visits"]
    mine = story.find(visits, pet_name=name, starts_at=time)
    story.call("rate_visit", visit_id=mine["visit_id"], stars=stars)
    story.outside(
        (
            "And can the groomer stop by my house to trim nails this weekend?",
            "Could the groomer also come to my house this weekend to trim nails?",
            "and can the groomer come to my place this weekend for nails?",
        )
    )


@scenario(form="computed")
def cost_of_visits_ahead(story: Story) -> None:
    """The client asks what the booked visits cost with what is owed."""
    story.pick(
        "pet",
        f"{OWED} > 0 AND EXISTS (SELECT 1 FROM visit JOIN pet AS theirs ON theirs.pet_id = visit.pet_id WHERE theirs.client_id = pet.client_id AND visit.status = 'booked')",
        unique_by=["client_id", "name"],
        mine=True,
    )
    story.wish(
        (
            "I'm planning my budget. What's the total cost of my booked appointments with what I already owe you?",
            "Could you please tell me the total cost of all my booked appointments, together with what I already owe?",
            "what's the total cost of all my booked appointments plus what i already owe?",
        ),
        short="telling me the total cost of my booked appointments with what I already owe",
    )
    key = story.identify()
    visits = story.call("list_visits", client_id=key)["visits"]
    owed = story.call("get_account_summary", client_id=key)["balance_cents"]
    parts = [{"cents": each["price_cents"]} for each in visits if each["status"] == "booked"]
    with story.wrong("forgets what is owed already"):
        story.answer("total cost", story.money(story.total(parts, "cents")))
    with story.wrong("forgets the appointments"):
        story.answer("total cost", story.money(owed))
    story.answer("total cost", story.money(story.total([{"cents": owed}, *parts], "cents")))


@scenario(form="conditional")
def move_or_cancel_by_price(story: Story) -> None:
    """The client moves a visit if it is cheap and cancels it if not."""
    visit = story.pick(
        "visit",
        "status = 'booked' AND times_moved = 0 AND starts_at > ?",
        story.now,
        unique_by=["pet_id", "starts_at"],
        mine=True,
    )
    name = story.row("pet", visit["pet_id"])["name"]
    time = visit["starts_at"]
    limit = story.money(story.choose("limit", (4000, 5000)))
    new = story.after(time, days=story.choose("later", (50, 57, 64)))
    story.wish(
        (
            "About the appointment for {name} on {time}: if it costs {limit} or less, can you move it to {new}? If it's more, please cancel it.",
            "If the appointment for {name} on {time} costs {limit} or less, please move it to {new}. If it costs more, please cancel it.",
            "if the appointment for {name} on {time} costs {limit} or less move it to {new}, if it's more just cancel it",
        ),
        short="moving the appointment for {name} on {time} to {new} if it costs {limit} or less, and canceling it if it costs more",
        name=name,
        time=time,
        limit=limit,
        new=new,
    )
    visits = story.call("list_visits", client_id=story.identify())["visits"]
    mine = story.find(visits, pet_name=name, starts_at=time)
    with story.wrong("moves it a day too far"):
        story.call("reschedule_visit", visit_id=mine["visit_id"], starts_at=story.after(new, days=1))
    if mine["price_cents"] <= limit:
        with story.wrong("takes the other branch"):
            story.call("cancel_visits", visit_ids=[mine["visit_id"]])
        story.call("reschedule_visit", visit_id=mine["visit_id"], starts_at=new)
    else:
        with story.wrong("takes the other branch"):
            story.call("reschedule_visit", visit_id=mine["visit_id"], starts_at=new)
        story.call("cancel_visits", visit_ids=[mine["visit_id"]])


@scenario(form="coupled")
def swap_a_visit(story: Story) -> None:
    """The client books a visit and cancels the one that takes its place."""
    visit = story.pick(
        "visit",
        f"status = 'booked' AND times_moved = 0 AND starts_at > ? AND {CLIENT_IS_FULL}",
        story.now,
        unique_by=["pet_id", "starts_at"],
        mine=True,
    )
    name = story.row("pet", visit["pet_id"])["name"]
    time = visit["starts_at"]
    service = story.choose("service", {"a bath": "bath"})
    new = story.moment(
        story.day(story.choose("lead", (54, 58, 62))), story.choose("clock", ["10:00", "13:30", "16:00"])
    )
    with story.together():
        ask = story.wish(
            (
                "Can you book {service} for {name} on {new}?",
                "I would like to book {service} for {name} on {new}.",
                "need {service} for {name} on {new}, can you book it?",
            ),
            short="booking {service} for {name} on {new}",
            service=service,
            name=name,
            new=new,
        )
        drop = story.wish(
            (
                "And cancel the appointment for {name} on {time}, we don't need it anymore.",
                "Please also cancel the appointment for {name} on {time}, which we no longer need.",
                "and cancel the appointment for {name} on {time}, don't need it",
            ),
            short="canceling the appointment for {name} on {time}",
            name=name,
            time=time,
        )
    visits = story.call("list_visits", wish=drop, client_id=story.identify())["visits"]
    mine = story.find(visits, pet_name=name, starts_at=time)
    story.call("cancel_visits", wish=drop, visit_ids=[mine["visit_id"]])
    story.call("book_visit", wish=ask, pet_id=mine["pet_id"], service=service, starts_at=new)


@scenario(form="best_of")
def diet_for_lightest_dog(story: Story) -> None:
    """The client changes the feeding notes of the lightest dog."""
    story.pick(
        "pet",
        "species = 'dog' AND EXISTS (SELECT 1 FROM pet AS more WHERE more.client_id = pet.client_id AND more.species = 'dog' AND more.weight_pounds <> pet.weight_pounds) AND EXISTS (SELECT 1 FROM pet AS more WHERE more.client_id = pet.client_id AND more.species = 'cat' AND more.weight_pounds < pet.weight_pounds)",
        unique_by=["client_id", "name"],
        mine=True,
    )
    species = story.choose("species", ["dog"])
    note = story.dictate("note", "Puppy food twice a day until {day}, then half portions", day=story.day(14))
    story.wish(
        (
            "The vet wants a diet for the lightest {species} I have. For the feeding notes of that {species}, put exactly this: {note}",
            "I would like to change the feeding notes of the lightest {species} that I have. Please put exactly this: {note}",
            "new feeding notes for my lightest {species} pls. put exactly this: {note}",
        ),
        short="changing the feeding notes of my lightest {species} to {note}",
        species=species,
        note=note,
    )
    pets = story.call("list_pets", client_id=story.identify())["pets"]
    with story.wrong("forgets a condition"):
        story.call("update_pet", pet_id=story.lowest(pets, "weight_pounds")["pet_id"], feeding_notes=note)
    kind = [each for each in pets if each["species"] == "dog"]
    with story.wrong("takes the other end"):
        story.call("update_pet", pet_id=story.highest(kind, "weight_pounds")["pet_id"], feeding_notes=note)
    best = story.lowest(kind, "weight_pounds")
    story.call("update_pet", pet_id=best["pet_id"], feeding_notes=note)


@scenario(form="best_of")
def diet_for_heaviest_cat(story: Story) -> None:
    """The client changes the feeding notes of the heaviest cat."""
    story.pick(
        "pet",
        "species = 'cat' AND EXISTS (SELECT 1 FROM pet AS more WHERE more.client_id = pet.client_id AND more.species = 'cat' AND more.weight_pounds <> pet.weight_pounds) AND EXISTS (SELECT 1 FROM pet AS more WHERE more.client_id = pet.client_id AND more.species = 'dog' AND more.weight_pounds > pet.weight_pounds)",
        unique_by=["client_id", "name"],
        mine=True,
    )
    species = story.choose("species", ["cat"])
    note = story.dictate("note", "Diet food only until {day}, a third of a cup twice a day", day=story.day(14))
    story.wish(
        (
            "The vet wants a diet for the heaviest {species} I have. For the feeding notes of that {species}, put exactly this: {note}",
            "I would like to change the feeding notes of the heaviest {species} that I have. Please put exactly this: {note}",
            "new feeding notes for my heaviest {species} pls. put exactly this: {note}",
        ),
        short="changing the feeding notes of my heaviest {species} to {note}",
        species=species,
        note=note,
    )
    pets = story.call("list_pets", client_id=story.identify())["pets"]
    with story.wrong("forgets a condition"):
        story.call("update_pet", pet_id=story.highest(pets, "weight_pounds")["pet_id"], feeding_notes=note)
    kind = [each for each in pets if each["species"] == "cat"]
    with story.wrong("takes the other end"):
        story.call("update_pet", pet_id=story.lowest(kind, "weight_pounds")["pet_id"], feeding_notes=note)
    best = story.highest(kind, "weight_pounds")
    story.call("update_pet", pet_id=best["pet_id"], feeding_notes=note)


@scenario(form="looked_up")
def weight_of_pet_born_on(story: Story) -> None:
    """The client gives the weight of the pet born on a day."""
    pet = story.pick(
        "pet",
        f"{PETS_OWNED} BETWEEN 2 AND 6",
        unique_by=["client_id", "birth_date"],
        mine=True,
    )
    day = pet["birth_date"]
    weight = story.choose("weight", [14, 19, 23, 28, 34, 41])
    story.wish(
        (
            "We weighed the birthday pet, the one born on {day}. Can you make that one {weight} pounds?",
            "My pet that was born on {day} now weighs {weight} pounds. Could you please update the weight?",
            "can you put {weight} pounds for my pet born on {day}?",
        ),
        short="changing the weight of my pet born on {day} to {weight} pounds",
        day=day,
        weight=weight,
    )
    pets = story.call("list_pets", client_id=story.identify())["pets"]
    details = [story.call("get_pet", pet_id=each["pet_id"]) for each in pets]
    mine = story.find(details, birth_date=day)
    for other in story.others(details, mine):
        with story.wrong("takes another pet"):
            story.call("update_pet", pet_id=other["pet_id"], weight_pounds=weight)
    story.call("update_pet", pet_id=mine["pet_id"], weight_pounds=weight)


@scenario(form="all_but")
def shots_for_all_but_one(story: Story) -> None:
    """The client reports rabies shots for all pets except one."""
    pet = story.pick(
        "pet",
        f"{PETS_OWNED} BETWEEN 3 AND 6",
        unique_by=["client_id", "name"],
        mine=True,
    )
    vaccine = story.choose("vaccine", ["rabies"])
    given = story.day(-story.choose("ago", (1, 2, 4)))
    until = story.day(360)
    story.wish(
        (
            "The vet came by on {given} and gave all my pets except {name} a {vaccine} shot, good through {until}. Can you add those?",
            "All of my pets except {name} received a {vaccine} vaccination on {given}, valid through {until}. Could you please record them?",
            "can you add {vaccine} shots from {given}, good through {until}, for all my pets? skip {name}",
        ),
        short="recording {vaccine} shots on {given}, good through {until}, for all my pets except {name}",
        name=pet["name"],
        vaccine=vaccine,
        given=given,
        until=until,
    )
    pets = story.call("list_pets", client_id=story.identify())["pets"]
    with story.wrong("forgets the exception"):
        for each in pets:
            story.call("record_vaccination", pet_id=each["pet_id"], vaccine=vaccine, given_on=given, expires_on=until)
    for each in story.all_but(pets, name=pet["name"]):
        story.call("record_vaccination", pet_id=each["pet_id"], vaccine=vaccine, given_on=given, expires_on=until)


@scenario(form="changed_mind")
def correct_a_phone_number(story: Story) -> None:
    """The client gives a new phone number and corrects it."""
    story.pick(
        "pet",
        "weight_pounds > 0",
        unique_by=["client_id", "name"],
        mine=True,
    )
    first = story.choose("first", ["(202) 555-0131", "(202) 555-0152"])
    second = story.choose("second", ["(202) 555-0113", "(202) 555-0125", "(202) 555-0187"])
    number = story.wish(
        (
            "My new number is {phone}, can you update it?",
            "I have a new phone number, {phone}. Could you please update it?",
            "got a new number, {phone}, can you change it?",
        ),
        short="changing my phone number to {phone}",
        phone=first,
    )
    correct = story.changes_mind(
        number,
        (
            "Sorry, typo. My number is {phone}.",
            "I apologize, I typed that wrong. My number is {phone}.",
            "oops typo, my number is {phone}",
        ),
        short="changing my phone number to {phone}",
        phone=second,
    )
    key = story.identify()
    story.call("update_client", wish=number, client_id=key, phone=first)
    story.call("update_client", wish=correct, client_id=key, phone=second)


@scenario(form="changed_mind")
def correct_an_email(story: Story) -> None:
    """The client gives a new email address and corrects it."""
    story.pick(
        "pet",
        "weight_pounds > 0",
        unique_by=["client_id", "name"],
        mine=True,
    )
    first = story.choose("first", ["pawsathome@example.org", "pawsandtails@example.org"])
    second = story.choose("second", ["paws.at.home@example.net", "tails.at.home@example.net"])
    number = story.wish(
        (
            "I switched email providers. Can you use {email} from now on?",
            "My email has changed. Could you please update it to {email}?",
            "new email for my account is {email}, can you change it?",
        ),
        short="changing my email to {email}",
        email=first,
    )
    correct = story.changes_mind(
        number,
        (
            "Actually, make my email {email}, I check that one more.",
            "On second thought, please make my email {email}.",
            "actually make that {email} for my email",
        ),
        short="changing my email to {email}",
        email=second,
    )
    key = story.identify()
    story.call("update_client", wish=number, client_id=key, email=first)
    story.call("update_client", wish=correct, client_id=key, email=second)


@scenario(form="each")
def cancel_all_visits(story: Story) -> None:
    """The client cancels all booked visits, some of which were moved."""
    story.pick(
        "client",
        f"{VISITS_BOOKED} BETWEEN 2 AND 5",
        mine=True,
    )
    ask = story.wish(
        (
            "We're moving out of town. Can you cancel all the appointments I have booked?",
            "We are leaving the area. I would like to cancel all of the appointments that I have booked, please.",
            "can you cancel every appointment i have booked? we're moving",
        ),
        short="canceling all the appointments I have booked",
    )
    visits = story.call("list_visits", client_id=story.identify())["visits"]
    booked = [each for each in visits if each["status"] == "booked"]
    for each in story.each(booked):
        if story.permits("cancel_visits", visit_ids=[each["visit_id"]]):
            story.call("cancel_visits", visit_ids=[each["visit_id"]])
        else:
            story.decline(ask)


@scenario(form="each")
def board_all_pets(story: Story) -> None:
    """The client boards all pets, some without a current rabies shot."""
    story.pick(
        "client",
        f"{COVERED} >= 1 AND {NOT_COVERED} >= 1 AND {COVERED_AT_ALL} <= 5 AND {CLIENT_OWED} < 5000",
        story.day(105),
        story.day(84),
        mine=True,
    )
    start = story.day(story.choose("lead", (84, 91, 98)))
    end = story.after(start, days=story.choose("nights", (2, 3, 5)))
    room = story.choose("room", {"a standard room": "standard", "a deluxe room": "deluxe", "a suite": "suite"})
    ask = story.wish(
        (
            "We're all flying out and the pets stay here. Can you book {room} for each of my pets from {start} to {end}?",
            "I would like to board all of my pets from {start} to {end}. Could you please book {room} for each of them?",
            "can you book {room} for every one of my pets? from {start} to {end}",
        ),
        short="booking {room} for each of my pets from {start} to {end}",
        room=room,
        start=start,
        end=end,
    )
    pets = story.call("list_pets", client_id=story.identify())["pets"]
    for each in story.each(pets):
        if story.permits("book_stay", pet_id=each["pet_id"], room=room, starts_on=start, ends_on=end):
            story.call("book_stay", pet_id=each["pet_id"], room=room, starts_on=start, ends_on=end)
        else:
            story.decline(ask)


@scenario(form="each")
def suites_for_all_stays(story: Story) -> None:
    """The client wants a suite for all booked stays, some of which are near."""
    story.pick(
        "client",
        f"{STAYS_BOOKED} BETWEEN 2 AND 5",
        mine=True,
    )
    room = story.choose("room", {"a suite": "suite"})
    ask = story.wish(
        (
            "I want to treat my pets this summer. Can you switch every stay I have booked to {room}, unless it's that already?",
            "I would like to change all of the stays that I have booked to {room}, except where they are already.",
            "can you switch all my booked stays to {room}? skip the ones that are already",
        ),
        short="switching every stay I have booked to {room} unless it's that already",
        room=room,
    )
    stays = story.call("list_stays", client_id=story.identify())["stays"]
    open_stays = [each for each in stays if each["status"] == "booked" and each["room"] != "suite"]
    for each in story.each(open_stays):
        if story.permits("change_stay_room", stay_id=each["stay_id"], room=room):
            story.call("change_stay_room", stay_id=each["stay_id"], room=room)
        else:
            story.decline(ask)
