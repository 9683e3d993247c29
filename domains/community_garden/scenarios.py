"""What people want of Community Garden: every function is a scenario."""

from runtime.story import Story, scenario

ONLY_ITS_PLOT = """
    NOT EXISTS (SELECT 1 FROM lease AS twin WHERE twin.lease_id <> lease.lease_id
        AND twin.gardener_id = lease.gardener_id
        AND twin.plot_id = lease.plot_id)
"""
ALONE_THAT_DAY = """
    NOT EXISTS (SELECT 1 FROM shift AS twin WHERE twin.shift_id <> shift.shift_id
        AND twin.title = shift.title
        AND substr(twin.starts_at, 1, 10) = substr(shift.starts_at, 1, 10))
"""
OPEN_TO_ALL = "spots_taken < spots AND task IN ('watering', 'harvest')"
BOOKED = """
    (SELECT count(*) FROM signup AS own WHERE own.gardener_id = gardener.gardener_id
        AND own.status = 'booked')
"""
OWN_BOOKED = """
    (SELECT count(*) FROM signup AS own WHERE own.gardener_id = signup.gardener_id
        AND own.status = 'booked')
"""


@scenario
def change_phone_number(story: Story) -> None:
    """The gardener has a new phone number."""
    story.pick(
        "gardener",
        "coalesce(phone, '') NOT LIKE '(614) 555-01%' AND coalesce(phone, '') NOT LIKE '(380)%' OR phone LIKE '(614) 555-010%'",
        mine=True,
    )
    phone = story.choose("phone", ["(614) 555-0187", "(614) 555-0163", "(380) 555-0129", "(614) 555-0174"])
    story.wish(
        (
            "I changed carriers and my phone number is {phone} now. Can you update it?",
            "My phone number has changed to {phone}. Could you please update my account?",
            "new phone number for me, {phone}, can you update it?",
        ),
        short="changing my phone number to {phone}",
        phone=phone,
    )
    story.call("update_contact", gardener_id=story.identify(), phone=phone)


@scenario
def charge_supplies(story: Story) -> None:
    """The gardener took supplies home and wants them on the account."""
    label = story.choose("supplies", ["3 straw bales", "2 bags of mulch", "4 tomato cages", "6 packets of seeds"])
    amount = story.money(story.choose("price", [1350, 1875, 2460, 975]))
    kind = story.choose("kind", ["supplies"])
    story.wish(
        (
            "I picked up {kind} at the shed today, {label} for {amount}. Can you put that on my account?",
            "I took home {kind} today, {label} for {amount}. Could you please add that to my account?",
            "grabbed some {kind} today, {label} for {amount}, can you put it on my account?",
        ),
        short="putting {kind} on my account, {label} for {amount}",
        kind=kind,
        label=label,
        amount=amount,
    )
    story.call("add_charge", gardener_id=story.identify(), kind=kind, label=label, amount_cents=amount)


@scenario
def pay_one_charge(story: Story) -> None:
    """The gardener pays one open charge and asks when it was due."""
    charge = story.pick("charge", "status = 'open'", unique_by=["gardener_id", "label"], mine=True)
    story.wish(
        (
            "I'm paying what I owe for {label}. Can you mark it paid and tell me the due date and the amount?",
            "I would like to pay my charge for {label}. Could you please mark it as paid and tell me the due date and the amount?",
            "paying for {label}, can you mark it paid? what's the due date and the amount",
        ),
        short="marking {label} as paid and telling me the due date and the amount",
        label=charge["label"],
    )
    charges = story.call("list_charges", gardener_id=story.identify())["charges"]
    mine = story.find(charges, label=charge["label"])
    story.call("pay_charges", charge_ids=[mine["charge_id"]])
    story.answer("due date", mine["due_on"])
    story.answer("amount", story.money(mine["amount_cents"]))


@scenario(form="denied")
def lease_another_plot(story: Story) -> None:
    """The gardener wants an open plot, which the limit of the membership may forbid."""
    story.pick("gardener", "email IS NOT NULL", mine=True)
    plot = story.pick("plot", "status = 'open'")
    state = story.choose("state", ["open"])
    want = story.wish(
        (
            "I'd love to have plot {number}, the {state} {kind} bed with {feet} square feet. Can you lease it to me?",
            "I would like to lease plot {number}, the {state} {kind} bed with {feet} square feet.",
            "can i get plot {number}? the {state} {kind} bed, {feet} square feet",
        ),
        short="leasing me plot {number}, the {state} {kind} bed with {feet} square feet",
        number=plot["plot_number"],
        state=state,
        kind=plot["kind"],
        feet=plot["square_feet"],
    )
    story.insists(
        want,
        (
            "I've been looking at that bed all winter, and it's just sitting there.",
            "I have wanted that bed for a long time, and nobody is using it.",
            "come on, it's just sitting there empty",
        ),
    )
    key = story.identify()
    plots = story.call("search_plots", kind=plot["kind"], min_square_feet=plot["square_feet"], status=state)["plots"]
    found = story.find(plots, plot_number=plot["plot_number"])
    if story.permits("lease_plot", gardener_id=key, plot_id=found["plot_id"]):
        story.call("lease_plot", gardener_id=key, plot_id=found["plot_id"])
    else:
        story.decline(want)


@scenario(form="denied")
def renew_a_lease(story: Story) -> None:
    """The gardener wants to renew a lease, perhaps too early."""
    lease = story.pick(
        "lease",
        f"status = 'active' AND ends_on >= ? AND {ONLY_ITS_PLOT}",
        story.today,
        mine=True,
    )
    number = story.row("plot", lease["plot_id"])["plot_number"]
    keep = story.wish(
        (
            "I want to keep plot {number} another year. Can you renew my lease on it?",
            "I would like to renew my lease on plot {number} for another year.",
            "can you renew my lease on plot {number}? want it another year",
        ),
        short="renewing my lease on plot {number} for another year",
        number=number,
    )
    story.insists(
        keep,
        (
            "I'm leaving town soon and I'd hate to lose my tomatoes.",
            "I have put a great deal of work into that soil and would be sorry to lose it.",
            "i put so much work into that plot, please",
        ),
    )
    leases = story.call("list_leases", gardener_id=story.identify())["leases"]
    mine = story.find(leases, plot_number=number)
    if story.permits("renew_lease", lease_id=mine["lease_id"]):
        story.call("renew_lease", lease_id=mine["lease_id"])
    else:
        story.decline(keep)


