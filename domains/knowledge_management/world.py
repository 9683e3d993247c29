"""Fill a company's knowledge base: members, spaces, articles with their revisions, subscriptions, and requests."""

from runtime import WorldBuilder, add_days, days_between, weekday


def _topic(draw, space, before, answered):
    """What is asked: the title, the kind, least and most hours, and the article that it is about, if there is one."""
    title, kind, least, most, family = draw.choice(space["requests"])
    live = [row for row in space["live"] if row["published_at"] < before]
    if not live or not answered and draw.random() < 0.6:
        return _detailed(title, family, draw.randrange(0, len(DETAILS[family]) + 1)), kind, least, most, None
    about = draw.choice(live)
    name, words = about["title"], about["title"][:1].lower() + about["title"][1:]
    asked = {
        "question": (f"Latest on {name}", f"Who looks after {name}"),
        "correction": (f"Broken link in {name}", f"Wrong phone number in {name}", f"Old screenshots in {name}"),
        "new_article": (f"A page on {words}",),
        "research": (f"Sources behind {name}", f"Figures behind {name}"),
    }
    return draw.choice(asked[kind]), kind, least, most, about


INVARIANTS = {
    "An article that was published has a revision approved by then.": """
        SELECT article_id FROM article WHERE state <> 'draft' AND NOT EXISTS (
            SELECT 1 FROM revision
            WHERE revision.article_id = article.article_id AND revision.state = 'approved' AND decided_at <= published_at)
    """,
    "An archived article has no unfinished revision.": """
        SELECT article_id FROM article WHERE state = 'archived' AND article_id IN (
            SELECT article_id FROM revision WHERE state IN ('draft', 'in_review', 'changes_requested'))
    """,
    "No two articles in use in a space have the same title in any case of letters.": """
        SELECT article_id FROM article AS one WHERE state <> 'archived' AND EXISTS (
            SELECT 1 FROM article AS other
            WHERE other.space_id = one.space_id AND other.article_id <> one.article_id AND other.state <> 'archived'
                AND lower(other.title) = lower(one.title))
    """,
    "The approval of a major revision verifies its published article, so the last check is not before it.": """
        SELECT revision_id FROM revision JOIN article ON article.article_id = revision.article_id
        WHERE size = 'major' AND revision.state = 'approved' AND article.state = 'published' AND verified_on < substr(decided_at, 1, 10)
    """,
    "A replacement was published before the article it replaces was archived.": """
        SELECT old.article_id FROM article AS old JOIN article AS new ON new.article_id = old.replacement_id
        WHERE coalesce(new.published_at, '9') > old.archived_at
    """,
    "A request is answered with an article that was published by then.": """
        SELECT request_id FROM request JOIN article ON article.article_id = request.article_id
        WHERE coalesce(published_at, '9') > closed_at
    """,
    "Nobody writes a revision before joining.": """
        SELECT revision_id FROM revision JOIN member ON member_id = author_id WHERE joined_on > substr(created_at, 1, 10)
    """,
    "Nobody asks a request before joining.": """
        SELECT request_id FROM request JOIN member ON member_id = asker_id WHERE joined_on > substr(created_at, 1, 10)
    """,
}

