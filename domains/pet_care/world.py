"""Fill a pet care center: clients, their dogs and cats, vaccinations, stays, visits, and accounts."""

from runtime import WorldBuilder, days_between, weekday

INVARIANTS = {
    "Open stays of one pet share no night.": """
        SELECT stay.stay_id FROM stay JOIN stay AS other ON other.pet_id = stay.pet_id AND other.stay_id <> stay.stay_id
        WHERE stay.status IN ('booked', 'checked_in') AND other.status IN ('booked', 'checked_in')
        AND stay.starts_on < other.ends_on AND other.starts_on < stay.ends_on
    """,
    "A stay has the nightly rate of its room.": """
        SELECT stay_id FROM stay
        WHERE nightly_rate_cents <> CASE room WHEN 'standard' THEN 4500 WHEN 'deluxe' THEN 6500 ELSE 9000 END
    """,
    "A visit has the price of its service.": """
        SELECT visit_id FROM visit
        WHERE price_cents <> CASE service WHEN 'walk' THEN 2500 WHEN 'day_care' THEN 3800 WHEN 'bath' THEN 4500
            WHEN 'full_groom' THEN 8500 ELSE 6000 END
    """,
    "A booked stay lies ahead, a checked-in one has begun and not ended, a completed one is over.": """
        SELECT stay_id FROM stay
        WHERE (status = 'booked' AND starts_on < '2025-06-11')
        OR (status = 'checked_in' AND (starts_on > '2025-06-11' OR ends_on < '2025-06-11'))
        OR (status = 'completed' AND ends_on > '2025-06-11')
    """,
    "A booked visit lies ahead and a completed one in the past.": """
        SELECT visit_id FROM visit
        WHERE (status = 'booked' AND starts_at <= '2025-06-11 09:10:00') OR (status = 'completed' AND starts_at > '2025-06-11 09:10:00')
    """,
    "A cat gets no walk and no training.": """
        SELECT visit.visit_id FROM visit JOIN pet ON pet.pet_id = visit.pet_id
        WHERE pet.species = 'cat' AND visit.service IN ('walk', 'training')
    """,
    "A vaccine suits the species and was given after birth, by today.": """
        SELECT vaccination.vaccination_id FROM vaccination JOIN pet ON pet.pet_id = vaccination.pet_id
        WHERE (pet.species = 'dog' AND vaccine = 'feline_combo') OR (pet.species = 'cat' AND vaccine IN ('distemper', 'bordetella'))
        OR given_on < birth_date OR given_on > '2025-06-11'
    """,
    "An entry about a stay is on the account of the pet's owner.": """
        SELECT account_entry.entry_id FROM account_entry JOIN stay ON stay.stay_id = account_entry.stay_id
        JOIN pet ON pet.pet_id = stay.pet_id WHERE pet.client_id <> account_entry.client_id
    """,
}