@scenario(form="fallback")
def give_up_a_plot(story: Story) -> None:
    """The gardener gives up a plot whose lease ran out, or else only changes the phone number."""
    lease = story.pick(
        "lease",
        f"status = 'active' AND ends_on <= ? AND (SELECT count(*) FROM charge WHERE charge.gardener_id = lease.gardener_id AND charge.status = 'open' AND due_on < ?) <= 1 AND EXISTS (SELECT 1 FROM gardener WHERE gardener.gardener_id = lease.gardener_id AND coalesce(phone, '') NOT IN ('(614) 555-0187', '(614) 555-0163', '(614) 555-0174', '(380) 555-0129')) AND {ONLY_ITS_PLOT}",
        story.today,
        story.today,
        mine=True,
    )
    number = story.row("plot", lease["plot_id"])["plot_number"]
    phone = story.choose("phone", ["(614) 555-0187", "(614) 555-0163", "(380) 555-0129", "(614) 555-0174"])
    leave = story.wish(
        (
            "My lease on plot {number} is up and I'm done with it. Can you end it?",
            "My lease on plot {number} has run out. I would like to end it, please.",
            "done with plot {number}, can you end the lease?",
        ),
        short="ending my lease on plot {number}",
        number=number,
    )
    call_me = story.otherwise(
        leave,
        (
            "Okay. Then just update my phone number to {phone} for now.",
            "In that case, please update my phone number to {phone} for now.",
            "ok then just change my phone number to {phone} for now",
        ),
        short="changing my phone number to {phone}",
        phone=phone,
    )
    key = story.identify()
    leases = story.call("list_leases", wish=leave, gardener_id=key)["leases"]
    mine = story.find(leases, plot_number=number)
    if story.permits("end_lease", wish=leave, lease_id=mine["lease_id"]):
        story.call("end_lease", wish=leave, lease_id=mine["lease_id"])
    else:
        story.decline(leave)
        story.call("update_contact", wish=call_me, gardener_id=key, phone=phone)


@scenario(form="all_but")
def pay_all_but_one(story: Story) -> None:
    """The gardener pays all open charges except one."""
    charge = story.pick(
        "charge",
        "status = 'open' AND (SELECT count(*) FROM charge AS own WHERE own.gardener_id = charge.gardener_id "
        "AND own.status = 'open') BETWEEN 3 AND 6",
        unique_by=["gardener_id", "label"],
        mine=True,
    )
    story.wish(
        (
            "I want to pay everything I owe except {label}. Can you mark those as paid?",
            "I would like to pay all of my open charges except {label}. Could you please mark them as paid?",
            "paying everything i owe, skip {label}. can you mark those paid?",
        ),
        short="marking everything I owe as paid except {label}",
        label=charge["label"],
    )
    charges = story.call("list_charges", gardener_id=story.identify())["charges"]
    owed = [each for each in charges if each["status"] == "open"]
    with story.wrong("forgets the exception"):
        story.call("pay_charges", charge_ids=[each["charge_id"] for each in owed])
    story.call("pay_charges", charge_ids=[each["charge_id"] for each in story.all_but(owed, label=charge["label"])])


@scenario(form="changed_mind")
def correct_new_phone_number(story: Story) -> None:
    """The gardener gives a new phone number and corrects it."""
    story.pick(
        "gardener",
        "phone IS NULL OR phone NOT LIKE '(380)%' AND phone NOT IN ('(614) 555-0187', '(614) 555-0163', '(614) 555-0174')",
        mine=True,
    )
    first = story.choose("phone", ["(614) 555-0187", "(614) 555-0163"])
    second = story.choose("right phone", ["(614) 555-0174", "(380) 555-0129"])
    number = story.wish(
        (
            "I've got a new phone number, {phone}. Can you update it?",
            "My phone number is now {phone}. Could you please update it?",
            "my number's {phone} now, can you change it?",
        ),
        short="changing my phone number to {phone}",
        phone=first,
    )
    correct = story.changes_mind(
        number,
        (
            "Sorry, I typed that wrong. It's {phone}.",
            "I apologize, I typed that wrong. It is {phone}.",
            "oops typo, it's {phone}",
        ),
        short="changing my phone number to {phone}",
        phone=second,
    )
    key = story.identify()
    story.call("update_contact", wish=number, gardener_id=key, phone=first)
    story.call("update_contact", wish=correct, gardener_id=key, phone=second)


@scenario(form="computed")
def total_with_another_plot(story: Story) -> None:
    """The gardener asks what a further plot would bring the total to."""
    story.pick(
        "gardener",
        "EXISTS (SELECT 1 FROM charge WHERE charge.gardener_id = gardener.gardener_id AND charge.status = 'open')",
        mine=True,
    )
    plot = story.pick("plot", "status = 'open'")
    state = story.choose("state", ["open"])
    story.wish(
        (
            "I'm thinking about plot {number}, the {state} {kind} bed with {feet} square feet. How much is the yearly rent, and what would my total be with what I already owe?",
            "I am considering plot {number}, the {state} {kind} bed with {feet} square feet. What is the yearly rent, and what would my total be including what I already owe?",
            "what's the yearly rent for plot {number}, the {state} {kind} bed with {feet} square feet? and my total with what i already owe",
        ),
        short="telling me the yearly rent of plot {number}, the {state} {kind} bed with {feet} square feet, and my total with what I already owe",
        number=plot["plot_number"],
        state=state,
        kind=plot["kind"],
        feet=plot["square_feet"],
    )
    key = story.identify()
    plots = story.call("search_plots", kind=plot["kind"], min_square_feet=plot["square_feet"], status=state)["plots"]
    found = story.find(plots, plot_number=plot["plot_number"])
    account = story.call("list_charges", gardener_id=key)
    with story.wrong("forgets what is owed already"):
        story.answer("yearly rent", story.money(found["rent_cents"]))
        story.answer("total", story.money(found["rent_cents"]))
    story.answer("yearly rent", story.money(found["rent_cents"]))
    parts = [{"cents": account["open_cents"]}, {"cents": found["rent_cents"]}]
    story.answer("total", story.money(story.total(parts, "cents")))


@scenario(form="conditional")
def renew_if_it_ends_soon(story: Story) -> None:
    """The gardener renews a lease that ends soon, and otherwise pays a charge."""
    lease = story.pick(
        "lease",
        f"status = 'active' AND ends_on >= ? AND EXISTS (SELECT 1 FROM charge WHERE charge.gardener_id = lease.gardener_id AND charge.status = 'open') AND {ONLY_ITS_PLOT}",
        story.today,
        mine=True,
    )
    number = story.row("plot", lease["plot_id"])["plot_number"]
    charge = story.pick("charge", "status = 'open'", unique_by=["gardener_id", "label"], mine=True)
    day = story.day(20)
    story.wish(
        (
            "If my lease on plot {number} ends by {day}, please renew it. If it ends later, mark {label} as paid instead.",
            "Please renew my lease on plot {number} if it ends by {day}. If it ends later, please mark {label} as paid instead.",
            "renew plot {number} if the lease ends by {day}, if it's later mark {label} as paid instead",
        ),
        short="renewing my lease on plot {number} if it ends by {day}, and marking {label} as paid if it ends later",
        number=number,
        day=day,
        label=charge["label"],
    )
    key = story.identify()
    leases = story.call("list_leases", gardener_id=key)["leases"]
    mine = story.find(leases, plot_number=number)
    charges = story.call("list_charges", gardener_id=key)["charges"]
    owed = story.find(charges, label=charge["label"])
    if mine["ends_on"] <= day:
        with story.wrong("takes the other branch"):
            story.call("pay_charges", charge_ids=[owed["charge_id"]])
        with story.wrong("does both"):
            story.call("renew_lease", lease_id=mine["lease_id"])
            story.call("pay_charges", charge_ids=[owed["charge_id"]])
        story.call("renew_lease", lease_id=mine["lease_id"])
    else:
        with story.wrong("takes the other branch"):
            story.call("renew_lease", lease_id=mine["lease_id"])
        with story.wrong("does both"):
            story.call("renew_lease", lease_id=mine["lease_id"])
            story.call("pay_charges", charge_ids=[owed["charge_id"]])
        story.call("pay_charges", charge_ids=[owed["charge_id"]])


