"""What people want of Iron Range Exhibits Project Desk: every function is a scenario."""

from runtime.story import Story, scenario

NOBODY_WAITS = """
    NOT EXISTS (SELECT 1 FROM task AS next WHERE next.waits_on_task_id = task.task_id
        AND next.status IN ('todo', 'in_progress'))
"""
ROOM_FOR_TASK = """
    (SELECT count(*) FROM task AS held WHERE held.assignee_id = member.member_id
        AND held.status IN ('todo', 'in_progress'))
        < CASE member.grade WHEN 'principal' THEN 4 WHEN 'senior' THEN 3 ELSE 2 END
"""
MOST_TASKS = "CASE member.grade WHEN 'principal' THEN 4 WHEN 'senior' THEN 3 ELSE 2 END"
DRAFTS = """
    (SELECT coalesce(sum(minutes), 0) FROM time_entry AS d WHERE d.member_id = time_entry.member_id
        AND d.status = 'draft')
"""
MOST_DRAFT = """
    (SELECT CASE WHEN weekly_hours >= 30 THEN 720 ELSE 480 END FROM member WHERE member.member_id = time_entry.member_id)
"""
LEFT = """
    (project.budget_cents
        - (SELECT coalesce(sum(cost_cents), 0) FROM purchase WHERE purchase.project_id = project.project_id
        AND purchase.status <> 'canceled')
        - (SELECT coalesce(sum(cost_cents), 0) FROM booking WHERE booking.project_id = project.project_id
        AND booking.status <> 'canceled')
        - (SELECT coalesce(sum(amount_cents), 0) FROM charge WHERE charge.project_id = project.project_id))
"""
KEEP = "CASE project.service_level WHEN 'priority' THEN 80000 ELSE 40000 END"
WAITING = """
    (SELECT coalesce(sum(amount_cents), 0) FROM change_order AS w WHERE w.project_id = project.project_id
        AND w.status = 'waiting')
"""
MOST_WAITING = "CASE project.service_level WHEN 'priority' THEN 400000 ELSE 200000 END"
HOURS = """
    (SELECT coalesce(sum(hours), 0) FROM booking WHERE booking.project_id = project.project_id
        AND booking.status = 'booked' AND booking.starts_at > '2026-05-12 08:30:00')
"""
MOST_HOURS = "CASE project.service_level WHEN 'priority' THEN 8 ELSE 5 END"
MAY_START = """
    (SELECT count(*) FROM task AS w WHERE w.assignee_id = task.assignee_id AND w.status = 'in_progress')
        < (SELECT CASE WHEN weekly_hours >= 30 THEN 2 ELSE 1 END FROM member WHERE member.member_id = task.assignee_id)
"""
READY = """
    task.status = 'todo' AND task.assignee_id IS NOT NULL

        AND NOT EXISTS (SELECT 1 FROM task AS first WHERE first.task_id = task.waits_on_task_id
        AND first.status IN ('todo', 'in_progress'))
"""


@scenario
def new_phone_number(story: Story) -> None:
    """The member has a new phone number."""
    phone = story.choose("phone", ["(906) 555-0123", "(906) 555-0147", "(701) 555-0168", "(701) 555-0181"])
    story.wish(
        (
            "I switched carriers and got a new number. Can you change my phone to {phone}?",
            "My phone number has changed. I would like you to update it to {phone}.",
            "got a new phone, can you put my number in as {phone}",
        ),
        short="changing my phone number to {phone}",
        phone=phone,
    )
    key = story.identify()
    story.call("update_contact", member_id=key, phone=phone)


