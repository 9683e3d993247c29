"""What people want of Porchlight Member Desk: every function is a scenario."""

from runtime.story import Story, scenario

SEAT_IN_OPEN_CHANNEL = """
    EXISTS (SELECT 1 FROM channel WHERE channel.channel_id = membership.channel_id
        AND channel.status = 'open')
"""

ONLY_OF_THAT_NAME = """
    NOT EXISTS (SELECT 1 FROM membership AS other JOIN member AS twin ON twin.member_id = other.member_id JOIN member AS own ON own.member_id = membership.member_id WHERE other.channel_id = membership.channel_id
        AND other.membership_id <> membership.membership_id
        AND twin.name = own.name)
"""
NO_OPEN_BOOST_IN_IT = """
    NOT EXISTS (SELECT 1 FROM boost JOIN message ON message.message_id = boost.message_id WHERE message.channel_id = channel.channel_id
        AND boost.status = 'booked')
"""
NOT_THE_OWNER = """
    NOT EXISTS (SELECT 1 FROM channel WHERE channel.channel_id = membership.channel_id
        AND channel.owner_id = membership.member_id)
"""
CHANNEL_IS_OPEN = """
    EXISTS (SELECT 1 FROM channel WHERE channel.channel_id = membership.channel_id
        AND channel.status = 'open')
"""
SPACE_LEFT = """
    channel.capacity > (SELECT count(*) FROM membership WHERE membership.channel_id = channel.channel_id
        AND membership.status = 'active')
"""
RUNNING = """
    (SELECT count(*) FROM message WHERE message.channel_id = membership.channel_id
        AND message.member_id = membership.member_id
        AND (message.status = 'scheduled' OR message.pinned = 1 OR EXISTS (SELECT 1 FROM boost WHERE boost.message_id = message.message_id
        AND boost.status = 'booked')))
"""
OPEN_PLACES = """
    (SELECT count(*) FROM membership JOIN channel ON channel.channel_id = membership.channel_id WHERE membership.member_id = member.member_id
        AND membership.status IN ('requested', 'active')
        AND channel.status = 'open')
"""
IN_OPEN_CHANNEL = """
    EXISTS (SELECT 1 FROM channel WHERE channel.channel_id = message.channel_id
        AND channel.status = 'open')
"""
NOT_BOOSTED = """
    NOT EXISTS (SELECT 1 FROM boost WHERE boost.message_id = message.message_id
        AND boost.status = 'booked')
"""
STILL_IN_IT = """
    EXISTS (SELECT 1 FROM membership WHERE membership.channel_id = message.channel_id
        AND membership.member_id = message.member_id
        AND membership.status = 'active')
"""
BALANCE = """
    (SELECT coalesce(sum(amount_cents), 0) FROM ledger_entry WHERE ledger_entry.member_id = message.member_id)
"""
ONLY_BOOST_THERE = """
    NOT EXISTS (SELECT 1 FROM boost AS other JOIN message AS theirs ON theirs.message_id = other.message_id JOIN message AS own ON own.message_id = boost.message_id WHERE other.boost_id <> boost.boost_id
        AND other.status = 'booked'
        AND theirs.member_id = own.member_id
        AND theirs.channel_id = own.channel_id)
"""


@scenario
def move_up_to_a_bigger_plan(story: Story) -> None:
    """The member moves up from Basic, which costs a fee for the rest of the month."""
    story.pick("member", "plan = 'basic'", mine=True)
    plan = story.choose("plan", {"Plus": "plus", "Shop": "shop"})
    story.wish(
        (
            "I've outgrown Basic. Can you move me up to {plan} today?",
            "I would like to move up from Basic to {plan}. Could you please change my plan today?",
            "can you move me up from Basic to {plan} today?",
        ),
        short="moving me up from Basic to {plan} today",
        plan=plan,
    )
    key = story.identify()
    story.call("change_plan", member_id=key, plan=plan)
    daily = 20 if plan == "plus" else 50
    fee = story.total([{"cents": daily} for _ in range(9, 31)], "cents")
    story.call("charge_fee", member_id=key, reason="plan_fee", amount_cents=fee)


@scenario
def start_a_channel(story: Story) -> None:
    """The member opens a first channel of their own."""
    story.pick(
        "member",
        "NOT EXISTS (SELECT 1 FROM channel WHERE channel.owner_id = member.member_id AND channel.status = 'open')",
        mine=True,
    )
    title = story.choose(
        "title", ["Wayne Ave Garden Club", "Linden Porch Plants", "Brown St Chess Nights", "Gem City Knitters"]
    )
    topic = story.choose("topic", {"a neighborhood channel": "neighborhood"})
    admission = story.choose("admission", {"open to anyone": "open", "by request only": "by_request"})
    capacity = story.choose("capacity", [20, 30, 50])
    story.wish(
        (
            "I'd like to start {topic} called {title}. Make it for up to {capacity} people, {admission}.",
            "I would like to open {topic} by the name of {title}, for up to {capacity} people. Joining should be {admission}.",
            "can you open {topic} for me? call it {title}, up to {capacity} people, {admission}",
        ),
        short="opening {topic} called {title} for up to {capacity} people, {admission}",
        topic=topic,
        title=title,
        capacity=capacity,
        admission=admission,
    )
    key = story.identify()
    story.call("create_channel", member_id=key, title=title, topic=topic, admission=admission, capacity=capacity)


@scenario
def let_people_ask_first(story: Story) -> None:
    """The owner lets people ask before they join a channel, and asks for two things about it."""
    channel = story.pick("channel", "status = 'open' AND admission = 'open'", unique_by=["title"], mine=True)
    title = channel["title"]
    admission = story.choose("admission", {"by request only": "by_request"})
    story.wish(
        (
            "Too many strangers are joining {title}. Can you make joining my channel {admission}?",
            "I would like joining my channel {title} to be {admission} from now on.",
            "can you make joining {title} {admission}? it's my channel",
        ),
        short="making joining my channel {title} {admission}",
        title=title,
        admission=admission,
    )
    story.identify()
    mine = story.find(story.call("search_channels", query=title)["channels"], title=title)
    story.call("update_channel", channel_id=mine["channel_id"], admission=admission)


@scenario(form="fallback")
def close_my_channel(story: Story) -> None:
    """The owner wants to close a channel, or else to let people ask first."""
    channel = story.pick(
        "channel",
        f"status = 'open' AND admission = 'open' AND capacity < 500 AND {NO_OPEN_BOOST_IN_IT} AND (SELECT count(*) FROM membership WHERE membership.channel_id = channel.channel_id AND membership.status = 'active') <= 6",
        unique_by=["title"],
        mine=True,
    )
    title = channel["title"]
    admission = story.choose("admission", {"by request only": "by_request"})
    size = story.choose("size", [500])
    close = story.wish(
        (
            "I don't have time to run {title} anymore. Please close my channel for good.",
            "I no longer have time to run my channel {title}. Could you please close it for good?",
            "please close my channel {title} for good, no time to run it anymore",
        ),
        short="closing my channel {title} for good",
        title=title,
    )
    gate = story.otherwise(
        close,
        (
            "Then make joining {title} {admission}.",
            "In that case, please make joining {title} {admission}.",
            "then make joining {title} {admission}",
        ),
        short="making joining {title} {admission}",
        title=title,
        admission=admission,
    )
    story.identify()
    mine = story.find(story.call("search_channels", wish=close, query=title)["channels"], title=title)
    if story.permits("archive_channel", wish=close, channel_id=mine["channel_id"]):
        with story.wrong("only changes its size"):
            story.call("update_channel", wish=close, channel_id=mine["channel_id"], capacity=size)
        story.call("archive_channel", wish=close, channel_id=mine["channel_id"])
    else:
        with story.wrong("only changes its size"):
            story.call("update_channel", wish=close, channel_id=mine["channel_id"], capacity=size)
        story.decline(close)
        story.call("update_channel", wish=gate, channel_id=mine["channel_id"], admission=admission)