@scenario(form="coupled")
def settle_and_leave(story: Story) -> None:
    """The gardener ends a lease and pays what is overdue."""
    lease = story.pick(
        "lease",
        f"status = 'active' AND ends_on <= ? AND (SELECT count(*) FROM charge WHERE charge.gardener_id = lease.gardener_id AND charge.status = 'open' AND due_on < ?) = 1 AND {ONLY_ITS_PLOT}",
        story.today,
        story.today,
        mine=True,
    )
    number = story.row("plot", lease["plot_id"])["plot_number"]
    charge = story.pick(
        "charge", "status = 'open' AND due_on < ?", story.today, unique_by=["gardener_id", "label"], mine=True
    )
    with story.together():
        leave = story.wish(
            (
                "I'm giving up plot {number}, my lease is up. Please end it.",
                "My lease on plot {number} is up. I would like to end it.",
                "giving up plot {number}, lease is up, can you end it?",
            ),
            short="ending my lease on plot {number}",
            number=number,
        )
        pay = story.wish(
            (
                "And mark the {amount} for {label} as paid, I have the check right here.",
                "Please also mark the {amount} for {label} as paid.",
                "and mark the {amount} for {label} as paid",
            ),
            short="marking the {amount} for {label} as paid",
            amount=story.money(charge["amount_cents"]),
            label=charge["label"],
        )
    key = story.identify()
    charges = story.call("list_charges", wish=pay, gardener_id=key)["charges"]
    owed = story.find(charges, label=charge["label"])
    leases = story.call("list_leases", wish=leave, gardener_id=key)["leases"]
    mine = story.find(leases, plot_number=number)
    story.call("pay_charges", wish=pay, charge_ids=[owed["charge_id"]])
    story.call("end_lease", wish=leave, lease_id=mine["lease_id"])


@scenario(form="mistaken")
def renew_with_wrong_date(story: Story) -> None:
    """The gardener renews a lease and remembers its last day wrong."""
    lease = story.pick(
        "lease",
        f"status = 'active' AND ends_on BETWEEN ? AND ? AND {ONLY_ITS_PLOT}",
        story.today,
        story.day(30),
        mine=True,
    )
    number = story.row("plot", lease["plot_id"])["plot_number"]
    wrong = story.after(lease["ends_on"], days=-story.choose("days", (3, 7, 10, 14)))
    story.wish(
        (
            "I think my lease on plot {number} ends {day}. Please renew it for a year. What's the new last day?",
            "I believe that my lease on plot {number} ends {day}. Please renew it for a year and tell me the new last day.",
            "pretty sure my lease on plot {number} ends {day}, can you renew it? what's the new last day",
        ),
        short="renewing my lease on plot {number} and telling me the new last day",
        number=number,
        day=wrong,
    )
    story.believes("last day", wrong, lease["ends_on"])
    leases = story.call("list_leases", gardener_id=story.identify())["leases"]
    mine = story.find(leases, plot_number=number)
    with story.wrong("trusts the customer"):
        story.call("renew_lease", lease_id=mine["lease_id"])
        story.answer("new last day", story.after(wrong, days=365))
    with story.wrong("tells the old last day"):
        story.call("renew_lease", lease_id=mine["lease_id"])
        story.answer("new last day", mine["ends_on"])
    story.answer("new last day", story.call("renew_lease", lease_id=mine["lease_id"])["ends_on"])


@scenario(form="outside")
def pay_and_ask_for_watering(story: Story) -> None:
    """The gardener pays a charge and wants somebody to water the plot."""
    charge = story.pick("charge", "status = 'open'", unique_by=["gardener_id", "label"], mine=True)
    story.wish(
        (
            "I just dropped off {amount} for {label}. Can you mark it as paid?",
            "I have dropped off {amount} for {label}. Could you please mark it as paid?",
            "dropped off {amount} for {label}, can you mark it paid?",
        ),
        short="marking the {amount} for {label} as paid",
        amount=story.money(charge["amount_cents"]),
        label=charge["label"],
    )
    charges = story.call("list_charges", gardener_id=story.identify())["charges"]
    mine = story.find(charges, label=charge["label"])
    story.call("pay_charges", charge_ids=[mine["charge_id"]])
    story.outside(
        (
            "And can you have someone water my tomatoes while I'm gone this weekend?",
            "Could you also send someone to water my tomatoes this weekend?",
            "and can someone water my tomatoes this weekend while i'm gone",
        )
    )


@scenario(form="withheld")
def new_phone_number_withheld(story: Story) -> None:
    """The gardener has a new phone number and does not say it yet."""
    story.pick(
        "gardener",
        "phone IS NULL OR phone NOT LIKE '(380)%' AND phone NOT IN ('(614) 555-0187', '(614) 555-0163', '(614) 555-0174')",
        mine=True,
    )
    change = story.wish(
        (
            "I switched carriers and have a new phone number. Can you update it?",
            "My phone number has changed. Could you please update it?",
            "got a new phone number, can you update it?",
        ),
    )
    phone = story.choose("phone", ["(614) 555-0187", "(614) 555-0163", "(380) 555-0129", "(614) 555-0174"])
    story.keep_back("new phone number", phone)
    story.in_short(change, "changing my phone number to {phone}", phone=phone)
    story.call("update_contact", gardener_id=story.identify(), phone=phone)


@scenario
def join_a_shift(story: Story) -> None:
    """The gardener signs up for a shift that is open to everyone."""
    me = story.pick("gardener", f"{BOOKED} < 2", mine=True)
    shift = story.pick(
        "shift",
        f"starts_at > ? AND {OPEN_TO_ALL} AND {ALONE_THAT_DAY} AND shift_id NOT IN (SELECT shift_id FROM signup WHERE gardener_id = ?)",
        story.now,
        me["gardener_id"],
    )
    shift_day = story.date_of(shift["starts_at"])
    story.wish(
        (
            "I have some time on {day}. Can you put me down for {title} that day?",
            "I would like to help with {title} on {day}. Could you please sign me up?",
            "can you sign me up for {title} on {day}?",
        ),
        short="signing me up for {title} on {day}",
        title=shift["title"],
        day=shift_day,
    )
    key = story.identify()
    found = story.find(
        story.call("list_shifts", first_day=shift_day, last_day=shift_day)["shifts"], title=shift["title"]
    )
    story.call("sign_up_for_shift", gardener_id=key, shift_id=found["shift_id"])


