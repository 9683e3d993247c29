"""What people want of Job application tracking office: every function is a scenario."""

from runtime.story import Story, scenario


@scenario
def finish_an_incomplete_draft(story: Story) -> None:
    """The applicant hands in the resume and the cover letter of an incomplete draft and has it filed."""
    draft = story.pick(
        "job_application",
        "status = 'draft' AND (resume_content IS NULL OR cover_letter_content IS NULL)",
        alone_in=["job_title", "company_name"],
    )
    form = story.choose("form", {"as a PDF": "pdf", "as a docx file": "docx"})
    years = story.choose("years", ["seven", "nine", "eleven"])
    resume = story.text(
        "resume",
        "Led a team of twelve for the last three of {years} years in the trade",
        otherwise="For the last three of {years} years in the trade, led a team of twelve",
        years=years,
    )
    letter = story.text(
        "letter",
        "With great care I have looked after customers for years, and I would gladly do the same at {company}",
        otherwise="For years I have looked after customers with great care, and at {company} I would gladly do the same",
        company=draft["company_name"],
    )
    story.tell(
        "My draft for {title} at {company} should still be among the incomplete ones. Store a new resume with it {form}. It reads: {resume}",
        title=draft["job_title"],
        company=draft["company_name"],
        form=form,
        resume=resume,
    )
    drafts = story.call("list_incomplete_drafts")["drafts"]
    mine = story.find(drafts, job_title=draft["job_title"], company_name=draft["company_name"])
    story.call(
        "upload_resume",
        application_id=mine["application_id"],
        resume_content=resume,
        resume_format=form,
    )
    story.tell(
        "Then put the cover letter in with the draft for {title} at {company}, and once it is in, file the application. The letter goes: {letter}",
        title=draft["job_title"],
        company=draft["company_name"],
        letter=letter,
    )
    story.call(
        "upload_cover_letter",
        application_id=mine["application_id"],
        cover_letter_content=letter,
    )
    story.call("submit_application", application_id=mine["application_id"])


@scenario
def reuse_documents_for_another_job(story: Story) -> None:
    """The applicant begins a draft for another job with the contact details and documents of an earlier application."""
    job = story.choose("job", ["Operations Planner", "Sustainability Consultant", "Pricing Specialist"])
    firm = story.choose("firm", ["Halden Freight", "Ostara Foods", "Brightwell Labs"])
    portal = story.choose("portal", ["LinkedIn", "Indeed"])
    source = story.pick(
        "job_application",
        "resume_content IS NOT NULL AND phone IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM job_application AS other WHERE other.email = job_application.email"
        " AND other.job_title = ? AND other.company_name = ?)",
        job,
        firm,
        alone_in=["job_title", "company_name"],
    )
    story.tell(
        "You have my application as {title} at {company}. I'd now like to try for {job} at {firm} too, which I found on {portal}."
        " Begin a draft for that with the name, email and phone from the application at {company},"
        " and copy its documents over. Don't send it off yet.",
        title=source["job_title"],
        company=source["company_name"],
        job=job,
        firm=firm,
        portal=portal,
    )
    found = story.call("list_applications", company_name=source["company_name"])["applications"]
    old = story.find(found, job_title=source["job_title"], company_name=source["company_name"])
    details = story.call("get_application_details", application_id=old["application_id"])
    draft = story.call(
        "create_application_draft",
        applicant_name=details["applicant_name"],
        email=details["email"],
        phone=details["phone"],
        job_title=job,
        company_name=firm,
        referral_source=portal,
    )
    story.call(
        "copy_application_documents",
        source_application_id=old["application_id"],
        target_application_id=draft["application_id"],
    )


@scenario
def replace_draft_by_what_was_sent(story: Story) -> None:
    """The applicant has applied outside the office, so the draft goes and the application is recorded as sent."""
    draft = story.pick(
        "job_application",
        "status = 'draft'",
        alone_in=["job_title", "company_name"],
    )
    sent = story.moment(story.day(-1), "16:00")
    portal = story.choose("portal", ["LinkedIn", "Indeed", "Glassdoor"])
    story.tell(
        "no need for my {title} draft at {company} any more, i found the job again on {portal} and applied right there on {sent}."
        " please delete the draft and record it as an application sent at that time, found on {portal},"
        " under the same name and email as in the draft. leave the phone out",
        title=draft["job_title"],
        company=draft["company_name"],
        portal=portal,
        sent=sent,
    )
    found = story.call("list_applications", company_name=draft["company_name"])["applications"]
    mine = story.find(found, job_title=draft["job_title"], company_name=draft["company_name"])
    details = story.call("get_application_details", application_id=mine["application_id"])
    story.call("delete_job_application", application_id=mine["application_id"])
    story.call(
        "record_sent_application",
        applicant_name=details["applicant_name"],
        email=details["email"],
        job_title=mine["job_title"],
        company_name=mine["company_name"],
        application_date=sent,
        referral_source=portal,
    )


@scenario
def give_a_new_phone_number(story: Story) -> None:
    """The applicant has the phone number on an application replaced and asks which one stood there until now."""
    number = story.choose("number", ["+1 646 555 0148", "+1 312 555 0177", "+1 415 555 0123"])
    application = story.pick(
        "job_application",
        "status IN ('draft', 'submitted', 'under_review') AND phone IS NOT NULL AND phone <> ?",
        number,
        alone_in=["job_title", "company_name"],
    )
    story.tell(
        "I have a new phone number, {number}. Could you put it on my application as {title} at {company}?"
        " And tell me which number you had there before, so that I know who might have tried the old one.",
        number=number,
        title=application["job_title"],
        company=application["company_name"],
    )
    listed = story.call("list_applications", company_name=application["company_name"])["applications"]
    mine = story.find(listed, job_title=application["job_title"], company_name=application["company_name"])
    details = story.call("get_application_details", application_id=mine["application_id"])
    story.call("update_applicant_details", application_id=mine["application_id"], phone=number)
    story.answer("previous phone number", details["phone"], source="job_application.phone")


