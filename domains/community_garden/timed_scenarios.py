"""What gardeners want that takes time: a plot that is given up later today, or one that will not stay open."""

from runtime.story import Story, scenario

HELD = "(SELECT count(*) FROM lease l WHERE l.gardener_id = gardener.gardener_id AND l.state = 'active')"
MAY_HOLD = "(CASE WHEN gardener.joined_on > '2025-05-14' THEN 1 ELSE 2 END)"
DUE_CHARGES = """
    (SELECT count(*) FROM charge c WHERE c.gardener_id = gardener.gardener_id
        AND c.state = 'unpaid'
        AND c.due_on <= '2026-05-21')
"""
SHOWN = "(SELECT count(*) FROM plot q WHERE q.section = plot.section AND q.label <= plot.label) <= 20"
NOT_MINE = "plot_id NOT IN (SELECT plot_id FROM lease WHERE gardener_id = ?)"
IS_OPEN = "SELECT 1 FROM plot WHERE plot_id = :plot AND state = 'open'"
DEADLINES = {"noon": "12:00", "1 PM": "13:00", "half past twelve": "12:30"}


def me_who_may_lease(story, plots=1):
    """A gardener who may lease so many plots more."""
    return story.pick("gardener", f"{HELD} + ? <= {MAY_HOLD} AND {DUE_CHARGES} = 0", plots, mine=True)


def deadline(story):
    """By when the caller wants to know, a time of today."""
    return story.choose("deadline", {said: str(story.moment(0, time)) for said, time in DEADLINES.items()})


def given_up(story, name, plot, times, maybe=False):
    """Let whoever leases a plot give it up, cleared, and the office be told."""
    lease = story.other_row("lease", "state = 'active' AND plot_id = ?", plot["plot_id"])
    return story.event(
        name,
        at=story.moment(0, story.choose(f"time of {name}", times)),
        call="end_lease",
        lease_id=lease["lease_id"],
        plot_cleared=True,
        reason="Given up by the gardener",
        notice=f"Garden gate: plot {plot['label']} was given up and is cleared.",
        maybe=maybe,
    )


def leased_by_another(story, name, me, plot, minutes):
    """Let somebody else lease a plot once it has been open for so long."""
    taker = story.other_row("gardener", "gardener_id <> ?", me["gardener_id"])
    story.event(
        name,
        when=IS_OPEN,
        values={"plot": plot["plot_id"]},
        minutes=minutes,
        call="start_lease",
        gardener_id=taker["gardener_id"],
        plot_id=plot["plot_id"],
        starts_on=story.today,
    )


def found(story, plot, wish=None):
    """A plot as the office's list shows it."""
    plots = story.call("search_plots", wish=wish, section=plot["section"])["plots"]
    return story.find(plots, label=plot["label"])["plot_id"]


@scenario(form="later")
def lease_the_plot_that_is_given_up(story: Story) -> None:
    """The gardener waits for a plot that its holder is to give up today, and leases it before others do."""
    me = me_who_may_lease(story)
    plot = story.pick("plot", f"state = 'leased' AND {SHOWN} AND {NOT_MINE}", me["gardener_id"])
    by = deadline(story)
    given_up(story, "given-up", plot, ("10:05", "10:40", "11:15"))
    leased_by_another(story, "leased-by-another", me, plot, 210)
    story.tell(
        (
            "The people on plot {label} in the {section} section are giving it up today, by {by} at the latest. Could "
            "you watch for that and lease it to me from today once it's open?",
            "I have been told that plot {label} in the {section} section will be given up by {by} today. Please lease "
            "it to me from today on as soon as it is open.",
            "plot {label} in the {section} section is being given up today, by {by}. can you wait for it and lease it "
            "to me from today",
        ),
        short="waiting until {by} for plot {label} in the {section} section and leasing it to me from today",
        label=plot["label"],
        section=plot["section"],
        by=by,
    )
    key = story.identify()
    number = found(story, plot)
    story.wait(until=by)
    story.call("start_lease", gardener_id=key, plot_id=number, starts_on=story.today)