@scenario
def move_to_another_shift(story: Story) -> None:
    """The gardener moves a signup to another shift."""
    signup = story.pick(
        "signup",
        "status = 'booked'",
        unique_by=["gardener_id", "shift_id.title"],
        mine=True,
    )
    title = story.row("shift", signup["shift_id"])["title"]
    shift = story.pick(
        "shift",
        f"starts_at > ? AND {OPEN_TO_ALL} AND {ALONE_THAT_DAY} AND shift_id NOT IN (SELECT shift_id FROM signup WHERE gardener_id = ?)",
        story.now,
        signup["gardener_id"],
    )
    shift_day = story.date_of(shift["starts_at"])
    story.wish(
        (
            "I can't make {old} anymore. Can you move me to {new} on {day} instead?",
            "I am unable to help with {old}. Could you please move me to {new} on {day}?",
            "can't do {old}, can you move me to {new} on {day}?",
        ),
        short="moving me from {old} to {new} on {day}",
        old=title,
        new=shift["title"],
        day=shift_day,
    )
    signups = story.call("list_signups", gardener_id=story.identify())["signups"]
    mine = story.find(signups, title=title)
    found = story.find(
        story.call("list_shifts", first_day=shift_day, last_day=shift_day)["shifts"], title=shift["title"]
    )
    story.call("move_signup", signup_id=mine["signup_id"], shift_id=found["shift_id"])


@scenario(form="denied")
def cancel_a_signup(story: Story) -> None:
    """The gardener wants to cancel a signup, perhaps too late."""
    signup = story.pick(
        "signup",
        "status = 'booked'",
        unique_by=["gardener_id", "shift_id.title"],
        mine=True,
    )
    title = story.row("shift", signup["shift_id"])["title"]
    cancel = story.wish(
        (
            "Something came up and I can't make {title}. Can you cancel my spot?",
            "I am unable to attend {title}. I would like to cancel my spot, please.",
            "can you cancel my spot on {title}? something came up",
        ),
        short="canceling my spot on {title}",
        title=title,
    )
    story.insists(
        cancel,
        (
            "My kid is sick and I really can't leave the house.",
            "My son is ill, and I have nobody else to watch him.",
            "my kid's sick, i really can't make it",
        ),
    )
    signups = story.call("list_signups", gardener_id=story.identify())["signups"]
    mine = story.find(signups, title=title)
    if story.permits("cancel_signup", signup_id=mine["signup_id"]):
        story.call("cancel_signup", signup_id=mine["signup_id"])
    else:
        story.decline(cancel)


@scenario(form="denied")
def join_a_shift_with_tools(story: Story) -> None:
    """The gardener wants to join a shift with power tools."""
    me = story.pick("gardener", f"{BOOKED} < 2", mine=True)
    shift = story.pick(
        "shift",
        f"starts_at > ? AND spots_taken < spots AND task IN ('repairs', 'composting', 'weeding') AND {ALONE_THAT_DAY} AND shift_id NOT IN (SELECT shift_id FROM signup WHERE gardener_id = ?)",
        story.now,
        me["gardener_id"],
    )
    shift_day = story.date_of(shift["starts_at"])
    join = story.wish(
        (
            "I'd like to lend a hand with {title} on {day}. Can you sign me up?",
            "I would like to sign up for {title} on {day}, please.",
            "sign me up for {title} on {day}?",
        ),
        short="signing me up for {title} on {day}",
        title=shift["title"],
        day=shift_day,
    )
    story.insists(
        join,
        (
            "I've been doing yard work my whole life, I'll be fine.",
            "I have done yard work for thirty years and would be glad to help.",
            "been doing yard work forever, i'll be fine",
        ),
    )
    key = story.identify()
    found = story.find(
        story.call("list_shifts", first_day=shift_day, last_day=shift_day)["shifts"], title=shift["title"]
    )
    if story.permits("sign_up_for_shift", gardener_id=key, shift_id=found["shift_id"]):
        story.call("sign_up_for_shift", gardener_id=key, shift_id=found["shift_id"])
    else:
        story.decline(join)


@scenario(form="ambiguous")
def move_one_of_several(story: Story) -> None:
    """The gardener wants to move one of several signups."""
    signup = story.pick(
        "signup",
        f"status = 'booked' AND {OWN_BOOKED} >= 4",
        unique_by=["gardener_id", "shift_id.title"],
        mine=True,
    )
    title = story.row("shift", signup["shift_id"])["title"]
    shift = story.pick(
        "shift",
        f"starts_at > ? AND {OPEN_TO_ALL} AND {ALONE_THAT_DAY} AND shift_id NOT IN (SELECT shift_id FROM signup WHERE gardener_id = ?)",
        story.now,
        signup["gardener_id"],
    )
    shift_day = story.date_of(shift["starts_at"])
    move = story.wish(
        (
            "I need to move one of the shifts I'm booked for to {title} on {day}. Can you do that?",
            "I would like to move one of the shifts I am booked for to {title} on {day}.",
            "can you move one of my booked shifts to {title} on {day}?",
        ),
        title=shift["title"],
        day=shift_day,
    )
    story.keep_back("shift to move", title)
    story.in_short(
        move,
        "moving one of my booked shifts to {title} on {day}, {old}",
        title=shift["title"],
        day=shift_day,
        old=title,
    )
    signups = story.call("list_signups", gardener_id=story.identify())["signups"]
    booked = [each for each in signups if each["status"] == "booked"]
    mine = story.find(booked, title=title)
    found = story.find(
        story.call("list_shifts", first_day=shift_day, last_day=shift_day)["shifts"], title=shift["title"]
    )
    for other in story.others(booked, mine):
        with story.wrong("takes another one that fits"):
            story.call("move_signup", signup_id=other["signup_id"], shift_id=found["shift_id"])
    story.call("move_signup", signup_id=mine["signup_id"], shift_id=found["shift_id"])


@scenario(form="best_of")
def move_the_first_short_one(story: Story) -> None:
    """The gardener moves the first of the short shifts."""
    signup = story.pick(
        "signup",
        "status = 'booked' AND (SELECT count(*) FROM signup AS own JOIN shift USING (shift_id) "
        "WHERE own.gardener_id = signup.gardener_id AND own.status = 'booked' AND hours <= 2) >= 2 "
        "AND EXISTS (SELECT 1 FROM signup AS own JOIN shift AS long USING (shift_id) WHERE own.gardener_id = signup.gardener_id "
        "AND own.status = 'booked' AND long.hours > 2 AND long.starts_at < (SELECT min(short.starts_at) FROM signup AS two "
        "JOIN shift AS short USING (shift_id) WHERE two.gardener_id = signup.gardener_id AND two.status = 'booked' AND short.hours <= 2))",
        mine=True,
    )
    hours = story.choose("hours", [2])
    shift = story.pick(
        "shift",
        f"starts_at > ? AND {OPEN_TO_ALL} AND {ALONE_THAT_DAY} AND shift_id NOT IN (SELECT shift_id FROM signup WHERE gardener_id = ?)",
        story.now,
        signup["gardener_id"],
    )
    shift_day = story.date_of(shift["starts_at"])
    story.wish(
        (
            "Of the shifts I'm booked for that take {hours} hours or less, please move the one that comes first to {title} on {day}.",
            "Please move the first of my booked shifts that take {hours} hours or less to {title} on {day}.",
            "move whichever of my booked shifts comes first to {title} on {day}, only the ones that are {hours} hours or less",
        ),
        short="moving the first of my booked shifts of {hours} hours or less to {title} on {day}",
        hours=hours,
        title=shift["title"],
        day=shift_day,
    )
    signups = story.call("list_signups", gardener_id=story.identify())["signups"]
    booked = [each for each in signups if each["status"] == "booked"]
    found = story.find(
        story.call("list_shifts", first_day=shift_day, last_day=shift_day)["shifts"], title=shift["title"]
    )
    with story.wrong("forgets a condition"):
        story.call("move_signup", signup_id=story.lowest(booked, "starts_at")["signup_id"], shift_id=found["shift_id"])
    short = [each for each in booked if each["hours"] <= hours]
    first = story.lowest(short, "starts_at")
    for other in story.others(short, first, 1):
        with story.wrong("takes another one that fits"):
            story.call("move_signup", signup_id=other["signup_id"], shift_id=found["shift_id"])
    story.call("move_signup", signup_id=first["signup_id"], shift_id=found["shift_id"])