@scenario
def apply_again_with_a_new_resume(story: Story) -> None:
    """After an application came to nothing, the applicant begins a new one for the same job, with a fresh resume, and files it."""
    closed = story.pick(
        "job_application",
        "status IN ('rejected', 'withdrawn', 'archived')",
        alone_in=["job_title", "company_name"],
    )
    form = story.choose("form", {"as a PDF": "pdf", "as a docx file": "docx"})
    topic = story.choose("topic", ["project management", "business law", "data protection"])
    resume = story.text(
        "resume",
        "Since the last application, finished a certificate in {topic} and led two projects",
        otherwise="Finished a certificate in {topic} and led two projects since the last application",
        topic=topic,
    )
    story.tell(
        "Nothing came of my application for {title} at {company}, but I'd like to try once more."
        " Start a new draft for the same job, under the name and email of the old application and without a phone number,"
        " store the resume below with it {form}, and file it straight away. The old application stays as it is."
        " The new resume: {resume}",
        title=closed["job_title"],
        company=closed["company_name"],
        form=form,
        resume=resume,
    )
    found = story.call("list_applications", company_name=closed["company_name"])["applications"]
    old = story.find(found, job_title=closed["job_title"], company_name=closed["company_name"])
    details = story.call("get_application_details", application_id=old["application_id"])
    draft = story.call(
        "create_application_draft",
        applicant_name=details["applicant_name"],
        email=details["email"],
        job_title=old["job_title"],
        company_name=old["company_name"],
    )
    story.call(
        "upload_resume",
        application_id=draft["application_id"],
        resume_content=resume,
        resume_format=form,
    )
    story.call("submit_application", application_id=draft["application_id"])


@scenario
def reach_whoever_has_the_next_deadline(story: Story) -> None:
    """The user asks whose application has the next deadline, on which day it is and how to reach the applicant."""
    days = story.choose("days", [10, 14, 21])
    story.pick(
        "job_application",
        "status IN ('draft', 'submitted', 'under_review') AND deadline_date >= ? AND deadline_date <= ?"
        " AND NOT EXISTS (SELECT 1 FROM job_application AS other"
        " WHERE other.application_id <> job_application.application_id"
        " AND other.status IN ('draft', 'submitted', 'under_review')"
        " AND other.deadline_date >= ? AND other.deadline_date <= job_application.deadline_date)",
        story.now,
        story.after(story.now, days=days),
        story.now,
    )
    story.tell(
        "Of all the application deadlines in the next {days} days, which one comes first?"
        " I need the company, the day it falls on, and the name and email of whoever is applying there.",
        days=days,
    )
    deadlines = story.call("list_application_deadlines", days_ahead=days)["deadlines"]
    first = story.lowest(deadlines, "deadline_date")
    details = story.call("get_application_details", application_id=first["application_id"])
    story.answer("company", first["company_name"], source="job_application.company_name")
    story.answer("day of the deadline", story.date_of(first["deadline_date"]))
    story.answer("applicant", details["applicant_name"], source="job_application.applicant_name")
    story.answer("email", details["email"], source="job_application.email")
    story.outside("And could you send that person a reminder by email right away?")


@scenario
def pull_out_before_an_interview(story: Story) -> None:
    """The user withdraws the application behind an upcoming interview with a reason and asks which job it was for."""
    interview = story.pick(
        "interview_schedule",
        "interview_date > ? AND interview_date < ?"
        " AND interview_id IN (SELECT MIN(i.interview_id) FROM interview_schedule AS i"
        " JOIN job_application AS a ON a.application_id = i.application_id"
        " WHERE i.interview_date > ? GROUP BY i.interview_type, a.company_name HAVING COUNT(*) = 1)"
        " AND application_id IN (SELECT application_id FROM job_application"
        " WHERE status IN ('submitted', 'under_review'))",
        story.now,
        story.day(13),
        story.now,
    )
    application = story.row("job_application", interview["application_id"])
    reason = story.text(
        "reason",
        "For a family with small children, the commute to {company} is too long",
        otherwise="The commute to {company} is too long for a family with small children",
        company=application["company_name"],
    )
    story.tell(
        "There's no point in doing the {kind} at {company} on {day} any more, so please withdraw that whole application."
        " Which job was it for again? Put this down as the reason: {reason}",
        kind=interview["interview_type"],
        company=application["company_name"],
        day=story.date_of(interview["interview_date"]),
        reason=reason,
    )
    upcoming = story.call("list_upcoming_interviews", interview_type=interview["interview_type"])["interviews"]
    meant = story.find(
        upcoming,
        company_name=application["company_name"],
        interview_type=interview["interview_type"],
    )
    story.call("withdraw_application", application_id=meant["application_id"], reason=reason)
    story.answer("job applied for", meant["job_title"], source="job_application.job_title")


@scenario
def archive_old_ones_and_reopen_one(story: Story) -> None:
    """The user archives all applications from before a day, asks how many that were, and gets one back out of the archive."""
    cutoff = story.day(-43)
    state = story.choose("state", {"under review": "under_review"})
    application = story.pick(
        "job_application",
        "status IN ('submitted', 'rejected', 'withdrawn', 'archived') AND application_date < ?"
        " AND EXISTS (SELECT 1 FROM job_application AS other"
        " WHERE other.status <> 'archived' AND other.application_date < ?)",
        cutoff,
        cutoff,
        alone_in=["job_title", "company_name"],
    )
    story.tell(
        "Time to tidy up. Archive every application from before {cutoff}, whatever became of it, drafts too,"
        " and tell me how many that puts away.",
        cutoff=cutoff,
    )
    swept = story.call("archive_old_applications", cutoff_date=cutoff)
    story.tell(
        "One of the archived ones is alive again, though: {company} just got back in touch about the {job} position."
        " Take that application out of the archive and mark it as {state}.",
        company=application["company_name"],
        job=application["job_title"],
        state=state,
    )
    listed = story.call("list_applications", company_name=application["company_name"])["applications"]
    meant = story.find(
        listed,
        job_title=application["job_title"],
        company_name=application["company_name"],
    )
    story.call("restore_application", application_id=meant["application_id"], restored_status=state)
    story.answer("number of applications archived", swept["archived_count"])


