"""Fill a community garden: gardeners, plots, leases with their fees, and volunteer work shifts past and to come."""

from runtime import WorldBuilder, add_days, add_minutes, days_between, weekday

INVARIANTS = {
    "A plot is leased exactly while a lease on it is active.": """
        SELECT plot_id FROM plot
        WHERE (state = 'leased') <> EXISTS (SELECT 1 FROM lease WHERE lease.plot_id = plot.plot_id AND lease.state = 'active')
    """,
    "A shift has no more people than spots.": """
        SELECT shift_id FROM shift
        WHERE spots < (SELECT coalesce(sum(people), 0) FROM signup WHERE signup.shift_id = shift.shift_id AND signup.state <> 'canceled')
    """,
    "A charge for a lease is owed by the gardener who holds the lease.": """
        SELECT charge.charge_id FROM charge JOIN lease ON lease.lease_id = charge.lease_id
        WHERE lease.gardener_id <> charge.gardener_id
    """,
    "A lease runs for a year and one more year for each renewal.": """
        SELECT lease_id FROM lease
        WHERE CAST(substr(expires_on, 1, 4) AS INTEGER) <> CAST(substr(starts_on, 1, 4) AS INTEGER) + 1 + renewals
           OR replace(substr(expires_on, 6), '02-29', '02-28') <> replace(substr(starts_on, 6), '02-29', '02-28')
    """,
    "Signups of a closed shift are settled, and nobody has worked or missed a shift that is not closed.": """
        SELECT signup.signup_id FROM signup JOIN shift ON shift.shift_id = signup.shift_id
        WHERE (shift.state = 'closed' AND signup.state = 'signed_up')
           OR (shift.state = 'scheduled' AND signup.state IN ('worked', 'missed'))
    """,
    "A gardener signs up after joining and before the shift starts, and cancels before it starts.": """
        SELECT signup.signup_id FROM signup
        JOIN shift ON shift.shift_id = signup.shift_id JOIN gardener ON gardener.gardener_id = signup.gardener_id
        WHERE substr(signup.created_at, 1, 10) < gardener.joined_on OR signup.created_at >= shift.starts_at
           OR signup.canceled_at >= shift.starts_at
    """,
    "No lease starts before its gardener joined.": """
        SELECT lease.lease_id FROM lease JOIN gardener ON gardener.gardener_id = lease.gardener_id
        WHERE lease.starts_on < gardener.joined_on
    """,
    "A plot is not leased again before its former lease was ended.": """
        SELECT later.lease_id FROM lease later
        JOIN lease former ON former.plot_id = later.plot_id AND former.lease_id <> later.lease_id
        WHERE former.state = 'ended' AND later.starts_on >= former.starts_on AND later.starts_on < former.ended_on
    """,
}
GIVEN = (
    "Denise",
    "Miguel",
    "Priya",
    "Kevin",
    "Aaliyah",
    "Tom",
    "Grace",
    "Hector",
    "Linda",
    "Marcus",
    "Yuki",
    "Carol",
    "Dmitri",
    "Elena",
    "Frank",
    "Gloria",
    "Hannah",
    "Ibrahim",
    "Janet",
    "Kenji",
    "Lucia",
    "Mei",
    "Nathan",
    "Olivia",
    "Patrick",
    "Quinn",
    "Rosa",
    "Samuel",
    "Teresa",
    "Uma",
    "Victor",
    "Wendy",
    "Xavier",
    "Yolanda",
    "Zachary",
    "Beth",
    "Curtis",
    "Dorothy",
    "Ernesto",
    "Fiona",
    "George",
    "Helen",
    "Isaac",
    "Joyce",
)
FAMILY = (
    "Walker",
    "Ortega",
    "Raman",
    "Tran",
    "Brooks",
    "Kowalski",
    "Nguyen",
    "Bell",
    "Carlson",
    "Delgado",
    "Eriksen",
    "Foster",
    "Garcia",
    "Hughes",
    "Ito",
    "Jensen",
    "Kim",
    "Lopez",
    "Mitchell",
    "Novak",
    "Olsen",
    "Park",
    "Quintero",
    "Reyes",
    "Schmidt",
    "Thompson",
    "Ueda",
    "Vargas",
    "Whitaker",
    "Yamada",
    "Zimmerman",
    "Abbott",
    "Barnes",
    "Castillo",
    "Douglas",
    "Everett",
    "Fitzgerald",
    "Greene",
    "Hayashi",
    "Ivanov",
    "Johansson",
    "Kelly",
    "Larsen",
    "Moreno",
)
ZIPS = (
    "97202",
    "97206",
    "97211",
    "97212",
    "97213",
    "97214",
    "97215",
    "97217",
    "97203",
    "97218",
    "97220",
    "97232",
    "97266",
    "97219",
    "97230",
    "97239",
    "97216",
    "97227",
    "97236",
    "97222",
)
AREAS = (503, 971, 360, 541, 458, 564, 206, 253, 425, 509, 208, 530, 916, 707, 510, 415, 650, 408, 831, 559, 775, 702)
KINDS = (  # square feet, raised bed, yearly fee in cents, how common
    (32, 1, 3000, 4),
    (48, 1, 4000, 3),
    (64, 1, 5000, 2),
    (100, 0, 5000, 5),
    (150, 0, 6500, 3),
    (200, 0, 8000, 4),
    (300, 0, 10500, 2),
    (400, 0, 13000, 1),
)
SECTIONS = (("north", "N"), ("south", "S"), ("creekside", "C"))
ALL_YEAR = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
SPRING = (2, 3, 4, 5)
SUMMER = (5, 6, 7, 8, 9)
FALL = (9, 10, 11)
WINTER = (11, 12, 1, 2)
GROWING = (4, 5, 6, 7, 8, 9, 10)
WORK = (  # the work, where it is done, hours it may last, fewest and most spots, months it is done in
    ("Compost turning", ("north bins", "south bins", "creekside bins", "leaf pile"), (2, 3), 5, 10, ALL_YEAR),
    ("Compost sifting", ("north bins", "south bins", "tool yard"), (2, 3), 4, 8, GROWING),
    (
        "Path mulching",
        ("north paths", "south paths", "main gate path", "orchard path"),
        (2, 3),
        8,
        16,
        (2, 3, 4, 5, 10, 11),
    ),
    ("Wood chip hauling", ("parking lot", "main path", "creekside path"), (2, 3), 8, 16, ALL_YEAR),
    ("Fence repair", ("north fence", "south fence", "creek fence"), (3, 4), 4, 8, ALL_YEAR),
    ("Gate repair", ("main gate", "back gate", "creekside gate"), (1, 2), 3, 5, ALL_YEAR),
    ("Tool sharpening", ("tool shed", "workbench"), (2,), 4, 6, ALL_YEAR),
    ("Tool inventory", ("tool shed", "storage container"), (2,), 4, 6, WINTER),
    ("Hose repair", ("north spigots", "south spigots", "tool yard"), (1, 2), 3, 6, GROWING),
    ("Drip line setup", ("herb beds", "orchard", "donation beds", "berry rows"), (2, 3), 5, 8, (4, 5, 6)),
    ("Drip line flushing", ("herb beds", "orchard", "berry rows"), (1, 2), 3, 5, (6, 7, 8, 9)),
    ("Spigot winterizing", ("north section", "south section", "creekside"), (2,), 4, 6, (10, 11)),
    ("Weed pulling", ("shared paths", "herb beds", "front border", "orchard edge"), (2, 3), 8, 14, GROWING),
    ("Blackberry clearing", ("creek bank", "back fence", "north edge"), (3, 4), 6, 12, (1, 2, 3, 9, 10, 11)),
    ("Ivy removal", ("creek bank", "east hedge", "back fence"), (3,), 6, 12, ALL_YEAR),
    ("Bindweed digging", ("vacant plots", "south border", "front border"), (2, 3), 6, 10, GROWING),
    ("Raised bed building", ("creekside", "accessible area", "north section"), (4,), 5, 9, SPRING),
    ("Raised bed filling", ("accessible area", "creekside", "donation beds"), (3,), 8, 14, SPRING),
    ("Seed sorting", ("seed library", "office porch"), (2,), 5, 8, (12, 1, 2)),
    ("Seed starting", ("greenhouse", "cold frames"), (2, 3), 5, 8, (2, 3, 4)),
    ("Seedling potting", ("greenhouse", "potting bench", "shade tent"), (2, 3), 6, 10, (3, 4, 5)),
    ("Plant sale setup", ("parking lot", "front lawn"), (3, 4), 8, 14, (4, 5)),
    ("Tomato planting", ("donation beds", "teaching garden", "greenhouse"), (2, 3), 6, 10, (5, 6)),
    ("Tomato staking", ("donation beds", "teaching garden"), (2,), 5, 8, (6, 7)),
    ("Bean trellis building", ("donation beds", "teaching garden", "south section"), (2, 3), 4, 8, (5, 6)),
    ("Potato hilling", ("donation beds", "teaching garden"), (1, 2), 4, 6, (5, 6, 7)),
    ("Squash planting", ("donation beds", "teaching garden"), (2,), 5, 8, (5, 6)),
    ("Garlic planting", ("donation beds", "teaching garden"), (2,), 6, 10, (10, 11)),
    ("Garlic harvest", ("donation beds", "teaching garden"), (2,), 6, 10, (6, 7)),
    ("Food bank harvest", ("donation beds", "orchard", "berry rows"), (2, 3), 6, 10, (6, 7, 8, 9, 10)),
    ("Salad harvest", ("donation beds", "greenhouse"), (1, 2), 4, 6, (4, 5, 6)),
    ("Apple picking", ("orchard", "front trees"), (2, 3), 6, 12, (8, 9, 10)),
    ("Fruit tree pruning", ("orchard", "front trees"), (3,), 5, 8, (1, 2, 3)),
    ("Fruit thinning", ("orchard", "front trees"), (2,), 4, 8, (5, 6)),
    ("Berry tying", ("raspberry rows", "blueberry rows"), (2,), 4, 6, (3, 4, 5)),
    ("Rose deadheading", ("front border", "memorial bed"), (1, 2), 3, 6, SUMMER),
    ("Pollinator bed planting", ("front border", "creek bank", "memorial bed"), (2, 3), 6, 10, (4, 5, 9, 10)),
    ("Native shrub planting", ("creek bank", "east hedge"), (3,), 8, 14, (10, 11, 2, 3)),
    ("Leaf raking", ("parking lot", "front lawn", "main path"), (2, 3), 8, 14, (10, 11, 12)),
    ("Cover crop sowing", ("vacant plots", "donation beds"), (2,), 4, 8, FALL),
    ("Bed cleanup", ("vacant plots", "donation beds", "herb beds"), (2, 3), 6, 12, (3, 4, 5, 10, 11)),
    ("Greenhouse washing", ("greenhouse", "cold frames"), (2, 3), 5, 8, WINTER),
    ("Sign painting", ("office porch", "tool yard"), (2,), 4, 6, (3, 4, 5, 6)),
    ("Litter pickup", ("creek bank", "street side", "parking lot"), (1, 2), 6, 12, ALL_YEAR),
    ("Lawn mowing", ("front lawn", "picnic area", "orchard"), (1, 2), 2, 4, GROWING),
    ("Hand watering", ("tomato rows", "squash hills", "bean rows"), (1,), 2, 4, (6, 7, 8, 9)),
)
STARTS = ("08:30", "09:00", "09:00", "09:30", "10:00", "13:00")
HOLIDAYS = ("01-01", "06-19", "07-04", "12-24", "12-25")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
LAPSED = (
    "Did not renew this year",
    "Let the lease run out, too busy with work",
    "Not renewing, the plot is too shady",
    "Wanted a year off",
)
CHANGED = (
    "Wants a raised bed instead",
    "Too many slugs by the creek",
    "Looking for a bigger plot",
    "Could not keep up with the weeds",
)
LEFT = (
    "Moving to Eugene for a new job",
    "Sold the house, moving across the river",
    "Built raised beds at home",
    "Work schedule changed to weekends",
)
LEFT_YOUNG = "New baby, no time to garden"
LEFT_OLD = "Bad knees, giving it up"
ALONE = (
    "May be ten minutes late",
    "I can bring my own gloves and pruners",
    "Bad shoulder, please no heavy lifting",
    "Happy to do anything",
    "Can bring a wheelbarrow",
    "Allergic to bee stings, carrying my pen",
    "Would like to work in the shade",
)
GROUP = (
    "Bringing my husband",
    "My teenage kids are coming along",
    "Two of us, we need gloves",
    "Bringing friends from church",
    "One of us uses a cane",
    "We can bring extra shovels",
)
CANCELED = (
    "Out of town that weekend",
    "Got called in to work",
    "Kid has a soccer game",
    "Down with the flu",
    "Double-booked, sorry",
    "Car is in the shop",
    "Doctor's appointment that morning",
    "Family visiting",
    "Sprained my wrist",
    "Babysitter fell through",
)
UNCLEARED = (
    "Left tomato cages and black plastic",
    "Weeds waist high, dead vines",
    "Old lumber left in the bed",
    "Nothing pulled, trash in the corner",
)
KEYS = ("Lost gate key", "Second gate key for a helper", "Shed key did not come back", "Replacement for a bent key")


