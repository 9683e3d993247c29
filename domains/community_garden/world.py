"""Fill a community garden in Columbus, Ohio: gardeners, plots with their leases, charges, and volunteer shifts."""

from runtime import WorldBuilder, add_days, days_between, weekday

INVARIANTS = {
    "A plot is leased exactly if it has an active lease.": """
        SELECT plot_id FROM plot
        WHERE (status = 'leased') <> EXISTS (
            SELECT 1 FROM lease WHERE lease.plot_id = plot.plot_id AND lease.status = 'active'
        )
    """,
    "The spots taken on a shift are its signups that are booked or done.": """
        SELECT shift_id FROM shift
        WHERE spots_taken <> (
            SELECT count(*) FROM signup WHERE signup.shift_id = shift.shift_id AND signup.status IN ('booked', 'done')
        )
    """,
    "A lease starts no earlier than its gardener joined, and no later than today.": """
        SELECT lease_id FROM lease JOIN gardener USING (gardener_id)
        WHERE started_on < joined_on OR started_on > '2026-04-15'
    """,
    "An earlier lease of a plot ended before its active lease started.": """
        SELECT old.lease_id FROM lease AS old JOIN lease AS new ON new.plot_id = old.plot_id
        WHERE old.status = 'ended' AND new.status = 'active' AND old.ends_on > new.started_on
    """,
    "An ended lease ended no later than today.": """
        SELECT lease_id FROM lease WHERE status = 'ended' AND ends_on > '2026-04-15'
    """,
    "A signup that is done belongs to a past shift, a booked one to a shift that is still to come.": """
        SELECT signup_id FROM signup JOIN shift USING (shift_id)
        WHERE (signup.status = 'done' AND starts_at > '2026-04-15 08:30:00')
           OR (signup.status = 'booked' AND starts_at <= '2026-04-15 08:30:00')
    """,
    "A signup was canceled before its shift started, and not in the future.": """
        SELECT signup_id FROM signup JOIN shift USING (shift_id)
        WHERE canceled_at > starts_at OR canceled_at > '2026-04-15 08:30:00'
    """,
    "Nobody pays in the future.": """
        SELECT charge_id FROM charge WHERE paid_on > '2026-04-15'
    """,
}
GIVEN = (
    "Denise",
    "Miguel",
    "Priya",
    "Kevin",
    "Aaliyah",
    "Tom",
    "Susan",
    "Carlos",
    "Mei",
    "Brian",
    "Latoya",
    "Greg",
    "Hannah",
    "Omar",
    "Rachel",
    "Derek",
    "Yolanda",
    "Peter",
    "Anita",
    "Marcus",
    "Ellen",
    "Jorge",
    "Nicole",
    "Paul",
    "Tanya",
    "Victor",
    "Grace",
    "Andre",
    "Megan",
    "Raj",
    "Laura",
    "Sam",
    "Keisha",
    "Walter",
    "Jenny",
    "Luis",
    "Barbara",
    "Trevor",
    "Nadia",
    "Frank",
)
FAMILY = (
    "Walker",
    "Ortega",
    "Raman",
    "Tran",
    "Brooks",
    "Kowalski",
    "Miller",
    "Nguyen",
    "Johnson",
    "Patel",
    "Reyes",
    "Schmidt",
    "Bailey",
    "Haddad",
    "Coleman",
    "Murphy",
    "Park",
    "Foster",
    "Romano",
    "Gibson",
    "Chavez",
    "Hughes",
    "Dawson",
    "Okafor",
    "Larson",
    "Simmons",
    "Vargas",
    "Keller",
    "Hayes",
    "Lin",
    "Porter",
    "Bishop",
    "Mendoza",
    "Sullivan",
    "Banks",
    "Novak",
    "Griffin",
    "Shaw",
    "Delgado",
    "Whitaker",
)
ZIP_CODES = ("43201", "43202", "43204", "43206", "43211", "43212", "43214", "43215", "43219", "43224", "43229", "43235")
AREA_CODES = (614, 380, 740, 937, 513, 419, 330, 216, 440, 234, 567, 220, 326, 283, 304, 412, 317, 502, 734, 313, 859)
MEMBERSHIPS = ("standard", "family", "senior")
BEDS = (
    ("ground", 100, 35),
    ("ground", 200, 60),
    ("ground", 300, 85),
    ("ground", 400, 110),
    ("raised", 32, 40),
    ("raised", 48, 55),
    ("raised", 64, 70),
    ("greenhouse", 24, 75),
    ("greenhouse", 40, 120),
)
SUPPLIES = (
    ("bag of compost", "bags of compost", 6.5),
    ("tomato cage", "tomato cages", 4.25),
    ("straw bale", "straw bales", 9.0),
    ("tray of seedlings", "trays of seedlings", 5.75),
    ("bag of mulch", "bags of mulch", 4.99),
    ("soaker hose", "soaker hoses", 18.5),
    ("packet of seeds", "packets of seeds", 2.75),
    ("row cover", "row covers", 12.0),
)
FEES = (("Late rent fee", 10), ("Missed shift fee", 15), ("Replacement gate key", 8), ("Tool cleaning fee", 5))
AREAS = (
    "North beds",
    "South beds",
    "Orchard",
    "Herb spiral",
    "Berry patch",
    "Greenhouse",
    "Tool shed",
    "Front gate",
    "Main path",
    "Pollinator strip",
    "Rain garden",
    "Children's garden",
    "Picnic area",
    "Compost yard",
    "Pumpkin field",
    "Grape arbor",
    "Pond edge",
    "Donation beds",
    "East fence",
    "Parking lot border",
)
WORK = {
    "weeding": ("weeding", "bed cleanup", "edging"),
    "composting": ("compost turning", "leaf hauling", "mulching"),
    "watering": ("watering", "drip line check", "seedling care"),
    "repairs": ("repairs", "fence work", "carpentry day"),
    "harvest": ("harvest", "picking party", "food bank harvest"),
}


