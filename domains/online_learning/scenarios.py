"""What people want of Brightpath Online Learning: every function is a scenario."""

from runtime.story import Story, scenario

BALANCE = """
    (SELECT coalesce(sum(CASE WHEN x.kind IN ('tuition', 'fee') THEN x.amount_cents ELSE -x.amount_cents END), 0) FROM account_entry x WHERE x.learner_id = enrollment.learner_id)
"""
ENTRY_BALANCE = """
    (SELECT coalesce(sum(CASE WHEN x.kind IN ('tuition', 'fee') THEN x.amount_cents ELSE -x.amount_cents END), 0) FROM account_entry x WHERE x.learner_id = account_entry.learner_id)
"""
NO_CREDIT = """
    enrollment.tuition_cents IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM account_entry x WHERE x.enrollment_id = enrollment.enrollment_id
        AND x.kind = 'credit')
"""
MISSING = """
    (SELECT count(*) FROM assignment a JOIN cohort h ON h.course_id = a.course_id WHERE h.cohort_id = enrollment.cohort_id
        AND NOT EXISTS (SELECT 1 FROM submission s WHERE s.enrollment_id = enrollment.enrollment_id
        AND s.assignment_id = a.assignment_id))
"""
FREE_SEAT = """
    cohort.capacity > (SELECT count(*) FROM enrollment e WHERE e.cohort_id = cohort.cohort_id
        AND e.status IN ('active', 'completed', 'failed'))
"""
NO_PREREQUISITE = "(SELECT c.prerequisite_course_id FROM course c WHERE c.course_id = cohort.course_id) IS NULL"
PAID_MEMBER = "enrollment.learner_id IN (SELECT learner_id FROM learner WHERE membership <> 'basic')"


@scenario
def switch_plan_and_phone(story: Story) -> None:
    """The learner moves to the premium membership and changes the phone number."""
    story.pick("enrollment", "learner_id IN (SELECT learner_id FROM learner WHERE membership <> 'premium')", mine=True)
    plan = story.choose("membership", ["premium"])
    phone = story.choose("phone", ["808-555-0143", "907-555-0128", "802-555-0161"])
    story.wish(
        (
            "I've got a new phone number, {phone}. Can you update it and switch my membership to {plan}?",
            "My phone number is now {phone}. Could you please update it and move me to the {plan} membership?",
            "new number here, {phone}. can you change it and put me on {plan} membership",
        ),
        short="changing my phone number to {phone} and my membership to {plan}",
        phone=phone,
        plan=plan,
    )
    story.call("update_learner", learner_id=story.identify(), phone=phone, membership=plan)


@scenario
def pay_part_of_the_balance(story: Story) -> None:
    """The learner pays part of the balance and asks what is left."""
    amount = story.choose("amount", [5000, 7500, 10000])
    story.pick("enrollment", f"{BALANCE} > ?", amount, mine=True)
    method = story.choose("method", {"by card": "card", "by check": "check", "by bank transfer": "bank_transfer"})
    story.wish(
        (
            "I'd like to pay {amount} toward my account {method}. Can you record it and tell me my remaining balance?",
            "I am paying {amount} toward my account {method}. Could you please record it and let me know my remaining balance?",
            "paying {amount} {method} on my account, can you put that in? what's my remaining balance",
        ),
        short="recording a payment of {amount} {method} and telling me my remaining balance",
        amount=story.money(amount),
        method=method,
    )
    receipt = story.call("record_payment", learner_id=story.identify(), amount_cents=story.money(amount), method=method)
    story.answer("remaining balance", story.money(receipt["balance_cents"]))


@scenario(form="denied")
def ask_for_a_courtesy_credit(story: Story) -> None:
    """The learner asks for a courtesy credit on a course."""
    amount = story.choose("amount", [2000, 2500, 4000])
    reason = story.choose("reason", {"a courtesy credit": "courtesy"})
    mine = story.pick(
        "enrollment",
        f"{NO_CREDIT} AND status IN ('active', 'completed', 'failed', 'withdrawn')",
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    title = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])["title"]
    credit = story.wish(
        (
            "The videos in {title} kept freezing on me. Can you give me {reason} of {amount} for it?",
            "I had a lot of trouble with the videos in {title}. I would like {reason} of {amount} for that course.",
            "can I get {reason} of {amount} for {title}? videos kept freezing",
        ),
        short="giving me {reason} of {amount} for {title}",
        title=title,
        reason=reason,
        amount=story.money(amount),
    )
    story.insists(
        credit,
        (
            "Honestly, I lost whole evenings to this. It just doesn't seem fair.",
            "I lost several evenings to this problem, and it does not seem fair to me.",
            "come on, I wasted so many evenings on this, not fair",
        ),
    )
    enrollments = story.call("list_enrollments", learner_id=story.identify())["enrollments"]
    right = story.find(enrollments, course_title=title)
    with story.wrong("credits the whole tuition"):
        story.call(
            "record_credit", enrollment_id=right["enrollment_id"], reason=reason, amount_cents=right["tuition_cents"]
        )
    if story.permits(
        "record_credit", enrollment_id=right["enrollment_id"], reason=reason, amount_cents=story.money(amount)
    ):
        story.call(
            "record_credit", enrollment_id=right["enrollment_id"], reason=reason, amount_cents=story.money(amount)
        )
    else:
        story.decline(credit)


@scenario(form="best_of")
def find_the_last_payment(story: Story) -> None:
    """The learner asks for the amount and the day of the last payment."""
    story.pick(
        "account_entry",
        """
        kind = 'payment'
        AND NOT EXISTS (SELECT 1 FROM account_entry x WHERE x.learner_id = account_entry.learner_id AND x.kind = 'payment' AND x.created_at > account_entry.created_at)
        AND EXISTS (SELECT 1 FROM account_entry x WHERE x.learner_id = account_entry.learner_id AND x.kind <> 'payment' AND x.created_at > account_entry.created_at)
        AND EXISTS (SELECT 1 FROM account_entry x WHERE x.learner_id = account_entry.learner_id AND x.kind = 'payment' AND x.created_at < account_entry.created_at AND x.amount_cents <> account_entry.amount_cents)
        """,
        mine=True,
    )
    story.wish(
        (
            "I'm sorting out my bills. What was the amount of my most recent payment, and what was the payment day?",
            "I am going through my records. Could you please tell me the amount of my latest payment and the payment day?",
            "last payment I made, what amount was it? and the payment day pls",
        ),
        short="telling me the amount of my most recent payment and the payment day",
    )
    entries = story.call("get_account", learner_id=story.identify())["entries"]
    payments = [each for each in entries if each["kind"] == "payment"]
    last = story.highest(payments, "created_at")
    with story.wrong("takes the latest entry of any kind"):
        other = story.highest(entries, "created_at")
        story.answer("amount", story.money(other["amount_cents"]))
        story.answer("payment day", story.date_of(other["created_at"]))
    for other in story.others(payments, last, 1):
        with story.wrong("takes another payment"):
            story.answer("amount", story.money(other["amount_cents"]))
            story.answer("payment day", story.date_of(other["created_at"]))
    story.answer("amount", story.money(last["amount_cents"]))
    story.answer("payment day", story.date_of(last["created_at"]))


@scenario(form="computed")
def add_up_charges_and_payments(story: Story) -> None:
    """The learner asks for all charges, fees included, and for all payments."""
    story.pick(
        "account_entry",
        """
        kind = 'fee'
        AND EXISTS (SELECT 1 FROM account_entry x WHERE x.learner_id = account_entry.learner_id AND x.kind = 'payment')
        AND (SELECT count(*) FROM account_entry x WHERE x.learner_id = account_entry.learner_id) <= 20
        """,
        mine=True,
    )
    story.wish(
        (
            "I'm doing my taxes. What do my total charges come to, tuition and fees together, and what do my total payments come to?",
            "I need figures for my taxes. Could you tell me my total charges, counting both tuition and fees, and also my total payments?",
            "need numbers for taxes. what are my total charges, tuition plus fees, and my total payments",
        ),
        short="telling me my total charges, tuition and fees together, and my total payments",
    )
    entries = story.call("get_account", learner_id=story.identify())["entries"]
    tuition = [each for each in entries if each["kind"] == "tuition"]
    fees = [each for each in entries if each["kind"] == "fee"]
    payments = [each for each in entries if each["kind"] == "payment"]
    with story.wrong("forgets the fees"):
        story.answer("total charges", story.money(story.total(tuition, "amount_cents")))
        story.answer("total payments", story.money(story.total(payments, "amount_cents")))
    with story.wrong("counts credits as payments"):
        credits = [each for each in entries if each["kind"] in ("payment", "credit")]
        story.answer("total charges", story.money(story.total(tuition, "amount_cents")))
        story.answer("total payments", story.money(story.total(credits, "amount_cents")))
    story.answer("total charges", story.money(story.total([*tuition, *fees], "amount_cents")))
    story.answer("total payments", story.money(story.total(payments, "amount_cents")))