@scenario(form="changed_mind")
def move_and_think_again(story: Story) -> None:
    """The gardener moves a signup and then wants another shift."""
    signup = story.pick(
        "signup",
        "status = 'booked'",
        unique_by=["gardener_id", "shift_id.title"],
        mine=True,
    )
    title = story.row("shift", signup["shift_id"])["title"]
    shift = story.pick(
        "shift",
        f"starts_at > ? AND {OPEN_TO_ALL} AND {ALONE_THAT_DAY} AND shift_id NOT IN (SELECT shift_id FROM signup WHERE gardener_id = ?)",
        story.now,
        signup["gardener_id"],
    )
    shift_day = story.date_of(shift["starts_at"])
    second = story.pick(
        "shift",
        f"starts_at > ? AND {OPEN_TO_ALL} AND {ALONE_THAT_DAY} AND shift_id NOT IN (SELECT shift_id FROM signup WHERE gardener_id = ?) AND shift_id <> ?",
        story.now,
        signup["gardener_id"],
        shift["shift_id"],
    )
    second_day = story.date_of(second["starts_at"])
    move = story.wish(
        (
            "I can't make {old}. Can you move me to {new} on {day}?",
            "I am unable to attend {old}. Please move me to {new} on {day}.",
            "can't make {old}, move me to {new} on {day}?",
        ),
        short="moving me from {old} to {new} on {day}",
        old=title,
        new=shift["title"],
        day=shift_day,
    )
    change = story.changes_mind(
        move,
        (
            "Actually, make that {new} on {day}. That works better for me.",
            "On second thought, {new} on {day} would suit me better.",
            "actually make it {new} on {day}",
        ),
        short="moving me to {new} on {day}",
        new=second["title"],
        day=second_day,
    )
    signups = story.call("list_signups", wish=move, gardener_id=story.identify())["signups"]
    mine = story.find(signups, title=title)
    found = story.find(
        story.call("list_shifts", wish=move, first_day=shift_day, last_day=shift_day)["shifts"], title=shift["title"]
    )
    other = story.find(
        story.call("list_shifts", wish=change, first_day=second_day, last_day=second_day)["shifts"],
        title=second["title"],
    )
    story.call("move_signup", wish=move, signup_id=mine["signup_id"], shift_id=found["shift_id"])
    story.call("move_signup", wish=change, signup_id=mine["signup_id"], shift_id=other["shift_id"])


@scenario(form="fallback")
def one_more_shift(story: Story) -> None:
    """The gardener wants one more shift, or else only changes the phone number."""
    me = story.pick(
        "gardener",
        f"{BOOKED} <= 2 AND coalesce(phone, '') NOT IN ('(614) 555-0187', '(614) 555-0163', '(614) 555-0174', '(380) 555-0129')",
        mine=True,
    )
    shift = story.pick(
        "shift",
        f"starts_at > ? AND {OPEN_TO_ALL} AND {ALONE_THAT_DAY} AND shift_id NOT IN (SELECT shift_id FROM signup WHERE gardener_id = ?)",
        story.now,
        me["gardener_id"],
    )
    shift_day = story.date_of(shift["starts_at"])
    phone = story.choose("phone", ["(614) 555-0187", "(614) 555-0163", "(380) 555-0129", "(614) 555-0174"])
    join = story.wish(
        (
            "I'd like to help with {title} on {day} too. Can you sign me up?",
            "I would also like to help with {title} on {day}.",
            "can you add me to {title} on {day} too?",
        ),
        short="signing me up for {title} on {day}",
        title=shift["title"],
        day=shift_day,
    )
    reach = story.otherwise(
        join,
        (
            "Okay. In case a spot opens up for me, please change my phone number to {phone}.",
            "In that case, please change my phone number to {phone}, so that you can reach me.",
            "ok then change my phone number to {phone} so you can reach me",
        ),
        short="changing my phone number to {phone}",
        phone=phone,
    )
    key = story.identify()
    found = story.find(
        story.call("list_shifts", wish=join, first_day=shift_day, last_day=shift_day)["shifts"], title=shift["title"]
    )
    if story.permits("sign_up_for_shift", wish=join, gardener_id=key, shift_id=found["shift_id"]):
        story.call("sign_up_for_shift", wish=join, gardener_id=key, shift_id=found["shift_id"])
    else:
        story.decline(join)
        story.call("update_contact", wish=reach, gardener_id=key, phone=phone)


@scenario(form="computed")
def hours_with_one_more_shift(story: Story) -> None:
    """The gardener joins a shift and asks for the booked hours."""
    me = story.pick("gardener", f"{BOOKED} = 1", mine=True)
    shift = story.pick(
        "shift",
        f"starts_at > ? AND {OPEN_TO_ALL} AND {ALONE_THAT_DAY} AND shift_id NOT IN (SELECT shift_id FROM signup WHERE gardener_id = ?)",
        story.now,
        me["gardener_id"],
    )
    shift_day = story.date_of(shift["starts_at"])
    story.wish(
        (
            "Please sign me up for {title} on {day}. What's the start time, and how many total hours am I booked for with that one?",
            "I would like to sign up for {title} on {day}. What is the start time, and how many total hours am I booked for including it?",
            "sign me up for {title} on {day}. what's the start time and how many total hours am i booked for then",
        ),
        short="signing me up for {title} on {day} and telling me the start time and my total hours",
        title=shift["title"],
        day=shift_day,
    )
    key = story.identify()
    found = story.find(
        story.call("list_shifts", first_day=shift_day, last_day=shift_day)["shifts"], title=shift["title"]
    )
    booked = story.call("list_signups", gardener_id=key)
    with story.wrong("forgets what is booked already"):
        story.call("sign_up_for_shift", gardener_id=key, shift_id=found["shift_id"])
        story.answer("start time", found["starts_at"])
        story.answer("total hours", found["hours"])
    story.call("sign_up_for_shift", gardener_id=key, shift_id=found["shift_id"])
    story.answer("start time", found["starts_at"])
    story.answer("total hours", story.total([{"hours": booked["booked_hours"]}, {"hours": found["hours"]}], "hours"))


