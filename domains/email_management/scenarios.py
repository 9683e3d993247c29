"""What people want of Lakeside Mail: every function is a scenario."""

from runtime.story import Story, scenario

SEVERAL_IN_TRASH = """
    (SELECT count(*) FROM message AS other WHERE other.account_id = message.account_id
        AND other.folder = 'trash') BETWEEN 4
        AND 20
"""
ONLY_OF_ITS_DAY = """
    NOT EXISTS (SELECT 1 FROM message AS other WHERE other.account_id = message.account_id
        AND other.folder = 'trash'
        AND other.message_id <> message.message_id
        AND substr(other.trashed_at, 1, 10) = substr(message.trashed_at, 1, 10))
"""
A_FEW_IN_TRASH = """
    (SELECT count(*) FROM message AS other WHERE other.account_id = message.account_id
        AND other.folder = 'trash') BETWEEN 2
        AND 4
"""
BACK_EARLY = """
    account_id IN (SELECT account_id FROM account WHERE state = 'active'
        AND vacation_ends_on >= '2026-03-10')
        AND (SELECT count(*) FROM filter AS other WHERE other.account_id = message.account_id
        AND other.is_enabled = 1) < (SELECT CASE plan WHEN 'free' THEN 2 WHEN 'plus' THEN 4 ELSE 6 END FROM account WHERE account.account_id = message.account_id)
"""
ACTIVE_HOLDER = "account_id IN (SELECT account_id FROM account WHERE state = 'active')"
THREE_TO_SIX = "(SELECT count(*) FROM filter AS other WHERE other.account_id = filter.account_id) BETWEEN 3 AND 6"
FOUR_OR_MORE = "(SELECT count(*) FROM filter AS other WHERE other.account_id = filter.account_id) BETWEEN 4 AND 20"
NO_RECENT_CHANGE = "(contact_changed_on IS NULL OR contact_changed_on <= '2026-03-03')"
TWO_ARE_ON = """
    (SELECT count(*) FROM filter AS other WHERE other.account_id = filter.account_id
        AND other.is_enabled = 1) >= 2
"""
ACTIVE_HOLDER_2 = "account_id IN (SELECT account_id FROM account WHERE state = 'active')"
AT_THE_LIMIT = """
    (SELECT count(*) FROM filter AS other WHERE other.account_id = filter.account_id
        AND other.is_enabled = 1) = (SELECT CASE plan WHEN 'free' THEN 2 WHEN 'plus' THEN 4 ELSE 6 END FROM account WHERE account.account_id = filter.account_id)
"""
ROOM_FOR_ONE = """
    account_id IN (SELECT account_id FROM account WHERE state = 'active')
        AND (SELECT count(*) FROM filter AS other WHERE other.account_id = filter.account_id
        AND other.is_enabled = 1) < (SELECT CASE plan WHEN 'free' THEN 2 WHEN 'plus' THEN 4 ELSE 6 END FROM account WHERE account.account_id = filter.account_id)
"""
PAID_UP = "account_id IN (SELECT account_id FROM account WHERE state = 'active' AND balance_cents <= 300)"
THREE_TO_SIX_THERE = """
    (SELECT count(*) FROM message AS other WHERE other.account_id = message.account_id
        AND other.folder = message.folder) BETWEEN 3
        AND 6
"""
BIGGER_READ = """
    EXISTS (SELECT 1 FROM message AS other WHERE other.account_id = message.account_id
        AND other.is_read = 1
        AND other.folder NOT IN ('trash', 'scheduled')
        AND other.size_kb > message.size_kb)
"""
ANOTHER_UNREAD = """
    EXISTS (SELECT 1 FROM message AS other WHERE other.account_id = message.account_id
        AND other.is_read = 0
        AND other.folder <> 'trash'
        AND other.size_kb < message.size_kb)
"""
OWES_WITH_CARD = """
    account_id IN (SELECT account_id FROM account WHERE state = 'active'
        AND balance_cents > 500
        AND card_last4 IS NOT NULL)
"""
PAID_UP_2 = "account_id IN (SELECT account_id FROM account WHERE state = 'active' AND balance_cents <= 300)"
A_FEW_IN_INBOX = """
    (SELECT count(*) FROM message AS other WHERE other.account_id = message.account_id
        AND other.folder = 'inbox') BETWEEN 2
        AND 4
"""
OLDER_PAUSED = """
    EXISTS (SELECT 1 FROM filter AS other WHERE other.account_id = filter.account_id
        AND other.is_enabled = 0
        AND other.created_at < filter.created_at)
        AND NOT EXISTS (SELECT 1 FROM filter AS other WHERE other.account_id = filter.account_id
        AND other.is_enabled = 1
        AND other.created_at < filter.created_at)
"""
NEWER_ON = """
    EXISTS (SELECT 1 FROM filter AS other WHERE other.account_id = filter.account_id
        AND other.is_enabled = 1
        AND other.created_at > filter.created_at)
"""
NEWER_THAT_IS_ON = """
    EXISTS (SELECT 1 FROM filter AS other WHERE other.account_id = filter.account_id
        AND other.is_enabled = 1
        AND other.created_at > filter.created_at)
        AND NOT EXISTS (SELECT 1 FROM filter AS other WHERE other.account_id = filter.account_id
        AND other.is_enabled = 0
        AND other.created_at > filter.created_at)
"""
OLDER_THAT_IS_PAUSED = """
    EXISTS (SELECT 1 FROM filter AS other WHERE other.account_id = filter.account_id
        AND other.is_enabled = 0
        AND other.created_at < filter.created_at)
"""
NO_FORWARDING_FILTER = """
    NOT EXISTS (SELECT 1 FROM filter WHERE filter.account_id = account.account_id
        AND is_enabled = 1
        AND action = 'forward')
"""
HAS_TRASH = "EXISTS (SELECT 1 FROM message WHERE message.account_id = account.account_id AND folder = 'trash')"
FEW_IN_TRASH = """
    (SELECT count(*) FROM message WHERE message.account_id = account.account_id
        AND folder = 'trash') BETWEEN 3
        AND 5
"""
LITTLE_ROOM = """
    account_id IN (SELECT account_id FROM account WHERE state = 'active')
        AND (SELECT count(*) FROM filter AS other WHERE other.account_id = filter.account_id
        AND other.is_enabled = 1) BETWEEN (SELECT CASE plan WHEN 'free' THEN 2 WHEN 'plus' THEN 4 ELSE 6 END FROM account WHERE account.account_id = filter.account_id) - 2
        AND (SELECT CASE plan WHEN 'free' THEN 2 WHEN 'plus' THEN 4 ELSE 6 END FROM account WHERE account.account_id = filter.account_id) - 1
"""
SENT_TWO = """
    EXISTS (SELECT 1 FROM message AS other WHERE other.account_id = message.account_id
        AND other.folder = 'sent'
        AND other.opened_at IS NULL
        AND other.message_id <> message.message_id)
"""


@scenario
def add_storage_blocks(story: Story) -> None:
    """The holder adds blocks of storage and asks for the new balance."""
    story.pick("account", "state = 'active' AND plan <> 'free'", mine=True)
    blocks = story.choose("blocks", [2, 3, 4, 5])
    story.wish(
        (
            "I need more room in my mailbox. Can you add {blocks} blocks of storage, and what's my new balance?",
            "I would like to have {blocks} more blocks of storage. Could you please add them and tell me my new balance?",
            "can you add {blocks} blocks of storage to my mailbox? what's my new balance after that",
        ),
        short="adding {blocks} blocks of storage and telling me my new balance",
        blocks=blocks,
    )
    me = story.identify()
    story.call("add_storage", account_id=me, blocks=blocks)
    fee = story.total([{"cents": 200} for _ in range(blocks)], "cents")
    charged = story.call("charge_fee", account_id=me, kind="storage", amount_cents=fee)
    story.answer("new balance", story.money(charged["balance_cents"]))


@scenario
def pay_part_of_my_bill(story: Story) -> None:
    """The holder pays an amount with the card on file and asks what is left."""
    amount = story.money(story.choose("amount", [150, 200, 300, 400]))
    story.pick("account", "card_last4 IS NOT NULL AND balance_cents >= 450", mine=True)
    story.wish(
        (
            "I got paid today. Please put {amount} toward my bill with my card on file. What's my remaining balance?",
            "I would like to pay {amount} of my bill with the card you have on file. Could you please tell me the remaining balance?",
            "can you take {amount} off my bill with my card on file? what's the remaining balance",
        ),
        short="paying {amount} of my bill with my card on file and telling me the remaining balance",
        amount=amount,
    )
    me = story.identify()
    paid = story.call("pay_balance", account_id=me, amount_cents=amount)
    story.answer("remaining balance", story.money(paid["balance_cents"]))