def populate(world: WorldBuilder) -> None:
    """Fill the tables: some members and plots, most rows are leases, charges, and signups."""
    gardeners = _add_gardeners(world, world.share(0.12, least=3))
    busy = [each for each in gardeners for _ in range(world.random.choice((0, 1, 1, 2, 2, 4, 7)))] or gardeners
    for number in range(world.share(0.13, least=3)):
        _add_plot(world, number, busy)
    for _ in range(world.share(0.1, least=3)):
        _add_purchase(world, world.random.choice(busy))
    for number in range(world.share(0.075, least=3)):
        _add_shift(world, number, busy)


def _add_gardeners(world, count):
    draw = world.random
    gardeners, names = [], []
    for number in range(count):
        name = f"{draw.choice(GIVEN)} {draw.choice(FAMILY)}"
        if names and draw.random() < 0.16:
            name = draw.choice(names)
        names.append(name)
        gardeners.append(
            world.insert(
                "gardener",
                name=name,
                email=None if draw.random() < 0.1 else f"{name.replace(' ', '.').lower()}{number + 11}@example.com",
                phone=None if draw.random() < 0.1 else f"({_area_code(number)}) 555-01{number % 100:02d}",
                zip_code=None if draw.random() < 0.08 else draw.choice(ZIP_CODES),
                membership=draw.choices(MEMBERSHIPS, (5, 3, 2))[0],
                joined_on=_open_day(world.day(-draw.choice((draw.randrange(20, 400), draw.randrange(400, 2600))))),
                tool_trained=int(draw.random() < 0.5),
            )
        )
    return gardeners


