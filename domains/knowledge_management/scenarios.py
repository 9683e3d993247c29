"""What people want of Company knowledge base: every function is a scenario."""

from runtime.story import Story, scenario

MY_WORK = """
    ((SELECT count(*) FROM article WHERE article.owner_id = member.member_id
        AND article.state = 'draft') + (SELECT count(*) FROM revision WHERE revision.author_id = member.member_id
        AND revision.state IN ('draft', 'in_review', 'changes_requested')))
"""
MY_PIECES = "(CASE member.level WHEN 'reader' THEN 1 WHEN 'contributor' THEN 2 ELSE 3 END)"
NO_REVIEW = """
    NOT EXISTS (SELECT 1 FROM revision WHERE revision.article_id = article.article_id
        AND revision.state = 'in_review')
"""
THAWED = """
    EXISTS (SELECT 1 FROM space WHERE space.space_id = article.space_id
        AND (space.frozen_until IS NULL OR space.frozen_until < '2026-05-19'))
"""
APPROVED = """
    EXISTS (SELECT 1 FROM revision WHERE revision.article_id = article.article_id
        AND revision.state = 'approved')
"""
MY_WORK_2 = """
    ((SELECT count(*) FROM article WHERE article.owner_id = revision.author_id
        AND article.state = 'draft') + (SELECT count(*) FROM revision AS each_one WHERE each_one.author_id = revision.author_id
        AND each_one.state IN ('draft', 'in_review', 'changes_requested')))
"""
MY_PIECES_2 = """
    (SELECT CASE member.level WHEN 'reader' THEN 1 WHEN 'contributor' THEN 2 ELSE 3 END FROM member WHERE member.member_id = revision.author_id)
"""
NO_UNFINISHED = """
    NOT EXISTS (SELECT 1 FROM revision WHERE revision.article_id = article.article_id
        AND revision.state IN ('draft', 'in_review', 'changes_requested'))
"""
ACTIVE = """
    subscription.ended_on IS NULL
        AND (subscription.paused_until IS NULL OR subscription.paused_until < '2026-05-19')
"""
NOTHING_ELSE_ACTIVE = """
    NOT EXISTS (SELECT 1 FROM subscription AS other WHERE other.member_id = subscription.member_id
        AND other.ended_on IS NULL
        AND (other.paused_until IS NULL OR other.paused_until < '2026-05-19'))
"""
MY_HOURS = """
    (SELECT coalesce(sum(other.estimated_hours), 0) FROM request AS other WHERE other.asker_id = request.asker_id
        AND other.state <> 'withdrawn'
        AND other.created_at >= '2026-04-01')
"""
MY_LIMIT = """
    (SELECT CASE asker.level WHEN 'reader' THEN 4 WHEN 'contributor' THEN 6 ELSE 10 END FROM member AS asker WHERE asker.member_id = request.asker_id)
"""
ANSWERABLE = """
    request.state = 'claimed'
        AND EXISTS (SELECT 1 FROM article WHERE article.space_id = request.space_id
        AND article.state = 'published')
        AND EXISTS (SELECT 1 FROM request AS next WHERE next.space_id = request.space_id
        AND next.state = 'new'
        AND next.asker_id <> request.assignee_id)
"""
FOUR_LIVE = """
    (SELECT count(*) FROM article AS other WHERE other.owner_id = article.owner_id
        AND other.state = 'published') BETWEEN 4
        AND 12
"""
FOUR_CALM = """
    (SELECT count(*) FROM article AS other WHERE other.owner_id = article.owner_id
        AND other.state = 'published'
        AND NOT EXISTS (SELECT 1 FROM revision WHERE revision.article_id = other.article_id
        AND revision.state = 'in_review')) >= 3
"""
CALM_PAGE = """
    article.owner_id = member.member_id
        AND article.state = 'published'
        AND NOT EXISTS (SELECT 1 FROM revision WHERE revision.article_id = article.article_id
        AND revision.state IN ('draft', 'in_review', 'changes_requested'))
"""
LIVE_PAGE = "article.owner_id = member.member_id AND article.state = 'published'"
MOVABLE = """
    article.owner_id = member.member_id
        AND article.state <> 'archived'
        AND NOT EXISTS (SELECT 1 FROM revision WHERE revision.article_id = article.article_id
        AND revision.state = 'in_review')
"""


@scenario
def new_desk_new_number(story: Story) -> None:
    """A member reports a new phone number and a new team."""
    phone = story.choose("phone", ["(614) 555-0191", "(512) 555-0187", "(303) 555-0194", "(206) 555-0189"])
    team = story.choose("team", ["Finance", "Sales", "Legal", "Product", "Marketing", "Data"])
    story.pick("member", "phone <> ? AND team <> ?", phone, team, mine=True)
    story.wish(
        (
            "I switched teams and got a new desk phone. Can you put me down for {team} and change my work phone to {phone}?",
            "I have moved to a new team and a new desk. Please change my team to {team} and my work phone number to {phone}.",
            "can you change my team to {team} and my work phone to {phone}? just moved desks",
        ),
        short="changing my team to {team} and my work phone to {phone}",
        team=team,
        phone=phone,
    )
    story.call("update_member", member_id=story.identify(), phone=phone, team=team)


@scenario
def freeze_my_space(story: Story) -> None:
    """A steward puts a content freeze on a space of theirs."""
    day = story.choose("day", [story.day(24), story.day(28), story.day(31)])
    space = story.pick(
        "space", "frozen_until IS NULL OR frozen_until < ?", story.day(23), unique_by=["name"], mine=True
    )
    story.wish(
        (
            "We have an audit coming up in {space}, which I run. Can you freeze it through {day}?",
            "An audit of {space}, the space I am in charge of, is coming up. Please freeze it through {day}.",
            "freeze {space} through {day} pls, that's the space i run and there's an audit",
        ),
        short="freezing {space} through {day}",
        space=space["name"],
        day=day,
    )
    story.identify()
    mine = story.find(story.call("list_spaces", name=space["name"])["spaces"], name=space["name"])
    story.call("freeze_space", space_id=mine["space_id"], frozen_until=day)


@scenario
def move_to_the_right_space(story: Story) -> None:
    """An owner moves an article to another space and asks how many views it gets."""
    article = story.pick(
        "article",
        f"state = 'published' AND monthly_views > 12 AND {NO_REVIEW} AND {THAWED}",
        unique_by=["title"],
        mine=True,
    )
    space = story.pick(
        "space",
        """
        space_id <> ? AND (frozen_until IS NULL OR frozen_until < ?)
        AND space_id NOT IN (SELECT space_id FROM article WHERE lower(title) = lower(?) AND state <> 'archived')
        """,
        article["space_id"],
        story.today,
        article["title"],
        unique_by=["name"],
    )
    story.wish(
        (
            "My article {title} really belongs in {space}. Can you move it there, and tell me how many monthly views it gets?",
            "My article {title} should be in {space}. Could you please move it there and tell me how many monthly views it has?",
            "can you move my article {title} to {space}? and how many monthly views does it get",
        ),
        short="moving my article {title} to {space} and telling me how many monthly views it gets",
        title=article["title"],
        space=space["name"],
    )
    mine = story.find(story.call("search_articles", member_id=story.identify())["articles"], title=article["title"])
    place = story.find(story.call("list_spaces", name=space["name"])["spaces"], name=space["name"])
    moved = story.call("move_article", article_id=mine["article_id"], space_id=place["space_id"])
    story.answer("monthly views", moved["monthly_views"])


@scenario(form="fallback")
def publish_or_take_my_number(story: Story) -> None:
    """An owner wants a reviewed draft published, or else leaves a phone number."""
    article = story.pick("article", f"state = 'draft' AND {APPROVED} AND {NO_REVIEW}", unique_by=["title"], mine=True)
    phone = story.choose("phone", ["(614) 555-0191", "(512) 555-0187", "(303) 555-0194"])
    publish = story.wish(
        (
            "My draft {title} made it through review. Can you publish it?",
            "My draft {title} has passed its review. Please publish it.",
            "can you publish my draft {title}? it's through review",
        ),
        short="publishing my draft {title}",
        title=article["title"],
    )
    reach = story.otherwise(
        publish,
        (
            "Then please change my work phone to {phone}, so people can call me and ask.",
            "In that case, please change my work phone number to {phone}, so that people can call me with questions.",
            "then change my work phone to {phone} so folks can just call me about it",
        ),
        short="changing my work phone to {phone}",
        phone=phone,
    )
    key = story.identify()
    mine = story.find(story.call("search_articles", wish=publish, member_id=key)["articles"], title=article["title"])
    place = story.find(
        story.call("list_spaces", wish=publish, name=mine["space_name"])["spaces"], name=mine["space_name"]
    )
    if story.permits("publish_article", wish=publish, article_id=mine["article_id"]):
        with story.wrong("only changes the phone"):
            story.call("update_member", wish=publish, member_id=key, phone=phone)
        with story.wrong("does both"):
            story.call("publish_article", wish=publish, article_id=mine["article_id"])
            story.call("update_member", wish=publish, member_id=key, phone=phone)
        story.call("publish_article", wish=publish, article_id=mine["article_id"])
    else:
        story.decline(publish)
        with story.wrong("freezes it for longer"):
            story.call(
                "freeze_space",
                wish=publish,
                space_id=place["space_id"],
                frozen_until=story.after(place["frozen_until"], days=7),
            )
        story.call("update_member", wish=reach, member_id=key, phone=phone)


@scenario(form="fallback")
def write_or_move_teams(story: Story) -> None:
    """A member wants to start an article, or else has their team corrected."""
    team = story.choose("team", ["Finance", "Sales", "Legal", "Product"])
    story.pick(
        "member", f"team <> ? AND {MY_WORK} BETWEEN {MY_PIECES} - 1 AND {MY_PIECES} AND {MY_WORK} > 0", team, mine=True
    )
    space = story.pick("space", "1 = 1", unique_by=["name"])
    kind = story.choose("kind", {"a how-to": "how_to", "a reference page": "reference"})
    title = story.dictate("title", "Working with an outside agency")
    write = story.wish(
        (
            "I want to write {kind} for {space}. Can you start it for me with exactly this title: {title}",
            "I would like to write {kind} for {space}. Please start it with exactly this title: {title}",
            "can you start {kind} in {space} for me? title exactly: {title}",
        ),
        short="starting {kind} in {space} with the title {title}",
        kind=kind,
        space=space["name"],
        title=title,
    )
    move = story.otherwise(
        write,
        (
            "Then at least change my team to {team}, I moved there last week.",
            "In that case, please change my team to {team}. I moved there last week.",
            "then at least put me down for {team}, moved there last week",
        ),
        short="changing my team to {team}",
        team=team,
    )
    key = story.identify()
    place = story.find(story.call("list_spaces", wish=write, name=space["name"])["spaces"], name=space["name"])[
        "space_id"
    ]
    if story.permits("create_article", wish=write, member_id=key, space_id=place, title=title, kind=kind):
        with story.wrong("makes it another kind"):
            story.call("create_article", wish=write, member_id=key, space_id=place, title=title, kind="faq")
        with story.wrong("only changes the team"):
            story.call("update_member", wish=write, member_id=key, team=team)
        story.call("create_article", wish=write, member_id=key, space_id=place, title=title, kind=kind)
    else:
        story.decline(write)
        with story.wrong("makes it another kind"):
            story.call("create_article", wish=write, member_id=key, space_id=place, title=title, kind="faq")
        story.call("update_member", wish=move, member_id=key, team=team)