@scenario(form="fallback")
def go_by_another_handle(story: Story) -> None:
    """The member wants a new handle, or else tells a channel about it."""
    fits = f"membership.status = 'active' AND {CHANNEL_IS_OPEN}"
    me = story.pick(
        "member",
        f"handle_changed_on IS NOT NULL AND EXISTS (SELECT 1 FROM membership WHERE membership.member_id = member.member_id AND {fits})",
        mine=True,
    )
    seat = story.pick(
        "membership",
        f"membership.member_id = ? AND {fits}",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    title = story.row("channel", seat["channel_id"])["title"]
    handle = story.choose("handle", ["GemCitySam", "PorchSwingPat", "DaytonJo", "WrightBroFan"])
    note = story.dictate("note", "Hi all, please call me {handle} from now on.", handle=handle)
    change = story.wish(
        (
            "I'm tired of my old handle. Can you change it to {handle}?",
            "I would like to go by another handle. Could you please change mine to {handle}?",
            "can you change my handle to {handle}? tired of the old one",
        ),
        short="changing my handle to {handle}",
        handle=handle,
    )
    tell = story.otherwise(
        change,
        (
            "Then please post in {title} right away for me and put exactly this: {note}",
            "In that case, please post a message in {title} right away, exactly as follows: {note}",
            "then just post in {title} right away for me, exactly this: {note}",
        ),
        short="posting in {title} right away, with exactly these words: {note}",
        title=title,
        note=note,
    )
    key = story.identify()
    if story.permits("change_handle", wish=change, member_id=key, handle=handle):
        with story.wrong("only posts the message"):
            seats = story.call("list_memberships", wish=tell, member_id=key)["memberships"]
            there = story.find([each for each in seats if each["status"] == "active"], channel_title=title)
            story.call("write_message", wish=tell, member_id=key, channel_id=there["channel_id"], text=note)
        story.call("change_handle", wish=change, member_id=key, handle=handle)
    else:
        seats = story.call("list_memberships", wish=tell, member_id=key)["memberships"]
        there = story.find([each for each in seats if each["status"] == "active"], channel_title=title)
        with story.wrong("posts it without saying no"):
            story.call("write_message", wish=tell, member_id=key, channel_id=there["channel_id"], text=note)
        story.decline(change)
        story.call("write_message", wish=tell, member_id=key, channel_id=there["channel_id"], text=note)


@scenario(form="denied")
def hand_my_channel_over(story: Story) -> None:
    """The owner wants to hand a channel to another person in it."""
    channel = story.pick(
        "channel",
        f"status = 'open' AND {NO_OPEN_BOOST_IN_IT} AND (SELECT count(*) FROM membership WHERE membership.channel_id = channel.channel_id AND membership.status = 'active') >= 2",
        unique_by=["title"],
        mine=True,
    )
    seat = story.pick(
        "membership",
        f"membership.channel_id = ? AND membership.status = 'active' AND {NOT_THE_OWNER} AND {ONLY_OF_THAT_NAME}",
        channel["channel_id"],
    )
    title = channel["title"]
    name = story.row("member", seat["member_id"])["name"]
    give = story.wish(
        (
            "I'm moving out of town. Please hand my channel {title} over to {name}.",
            "I am moving out of town and would like {name} to become the owner of my channel {title}.",
            "can you make {name} the owner of my channel {title}? i'm moving out of town",
        ),
        short="handing my channel {title} over to {name}",
        title=title,
        name=name,
    )
    story.insists(
        give,
        (
            "It's my channel, and I'm the one who knows who's right for it.",
            "It is my channel, and I know best who is right for it.",
            "it's my channel and i know who's right for it",
        ),
    )
    story.insists(
        give,
        (
            "I'm packing boxes all week. I really can't look after it anymore.",
            "I am packing all week and really cannot look after it any longer.",
            "packing boxes all week, really can't look after it anymore",
        ),
    )
    story.identify()
    mine = story.find(story.call("search_channels", query=title)["channels"], title=title)
    people = story.call("list_channel_members", channel_id=mine["channel_id"])["memberships"]
    person = story.find(people, name=name)
    if story.permits("transfer_channel", channel_id=mine["channel_id"], new_owner_id=person["member_id"]):
        with story.wrong("closes it instead"):
            story.call("archive_channel", channel_id=mine["channel_id"])
        story.call("transfer_channel", channel_id=mine["channel_id"], new_owner_id=person["member_id"])
    else:
        with story.wrong("closes it instead"):
            story.call("archive_channel", channel_id=mine["channel_id"])
        story.decline(give)


@scenario(form="all_but")
def take_down_all_but_one_post(story: Story) -> None:
    """The member takes down all posts except the one in a channel."""
    fits = "message.status = 'posted'"
    me = story.pick(
        "member",
        f"(SELECT count(*) FROM message WHERE message.member_id = member.member_id AND {fits}) BETWEEN 3 AND 4 AND NOT EXISTS (SELECT 1 FROM message JOIN boost ON boost.message_id = message.message_id WHERE message.member_id = member.member_id AND boost.status = 'booked')",
        mine=True,
    )
    post = story.pick(
        "message",
        f"message.member_id = ? AND {fits}",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    title = story.row("channel", post["channel_id"])["title"]
    story.wish(
        (
            "I'm cleaning up what I posted. Please take down all my posts except the one in {title}.",
            "I would like all of my posts to be taken down, except for the one in {title}.",
            "can you take down all my posts? keep the one in {title} though",
        ),
        short="taking down all my posts except the one in {title}",
        title=title,
    )
    posts = story.call("list_messages", member_id=story.identify())["messages"]
    visible = [each for each in posts if each["status"] == "posted"]
    with story.wrong("forgets the exception"):
        for each in visible:
            story.call("delete_message", message_id=each["message_id"])
    for each in story.all_but(visible, channel_title=title):
        story.call("delete_message", message_id=each["message_id"])


@scenario(form="changed_mind")
def how_many_people_fit(story: Story) -> None:
    """The owner changes how many people fit into a channel, then corrects the number."""
    channel = story.pick("channel", "status = 'open' AND capacity < 150", unique_by=["title"], mine=True)
    title = channel["title"]
    first = story.choose("first size", [150, 160, 180])
    second = story.choose("second size", [200, 220, 250])
    size = story.wish(
        (
            "My channel {title} keeps growing. Can you make room for up to {capacity} people?",
            "My channel {title} is growing. Could you please let it have up to {capacity} members?",
            "can you let my channel {title} have up to {capacity} people? it's growing",
        ),
        short="letting my channel {title} have up to {capacity} people",
        title=title,
        capacity=first,
    )
    more = story.changes_mind(
        size,
        (
            "Actually, let's make that {capacity} people for {title}.",
            "On second thought, please make it {capacity} people for {title}.",
            "actually make it {capacity} people for {title}",
        ),
        short="letting {title} have up to {capacity} people",
        title=title,
        capacity=second,
    )
    story.identify()
    mine = story.find(story.call("search_channels", wish=size, query=title)["channels"], title=title)
    story.call("update_channel", wish=size, channel_id=mine["channel_id"], capacity=first)
    story.call("update_channel", wish=more, channel_id=mine["channel_id"], capacity=second)


@scenario(form="conditional")
def ask_first_or_more_room(story: Story) -> None:
    """The owner lets people ask first if a channel has much room, and makes more room if it has little."""
    channel = story.pick(
        "channel", "status = 'open' AND admission = 'open' AND capacity < 120", unique_by=["title"], mine=True
    )
    title = channel["title"]
    limit = story.choose("limit", [10, 12])
    admission = story.choose("admission", {"make joining by request only": "by_request"})
    capacity = story.choose("capacity", [120, 140])
    story.wish(
        (
            "If my channel {title} can have {limit} or more members in all, please {admission}. If the most it can have is fewer, raise that to {capacity}.",
            "Please look up the most members my channel {title} can have in all. If that is {limit} or more, {admission}. If it is fewer, raise it to {capacity}.",
            "my channel {title}: is the most members it can have in all {limit} or more? then {admission}. fewer? raise it to {capacity}",
        ),
        short="checking the most members my channel {title} can have in all: {admission} if it is {limit} or more, and raise it to {capacity} if it is fewer",
        title=title,
        limit=limit,
        admission=admission,
        capacity=capacity,
    )
    story.identify()
    mine = story.find(story.call("search_channels", query=title)["channels"], title=title)
    channel_id = mine["channel_id"]
    if mine["capacity"] >= limit:
        with story.wrong("takes the other branch"):
            story.call("update_channel", channel_id=channel_id, capacity=capacity)
        with story.wrong("does both"):
            story.call("update_channel", channel_id=channel_id, admission=admission, capacity=capacity)
        story.call("update_channel", channel_id=channel_id, admission=admission)
    else:
        with story.wrong("takes the other branch"):
            story.call("update_channel", channel_id=channel_id, admission=admission)
        with story.wrong("does both"):
            story.call("update_channel", channel_id=channel_id, admission=admission, capacity=capacity)
        story.call("update_channel", channel_id=channel_id, capacity=capacity)


@scenario(form="coupled")
def a_new_channel_for_the_old_one(story: Story) -> None:
    """The member starts a channel over: a new one of the same title, once the old one is closed."""
    channel = story.pick(
        "channel",
        f"status = 'open' AND {NO_OPEN_BOOST_IN_IT} AND (SELECT count(*) FROM membership WHERE membership.channel_id = channel.channel_id AND membership.status = 'active') <= 5",
        unique_by=["title"],
        mine=True,
    )
    title = channel["title"]
    topic = story.choose("topic", {"a neighborhood channel": "neighborhood", "a channel about food": "food"})
    admission = story.choose("admission", {"open to anyone": "open", "by request only": "by_request"})
    capacity = story.choose("capacity", [30, 45])
    with story.together():
        create = story.wish(
            (
                "I want a fresh start. Please open {topic} called {title} for me, for up to {capacity} people, {admission}.",
                "I would like you to open {topic} called {title} for me, for up to {capacity} people, {admission}.",
                "can you open {topic} called {title} for me? up to {capacity} people, {admission}",
            ),
            short="opening {topic} called {title} for up to {capacity} people, {admission}",
            topic=topic,
            title=title,
            capacity=capacity,
            admission=admission,
        )
        close = story.wish(
            (
                "And close the {title} that I have now for good, nobody uses it.",
                "Please also close the {title} that I have now for good, as nobody uses it.",
                "and close the {title} i have now for good, nobody uses it",
            ),
            short="closing the {title} that I have now for good",
            title=title,
        )
    key = story.identify()
    mine = story.find(story.call("search_channels", wish=close, query=title)["channels"], title=title)
    story.call("archive_channel", wish=close, channel_id=mine["channel_id"])
    story.call(
        "create_channel", wish=create, member_id=key, title=title, topic=topic, admission=admission, capacity=capacity
    )


@scenario(form="looked_up")
def quiet_the_channel_that_somebody_runs(story: Story) -> None:
    """The member changes the alerts of the channel that a certain person owns."""
    fits = f"membership.status = 'active' AND membership.alerts = 'all' AND {NOT_THE_OWNER}"
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM membership WHERE membership.member_id = member.member_id AND {fits}) AND (SELECT count(*) FROM membership WHERE membership.member_id = member.member_id AND membership.status = 'active') BETWEEN 2 AND 3 AND (SELECT count(*) FROM membership WHERE membership.member_id = member.member_id AND membership.status = 'active' AND membership.alerts = 'all') >= 2",
        mine=True,
    )
    seat = story.pick(
        "membership",
        f"membership.member_id = ? AND {fits} AND NOT EXISTS (SELECT 1 FROM membership AS other JOIN channel AS theirs ON theirs.channel_id = other.channel_id JOIN member AS twin ON twin.member_id = theirs.owner_id JOIN channel AS this ON this.channel_id = membership.channel_id JOIN member AS owner ON owner.member_id = this.owner_id WHERE other.member_id = membership.member_id AND other.status = 'active' AND other.membership_id <> membership.membership_id AND twin.name = owner.name)",
        me["member_id"],
        mine=True,
    )
    owner = story.row("member", story.row("channel", seat["channel_id"])["owner_id"])["name"]
    alerts = story.choose("alerts", {"muted": "muted", "set to mentions only": "mentions"})
    story.wish(
        (
            "I forget what it's called, but {owner} owns the channel. Can I get the alerts from it {alerts}?",
            "I would like the alerts from one of my channels {alerts}. I forget its name, but {owner} owns it.",
            "can i get alerts {alerts} for that channel {owner} owns? forgot what it's called",
        ),
        short="getting the alerts {alerts} for the channel of mine that {owner} owns",
        owner=owner,
        alerts=alerts,
    )
    seats = story.call("list_memberships", member_id=story.identify())["memberships"]
    active = [each for each in seats if each["status"] == "active"]
    shown = [story.call("show_channel", channel_id=each["channel_id"]) for each in active]
    there = story.find(shown, owner_name=owner)
    mine = story.find(active, channel_id=there["channel_id"])
    for other in story.others(active, mine):
        with story.wrong("takes another channel"):
            story.call("set_alerts", membership_ids=[other["membership_id"]], alerts=alerts)
    story.call("set_alerts", membership_ids=[mine["membership_id"]], alerts=alerts)


@scenario
def let_somebody_in(story: Story) -> None:
    """The owner of a channel lets in a person who asked to join."""
    channel = story.pick(
        "channel",
        f"status = 'open' AND {SPACE_LEFT} AND EXISTS (SELECT 1 FROM membership WHERE membership.channel_id = channel.channel_id AND membership.status = 'requested')",
        unique_by=["title"],
        mine=True,
    )
    asked = story.pick(
        "membership",
        f"membership.channel_id = ? AND membership.status = 'requested' AND {ONLY_OF_THAT_NAME}",
        channel["channel_id"],
    )
    title = channel["title"]
    name = story.row("member", asked["member_id"])["name"]
    story.wish(
        (
            "{name} asked to get into my channel {title}. Can you let them in?",
            "I would like {name} to be let into my channel {title}, as they have asked to join.",
            "can you let {name} into {title}? they asked to join my channel",
        ),
        short="letting {name} into my channel {title}",
        name=name,
        title=title,
    )
    story.identify()
    mine = story.find(story.call("search_channels", query=title)["channels"], title=title)
    people = story.call("list_channel_members", channel_id=mine["channel_id"])["memberships"]
    story.call("approve_join", membership_id=story.find(people, name=name)["membership_id"])