@scenario(form="coupled")
def extension_after_an_upgrade(story: Story) -> None:
    """The learner wants more days for an assignment and moves up from the basic membership."""
    mine = story.pick(
        "enrollment",
        f"status = 'active' AND learner_id IN (SELECT learner_id FROM learner WHERE membership = 'basic') AND {MISSING} > 0",
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    course = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])
    work = story.pick(
        "assignment",
        "course_id = ? AND NOT EXISTS (SELECT 1 FROM submission s WHERE s.assignment_id = assignment.assignment_id AND s.enrollment_id = ?)",
        course["course_id"],
        mine["enrollment_id"],
        unique_by=["course_id", "title"],
    )
    days = story.choose("days", [3, 5, 7])
    plan = story.choose("membership", ["plus", "premium"])
    with story.together():
        extend = story.wish(
            (
                "I won't make it in time with {assignment} in {title}. Can you give me {days} more days for it?",
                "I would like {days} more days for {assignment} in {title}, as I will not finish in time.",
                "can I get {days} more days for {assignment} in {title}? not gonna make it",
            ),
            short="giving me {days} more days for {assignment} in {title}",
            assignment=work["title"],
            title=course["title"],
            days=days,
        )
        upgrade = story.wish(
            (
                "And please switch my membership to {plan}.",
                "I would also like to change my membership to {plan}.",
                "and put me on {plan} membership too",
            ),
            short="changing my membership to {plan}",
            plan=plan,
        )
    key = story.identify()
    enrollments = story.call("list_enrollments", wish=extend, learner_id=key)["enrollments"]
    right = story.find(enrollments, course_title=course["title"])
    works = story.call("list_coursework", wish=extend, enrollment_id=right["enrollment_id"])["assignments"]
    wanted = story.find(works, title=work["title"])
    story.call("update_learner", wish=upgrade, learner_id=key, membership=plan)
    story.call(
        "extend_deadlines",
        wish=extend,
        enrollment_id=right["enrollment_id"],
        assignment_ids=[wanted["assignment_id"]],
        days=days,
    )


@scenario(form="looked_up")
def credit_where_the_transfer_fee_was(story: Story) -> None:
    """The learner asks for a credit on the course that had a transfer fee."""
    story.pick(
        "account_entry",
        """
        kind = 'fee' AND reason = 'transfer'
        AND NOT EXISTS (SELECT 1 FROM account_entry x WHERE x.learner_id = account_entry.learner_id AND x.reason = 'transfer' AND x.account_entry_id <> account_entry.account_entry_id)
        AND EXISTS (SELECT 1 FROM enrollment e WHERE e.enrollment_id = account_entry.enrollment_id AND e.status IN ('active', 'withdrawn'))
        AND NOT EXISTS (SELECT 1 FROM account_entry x WHERE x.enrollment_id = account_entry.enrollment_id AND x.kind = 'credit')
        AND EXISTS (SELECT 1 FROM enrollment e WHERE e.learner_id = account_entry.learner_id AND e.enrollment_id <> account_entry.enrollment_id)
        """,
        mine=True,
    )
    amount = story.choose("amount", [1000, 1200, 1800])
    reason = story.choose("reason", {"a courtesy credit": "courtesy"})
    story.wish(
        (
            "One of my courses got a transfer fee. Can you give me {reason} of {amount} on that course? I forget which one it was.",
            "I was charged a transfer fee for one of my courses, though I forget which. I would like {reason} of {amount} on that course.",
            "can I get {reason} of {amount} on the course that had the transfer fee? forgot which one",
        ),
        short="giving me {reason} of {amount} on the course that had the transfer fee",
        reason=reason,
        amount=story.money(amount),
    )
    key = story.identify()
    enrollments = story.call("list_enrollments", learner_id=key)["enrollments"]
    entries = story.call("get_account", learner_id=key)["entries"]
    fees = [each for each in entries if each["kind"] == "fee" and each["reason"] == "transfer"]
    fee = story.highest(fees, "created_at")
    right = story.find(enrollments, enrollment_id=fee["enrollment_id"])
    for other in story.others(enrollments, right):
        with story.wrong("takes another course"):
            story.call(
                "record_credit", enrollment_id=other["enrollment_id"], reason=reason, amount_cents=story.money(amount)
            )
    with story.wrong("credits the fee"):
        story.call(
            "record_credit", enrollment_id=right["enrollment_id"], reason=reason, amount_cents=fee["amount_cents"]
        )
    story.call("record_credit", enrollment_id=right["enrollment_id"], reason=reason, amount_cents=story.money(amount))


@scenario(form="mistaken")
def repeat_the_last_payment(story: Story) -> None:
    """The learner repeats the last payment and misremembers its amount."""
    wrong = story.choose("believed amount", [3000, 4500, 6000])
    method = story.choose("method", {"by card": "card", "by check": "check"})
    paid = story.pick(
        "account_entry",
        f"""
        kind = 'payment' AND amount_cents NOT IN (3000, 4500, 6000)
        AND NOT EXISTS (SELECT 1 FROM account_entry x WHERE x.learner_id = account_entry.learner_id AND x.kind = 'payment' AND x.created_at >= account_entry.created_at AND x.account_entry_id <> account_entry.account_entry_id)
        AND {ENTRY_BALANCE} > 6000 AND {ENTRY_BALANCE} > amount_cents
        """,
        mine=True,
    )
    story.wish(
        (
            "Check what my last payment was, I think {wrong}. Whatever it was, record that amount again {method} and tell me my remaining balance.",
            "Please look up my last payment, which I believe was {wrong}. Whatever it was, I would like to pay that amount again {method}. Could you tell me my remaining balance?",
            "look up my last payment, pretty sure it was {wrong}. whatever it was, same amount again {method} pls. what's my remaining balance",
        ),
        short="looking up my last payment, recording a payment of the same amount {method}, and telling me my remaining balance",
        wrong=story.money(wrong),
        method=method,
    )
    story.believes("last payment", story.money(wrong), story.money(paid["amount_cents"]))
    key = story.identify()
    account = story.call("get_account", learner_id=key)
    last = story.highest([each for each in account["entries"] if each["kind"] == "payment"], "created_at")
    with story.wrong("trusts the customer"):
        receipt = story.call("record_payment", learner_id=key, amount_cents=story.money(wrong), method=method)
        story.answer("remaining balance", story.money(receipt["balance_cents"]))
    with story.wrong("pays everything"):
        receipt = story.call("record_payment", learner_id=key, amount_cents=account["balance_cents"], method=method)
        story.answer("remaining balance", story.money(receipt["balance_cents"]))
    receipt = story.call("record_payment", learner_id=key, amount_cents=last["amount_cents"], method=method)
    story.answer("remaining balance", story.money(receipt["balance_cents"]))


@scenario(form="outside")
def certificate_fee_and_a_paper_copy(story: Story) -> None:
    """The learner has the certificate fee charged and wants a paper certificate in the mail."""
    amount = story.choose("amount", [1000, 1500, 2000])
    reason = story.choose("reason", {"certificate": "certificate"})
    mine = story.pick(
        "enrollment",
        "status = 'completed' AND certificate_number IS NOT NULL",
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    title = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])["title"]
    story.wish(
        (
            "I finished {title} and want my certificate on paper. Can you put the {amount} {reason} fee on my account?",
            "My certificate for {title} is ready, and I would like it on paper. Please charge the {amount} {reason} fee to my account.",
            "put the {amount} {reason} fee for {title} on my account, I want the paper one",
        ),
        short="charging me the {amount} {reason} fee for {title}",
        title=title,
        amount=story.money(amount),
        reason=reason,
    )
    enrollments = story.call("list_enrollments", learner_id=story.identify())["enrollments"]
    right = story.find(enrollments, course_title=title)
    story.call("record_fee", enrollment_id=right["enrollment_id"], reason=reason, amount_cents=story.money(amount))
    story.outside(
        (
            "And can you mail the printed certificate to my house this week?",
            "Could you also send the printed certificate to my home by mail this week?",
            "and can you mail me the printed one this week?",
        )
    )


@scenario(form="withheld")
def change_the_email(story: Story) -> None:
    """The learner has a new email address and tells it when asked."""
    email = story.choose(
        "email", ["new.inbox@example.net", "home.desk@example.org", "my.mailbox@example.com", "late.owl@example.net"]
    )
    change = story.wish(
        (
            "I've switched to a new email address. Can you change it on my account?",
            "My email address is different now. I would like you to change it on my account.",
            "got a new email address, can you change it on my account?",
        ),
    )
    story.keep_back("new email address", email)
    story.in_short(change, "changing the email address on my account to {email}", email=email)
    story.call("update_learner", learner_id=story.identify(), email=email)


@scenario
def how_many_finish(story: Story) -> None:
    """The learner asks how many finish a course and what score is needed."""
    story.pick("enrollment", f"{BALANCE} > 0", mine=True)
    first = story.day(story.choose("first day", [-400]))
    last = story.day(story.choose("last day", [-60]))
    course = story.pick(
        "course",
        """
        EXISTS (SELECT 1 FROM cohort h JOIN enrollment e ON e.cohort_id = h.cohort_id WHERE h.course_id = course.course_id
            AND h.canceled_at IS NULL AND h.starts_on BETWEEN ? AND ? AND e.status = 'completed')
        AND EXISTS (SELECT 1 FROM cohort h JOIN enrollment e ON e.cohort_id = h.cohort_id WHERE h.course_id = course.course_id
            AND h.canceled_at IS NULL AND h.starts_on BETWEEN ? AND ? AND e.status IN ('failed', 'withdrawn'))
        """,
        first,
        last,
        first,
        last,
        unique_by=["title"],
    )
    title = course["title"]
    story.wish(
        (
            "Thinking about {title}. What's the completion rate for cohorts that started from {first} through {last}, and the tuition? And what's my balance?",
            "I am considering {title}. Could you tell me the completion rate for cohorts that started from {first} through {last}, the tuition, and my balance?",
            "what's the completion rate in {title} for cohorts that started from {first} through {last}? and the tuition, and my balance",
        ),
        short="telling me the completion rate of the {title} cohorts that started from {first} through {last}, the tuition, and my balance",
        title=title,
        first=first,
        last=last,
    )
    key = story.identify()
    found = story.find(story.call("search_courses", text=title)["courses"], title=title)
    report = story.call("report_course", course_id=found["course_id"], starts_from=first, starts_to=last)
    story.answer("completion rate", report["completion_percent"])
    story.answer("tuition", story.money(found["tuition_cents"]))
    story.answer("balance", story.money(story.call("get_account", learner_id=key)["balance_cents"]))