@scenario(form="if_it_happens")
def one_plot_or_the_other(story: Story) -> None:
    """The gardener leases one plot if it is given up in time, and else one that is being cleaned up this morning."""
    me = me_who_may_lease(story)
    plot = story.pick("plot", f"state = 'leased' AND {SHOWN} AND {NOT_MINE}", me["gardener_id"])
    other = story.pick("plot", f"state = 'needs_cleanup' AND {SHOWN} AND {NOT_MINE}", me["gardener_id"])
    by = deadline(story)
    is_free = given_up(story, "given-up", plot, ("10:00", "10:30", "10:50"), maybe=True)
    story.event(
        "cleaned-up",
        at=story.moment(0, story.choose("time of the cleanup", ("11:05", "11:30"))),
        rows=[{"table": "plot", "kind": "changed", "key": [other["plot_id"]], "columns": {"state": "open"}}],
    )
    if is_free:
        leased_by_another(story, "first-leased", me, plot, 200)
    leased_by_another(story, "second-leased", me, other, 180)
    story.tell(
        (
            "If plot {label} in the {section} section is given up by {by} today, lease it to me from today. If it "
            "isn't, lease me {other} in the {other_section} section instead, which is being cleaned up this morning.",
            "Should plot {label} in the {section} section be given up by {by} today, please lease it to me from today "
            "on. If not, please lease me plot {other} in the {other_section} section instead; it is being cleaned up "
            "this morning.",
            "if {label} in the {section} section is given up by {by} today lease it to me from today. if not give me "
            "{other} in the {other_section} section, they're cleaning that one up this morning",
        ),
        short="leasing me plot {label} in the {section} section from today if it is given up by {by}, or else plot "
        "{other} in the {other_section} section",
        label=plot["label"],
        section=plot["section"],
        by=by,
        other=other["label"],
        other_section=other["section"],
    )
    key = story.identify()
    first, second = found(story, plot), found(story, other)
    story.wait(until=by)
    story.call("start_lease", gardener_id=key, plot_id=first if is_free else second, starts_on=story.today)


@scenario(form="before_it_closes")
def the_open_plot_first(story: Story) -> None:
    """The gardener wants a plot that is given up later, and one that is open now but will not be for long."""
    me = me_who_may_lease(story, 2)
    plot = story.pick("plot", f"state = 'leased' AND {SHOWN} AND {NOT_MINE}", me["gardener_id"])
    open_one = story.pick("plot", f"state = 'open' AND {SHOWN} AND {NOT_MINE}", me["gardener_id"])
    by = deadline(story)
    given_up(story, "given-up", plot, ("10:35", "11:00", "11:20"))
    leased_by_another(story, "open-one-leased", me, open_one, 60)
    leased_by_another(story, "leased-by-another", me, plot, 210)
    with story.together():
        later = story.wish(
            (
                "Plot {label} in the {section} section will be given up by {by} today. Please wait for that and lease it to me from today.",
                "Plot {label} in the {section} section will be given up by {by} today. Please wait for it and lease it to me from today on.",
                "plot {label} in the {section} section will be given up by {by} today, pls wait for it and lease it to me from today",
            ),
            short="waiting until {by} for plot {label} in the {section} section and leasing it to me from today",
            label=plot["label"],
            section=plot["section"],
            by=by,
        )
        now = story.wish(
            (
                "And I'd like {label} in the {section} section, which is open, from today as well.",
                "I would also like plot {label} in the {section} section from today on, which is open.",
                "and {label} in the {section} section from today too, that one's open",
            ),
            short="leasing me plot {label} in the {section} section from today",
            label=open_one["label"],
            section=open_one["section"],
        )
    key = story.identify()
    story.call("start_lease", wish=now, gardener_id=key, plot_id=found(story, open_one, now), starts_on=story.today)
    number = found(story, plot, later)
    story.wait(until=by, wish=later)
    story.call("start_lease", wish=later, gardener_id=key, plot_id=number, starts_on=story.today)
