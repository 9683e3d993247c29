"""What people want of Community Garden Office: every function is a scenario."""

from runtime.story import Story, scenario

HOURS_MET = """
    ((SELECT g.tier FROM gardener g WHERE g.gardener_id = lease.gardener_id) = 'senior' OR (SELECT coalesce(sum(s.hours * p.people), 0) FROM signup p JOIN shift s ON s.shift_id = p.shift_id WHERE p.gardener_id = lease.gardener_id
        AND p.state = 'worked'
        AND s.starts_at >= '2026-01-01') >= 2)
"""
HELD = "(SELECT count(*) FROM lease l WHERE l.gardener_id = gardener.gardener_id AND l.state = 'active')"
MAY_HOLD = "(CASE WHEN gardener.joined_on > '2025-05-14' THEN 1 ELSE 2 END)"
DUE_CHARGES = """
    (SELECT count(*) FROM charge c WHERE c.gardener_id = gardener.gardener_id
        AND c.state = 'unpaid'
        AND c.due_on <= '2026-05-21')
"""
SHOWN = "(SELECT count(*) FROM plot q WHERE q.section = plot.section AND q.label <= plot.label) <= 20"
FREE = """
    (shift.spots - (SELECT coalesce(sum(p.people), 0) FROM signup p WHERE p.shift_id = shift.shift_id
        AND p.state <> 'canceled'))
"""
SIGNABLE = """
    shift.state = 'scheduled'
        AND shift.starts_at > '2026-05-14 09:15:00'
        AND substr(shift.starts_at, 1, 10) <= '2026-06-11'
"""
COMING = "shift.state = 'scheduled' AND shift.starts_at > '2026-05-14 09:15:00'"


@scenario
def keep_a_plot_another_year(story: Story) -> None:
    """The gardener renews the lease on a plot, asks for the new expiration date, and gives a new phone number."""
    lease = story.pick(
        "lease",
        f"state = 'active' AND expires_on <= ? AND {HOURS_MET} AND (SELECT g.phone FROM gardener g WHERE g.gardener_id = lease.gardener_id) NOT LIKE '458-%'",
        story.day(60),
        unique_by=["gardener_id", "plot_id.label", "state"],
        mine=True,
    )
    label = story.row("plot", lease["plot_id"])["label"]
    phone = story.choose("phone", ["458-555-0113", "458-555-0147", "458-555-0176"])
    story.wish(
        (
            "I'm keeping plot {label}. Can you renew my lease, tell me the new expiration date, and change my phone number to {phone}?",
            "I would like to renew my lease on plot {label} and know its new expiration date. Please also change my phone number to {phone}.",
            "can you renew my lease on {label}, tell me the new expiration date and change my number to {phone}?",
        ),
        short="renewing my lease on plot {label}, telling me the new expiration date, and changing my phone number to {phone}",
        label=label,
        phone=phone,
    )
    key = story.identify()
    leases = story.call("list_leases", gardener_id=key)["leases"]
    mine = story.find([each for each in leases if each["state"] == "active"], plot_label=label)
    renewed = story.call("renew_lease", lease_id=mine["lease_id"])
    story.answer("new expiration date", renewed["expires_on"])
    story.call("update_gardener", gardener_id=key, phone=phone)


@scenario
def give_up_a_plot(story: Story) -> None:
    """The gardener ends a lease, says whether the plot is cleared, and dictates the reason."""
    lease = story.pick("lease", "state = 'active'", unique_by=["gardener_id", "plot_id.label", "state"], mine=True)
    plot = story.row("plot", lease["plot_id"])
    cleared = story.choose("cleared", {"haven't cleared it": False, "cleared it already": True})
    town = story.choose("town", ["Eugene", "Bend", "Tacoma", "Astoria"])
    reason = story.dictate("reason", "We are moving to {town} this summer", town=town)
    story.wish(
        (
            "I'm giving up plot {label} today, and I {cleared}. Can you end my lease? For the reason, put exactly this: {reason}",
            "I would like to end my lease on plot {label} today. I {cleared}. As the reason, please put exactly this: {reason}",
            "pls end my lease on {label} today, i {cleared}. as the reason put exactly this: {reason}",
        ),
        short="ending my lease on plot {label}, where I {cleared}, with exactly this as the reason: {reason}",
        label=plot["label"],
        cleared=cleared,
        reason=reason,
    )
    key = story.identify()
    leases = story.call("list_leases", gardener_id=key)["leases"]
    mine = story.find([each for each in leases if each["state"] == "active"], plot_label=plot["label"])
    story.call("end_lease", lease_id=mine["lease_id"], plot_cleared=cleared, reason=reason)
    if not cleared and story.me["tier"] != "senior":
        fee = 7500 if plot["size_sqft"] >= 200 else 4000
        story.call(
            "add_charge",
            gardener_id=key,
            kind="cleanup_fee",
            amount_cents=fee,
            due_on=story.today,
            lease_id=mine["lease_id"],
            note="Plot not cleared",
        )


@scenario(form="denied")
def lease_a_plot_and_press_for_it(story: Story) -> None:
    """The gardener wants to lease an open plot and pushes for it."""
    story.pick("gardener", f"{HELD} < {MAY_HOLD} AND {DUE_CHARGES} <= 1", mine=True)
    plot = story.pick("plot", f"state = 'open' AND {SHOWN}")
    starts = story.day(5)
    wanted = story.wish(
        (
            "Plot {label} in the {section} section looks perfect for us. Can you lease it to me starting {day}?",
            "I would like to lease plot {label} in the {section} section. Could you please start the lease on {day}?",
            "want plot {label} in the {section} section, can you start my lease on {day}?",
        ),
        short="leasing me plot {label} in the {section} section starting {day}",
        label=plot["label"],
        section=plot["section"],
        day=starts,
    )
    story.insists(
        wanted,
        (
            "I've been dreaming about growing my own tomatoes all winter.",
            "I have looked forward to growing my own vegetables all winter.",
            "been dreaming about homegrown tomatoes all winter, please",
        ),
    )
    story.insists(
        wanted,
        (
            "Gardening is the one thing that keeps me sane. Please help me out.",
            "Gardening is what keeps me going. I would be very grateful for your help.",
            "gardening keeps me sane, i really need this",
        ),
    )
    key = story.identify()
    plots = story.call("search_plots", section=plot["section"])["plots"]
    found = story.find(plots, label=plot["label"])
    with story.wrong("starts it today instead"):
        story.call("start_lease", gardener_id=key, plot_id=found["plot_id"], starts_on=story.today)
    if story.permits("start_lease", gardener_id=key, plot_id=found["plot_id"], starts_on=starts):
        story.call("start_lease", gardener_id=key, plot_id=found["plot_id"], starts_on=starts)
    else:
        story.decline(wanted)


@scenario(form="denied")
def renew_ahead_of_time(story: Story) -> None:
    """The gardener wants to renew a lease now and pushes for it."""
    lease = story.pick(
        "lease",
        f"state = 'active' AND {HOURS_MET}",
        unique_by=["gardener_id", "plot_id.label", "state"],
        mine=True,
    )
    label = story.row("plot", lease["plot_id"])["label"]
    keep = story.wish(
        (
            "I want to be sure I keep plot {label}. Can you renew my lease for another year now?",
            "I would like to renew my lease on plot {label} for another year today.",
            "can you renew my lease on {label} for another year? want it done today",
        ),
        short="renewing my lease on plot {label} for another year",
        label=label,
    )
    story.insists(
        keep,
        (
            "I'd sleep better knowing that plot is mine.",
            "It would put my mind at ease to have this settled.",
            "would sleep so much better with this done",
        ),
    )
    story.insists(
        keep,
        (
            "I put so much work into that soil, I can't stand the thought of losing it.",
            "I have put a great deal of work into that soil and would hate to lose it.",
            "put so much work into that soil, i'd hate to lose it",
        ),
    )
    leases = story.call("list_leases", gardener_id=story.identify())["leases"]
    mine = story.find([each for each in leases if each["state"] == "active"], plot_label=label)
    with story.wrong("renews it for two years"):
        story.call("renew_lease", lease_id=mine["lease_id"])
        story.call("renew_lease", lease_id=mine["lease_id"])
    if story.permits("renew_lease", lease_id=mine["lease_id"]):
        story.call("renew_lease", lease_id=mine["lease_id"])
    else:
        story.decline(keep)