@scenario
def push_back_a_deadline(story: Story) -> None:
    """The user moves the deadline of an application back by some days and asks when it was due until now."""
    extra = story.choose("extra", [3, 5, 7])
    application = story.pick(
        "job_application",
        "status IN ('draft', 'submitted', 'under_review') AND deadline_type IS NOT NULL"
        " AND deadline_date > ? AND deadline_date < ?",
        story.now,
        story.day(13),
        alone_in=["job_title", "company_name"],
    )
    story.tell(
        "the {kind} deadline for the {job} application at {company} is too tight, can you push it back by {extra} days?"
        " same time of day. and when exactly was it due until now?",
        kind=application["deadline_type"],
        job=application["job_title"],
        company=application["company_name"],
        extra=extra,
    )
    lines = story.call("list_application_deadlines", deadline_type=application["deadline_type"])["deadlines"]
    line = story.find(
        lines,
        job_title=application["job_title"],
        company_name=application["company_name"],
    )
    story.call(
        "set_application_deadline",
        application_id=line["application_id"],
        deadline_date=story.after(line["deadline_date"], days=extra),
        deadline_type=line["deadline_type"],
    )
    story.answer("deadline until now", line["deadline_date"])


@scenario
def expect_what_another_offer_pays(story: Story) -> None:
    """The user asks what one offer pays and makes that amount the least salary expected of another application."""
    source = story.pick(
        "job_application",
        "application_id IN (SELECT application_id FROM job_offer GROUP BY application_id HAVING COUNT(*) = 1)"
        " AND (SELECT COUNT(*) FROM job_offer) <= 20",
        alone_in=["job_title", "company_name"],
    )
    target = story.pick(
        "job_application",
        "application_id <> ? AND status IN ('draft', 'submitted', 'under_review')"
        " AND (expected_salary_min IS NULL OR expected_salary_min NOT IN (SELECT annual_salary FROM job_offer))",
        source["application_id"],
        alone_in=["job_title", "company_name"],
    )
    story.tell(
        "How much does the offer from {offering_company} for the {offered_job} position pay a year?"
        " I don't want to go below that with the application for the {job} position at {company}, so please make exactly"
        " that amount, in the same currency, the least salary expected there, with no upper limit.",
        offering_company=source["company_name"],
        offered_job=source["job_title"],
        job=target["job_title"],
        company=target["company_name"],
    )
    offers = story.call("list_job_offers")["offers"]
    offer = story.find(
        offers,
        job_title=source["job_title"],
        company_name=source["company_name"],
    )
    listed = story.call("list_applications", company_name=target["company_name"])["applications"]
    meant = story.find(
        listed,
        job_title=target["job_title"],
        company_name=target["company_name"],
    )
    story.call(
        "add_salary_expectation",
        application_id=meant["application_id"],
        expected_salary_min=offer["annual_salary"],
        salary_currency=offer["salary_currency"],
    )
    story.answer("yearly salary of the offer", offer["annual_salary"])


@scenario
def note_two_rejections_and_focus_on_another(story: Story) -> None:
    """The user has two applications marked as rejected at once and gives a third one a priority with a reason."""
    state = story.choose("state", {"rejected": "rejected"})
    level = story.choose("level", [4, 5])
    first = story.pick(
        "job_application",
        "status IN ('submitted', 'under_review')",
        alone_in=["job_title", "company_name"],
    )
    second = story.pick(
        "job_application",
        "status IN ('submitted', 'under_review') AND company_name <> ?",
        first["company_name"],
        alone_in=["job_title", "company_name"],
    )
    favourite = story.pick(
        "job_application",
        "status IN ('draft', 'submitted', 'under_review') AND company_name NOT IN (?, ?)"
        " AND (priority_level IS NULL OR priority_level <> ?)",
        first["company_name"],
        second["company_name"],
        level,
        alone_in=["job_title", "company_name"],
    )
    why = story.text(
        "why",
        "With two other doors closed, the role at {company} is the best chance left",
        otherwise="The role at {company} is the best chance left with two other doors closed",
        company=favourite["company_name"],
    )
    story.tell(
        "Bad news twice this morning: {company} said no for the {job} position, and so did {other_company} for the"
        " {other_job} position. Mark both of those applications as {state}.",
        company=first["company_name"],
        job=first["job_title"],
        other_company=second["company_name"],
        other_job=second["job_title"],
        state=state,
    )
    at_first = story.call("list_applications", company_name=first["company_name"])["applications"]
    one = story.find(at_first, job_title=first["job_title"], company_name=first["company_name"])
    at_second = story.call("list_applications", company_name=second["company_name"])["applications"]
    other = story.find(at_second, job_title=second["job_title"], company_name=second["company_name"])
    story.call(
        "batch_update_application_status",
        application_ids=[one["application_id"], other["application_id"]],
        new_status=state,
    )
    story.tell(
        "So now the {job} position at {company} matters more. Set the priority of that application to {level} out of 5"
        " and give as the reason: {why}",
        job=favourite["job_title"],
        company=favourite["company_name"],
        level=level,
        why=why,
    )
    at_favourite = story.call("list_applications", company_name=favourite["company_name"])["applications"]
    meant = story.find(at_favourite, job_title=favourite["job_title"], company_name=favourite["company_name"])
    story.call(
        "set_application_priority",
        application_id=meant["application_id"],
        priority_level=level,
        priority_reason=why,
    )