@scenario
def take_back_a_request_to_join(story: Story) -> None:
    """The member takes back a request to join a channel."""
    me = story.pick(
        "member",
        "EXISTS (SELECT 1 FROM membership WHERE membership.member_id = member.member_id AND membership.status = 'requested')",
        mine=True,
    )
    seat = story.pick(
        "membership",
        "membership.member_id = ? AND membership.status = 'requested'",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    title = story.row("channel", seat["channel_id"])["title"]

    story.wish(
        (
            "I asked to join {title} but nobody got back to me. Please take my request back.",
            "I no longer wish to join {title}. Could you please withdraw my request?",
            "can you take back my request for {title}? don't need it anymore",
        ),
        short="taking back my request to join {title}",
        title=title,
    )
    seats = story.call("list_memberships", member_id=story.identify())["memberships"]
    waiting = [each for each in seats if each["status"] == "requested"]
    story.call("leave_channel", membership_id=story.find(waiting, channel_title=title)["membership_id"])


@scenario(form="denied")
def join_one_more_channel(story: Story) -> None:
    """The member wants to join a channel."""
    me = story.pick("member", f"{OPEN_PLACES} >= 1", mine=True)
    free = f"status = 'open' AND {SPACE_LEFT} AND NOT EXISTS (SELECT 1 FROM membership WHERE membership.channel_id = channel.channel_id AND membership.member_id = ?)"
    channel, other = story.pick_several("channel", 2, free, me["member_id"], unique_by=["title"])
    title = channel["title"]
    join = story.wish(
        (
            "My neighbor told me about {title}. Can you add me to that channel?",
            "I would like to join the channel {title}. Could you please add me?",
            "add me to {title} pls, heard good things about it",
        ),
        short="adding me to {title}",
        title=title,
    )
    story.insists(
        join,
        (
            "Come on, it's just one channel. I've been looking forward to this all week.",
            "It is only one channel, and I have been looking forward to it all week.",
            "it's just one channel, been looking forward to it all week",
        ),
    )
    story.insists(
        join,
        (
            "I really don't want to miss what they're talking about in there.",
            "I would be very sorry to miss what people are talking about in there.",
            "don't wanna miss out on everything in there",
        ),
    )
    key = story.identify()
    wanted = story.find(story.call("search_channels", query=title)["channels"], title=title)
    if story.permits("join_channel", member_id=key, channel_id=wanted["channel_id"]):
        with story.wrong("joins another channel"):
            story.call("join_channel", member_id=key, channel_id=other["channel_id"])
        story.call("join_channel", member_id=key, channel_id=wanted["channel_id"])
    else:
        with story.wrong("joins another channel"):
            story.call("join_channel", member_id=key, channel_id=other["channel_id"])
        story.decline(join)


@scenario(form="denied")
def leave_a_channel(story: Story) -> None:
    """The member wants to leave a channel."""
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM membership WHERE membership.member_id = member.member_id AND membership.status = 'active' AND membership.alerts <> 'muted' AND {NOT_THE_OWNER} AND {RUNNING} <= 1)",
        mine=True,
    )
    seat = story.pick(
        "membership",
        f"membership.member_id = ? AND membership.status = 'active' AND membership.alerts <> 'muted' AND {NOT_THE_OWNER} AND {RUNNING} <= 1",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    title = story.row("channel", seat["channel_id"])["title"]

    leave = story.wish(
        (
            "I don't have time for {title} anymore. Please take me out of that channel.",
            "I no longer have time for {title}. Could you please remove me from the channel?",
            "take me out of {title} pls, no time for it anymore",
        ),
        short="taking me out of {title}",
        title=title,
    )
    story.insists(
        leave,
        (
            "I've made up my mind. I just want to be out of there.",
            "I have made up my mind and would simply like to be out of it.",
            "made up my mind, just want out",
        ),
    )
    story.insists(
        leave,
        (
            "It's my account, so I should get to pick which channels I'm in.",
            "It is my account, and I believe I should choose which channels I am in.",
            "it's my account, i should get to pick my channels",
        ),
    )
    seats = story.call("list_memberships", member_id=story.identify())["memberships"]
    active = [each for each in seats if each["status"] == "active"]
    mine = story.find(active, channel_title=title)
    alerts = story.choose("alerts", {"muted": "muted"})
    if story.permits("leave_channel", membership_id=mine["membership_id"]):
        with story.wrong("only mutes it"):
            story.call("set_alerts", membership_ids=[mine["membership_id"]], alerts=alerts)
        story.call("leave_channel", membership_id=mine["membership_id"])
    else:
        with story.wrong("only mutes it"):
            story.call("set_alerts", membership_ids=[mine["membership_id"]], alerts=alerts)
        story.decline(leave)


@scenario(form="denied")
def make_somebody_a_moderator(story: Story) -> None:
    """The owner of a channel wants to make a person a moderator."""
    channel = story.pick(
        "channel",
        "status = 'open' AND EXISTS (SELECT 1 FROM membership WHERE membership.channel_id = channel.channel_id AND membership.status = 'active' AND membership.role = 'member')",
        unique_by=["title"],
        mine=True,
    )
    seat = story.pick(
        "membership",
        f"membership.channel_id = ? AND membership.status = 'active' AND membership.role = 'member' AND {ONLY_OF_THAT_NAME}",
        channel["channel_id"],
    )
    title = channel["title"]
    name = story.row("member", seat["member_id"])["name"]
    role = story.choose("role", {"a moderator": "moderator"})
    promote = story.wish(
        (
            "I could use some help with my channel {title}. Please make {name} {role}.",
            "I would like some help in my channel {title}. Could you please make {name} {role} there?",
            "can you make {name} {role} in {title}? need a hand with my channel",
        ),
        short="making {name} {role} in my channel {title}",
        name=name,
        title=title,
        role=role,
    )
    story.insists(
        promote,
        (
            "It's my channel. I should get to pick who helps me.",
            "It is my channel, and I believe I should choose who helps me.",
            "it's my channel, i should get to pick who helps",
        ),
    )
    story.insists(
        promote,
        (
            "I can't keep up with everything in there by myself anymore.",
            "I can no longer keep up with everything in there on my own.",
            "can't keep up in there by myself anymore",
        ),
    )
    story.identify()
    mine = story.find(story.call("search_channels", query=title)["channels"], title=title)
    people = story.call("list_channel_members", channel_id=mine["channel_id"])["memberships"]
    person = story.find(people, name=name)
    if story.permits("set_role", membership_id=person["membership_id"], role=role):
        with story.wrong("hands the channel over"):
            story.call("transfer_channel", channel_id=mine["channel_id"], new_owner_id=person["member_id"])
        story.call("set_role", membership_id=person["membership_id"], role=role)
    else:
        with story.wrong("hands the channel over"):
            story.call("transfer_channel", channel_id=mine["channel_id"], new_owner_id=person["member_id"])
        story.decline(promote)


@scenario(form="all_but")
def fewer_alerts_except_one(story: Story) -> None:
    """The member wants fewer alerts from all open channels they are in except one."""
    me = story.pick(
        "member",
        f"(SELECT count(*) FROM membership WHERE membership.member_id = member.member_id AND membership.status = 'active' AND {SEAT_IN_OPEN_CHANNEL}) BETWEEN 3 AND 6 AND (SELECT count(*) FROM membership WHERE membership.member_id = member.member_id AND membership.status = 'active' AND membership.alerts = 'all' AND {SEAT_IN_OPEN_CHANNEL}) >= 2",
        mine=True,
    )
    seat = story.pick(
        "membership",
        f"membership.member_id = ? AND membership.status = 'active' AND membership.alerts = 'all' AND {SEAT_IN_OPEN_CHANNEL}",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    title = story.row("channel", seat["channel_id"])["title"]
    alerts = story.choose("alerts", {"muted": "muted", "set to mentions only": "mentions"})
    story.wish(
        (
            "My phone never stops buzzing. I'd like the alerts from all the open channels I'm in {alerts}, except {title}.",
            "I would like to have the alerts from all the open channels that I am in {alerts}, except for {title}.",
            "can i get alerts from all the open channels i'm in {alerts}? skip {title} though",
        ),
        short="getting the alerts from all the open channels I'm in {alerts}, except {title}",
        alerts=alerts,
        title=title,
    )
    seats = story.call("list_memberships", member_id=story.identify())["memberships"]
    active = [each for each in seats if each["status"] == "active" and each["channel_status"] == "open"]
    with story.wrong("forgets the exception"):
        story.call("set_alerts", membership_ids=[each["membership_id"] for each in active], alerts=alerts)
    rest = story.all_but(active, channel_title=title)
    story.call("set_alerts", membership_ids=[each["membership_id"] for each in rest], alerts=alerts)


@scenario(form="changed_mind")
def change_alerts_twice(story: Story) -> None:
    """The member sets the alerts of a channel, then changes their mind."""
    me = story.pick(
        "member",
        "EXISTS (SELECT 1 FROM membership WHERE membership.member_id = member.member_id AND membership.status = 'active' AND membership.alerts = 'all')",
        mine=True,
    )
    seat = story.pick(
        "membership",
        "membership.member_id = ? AND membership.status = 'active' AND membership.alerts = 'all'",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    title = story.row("channel", seat["channel_id"])["title"]

    first = story.choose("first alerts", {"mentions only": "mentions"})
    second = story.choose("second alerts", {"muted completely": "muted"})
    quiet = story.wish(
        (
            "I get way too many alerts from {title}. Can you set them to {alerts}?",
            "I receive too many alerts from {title}. Could you please set them to {alerts}?",
            "can you set the alerts from {title} to {alerts}? way too many rn",
        ),
        short="setting the alerts from {title} to {alerts}",
        title=title,
        alerts=first,
    )
    quieter = story.changes_mind(
        quiet,
        (
            "Actually, I want {title} {alerts}.",
            "On second thought, I would like {title} {alerts}.",
            "actually make {title} {alerts}",
        ),
        short="making the alerts from {title} {alerts}",
        title=title,
        alerts=second,
    )
    seats = story.call("list_memberships", wish=quiet, member_id=story.identify())["memberships"]
    active = [each for each in seats if each["status"] == "active"]
    mine = story.find(active, channel_title=title)
    story.call("set_alerts", wish=quiet, membership_ids=[mine["membership_id"]], alerts=first)
    story.call("set_alerts", wish=quieter, membership_ids=[mine["membership_id"]], alerts=second)


@scenario(form="coupled")
def trade_one_channel_for_another(story: Story) -> None:
    """The member joins a channel and leaves another one, which has to come first."""
    tidy = f"membership.status = 'active' AND {CHANNEL_IS_OPEN} AND {NOT_THE_OWNER} AND {RUNNING} = 0"
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM membership WHERE membership.member_id = member.member_id AND {tidy}) AND {OPEN_PLACES} = CASE member.plan WHEN 'basic' THEN 2 WHEN 'plus' THEN 4 ELSE 6 END",
        mine=True,
    )
    seat = story.pick(
        "membership",
        f"membership.member_id = ? AND {tidy}",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    channel = story.pick(
        "channel",
        f"status = 'open' AND {SPACE_LEFT} AND NOT EXISTS (SELECT 1 FROM membership WHERE membership.channel_id = channel.channel_id AND membership.member_id = ?)",
        me["member_id"],
        unique_by=["title"],
    )
    old = story.row("channel", seat["channel_id"])["title"]
    title = channel["title"]
    with story.together():
        join = story.wish(
            (
                "I'd love to be part of {title}. Can you add me there?",
                "I would like to join {title}. Could you please add me?",
                "can you add me to {title}?",
            ),
            short="adding me to {title}",
            title=title,
        )
        leave = story.wish(
            (
                "And take me out of {old}, I never look at it anymore.",
                "Please also remove me from {old}, which I no longer read.",
                "and take me out of {old}, never look at it anymore",
            ),
            short="taking me out of {old}",
            old=old,
        )
    key = story.identify()
    seats = story.call("list_memberships", wish=leave, member_id=key)["memberships"]
    active = [each for each in seats if each["status"] == "active"]
    mine = story.find(active, channel_title=old)
    wanted = story.find(story.call("search_channels", wish=join, query=title)["channels"], title=title)
    story.call("leave_channel", wish=leave, membership_id=mine["membership_id"])
    story.call("join_channel", wish=join, member_id=key, channel_id=wanted["channel_id"])


@scenario(form="looked_up")
def mute_where_i_posted_that(story: Story) -> None:
    """The member changes the alerts of the channel where a certain post of theirs is."""
    fits = "message.status = 'posted' AND EXISTS (SELECT 1 FROM membership WHERE membership.channel_id = message.channel_id AND membership.member_id = message.member_id AND membership.status = 'active' AND membership.alerts = 'all')"
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM message WHERE message.member_id = member.member_id AND {fits}) AND (SELECT count(*) FROM membership WHERE membership.member_id = member.member_id AND membership.status = 'active' AND membership.alerts = 'all') >= 2",
        mine=True,
    )
    post = story.pick(
        "message", f"message.member_id = ? AND {fits}", me["member_id"], unique_by=["member_id", "text"], mine=True
    )
    text = post["text"]
    alerts = story.choose("alerts", {"muted": "muted", "set to mentions only": "mentions"})
    story.wish(
        (
            'I posted this a while back: "{text}" I forget the name of that channel. Can I get its alerts {alerts}?',
            'I would like the alerts from one channel {alerts}. I forget its name, but it is where I posted "{text}"',
            "can i get one channel's alerts {alerts}? forgot the name, it's where i posted \"{text}\"",
        ),
        short='getting the alerts {alerts} for the channel where I posted "{text}"',
        text=text,
        alerts=alerts,
    )
    key = story.identify()
    posts = story.call("list_messages", member_id=key)["messages"]
    there = story.find(posts, text=text)
    seats = story.call("list_memberships", member_id=key)["memberships"]
    active = [each for each in seats if each["status"] == "active"]
    mine = story.find(active, channel_id=there["channel_id"])
    for other in story.others(active, mine):
        with story.wrong("takes another channel"):
            story.call("set_alerts", membership_ids=[other["membership_id"]], alerts=alerts)
    story.call("set_alerts", membership_ids=[mine["membership_id"]], alerts=alerts)