@scenario
def cost_and_end_of_a_cohort(story: Story) -> None:
    """The learner asks what a course costs and when a cohort ends."""
    cohort = story.pick(
        "cohort", "canceled_at IS NULL AND starts_on > ?", story.today, unique_by=["course_id", "starts_on"]
    )
    title = story.row("course", cohort["course_id"])["title"]
    story.wish(
        (
            "I've got my eye on the {title} cohort that starts on {day}. What's the tuition, and what's the end date?",
            "I am interested in the {title} cohort that starts on {day}. Could you please tell me the tuition and the end date?",
            "what's the tuition and the end date for the {title} cohort that starts on {day}",
        ),
        short="telling me the tuition and the end date of the {title} cohort that starts on {day}",
        title=title,
        day=cohort["starts_on"],
    )
    story.identify()
    found = story.find(story.call("search_courses", text=title)["courses"], title=title)
    cohorts = story.call("list_cohorts", course_id=found["course_id"])["cohorts"]
    wanted = story.find(cohorts, starts_on=cohort["starts_on"])
    story.answer("tuition", story.money(found["tuition_cents"]))
    story.answer("end date", wanted["ends_on"])


@scenario(form="ambiguous")
def price_of_one_of_my_courses(story: Story) -> None:
    """The learner asks about one of four or more courses and says which when asked."""
    mine = story.pick(
        "enrollment",
        """
        (SELECT count(DISTINCT h.course_id) FROM enrollment e JOIN cohort h ON h.cohort_id = e.cohort_id WHERE e.learner_id = enrollment.learner_id) > 3
        AND (SELECT count(*) FROM enrollment e WHERE e.learner_id = enrollment.learner_id) <= 20
        """,
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    title = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])["title"]
    ask = story.wish(
        (
            "A friend wants to take one of the courses I signed up for. What's its tuition now, and what's the end date of mine?",
            "My friend is interested in one of the courses I signed up for. Could you tell me its current tuition and the end date of mine?",
            "friend wants to take one of the courses I signed up for, what's the tuition now? and the end date of mine",
        ),
    )
    story.keep_back("course", title)
    story.in_short(
        ask,
        "telling me the current tuition of one of the courses I signed up for, and the end date of mine, for {title}",
        title=title,
    )
    enrollments = story.call("list_enrollments", learner_id=story.identify())["enrollments"]
    right = story.find(enrollments, course_title=title)
    for other in story.others(enrollments, right):
        with story.wrong("takes another one that fits"):
            name = other["course_title"]
            found = story.find(story.call("search_courses", text=name)["courses"], title=name)
            story.answer("tuition", story.money(found["tuition_cents"]))
            story.answer("end date", other["ends_on"])
    found = story.find(story.call("search_courses", text=title)["courses"], title=title)
    story.answer("tuition", story.money(found["tuition_cents"]))
    story.answer("end date", right["ends_on"])


@scenario(form="computed")
def total_with_two_more_courses(story: Story) -> None:
    """The learner asks for the total of two courses with what is owed already."""
    story.pick("enrollment", f"{BALANCE} > 0", mine=True)
    one, two = story.pick_several("course", 2, "tuition_cents > 0", unique_by=["title"])
    story.wish(
        (
            "I might sign up for {one} and {two}. What would my total be, with what I already owe?",
            "I am thinking of signing up for {one} and {two}. Could you tell me what my total would be, with what I already owe?",
            "if I sign up for {one} and {two}, what's my total? with what I already owe",
        ),
        short="telling me my total for signing up for {one} and {two}, with what I already owe",
        one=one["title"],
        two=two["title"],
    )
    account = story.call("get_account", learner_id=story.identify())
    first = story.find(story.call("search_courses", text=one["title"])["courses"], title=one["title"])
    second = story.find(story.call("search_courses", text=two["title"])["courses"], title=two["title"])
    parts = [{"cents": first["tuition_cents"]}, {"cents": second["tuition_cents"]}]
    with story.wrong("forgets what is owed already"):
        story.answer("total", story.money(story.total(parts, "cents")))
    with story.wrong("forgets the second course"):
        story.answer(
            "total",
            story.money(story.total([{"cents": first["tuition_cents"]}, {"cents": account["balance_cents"]}], "cents")),
        )
    story.answer("total", story.money(story.total([*parts, {"cents": account["balance_cents"]}], "cents")))


@scenario(form="conditional")
def enroll_by_price(story: Story) -> None:
    """The learner enrolls in a course if it is cheap enough, and in another one if not."""
    limit = story.choose("limit", [22000, 28000, 34000])
    cohort = story.pick(
        "cohort",
        f"""
        canceled_at IS NULL AND starts_on > ? AND {FREE_SEAT} AND {NO_PREREQUISITE}
        AND NOT EXISTS (SELECT 1 FROM enrollment e JOIN cohort h ON h.cohort_id = e.cohort_id WHERE e.learner_id = ? AND h.course_id = cohort.course_id AND e.status IN ('waitlisted', 'active', 'completed'))
        """,
        story.today,
        story.me["learner_id"],
        unique_by=["course_id", "starts_on"],
    )
    second = story.pick(
        "cohort",
        f"""
        canceled_at IS NULL AND starts_on > ? AND {FREE_SEAT} AND {NO_PREREQUISITE}
        AND NOT EXISTS (SELECT 1 FROM enrollment e JOIN cohort h ON h.cohort_id = e.cohort_id WHERE e.learner_id = ? AND h.course_id = cohort.course_id AND e.status IN ('waitlisted', 'active', 'completed')) AND course_id <> ?
        """,
        story.today,
        story.me["learner_id"],
        cohort["course_id"],
        unique_by=["course_id", "starts_on"],
    )
    title = story.row("course", cohort["course_id"])["title"]
    other = story.row("course", second["course_id"])["title"]
    story.wish(
        (
            "If {title} costs {limit} or less, sign me up for the cohort that starts on {day}. If it's more, make it {other}, the cohort that starts on {later}.",
            "Please enroll me in {title}, the cohort that starts on {day}, if it costs {limit} or less. If it costs more, please choose {other}, the cohort that starts on {later}.",
            "sign me up for {title}, starts on {day}, if it's {limit} or less. if it's more than that, {other} that starts on {later}",
        ),
        short="enrolling me in {title}, starting on {day}, if it costs {limit} or less, and otherwise in {other}, starting on {later}",
        title=title,
        limit=story.money(limit),
        day=cohort["starts_on"],
        other=other,
        later=second["starts_on"],
    )
    key = story.identify()
    found = story.find(story.call("search_courses", text=title)["courses"], title=title)
    course = story.find(story.call("search_courses", text=other)["courses"], title=other)
    one = story.find(story.call("list_cohorts", course_id=found["course_id"])["cohorts"], starts_on=cohort["starts_on"])
    two = story.find(
        story.call("list_cohorts", course_id=course["course_id"])["cohorts"], starts_on=second["starts_on"]
    )
    right, left = (one, two) if found["tuition_cents"] <= limit else (two, one)
    with story.wrong("takes the other branch"):
        story.call("enroll_learner", learner_id=key, cohort_id=left["cohort_id"])
    with story.wrong("takes both"):
        story.call("enroll_learner", learner_id=key, cohort_id=one["cohort_id"])
        story.call("enroll_learner", learner_id=key, cohort_id=two["cohort_id"])
    story.call("enroll_learner", learner_id=key, cohort_id=right["cohort_id"])