@scenario
def record_the_stage_just_reached(story: Story) -> None:
    """The user has a stage recorded for an application that has now come as far as another one, and asks which stage that is."""
    reached = story.moment(story.day(-1), "15:00")
    application = story.pick(
        "job_application",
        "status IN ('submitted', 'under_review') AND application_date < ?"
        " AND EXISTS (SELECT 1 FROM application_stage AS top"
        " JOIN job_application AS ahead ON ahead.application_id = top.application_id"
        " WHERE ahead.company_name <> job_application.company_name"
        " AND NOT EXISTS (SELECT 1 FROM application_stage AS later WHERE later.application_id = top.application_id"
        " AND later.stage_date >= top.stage_date AND later.stage_id <> top.stage_id)"
        " AND NOT EXISTS (SELECT 1 FROM job_application AS twin WHERE twin.job_title = ahead.job_title"
        " AND twin.company_name = ahead.company_name AND twin.application_id <> ahead.application_id)"
        " AND top.stage_name NOT IN (SELECT own.stage_name FROM application_stage AS own"
        " WHERE own.application_id = job_application.application_id))",
        reached,
        alone_in=["job_title", "company_name"],
    )
    top = story.pick(
        "application_stage",
        "NOT EXISTS (SELECT 1 FROM application_stage AS later WHERE later.application_id = application_stage.application_id"
        " AND later.stage_date >= application_stage.stage_date AND later.stage_id <> application_stage.stage_id)"
        " AND stage_name NOT IN (SELECT own.stage_name FROM application_stage AS own WHERE own.application_id = ?)"
        " AND EXISTS (SELECT 1 FROM job_application AS ahead WHERE ahead.application_id = application_stage.application_id"
        " AND ahead.company_name <> ?"
        " AND NOT EXISTS (SELECT 1 FROM job_application AS twin WHERE twin.job_title = ahead.job_title"
        " AND twin.company_name = ahead.company_name AND twin.application_id <> ahead.application_id))",
        application["application_id"],
        application["company_name"],
    )
    ahead = story.row("job_application", top["application_id"])
    people = story.choose("people", ["three", "four", "five"])
    remark = story.text(
        "remark",
        "According to the recruiter, {people} people from the team will take part",
        otherwise="From the team, {people} people will take part according to the recruiter",
        people=people,
    )
    story.tell(
        "News about the application for {title} at {company}: on {reached} it reached the stage that the one for {other_title}"
        " at {other_company} got to last. Record that same stage for {company} and tell me which one it is."
        " Add this remark to it: {remark}",
        title=application["job_title"],
        company=application["company_name"],
        reached=reached,
        other_title=ahead["job_title"],
        other_company=ahead["company_name"],
        remark=remark,
    )
    others = story.call("list_applications", company_name=ahead["company_name"])["applications"]
    other = story.find(others, job_title=ahead["job_title"], company_name=ahead["company_name"])
    stages = story.call("get_application_stage_history", application_id=other["application_id"])["stages"]
    last = story.highest(stages, "stage_date")
    found = story.call("list_applications", company_name=application["company_name"])["applications"]
    mine = story.find(found, job_title=application["job_title"], company_name=application["company_name"])
    story.call(
        "add_application_stage",
        application_id=mine["application_id"],
        stage_name=last["stage_name"],
        stage_date=reached,
        stage_notes=remark,
    )
    story.answer("stage", last["stage_name"], source="application_stage.stage_name")


@scenario
def replace_the_latest_note(story: Story) -> None:
    """The applicant has the latest note on an application read out and removed, and a new one written."""
    note = story.pick(
        "application_note",
        "NOT EXISTS (SELECT 1 FROM application_note AS newer WHERE newer.application_id = application_note.application_id"
        " AND newer.created_at >= application_note.created_at AND newer.note_id <> application_note.note_id)"
        " AND NOT EXISTS (SELECT 1 FROM job_application AS mine JOIN job_application AS twin"
        " ON twin.job_title = mine.job_title AND twin.company_name = mine.company_name"
        " AND twin.application_id <> mine.application_id"
        " WHERE mine.application_id = application_note.application_id)",
    )
    application = story.row("job_application", note["application_id"])
    sort = story.choose("sort", ["reminder", "general"])
    topic = story.choose("topic", ["the start date", "remote work", "the notice period"])
    content = story.text(
        "content",
        "Before the next talk, ask {company} about {topic}",
        otherwise="Ask {company} about {topic} before the next talk",
        company=application["company_name"],
        topic=topic,
    )
    story.tell(
        "The latest note on my application for {title} at {company} can go. Tell me what it says and on what day it was written,"
        " then remove it and write a new {sort} note in its place: {content}",
        title=application["job_title"],
        company=application["company_name"],
        sort=sort,
        content=content,
    )
    found = story.call("list_applications", company_name=application["company_name"])["applications"]
    mine = story.find(found, job_title=application["job_title"], company_name=application["company_name"])
    notes = story.call("list_application_notes", application_id=mine["application_id"])["notes"]
    old = story.highest(notes, "created_at")
    story.call("remove_application_note", note_id=old["note_id"])
    story.call(
        "add_application_note",
        application_id=mine["application_id"],
        note_content=content,
        note_type=sort,
    )
    story.answer("text of the old note", old["note_content"], source="application_note.note_content")
    story.answer("day of the old note", story.date_of(old["created_at"]))


@scenario
def schedule_a_round_with_the_same_interviewer(story: Story) -> None:
    """The applicant has another interview scheduled that is of the same kind and with the same interviewer as an earlier one."""
    when = story.moment(story.day(6), "14:30")
    earlier = story.pick(
        "interview_schedule",
        "interview_date <= ? AND interviewer_name IS NOT NULL"
        " AND EXISTS (SELECT 1 FROM job_application AS mine WHERE mine.application_id = interview_schedule.application_id"
        " AND mine.status IN ('submitted', 'under_review')"
        " AND NOT EXISTS (SELECT 1 FROM job_application AS twin WHERE twin.job_title = mine.job_title"
        " AND twin.company_name = mine.company_name AND twin.application_id <> mine.application_id))"
        " AND NOT EXISTS (SELECT 1 FROM interview_schedule AS busy WHERE busy.application_id = interview_schedule.application_id"
        " AND busy.interview_date = ?)",
        story.now,
        when,
        alone_in=["application_id", "interview_type"],
    )
    application = story.row("job_application", earlier["application_id"])
    place = story.choose("place", ["Video call on Zoom", "Video call on Teams"])
    minutes = story.choose("minutes", [45, 60, 75])
    story.tell(
        "{company} wants to see me once more for {title}! It's going to be the same kind of interview, with the same interviewer,"
        " as the {before} on {day}. The new one is on {when}, planned for {minutes} minutes; where: {place}. Can you schedule that?",
        company=application["company_name"],
        title=application["job_title"],
        before=earlier["interview_type"],
        day=story.date_of(earlier["interview_date"]),
        when=when,
        minutes=minutes,
        place=place,
    )
    found = story.call("list_applications", company_name=application["company_name"])["applications"]
    mine = story.find(found, job_title=application["job_title"], company_name=application["company_name"])
    interviews = story.call("get_application_interviews", application_id=mine["application_id"])["interviews"]
    held = story.find(interviews, interview_type=earlier["interview_type"])
    story.call(
        "add_interview_schedule",
        application_id=mine["application_id"],
        interview_type=held["interview_type"],
        interview_date=when,
        interviewer_name=held["interviewer_name"],
        interview_location=place,
        interview_duration_minutes=minutes,
    )