@scenario
def swap_a_teammate(story: Story) -> None:
    """The lead takes one member off a project's team and adds another."""
    project = story.pick(
        "project",
        """status <> 'closed' AND EXISTS (SELECT 1 FROM team_seat WHERE team_seat.project_id = project.project_id
            AND NOT EXISTS (SELECT 1 FROM task WHERE task.project_id = project.project_id AND task.assignee_id = team_seat.teammate_id
                AND task.status IN ('todo', 'in_progress')))""",
        unique_by=["member_id", "name"],
        mine=True,
    )
    seat = story.pick(
        "team_seat",
        """project_id = ? AND NOT EXISTS (SELECT 1 FROM task WHERE task.project_id = team_seat.project_id
            AND task.assignee_id = team_seat.teammate_id AND task.status IN ('todo', 'in_progress'))""",
        project["project_id"],
        unique_by=["project_id", "teammate_id.name"],
    )
    newcomer = story.pick(
        "member",
        "member_id <> ? AND NOT EXISTS (SELECT 1 FROM team_seat WHERE project_id = ? AND teammate_id = member.member_id)",
        project["member_id"],
        project["project_id"],
        unique_by=["name"],
    )
    old = story.row("member", seat["teammate_id"])["name"]
    role = story.choose("role", {"as a designer": "designer", "as a writer": "writer", "as an installer": "installer"})
    story.wish(
        (
            "{old} is done on my {project} project. Can you take them off the team and add {new} {role}?",
            "I would like to change the team of my {project} project. Please remove {old} and add {new} {role}.",
            "can you take {old} off my {project} team and put {new} on it {role}",
        ),
        short="taking {old} off the team of my {project} project and adding {new} {role}",
        project=project["name"],
        old=old,
        new=newcomer["name"],
        role=role,
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    team = story.call("show_project", project_id=mine["project_id"])["team"]
    leaving = story.find(team, name=old)
    story.call("remove_teammate", project_id=mine["project_id"], teammate_id=leaving["teammate_id"])
    found = story.find(story.call("search_members", name=newcomer["name"])["members"], name=newcomer["name"])
    story.call("add_teammate", project_id=mine["project_id"], teammate_id=found["member_id"], role=role)


@scenario
def wind_up_a_held_project(story: Story) -> None:
    """The lead ends a project on hold: open tasks are canceled, waiting change orders withdrawn, and it is closed."""
    project = story.pick(
        "project",
        """status = 'on_hold' AND (SELECT count(*) FROM change_order WHERE change_order.project_id = project.project_id
                AND change_order.status = 'waiting') <= 1
            AND NOT EXISTS (SELECT 1 FROM purchase WHERE purchase.project_id = project.project_id AND purchase.status = 'ordered')
            AND NOT EXISTS (SELECT 1 FROM booking WHERE booking.project_id = project.project_id AND booking.status = 'booked'
                AND booking.starts_at > ?)""",
        story.now,
        unique_by=["member_id", "name"],
        mine=True,
    )
    story.wish(
        (
            "The client gave up on {project}. Please cancel its open tasks, withdraw any change order they haven't signed, and close it.",
            "I would like to end the {project} project. Please cancel its open tasks, withdraw any unsigned change order, and close it.",
            "{project} is dead. can you cancel the open tasks, withdraw any unsigned change order and close it",
        ),
        short="canceling the open tasks of {project}, withdrawing its unsigned change orders, and closing it",
        project=project["name"],
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    tasks = story.call("list_project_tasks", project_id=mine["project_id"])["tasks"]
    left = [each for each in tasks if each["status"] in ("todo", "in_progress")]
    if left:
        story.call("cancel_tasks", task_ids=[each["task_id"] for each in left])
    orders = story.call("list_change_orders", project_id=mine["project_id"])["change_orders"]
    for order in [each for each in orders if each["status"] == "waiting"]:
        story.call("withdraw_change_order", change_order_id=order["change_order_id"])
    story.call("close_project", project_id=mine["project_id"])


@scenario(form="fallback")
def one_more_project(story: Story) -> None:
    """A lead wants to start one more project; if not, it becomes a milestone of the one they have."""
    project = story.pick(
        "project",
        "status = 'active' AND due_on >= ? AND NOT EXISTS (SELECT 1 FROM project AS p WHERE p.name IN ('Canal Lock Model', 'Snowplow Cab', 'Bird Call Booth', 'Sugar Bush Gallery'))",
        story.day(20),
        unique_by=["member_id", "name"],
        mine=True,
    )
    name = story.choose("project name", ["Canal Lock Model", "Snowplow Cab", "Bird Call Booth", "Sugar Bush Gallery"])
    client = story.choose("client", ["Cook County Museum", "Gooseberry Visitor Center", "Lincoln Park Library"])
    level = story.choose("level", {"at the standard level": "standard", "at the priority level": "priority"})
    budget = story.money(story.choose("budget", [850000, 1200000, 2400000]))
    opening = story.day(130)
    step = story.choose("milestone", ["Proposal sent", "Site visit held", "Sample approved", "Budget agreed"])
    day = story.day(13)
    more = story.wish(
        (
            "{client} wants a new exhibit, {name}. Can you start that project for me {level}, with {budget}, opening {opening}?",
            "I would like to start a new project, {name}, for {client} {level}. The budget is {budget} and it opens {opening}.",
            "can you start {name} for {client} {level}? i'm leading it, budget is {budget}, opens {opening}",
        ),
        short="starting the project {name} for {client} {level} with {budget}, opening {opening}, led by me",
        name=name,
        client=client,
        level=level,
        budget=budget,
        opening=opening,
    )
    story.insists(
        more,
        (
            "I've been hoping for this one all year.",
            "This project means a great deal to me.",
            "i really really want this one",
        ),
    )
    instead = story.otherwise(
        more,
        (
            "Then please add a milestone called {step} to my {project} project, due {day}.",
            "In that case, please add a milestone named {step} to my {project} project, due {day}.",
            "then just add a milestone to my {project} project, {step}, due {day}",
        ),
        short="adding a milestone called {step} to my {project} project, due {day}",
        step=step,
        project=project["name"],
        day=day,
    )
    key = story.identify()
    with story.wrong("opens it on another day"):
        story.call(
            "start_project",
            wish=more,
            member_id=key,
            name=name,
            client_name=client,
            service_level=level,
            due_on=day,
            budget_cents=budget,
        )
    if story.permits(
        "start_project",
        wish=more,
        member_id=key,
        name=name,
        client_name=client,
        service_level=level,
        due_on=opening,
        budget_cents=budget,
    ):
        story.call(
            "start_project",
            wish=more,
            member_id=key,
            name=name,
            client_name=client,
            service_level=level,
            due_on=opening,
            budget_cents=budget,
        )
    else:
        story.decline(more)
        projects = story.call("list_projects", wish=instead, member_id=key)["projects"]
        mine = story.find(projects, name=project["name"])
        story.call("add_milestone", wish=instead, project_id=mine["project_id"], name=step, due_on=day)


@scenario(form="denied")
def pause_a_project(story: Story) -> None:
    """A lead wants a project put on hold for a while."""
    project = story.pick(
        "project",
        """status = 'active' AND NOT EXISTS (SELECT 1 FROM task WHERE task.project_id = project.project_id AND task.status = 'in_progress')
            AND (SELECT count(*) FROM purchase WHERE purchase.project_id = project.project_id AND purchase.status = 'ordered')
                + (SELECT count(*) FROM booking WHERE booking.project_id = project.project_id AND booking.status = 'booked'
                    AND booking.starts_at > ?) <= 2""",
        story.now,
        unique_by=["member_id", "name"],
        mine=True,
    )
    day = story.choose("day", [story.day(20), story.day(27), story.day(34)])
    other = story.day(41)
    pause = story.wish(
        (
            "The client on my {project} project needs time to think. Can you put it on hold until {day}?",
            "My client has asked for a pause. I would like to put the {project} project on hold until {day}.",
            "can you put {project} on hold til {day}? client needs to think it over",
        ),
        short="putting my {project} project on hold until {day}",
        project=project["name"],
        day=day,
    )
    story.insists(
        pause,
        (
            "I promised the client we'd give them some space.",
            "I gave the client my word, and I would hate to break it.",
            "i already promised them, this is awkward",
        ),
    )
    story.insists(
        pause,
        (
            "It would take a lot of stress off all of us.",
            "A pause would be a great relief to everyone involved.",
            "we all need a breather honestly",
        ),
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    with story.wrong("holds it until another day"):
        story.call("hold_project", project_id=mine["project_id"], resume_on=other)
    if story.permits("hold_project", project_id=mine["project_id"], resume_on=day):
        story.call("hold_project", project_id=mine["project_id"], resume_on=day)
    else:
        story.decline(pause)


@scenario(form="fallback")
def move_the_opening(story: Story) -> None:
    """A lead wants a later opening day; if not, one more person on the team."""
    project = story.pick(
        "project", "status = 'active' AND due_on < ?", story.day(120), unique_by=["member_id", "name"], mine=True
    )
    helper = story.pick(
        "member",
        "member_id <> ? AND NOT EXISTS (SELECT 1 FROM team_seat WHERE project_id = ? AND teammate_id = member.member_id)",
        project["member_id"],
        project["project_id"],
        unique_by=["name"],
    )
    day = story.choose("day", [story.day(134), story.day(139), story.day(142)])
    role = story.choose("role", {"as a fabricator": "fabricator", "as an installer": "installer"})
    later = story.wish(
        (
            "We won't be ready in time. Can you move the opening of my {project} project to {day}?",
            "I would like to move the opening day of my {project} project to {day}.",
            "can you push the opening of {project} to {day}? no way we'll be done",
        ),
        short="moving the opening of my {project} project to {day}",
        project=project["name"],
        day=day,
    )
    story.insists(
        later,
        (
            "I haven't slept well in weeks over this one.",
            "This schedule has been weighing on me for weeks.",
            "i'm losing sleep over this",
        ),
    )
    more = story.otherwise(
        later,
        (
            "Then please add {helper} to the {project} team {role}.",
            "In that case, please put {helper} on the team of {project} {role}.",
            "then at least put {helper} on the {project} team {role}",
        ),
        short="adding {helper} to the {project} team {role}",
        helper=helper["name"],
        project=project["name"],
        role=role,
    )
    key = story.identify()
    projects = story.call("list_projects", wish=later, member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    with story.wrong("moves it to another day"):
        story.call("reschedule_project", wish=later, project_id=mine["project_id"], due_on=story.day(150))
    if story.permits("reschedule_project", wish=later, project_id=mine["project_id"], due_on=day):
        story.call("reschedule_project", wish=later, project_id=mine["project_id"], due_on=day)
    else:
        story.decline(later)
        found = story.find(story.call("search_members", wish=more, name=helper["name"])["members"], name=helper["name"])
        story.call("add_teammate", wish=more, project_id=mine["project_id"], teammate_id=found["member_id"], role=role)


@scenario
def back_to_work(story: Story) -> None:
    """The lead takes a project off hold and asks how much money it has left."""
    project = story.pick(
        "project",
        """status = 'on_hold' AND (SELECT count(*) FROM project AS p WHERE p.member_id = project.member_id AND p.status = 'active')
            < (SELECT CASE grade WHEN 'principal' THEN 2 ELSE 1 END FROM member WHERE member.member_id = project.member_id)""",
        unique_by=["member_id", "name"],
        mine=True,
    )
    story.wish(
        (
            "The client called, and {project} can go on. Can you take it off hold and tell me how much money is left?",
            "I would like {project} taken off hold. Please also tell me how much money is left in its budget.",
            "{project} is back on, can you take it off hold? how much money is left",
        ),
        short="taking {project} off hold and telling me how much money is left",
        project=project["name"],
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    back = story.call("resume_project", project_id=mine["project_id"])
    story.answer("money left", story.money(back["left_cents"]))


@scenario(form="all_but")
def push_open_tasks_except_one(story: Story) -> None:
    """The lead moves all open tasks of a project to one day, except one."""
    project = story.pick(
        "project",
        """status = 'active' AND due_on >= ? AND (SELECT count(*) FROM task WHERE task.project_id = project.project_id
                AND task.status IN ('todo', 'in_progress') AND task.due_on <> ?) BETWEEN 3 AND 6
            AND NOT EXISTS (SELECT 1 FROM task WHERE task.project_id = project.project_id AND task.status IN ('todo', 'in_progress')
                AND task.due_on = ?)""",
        story.day(17),
        story.day(16),
        story.day(16),
        unique_by=["member_id", "name"],
        mine=True,
    )
    kept = story.pick(
        "task",
        "project_id = ? AND status IN ('todo', 'in_progress')",
        project["project_id"],
        unique_by=["project_id", "title"],
    )
    day = story.day(16)
    story.wish(
        (
            "My {project} project is slipping. Can you make everything that's still open due {day}, except {title}?",
            "I would like all open tasks of my {project} project to be due {day}, except {title}, which keeps its date.",
            "can you move all the open tasks on {project} to {day}? not {title}, leave that one",
        ),
        short="making all open tasks of {project} due {day} except {title}",
        project=project["name"],
        day=day,
        title=kept["title"],
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    tasks = story.call("list_project_tasks", project_id=mine["project_id"])["tasks"]
    left = [each for each in tasks if each["status"] in ("todo", "in_progress")]
    with story.wrong("forgets the exception"):
        story.call("reschedule_tasks", task_ids=[each["task_id"] for each in left], due_on=day)
    rest = story.all_but(left, title=kept["title"])
    story.call("reschedule_tasks", task_ids=[each["task_id"] for each in rest], due_on=day)


@scenario(form="conditional")
def helper_by_budget(story: Story) -> None:
    """Which of two people joins the team depends on the money left."""
    project = story.pick("project", "status = 'active'", unique_by=["member_id", "name"], mine=True)
    first, second = story.pick_several(
        "member",
        2,
        "member_id <> ? AND NOT EXISTS (SELECT 1 FROM team_seat WHERE project_id = ? AND teammate_id = member.member_id)",
        project["member_id"],
        project["project_id"],
        unique_by=["name"],
    )
    limit = story.money(story.choose("limit", [60000, 80000, 100000]))
    role = story.choose("role", {"as a fabricator": "fabricator", "as a designer": "designer"})
    story.wish(
        (
            "If my {project} project has {limit} or more left, please add {first} to the team {role}. If it's less, add {second} {role}.",
            "Please add {first} to the team of my {project} project {role} if it has {limit} or more left. If it has less, please add {second} {role}.",
            "add {first} to my {project} team {role} if there's {limit} or more left. if it's less add {second} {role}",
        ),
        short="adding {first} to my {project} team {role} if {limit} or more is left, and {second} {role} if it's less",
        project=project["name"],
        limit=limit,
        first=first["name"],
        second=second["name"],
        role=role,
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    left = story.call("show_project", project_id=mine["project_id"])["left_cents"]
    one = story.find(story.call("search_members", name=first["name"])["members"], name=first["name"])
    two = story.find(story.call("search_members", name=second["name"])["members"], name=second["name"])
    right, other = (one, two) if left >= limit else (two, one)
    with story.wrong("takes the other branch"):
        story.call("add_teammate", project_id=mine["project_id"], teammate_id=other["member_id"], role=role)
    with story.wrong("adds both"):
        story.call("add_teammate", project_id=mine["project_id"], teammate_id=right["member_id"], role=role)
        story.call("add_teammate", project_id=mine["project_id"], teammate_id=other["member_id"], role=role)
    story.call("add_teammate", project_id=mine["project_id"], teammate_id=right["member_id"], role=role)


@scenario(form="coupled")
def teammate_with_an_open_task(story: Story) -> None:
    """The lead takes someone off the team who still has a task, and cancels that task."""
    project = story.pick(
        "project",
        """status = 'active' AND EXISTS (SELECT 1 FROM team_seat WHERE team_seat.project_id = project.project_id
            AND 1 = (SELECT count(*) FROM task WHERE task.project_id = project.project_id AND task.assignee_id = team_seat.teammate_id
                AND task.status IN ('todo', 'in_progress')))""",
        unique_by=["member_id", "name"],
        mine=True,
    )
    task = story.pick(
        "task",
        f"""project_id = ? AND status IN ('todo', 'in_progress') AND assignee_id <> ? AND {NOBODY_WAITS}
            AND EXISTS (SELECT 1 FROM team_seat WHERE team_seat.project_id = task.project_id AND team_seat.teammate_id = task.assignee_id)
            AND NOT EXISTS (SELECT 1 FROM task AS more WHERE more.project_id = task.project_id AND more.assignee_id = task.assignee_id
                AND more.status IN ('todo', 'in_progress') AND more.task_id <> task.task_id)""",
        project["project_id"],
        project["member_id"],
        unique_by=["project_id", "title"],
    )
    seat = story.pick(
        "team_seat",
        "project_id = ? AND teammate_id = ?",
        project["project_id"],
        task["assignee_id"],
        unique_by=["project_id", "teammate_id.name"],
    )
    name = story.row("member", seat["teammate_id"])["name"]
    with story.together():
        off = story.wish(
            (
                "{name} is moving to another job. Please take them off my {project} team.",
                "I would like {name} removed from the team of my {project} project.",
                "can you take {name} off my {project} team",
            ),
            short="taking {name} off the team of my {project} project",
            name=name,
            project=project["name"],
        )
        drop = story.wish(
            (
                "And cancel the task {title} on it, we don't need that anymore.",
                "Please also cancel its task {title}, which is no longer needed.",
                "and cancel {title} on it, don't need that",
            ),
            short="canceling the task {title} on that project",
            title=task["title"],
        )
    key = story.identify()
    projects = story.call("list_projects", wish=off, member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    tasks = story.call("list_project_tasks", wish=drop, project_id=mine["project_id"])["tasks"]
    gone = story.find([each for each in tasks if each["status"] in ("todo", "in_progress")], title=task["title"])
    team = story.call("show_project", wish=off, project_id=mine["project_id"])["team"]
    leaving = story.find(team, name=name)
    story.call("cancel_tasks", wish=drop, task_ids=[gone["task_id"]])
    story.call("remove_teammate", wish=off, project_id=mine["project_id"], teammate_id=leaving["teammate_id"])


@scenario(form="outside")
def new_hand_and_a_tour(story: Story) -> None:
    """A newcomer joins the team, and should be shown around."""
    project = story.pick("project", "status <> 'closed'", unique_by=["member_id", "name"], mine=True)
    newcomer = story.pick(
        "member",
        "member_id <> ? AND NOT EXISTS (SELECT 1 FROM team_seat WHERE project_id = ? AND teammate_id = member.member_id)",
        project["member_id"],
        project["project_id"],
        unique_by=["name"],
    )
    role = story.choose(
        "role", {"as a designer": "designer", "as a fabricator": "fabricator", "as an installer": "installer"}
    )
    story.wish(
        (
            "{new} is going to help with my {project} project. Can you add them to the team {role}?",
            "I would like to add {new} to the team of my {project} project {role}.",
            "put {new} on my {project} team {role} pls",
        ),
        short="adding {new} to the team of my {project} project {role}",
        new=newcomer["name"],
        project=project["name"],
        role=role,
    )
    story.outside(
        (
            "And can you have someone walk them through the paint booth this afternoon?",
            "Could you please also have somebody walk them through the paint booth this afternoon?",
            "and can somebody show them around the paint booth this afternoon",
        )
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    found = story.find(story.call("search_members", name=newcomer["name"])["members"], name=newcomer["name"])
    story.call("add_teammate", project_id=mine["project_id"], teammate_id=found["member_id"], role=role)


@scenario(form="looked_up")
def task_for_a_milestone(story: Story) -> None:
    """The lead moves the one open task of a project that counts toward a given milestone."""
    project = story.pick(
        "project",
        """status = 'active' AND due_on >= ? AND (SELECT count(*) FROM task WHERE task.project_id = project.project_id AND task.status IN ('todo', 'in_progress')) >= 2
            AND EXISTS (SELECT 1 FROM milestone WHERE milestone.project_id = project.project_id AND 1 = (SELECT count(*) FROM task
                WHERE task.milestone_id = milestone.milestone_id AND task.status IN ('todo', 'in_progress')))""",
        story.day(17),
        unique_by=["member_id", "name"],
        mine=True,
    )
    milestone = story.pick(
        "milestone",
        """project_id = ? AND 1 = (SELECT count(*) FROM task WHERE task.milestone_id = milestone.milestone_id
            AND task.status IN ('todo', 'in_progress') AND task.due_on NOT IN (?, ?))
            AND 1 = (SELECT count(*) FROM task WHERE task.milestone_id = milestone.milestone_id AND task.status IN ('todo', 'in_progress'))""",
        project["project_id"],
        story.day(12),
        story.day(16),
        unique_by=["project_id", "name"],
    )
    day = story.choose("day", [story.day(12), story.day(16)])
    story.wish(
        (
            "One open task on {project} counts toward the {milestone} milestone, I forget what it's called. Can you make it due {day}?",
            "Please find the open task of my {project} project that counts toward the {milestone} milestone and make it due {day}.",
            "make the open task for the {milestone} milestone on {project} due {day}, can't remember its name",
        ),
        short="making the open task for the {milestone} milestone on {project} due {day}",
        project=project["name"],
        milestone=milestone["name"],
        day=day,
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    tasks = story.call("list_project_tasks", project_id=mine["project_id"])["tasks"]
    left = [each for each in tasks if each["status"] in ("todo", "in_progress")]
    steps = story.call("list_milestones", project_id=mine["project_id"])["milestones"]
    step = story.find(steps, name=milestone["name"])
    right = story.find(left, milestone_id=step["milestone_id"])
    for other in story.others(left, right):
        with story.wrong("takes another task"):
            story.call("reschedule_tasks", task_ids=[other["task_id"]], due_on=day)
    story.call("reschedule_tasks", task_ids=[right["task_id"]], due_on=day)


@scenario
def check_off_a_task(story: Story) -> None:
    """The lead has a task marked done and asks when another one is due."""
    project = story.pick(
        "project",
        """status = 'active' AND EXISTS (SELECT 1 FROM task WHERE task.project_id = project.project_id AND task.status = 'in_progress')
            AND EXISTS (SELECT 1 FROM task WHERE task.project_id = project.project_id AND task.status = 'todo')""",
        unique_by=["member_id", "name"],
        mine=True,
    )
    task = story.pick(
        "task", "project_id = ? AND status = 'in_progress'", project["project_id"], unique_by=["project_id", "title"]
    )
    other = story.pick(
        "task", "project_id = ? AND status = 'todo'", project["project_id"], unique_by=["project_id", "title"]
    )
    story.wish(
        (
            "{title} on my {project} project is done. Can you check it off, and what's the due date of {other}?",
            "The task {title} on my {project} project is finished. Please mark it done and tell me the due date of {other}.",
            "can you mark {title} done on {project}? and what's the due date for {other}",
        ),
        short="marking {title} on my {project} project done and telling me the due date of {other}",
        title=task["title"],
        project=project["name"],
        other=other["title"],
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    tasks = story.call("list_project_tasks", project_id=mine["project_id"])["tasks"]
    done = story.find([each for each in tasks if each["status"] == "in_progress"], title=task["title"])
    story.call("finish_task", task_id=done["task_id"])
    next_one = story.find([each for each in tasks if each["status"] == "todo"], title=other["title"])
    story.answer("due date", next_one["due_on"])


@scenario
def add_a_milestone(story: Story) -> None:
    """The lead adds a milestone with a client payment."""
    project = story.pick(
        "project",
        """status = 'active' AND due_on >= ? AND NOT EXISTS (SELECT 1 FROM milestone WHERE milestone.project_id = project.project_id
            AND milestone.name IN ('Donor preview held', 'Press day held', 'Fire inspection passed', 'Floor plan approved'))""",
        story.day(17),
        unique_by=["member_id", "name"],
        mine=True,
    )
    name = story.choose(
        "milestone", ["Donor preview held", "Press day held", "Fire inspection passed", "Floor plan approved"]
    )
    day = story.choose("day", [story.day(9), story.day(14), story.day(16)])
    amount = story.money(story.choose("amount", [50000, 120000, 200000]))
    story.wish(
        (
            "Please add a milestone called {name} to my {project} project, due {day}. The client pays {amount} when it's reached.",
            "I would like a milestone called {name} added to my {project} project, due {day}, with a client payment of {amount}.",
            "add a milestone to {project}: {name}, due {day}, the client pays {amount} for it",
        ),
        short="adding a milestone called {name} to {project}, due {day}, with a client payment of {amount}",
        name=name,
        project=project["name"],
        day=day,
        amount=amount,
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    story.call("add_milestone", project_id=mine["project_id"], name=name, due_on=day, payment_cents=amount)


@scenario
def one_task_out_one_task_later(story: Story) -> None:
    """The lead cancels one task of a project and moves another."""
    project = story.pick(
        "project",
        f"""status = 'active' AND due_on >= ? AND 2 <= (SELECT count(*) FROM task WHERE task.project_id = project.project_id
            AND task.status = 'todo' AND {NOBODY_WAITS})""",
        story.day(18),
        unique_by=["member_id", "name"],
        mine=True,
    )
    gone, moved = story.pick_several(
        "task",
        2,
        f"project_id = ? AND status = 'todo' AND due_on NOT IN (?, ?) AND {NOBODY_WAITS}",
        project["project_id"],
        story.day(15),
        story.day(17),
        unique_by=["project_id", "title"],
    )
    day = story.choose("day", [story.day(15), story.day(17)])
    story.wish(
        (
            "We changed the plan for {project}. Can you cancel {gone} and make {moved} due {day}?",
            "The plan for my {project} project has changed. Please cancel {gone} and make {moved} due {day}.",
            "can you cancel {gone} on {project} and move {moved} to {day}",
        ),
        short="canceling {gone} on {project} and making {moved} due {day}",
        project=project["name"],
        gone=gone["title"],
        moved=moved["title"],
        day=day,
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    tasks = story.call("list_project_tasks", project_id=mine["project_id"])["tasks"]
    todo = [each for each in tasks if each["status"] == "todo"]
    story.call("cancel_tasks", task_ids=[story.find(todo, title=gone["title"])["task_id"]])
    story.call("reschedule_tasks", task_ids=[story.find(todo, title=moved["title"])["task_id"]], due_on=day)


@scenario
def hand_a_task_to_someone(story: Story) -> None:
    """The lead gives a task that is still to do to someone with room for it."""
    project = story.pick(
        "project",
        "status = 'active' AND EXISTS (SELECT 1 FROM task WHERE task.project_id = project.project_id AND task.status = 'todo')",
        unique_by=["member_id", "name"],
        mine=True,
    )
    seat = story.pick(
        "team_seat",
        f"""project_id = ? AND EXISTS (SELECT 1 FROM member WHERE member.member_id = team_seat.teammate_id AND {ROOM_FOR_TASK})""",
        project["project_id"],
        unique_by=["project_id", "teammate_id.name"],
    )
    task = story.pick(
        "task",
        "project_id = ? AND status = 'todo' AND assignee_id IS NOT ?",
        project["project_id"],
        seat["teammate_id"],
        unique_by=["project_id", "title"],
    )
    name = story.row("member", seat["teammate_id"])["name"]
    story.wish(
        (
            "{name} has time for {title} on my {project} project. Can you assign it to them?",
            "I would like to give {title} on my {project} project to {name}.",
            "give {title} on {project} to {name} pls",
        ),
        short="assigning {title} on my {project} project to {name}",
        name=name,
        title=task["title"],
        project=project["name"],
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    tasks = story.call("list_project_tasks", project_id=mine["project_id"])["tasks"]
    given = story.find([each for each in tasks if each["status"] == "todo"], title=task["title"])
    team = story.call("show_project", project_id=mine["project_id"])["team"]
    story.call("assign_task", task_id=given["task_id"], assignee_id=story.find(team, name=name)["teammate_id"])


@scenario(form="denied")
def move_a_milestone(story: Story) -> None:
    """The lead wants a milestone moved."""
    project = story.pick(
        "project",
        "status = 'active' AND due_on >= ? AND EXISTS (SELECT 1 FROM milestone WHERE milestone.project_id = project.project_id AND milestone.status = 'pending')",
        story.day(20),
        unique_by=["member_id", "name"],
        mine=True,
    )
    day = story.choose("day", [story.day(15), story.day(17)])
    milestone = story.pick(
        "milestone",
        "project_id = ? AND status = 'pending' AND due_on NOT IN (?, ?, ?)",
        project["project_id"],
        story.day(15),
        story.day(17),
        story.day(20),
        unique_by=["project_id", "name"],
    )
    move = story.wish(
        (
            "The {name} milestone on my {project} project has to be on {day}. Can you move it?",
            "I would like to move the {name} milestone of my {project} project to {day}.",
            "can you move the {name} milestone on {project} to {day}",
        ),
        short="moving the {name} milestone of my {project} project to {day}",
        name=milestone["name"],
        project=project["name"],
        day=day,
    )
    story.insists(
        move,
        (
            "I already told the whole crew about the new day.",
            "I have already announced the new day to my crew.",
            "i told everyone already, help me out",
        ),
    )
    story.insists(
        move,
        (
            "It would look really bad for me if the date stayed.",
            "Keeping the old date would be quite embarrassing for me.",
            "i'd look like a fool otherwise",
        ),
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    found = story.find(
        story.call("list_milestones", project_id=mine["project_id"])["milestones"], name=milestone["name"]
    )
    with story.wrong("moves it to another day"):
        story.call("move_milestone", milestone_id=found["milestone_id"], due_on=story.day(20))
    if story.permits("move_milestone", milestone_id=found["milestone_id"], due_on=day):
        story.call("move_milestone", milestone_id=found["milestone_id"], due_on=day)
    else:
        story.decline(move)


@scenario(form="fallback")
def complete_a_milestone(story: Story) -> None:
    """The lead wants a milestone marked complete; if not, a task for its paperwork."""
    project = story.pick(
        "project",
        """status = 'active' AND EXISTS (SELECT 1 FROM milestone WHERE milestone.project_id = project.project_id AND milestone.status = 'pending'
                AND NOT EXISTS (SELECT 1 FROM task WHERE task.milestone_id = milestone.milestone_id AND task.status IN ('todo', 'in_progress')))
            AND NOT EXISTS (SELECT 1 FROM task WHERE task.project_id = project.project_id
                AND task.title IN ('Photograph the finished work', 'Write the handover letter', 'Collect the sign-off sheets'))""",
        unique_by=["member_id", "name"],
        mine=True,
    )
    milestone = story.pick(
        "milestone",
        """project_id = ? AND status = 'pending'
            AND NOT EXISTS (SELECT 1 FROM task WHERE task.milestone_id = milestone.milestone_id AND task.status IN ('todo', 'in_progress'))
            AND (SELECT count(*) FROM milestone AS m WHERE m.project_id = milestone.project_id AND m.status = 'pending' AND m.due_on < milestone.due_on) <= 1""",
        project["project_id"],
        unique_by=["project_id", "name"],
    )
    title = story.choose(
        "title", ["Photograph the finished work", "Write the handover letter", "Collect the sign-off sheets"]
    )
    hours = story.choose("hours", [3, 5, 6])
    day = story.day(8)
    reach = story.wish(
        (
            "We made it, the {name} milestone on my {project} project is done. Can you mark it complete?",
            "I would like to have the {name} milestone of my {project} project marked complete.",
            "can you mark {name} complete on {project}? we're there",
        ),
        short="marking the {name} milestone of my {project} project complete",
        name=milestone["name"],
        project=project["name"],
    )
    story.insists(
        reach,
        (
            "The crew worked really hard to get there.",
            "My crew put a great deal of effort into this.",
            "everybody worked so hard for this",
        ),
    )
    paper = story.otherwise(
        reach,
        (
            "Then please add a task to {project} called {title}, due {day}, {hours} hours, for nobody yet.",
            "In that case, please add a task named {title} to {project}, due {day}, estimated at {hours} hours, unassigned for now.",
            "then add a task to {project}, {title}, due {day}, {hours} hours, nobody on it yet",
        ),
        short="adding an unassigned task called {title} to {project}, due {day}, {hours} hours",
        project=project["name"],
        title=title,
        day=day,
        hours=hours,
    )
    key = story.identify()
    projects = story.call("list_projects", wish=reach, member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    listed = story.call("list_milestones", wish=reach, project_id=mine["project_id"])["milestones"]
    found = story.find(listed, name=milestone["name"])
    with story.wrong("adds the task at once"):
        story.call("complete_milestone", wish=reach, milestone_id=found["milestone_id"])
        story.call("add_task", wish=paper, project_id=mine["project_id"], title=title, due_on=day, estimate_hours=hours)
    if story.permits("complete_milestone", wish=reach, milestone_id=found["milestone_id"]):
        story.call("complete_milestone", wish=reach, milestone_id=found["milestone_id"])
    else:
        story.decline(reach)
        story.call("add_task", wish=paper, project_id=mine["project_id"], title=title, due_on=day, estimate_hours=hours)


@scenario(form="denied")
def a_task_for_a_teammate(story: Story) -> None:
    """The lead wants a new task given to a certain teammate."""
    project = story.pick(
        "project",
        """status = 'active' AND EXISTS (SELECT 1 FROM team_seat WHERE team_seat.project_id = project.project_id)
            AND NOT EXISTS (SELECT 1 FROM task WHERE task.project_id = project.project_id
                AND task.title IN ('Touch up the corners', 'Check the crate list', 'Order the spare bulbs'))""",
        unique_by=["member_id", "name"],
        mine=True,
    )
    seat = story.pick(
        "team_seat",
        f"""project_id = ? AND EXISTS (SELECT 1 FROM member WHERE member.member_id = team_seat.teammate_id
            AND (SELECT count(*) FROM task AS held WHERE held.assignee_id = member.member_id AND held.status IN ('todo', 'in_progress'))
                BETWEEN {MOST_TASKS} - 2 AND {MOST_TASKS})""",
        project["project_id"],
        unique_by=["project_id", "teammate_id.name"],
    )
    name = story.row("member", seat["teammate_id"])["name"]
    title = story.choose("title", ["Touch up the corners", "Check the crate list", "Order the spare bulbs"])
    hours = story.choose("hours", [2, 4, 7])
    day = story.choose("day", [story.day(7), story.day(10)])
    give = story.wish(
        (
            "I need a new task on {project}: {title}, due {day}, {hours} hours. Can you add it and give it to {name}?",
            "Please add a task called {title} to my {project} project for {name}. It is due {day} and should take {hours} hours.",
            "add a task on {project} for {name}: {title}, due {day}, {hours} hours",
        ),
        short="adding a task called {title} to {project} for {name}, due {day}, {hours} hours",
        project=project["name"],
        title=title,
        day=day,
        hours=hours,
        name=name,
    )
    story.insists(
        give,
        (
            "I trust them more than anyone with this.",
            "There is nobody I would rather trust with it.",
            "i just feel better if it's them",
        ),
    )
    story.insists(
        give,
        (
            "I've been putting this off for weeks and it's bugging me.",
            "It has been on my mind for weeks, and I would like it settled.",
            "this has been bugging me for weeks",
        ),
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    team = story.call("show_project", project_id=mine["project_id"])["team"]
    person = story.find(team, name=name)
    with story.wrong("adds it for nobody"):
        story.call("add_task", project_id=mine["project_id"], title=title, due_on=day, estimate_hours=hours)
    if story.permits(
        "add_task",
        project_id=mine["project_id"],
        title=title,
        due_on=day,
        estimate_hours=hours,
        assignee_id=person["teammate_id"],
    ):
        story.call(
            "add_task",
            project_id=mine["project_id"],
            title=title,
            due_on=day,
            estimate_hours=hours,
            assignee_id=person["teammate_id"],
        )
    else:
        story.decline(give)


@scenario(form="computed")
def hours_still_to_do(story: Story) -> None:
    """The lead asks how many hours of work are open, with some for cleanup, and when the last of it is due."""
    project = story.pick(
        "project",
        """status = 'active' AND (SELECT count(*) FROM task WHERE task.project_id = project.project_id AND task.status IN ('todo', 'in_progress')) >= 2
            AND EXISTS (SELECT 1 FROM task WHERE task.project_id = project.project_id AND task.status IN ('done', 'canceled'))""",
        unique_by=["member_id", "name"],
        mine=True,
    )
    extra = story.choose("extra", [6, 9, 13])
    story.wish(
        (
            "What are the total hours for all open tasks on my {project} project, with {extra} more for cleanup, and what's the last due date?",
            "Please tell me the total hours estimated for the open tasks of {project}, with {extra} hours added for cleanup, and the last due date among them.",
            "total hours on the open {project} tasks plus {extra} for cleanup? and the last due date",
        ),
        short="telling me the total hours of the open tasks on {project} with {extra} added for cleanup, and their last due date",
        project=project["name"],
        extra=extra,
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    tasks = story.call("list_project_tasks", project_id=mine["project_id"])["tasks"]
    left = [each for each in tasks if each["status"] in ("todo", "in_progress")]
    last = story.highest(left, "due_on")
    with story.wrong("forgets the cleanup"):
        story.answer("total hours", story.total([{"hours": each["estimate_hours"]} for each in left], "hours"))
        story.answer("last due date", last["due_on"])
    with story.wrong("counts every task"):
        story.answer(
            "total hours",
            story.total([{"hours": extra}, *[{"hours": each["estimate_hours"]} for each in tasks]], "hours"),
        )
        story.answer("last due date", last["due_on"])
    story.answer(
        "total hours", story.total([{"hours": extra}, *[{"hours": each["estimate_hours"]} for each in left]], "hours")
    )
    story.answer("last due date", last["due_on"])


@scenario(form="conditional")
def move_it_or_drop_it(story: Story) -> None:
    """A task is moved if it is due soon, and canceled if it is due later."""
    project = story.pick(
        "project",
        f"""status = 'active' AND due_on >= ? AND EXISTS (SELECT 1 FROM task WHERE task.project_id = project.project_id
            AND task.status = 'todo' AND {NOBODY_WAITS})""",
        story.day(22),
        unique_by=["member_id", "name"],
        mine=True,
    )
    task = story.pick(
        "task",
        f"project_id = ? AND status = 'todo' AND due_on <> ? AND {NOBODY_WAITS}",
        project["project_id"],
        story.day(21),
        unique_by=["project_id", "title"],
    )
    edge = story.choose("edge", [story.day(7), story.day(14)])
    later = story.day(21)
    story.wish(
        (
            "If {title} on my {project} project is due by {edge}, make it due {later} instead. If it's due after that, cancel it.",
            "Please make {title} on {project} due {later} if it is due by {edge}. If it is due after that, please cancel it.",
            "check {title} on {project}. due by {edge}? make it {later}. due after that, cancel it",
        ),
        short="making {title} on {project} due {later} if it's due by {edge}, and canceling it if it's due after that",
        title=task["title"],
        project=project["name"],
        edge=edge,
        later=later,
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    tasks = story.call("list_project_tasks", project_id=mine["project_id"])["tasks"]
    found = story.find([each for each in tasks if each["status"] == "todo"], title=task["title"])
    if found["due_on"] <= edge:
        with story.wrong("takes the other branch"):
            story.call("cancel_tasks", task_ids=[found["task_id"]])
        with story.wrong("moves it only to the edge"):
            story.call("reschedule_tasks", task_ids=[found["task_id"]], due_on=story.day(20))
        story.call("reschedule_tasks", task_ids=[found["task_id"]], due_on=later)
    else:
        with story.wrong("takes the other branch"):
            story.call("reschedule_tasks", task_ids=[found["task_id"]], due_on=later)
        with story.wrong("moves it and cancels it"):
            story.call("reschedule_tasks", task_ids=[found["task_id"]], due_on=later)
            story.call("cancel_tasks", task_ids=[found["task_id"]])
        story.call("cancel_tasks", task_ids=[found["task_id"]])


@scenario(form="coupled")
def trade_one_task_for_another(story: Story) -> None:
    """A teammate with a full plate gets a new task, and an old one is canceled."""
    project = story.pick(
        "project",
        f"""status = 'active' AND NOT EXISTS (SELECT 1 FROM task WHERE task.project_id = project.project_id
                AND task.title IN ('Build the mock-up', 'Fix the sample case', 'Prime the back panels'))
            AND EXISTS (SELECT 1 FROM task JOIN member ON member.member_id = task.assignee_id
                JOIN team_seat ON team_seat.teammate_id = task.assignee_id AND team_seat.project_id = task.project_id
                WHERE task.project_id = project.project_id AND task.status IN ('todo', 'in_progress') AND {NOBODY_WAITS} AND NOT {ROOM_FOR_TASK})""",
        unique_by=["member_id", "name"],
        mine=True,
    )
    old = story.pick(
        "task",
        f"""project_id = ? AND status IN ('todo', 'in_progress') AND {NOBODY_WAITS}
            AND EXISTS (SELECT 1 FROM team_seat WHERE team_seat.project_id = task.project_id AND team_seat.teammate_id = task.assignee_id)
            AND EXISTS (SELECT 1 FROM member WHERE member.member_id = task.assignee_id AND NOT {ROOM_FOR_TASK})""",
        project["project_id"],
        unique_by=["project_id", "title"],
    )
    seat = story.pick(
        "team_seat",
        "project_id = ? AND teammate_id = ?",
        project["project_id"],
        old["assignee_id"],
        unique_by=["project_id", "teammate_id.name"],
    )
    name = story.row("member", seat["teammate_id"])["name"]
    title = story.choose("title", ["Build the mock-up", "Fix the sample case", "Prime the back panels"])
    hours = story.choose("hours", [5, 8, 12])
    day = story.choose("day", [story.day(8), story.day(13)])
    with story.together():
        new = story.wish(
            (
                "{name} should do {title} on my {project} project. Please add that task for them, due {day}, {hours} hours.",
                "I would like a task called {title} added to my {project} project for {name}, due {day}, with {hours} hours.",
                "add {title} to {project} for {name}, due {day}, {hours} hours",
            ),
            short="adding a task called {title} to {project} for {name}, due {day}, {hours} hours",
            name=name,
            title=title,
            project=project["name"],
            day=day,
            hours=hours,
        )
        drop = story.wish(
            (
                "And cancel {old} on {project}, they don't have to do that anymore.",
                "Please also cancel {old} on {project}, which is no longer needed.",
                "and cancel {old} on {project}, not needed anymore",
            ),
            short="canceling {old} on {project}",
            old=old["title"],
            project=project["name"],
        )
    key = story.identify()
    projects = story.call("list_projects", wish=new, member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    tasks = story.call("list_project_tasks", wish=drop, project_id=mine["project_id"])["tasks"]
    gone = story.find([each for each in tasks if each["status"] in ("todo", "in_progress")], title=old["title"])
    team = story.call("show_project", wish=new, project_id=mine["project_id"])["team"]
    person = story.find(team, name=name)
    story.call("cancel_tasks", wish=drop, task_ids=[gone["task_id"]])
    story.call(
        "add_task",
        wish=new,
        project_id=mine["project_id"],
        title=title,
        due_on=day,
        estimate_hours=hours,
        assignee_id=person["teammate_id"],
    )


@scenario(form="fallback")
def log_todays_work(story: Story) -> None:
    """The member logs today's work; if not, the task is marked done."""
    entry = story.pick(
        "time_entry",
        f"""{DRAFTS} > 0 AND {DRAFTS} <= {MOST_DRAFT} AND EXISTS (SELECT 1 FROM task WHERE task.task_id = time_entry.task_id AND task.status = 'in_progress'
            AND task.assignee_id = time_entry.member_id)""",
        mine=True,
    )
    task = story.row("task", entry["task_id"])
    project = story.row("project", task["project_id"])
    minutes = story.choose("minutes", [180, 270, 330])
    log = story.wish(
        (
            "I worked on {title} for {project} today. Can you log {minutes} minutes for me?",
            "Please log {minutes} minutes for my work today on {title} for {project}.",
            "can you log {minutes} minutes on {title} for {project}, worked on it today",
        ),
        short="logging {minutes} minutes for today on {title} for {project}",
        title=task["title"],
        project=project["name"],
        minutes=minutes,
    )
    story.insists(
        log,
        (
            "I really don't want to forget these hours.",
            "I would hate for this time to be forgotten.",
            "i'll forget about it otherwise",
        ),
    )
    done = story.otherwise(
        log,
        (
            "Then please mark {title} for {project} done, I just finished it.",
            "In that case, please mark {title} for {project} as done, since I have just finished it.",
            "then just mark {title} for {project} done, finished it",
        ),
        short="marking {title} for {project} done",
        title=task["title"],
        project=project["name"],
    )
    key = story.identify()
    tasks = story.call("list_assigned_tasks", wish=log, member_id=key)["tasks"]
    found = story.find(
        [each for each in tasks if each["status"] == "in_progress"], title=task["title"], project_name=project["name"]
    )
    with story.wrong("logs it for another day"):
        story.call(
            "log_time", wish=log, member_id=key, task_id=found["task_id"], worked_on=story.day(-1), minutes=minutes
        )
    if story.permits(
        "log_time", wish=log, member_id=key, task_id=found["task_id"], worked_on=story.today, minutes=minutes
    ):
        story.call(
            "log_time", wish=log, member_id=key, task_id=found["task_id"], worked_on=story.today, minutes=minutes
        )
    else:
        story.decline(log)
        story.call("finish_task", wish=done, task_id=found["task_id"])


@scenario(form="changed_mind")
def that_was_too_much(story: Story) -> None:
    """The member lowers a draft entry, and then changes the number."""
    entry = story.pick(
        "time_entry",
        "status = 'draft' AND minutes >= 180 AND worked_on >= ?",
        story.day(-40),
        unique_by=["member_id", "task_id.title", "worked_on"],
        mine=True,
    )
    task = story.row("task", entry["task_id"])
    day = entry["worked_on"]
    first = story.choose("first", [75, 90])
    second = story.choose("second", [105, 120, 135])
    fix = story.wish(
        (
            "I put in too much time for {title} on {day}. Can you change it to {minutes} minutes?",
            "The time I entered for {title} on {day} is too high. Please change it to {minutes} minutes.",
            "my time for {title} on {day} is too high, make it {minutes} minutes",
        ),
        short="changing my time for {title} on {day} to {minutes} minutes",
        title=task["title"],
        day=day,
        minutes=first,
    )
    again = story.changes_mind(
        fix,
        (
            "Actually, make that {minutes} minutes for {title} on {day}.",
            "I apologize, it should be {minutes} minutes for {title} on {day}.",
            "wait no, {minutes} minutes for {title} on {day}",
        ),
        short="changing my time for {title} on {day} to {minutes} minutes",
        title=task["title"],
        day=day,
        minutes=second,
    )
    key = story.identify()
    entries = story.call("list_time_entries", wish=fix, member_id=key, from_date=day, to_date=day)["entries"]
    found = story.find(entries, task_title=task["title"])
    story.call("correct_time_entry", wish=fix, time_entry_id=found["time_entry_id"], minutes=first)
    story.call("correct_time_entry", wish=again, time_entry_id=found["time_entry_id"], minutes=second)


@scenario(form="computed")
def minutes_with_setup(story: Story) -> None:
    """The member asks for the minutes on a project with some for setup, and the last day."""
    since = story.choose("since", [story.day(-90)])
    entry = story.pick(
        "time_entry",
        """worked_on >= ? AND EXISTS (SELECT 1 FROM time_entry AS t WHERE t.member_id = time_entry.member_id AND t.task_id = time_entry.task_id
            AND t.worked_on >= ? AND t.worked_on <> time_entry.worked_on)""",
        since,
        since,
        mine=True,
    )
    project = story.row("project", story.row("task", entry["task_id"])["project_id"])
    extra = story.choose("extra", [25, 35, 50])
    story.wish(
        (
            "What are my total minutes on {project} since {since}, with {extra} more for setup, and what's the last date I worked on it?",
            "Please tell me my total minutes on {project} since {since}, with {extra} minutes added for setup, and the last date I worked on it.",
            "need my total minutes on {project} since {since} plus {extra} for setup, and the last date i worked on it",
        ),
        short="telling me my total minutes on {project} since {since} with {extra} added for setup, and the last date I worked on it",
        project=project["name"],
        since=since,
        extra=extra,
    )
    key = story.identify()
    entries = story.call("list_time_entries", member_id=key, from_date=since, to_date=story.today)["entries"]
    there = [each for each in entries if each["project_name"] == project["name"]]
    last = story.highest(there, "worked_on")
    with story.wrong("forgets the setup"):
        story.answer("total minutes", story.total([{"m": each["minutes"]} for each in there], "m"))
        story.answer("last date", last["worked_on"])
    with story.wrong("adds the setup to the last entry only"):
        story.answer("total minutes", story.total([{"m": extra}, {"m": last["minutes"]}], "m"))
        story.answer("last date", last["worked_on"])
    story.answer("total minutes", story.total([{"m": extra}, *[{"m": each["minutes"]} for each in there]], "m"))
    story.answer("last date", last["worked_on"])


@scenario(form="withheld")
def log_a_bit_of_time(story: Story) -> None:
    """The member logs time for today and says how much when asked."""
    entry = story.pick(
        "time_entry",
        f"""{DRAFTS} + 75 <= {MOST_DRAFT} AND EXISTS (SELECT 1 FROM task WHERE task.task_id = time_entry.task_id AND task.status = 'in_progress'
            AND task.assignee_id = time_entry.member_id)""",
        mine=True,
    )
    task = story.row("task", entry["task_id"])
    project = story.row("project", task["project_id"])
    log = story.wish(
        (
            "I spent some time on {title} for {project} today. Can you log it for me?",
            "I would like to log my time today on {title} for {project}.",
            "can you log my time for today on {title}, {project}",
        ),
        title=task["title"],
        project=project["name"],
    )
    minutes = story.choose("minutes", [35, 45, 60, 75])
    story.keep_back("number of minutes", minutes)
    story.in_short(
        log,
        "logging my time today on {title} for {project}, {minutes} minutes",
        title=task["title"],
        project=project["name"],
        minutes=minutes,
    )
    key = story.identify()
    tasks = story.call("list_assigned_tasks", member_id=key)["tasks"]
    found = story.find(
        [each for each in tasks if each["status"] == "in_progress"], title=task["title"], project_name=project["name"]
    )
    story.call("log_time", member_id=key, task_id=found["task_id"], worked_on=story.today, minutes=minutes)


@scenario(form="withheld")
def fix_a_days_minutes(story: Story) -> None:
    """The member lowers a draft entry and says the right minutes when asked."""
    entry = story.pick(
        "time_entry",
        "status = 'draft' AND minutes >= 120 AND worked_on >= ?",
        story.day(-40),
        unique_by=["member_id", "task_id.title", "worked_on"],
        mine=True,
    )
    task = story.row("task", entry["task_id"])
    day = entry["worked_on"]
    fix = story.wish(
        (
            "The minutes I put in for {title} on {day} are wrong. Can you correct them?",
            "I entered the wrong number of minutes for {title} on {day}. I would like to correct it.",
            "got the minutes wrong for {title} on {day}, can you fix it",
        ),
        title=task["title"],
        day=day,
    )
    minutes = story.choose("minutes", [40, 55, 70, 100])
    story.keep_back("right number of minutes", minutes)
    story.in_short(
        fix,
        "correcting my time for {title} on {day} to {minutes} minutes",
        title=task["title"],
        day=day,
        minutes=minutes,
    )
    key = story.identify()
    entries = story.call("list_time_entries", member_id=key, from_date=day, to_date=day)["entries"]
    found = story.find(entries, task_title=task["title"])
    story.call("correct_time_entry", time_entry_id=found["time_entry_id"], minutes=minutes)


@scenario
def submit_a_days_time(story: Story) -> None:
    """The member submits the draft entry of one day and asks for its minutes."""
    entry = story.pick(
        "time_entry", "status = 'draft'", unique_by=["member_id", "task_id.title", "worked_on"], mine=True
    )
    task = story.row("task", entry["task_id"])
    day = entry["worked_on"]
    story.wish(
        (
            "Payroll needs my time for {title} on {day}. Can you submit that entry and tell me the minutes on it?",
            "I would like to submit my time for {title} on {day}. Please also tell me the minutes on that entry.",
            "submit my time for {title} on {day} pls, and what's the minutes on it",
        ),
        short="submitting my time for {title} on {day} and telling me the minutes on it",
        title=task["title"],
        day=day,
    )
    key = story.identify()
    entries = story.call("list_time_entries", member_id=key, from_date=day, to_date=day)["entries"]
    found = story.find(entries, task_title=task["title"])
    sent = story.call("submit_time_entries", time_entry_ids=[found["time_entry_id"]])
    story.answer("minutes", sent["total_minutes"])


@scenario
def it_came_in(story: Story) -> None:
    """The lead marks a purchase as received and asks how much money is left."""
    project = story.pick(
        "project",
        "status = 'active' AND EXISTS (SELECT 1 FROM purchase WHERE purchase.project_id = project.project_id AND purchase.status = 'ordered')",
        unique_by=["member_id", "name"],
        mine=True,
    )
    purchase = story.pick(
        "purchase",
        "project_id = ? AND status = 'ordered'",
        project["project_id"],
        unique_by=["project_id", "item", "status"],
    )
    story.wish(
        (
            "The {item} for {project} showed up. Can you mark it received, and how much money is left in the budget?",
            "The {item} for my {project} project has arrived. Please mark it received and tell me how much money is left.",
            "mark the {item} for {project} received? and how much money is left in the budget",
        ),
        short="marking the {item} for {project} received and telling me how much money is left",
        item=purchase["item"],
        project=project["name"],
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    purchases = story.call("list_purchases", project_id=mine["project_id"])["purchases"]
    here = story.find([each for each in purchases if each["status"] == "ordered"], item=purchase["item"])
    story.call("receive_purchases", purchase_ids=[here["purchase_id"]])
    story.answer("money left", story.money(story.call("show_project", project_id=mine["project_id"])["left_cents"]))


@scenario
def order_supplies(story: Story) -> None:
    """The lead orders something small for a project."""
    cost = story.money(story.choose("cost", [3500, 5000, 6500]))
    project = story.pick(
        "project", f"status = 'active' AND {LEFT} >= {KEEP} + 6500", unique_by=["member_id", "name"], mine=True
    )
    item = story.choose(
        "item", ["Masking film, 3 rolls", "Wood glue, 2 gallons", "Sandpaper, mixed pack", "Nylon spacers, box of 200"]
    )
    vendor = story.choose("vendor", ["Mesabi Hardware", "Zenith Lumber", "Canal Park Paint"])
    kind = story.choose("kind", {"a stock item": "stock"})
    day = story.choose("day", [story.day(8), story.day(13), story.day(16)])
    story.wish(
        (
            "We're out of supplies on {project}. Can you order {item} from {vendor}, {kind}? It's {cost}, and I need it by {day}.",
            "Please order {item} from {vendor} for my {project} project. It is {kind}, costs {cost}, and is needed by {day}.",
            "order {item} from {vendor} for {project} pls, {kind}, {cost}, need it by {day}",
        ),
        short="ordering {item} from {vendor} for {project}, {kind}, {cost}, needed by {day}",
        project=project["name"],
        item=item,
        vendor=vendor,
        kind=kind,
        cost=cost,
        day=day,
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    story.call(
        "order_purchase",
        project_id=mine["project_id"],
        item=item,
        vendor_name=vendor,
        category=kind,
        cost_cents=cost,
        needed_on=day,
    )


@scenario
def cancel_an_order(story: Story) -> None:
    """The lead cancels a purchase, which costs the project a restocking charge."""
    project = story.pick(
        "project",
        "status = 'active' AND EXISTS (SELECT 1 FROM purchase WHERE purchase.project_id = project.project_id AND purchase.status = 'ordered')",
        unique_by=["member_id", "name"],
        mine=True,
    )
    purchase = story.pick(
        "purchase",
        "project_id = ? AND status = 'ordered' AND ordered_on >= ?",
        project["project_id"],
        story.day(-90),
        unique_by=["project_id", "item", "status"],
    )
    story.wish(
        (
            "We don't need the {item} for {project} after all. Can you cancel that order?",
            "I would like to cancel the order for the {item} for my {project} project.",
            "can you cancel the {item} for {project}? don't need it anymore",
        ),
        short="canceling the order for the {item} for {project}",
        item=purchase["item"],
        project=project["name"],
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    purchases = story.call("list_purchases", project_id=mine["project_id"])["purchases"]
    gone = story.find([each for each in purchases if each["status"] == "ordered"], item=purchase["item"])
    story.call("cancel_purchase", purchase_id=gone["purchase_id"])
    days = [n for n in range(1, 120) if story.after(gone["ordered_on"], days=n) <= story.today]
    if days:
        rate = 500 if gone["category"] == "custom" else 200
        fee = story.total([{"cents": rate} for _ in days], "cents")
        story.call("add_charge", project_id=mine["project_id"], kind="restocking", amount_cents=fee)


@scenario(form="denied")
def the_client_signed(story: Story) -> None:
    """The lead reports that the client signed a change order."""
    project = story.pick(
        "project",
        "status <> 'closed' AND EXISTS (SELECT 1 FROM change_order WHERE change_order.project_id = project.project_id AND change_order.status = 'waiting')",
        unique_by=["member_id", "name"],
        mine=True,
    )
    order = story.pick(
        "change_order",
        "project_id = ? AND status = 'waiting'",
        project["project_id"],
        unique_by=["project_id", "title", "status"],
    )
    sign = story.wish(
        (
            "Good news, the client signed {title} for {project}. Can you record the signature?",
            "The client has signed the change order {title} for my {project} project. I would like the signature recorded.",
            "client signed {title} for {project}, can you put that in",
        ),
        short="recording the signature on the change order {title} for {project}",
        title=order["title"],
        project=project["name"],
    )
    story.insists(
        sign,
        (
            "I worked so hard to get that signature.",
            "It took a great deal of effort to get that signature.",
            "took me forever to get that signature",
        ),
    )
    story.insists(
        sign,
        (
            "I'm dreading the call if this doesn't go through.",
            "I would dread having to call the client about this.",
            "really don't want to call them about this",
        ),
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    orders = story.call("list_change_orders", project_id=mine["project_id"])["change_orders"]
    found = story.find([each for each in orders if each["status"] == "waiting"], title=order["title"])
    with story.wrong("withdraws it"):
        story.call("withdraw_change_order", change_order_id=found["change_order_id"])
    if story.permits("sign_change_order", change_order_id=found["change_order_id"]):
        story.call("sign_change_order", change_order_id=found["change_order_id"])
    else:
        story.decline(sign)


@scenario(form="denied")
def one_more_change_order(story: Story) -> None:
    """The lead wants to send the client a change order."""
    project = story.pick(
        "project", f"status = 'active' AND {WAITING} <= {MOST_WAITING}", unique_by=["member_id", "name"], mine=True
    )
    title = story.choose("title", ["Add a star map", "Add a drawing desk", "Add a video booth", "Add a coin press"])
    amount = story.money(story.choose("amount", [135000, 165000, 190000]))
    days = story.choose("days", [3, 6])
    send = story.wish(
        (
            "The client wants more on {project}. Can you send them a change order, {title}, for {amount} and {days} extra days?",
            "Please submit a change order for my {project} project: {title}, for {amount}, with {days} extra days.",
            "can you send a change order on {project}? {title}, {amount}, {days} extra days",
        ),
        short="submitting a change order for {project}, {title}, for {amount} and {days} extra days",
        project=project["name"],
        title=title,
        amount=amount,
        days=days,
    )
    story.insists(
        send,
        (
            "I told them they'd have it today.",
            "I have promised that it would go out today.",
            "i said they'd have it today",
        ),
    )
    story.insists(
        send,
        (
            "I'm so excited about this idea.",
            "I am very enthusiastic about this idea.",
            "i just love this idea",
        ),
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    with story.wrong("leaves out the extra days"):
        story.call("submit_change_order", project_id=mine["project_id"], title=title, amount_cents=amount)
    if story.permits(
        "submit_change_order", project_id=mine["project_id"], title=title, amount_cents=amount, extra_days=days
    ):
        story.call(
            "submit_change_order", project_id=mine["project_id"], title=title, amount_cents=amount, extra_days=days
        )
    else:
        story.decline(send)


@scenario(form="ambiguous")
def about_one_purchase(story: Story) -> None:
    """The lead asks about one of a project's purchases, and tells which when asked."""
    project = story.pick(
        "project",
        "(SELECT count(*) FROM purchase WHERE purchase.project_id = project.project_id) >= 4",
        unique_by=["member_id", "name"],
        mine=True,
    )
    purchase = story.pick("purchase", "project_id = ?", project["project_id"], unique_by=["project_id", "item"])
    ask = story.wish(
        (
            "I'm going over the books for {project}. For one of the purchases, what's the price, and what's the order date?",
            "I have a question about one of the purchases for my {project} project. Please tell me its price and its order date.",
            "need the price and the order date for one of the {project} purchases",
        ),
        project=project["name"],
    )
    story.keep_back("item", purchase["item"])
    story.in_short(
        ask,
        "telling me the price and the order date of one purchase for {project}, the {item}",
        project=project["name"],
        item=purchase["item"],
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    purchases = story.call("list_purchases", project_id=mine["project_id"])["purchases"]
    right = story.find(purchases, item=purchase["item"])
    for other in story.others(purchases, right):
        with story.wrong("takes another purchase"):
            story.answer("price", story.money(other["cost_cents"]))
            story.answer("order date", other["ordered_on"])
    story.answer("price", story.money(right["cost_cents"]))
    story.answer("order date", right["ordered_on"])


@scenario(form="best_of")
def priciest_but_not_from_them(story: Story) -> None:
    """The lead asks for the most expensive purchase that is not from a certain vendor."""
    project = story.pick(
        "project",
        """EXISTS (SELECT 1 FROM purchase WHERE purchase.project_id = project.project_id
            AND NOT EXISTS (SELECT 1 FROM purchase AS p WHERE p.project_id = purchase.project_id AND p.purchase_id <> purchase.purchase_id
                AND p.cost_cents >= purchase.cost_cents)
            AND 2 <= (SELECT count(*) FROM purchase AS p WHERE p.project_id = purchase.project_id AND p.vendor_name <> purchase.vendor_name))""",
        unique_by=["member_id", "name"],
        mine=True,
    )
    top = story.pick(
        "purchase",
        """project_id = ? AND NOT EXISTS (SELECT 1 FROM purchase AS p WHERE p.project_id = purchase.project_id AND p.purchase_id <> purchase.purchase_id
            AND p.cost_cents >= purchase.cost_cents)""",
        project["project_id"],
    )
    story.wish(
        (
            "Of everything we ever ordered for {project}, except from {vendor}, what's the most expensive item, and what's its price?",
            "Among all purchases for my {project} project, canceled ones too, please tell me the most expensive item that is not from {vendor}, and its price.",
            "most expensive item we ever ordered for {project}, not counting {vendor}? and the price",
        ),
        short="telling me the most expensive item ever ordered for {project}, not counting {vendor}, and its price",
        project=project["name"],
        vendor=top["vendor_name"],
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    purchases = story.call("list_purchases", project_id=mine["project_id"])["purchases"]
    with story.wrong("forgets the condition"):
        first = story.highest(purchases, "cost_cents")
        story.answer("item", first["item"], source="purchase.item")
        story.answer("price", story.money(first["cost_cents"]))
    rest = [each for each in purchases if each["vendor_name"] != top["vendor_name"]]
    best = story.highest(rest, "cost_cents")
    for other in story.others(rest, best, 1):
        with story.wrong("takes another one that fits"):
            story.answer("item", other["item"], source="purchase.item")
            story.answer("price", story.money(other["cost_cents"]))
    story.answer("item", best["item"], source="purchase.item")
    story.answer("price", story.money(best["cost_cents"]))


@scenario(form="coupled")
def a_bigger_change_order(story: Story) -> None:
    """The lead sends a big change order and gives up the one that waits."""
    project = story.pick(
        "project",
        f"""status = 'active' AND {WAITING} > 20000 AND 1 = (SELECT count(*) FROM change_order WHERE change_order.project_id = project.project_id
            AND change_order.status = 'waiting')""",
        unique_by=["member_id", "name"],
        mine=True,
    )
    old = story.pick(
        "change_order",
        "project_id = ? AND status = 'waiting'",
        project["project_id"],
        unique_by=["project_id", "title", "status"],
    )
    title = story.choose(
        "title", ["Add a river model", "Add a stage for talks", "Add a night sky", "Add a climbing log"]
    )
    amount = story.money(
        story.choose("amount", [385000, 390000] if project["service_level"] == "priority" else [185000, 190000])
    )
    with story.together():
        new = story.wish(
            (
                "The client wants something bigger on {project}. Please send a change order, {title}, for {amount}.",
                "I would like to submit a change order for my {project} project: {title}, for {amount}.",
                "send a change order on {project}, {title}, {amount}",
            ),
            short="submitting a change order for {project}, {title}, for {amount}",
            project=project["name"],
            title=title,
            amount=amount,
        )
        gone = story.wish(
            (
                "And withdraw {old} on {project}, they don't want that one anymore.",
                "Please also withdraw {old} on {project}, which the client no longer wants.",
                "and withdraw {old} on {project}, they don't want it now",
            ),
            short="withdrawing the change order {old} on {project}",
            old=old["title"],
            project=project["name"],
        )
    key = story.identify()
    projects = story.call("list_projects", wish=new, member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    orders = story.call("list_change_orders", wish=gone, project_id=mine["project_id"])["change_orders"]
    dropped = story.find([each for each in orders if each["status"] == "waiting"], title=old["title"])
    story.call("withdraw_change_order", wish=gone, change_order_id=dropped["change_order_id"])
    story.call("submit_change_order", wish=new, project_id=mine["project_id"], title=title, amount_cents=amount)


@scenario(form="mistaken")
def send_it_again_for_more(story: Story) -> None:
    """The lead has a change order withdrawn and sent again for more, and is wrong about its amount."""
    project = story.pick(
        "project",
        f"status = 'active' AND {WAITING} > 0 AND {WAITING} + 15000 <= {MOST_WAITING}",
        unique_by=["member_id", "name"],
        mine=True,
    )
    order = story.pick(
        "change_order",
        "project_id = ? AND status = 'waiting' AND amount_cents NOT IN (32000, 77000, 118000)",
        project["project_id"],
        unique_by=["project_id", "title", "status"],
    )
    believed = story.money(story.choose("believed", [32000, 77000, 118000]))
    more = story.money(story.choose("more", [7500, 12500, 15000]))
    story.wish(
        (
            "I think {title} for {project} is at {believed}. Can you withdraw it and send it again for {more} more, same extra days?",
            "I believe the change order {title} for {project} is for {believed}. Please withdraw it and submit it again for {more} more, with the same extra days.",
            "pretty sure {title} for {project} is at {believed}. withdraw it and send it again for {more} more, same extra days",
        ),
        short="withdrawing {title} for {project} and sending it again for {more} more with the same extra days",
        title=order["title"],
        project=project["name"],
        believed=believed,
        more=more,
    )
    story.believes("amount", believed, order["amount_cents"])
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    orders = story.call("list_change_orders", project_id=mine["project_id"])["change_orders"]
    found = story.find([each for each in orders if each["status"] == "waiting"], title=order["title"])
    with story.wrong("trusts the customer"):
        story.call("withdraw_change_order", change_order_id=found["change_order_id"])
        amount = story.total([{"cents": believed}, {"cents": more}], "cents")
        story.call(
            "submit_change_order",
            project_id=mine["project_id"],
            title=order["title"],
            amount_cents=amount,
            extra_days=found["extra_days"],
        )
    with story.wrong("sends it for the same amount"):
        story.call("withdraw_change_order", change_order_id=found["change_order_id"])
        story.call(
            "submit_change_order",
            project_id=mine["project_id"],
            title=order["title"],
            amount_cents=found["amount_cents"],
            extra_days=found["extra_days"],
        )
    story.call("withdraw_change_order", change_order_id=found["change_order_id"])
    amount = story.total([{"cents": found["amount_cents"]}, {"cents": more}], "cents")
    story.call(
        "submit_change_order",
        project_id=mine["project_id"],
        title=order["title"],
        amount_cents=amount,
        extra_days=found["extra_days"],
    )


@scenario
def book_an_hour(story: Story) -> None:
    """The lead books a station for one hour and asks for the price."""
    station = story.pick("station", "status = 'in_service'", unique_by=["name"])
    project = story.pick(
        "project",
        f"status = 'active' AND {HOURS} + 1 <= {MOST_HOURS} AND {LEFT} >= {KEEP} + ?",
        station["hourly_cents"],
        unique_by=["member_id", "name"],
        mine=True,
    )
    moment = story.moment(
        story.choose("day", [story.day(38), story.day(43), story.day(45)]),
        story.choose("time", ["10:00", "11:00", "14:00"]),
    )
    hours = story.choose("hours", [1])
    story.wish(
        (
            "I need the {station} for {project} on {moment}, just {hours} hour. Can you book it and tell me the price?",
            "Please book the {station} for my {project} project on {moment} for {hours} hour, and tell me the price.",
            "book the {station} for {project} on {moment}, {hours} hour. what's the price",
        ),
        short="booking the {station} for {project} on {moment} for {hours} hour and telling me the price",
        station=station["name"],
        project=project["name"],
        moment=moment,
        hours=hours,
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    found = story.find(story.call("search_stations")["stations"], name=station["name"])
    booked = story.call(
        "book_station", project_id=mine["project_id"], station_id=found["station_id"], starts_at=moment, hours=hours
    )
    story.answer("price", story.money(booked["cost_cents"]))


@scenario
def a_station_breaks_down(story: Story) -> None:
    """Someone reports that a station is down and moves their own booking on another one."""
    station = story.pick(
        "station",
        "status = 'in_service' AND NOT EXISTS (SELECT 1 FROM booking WHERE booking.station_id = station.station_id AND booking.status = 'booked' AND booking.starts_at > ?)",
        story.day(60),
        unique_by=["name"],
    )
    state = story.choose("state", ["down"])
    story.wish(
        (
            "The {station} just quit on us. Can you mark it {state} so nobody books it?",
            "I would like to report that the {station} has stopped working. Please mark it as {state}.",
            "the {station} died, can you mark it {state}",
        ),
        short="marking the {station} as {state}",
        station=station["name"],
        state=state,
    )
    story.identify()
    found = story.find(story.call("search_stations")["stations"], name=station["name"])
    story.call("set_station_status", station_id=found["station_id"], status=state)


@scenario(form="denied")
def more_shop_time(story: Story) -> None:
    """The lead wants a few more hours on a station."""
    hours = story.choose("hours", [2, 3])
    station = story.pick("station", "status = 'in_service' AND hourly_cents <= 4500", unique_by=["name"])
    project = story.pick(
        "project",
        f"status = 'active' AND {HOURS} BETWEEN {MOST_HOURS} - 5 AND {MOST_HOURS} AND {LEFT} >= {KEEP} + 3 * ?",
        station["hourly_cents"],
        unique_by=["member_id", "name"],
        mine=True,
    )
    moment = story.moment(story.choose("day", [story.day(37), story.day(41)]), story.choose("time", ["10:00", "13:00"]))
    other = story.moment(story.day(44), "10:00")
    book = story.wish(
        (
            "We're behind on {project}. Can you book the {station} on {moment} for {hours} hours?",
            "I would like to book the {station} for my {project} project on {moment} for {hours} hours.",
            "can you get me the {station} for {project} on {moment}, {hours} hours",
        ),
        short="booking the {station} for {project} on {moment} for {hours} hours",
        project=project["name"],
        station=station["name"],
        moment=moment,
        hours=hours,
    )
    story.insists(
        book,
        (
            "I've planned my whole week around this slot.",
            "My whole week is arranged around this time.",
            "my whole week hangs on that slot",
        ),
    )
    story.insists(
        book,
        (
            "I'd be so relieved to have this on the calendar.",
            "It would be a great relief to have it on the calendar.",
            "i'd sleep better with that on the calendar",
        ),
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    found = story.find(story.call("search_stations")["stations"], name=station["name"])
    with story.wrong("books another time"):
        story.call(
            "book_station", project_id=mine["project_id"], station_id=found["station_id"], starts_at=other, hours=hours
        )
    if story.permits(
        "book_station", project_id=mine["project_id"], station_id=found["station_id"], starts_at=moment, hours=hours
    ):
        story.call(
            "book_station", project_id=mine["project_id"], station_id=found["station_id"], starts_at=moment, hours=hours
        )
    else:
        story.decline(book)


@scenario(form="denied")
def an_extra_purchase(story: Story) -> None:
    """The lead wants to order one more thing for a project."""
    project = story.pick(
        "project",
        f"status = 'active' AND {LEFT} BETWEEN {KEEP} AND {KEEP} + 60000",
        unique_by=["member_id", "name"],
        mine=True,
    )
    item = story.choose(
        "item",
        ["Cherry veneer, 6 sheets", "Brass corner guards, set of 12", "Velvet curtain, dark blue", "Neon sign, red"],
    )
    vendor = story.choose("vendor", ["Zenith Lumber", "Mesabi Hardware", "Harbor Flooring"])
    kind = story.choose("kind", {"a custom item": "custom", "a stock item": "stock"})
    cost = story.money(story.choose("cost", [12000, 18500, 26000]))
    day = story.choose("day", [story.day(15), story.day(20)])
    order = story.wish(
        (
            "I need one more thing for {project}: {item} from {vendor}, {kind}. It's {cost} and I need it by {day}. Can you order it?",
            "Please order {item} from {vendor} for my {project} project. It is {kind}, costs {cost}, and is needed by {day}.",
            "can you order {item} from {vendor} for {project}? {kind}, {cost}, need it by {day}",
        ),
        short="ordering {item} from {vendor} for {project}, {kind}, {cost}, needed by {day}",
        project=project["name"],
        item=item,
        vendor=vendor,
        kind=kind,
        cost=cost,
        day=day,
    )
    story.insists(
        order,
        (
            "It's the one thing I really wanted in this exhibit.",
            "This is the one detail I truly care about in this exhibit.",
            "it's the one thing i really wanted in there",
        ),
    )
    story.insists(
        order,
        (
            "I'd be heartbroken to leave it out.",
            "Leaving it out would be a great disappointment to me.",
            "i'd be so sad to leave it out",
        ),
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    with story.wrong("orders it for another day"):
        story.call(
            "order_purchase",
            project_id=mine["project_id"],
            item=item,
            vendor_name=vendor,
            category=kind,
            cost_cents=cost,
            needed_on=story.day(25),
        )
    if story.permits(
        "order_purchase",
        project_id=mine["project_id"],
        item=item,
        vendor_name=vendor,
        category=kind,
        cost_cents=cost,
        needed_on=day,
    ):
        story.call(
            "order_purchase",
            project_id=mine["project_id"],
            item=item,
            vendor_name=vendor,
            category=kind,
            cost_cents=cost,
            needed_on=day,
        )
    else:
        story.decline(order)


@scenario(form="all_but")
def most_of_it_came_in(story: Story) -> None:
    """Everything on order for a project arrived, except one thing."""
    project = story.pick(
        "project",
        "status = 'active' AND (SELECT count(*) FROM purchase WHERE purchase.project_id = project.project_id AND purchase.status = 'ordered') BETWEEN 3 AND 6",
        unique_by=["member_id", "name"],
        mine=True,
    )
    missing = story.pick(
        "purchase",
        "project_id = ? AND status = 'ordered'",
        project["project_id"],
        unique_by=["project_id", "item", "status"],
    )
    story.wish(
        (
            "The truck came, and everything on order for {project} is here except the {item}. Can you mark it all received?",
            "All purchases on order for my {project} project have arrived except the {item}. Please mark them as received.",
            "can you mark everything on order for {project} as received? all but the {item}, that's not here yet",
        ),
        short="marking everything on order for {project} as received except the {item}",
        project=project["name"],
        item=missing["item"],
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    purchases = story.call("list_purchases", project_id=mine["project_id"])["purchases"]
    ordered = [each for each in purchases if each["status"] == "ordered"]
    with story.wrong("forgets the exception"):
        story.call("receive_purchases", purchase_ids=[each["purchase_id"] for each in ordered])
    rest = story.all_but(ordered, item=missing["item"])
    story.call("receive_purchases", purchase_ids=[each["purchase_id"] for each in rest])


@scenario(form="ambiguous")
def which_booking_was_that(story: Story) -> None:
    """The lead asks about one of a project's bookings, and tells which when asked."""
    project = story.pick(
        "project",
        "(SELECT count(*) FROM booking WHERE booking.project_id = project.project_id) >= 4",
        unique_by=["member_id", "name"],
        mine=True,
    )
    booking = story.pick(
        "booking",
        """project_id = ? AND NOT EXISTS (SELECT 1 FROM booking AS b WHERE b.project_id = booking.project_id
            AND b.booking_id <> booking.booking_id AND date(b.starts_at) = date(booking.starts_at))""",
        project["project_id"],
    )
    day = story.date_of(booking["starts_at"])
    ask = story.wish(
        (
            "I'm checking one of the shop bookings for {project}. Which station was it, what was the exact start, and what was the price?",
            "I have a question about one of the station bookings for my {project} project. Please tell me the station, the exact start, and the price.",
            "need the station, the exact start and the price of one of my {project} bookings",
        ),
        project=project["name"],
    )
    story.keep_back("day", day)
    story.in_short(
        ask,
        "telling me the station, the exact start, and the price of one booking for {project}, the one on {day}",
        project=project["name"],
        day=day,
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    bookings = story.call("list_bookings", project_id=mine["project_id"])["bookings"]
    dated = [each for each in bookings if story.date_of(each["starts_at"]) == day]
    for right in dated:
        for other in story.others(bookings, right):
            with story.wrong("takes another booking"):
                story.answer("station", other["station_name"], source="station.name")
                story.answer("exact start", other["starts_at"])
                story.answer("price", story.money(other["cost_cents"]))
        story.answer("station", right["station_name"], source="station.name")
        story.answer("exact start", right["starts_at"])
        story.answer("price", story.money(right["cost_cents"]))


@scenario(form="coupled")
def swap_a_booking(story: Story) -> None:
    """The lead books a station for another day and gives up the booking there is."""
    booking = story.pick(
        "booking",
        f"""status = 'booked' AND starts_at >= ? AND EXISTS (SELECT 1 FROM station WHERE station.station_id = booking.station_id AND station.status = 'in_service')
            AND NOT EXISTS (SELECT 1 FROM booking AS b WHERE b.project_id = booking.project_id AND b.station_id = booking.station_id
                AND b.booking_id <> booking.booking_id AND b.status = 'booked' AND date(b.starts_at) = date(booking.starts_at))
            AND EXISTS (SELECT 1 FROM project WHERE project.project_id = booking.project_id AND project.status = 'active'
                AND {HOURS} > {MOST_HOURS} - booking.hours AND {HOURS} <= {MOST_HOURS} AND {LEFT} >= {KEEP})""",
        story.day(4),
        mine=True,
    )
    project = story.row("project", booking["project_id"])
    station = story.row("station", booking["station_id"])
    old = story.date_of(booking["starts_at"])
    hours = booking["hours"]
    moment = story.moment(story.choose("day", [story.day(36), story.day(42)]), story.choose("time", ["10:00", "13:00"]))
    with story.together():
        new = story.wish(
            (
                "I need the {station} for {project} on {moment}, {hours} hours. Can you book that?",
                "I would like to book the {station} for my {project} project on {moment} for {hours} hours.",
                "book the {station} for {project} on {moment}, {hours} hours",
            ),
            short="booking the {station} for {project} on {moment} for {hours} hours",
            station=station["name"],
            project=project["name"],
            moment=moment,
            hours=hours,
        )
        gone = story.wish(
            (
                "And cancel the {station} on {old} for {project}, we won't make it.",
                "Please also cancel the {station} on {old} for {project}, since we will not be ready.",
                "and cancel the {station} on {old} for {project}, won't be ready",
            ),
            short="canceling the {station} booking for {project} on {old}",
            station=station["name"],
            project=project["name"],
            old=old,
        )
    key = story.identify()
    projects = story.call("list_projects", wish=new, member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    bookings = story.call("list_bookings", wish=gone, project_id=mine["project_id"])["bookings"]
    that_day = [each for each in bookings if story.date_of(each["starts_at"]) == old and each["status"] == "booked"]
    dropped = story.find(that_day, station_name=station["name"])
    story.call("cancel_bookings", wish=gone, booking_ids=[dropped["booking_id"]])
    story.call(
        "book_station",
        wish=new,
        project_id=mine["project_id"],
        station_id=dropped["station_id"],
        starts_at=moment,
        hours=hours,
    )


@scenario(form="mistaken")
def push_a_booking_back(story: Story) -> None:
    """The lead has a booking moved some days later, and is wrong about its day."""
    booking = story.pick(
        "booking",
        """status = 'booked' AND starts_at > ? AND EXISTS (SELECT 1 FROM station WHERE station.station_id = booking.station_id AND station.status = 'in_service')
            AND NOT EXISTS (SELECT 1 FROM booking AS b WHERE b.project_id = booking.project_id AND b.station_id = booking.station_id
                AND b.booking_id <> booking.booking_id AND b.status = 'booked' AND b.starts_at > ?)""",
        story.now,
        story.now,
        mine=True,
    )
    project = story.row("project", booking["project_id"])
    station = story.row("station", booking["station_id"])
    days = story.choose("days", [42, 49])
    off = story.choose("off", [1, 2])
    wrong = story.after(booking["starts_at"], days=-off)
    day = story.date_of(wrong)
    story.wish(
        (
            "We have the {station} for {project} on {day}, I'm pretty sure. Can you move it to exactly {days} days later?",
            "I believe the {station} is booked for my {project} project on {day}. Please move it to exactly {days} days later.",
            "pretty sure we have the {station} for {project} on {day}, can you move it exactly {days} days later",
        ),
        short="moving the upcoming {station} booking for {project} to exactly {days} days later",
        station=station["name"],
        project=project["name"],
        day=day,
        days=days,
    )
    story.believes("day", day, story.date_of(booking["starts_at"]))
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    bookings = story.call("list_bookings", project_id=mine["project_id"])["bookings"]
    ahead = [each for each in bookings if each["status"] == "booked" and each["starts_at"] > story.now]
    found = story.find(ahead, station_name=station["name"])
    with story.wrong("trusts the customer"):
        story.call("move_booking", booking_id=found["booking_id"], starts_at=story.after(wrong, days=days))
    with story.wrong("cancels it"):
        story.call("cancel_bookings", booking_ids=[found["booking_id"]])
    story.call("move_booking", booking_id=found["booking_id"], starts_at=story.after(found["starts_at"], days=days))


@scenario(form="outside")
def cancel_and_sweep_out(story: Story) -> None:
    """The lead cancels a booking, with a charge if it is late, and wants the floor swept."""
    booking = story.pick(
        "booking",
        """status = 'booked' AND starts_at > ? AND NOT EXISTS (SELECT 1 FROM booking AS b WHERE b.project_id = booking.project_id
            AND b.station_id = booking.station_id AND b.booking_id <> booking.booking_id AND b.status = 'booked' AND date(b.starts_at) = date(booking.starts_at))""",
        story.now,
        mine=True,
    )
    project = story.row("project", booking["project_id"])
    station = story.row("station", booking["station_id"])
    day = story.date_of(booking["starts_at"])
    story.wish(
        (
            "We won't be ready for the {station} on {day}. Can you cancel that booking for {project}?",
            "I would like to cancel the {station} booking on {day} for my {project} project.",
            "cancel the {station} on {day} for {project} pls, not ready",
        ),
        short="canceling the {station} booking for {project} on {day}",
        station=station["name"],
        day=day,
        project=project["name"],
    )
    story.outside(
        (
            "And can you have someone sweep up around it before the weekend?",
            "Could you please also have somebody sweep the floor around it before the weekend?",
            "and can somebody sweep up around there before the weekend",
        )
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    bookings = story.call("list_bookings", project_id=mine["project_id"])["bookings"]
    that_day = [each for each in bookings if story.date_of(each["starts_at"]) == day and each["status"] == "booked"]
    found = story.find(that_day, station_name=station["name"])
    story.call("cancel_bookings", booking_ids=[found["booking_id"]])
    if day < story.day(3):
        fee = story.total([{"cents": 2000} for _ in range(found["hours"])], "cents")
        story.call("add_charge", project_id=mine["project_id"], kind="late_cancel", amount_cents=fee)


@scenario(form="looked_up")
def booking_by_its_hourly_price(story: Story) -> None:
    """The lead cancels the upcoming booking on the station with a certain hourly price."""
    project = story.pick(
        "project",
        """status = 'active' AND 2 <= (SELECT count(*) FROM booking WHERE booking.project_id = project.project_id AND booking.status = 'booked'
                AND booking.starts_at > ?)
            AND EXISTS (SELECT 1 FROM booking WHERE booking.project_id = project.project_id AND booking.status = 'booked' AND booking.starts_at >= ?
                AND NOT EXISTS (SELECT 1 FROM booking AS b WHERE b.project_id = booking.project_id AND b.status = 'booked' AND b.starts_at > ?
                    AND b.station_id = booking.station_id AND b.booking_id <> booking.booking_id))""",
        story.now,
        story.day(3),
        story.now,
        unique_by=["member_id", "name"],
        mine=True,
    )
    booking = story.pick(
        "booking",
        """project_id = ? AND status = 'booked' AND starts_at >= ?
            AND NOT EXISTS (SELECT 1 FROM booking AS b WHERE b.project_id = booking.project_id AND b.status = 'booked' AND b.starts_at > ?
                AND b.station_id = booking.station_id AND b.booking_id <> booking.booking_id)
            AND 1 = (SELECT count(*) FROM station AS s WHERE s.hourly_cents = (SELECT hourly_cents FROM station WHERE station.station_id = booking.station_id))""",
        project["project_id"],
        story.day(3),
        story.now,
    )
    price = story.money(story.row("station", booking["station_id"])["hourly_cents"])
    story.wish(
        (
            "I can't recall which station it was, but it's the one at {price} an hour. Can you cancel our upcoming booking on it for {project}?",
            "Please cancel the upcoming booking for my {project} project on the station that costs {price} an hour.",
            "cancel our upcoming {project} booking on the station that's {price} an hour, forgot which one",
        ),
        short="canceling the upcoming booking for {project} on the station that costs {price} an hour",
        price=price,
        project=project["name"],
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    bookings = story.call("list_bookings", project_id=mine["project_id"])["bookings"]
    ahead = [each for each in bookings if each["status"] == "booked" and each["starts_at"] > story.now]
    station = story.find(story.call("search_stations")["stations"], hourly_cents=price)
    right = story.find(ahead, station_id=station["station_id"])
    for other in story.others(ahead, right):
        with story.wrong("takes another booking"):
            story.call("cancel_bookings", booking_ids=[other["booking_id"]])
    story.call("cancel_bookings", booking_ids=[right["booking_id"]])


@scenario(form="best_of")
def biggest_task_of_the_others(story: Story) -> None:
    """The lead moves the open task with the most hours, leaving out one person's tasks."""
    project = story.pick(
        "project",
        """status = 'active' AND due_on >= ? AND EXISTS (SELECT 1 FROM task WHERE task.project_id = project.project_id AND task.status IN ('todo', 'in_progress')
                AND task.assignee_id IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM task AS t WHERE t.project_id = task.project_id AND t.status IN ('todo', 'in_progress')
                    AND t.task_id <> task.task_id AND t.estimate_hours >= task.estimate_hours)
                AND 2 <= (SELECT count(*) FROM task AS t WHERE t.project_id = task.project_id AND t.status IN ('todo', 'in_progress')
                    AND t.assignee_id IS NOT task.assignee_id))""",
        story.day(16),
        unique_by=["member_id", "name"],
        mine=True,
    )
    top = story.pick(
        "task",
        """project_id = ? AND status IN ('todo', 'in_progress') AND assignee_id IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM task AS t WHERE t.project_id = task.project_id AND t.status IN ('todo', 'in_progress')
                AND t.task_id <> task.task_id AND t.estimate_hours >= task.estimate_hours)
            AND NOT EXISTS (SELECT 1 FROM task AS t WHERE t.project_id = task.project_id AND t.status IN ('todo', 'in_progress') AND t.due_on = ?)""",
        project["project_id"],
        story.day(16),
    )
    name = story.row("member", top["assignee_id"])["name"]
    day = story.day(16)
    story.wish(
        (
            "Of the open tasks on {project}, not counting {name}'s, can you make the one with the most hours due {day}?",
            "Among the open tasks of my {project} project that are not with {name}, please make the one with the most hours due {day}.",
            "make the open {project} task with the most hours due {day}, skip {name}'s",
        ),
        short="making the open {project} task with the most hours due {day}, not counting {name}'s",
        project=project["name"],
        name=name,
        day=day,
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    tasks = story.call("list_project_tasks", project_id=mine["project_id"])["tasks"]
    left = [each for each in tasks if each["status"] in ("todo", "in_progress")]
    with story.wrong("forgets the condition"):
        story.call("reschedule_tasks", task_ids=[story.highest(left, "estimate_hours")["task_id"]], due_on=day)
    fitting = [each for each in left if each["assignee_name"] != name]
    best = story.highest(fitting, "estimate_hours")
    for other in story.others(fitting, best, 1):
        with story.wrong("takes another one that fits"):
            story.call("reschedule_tasks", task_ids=[other["task_id"]], due_on=day)
    story.call("reschedule_tasks", task_ids=[best["task_id"]], due_on=day)


@scenario(form="best_of")
def latest_unassigned_or_not(story: Story) -> None:
    """The lead cancels the open task due last, leaving out one person's tasks."""
    project = story.pick(
        "project",
        f"""status = 'active' AND EXISTS (SELECT 1 FROM task WHERE task.project_id = project.project_id AND task.status IN ('todo', 'in_progress')
                AND task.assignee_id IS NOT NULL AND {NOBODY_WAITS}
                AND NOT EXISTS (SELECT 1 FROM task AS t WHERE t.project_id = task.project_id AND t.status IN ('todo', 'in_progress')
                    AND t.task_id <> task.task_id AND t.due_on >= task.due_on)
                AND 2 <= (SELECT count(*) FROM task AS t WHERE t.project_id = task.project_id AND t.status IN ('todo', 'in_progress')
                    AND t.assignee_id IS NOT task.assignee_id)
                AND NOT EXISTS (SELECT 1 FROM task AS t JOIN task AS n ON n.waits_on_task_id = t.task_id
                    WHERE t.project_id = task.project_id AND t.status IN ('todo', 'in_progress') AND n.status IN ('todo', 'in_progress')))""",
        unique_by=["member_id", "name"],
        mine=True,
    )
    top = story.pick(
        "task",
        """project_id = ? AND status IN ('todo', 'in_progress') AND assignee_id IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM task AS t WHERE t.project_id = task.project_id AND t.status IN ('todo', 'in_progress')
                AND t.task_id <> task.task_id AND t.due_on >= task.due_on)""",
        project["project_id"],
    )
    name = story.row("member", top["assignee_id"])["name"]
    story.wish(
        (
            "We need to trim {project}. Can you cancel the open task that's due last, not counting the ones {name} has?",
            "Please cancel the open task of my {project} project that is due last, not counting the tasks of {name}.",
            "cancel whichever open task on {project} is due last, but not one of {name}'s",
        ),
        short="canceling the open {project} task that's due last, not counting {name}'s",
        project=project["name"],
        name=name,
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    tasks = story.call("list_project_tasks", project_id=mine["project_id"])["tasks"]
    left = [each for each in tasks if each["status"] in ("todo", "in_progress")]
    with story.wrong("forgets the condition"):
        story.call("cancel_tasks", task_ids=[story.highest(left, "due_on")["task_id"]])
    fitting = [each for each in left if each["assignee_name"] != name]
    last = story.highest(fitting, "due_on")
    for other in story.others(fitting, last, 1):
        with story.wrong("takes another one that fits"):
            story.call("cancel_tasks", task_ids=[other["task_id"]])
    story.call("cancel_tasks", task_ids=[last["task_id"]])


@scenario(form="changed_mind")
def email_with_a_typo(story: Story) -> None:
    """The member gives a new email and then corrects it."""
    first = story.choose("first", ["shopfloor.mail@example.com", "lakeside.desk@example.com"])
    second = story.choose("second", ["shopfloor.mail@example.org", "lakeside.desk@example.org"])
    change = story.wish(
        (
            "I'm switching to a new email, {email}. Can you update it?",
            "My email address has changed. Please update it to {email}.",
            "new email for me is {email}, can you change it",
        ),
        short="changing my email to {email}",
        email=first,
    )
    again = story.changes_mind(
        change,
        (
            "Sorry, I typed that wrong. My email is {email}.",
            "I apologize, that had a typo. My email is {email}.",
            "oops typo, email is {email}",
        ),
        short="changing my email to {email}",
        email=second,
    )
    key = story.identify()
    story.call("update_contact", wish=change, member_id=key, email=first)
    story.call("update_contact", wish=again, member_id=key, email=second)


@scenario(form="changed_mind")
def a_task_due_later_still(story: Story) -> None:
    """The lead moves a task and then picks another day."""
    project = story.pick(
        "project",
        "status = 'active' AND due_on >= ? AND EXISTS (SELECT 1 FROM task WHERE task.project_id = project.project_id AND task.status = 'todo')",
        story.day(17),
        unique_by=["member_id", "name"],
        mine=True,
    )
    task = story.pick(
        "task",
        "project_id = ? AND status = 'todo' AND due_on NOT IN (?, ?, ?, ?)",
        project["project_id"],
        story.day(9),
        story.day(10),
        story.day(15),
        story.day(17),
        unique_by=["project_id", "title"],
    )
    first = story.choose("first", [story.day(9), story.day(10)])
    second = story.choose("second", [story.day(15), story.day(17)])
    move = story.wish(
        (
            "{title} on my {project} project is running late. Can you make it due {day}?",
            "I would like {title} on my {project} project to be due {day}.",
            "can you make {title} on {project} due {day}",
        ),
        short="making {title} on my {project} project due {day}",
        title=task["title"],
        project=project["name"],
        day=first,
    )
    again = story.changes_mind(
        move,
        (
            "On second thought, make {title} on {project} due {day}.",
            "I apologize, please make {title} on {project} due {day} after all.",
            "actually make {title} on {project} due {day}",
        ),
        short="making {title} on my {project} project due {day}",
        title=task["title"],
        project=project["name"],
        day=second,
    )
    key = story.identify()
    projects = story.call("list_projects", wish=move, member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    tasks = story.call("list_project_tasks", wish=move, project_id=mine["project_id"])["tasks"]
    found = story.find([each for each in tasks if each["status"] == "todo"], title=task["title"])
    story.call("reschedule_tasks", wish=move, task_ids=[found["task_id"]], due_on=first)
    story.call("reschedule_tasks", wish=again, task_ids=[found["task_id"]], due_on=second)


@scenario(form="each")
def move_all_milestones(story: Story) -> None:
    """The lead wants all pending milestones of a project moved to one day."""
    project = story.pick(
        "project",
        """status = 'active' AND due_on >= ? AND (SELECT count(*) FROM milestone WHERE milestone.project_id = project.project_id
                AND milestone.status = 'pending') BETWEEN 2 AND 5
            AND EXISTS (SELECT 1 FROM milestone WHERE milestone.project_id = project.project_id AND milestone.status = 'pending'
                AND milestone.moves < CASE project.service_level WHEN 'priority' THEN 2 ELSE 1 END)
            AND NOT EXISTS (SELECT 1 FROM milestone WHERE milestone.project_id = project.project_id AND milestone.status = 'pending'
                AND milestone.due_on = ?)""",
        story.day(20),
        story.day(16),
        unique_by=["member_id", "name"],
        mine=True,
    )
    day = story.day(16)
    move = story.wish(
        (
            "The museum wants one big review day for {project}. Can you move every milestone that's still pending on it to {day}?",
            "I would like every pending milestone of my {project} project moved to {day}.",
            "can you move every pending milestone on {project} to {day}",
        ),
        short="moving every pending milestone of {project} to {day}",
        project=project["name"],
        day=day,
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    listed = story.call("list_milestones", project_id=mine["project_id"])["milestones"]
    for each in story.each([each for each in listed if each["status"] == "pending"]):
        if story.permits("move_milestone", milestone_id=each["milestone_id"], due_on=day):
            story.call("move_milestone", milestone_id=each["milestone_id"], due_on=day)
        else:
            story.decline(move)


@scenario(form="each")
def two_tasks_for_one_person(story: Story) -> None:
    """The lead wants two tasks given to the same teammate, one after the other."""
    project = story.pick(
        "project",
        "status = 'active' AND (SELECT count(*) FROM task WHERE task.project_id = project.project_id AND task.status = 'todo') >= 2",
        unique_by=["member_id", "name"],
        mine=True,
    )
    seat = story.pick(
        "team_seat",
        f"""project_id = ? AND EXISTS (SELECT 1 FROM member WHERE member.member_id = team_seat.teammate_id AND {ROOM_FOR_TASK}
                AND (SELECT count(*) FROM task AS held WHERE held.assignee_id = member.member_id AND held.status IN ('todo', 'in_progress')) >= {MOST_TASKS} - 2)
            AND 2 <= (SELECT count(*) FROM task WHERE task.project_id = team_seat.project_id AND task.status = 'todo'
                AND task.assignee_id IS NOT team_seat.teammate_id)""",
        project["project_id"],
        unique_by=["project_id", "teammate_id.name"],
    )
    one, two = story.pick_several(
        "task",
        2,
        "project_id = ? AND status = 'todo' AND assignee_id IS NOT ?",
        project["project_id"],
        seat["teammate_id"],
        unique_by=["project_id", "title"],
    )
    name = story.row("member", seat["teammate_id"])["name"]
    give = story.wish(
        (
            "{name} offered to take more on {project}. Can you assign them {one} first, and then {two}?",
            "I would like {name} to take over two tasks on {project}. Please assign {one} to them first, and then {two}.",
            "give {name} {one} first on {project}, then {two}",
        ),
        short="assigning {one} on {project} to {name} first, and then {two}",
        name=name,
        project=project["name"],
        one=one["title"],
        two=two["title"],
    )
    key = story.identify()
    projects = story.call("list_projects", member_id=key)["projects"]
    mine = story.find(projects, name=project["name"])
    tasks = story.call("list_project_tasks", project_id=mine["project_id"])["tasks"]
    todo = [each for each in tasks if each["status"] == "todo"]
    team = story.call("show_project", project_id=mine["project_id"])["team"]
    person = story.find(team, name=name)
    for each in story.each([story.find(todo, title=one["title"]), story.find(todo, title=two["title"])]):
        if story.permits("assign_task", task_id=each["task_id"], assignee_id=person["teammate_id"]):
            story.call("assign_task", task_id=each["task_id"], assignee_id=person["teammate_id"])
        else:
            story.decline(give)