@scenario(form="best_of")
def move_the_next_due(story: Story) -> None:
    """An owner moves, of their published articles without one kind, the one whose check is due first."""
    but = story.choose("but", {"FAQs": "faq", "policy pages": "policy", "reference pages": "reference"})
    article = story.pick(
        "article",
        f"""
        state = 'published' AND kind <> ? AND {NO_REVIEW} AND {THAWED}
        AND review_due_on = (SELECT min(due.review_due_on) FROM article AS due WHERE due.owner_id = article.owner_id AND due.state = 'published' AND due.kind <> ?)
        AND EXISTS (SELECT 1 FROM article AS due WHERE due.owner_id = article.owner_id AND due.state = 'published' AND due.kind = ? AND due.review_due_on < article.review_due_on)
        """,
        but,
        but,
        but,
        mine=True,
    )
    space = story.pick(
        "space",
        """
        space_id <> ? AND (frozen_until IS NULL OR frozen_until < ?)
        AND space_id NOT IN (SELECT space_id FROM article WHERE owner_id = ?)
        """,
        article["space_id"],
        story.today,
        article["owner_id"],
        unique_by=["name"],
    )
    story.wish(
        (
            "I'm cleaning up. Of my published articles, not counting {but}, please move the one that's due for a check first to {space}.",
            "I am tidying up my pages. Among my published articles other than {but}, please move the one that is due for a check first to {space}.",
            "of my published articles, not the {but}, can you move whichever is due for a check first to {space}",
        ),
        short="moving the published article of mine that's due for a check first, not counting {but}, to {space}",
        but=but,
        space=space["name"],
    )
    articles = story.call("search_articles", member_id=story.identify())["articles"]
    place = story.find(story.call("list_spaces", name=space["name"])["spaces"], name=space["name"])
    published = [each for each in articles if each["state"] == "published"]
    with story.wrong("forgets the condition"):
        story.call(
            "move_article",
            article_id=story.lowest(published, "review_due_on")["article_id"],
            space_id=place["space_id"],
        )
    fitting = [each for each in published if each["kind"] != but]
    first = story.lowest(fitting, "review_due_on")
    for other in story.others(fitting, first, 1):
        with story.wrong("takes another one that fits"):
            story.call("move_article", article_id=other["article_id"], space_id=place["space_id"])
    story.call("move_article", article_id=first["article_id"], space_id=place["space_id"])


@scenario(form="computed")
def what_my_pages_draw(story: Story) -> None:
    """An owner asks how many monthly views two of their articles draw together, and who reviewed the one that draws more."""
    one = story.pick(
        "article",
        """
        state = 'published' AND monthly_views > 12
        AND EXISTS (SELECT 1 FROM article AS other WHERE other.owner_id = article.owner_id AND other.article_id <> article.article_id AND other.state = 'published' AND other.monthly_views > 12 AND other.monthly_views <> article.monthly_views)
        """,
        unique_by=["title"],
        mine=True,
    )
    two = story.pick(
        "article",
        "state = 'published' AND monthly_views > 12 AND owner_id = ? AND article_id <> ? AND monthly_views <> ?",
        one["owner_id"],
        one["article_id"],
        one["monthly_views"],
        unique_by=["title"],
    )
    story.wish(
        (
            "I'm writing my self-review. How many monthly views do my articles {one} and {two} get in total, and which article gets more?",
            "For my self-review, I would like to know the total of monthly views of my articles {one} and {two}. Which article has more?",
            "need it for my review: total monthly views of my articles {one} and {two}, and which article gets more",
        ),
        short="telling me the total of monthly views of my articles {one} and {two} and which article gets more",
        one=one["title"],
        two=two["title"],
    )
    articles = story.call("search_articles", member_id=story.identify())["articles"]
    pages = []
    for title in (one["title"], two["title"]):
        entry = story.find(articles, title=title)
        pages.append(story.call("get_article", article_id=entry["article_id"]))
    more = story.highest(pages, "monthly_views")
    less = story.lowest(pages, "monthly_views")
    with story.wrong("forgets one of them"):
        story.answer("total", more["monthly_views"])
        story.answer("article", more["title"], source="article.title")
    with story.wrong("names the other one"):
        story.answer("total", story.total(pages, "monthly_views"))
        story.answer("article", less["title"], source="article.title")
    story.answer("total", story.total(pages, "monthly_views"))
    story.answer("article", more["title"], source="article.title")


@scenario(form="coupled")
def new_page_for_old_change(story: Story) -> None:
    """A writer starts an article for which there is room only once a draft change is taken back."""
    revision = story.pick(
        "revision",
        f"state = 'draft' AND {MY_WORK_2} = {MY_PIECES_2}",
        unique_by=["author_id", "article_id.title", "state"],
        mine=True,
    )
    old = story.row("article", revision["article_id"])["title"]
    space = story.pick("space", "1 = 1", unique_by=["name"])
    kind = story.choose("kind", {"a how-to": "how_to", "a reference page": "reference"})
    title = story.dictate("title", "Working with an outside agency")
    with story.together():
        write = story.wish(
            (
                "I have a new page in mind. Please start {kind} in {space} for me with exactly this title: {title}",
                "I would like to write {kind} for {space}. Please start it with exactly this title: {title}",
                "can you start {kind} in {space} for me, title exactly: {title}",
            ),
            short="starting {kind} in {space} with the title {title}",
            kind=kind,
            space=space["name"],
            title=title,
        )
        drop = story.wish(
            (
                "And take back my draft change to {old}, I won't finish that one.",
                "Please also withdraw my draft change to {old}, which I will not finish.",
                "and scrap my draft change to {old}, not finishing that",
            ),
            short="taking back my draft change to {old}",
            old=old,
        )
    key = story.identify()
    article = story.find(story.call("search_articles", wish=drop, text=old)["articles"], title=old)
    revisions = story.call("get_article", wish=drop, article_id=article["article_id"])["revisions"]
    mine = story.find([each for each in revisions if each["state"] == "draft"], author_id=key)
    place = story.find(story.call("list_spaces", wish=write, name=space["name"])["spaces"], name=space["name"])
    story.call("withdraw_revision", wish=drop, revision_id=mine["revision_id"])
    story.call("create_article", wish=write, member_id=key, space_id=place["space_id"], title=title, kind=kind)


@scenario(form="looked_up")
def move_what_somebody_reviewed(story: Story) -> None:
    """An owner moves the article that a certain colleague reviewed, without knowing its title."""
    revision = story.pick(
        "revision",
        f"""
        state = 'approved' AND article_id IN (
            SELECT article_id FROM article
            WHERE article.owner_id = revision.author_id AND article.state <> 'archived' AND {NO_REVIEW} AND {THAWED}
                AND (SELECT count(*) FROM article AS other WHERE other.owner_id = article.owner_id) BETWEEN 2 AND 4)
        AND NOT EXISTS (
            SELECT 1 FROM revision AS other JOIN article ON article.article_id = other.article_id JOIN member AS twin ON twin.member_id = other.reviewer_id
            WHERE article.owner_id = revision.author_id AND other.revision_id <> revision.revision_id
                AND twin.name = (SELECT name FROM member WHERE member.member_id = revision.reviewer_id))
        """,
        mine=True,
    )
    reviewer = story.row("member", revision["reviewer_id"])["name"]
    space = story.pick(
        "space",
        """
        space_id NOT IN (SELECT space_id FROM article WHERE owner_id = ?)
        AND (frozen_until IS NULL OR frozen_until < ?)
        """,
        revision["author_id"],
        story.today,
        unique_by=["name"],
    )
    story.wish(
        (
            "The article of mine that {reviewer} reviewed should be in {space}. Can you move it? I forget the title.",
            "Please move the article of mine that {reviewer} reviewed to {space}. I do not recall its title.",
            "move that article of mine that {reviewer} reviewed to {space} pls, forgot what i called it",
        ),
        short="moving the article of mine that {reviewer} reviewed to {space}",
        reviewer=reviewer,
        space=space["name"],
    )
    articles = story.call("search_articles", member_id=story.identify())["articles"]
    pages = [
        story.call("get_article", article_id=each["article_id"]) for each in articles if each["state"] != "archived"
    ]
    reviewed = story.find([change for page in pages for change in page["revisions"]], reviewer_name=reviewer)
    mine = story.find(articles, article_id=reviewed["article_id"])
    place = story.find(story.call("list_spaces", name=space["name"])["spaces"], name=space["name"])
    for other in story.others([each for each in articles if each["state"] != "archived"], mine):
        with story.wrong("takes another one"):
            story.call("move_article", article_id=other["article_id"], space_id=place["space_id"])
    story.call("move_article", article_id=mine["article_id"], space_id=place["space_id"])


@scenario(form="mistaken")
def when_is_it_due_there(story: Story) -> None:
    """An owner is wrong about a check, moves the article, and asks when the check is due then."""
    days = story.choose("days", (3, 5, 9))
    article = story.pick("article", f"state = 'published' AND {NO_REVIEW} AND {THAWED}", unique_by=["title"], mine=True)
    space = story.pick(
        "space",
        """
        space_id <> ? AND (frozen_until IS NULL OR frozen_until < ?)
        AND space_id NOT IN (SELECT space_id FROM article WHERE lower(title) = lower(?) AND state <> 'archived')
        """,
        article["space_id"],
        story.today,
        article["title"],
        unique_by=["name"],
    )
    wrong = story.after(article["review_due_on"], days=-days)
    story.wish(
        (
            "I think the check on my article {title} is due {day}. Please move the article to {space} and tell me when the check is due after that.",
            "I believe that the check on my article {title} is due {day}. Could you please move the article to {space} and tell me when the check is due then?",
            "move my article {title} to {space} pls. check's due {day} i think, when is the check due after the move",
        ),
        short="moving my article {title} to {space} and telling me when the check is due after that",
        title=article["title"],
        day=wrong,
        space=space["name"],
    )
    story.believes("check", wrong, article["review_due_on"])
    mine = story.find(story.call("search_articles", member_id=story.identify())["articles"], title=article["title"])
    place = story.find(story.call("list_spaces", name=space["name"])["spaces"], name=space["name"])
    with story.wrong("trusts the customer"):
        story.call("move_article", article_id=mine["article_id"], space_id=place["space_id"])
        story.answer("check", wrong)
    with story.wrong("does not move it"):
        story.answer("check", mine["review_due_on"])
    moved = story.call("move_article", article_id=mine["article_id"], space_id=place["space_id"])
    story.answer("check", moved["review_due_on"])