@scenario(form="coupled")
def seat_elsewhere_instead_of_waiting(story: Story) -> None:
    """The learner takes a seat in another cohort and leaves the waitlist."""
    mine = story.pick(
        "enrollment",
        """
        status = 'waitlisted'
        AND EXISTS (SELECT 1 FROM cohort n JOIN cohort o ON o.course_id = n.course_id WHERE o.cohort_id = enrollment.cohort_id AND n.cohort_id <> o.cohort_id
            AND n.canceled_at IS NULL AND n.starts_on > ? AND n.capacity >
            (SELECT count(*) FROM enrollment e WHERE e.cohort_id = n.cohort_id AND e.status IN ('active', 'completed', 'failed')))
        """,
        story.today,
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    old = story.row("cohort", mine["cohort_id"])
    title = story.row("course", old["course_id"])["title"]
    target = story.pick(
        "cohort",
        f"course_id = ? AND cohort_id <> ? AND canceled_at IS NULL AND starts_on > ? AND {FREE_SEAT}",
        old["course_id"],
        old["cohort_id"],
        story.today,
        unique_by=["course_id", "starts_on"],
    )
    reason = story.choose("reason", {"because of my schedule": "schedule"})
    with story.together():
        enroll = story.wish(
            (
                "Can you sign me up for the {title} cohort that starts on {day}?",
                "I would like to enroll in the {title} cohort that starts on {day}.",
                "sign me up for the {title} cohort that starts on {day} pls",
            ),
            short="enrolling me in the {title} cohort that starts on {day}",
            title=title,
            day=target["starts_on"],
        )
        leave = story.wish(
            (
                "And take me off the waitlist for the {title} cohort that starts on {other}, {reason}.",
                "Please also remove me from the waitlist for the {title} cohort that starts on {other}, {reason}.",
                "and get me off the waitlist for the {title} one that starts on {other}, {reason}",
            ),
            short="taking me off the waitlist for the {title} cohort that starts on {other}, {reason}",
            title=title,
            other=old["starts_on"],
            reason=reason,
        )
    key = story.identify()
    enrollments = story.call("list_enrollments", wish=leave, learner_id=key)["enrollments"]
    waiting = story.find(enrollments, course_title=title)
    found = story.find(story.call("search_courses", wish=enroll, text=title)["courses"], title=title)
    cohorts = story.call("list_cohorts", wish=enroll, course_id=found["course_id"])["cohorts"]
    wanted = story.find(cohorts, starts_on=target["starts_on"])
    story.call("withdraw_enrollment", wish=leave, enrollment_id=waiting["enrollment_id"], reason=reason)
    story.call("enroll_learner", wish=enroll, learner_id=key, cohort_id=wanted["cohort_id"])


@scenario(form="looked_up")
def the_course_that_follows(story: Story) -> None:
    """The learner asks about the course that requires a given course."""
    follow = story.pick(
        "course",
        """
        prerequisite_course_id IS NOT NULL
        AND (SELECT count(*) FROM course c WHERE c.subject = course.subject) BETWEEN 2 AND 20
        AND NOT EXISTS (SELECT 1 FROM course c WHERE c.prerequisite_course_id = course.prerequisite_course_id AND c.course_id <> course.course_id)
        """,
    )
    title = story.row("course", follow["prerequisite_course_id"])["title"]
    story.wish(
        (
            "There's a course in {subject} that requires {title} first, I forget the name. What's its tuition, and the passing score?",
            "I forget the name of the course in {subject} that requires {title} first. Could you tell me its tuition and the passing score?",
            "what's the tuition for the course in {subject} that needs {title} first? and the passing score. forgot the name",
        ),
        short="telling me the tuition and the passing score of the course in {subject} that requires {title} first",
        subject=follow["subject"],
        title=title,
    )
    story.identify()
    courses = story.call("search_courses", subject=follow["subject"])["courses"]
    first = story.find(story.call("search_courses", text=title)["courses"], title=title)
    right = story.find(courses, prerequisite_course_id=first["course_id"])
    for other in story.others(courses, right):
        with story.wrong("takes another course of the subject"):
            story.answer("tuition", story.money(other["tuition_cents"]))
            story.answer("passing score", other["pass_percent"])
    story.answer("tuition", story.money(right["tuition_cents"]))
    story.answer("passing score", right["pass_percent"])


@scenario(form="outside")
def enroll_and_get_a_workbook(story: Story) -> None:
    """The learner enrolls in a cohort and wants a printed workbook in the mail."""
    cohort = story.pick(
        "cohort",
        f"""
        canceled_at IS NULL AND starts_on > ? AND {FREE_SEAT} AND {NO_PREREQUISITE}
        AND NOT EXISTS (SELECT 1 FROM enrollment e JOIN cohort h ON h.cohort_id = e.cohort_id WHERE e.learner_id = ? AND h.course_id = cohort.course_id AND e.status IN ('waitlisted', 'active', 'completed'))
        """,
        story.today,
        story.me["learner_id"],
        unique_by=["course_id", "starts_on"],
    )
    title = story.row("course", cohort["course_id"])["title"]
    story.wish(
        (
            "I'm ready to learn. Can you sign me up for the {title} cohort that starts on {day}?",
            "I would like to enroll in the {title} cohort that starts on {day}. Could you please sign me up?",
            "sign me up for {title}, the cohort that starts on {day}",
        ),
        short="enrolling me in the {title} cohort that starts on {day}",
        title=title,
        day=cohort["starts_on"],
    )
    key = story.identify()
    found = story.find(story.call("search_courses", text=title)["courses"], title=title)
    cohorts = story.call("list_cohorts", course_id=found["course_id"])["cohorts"]
    wanted = story.find(cohorts, starts_on=cohort["starts_on"])
    story.call("enroll_learner", learner_id=key, cohort_id=wanted["cohort_id"])
    story.outside(
        (
            "And can you mail a printed workbook to my apartment before it starts?",
            "Could you also have a printed workbook delivered to my apartment before it starts?",
            "and mail me a printed workbook before it starts, ok?",
        )
    )


@scenario(form="best_of")
def first_cohort_not_over(story: Story) -> None:
    """The learner asks for the first cohort of a course that is not over or canceled."""
    story.pick("enrollment", f"{BALANCE} > 0", mine=True)
    course = story.pick(
        "course",
        """
        EXISTS (SELECT 1 FROM cohort h WHERE h.course_id = course.course_id AND h.canceled_at IS NULL AND h.ends_on < ?)
        AND (SELECT count(*) FROM cohort h WHERE h.course_id = course.course_id AND h.canceled_at IS NULL AND h.ends_on >= ?) > 1
        """,
        story.today,
        story.today,
        unique_by=["title"],
    )
    title = course["title"]
    story.wish(
        (
            "Of the {title} cohorts that aren't over or canceled, what's the earliest start date, and that one's end date? And what's my balance?",
            "Could you tell me the earliest start date among the {title} cohorts that are not over or canceled, the end date of that one, and my balance?",
            "{title} cohorts that aren't over or canceled, what's the earliest start date? and the end date of that one? and my balance",
        ),
        short="telling me the earliest start date of the {title} cohorts not over or canceled, its end date, and my balance",
        title=title,
    )
    balance = story.call("get_account", learner_id=story.identify())["balance_cents"]
    found = story.find(story.call("search_courses", text=title)["courses"], title=title)
    cohorts = story.call("list_cohorts", course_id=found["course_id"])["cohorts"]
    left = [each for each in cohorts if each["state"] in ("upcoming", "running")]
    first = story.lowest(left, "starts_on")
    with story.wrong("takes one that is over"):
        other = story.lowest(cohorts, "starts_on")
        story.answer("earliest start date", other["starts_on"])
        story.answer("end date", other["ends_on"])
        story.answer("balance", story.money(balance))
    for other in story.others(left, first, 1):
        with story.wrong("takes a later one"):
            story.answer("earliest start date", other["starts_on"])
            story.answer("end date", other["ends_on"])
            story.answer("balance", story.money(balance))
    story.answer("earliest start date", first["starts_on"])
    story.answer("end date", first["ends_on"])
    story.answer("balance", story.money(balance))


@scenario
def wait_for_a_seat(story: Story) -> None:
    """The learner joins the waitlist of a full cohort."""
    cohort = story.pick(
        "cohort",
        f"""
        canceled_at IS NULL AND starts_on > ? AND NOT ({FREE_SEAT}) AND {NO_PREREQUISITE}
        AND NOT EXISTS (SELECT 1 FROM enrollment e JOIN cohort h ON h.cohort_id = e.cohort_id WHERE e.learner_id = ? AND h.course_id = cohort.course_id AND e.status IN ('waitlisted', 'active', 'completed'))
        """,
        story.today,
        story.me["learner_id"],
        unique_by=["course_id", "starts_on"],
    )
    title = story.row("course", cohort["course_id"])["title"]
    story.wish(
        (
            "I hear the {title} cohort that starts on {day} is full. Can you put me on its waitlist and tell me the end date?",
            "I would like to join the waitlist for the {title} cohort that starts on {day}. Could you also tell me the end date?",
            "can you waitlist me for the {title} cohort that starts on {day}? and what's the end date",
        ),
        short="putting me on the waitlist for the {title} cohort that starts on {day} and telling me the end date",
        title=title,
        day=cohort["starts_on"],
    )
    key = story.identify()
    found = story.find(story.call("search_courses", text=title)["courses"], title=title)
    cohorts = story.call("list_cohorts", course_id=found["course_id"])["cohorts"]
    wanted = story.find(cohorts, starts_on=cohort["starts_on"])
    place = story.call("join_waitlist", learner_id=key, cohort_id=wanted["cohort_id"])
    story.answer("end date", place["ends_on"])


@scenario
def take_the_free_seat(story: Story) -> None:
    """The learner on a waitlist takes a seat that is free now."""
    mine = story.pick(
        "enrollment",
        f"status = 'waitlisted' AND cohort_id IN (SELECT cohort.cohort_id FROM cohort WHERE cohort.starts_on >= ? AND {FREE_SEAT})",
        story.day(-5),
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    title = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])["title"]
    story.wish(
        (
            "I'm on the waitlist for {title}, and I hear a seat opened up. Can you give it to me and tell me the tuition?",
            "A seat has opened up in {title}, where I am on the waitlist. Could you please give it to me and tell me the tuition?",
            "heard a seat opened in {title}, I'm on the waitlist. can I have it? what's the tuition",
        ),
        short="giving me the free seat in {title}, where I'm on the waitlist, and telling me the tuition",
        title=title,
    )
    enrollments = story.call("list_enrollments", learner_id=story.identify())["enrollments"]
    right = story.find(enrollments, course_title=title)
    seats = story.call("promote_from_waitlist", cohort_id=right["cohort_id"], enrollment_ids=[right["enrollment_id"]])[
        "enrollments"
    ]
    story.answer("tuition", story.money(story.find(seats, enrollment_id=right["enrollment_id"])["tuition_cents"]))