@scenario
def put_off_an_interview(story: Story) -> None:
    """The applicant has an upcoming interview moved some days later and asks for the new time."""
    days = story.choose("days", [4, 7, 14])
    interview = story.pick(
        "interview_schedule",
        "interview_date > ?"
        " AND NOT EXISTS (SELECT 1 FROM interview_schedule AS busy WHERE busy.application_id = interview_schedule.application_id"
        " AND busy.interview_id <> interview_schedule.interview_id"
        " AND busy.interview_date = datetime(interview_schedule.interview_date, '+' || ? || ' days'))"
        " AND NOT EXISTS (SELECT 1 FROM job_application AS mine JOIN job_application AS twin"
        " ON twin.job_title = mine.job_title AND twin.company_name = mine.company_name"
        " AND twin.application_id <> mine.application_id"
        " WHERE mine.application_id = interview_schedule.application_id)",
        story.now,
        days,
        alone_in=["application_id", "interview_type"],
    )
    application = story.row("job_application", interview["application_id"])
    story.tell(
        "something came up, so the {kind} on {day} for {title} at {company} has to wait."
        " move it to {days} days later, same time of day, and tell me exactly when it starts then",
        kind=interview["interview_type"],
        day=story.date_of(interview["interview_date"]),
        title=application["job_title"],
        company=application["company_name"],
        days=days,
    )
    found = story.call("list_applications", company_name=application["company_name"])["applications"]
    mine = story.find(found, job_title=application["job_title"], company_name=application["company_name"])
    interviews = story.call("get_application_interviews", application_id=mine["application_id"])["interviews"]
    planned = story.find(interviews, interview_type=interview["interview_type"])
    moved = story.call(
        "reschedule_interview",
        interview_id=planned["interview_id"],
        interview_date=story.after(planned["interview_date"], days=days),
    )
    story.answer("new start", moved["interview_date"])


@scenario
def change_the_place_of_the_next_interview(story: Story) -> None:
    """The user has the place and the interviewer of the very next interview changed and asks whose it is and how long until then."""
    place = story.choose("place", ["Room 412", "Room 207", "Room 118"])
    person = story.choose("person", ["Dana Whitfield", "Oscar Lindgren", "Priya Raman"])
    story.pick(
        "interview_schedule",
        "interview_date > ? AND interview_date <= ?"
        " AND (interview_location IS NULL OR interview_location <> ?)"
        " AND NOT EXISTS (SELECT 1 FROM interview_schedule AS sooner WHERE sooner.interview_date > ?"
        " AND sooner.interview_date <= interview_schedule.interview_date"
        " AND sooner.interview_id <> interview_schedule.interview_id)",
        story.now,
        story.after(story.now, days=14),
        place,
        story.now,
    )
    story.tell(
        "The very next interview on our calendar has been moved to {place}, and {person} will be the interviewer there; the time stays."
        " Please enter that. Which company is it with, when does it begin, and how many whole hours are left until then?",
        place=place,
        person=person,
    )
    upcoming = story.call("list_upcoming_interviews")["interviews"]
    first = story.lowest(upcoming, "interview_date")
    story.call(
        "update_interview_details",
        interview_id=first["interview_id"],
        interview_location=place,
        interviewer_name=person,
    )
    left = story.call(
        "calculate_interview_preparation_time",
        current_date=story.now,
        interview_date=first["interview_date"],
    )
    story.answer("company", first["company_name"], source="job_application.company_name")
    story.answer("beginning", first["interview_date"])
    story.answer("hours left", left["hours_until_interview"])


@scenario
def call_off_an_interview_with_a_note(story: Story) -> None:
    """The applicant has an upcoming interview cancelled and a note left on the application."""
    interview = story.pick(
        "interview_schedule",
        "interview_date > ? AND interview_date <= ?"
        " AND NOT EXISTS (SELECT 1 FROM job_application AS mine JOIN job_application AS twin"
        " ON twin.job_title = mine.job_title AND twin.company_name = mine.company_name"
        " AND twin.application_id <> mine.application_id"
        " WHERE mine.application_id = interview_schedule.application_id)"
        " AND (SELECT COUNT(*) FROM interview_schedule AS sooner WHERE sooner.interview_date > ?"
        " AND sooner.interview_date <= interview_schedule.interview_date) <= 20",
        story.now,
        story.after(story.now, days=14),
        story.now,
        alone_in=["application_id", "interview_type"],
    )
    application = story.row("job_application", interview["application_id"])
    month = story.choose("month", ["April", "May", "June"])
    note = story.text(
        "note",
        "In {month}, ask {company} whether they would still like to meet",
        otherwise="Ask {company} in {month} whether they would still like to meet",
        month=month,
        company=application["company_name"],
    )
    story.tell(
        "I can't make it to an interview for {title} at {company}, the {kind} on {day}. Cancel it, please,"
        " and leave a note on the application: {note}",
        title=application["job_title"],
        company=application["company_name"],
        kind=interview["interview_type"],
        day=story.date_of(interview["interview_date"]),
        note=note,
    )
    upcoming = story.call("list_upcoming_interviews")["interviews"]
    mine = story.find(
        upcoming,
        job_title=application["job_title"],
        company_name=application["company_name"],
        interview_type=interview["interview_type"],
    )
    story.call("cancel_interview", interview_id=mine["interview_id"])
    story.call("add_application_note", application_id=mine["application_id"], note_content=note)
    story.outside("And could you ring them up and apologise for me?")