@scenario(form="outside")
def new_team_new_chair(story: Story) -> None:
    """A member has moved to another team and wants somebody to carry their chair."""
    team = story.choose("team", ["Finance", "Sales", "Legal", "Product", "Marketing", "Facilities", "Security"])
    story.pick("member", "team <> ?", team, mine=True)
    story.wish(
        (
            "I moved over to a new team this week. Can you change my team to {team}?",
            "As of this week I belong to a new team. Please change my team to {team}.",
            "can you put me down for {team}? new team as of this week",
        ),
        short="changing my team to {team}",
        team=team,
    )
    story.call("update_member", member_id=story.identify(), team=team)
    story.outside(
        (
            "And can you have somebody carry my chair and monitor up to the new floor?",
            "Could you also have someone carry my chair and monitor to the new floor?",
            "and can you get someone to carry my chair and monitor up to the new floor",
        )
    )


@scenario(form="withheld")
def a_new_phone_number(story: Story) -> None:
    """A member has a new work phone number and tells it when asked."""
    phone = story.choose(
        "phone", ["(614) 555-0191", "(512) 555-0187", "(303) 555-0194", "(206) 555-0189", "(404) 555-0196"]
    )
    story.pick("member", "phone <> ?", phone, mine=True)
    change = story.wish(
        (
            "I got a new work phone, so the number you have for me is wrong. Can you update it?",
            "My work phone number has changed. Please update the one you have for me.",
            "new work phone here, can you update my number?",
        )
    )
    story.keep_back("new phone number", phone)
    story.in_short(change, "changing my work phone number to {phone}", phone=phone)
    story.call("update_member", member_id=story.identify(), phone=phone)


@scenario
def confirm_and_put_off(story: Story) -> None:
    """An owner confirms an article and then puts off its next check."""
    article = story.pick("article", f"state = 'published' AND {NO_REVIEW}", unique_by=["title"], mine=True)
    day = story.choose("day", [story.day(380), story.day(394), story.day(408)])
    story.wish(
        (
            "I went through my article {title} and it's all still right. Please confirm it, then put off the next check until {day}.",
            "I have reviewed my article {title}, and everything in it is still correct. Please confirm it and then postpone the next check until {day}.",
            "checked my article {title}, still all good. confirm it pls and then push the next check out to {day}",
        ),
        short="confirming my article {title} and then putting off its next check until {day}",
        title=article["title"],
        day=day,
    )
    mine = story.find(
        story.call("search_articles", member_id=story.identify(), text=article["title"])["articles"],
        title=article["title"],
    )
    story.call("verify_article", article_id=mine["article_id"])
    story.call("postpone_check", article_id=mine["article_id"], review_due_on=day)


@scenario
def start_over_on_a_change(story: Story) -> None:
    """An author takes back a draft change and sends a new minor one to a reviewer."""
    old = story.pick(
        "revision",
        """
        state = 'draft'
        AND NOT EXISTS (SELECT 1 FROM revision AS other WHERE other.article_id = revision.article_id AND other.state = 'in_review')
        """,
        unique_by=["author_id", "article_id.title", "state"],
        mine=True,
    )
    title = story.row("article", old["article_id"])["title"]
    reviewer = story.pick("member", "member_id <> ? AND level <> 'reader'", old["author_id"], unique_by=["email"])
    size = story.choose("size", {"a minor one": "minor"})
    day = story.choose("day", [story.day(3), story.day(7), story.day(9)])
    summary = story.dictate("summary", "Corrects the second step")
    story.wish(
        (
            "My draft change to {title} went nowhere, take it back. Start {size} instead and send it to {email} for review by {day}, described exactly like this: {summary}",
            "Please withdraw my draft change to {title}. I would like to start {size} instead and submit it to {email}, with the review due {day} and exactly this summary: {summary}",
            "scrap my draft change to {title} and start {size}, send it to {email} to review by {day}. summary exactly: {summary}",
        ),
        short="taking back my draft change to {title}, starting {size} with the summary {summary}, and sending it to {email} for review by {day}",
        title=title,
        size=size,
        email=reviewer["email"],
        day=day,
        summary=summary,
    )
    key = story.identify()
    article = story.find(story.call("search_articles", text=title)["articles"], title=title)
    revisions = story.call("get_article", article_id=article["article_id"])["revisions"]
    mine = story.find([each for each in revisions if each["state"] == "draft"], author_id=key)
    other = story.call("find_member_by_email", email=reviewer["email"])
    story.call("withdraw_revision", revision_id=mine["revision_id"])
    new = story.call("start_revision", article_id=article["article_id"], member_id=key, summary=summary, size=size)
    story.call("submit_revision", revision_id=new["revision_id"], reviewer_id=other["member_id"], due_on=day)


@scenario
def send_a_change_back(story: Story) -> None:
    """A reviewer returns a change to its author with a comment."""
    story.pick(
        "member",
        "EXISTS (SELECT 1 FROM revision WHERE reviewer_id = member.member_id AND state = 'in_review')",
        mine=True,
    )
    revision = story.pick(
        "revision",
        "state = 'in_review' AND reviewer_id = ?",
        story.me["member_id"],
        unique_by=["article_id.title", "state"],
    )
    title = story.row("article", revision["article_id"])["title"]
    comment = story.dictate("comment", "Please say who to call when this fails")
    story.wish(
        (
            "I've read the change to {title} that I'm reviewing, and it isn't there yet. Please send it back with exactly this comment: {comment}",
            "I have finished reading the change to {title} that is with me for review. Please return it to its author with exactly this comment: {comment}",
            "send the change to {title} that i'm reviewing back pls, with exactly this comment: {comment}",
        ),
        short="sending the change to {title} that I'm reviewing back with the comment {comment}",
        title=title,
        comment=comment,
    )
    key = story.identify()
    article = story.find(story.call("search_articles", text=title)["articles"], title=title)
    revisions = story.call("get_article", article_id=article["article_id"])["revisions"]
    mine = story.find([each for each in revisions if each["state"] == "in_review"], reviewer_id=key)
    story.call("return_revision", revision_id=mine["revision_id"], comment=comment)


@scenario
def approve_a_change(story: Story) -> None:
    """A reviewer approves a change and asks when the article is checked next."""
    story.pick(
        "member",
        "EXISTS (SELECT 1 FROM revision JOIN article USING (article_id) WHERE reviewer_id = member.member_id AND revision.state = 'in_review' AND article.state = 'published')",
        mine=True,
    )
    revision = story.pick(
        "revision",
        "state = 'in_review' AND reviewer_id = ? AND article_id IN (SELECT article_id FROM article WHERE state = 'published')",
        story.me["member_id"],
        unique_by=["article_id.title", "state"],
    )
    title = story.row("article", revision["article_id"])["title"]
    story.wish(
        (
            "The change to {title} that I'm reviewing looks good. Please approve it and tell me when the next check of that article is due.",
            "I have reviewed the change to {title}, and it is ready. Please approve it and let me know when the next check of the article is due.",
            "change to {title} looks good to me, approve it pls. when's the next check of that article due then",
        ),
        short="approving the change to {title} that I'm reviewing and telling me when the article's next check is due",
        title=title,
    )
    key = story.identify()
    article = story.find(story.call("search_articles", text=title)["articles"], title=title)
    revisions = story.call("get_article", article_id=article["article_id"])["revisions"]
    mine = story.find([each for each in revisions if each["state"] == "in_review"], reviewer_id=key)
    story.call("approve_revision", revision_id=mine["revision_id"])
    after = story.call("get_article", article_id=article["article_id"])
    story.answer("next check", after["review_due_on"])


@scenario(form="denied")
def send_a_draft_to_review(story: Story) -> None:
    """An author sends a draft change to a colleague for review."""
    revision = story.pick(
        "revision",
        """
        state = 'draft'
        AND NOT EXISTS (SELECT 1 FROM revision AS other WHERE other.article_id = revision.article_id AND other.state = 'in_review')
        """,
        unique_by=["author_id", "article_id.title", "state"],
        mine=True,
    )
    title = story.row("article", revision["article_id"])["title"]
    reviewer = story.pick("member", "member_id <> ?", revision["author_id"], unique_by=["email"])
    day = story.choose("day", [story.day(6), story.day(8), story.day(10)])
    send = story.wish(
        (
            "I finished my draft change to {title}. Can you send it to {name} at {email} for review by {day}?",
            "My draft change to {title} is complete. Please submit it to {name} at {email} for review by {day}.",
            "done with my draft change to {title}, can you send it to {name} at {email} to review by {day}",
        ),
        short="sending my draft change to {title} to {name} at {email} for review by {day}",
        title=title,
        name=reviewer["name"],
        email=reviewer["email"],
        day=day,
    )
    story.insists(
        send,
        (
            "I trust that person's judgment more than anybody's.",
            "I trust this person's judgment more than anyone else's.",
            "there's nobody whose judgment i trust more",
        ),
    )
    story.insists(
        send,
        (
            "I've been working on this for ages and just want it read.",
            "I have worked on this for a long time and simply want it to be read.",
            "been at this forever, i just want it read",
        ),
    )
    key = story.identify()
    article = story.find(story.call("search_articles", text=title)["articles"], title=title)
    revisions = story.call("get_article", article_id=article["article_id"])["revisions"]
    mine = story.find([each for each in revisions if each["state"] == "draft"], author_id=key)
    other = story.call("find_member_by_email", email=reviewer["email"])
    with story.wrong("gives the reviewer another day"):
        story.call(
            "submit_revision",
            revision_id=mine["revision_id"],
            reviewer_id=other["member_id"],
            due_on=story.after(day, days=1),
        )
    with story.wrong("takes it back"):
        story.call("withdraw_revision", revision_id=mine["revision_id"])
    if story.permits("submit_revision", revision_id=mine["revision_id"], reviewer_id=other["member_id"], due_on=day):
        story.call("submit_revision", revision_id=mine["revision_id"], reviewer_id=other["member_id"], due_on=day)
    else:
        story.decline(send)