@scenario
def close_a_finished_course(story: Story) -> None:
    """The learner has all work graded and wants the final result."""
    mine = story.pick(
        "enrollment",
        """status = 'active'
        AND NOT EXISTS (SELECT 1 FROM assignment a JOIN cohort h ON h.course_id = a.course_id WHERE h.cohort_id = enrollment.cohort_id AND NOT EXISTS
            (SELECT 1 FROM submission s WHERE s.enrollment_id = enrollment.enrollment_id AND s.assignment_id = a.assignment_id AND s.points IS NOT NULL))
        """,
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    title = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])["title"]
    fee = story.choose("fee", {"late work fee": "late_work"})
    story.wish(
        (
            "All my work in {title} is graded. Can you close it with my final result, charge any {fee} that's due, and tell me the final score?",
            "My work in {title} has all been graded. Could you record my final result, charge any {fee} that is due, and tell me the final score?",
            "everything in {title} is graded, can you close it out and charge any {fee} that's due? what's my final score",
        ),
        short="closing {title} with my final result, charging any {fee} that's due, and telling me the final score",
        title=title,
        fee=fee,
    )
    key = story.identify()
    right = story.find(story.call("list_enrollments", learner_id=key)["enrollments"], course_title=title)
    works = story.call("list_coursework", enrollment_id=right["enrollment_id"])["assignments"]
    entries = story.call("get_account", learner_id=key)["entries"]
    charged = [
        each for each in entries if each["reason"] == "late_work" and each["enrollment_id"] == right["enrollment_id"]
    ]
    closed = story.call("complete_enrollment", enrollment_id=right["enrollment_id"])
    if any(each["late"] for each in works) and not charged:
        story.call("record_fee", enrollment_id=right["enrollment_id"], reason=fee, amount_cents=1500)
    story.answer("final score", closed["score_percent"])


@scenario(form="denied")
def ask_for_a_certificate(story: Story) -> None:
    """The learner asks for the certificate of a completed course."""
    mine = story.pick(
        "enrollment",
        "status = 'completed' AND certificate_number IS NULL",
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    title = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])["title"]
    certify = story.wish(
        (
            "I finished {title} and need the certificate. Can you issue it and tell me my final score?",
            "I would like to receive my certificate for {title}. Could you please issue it and tell me my final score?",
            "can you issue my certificate for {title}? and what's my final score",
        ),
        short="issuing my certificate for {title} and telling me my final score",
        title=title,
    )
    story.insists(
        certify,
        (
            "My boss has been asking for weeks, and I'm starting to look bad.",
            "My manager has been waiting for it for weeks, and this is becoming embarrassing.",
            "my boss keeps asking, this is getting embarrassing",
        ),
    )
    enrollments = story.call("list_enrollments", learner_id=story.identify())["enrollments"]
    right = story.find(enrollments, course_title=title)
    with story.wrong("gives the passing score"):
        found = story.find(story.call("search_courses", text=title)["courses"], title=title)
        story.answer("final score", found["pass_percent"])
    if story.permits("issue_certificate", enrollment_id=right["enrollment_id"]):
        story.call("issue_certificate", enrollment_id=right["enrollment_id"])
    else:
        story.decline(certify)
    story.answer("final score", right["score_percent"])


@scenario(form="denied")
def ask_for_a_seat(story: Story) -> None:
    """The learner asks for a seat in a cohort and for the tuition."""
    cohort = story.pick(
        "cohort",
        f"""
        canceled_at IS NULL AND ends_on > ? AND {FREE_SEAT} AND {NO_PREREQUISITE}
        AND NOT EXISTS (SELECT 1 FROM enrollment e JOIN cohort h ON h.cohort_id = e.cohort_id WHERE e.learner_id = ? AND h.course_id = cohort.course_id AND e.status IN ('waitlisted', 'active', 'completed'))
        """,
        story.today,
        story.me["learner_id"],
        unique_by=["course_id", "ends_on"],
    )
    title = story.row("course", cohort["course_id"])["title"]
    enroll = story.wish(
        (
            "I'd love to take {title}. Can you sign me up for the cohort that ends on {day}, and tell me the tuition?",
            "Could you please enroll me in {title}, in the cohort that ends on {day}, and tell me the tuition?",
            "sign me up for {title}, the cohort that ends on {day}. and what's the tuition",
        ),
        short="enrolling me in the {title} cohort that ends on {day} and telling me the tuition",
        title=title,
        day=cohort["ends_on"],
    )
    story.insists(
        enroll,
        (
            "I've been looking forward to this one for months, it'd be a real letdown.",
            "I have been looking forward to this course for months, so this is very disappointing.",
            "aw man, been looking forward to this one for months",
        ),
    )
    key = story.identify()
    found = story.find(story.call("search_courses", text=title)["courses"], title=title)
    cohorts = story.call("list_cohorts", course_id=found["course_id"])["cohorts"]
    wanted = story.find(cohorts, ends_on=cohort["ends_on"])
    with story.wrong("takes the price of another course"):
        courses = story.call("search_courses", subject=found["subject"])["courses"]
        for other in story.others(courses, found, 1):
            story.answer("tuition", story.money(other["tuition_cents"]))
    if story.permits("enroll_learner", learner_id=key, cohort_id=wanted["cohort_id"]):
        story.call("enroll_learner", learner_id=key, cohort_id=wanted["cohort_id"])
    else:
        story.decline(enroll)
    story.answer("tuition", story.money(found["tuition_cents"]))


@scenario(form="fallback")
def move_or_get_a_credit(story: Story) -> None:
    """The learner wants to move to another cohort, or else a courtesy credit."""
    mine = story.pick(
        "enrollment",
        f"""
        status = 'active' AND {NO_CREDIT}
        AND EXISTS (SELECT 1 FROM cohort n JOIN cohort o ON o.course_id = n.course_id WHERE o.cohort_id = enrollment.cohort_id AND n.cohort_id <> o.cohort_id
            AND n.canceled_at IS NULL AND n.ends_on > ? AND n.capacity >
            (SELECT count(*) FROM enrollment e WHERE e.cohort_id = n.cohort_id AND e.status IN ('active', 'completed', 'failed')))
        """,
        story.today,
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    old = story.row("cohort", mine["cohort_id"])
    title = story.row("course", old["course_id"])["title"]
    target = story.pick(
        "cohort",
        f"course_id = ? AND cohort_id <> ? AND canceled_at IS NULL AND ends_on > ? AND {FREE_SEAT}",
        old["course_id"],
        old["cohort_id"],
        story.today,
        unique_by=["course_id", "starts_on"],
    )
    amount = story.choose("amount", [2000, 3000])
    reason = story.choose("reason", {"a courtesy credit": "courtesy"})
    move = story.wish(
        (
            "My work hours changed. Can you move me to the {title} cohort with its first day on {day}?",
            "I would like to move to the {title} cohort with its first day on {day}, as my work hours have changed.",
            "can you move me to the {title} cohort with its first day on {day}? work hours changed",
        ),
        short="moving me to the {title} cohort with its first day on {day}",
        title=title,
        day=target["starts_on"],
    )
    credit = story.otherwise(
        move,
        (
            "Okay, then please give me {reason} of {amount} for {title} at least.",
            "In that case, I would like {reason} of {amount} for {title}.",
            "ok then at least give me {reason} of {amount} for {title}",
        ),
        short="giving me {reason} of {amount} for {title}",
        reason=reason,
        amount=story.money(amount),
        title=title,
    )
    enrollments = story.call("list_enrollments", wish=move, learner_id=story.identify())["enrollments"]
    right = story.find(enrollments, course_title=title)
    found = story.find(story.call("search_courses", wish=move, text=title)["courses"], title=title)
    cohorts = story.call("list_cohorts", wish=move, course_id=found["course_id"])["cohorts"]
    wanted = story.find(cohorts, starts_on=target["starts_on"])
    with story.wrong("credits the whole tuition"):
        story.call(
            "record_credit",
            wish=credit,
            enrollment_id=right["enrollment_id"],
            reason=reason,
            amount_cents=right["tuition_cents"],
        )
    if story.permits(
        "transfer_enrollment", wish=move, enrollment_id=right["enrollment_id"], cohort_id=wanted["cohort_id"]
    ):
        story.call(
            "transfer_enrollment", wish=move, enrollment_id=right["enrollment_id"], cohort_id=wanted["cohort_id"]
        )
    else:
        story.decline(move)
        story.call(
            "record_credit",
            wish=credit,
            enrollment_id=right["enrollment_id"],
            reason=reason,
            amount_cents=story.money(amount),
        )


@scenario(form="fallback")
def drop_or_pay(story: Story) -> None:
    """The learner wants to drop a course, or else pays toward the balance."""
    amount = story.choose("amount", [4000, 6000])
    mine = story.pick(
        "enrollment",
        f"status = 'active' AND {BALANCE} > ?",
        amount,
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    title = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])["title"]
    cause = story.choose(
        "reason",
        {"because of my health": "health", "because of the cost": "cost", "because of my schedule": "schedule"},
    )
    method = story.choose("method", {"by card": "card", "by check": "check"})
    drop = story.wish(
        (
            "I can't keep up with {title} anymore. Can you withdraw me from it {cause}?",
            "I would like to withdraw from {title} {cause}.",
            "can you take me out of {title} {cause}?",
        ),
        short="withdrawing me from {title} {cause}",
        title=title,
        cause=cause,
    )
    pay = story.otherwise(
        drop,
        (
            "Okay, then I'll stay and pay {amount} {method} toward what I owe.",
            "In that case, I will stay. Please record a payment of {amount} {method} toward what I owe.",
            "fine, I'll stay then. put {amount} {method} toward what I owe",
        ),
        short="recording a payment of {amount} {method} toward what I owe",
        amount=story.money(amount),
        method=method,
    )
    key = story.identify()
    right = story.find(story.call("list_enrollments", wish=drop, learner_id=key)["enrollments"], course_title=title)
    with story.wrong("pays everything"):
        balance = story.call("get_account", wish=pay, learner_id=key)["balance_cents"]
        story.call("record_payment", wish=pay, learner_id=key, amount_cents=balance, method=method)
    if story.permits("withdraw_enrollment", wish=drop, enrollment_id=right["enrollment_id"], reason=cause):
        story.call("withdraw_enrollment", wish=drop, enrollment_id=right["enrollment_id"], reason=cause)
    else:
        story.decline(drop)
        story.call("record_payment", wish=pay, learner_id=key, amount_cents=story.money(amount), method=method)