def _area_code(number):
    return AREA_CODES[number // 100 % len(AREA_CODES)]


def _open_day(day):
    return add_days(day, 1) if weekday(day) == "Sunday" else day


def _add_plot(world, number, busy):
    """Add a plot with the lease that runs, if one does, and sometimes one that ran before."""
    draw = world.random
    kind, square_feet, rent = draw.choice(BEDS)
    row = "ABCDEFGHJKLMNPQRSTUVWXYZ"[number // 40 % 24] * (1 + number // 960)
    is_leased = number == 0 or (number != 1 and draw.random() < 0.74)
    plot = world.insert(
        "plot",
        plot_number=f"{row}-{number % 40 + 1:02d}",
        kind=kind,
        square_feet=square_feet,
        rent_cents=rent * 100,
        status="leased" if is_leased else "open",
    )
    free_until = world.today
    if is_leased:
        free_until = _add_active_lease(world, plot, draw.choice(busy))
    if draw.random() < 0.5:
        _add_ended_lease(world, plot, busy, free_until)


def _add_active_lease(world, plot, gardener):
    """Add a running lease with its latest rent; return its first day."""
    draw = world.random
    joined = gardener["joined_on"]
    left = draw.choice((draw.randrange(-20, 0), draw.randrange(0, 31), draw.randrange(0, 46), draw.randrange(31, 330)))
    ends = world.day(left)
    possible = days_between(joined, ends) // 365 - 1
    if possible >= 0:
        renewals = min(possible, draw.choices((0, 1, 2, 3), (4, 3, 2, 1))[0])
        started = _open_day(add_days(ends, -365 * (renewals + 1)))
    else:
        renewals = 0
        started = _open_day(add_days(joined, draw.randrange(0, days_between(joined, world.today) + 1)))
    world.insert(
        "lease",
        gardener_id=gardener["gardener_id"],
        plot_id=plot["plot_id"],
        status="active",
        started_on=started,
        ends_on=add_days(started, 365 * (renewals + 1)),
        renewals=renewals,
    )
    _add_rent(world, plot, gardener, add_days(started, 365 * renewals))
    return started


def _add_ended_lease(world, plot, busy, free_until):
    draw = world.random
    ended = _open_day(add_days(free_until, -draw.randrange(8, 200)))
    started = _open_day(add_days(ended, -draw.randrange(60, 700)))
    old_members = [each for each in draw.choices(busy, k=10) if each["joined_on"] <= started]
    if not old_members:
        return
    world.insert(
        "lease",
        gardener_id=old_members[0]["gardener_id"],
        plot_id=plot["plot_id"],
        status="ended",
        started_on=started,
        ends_on=ended,
        renewals=days_between(started, ended) // 365,
    )
    _add_rent(world, plot, old_members[0], started)


def _add_rent(world, plot, gardener, billed):
    due = add_days(billed, 14)
    chance = 0.8 if due < world.day(-60) else 0.35
    _add_charge(world, gardener, "rent", f"Rent for plot {plot['plot_number']}", plot["rent_cents"], billed, chance)


def _add_purchase(world, gardener):
    """Add a fee, or supplies that the gardener took home."""
    draw = world.random
    since = min(days_between(gardener["joined_on"], world.today), 80)
    billed = _open_day(world.day(-draw.randrange(1, since + 1)))
    if draw.random() < 0.3:
        label, dollars = draw.choice(FEES)
        _add_charge(world, gardener, "fee", label, dollars * 100, billed, 0.45)
    else:
        one, several, price = draw.choice(SUPPLIES)
        count = draw.choices((1, 2, 3, 4, 6), (3, 4, 3, 2, 1))[0]
        label = f"{count} {one if count == 1 else several}"
        _add_charge(world, gardener, "supplies", label, count * round(price * 100), billed, 0.45)


def _add_charge(world, gardener, kind, label, amount_cents, billed, chance_of_payment):
    draw = world.random
    due = add_days(billed, 14)
    is_paid = draw.random() < chance_of_payment
    paid_on = min(_open_day(add_days(billed, draw.randrange(0, 18))), world.today) if is_paid else None
    world.insert(
        "charge",
        gardener_id=gardener["gardener_id"],
        kind=kind,
        label=label,
        amount_cents=amount_cents,
        status="paid" if is_paid else "open",
        due_on=due,
        paid_on=paid_on,
    )


def _add_shift(world, number, busy):
    """Add a shift, past or to come, with the signups that it got."""
    draw = world.random
    is_past = number == 1 or (number != 0 and draw.random() < 0.35)
    day = _open_day(world.day(-draw.randrange(2, 90) if is_past else draw.choice((1, 2, 3, draw.randrange(3, 40)))))
    starts_at = f"{day} {draw.choice(('09:00:00', '10:00:00', '13:30:00', '14:00:00', '16:00:00', '17:00:00'))}"
    task = draw.choice(tuple(WORK))
    who = _volunteers(world, busy, day)
    left = [each for each in who if draw.random() < 0.15]
    coming = len(who) - len(left)
    spots = max(1, coming) if draw.random() < 0.25 else coming + draw.randrange(1, 6)
    shift = world.insert(
        "shift",
        title=f"{draw.choice(AREAS)} {draw.choice(WORK[task])}",
        task=task,
        starts_at=starts_at,
        hours=draw.choice((1, 2, 2, 3, 4)),
        spots=spots,
        spots_taken=coming,
    )
    gone = {each["gardener_id"] for each in left}
    for each in who:
        is_gone = each["gardener_id"] in gone
        world.insert(
            "signup",
            gardener_id=each["gardener_id"],
            shift_id=shift["shift_id"],
            status="canceled" if is_gone else "done" if is_past else "booked",
            canceled_at=_canceled_at(world, day) if is_gone else None,
        )


def _volunteers(world, busy, day):
    """Return the gardeners who signed up for a shift, each once."""
    count = world.random.choice((2, 3, 4, 5, 7))
    drawn = {each["gardener_id"]: each for each in world.random.choices(busy, k=count)}
    return [each for each in drawn.values() if each["joined_on"] <= min(day, world.day(-8))]


def _canceled_at(world, day):
    latest = min(day, world.today)
    time = f"{world.random.randrange(7, 22):02d}:{world.random.randrange(60):02d}:{world.random.randrange(60):02d}"
    return f"{add_days(latest, -world.random.randrange(1, 7))} {time}"