@scenario(form="withheld")
def give_my_channel_a_new_name(story: Story) -> None:
    """The owner renames a channel, and tells the new name when asked."""
    channel = story.pick("channel", "status = 'open'", unique_by=["title"], mine=True)
    title = channel["title"]
    rename = story.wish(
        (
            "The name of my channel {title} doesn't fit anymore. Can you give it a new one?",
            "I would like to give my channel {title} a different name. Could you please change it?",
            "need a new name for my channel {title}, can you change it?",
        ),
        title=title,
    )
    name = story.choose(
        "name", ["Gem City Regulars", "Front Steps Crew", "The Porch Light", "Five Points Friends", "Wayne Ave Circle"]
    )
    story.keep_back("new name", name)
    story.in_short(rename, "renaming my channel {title} to {name}", title=title, name=name)
    story.identify()
    mine = story.find(story.call("search_channels", query=title)["channels"], title=title)
    story.call("update_channel", channel_id=mine["channel_id"], title=name)


@scenario(form="conditional")
def quiet_it_if_anyone_can_join(story: Story) -> None:
    """The member wants one setting for a channel if anyone may join it, and another one if people ask first."""
    me = story.pick(
        "member",
        f"(SELECT count(*) FROM membership WHERE membership.member_id = member.member_id AND membership.status = 'active' AND membership.alerts = 'all' AND {SEAT_IN_OPEN_CHANNEL} AND {NOT_THE_OWNER}) >= 1 AND (SELECT count(*) FROM membership WHERE membership.member_id = member.member_id AND membership.status = 'active' AND membership.alerts = 'all') >= 2",
        mine=True,
    )
    seat = story.pick(
        "membership",
        f"membership.member_id = ? AND membership.status = 'active' AND membership.alerts = 'all' AND {SEAT_IN_OPEN_CHANNEL} AND {NOT_THE_OWNER}",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    title = story.row("channel", seat["channel_id"])["title"]

    loud = story.choose("open alerts", {"set its alerts to muted": "muted"})
    calm = story.choose("request alerts", {"set them to mentions only": "mentions"})
    story.wish(
        (
            "If joining {title} is open to anyone, please {loud}. If it's by request only, {calm}.",
            "Could you please look at {title}? If joining is open to anyone, please {loud}. If it is by request only, please {calm}.",
            "{title}: can anyone join that one? if so {loud}. if it's by request only {calm}",
        ),
        short="looking at {title}: {loud} if joining is open to anyone, and {calm} if it's by request only",
        title=title,
        loud=loud,
        calm=calm,
    )
    seats = story.call("list_memberships", member_id=story.identify())["memberships"]
    active = [each for each in seats if each["status"] == "active"]
    mine = story.find(active, channel_title=title)
    admission = story.call("show_channel", channel_id=mine["channel_id"])["admission"]
    right, other = (loud, calm) if admission == "open" else (calm, loud)
    with story.wrong("takes the other branch"):
        story.call("set_alerts", membership_ids=[mine["membership_id"]], alerts=other)
    with story.wrong("changes all channels"):
        story.call("set_alerts", membership_ids=[each["membership_id"] for each in active], alerts=right)
    story.call("set_alerts", membership_ids=[mine["membership_id"]], alerts=right)


@scenario
def send_it_another_time(story: Story) -> None:
    """The member moves a scheduled message to another moment."""
    me = story.pick(
        "member",
        "EXISTS (SELECT 1 FROM message WHERE message.member_id = member.member_id AND message.status = 'scheduled')",
        mine=True,
    )
    post = story.pick(
        "message",
        "message.member_id = ? AND message.status = 'scheduled'",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    title = story.row("channel", post["channel_id"])["title"]

    moment = story.moment(
        story.day(story.choose("days", [15, 16, 17])), story.choose("time", ["11:00", "17:00", "19:30"])
    )
    story.wish(
        (
            "The message I scheduled in {title} would go out at a bad time. Please send it {moment} instead.",
            "I would like my scheduled message in {title} to go out on {moment} instead.",
            "can you move my scheduled message in {title} to {moment}?",
        ),
        short="moving my scheduled message in {title} to {moment}",
        title=title,
        moment=moment,
    )
    posts = story.call("list_messages", member_id=story.identify())["messages"]
    waiting = [each for each in posts if each["status"] == "scheduled"]
    story.call("reschedule_message", message_id=story.find(waiting, channel_title=title)["message_id"], send_at=moment)


@scenario
def take_it_off_the_top(story: Story) -> None:
    """The member takes a pinned post off the top of its channel."""
    fits = "message.status = 'posted' AND message.pinned = 1 AND NOT EXISTS (SELECT 1 FROM message AS other WHERE other.member_id = message.member_id AND other.channel_id = message.channel_id AND other.pinned = 1 AND other.message_id <> message.message_id)"
    me = story.pick(
        "member", f"EXISTS (SELECT 1 FROM message WHERE message.member_id = member.member_id AND {fits})", mine=True
    )
    post = story.pick("message", f"message.member_id = ? AND {fits}", me["member_id"], mine=True)
    title = story.row("channel", post["channel_id"])["title"]
    story.wish(
        (
            "My pinned post in {title} is old news by now. Can you unpin it?",
            "I would like my pinned post in {title} to be unpinned, as it is out of date.",
            "unpin my post in {title} pls, it's old news",
        ),
        short="unpinning my post in {title}",
        title=title,
    )
    posts = story.call("list_messages", member_id=story.identify())["messages"]
    pinned = [each for each in posts if each["pinned"]]
    story.call("unpin_message", message_id=story.find(pinned, channel_title=title)["message_id"])


@scenario
def stop_one_and_take_one_down(story: Story) -> None:
    """The member cancels a scheduled message and takes down a post."""
    waits = "message.status = 'scheduled'"
    shows = f"message.status = 'posted' AND {NOT_BOOSTED}"
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM message WHERE message.member_id = member.member_id AND {waits}) AND EXISTS (SELECT 1 FROM message WHERE message.member_id = member.member_id AND {shows})",
        mine=True,
    )
    planned = story.pick(
        "message",
        f"message.member_id = ? AND {waits}",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    post = story.pick(
        "message",
        f"message.member_id = ? AND {shows}",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    title = story.row("channel", planned["channel_id"])["title"]
    place = story.row("channel", post["channel_id"])["title"]
    stop = story.wish(
        (
            "I don't need the message I scheduled in {title} anymore. Please cancel it before it goes out.",
            "I would like to cancel the message I have scheduled in {title}.",
            "can you cancel the message i scheduled in {title}? don't need it anymore",
        ),
        short="canceling the message I scheduled in {title}",
        title=title,
    )
    down = story.wish(
        (
            "My post in {place} is outdated. Can you take it down?",
            "Could you please take down the post I have in {place}? It is outdated.",
            "take down my post in {place} pls, it's outdated",
        ),
        short="taking down my post in {place}",
        place=place,
    )
    posts = story.call("list_messages", wish=stop, member_id=story.identify())["messages"]
    waiting = [each for each in posts if each["status"] == "scheduled"]
    visible = [each for each in posts if each["status"] == "posted"]
    first = story.find(waiting, channel_title=title)
    story.call("cancel_scheduled", wish=stop, message_ids=[first["message_id"]])
    story.call("delete_message", wish=down, message_id=story.find(visible, channel_title=place)["message_id"])


@scenario(form="denied")
def fix_what_my_post_says(story: Story) -> None:
    """The member wants to change the words of a post."""
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM message WHERE message.member_id = member.member_id AND message.status = 'posted' AND {IN_OPEN_CHANNEL} AND {STILL_IN_IT})",
        mine=True,
    )
    post = story.pick(
        "message",
        f"message.member_id = ? AND message.status = 'posted' AND {IN_OPEN_CHANNEL} AND {STILL_IN_IT}",
        me["member_id"],
        unique_by=["member_id", "text"],
        mine=True,
    )
    old = post["text"]

    note = story.dictate("note", "Change of plans, everybody: we are moving this to {day}.", day=story.day(6))
    fix = story.wish(
        (
            'I got something wrong in my post "{old}" Please change it so it says exactly this: {note}',
            'I would like to correct my post "{old}" Please replace its text with exactly this: {note}',
            'my post "{old}" is wrong, can you change it to exactly this: {note}',
        ),
        short='changing my post "{old}" to exactly these words: {note}',
        old=old,
        note=note,
    )
    story.insists(
        fix,
        (
            "Everybody's going to show up at the wrong time, and I'll be the one they're mad at.",
            "People will come at the wrong time, and they will be upset with me.",
            "everybody's gonna show up at the wrong time and be mad at me",
        ),
    )
    story.insists(
        fix,
        (
            "They're my own words. I don't see why I can't fix them.",
            "These are my own words, and I do not see why I should not correct them.",
            "they're my own words, don't see why i can't fix them",
        ),
    )
    key = story.identify()
    posts = story.call("list_messages", member_id=key)["messages"]
    visible = [each for each in posts if each["status"] == "posted"]
    mine = story.find(visible, text=old)
    if story.permits("edit_message", message_id=mine["message_id"], text=note):
        with story.wrong("posts it again instead"):
            story.call("write_message", member_id=key, channel_id=mine["channel_id"], text=note)
        story.call("edit_message", message_id=mine["message_id"], text=note)
    else:
        with story.wrong("posts it again instead"):
            story.call("write_message", member_id=key, channel_id=mine["channel_id"], text=note)
        story.decline(fix)