@scenario(form="all_but")
def tuition_of_all_but_one(story: Story) -> None:
    """The learner asks for the tuition of all courses except one, and the score in that one."""
    mine = story.pick(
        "enrollment",
        """tuition_cents IS NOT NULL AND status IN ('active', 'completed', 'failed')
        AND (SELECT count(*) FROM enrollment e WHERE e.learner_id = enrollment.learner_id) BETWEEN 3 AND 6
        AND NOT EXISTS (SELECT 1 FROM enrollment e WHERE e.learner_id = enrollment.learner_id AND e.tuition_cents IS NULL)
        AND EXISTS (SELECT 1 FROM submission s WHERE s.enrollment_id = enrollment.enrollment_id AND s.points > 0)
        """,
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    title = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])["title"]
    story.wish(
        (
            "My employer pays for everything I've taken except {title}. What's the total tuition for the rest, and what's my score in {title}?",
            "Could you tell me the total tuition for all my enrollments except {title}, and also my score in {title}?",
            "what's the total tuition for all I signed up for, skip {title}? and what's my score in {title}",
        ),
        short="telling me the total tuition for all my enrollments except {title}, and my score in {title}",
        title=title,
    )
    enrollments = story.call("list_enrollments", learner_id=story.identify())["enrollments"]
    right = story.find(enrollments, course_title=title)
    with story.wrong("forgets the exception"):
        story.answer("total tuition", story.money(story.total(enrollments, "tuition_cents")))
        story.answer("score", right["score_percent"])
    rest = story.all_but(enrollments, course_title=title)
    story.answer("total tuition", story.money(story.total(rest, "tuition_cents")))
    story.answer("score", right["score_percent"])


@scenario(form="coupled")
def certificate_after_a_payment(story: Story) -> None:
    """The learner wants a certificate and makes the payment it takes."""
    amount = story.choose("amount", [15000, 20000])
    mine = story.pick(
        "enrollment",
        f"status = 'completed' AND certificate_number IS NULL AND {BALANCE} > 20000 AND {BALANCE} <= 20000 + ?",
        amount,
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    title = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])["title"]
    method = story.choose("method", {"by card": "card", "by bank transfer": "bank_transfer"})
    with story.together():
        certify = story.wish(
            (
                "I finished {title}. Can you issue my certificate for it?",
                "I would like to receive my certificate for {title}.",
                "can you issue my certificate for {title}?",
            ),
            short="issuing my certificate for {title}",
            title=title,
        )
        pay = story.wish(
            (
                "And I'm paying {amount} {method} toward my balance.",
                "I would also like to pay {amount} {method} toward my balance.",
                "and put {amount} {method} toward my balance",
            ),
            short="recording a payment of {amount} {method} toward my balance",
            amount=story.money(amount),
            method=method,
        )
    key = story.identify()
    right = story.find(story.call("list_enrollments", wish=certify, learner_id=key)["enrollments"], course_title=title)
    story.call("record_payment", wish=pay, learner_id=key, amount_cents=story.money(amount), method=method)
    story.call("issue_certificate", wish=certify, enrollment_id=right["enrollment_id"])


@scenario
def hand_in_work(story: Story) -> None:
    """The learner hands in an assignment and asks for the due date and the points."""
    link = story.choose(
        "link",
        [
            "https://files.example.com/final-version",
            "https://drive.example.org/my-project",
            "https://portfolio.example.net/work",
        ],
    )
    mine = story.pick(
        "enrollment",
        f"status = 'active' AND {MISSING} > 0 AND cohort_id IN (SELECT cohort_id FROM cohort WHERE starts_on <= ?)",
        story.today,
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    course = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])
    work = story.pick(
        "assignment",
        "course_id = ? AND NOT EXISTS (SELECT 1 FROM submission s WHERE s.assignment_id = assignment.assignment_id AND s.enrollment_id = ?)",
        course["course_id"],
        mine["enrollment_id"],
        unique_by=["course_id", "title"],
    )
    story.wish(
        (
            "I've finished {assignment} in {title}, it's at {link}. Can you hand it in and tell me the due date?",
            "My work for {assignment} in {title} is ready at {link}. Could you please hand it in and let me know the due date?",
            "can you hand in {assignment} for {title}? it's at {link}. and what was the due date",
        ),
        short="handing in {assignment} in {title} from {link} and telling me the due date",
        assignment=work["title"],
        title=course["title"],
        link=link,
    )
    enrollments = story.call("list_enrollments", learner_id=story.identify())["enrollments"]
    right = story.find(enrollments, course_title=course["title"])
    works = story.call("list_coursework", enrollment_id=right["enrollment_id"])["assignments"]
    wanted = story.find(works, title=work["title"])
    done = story.call(
        "submit_work", enrollment_id=right["enrollment_id"], assignment_id=wanted["assignment_id"], link=link
    )
    story.answer("due date", done["due_on"])


@scenario
def get_more_days(story: Story) -> None:
    """The learner gets more days for an assignment and asks for the new due date."""
    days = story.choose("days", [2, 4, 6])
    mine = story.pick(
        "enrollment",
        f"status = 'active' AND {MISSING} > 0 AND {PAID_MEMBER}",
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    course = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])
    work = story.pick(
        "assignment",
        "course_id = ? AND NOT EXISTS (SELECT 1 FROM submission s WHERE s.assignment_id = assignment.assignment_id AND s.enrollment_id = ?)",
        course["course_id"],
        mine["enrollment_id"],
        unique_by=["course_id", "title"],
    )
    story.wish(
        (
            "I'm traveling for work and need {days} more days for {assignment} in {title}. What's the new due date?",
            "Could you please give me {days} more days for {assignment} in {title} and tell me the new due date?",
            "need {days} more days for {assignment} in {title}, on the road. new due date?",
        ),
        short="giving me {days} more days for {assignment} in {title} and telling me the new due date",
        assignment=work["title"],
        title=course["title"],
        days=days,
    )
    enrollments = story.call("list_enrollments", learner_id=story.identify())["enrollments"]
    right = story.find(enrollments, course_title=course["title"])
    works = story.call("list_coursework", enrollment_id=right["enrollment_id"])["assignments"]
    wanted = story.find(works, title=work["title"])
    changed = story.call(
        "extend_deadlines", enrollment_id=right["enrollment_id"], assignment_ids=[wanted["assignment_id"]], days=days
    )
    story.answer("new due date", story.find(changed["assignments"], title=work["title"])["due_on"])


@scenario(form="denied")
def ask_for_an_extension(story: Story) -> None:
    """The learner asks for more days for an assignment."""
    days = story.choose("days", [3, 5, 7])
    mine = story.pick(
        "enrollment",
        f"status = 'active' AND {MISSING} > 1",
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    course = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])
    work = story.pick(
        "assignment",
        "course_id = ? AND NOT EXISTS (SELECT 1 FROM submission s WHERE s.assignment_id = assignment.assignment_id AND s.enrollment_id = ?)",
        course["course_id"],
        mine["enrollment_id"],
        unique_by=["course_id", "title"],
    )
    extend = story.wish(
        (
            "My laptop broke, so I'm behind on {assignment} in {title}. Can I have {days} more days for it?",
            "I am behind on {assignment} in {title} because my laptop broke. I would like {days} more days for it.",
            "can I get {days} more days for {assignment} in {title}? my laptop died",
        ),
        short="giving me {days} more days for {assignment} in {title}",
        assignment=work["title"],
        title=course["title"],
        days=days,
    )
    story.insists(
        extend,
        (
            "I've put so much into this course, and I really don't want to fail over a dead laptop.",
            "This course means a lot to me, and I do not want to fail because of a broken laptop.",
            "please, I worked so hard for this, can't fail over a dead laptop",
        ),
    )
    enrollments = story.call("list_enrollments", learner_id=story.identify())["enrollments"]
    right = story.find(enrollments, course_title=course["title"])
    works = story.call("list_coursework", enrollment_id=right["enrollment_id"])["assignments"]
    wanted = story.find(works, title=work["title"])
    missing = [each for each in works if each["status"] == "missing"]
    for other in story.others(missing, wanted, 1):
        with story.wrong("takes another assignment"):
            story.call(
                "extend_deadlines",
                enrollment_id=right["enrollment_id"],
                assignment_ids=[other["assignment_id"]],
                days=days,
            )
    if story.permits(
        "extend_deadlines", enrollment_id=right["enrollment_id"], assignment_ids=[wanted["assignment_id"]], days=days
    ):
        story.call(
            "extend_deadlines",
            enrollment_id=right["enrollment_id"],
            assignment_ids=[wanted["assignment_id"]],
            days=days,
        )
    else:
        story.decline(extend)