@scenario(form="denied")
def retire_an_article(story: Story) -> None:
    """An owner wants to archive an article as outdated."""
    article = story.pick("article", f"state = 'published' AND {NO_UNFINISHED}", unique_by=["title"], mine=True)
    why = story.choose("why", {"outdated": "outdated"})
    retire = story.wish(
        (
            "My article {title} doesn't match how we work anymore. Can you archive it as {why}?",
            "My article {title} no longer describes how we work. Please archive it as {why}.",
            "can you archive my article {title} as {why}? we don't work like that anymore",
        ),
        short="archiving my article {title} as {why}",
        title=article["title"],
        why=why,
    )
    story.insists(
        retire,
        (
            "It's embarrassing to have my name on that page.",
            "I find it embarrassing to have my name on that page.",
            "it's embarrassing having my name on that thing",
        ),
    )
    story.insists(
        retire,
        (
            "I wrote it, so I should get to take it down.",
            "I am responsible for it, so I believe I should be able to retire it.",
            "it's my page, i should get to take it down",
        ),
    )
    mine = story.find(story.call("search_articles", member_id=story.identify())["articles"], title=article["title"])
    story.call("get_article", article_id=mine["article_id"])
    with story.wrong("confirms it instead"):
        story.call("verify_article", article_id=mine["article_id"])
    with story.wrong("puts off its check"):
        story.call("postpone_check", article_id=mine["article_id"], review_due_on=story.day(500))
    if story.permits("archive_article", article_id=mine["article_id"], reason=why):
        story.call("archive_article", article_id=mine["article_id"], reason=why)
    else:
        story.decline(retire)


@scenario
def unstick_a_review(story: Story) -> None:
    """An author gives a review that nobody gets to to an expert, with a new day."""
    revision = story.pick(
        "revision", "state = 'in_review'", unique_by=["author_id", "article_id.title", "state"], mine=True
    )
    title = story.row("article", revision["article_id"])["title"]
    expert = story.pick(
        "member",
        "level = 'expert' AND member_id NOT IN (?, ?)",
        revision["author_id"],
        revision["reviewer_id"],
        unique_by=["email"],
    )
    day = story.choose("day", [story.day(30), story.day(34), story.day(37)])
    story.wish(
        (
            "Nobody is getting to my change to {title}. Can you give the review to {name} at {email} instead, due {day}?",
            "I have been waiting for the review of my change to {title}. Please assign the review to {name} at {email}, due {day}.",
            "can you give the review of my change to {title} to {name} at {email}, due {day}? it's stuck",
        ),
        short="giving the review of my change to {title} to {name} at {email}, due {day}",
        title=title,
        name=expert["name"],
        email=expert["email"],
        day=day,
    )
    key = story.identify()
    article = story.find(story.call("search_articles", text=title)["articles"], title=title)
    revisions = story.call("get_article", article_id=article["article_id"])["revisions"]
    mine = story.find([each for each in revisions if each["state"] == "in_review"], author_id=key)
    other = story.call("find_member_by_email", email=expert["email"])
    story.call("reassign_review", revision_id=mine["revision_id"], reviewer_id=other["member_id"], due_on=day)


@scenario(form="denied")
def move_a_check_out(story: Story) -> None:
    """An owner wants the next check of an article put off while a change to it is in review."""
    day = story.choose("day", [story.day(420), story.day(434), story.day(441)])
    article = story.pick(
        "article",
        """
        state = 'published' AND review_due_on < ?
        AND EXISTS (SELECT 1 FROM revision WHERE revision.article_id = article.article_id AND revision.state = 'in_review')
        """,
        story.day(410),
        unique_by=["title"],
        mine=True,
    )
    late = story.wish(
        (
            "I can't get around to checking my article {title}. Can you put the next check off until {day}?",
            "I am unable to check my article {title} for now. Please postpone its next check until {day}.",
            "no time to check my article {title}, can you push the next check to {day}",
        ),
        short="putting off the next check of my article {title} until {day}",
        title=article["title"],
        day=day,
    )
    story.insists(
        late,
        (
            "I'm drowning in work and this is the one thing I can let slide.",
            "I am overwhelmed with work, and this is the one thing that can wait.",
            "i'm drowning here, this is the one thing that can slide",
        ),
    )
    story.insists(
        late,
        (
            "That page barely ever changes anyway, trust me.",
            "That page hardly ever changes in any case. Please trust me on this.",
            "that page barely changes anyway, trust me",
        ),
    )
    mine = story.find(story.call("search_articles", member_id=story.identify())["articles"], title=article["title"])
    story.call("get_article", article_id=mine["article_id"])
    with story.wrong("picks the day after"):
        story.call("postpone_check", article_id=mine["article_id"], review_due_on=story.after(day, days=1))
    with story.wrong("picks the week after"):
        story.call("postpone_check", article_id=mine["article_id"], review_due_on=story.after(day, days=7))
    if story.permits("postpone_check", article_id=mine["article_id"], review_due_on=day):
        story.call("postpone_check", article_id=mine["article_id"], review_due_on=day)
    else:
        story.decline(late)


@scenario(form="all_but")
def confirm_all_but_one(story: Story) -> None:
    """An owner confirms all their published articles except one."""
    article = story.pick(
        "article",
        """
        state = 'published'
        AND (SELECT count(*) FROM article AS other WHERE other.owner_id = article.owner_id AND other.state = 'published') BETWEEN 3 AND 6
        AND NOT EXISTS (
            SELECT 1 FROM article AS other JOIN revision ON revision.article_id = other.article_id
            WHERE other.owner_id = article.owner_id AND other.state = 'published' AND revision.state = 'in_review')
        """,
        unique_by=["title"],
        mine=True,
    )
    story.wish(
        (
            "I went through all my published articles and they're fine, except {title}. Can you confirm all the others?",
            "I have checked all of my published articles. Please confirm every one of them except {title}.",
            "can you confirm all my published articles? skip {title}, haven't gotten to that one",
        ),
        short="confirming all my published articles except {title}",
        title=article["title"],
    )
    articles = story.call("search_articles", member_id=story.identify())["articles"]
    published = [each for each in articles if each["state"] == "published"]
    with story.wrong("forgets the exception"):
        for each in published:
            story.call("verify_article", article_id=each["article_id"])
    for each in story.all_but(published, title=article["title"]):
        story.call("verify_article", article_id=each["article_id"])


@scenario(form="changed_mind")
def another_reviewer_after_all(story: Story) -> None:
    """An author gives a review to one colleague and then to another."""
    revision = story.pick(
        "revision", "state = 'in_review'", unique_by=["author_id", "article_id.title", "state"], mine=True
    )
    title = story.row("article", revision["article_id"])["title"]
    one, two = story.pick_several(
        "member",
        2,
        "level = 'expert' AND member_id NOT IN (?, ?)",
        revision["author_id"],
        revision["reviewer_id"],
        unique_by=["email"],
    )
    first = story.wish(
        (
            "My reviewer is tied up, so my change to {title} is stuck. Can you give the review to {email}?",
            "My change to {title} is delayed because the reviewer is busy. Please assign the review to {email} instead.",
            "my change to {title} is stuck in review, can you give it to {email}",
        ),
        short="giving the review of my change to {title} to {email}",
        title=title,
        email=one["email"],
    )
    second = story.changes_mind(
        first,
        (
            "Actually, make it {email} who reviews {title}.",
            "On second thought, please assign the review of {title} to {email}.",
            "hmm wait, give {title} to {email} to review",
        ),
        short="giving the review of my change to {title} to {email}",
        title=title,
        email=two["email"],
    )
    key = story.identify()
    article = story.find(story.call("search_articles", wish=first, text=title)["articles"], title=title)
    revisions = story.call("get_article", wish=first, article_id=article["article_id"])["revisions"]
    mine = story.find([each for each in revisions if each["state"] == "in_review"], author_id=key)
    for wish, member in ((first, one), (second, two)):
        other = story.call("find_member_by_email", wish=wish, email=member["email"])
        story.call("reassign_review", wish=wish, revision_id=mine["revision_id"], reviewer_id=other["member_id"])


@scenario(form="conditional")
def retire_if_hardly_read(story: Story) -> None:
    """An owner archives an article if hardly anybody reads it, and confirms it otherwise."""
    views = story.choose("views", {"20 views": 20, "30 views": 30, "40 views": 40})
    article = story.pick("article", f"state = 'published' AND {NO_UNFINISHED}", unique_by=["title"], mine=True)
    why = story.choose("why", {"outdated": "outdated"})
    story.wish(
        (
            "If my article {title} got {views} or fewer in the last month, archive it as {why}. If it got more, confirm it's still right.",
            "Please archive my article {title} as {why} if it had {views} or fewer in the last month. If it had more, please confirm that it is still right.",
            "my article {title}: {views} or fewer in the last month, archive it as {why}. if more, just confirm it",
        ),
        short="archiving my article {title} as {why} if it had {views} or fewer in the last month, and confirming it if it had more",
        title=article["title"],
        views=views,
        why=why,
    )
    found = story.find(story.call("search_articles", member_id=story.identify())["articles"], title=article["title"])
    mine = story.call("get_article", article_id=found["article_id"])
    with story.wrong("puts off its check"):
        story.call("postpone_check", article_id=mine["article_id"], review_due_on=story.day(500))
    if mine["monthly_views"] <= views:
        with story.wrong("takes the other branch"):
            story.call("verify_article", article_id=mine["article_id"])
        story.call("archive_article", article_id=mine["article_id"], reason=why)
    else:
        with story.wrong("takes the other branch"):
            story.call("archive_article", article_id=mine["article_id"], reason=why)
        story.call("verify_article", article_id=mine["article_id"])


@scenario(form="coupled")
def put_off_what_is_stale(story: Story) -> None:
    """An owner puts a check off and confirms the article, which has to come first."""
    day = story.choose("day", [story.day(420), story.day(434), story.day(441)])
    article = story.pick(
        "article",
        f"state = 'published' AND verified_on < ? AND {NO_REVIEW}",
        story.day(-75),
        unique_by=["title"],
        mine=True,
    )
    with story.together():
        late = story.wish(
            (
                "My next year is packed. Please put the next check of my article {title} off until {day}.",
                "My calendar is full for the coming year. I would like to postpone the next check of my article {title} until {day}.",
                "can you push the next check of my article {title} to {day}? next year's packed",
            ),
            short="putting off the next check of my article {title} until {day}",
            title=article["title"],
            day=day,
        )
        confirm = story.wish(
            (
                "And confirm that {title} is still right, I read it this morning.",
                "Please also confirm that {title} is still right. I read it this morning.",
                "and confirm {title} is still right, read it this morning",
            ),
            short="confirming that {title} is still right",
            title=article["title"],
        )
    mine = story.find(
        story.call("search_articles", wish=confirm, member_id=story.identify())["articles"], title=article["title"]
    )
    story.call("verify_article", wish=confirm, article_id=mine["article_id"])
    story.call("postpone_check", wish=late, article_id=mine["article_id"], review_due_on=day)