def populate(world: WorldBuilder) -> None:
    """Plan everything first, for no row can change later; then insert it, and let signups fill up the size."""
    draw = world.random
    gardeners = _add_gardeners(world)
    plots, leases, charges = _plan_leases(world, gardeners)
    _plan_key_fees(world, gardeners, charges)
    shifts = _add_shifts(world)
    for plot in plots:
        row = world.insert(
            "plot",
            **{
                name: plot[name]
                for name in ("label", "section", "size_sqft", "raised_bed", "yearly_fee_cents", "state")
            },
        )
        plot["plot_id"] = row["plot_id"]
    draw.shuffle(leases)
    for lease in leases:
        row = world.insert(
            "lease",
            gardener_id=lease["gardener"]["gardener_id"],
            plot_id=lease["plot"]["plot_id"],
            starts_on=lease["starts_on"],
            expires_on=lease["expires_on"],
            renewals=lease["renewals"],
            state="ended" if lease["ended_on"] else "active",
            sign_text=lease["sign_text"],
            ended_on=lease["ended_on"],
            end_reason=lease["end_reason"],
        )
        lease["lease_id"] = row["lease_id"]
    used = len(gardeners) + len(plots) + len(leases) + len(charges) + len(shifts)
    worked = _add_hours_for_renewals(world, leases, shifts)
    _add_signups(world, gardeners, shifts, charges, max(world.size - used - len(worked), 2), worked)
    _add_charges(world, charges)