@scenario(form="denied")
def pin_my_post(story: Story) -> None:
    """The member wants a post of theirs pinned."""
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM message WHERE message.member_id = member.member_id AND message.status = 'posted' AND message.pinned = 0 AND {IN_OPEN_CHANNEL} AND {STILL_IN_IT} AND {NOT_BOOSTED})",
        mine=True,
    )
    post = story.pick(
        "message",
        f"message.member_id = ? AND message.status = 'posted' AND message.pinned = 0 AND {IN_OPEN_CHANNEL} AND {STILL_IN_IT} AND {NOT_BOOSTED}",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    title = story.row("channel", post["channel_id"])["title"]

    pin = story.wish(
        (
            "People keep missing my post in {title}. Can you pin it to the top?",
            "I would like my post in {title} to be pinned to the top of the channel.",
            "pin my post in {title} to the top pls, people keep missing it",
        ),
        short="pinning my post in {title} to the top",
        title=title,
    )
    story.insists(
        pin,
        (
            "It took me an hour to write. It would be a shame if nobody saw it.",
            "It took me an hour to write, and it would be a pity if nobody saw it.",
            "took me an hour to write, it'd be a shame if nobody sees it",
        ),
    )
    story.insists(
        pin,
        (
            "It's only for a few days. I don't see who that would bother.",
            "It would only be for a few days, and I do not see whom it would bother.",
            "it's just for a few days, who would that bother",
        ),
    )
    posts = story.call("list_messages", member_id=story.identify())["messages"]
    visible = [each for each in posts if each["status"] == "posted"]
    mine = story.find(visible, channel_title=title)
    if story.permits("pin_message", message_id=mine["message_id"]):
        with story.wrong("takes it down"):
            story.call("delete_message", message_id=mine["message_id"])
        story.call("pin_message", message_id=mine["message_id"])
    else:
        with story.wrong("takes it down"):
            story.call("delete_message", message_id=mine["message_id"])
        story.decline(pin)


@scenario(form="fallback")
def schedule_a_message(story: Story) -> None:
    """The member wants to schedule a message, or else to have it posted right away."""
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM membership WHERE membership.member_id = member.member_id AND membership.status = 'active' AND {CHANNEL_IS_OPEN})",
        mine=True,
    )
    seat = story.pick(
        "membership",
        f"membership.member_id = ? AND membership.status = 'active' AND {CHANNEL_IS_OPEN}",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    title = story.row("channel", seat["channel_id"])["title"]

    moment = story.moment(story.day(story.choose("days", [2, 3, 4])), story.choose("time", ["08:00", "12:00", "18:30"]))
    later = story.moment(story.day(9), "20:00")
    note = story.dictate("note", "Reminder: bring your own cup on {day}, we are out of paper ones.", day=story.day(5))
    plan = story.wish(
        (
            "I want to remind the people in {title}. Please send this there on {moment}, and put exactly this: {note}",
            "I would like a message to go out in {title} on {moment}, with exactly this text: {note}",
            "can you set up a message in {title} for {moment}? put exactly this: {note}",
        ),
        short="sending a message in {title} on {moment}, with exactly these words: {note}",
        title=title,
        moment=moment,
        note=note,
    )
    now = story.otherwise(
        plan,
        (
            "Then post that message in {title} right now instead, same words.",
            "In that case, please post the same words in {title} right now.",
            "then post it in {title} right now, same words",
        ),
        short="posting that message in {title} right now, with the same words",
        title=title,
    )
    key = story.identify()
    seats = story.call("list_memberships", wish=plan, member_id=key)["memberships"]
    there = story.find([each for each in seats if each["status"] == "active"], channel_title=title)
    channel_id = there["channel_id"]
    if story.permits("write_message", wish=plan, member_id=key, channel_id=channel_id, text=note, send_at=moment):
        with story.wrong("picks another moment"):
            story.call("write_message", wish=plan, member_id=key, channel_id=channel_id, text=note, send_at=later)
        story.call("write_message", wish=plan, member_id=key, channel_id=channel_id, text=note, send_at=moment)
    else:
        with story.wrong("picks another moment"):
            story.call("write_message", wish=plan, member_id=key, channel_id=channel_id, text=note, send_at=later)
        story.decline(plan)
        story.call("write_message", wish=now, member_id=key, channel_id=channel_id, text=note)


@scenario(form="ambiguous")
def take_one_of_my_posts_down(story: Story) -> None:
    """The member wants one of several posts taken down, and tells which one when asked."""
    fits = f"message.status = 'posted' AND {NOT_BOOSTED}"
    me = story.pick(
        "member",
        f"(SELECT count(*) FROM message WHERE message.member_id = member.member_id AND {fits}) >= 4",
        mine=True,
    )
    post = story.pick(
        "message", f"message.member_id = ? AND {fits}", me["member_id"], unique_by=["member_id", "text"], mine=True
    )
    text = post["text"]
    down = story.wish(
        (
            "I posted something I'd rather not have up anymore. Can you take down one of my posts?",
            "I would like one of my posts to be taken down, please.",
            "can you take down one of my posts? don't want it up anymore",
        )
    )
    story.keep_back("post", text)
    story.in_short(down, 'taking down one of my posts, the one that says "{text}"', text=text)
    posts = story.call("list_messages", member_id=story.identify())["messages"]
    visible = [each for each in posts if each["status"] == "posted"]
    mine = story.find(visible, text=text)
    for other in story.others(visible, mine):
        with story.wrong("takes another one that fits"):
            story.call("delete_message", message_id=other["message_id"])
    story.call("delete_message", message_id=mine["message_id"])


@scenario(form="best_of")
def take_down_my_oldest_post_there(story: Story) -> None:
    """The member takes down the oldest of their posts in one channel."""
    fits = f"message.status = 'posted' AND {NOT_BOOSTED} AND EXISTS (SELECT 1 FROM message AS twin WHERE twin.member_id = message.member_id AND twin.channel_id = message.channel_id AND twin.status = 'posted' AND twin.message_id <> message.message_id) AND EXISTS (SELECT 1 FROM message AS older WHERE older.member_id = message.member_id AND older.channel_id <> message.channel_id AND older.status = 'posted' AND older.posted_at < message.posted_at AND older.posted_at < (SELECT min(first.posted_at) FROM message AS first WHERE first.member_id = message.member_id AND first.channel_id = message.channel_id AND first.status = 'posted'))"
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM message WHERE message.member_id = member.member_id AND {fits}) AND NOT EXISTS (SELECT 1 FROM message JOIN boost ON boost.message_id = message.message_id WHERE message.member_id = member.member_id AND boost.status = 'booked')",
        mine=True,
    )
    post = story.pick("message", f"message.member_id = ? AND {fits}", me["member_id"], mine=True)
    title = story.row("channel", post["channel_id"])["title"]
    story.wish(
        (
            "I've posted a few times in {title}. Please take down the oldest of those posts that's still up.",
            "Of my posts in {title} that are still up, I would like the oldest one to be taken down.",
            "take down whichever of my posts in {title} has been up the longest",
        ),
        short="taking down the oldest of my posts in {title} that is still up",
        title=title,
    )
    posts = story.call("list_messages", member_id=story.identify())["messages"]
    visible = [each for each in posts if each["status"] == "posted"]
    with story.wrong("forgets the channel"):
        story.call("delete_message", message_id=story.lowest(visible, "posted_at")["message_id"])
    there = [each for each in visible if each["channel_title"] == title]
    oldest = story.lowest(there, "posted_at")
    for other in story.others(there, oldest, 1):
        with story.wrong("takes another one there"):
            story.call("delete_message", message_id=other["message_id"])
    story.call("delete_message", message_id=oldest["message_id"])


@scenario(form="computed")
def room_for_everybody_who_waits(story: Story) -> None:
    """The owner makes exactly enough room for the members of a channel and for those who wait."""
    channel = story.pick(
        "channel",
        "status = 'open' AND EXISTS (SELECT 1 FROM membership WHERE membership.channel_id = channel.channel_id AND membership.status = 'requested') AND (SELECT count(*) FROM membership WHERE membership.channel_id = channel.channel_id AND membership.status = 'active') BETWEEN 2 AND capacity - 1 AND (SELECT count(*) FROM membership WHERE membership.channel_id = channel.channel_id AND membership.status IN ('requested', 'active')) <> capacity",
        unique_by=["title"],
        mine=True,
    )
    title = channel["title"]
    story.wish(
        (
            "I want my channel {title} to fit exactly the people in it plus everyone waiting to get in. Can you set that limit and tell me the new limit?",
            "Please set the limit of my channel {title} to exactly its members and the people waiting to get in, taken together. What is the new limit?",
            "set the limit for my channel {title} to whoever's in there plus whoever's waiting to get in, exactly that many. what's the new limit",
        ),
        short="setting the limit of my channel {title} to exactly its members plus the people waiting to get in, and telling me the new limit",
        title=title,
    )
    story.identify()
    mine = story.find(story.call("search_channels", query=title)["channels"], title=title)
    shown = story.call("show_channel", channel_id=mine["channel_id"])
    with story.wrong("forgets those who wait"):
        small = story.call("update_channel", channel_id=shown["channel_id"], capacity=shown["members"])
        story.answer("new limit", small["capacity"])
    parts = [{"people": shown["members"]}, {"people": shown["waiting_requests"]}]
    changed = story.call("update_channel", channel_id=shown["channel_id"], capacity=story.total(parts, "people"))
    story.answer("new limit", changed["capacity"])