@scenario
def write_up_a_past_interview(story: Story) -> None:
    """The applicant dictates feedback on an interview that has none yet and asks who the interviewer was."""
    interview = story.pick(
        "interview_schedule",
        "interview_date <= ? AND interviewer_name IS NOT NULL"
        " AND interview_id NOT IN (SELECT interview_id FROM interview_feedback)"
        " AND NOT EXISTS (SELECT 1 FROM job_application AS mine JOIN job_application AS twin"
        " ON twin.job_title = mine.job_title AND twin.company_name = mine.company_name"
        " AND twin.application_id <> mine.application_id"
        " WHERE mine.application_id = interview_schedule.application_id)"
        " AND (SELECT COUNT(*) FROM interview_schedule AS newer WHERE newer.interview_date <= ?"
        " AND newer.interview_date >= interview_schedule.interview_date"
        " AND newer.interview_id NOT IN (SELECT interview_id FROM interview_feedback)) <= 20",
        story.now,
        story.now,
        alone_in=["application_id", "interview_type"],
    )
    application = story.row("job_application", interview["application_id"])
    rating = story.choose("rating", [2, 3, 4])
    topic = story.choose("topic", ["my last project", "working in a team", "my plans for the future"])
    feedback = story.text(
        "feedback",
        "The questions about {topic} went well, although the last part ran too long",
        otherwise="Although the last part ran too long, the questions about {topic} went well",
        topic=topic,
    )
    story.tell(
        "There's no feedback yet on an interview I had for {title} at {company}, the {kind} on {day}."
        " Rate it {rating} out of 5, please, and also tell me who interviewed me there. Write as feedback: {feedback}",
        title=application["job_title"],
        company=application["company_name"],
        kind=interview["interview_type"],
        day=story.date_of(interview["interview_date"]),
        rating=rating,
        feedback=feedback,
    )
    missing = story.call("list_interviews_without_feedback")["interviews"]
    mine = story.find(
        missing,
        job_title=application["job_title"],
        company_name=application["company_name"],
        interview_type=interview["interview_type"],
    )
    story.call(
        "add_interview_feedback",
        interview_id=mine["interview_id"],
        feedback_content=feedback,
        performance_rating=rating,
    )
    interviews = story.call("get_application_interviews", application_id=mine["application_id"])["interviews"]
    held = story.find(interviews, interview_id=mine["interview_id"])
    story.answer("interviewer", held["interviewer_name"], source="interview_schedule.interviewer_name")


@scenario
def correct_the_rating_of_an_interview(story: Story) -> None:
    """The applicant has the rating of an interview corrected and asks what it was before."""
    rating = story.choose("rating", [2, 3, 4])
    feedback = story.pick(
        "interview_feedback",
        "performance_rating IS NOT NULL AND performance_rating <> ?"
        " AND EXISTS (SELECT 1 FROM interview_schedule AS held"
        " JOIN job_application AS mine ON mine.application_id = held.application_id"
        " WHERE held.interview_id = interview_feedback.interview_id AND mine.status <> 'archived'"
        " AND NOT EXISTS (SELECT 1 FROM interview_schedule AS other WHERE other.application_id = held.application_id"
        " AND other.interview_type = held.interview_type AND other.interview_id <> held.interview_id)"
        " AND NOT EXISTS (SELECT 1 FROM job_application AS twin WHERE twin.job_title = mine.job_title"
        " AND twin.company_name = mine.company_name AND twin.application_id <> mine.application_id))",
        rating,
        alone_in=["interview_id"],
    )
    interview = story.row("interview_schedule", feedback["interview_id"])
    application = story.row("job_application", interview["application_id"])
    story.tell(
        "The rating I gave in my feedback for {title} at {company}, the {kind} on {day}, no longer feels right."
        " Change it to {rating} out of 5 and leave the text alone. What rating did it have until now?",
        title=application["job_title"],
        company=application["company_name"],
        kind=interview["interview_type"],
        day=story.date_of(interview["interview_date"]),
        rating=rating,
    )
    found = story.call("list_applications", company_name=application["company_name"])["applications"]
    mine = story.find(found, job_title=application["job_title"], company_name=application["company_name"])
    interviews = story.call("get_application_interviews", application_id=mine["application_id"])["interviews"]
    held = story.find(interviews, interview_type=interview["interview_type"])
    entries = story.call("get_application_feedback", application_id=mine["application_id"])["feedback"]
    entry = story.find(entries, interview_id=held["interview_id"])
    story.call("correct_interview_feedback", feedback_id=entry["feedback_id"], performance_rating=rating)
    story.answer("previous rating", entry["performance_rating"])


@scenario
def tick_off_preparation_and_add_one_more(story: Story) -> None:
    """The applicant has all open preparation tasks of an interview marked as done and a new one added."""
    interview = story.pick(
        "interview_schedule",
        "interview_date > ? AND interview_date <= ?"
        " AND interview_id IN (SELECT interview_id FROM preparation_task WHERE completed_at IS NULL)"
        " AND NOT EXISTS (SELECT 1 FROM job_application AS mine JOIN job_application AS twin"
        " ON twin.job_title = mine.job_title AND twin.company_name = mine.company_name"
        " AND twin.application_id <> mine.application_id"
        " WHERE mine.application_id = interview_schedule.application_id)"
        " AND (SELECT COUNT(*) FROM interview_schedule AS sooner WHERE sooner.interview_date > ?"
        " AND sooner.interview_date <= interview_schedule.interview_date) <= 20"
        " AND (SELECT COUNT(*) FROM preparation_task AS task WHERE task.interview_id = interview_schedule.interview_id"
        " AND task.completed_at IS NULL) <= 20",
        story.now,
        story.after(story.now, days=14),
        story.now,
        alone_in=["application_id", "interview_type"],
    )
    application = story.row("job_application", interview["application_id"])
    view = story.choose("view", {"still open": True})
    task = story.text(
        "task",
        "Before the talk, read the latest annual report of {company} once more",
        otherwise="Read the latest annual report of {company} once more before the talk",
        company=application["company_name"],
    )
    story.tell(
        "good progress on {title} at {company}! everything on the preparation list for the {kind} on {day} that was {view} is finished,"
        " so mark all of that as done. after that put one new task on the list: {task}",
        title=application["job_title"],
        company=application["company_name"],
        kind=interview["interview_type"],
        day=story.date_of(interview["interview_date"]),
        view=view,
        task=task,
    )
    upcoming = story.call("list_upcoming_interviews")["interviews"]
    mine = story.find(
        upcoming,
        job_title=application["job_title"],
        company_name=application["company_name"],
        interview_type=interview["interview_type"],
    )
    tasks = story.call("list_preparation_tasks", interview_id=mine["interview_id"], only_open=view)["tasks"]
    story.call(
        "complete_preparation_tasks",
        preparation_task_ids=[entry["preparation_task_id"] for entry in tasks],
    )
    story.call("add_preparation_task", interview_id=mine["interview_id"], task_description=task)