def _open_day(day):
    """The day itself, or the last one before it that is no Sunday, Monday, or holiday."""
    for _ in range(5):
        if _is_open(day):
            return day
        day = add_days(day, -1)
    return day


def _next_open_day(day):
    """The day itself, or the first one after it that is no Sunday, Monday, or holiday."""
    for _ in range(5):
        if _is_open(day):
            return day
        day = add_days(day, 1)
    return day


def _is_open(day):
    """Whether the office works on this day: not on Sundays, Mondays, and holidays."""
    thanksgiving = day[5:7] == "11" and weekday(day) == "Thursday" and 22 <= int(day[8:]) <= 28
    return weekday(day) not in ("Sunday", "Monday") and day[5:] not in HOLIDAYS and not thanksgiving


def _years(day, count):
    """The same day some years later, or earlier."""
    return f"{int(day[:4]) + count:04d}{day[4:]}".replace("-02-29", "-02-28")


def _in_words(day):
    return f"{MONTHS[int(day[5:7]) - 1]} {int(day[8:])}"


def _between(draw, first, last):
    """An open day from first to last, or first if there is none."""
    span = max(days_between(first, last), 0)
    day = _open_day(add_days(first, draw.randrange(span + 1)))
    if day < first:
        day = _next_open_day(first)
    return day if first <= day <= last else first