@scenario(form="denied")
def credit_for_a_bad_weekend(story: Story) -> None:
    """The holder wants a credit, which counts toward the yearly limit of the plan."""
    amount = story.money(story.choose("amount", [200, 250, 300, 400]))
    story.pick("account", "balance_cents >= 450", mine=True)
    ask = story.wish(
        (
            "I couldn't get to my mail most of last weekend. Can you credit me {amount} for that?",
            "I was unable to reach my mail for most of last weekend. I would like {amount} credited to my account, please.",
            "can you credit me {amount}? couldn't get to my mail most of last weekend",
        ),
        short="crediting me {amount}",
        amount=amount,
    )
    story.insists(
        ask,
        (
            "I rely on my mail every day, and it let me down when I needed it.",
            "I rely on my mail every day, and it failed me when I needed it.",
            "i need my mail every single day and it let me down",
        ),
    )
    story.insists(
        ask,
        (
            "I missed a note from my sister because of that, and I'm still upset.",
            "I missed a note from my sister because of that, and I am still upset.",
            "missed a note from my sister over this, still upset",
        ),
    )
    me = story.identify()
    with story.wrong("credits another amount"):
        story.call("give_credit", account_id=me, amount_cents=100)
    if story.permits("give_credit", account_id=me, amount_cents=amount):
        story.call("give_credit", account_id=me, amount_cents=amount)
    else:
        story.decline(ask)


@scenario(form="denied")
def switch_my_plan(story: Story) -> None:
    """The holder wants another plan, which depends on what the account owes."""
    plan = story.choose("plan", {"the Free plan": "free", "the Plus plan": "plus", "the Business plan": "business"})
    account = story.pick("account", "state = 'active' AND balance_cents > 0 AND plan <> ?", plan, mine=True)
    move = story.wish(
        (
            "My mailbox needs have changed. Can you switch me to {plan}?",
            "My needs have changed, and I would like to be on {plan}. Could you please switch me?",
            "can you put me on {plan}? it fits me better now",
        ),
        short="switching me to {plan}",
        plan=plan,
    )
    story.insists(
        move,
        (
            "I've thought about this for weeks. I just want it done today.",
            "I have thought about this for weeks, and I would like it done today.",
            "been thinking about this for weeks, just want it done today",
        ),
    )
    story.insists(
        move,
        (
            "It's my mailbox. I should get to pick what I pay for.",
            "It is my mailbox, and I believe I should be able to choose what I pay for.",
            "it's my mailbox, i should get to pick what i pay for",
        ),
    )
    me = story.identify()
    for each in ("free", "plus", "business"):
        if each not in (plan, account["plan"]):
            with story.wrong("takes another plan"):
                story.call("change_plan", account_id=me, plan=each)
    if story.permits("change_plan", account_id=me, plan=plan):
        story.call("change_plan", account_id=me, plan=plan)
    else:
        story.decline(move)


@scenario(form="ambiguous")
def put_back_one_of_the_trash(story: Story) -> None:
    """The holder wants one of the messages in the trash back, with a fee if it has been there long."""
    place = story.choose("place", {"the trash": "trash"})
    lost = story.pick(
        "message",
        f"folder = 'trash' AND {SEVERAL_IN_TRASH}",
        unique_by=["account_id", "subject", "folder"],
        mine=True,
    )
    back = story.wish(
        (
            "One of the emails in {place} shouldn't be there. Can you put it back where it was?",
            "One of the emails in {place} should not be there. Could you please put it back where it was?",
            "an email of mine ended up in {place} by mistake, can you put it back where it was?",
        ),
        place=place,
    )
    story.keep_back("subject", lost["subject"])
    story.in_short(back, "putting back one email from {place}, {subject}", place=place, subject=lost["subject"])
    me = story.identify()
    trash = story.call("search_messages", account_id=me, folder=place)["messages"]
    mine = story.find(trash, subject=lost["subject"])
    for other in story.others(trash, mine):
        with story.wrong("takes another one that fits"):
            story.call("restore_message", message_id=other["message_id"])
    old = story.call("get_message", message_id=mine["message_id"])
    story.call("restore_message", message_id=mine["message_id"])
    if story.date_of(old["trashed_at"]) < story.day(-10):
        story.call("charge_fee", account_id=me, kind="restore", amount_cents=150)


@scenario(form="changed_mind")
def correct_my_new_phone(story: Story) -> None:
    """The holder gives a new phone number and then corrects it."""
    first = story.choose("phone", ["(614) 555-0187", "(503) 555-0163", "(704) 555-0129", "(303) 555-0174"])
    second = story.choose("right_phone", ["(614) 555-0178", "(503) 555-0136", "(704) 555-0192", "(303) 555-0147"])
    story.pick("account", "phone NOT IN (?, ?)", first, second, mine=True)
    number = story.wish(
        (
            "I switched carriers and my new number is {phone}. Can you update it?",
            "I have a new phone number, which is {phone}. Could you please update my account?",
            "can you update my number? it's {phone} now",
        ),
        short="changing my phone number to {phone}",
        phone=first,
    )
    correct = story.changes_mind(
        number,
        (
            "Sorry, typo. My new number is {phone}.",
            "I apologize, I mistyped that. My new number is {phone}.",
            "oops typo, the new number's {phone}",
        ),
        short="changing my phone number to {phone}",
        phone=second,
    )
    me = story.identify()
    story.call("update_contact_details", wish=number, account_id=me, phone=first)
    story.call("update_contact_details", wish=correct, account_id=me, phone=second)


@scenario(form="computed")
def storage_with_what_i_owe(story: Story) -> None:
    """The holder asks what they would owe in all with more storage, and when the plan renews."""
    blocks = story.choose("blocks", [2, 3, 4, 6])
    price = story.money(200)
    story.pick("account", "state = 'active' AND plan <> 'free' AND balance_cents > 0", mine=True)
    story.wish(
        (
            "I'm thinking about {blocks} more blocks of storage at {price} each. What would my total be with what I owe now, and what's my renewal day?",
            "I am considering {blocks} more blocks of storage at {price} each. Could you please tell me my total, with what I already owe, and my renewal day?",
            "what would my total be if i add {blocks} blocks of storage at {price} each, on top of what i owe? and what's my renewal day",
        ),
        short="telling me my total with {blocks} more blocks of storage at {price} each and what I owe, and my renewal day",
        blocks=blocks,
        price=price,
    )
    me = story.identify()
    account = story.call("get_account", account_id=me)
    story.possible("add_storage", account_id=me, blocks=blocks)
    parts = [{"cents": price} for _ in range(blocks)]
    with story.wrong("forgets what is owed already"):
        story.answer("total", story.money(story.total(parts, "cents")))
        story.answer("renewal day", account["renews_on"])
    story.answer("total", story.money(story.total([{"cents": account["balance_cents"]}, *parts], "cents")))
    story.answer("renewal day", account["renews_on"])


@scenario(form="conditional")
def upgrade_or_pay(story: Story) -> None:
    """The holder goes to Business if they owe little enough, and pays otherwise."""
    limit = story.money(story.choose("limit", [350, 400, 500]))
    amount = story.money(story.choose("amount", [150, 200]))
    plan = story.choose("plan", {"the Business plan": "business"})
    story.pick(
        "account",
        "state = 'active' AND plan <> 'business' AND card_last4 IS NOT NULL AND balance_cents >= 200",
        mine=True,
    )
    story.wish(
        (
            "If I owe {limit} or less, please put me on {plan}. If I owe more, pay {amount} of it with my card.",
            "Please move me to {plan} if I owe {limit} or less. If I owe more than that, please pay {amount} of it with my card.",
            "can you put me on {plan} if i owe {limit} or less? if it's more just pay {amount} of it with my card",
        ),
        short="putting me on {plan} if I owe {limit} or less, and paying {amount} with my card if I owe more",
        limit=limit,
        plan=plan,
        amount=amount,
    )
    me = story.identify()
    owed = story.call("get_account", account_id=me)["balance_cents"]
    with story.wrong("does both"):
        story.call("change_plan", account_id=me, plan=plan)
        story.call("pay_balance", account_id=me, amount_cents=amount)
    if owed <= limit:
        with story.wrong("takes the other branch"):
            story.call("pay_balance", account_id=me, amount_cents=amount)
        story.call("change_plan", account_id=me, plan=plan)
    else:
        with story.wrong("takes the other branch"):
            story.call("change_plan", account_id=me, plan=plan)
        story.call("pay_balance", account_id=me, amount_cents=amount)