@scenario(form="conditional")
def move_if_it_is_soon(story: Story) -> None:
    """The gardener moves a shift that comes soon, and otherwise cancels it."""
    signup = story.pick(
        "signup",
        f"status = 'booked' AND {OWN_BOOKED} >= 2",
        unique_by=["gardener_id", "shift_id.title"],
        mine=True,
    )
    title = story.row("shift", signup["shift_id"])["title"]
    shift = story.pick(
        "shift",
        f"starts_at > ? AND {OPEN_TO_ALL} AND {ALONE_THAT_DAY} AND shift_id NOT IN (SELECT shift_id FROM signup WHERE gardener_id = ?)",
        story.now,
        signup["gardener_id"],
    )
    shift_day = story.date_of(shift["starts_at"])
    limit = story.day(6)
    story.wish(
        (
            "If {old} is on or before {limit}, please move me to {new} on {day}. If it's later than that, cancel my spot.",
            "Please move me from {old} to {new} on {day} if it takes place on or before {limit}. If it is later, please cancel my spot.",
            "move me from {old} to {new} on {day} if it's on or before {limit}. if it's later just cancel my spot",
        ),
        short="moving me from {old} to {new} on {day} if it's on or before {limit}, and canceling my spot if it's later",
        old=title,
        limit=limit,
        new=shift["title"],
        day=shift_day,
    )
    signups = story.call("list_signups", gardener_id=story.identify())["signups"]
    booked = [each for each in signups if each["status"] == "booked"]
    mine = story.find(booked, title=title)
    found = story.find(
        story.call("list_shifts", first_day=shift_day, last_day=shift_day)["shifts"], title=shift["title"]
    )
    for other in story.others(booked, mine, 1):
        with story.wrong("takes another one"):
            story.call("move_signup", signup_id=other["signup_id"], shift_id=found["shift_id"])
    if story.date_of(mine["starts_at"]) <= limit:
        with story.wrong("takes the other branch"):
            story.call("cancel_signup", signup_id=mine["signup_id"])
        story.call("move_signup", signup_id=mine["signup_id"], shift_id=found["shift_id"])
    else:
        with story.wrong("takes the other branch"):
            story.call("move_signup", signup_id=mine["signup_id"], shift_id=found["shift_id"])
        story.call("cancel_signup", signup_id=mine["signup_id"])


@scenario(form="coupled")
def swap_one_booked_shift(story: Story) -> None:
    """The gardener at the limit wants one shift and gives up another."""
    signup = story.pick(
        "signup",
        f"status = 'booked' AND {OWN_BOOKED} = 2 AND (SELECT starts_at FROM shift WHERE shift.shift_id = signup.shift_id) >= ?",
        story.day(3),
        unique_by=["gardener_id", "shift_id.title"],
        mine=True,
    )
    title = story.row("shift", signup["shift_id"])["title"]
    shift = story.pick(
        "shift",
        f"starts_at > ? AND {OPEN_TO_ALL} AND {ALONE_THAT_DAY} AND shift_id NOT IN (SELECT shift_id FROM signup WHERE gardener_id = ?)",
        story.now,
        signup["gardener_id"],
    )
    shift_day = story.date_of(shift["starts_at"])
    with story.together():
        join = story.wish(
            (
                "Please sign me up for {new} on {day}.",
                "I would like to sign up for {new} on {day}.",
                "can you sign me up for {new} on {day}?",
            ),
            short="signing me up for {new} on {day}",
            new=shift["title"],
            day=shift_day,
        )
        leave = story.wish(
            (
                "And cancel my spot on {old}, I can't make it.",
                "Please also cancel my spot on {old}, which I am unable to attend.",
                "and cancel my spot on {old}, can't make it",
            ),
            short="canceling my spot on {old}",
            old=title,
        )
    key = story.identify()
    signups = story.call("list_signups", wish=leave, gardener_id=key)["signups"]
    mine = story.find(signups, title=title)
    found = story.find(
        story.call("list_shifts", wish=join, first_day=shift_day, last_day=shift_day)["shifts"], title=shift["title"]
    )
    story.call("cancel_signup", wish=leave, signup_id=mine["signup_id"])
    story.call("sign_up_for_shift", wish=join, gardener_id=key, shift_id=found["shift_id"])


@scenario(form="coupled")
def shift_two_signups(story: Story) -> None:
    """The gardener takes the place of the own second signup, which moves on."""
    signup = story.pick(
        "signup",
        f"status = 'booked' AND {OWN_BOOKED} >= 2",
        unique_by=["gardener_id", "shift_id.title"],
        mine=True,
    )
    title = story.row("shift", signup["shift_id"])["title"]
    second = story.pick(
        "signup",
        "status = 'booked' AND signup_id <> ? AND (SELECT task FROM shift WHERE shift.shift_id = signup.shift_id) IN ('watering', 'harvest')",
        signup["signup_id"],
        unique_by=["gardener_id", "shift_id.title"],
        mine=True,
    )
    middle = story.row("shift", second["shift_id"])["title"]
    shift = story.pick(
        "shift",
        f"starts_at > ? AND {OPEN_TO_ALL} AND {ALONE_THAT_DAY} AND shift_id NOT IN (SELECT shift_id FROM signup WHERE gardener_id = ?)",
        story.now,
        signup["gardener_id"],
    )
    shift_day = story.date_of(shift["starts_at"])
    with story.together():
        earlier = story.wish(
            (
                "Please move me from {first} to {middle}.",
                "I would like to move from {first} to {middle}.",
                "can you move me from {first} to {middle}?",
            ),
            short="moving me from {first} to {middle}",
            first=title,
            middle=middle,
        )
        later = story.wish(
            (
                "And my spot on {middle} should go to {last} on {day}.",
                "Please also move the spot I have on {middle} to {last} on {day}.",
                "and the spot i have on {middle} goes to {last} on {day}",
            ),
            short="moving the spot I have on {middle} to {last} on {day}",
            middle=middle,
            last=shift["title"],
            day=shift_day,
        )
    signups = story.call("list_signups", wish=later, gardener_id=story.identify())["signups"]
    mine = story.find(signups, title=title)
    other = story.find(signups, title=middle)
    found = story.find(
        story.call("list_shifts", wish=later, first_day=shift_day, last_day=shift_day)["shifts"], title=shift["title"]
    )
    story.call("move_signup", wish=later, signup_id=other["signup_id"], shift_id=found["shift_id"])
    story.call("move_signup", wish=earlier, signup_id=mine["signup_id"], shift_id=other["shift_id"])


@scenario(form="looked_up")
def move_from_the_big_shift(story: Story) -> None:
    """The gardener knows only how many places the shift has."""
    signup = story.pick(
        "signup",
        f"status = 'booked' AND {OWN_BOOKED} BETWEEN 2 AND 4 AND NOT EXISTS (SELECT 1 FROM signup AS own JOIN shift AS twin USING (shift_id) WHERE own.gardener_id = signup.gardener_id AND own.status = 'booked' AND own.signup_id <> signup.signup_id AND twin.spots = (SELECT spots FROM shift WHERE shift.shift_id = signup.shift_id))",
        unique_by=["gardener_id", "shift_id.title"],
        mine=True,
    )
    story.row("shift", signup["shift_id"])["title"]
    spots = story.row("shift", signup["shift_id"])["spots"]
    shift = story.pick(
        "shift",
        f"starts_at > ? AND {OPEN_TO_ALL} AND {ALONE_THAT_DAY} AND shift_id NOT IN (SELECT shift_id FROM signup WHERE gardener_id = ?)",
        story.now,
        signup["gardener_id"],
    )
    shift_day = story.date_of(shift["starts_at"])
    story.wish(
        (
            "One of the shifts I'm booked for has {spots} spots in all. Can you move me from that one to {title} on {day}? I forget its name.",
            "I am booked for a shift that has {spots} spots in all, and I have forgotten its name. Could you please move me from it to {title} on {day}?",
            "move me from the shift with {spots} spots to {title} on {day}? i'm booked for it but forget the name",
        ),
        short="moving me from the shift with {spots} spots to {title} on {day}",
        spots=spots,
        title=shift["title"],
        day=shift_day,
    )
    signups = story.call("list_signups", gardener_id=story.identify())["signups"]
    booked = [each for each in signups if each["status"] == "booked"]
    shifts = []
    for each in booked:
        day = story.date_of(each["starts_at"])
        listed = story.call("list_shifts", first_day=day, last_day=day)["shifts"]
        shifts.append(story.find(listed, shift_id=each["shift_id"]))
    mine = story.find(booked, shift_id=story.find(shifts, spots=spots)["shift_id"])
    found = story.find(
        story.call("list_shifts", first_day=shift_day, last_day=shift_day)["shifts"], title=shift["title"]
    )
    for other in story.others(booked, mine):
        with story.wrong("takes the first that fits"):
            story.call("move_signup", signup_id=other["signup_id"], shift_id=found["shift_id"])
    story.call("move_signup", signup_id=mine["signup_id"], shift_id=found["shift_id"])