@scenario(form="coupled")
def leave_and_stop_my_message_there(story: Story) -> None:
    """The member leaves a channel and cancels a scheduled message there, which has to come first."""
    fits = f"message.status = 'scheduled' AND EXISTS (SELECT 1 FROM membership WHERE membership.channel_id = message.channel_id AND membership.member_id = message.member_id AND membership.status = 'active' AND {RUNNING} = 1 AND {NOT_THE_OWNER})"
    me = story.pick(
        "member", f"EXISTS (SELECT 1 FROM message WHERE message.member_id = member.member_id AND {fits})", mine=True
    )
    post = story.pick(
        "message",
        f"message.member_id = ? AND {fits}",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    title = story.row("channel", post["channel_id"])["title"]
    with story.together():
        leave = story.wish(
            (
                "I'm done with {title}. Please take me out of that channel.",
                "I would like to be removed from the channel {title}.",
                "take me out of {title} pls, i'm done with it",
            ),
            short="taking me out of {title}",
            title=title,
        )
        stop = story.wish(
            (
                "And cancel the message I've scheduled in {title}.",
                "Please also cancel the message I have scheduled in {title}.",
                "and cancel what i've scheduled in {title}",
            ),
            short="canceling the message I've scheduled in {title}",
            title=title,
        )
    key = story.identify()
    posts = story.call("list_messages", wish=stop, member_id=key)["messages"]
    waiting = [each for each in posts if each["status"] == "scheduled"]
    seats = story.call("list_memberships", wish=leave, member_id=key)["memberships"]
    active = [each for each in seats if each["status"] == "active"]
    story.call("cancel_scheduled", wish=stop, message_ids=[story.find(waiting, channel_title=title)["message_id"]])
    story.call("leave_channel", wish=leave, membership_id=story.find(active, channel_title=title)["membership_id"])


@scenario(form="mistaken")
def push_a_message_back(story: Story) -> None:
    """The member pushes a scheduled message back by some days, and is wrong about its day."""
    me = story.pick(
        "member",
        "EXISTS (SELECT 1 FROM message WHERE message.member_id = member.member_id AND message.status = 'scheduled')",
        mine=True,
    )
    post = story.pick(
        "message",
        "message.member_id = ? AND message.status = 'scheduled'",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    title = story.row("channel", post["channel_id"])["title"]

    wrong_at = story.after(post["send_at"], days=story.choose("off", (1, 2, 3)))
    wrong = story.date_of(wrong_at)
    days = story.choose("days", {"one week": 7, "two weeks": 14})
    story.wish(
        (
            "I think the message I scheduled in {title} goes out on {day}. Can you push it back exactly {days}, same time?",
            "I believe my scheduled message in {title} goes out on {day}. Please move it to exactly {days} later, at the same time.",
            "pretty sure my scheduled message in {title} goes out on {day}. push it back exactly {days}, same time",
        ),
        short="pushing my scheduled message in {title} back exactly {days} from when it goes out, same time",
        title=title,
        day=wrong,
        days=days,
    )
    story.believes("day it goes out", wrong, story.date_of(post["send_at"]))
    posts = story.call("list_messages", member_id=story.identify())["messages"]
    waiting = [each for each in posts if each["status"] == "scheduled"]
    mine = story.find(waiting, channel_title=title)
    with story.wrong("trusts the customer"):
        story.call("reschedule_message", message_id=mine["message_id"], send_at=story.after(wrong_at, days=days))
    with story.wrong("cancels it"):
        story.call("cancel_scheduled", message_ids=[mine["message_id"]])
    story.call("reschedule_message", message_id=mine["message_id"], send_at=story.after(mine["send_at"], days=days))


@scenario(form="outside")
def post_something_right_away(story: Story) -> None:
    """The member has a message posted, and then asks for something nobody at the desk can do."""
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM membership WHERE membership.member_id = member.member_id AND membership.status = 'active' AND {CHANNEL_IS_OPEN})",
        mine=True,
    )
    seat = story.pick(
        "membership",
        f"membership.member_id = ? AND membership.status = 'active' AND {CHANNEL_IS_OPEN}",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    title = story.row("channel", seat["channel_id"])["title"]

    note = story.dictate("note", "Does anyone have a folding table I could borrow until {day}?", day=story.day(4))
    story.wish(
        (
            "I need to ask the people in {title} something. Please post this there now, exactly this: {note}",
            "I would like you to post a message in {title} now, with exactly this text: {note}",
            "can you post in {title} for me right now? exactly this: {note}",
        ),
        short="posting in {title} now, with exactly these words: {note}",
        title=title,
        note=note,
    )
    story.outside(
        (
            "And can you hang a paper copy of it by the door of the library?",
            "Could you also hang a paper copy of it next to the entrance of the library?",
            "and can you hang a paper copy of it up at the library door?",
        )
    )
    key = story.identify()
    seats = story.call("list_memberships", member_id=key)["memberships"]
    there = story.find([each for each in seats if each["status"] == "active"], channel_title=title)
    story.call("write_message", member_id=key, channel_id=there["channel_id"], text=note)


@scenario
def stop_a_boost(story: Story) -> None:
    """The member cancels a boost, for a fee if it is late."""
    boost = story.pick(
        "boost", f"boost.status = 'booked' AND boost.ends_on > ? AND {ONLY_BOOST_THERE}", story.today, mine=True
    )
    title = story.row("channel", story.row("message", boost["message_id"])["channel_id"])["title"]

    story.wish(
        (
            "The boost for my post in {title} isn't worth it to me. Please cancel it.",
            "I would like to cancel the boost for my post in {title}.",
            "can you cancel the boost on my {title} post? not worth it",
        ),
        short="canceling the boost for my post in {title}",
        title=title,
    )
    key = story.identify()
    boosts = story.call("list_boosts", member_id=key)["boosts"]
    open_ones = [each for each in boosts if each["status"] == "booked"]
    mine = story.find(open_ones, channel_title=title)
    canceled = story.call("cancel_boost", boost_id=mine["boost_id"])["boost"]
    if canceled["starts_on"] < story.day(2):
        tenths = [{"cents": 10} for _ in range(0, canceled["total_cents"], 100)]
        fee = story.total(tenths, "cents")
        story.call("charge_fee", member_id=key, reason="late_cancel_fee", amount_cents=fee, boost_id=mine["boost_id"])


@scenario
def report_what_somebody_posted(story: Story) -> None:
    """The member reports a post of somebody else as off topic."""
    theirs = f"message.status = 'posted' AND {IN_OPEN_CHANNEL} AND NOT EXISTS (SELECT 1 FROM message AS other JOIN member AS twin ON twin.member_id = other.member_id JOIN member AS author ON author.member_id = message.member_id WHERE other.channel_id = message.channel_id AND other.status = 'posted' AND other.message_id <> message.message_id AND twin.name = author.name)"
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM message JOIN membership ON membership.channel_id = message.channel_id WHERE membership.member_id = member.member_id AND membership.status = 'active' AND message.member_id <> member.member_id AND {theirs} AND NOT EXISTS (SELECT 1 FROM report WHERE report.message_id = message.message_id AND report.member_id = member.member_id))",
        mine=True,
    )
    post = story.pick(
        "message",
        f"message.member_id <> ? AND {theirs} AND EXISTS (SELECT 1 FROM membership WHERE membership.channel_id = message.channel_id AND membership.member_id = ? AND membership.status = 'active') AND NOT EXISTS (SELECT 1 FROM report WHERE report.message_id = message.message_id AND report.member_id = ?)",
        me["member_id"],
        me["member_id"],
        me["member_id"],
    )
    title = story.row("channel", post["channel_id"])["title"]
    name = story.row("member", post["member_id"])["name"]
    reason = story.choose("reason", {"off topic": "off_topic"})
    story.wish(
        (
            "There's a post by {name} in {title} that isn't what I joined for. Please report it, it's {reason}.",
            "I would like to report the post by {name} in {title}. In my view it is {reason}.",
            "can you report that post by {name} in {title}? it's {reason}",
        ),
        short="reporting the post by {name} in {title} because it's {reason}",
        name=name,
        title=title,
        reason=reason,
    )
    key = story.identify()
    there = story.find(story.call("search_channels", query=title)["channels"], title=title)
    posts = story.call("search_messages", channel_id=there["channel_id"])["messages"]
    story.call(
        "file_report", member_id=key, message_id=story.find(posts, author_name=name)["message_id"], reason=reason
    )


@scenario
def take_a_report_back_and_pay_up(story: Story) -> None:
    """The member takes a report back and pays what is owed."""
    report = story.pick(
        "report",
        "report.status = 'open' AND (SELECT sum(amount_cents) FROM ledger_entry WHERE ledger_entry.member_id = report.member_id) > 0 AND NOT EXISTS (SELECT 1 FROM report AS other JOIN message AS theirs ON theirs.message_id = other.message_id JOIN message AS this ON this.message_id = report.message_id WHERE other.member_id = report.member_id AND other.status = 'open' AND other.report_id <> report.report_id AND theirs.channel_id = this.channel_id)",
        mine=True,
    )
    title = story.row("channel", story.row("message", report["message_id"])["channel_id"])["title"]
    back = story.wish(
        (
            "I was too quick to report that post in {title}. Can you take my report back?",
            "I would like to withdraw the report I filed about a post in {title}.",
            "can you take back my report on that post in {title}? was too quick with it",
        ),
        short="taking back my report on the post in {title}",
        title=title,
    )
    pay = story.wish(
        (
            "I don't like owing money. Please charge my card for everything I owe you.",
            "I would like to pay everything I owe. Please charge the card you have on file.",
            "charge my card for everything i owe pls, wanna be paid up",
        ),
        short="charging my card for everything I owe",
    )
    key = story.identify()
    reports = story.call("list_reports", wish=back, member_id=key)["reports"]
    waiting = [each for each in reports if each["status"] == "open"]
    story.call("withdraw_report", wish=back, report_id=story.find(waiting, channel_title=title)["report_id"])
    owed = story.call("show_account", wish=pay, member_id=key)["balance_cents"]
    story.call("pay_balance", wish=pay, member_id=key, amount_cents=owed)