@scenario(form="coupled")
def switch_after_paying(story: Story) -> None:
    """The holder wants another plan and to pay everything owed, which has to come first."""
    plan = story.choose("plan", {"the Free plan": "free", "the Plus plan": "plus", "the Business plan": "business"})
    story.pick(
        "account",
        "state = 'active' AND balance_cents > 500 AND card_last4 IS NOT NULL AND plan <> ?",
        plan,
        mine=True,
    )
    with story.together():
        move = story.wish(
            (
                "I'd like to be on {plan} from today. Can you switch me over?",
                "I would like to switch to {plan} today, please.",
                "can you switch me to {plan} today?",
            ),
            short="switching me to {plan}",
            plan=plan,
        )
        settle = story.wish(
            (
                "And use my card on file to pay off everything I owe.",
                "Please also pay off everything I owe with my card on file.",
                "and pay off everything i owe with my card on file",
            ),
            short="paying off everything I owe with my card on file",
        )
    me = story.identify()
    owed = story.call("get_account", wish=settle, account_id=me)["balance_cents"]
    story.call("pay_balance", wish=settle, account_id=me, amount_cents=owed)
    story.call("change_plan", wish=move, account_id=me, plan=plan)


@scenario(form="looked_up")
def put_back_by_the_day(story: Story) -> None:
    """The holder knows only on which day a message was thrown out, and wants it back."""
    place = story.choose("place", {"the trash": "trash"})
    lost = story.pick(
        "message",
        f"folder = 'trash' AND {ONLY_OF_ITS_DAY} AND {A_FEW_IN_TRASH}",
        mine=True,
    )
    day = story.date_of(lost["trashed_at"])
    story.wish(
        (
            "I threw an email into {place} on {day} and didn't mean to. Can you put it back where it was?",
            "I put an email into {place} on {day} by mistake. Could you please put it back where it was?",
            "can you put back the email i tossed into {place} on {day}? didn't mean to",
        ),
        short="putting back the email that I put into {place} on {day}",
        place=place,
        day=day,
    )
    me = story.identify()
    trash = story.call("search_messages", account_id=me, folder=place)["messages"]
    details = [story.call("get_message", message_id=each["message_id"]) for each in trash]
    old = [each for each in details if story.date_of(each["trashed_at"]) == day]
    mine = story.highest(old, "trashed_at")
    for other in story.others(trash, mine):
        with story.wrong("takes the first that fits"):
            story.call("restore_message", message_id=other["message_id"])
    story.call("restore_message", message_id=mine["message_id"])
    if day < story.day(-10):
        story.call("charge_fee", account_id=me, kind="restore", amount_cents=150)


@scenario(form="outside")
def moved_to_a_new_zip(story: Story) -> None:
    """The holder moved and gives the new ZIP code, and wants something that no chat can do."""
    zip_code = story.choose("zip_code", ["43085", "78750", "97219", "28277", "80206"])
    story.pick("account", "zip_code <> ?", zip_code, mine=True)
    story.wish(
        (
            "I moved last week and my new ZIP code is {zip_code}. Can you change it on my account?",
            "I moved last week. Could you please change the ZIP code on my account to {zip_code}?",
            "can you change my zip code to {zip_code}? just moved",
        ),
        short="changing my ZIP code to {zip_code}",
        zip_code=zip_code,
    )
    me = story.identify()
    story.call("update_contact_details", account_id=me, zip_code=zip_code)
    story.outside(
        (
            "And can you send someone over to set up my mail on my new computer?",
            "Could you please also send someone to my home to set up my mail on my new computer?",
            "and can someone come by and set up my mail on my new computer?",
        )
    )


@scenario(form="withheld")
def new_recovery_email(story: Story) -> None:
    """The holder wants another recovery email and tells it when asked."""
    address = story.choose(
        "address",
        [
            "backup.inbox@example.net",
            "second.mail@example.org",
            "family.box@example.com",
            "my.spare@example.net",
            "home.desk@example.org",
        ],
    )
    story.pick("account", "recovery_email IS NULL OR recovery_email <> ?", address, mine=True)
    change = story.wish(
        (
            "I lost access to my old recovery email. Can you change it to a new one?",
            "I no longer have access to my recovery email. Could you please change it to a new address?",
            "can you change my recovery email to a new one? lost the old one",
        )
    )
    story.keep_back("new recovery email", address)
    story.in_short(change, "changing my recovery email to {address}", address=address)
    me = story.identify()
    story.call("update_contact_details", account_id=me, recovery_email=address)


@scenario
def pause_a_filter(story: Story) -> None:
    """The holder pauses a filter and asks how many messages it has caught."""
    picked = story.pick("filter", "is_enabled = 1 AND match_count > 9", mine=True)
    story.wish(
        (
            "My {name} filter keeps grabbing the wrong things. Can you pause it, and how many emails has it caught?",
            "I would like to pause my {name} filter. Could you please also tell me how many emails it has caught?",
            "can you pause my {name} filter? and how many emails has it caught so far",
        ),
        short="pausing my {name} filter and telling me how many emails it has caught",
        name=picked["name"],
    )
    filters = story.call("list_filters", account_id=story.identify())["filters"]
    mine = story.find(filters, name=picked["name"])
    paused = story.call("pause_filter", filter_id=mine["filter_id"])
    story.answer("emails caught", paused["match_count"])


@scenario
def stop_forwarding_my_mail(story: Story) -> None:
    """The holder stops forwarding and asks where the mail went, and since when."""
    story.pick("account", "forward_to IS NOT NULL", mine=True)
    story.wish(
        (
            "I don't want my mail forwarded anymore. Can you stop it, and what address was it going to, since what day?",
            "I would like to stop forwarding my mail. Could you please tell me the address it went to and since what day?",
            "can you stop forwarding my mail? and what address was it going to, since what day",
        ),
        short="stopping the forwarding of my mail and telling me the address it went to and since what day",
    )
    me = story.identify()
    account = story.call("get_account", account_id=me)
    story.call("stop_forwarding", account_id=me)
    story.answer("address", account["forward_to"], source="account.forward_to")
    story.answer("day", account["forwarding_since"])


@scenario
def forward_from_a_sender(story: Story) -> None:
    """The holder cancels the vacation reply and has mail of one sender forwarded by a filter."""
    name = story.choose("name", ["Copy to assistant", "Second pair of eyes", "Shared reading", "For the records"])
    address = story.choose("address", ["records@example.org", "my.assistant@example.net", "frontdesk.copy@example.com"])
    field = story.choose("field", ["sender"])
    action = story.choose("action", ["forward"])
    message = story.pick("message", f"folder IN ('inbox', 'archive') AND {BACK_EARLY}", mine=True)
    sender = message["correspondent_name"]
    story.wish(
        (
            "I'm back early. Please cancel my vacation reply, and make a filter called {name} to {action} mail with {sender} as the {field} to {address}.",
            "I am back early. Please cancel my vacation reply and create a filter named {name} to {action} mail with {sender} as the {field} to {address}.",
            "back early, can you cancel my vacation reply? and make a filter called {name} to {action} mail with {sender} as {field} to {address}",
        ),
        short="canceling my vacation reply and making a filter called {name} to {action} mail with {sender} as the {field} to {address}",
        name=name,
        action=action,
        sender=sender,
        field=field,
        address=address,
    )
    me = story.identify()
    story.call("cancel_vacation_reply", account_id=me)
    story.call(
        "create_filter",
        account_id=me,
        name=name,
        match_on=field,
        match_text=sender,
        action=action,
        forward_to=address,
    )


@scenario(form="denied")
def forward_to_my_other_inbox(story: Story) -> None:
    """The holder wants all mail forwarded, which has to wait after a change of contact details."""
    address = story.choose("address", ["other.inbox@example.net", "work.desk@example.org", "all.my.mail@example.com"])
    another = story.choose("another", ["wrong.box@example.net"])
    story.pick(
        "account",
        "state = 'active' AND contact_changed_on IS NOT NULL AND (forward_to IS NULL OR forward_to NOT IN (?, ?))",
        address,
        another,
        mine=True,
    )
    send_on = story.wish(
        (
            "I read my mail somewhere else these days. Can you forward all of it to {address}?",
            "I read my mail elsewhere these days. Could you please forward all of it to {address}?",
            "can you forward all my mail to {address}? that's where i read it these days",
        ),
        short="forwarding all my mail to {address}",
        address=address,
    )
    story.insists(
        send_on,
        (
            "I can't keep checking two inboxes, it's driving me crazy.",
            "I cannot keep checking two inboxes, and it is wearing me out.",
            "can't keep checking two inboxes, it's driving me nuts",
        ),
    )
    story.insists(
        send_on,
        (
            "That other inbox is mine, nobody else reads it.",
            "The other inbox is my own, and nobody else reads it.",
            "the other inbox is mine too, nobody else reads it",
        ),
    )
    me = story.identify()
    with story.wrong("forwards to another address"):
        story.call("set_forwarding", account_id=me, forward_to=another)
    if story.permits("set_forwarding", account_id=me, forward_to=address):
        story.call("set_forwarding", account_id=me, forward_to=address)
    else:
        story.decline(send_on)