@scenario
def record_an_offer_that_came_in(story: Story) -> None:
    """The applicant has a new offer recorded and asks on which day the application was sent."""
    application = story.pick(
        "job_application",
        "status = 'under_review' AND application_id NOT IN"
        " (SELECT application_id FROM job_offer WHERE offer_status = 'pending')",
        alone_in=["job_title", "company_name"],
    )
    status = story.choose("status", {"under review": "under_review"})
    salary = story.choose("salary", [58000, 66500, 72000])
    currency = story.choose("currency", ["EUR", "GBP", "CHF"])
    until = story.moment(story.day(11), "18:00")
    story.tell(
        "Great news, {company} made me an offer for {title}, the application you still have as {status}:"
        " {salary} {currency} a year, and they want an answer by {until}. Please record that."
        " And on what day did I apply there?",
        company=application["company_name"],
        title=application["job_title"],
        status=status,
        salary=salary,
        currency=currency,
        until=until,
    )
    found = story.call(
        "list_applications",
        company_name=application["company_name"],
        status=status,
    )["applications"]
    mine = story.find(found, job_title=application["job_title"], company_name=application["company_name"])
    story.call(
        "record_job_offer",
        application_id=mine["application_id"],
        annual_salary=salary,
        salary_currency=currency,
        respond_by=until,
    )
    story.answer("day of the application", story.date_of(mine["application_date"]))


@scenario
def get_more_time_and_accept(story: Story) -> None:
    """The applicant has the answer date of an offer moved, accepts the offer and asks for the salary."""
    until = story.moment(story.day(21), "17:00")
    offer = story.pick(
        "job_offer",
        "offer_status = 'pending' AND respond_by < ?"
        " AND NOT EXISTS (SELECT 1 FROM job_offer AS other WHERE other.application_id = job_offer.application_id"
        " AND other.offer_status = 'pending' AND other.job_offer_id <> job_offer.job_offer_id)"
        " AND EXISTS (SELECT 1 FROM job_application AS mine WHERE mine.application_id = job_offer.application_id"
        " AND mine.status IN ('submitted', 'under_review')"
        " AND NOT EXISTS (SELECT 1 FROM job_application AS twin WHERE twin.job_title = mine.job_title"
        " AND twin.company_name = mine.company_name AND twin.application_id <> mine.application_id))",
        until,
    )
    application = story.row("job_application", offer["application_id"])
    status = story.choose("status", {"pending": "pending"})
    story.tell(
        "{company} lets me take until {until} to answer their offer for {title}, which is still {status}."
        " Put that in as the new answer date, and then accept the offer, I've made up my mind."
        " How much a year will they be paying me?",
        company=application["company_name"],
        title=application["job_title"],
        until=until,
        status=status,
    )
    offers = story.call("list_job_offers", offer_status=status)["offers"]
    mine = story.find(offers, job_title=application["job_title"], company_name=application["company_name"])
    story.call("revise_job_offer", job_offer_id=mine["job_offer_id"], respond_by=until)
    story.call("accept_job_offer", job_offer_id=mine["job_offer_id"])
    story.answer("annual salary", mine["annual_salary"])


@scenario
def decline_the_offer_due_first(story: Story) -> None:
    """The user declines the pending offer with the earliest answer date and asks whose offer that was."""
    story.pick(
        "job_offer",
        "offer_status = 'pending' AND NOT EXISTS (SELECT 1 FROM job_offer AS other"
        " WHERE other.offer_status = 'pending' AND other.respond_by <= job_offer.respond_by"
        " AND other.job_offer_id <> job_offer.job_offer_id)",
    )
    status = story.choose("status", {"pending": "pending"})
    story.tell(
        "Of the offers that are still {status}, decline the one with the earliest answer date, whether or not that has passed."
        " Then tell me which company and job it was, and on which day their answer was due.",
        status=status,
    )
    offers = story.call("list_job_offers", offer_status=status)["offers"]
    first = story.lowest(offers, "respond_by")
    story.call("decline_job_offer", job_offer_id=first["job_offer_id"])
    story.answer("company", first["company_name"], source="job_application.company_name")
    story.answer("job", first["job_title"], source="job_application.job_title")
    story.answer("answer date", story.date_of(first["respond_by"]))


@scenario
def ask_for_the_success_rate_since_a_day(story: Story) -> None:
    """The user asks on which day one applied for a job, and for the rates of success, rejection and everything else among the applications since that day."""
    application = story.pick(
        "job_application",
        "status <> 'draft' AND application_date <= "
        "(SELECT application_date FROM job_application ORDER BY application_date DESC LIMIT 1 OFFSET 2)",
        unique_by=["job_title", "company_name"],
    )
    good = story.choose("good", {"accepted": "accepted"})
    bad = story.choose("bad", {"rejected": "rejected"})
    story.tell(
        "On which day did I apply for the {title} position at {company}? And how have things gone since?"
        " Take all the applications from that day on as the total, that one and any drafts included,"
        " the {good} ones as the successes and the {bad} ones as the failures."
        " I'd like the success rate, the rejection rate and the share of those that are neither.",
        title=application["job_title"],
        company=application["company_name"],
        good=good,
        bad=bad,
    )
    found = story.call("list_applications", company_name=application["company_name"])["applications"]
    mine = story.find(found, job_title=application["job_title"], company_name=application["company_name"])
    since = story.date_of(mine["application_date"])
    report = story.call("count_applications_by_status", applied_from=since)
    successes = story.find(report["counts"], status=good)
    failures = story.find(report["counts"], status=bad)
    rates = story.call(
        "calculate_application_success_rate",
        total_applications=report["total"],
        successful_applications=successes["application_count"],
        rejected_applications=failures["application_count"],
    )
    story.answer("day of the application", since)
    story.answer("success rate", rates["success_rate"])
    story.answer("rejection rate", rates["rejection_rate"])
    story.answer("pending rate", rates["pending_rate"])