@scenario(form="denied")
def boost_my_post(story: Story) -> None:
    """The member wants to boost a post."""
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM message WHERE message.member_id = member.member_id AND message.status = 'posted' AND {IN_OPEN_CHANNEL} AND {NOT_BOOSTED} AND {BALANCE} - coalesce((SELECT max(amount_cents) FROM ledger_entry WHERE ledger_entry.member_id = message.member_id), 0) <= 500)",
        mine=True,
    )
    post = story.pick(
        "message",
        f"message.member_id = ? AND message.status = 'posted' AND {IN_OPEN_CHANNEL} AND {NOT_BOOSTED} AND {BALANCE} - coalesce((SELECT max(amount_cents) FROM ledger_entry WHERE ledger_entry.member_id = message.member_id), 0) <= 500",
        me["member_id"],
        unique_by=["member_id", "text"],
        mine=True,
    )
    text = post["text"]
    day = story.day(story.choose("first", [4, 5, 6]))
    days = story.choose("days", [3, 5, 7])
    price = story.money(story.choose("price", [200, 250, 300]))
    boost = story.wish(
        (
            'I want more people to see my post "{text}" Please boost it for {days} days starting {day}, at {price} a day.',
            'I would like to boost my post "{text}" for {days} days at {price} a day, starting on {day}.',
            'can you boost this post of mine for {days} days from {day} at {price} a day? "{text}"',
        ),
        short='boosting my post "{text}" for {days} days starting {day}, at {price} a day',
        text=text,
        days=days,
        day=day,
        price=price,
    )
    story.insists(
        boost,
        (
            "I'm counting on this. Hardly anybody has seen that post.",
            "I am counting on this, as hardly anybody has seen that post.",
            "counting on this, hardly anybody saw that post",
        ),
    )
    story.insists(
        boost,
        (
            "I'd be paying you for it. I thought you'd be happy to take it.",
            "I would be paying you for it, so I expected you to be glad about it.",
            "i'd be paying you for it, thought you'd be happy",
        ),
    )
    key = story.identify()
    posts = story.call("list_messages", member_id=key)["messages"]
    mine = story.find([each for each in posts if each["status"] == "posted"], text=text)
    late = story.day(12)
    if story.permits("book_boost", message_id=mine["message_id"], starts_on=day, days=days, daily_cents=price):
        with story.wrong("starts it on another day"):
            story.call("book_boost", message_id=mine["message_id"], starts_on=late, days=days, daily_cents=price)
        story.call("book_boost", message_id=mine["message_id"], starts_on=day, days=days, daily_cents=price)
    else:
        with story.wrong("starts it on another day"):
            story.call("book_boost", message_id=mine["message_id"], starts_on=late, days=days, daily_cents=price)
        story.decline(boost)


@scenario(form="fallback")
def start_my_boost_later(story: Story) -> None:
    """The member wants a boost moved, or else a word posted in the channel."""
    boost = story.pick(
        "boost",
        f"boost.status = 'booked' AND boost.starts_on > ? AND boost.starts_on < ? AND {ONLY_BOOST_THERE} AND EXISTS (SELECT 1 FROM message JOIN membership ON membership.channel_id = message.channel_id AND membership.member_id = message.member_id WHERE message.message_id = boost.message_id AND membership.status = 'active')",
        story.today,
        story.day(15),
        mine=True,
    )
    title = story.row("channel", story.row("message", boost["message_id"])["channel_id"])["title"]
    day = story.day(story.choose("new first", [16, 18, 20]))
    off = story.day(23)
    note = story.dictate("note", "Heads up: we had to move everything to {day}.", day=day)
    move = story.wish(
        (
            "My plans changed. Can you move the boost for my post in {title} so it starts {day}?",
            "I would like the boost for my post in {title} to start on {day} instead.",
            "can you move the boost on my {title} post to start {day}? plans changed",
        ),
        short="moving the boost for my post in {title} to start {day}",
        title=title,
        day=day,
    )
    tell = story.otherwise(
        move,
        (
            "Then please post in {title} right away and put exactly this: {note}",
            "In that case, please post a message in {title} right away, exactly as follows: {note}",
            "then just post in {title} right away, exactly this: {note}",
        ),
        short="posting in {title} right away, with exactly these words: {note}",
        title=title,
        note=note,
    )
    key = story.identify()
    boosts = story.call("list_boosts", wish=move, member_id=key)["boosts"]
    mine = story.find([each for each in boosts if each["status"] == "booked"], channel_title=title)
    if story.permits("move_boost", wish=move, boost_id=mine["boost_id"], starts_on=day):
        with story.wrong("moves it to another day"):
            story.call("move_boost", wish=move, boost_id=mine["boost_id"], starts_on=off)
        story.call("move_boost", wish=move, boost_id=mine["boost_id"], starts_on=day)
    else:
        with story.wrong("moves it to another day"):
            story.call("move_boost", wish=move, boost_id=mine["boost_id"], starts_on=off)
        story.decline(move)
        seats = story.call("list_memberships", wish=tell, member_id=key)["memberships"]
        there = story.find([each for each in seats if each["status"] == "active"], channel_title=title)
        story.call("write_message", wish=tell, member_id=key, channel_id=there["channel_id"], text=note)


@scenario(form="ambiguous")
def boost_one_of_my_posts(story: Story) -> None:
    """The member wants one of several posts boosted, and tells which one when asked."""
    fits = f"message.status = 'posted' AND {IN_OPEN_CHANNEL} AND {NOT_BOOSTED} AND {BALANCE} <= (SELECT CASE member.plan WHEN 'basic' THEN 500 WHEN 'plus' THEN 1000 ELSE 2000 END FROM member WHERE member.member_id = message.member_id)"
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM message WHERE message.member_id = member.member_id AND {fits}) AND (SELECT count(*) FROM message WHERE message.member_id = member.member_id AND message.status = 'posted') >= 4",
        mine=True,
    )
    post = story.pick(
        "message", f"message.member_id = ? AND {fits}", me["member_id"], unique_by=["member_id", "text"], mine=True
    )
    text = post["text"]
    day = story.day(story.choose("first", [4, 5, 6]))
    days = story.choose("days", [3, 5, 7])
    price = story.money(story.choose("price", [200, 250, 300]))
    boost = story.wish(
        (
            "I'd like to get one of my posts in front of more people. Can you boost it for {days} days starting {day}, at {price} a day?",
            "I would like to boost one of my posts for {days} days at {price} a day, starting on {day}.",
            "can you boost one of my posts for {days} days from {day}? {price} a day",
        ),
        days=days,
        day=day,
        price=price,
    )
    story.keep_back("post", text)
    story.in_short(
        boost,
        'boosting one of my posts for {days} days starting {day}, at {price} a day, the one that says "{text}"',
        days=days,
        day=day,
        price=price,
        text=text,
    )
    posts = story.call("list_messages", member_id=story.identify())["messages"]
    visible = [each for each in posts if each["status"] == "posted"]
    mine = story.find(visible, text=text)
    for other in story.others(visible, mine):
        with story.wrong("boosts another one"):
            story.call("book_boost", message_id=other["message_id"], starts_on=day, days=days, daily_cents=price)
    story.call("book_boost", message_id=mine["message_id"], starts_on=day, days=days, daily_cents=price)


@scenario(form="withheld")
def boost_it_for_how_much(story: Story) -> None:
    """The member wants a post boosted, and tells the price of a day when asked."""
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM message WHERE message.member_id = member.member_id AND message.status = 'posted' AND {IN_OPEN_CHANNEL} AND {NOT_BOOSTED} AND {BALANCE} <= 500)",
        mine=True,
    )
    post = story.pick(
        "message",
        f"message.member_id = ? AND message.status = 'posted' AND {IN_OPEN_CHANNEL} AND {NOT_BOOSTED} AND {BALANCE} <= 500",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    title = story.row("channel", post["channel_id"])["title"]

    day = story.day(story.choose("first", [3, 5, 8]))
    days = story.choose("days", [2, 4, 6])
    boost = story.wish(
        (
            "I want my post in {title} to get around. Please boost it for {days} days starting {day}, I know what I want to spend a day.",
            "I would like to boost my post in {title} for {days} days starting on {day}. I have a certain price a day in mind.",
            "can you boost my post in {title} for {days} days from {day}? got a price a day in mind",
        ),
        title=title,
        days=days,
        day=day,
    )
    price = story.money(story.choose("price", [150, 200, 350, 400, 450]))
    story.keep_back("price a day", price)
    story.in_short(
        boost,
        "boosting my post in {title} for {days} days starting {day}, at {price} a day",
        title=title,
        days=days,
        day=day,
        price=price,
    )
    posts = story.call("list_messages", member_id=story.identify())["messages"]
    mine = story.find([each for each in posts if each["status"] == "posted"], channel_title=title)
    story.call("book_boost", message_id=mine["message_id"], starts_on=day, days=days, daily_cents=price)


@scenario(form="coupled")
def pay_up_and_boost_again(story: Story) -> None:
    """The member books a boost and pays what is owed, which has to come first."""
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM message WHERE message.member_id = member.member_id AND message.status = 'posted' AND {IN_OPEN_CHANNEL} AND {NOT_BOOSTED} AND {BALANCE} > (SELECT CASE member.plan WHEN 'basic' THEN 500 WHEN 'plus' THEN 1000 ELSE 2000 END FROM member WHERE member.member_id = message.member_id))",
        mine=True,
    )
    post = story.pick(
        "message",
        f"message.member_id = ? AND message.status = 'posted' AND {IN_OPEN_CHANNEL} AND {NOT_BOOSTED} AND {BALANCE} > (SELECT CASE member.plan WHEN 'basic' THEN 500 WHEN 'plus' THEN 1000 ELSE 2000 END FROM member WHERE member.member_id = message.member_id)",
        me["member_id"],
        unique_by=["member_id", "channel_id.title", "status"],
        mine=True,
    )
    title = story.row("channel", post["channel_id"])["title"]
    day = story.day(story.choose("first", [4, 5, 6]))
    days = story.choose("days", [3, 5, 7])
    price = story.money(story.choose("price", [200, 250, 300]))
    with story.together():
        boost = story.wish(
            (
                "Please boost my post in {title} for {days} days starting {day}, at {price} a day.",
                "I would like to boost my post in {title} for {days} days at {price} a day, starting on {day}.",
                "can you boost my post in {title} for {days} days from {day}, {price} a day?",
            ),
            short="boosting my post in {title} for {days} days starting {day}, at {price} a day",
            title=title,
            days=days,
            day=day,
            price=price,
        )
        pay = story.wish(
            (
                "And charge my card for all I owed you this morning.",
                "Please also charge my card for everything I owed this morning.",
                "and charge my card for everything i owed this morning",
            ),
            short="charging my card for everything I owed this morning",
        )
    key = story.identify()
    posts = story.call("list_messages", wish=boost, member_id=key)["messages"]
    mine = story.find([each for each in posts if each["status"] == "posted"], channel_title=title)
    owed = story.call("show_account", wish=pay, member_id=key)["balance_cents"]
    story.call("pay_balance", wish=pay, member_id=key, amount_cents=owed)
    story.call("book_boost", wish=boost, message_id=mine["message_id"], starts_on=day, days=days, daily_cents=price)


@scenario(form="mistaken")
def push_my_boost_back(story: Story) -> None:
    """The member pushes a boost back by some days, and is wrong about its first day."""
    boost = story.pick(
        "boost", f"boost.status = 'booked' AND boost.starts_on >= ? AND {ONLY_BOOST_THERE}", story.day(3), mine=True
    )
    title = story.row("channel", story.row("message", boost["message_id"])["channel_id"])["title"]
    wrong = story.after(boost["starts_on"], days=-story.choose("off", (1, 2)))
    days = story.choose("days", {"one week": 7, "two weeks": 14})
    story.wish(
        (
            "I think the boost for my post in {title} starts on {day}. Can you push it back exactly {days}?",
            "I believe the boost for my post in {title} starts on {day}. Please move it to exactly {days} later.",
            "pretty sure the boost on my {title} post starts on {day}. push it back exactly {days}",
        ),
        short="pushing the boost for my post in {title} back exactly {days} from the day it starts",
        title=title,
        day=wrong,
        days=days,
    )
    story.believes("first day", wrong, boost["starts_on"])
    key = story.identify()
    boosts = story.call("list_boosts", member_id=key)["boosts"]
    open_ones = [each for each in boosts if each["status"] == "booked"]
    mine = story.find(open_ones, channel_title=title)
    with story.wrong("trusts the customer"):
        story.call("move_boost", boost_id=mine["boost_id"], starts_on=story.after(wrong, days=days))
    with story.wrong("cancels it"):
        story.call("cancel_boost", boost_id=mine["boost_id"])
    story.call("move_boost", boost_id=mine["boost_id"], starts_on=story.after(mine["starts_on"], days=days))