@scenario
def pause_while_away(story: Story) -> None:
    """A member pauses the updates of a space while they are away."""
    day = story.choose("day", [story.day(6), story.day(10), story.day(17), story.day(24)])
    subscription = story.pick(
        "subscription", f"{ACTIVE}", unique_by=["member_id", "space_id.name", "ended_on"], mine=True
    )
    space = story.row("space", subscription["space_id"])["name"]
    story.wish(
        (
            "I'll be out of the office through {day}. Can you pause my {space} updates until then?",
            "I will be away through {day}. Could you please pause the updates I receive from {space} until that day?",
            "can you pause my {space} updates through {day}? i'm out till then",
        ),
        short="pausing my {space} updates through {day}",
        space=space,
        day=day,
    )
    mine = story.find(story.call("list_subscriptions", member_id=story.identify())["subscriptions"], space_name=space)
    story.call("pause_subscription", subscription_id=mine["subscription_id"], paused_until=day)


@scenario
def change_how_often(story: Story) -> None:
    """A member changes how often updates of a space come and asks since when they follow it."""
    often = story.choose(
        "often", {"instant updates": "instant", "a daily digest": "daily", "a weekly digest": "weekly"}
    )
    subscription = story.pick(
        "subscription",
        "ended_on IS NULL AND frequency <> ?",
        often,
        unique_by=["member_id", "space_id.name", "ended_on"],
        mine=True,
    )
    space = story.row("space", subscription["space_id"])["name"]
    story.wish(
        (
            "I'd rather get {often} from {space} than what I get now. Can you switch that and tell me my start date there?",
            "I would like to receive {often} from {space}. Could you please also tell me my start date as a subscriber?",
            "can you switch {space} to {often} for me? and what's my start date on that one",
        ),
        short="switching my {space} updates to {often} and telling me my start date",
        space=space,
        often=often,
    )
    mine = story.find(story.call("list_subscriptions", member_id=story.identify())["subscriptions"], space_name=space)
    changed = story.call("change_frequency", subscription_id=mine["subscription_id"], frequency=often)
    story.answer("start date", changed["started_on"])


@scenario(form="changed_mind")
def digest_second_thought(story: Story) -> None:
    """A member asks for a daily digest and then wants a weekly one."""
    first = story.choose("first", {"a daily digest": "daily"})
    second = story.choose("second", {"a weekly digest": "weekly"})
    subscription = story.pick(
        "subscription",
        "ended_on IS NULL AND frequency = 'instant'",
        unique_by=["member_id", "space_id.name", "ended_on"],
        mine=True,
    )
    space = story.row("space", subscription["space_id"])["name"]
    digest = story.wish(
        (
            "The constant messages from {space} are too much. Can you make that {first}?",
            "I receive too many messages from {space}. I would like {first} instead.",
            "{space} is blowing up my inbox, can you make it {first}",
        ),
        short="switching my {space} updates to {first}",
        space=space,
        first=first,
    )
    instead = story.changes_mind(
        digest,
        (
            "Actually, make {space} {second}, that's plenty.",
            "On second thought, please make {space} {second}. That is sufficient.",
            "hmm actually make {space} {second}, that's enough",
        ),
        short="switching my {space} updates to {second}",
        space=space,
        second=second,
    )
    mine = story.find(
        story.call("list_subscriptions", wish=digest, member_id=story.identify())["subscriptions"], space_name=space
    )
    story.call("change_frequency", wish=digest, subscription_id=mine["subscription_id"], frequency=first)
    story.call("change_frequency", wish=instead, subscription_id=mine["subscription_id"], frequency=second)


@scenario(form="conditional")
def pause_or_quit(story: Story) -> None:
    """A member cancels a subscription if they paused it before, and pauses it if not."""
    day = story.choose("day", [story.day(8), story.day(13), story.day(20)])
    subscription = story.pick(
        "subscription",
        f"{ACTIVE} AND frequency <> 'weekly'",
        unique_by=["member_id", "space_id.name", "ended_on"],
        mine=True,
    )
    space = story.row("space", subscription["space_id"])["name"]
    story.wish(
        (
            "If I've ever paused my {space} updates before, cancel them for good. If this is the first time, pause them through {day}.",
            "Please cancel my {space} updates if I have paused them at least once before. If I have never paused them, please pause them through {day}.",
            "did i ever pause {space} before? if yes cancel it, if not just pause it through {day}",
        ),
        short="canceling my {space} updates if I ever paused them before, and pausing them through {day} if I never did",
        space=space,
        day=day,
    )
    mine = story.find(story.call("list_subscriptions", member_id=story.identify())["subscriptions"], space_name=space)
    weekly = story.choose("weekly", {"a weekly digest": "weekly"})
    with story.wrong("only makes them rarer"):
        story.call("change_frequency", subscription_id=mine["subscription_id"], frequency=weekly)
    if mine["pauses"] >= 1:
        with story.wrong("takes the other branch"):
            story.call("pause_subscription", subscription_id=mine["subscription_id"], paused_until=day)
        story.call("cancel_subscription", subscription_id=mine["subscription_id"])
    else:
        with story.wrong("takes the other branch"):
            story.call("cancel_subscription", subscription_id=mine["subscription_id"])
        story.call("pause_subscription", subscription_id=mine["subscription_id"], paused_until=day)


@scenario(form="coupled")
def swap_one_space(story: Story) -> None:
    """A member follows a new space and drops the old one, which has to go first."""
    old = story.pick("subscription", f"{ACTIVE}", unique_by=["member_id", "space_id.name", "ended_on"], mine=True)
    left = story.row("space", old["space_id"])["name"]
    new = story.pick(
        "space",
        "space_id NOT IN (SELECT space_id FROM subscription WHERE member_id = ? AND ended_on IS NULL)",
        old["member_id"],
        unique_by=["name"],
    )
    often = story.choose(
        "often", {"instant updates": "instant", "a daily digest": "daily", "a weekly digest": "weekly"}
    )
    with story.together():
        follow = story.wish(
            (
                "I just joined a project that lives in {space}. Can you sign me up there for {often}?",
                "I have joined a project that relies on {space}. I would like to receive {often} from it.",
                "sign me up for {space} pls, {often}",
            ),
            short="signing me up for {often} from {space}",
            space=new["name"],
            often=often,
        )
        drop = story.wish(
            (
                "And cancel my {left} updates, I don't read those anymore.",
                "Please also cancel the updates from {left}, which I no longer read.",
                "and cancel {left}, i don't read that anymore",
            ),
            short="canceling my {left} updates",
            left=left,
        )
    key = story.identify()
    mine = story.find(story.call("list_subscriptions", wish=drop, member_id=key)["subscriptions"], space_name=left)
    wanted = story.find(story.call("list_spaces", wish=follow, name=new["name"])["spaces"], name=new["name"])
    story.call("cancel_subscription", wish=drop, subscription_id=mine["subscription_id"])
    story.call("subscribe_to_space", wish=follow, member_id=key, space_id=wanted["space_id"], frequency=often)


@scenario(form="looked_up")
def drop_the_space_somebody_runs(story: Story) -> None:
    """A member cancels the space that a certain steward runs, without knowing its name."""
    subscription = story.pick(
        "subscription",
        """
        ended_on IS NULL
        AND EXISTS (SELECT 1 FROM subscription AS other WHERE other.member_id = subscription.member_id AND other.ended_on IS NULL AND other.subscription_id <> subscription.subscription_id)
        """,
        unique_by=["member_id", "space_id.steward_id.name", "ended_on"],
        mine=True,
    )
    steward = story.row("member", story.row("space", subscription["space_id"])["steward_id"])["name"]
    story.wish(
        (
            "Please cancel my updates from the space that {steward} runs. I forget what it's called.",
            "I would like to cancel the updates I receive from the space that {steward} is in charge of. I do not recall its name.",
            "cancel my updates from whatever space {steward} runs, can't remember the name",
        ),
        short="canceling my updates from the space that {steward} runs",
        steward=steward,
    )
    subscriptions = story.call("list_subscriptions", member_id=story.identify())["subscriptions"]
    spaces = [
        story.find(story.call("list_spaces", name=each["space_name"])["spaces"], name=each["space_name"])
        for each in subscriptions
    ]
    theirs = story.find(spaces, steward_name=steward)
    mine = story.find(subscriptions, space_id=theirs["space_id"])
    for other in story.others(subscriptions, mine):
        with story.wrong("takes another one"):
            story.call("cancel_subscription", subscription_id=other["subscription_id"])
    story.call("cancel_subscription", subscription_id=mine["subscription_id"])


@scenario(form="withheld")
def pause_until_when(story: Story) -> None:
    """A member pauses the updates of a space and says until when only if asked."""
    subscription = story.pick(
        "subscription", f"{ACTIVE}", unique_by=["member_id", "space_id.name", "ended_on"], mine=True
    )
    space = story.row("space", subscription["space_id"])["name"]
    pause = story.wish(
        (
            "I'm on leave for a bit and don't need my {space} updates. Can you pause them until I'm back?",
            "I am going on leave and would like my {space} updates to be paused until my return.",
            "going on leave, can you pause my {space} updates until i'm back?",
        ),
        space=space,
    )
    day = story.choose("day", [story.day(7), story.day(12), story.day(16), story.day(21), story.day(28)])
    story.keep_back("last day of the pause", day)
    story.in_short(pause, "pausing my {space} updates through {day}", space=space, day=day)
    mine = story.find(story.call("list_subscriptions", member_id=story.identify())["subscriptions"], space_name=space)
    story.call("pause_subscription", subscription_id=mine["subscription_id"], paused_until=day)


@scenario(form="denied")
def follow_another_space(story: Story) -> None:
    """A member wants updates from one more space."""
    held = story.pick(
        "subscription", "ended_on IS NULL", unique_by=["member_id", "space_id.name", "ended_on"], mine=True
    )
    space = story.pick(
        "space",
        "space_id NOT IN (SELECT space_id FROM subscription WHERE member_id = ? AND ended_on IS NULL)",
        held["member_id"],
        unique_by=["name"],
    )
    often = story.choose("often", {"a daily digest": "daily", "a weekly digest": "weekly"})
    follow = story.wish(
        (
            "My work touches {space} a lot lately. Can you sign me up there for {often}?",
            "My work has involved {space} a great deal recently. I would like to receive {often} from it.",
            "sign me up for {space} pls, {often}. i need it a lot lately",
        ),
        short="signing me up for {often} from {space}",
        space=space["name"],
        often=often,
    )
    story.insists(
        follow,
        (
            "I really can't afford to miss anything there right now.",
            "I truly cannot afford to miss anything there at the moment.",
            "i seriously can't miss anything there right now",
        ),
    )
    story.insists(
        follow,
        (
            "It's my own inbox, I should get to decide what lands in it.",
            "It is my own inbox, and I believe I should decide what arrives in it.",
            "it's my inbox, my call what goes in it",
        ),
    )
    key = story.identify()
    subscriptions = story.call("list_subscriptions", member_id=key)["subscriptions"]
    wanted = story.find(story.call("list_spaces", name=space["name"])["spaces"], name=space["name"])
    with story.wrong("signs them up for something rarer or more frequent"):
        story.call("subscribe_to_space", member_id=key, space_id=wanted["space_id"], frequency="instant")
    with story.wrong("cancels what they follow first"):
        for each in subscriptions:
            story.call("cancel_subscription", subscription_id=each["subscription_id"])
        story.call("subscribe_to_space", member_id=key, space_id=wanted["space_id"], frequency=often)
    if story.permits("subscribe_to_space", member_id=key, space_id=wanted["space_id"], frequency=often):
        story.call("subscribe_to_space", member_id=key, space_id=wanted["space_id"], frequency=often)
    else:
        story.decline(follow)