@scenario
def see_what_one_kind_of_interview_brings(story: Story) -> None:
    """The user asks how often applications lead to one kind of interview, how often to success, and how these interviews were rated."""
    interview = story.pick(
        "interview_schedule",
        "interview_date <= ? AND interview_id IN"
        " (SELECT interview_id FROM interview_feedback WHERE performance_rating IS NOT NULL)",
        story.now,
    )
    good = story.choose("good", {"accepted": "accepted"})
    story.tell(
        "For the {kind}, counting only those that already took place, I want to see what it brings."
        " Set them against all applications in the office, whatever their status, and take the {good} applications as the offers."
        " What percentage do the interviews come to per application, what percentage do the offers come to per application,"
        " and what is the average rating for the {kind}?",
        kind=interview["interview_type"],
        good=good,
    )
    report = story.call("count_applications_by_status")
    offers = story.find(report["counts"], status=good)
    types = story.call("report_interview_performance")["types"]
    line = story.find(types, interview_type=interview["interview_type"])
    roi = story.call(
        "calculate_application_roi",
        total_applications=report["total"],
        total_interviews=line["interview_count"],
        total_offers=offers["application_count"],
    )
    story.answer("interviews per application", roi["interview_conversion_rate"])
    story.answer("offers per application", roi["offer_conversion_rate"])
    story.answer("average rating", line["average_rating"])


@scenario
def judge_where_a_job_was_found(story: Story) -> None:
    """The applicant asks where a job was found, when the application went out and how the applications from that source fare."""
    application = story.pick(
        "job_application",
        "status <> 'draft' AND referral_source IS NOT NULL"
        " AND (SELECT COUNT(DISTINCT referral_source) FROM job_application WHERE status <> 'draft') <= 20",
        unique_by=["job_title", "company_name"],
    )
    story.tell(
        "Where did I come across the {title} position at {company}, going by what you have on file, and on which day did I"
        " apply for it? And how do all the applications from that source fare: how many are there, how many of them got"
        " an interview, and what's their acceptance rate?",
        title=application["job_title"],
        company=application["company_name"],
    )
    found = story.call("list_applications", company_name=application["company_name"])["applications"]
    mine = story.find(found, job_title=application["job_title"], company_name=application["company_name"])
    details = story.call("get_application_details", application_id=mine["application_id"])
    sources = story.call("report_referral_sources")["sources"]
    line = story.find(sources, referral_source=details["referral_source"])
    story.answer("source", details["referral_source"], source="job_application.referral_source")
    story.answer("day of the application", story.date_of(details["application_date"]))
    story.answer("applications from there", line["application_count"])
    story.answer("interviewed", line["interviewed_count"])
    story.answer("acceptance rate", line["acceptance_rate"])
    story.outside("And could you email these figures to my career coach?")


@scenario
def change_the_email_and_record_one_more_application(story: Story) -> None:
    """The applicant changes the email of one application, has another that was sent elsewhere recorded under the same name, and gets a reminder for it."""
    email = story.choose(
        "email", ["applications@mailbox.example", "jobsearch2024@post.example", "career@inbox.example"]
    )
    job = story.choose("job", ["Logistics Coordinator", "Research Assistant", "Quality Manager"])
    firm = story.choose("firm", ["Marlowe Shipping", "Verdant Labs", "Kestrel Foods"])
    days = story.choose("days", [10, 14, 21])
    sent = story.moment(story.day(-2), "11:00")
    application = story.pick(
        "job_application",
        "status IN ('draft', 'submitted', 'under_review') AND email <> ?"
        " AND NOT EXISTS (SELECT 1 FROM job_application AS other WHERE other.email = ?"
        " AND other.job_title = ? AND other.company_name = ?)",
        email,
        email,
        job,
        firm,
        alone_in=["job_title", "company_name"],
    )
    story.tell(
        "My address is {email} now, so please change it on my application for {title} at {company}."
        " I also applied for {job} at {firm} on {sent}. Record that as sent at that time,"
        " under the name that stands on the {company} application and with the new address, but leave out any phone number and anything about where I found it or who referred me."
        " Then put together a reminder to follow up on it {days} days after I sent it, same time of day."
        " And what name is it that both of them run under?",
        email=email,
        title=application["job_title"],
        company=application["company_name"],
        job=job,
        firm=firm,
        sent=sent,
        days=days,
    )
    found = story.call("list_applications", company_name=application["company_name"])["applications"]
    mine = story.find(found, job_title=application["job_title"], company_name=application["company_name"])
    details = story.call("update_applicant_details", application_id=mine["application_id"], email=email)
    recorded = story.call(
        "record_sent_application",
        applicant_name=details["applicant_name"],
        email=email,
        job_title=job,
        company_name=firm,
        application_date=sent,
    )
    story.call(
        "generate_follow_up_reminder",
        company_name=firm,
        job_title=job,
        application_date=recorded["application_date"],
        follow_up_date=story.after(recorded["application_date"], days=days),
    )
    story.answer("name of the applicant", details["applicant_name"], source="job_application.applicant_name")


@scenario
def leave_a_number_and_follow_up_on_an_application(story: Story) -> None:
    """The applicant has an application looked up, its phone number changed and a reminder to follow up made, and asks on which day it was sent."""
    number = story.choose("number", ["+1 503 555 0164", "+44 20 7946 0321", "+61 2 5550 7711"])
    when = story.moment(story.day(4), "09:00")
    application = story.pick(
        "job_application",
        "status IN ('submitted', 'under_review') AND (phone IS NULL OR phone <> ?)",
        number,
        alone_in=["job_title", "company_name"],
    )
    story.tell(
        "Search for the application as {title}, I mean the one at {company}. The people there should ring {number} from now on,"
        " so put that down as the phone number on it, and make me a reminder to follow up on it on {when}."
        " On which day had I applied?",
        title=application["job_title"],
        company=application["company_name"],
        number=number,
        when=when,
    )
    matches = story.call("search_applications_by_keyword", keyword=application["job_title"])["matching_applications"]
    mine = story.find(matches, job_title=application["job_title"], company_name=application["company_name"])
    details = story.call("get_application_details", application_id=mine["application_id"])
    story.call("update_applicant_details", application_id=mine["application_id"], phone=number)
    story.call(
        "generate_follow_up_reminder",
        company_name=details["company_name"],
        job_title=details["job_title"],
        application_date=details["application_date"],
        follow_up_date=when,
    )
    story.answer("day of the application", story.date_of(details["application_date"]))