GIVEN = (
    "Denise",
    "Miguel",
    "Priya",
    "Kevin",
    "Aaliyah",
    "Tom",
    "Brenda",
    "Carlos",
    "Megan",
    "Tyrone",
    "Linda",
    "Hector",
    "Emily",
    "Jamal",
    "Susan",
    "Wei",
    "Angela",
    "Derek",
    "Nicole",
    "Raj",
    "Patricia",
    "Luis",
    "Heather",
    "Marcus",
    "Gloria",
    "Ethan",
    "Diane",
    "Omar",
    "Kelly",
    "Victor",
    "Janet",
    "Andre",
    "Melissa",
    "Paul",
    "Yolanda",
    "Scott",
    "Rosa",
    "Brian",
    "Tiffany",
    "George",
    "Karen",
    "Dmitri",
    "Laura",
    "Isaac",
    "Teresa",
    "Kyle",
    "Naomi",
    "Frank",
)
FAMILY = (
    "Walker",
    "Ortega",
    "Raman",
    "Tran",
    "Brooks",
    "Kowalski",
    "Hughes",
    "Delgado",
    "Schmidt",
    "Jefferson",
    "Nguyen",
    "Patel",
    "Murphy",
    "Castillo",
    "Bennett",
    "Washington",
    "Kim",
    "Russo",
    "Foster",
    "Gupta",
    "Hayes",
    "Mendoza",
    "Olson",
    "Coleman",
    "Rivera",
    "Stewart",
    "Chen",
    "Jenkins",
    "Novak",
    "Perry",
    "Fuller",
    "Vargas",
    "Dixon",
    "Larsen",
    "Whitaker",
    "Singh",
    "Barnes",
    "McCarthy",
    "Flores",
    "Hoffman",
    "Reed",
    "Sandoval",
    "Wagner",
    "Price",
    "Harmon",
    "Abbott",
    "Lopez",
    "Grant",
)
AREAS = (614, 380, 740, 220, 937, 419, 567, 330, 234, 216, 440, 513, 283, 326, 859, 304, 412, 317, 734, 502)
PET_NAMES = (
    "Biscuit",
    "Luna",
    "Max",
    "Bella",
    "Charlie",
    "Daisy",
    "Cooper",
    "Lucy",
    "Milo",
    "Sadie",
    "Rocky",
    "Molly",
    "Duke",
    "Bailey",
    "Bear",
    "Maggie",
    "Tucker",
    "Sophie",
    "Jack",
    "Chloe",
    "Oliver",
    "Stella",
    "Zeus",
    "Penny",
    "Toby",
    "Zoey",
    "Leo",
    "Lily",
    "Finn",
    "Ruby",
    "Gus",
    "Rosie",
    "Louie",
    "Ellie",
    "Murphy",
    "Gracie",
    "Winston",
    "Coco",
    "Jasper",
    "Nala",
    "Oscar",
    "Willow",
    "Henry",
    "Hazel",
    "Bruno",
    "Piper",
    "Sam",
    "Olive",
    "Ollie",
    "Ginger",
    "Thor",
    "Pepper",
    "Scout",
    "Roxy",
    "Hank",
    "Lola",
    "Moose",
    "Winnie",
    "Ace",
    "Honey",
    "Boomer",
    "Mia",
    "Simba",
    "Lulu",
    "Diesel",
    "Abby",
    "Archie",
    "Millie",
    "Otis",
    "Phoebe",
    "Rex",
    "Josie",
    "Samson",
    "Callie",
    "Brody",
    "Remi",
    "Buster",
    "Harley",
    "Marley",
    "Cleo",
    "Baxter",
    "Dixie",
    "Ziggy",
    "Mocha",
    "Shadow",
    "Sasha",
    "Benny",
    "Annie",
    "Rusty",
    "Maya",
    "Chester",
    "Minnie",
    "Banjo",
    "Nova",
    "Cash",
    "Ivy",
    "Jax",
    "Violet",
    "Koda",
    "Poppy",
    "Romeo",
    "Athena",
    "Bandit",
    "Bonnie",
    "Apollo",
    "Fiona",
    "Riley",
    "Georgia",
    "King",
    "Peaches",
    "Prince",
    "Delilah",
    "Rufus",
    "Freya",
    "Tank",
    "Juno",
    "Titan",
    "Kona",
    "Walter",
    "Layla",
    "Chance",
    "Lexi",
    "Blue",
    "Macy",
    "Brutus",
    "Mabel",
    "Cody",
    "Mittens",
    "Copper",
    "Muffin",
    "Dexter",
    "Nellie",
    "Elvis",
    "Noodle",
    "Felix",
    "Nutmeg",
    "Frankie",
    "Oreo",
    "George",
    "Patches",
    "Gizmo",
    "Pearl",
    "Goose",
    "Pixie",
    "Gunner",
    "Pumpkin",
    "Hunter",
    "Queenie",
    "Iggy",
    "Raven",
    "Jake",
    "Sage",
    "Jojo",
    "Salem",
    "Kobe",
    "Sandy",
    "Levi",
    "Smokey",
    "Loki",
    "Snickers",
    "Lucky",
    "Sugar",
    "Maverick",
    "Summer",
    "Mickey",
    "Sunny",
    "Mochi",
    "Taffy",
    "Nacho",
    "Tessa",
    "Nico",
    "Tilly",
    "Odie",
    "Trixie",
    "Ozzy",
    "Vera",
    "Pablo",
    "Waffles",
    "Peanut",
    "Wren",
    "Percy",
    "Zelda",
    "Pogo",
    "Ash",
    "Quincy",
    "Bubbles",
    "Ranger",
    "Clover",
    "Rocket",
    "Dolly",
    "Rolo",
    "Edie",
    "Rudy",
    "Flora",
    "Scooter",
    "Gigi",
    "Sherman",
    "Heidi",
    "Sparky",
    "Indie",
    "Spike",
    "Jade",
    "Sully",
    "Kiwi",
    "Taco",
    "Lacey",
    "Teddy",
    "Magnolia",
    "Theo",
    "Nina",
    "Turbo",
    "Opal",
    "Tyson",
    "Paisley",
    "Vinny",
    "Pebbles",
    "Wally",
    "Pippa",
    "Watson",
    "Roo",
    "Wilbur",
    "Scarlett",
    "Yogi",
    "Skye",
    "Zeke",
    "Sprout",
    "Arlo",
    "Tulip",
    "Atlas",
    "Velma",
    "Axel",
    "Wanda",
    "Barney",
    "Xena",
    "Beau",
    "Birdie",
    "Bingo",
    "Cricket",
    "Bodie",
    "Dottie",
    "Boots",
    "Ember",
    "Bruiser",
    "Fern",
    "Bubba",
    "Garnet",
    "Buddy",
    "Hattie",
    "Captain",
    "Iris",
    "Chewy",
    "June",
    "Chico",
    "Kitty",
    "Clyde",
    "Lemon",
    "Comet",
    "Maple",
    "Dash",
    "Myrtle",
    "Domino",
    "Nora",
    "Echo",
    "Onyx",
    "Fargo",
    "Plum",
)
DOGS = (
    ("Beagle", 20, 32),
    ("Boxer", 50, 78),
    ("Labrador Retriever", 55, 85),
    ("Golden Retriever", 55, 78),
    ("French Bulldog", 17, 29),
    ("German Shepherd", 52, 92),
    ("Poodle", 38, 70),
    ("Dachshund", 12, 30),
    ("Corgi", 21, 32),
    ("Yorkshire Terrier", 4, 9),
    ("Shih Tzu", 9, 17),
    ("Rottweiler", 80, 128),
    ("Great Dane", 108, 170),
    ("Border Collie", 28, 52),
    ("Chihuahua", 3, 7),
    ("Husky", 36, 62),
    ("Pug", 13, 20),
    ("Australian Shepherd", 38, 66),
    ("Cocker Spaniel", 19, 31),
    ("Bernese Mountain Dog", 72, 112),
    ("Boston Terrier", 11, 25),
    ("Maltese", 4, 8),
    ("Pit Bull", 34, 66),
    ("Greyhound", 58, 74),
    ("Mastiff", 120, 190),
    ("Basset Hound", 41, 63),
    ("Havanese", 8, 14),
    ("Weimaraner", 56, 88),
)
CATS = (
    ("Siamese", 7, 12),
    ("Maine Coon", 11, 20),
    ("Persian", 8, 13),
    ("Ragdoll", 10, 19),
    ("Bengal", 8, 15),
    ("Domestic Shorthair", 7, 14),
    ("Domestic Longhair", 8, 15),
    ("Russian Blue", 7, 13),
    ("Sphynx", 7, 12),
    ("British Shorthair", 9, 17),
    ("Scottish Fold", 7, 12),
    ("Abyssinian", 7, 11),
)
FEEDING = (
    "one cup of dry food morning and evening",
    "half a can of wet food at 7 and 5, nothing else",
    "grain free only, please",
    "eats slowly, keep away from other dogs at mealtime",
    "two scoops in the morning, one at night",
    "no chicken, it upsets the stomach",
    "mix a spoon of pumpkin into dinner",
    "needs the slow feeder bowl",
    "prescription kidney diet, bag is labeled",
    "will not eat from a plastic bowl",
    "leave dry food out all day",
    "treats are fine, no rawhide",
)
STAY_NOTES = (
    "scared of thunder, likes a radio on",
    "needs eye drops at breakfast",
    "please keep away from puppies",
    "brings own blanket, do not wash",
    "pulls hard on the leash",
    "hides the first night, that is normal",
    "our neighbor may do the pickup",
    "half a pill wrapped in cheese at 8 PM",
    "loves fetch in the big yard",
    "barks when left alone",
    "please send home the blue bed",
    "had knee surgery in spring, no jumping",
)
PRAISE = (
    "came home happy and tired",
    "coat looks amazing",
    "so gentle with my nervous boy",
    "right on time and very kind",
    "best groomer we have had",
    "smells great and no tangles left",
    "already asking to go back",
)
GRIPES = (
    "nails were left too long",
    "picked up an hour late",
    "still had mud on the paws",
    "came home soaking wet",
    "cut the fur shorter than I asked",
    "nobody told me about the scratch",
)
RATES = {"standard": 4500, "deluxe": 6500, "suite": 9000}
PRICES = {"walk": 2500, "day_care": 3800, "bath": 4500, "full_groom": 8500, "training": 6000}
OPEN_STAYS = {"basic": 2, "plus": 3, "premier": 5}
MOVES = {"basic": 1, "plus": 1, "premier": 3}
VISITS_AHEAD = {"basic": 1, "plus": 2, "premier": 4}