@scenario(form="all_but")
def more_days_for_all_but_one(story: Story) -> None:
    """The learner gets more days for every assignment not handed in, except one."""
    days = story.choose("days", [3, 4, 7])
    mine = story.pick(
        "enrollment",
        f"status = 'active' AND {MISSING} BETWEEN 3 AND 6 AND {PAID_MEMBER}",
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    course = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])
    work = story.pick(
        "assignment",
        "course_id = ? AND NOT EXISTS (SELECT 1 FROM submission s WHERE s.assignment_id = assignment.assignment_id AND s.enrollment_id = ?)",
        course["course_id"],
        mine["enrollment_id"],
        unique_by=["course_id", "title"],
    )
    story.wish(
        (
            "I need {days} more days for everything I haven't handed in yet in {title}, except {assignment}.",
            "Please give me {days} more days for all the assignments in {title} that I have not handed in, except {assignment}.",
            "can I get {days} more days on all I haven't handed in for {title}? skip {assignment}",
        ),
        short="giving me {days} more days for everything I haven't handed in yet in {title}, except {assignment}",
        assignment=work["title"],
        title=course["title"],
        days=days,
    )
    enrollments = story.call("list_enrollments", learner_id=story.identify())["enrollments"]
    right = story.find(enrollments, course_title=course["title"])
    works = story.call("list_coursework", enrollment_id=right["enrollment_id"])["assignments"]
    missing = [each for each in works if each["status"] == "missing"]
    with story.wrong("forgets the exception"):
        every = [each["assignment_id"] for each in missing]
        story.call("extend_deadlines", enrollment_id=right["enrollment_id"], assignment_ids=every, days=days)
    rest = [each["assignment_id"] for each in story.all_but(missing, title=work["title"])]
    story.call("extend_deadlines", enrollment_id=right["enrollment_id"], assignment_ids=rest, days=days)


@scenario(form="conditional")
def hand_in_or_get_more_days(story: Story) -> None:
    """The learner hands in what is due soon and wants more days if it is due later."""
    days = story.choose("days", [2, 4, 5])
    day = story.day(10)
    link = story.choose(
        "link",
        [
            "https://files.example.com/final-version",
            "https://drive.example.org/my-project",
            "https://portfolio.example.net/work",
        ],
    )
    mine = story.pick(
        "enrollment",
        f"status = 'active' AND {MISSING} > 1 AND {PAID_MEMBER} AND cohort_id IN (SELECT cohort_id FROM cohort WHERE starts_on <= ?)",
        story.today,
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    course = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])
    work = story.pick(
        "assignment",
        "course_id = ? AND NOT EXISTS (SELECT 1 FROM submission s WHERE s.assignment_id = assignment.assignment_id AND s.enrollment_id = ?)",
        course["course_id"],
        mine["enrollment_id"],
        unique_by=["course_id", "title"],
    )
    story.wish(
        (
            "If {assignment} in {title} is due by {day}, hand in my draft at {link}. If it's due later, give me {days} more days for it.",
            "Please hand in my draft at {link} if {assignment} in {title} is due by {day}. If it is due later, please give me {days} more days for it.",
            "is {assignment} in {title} due by {day}? then hand in my draft at {link}. if it's later, get me {days} more days for it",
        ),
        short="handing in {link} if {assignment} in {title} is due by {day}, and giving me {days} more days for it if it's due later",
        assignment=work["title"],
        title=course["title"],
        day=day,
        link=link,
        days=days,
    )
    enrollments = story.call("list_enrollments", learner_id=story.identify())["enrollments"]
    right = story.find(enrollments, course_title=course["title"])
    works = story.call("list_coursework", enrollment_id=right["enrollment_id"])["assignments"]
    wanted = story.find(works, title=work["title"])
    missing = [each for each in works if each["status"] == "missing"]
    soon = wanted["due_on"] <= day
    with story.wrong("takes the other branch"):
        if soon:
            story.call(
                "extend_deadlines",
                enrollment_id=right["enrollment_id"],
                assignment_ids=[wanted["assignment_id"]],
                days=days,
            )
        else:
            story.call(
                "submit_work", enrollment_id=right["enrollment_id"], assignment_id=wanted["assignment_id"], link=link
            )
    for other in story.others(missing, wanted, 1):
        with story.wrong("takes another assignment"):
            story.call(
                "submit_work", enrollment_id=right["enrollment_id"], assignment_id=other["assignment_id"], link=link
            )
    if soon:
        story.call(
            "submit_work", enrollment_id=right["enrollment_id"], assignment_id=wanted["assignment_id"], link=link
        )
    else:
        story.call(
            "extend_deadlines",
            enrollment_id=right["enrollment_id"],
            assignment_ids=[wanted["assignment_id"]],
            days=days,
        )


@scenario(form="coupled")
def hand_in_after_moving_up(story: Story) -> None:
    """The learner hands in work early and moves to a cohort that is running already."""
    link = story.choose(
        "link",
        [
            "https://files.example.com/final-version",
            "https://drive.example.org/my-project",
            "https://portfolio.example.net/work",
        ],
    )
    mine = story.pick(
        "enrollment",
        f"""
        status = 'active' AND {MISSING} > 0 AND cohort_id IN (SELECT cohort_id FROM cohort WHERE starts_on > ?)
        AND EXISTS (SELECT 1 FROM cohort n JOIN cohort o ON o.course_id = n.course_id WHERE o.cohort_id = enrollment.cohort_id
            AND n.canceled_at IS NULL AND n.starts_on <= ? AND n.ends_on >= ? AND n.capacity >
            (SELECT count(*) FROM enrollment e WHERE e.cohort_id = n.cohort_id AND e.status IN ('active', 'completed', 'failed')))
        """,
        story.today,
        story.today,
        story.today,
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    course = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])
    work = story.pick(
        "assignment",
        "course_id = ? AND NOT EXISTS (SELECT 1 FROM submission s WHERE s.assignment_id = assignment.assignment_id AND s.enrollment_id = ?)",
        course["course_id"],
        mine["enrollment_id"],
        unique_by=["course_id", "title"],
    )
    target = story.pick(
        "cohort",
        """
        course_id = ? AND canceled_at IS NULL AND starts_on <= ? AND ends_on >= ? AND capacity >
        (SELECT count(*) FROM enrollment e WHERE e.cohort_id = cohort.cohort_id AND e.status IN ('active', 'completed', 'failed'))
        """,
        course["course_id"],
        story.today,
        story.today,
        unique_by=["course_id", "starts_on"],
    )
    with story.together():
        hand_in = story.wish(
            (
                "My {assignment} for {title} is done already. Can you hand it in? It's at {link}.",
                "I have finished {assignment} for {title}. Could you please hand it in for me? It is at {link}.",
                "can you hand in {assignment} for {title}? it's at {link}",
            ),
            short="handing in {assignment} for {title} from {link}",
            assignment=work["title"],
            title=course["title"],
            link=link,
        )
        move = story.wish(
            (
                "And move me to the {title} cohort that started on {day}, I don't want to wait.",
                "I would also like to move to the {title} cohort that started on {day}.",
                "and move me to the {title} cohort that started on {day}",
            ),
            short="moving me to the {title} cohort that started on {day}",
            title=course["title"],
            day=target["starts_on"],
        )
    enrollments = story.call("list_enrollments", wish=move, learner_id=story.identify())["enrollments"]
    right = story.find(enrollments, course_title=course["title"])
    courses = story.call("search_courses", wish=move, text=course["title"])["courses"]
    found = story.find(courses, title=course["title"])
    cohorts = story.call("list_cohorts", wish=move, course_id=found["course_id"])["cohorts"]
    running = story.find(cohorts, starts_on=target["starts_on"])
    story.call("transfer_enrollment", wish=move, enrollment_id=right["enrollment_id"], cohort_id=running["cohort_id"])
    works = story.call("list_coursework", wish=hand_in, enrollment_id=right["enrollment_id"])["assignments"]
    wanted = story.find(works, title=work["title"])
    story.call(
        "submit_work",
        wish=hand_in,
        enrollment_id=right["enrollment_id"],
        assignment_id=wanted["assignment_id"],
        link=link,
    )


@scenario(form="mistaken")
def more_days_from_a_wrong_due_date(story: Story) -> None:
    """The learner misremembers a due date, gets more days, and asks for the new one."""
    days = story.choose("days", [3, 5, 6])
    mine = story.pick(
        "enrollment",
        f"status = 'active' AND {MISSING} > 1 AND {PAID_MEMBER} AND NOT EXISTS (SELECT 1 FROM extension x WHERE x.enrollment_id = enrollment.enrollment_id)",
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    course = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])
    work = story.pick(
        "assignment",
        "course_id = ? AND NOT EXISTS (SELECT 1 FROM submission s WHERE s.assignment_id = assignment.assignment_id AND s.enrollment_id = ?)",
        course["course_id"],
        mine["enrollment_id"],
        unique_by=["course_id", "title"],
    )
    due = story.after(story.row("cohort", mine["cohort_id"])["starts_on"], days=work["due_day"])
    wrong = story.after(due, days=-story.choose("days off", (1, 2, 4)))
    story.wish(
        (
            "I think {assignment} in {title} is due on {day}. Can you give me {days} more days and tell me the new due date?",
            "My {assignment} in {title} is due on {day}, I believe. Could you give me {days} more days and tell me the new due date?",
            "pretty sure {assignment} in {title} is due on {day}. can I get {days} more days, and what's the new due date",
        ),
        short="giving me {days} more days for {assignment} in {title} and telling me the new due date",
        assignment=work["title"],
        title=course["title"],
        day=wrong,
        days=days,
    )
    story.believes("due date", wrong, due)
    enrollments = story.call("list_enrollments", learner_id=story.identify())["enrollments"]
    right = story.find(enrollments, course_title=course["title"])
    works = story.call("list_coursework", enrollment_id=right["enrollment_id"])["assignments"]
    wanted = story.find(works, title=work["title"])
    missing = [each for each in works if each["status"] == "missing"]
    with story.wrong("trusts the customer"):
        story.call(
            "extend_deadlines",
            enrollment_id=right["enrollment_id"],
            assignment_ids=[wanted["assignment_id"]],
            days=days,
        )
        story.answer("new due date", story.after(wrong, days=days))
    for other in story.others(missing, wanted, 1):
        with story.wrong("takes another assignment"):
            changed = story.call(
                "extend_deadlines",
                enrollment_id=right["enrollment_id"],
                assignment_ids=[other["assignment_id"]],
                days=days,
            )
            story.answer("new due date", story.find(changed["assignments"], title=other["title"])["due_on"])
    changed = story.call(
        "extend_deadlines", enrollment_id=right["enrollment_id"], assignment_ids=[wanted["assignment_id"]], days=days
    )
    story.answer("new due date", story.find(changed["assignments"], title=work["title"])["due_on"])