@scenario(form="denied")
def turn_a_filter_back_on(story: Story) -> None:
    """The holder wants a paused filter back on, which counts toward the limit of the plan."""
    picked = story.pick("filter", f"is_enabled = 0 AND {ACTIVE_HOLDER}", mine=True)
    on = story.wish(
        (
            "My {name} filter is off and I miss it. Can you turn it back on?",
            "I would like my {name} filter turned back on, please. It is off at the moment.",
            "can you turn my {name} filter back on? it's off rn and i miss it",
        ),
        short="turning my {name} filter back on",
        name=picked["name"],
    )
    story.insists(
        on,
        (
            "I spend half my morning sorting mail by hand.",
            "I spend half of my morning sorting mail by hand.",
            "half my morning goes into sorting mail by hand",
        ),
    )
    story.insists(
        on,
        (
            "I made that filter myself, so it should be up to me.",
            "I made that filter myself, so I believe it should be up to me.",
            "made that filter myself, should be up to me",
        ),
    )
    filters = story.call("list_filters", account_id=story.identify())["filters"]
    mine = story.find(filters, name=picked["name"])
    with story.wrong("deletes it instead"):
        story.call("delete_filter", filter_id=mine["filter_id"])
    if story.permits("resume_filter", filter_id=mine["filter_id"]):
        story.call("resume_filter", filter_id=mine["filter_id"])
    else:
        story.decline(on)


@scenario(form="fallback")
def vacation_reply_or_recovery(story: Story) -> None:
    """The holder wants a vacation reply, or else a recovery email that works on the road."""
    first = story.day(story.choose("start", [1, 2, 3, 6]))
    last = story.after(first, days=story.choose("length", [4, 6, 9]))
    address = story.choose("address", ["on.the.road@example.net", "travel.box@example.org", "trip.mail@example.com"])
    story.pick("account", "state = 'active' AND (recovery_email IS NULL OR recovery_email <> ?)", address, mine=True)
    note = story.dictate("note", "I'm away through {last} and will get back to you after that.", last=last)
    away = story.wish(
        (
            "I'm traveling soon. Can you set a vacation reply from {first} through {last}? Please put exactly this: {note}",
            "I will be traveling soon. Could you please set a vacation reply from {first} through {last}? Please use exactly this: {note}",
            "can you set a vacation reply from {first} through {last}? put exactly this: {note}",
        ),
        short="setting a vacation reply from {first} through {last} that says {note}",
        first=first,
        last=last,
        note=note,
    )
    instead = story.otherwise(
        away,
        (
            "Then at least change my recovery email to {address}, so I can get in while I'm gone.",
            "In that case, please change my recovery email to {address}, so that I can get in while I am away.",
            "then just change my recovery email to {address} so i can get in while i'm gone",
        ),
        short="changing my recovery email to {address}",
        address=address,
    )
    me = story.identify()
    with story.wrong("sets it for another span"):
        story.call("set_vacation_reply", wish=away, account_id=me, starts_on=last, ends_on=last, text=note)
    if story.permits("set_vacation_reply", wish=away, account_id=me, starts_on=first, ends_on=last, text=note):
        story.call("set_vacation_reply", wish=away, account_id=me, starts_on=first, ends_on=last, text=note)
    else:
        story.decline(away)
        story.call("update_contact_details", wish=instead, account_id=me, recovery_email=address)


@scenario(form="all_but")
def delete_all_filters_but_one(story: Story) -> None:
    """The holder starts over with filters and keeps one."""
    kept = story.pick("filter", f"{THREE_TO_SIX}", mine=True)
    story.wish(
        (
            "I'm starting over with my filters. Please delete all of them except {name}.",
            "I would like to start over with my filters. Could you please delete all of them except {name}?",
            "can you delete all my filters? skip {name}, keeping that one",
        ),
        short="deleting all my filters except {name}",
        name=kept["name"],
    )
    filters = story.call("list_filters", account_id=story.identify())["filters"]
    with story.wrong("forgets the exception"):
        for each in filters:
            story.call("delete_filter", filter_id=each["filter_id"])
    for each in story.all_but(filters, name=kept["name"]):
        story.call("delete_filter", filter_id=each["filter_id"])


@scenario(form="ambiguous")
def delete_one_of_my_filters(story: Story) -> None:
    """The holder wants one of several filters deleted."""
    picked = story.pick("filter", f"{FOUR_OR_MORE}", mine=True)
    gone = story.wish(
        (
            "I don't need one of my filters anymore. Can you delete it for good?",
            "I no longer need one of my filters. Could you please delete it for good?",
            "can you delete one of my filters? don't need it anymore",
        )
    )
    story.keep_back("filter", picked["name"])
    story.in_short(gone, "deleting one of my filters, {name}", name=picked["name"])
    filters = story.call("list_filters", account_id=story.identify())["filters"]
    mine = story.find(filters, name=picked["name"])
    for other in story.others(filters, mine):
        with story.wrong("takes another one that fits"):
            story.call("delete_filter", filter_id=other["filter_id"])
    story.call("delete_filter", filter_id=mine["filter_id"])


@scenario(form="changed_mind")
def forward_somewhere_else(story: Story) -> None:
    """The holder has mail forwarded and then corrects the address."""
    first = story.choose("address", ["jot.it.down@example.net", "main.inbox@example.org", "daily.mail@example.com"])
    second = story.choose(
        "right_address", ["jot.it.all.down@example.net", "my.main.inbox@example.org", "daily.mail@example.org"]
    )
    story.pick(
        "account",
        f"state = 'active' AND {NO_RECENT_CHANGE} AND (forward_to IS NULL OR forward_to NOT IN (?, ?))",
        first,
        second,
        mine=True,
    )
    send_on = story.wish(
        (
            "I want everything in one place. Can you forward all my mail to {address}?",
            "I would like to have everything in one place. Could you please forward all my mail to {address}?",
            "can you forward all my mail to {address}? want it in one place",
        ),
        short="forwarding all my mail to {address}",
        address=first,
    )
    correct = story.changes_mind(
        send_on,
        (
            "Sorry, typo. Please forward all my mail to {address}.",
            "I apologize, I mistyped that. Please forward all my mail to {address}.",
            "oops wrong one, forward all my mail to {address}",
        ),
        short="forwarding all my mail to {address}",
        address=second,
    )
    me = story.identify()
    story.call("set_forwarding", wish=send_on, account_id=me, forward_to=first)
    story.call("set_forwarding", wish=correct, account_id=me, forward_to=second)


@scenario(form="computed")
def what_my_filters_caught(story: Story) -> None:
    """The holder asks how many messages the filters that are on have caught, and when the newest of them was made."""
    story.pick(
        "filter",
        f"is_enabled = 0 AND match_count > 0 AND {TWO_ARE_ON}",
        mine=True,
    )
    story.wish(
        (
            "Of my filters that are on, what's the total of emails they've caught, and what day did I make the newest one?",
            "Looking only at my filters that are on, could you please tell me the total of emails caught and the day I made the newest one?",
            "what's the total of emails caught by my filters that are on? and what day did i make the newest of those",
        ),
        short="telling me the total of emails caught by my filters that are on, and the day I made the newest of them",
    )
    filters = story.call("list_filters", account_id=story.identify())["filters"]
    on = [each for each in filters if each["is_enabled"]]
    newest = story.highest(on, "created_at")
    with story.wrong("counts the paused ones, too"):
        story.answer("total", story.total(filters, "match_count"))
        story.answer("day", story.date_of(newest["created_at"]))
    story.answer("total", story.total(on, "match_count"))
    story.answer("day", story.date_of(newest["created_at"]))