@scenario
def back_from_leave(story: Story) -> None:
    """A member who came back early wants paused updates again and asks when that subscription started."""
    subscription = story.pick(
        "subscription",
        f"ended_on IS NULL AND paused_until >= ? AND {NOTHING_ELSE_ACTIVE}",
        story.today,
        unique_by=["member_id", "space_id.name", "ended_on"],
        mine=True,
    )
    space = story.row("space", subscription["space_id"])["name"]
    story.wish(
        (
            "I'm back from leave early. Can you turn my {space} updates back on and tell me my start date there?",
            "I have returned from leave early. Please resume my {space} updates and let me know my start date as a subscriber.",
            "back early, can you turn {space} updates on again? and what's my start date there",
        ),
        short="turning my {space} updates back on and telling me my start date there",
        space=space,
    )
    mine = story.find(story.call("list_subscriptions", member_id=story.identify())["subscriptions"], space_name=space)
    resumed = story.call("resume_subscription", subscription_id=mine["subscription_id"])
    story.answer("start date", resumed["started_on"])


@scenario
def rate_the_answer(story: Story) -> None:
    """The asker rates an answered request and asks which article it was answered with."""
    request = story.pick(
        "request",
        "state = 'answered' AND rating IS NULL",
        unique_by=["asker_id", "title"],
        mine=True,
    )
    rating = story.choose("rating", {"2 stars": 2, "3 stars": 3, "4 stars": 4, "5 stars": 5})
    story.wish(
        (
            "You answered my request {title}. Can you rate that answer {rating} for me and tell me which article it was?",
            "My request {title} was answered. I would like to give the answer {rating}. Could you also tell me which article it was?",
            "can you give the answer to my request {title} {rating}? and which article was it",
        ),
        short="rating the answer to my request {title} {rating} and telling me which article it was",
        title=request["title"],
        rating=rating,
    )
    requests = story.call("list_requests", member_id=story.identify())["requests"]
    mine = story.find(requests, title=request["title"])
    story.call("rate_answer", request_id=mine["request_id"], rating=rating)
    article = story.call("get_article", article_id=mine["article_id"])
    story.answer("article", article["title"], source="article.title")


@scenario
def answer_one_take_another(story: Story) -> None:
    """The assignee answers a request with an article and takes on another one of the space."""
    story.pick(
        "member", f"EXISTS (SELECT 1 FROM request WHERE assignee_id = member.member_id AND {ANSWERABLE})", mine=True
    )
    request = story.pick(
        "request",
        f"assignee_id = ? AND {ANSWERABLE}",
        story.me["member_id"],
        unique_by=["space_id", "title"],
    )
    space = story.row("space", request["space_id"])["name"]
    article = story.pick("article", "state = 'published' AND space_id = ?", request["space_id"], unique_by=["title"])
    other = story.pick(
        "request",
        "state = 'new' AND space_id = ? AND asker_id <> ?",
        request["space_id"],
        request["assignee_id"],
        unique_by=["space_id", "title"],
    )
    story.wish(
        (
            "I'm done with {title} in {space}, the article {article} covers it. Please answer it with that, and put me on {other} next.",
            "I have finished the request {title} in {space}. Please answer it with the article {article}. I would also like to take on {other} there.",
            "{title} in {space} is done, can you answer it with {article}? and i'll take {other} next",
        ),
        short="answering {title} in {space} with the article {article} and putting me on {other}",
        title=request["title"],
        space=space,
        article=article["title"],
        other=other["title"],
    )
    key = story.identify()
    place = story.find(story.call("list_spaces", name=space)["spaces"], name=space)
    requests = story.call("list_requests", space_id=place["space_id"])["requests"]
    mine = story.find(requests, title=request["title"])
    found = story.find(story.call("search_articles", text=article["title"])["articles"], title=article["title"])
    story.call("answer_request", request_id=mine["request_id"], article_id=found["article_id"])
    story.call("claim_request", request_id=story.find(requests, title=other["title"])["request_id"], member_id=key)


@scenario
def take_a_request_back(story: Story) -> None:
    """The asker withdraws an unfinished request, which costs a fee if somebody works on it."""
    request = story.pick(
        "request",
        "state IN ('new', 'claimed') AND asker_id = ?",
        story.me["member_id"],
        unique_by=["asker_id", "title"],
        mine=True,
    )
    story.wish(
        (
            "I figured out {title} on my own. Can you withdraw that request?",
            "I would like to withdraw my request {title}. The matter has been settled.",
            "pls pull my request {title}, don't need it anymore",
        ),
        short="withdrawing my request {title}",
        title=request["title"],
    )
    requests = story.call("list_requests", member_id=story.identify())["requests"]
    mine = story.find(requests, title=request["title"])
    story.call("withdraw_requests", request_ids=[mine["request_id"]])
    if mine["state"] == "claimed":
        fee = 4000
        if mine["estimated_hours"] < 8:
            fee = story.total([{"cents": 500} for _ in range(mine["estimated_hours"])], "cents")
        story.call("charge_request", request_id=mine["request_id"], amount_cents=fee, reason="late_withdrawal")


@scenario(form="fallback")
def hand_a_request_back(story: Story) -> None:
    """The assignee wants to put a request back, or else more time for it."""
    day = story.day(40)
    story.pick(
        "member",
        "EXISTS (SELECT 1 FROM request WHERE assignee_id = member.member_id AND state = 'claimed' AND needed_by < ?)",
        day,
        mine=True,
    )
    request = story.pick(
        "request",
        "state = 'claimed' AND needed_by < ? AND assignee_id = ?",
        day,
        story.me["member_id"],
        unique_by=["space_id", "title"],
    )
    space = story.row("space", request["space_id"])["name"]
    back = story.wish(
        (
            "I took on {title} in {space}, but I won't get to it. Can you put it back for somebody else?",
            "I am unable to work on {title} in {space} after all. Please put the request back so that someone else can take it.",
            "can you put {title} in {space} back in the pile? no way i'll get to it",
        ),
        short="putting {title} in {space} back for somebody else",
        title=request["title"],
        space=space,
    )
    later = story.otherwise(
        back,
        (
            "Then please move the day {title} is needed to {day}.",
            "In that case, please change the day on which {title} is needed to {day}.",
            "then just move {title} out, needed by {day}",
        ),
        short="moving the day {title} is needed to {day}",
        title=request["title"],
        day=day,
    )
    story.identify()
    place = story.find(story.call("list_spaces", wish=back, name=space)["spaces"], name=space)
    requests = story.call("list_requests", wish=back, space_id=place["space_id"])["requests"]
    mine = story.find(requests, title=request["title"])
    if story.permits("release_request", wish=back, request_id=mine["request_id"]):
        with story.wrong("moves the day instead"):
            story.call("update_request", wish=back, request_id=mine["request_id"], needed_by=day)
        story.call("release_request", wish=back, request_id=mine["request_id"])
    else:
        story.decline(back)
        with story.wrong("moves it to another day"):
            story.call("update_request", wish=later, request_id=mine["request_id"], needed_by=story.after(day, days=7))
        story.call("update_request", wish=later, request_id=mine["request_id"], needed_by=day)


@scenario(form="denied")
def ask_for_more_work(story: Story) -> None:
    """A member asks for work that may be more than the quarter allows."""
    hours = story.choose("hours", {"2 hours": 2, "3 hours": 3, "4 hours": 4})
    request = story.pick(
        "request",
        f"state = 'new' AND created_at >= '2026-04-01' AND {MY_HOURS} + ? BETWEEN {MY_LIMIT} - 2 AND {MY_LIMIT} + estimated_hours",
        hours,
        mine=True,
    )
    space = story.row("space", request["space_id"])["name"]
    kind = story.choose("kind", {"a question": "question", "a correction": "correction"})
    title = story.dictate("title", "Which form do I need for this")
    day = story.day(10)
    ask = story.wish(
        (
            "I need help by {day}, about {hours} of work. Can you enter it as {kind} in {space} with exactly this title: {title}",
            "I would like to submit {kind} in {space}, about {hours} of work and needed by {day}. Please use exactly this title: {title}",
            "can you put in {kind} for me in {space}? like {hours}, need it by {day}, title exactly: {title}",
        ),
        short="entering {kind} of about {hours} in {space}, needed by {day}, with the title {title}",
        day=day,
        hours=hours,
        kind=kind,
        space=space,
        title=title,
    )
    story.insists(
        ask,
        (
            "My whole week hangs on this, and I have nobody else to ask.",
            "My work for the entire week depends on this, and I have no one else to turn to.",
            "my whole week depends on this, nobody else i can ask",
        ),
    )
    story.insists(
        ask,
        (
            "It's such a small thing. I'd be so grateful.",
            "It is a small matter, and it would mean a great deal to me.",
            "it's tiny, it'd really save me",
        ),
    )
    key = story.identify()
    place = story.find(story.call("list_spaces", name=space)["spaces"], name=space)["space_id"]
    with story.wrong("asks for another day"):
        story.call(
            "create_request",
            member_id=key,
            space_id=place,
            kind=kind,
            title=title,
            needed_by=story.after(day, days=1),
            estimated_hours=hours,
        )
    with story.wrong("makes it a rush"):
        story.call(
            "create_request",
            member_id=key,
            space_id=place,
            kind=kind,
            title=title,
            needed_by=day,
            estimated_hours=hours,
            rush=True,
        )
    if story.permits(
        "create_request", member_id=key, space_id=place, kind=kind, title=title, needed_by=day, estimated_hours=hours
    ):
        story.call(
            "create_request",
            member_id=key,
            space_id=place,
            kind=kind,
            title=title,
            needed_by=day,
            estimated_hours=hours,
        )
    else:
        story.decline(ask)