def populate(world: WorldBuilder) -> None:
    """An eighth of the rows are clients; pets, vaccinations, stays, visits, and account entries follow."""
    clients = []
    for number in range(world.share(0.125, least=3)):
        clients.append(_add_client(world, number, clients))
    tickets = [client for client in clients for _ in range(world.random.choice((0, 1, 1, 2, 3)))] + clients[:1]
    pets = [_add_pet(world, world.random.choice(tickets)) for _ in range(world.share(0.17, least=3))]
    for pet in pets:
        _add_vaccinations(world, pet)
    chances = [pet for pet in pets for _ in range(world.random.choice((0, 1, 2, 4, 7)))] + pets[:1]
    boarders = [pet for pet in chances if pet["stays"]]
    for number in range(world.share(0.14, least=2) if boarders else 0):
        _add_stay(world, world.random.choice(boarders), number)
    for _ in range(world.share(0.145, least=2)):
        _add_visit(world, world.random.choice(chances))
    for client in clients:
        _add_entries(world, client)


def _open_day(world, day):
    return day - 1 if weekday(world.day(day)) == "Sunday" else day


def _moment(world, day):
    draw = world.random
    return world.moment(
        _open_day(world, day), f"{draw.randrange(7, 19):02d}:{draw.choice((0, 5, 10, 20, 25, 35, 40, 50, 55)):02d}"
    )