@scenario(form="conditional")
def pause_or_delete_by_its_use(story: Story) -> None:
    """The holder pauses a filter that catches a lot and deletes one that does not."""
    limit = story.choose("limit", [10, 15, 20])
    picked = story.pick("filter", f"is_enabled = 1 AND {TWO_ARE_ON}", mine=True)
    story.wish(
        (
            "If my {name} filter has caught {limit} emails or more, pause it for now. If it's fewer, just delete it.",
            "Please pause my {name} filter if it has caught {limit} emails or more. If it has caught fewer, please delete it.",
            "pause my {name} filter if it's caught {limit} emails or more. if it's fewer just delete it",
        ),
        short="pausing my {name} filter if it has caught {limit} emails or more, and deleting it if fewer",
        name=picked["name"],
        limit=limit,
    )
    filters = story.call("list_filters", account_id=story.identify())["filters"]
    mine = story.find(filters, name=picked["name"])
    right, other = (
        ("pause_filter", "delete_filter") if mine["match_count"] >= limit else ("delete_filter", "pause_filter")
    )
    with story.wrong("takes the other branch"):
        story.call(other, filter_id=mine["filter_id"])
    for each in story.others(filters, mine, 1):
        with story.wrong("takes another one"):
            story.call("delete_filter", filter_id=each["filter_id"])
    story.call(right, filter_id=mine["filter_id"])


@scenario(form="coupled")
def one_filter_for_another(story: Story) -> None:
    """The holder wants a paused filter on and another one paused, which has to come first."""
    wanted = story.pick("filter", f"is_enabled = 0 AND {ACTIVE_HOLDER_2} AND {AT_THE_LIMIT}", mine=True)
    unwanted = story.pick("filter", "is_enabled = 1", mine=True)
    with story.together():
        start = story.wish(
            (
                "I need my {name} filter again. Can you turn it back on?",
                "I need my {name} filter again. Could you please turn it back on?",
                "can you turn my {name} filter back on?",
            ),
            short="turning my {name} filter back on",
            name=wanted["name"],
        )
        stop = story.wish(
            (
                "And pause {name}, it gets in my way.",
                "Please also pause {name}, which gets in my way.",
                "and pause {name}, it's in my way",
            ),
            short="pausing {name}",
            name=unwanted["name"],
        )
    filters = story.call("list_filters", wish=start, account_id=story.identify())["filters"]
    off = story.find(filters, name=wanted["name"])
    on = story.find(filters, name=unwanted["name"])
    story.call("pause_filter", wish=stop, filter_id=on["filter_id"])
    story.call("resume_filter", wish=start, filter_id=off["filter_id"])


@scenario(form="mistaken")
def a_filter_like_that_one(story: Story) -> None:
    """The holder wants a filter that does what another one does, and is wrong about what that is."""
    name = story.choose("name", ["Same as the other", "Quiet corner", "Out of my way", "Not today"])
    field = story.choose("field", ["subject"])
    term = story.choose("term", ["reminder", "survey", "webinar", "coupon"])
    picked = story.pick("filter", f"action IN ('archive', 'spam', 'trash') AND {ROOM_FOR_ONE}", mine=True)
    places = {"the archive": "archive", "spam": "spam", "the trash": "trash"}
    belief = story.choose("belief", {said: each for said, each in places.items() if each != picked["action"]})
    story.wish(
        (
            "I think my {old} filter sends mail to {belief}. Can you make one called {name} that does the same if the {field} has {term}?",
            "I believe my {old} filter sends mail to {belief}. Could you please make one called {name} that does the same if the {field} has {term}?",
            "pretty sure my {old} filter sends mail to {belief}. can you make one called {name} that does the same if the {field} has {term}?",
        ),
        short="making a filter called {name} that does the same as my {old} filter if the {field} has {term}",
        old=picked["name"],
        belief=belief,
        name=name,
        field=field,
        term=term,
    )
    story.believes("action", belief, picked["action"])
    me = story.identify()
    filters = story.call("list_filters", account_id=me)["filters"]
    model = story.find(filters, name=picked["name"])
    with story.wrong("trusts the customer"):
        story.call("create_filter", account_id=me, name=name, match_on=field, match_text=term, action=belief)
    with story.wrong("looks at the sender"):
        story.call(
            "create_filter", account_id=me, name=name, match_on="sender", match_text=term, action=model["action"]
        )
    story.call("create_filter", account_id=me, name=name, match_on=field, match_text=term, action=model["action"])


@scenario
def send_and_archive(story: Story) -> None:
    """The holder sends a draft now and files a received message."""
    folder = story.choose("folder", ["drafts"])
    source = story.choose("source", ["inbox"])
    place = story.choose("place", {"my archive": "archive", "spam": "spam"})
    draft = story.pick(
        "message",
        f"folder = 'drafts' AND {PAID_UP}",
        unique_by=["account_id", "subject", "correspondent_name", "folder"],
        mine=True,
    )
    received = story.pick(
        "message", "folder = 'inbox'", unique_by=["account_id", "subject", "correspondent_name", "folder"], mine=True
    )
    story.wish(
        (
            'Please send "{subject}" to {name} from my {folder} right now, and move "{other_subject}" from {sender} out of my {source} to {place}.',
            'I would like "{subject}" to {name} in my {folder} sent right now. Please also move "{other_subject}" from {sender} out of my {source} to {place}.',
            'can you send "{subject}" to {name} from my {folder} right now? and move "{other_subject}" from {sender} out of my {source} to {place}',
        ),
        short="sending {subject} to {name} from my {folder} right now, and moving {other_subject} from {sender} out of my {source} to {place}",
        folder=folder,
        source=source,
        subject=draft["subject"],
        name=draft["correspondent_name"],
        other_subject=received["subject"],
        sender=received["correspondent_name"],
        place=place,
    )
    me = story.identify()
    found = story.call("search_messages", account_id=me, folder=folder)["messages"]
    mine = story.find(found, subject=draft["subject"], correspondent_name=draft["correspondent_name"])
    story.call("send_message", message_id=mine["message_id"])
    found = story.call("search_messages", account_id=me, folder=source)["messages"]
    filed = story.find(found, subject=received["subject"], correspondent_name=received["correspondent_name"])
    story.call("move_messages", message_ids=[filed["message_id"]], folder=place)


@scenario
def write_for_later(story: Story) -> None:
    """The holder has a message written and scheduled."""
    name = story.choose("name", ["Janet Cole", "Derek Moss", "Tina Alvarez", "Paul Kim"])
    address = story.choose("address", ["hello.there@example.org", "desk.two@example.net", "reach.me@example.com"])
    subject = story.choose("subject", ["Running late", "Lunch on Friday", "New office hours", "Keys to the shed"])
    moment = story.moment(
        story.day(story.choose("days", [1, 2, 3, 6])), story.choose("time", ["08:00", "12:30", "17:00"])
    )
    story.pick("account", "state = 'active' AND balance_cents <= 300", mine=True)
    note = story.dictate(
        "note", "Sorry for the short notice. Can we talk about {subject} when you have a minute?", subject=subject
    )
    story.wish(
        (
            "Please write to {name} at {address} with the subject {subject} and schedule it for {moment}. Put exactly this: {note}",
            "I would like to write to {name} at {address} with the subject {subject}. Please schedule it for {moment}, with exactly this: {note}",
            "can you write {name} at {address}, subject {subject}, and schedule it for {moment}? put exactly this: {note}",
        ),
        short="writing to {name} at {address} with the subject {subject}, scheduled for {moment}, saying {note}",
        name=name,
        address=address,
        subject=subject,
        moment=moment,
        note=note,
    )
    me = story.identify()
    draft = story.call(
        "create_draft",
        account_id=me,
        correspondent_name=name,
        correspondent_email=address,
        subject=subject,
        body=note,
    )
    story.call("schedule_message", message_id=draft["message_id"], send_at=moment)


@scenario
def hold_back_a_scheduled_email(story: Story) -> None:
    """The holder keeps a scheduled message from going out and asks when it would have gone."""
    folder = story.choose("folder", ["scheduled"])
    picked = story.pick(
        "message",
        "folder = 'scheduled'",
        unique_by=["account_id", "subject", "correspondent_name", "folder"],
        mine=True,
    )
    story.wish(
        (
            "I'm having second thoughts. Please don't let my {folder} email \"{subject}\" to {name} go out, keep it as a draft. What day was it set for?",
            'I would like to keep my {folder} email "{subject}" to {name} as a draft for now. Could you please tell me what day it was set for?',
            'can you pull my {folder} email "{subject}" to {name} and keep it as a draft? and what day was it set for',
        ),
        short="keeping my {folder} email {subject} to {name} as a draft and telling me what day it was set for",
        folder=folder,
        subject=picked["subject"],
        name=picked["correspondent_name"],
    )
    me = story.identify()
    found = story.call("search_messages", account_id=me, folder=folder)["messages"]
    mine = story.find(found, subject=picked["subject"], correspondent_name=picked["correspondent_name"])
    details = story.call("get_message", message_id=mine["message_id"])
    story.call("unschedule_message", message_id=mine["message_id"])
    story.answer("day", story.date_of(details["send_at"]))