GIVEN = (
    "Denise",
    "Miguel",
    "Priya",
    "Kevin",
    "Aaliyah",
    "Tom",
    "Rachel",
    "Darnell",
    "Sofia",
    "Brian",
    "Mei",
    "Carlos",
    "Hannah",
    "Jamal",
    "Emily",
    "Victor",
    "Latoya",
    "Peter",
    "Grace",
    "Omar",
    "Nicole",
    "Andre",
    "Teresa",
    "Joshua",
    "Anita",
    "Marcus",
    "Linda",
    "Diego",
    "Katie",
    "Raj",
    "Monica",
    "Scott",
    "Ebony",
    "Paul",
    "Yolanda",
    "Eric",
    "Vanessa",
    "Greg",
    "Amber",
    "Hector",
    "Joanna",
    "Tyrone",
    "Megan",
    "Luis",
    "Christine",
    "Dwight",
)
FAMILY = (
    "Walker",
    "Ortega",
    "Raman",
    "Tran",
    "Brooks",
    "Kowalski",
    "Bennett",
    "Nguyen",
    "Castillo",
    "Foster",
    "Patel",
    "Jenkins",
    "Murphy",
    "Rivera",
    "Schultz",
    "Coleman",
    "Park",
    "Delgado",
    "Hughes",
    "Washington",
    "Larsen",
    "Kim",
    "Sanders",
    "Moreno",
    "Baxter",
    "Chen",
    "Gallagher",
    "Powell",
    "Vargas",
    "Simmons",
    "Novak",
    "Reed",
    "Shah",
    "Fletcher",
    "Dominguez",
    "Hayes",
    "Olson",
    "Freeman",
    "Rossi",
    "Barnes",
    "Whitfield",
    "Cruz",
    "McCarthy",
    "Ellis",
    "Yamamoto",
    "Greene",
)
PLACES = (
    ("Columbus", (614, 380)),
    ("Austin", (512, 737)),
    ("Denver", (303, 720)),
    ("Raleigh", (919, 984)),
    ("Portland", (503, 971)),
    ("Phoenix", (602, 480)),
    ("Atlanta", (404, 470)),
    ("Nashville", (615, 629)),
    ("Tampa", (813, 656)),
    ("Boston", (617, 857)),
    ("Chicago", (312, 872)),
    ("Seattle", (206, 425)),
    ("Minneapolis", (612, 763)),
    ("San Diego", (619, 858)),
)
DETAILS = {
    "who": (
        "for new hires",
        "for managers",
        "for contractors",
        "for interns",
        "for remote staff",
        "for part-time staff",
        "for field staff",
        "for team leads",
    ),
    "device": (
        "on a Mac",
        "on a Windows laptop",
        "on an iPhone",
        "on an Android phone",
        "on a Chromebook",
        "on a shared computer",
    ),
    "where": (
        "at the Columbus office",
        "at the Austin office",
        "at the Denver office",
        "at the Raleigh office",
        "at the Portland office",
        "at the Phoenix office",
        "at the Atlanta office",
        "at the Nashville office",
    ),
    "client": (
        "for small businesses",
        "for schools",
        "for hospitals",
        "for city agencies",
        "for nonprofits",
        "for resellers",
        "for restaurants",
        "for retail chains",
    ),
}
# name, sensitivity, days between checks, team, articles (title, kind, details), requests (title, kind, least and most hours, details)
SPACES = (
    (
        "Payroll",
        "internal",
        90,
        "Payroll",
        (
            ("Reading your pay stub", "how_to", "who"),
            ("Pay calendar", "reference", "where"),
            ("Overtime pay", "policy", "who"),
            ("Changing your direct deposit", "how_to", "device"),
            ("What to do about a wrong paycheck", "troubleshooting", "who"),
            ("Questions about bonus payments", "faq", "who"),
        ),
        (
            ("When does overtime get paid out", "question", 1, 3, "who"),
            ("Pay stub page shows the old tax codes", "correction", 1, 3, "who"),
            ("How other companies handle payday advances", "research", 4, 7, "who"),
        ),
    ),
    (
        "Payroll Taxes",
        "restricted",
        180,
        "Payroll",
        (
            ("Getting a copy of a W-2", "how_to", "device"),
            ("State tax withholding", "reference", "where"),
            ("Tax forms after a move", "how_to", "who"),
            ("Year-end tax questions", "faq", "who"),
            ("Mistakes on a tax form", "troubleshooting", "who"),
            ("Taxable gifts and awards", "policy", "who"),
        ),
        (
            ("Which state tax form do I need", "question", 1, 3, "where"),
            ("A page on local taxes", "new_article", 3, 6, "where"),
            ("Withholding rates to watch next year", "research", 5, 8, "where"),
        ),
    ),
    (
        "Benefits",
        "restricted",
        90,
        "People Operations",
        (
            ("Choosing a health plan", "how_to", "who"),
            ("Dental and vision coverage", "reference", "who"),
            ("Parental leave", "policy", "who"),
            ("Adding a spouse or child to a plan", "how_to", "device"),
            ("Common questions about the 401(k) match", "faq", "who"),
            ("When a claim is turned down", "troubleshooting", "who"),
        ),
        (
            ("Does the plan cover braces", "question", 1, 3, "who"),
            ("A page on commuter benefits", "new_article", 3, 6, "where"),
            ("Benefit costs compared with our peers", "research", 5, 10, "where"),
        ),
    ),
    (
        "Hiring & Onboarding",
        "internal",
        180,
        "People Operations",
        (
            ("First-week checklist", "reference", "who"),
            ("Running a fair interview", "how_to", "who"),
            ("Referral bonuses", "policy", "where"),
            ("Background check delays", "troubleshooting", "where"),
            ("Questions from day one", "faq", "who"),
            ("Writing a job posting", "how_to", "client"),
        ),
        (
            ("How long does a background check take", "question", 1, 3, "where"),
            ("First-week checklist lists a closed parking lot", "correction", 1, 3, "where"),
            ("A page on buddy programs", "new_article", 3, 6, "who"),
        ),
    ),
    (
        "IT Help",
        "open",
        180,
        "IT Support",
        (
            ("Connecting to the VPN", "how_to", "device"),
            ("Resetting a password", "how_to", "device"),
            ("Printers and where they are", "reference", "where"),
            ("Slow Wi-Fi", "troubleshooting", "where"),
            ("Loaner laptops", "policy", "who"),
            ("Email questions", "faq", "device"),
        ),
        (
            ("How do I get on the VPN from a hotel", "question", 1, 3, "device"),
            ("Password page skips the last step", "correction", 1, 3, "device"),
            ("Password managers compared", "research", 4, 7, "who"),
        ),
    ),
    (
        "Meeting Rooms & Video Calls",
        "open",
        365,
        "IT Support",
        (
            ("Joining a video call", "how_to", "device"),
            ("Booking a conference room", "how_to", "where"),
            ("No sound in a meeting", "troubleshooting", "device"),
            ("Room sizes and equipment", "reference", "where"),
            ("Recording a meeting", "policy", "who"),
            ("Webinar questions", "faq", "who"),
        ),
        (
            ("Can I book a room for a whole week", "question", 1, 2, "where"),
            ("A page on hybrid meetings", "new_article", 2, 6, "who"),
            ("Room map is out of date", "correction", 1, 3, "where"),
        ),
    ),
    (
        "Security Basics",
        "open",
        90,
        "Security",
        (
            ("Spotting a phishing email", "how_to", "who"),
            ("Setting up two-step sign-in", "how_to", "device"),
            ("Lost laptop or phone", "troubleshooting", "who"),
            ("Acceptable use", "policy", "who"),
            ("Badge access hours", "reference", "where"),
            ("Questions about spam filters", "faq", "who"),
        ),
        (
            ("What happens to files on a lost phone", "question", 1, 3, "who"),
            ("A page on travel with company laptops", "new_article", 3, 6, "who"),
            ("Badge hours are wrong", "correction", 1, 2, "where"),
        ),
    ),
    (
        "Incident Response",
        "restricted",
        90,
        "Security",
        (
            ("Who to call at night", "reference", "where"),
            ("Writing an incident report", "how_to", "who"),
            ("Handling a data leak", "policy", "who"),
            ("When an alert will not clear", "troubleshooting", "where"),
            ("On-call questions", "faq", "who"),
            ("Running a drill", "how_to", "where"),
        ),
        (
            ("Who signs off on an incident report", "question", 1, 3, "where"),
            ("Lessons from outages at other firms", "research", 5, 10, "client"),
            ("A page on weekend handoffs", "new_article", 3, 6, "where"),
        ),
    ),
    (
        "Sales Playbook",
        "internal",
        90,
        "Sales",
        (
            ("Discount limits", "policy", "client"),
            ("Preparing a demo", "how_to", "client"),
            ("Pricing tables", "reference", "client"),
            ("Objections and answers", "faq", "client"),
            ("Stuck quotes", "troubleshooting", "client"),
            ("Handing a deal to support", "how_to", "client"),
        ),
        (
            ("Who can approve a deeper discount", "question", 1, 3, "client"),
            ("Win and loss reasons last year", "research", 5, 10, "client"),
            ("Pricing table has last year's prices", "correction", 1, 3, "client"),
        ),
    ),
    (
        "Contracts & Renewals",
        "restricted",
        180,
        "Sales",
        (
            ("Standard renewal terms", "policy", "client"),
            ("Sending a contract for signature", "how_to", "device"),
            ("Contract templates", "reference", "client"),
            ("Late renewals", "troubleshooting", "client"),
            ("Questions about auto-renewal", "faq", "client"),
            ("Adding seats mid-year", "how_to", "client"),
        ),
        (
            ("Can a renewal be backdated", "question", 1, 3, "client"),
            ("A page on multi-year deals", "new_article", 3, 6, "client"),
            ("Renewal rates in our market", "research", 5, 8, "client"),
        ),
    ),
    (
        "Support Desk",
        "open",
        90,
        "Customer Care",
        (
            ("Refund requests", "policy", "client"),
            ("Answering an angry caller", "how_to", "who"),
            ("Response time targets", "reference", "client"),
            ("Login problems", "troubleshooting", "device"),
            ("Shipping questions", "faq", "client"),
            ("Escalating a ticket", "how_to", "who"),
        ),
        (
            ("When do we offer a free month", "question", 1, 3, "client"),
            ("Login page misses the new error message", "correction", 1, 3, "device"),
            ("A page on holiday coverage", "new_article", 2, 5, "where"),
        ),
    ),
    (
        "Call Center Training",
        "internal",
        365,
        "Customer Care",
        (
            ("Phone greeting scripts", "reference", "client"),
            ("Taking over a call", "how_to", "who"),
            ("Call recording rules", "policy", "where"),
            ("Headset problems", "troubleshooting", "device"),
            ("Scheduling questions", "faq", "who"),
            ("Scoring a practice call", "how_to", "who"),
        ),
        (
            ("How are practice calls scored", "question", 1, 3, "who"),
            ("A page on calls in Spanish", "new_article", 3, 6, "client"),
            ("What makes callers hang up", "research", 4, 7, "client"),
        ),
    ),
    (
        "Travel & Expenses",
        "open",
        180,
        "Finance",
        (
            ("Filing an expense report", "how_to", "device"),
            ("Meal limits", "policy", "where"),
            ("Booking a flight", "how_to", "who"),
            ("Rejected receipts", "troubleshooting", "device"),
            ("Mileage questions", "faq", "who"),
            ("Hotel rates", "reference", "where"),
        ),
        (
            ("Is airport parking covered", "question", 1, 2, "where"),
            ("Meal limits changed in January", "correction", 1, 3, "where"),
            ("What travel costs us by team", "research", 4, 8, "where"),
        ),
    ),
    (
        "Month-End Close",
        "restricted",
        365,
        "Finance",
        (
            ("Closing calendar", "reference", "where"),
            ("Booking an accrual", "how_to", "who"),
            ("Who may approve a journal entry", "policy", "who"),
            ("Accounts that do not match", "troubleshooting", "where"),
            ("Questions about cost centers", "faq", "who"),
            ("Reversing an entry", "how_to", "who"),
        ),
        (
            ("Which cost center pays for training", "question", 1, 3, "who"),
            ("A page on prepaid costs", "new_article", 3, 6, "who"),
            ("How long others take to close the books", "research", 5, 8, "client"),
        ),
    ),
    (
        "Legal Guide",
        "internal",
        180,
        "Legal",
        (
            ("When to ask for an NDA", "how_to", "client"),
            ("Record retention", "policy", "where"),
            ("Trademark rules", "reference", "client"),
            ("Questions about photos and consent", "faq", "who"),
            ("When a subpoena arrives", "troubleshooting", "where"),
            ("Using a contract clause", "how_to", "client"),
        ),
        (
            ("Do we need an NDA for a site visit", "question", 1, 3, "client"),
            ("New privacy laws by state", "research", 5, 10, "client"),
            ("A page on gifts from vendors", "new_article", 3, 6, "who"),
        ),
    ),
    (
        "Ethics & Compliance",
        "restricted",
        365,
        "Legal",
        (
            ("Gifts and entertainment", "policy", "client"),
            ("Reporting a concern", "how_to", "who"),
            ("Training deadlines", "reference", "where"),
            ("Conflict of interest questions", "faq", "who"),
            ("Overdue training", "troubleshooting", "who"),
            ("Side jobs", "policy", "who"),
        ),
        (
            ("May I accept tickets from a vendor", "question", 1, 2, "client"),
            ("Training page links to the old course", "correction", 1, 2, "who"),
            ("Penalties in our industry", "research", 5, 10, "client"),
        ),
    ),
    (
        "Facilities",
        "open",
        180,
        "Facilities",
        (
            ("Parking passes", "how_to", "where"),
            ("Reporting a broken light", "how_to", "where"),
            ("Emergency exits", "reference", "where"),
            ("Heating and cooling complaints", "troubleshooting", "where"),
            ("Visitors in the building", "policy", "where"),
            ("Desk and locker questions", "faq", "where"),
        ),
        (
            ("Can visitors use the garage", "question", 1, 2, "where"),
            ("Floor plan shows the old kitchen", "correction", 1, 3, "where"),
            ("A page on bike rooms", "new_article", 2, 5, "where"),
        ),
    ),
    (
        "Moves & Renovations",
        "internal",
        90,
        "Facilities",
        (
            ("Packing for a move", "how_to", "who"),
            ("Moving day schedule", "reference", "where"),
            ("Who pays for new furniture", "policy", "who"),
            ("Missing boxes", "troubleshooting", "where"),
            ("Questions about the new floor", "faq", "where"),
            ("Setting up a new desk", "how_to", "who"),
        ),
        (
            ("When does our floor move", "question", 1, 2, "where"),
            ("Move schedule has the wrong week", "correction", 1, 2, "where"),
            ("Standing desks compared", "research", 3, 6, "who"),
        ),
    ),
    (
        "Brand Center",
        "open",
        365,
        "Marketing",
        (
            ("Logo files", "reference", "client"),
            ("Writing in our voice", "how_to", "client"),
            ("Social media accounts", "policy", "who"),
            ("Blurry images", "troubleshooting", "device"),
            ("Questions about fonts and colors", "faq", "device"),
            ("Ordering business cards", "how_to", "where"),
        ),
        (
            ("Which logo goes on a dark background", "question", 1, 2, "client"),
            ("A page on photo releases", "new_article", 2, 6, "client"),
            ("How customers see our name", "research", 5, 10, "client"),
        ),
    ),
    (
        "Campaign Room",
        "internal",
        90,
        "Marketing",
        (
            ("Launch checklist", "reference", "client"),
            ("Setting up a mailing", "how_to", "client"),
            ("Approving an ad", "policy", "client"),
            ("Bounced newsletters", "troubleshooting", "client"),
            ("Questions about trade shows", "faq", "client"),
            ("Reporting on a campaign", "how_to", "client"),
        ),
        (
            ("Who owns the mailing list", "question", 1, 3, "client"),
            ("Ad page names the old agency", "correction", 1, 2, "client"),
            ("Trade shows worth our money", "research", 5, 8, "client"),
        ),
    ),
    (
        "Engineering Handbook",
        "internal",
        90,
        "Engineering",
        (
            ("Setting up a workspace", "how_to", "device"),
            ("Code review rules", "policy", "who"),
            ("Service owners", "reference", "where"),
            ("Failed builds", "troubleshooting", "device"),
            ("Release questions", "faq", "client"),
            ("Writing a design note", "how_to", "who"),
        ),
        (
            ("Who owns the login service", "question", 1, 3, "client"),
            ("A page on feature flags", "new_article", 3, 6, "client"),
            ("Setup steps fail", "correction", 1, 3, "device"),
        ),
    ),
    (
        "On-Call Runbooks",
        "restricted",
        90,
        "Engineering",
        (
            ("Restarting the order service", "how_to", "where"),
            ("Database is out of space", "troubleshooting", "where"),
            ("Paging schedule", "reference", "where"),
            ("Change freeze exceptions", "policy", "client"),
            ("Slow pages", "troubleshooting", "device"),
            ("Questions after an outage", "faq", "client"),
        ),
        (
            ("Who gets paged first on weekends", "question", 1, 2, "where"),
            ("Restart steps name a retired server", "correction", 1, 3, "where"),
            ("Monitoring tools compared", "research", 5, 8, "who"),
        ),
    ),
    (
        "Product Notes",
        "open",
        90,
        "Product",
        (
            ("What is new this spring", "reference", "client"),
            ("Collecting feedback", "how_to", "client"),
            ("Beta programs", "policy", "client"),
            ("Known bugs", "troubleshooting", "device"),
            ("Roadmap questions", "faq", "client"),
            ("Writing release notes", "how_to", "who"),
        ),
        (
            ("When does the new dashboard ship", "question", 1, 3, "client"),
            ("A page on plan limits", "new_article", 3, 6, "client"),
            ("What users ask for most", "research", 4, 7, "client"),
        ),
    ),
    (
        "Customer Research",
        "restricted",
        180,
        "Product",
        (
            ("Recruiting people for a study", "how_to", "client"),
            ("Paying study participants", "policy", "client"),
            ("Interview guides", "reference", "client"),
            ("No-shows", "troubleshooting", "client"),
            ("Survey questions", "faq", "client"),
            ("Sharing findings", "how_to", "who"),
        ),
        (
            ("How many people does a survey need", "question", 1, 3, "client"),
            ("Earlier studies on pricing", "research", 3, 6, "client"),
            ("Interview guide has a dead link", "correction", 1, 2, "client"),
        ),
    ),
    (
        "Data Dictionary",
        "internal",
        180,
        "Data",
        (
            ("What counts as an active customer", "reference", "client"),
            ("Asking for a new report", "how_to", "who"),
            ("Access to raw data", "policy", "who"),
            ("Reports that do not load", "troubleshooting", "device"),
            ("Questions about revenue numbers", "faq", "client"),
            ("Building a dashboard", "how_to", "device"),
        ),
        (
            ("How is churn counted", "question", 1, 3, "client"),
            ("A page on sales regions", "new_article", 3, 6, "client"),
            ("Revenue page contradicts the dashboard", "correction", 1, 3, "client"),
        ),
    ),
    (
        "Data Quality",
        "internal",
        90,
        "Data",
        (
            ("Fixing duplicate records", "how_to", "client"),
            ("Naming rules", "policy", "who"),
            ("Nightly checks", "reference", "client"),
            ("Missing rows", "troubleshooting", "client"),
            ("Questions about exports", "faq", "device"),
            ("Closing a data ticket", "how_to", "who"),
        ),
        (
            ("Why do two reports disagree", "question", 1, 3, "client"),
            ("A page on importing spreadsheets", "new_article", 3, 6, "device"),
            ("How much bad addresses cost us", "research", 4, 7, "client"),
        ),
    ),
    (
        "Buying Guide",
        "open",
        180,
        "Procurement",
        (
            ("Ordering office supplies", "how_to", "where"),
            ("Purchase limits", "policy", "who"),
            ("Approved vendors", "reference", "where"),
            ("Orders that never came", "troubleshooting", "where"),
            ("Questions about company cards", "faq", "who"),
            ("Adding a new vendor", "how_to", "who"),
        ),
        (
            ("Can I buy my own keyboard", "question", 1, 2, "who"),
            ("Vendor list names a closed shop", "correction", 1, 2, "where"),
            ("Cheaper coffee suppliers", "research", 3, 6, "where"),
        ),
    ),
    (
        "Vendor Desk",
        "restricted",
        180,
        "Procurement",
        (
            ("Comparing three bids", "how_to", "who"),
            ("Vendor risk levels", "reference", "client"),
            ("Signing limits", "policy", "who"),
            ("Disputed invoices", "troubleshooting", "where"),
            ("Payment term questions", "faq", "client"),
            ("Ending a vendor contract", "how_to", "who"),
        ),
        (
            ("Who signs for orders over $10,000", "question", 1, 2, "where"),
            ("A page on freight insurance", "new_article", 3, 6, "where"),
            ("Prices for cleaning services", "research", 3, 6, "where"),
        ),
    ),
)
MINOR = (
    "Fixes two broken links",
    "Corrects a phone number",
    "Fixes typos in the second half",
    "Updates the screenshots",
    "Renames a button in step 4",
    "Adds one missing step",
)
MAJOR = (
    "Rewrites the steps for the new system",
    "Adds a section for managers",
    "Splits the long part into three",
    "Brings the rules up to the new policy",
    "Replaces the table with current figures",
    "Adds answers to common questions",
)
FIRST = "First version"
COMMENTS = (
    "Please add a screenshot for the second step.",
    "The amount in the table looks old, can you check it?",
    "Too long, cut it by about half.",
    "Say who to call when this fails.",
    "The link at the end goes nowhere.",
    "This contradicts the travel page.",
    "Please name the form people need.",
    "Good start, but remote staff are missing.",
    "Put the most common case first.",
    "Check the dates with the team before we post this.",
)
HOURS = {"reader": 4, "contributor": 6, "expert": 10}  # hours of requests in a quarter
UNFINISHED = {"reader": 2, "contributor": 3, "expert": 4}  # unfinished requests at a time
PIECES = {"reader": 1, "contributor": 2, "expert": 3}  # pieces of writing in progress at a time
RUSH = {"question": 1000, "correction": 1000, "new_article": 2500, "research": 4000}
EVER = "9999-12-31"