def _add_client(world, number, clients):
    draw = world.random
    name = f"{draw.choice(GIVEN)} {draw.choice(FAMILY)}"
    if number % 4 == 3:
        name = draw.choice(clients)["row"]["name"]
    joined = -draw.randrange(20, 1100)
    other = None
    if draw.random() < 0.55:
        other = f"{draw.choice(GIVEN)} {draw.choice((name.split()[-1], draw.choice(FAMILY)))}, ({draw.choice(AREAS[:4])}) 555-01{draw.randrange(100):02d}"
    row = world.insert(
        "client",
        name=name,
        email=f"{name.replace(' ', '.')}{number + 11}@example.{draw.choice(('com', 'com', 'net', 'org'))}".lower(),
        phone=f"({AREAS[number // 100 % len(AREAS)]}) 555-01{number * 37 % 100:02d}",
        tier=draw.choices(("basic", "plus", "premier"), (5, 3, 2))[0],
        joined_on=world.day(joined),
        emergency_contact=other,
    )
    return {
        "row": row,
        "joined": joined,
        "first": draw.randrange(len(PET_NAMES)),
        "pets": 0,
        "open": 0,
        "ahead": 0,
        "booked": -9999,
        "bills": [],
    }


def _add_pet(world, client):
    draw = world.random
    species = draw.choices(("dog", "cat"), (7, 3))[0]
    kinds = DOGS if species == "dog" else CATS
    breed, low, high = draw.choice(kinds)
    if draw.random() < 0.4:
        other, other_low, other_high = draw.choice(kinds)
        if other != breed:
            breed, low, high = f"{breed} and {other} mix", (low + other_low) // 2, (high + other_high) // 2
    born = -draw.randrange(320, 4700)
    name = PET_NAMES[(client["first"] + 37 * client["pets"]) % len(PET_NAMES)]
    client["pets"] += 1
    row = world.insert(
        "pet",
        client_id=client["row"]["client_id"],
        name=name,
        species=species,
        breed=breed,
        weight_pounds=draw.randrange(low, high + 1),
        birth_date=world.day(born),
        feeding_notes=draw.choice(FEEDING) if draw.random() < 0.6 else None,
    )
    past_visits = [start for start in range(-120, -3, 4) if start > client["joined"]]
    past_visits = draw.sample(past_visits, len(past_visits))[:8]
    next_visits = list(range(1, 38, 4)) + [0]
    draw.shuffle(next_visits)
    return {
        "row": row,
        "client": client,
        "born": born,
        "stays": [],
        "past_visits": past_visits,
        "next_visits": next_visits,
        "given": 0,
    }