@scenario(form="denied")
def renew_after_a_busy_year(story: Story) -> None:
    """The gardener wants to renew a lease that runs out soon and pushes for it."""
    lease = story.pick(
        "lease",
        "state = 'active' AND expires_on <= ?",
        story.day(60),
        unique_by=["gardener_id", "plot_id.label", "state"],
        mine=True,
    )
    label = story.row("plot", lease["plot_id"])["label"]
    keep = story.wish(
        (
            "My lease on plot {label} is about up and I'm staying. Can you renew it for a year?",
            "I would like to stay on plot {label}. Could you please renew my lease for another year?",
            "staying on {label}, can you renew my lease for a year?",
        ),
        short="renewing my lease on plot {label} for a year",
        label=label,
    )
    story.insists(
        keep,
        (
            "That little plot is my favorite place in the whole city.",
            "That plot is my favorite place in the city.",
            "that plot is my favorite spot in the whole city",
        ),
    )
    story.insists(
        keep,
        (
            "I've had a rough few months, and I could really use some good news.",
            "The last few months have been hard for me, and this would help a great deal.",
            "had a rough few months, could use some good news",
        ),
    )
    leases = story.call("list_leases", gardener_id=story.identify())["leases"]
    mine = story.find([each for each in leases if each["state"] == "active"], plot_label=label)
    with story.wrong("renews it for two years"):
        story.call("renew_lease", lease_id=mine["lease_id"])
        story.call("renew_lease", lease_id=mine["lease_id"])
    if story.permits("renew_lease", lease_id=mine["lease_id"]):
        story.call("renew_lease", lease_id=mine["lease_id"])
    else:
        story.decline(keep)