@scenario(form="ambiguous")
def ask_about_one_assignment(story: Story) -> None:
    """The learner asks about one of four assignments and says which when asked."""
    mine = story.pick(
        "enrollment",
        "(SELECT count(*) FROM assignment a JOIN cohort h ON h.course_id = a.course_id WHERE h.cohort_id = enrollment.cohort_id) > 3",
        unique_by=["learner_id", "cohort_id.course_id"],
        mine=True,
    )
    course = story.row("course", story.row("cohort", mine["cohort_id"])["course_id"])
    work = story.pick("assignment", "course_id = ?", course["course_id"], unique_by=["course_id", "title"])
    ask = story.wish(
        (
            "I'm planning my week around one of my assignments in {title}. What's the due date, and what are the maximum points?",
            "I have a question about one of my assignments in {title}. Could you tell me the due date and the maximum points?",
            "one of my assignments in {title}, what's the due date? and the maximum points",
        ),
        title=course["title"],
    )
    story.keep_back("assignment", work["title"])
    story.in_short(
        ask,
        "telling me the due date and the maximum points of one of my assignments in {title}, {assignment}",
        title=course["title"],
        assignment=work["title"],
    )
    enrollments = story.call("list_enrollments", learner_id=story.identify())["enrollments"]
    right = story.find(enrollments, course_title=course["title"])
    works = story.call("list_coursework", enrollment_id=right["enrollment_id"])["assignments"]
    wanted = story.find(works, title=work["title"])
    for other in story.others(works, wanted):
        with story.wrong("takes another one that fits"):
            story.answer("due date", other["due_on"])
            story.answer("maximum points", other["max_points"])
    story.answer("due date", wanted["due_on"])
    story.answer("maximum points", wanted["max_points"])


@scenario(form="withheld")
def pay_an_amount_told_later(story: Story) -> None:
    """The learner pays part of the balance and tells the amount when asked."""
    story.pick("enrollment", f"{BALANCE} > 9000", mine=True)
    amount = story.choose("amount", [4500, 6000, 7500, 9000])
    method = story.choose("method", {"by card": "card", "by check": "check", "by bank transfer": "bank_transfer"})
    pay = story.wish(
        (
            "I'd like to pay a part of what I owe {method}. Can you record that?",
            "I would like to make a partial payment on my account {method}. Could you please record it?",
            "wanna pay off some of what I owe {method}, can you put that in?",
        ),
        method=method,
    )
    story.keep_back("amount", story.money(amount))
    story.in_short(
        pay, "recording a payment {method} toward what I owe, of {amount}", method=method, amount=story.money(amount)
    )
    story.call("record_payment", learner_id=story.identify(), amount_cents=story.money(amount), method=method)


@scenario(form="withheld")
def change_the_phone(story: Story) -> None:
    """The learner has a new phone number and tells it when asked."""
    phone = story.choose("phone", ["808-555-0117", "907-555-0164", "802-555-0139", "406-555-0172"])
    change = story.wish(
        (
            "I lost my phone and had to get a new number. Can you change it on my account?",
            "I have a new phone number since I lost my phone. Could you please change it on my account?",
            "lost my phone, got a new number. can you change it on my account?",
        ),
    )
    story.keep_back("new phone number", phone)
    story.in_short(change, "changing the phone number on my account to {phone}", phone=phone)
    story.call("update_learner", learner_id=story.identify(), phone=phone)


@scenario(form="changed_mind")
def plus_or_rather_premium(story: Story) -> None:
    """The learner asks for the plus membership and then for premium instead."""
    story.pick("enrollment", "learner_id IN (SELECT learner_id FROM learner WHERE membership = 'basic')", mine=True)
    first = story.choose("first membership", ["plus"])
    second = story.choose("second membership", ["premium"])
    switch = story.wish(
        (
            "I'm tired of the limits on my basic plan. Can you switch me to the {plan} membership?",
            "My basic plan is no longer enough for me. I would like to change to the {plan} membership.",
            "can you put me on the {plan} membership? basic isn't enough anymore",
        ),
        short="switching me to the {plan} membership",
        plan=first,
    )
    rather = story.changes_mind(
        switch,
        (
            "Actually, make that the {plan} membership instead.",
            "On second thought, please make it the {plan} membership instead.",
            "hm actually make it {plan} membership instead",
        ),
        short="switching me to the {plan} membership instead",
        plan=second,
    )
    key = story.identify()
    story.call("update_learner", wish=switch, learner_id=key, membership=first)
    story.call("update_learner", wish=rather, learner_id=key, membership=second)


@scenario(form="changed_mind")
def correct_the_new_email(story: Story) -> None:
    """The learner gives a new email address and then corrects a typo in it."""
    first = story.choose(
        "first email", ["jamie.lakeside@example.net", "sunny.porch@example.net", "blue.kettle@example.net"]
    )
    second = story.choose(
        "second email", ["jamie.lakeside2@example.org", "sunny.porch7@example.org", "blue.kettle5@example.org"]
    )
    change = story.wish(
        (
            "I don't use my old inbox anymore. Can you change my email to {email}?",
            "My old inbox is no longer in use. Could you please change my email address to {email}?",
            "can you change my email to {email}? don't use the old inbox anymore",
        ),
        short="changing my email address to {email}",
        email=first,
    )
    correct = story.changes_mind(
        change,
        (
            "Sorry, typo. My email is {email}.",
            "I apologize, I typed that wrong. My email address is {email}.",
            "oops typo, my email is {email}",
        ),
        short="changing my email address to {email}",
        email=second,
    )
    key = story.identify()
    story.call("update_learner", wish=change, learner_id=key, email=first)
    story.call("update_learner", wish=correct, learner_id=key, email=second)


@scenario
def sign_up_a_spouse(story: Story) -> None:
    """The learner has an account set up for a spouse."""
    name = story.choose("name", ["Jordan Ellison", "Avery Lockwood", "Taylor Brennan"])
    email = story.choose("email", ["evening.walks@example.net", "two.gardens@example.org", "corner.bakery@example.com"])
    phone = story.choose("phone", ["808-555-0151", "907-555-0133", "802-555-0188"])
    born = story.choose("birth date", ["1988-05-14", "1991-09-23", "1979-12-02"])
    story.wish(
        (
            "My spouse wants to take classes too. Can you set up an account for {name}, email {email}, phone {phone}, born {born}?",
            "I would like to register my spouse, {name}, born {born}. The email is {email} and the phone number is {phone}.",
            "can you make an account for my spouse? {name}, born {born}, {email}, {phone}",
        ),
        short="setting up an account for {name}, born {born}, with the email {email} and the phone number {phone}",
        name=name,
        email=email,
        phone=phone,
        born=born,
    )
    story.identify()
    story.call("register_learner", name=name, email=email, phone=phone, date_of_birth=born)


@scenario
def sign_up_a_coworker_and_upgrade(story: Story) -> None:
    """The learner has a premium account set up for a coworker and moves to premium, too."""
    story.pick("enrollment", "learner_id IN (SELECT learner_id FROM learner WHERE membership <> 'premium')", mine=True)
    plan = story.choose("membership", ["premium"])
    name = story.choose("name", ["Rowan Mercer", "Skyler Hayes", "Emerson Doyle"])
    email = story.choose("email", ["front.office@example.com", "third.floor@example.org", "shipping.dock@example.net"])
    phone = story.choose("phone", ["406-555-0121", "307-555-0146", "701-555-0190"])
    born = story.choose("birth date", ["1984-02-11", "1995-07-30", "1990-10-08"])
    story.wish(
        (
            "Please switch me to the {plan} membership and register my coworker for it too, {name}, born {born}, {email}, {phone}.",
            "I would like the {plan} membership for myself and a new account with it for my coworker {name}, born {born}, email {email}, phone {phone}.",
            "put me on {plan} membership and sign up my coworker with it too, {name}, born {born}, {email}, {phone}",
        ),
        short="switching me to the {plan} membership and registering {name} with it, born {born}, with {email} and {phone}",
        plan=plan,
        name=name,
        email=email,
        phone=phone,
        born=born,
    )
    story.call("update_learner", learner_id=story.identify(), membership=plan)
    story.call("register_learner", name=name, email=email, phone=phone, date_of_birth=born, membership=plan)