@scenario(form="computed")
def what_i_was_charged(story: Story) -> None:
    """The member asks what all boosts and fees came to before refunds, and the balance."""
    story.pick(
        "ledger_entry",
        "ledger_entry.kind = 'boost' AND EXISTS (SELECT 1 FROM ledger_entry AS fee WHERE fee.member_id = ledger_entry.member_id AND fee.kind = 'fee') AND EXISTS (SELECT 1 FROM ledger_entry AS paid WHERE paid.member_id = ledger_entry.member_id AND paid.kind = 'payment')",
        mine=True,
    )
    story.wish(
        (
            "I'm doing my books. Before any refunds, what's the total you've charged me for boosts and fees, and what's my balance now?",
            "For my bookkeeping, I would like to know the total of all boosts and fees you charged me, before any refunds, and the balance now.",
            "what's the total you charged me for boosts and fees together, before any refunds, and what's my balance now?",
        ),
        short="telling me the total of all boosts and fees you charged me, before any refunds, and the balance now",
    )
    ledger = story.call("list_ledger", member_id=story.identify())
    boosts = [each for each in ledger["entries"] if each["kind"] == "boost"]
    fees = [each for each in ledger["entries"] if each["kind"] == "fee"]
    with story.wrong("forgets the fees"):
        story.answer("total", story.money(story.total(boosts, "amount_cents")))
        story.answer("balance", story.money(ledger["balance_cents"]))
    story.answer("total", story.money(story.total([*boosts, *fees], "amount_cents")))
    story.answer("balance", story.money(ledger["balance_cents"]))


@scenario(form="outside")
def pay_a_part_of_it(story: Story) -> None:
    """The member pays a part of the balance, and then asks for something the desk cannot do."""
    story.pick(
        "ledger_entry",
        "(SELECT sum(amount_cents) FROM ledger_entry AS every WHERE every.member_id = ledger_entry.member_id) >= 500",
        mine=True,
    )
    amount = story.money(story.choose("amount", [100, 200, 300, 500]))
    story.wish(
        (
            "I can't pay everything I owe today. Please charge my card for {amount} of it.",
            "I would like to pay part of what I owe. Could you please charge my card for {amount}?",
            "charge my card for {amount} of what i owe pls, the rest has to wait",
        ),
        short="charging my card for {amount} of what I owe",
        amount=amount,
    )
    story.outside(
        (
            "And can you put a paper receipt for it in the mail for me?",
            "Could you also send me a paper receipt for it by regular mail?",
            "and can you stick a paper receipt in the mail for me?",
        )
    )
    story.call("pay_balance", member_id=story.identify(), amount_cents=amount)


@scenario(form="best_of")
def boost_my_newest_post_there(story: Story) -> None:
    """The member boosts the newest of their posts in one channel."""
    fits = f"message.status = 'posted' AND {IN_OPEN_CHANNEL} AND {NOT_BOOSTED} AND {BALANCE} <= (SELECT CASE member.plan WHEN 'basic' THEN 500 WHEN 'plus' THEN 1000 ELSE 2000 END FROM member WHERE member.member_id = message.member_id) AND NOT EXISTS (SELECT 1 FROM message AS later WHERE later.member_id = message.member_id AND later.channel_id = message.channel_id AND later.status = 'posted' AND later.posted_at > message.posted_at) AND EXISTS (SELECT 1 FROM message AS twin WHERE twin.member_id = message.member_id AND twin.channel_id = message.channel_id AND twin.status = 'posted' AND twin.message_id <> message.message_id AND NOT EXISTS (SELECT 1 FROM boost WHERE boost.message_id = twin.message_id AND boost.status = 'booked')) AND EXISTS (SELECT 1 FROM message AS newer JOIN channel AS elsewhere ON elsewhere.channel_id = newer.channel_id WHERE newer.member_id = message.member_id AND newer.channel_id <> message.channel_id AND newer.status = 'posted' AND elsewhere.status = 'open' AND newer.posted_at > message.posted_at AND NOT EXISTS (SELECT 1 FROM boost WHERE boost.message_id = newer.message_id AND boost.status = 'booked'))"
    me = story.pick(
        "member", f"EXISTS (SELECT 1 FROM message WHERE message.member_id = member.member_id AND {fits})", mine=True
    )
    post = story.pick("message", f"message.member_id = ? AND {fits}", me["member_id"], mine=True)
    title = story.row("channel", post["channel_id"])["title"]
    day = story.day(story.choose("first", [4, 5, 6]))
    days = story.choose("days", [3, 5, 7])
    price = story.money(story.choose("price", [200, 250, 300]))
    story.wish(
        (
            "Take whichever of my posts in {title} is the newest and boost it for {days} days starting {day}, at {price} a day.",
            "Of my posts in {title}, I would like the newest one to be boosted for {days} days at {price} a day, starting on {day}.",
            "boost my newest post in {title} for {days} days from {day}, {price} a day",
        ),
        short="boosting the newest of my posts in {title} for {days} days starting {day}, at {price} a day",
        title=title,
        days=days,
        day=day,
        price=price,
    )
    posts = story.call("list_messages", member_id=story.identify())["messages"]
    visible = [each for each in posts if each["status"] == "posted"]
    with story.wrong("forgets the channel"):
        story.call(
            "book_boost",
            message_id=story.highest(visible, "posted_at")["message_id"],
            starts_on=day,
            days=days,
            daily_cents=price,
        )
    there = [each for each in visible if each["channel_title"] == title]
    best = story.highest(there, "posted_at")
    for other in story.others(there, best, 1):
        with story.wrong("takes another one there"):
            story.call("book_boost", message_id=other["message_id"], starts_on=day, days=days, daily_cents=price)
    story.call("book_boost", message_id=best["message_id"], starts_on=day, days=days, daily_cents=price)


@scenario(form="each")
def pin_everything_i_posted(story: Story) -> None:
    """The member wants all of their posts pinned."""
    fits = f"message.status = 'posted' AND message.pinned = 0 AND {IN_OPEN_CHANNEL} AND {STILL_IN_IT}"
    story.pick(
        "member",
        f"(SELECT count(*) FROM message WHERE message.member_id = member.member_id AND message.status = 'posted') BETWEEN 2 AND 5 AND (SELECT count(*) FROM message WHERE message.member_id = member.member_id AND {fits}) = (SELECT count(*) FROM message WHERE message.member_id = member.member_id AND message.status = 'posted') AND EXISTS (SELECT 1 FROM message WHERE message.member_id = member.member_id AND {fits} AND EXISTS (SELECT 1 FROM membership WHERE membership.channel_id = message.channel_id AND membership.member_id = message.member_id AND membership.status = 'active' AND membership.role = 'moderator'))",
        mine=True,
    )
    pin = story.wish(
        (
            "People scroll right past me. Can you pin every post I have up to the top of its channel?",
            "I would like each of my posts that is up to be pinned to the top of its channel.",
            "pin all the posts i have up to the top of their channels pls, people scroll right past them",
        ),
        short="pinning every post I have up to the top of its channel",
    )
    posts = story.call("list_messages", member_id=story.identify())["messages"]
    visible = [each for each in posts if each["status"] == "posted"]
    for each in story.each(visible):
        if story.permits("pin_message", message_id=each["message_id"]):
            story.call("pin_message", message_id=each["message_id"])
        else:
            story.decline(pin)


@scenario(form="each")
def leave_every_channel(story: Story) -> None:
    """The member wants to leave every channel they are in except their own."""
    fits = f"membership.status = 'active' AND {NOT_THE_OWNER}"
    story.pick(
        "member",
        f"(SELECT count(*) FROM membership WHERE membership.member_id = member.member_id AND {fits}) BETWEEN 2 AND 4 AND EXISTS (SELECT 1 FROM membership WHERE membership.member_id = member.member_id AND {fits} AND {RUNNING} = 0) AND NOT EXISTS (SELECT 1 FROM membership WHERE membership.member_id = member.member_id AND membership.status = 'requested') AND NOT EXISTS (SELECT 1 FROM membership WHERE membership.member_id = member.member_id AND {fits} AND NOT {SEAT_IN_OPEN_CHANNEL})",
        mine=True,
    )
    leave = story.wish(
        (
            "I'm taking a break from all this. Please take me out of every channel I'm in right now, just not out of any I own.",
            "I would like to be removed from every channel that I am in at the moment, except for any that I own.",
            "take me out of all the channels i'm in right now pls, just not any i own. need a break",
        ),
        short="taking me out of every channel I'm in, except any I own",
    )
    seats = story.call("list_memberships", member_id=story.identify())["memberships"]
    joined = [each for each in seats if each["status"] == "active" and not each["owns_channel"]]
    for each in story.each(joined):
        if story.permits("leave_channel", membership_id=each["membership_id"]):
            story.call("leave_channel", membership_id=each["membership_id"])
        else:
            story.decline(leave)


@scenario(form="each")
def join_two_channels(story: Story) -> None:
    """The member wants to join two channels, one after the other."""
    me = story.pick(
        "member",
        f"{OPEN_PLACES} BETWEEN (CASE member.plan WHEN 'basic' THEN 2 WHEN 'plus' THEN 4 ELSE 6 END) - 2 AND (CASE member.plan WHEN 'basic' THEN 2 WHEN 'plus' THEN 4 ELSE 6 END) - 1",
        mine=True,
    )
    free = f"status = 'open' AND {SPACE_LEFT} AND NOT EXISTS (SELECT 1 FROM membership WHERE membership.channel_id = channel.channel_id AND membership.member_id = ?)"
    one, two = story.pick_several("channel", 2, free, me["member_id"], unique_by=["title"])
    first = one["title"]
    second = two["title"]
    join = story.wish(
        (
            "I'd like to be in two more channels. Please add me to {first} first, then to {second}.",
            "I would like to join two channels. Could you please add me first to {first} and then to {second}?",
            "can you add me to two channels? first {first}, then {second}",
        ),
        short="adding me first to {first}, then to {second}",
        first=first,
        second=second,
    )
    key = story.identify()
    wanted = [
        story.find(story.call("search_channels", query=first)["channels"], title=first),
        story.find(story.call("search_channels", query=second)["channels"], title=second),
    ]
    for each in story.each(wanted):
        if story.permits("join_channel", member_id=key, channel_id=each["channel_id"]):
            story.call("join_channel", member_id=key, channel_id=each["channel_id"])
        else:
            story.decline(join)