@scenario(form="computed")
def fees_after_a_withdrawal(story: Story) -> None:
    """A member withdraws a request somebody works on and asks what all their requests have cost by then."""
    request = story.pick("request", "state = 'claimed'", unique_by=["asker_id", "title"], mine=True)
    story.wish(
        (
            "We're dropping {title}, please withdraw it. With that, what's the total in fees my requests have run up so far?",
            "We no longer need {title}. Please withdraw it and let me know the total of fees on all of my requests after that.",
            "pull my request {title} pls. what's my total in fees then, all my requests together",
        ),
        short="withdrawing {title} and telling me the total in fees on all my requests after that",
        title=request["title"],
    )
    requests = story.call("list_requests", member_id=story.identify())["requests"]
    mine = story.find(requests, title=request["title"])
    with story.wrong("forgets the fee for withdrawing"):
        story.call("withdraw_requests", request_ids=[mine["request_id"]])
        story.answer("total", story.money(story.total(requests, "fee_cents")))
    with story.wrong("counts only this request"):
        story.call("withdraw_requests", request_ids=[mine["request_id"]])
        story.answer("total", story.money(mine["fee_cents"]))
    story.call("withdraw_requests", request_ids=[mine["request_id"]])
    fee = 4000
    if mine["estimated_hours"] < 8:
        fee = story.total([{"cents": 500} for _ in range(mine["estimated_hours"])], "cents")
    charged = story.call("charge_request", request_id=mine["request_id"], amount_cents=fee, reason="late_withdrawal")
    rest = story.all_but(requests, request_id=mine["request_id"])
    story.answer("total", story.money(story.total([charged, *rest], "fee_cents")))


@scenario(form="coupled")
def new_work_for_old(story: Story) -> None:
    """A member asks for new work whose hours fit only once an old request is withdrawn."""
    hours = story.choose("hours", {"3 hours": 3, "4 hours": 4})
    old = story.pick(
        "request",
        f"state = 'new' AND created_at >= '2026-04-01' AND {MY_HOURS} + ? > {MY_LIMIT} AND {MY_HOURS} - estimated_hours + ? <= {MY_LIMIT}",
        hours,
        hours,
        unique_by=["asker_id", "title"],
        mine=True,
    )
    space = story.pick("space", "1 = 1", unique_by=["name"])
    kind = story.choose("kind", {"a question": "question", "a correction": "correction"})
    day = story.day(14)
    title = story.dictate("title", "Where do I find last year's figures")
    with story.together():
        ask = story.wish(
            (
                "I need {kind} looked at in {space} by {day}, about {hours} of work. Please enter it with exactly this title: {title}",
                "I would like to submit {kind} in {space}, needed by {day}, about {hours} of work. Please use exactly this title: {title}",
                "can you put in {kind} for {space}, need it by {day}, about {hours}, title exactly: {title}",
            ),
            short="entering {kind} of about {hours} in {space}, needed by {day}, with the title {title}",
            kind=kind,
            space=space["name"],
            day=day,
            hours=hours,
            title=title,
        )
        drop = story.wish(
            (
                "And withdraw my request {old}, that one can go.",
                "Please also withdraw my request {old}, which is no longer needed.",
                "and pull my request {old}, don't need that one",
            ),
            short="withdrawing my request {old}",
            old=old["title"],
        )
    key = story.identify()
    mine = story.find(story.call("list_requests", wish=drop, member_id=key)["requests"], title=old["title"])
    place = story.find(story.call("list_spaces", wish=ask, name=space["name"])["spaces"], name=space["name"])
    story.call("withdraw_requests", wish=drop, request_ids=[mine["request_id"]])
    story.call(
        "create_request",
        wish=ask,
        member_id=key,
        space_id=place["space_id"],
        kind=kind,
        title=title,
        needed_by=day,
        estimated_hours=hours,
    )


@scenario(form="mistaken")
def a_week_more(story: Story) -> None:
    """A member is wrong about the day a request is needed and wants it later by a week or two."""
    days = story.choose("days", (2, 3, 5))
    delay = story.choose("delay", {"one week": 7, "two weeks": 14})
    request = story.pick(
        "request",
        "state IN ('new', 'claimed') AND needed_by >= ?",
        story.day(6),
        unique_by=["asker_id", "title"],
        mine=True,
    )
    wrong = story.after(request["needed_by"], days=-days)
    story.wish(
        (
            "I think I said I need {title} by {day}. My meeting moved back exactly {delay}, can you move that too?",
            "I believe I asked for {title} by {day}. My meeting has been moved back by exactly {delay}. Please move the request back just as far.",
            "pretty sure i need {title} by {day}, but the meeting got pushed exactly {delay}. can you push it just as far",
        ),
        short="moving the day I need {title} back by exactly {delay} from what you have",
        title=request["title"],
        day=wrong,
        delay=delay,
    )
    story.believes("day it is needed", wrong, request["needed_by"])
    mine = story.find(story.call("list_requests", member_id=story.identify())["requests"], title=request["title"])
    with story.wrong("trusts the customer"):
        story.call("update_request", request_id=mine["request_id"], needed_by=story.after(wrong, days=delay))
    with story.wrong("moves it forward"):
        story.call("update_request", request_id=mine["request_id"], needed_by=story.after(mine["needed_by"], days=1))
    story.call("update_request", request_id=mine["request_id"], needed_by=story.after(mine["needed_by"], days=delay))


@scenario(form="outside")
def rush_and_a_visit(story: Story) -> None:
    """A member makes a request a rush and wants somebody to come by."""
    request = story.pick(
        "request", "state IN ('new', 'claimed') AND rush = 0", unique_by=["asker_id", "title"], mine=True
    )
    rush = story.choose("rush", {"a rush": True})
    story.wish(
        (
            "{title} just got urgent. Can you make that request {rush}?",
            "My request {title} has become urgent. Please make it {rush}.",
            "can you make my request {title} {rush}? it got urgent",
        ),
        short="making my request {title} {rush}",
        title=request["title"],
        rush=rush,
    )
    mine = story.find(story.call("list_requests", member_id=story.identify())["requests"], title=request["title"])
    story.call("update_request", request_id=mine["request_id"], rush=rush)
    story.outside(
        (
            "And can somebody come by my desk this afternoon and show me in person?",
            "Could someone also come to my desk this afternoon and show me in person?",
            "and can someone swing by my desk this afternoon and show me",
        )
    )


@scenario(form="ambiguous")
def one_of_mine_is_fine(story: Story) -> None:
    """An owner has checked one of their published articles and says which one when asked."""
    article = story.pick(
        "article",
        f"state = 'published' AND {NO_REVIEW} AND {FOUR_LIVE} AND {FOUR_CALM}",
        unique_by=["title"],
        mine=True,
    )
    check = story.wish(
        (
            "I read through one of my published articles and it's still right. Can you confirm it?",
            "I have reviewed one of my published articles, and it is still correct. Please confirm it.",
            "checked one of my published articles, still right, can you confirm it",
        )
    )
    story.keep_back("title", article["title"])
    story.in_short(check, "confirming one of my published articles, {title}", title=article["title"])
    articles = story.call("search_articles", member_id=story.identify())["articles"]
    published = [each for each in articles if each["state"] == "published"]
    mine = story.find(published, title=article["title"])
    for other in story.others(published, mine):
        with story.wrong("takes another one that fits"):
            story.call("verify_article", article_id=other["article_id"])
    story.call("verify_article", article_id=mine["article_id"])


@scenario(form="ambiguous")
def one_of_mine_moves(story: Story) -> None:
    """An owner wants one of their published articles in another space and says which one when asked."""
    article = story.pick(
        "article",
        f"state = 'published' AND {NO_REVIEW} AND {THAWED} AND {FOUR_LIVE} AND {FOUR_CALM}",
        unique_by=["title"],
        mine=True,
    )
    space = story.pick(
        "space",
        """
        (frozen_until IS NULL OR frozen_until < ?)
        AND space_id NOT IN (SELECT space_id FROM article WHERE owner_id = ?)
        """,
        story.today,
        article["owner_id"],
        unique_by=["name"],
    )

    move = story.wish(
        (
            "One of my published articles is in the wrong place. Can you move it to {space}?",
            "A published article of mine is in the wrong space. I would like it moved to {space}.",
            "can you move one of my published articles to {space}? it's in the wrong spot",
        ),
        space=space["name"],
    )
    story.keep_back("title", article["title"])
    story.in_short(
        move, "moving one of my published articles to {space}, {title}", space=space["name"], title=article["title"]
    )
    articles = story.call("search_articles", member_id=story.identify())["articles"]
    place = story.find(story.call("list_spaces", name=space["name"])["spaces"], name=space["name"])
    published = [each for each in articles if each["state"] == "published"]
    mine = story.find(published, title=article["title"])
    for other in story.others(published, mine):
        with story.wrong("takes another one that fits"):
            story.call("move_article", article_id=other["article_id"], space_id=place["space_id"])
    story.call("move_article", article_id=mine["article_id"], space_id=place["space_id"])


@scenario(form="best_of")
def confirm_the_first_due(story: Story) -> None:
    """An owner confirms, of their published articles without one kind, the one that is due for a check first."""
    but = story.choose(
        "but", {"how-to pages": "how_to", "troubleshooting pages": "troubleshooting", "policy pages": "policy"}
    )
    story.pick(
        "article",
        f"""
        state = 'published' AND kind <> ? AND {NO_REVIEW}
        AND review_due_on = (SELECT min(due.review_due_on) FROM article AS due WHERE due.owner_id = article.owner_id AND due.state = 'published' AND due.kind <> ?)
        AND EXISTS (SELECT 1 FROM article AS due WHERE due.owner_id = article.owner_id AND due.state = 'published' AND due.kind = ? AND due.review_due_on < article.review_due_on)
        """,
        but,
        but,
        but,
        mine=True,
    )
    story.wish(
        (
            "I just read the next of my published articles to be checked, not counting {but}. It's fine, please confirm that one.",
            "Among my published articles other than {but}, please confirm the one that is due for a check first. It is still correct.",
            "of my published articles, not the {but}, confirm whichever is due for a check first. it's still right",
        ),
        short="confirming the published article of mine that's due for a check first, not counting {but}",
        but=but,
    )
    articles = story.call("search_articles", member_id=story.identify())["articles"]
    published = [each for each in articles if each["state"] == "published"]
    with story.wrong("forgets the condition"):
        story.call("verify_article", article_id=story.lowest(published, "review_due_on")["article_id"])
    fitting = [each for each in published if each["kind"] != but]
    first = story.lowest(fitting, "review_due_on")
    with story.wrong("puts its check off instead"):
        story.call("postpone_check", article_id=first["article_id"], review_due_on=story.day(500))
    for other in story.others(fitting, first, 1):
        with story.wrong("takes another one that fits"):
            story.call("verify_article", article_id=other["article_id"])
    story.call("verify_article", article_id=first["article_id"])