def _time(draw, first, last):
    """A minute between two hours of the day."""
    return f"{draw.randrange(first, last):02d}:{draw.randrange(60):02d}:00"


def _add_gardeners(world):
    draw = world.random
    gardeners = []
    for number in range(world.share(0.12, least=3)):
        given, family, zip_code = draw.choice(GIVEN), draw.choice(FAMILY), draw.choice(ZIPS)
        if number % 4 == 3:  # shares the name of an earlier one, who lives elsewhere
            twin = draw.choice(gardeners)
            given, family = twin["full_name"].split(" ")
            zip_code = ZIPS[(ZIPS.index(twin["zip_code"]) + draw.randrange(1, len(ZIPS))) % len(ZIPS)]
        local = draw.choice((f"{given}.{family}", f"{given[0]}{family}", f"{family}.{given}", f"{given}{family[0]}"))
        recent = draw.random() < 0.2
        joined = _open_day(world.day(-draw.randrange(3, 360) if recent else -draw.randrange(360, 3200)))
        gardener = world.insert(
            "gardener",
            full_name=f"{given} {family}",
            email=f"{local}{number + 11}@example.{draw.choice(('com', 'com', 'org', 'net'))}".lower(),
            phone=f"{AREAS[number // 100 % len(AREAS)]}-555-01{number * 37 % 100:02d}",
            zip_code=zip_code,
            tier=draw.choices(("standard", "senior", "reduced"), (58, 22, 20))[0],
            joined_on=joined,
        )
        gardeners.append(gardener)
    return gardeners