@scenario(form="mistaken")
def cancel_with_wrong_day(story: Story) -> None:
    """The gardener cancels a signup and remembers its day wrong."""
    signup = story.pick(
        "signup",
        "status = 'booked' AND (SELECT starts_at FROM shift WHERE shift.shift_id = signup.shift_id) >= ?",
        story.day(3),
        unique_by=["gardener_id", "shift_id.title"],
        mine=True,
    )
    title = story.row("shift", signup["shift_id"])["title"]
    starts = story.row("shift", signup["shift_id"])["starts_at"]
    truth = story.date_of(starts)
    wrong = story.after(truth, days=story.choose("days", (1, 2, 3, 7)))
    story.wish(
        (
            "I think {title} is on {day}. Please cancel my spot either way, and tell me the actual day so I can fix my calendar.",
            "I believe that {title} is on {day}. Please cancel my spot and tell me the actual day for my calendar.",
            "pretty sure {title} is on {day}, can you cancel my spot? and tell me the actual day for my calendar",
        ),
        short="canceling my spot on {title} and telling me the actual day",
        title=title,
        day=wrong,
    )
    story.believes("day of the shift", wrong, truth)
    signups = story.call("list_signups", gardener_id=story.identify())["signups"]
    mine = story.find(signups, title=title)
    with story.wrong("trusts the customer"):
        story.call("cancel_signup", signup_id=mine["signup_id"])
        story.answer("actual day", wrong)
    with story.wrong("only answers"):
        story.answer("actual day", story.date_of(mine["starts_at"]))
    story.call("cancel_signup", signup_id=mine["signup_id"])
    story.answer("actual day", story.date_of(mine["starts_at"]))


@scenario(form="outside")
def join_and_ask_for_a_ride(story: Story) -> None:
    """The gardener joins a shift and wants a ride."""
    me = story.pick("gardener", f"{BOOKED} < 2", mine=True)
    shift = story.pick(
        "shift",
        f"starts_at > ? AND {OPEN_TO_ALL} AND {ALONE_THAT_DAY} AND shift_id NOT IN (SELECT shift_id FROM signup WHERE gardener_id = ?)",
        story.now,
        me["gardener_id"],
    )
    shift_day = story.date_of(shift["starts_at"])
    story.wish(
        (
            "I'm free on {day}. Please put me on {title}.",
            "Please sign me up for {title} on {day}.",
            "put me on {title} on {day} pls",
        ),
        short="signing me up for {title} on {day}",
        title=shift["title"],
        day=shift_day,
    )
    key = story.identify()
    found = story.find(
        story.call("list_shifts", first_day=shift_day, last_day=shift_day)["shifts"], title=shift["title"]
    )
    story.call("sign_up_for_shift", gardener_id=key, shift_id=found["shift_id"])
    story.outside(
        (
            "And can you send someone to pick me up that morning? My car's in the shop.",
            "Could you also arrange for someone to drive me there that morning?",
            "and can someone pick me up that morning? car's in the shop",
        )
    )


@scenario(form="withheld")
def new_email_withheld(story: Story) -> None:
    """The gardener has a new email address and does not say it yet."""
    story.pick("gardener", "email IS NULL OR email NOT LIKE '%@example.net'", mine=True)
    change = story.wish(
        (
            "I don't use my old email anymore. Can you put my new one on my account?",
            "My email address has changed. Could you please update it?",
            "got a new email, can you change it on my account?",
        ),
    )
    email = story.choose(
        "email",
        ["spring.garden@example.com", "plot.lover@example.org", "green.thumb@example.net", "my.tomatoes@example.com"],
    )
    story.keep_back("new email address", email)
    story.in_short(change, "changing my email to {email}", email=email)
    story.call("update_contact", gardener_id=story.identify(), email=email)


@scenario(form="withheld")
def supplies_of_unknown_price(story: Story) -> None:
    """The gardener took supplies home and tells the price only when asked."""
    label = story.choose("supplies", ["3 straw bales", "2 bags of mulch", "4 tomato cages", "6 packets of seeds"])
    kind = story.choose("kind", ["supplies"])
    add = story.wish(
        (
            "I took home {kind} from the shed today, {label}. Can you add the cost to my account?",
            "I took home {kind} today, {label}. Could you please add the cost to my account?",
            "grabbed {kind} from the shed, {label}, can you add the cost to my account?",
        ),
        kind=kind,
        label=label,
    )
    amount = story.money(story.choose("price", [1350, 1875, 2460, 975]))
    story.keep_back("price", amount)
    story.in_short(add, "adding {kind} to my account, {label} for {amount}", kind=kind, label=label, amount=amount)
    story.call("add_charge", gardener_id=story.identify(), kind=kind, label=label, amount_cents=amount)


@scenario(form="all_but")
def pay_all_but_rent(story: Story) -> None:
    """The gardener pays everything that is open except rent."""
    story.pick(
        "charge",
        "status = 'open' AND kind = 'rent' AND (SELECT count(*) FROM charge AS own WHERE own.gardener_id = charge.gardener_id "
        "AND own.status = 'open') BETWEEN 3 AND 6 AND EXISTS (SELECT 1 FROM charge AS own "
        "WHERE own.gardener_id = charge.gardener_id AND own.status = 'open' AND own.kind <> 'rent')",
        mine=True,
    )
    kind = story.choose("kind", ["rent"])
    story.wish(
        (
            "I can't cover the {kind} yet, but I want to pay everything else I owe. Can you mark the rest as paid?",
            "I would like to pay everything I owe except {kind}. Could you please mark the rest as paid?",
            "paying everything i owe except {kind}, can you mark the rest paid?",
        ),
        short="marking everything I owe as paid except {kind}",
        kind=kind,
    )
    charges = story.call("list_charges", gardener_id=story.identify())["charges"]
    owed = [each for each in charges if each["status"] == "open"]
    with story.wrong("forgets the exception"):
        story.call("pay_charges", charge_ids=[each["charge_id"] for each in owed])
    story.call("pay_charges", charge_ids=[each["charge_id"] for each in story.all_but(owed, kind=kind)])