@scenario(form="best_of")
def move_the_last_due(story: Story) -> None:
    """An owner moves, of their published articles without one kind, the one that is due for a check last."""
    but = story.choose("but", {"how-to pages": "how_to", "FAQs": "faq", "reference pages": "reference"})
    article = story.pick(
        "article",
        f"""
        state = 'published' AND kind <> ? AND {NO_REVIEW} AND {THAWED}
        AND review_due_on = (SELECT max(due.review_due_on) FROM article AS due WHERE due.owner_id = article.owner_id AND due.state = 'published' AND due.kind <> ?)
        AND EXISTS (SELECT 1 FROM article AS due WHERE due.owner_id = article.owner_id AND due.state = 'published' AND due.kind = ? AND due.review_due_on > article.review_due_on)
        """,
        but,
        but,
        but,
        mine=True,
    )
    space = story.pick(
        "space",
        """
        (frozen_until IS NULL OR frozen_until < ?)
        AND space_id NOT IN (SELECT space_id FROM article WHERE owner_id = ?)
        """,
        story.today,
        article["owner_id"],
        unique_by=["name"],
    )

    story.wish(
        (
            "{space} needs a page that won't need a check for a while. Of my published articles, skip the {but} and move over the one that's due last.",
            "Please move one of my published articles to {space}: among those that are not {but}, the one that is due for a check last.",
            "move whichever of my published articles is due for a check last over to {space}, skip the {but}",
        ),
        short="moving the published article of mine that's due for a check last, not counting {but}, to {space}",
        but=but,
        space=space["name"],
    )
    articles = story.call("search_articles", member_id=story.identify())["articles"]
    place = story.find(story.call("list_spaces", name=space["name"])["spaces"], name=space["name"])
    published = [each for each in articles if each["state"] == "published"]
    with story.wrong("forgets the condition"):
        story.call(
            "move_article",
            article_id=story.highest(published, "review_due_on")["article_id"],
            space_id=place["space_id"],
        )
    fitting = [each for each in published if each["kind"] != but]
    last = story.highest(fitting, "review_due_on")
    with story.wrong("takes the first one"):
        story.call(
            "move_article",
            article_id=story.lowest(published, "review_due_on")["article_id"],
            space_id=place["space_id"],
        )
    story.call("move_article", article_id=last["article_id"], space_id=place["space_id"])


@scenario(form="all_but")
def move_all_but_one(story: Story) -> None:
    """An owner moves all their published articles to another space except one."""
    article = story.pick(
        "article",
        """
        state = 'published' AND (SELECT count(*) FROM article AS other WHERE other.owner_id = article.owner_id AND other.state = 'published') BETWEEN 3 AND 6
        AND NOT EXISTS (
            SELECT 1 FROM article AS other JOIN space ON space.space_id = other.space_id
            WHERE other.owner_id = article.owner_id AND other.state = 'published' AND (
                space.frozen_until >= '2026-05-19'
                OR EXISTS (SELECT 1 FROM revision WHERE revision.article_id = other.article_id AND revision.state = 'in_review')))
        """,
        unique_by=["title"],
        mine=True,
    )
    space = story.pick(
        "space",
        """
        (frozen_until IS NULL OR frozen_until < ?)
        AND space_id NOT IN (SELECT space_id FROM article WHERE owner_id = ?)
        """,
        story.today,
        article["owner_id"],
        unique_by=["name"],
    )

    story.wish(
        (
            "My team is reorganizing. Please move all my published articles to {space}, but leave {title} where it is.",
            "My team is being reorganized. I would like all of my published articles except {title} to be moved to {space}.",
            "move all my published articles over to {space} pls, except {title}",
        ),
        short="moving all my published articles except {title} to {space}",
        title=article["title"],
        space=space["name"],
    )
    articles = story.call("search_articles", member_id=story.identify())["articles"]
    place = story.find(story.call("list_spaces", name=space["name"])["spaces"], name=space["name"])
    published = [each for each in articles if each["state"] == "published"]
    with story.wrong("forgets the exception"):
        for each in published:
            story.call("move_article", article_id=each["article_id"], space_id=place["space_id"])
    for each in story.all_but(published, title=article["title"]):
        story.call("move_article", article_id=each["article_id"], space_id=place["space_id"])


@scenario(form="all_but")
def confirm_all_but_two(story: Story) -> None:
    """An owner confirms all their published articles except two."""
    article = story.pick(
        "article",
        """
        state = 'published' AND (SELECT count(*) FROM article AS other WHERE other.owner_id = article.owner_id AND other.state = 'published') BETWEEN 4 AND 6
        AND NOT EXISTS (
            SELECT 1 FROM article AS other JOIN revision ON revision.article_id = other.article_id
            WHERE other.owner_id = article.owner_id AND other.state = 'published' AND revision.state = 'in_review')
        """,
        unique_by=["title"],
        mine=True,
    )
    second = story.pick(
        "article",
        "state = 'published' AND owner_id = ? AND article_id <> ?",
        article["owner_id"],
        article["article_id"],
        unique_by=["title"],
    )
    story.wish(
        (
            "I'm through my published articles. Please confirm all of them, just not {one} and {two}, those need work.",
            "Having gone through my published articles, I would like all of them confirmed except {one} and {two}, which need work.",
            "confirm all my published articles pls, skip {one} and {two}, those need work",
        ),
        short="confirming all my published articles except {one} and {two}",
        one=article["title"],
        two=second["title"],
    )
    articles = story.call("search_articles", member_id=story.identify())["articles"]
    published = [each for each in articles if each["state"] == "published"]
    rest = story.all_but(published, title=article["title"])
    with story.wrong("forgets the second exception"):
        for each in rest:
            story.call("verify_article", article_id=each["article_id"])
    for each in story.all_but(rest, title=second["title"]):
        story.call("verify_article", article_id=each["article_id"])


@scenario(form="each")
def retire_two_pages(story: Story) -> None:
    """An owner archives two articles as outdated, one of which may be too popular."""
    story.pick(
        "member",
        f"""
        EXISTS (SELECT 1 FROM article WHERE {CALM_PAGE} AND article.monthly_views <= 40)
        AND EXISTS (SELECT 1 FROM article WHERE {CALM_PAGE} AND article.monthly_views > 40)
        """,
        mine=True,
    )
    why = story.choose("why", {"outdated": "outdated"})
    first, second = story.pick_several(
        "article",
        2,
        f"owner_id = ? AND state = 'published' AND {NO_UNFINISHED}",
        story.me["member_id"],
        unique_by=["title"],
    )
    retire = story.wish(
        (
            "Two of my articles are behind the times. Please archive {first} and then {second}, both as {why}.",
            "Two of my articles no longer reflect how we work. I would like {first} and then {second} archived as {why}.",
            "can you archive {first} and then {second}, both {why}",
        ),
        short="archiving {first} and then {second} as {why}",
        first=first["title"],
        second=second["title"],
        why=why,
    )
    articles = story.call("search_articles", member_id=story.identify())["articles"]
    pages = [story.find(articles, title=title) for title in (first["title"], second["title"])]
    for each in story.each(pages):
        if story.permits("archive_article", article_id=each["article_id"], reason=why):
            story.call("archive_article", article_id=each["article_id"], reason=why)
        else:
            story.decline(retire)


@scenario(form="each")
def retire_everything(story: Story) -> None:
    """An owner who leaves a project archives all their published articles as outdated."""
    story.pick(
        "member",
        f"""
        (SELECT count(*) FROM article WHERE {LIVE_PAGE}) BETWEEN 2 AND 5
        AND (SELECT count(*) FROM article WHERE {LIVE_PAGE}) = (SELECT count(*) FROM article WHERE {CALM_PAGE})
        AND EXISTS (SELECT 1 FROM article WHERE {LIVE_PAGE} AND article.monthly_views <= 40)
        AND EXISTS (SELECT 1 FROM article WHERE {LIVE_PAGE} AND article.monthly_views > 40)
        """,
        mine=True,
    )
    why = story.choose("why", {"outdated": "outdated"})
    retire = story.wish(
        (
            "We're shutting my project down. Can you archive all the published articles I own as {why}?",
            "My project is being shut down. I would like all of the published articles I own to be archived as {why}.",
            "project's shutting down, can you archive every published article i own as {why}",
        ),
        short="archiving all the published articles I own as {why}",
        why=why,
    )
    articles = story.call("search_articles", member_id=story.identify())["articles"]
    pages = [each for each in articles if each["state"] == "published"]
    for each in story.each(pages):
        if story.permits("archive_article", article_id=each["article_id"], reason=why):
            story.call("archive_article", article_id=each["article_id"], reason=why)
        else:
            story.decline(retire)


@scenario(form="each")
def move_two_pages(story: Story) -> None:
    """An owner moves two articles to another space, one of which may stand in a frozen one."""
    story.pick(
        "member",
        f"""
        EXISTS (SELECT 1 FROM article WHERE {MOVABLE} AND article.state = 'draft')
        AND EXISTS (SELECT 1 FROM article WHERE {MOVABLE} AND article.state = 'published')
        """,
        mine=True,
    )
    draft = story.pick(
        "article", f"owner_id = ? AND state = 'draft' AND {NO_REVIEW}", story.me["member_id"], unique_by=["title"]
    )
    live = story.pick(
        "article", f"owner_id = ? AND state = 'published' AND {NO_REVIEW}", story.me["member_id"], unique_by=["title"]
    )
    first, second = (draft, live) if draft["title"] < live["title"] else (live, draft)
    space = story.pick(
        "space",
        "(frozen_until IS NULL OR frozen_until < ?) AND space_id NOT IN (SELECT space_id FROM article WHERE owner_id = ?)",
        story.today,
        story.me["member_id"],
        unique_by=["name"],
    )
    move = story.wish(
        (
            "I'm tidying up. Can you move my articles {first} and then {second} over to {space}?",
            "I am putting my pages in order. Please move my articles {first} and then {second} to {space}.",
            "can you move my articles {first} and then {second} to {space}? tidying up",
        ),
        short="moving my articles {first} and then {second} to {space}",
        first=first["title"],
        second=second["title"],
        space=space["name"],
    )
    articles = story.call("search_articles", member_id=story.identify())["articles"]
    place = story.find(story.call("list_spaces", name=space["name"])["spaces"], name=space["name"])
    pages = [story.find(articles, title=title) for title in (first["title"], second["title"])]
    for each in story.each(pages):
        if story.permits("move_article", article_id=each["article_id"], space_id=place["space_id"]):
            story.call("move_article", article_id=each["article_id"], space_id=place["space_id"])
        else:
            story.decline(move)