def _add_vaccinations(world, pet):
    draw = world.random
    dog = pet["row"]["species"] == "dog"
    wanted = (
        (("rabies", 0.8), ("distemper", 0.35), ("bordetella", 0.35))
        if dog
        else (("rabies", 0.75), ("feline_combo", 0.4))
    )
    for vaccine, chance in wanted:
        if draw.random() >= chance:
            continue
        days = 1095 if vaccine == "rabies" and draw.random() < 0.2 else 365
        given = -draw.randrange(20, min(480, -pet["born"] - 60))
        _add_vaccination(world, pet, vaccine, given, days)
        if vaccine != "rabies":
            continue
        covers = [(given, given + days)]
        if days == 365 and pet["born"] < given - 430:
            _add_vaccination(world, pet, vaccine, given - 360, days)
            covers.append((given - 360, given + 5))
        pet["given"] = given
        joined = pet["client"]["joined"]
        past = [
            start
            for start in range(-285, -24, 20)
            if start - 17 > joined and any(first < start - 17 and last > start + 20 for first, last in covers)
        ]
        pet["stays"] = draw.sample(past, len(past))[:3] + [
            start for start in (0, 20, 40, 60) if given + days > start + 20
        ]
        draw.shuffle(pet["stays"])
        if 0 in pet["stays"] and draw.random() < 0.4:
            pet["stays"] = [start for start in pet["stays"] if start] + [0]


def _add_vaccination(world, pet, vaccine, given, days):
    world.insert(
        "vaccination",
        pet_id=pet["row"]["pet_id"],
        vaccine=vaccine,
        given_on=world.day(given),
        expires_on=world.day(given + days),
    )