@scenario(form="all_but")
def pay_all_but_two(story: Story) -> None:
    """The gardener pays all open charges except two."""
    charge = story.pick(
        "charge",
        "status = 'open' AND (SELECT count(*) FROM charge AS own WHERE own.gardener_id = charge.gardener_id "
        "AND own.status = 'open') BETWEEN 3 AND 6",
        unique_by=["gardener_id", "label"],
        mine=True,
    )
    second = story.pick(
        "charge",
        "status = 'open' AND charge_id <> ?",
        charge["charge_id"],
        unique_by=["gardener_id", "label"],
        mine=True,
    )
    story.wish(
        (
            "Please mark everything I owe as paid except {label} and {other}, those have to wait.",
            "I would like to pay all of my open charges except {label} and {other}. Could you please mark them as paid?",
            "mark everything i owe as paid, skip {label} and {other}",
        ),
        short="marking everything I owe as paid except {label} and {other}",
        label=charge["label"],
        other=second["label"],
    )
    charges = story.call("list_charges", gardener_id=story.identify())["charges"]
    owed = [each for each in charges if each["status"] == "open"]
    some = story.all_but(owed, label=charge["label"])
    with story.wrong("forgets the second exception"):
        story.call("pay_charges", charge_ids=[each["charge_id"] for each in some])
    story.call("pay_charges", charge_ids=[each["charge_id"] for each in story.all_but(some, label=second["label"])])


@scenario(form="ambiguous")
def cancel_one_of_several(story: Story) -> None:
    """The gardener cancels one of several signups."""
    signup = story.pick(
        "signup",
        f"status = 'booked' AND {OWN_BOOKED} >= 4 AND (SELECT starts_at FROM shift WHERE shift.shift_id = signup.shift_id) >= ?",
        story.day(3),
        unique_by=["gardener_id", "shift_id.title"],
        mine=True,
    )
    title = story.row("shift", signup["shift_id"])["title"]
    cancel = story.wish(
        (
            "I took on too much this month. Can you cancel one of the shifts I'm booked for?",
            "I have taken on too much. I would like to cancel one of the shifts I am booked for.",
            "too much going on, can you cancel one of my booked shifts?",
        ),
    )
    story.keep_back("shift to cancel", title)
    story.in_short(cancel, "canceling one of my booked shifts, {title}", title=title)
    signups = story.call("list_signups", gardener_id=story.identify())["signups"]
    booked = [each for each in signups if each["status"] == "booked"]
    mine = story.find(booked, title=title)
    for other in story.others(booked, mine):
        with story.wrong("takes another one that fits"):
            story.call("cancel_signup", signup_id=other["signup_id"])
    story.call("cancel_signup", signup_id=mine["signup_id"])


@scenario(form="looked_up")
def cancel_the_crowded_shift(story: Story) -> None:
    """The gardener knows only how many people have signed up."""
    signup = story.pick(
        "signup",
        f"status = 'booked' AND {OWN_BOOKED} BETWEEN 2 AND 4 AND (SELECT starts_at FROM shift WHERE shift.shift_id = signup.shift_id) >= ? AND NOT EXISTS (SELECT 1 FROM signup AS own JOIN shift AS twin USING (shift_id) WHERE own.gardener_id = signup.gardener_id AND own.status = 'booked' AND own.signup_id <> signup.signup_id AND twin.spots_taken = (SELECT spots_taken FROM shift WHERE shift.shift_id = signup.shift_id))",
        story.day(3),
        unique_by=["gardener_id", "shift_id.title"],
        mine=True,
    )
    story.row("shift", signup["shift_id"])["title"]
    taken = story.row("shift", signup["shift_id"])["spots_taken"]
    story.wish(
        (
            "I'm booked for a shift that {taken} people have signed up for, me included. I forget which one it is, but can you cancel my spot?",
            "I am booked for a shift that {taken} people have signed up for, including me. I have forgotten its name. Could you please cancel my spot?",
            "cancel my spot on the shift that {taken} people signed up for, me included? forget what it's called",
        ),
        short="canceling my spot on the booked shift that {taken} people have signed up for",
        taken=taken,
    )
    signups = story.call("list_signups", gardener_id=story.identify())["signups"]
    booked = [each for each in signups if each["status"] == "booked"]
    shifts = []
    for each in booked:
        day = story.date_of(each["starts_at"])
        listed = story.call("list_shifts", first_day=day, last_day=day)["shifts"]
        shifts.append(story.find(listed, shift_id=each["shift_id"]))
    mine = story.find(booked, shift_id=story.find(shifts, spots_taken=taken)["shift_id"])
    for other in story.others(booked, mine):
        with story.wrong("takes the first that fits"):
            story.call("cancel_signup", signup_id=other["signup_id"])
    story.call("cancel_signup", signup_id=mine["signup_id"])


@scenario(form="best_of")
def move_the_last_of_other_work(story: Story) -> None:
    """The gardener moves the last shift that is not of one kind of work."""
    signup = story.pick(
        "signup",
        "status = 'booked' AND (SELECT starts_at FROM shift WHERE shift.shift_id = signup.shift_id) > (SELECT max(starts_at) "
        "FROM signup AS own JOIN shift USING (shift_id) WHERE own.gardener_id = signup.gardener_id AND own.status = 'booked' "
        "AND own.signup_id <> signup.signup_id) AND (SELECT count(*) FROM signup AS own JOIN shift USING (shift_id) "
        "WHERE own.gardener_id = signup.gardener_id AND own.status = 'booked' "
        "AND task <> (SELECT task FROM shift AS last WHERE last.shift_id = signup.shift_id)) >= 2",
        mine=True,
    )
    task = story.row("shift", signup["shift_id"])["task"]
    shift = story.pick(
        "shift",
        f"starts_at > ? AND {OPEN_TO_ALL} AND {ALONE_THAT_DAY} AND shift_id NOT IN (SELECT shift_id FROM signup WHERE gardener_id = ?)",
        story.now,
        signup["gardener_id"],
    )
    shift_day = story.date_of(shift["starts_at"])
    story.wish(
        (
            "Not counting {task}, please move the last of the shifts I'm booked for to {title} on {day}.",
            "Please move the last of my booked shifts, not counting {task}, to {title} on {day}.",
            "move the last of my booked shifts to {title} on {day}, not counting {task}",
        ),
        short="moving the last of my booked shifts, not counting {task}, to {title} on {day}",
        task=task,
        title=shift["title"],
        day=shift_day,
    )
    signups = story.call("list_signups", gardener_id=story.identify())["signups"]
    booked = [each for each in signups if each["status"] == "booked"]
    found = story.find(
        story.call("list_shifts", first_day=shift_day, last_day=shift_day)["shifts"], title=shift["title"]
    )
    with story.wrong("forgets a condition"):
        story.call("move_signup", signup_id=story.highest(booked, "starts_at")["signup_id"], shift_id=found["shift_id"])
    rest = [each for each in booked if each["task"] != task]
    last = story.highest(rest, "starts_at")
    for other in story.others(rest, last, 1):
        with story.wrong("takes another one that fits"):
            story.call("move_signup", signup_id=other["signup_id"], shift_id=found["shift_id"])
    story.call("move_signup", signup_id=last["signup_id"], shift_id=found["shift_id"])