@scenario(form="denied")
def delete_it_for_good(story: Story) -> None:
    """The holder wants a message in the trash deleted for good, which has to wait."""
    folder = story.choose("folder", ["trash"])
    picked = story.pick(
        "message",
        "folder = 'trash' AND folder_before_trash IN ('inbox', 'archive', 'spam')",
        unique_by=["account_id", "subject", "correspondent_name", "folder"],
        mine=True,
    )
    gone = story.wish(
        (
            'There\'s an email from {name} in my {folder}, "{subject}". Can you delete it for good?',
            'I would like the email "{subject}" from {name}, which is in my {folder}, to be deleted for good, please.',
            'can you delete "{subject}" from {name} for good? it\'s in my {folder}',
        ),
        short="deleting {subject} from {name} in my {folder} for good",
        folder=folder,
        name=picked["correspondent_name"],
        subject=picked["subject"],
    )
    story.insists(
        gone,
        (
            "I can't stand looking at it anymore.",
            "I cannot stand looking at it any longer.",
            "can't stand looking at it anymore",
        ),
    )
    story.insists(
        gone,
        (
            "It's my mail, and I know I'll never need it again.",
            "It is my mail, and I know that I will never need it again.",
            "it's my mail and i know i'll never need it again",
        ),
    )
    me = story.identify()
    found = story.call("search_messages", account_id=me, folder=folder)["messages"]
    mine = story.find(found, subject=picked["subject"], correspondent_name=picked["correspondent_name"])
    with story.wrong("puts it back instead"):
        story.call("restore_message", message_id=mine["message_id"])
    if story.permits("delete_forever", message_ids=[mine["message_id"]]):
        story.call("delete_forever", message_ids=[mine["message_id"]])
    else:
        story.decline(gone)


@scenario(form="fallback")
def take_back_what_i_sent(story: Story) -> None:
    """The holder wants a sent message recalled, or else out of sight."""
    folder = story.choose("folder", ["sent"])
    picked = story.pick(
        "message",
        "folder = 'sent' AND opened_at IS NULL",
        unique_by=["account_id", "subject", "correspondent_name", "folder"],
        mine=True,
    )
    back = story.wish(
        (
            'I {folder} {name} "{subject}" and now I regret it. Can you recall it?',
            'I {folder} {name} the email "{subject}", which I now regret. Could you please recall it?',
            'can you recall "{subject}" that i {folder} to {name}? regretting it',
        ),
        short="recalling {subject} that I {folder} to {name}",
        folder=folder,
        name=picked["correspondent_name"],
        subject=picked["subject"],
    )
    hide = story.otherwise(
        back,
        (
            'Then put "{subject}" to {name} in my trash, so I don\'t have to see it.',
            'In that case, please put "{subject}" to {name} in my trash, so that I do not have to see it.',
            'then just put "{subject}" to {name} in my trash so i don\'t have to see it',
        ),
        short="putting {subject} to {name} in my trash",
        subject=picked["subject"],
        name=picked["correspondent_name"],
    )
    me = story.identify()
    found = story.call("search_messages", wish=back, account_id=me, folder=folder)["messages"]
    mine = story.find(found, subject=picked["subject"], correspondent_name=picked["correspondent_name"])
    if story.permits("recall_message", wish=back, message_id=mine["message_id"]):
        with story.wrong("puts it in the trash at once"):
            story.call("trash_messages", wish=back, message_ids=[mine["message_id"]])
        story.call("recall_message", wish=back, message_id=mine["message_id"])
    else:
        with story.wrong("recalls it and puts it in the trash"):
            story.call("recall_message", wish=back, message_id=mine["message_id"])
            story.call("trash_messages", wish=hide, message_ids=[mine["message_id"]])
        story.decline(back)
        story.call("trash_messages", wish=hide, message_ids=[mine["message_id"]])


@scenario(form="all_but")
def clear_out_a_folder(story: Story) -> None:
    """The holder puts everything in one folder in the trash except one message."""
    place = story.choose("place", ["inbox", "archive", "drafts"])
    kept = story.pick(
        "message",
        f"folder = ? AND {THREE_TO_SIX_THERE}",
        place,
        unique_by=["account_id", "subject", "folder"],
        mine=True,
    )
    story.wish(
        (
            'I\'m cleaning up. Please put everything in my {place} folder in the trash except "{subject}".',
            'I would like to clean up my {place} folder. Could you please put everything in it in the trash except "{subject}"?',
            'can you trash everything in my {place} folder? skip "{subject}", keeping that',
        ),
        short="putting everything in my {place} folder in the trash except {subject}",
        place=place,
        subject=kept["subject"],
    )
    me = story.identify()
    found = story.call("search_messages", account_id=me, folder=place)["messages"]
    with story.wrong("forgets the exception"):
        story.call("trash_messages", message_ids=[each["message_id"] for each in found])
    rest = story.all_but(found, subject=kept["subject"])
    story.call("trash_messages", message_ids=[each["message_id"] for each in rest])


@scenario(form="best_of")
def trash_the_biggest_unread(story: Story) -> None:
    """The holder wants the biggest unread message that is not in the trash put there."""
    unread = story.choose("unread", {"I haven't read": False})
    story.pick("message", f"is_read = 0 AND folder <> 'trash' AND {BIGGER_READ} AND {ANOTHER_UNREAD}", mine=True)
    story.wish(
        (
            "I need to free up some room. Of the emails {unread}, please put the biggest one in the trash.",
            "I would like to free up some room. Of the emails {unread}, could you please put the biggest one in the trash?",
            "can you put the biggest of the emails {unread} in the trash? need some room",
        ),
        short="putting the biggest of the emails {unread} in the trash",
        unread=unread,
    )
    me = story.identify()
    everything = story.call("search_messages", account_id=me)["messages"]
    there = [each for each in everything if each["folder"] not in ("trash", "scheduled")]
    with story.wrong("forgets a condition"):
        story.call("trash_messages", message_ids=[story.highest(there, "size_kb")["message_id"]])
    found = story.call("search_messages", account_id=me, is_read=unread)["messages"]
    fitting = [each for each in found if each["folder"] != "trash"]
    biggest = story.highest(fitting, "size_kb")
    for other in story.others(fitting, biggest, 1):
        with story.wrong("takes another one that fits"):
            story.call("trash_messages", message_ids=[other["message_id"]])
    story.call("trash_messages", message_ids=[biggest["message_id"]])


@scenario
def restore_a_recent_one(story: Story) -> None:
    """The holder wants a message back that was put in the trash lately."""
    folder = story.choose("folder", ["trash"])
    picked = story.pick(
        "message",
        "folder = 'trash' AND folder_before_trash IN ('inbox', 'archive') AND trashed_at >= ?",
        story.day(-10),
        unique_by=["account_id", "subject", "correspondent_name", "folder"],
        mine=True,
    )
    story.wish(
        (
            'I need "{subject}" from {name} again. Can you put it back from the {folder}?',
            'I put "{subject}" from {name} in the {folder}, but I need it again. Could you please restore it?',
            'can you get "{subject}" from {name} back out of the {folder}? i need it again',
        ),
        short="putting back {subject} from {name} from the {folder}",
        folder=folder,
        subject=picked["subject"],
        name=picked["correspondent_name"],
    )
    me = story.identify()
    found = story.call("search_messages", account_id=me, folder=folder)["messages"]
    mine = story.find(found, subject=picked["subject"], correspondent_name=picked["correspondent_name"])
    story.call("restore_message", message_id=mine["message_id"])


@scenario(form="coupled")
def send_once_i_am_square(story: Story) -> None:
    """The holder wants a draft sent and everything owed paid, which has to come first."""
    folder = story.choose("folder", ["drafts"])
    draft = story.pick(
        "message",
        f"folder = 'drafts' AND {OWES_WITH_CARD}",
        unique_by=["account_id", "subject", "correspondent_name", "folder"],
        mine=True,
    )
    with story.together():
        send = story.wish(
            (
                '"{subject}" to {name} in my {folder} is ready. Can you send it right now?',
                'The email "{subject}" to {name} in my {folder} is ready. Could you please send it right now?',
                'can you send "{subject}" to {name} from my {folder} right now?',
            ),
            short="sending {subject} to {name} in my {folder} right now",
            folder=folder,
            subject=draft["subject"],
            name=draft["correspondent_name"],
        )
        settle = story.wish(
            (
                "And pay my whole balance with my card on file.",
                "Please also pay my whole balance with my card on file.",
                "and pay my whole balance with my card on file",
            ),
            short="paying my whole balance with my card on file",
        )
    me = story.identify()
    found = story.call("search_messages", wish=send, account_id=me, folder=folder)["messages"]
    mine = story.find(found, subject=draft["subject"], correspondent_name=draft["correspondent_name"])
    owed = story.call("get_account", wish=settle, account_id=me)["balance_cents"]
    story.call("pay_balance", wish=settle, account_id=me, amount_cents=owed)
    story.call("send_message", wish=send, message_id=mine["message_id"])