@scenario(form="changed_mind")
def new_phone_number_with_a_typo(story: Story) -> None:
    """The gardener gives a new phone number and corrects it."""
    story.pick("gardener", "phone NOT LIKE '458-%'", mine=True)
    first = story.choose("first number", ["458-555-0117", "458-555-0126", "458-555-0171"])
    second = story.choose("right number", ["458-555-0162", "458-555-0185", "458-555-0139"])
    number = story.wish(
        (
            "I got a new phone. Can you change my number to {phone}?",
            "I have a new phone number, {phone}. Could you please update my record?",
            "new phone, can you put in {phone} as my number?",
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
    story.call("update_gardener", wish=number, gardener_id=key, phone=first)
    story.call("update_gardener", wish=correct, gardener_id=key, phone=second)


@scenario(form="computed")
def what_the_plots_cost_with_the_debt(story: Story) -> None:
    """The gardener asks what the full yearly fees of their active leases come to with what they still owe, and when the first of them runs out."""
    story.pick(
        "lease",
        """
        state = 'active'
        AND EXISTS (SELECT 1 FROM charge c WHERE c.gardener_id = lease.gardener_id AND c.state = 'unpaid')
        """,
        mine=True,
    )
    which = story.choose("which", ["active"])
    story.wish(
        (
            "I'm doing my budget. What's the total of the full yearly fees for my {which} leases plus what I still owe you, and what's the next expiration date?",
            "What is the total of the full yearly fees of my {which} leases and everything I still owe? Please also tell me the next expiration date.",
            "what's the total of the full yearly fees for my {which} leases plus whatever i still owe, and the next expiration date?",
        ),
        short="telling me the total of the full yearly fees of my {which} leases plus what I still owe, and the next expiration date",
        which=which,
    )
    key = story.identify()
    leases = story.call("list_leases", gardener_id=key, state=which)["leases"]
    owed = story.call("list_charges", gardener_id=key)["balance_cents"]
    fees = [{"cents": each["yearly_fee_cents"]} for each in leases]
    next_up = story.lowest(leases, "expires_on")
    with story.wrong("forgets what is owed"):
        story.answer("total", story.money(story.total(fees, "cents")))
        story.answer("next expiration date", next_up["expires_on"])
    story.answer("total", story.money(story.total([{"cents": owed}, *fees], "cents")))
    story.answer("next expiration date", next_up["expires_on"])


@scenario(form="conditional")
def take_a_plot_if_it_is_cheap_enough(story: Story) -> None:
    """The gardener leases a plot if its yearly fee is low enough, and signs up for a shift if it is not."""
    me = story.pick("gardener", f"{HELD} < {MAY_HOLD} AND {DUE_CHARGES} = 0", mine=True)
    plot = story.pick("plot", f"state = 'open' AND {SHOWN}")
    shift = story.pick(
        "shift",
        f"{SIGNABLE} AND {FREE} >= 1 AND NOT EXISTS (SELECT 1 FROM signup p WHERE p.shift_id = shift.shift_id AND p.state = 'signed_up' AND p.gardener_id = ?)",
        me["gardener_id"],
        unique_by=["title", "state"],
    )
    most = story.money(story.choose("most", [4500, 6000]))
    story.wish(
        (
            "If plot {label} in the {section} section costs {most} a year or less, lease it to me from today. If it's more, sign me up for {title} on {day} instead.",
            "Please lease me plot {label} in the {section} section from today if it costs {most} a year or less. If it costs more, please sign me up for {title} on {day}.",
            "lease me plot {label} in the {section} section from today if it's {most} a year or less. if it's more just sign me up for {title} on {day}",
        ),
        short="leasing me plot {label} in the {section} section from today if it's {most} a year or less, and signing me up for {title} on {day} if it's more",
        label=plot["label"],
        section=plot["section"],
        most=most,
        title=shift["title"],
        day=story.date_of(shift["starts_at"]),
    )
    key = story.identify()
    plots = story.call("search_plots", section=plot["section"])["plots"]
    found = story.find(plots, label=plot["label"])
    shifts = story.call("search_shifts", title_contains=shift["title"])["shifts"]
    work = story.find([each for each in shifts if each["state"] == "scheduled"], title=shift["title"])
    if found["yearly_fee_cents"] <= most:
        with story.wrong("takes the other branch"):
            story.call("sign_up_for_shift", gardener_id=key, shift_id=work["shift_id"])
        with story.wrong("does both"):
            story.call("start_lease", gardener_id=key, plot_id=found["plot_id"], starts_on=story.today)
            story.call("sign_up_for_shift", gardener_id=key, shift_id=work["shift_id"])
        story.call("start_lease", gardener_id=key, plot_id=found["plot_id"], starts_on=story.today)
    else:
        with story.wrong("takes the other branch"):
            story.call("start_lease", gardener_id=key, plot_id=found["plot_id"], starts_on=story.today)
        with story.wrong("does both"):
            story.call("start_lease", gardener_id=key, plot_id=found["plot_id"], starts_on=story.today)
            story.call("sign_up_for_shift", gardener_id=key, shift_id=work["shift_id"])
        story.call("sign_up_for_shift", gardener_id=key, shift_id=work["shift_id"])


@scenario(form="coupled")
def trade_one_plot_for_another(story: Story) -> None:
    """The gardener, who may hold no more leases, leases a plot and gives up the one they have."""
    old = story.pick(
        "lease",
        """
        state = 'active'
        AND (SELECT count(*) FROM lease l WHERE l.gardener_id = lease.gardener_id AND l.state = 'active')
            = (SELECT CASE WHEN g.joined_on > '2025-05-14' THEN 1 ELSE 2 END FROM gardener g WHERE g.gardener_id = lease.gardener_id)
        AND NOT EXISTS (SELECT 1 FROM charge c WHERE c.gardener_id = lease.gardener_id AND c.state = 'unpaid' AND c.due_on <= '2026-05-21')
        """,
        unique_by=["gardener_id", "plot_id.label", "state"],
        mine=True,
    )
    old_label = story.row("plot", old["plot_id"])["label"]
    new = story.pick("plot", f"state = 'open' AND {SHOWN}")
    cleared = story.choose("cleared", {"have cleared": True})
    reason = story.dictate("reason", "Trading it for {label}", label=new["label"])
    with story.together():
        take = story.wish(
            (
                "I'd like to lease plot {label} in the {section} section, starting today.",
                "Please lease me plot {label} in the {section} section from today on.",
                "can you lease me plot {label} in the {section} section from today?",
            ),
            short="leasing me plot {label} in the {section} section from today",
            label=new["label"],
            section=new["section"],
        )
        leave = story.wish(
            (
                "And I'm giving up plot {label}, which I {cleared}. As the reason, put exactly this: {reason}",
                "Please also end my lease on plot {label}, which I {cleared}. As the reason, please put exactly this: {reason}",
                "and end my lease on {label}, which i {cleared}. for the reason put exactly this: {reason}",
            ),
            short="ending my lease on plot {label}, which I {cleared}, with exactly this as the reason: {reason}",
            label=old_label,
            cleared=cleared,
            reason=reason,
        )
    key = story.identify()
    leases = story.call("list_leases", wish=leave, gardener_id=key)["leases"]
    mine = story.find([each for each in leases if each["state"] == "active"], plot_label=old_label)
    plots = story.call("search_plots", wish=take, section=new["section"])["plots"]
    wanted = story.find(plots, label=new["label"])
    story.call("end_lease", wish=leave, lease_id=mine["lease_id"], plot_cleared=cleared, reason=reason)
    story.call("start_lease", wish=take, gardener_id=key, plot_id=wanted["plot_id"], starts_on=story.today)


@scenario(form="coupled")
def start_over_on_the_same_plot(story: Story) -> None:
    """The gardener wants a fresh lease with a sign on the plot they have, and ends the old one."""
    old = story.pick(
        "lease",
        """
        state = 'active'
        AND NOT EXISTS (SELECT 1 FROM charge c WHERE c.gardener_id = lease.gardener_id AND c.state = 'unpaid' AND c.due_on <= '2026-05-21')
        """,
        unique_by=["gardener_id", "plot_id.label", "state"],
        mine=True,
    )
    label = story.row("plot", old["plot_id"])["label"]
    cleared = story.choose("cleared", {"have cleared": True})
    name = story.choose("crop", ["Sunflower", "Zucchini", "Strawberry", "Pepper"])
    sign = story.dictate("sign", "{name} Corner", name=name)
    with story.together():
        fresh = story.wish(
            (
                "I want a fresh lease on my plot {label} starting today. Its sign should say exactly this: {sign}",
                "I would like a new lease on my plot {label} from today on. Its sign should say exactly this: {sign}",
                "need a new lease on my plot {label} from today, sign says exactly this: {sign}",
            ),
            short="starting a new lease on my plot {label} from today, with exactly this on its sign: {sign}",
            label=label,
            sign=sign,
        )
        over = story.wish(
            (
                "And please end the lease I have on {label} now. I {cleared} the plot, and the reason is that I'm starting over.",
                "Please also end my current lease on {label}. I {cleared} the plot, and the reason is that I am starting over.",
                "and end the lease i have on {label} now, i {cleared} the plot. reason: starting over",
            ),
            short="ending the lease I have on {label} now, a plot I {cleared}, because I'm starting over",
            label=label,
            cleared=cleared,
        )
    reason = story.compose("reason", "Starting over on plot {label}", label=label)
    key = story.identify()
    leases = story.call("list_leases", wish=over, gardener_id=key)["leases"]
    mine = story.find([each for each in leases if each["state"] == "active"], plot_label=label)
    story.call("end_lease", wish=over, lease_id=mine["lease_id"], plot_cleared=cleared, reason=reason)
    story.call(
        "start_lease", wish=fresh, gardener_id=key, plot_id=mine["plot_id"], starts_on=story.today, sign_text=sign
    )


@scenario(form="looked_up")
def give_up_the_plot_in_a_section(story: Story) -> None:
    """The gardener gives up the plot they have in a section of the garden, whose label they forget."""
    lease = story.pick(
        "lease",
        """
        state = 'active'
        AND EXISTS (
            SELECT 1 FROM lease o WHERE o.gardener_id = lease.gardener_id AND o.state = 'active' AND o.lease_id <> lease.lease_id
        )
        AND (SELECT count(*) FROM plot q JOIN plot r ON r.section = q.section WHERE r.plot_id = lease.plot_id AND q.label <= r.label) <= 20
        """,
        unique_by=["gardener_id", "plot_id.section", "state"],
        mine=True,
    )
    section = story.row("plot", lease["plot_id"])["section"]
    cleared = story.choose("cleared", {"all cleared": True})
    weeks = story.choose("weeks", ["three weeks", "six weeks", "two months"])
    reason = story.dictate("reason", "Hip surgery, out for {weeks}", weeks=weeks)
    story.wish(
        (
            "I need to give up my plot in the {section} section, I forget its label. It's {cleared}. As the reason, put exactly this: {reason}",
            "Please end my lease on the plot in the {section} section. I do not recall its label. It is {cleared}. As the reason, please put exactly this: {reason}",
            "pls end my lease in the {section} section, forgot the label. it's {cleared}. for the reason put exactly this: {reason}",
        ),
        short="ending my lease on the plot in the {section} section, which is {cleared}, with exactly this as the reason: {reason}",
        section=section,
        cleared=cleared,
        reason=reason,
    )
    key = story.identify()
    leases = story.call("list_leases", gardener_id=key)["leases"]
    active = [each for each in leases if each["state"] == "active"]
    plots = story.call("search_plots", section=section)["plots"]
    held = [each["plot_id"] for each in active]
    plot = story.find([each for each in plots if each["plot_id"] in held], section=section)
    mine = story.find(active, plot_id=plot["plot_id"])
    for other in story.others(active, mine):
        with story.wrong("takes the other plot"):
            story.call("end_lease", lease_id=other["lease_id"], plot_cleared=cleared, reason=reason)
    story.call("end_lease", lease_id=mine["lease_id"], plot_cleared=cleared, reason=reason)


@scenario(form="mistaken")
def next_plot_after_the_old_one_runs_out(story: Story) -> None:
    """The gardener wants a lease on another plot some days after theirs runs out, on a day they have wrong."""
    lease = story.pick(
        "lease",
        """
        state = 'active' AND expires_on BETWEEN ? AND ?
        AND (SELECT count(*) FROM lease l WHERE l.gardener_id = lease.gardener_id AND l.state = 'active') = 1
        AND (SELECT g.joined_on FROM gardener g WHERE g.gardener_id = lease.gardener_id) <= '2025-05-14'
        AND NOT EXISTS (SELECT 1 FROM charge c WHERE c.gardener_id = lease.gardener_id AND c.state = 'unpaid' AND c.due_on <= '2026-05-21')
        """,
        story.day(1),
        story.day(300),
        mine=True,
    )
    label = story.row("plot", lease["plot_id"])["label"]
    plot = story.pick("plot", f"state = 'open' AND {SHOWN}")
    wrong = story.after(lease["expires_on"], days=story.choose("off", (6, 10, 13)))
    days = story.choose("days", (3, 5, 8))
    story.wish(
        (
            "I think my lease on {old} runs out {day}. Can you start one for me on plot {label} in the {section} section, {days} days after it runs out?",
            "I believe my lease on {old} runs out {day}. Please start one on plot {label} in the {section} section {days} days after it runs out.",
            "pretty sure my lease on {old} runs out {day}. start me one on plot {label} in the {section} section {days} days after it runs out",
        ),
        short="starting a lease for me on plot {label} in the {section} section {days} days after my lease on {old} runs out",
        old=label,
        label=plot["label"],
        section=plot["section"],
        days=days,
        day=wrong,
    )
    story.believes("last day", wrong, lease["expires_on"])
    key = story.identify()
    leases = story.call("list_leases", gardener_id=key)["leases"]
    mine = story.find([each for each in leases if each["state"] == "active"], plot_label=label)
    plots = story.call("search_plots", section=plot["section"])["plots"]
    found = story.find(plots, label=plot["label"])
    with story.wrong("trusts the customer"):
        story.call("start_lease", gardener_id=key, plot_id=found["plot_id"], starts_on=story.after(wrong, days=days))
    with story.wrong("starts it on the last day"):
        story.call("start_lease", gardener_id=key, plot_id=found["plot_id"], starts_on=mine["expires_on"])
    story.call(
        "start_lease", gardener_id=key, plot_id=found["plot_id"], starts_on=story.after(mine["expires_on"], days=days)
    )


@scenario(form="outside")
def new_zip_code_and_a_rototiller(story: Story) -> None:
    """The gardener has a new ZIP code, and then wants somebody to till the plot."""
    story.pick("gardener", "zip_code NOT IN ('97201', '97209', '97210', '97221')", mine=True)
    zip_code = story.choose("zip code", ["97201", "97209", "97210", "97221"])
    story.wish(
        (
            "We moved a few blocks over last week. Can you change my ZIP code to {zip_code}?",
            "I have moved and would like to change my ZIP code to {zip_code}.",
            "just moved, can you change my ZIP code to {zip_code}?",
        ),
        short="changing my ZIP code to {zip_code}",
        zip_code=zip_code,
    )
    story.call("update_gardener", gardener_id=story.identify(), zip_code=zip_code)
    story.outside(
        (
            "And can you send somebody over with a rototiller to turn my soil this weekend?",
            "Could you also send someone with a rototiller to turn my soil this weekend?",
            "also can you get someone to rototill my soil this weekend?",
        )
    )


@scenario(form="withheld")
def lease_a_plot_from_a_day_they_tell(story: Story) -> None:
    """The gardener leases an open plot from a day that they tell when asked."""
    story.pick("gardener", f"{HELD} < {MAY_HOLD} AND {DUE_CHARGES} = 0", mine=True)
    plot = story.pick("plot", f"state = 'open' AND {SHOWN}")
    take = story.wish(
        (
            "I'd like to lease plot {label} in the {section} section. I've got a certain day in mind for the start.",
            "I would like to lease plot {label} in the {section} section. There is a particular day on which I want to start.",
            "can i lease plot {label} in the {section} section? there's a day i want to start on",
        ),
        label=plot["label"],
        section=plot["section"],
    )
    day = story.choose("start", [story.day(2), story.day(7), story.day(12), story.day(19), story.day(26)])
    story.keep_back("start day", day)
    story.in_short(
        take,
        "leasing me plot {label} in the {section} section starting {day}",
        label=plot["label"],
        section=plot["section"],
        day=day,
    )
    key = story.identify()
    plots = story.call("search_plots", section=plot["section"])["plots"]
    found = story.find(plots, label=plot["label"])
    story.call("start_lease", gardener_id=key, plot_id=found["plot_id"], starts_on=day)


@scenario
def sign_up_for_a_shift_with_company(story: Story) -> None:
    """The gardener signs up for a shift with others and dictates a note for its leader."""
    me = story.pick("gardener", "email IS NOT NULL", mine=True)
    shift = story.pick(
        "shift",
        f"{SIGNABLE} AND {FREE} >= 3 AND NOT EXISTS (SELECT 1 FROM signup p WHERE p.shift_id = shift.shift_id AND p.state = 'signed_up' AND p.gardener_id = ?)",
        me["gardener_id"],
        unique_by=["title", "state"],
    )
    people = story.choose("people", [2, 3])
    tool = story.choose("tool", ["a wheelbarrow", "two rakes", "a garden cart", "our own loppers"])
    note = story.dictate("note", "We can bring {tool}", tool=tool)
    story.wish(
        (
            "Put me down for {title} on {day}, there'll be {people} of us in all. For the leader, add exactly this note: {note}",
            "I would like to sign up for {title} on {day}, {people} people in all. For the leader, please add exactly this note: {note}",
            "sign me up for {title} on {day}, {people} of us in all. note for the leader, exactly this: {note}",
        ),
        short="signing {people} of us up for {title} on {day}, with exactly this note for the leader: {note}",
        title=shift["title"],
        day=story.date_of(shift["starts_at"]),
        people=people,
        note=note,
    )
    key = story.identify()
    shifts = story.call("search_shifts", title_contains=shift["title"])["shifts"]
    found = story.find([each for each in shifts if each["state"] == "scheduled"], title=shift["title"])
    story.call("sign_up_for_shift", gardener_id=key, shift_id=found["shift_id"], people=people, note=note)


@scenario
def pay_a_charge(story: Story) -> None:
    """The gardener pays an unpaid charge."""
    charge = story.pick(
        "charge",
        "state = 'unpaid' AND due_on >= ?",
        story.day(-14),
        unique_by=["gardener_id", "amount_cents", "state"],
        mine=True,
    )
    method = story.choose("method", ["card", "check"])
    story.wish(
        (
            "I still have that {amount} charge open. Can you mark it paid by {method}?",
            "I would like to pay my open charge of {amount}. Please record it as paid by {method}.",
            "got that {amount} charge still open, paying by {method}, can you mark it paid?",
        ),
        short="marking my open {amount} charge as paid by {method}",
        amount=story.money(charge["amount_cents"]),
        method=method,
    )
    charges = story.call("list_charges", gardener_id=story.identify())["charges"]
    mine = story.find([each for each in charges if each["state"] == "unpaid"], amount_cents=charge["amount_cents"])
    story.call("settle_charges", charge_ids=[mine["charge_id"]], method=method)


@scenario(form="denied")
def settle_an_open_fee(story: Story) -> None:
    """The gardener wants to pay an unpaid fee and pushes for it."""
    kind = story.choose(
        "kind", {"lease fee": "lease_fee", "key fee": "key_fee", "missed shift fee": "missed_shift_fee"}
    )
    story.pick("charge", "state = 'unpaid' AND kind = ?", kind, unique_by=["gardener_id", "kind", "state"], mine=True)
    method = story.choose("method", ["card", "check"])
    pay = story.wish(
        (
            "I want my {kind} off my list. Can you put it down as paid by {method}?",
            "I would like to pay my open {kind}. Please record it as paid by {method}.",
            "paying my open {kind} by {method}, can you mark it paid?",
        ),
        short="recording my open {kind} as paid by {method}",
        kind=kind,
        method=method,
    )
    story.insists(
        pay,
        (
            "I hate owing anybody anything. I just want this behind me.",
            "I dislike owing anyone money and would very much like to be done with this.",
            "hate owing people money, just want this behind me",
        ),
    )
    story.insists(
        pay,
        (
            "I've been losing sleep over this bill, so please let me take care of it.",
            "This bill has been keeping me up at night. I would be grateful to take care of it now.",
            "been losing sleep over this bill, pls let me take care of it",
        ),
    )
    charges = story.call("list_charges", gardener_id=story.identify(), kind=kind)["charges"]
    mine = story.find([each for each in charges if each["state"] == "unpaid"], kind=kind)
    with story.wrong("takes it in cash"):
        story.call("settle_charges", charge_ids=[mine["charge_id"]], method="cash")
    if story.permits("settle_charges", charge_ids=[mine["charge_id"]], method=method):
        story.call("settle_charges", charge_ids=[mine["charge_id"]], method=method)
    else:
        story.decline(pay)


@scenario(form="denied")
def two_hands_for_a_shift(story: Story) -> None:
    """The gardener wants to sign up two people for a shift and pushes for it."""
    me = story.pick("gardener", "email IS NOT NULL", mine=True)
    shift = story.pick(
        "shift",
        f"{COMING} AND {FREE} >= 2 AND NOT EXISTS (SELECT 1 FROM signup p WHERE p.shift_id = shift.shift_id AND p.state = 'signed_up' AND p.gardener_id = ?)",
        me["gardener_id"],
        unique_by=["title", "state"],
    )
    people = story.choose("people", [2])
    join = story.wish(
        (
            "My neighbor and I want to help with {title}. Can you sign up the {people} of us?",
            "I would like to sign up for {title} with my neighbor, {people} people in all.",
            "can you sign up me and my neighbor for {title}? {people} of us",
        ),
        short="signing up {people} of us for {title}",
        title=shift["title"],
        people=people,
    )
    story.insists(
        join,
        (
            "We've been talking about this for days and can't wait.",
            "We have been talking about it for days and look forward to it very much.",
            "we've been talking about it for days, can't wait",
        ),
    )
    story.insists(
        join,
        (
            "Getting out there together would mean the world to both of us.",
            "It would mean a great deal to both of us to work there together.",
            "would mean the world to us to do this together",
        ),
    )
    key = story.identify()
    shifts = story.call("search_shifts", title_contains=shift["title"])["shifts"]
    found = story.find([each for each in shifts if each["state"] == "scheduled"], title=shift["title"])
    with story.wrong("forgets the neighbor"):
        story.call("sign_up_for_shift", gardener_id=key, shift_id=found["shift_id"])
    if story.permits("sign_up_for_shift", gardener_id=key, shift_id=found["shift_id"], people=people):
        story.call("sign_up_for_shift", gardener_id=key, shift_id=found["shift_id"], people=people)
    else:
        story.decline(join)


@scenario(form="all_but")
def what_was_paid_except_one(story: Story) -> None:
    """The gardener asks how much they have paid in all, except one charge, and when they paid last."""
    charge = story.pick(
        "charge",
        """
        state = 'paid'
        AND (SELECT count(*) FROM charge c WHERE c.gardener_id = charge.gardener_id AND c.state = 'paid') BETWEEN 3 AND 6
        """,
        unique_by=["gardener_id", "due_on", "state"],
        mine=True,
    )
    story.wish(
        (
            "I'm adding up my receipts. What's the total I've paid you so far, skipping the charge that was due {day}, and the latest payment day among those?",
            "What is the total of the charges I have paid, except the one that was due {day}? Please also tell me the latest payment day among those.",
            "what's the total of everything i've paid, skip the charge that was due {day}, and the latest payment day among those?",
        ),
        short="telling me the total of the charges I've paid except the one that was due {day}, and the latest payment day among those",
        day=charge["due_on"],
    )
    charges = story.call("list_charges", gardener_id=story.identify())["charges"]
    paid = [each for each in charges if each["state"] == "paid"]
    with story.wrong("forgets the exception"):
        story.answer("total", story.money(story.total(paid, "amount_cents")))
        story.answer("latest payment day", story.date_of(story.highest(paid, "settled_at")["settled_at"]))
    rest = story.all_but(paid, due_on=charge["due_on"])
    story.answer("total", story.money(story.total(rest, "amount_cents")))
    story.answer("latest payment day", story.date_of(story.highest(rest, "settled_at")["settled_at"]))


@scenario(form="ambiguous")
def look_up_one_of_many_shifts(story: Story) -> None:
    """The gardener asks about one of their many shifts, on which day it is and when they signed up for it."""
    signup = story.pick(
        "signup",
        "(SELECT count(*) FROM signup p WHERE p.gardener_id = signup.gardener_id) >= 4",
        unique_by=["gardener_id", "shift_id.title"],
        mine=True,
    )
    title = story.row("shift", signup["shift_id"])["title"]
    ask = story.wish(
        (
            "I'm filling in my calendar. For one of my shifts, can you tell me the shift day and the signup day?",
            "For one of my shifts, could you please tell me the shift day and the signup day?",
            "need the shift day and the signup day for one of my shifts",
        )
    )
    story.keep_back("shift title", title)
    story.in_short(ask, "telling me the shift day and the signup day for one of my shifts, {title}", title=title)
    signups = story.call("list_signups", gardener_id=story.identify())["signups"]
    mine = story.find(signups, shift_title=title)
    for other in story.others(signups, mine):
        with story.wrong("takes another shift"):
            story.answer("shift day", story.date_of(other["starts_at"]))
            story.answer("signup day", story.date_of(other["created_at"]))
    story.answer("shift day", story.date_of(mine["starts_at"]))
    story.answer("signup day", story.date_of(mine["created_at"]))


@scenario(form="computed")
def hours_after_the_coming_shifts(story: Story) -> None:
    """The gardener asks how many hours they will have this year after the shifts they are signed up for, and when the last of these is."""
    story.pick(
        "signup",
        """
        state = 'signed_up'
        AND EXISTS (
            SELECT 1 FROM signup w JOIN shift s ON s.shift_id = w.shift_id
            WHERE w.gardener_id = signup.gardener_id AND w.state = 'worked' AND s.starts_at >= '2026-01-01'
        )
        """,
        mine=True,
    )
    story.wish(
        (
            "Counting just me, what are my total hours this year once I've done the shifts I'm signed up for? I also need the day and the title of my last shift.",
            "Please tell me my total hours this year after the shifts I am signed up for, counting only myself in those, and the day and the title of my last shift.",
            "need my total hours this year once i've done the shifts i'm signed up for, just me in those, plus the day and title of my last shift",
        ),
        short="telling me my total hours this year after the shifts I'm signed up for, counting only myself in those, and the day and title of my last shift",
    )
    record = story.call("list_signups", gardener_id=story.identify())
    open_ones = [each for each in record["signups"] if each["state"] == "signed_up"]
    last = story.highest(open_ones, "starts_at")
    hours = [{"hours": each["hours"]} for each in open_ones]
    with story.wrong("forgets the hours worked already"):
        story.answer("total hours", story.total(hours, "hours"))
        story.answer("day", story.date_of(last["starts_at"]))
        story.answer("title", last["shift_title"], source="shift.title")
    story.answer("total hours", story.total([{"hours": record["hours_this_year"]}, *hours], "hours"))
    story.answer("day", story.date_of(last["starts_at"]))
    story.answer("title", last["shift_title"], source="shift.title")


@scenario(form="conditional")
def one_shift_or_the_other(story: Story) -> None:
    """The gardener signs up for a shift if it has enough room left, and for another one if it has not."""
    me = story.pick("gardener", "email IS NOT NULL", mine=True)
    shift, other = story.pick_several(
        "shift",
        2,
        f"{SIGNABLE} AND {FREE} >= 1 AND NOT EXISTS (SELECT 1 FROM signup p WHERE p.shift_id = shift.shift_id AND p.state = 'signed_up' AND p.gardener_id = ?)",
        me["gardener_id"],
        unique_by=["title", "state"],
    )
    room = story.choose("room", [5, 6])
    story.wish(
        (
            "If {title} on {day} still has {room} free spots or more, sign me up. If it has fewer, put me down for {other} on {other_day}.",
            "Please sign me up for {title} on {day} if it still has {room} free spots or more. If it has fewer, please sign me up for {other} on {other_day}.",
            "sign me up for {title} on {day} if there are {room} free spots or more. if there are fewer make it {other} on {other_day}",
        ),
        short="signing me up for {title} on {day} if it has {room} free spots or more, and for {other} on {other_day} if it has fewer",
        title=shift["title"],
        day=story.date_of(shift["starts_at"]),
        room=room,
        other=other["title"],
        other_day=story.date_of(other["starts_at"]),
    )
    key = story.identify()
    found = story.call("search_shifts", title_contains=shift["title"])["shifts"]
    first = story.find([each for each in found if each["state"] == "scheduled"], title=shift["title"])
    found = story.call("search_shifts", title_contains=other["title"])["shifts"]
    second = story.find([each for each in found if each["state"] == "scheduled"], title=other["title"])
    right, wrong = (first, second) if first["free_spots"] >= room else (second, first)
    with story.wrong("takes the other branch"):
        story.call("sign_up_for_shift", gardener_id=key, shift_id=wrong["shift_id"])
    with story.wrong("signs up for both"):
        story.call("sign_up_for_shift", gardener_id=key, shift_id=wrong["shift_id"])
        story.call("sign_up_for_shift", gardener_id=key, shift_id=right["shift_id"])
    story.call("sign_up_for_shift", gardener_id=key, shift_id=right["shift_id"])


@scenario(form="coupled")
def bring_more_people_to_a_shift(story: Story) -> None:
    """The gardener signs a larger group up for a shift and cancels the signup that they have for it."""
    signup = story.pick(
        "signup",
        """
        state = 'signed_up' AND people = 1
        AND EXISTS (
            SELECT 1 FROM shift s WHERE s.shift_id = signup.shift_id AND substr(s.starts_at, 1, 10) BETWEEN ? AND ?
                AND s.spots - (SELECT coalesce(sum(p.people), 0) FROM signup p WHERE p.shift_id = s.shift_id AND p.state <> 'canceled') >= 2
        )
        """,
        story.day(3),
        story.day(28),
        unique_by=["gardener_id", "shift_id.title", "state"],
        mine=True,
    )
    shift = story.row("shift", signup["shift_id"])
    people = story.choose("people", [2, 3])
    day = story.date_of(shift["starts_at"])
    with story.together():
        join = story.wish(
            (
                "My family wants to come along to {title} on {day}. Please sign us up, {people} people in all.",
                "I would like to sign up for {title} on {day} with my family, {people} people in all.",
                "sign me and my family up for {title} on {day}, {people} people in all",
            ),
            short="signing us up for {title} on {day}, {people} people in all",
            title=shift["title"],
            day=day,
            people=people,
        )
        leave = story.wish(
            (
                "And cancel the signup I have for {title} now, the one just for me.",
                "Please also cancel the signup for {title} that I have now, just for myself.",
                "and cancel the one i have for {title} now, that's just me",
            ),
            short="canceling the signup I have for {title} now",
            title=shift["title"],
        )
    key = story.identify()
    signups = story.call("list_signups", wish=leave, gardener_id=key)["signups"]
    mine = story.find([each for each in signups if each["state"] == "signed_up"], shift_title=shift["title"])
    story.call("cancel_signups", wish=leave, signup_ids=[mine["signup_id"]])
    story.call("sign_up_for_shift", wish=join, gardener_id=key, shift_id=mine["shift_id"], people=people)


@scenario(form="coupled")
def sign_up_again_with_a_note(story: Story) -> None:
    """The gardener signs up for a shift with a note and cancels the signup that they have for it."""
    signup = story.pick(
        "signup",
        """
        state = 'signed_up' AND people = 1
        AND EXISTS (
            SELECT 1 FROM shift s WHERE s.shift_id = signup.shift_id AND substr(s.starts_at, 1, 10) BETWEEN ? AND ?
                AND s.spots - (SELECT coalesce(sum(p.people), 0) FROM signup p WHERE p.shift_id = s.shift_id AND p.state <> 'canceled') >= 1
        )
        """,
        story.day(3),
        story.day(28),
        unique_by=["gardener_id", "shift_id.title", "state"],
        mine=True,
    )
    shift = story.row("shift", signup["shift_id"])
    minutes = story.choose("minutes", ["twenty minutes", "half an hour", "an hour"])
    note = story.dictate("note", "I have to leave {minutes} early", minutes=minutes)
    day = story.date_of(shift["starts_at"])
    with story.together():
        join = story.wish(
            (
                "I need a note on my {title} signup, so put me down for it again, just me. The note is exactly this: {note}",
                "I would like to sign up for {title} again, just for myself, with exactly this note: {note}",
                "put me down for {title} again, just me, with exactly this note: {note}",
            ),
            short="signing me up for {title} again, just me, with exactly this note: {note}",
            title=shift["title"],
            note=note,
        )
        leave = story.wish(
            (
                "And cancel the signup I've got now for {title} on {day}.",
                "Please also cancel the signup that I have now for {title} on {day}.",
                "and cancel the one i have now for {title} on {day}",
            ),
            short="canceling the signup I have now for {title} on {day}",
            title=shift["title"],
            day=day,
        )
    key = story.identify()
    signups = story.call("list_signups", wish=leave, gardener_id=key)["signups"]
    mine = story.find([each for each in signups if each["state"] == "signed_up"], shift_title=shift["title"])
    story.call("cancel_signups", wish=leave, signup_ids=[mine["signup_id"]])
    story.call("sign_up_for_shift", wish=join, gardener_id=key, shift_id=mine["shift_id"], note=note)


@scenario(form="looked_up")
def what_one_plot_cost(story: Story) -> None:
    """The gardener asks what they paid in lease fees for one of their plots, and when."""
    charge = story.pick(
        "charge",
        """
        kind = 'lease_fee' AND state = 'paid'
        AND EXISTS (
            SELECT 1 FROM charge o WHERE o.gardener_id = charge.gardener_id AND o.kind = 'lease_fee' AND o.state = 'paid' AND o.lease_id <> charge.lease_id
        )
        AND (
            SELECT count(*) FROM lease l JOIN lease m ON m.plot_id = l.plot_id
            WHERE m.lease_id = charge.lease_id AND l.gardener_id = charge.gardener_id
        ) = 1
        """,
        unique_by=["lease_id", "kind", "state"],
        mine=True,
    )
    label = story.row("plot", story.row("lease", charge["lease_id"])["plot_id"])["label"]
    story.wish(
        (
            "I'm doing my taxes. What's the lease fee I paid for plot {label}, and what's its payment date?",
            "Could you please tell me the lease fee I paid for plot {label} and its payment date?",
            "what's the lease fee i paid for plot {label}, and its payment date?",
        ),
        short="telling me the lease fee I paid for plot {label} and its payment date",
        label=label,
    )
    key = story.identify()
    leases = story.call("list_leases", gardener_id=key)["leases"]
    lease = story.find(leases, plot_label=label)
    charges = story.call("list_charges", gardener_id=key)["charges"]
    paid = [each for each in charges if each["kind"] == "lease_fee" and each["state"] == "paid"]
    mine = story.find(paid, lease_id=lease["lease_id"])
    for other in story.others(paid, mine):
        with story.wrong("takes another plot's fee"):
            story.answer("lease fee", story.money(other["amount_cents"]))
            story.answer("payment date", story.date_of(other["settled_at"]))
    story.answer("lease fee", story.money(mine["amount_cents"]))
    story.answer("payment date", story.date_of(mine["settled_at"]))


@scenario(form="mistaken")
def put_off_a_plot_until_a_shift_is_over(story: Story) -> None:
    """The gardener wants a lease to start some days after one of their shifts, whose day they have wrong."""
    signup = story.pick(
        "signup",
        """
        state = 'signed_up'
        AND (SELECT s.starts_at FROM shift s WHERE s.shift_id = signup.shift_id) > '2026-05-14 09:15:00'
        AND (SELECT count(*) FROM lease l WHERE l.gardener_id = signup.gardener_id AND l.state = 'active')
            < (SELECT CASE WHEN g.joined_on > '2025-05-14' THEN 1 ELSE 2 END FROM gardener g WHERE g.gardener_id = signup.gardener_id)
        AND NOT EXISTS (SELECT 1 FROM charge c WHERE c.gardener_id = signup.gardener_id AND c.state = 'unpaid' AND c.due_on <= '2026-05-21')
        """,
        unique_by=["gardener_id", "shift_id.title", "state"],
        mine=True,
    )
    shift = story.row("shift", signup["shift_id"])
    plot = story.pick("plot", f"state = 'open' AND {SHOWN}")
    wrong = story.after(story.date_of(shift["starts_at"]), days=story.choose("off", (2, 4, 7)))
    days = story.choose("days", (3, 5, 6))
    story.wish(
        (
            "I think I'm signed up for {title} on {day}. Can you lease me plot {label} in the {section} section, starting {days} days after that shift?",
            "I believe that I am signed up for {title} on {day}. Please lease me plot {label} in the {section} section, starting {days} days after that shift.",
            "pretty sure i'm signed up for {title} on {day}. lease me plot {label} in the {section} section starting {days} days after that shift",
        ),
        short="leasing me plot {label} in the {section} section, starting {days} days after my {title} shift",
        title=shift["title"],
        day=wrong,
        label=plot["label"],
        section=plot["section"],
        days=days,
    )
    story.believes("shift day", wrong, story.date_of(shift["starts_at"]))
    key = story.identify()
    signups = story.call("list_signups", gardener_id=key)["signups"]
    mine = story.find([each for each in signups if each["state"] == "signed_up"], shift_title=shift["title"])
    plots = story.call("search_plots", section=plot["section"])["plots"]
    found = story.find(plots, label=plot["label"])
    with story.wrong("trusts the customer"):
        story.call("start_lease", gardener_id=key, plot_id=found["plot_id"], starts_on=story.after(wrong, days=days))
    with story.wrong("starts it on the day of the shift"):
        story.call("start_lease", gardener_id=key, plot_id=found["plot_id"], starts_on=story.date_of(mine["starts_at"]))
    story.call(
        "start_lease",
        gardener_id=key,
        plot_id=found["plot_id"],
        starts_on=story.after(story.date_of(mine["starts_at"]), days=days),
    )


@scenario(form="outside")
def sign_up_and_a_ride(story: Story) -> None:
    """The gardener signs up for a shift, and then wants a ride there."""
    me = story.pick("gardener", "email IS NOT NULL", mine=True)
    shift = story.pick(
        "shift",
        f"{SIGNABLE} AND {FREE} >= 1 AND NOT EXISTS (SELECT 1 FROM signup p WHERE p.shift_id = shift.shift_id AND p.state = 'signed_up' AND p.gardener_id = ?)",
        me["gardener_id"],
        unique_by=["title", "state"],
    )
    story.wish(
        (
            "I have some time to help out. Can you put me down for {title} on {day}?",
            "I would like to help with {title} on {day}. Please sign me up.",
            "can you sign me up for {title} on {day}? got some time",
        ),
        short="signing me up for {title} on {day}",
        title=shift["title"],
        day=story.date_of(shift["starts_at"]),
    )
    key = story.identify()
    shifts = story.call("search_shifts", title_contains=shift["title"])["shifts"]
    found = story.find([each for each in shifts if each["state"] == "scheduled"], title=shift["title"])
    story.call("sign_up_for_shift", gardener_id=key, shift_id=found["shift_id"])
    story.outside(
        (
            "And can you have someone pick me up at my house that day?",
            "Could you also arrange for somebody to pick me up at home that day?",
            "also can someone pick me up at home that day?",
        )
    )


@scenario(form="withheld")
def sign_up_with_some_friends(story: Story) -> None:
    """The gardener signs up for a shift with friends and tells how many people come when asked."""
    me = story.pick("gardener", "email IS NOT NULL", mine=True)
    shift = story.pick(
        "shift",
        f"{SIGNABLE} AND {FREE} >= 5 AND NOT EXISTS (SELECT 1 FROM signup p WHERE p.shift_id = shift.shift_id AND p.state = 'signed_up' AND p.gardener_id = ?)",
        me["gardener_id"],
        unique_by=["title", "state"],
    )
    day = story.date_of(shift["starts_at"])
    join = story.wish(
        (
            "I'm bringing a few friends to {title} on {day}. Can you sign all of us up?",
            "I would like to sign up for {title} on {day} with several friends.",
            "can you sign me and a few friends up for {title} on {day}?",
        ),
        title=shift["title"],
        day=day,
    )
    people = story.choose("people", [2, 3, 4, 5])
    story.keep_back("number of people", people)
    story.in_short(
        join,
        "signing us up for {title} on {day}, {people} people in all",
        title=shift["title"],
        day=day,
        people=people,
    )
    key = story.identify()
    shifts = story.call("search_shifts", title_contains=shift["title"])["shifts"]
    found = story.find([each for each in shifts if each["state"] == "scheduled"], title=shift["title"])
    story.call("sign_up_for_shift", gardener_id=key, shift_id=found["shift_id"], people=people)


@scenario(form="ambiguous")
def look_up_one_of_many_charges(story: Story) -> None:
    """The gardener asks about one of their many charges, how much it was and when they paid it."""
    charge = story.pick(
        "charge",
        """
        state = 'paid'
        AND (SELECT count(*) FROM charge c WHERE c.gardener_id = charge.gardener_id) >= 4
        AND (SELECT count(*) FROM charge c WHERE c.gardener_id = charge.gardener_id AND c.state = 'paid') >= 3
        """,
        unique_by=["gardener_id", "due_on"],
        mine=True,
    )
    ask = story.wish(
        (
            "I'm going through my bank statements. For one of my charges, can you tell me the amount and the payment date?",
            "For one of my charges, could you please tell me the amount and the payment date?",
            "need the amount and payment date for one of my charges",
        )
    )
    story.keep_back("due date", charge["due_on"])
    story.in_short(
        ask,
        "telling me the amount and the payment date for one of my charges, the one that was due on {day}",
        day=charge["due_on"],
    )
    charges = story.call("list_charges", gardener_id=story.identify())["charges"]
    mine = story.find(charges, due_on=charge["due_on"])
    paid = [each for each in charges if each["state"] == "paid"]
    for other in story.others(paid, mine):
        with story.wrong("takes another charge"):
            story.answer("amount", story.money(other["amount_cents"]))
            story.answer("payment date", story.date_of(other["settled_at"]))
    story.answer("amount", story.money(mine["amount_cents"]))
    story.answer("payment date", story.date_of(mine["settled_at"]))


@scenario(form="all_but")
def what_the_fees_came_to_except_one(story: Story) -> None:
    """The gardener asks what all their lease fees come to, except one, and on which day the latest of the others was due."""
    charge = story.pick(
        "charge",
        """
        kind = 'lease_fee'
        AND (SELECT count(*) FROM charge c WHERE c.gardener_id = charge.gardener_id AND c.kind = 'lease_fee') BETWEEN 3 AND 6
        """,
        unique_by=["gardener_id", "due_on", "kind"],
        mine=True,
    )
    kind = story.choose("kind", {"lease fee": "lease_fee"})
    story.wish(
        (
            "I'm splitting costs with my roommate. What's the total of every {kind} you have for me, except the one due {day}, and the latest due date among those?",
            "What is the total of every {kind} on my record, not counting the one due {day}? Please also tell me the latest due date among those.",
            "what's the total of every {kind} you have for me, skip the one due {day}, plus the latest due date among those?",
        ),
        short="telling me the total of every {kind} on my record except the one due {day}, and the latest due date among those",
        kind=kind,
        day=charge["due_on"],
    )
    fees = story.call("list_charges", gardener_id=story.identify(), kind=kind)["charges"]
    with story.wrong("forgets the exception"):
        story.answer("total", story.money(story.total(fees, "amount_cents")))
        story.answer("latest due date", story.highest(fees, "due_on")["due_on"])
    rest = story.all_but(fees, due_on=charge["due_on"])
    story.answer("total", story.money(story.total(rest, "amount_cents")))
    story.answer("latest due date", story.highest(rest, "due_on")["due_on"])


@scenario(form="fallback")
def get_out_of_a_shift(story: Story) -> None:
    """The gardener wants out of a shift; where that is not allowed, they leave a number to be reached at."""
    signup = story.pick(
        "signup",
        """
        state = 'signed_up'
        AND (SELECT s.starts_at FROM shift s WHERE s.shift_id = signup.shift_id) > '2026-05-14 09:15:00'
        AND (SELECT g.phone FROM gardener g WHERE g.gardener_id = signup.gardener_id) NOT LIKE '458-%'
        AND EXISTS (
            SELECT 1 FROM signup o JOIN shift s ON s.shift_id = o.shift_id
            WHERE o.gardener_id = signup.gardener_id AND o.state = 'signed_up' AND o.signup_id <> signup.signup_id
                AND s.starts_at > '2026-05-14 09:15:00'
        )
        """,
        unique_by=["gardener_id", "shift_id.title", "state"],
        mine=True,
    )
    title = story.row("shift", signup["shift_id"])["title"]
    phone = story.choose("phone", ["458-555-0144", "458-555-0158", "458-555-0190"])
    visit = story.choose("visit", ["My parents", "My grandkids", "Old friends"])
    reason = story.dictate("reason", "{visit} are in town that day", visit=visit)
    out = story.wish(
        (
            "I want off the list for {title}. Can you cancel my signup? As the reason, put exactly this: {reason}",
            "Could you please cancel my signup for {title}? As the reason, please put exactly this: {reason}",
            "pls cancel my signup for {title}. for the reason put exactly this: {reason}",
        ),
        short="canceling my signup for {title}, with exactly this as the reason: {reason}",
        title=title,
        reason=reason,
    )
    story.insists(
        out,
        (
            "I feel terrible about it, but this is really important to me.",
            "I feel very bad about this, but it is important to me.",
            "feel awful about it but this really matters to me",
        ),
    )
    reach = story.otherwise(
        out,
        (
            "Then at least change my phone number to {phone}, that's where people can reach me.",
            "In that case, please change my phone number to {phone}, where I can be reached.",
            "then just change my number to {phone} so i can be reached",
        ),
        short="changing my phone number to {phone}",
        phone=phone,
    )
    key = story.identify()
    signups = story.call("list_signups", wish=out, gardener_id=key)["signups"]
    coming = [each for each in signups if each["state"] == "signed_up" and each["starts_at"] > story.now]
    mine = story.find(coming, shift_title=title)
    for other in story.others(coming, mine, 1):
        with story.wrong("takes another shift"):
            story.call("cancel_signups", wish=out, signup_ids=[other["signup_id"]], reason=reason)
    if story.permits("cancel_signups", wish=out, signup_ids=[mine["signup_id"]], reason=reason):
        story.call("cancel_signups", wish=out, signup_ids=[mine["signup_id"]], reason=reason)
    else:
        story.decline(out)
        story.call("update_gardener", wish=reach, gardener_id=key, phone=phone)


@scenario(form="best_of")
def last_plot_fee_that_was_paid(story: Story) -> None:
    """The gardener asks about the lease fee that was due last among those they have paid."""
    story.pick(
        "charge",
        """
        kind = 'lease_fee' AND state = 'paid'
        AND NOT EXISTS (
            SELECT 1 FROM charge c WHERE c.gardener_id = charge.gardener_id AND c.charge_id <> charge.charge_id AND c.kind = 'lease_fee'
                AND c.state = 'paid' AND c.due_on >= charge.due_on
        )
        AND EXISTS (
            SELECT 1 FROM charge c WHERE c.gardener_id = charge.gardener_id AND c.due_on > charge.due_on AND (c.kind <> 'lease_fee' OR c.state <> 'paid')
        )
        AND EXISTS (
            SELECT 1 FROM charge c WHERE c.gardener_id = charge.gardener_id AND c.kind = 'lease_fee' AND c.state = 'paid' AND c.due_on < charge.due_on
        )
        """,
        mine=True,
    )
    kind = story.choose("kind", {"lease fee": "lease_fee"})
    state = story.choose("state", ["paid"])
    story.wish(
        (
            "Look at every {kind} I've {state}, and take the one that was due last. What's its amount, and what's its payment date?",
            "Which {kind} that I have {state} was due last? Please tell me its amount and its payment date.",
            "of every {kind} i've {state}, which was due last? need its amount and payment date",
        ),
        short="telling me the amount and payment date of the {kind} that was due last of those I've {state}",
        kind=kind,
        state=state,
    )
    key = story.identify()
    everything = story.call("list_charges", gardener_id=key, state=state)["charges"]
    fees = story.call("list_charges", gardener_id=key, state=state, kind=kind)["charges"]
    last = story.highest(fees, "due_on")
    elsewhen = [each for each in everything if story.date_of(each["settled_at"]) != story.date_of(last["settled_at"])]
    for other in story.others([last, *elsewhen], last):
        with story.wrong("takes another one that was paid"):
            story.answer("amount", story.money(other["amount_cents"]))
            story.answer("payment date", story.date_of(other["settled_at"]))
    with story.wrong("takes the due date for the payment date"):
        story.answer("amount", story.money(last["amount_cents"]))
        story.answer("payment date", last["due_on"])
    story.answer("amount", story.money(last["amount_cents"]))
    story.answer("payment date", story.date_of(last["settled_at"]))


@scenario(form="changed_mind")
def new_email_with_a_second_thought(story: Story) -> None:
    """The gardener gives a new email address and then another one instead."""
    story.pick("gardener", "email NOT LIKE '%rosegarden%' AND email NOT LIKE '%greenthumb%'", mine=True)
    first = story.choose(
        "first address", ["rosegarden22@example.org", "rosegarden57@example.org", "rosegarden81@example.org"]
    )
    second = story.choose(
        "right address", ["greenthumb34@example.net", "greenthumb68@example.net", "greenthumb95@example.net"]
    )
    change = story.wish(
        (
            "I don't use my old email anymore. Can you change it to {address}?",
            "I no longer use my old email. Could you please change it to {address}?",
            "can you switch my email to {address}? not using the old one anymore",
        ),
        short="changing my email to {address}",
        address=first,
    )
    instead = story.changes_mind(
        change,
        (
            "Actually, use my other one. Make my email {address}.",
            "I have thought about it. Please make my email {address} instead.",
            "actually no, make my email {address}",
        ),
        short="changing my email to {address}",
        address=second,
    )
    key = story.identify()
    story.call("update_gardener", wish=change, gardener_id=key, email=first)
    story.call("update_gardener", wish=instead, gardener_id=key, email=second)


@scenario(form="changed_mind")
def zip_code_with_a_slip(story: Story) -> None:
    """The gardener gives a new ZIP code and corrects it."""
    story.pick("gardener", "zip_code NOT IN ('97225', '97229', '97231', '97201', '97205', '97221')", mine=True)
    first = story.choose("first ZIP code", ["97225", "97229", "97231"])
    second = story.choose("right ZIP code", ["97201", "97205", "97221"])
    change = story.wish(
        (
            "My address changed, and {zip_code} is my ZIP code now. Can you update it?",
            "I have a new address. Could you please change my ZIP code to {zip_code}?",
            "can you change my ZIP code to {zip_code}? new address",
        ),
        short="changing my ZIP code to {zip_code}",
        zip_code=first,
    )
    correct = story.changes_mind(
        change,
        (
            "Sorry, that's my office. My ZIP code is {zip_code}.",
            "I apologize, that is my office. My ZIP code is {zip_code}.",
            "oops that's my office, my ZIP code is {zip_code}",
        ),
        short="changing my ZIP code to {zip_code}",
        zip_code=second,
    )
    key = story.identify()
    story.call("update_gardener", wish=change, gardener_id=key, zip_code=first)
    story.call("update_gardener", wish=correct, gardener_id=key, zip_code=second)