def _plan_plot(draw, counts, state):
    """A plot of a common kind, labeled by its section and a number."""
    section, letter = draw.choice(SECTIONS)
    counts[letter] = counts.get(letter, 0) + 1
    size, raised, fee, _ = draw.choices(KINDS, [kind[3] for kind in KINDS])[0]
    return {
        "label": f"{letter}-{counts[letter]:02d}",
        "section": section,
        "size_sqft": size,
        "raised_bed": raised,
        "yearly_fee_cents": fee,
        "state": state,
    }


def _sign(draw, gardener):
    """Words for a sign, or none."""
    given, family = gardener["full_name"].split(" ")
    forms = (
        f"{family} Family Garden",
        f"{given}'s Tomatoes",
        f"{given} {family}",
        f"The {family} Patch",
        f"{given}'s Beans & Peas",
        f"{family} Salad Bar",
    )
    return draw.choice(forms) if draw.random() < 0.55 else None


def _plan_active(world, gardener):
    """Start, expiry, and renewals of a lease that is active now; None for the rare one that would break a rule."""
    draw = world.random
    joined = gardener["joined_on"]
    offset = draw.choices(
        (
            draw.randrange(-13, 0),
            draw.randrange(0, 15),
            draw.randrange(15, 61),
            draw.randrange(61, 210),
            draw.randrange(231, 365),
        ),
        (9, 12, 24, 33, 22),
    )[0]
    expires = world.day(offset).replace("-02-29", "-02-28")
    most = int(expires[:4]) - int(joined[:4]) - 1
    if _years(expires, -1 - most) < joined:
        most -= 1
    if offset > 230 and gardener["tier"] != "senior":
        most = min(most, 0)  # renewals of this year took worked hours, except of seniors
    if most < 0:  # a newcomer
        starts = _between(draw, joined, world.day(draw.choice((-1, -1, 12)))).replace("-02-29", "-02-28")
        return starts, _years(starts, 1), 0
    renewals = 0 if draw.random() < 0.35 else draw.randrange(min(most, 5) + 1)
    return _years(expires, -1 - renewals), expires, renewals


def _plan_ended(world, gardener, limit):
    """A lease that was over before the limit, or None where there was no time for one."""
    draw = world.random
    soon = draw.random() < 0.5
    ended = _open_day(add_days(limit, -draw.randrange(1, 50 if soon else 700)))
    renewals = draw.choice((0, 0, 1, 2))
    if draw.random() < 0.5:  # ran out
        expires = add_days(ended, -draw.randrange(0, 12)).replace("-02-29", "-02-28")
        starts, reason = _years(expires, -1 - renewals), draw.choice(LAPSED)
    else:
        term = add_days(ended, -draw.randrange(60, 330)).replace("-02-29", "-02-28")
        if term >= f"{world.today[:4]}-01-01":
            renewals = 0
        starts, reason = _years(term, -renewals), draw.choice(CHANGED)
        expires = _years(starts, 1 + renewals)
    return (starts, expires, renewals, ended, reason) if starts >= gardener["joined_on"] else None