def populate(world: WorldBuilder) -> None:
    """A fifth of the rows are members; an article has a revision or two."""
    homes, teams = {}, {}
    members = []
    for number in range(world.share(0.2, least=6)):
        members.append(_add_member(world, number, members, homes))
    writers = [m for m in members if m["level"] != "reader"]
    for member in writers:
        teams.setdefault(member["team"], []).append(member)
    people = {
        "all": members,
        "writers": writers,
        "readers": [m for m in members if m["level"] == "reader"],
        "experts": [m for m in writers if m["level"] == "expert"],
        "teams": teams,
        "pieces": {},
        "reviews": {},
    }
    spaces = _add_spaces(world, people)
    for _ in range(world.share(0.22, least=4)):
        _add_article(world, world.random.choice(spaces), people)
    _add_subscriptions(world, members, spaces)
    book = {"hours": {}, "unfinished": {}, "titles": set(), "last": {}}
    for _ in range(world.share(0.17, least=4)):
        _add_request(world, people, spaces, book)


def _add_member(world, number, members, homes):
    draw = world.random
    given, family = draw.choice(GIVEN), draw.choice(FAMILY)
    name = draw.choice(members)["name"] if number % 4 == 3 else f"{given} {family}"
    city, areas = draw.choice(PLACES)
    homes[city] = count = homes.get(city, -1) + 1
    area = areas[count // 100 % len(areas)]
    level = draw.choices(("reader", "contributor", "expert"), (45, 35, 20))[0]
    if number < 3:
        level = ("expert", "contributor", "expert")[number]
    ago = draw.randrange(5, 70) if draw.random() < 0.14 and number > 2 else draw.randrange(90, 1900)
    return world.insert(
        "member",
        name=name,
        email=f"{name.replace(' ', '.')}{number + 11}@example.com".lower(),
        phone=f"({area}) 555-01{count % 100:02d}",
        badge_number=f"KB-{10000 + (number + 1) * 7919 % 80000}",
        team=draw.choice(SPACES)[3],
        level=level,
        joined_on=_open(world.day(-ago)),
    )


def _add_spaces(world, people):
    """A frozen space is a new one that waits for its first day: it holds drafts only."""
    draw = world.random
    kinds = list(SPACES)
    draw.shuffle(kinds)
    spaces = []
    for number, kind in enumerate(kinds[: world.share(0.04, least=4)]):
        name, sensitivity, cycle, team, articles, requests = kind
        luck = 0 if number == 1 else draw.random()
        frozen = None
        if luck < 0.2 and number > 0:
            frozen = world.day(draw.randrange(1, 22))
        elif luck < 0.35:
            frozen = world.day(-draw.randrange(900, 1300))  # before the oldest article
        steward = _pick(draw, people["teams"].get(team, people["writers"]))
        space = world.insert(
            "space",
            name=name,
            sensitivity=sensitivity,
            steward_id=steward["member_id"],
            review_cycle_days=cycle,
            frozen_until=frozen,
        )
        order = list(range(len(articles)))
        draw.shuffle(order)
        shifts = [draw.randrange(0, 9) for _ in articles]
        new = frozen is not None and frozen > world.today
        spaces.append(
            {
                "row": space,
                "new": new,
                "team": team,
                "articles": articles,
                "requests": requests,
                "order": order,
                "shifts": shifts,
                "used": [0] * len(articles),
                "count": 0,
                "live": [],
            }
        )
    return spaces


def _pick(draw, pool):
    """Some people do much, others little."""
    return pool[int(len(pool) * draw.random() ** 1.6)]


def _open(date):
    """The date itself, or the Monday after a weekend."""
    return add_days(date, {"Saturday": 2, "Sunday": 1}.get(weekday(date), 0))


def _past(world, date):
    """An open day on or after the date, yesterday at the latest."""
    return min(_open(date), world.day(-1))


def _later(world, date, least, most):
    return _past(world, add_days(date, world.random.randrange(least, most + 1)))


def _between(world, first, last):
    return _past(world, add_days(first, world.random.randrange(0, max(days_between(first, last), 0) + 1)))


def _at(world, date, first, last):
    """A moment of that day between two full hours."""
    return f"{date} {world.random.randrange(first, last):02d}:{world.random.randrange(60):02d}:00"


def _detailed(title, family, step):
    """The bare title, then one detail after the other, then details with an office."""
    details = DETAILS[family]
    turn, place = step % (len(details) + 1), step // (len(details) + 1)
    text = title if turn == 0 else f"{title} {details[turn - 1]}"
    if place == 0:
        return text
    return (
        f"{text}, floor {place + 1}"
        if family == "where" and turn
        else f"{text} in {PLACES[(place - 1) % len(PLACES)][0]}"
    )


def _next_title(space):
    """Every call gives a title that the space has not had yet, with its kind and subject: two in a row have one subject."""
    number, space["count"] = space["count"], space["count"] + 1
    item = space["order"][number // 2 % len(space["order"])]
    subject, kind, family = space["articles"][item]
    size = len(DETAILS[family]) + 1
    turn, space["used"][item] = space["used"][item], space["used"][item] + 1
    step = turn // size * size + (turn + space["shifts"][item]) % size
    return _detailed(subject, family, step), kind, subject


def _has_room(people, member, first, last, pieces):
    """True if these pieces fit beside what the member had in progress in these days."""
    others = people["pieces"].get(member["member_id"], [])
    return sum(begun <= last and first <= done for begun, done in others) + pieces <= PIECES[member["level"]]


def _note_piece(people, member_id, first, last):
    people["pieces"].setdefault(member_id, []).append((first, last))


def _candidates(world, space, people):
    """Writers of the space's team first, then a few others."""
    draw = world.random
    own = people["teams"].get(space["team"], people["writers"])
    first = [_pick(draw, own), _pick(draw, own)]
    return first + draw.sample(own, min(4, len(own))) + draw.sample(people["writers"], min(6, len(people["writers"])))


def _add_article(world, space, people):
    draw = world.random
    title, kind, subject = _next_title(space)
    draft = space["new"] or draw.random() < 0.18
    if draft and _add_draft(world, space, people, title, kind):
        return
    if space["new"]:
        return
    for owner in _candidates(world, space, people):
        tenure = days_between(owner["joined_on"], world.today)
        if tenure < 40:
            continue
        created = _past(world, world.day(-draw.randrange(30, min(800, tenure))))
        published = _later(world, created, 2, 18)
        if _has_room(people, owner, created, published, 2):
            _add_published(world, space, people, (title, kind, subject), owner, created, published)
            return


def _add_draft(world, space, people, title, kind):
    """Add a draft, perhaps with its first revision, for somebody who has room for it; True if there was one."""
    draw = world.random
    plan = draw.choices(
        (None, "draft", "in_review", "changes_requested", "approved"),
        (26, 22, 24, 14, 14) if space["new"] else (18, 14, 18, 8, 42),
    )[0]
    pool = _candidates(world, space, people)
    if plan is None and people["readers"] and draw.random() < 0.6:
        pool = draw.sample(people["readers"], min(4, len(people["readers"])))
    for owner in pool:
        tenure = days_between(owner["joined_on"], world.today)
        created = _past(world, world.day(-draw.randrange(1, min(60, tenure))))
        if not _has_room(people, owner, created, EVER, 1 if plan is None else 2):
            continue
        article = world.insert(
            "article",
            space_id=space["row"]["space_id"],
            owner_id=owner["member_id"],
            title=title,
            kind=kind,
            state="draft",
            created_at=_at(world, created, 8, 9),
        )
        _note_piece(people, owner["member_id"], created, EVER)
        if plan is not None:
            _add_revision(world, article, owner, people, plan, "major", FIRST, created)
        return True
    return False


def _add_published(world, space, people, what, owner, created, published):
    draw = world.random
    title, kind, subject = what
    state = "archived" if draw.random() < 0.15 else "published"
    values = {
        "space_id": space["row"]["space_id"],
        "owner_id": owner["member_id"],
        "title": title,
        "kind": kind,
        "state": state,
        "created_at": _at(world, created, 8, 9),
    }
    verified = _between(world, published, world.day(-1)) if draw.random() < 0.75 else published
    if state == "published":
        cycle = space["row"]["review_cycle_days"]
        verified = max(published, _past(world, world.day(-draw.randrange(cycle // 6, cycle + 30))))
        postponed = draw.choices((0, 1, 2), (70, 20, 10))[0]
        values.update(
            review_due_on=add_days(verified, cycle + 30 * postponed),
            postponements=postponed,
            monthly_views=int(7 * 1.05 ** draw.randrange(100)),
        )
    else:
        archived = _at(world, _between(world, max(verified, add_days(published, 1)), world.day(-1)), 17, 18)
        live = [
            row["article_id"] for row in space["live"] if row["subject"] == subject and row["published_at"] <= archived
        ]
        reason = draw.choices(("outdated", "duplicate", "replaced"), (20, 35, 45))[0] if live else "outdated"
        values.update(archived_at=archived, archive_reason=reason, monthly_views=draw.randrange(0, 6))
        if reason != "outdated":
            values["replacement_id"] = draw.choice(live)
    values.update(published_at=_at(world, published, 17, 18), verified_on=verified)
    article = world.insert("article", **values)
    _note_piece(people, owner["member_id"], created, published)
    _note_piece(people, owner["member_id"], created, published)
    _add_first_revision(world, article, people, owner, created, published)
    if state == "archived":
        return
    space["live"].append({**article, "subject": subject})
    busy, in_review = set(), False
    for _ in range(draw.choices((0, 1, 2), (38, 40, 22))[0]):
        plan = draw.choices(("draft", "in_review", "changes_requested", "approved", "withdrawn"), (20, 26, 14, 28, 12))[
            0
        ]
        if plan == "in_review" and in_review:
            plan = "approved"
        size = "major" if plan != "approved" and draw.random() < 0.4 else "minor"
        for author in ([owner] if draw.random() < 0.35 else []) + _candidates(world, space, people):
            first = max(add_days(published, 1), author["joined_on"])
            start = (
                _between(world, first, world.day(-1))
                if plan == "approved"
                else max(first, _past(world, world.day(-draw.randrange(1, 24))))
            )
            start = _past(world, start)
            last = min(add_days(start, 16), world.today) if plan in ("approved", "withdrawn") else EVER
            if author["member_id"] not in busy and _has_room(people, author, start, last, 1):
                busy.add(author["member_id"])
                done = _add_revision(
                    world, article, author, people, plan, size, draw.choice(MAJOR if size == "major" else MINOR), start
                )
                in_review = in_review or done == "in_review"
                break


def _add_first_revision(world, article, people, owner, created, published):
    """What was reviewed before the article was published."""
    draw = world.random
    submitted = _between(world, created, published)
    some = [
        m
        for m in draw.sample(people["experts"], min(9, len(people["experts"])))
        if m["member_id"] != owner["member_id"]
    ]
    reviewer = ([m for m in some if m["joined_on"] <= submitted] or some)[0]
    world.insert(
        "revision",
        article_id=article["article_id"],
        author_id=owner["member_id"],
        reviewer_id=reviewer["member_id"],
        summary=FIRST,
        size="major",
        state="approved",
        created_at=_at(world, created, 9, 10),
        submitted_at=_at(world, submitted, 11, 14),
        due_on=_open(add_days(submitted, draw.randrange(3, 12))),
        decided_at=_at(world, published, 14, 17),
        comment=draw.choice(COMMENTS) if draw.random() < 0.2 else None,
    )


def _add_revision(world, article, author, people, plan, size, summary, created):
    """Add a revision and return its state: a review for which nobody has time stays a draft."""
    draw = world.random
    values = {
        "article_id": article["article_id"],
        "author_id": author["member_id"],
        "summary": summary,
        "size": size,
        "created_at": _at(world, created, 9, 10),
    }
    submitted = _later(world, created, 0, 5)
    sent = plan in ("in_review", "changes_requested", "approved") or plan == "withdrawn" and draw.random() < 0.5
    if sent:
        pool = people["experts"] if size == "major" else people["writers"]
        free = [
            m
            for m in draw.sample(pool, min(8, len(pool)))
            if m["member_id"] != author["member_id"]
            and m["joined_on"] <= submitted
            and people["reviews"].get(m["member_id"], 0) < 3
        ]
        if free:
            reviewer = free[0]["member_id"]
            values.update(
                reviewer_id=reviewer,
                submitted_at=_at(world, submitted, 11, 14),
                due_on=_open(add_days(submitted, draw.randrange(2, 15))),
            )
            if plan == "in_review":
                people["reviews"][reviewer] = people["reviews"].get(reviewer, 0) + 1
        else:
            plan, sent = "withdrawn" if plan == "approved" else "draft", False
    decided = EVER
    if plan in ("changes_requested", "approved", "withdrawn"):
        decided = _later(world, submitted, 0, 4)
        values["decided_at"] = _at(world, decided, 14, 17)
    if plan == "changes_requested" or sent and draw.random() < 0.15:
        values["comment"] = draw.choice(COMMENTS)
    world.insert("revision", state=plan, **values)
    _note_piece(people, author["member_id"], created, EVER if plan == "changes_requested" else decided)
    return plan


def _add_subscriptions(world, members, spaces):
    """Updates come from one space at a time: whoever wanted another one canceled or paused the last."""
    draw = world.random
    counts = {}
    for _ in range(world.share(0.14, least=3)):
        number = int(len(members) * draw.random() ** 1.3)
        counts[number] = counts.get(number, 0) + 1
    rows = []
    for number in range(len(members)):
        rows.extend(_subscriptions_of(world, members[number], counts.get(number, 0), spaces))
    draw.shuffle(rows)
    for row in rows:
        world.insert("subscription", **row)


def _subscriptions_of(world, member, count, spaces):
    """First the ended ones, then those that are paused now, at last one that brings updates."""
    draw = world.random
    allowed = [
        space["row"]["space_id"]
        for space in spaces
        if member["level"] != "reader" or space["row"]["sensitivity"] != "restricted"
    ]
    span = min(days_between(member["joined_on"], world.today), 600)
    count = min(count, span - 1, len(allowed))
    states = [draw.choices(("ended", "paused"), (55, 45))[0] for _ in range(count)]
    if count and draw.random() < 0.75:
        states[draw.randrange(0, count)] = "running"
    states.sort(key=("ended", "paused", "running").index)
    days = sorted(draw.sample(range(1, span), count), reverse=True)
    places = draw.sample(allowed, count)
    rows = []
    for number in range(count):
        started, state = world.day(-days[number]), states[number]
        row = {
            "member_id": member["member_id"],
            "space_id": places[number],
            "started_on": started,
            "frequency": draw.choices(("instant", "daily", "weekly"), (25, 35, 40))[0],
            "pauses": draw.choices((0, 1, 2, 3), (55, 25, 14, 6))[0],
        }
        if state == "ended":
            until = days[number + 1] + 1 if number + 1 < count else 1
            row["ended_on"] = world.day(-draw.randrange(min(until, days[number]), days[number] + 1))
        elif state == "paused":
            row["paused_until"] = world.day(draw.randrange(1, 40))
        elif days[number] > 9 and draw.random() < 0.25:
            row["paused_until"] = world.day(-draw.randrange(1, 8))
        if "paused_until" in row:
            row["pauses"] = max(row["pauses"], 1)
        rows.append(row)
    return rows


def _add_request(world, people, spaces, book):
    """Ask for something that fits into the hours of the asker's quarter, or for nothing."""
    draw = world.random
    asker = _pick(draw, people["all"])
    me, level = asker["member_id"], asker["level"]
    tenure = days_between(asker["joined_on"], world.today)
    state = draw.choices(("new", "claimed", "answered", "withdrawn"), (29, 25, 34, 12))[0]
    for _ in range(6):
        ago = draw.randrange(3, 32 if state in ("new", "claimed") else 45 if draw.random() < 0.75 else 300)
        created = world.day(-max(3, min(ago, tenure)))
        space = draw.choice(spaces)
        topic = _topic(draw, space, created, state == "answered")
        if me in book["last"] and draw.random() < 0.25:
            old_space, old = book["last"][me]
            if old[4] is None and state != "answered" or old[4] is not None and old[4]["published_at"] < created:
                space, topic = old_space, old
        title, kind, least, most, about = topic
        year, month, _ = created.split("-")
        quarter = (me, year, (int(month) - 1) // 3)
        left = HOURS[level] - book["hours"].get(quarter, 0)
        if least <= left and (about is not None or state != "answered"):
            hours = max(draw.randrange(least, min(most, left) + 1), draw.randrange(least, min(most, left) + 1))
            book["hours"][quarter] = book["hours"].get(quarter, 0) + hours
            book["last"][me] = (space, topic)
            _insert_request(
                world,
                people,
                book,
                asker,
                space,
                state,
                created,
                about,
                {"title": title, "kind": kind, "estimated_hours": hours},
            )
            return


def _insert_request(world, people, book, asker, space, state, created, about, values):
    draw = world.random
    me, hours = asker["member_id"], values["estimated_hours"]
    key = (me, space["row"]["space_id"], values["title"])
    if state in ("new", "claimed") and (
        key in book["titles"] or book["unfinished"].get(me, 0) >= UNFINISHED[asker["level"]]
    ):
        state = "answered" if about else "withdrawn"
    claimed = _later(world, created, 1, 4)
    closed = _later(world, claimed, 0, 9)
    pool = people["teams"].get(space["team"], people["writers"])
    helpers = [
        m
        for m in draw.sample(pool, min(4, len(pool))) + people["experts"][:3]
        if m["member_id"] != me and m["joined_on"] <= claimed
    ]
    if state in ("answered", "claimed") and not helpers:
        state = "withdrawn"
    fee, why, rush = 0, None, draw.random() < 0.25
    if rush:
        fee, why = RUSH[values["kind"]], "rush"
    if helpers and (state in ("claimed", "answered") or state == "withdrawn" and draw.random() < 0.4):
        values.update(assignee_id=helpers[0]["member_id"], claimed_at=_at(world, claimed, 11, 14))
        if state == "withdrawn":
            fee, why = fee + min(500 * hours, 4000), "late_withdrawal"
        elif draw.random() < 0.1:
            fee, why = fee + 1500 * draw.randrange(1, 4), "extra_hours"
    if state in ("answered", "withdrawn"):
        values["closed_at"] = _at(world, closed, 14, 17)
    if state == "answered":
        values["article_id"] = about["article_id"]
        if draw.random() < 0.55:
            values["rating"] = draw.choices((1, 2, 3, 4, 5), (6, 8, 16, 35, 35))[0]
    needed = add_days(created, draw.randrange(3, 25))
    if state in ("new", "claimed"):
        book["titles"].add(key)
        book["unfinished"][me] = book["unfinished"].get(me, 0) + 1
        needed = max(created, world.day(draw.randrange(-4, 30)))
    world.insert(
        "request",
        space_id=space["row"]["space_id"],
        asker_id=me,
        state=state,
        created_at=_at(world, created, 7, 22),
        needed_by=_open(needed),
        rush=int(rush),
        fee_cents=fee,
        fee_reason=why,
        **values,
    )