def _add_stay(world, pet, number):
    draw = world.random
    if not pet["stays"]:
        return
    client = pet["client"]
    inside = number % 50 == 45 and 0 in pet["stays"]  # few are here at any moment
    slot = 0 if inside else pet["stays"].pop()
    if inside:
        pet["stays"].remove(0)
    start = slot + draw.randrange(0, 10)
    nights = draw.choice((1, 2, 2, 3, 3, 4, 5, 6, 7, 8))
    status = draw.choices(("completed" if slot < 0 else "booked", "canceled"), (6, 1))[0]
    if slot == 0:
        start = draw.randrange(1, 10)
    if status == "booked" and client["open"] >= OPEN_STAYS[client["row"]["tier"]]:
        status = "canceled"
    if inside and status == "booked":
        status, start = "checked_in", -draw.randrange(1, 4)
        nights = draw.randrange(1, 7) - start
    if status in ("booked", "checked_in"):
        client["open"] += 1
    if start > 0:
        booked = draw.randrange(max(-59, client["joined"] + 2, pet["given"] + 2), min(-4, start - 15))
    else:
        booked = start - (15 if status == "checked_in" else draw.randrange(3, 14))
    room = draw.choices(("standard", "deluxe", "suite"), (5, 3, 2))[0]
    stay = world.insert(
        "stay",
        pet_id=pet["row"]["pet_id"],
        room=room,
        starts_on=world.day(start),
        ends_on=world.day(start + nights),
        nightly_rate_cents=RATES[room],
        status=status,
        notes=draw.choice(STAY_NOTES) if draw.random() < 0.5 else None,
        created_at=_moment(world, booked),
        canceled_at=_moment(world, draw.randrange(booked + 2, min(start, 0))) if status == "canceled" else None,
    )
    client["booked"] = max(client["booked"], booked)
    price = RATES[room] * nights
    if status == "completed":
        client["bills"].append(("stay_charge", price, stay, start + nights))
    elif status == "canceled" and draw.random() < 0.3:
        client["bills"].append(
            ("cancellation_fee", RATES[room] // 2, stay, days_between(world.today, stay["canceled_at"][:10]))
        )
    elif status == "booked" and draw.random() < 0.45:
        client["bills"].append(("stay_charge", price, stay, draw.randrange(booked + 1, 0)))
    elif status == "booked" and draw.random() < 0.15:
        client["bills"].append(("change_fee", 1500, stay, draw.randrange(booked + 1, 0)))


def _add_entries(world, client):
    """Nobody in debt booked a stay: what was billed before the latest booking was paid the same day."""
    draw = world.random
    for kind, amount, stay, day in client["bills"]:
        day = _open_day(world, min(day, -1))
        _add_entry(world, client, kind, amount, stay, day)
        if day <= client["booked"] or draw.random() < 0.3:
            _add_entry(world, client, "payment", amount, stay, day)
        elif draw.random() < 0.15:
            _add_entry(world, client, "credit", draw.choice((1000, 1500, 2000, 2500)), stay, day)


def _add_entry(world, client, kind, amount, stay, day):
    world.insert(
        "account_entry",
        client_id=client["row"]["client_id"],
        kind=kind,
        amount_cents=amount,
        stay_id=stay["stay_id"] if stay else None,
        entered_on=world.day(day),
    )


def _add_visit(world, pet):
    draw = world.random
    client = pet["client"]
    tier = client["row"]["tier"]
    ahead = client["ahead"] < VISITS_AHEAD[tier] and (draw.random() < 0.6 or not pet["past_visits"])
    slots = pet["next_visits"] if ahead else pet["past_visits"]
    if not slots:
        return
    dog = pet["row"]["species"] == "dog"
    slot = slots.pop()
    day = slot + draw.randrange(0, 3) if slot else 0
    if weekday(world.day(day)) == "Sunday":
        day += 1
    services, weights = (
        (("walk", "day_care", "bath", "full_groom", "training"), (5, 4, 3, 2, 2))
        if dog
        else (("day_care", "bath", "full_groom"), (2, 3, 2))
    )
    service = draw.choices(services, weights)[0]
    clock = f"{draw.randrange(10, 18):02d}:{draw.choice((0, 0, 15, 30, 30, 45)):02d}"
    if service == "day_care" and day:
        clock = draw.choice(("07:30", "08:00", "08:30"))
    status = draw.choices(("completed" if day < 0 else "booked", "canceled"), (6, 1))[0]
    if status == "booked":
        client["ahead"] += 1
    stars = (
        draw.choices((5, 4, 3, 2, 1), (6, 4, 2, 1, 1))[0] if status == "completed" and draw.random() < 0.45 else None
    )
    comment = None
    if stars and draw.random() < 0.6:
        comment = draw.choice(PRAISE if stars > 3 else GRIPES)
    world.insert(
        "visit",
        pet_id=pet["row"]["pet_id"],
        service=service,
        starts_at=world.moment(day, clock),
        price_cents=PRICES[service],
        status=status,
        times_moved=min(draw.choices((0, 1, 2, 3), (6, 4, 2, 1))[0], MOVES[tier]) if status != "canceled" else 0,
        stars=stars,
        comment=comment,
    )
    if status == "completed" and draw.random() < 0.5:
        client["bills"].append(("visit_charge", PRICES[service], None, day))