def _plan_leases(world, gardeners):
    """Leases of each gardener, never more than two at a time, the plots they are on, and their fees."""
    draw = world.random
    counts, plots, leases, charges = {}, [], [], []
    for gardener in gardeners:
        for _ in range(draw.choices((0, 1, 2), (25, 43, 32))[0]):
            starts, expires, renewals = _plan_active(world, gardener)
            mine = [lease for lease in leases[-2:] if lease["gardener"] is gardener]
            if mine and max(starts, mine[0]["starts_on"]) < add_days(gardener["joined_on"], 366):
                continue  # a second plot only after the first year
            plot = _plan_plot(draw, counts, "leased")
            plots.append(plot)
            leases.append(
                {
                    "gardener": gardener,
                    "plot": plot,
                    "starts_on": starts,
                    "expires_on": expires,
                    "renewals": renewals,
                    "ended_on": None,
                    "end_reason": None,
                }
            )
    active = list(leases)
    first = {}
    for lease in active:
        key = lease["gardener"]["gardener_id"]
        first[key] = min(first.get(key, lease["starts_on"]), lease["starts_on"])
    for gardener in gardeners:
        limit = min(first.get(gardener["gardener_id"], world.today), world.today)
        gone = False
        for _ in range(draw.choices((0, 1, 2), (45, 38, 17) if gardener["gardener_id"] in first else (20, 50, 30))[0]):
            planned = _plan_ended(world, gardener, limit)
            if planned is None:
                continue
            starts, expires, renewals, ended, reason = planned
            if limit == world.today and not gone and draw.random() < 0.75:  # the last lease, and nothing after it
                gone = True
                gardener["left_on"] = ended
                reason = draw.choice((*LEFT, LEFT_OLD if gardener["tier"] == "senior" else LEFT_YOUNG))
            limit = starts
            later = [
                lease
                for lease in draw.sample(active, min(6, len(active)))
                if lease["starts_on"] > ended and not lease["plot"].get("had")
            ]
            if later and draw.random() < 0.7:
                plot = later[0]["plot"]
            else:
                messy = ended > world.day(-120) and draw.random() < 0.6
                plot = _plan_plot(draw, counts, "needs_cleanup" if messy else "open")
                plots.append(plot)
            plot["had"] = True
            leases.append(
                {
                    "gardener": gardener,
                    "plot": plot,
                    "starts_on": starts,
                    "expires_on": expires,
                    "renewals": renewals,
                    "ended_on": ended,
                    "end_reason": reason,
                }
            )
    for _ in range(max(len(gardeners) // 6, 2)):
        plots.append(_plan_plot(draw, counts, draw.choices(("open", "needs_cleanup"), (75, 25))[0]))
    draw.shuffle(plots)
    for lease in leases:
        lease["sign_text"] = _sign(draw, lease["gardener"])
        _plan_lease_charges(world, lease, charges)
    return plots, leases, charges


def _plan_charge(charges, gardener, lease, kind, amount, note, created_at):
    charges.append(
        {"gardener": gardener, "lease": lease, "kind": kind, "amount": amount, "note": note, "created_at": created_at}
    )


def _plan_lease_charges(world, lease, charges):
    """A fee for each year of the last two, a late fee where it was renewed late, a cleanup fee where the plot was left messy."""
    draw = world.random
    gardener, plot = lease["gardener"], lease["plot"]
    percent = {"standard": 100, "senior": 80, "reduced": 50}[gardener["tier"]]
    for term in range(lease["renewals"] + 1):
        begins = _years(lease["starts_on"], term)
        if begins < world.day(-730):
            continue
        late = term > 0 and draw.random() < 0.1 and begins < world.day(-20)
        if late:
            created = _next_open_day(add_days(begins, draw.randrange(1, 11)))
        elif term:
            created = _open_day(add_days(begins, -draw.randrange(2, 50)))
        else:
            earliest = max(gardener["joined_on"], add_days(begins, -18))
            created = max(_between(draw, earliest, min(begins, world.day(-1))), gardener["joined_on"])
        moment = f"{created} {_time(draw, 8, 16)}"
        note = f"Plot {plot['label']}, year from {_in_words(begins)}, {begins[:4]}" if draw.random() < 0.4 else None
        _plan_charge(charges, gardener, lease, "lease_fee", plot["yearly_fee_cents"] * percent // 100, note, moment)
        if late:
            _plan_charge(
                charges, gardener, lease, "late_fee", 1500, f"Lease had run out on {_in_words(begins)}", moment
            )
    if plot["state"] == "needs_cleanup" and gardener["tier"] != "senior":
        amount = 7500 if plot["size_sqft"] >= 200 else 4000
        _plan_charge(
            charges,
            gardener,
            lease,
            "cleanup_fee",
            amount,
            draw.choice(UNCLEARED),
            f"{lease['ended_on']} {_time(draw, 8, 16)}",
        )


def _plan_key_fees(world, gardeners, charges):
    draw = world.random
    for number, gardener in enumerate(gardeners):
        if "left_on" not in gardener and (number == 1 or draw.random() < 0.4):
            earliest = max(gardener["joined_on"], world.day(-draw.choice((60, 90, 400))))
            day = _between(draw, earliest, world.day(-1))
            _plan_charge(
                charges,
                gardener,
                None,
                "key_fee",
                1000,
                draw.choice(KEYS) if draw.random() < 0.7 else None,
                f"{day} {_time(draw, 8, 16)}",
            )


def _add_shifts(world):
    """Shifts of the last year, of the last days (not closed yet), and of the next weeks; the work fits the month."""
    draw = world.random
    shifts = []
    for number in range(world.share(0.085, least=4)):
        when = draw.choices(("old", "spring", "just", "next", "later"), (14, 36, 6, 12, 32))[0]
        if number < 4:
            when = ("spring", "later", "just", "next")[number]
        offset = {
            "old": draw.randrange(-360, -135),
            "spring": draw.randrange(-133, -2),
            "just": draw.randrange(-2, 0),
            "next": draw.randrange(1, 3),
            "later": draw.randrange(5, 60),
        }[when]
        day = _open_day(world.day(offset))
        work, places, hours, fewest, most, _ = draw.choice([item for item in WORK if int(day[5:7]) in item[5]])
        shift = world.insert(
            "shift",
            title=f"{work}, {draw.choice(places)}",
            starts_at=f"{day} {draw.choice(STARTS)}:00",
            hours=draw.choice(hours),
            spots=draw.randrange(fewest, most + 1),
            state="closed" if when in ("old", "spring") else "scheduled",
        )
        shifts.append({**shift, "day": day, "left": shift["spots"]})
    return shifts


def _add_hours_for_renewals(world, leases, shifts):
    """Who has renewed a lease that is active has worked two hours or more this year, except seniors; returns their days."""
    draw = world.random
    busy = set()
    done = {
        lease["gardener"]["gardener_id"]: lease["gardener"]
        for lease in leases
        if lease["renewals"] and not lease["ended_on"]
    }
    long_ones = [
        shift
        for shift in shifts
        if shift["state"] == "closed" and shift["day"] > world.day(-133) and shift["hours"] > 1
    ]
    for key, gardener in done.items():
        fitting = [shift for shift in long_ones if shift["left"] > 2]
        if gardener["tier"] == "senior" or not fitting:
            continue
        shift = draw.choice(fitting)
        people = draw.choices((1, 2), (3, 1))[0]
        created = _between(draw, add_days(shift["day"], -28), add_days(shift["day"], -2))
        note = draw.choice(ALONE if people == 1 else GROUP) if draw.random() < 0.3 else None
        shift["left"] -= people
        busy.add((key, shift["day"]))
        world.insert(
            "signup",
            gardener_id=key,
            shift_id=shift["shift_id"],
            people=people,
            note=note,
            state="worked",
            created_at=f"{created} {_time(draw, 8, 13)}",
        )
    return busy


def _add_signups(world, gardeners, shifts, charges, wanted, busy):
    """Signups dealt unevenly; nobody is in two shifts of one day, nor has more than three open."""
    draw = world.random
    pool = [gardener for gardener in gardeners for _ in range(draw.choice((0, 1, 1, 2, 3, 6)))] or gardeners
    still_open, added = {}, 0
    for _ in range(wanted * 8):
        if added >= wanted:
            break
        gardener, shift = draw.choice(pool), draw.choice(shifts)
        key = gardener["gardener_id"]
        people = draw.choices((1, 2, 3, 4), (64, 23, 9, 4))[0]
        first = max(gardener["joined_on"], add_days(shift["day"], -28))
        last = min(add_days(shift["day"], -1), world.day(-1))
        if (
            (key, shift["day"]) in busy
            or first > last
            or people > shift["left"]
            or shift["day"] >= gardener.get("left_on", "9999")
        ):
            continue
        created = _between(draw, first, last)
        cancel_by = min(add_days(shift["day"], -3), world.day(-1))
        past = shift["state"] == "closed"
        state = draw.choices(("worked", "missed") if past else ("signed_up",), (85, 15) if past else (1,))[0]
        if created <= cancel_by and draw.random() < 0.16:
            state = "canceled"
        if state == "signed_up" and still_open.get(key, 0) >= 3:
            continue
        busy.add((key, shift["day"]))
        if state == "signed_up":
            still_open[key] = still_open.get(key, 0) + 1
        if state != "canceled":
            shift["left"] -= people
        note = draw.choice(ALONE if people == 1 else GROUP) if draw.random() < 0.3 else None
        canceled_at = f"{_between(draw, created, cancel_by)} {_time(draw, 13, 17)}" if state == "canceled" else None
        world.insert(
            "signup",
            gardener_id=key,
            shift_id=shift["shift_id"],
            people=people,
            note=note,
            state=state,
            created_at=f"{created} {_time(draw, 8, 13)}",
            canceled_at=canceled_at,
            cancel_reason=draw.choice(CANCELED) if canceled_at and draw.random() < 0.65 else None,
        )
        added += 1
        if state == "missed":
            day = _next_open_day(add_days(shift["day"], 1))
            work = shift["title"].split(",")[0].lower()
            _plan_charge(
                charges,
                gardener,
                None,
                "missed_shift_fee",
                1500,
                f"Missed {work} on {_in_words(shift['day'])}",
                f"{day} {_time(draw, 8, 16)}",
            )
            added += 1


def _add_charges(world, charges):
    """A cleanup fee is due at once, every other charge in 30 days; nobody owed a charge due by the next week when a lease was started."""
    draw = world.random
    leased = {}
    for charge in charges:
        if charge["kind"] == "lease_fee":
            key = charge["gardener"]["gardener_id"]
            leased[key] = max(leased.get(key, ""), charge["created_at"][:10], charge["lease"]["starts_on"])
    waived = set()
    draw.shuffle(charges)
    for charge in charges:
        key, created = charge["gardener"]["gardener_id"], charge["created_at"][:10]
        due = created if charge["kind"] == "cleanup_fee" else add_days(created, 30)
        year = (key, created[:4])
        state = "paid"
        if created > world.day(-95) and leased.get(key, "") < add_days(due, -7) and draw.random() < 0.85:
            state = "unpaid"
        elif charge["kind"] in ("missed_shift_fee", "late_fee") and year not in waived and draw.random() < 0.3:
            state = "waived"
            waived.add(year)
        settled = None
        if state != "unpaid":
            last = min(due, world.day(-1))
            if state == "waived":
                last = min(last, f"{created[:4]}-12-31")
            day = _between(draw, created, last)
            settled = (
                f"{day} {_time(draw, 8, 17)}"
                if day > created
                else add_minutes(charge["created_at"], draw.randrange(5, 50))
            )
        world.insert(
            "charge",
            gardener_id=key,
            lease_id=charge["lease"]["lease_id"] if charge["lease"] else None,
            kind=charge["kind"],
            amount_cents=charge["amount"],
            note=charge["note"],
            due_on=due,
            state=state,
            created_at=charge["created_at"],
            settled_at=settled,
            method=None
            if state == "unpaid"
            else "waiver"
            if state == "waived"
            else draw.choices(("card", "check", "cash"), (6, 3, 2))[0],
        )