@scenario(form="coupled")
def trash_a_scheduled_email(story: Story) -> None:
    """The holder wants a scheduled message in the trash and off the schedule, which has to come first."""
    folder = story.choose("folder", ["scheduled"])
    picked = story.pick(
        "message",
        "folder = 'scheduled'",
        unique_by=["account_id", "subject", "correspondent_name", "folder"],
        mine=True,
    )
    with story.together():
        toss = story.wish(
            (
                'My {folder} email "{subject}" to {name} was a bad idea. Please put it in the trash.',
                'My {folder} email "{subject}" to {name} was a bad idea. I would like it put in the trash, please.',
                'put my {folder} email "{subject}" to {name} in the trash pls, bad idea',
            ),
            short="putting my {folder} email {subject} to {name} in the trash",
            folder=folder,
            subject=picked["subject"],
            name=picked["correspondent_name"],
        )
        stop = story.wish(
            (
                'And take "{subject}" off the schedule.',
                'Please also take "{subject}" off the schedule.',
                'and take "{subject}" off the schedule',
            ),
            short="taking {subject} off the schedule",
            subject=picked["subject"],
        )
    me = story.identify()
    found = story.call("search_messages", wish=toss, account_id=me, folder=folder)["messages"]
    mine = story.find(found, subject=picked["subject"], correspondent_name=picked["correspondent_name"])
    story.call("unschedule_message", wish=stop, message_id=mine["message_id"])
    story.call("trash_messages", wish=toss, message_ids=[mine["message_id"]])


@scenario(form="looked_up")
def archive_by_its_file(story: Story) -> None:
    """The holder knows only what file came with a message in the inbox."""
    source = story.choose("source", ["inbox"])
    place = story.choose("place", {"my archive": "archive"})
    picked = story.pick(
        "message",
        f"folder = 'inbox' AND attachment_name IS NOT NULL AND {A_FEW_IN_INBOX}",
        unique_by=["account_id", "attachment_name", "folder"],
        mine=True,
    )
    file = picked["attachment_name"]
    story.wish(
        (
            "I'm done with the email in my {source} that came with {file}. Can you move it to {place}?",
            "I am finished with the email in my {source} that came with {file}. Could you please move it to {place}?",
            "can you move the email with {file} from my {source} to {place}? done with it",
        ),
        short="moving the email in my {source} that came with {file} to {place}",
        source=source,
        file=file,
        place=place,
    )
    me = story.identify()
    found = story.call("search_messages", account_id=me, folder=source)["messages"]
    details = [story.call("get_message", message_id=each["message_id"]) for each in found]
    mine = story.find(details, attachment_name=file)
    for other in story.others(found, mine):
        with story.wrong("takes the first that fits"):
            story.call("move_messages", message_ids=[other["message_id"]], folder=place)
    story.call("move_messages", message_ids=[mine["message_id"]], folder=place)


@scenario(form="mistaken")
def push_it_back(story: Story) -> None:
    """The holder wants a scheduled message to go out some days later, and is wrong about when it is set for."""
    folder = story.choose("folder", ["scheduled"])
    picked = story.pick(
        "message",
        f"folder = 'scheduled' AND {PAID_UP_2}",
        unique_by=["account_id", "subject", "correspondent_name", "folder"],
        mine=True,
    )
    days = story.choose("later", [2, 3, 5])
    belief = story.after(picked["send_at"], days=story.choose("off", [1, 4, 6]))
    story.wish(
        (
            'I think my {folder} email "{subject}" to {name} goes out {belief}. Can you push it back by {days} days?',
            'I believe that my {folder} email "{subject}" to {name} goes out {belief}. Could you please push it back by {days} days?',
            'pretty sure my {folder} email "{subject}" to {name} goes out {belief}. can you push it back by {days} days?',
        ),
        short="pushing my {folder} email {subject} to {name} back by {days} days",
        folder=folder,
        subject=picked["subject"],
        name=picked["correspondent_name"],
        belief=belief,
        days=days,
    )
    story.believes("time it goes out", belief, picked["send_at"])
    me = story.identify()
    found = story.call("search_messages", account_id=me, folder=folder)["messages"]
    mine = story.find(found, subject=picked["subject"], correspondent_name=picked["correspondent_name"])
    details = story.call("get_message", message_id=mine["message_id"])
    with story.wrong("trusts the customer"):
        story.call("schedule_message", message_id=mine["message_id"], send_at=story.after(belief, days=days))
    with story.wrong("keeps it from going out at all"):
        story.call("unschedule_message", message_id=mine["message_id"])
    story.call("schedule_message", message_id=mine["message_id"], send_at=story.after(details["send_at"], days=days))


@scenario(form="outside")
def back_to_the_inbox(story: Story) -> None:
    """The holder wants a message from spam or the archive in the inbox, and wants something that no chat can do."""
    place = story.choose("place", ["inbox"])
    source = story.choose("source", ["archive", "spam"])
    picked = story.pick(
        "message", "folder = ?", source, unique_by=["account_id", "subject", "correspondent_name", "folder"], mine=True
    )
    story.wish(
        (
            '"{subject}" from {name} ended up in my {source} folder. Can you move it to my {place}?',
            'The email "{subject}" from {name} ended up in my {source} folder. Could you please move it to my {place}?',
            'can you move "{subject}" from {name} out of my {source} folder to my {place}?',
        ),
        short="moving {subject} from {name} out of my {source} folder to my {place}",
        subject=picked["subject"],
        name=picked["correspondent_name"],
        source=source,
        place=place,
    )
    me = story.identify()
    found = story.call("search_messages", account_id=me, folder=source)["messages"]
    mine = story.find(found, subject=picked["subject"], correspondent_name=picked["correspondent_name"])
    story.call("move_messages", message_ids=[mine["message_id"]], folder=place)
    story.outside(
        (
            "And can you print a copy and mail it to my house?",
            "Could you please also print a copy and mail it to my house?",
            "and can you print it out and mail me the paper copy?",
        )
    )


@scenario(form="withheld")
def schedule_my_draft(story: Story) -> None:
    """The holder wants a draft to go out later and tells the time when asked."""
    folder = story.choose("folder", ["drafts"])
    draft = story.pick(
        "message",
        f"folder = 'drafts' AND {PAID_UP_2}",
        unique_by=["account_id", "subject", "correspondent_name", "folder"],
        mine=True,
    )
    moment = story.moment(
        story.day(story.choose("days", [1, 2, 3, 7])), story.choose("time", ["07:30", "09:00", "13:00", "18:30"])
    )
    later = story.wish(
        (
            '"{subject}" to {name} in my {folder} is done, but I want it to go out later. Can you schedule it?',
            'The email "{subject}" to {name} in my {folder} is finished, but it should go out at a later time. Could you please schedule it?',
            'can you schedule "{subject}" to {name} from my {folder} for later? it\'s done but not yet',
        ),
        folder=folder,
        subject=draft["subject"],
        name=draft["correspondent_name"],
    )
    story.keep_back("time", moment)
    story.in_short(
        later,
        "scheduling {subject} to {name} in my {folder} for {moment}",
        folder=folder,
        subject=draft["subject"],
        name=draft["correspondent_name"],
        moment=moment,
    )
    me = story.identify()
    found = story.call("search_messages", account_id=me, folder=folder)["messages"]
    mine = story.find(found, subject=draft["subject"], correspondent_name=draft["correspondent_name"])
    story.call("schedule_message", message_id=mine["message_id"], send_at=moment)


@scenario(form="best_of")
def delete_my_oldest_filter(story: Story) -> None:
    """The holder deletes the oldest of the filters that are on."""
    story.pick(
        "filter",
        f"is_enabled = 1 AND {OLDER_PAUSED} AND {NEWER_ON}",
        mine=True,
    )
    story.wish(
        (
            "Of the filters I have on, I've outgrown the oldest one. Can you delete it for good?",
            "I have outgrown the oldest of the filters that I have on. Could you please delete it for good?",
            "can you delete the oldest of the filters i have on? outgrew it",
        ),
        short="deleting the oldest of the filters I have on",
    )
    filters = story.call("list_filters", account_id=story.identify())["filters"]
    with story.wrong("forgets a condition"):
        story.call("delete_filter", filter_id=story.lowest(filters, "created_at")["filter_id"])
    on = [each for each in filters if each["is_enabled"]]
    oldest = story.lowest(on, "created_at")
    for other in story.others(on, oldest, 1):
        with story.wrong("takes another one that fits"):
            story.call("delete_filter", filter_id=other["filter_id"])
    story.call("delete_filter", filter_id=oldest["filter_id"])


@scenario(form="best_of")
def delete_my_newest_paused_filter(story: Story) -> None:
    """The holder deletes the paused filter that was made last."""
    story.pick(
        "filter",
        f"is_enabled = 0 AND {NEWER_THAT_IS_ON} AND {OLDER_THAT_IS_PAUSED}",
        mine=True,
    )
    story.wish(
        (
            "I paused a few of my filters. Please delete the newest of the paused ones, and leave the rest.",
            "I have paused a few of my filters. Could you please delete the newest of the paused ones and leave the rest?",
            "can you delete the newest of my paused filters? leave the rest",
        ),
        short="deleting the newest of my paused filters and leaving the rest",
    )
    filters = story.call("list_filters", account_id=story.identify())["filters"]
    with story.wrong("forgets a condition"):
        story.call("delete_filter", filter_id=story.highest(filters, "created_at")["filter_id"])
    paused = [each for each in filters if not each["is_enabled"]]
    newest = story.highest(paused, "created_at")
    for other in story.others(paused, newest, 1):
        with story.wrong("takes another one that fits"):
            story.call("delete_filter", filter_id=other["filter_id"])
    story.call("delete_filter", filter_id=newest["filter_id"])


@scenario
def away_with_a_full_mailbox(story: Story) -> None:
    """The holder sets a vacation reply and asks how much storage is used in all and by the trash."""
    first = story.day(story.choose("start", [1, 2, 4, 8]))
    last = story.after(first, days=story.choose("length", [3, 5, 7]))
    story.pick("account", f"state = 'active' AND {NO_FORWARDING_FILTER} AND {HAS_TRASH}", mine=True)
    note = story.dictate("note", "Out until {last}. I'll answer when I'm back.", last=last)
    story.wish(
        (
            "I'm away from {first} through {last} and worried about my mailbox filling up. How many KB does it use in total, how many in the trash? Please set a vacation reply for those days with exactly this: {note}",
            "I will be away from {first} through {last}. Could you please tell me how many KB my mailbox uses in total and how many in the trash, and set a vacation reply for those days with exactly this: {note}",
            "how many KB does my mailbox use in total, and how many in the trash? also i'm away from {first} through {last}, set a vacation reply for that with exactly this: {note}",
        ),
        short="telling me how many KB my mailbox uses in total and in the trash, and setting a vacation reply from {first} through {last} that says {note}",
        first=first,
        last=last,
        note=note,
    )
    me = story.identify()
    report = story.call("get_storage_report", account_id=me)
    story.call("set_vacation_reply", account_id=me, starts_on=first, ends_on=last, text=note)
    story.answer("total", report["used_kb"])
    story.answer("trash", story.total([each for each in report["folders"] if each["folder"] == "trash"], "size_kb"))


@scenario
def credit_for_the_outage(story: Story) -> None:
    """The holder wants a credit and asks what they owe after it."""
    amount = story.money(story.choose("amount", [150, 200, 250, 350]))
    story.pick("account", "plan <> 'free' AND credits_this_year_cents = 0 AND balance_cents >= 350", mine=True)
    story.wish(
        (
            "My mail was down all Sunday morning. Can you take {amount} off my bill for that, and what's my new balance?",
            "My mail was down all Sunday morning. I would like a credit for that, {amount}. Could you please tell me my new balance?",
            "mail was down all sunday morning, can you take {amount} off my bill for it? what's my new balance",
        ),
        short="crediting me {amount} and telling me my new balance",
        amount=amount,
    )
    me = story.identify()
    account = story.call("give_credit", account_id=me, amount_cents=amount)
    story.answer("new balance", story.money(account["balance_cents"]))


@scenario(form="each")
def empty_my_trash(story: Story) -> None:
    """The holder wants everything in the trash deleted for good, and each message has to have been there long enough."""
    place = story.choose("place", {"my trash": "trash"})
    story.pick("account", f"{FEW_IN_TRASH}", mine=True)
    empty = story.wish(
        (
            "I want a clean start. Can you delete everything in {place} for good?",
            "I would like a clean start. Could you please delete everything in {place} for good?",
            "can you delete everything in {place} for good? want a clean start",
        ),
        short="deleting everything in {place} for good",
        place=place,
    )
    trash = story.call("search_messages", account_id=story.identify(), folder=place)["messages"]
    for each in story.each(trash):
        if story.permits("delete_forever", message_ids=[each["message_id"]]):
            story.call("delete_forever", message_ids=[each["message_id"]])
        else:
            story.decline(empty)


@scenario(form="each")
def one_back_and_one_new(story: Story) -> None:
    """The holder wants a paused filter on and then a new one made, and may have room for only one."""
    paused = story.pick("filter", f"is_enabled = 0 AND {LITTLE_ROOM}", mine=True)
    name = story.choose("name", ["Coupons away", "Surveys away", "Less noise", "Not for me"])
    field = story.choose("field", ["subject"])
    action = story.choose("action", {"my archive": "archive", "spam": "spam", "the trash": "trash"})
    term = story.choose("term", ["coupon", "survey", "webinar"])
    make = story.wish(
        (
            "I'm sorting out my filters. First turn {paused} back on, then make one called {name} for {action} if the {field} has {term}.",
            "I would like to sort out my filters. Please first turn {paused} back on, and then make one called {name} for {action} if the {field} has {term}.",
            "can you first turn my {paused} filter back on, then make one called {name} for {action} if the {field} has {term}?",
        ),
        short="first turning {paused} back on, then making a filter called {name} for {action} if the {field} has {term}",
        paused=paused["name"],
        name=name,
        action=action,
        field=field,
        term=term,
    )
    me = story.identify()
    filters = story.call("list_filters", account_id=me)["filters"]
    off = story.find(filters, name=paused["name"])
    if story.permits("resume_filter", filter_id=off["filter_id"]):
        story.call("resume_filter", filter_id=off["filter_id"])
    else:
        story.decline(make)
    if story.permits("create_filter", account_id=me, name=name, match_on=field, match_text=term, action=action):
        story.call("create_filter", account_id=me, name=name, match_on=field, match_text=term, action=action)
    else:
        story.decline(make)


@scenario(form="each")
def recall_two_emails(story: Story) -> None:
    """The holder wants two sent messages recalled, and each has to be recent enough."""
    earlier_named = story.pick(
        "message",
        f"folder = 'sent' AND opened_at IS NULL AND {SENT_TWO}",
        unique_by=["account_id", "subject", "correspondent_name", "folder"],
        mine=True,
    )
    later_named = story.pick(
        "message",
        "folder = 'sent' AND opened_at IS NULL AND message_id <> ?",
        earlier_named["message_id"],
        unique_by=["account_id", "subject", "correspondent_name", "folder"],
        mine=True,
    )
    back = story.wish(
        (
            'I shouldn\'t have sent "{subject}" to {name} or "{other_subject}" to {other_name}. Can you recall both?',
            'I should not have sent "{subject}" to {name} or "{other_subject}" to {other_name}. Could you please recall both?',
            'can you recall "{subject}" to {name} and "{other_subject}" to {other_name}? shouldn\'t have sent either',
        ),
        short="recalling {subject} to {name} and {other_subject} to {other_name}",
        subject=later_named["subject"],
        name=later_named["correspondent_name"],
        other_subject=earlier_named["subject"],
        other_name=earlier_named["correspondent_name"],
    )
    me = story.identify()
    found = story.call("search_messages", account_id=me, text=later_named["subject"])["messages"]
    sent = [each for each in found if each["folder"] == "sent"]
    one = story.find(sent, subject=later_named["subject"], correspondent_name=later_named["correspondent_name"])
    found = story.call("search_messages", account_id=me, text=earlier_named["subject"])["messages"]
    sent = [each for each in found if each["folder"] == "sent"]
    two = story.find(sent, subject=earlier_named["subject"], correspondent_name=earlier_named["correspondent_name"])
    for each in (one, two):
        if story.permits("recall_message", message_id=each["message_id"]):
            story.call("recall_message", message_id=each["message_id"])
        else:
            story.decline(back)
